# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""ARCHITECTURE.md has the parameters of all sets as tools/sets prints them; and a parameter that a set leaves out, makes up,
gives in another order or out of its range is an error of the compiler, as is a kernel without a row."""
import os

from common import SETS, Scratch, arguments, fail, run
import rijn_sets

args = arguments()
printed = run([os.path.join(args.root, "tools/sets")])
with open(os.path.join(args.root, "ARCHITECTURE.md"), encoding="utf-8") as f:
    page = f.read()
for line in printed.splitlines():
    if line and line not in page.splitlines():
        fail(f"ARCHITECTURE.md: `tools/sets` prints what is not there:\n{line}")
rows = [line for line in page.splitlines() if line.startswith(("| `", "| x86-", "| arm-", "| ppc-"))]
names = {row.name for row in rijn_sets.parameters()}
stale = [line for line in rows if line.split("`")[1:2] and line.split("`")[1] in names and line not in printed.splitlines()]
if stale:
    fail("ARCHITECTURE.md has what `tools/sets` does not print:\n" + "\n".join(stale))

FILE = "x86_vaes_avx2"
row = next(row for row in SETS.sets if row.file == FILE)
FAULTS = [
    ("  TUNE(KEEP_TEXT, 0) \\\n", "", "KEEP_TEXT"),
    ("  TUNE(KEEP_TEXT, 0) \\\n", "  TUNE(KEEP_TEXT, 0) \\\n  TUNE(GCM_KEPT, 0) \\\n", "tune.def"),
    ("  TUNE(KEEP_TEXT, 0) \\\n  TUNE(MIDDLE_TERM, HALVES_PAIRED)", "  TUNE(MIDDLE_TERM, HALVES_PAIRED) \\\n  TUNE(KEEP_TEXT, 0)", "out of order"),
    ("TUNE(MIDDLE_TERM, HALVES_PAIRED)", "TUNE(MIDDLE_TERM, 4)", "out of range"),
]
with Scratch() as tmp, open(os.path.join(args.root, f"src/isa/{FILE}.c"), encoding="utf-8") as f:
    text = f.read()
    head = text[: text.index('#include "ops_')]  # the operations do not matter, and take a second to read
    for old, new, said in [("", "", "")] + FAULTS:
        if head.count(old) != 1 and old:
            fail(f"{FILE}.c: {head.count(old)} times, expected once; bring the test up to date:\n{old}")
        path = os.path.join(tmp, FILE + ".c")
        with open(path, "w", encoding="utf-8") as out:
            out.write(head.replace(old, new) if old else head)
        flags = ["-std=c11", "-fsyntax-only", "-I", os.path.join(args.root, "src/isa"), *SETS.flags(row)]
        done = run([args.cc, *flags, path], ok=False)
        if (done.returncode == 0) != (old == "") or said not in done.stderr:
            fail(f"exit status {done.returncode}, expected {'an error that has ' + said if old else 0}\n{old}{done.stderr}")
print(f"{len(names)} parameters of {len(SETS.sets)} sets; {len(FAULTS)} faults refused")
