# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""poison.c and the library under clang's memory sanitizer: keys, texts and secret counters are marked as uninitialised, and it
complains of each branch on them and of each address made from them, in every implementation. usage: msan.py SOURCE BUILD

The sanitizer gives up at inline assembly: it complains of a secret that goes in, and what comes out is no secret to it. So
the two empty ones that secrets go through, PIN() and the barrier of src/ct.h, are taken out of a copy of the sources. Then
faults are planted, and must be found."""
import os
import sys
import tempfile

source, build = sys.argv[1:3]
sys.path.insert(0, os.path.join(source, "test/lib"))
from rebuilt import change, copy, must, run, sources

CLANG = "clang-14"
FLAGS = ["-std=c11", "-O2", "-g1", "-w", "-fsanitize=memory", "-fno-omit-frame-pointer", "-D_GNU_SOURCE", "-DRIJN_TEST_HOOKS=1",
         "-DPIN(v)=((void)0)"]
BARRIER = ("src/ct.h", '  __asm__("" : "+r"(v));\n', "")
# In the widest implementation: a branch on a block; a table with a secret's place.
WIDEST = "isa/x86_vaes_avx512.c"
PLACE = ("src/isa/ops_x86_512.h", "INLINE v_t v_xor(v_t a, v_t b) {")
BRANCH = (*PLACE, PLACE[1] + " if (_mm512_cvtsi512_si32(a) == 1) __builtin_trap();")
TABLE = (*PLACE, PLACE[1] + " static volatile char t[256]; t[_mm512_cvtsi512_si32(a) & 255] = 1;")
FAULTS = {"a branch on a block": BRANCH, "an address made of a block": TABLE}


def compile_c(root, path, target, flags=()):
    include = ["-I" + os.path.join(root, d) for d in ("test/ct/msan", "include", "src", "test/lib")]
    ternary = ["-include", os.path.join(root, "test/ct/msan/ternary.h")] if any("512" in f for f in flags) else []
    flags = [f for f in flags if not f.startswith(("-mmove-max=", "-mstore-max="))]  # gcc's
    must([CLANG, *FLAGS, *flags, *include, *ternary, "-c", os.path.join(root, path), "-o", target])
    return target


def link(objects, program):
    must([CLANG, "-fsanitize=memory", *objects, "-o", program])


def found(program, what, *args, says="use-of-uninitialized-value"):
    done = run([program, *args])
    if done.returncode == 0 or says not in done.stderr:
        sys.exit(f"FAIL: {what} was not found: exit status {done.returncode}\n{done.stderr[-3000:]}")
    print(f"found: {what}")


files = sources(build)
files.update({f: [] for f in ("test/lib/t.c", "test/ct/ops.c", "test/ct/poison.c")})

with tempfile.TemporaryDirectory() as folder:
    root = os.path.join(folder, "copy")
    copy(source, root, "include", "src", "test/lib", "test/ct")
    change(root, *BARRIER)
    objects = {f: compile_c(root, f, os.path.join(folder, f.replace("/", "_") + ".o"), flags) for f, flags in files.items()}
    program = os.path.join(folder, "poison")
    link(objects.values(), program)
    done = run([program])
    print(done.stdout, end="")
    if done.returncode != 0:
        sys.exit(f"FAIL: exit status {done.returncode}\n{done.stderr[:6000]}")

    found(program, "a planted branch", "--planted")
    found(program, "a planted table", "--planted-table")
    found(program, "a secret counter that is not said to be one", "--planted-counter")
    found(program, "a secret that is none any more", "--planted-known", says="not made of secrets")
    # A machine without AVX-512 has run the others alone, and said so; RIJN_REQUIRE_IMPLS knows what it must have.
    if "poison: x86-vaes-avx512\n" in done.stdout:
        for name, fault in FAULTS.items():
            change(root, *fault)
            mutant = compile_c(root, "src/" + WIDEST, os.path.join(folder, "mutant.o"), files["src/" + WIDEST])
            change(root, fault[0], fault[2], fault[1])
            link([mutant if f == "src/" + WIDEST else o for f, o in objects.items()], program)
            found(program, name, "--impl", "x86-vaes-avx512")
