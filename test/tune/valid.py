# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""What src/mode/tune.def calls valid compiles, and computes rightly: sets of this machine with choices at random.

usage: valid.py COMPILER"""
import random
import sys
import tempfile

import common  # noqa: F401
import bench
import build
import rijn_sets

VARIANTS, SEED = 60, 20
WIDE = rijn_sets.tried()


def change_of(values):
    """Other values of a third of the choices, valid together."""
    while True:
        change = {}
        for row in rijn_sets.parameters():
            beside_narrow = not row.name.startswith("NARROW") or values["NARROW_ENCRYPT"]
            if row.kind == "choice" and beside_narrow and random.random() < 0.3:
                change[row.name] = random.choice(WIDE.get(row.name, range(row.least, row.most + 1)))
        if not rijn_sets.invalid({**values, **change}):
            return change


with tempfile.TemporaryDirectory() as folder:
    random.seed(SEED)
    tree = build.Tree(build.Compiler(sys.argv[1]), folder, 2)
    good = tree.base()
    runner = bench.Runner(tree.runner(), [], "stub", -2, 3, 1)
    names = [name for name in runner.sets(good) if name != "portable"]
    failed = 0
    for _ in range(VARIANTS):
        row = tree.row(random.choice(names))
        text = tree.text(row)
        change = change_of(tree.values(text))
        try:
            said = runner.check(good, tree.variant(row, tree.changed(text, change)), row.name)
        except build.Failed as error:
            said = f"does not compile: {error}"
        if said:
            failed += 1
            print(f"{row.name}: {change}: {said}")
    if failed or not names:
        sys.exit(f"{failed} of {VARIANTS} that tune.def calls valid are not, on {len(names)} sets")
print(f"{VARIANTS} variants of {len(names)} sets")
