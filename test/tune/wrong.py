# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""A variant that computes wrongly is thrown out, with what is wrong; one that does not compile, too; a right one is taken.

usage: wrong.py COMPILER BUILD: the folder of the build has the objects of the other sets."""
import glob
import os
import sys
import tempfile

import common  # noqa: F401
import bench
import build

cc, built = sys.argv[1:]
with tempfile.TemporaryDirectory() as folder:
    tree = build.Tree(build.Compiler(cc), folder, 2)
    # Those of the shared library: the static one's rules export nothing, and the runner would not find them.
    folders = ("rijn_exported.dir", "rijn_core.dir/**/isa")
    found = [os.path.join(built, "src", "CMakeFiles", name, "**", "*.o") for name in folders]
    objects = [path for pattern in found for path in glob.glob(pattern, recursive=True)]
    tree.objects = {os.path.basename(path)[: -len(".c.o")]: path for path in objects}
    good = tree._link(tree.objects, os.path.join(folder, "good.so"))
    runner = bench.Runner(tree.runner(), [], "stub", -2, 3, 1)
    chosen = runner.sets(good)[0]
    row = tree.row(chosen if chosen != "portable" else sys.exit("this machine runs portable alone: nothing can be tuned on it"))
    trials = bench.Trials(tree, row, runner, good, 2)
    values = tree.values(trials.text)

    def said(text):
        """What becomes of the set with that text."""
        trials.text = text
        out = trials._variant(values)
        return "" if isinstance(out, str) else f"{out.word}: {out.why}"

    text = tree.text(row)
    # Messages beyond the table of counters go on in what lies behind it: short ones, and the self-test, do not see it.
    far = text.replace('#include "../mode/all_t.h"', "#undef RIJN_COUNTERS\n#define RIJN_COUNTERS 2000\n" '#include "../mode/all_t.h"')
    for what, changed, want in (
        ("as it is", text, ""),
        ("wrong for long messages", far, "wrong: GCM, "),
        ("does not compile", text.replace('#include "../mode/all_t.h"', "#error planted"), "refused: does not compile: "),
    ):
        if changed == text and want:
            sys.exit(f"{row.file}.c: nothing was planted: {what}; bring the test up to date")
        got = said(changed)
        print(f"{row.name}, {what}: {got or 'taken'}")
        if not got.startswith(want) or bool(want) != bool(got):
            sys.exit(f"expected: {want or 'taken'}")
    # A reader of the record has to see which.
    (verdict,) = trials.trial(values, [{}]) if said(text) == "" else [None]
    if verdict.word != "level":
        sys.exit(f"the set beside itself is {verdict.word}")
