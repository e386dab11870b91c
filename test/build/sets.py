# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""tools/sets prints the parameters of all sets; and a parameter that a set leaves out, gives
out of its range or with others that do not go with it is an error of the compiler, as the reader knows without one; one that
it makes up is an error of the reader."""
import os

from common import SETS, Scratch, arguments, fail, run
import rijn_sets

args = arguments()
names = {row.name for row in rijn_sets.parameters()}
printed = run([os.path.join(args.root, "tools/sets")])
if missing := [name for name in names if printed.count(f"| `{name}` |") < 2]:
    fail(f"tools/sets prints no values of {missing}")

FILE = "x86_vaes_avx2"
row = next(row for row in SETS.sets if row.file == FILE)
FAULTS = [
    ("#define KEEP_TEXT 0\n", "", "KEEP_TEXT"),
    ("#define MIDDLE_TERM HALVES_PAIRED", "#define MIDDLE_TERM 4", "out of range"),
    ("#define PASS_VECTORS 6", "#define PASS_VECTORS 5", "products are added two by two"),
    ("#define ONE_CALL_BYTES 544", "#define ONE_CALL_BYTES 448", "powers that are not made"),
    ("#define ONE_CALL_BYTES 544", "#define ONE_CALL_BYTES 560", "is one sum"),
    ("#define NARROW_AAD 0", "#define NARROW_AAD 16", "no NARROW, and work for it"),
    ("#define TABLE_FROM 16384", "#define TABLE_FROM 0", ""),
]


def number(value):
    """A value as a number, as gcc has it for 64 bits."""
    by = rijn_sets.re.fullmatch(r"BY_(COMPILER|WIDTH)\((\w+), (\w+)\)", value)
    value = (by[2] if by[1] == "COMPILER" else by[3]) if by else value
    return rijn_sets.CONSTANTS.get(value) if value in rijn_sets.CONSTANTS else int(value)


def read(folder):
    """What the reader says of the file in that folder."""
    values = rijn_sets.tuning(FILE, folder)
    missing = sorted(names - set(values))
    return missing[0] if missing else rijn_sets.invalid({name: number(value) for name, value in values.items()})


for each in SETS.sets:
    values = {name: number(value) for name, value in rijn_sets.tuning(each.file).items()}
    if set(values) != names or rijn_sets.invalid(values):
        fail(f"{each.file}.c: {rijn_sets.invalid(values)}")
with Scratch() as tmp, open(os.path.join(args.root, f"src/isa/{FILE}.c"), encoding="utf-8") as f:
    text = f.read()
    head = text[: text.index('#include "ops_')]  # the operations do not matter, and take a second to read
    for old, new, said in FAULTS:
        if head.count(old) != 1:
            fail(f"{FILE}.c: {head.count(old)} times, expected once; bring the test up to date:\n{old}")
        path = os.path.join(tmp, FILE + ".c")
        with open(path, "w", encoding="utf-8") as out:
            out.write(head.replace(old, new))
        flags = ["-std=c11", "-fsyntax-only", "-I", os.path.join(args.root, "src/isa"), *SETS.flags(row)]
        done = run([args.cc, *flags, path], ok=False)
        if (done.returncode == 0) != (said == "") or said not in done.stderr:
            fail(f"exit status {done.returncode}, expected an error that has {said!r}\n{old}{done.stderr}")
        if said not in read(tmp) or bool(said) != bool(read(tmp)):
            fail(f"tools/rijn_sets.py says {read(tmp)!r}, expected {said!r}: {new}")
    with open(path, "w", encoding="utf-8") as out:
        out.write(head + "#define GCM_KEPT 0\n")
    try:
        read(tmp)
        fail("tools/rijn_sets.py takes a parameter that tune.def has not")
    except ValueError as error:
        if "GCM_KEPT" not in str(error):
            raise
print(f"{len(names)} parameters of {len(SETS.sets)} sets; {len(FAULTS)} faults refused")
