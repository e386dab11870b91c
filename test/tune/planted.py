# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""A set with three planted bad values, a pass of four vectors, no masks early, a table from 0 bytes, comes out of the tuner
level with the good one or better, within its time. On a processor without AVX-512 the set of AVX2 has two of them.

usage: planted.py COMPILER"""
import sys
import tempfile

from common import tune
import bench
import build
import search

MINUTES, LEVEL = 12, 1.02
with tempfile.TemporaryDirectory() as folder:
    tree = build.Tree(build.Compiler(sys.argv[1]), folder, 2)
    good = tree.base()
    runner = bench.Runner(tree.runner(), [], "chain", -1, 15, 50)
    wide = "x86-vaes-avx512-zen" in runner.sets(good)
    row = tree.row("x86-vaes-avx512-zen" if wide else "x86-vaes-avx2")
    bad = {"PASS_VECTORS": 4, "TABLE_FROM": 0, **({"MASK_EARLY": 0} if wide else {})}
    text = tree.text(row)
    said, record = tune(folder, "--cc", sys.argv[1], "--set", row.name, "--minutes", MINUTES,
                        "--only", "PASS_VECTORS,TABLE_FROM,MASK_EARLY,ONE_LOOP,KEEP_TEXT",
                        "--from", ",".join(f"{name}={value}" for name, value in bad.items()))  # fmt: skip
    print(said)
    paths = [tree.variant(row, tree.changed(text, values)) for values in ({}, bad, record["values"])]
    samples = runner.measure([(path, row.name) for path in paths], 2)
    spoilt, tuned = (search.mean(bench.ratios(samples, i), bench.WEIGHTS) for i in (1, 2))
    print(f"{row.name} is 1; spoilt {spoilt:.3f}; tuned {tuned:.3f}")
    if tuned > LEVEL:
        sys.exit(f"the tuner's values take {tuned:.3f} of the good ones' time")
