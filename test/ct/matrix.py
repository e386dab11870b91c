# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""poison.c over portable as gcc and clang compile it, -O0 to -O3. usage: matrix.py SOURCE BUILD LIBCRYPTO"""
import os
import sys
import tempfile

import valgrind

source, build, libcrypto = sys.argv[1:4]
INCLUDE = [f"-I{os.path.join(source, d)}" for d in ("include", "src", "test/lib")]
# The table of implementations has one row. PORT: valgrind 3.19 cannot read the DWARF 5 of clang 14.
FLAGS = ["-std=c11", "-w", "-gdwarf-4", "-D_GNU_SOURCE", "-DRIJN_ONLY_PORTABLE=1", "-DRIJN_TEST_HOOKS=1", "-DRIJN_REF_LIBCRYPTO=1"]

with open(os.path.join(build, "sources.txt"), encoding="utf-8") as f:
    rows = [line.split() for line in f]
sources = ["src/" + r[1] for r in rows if r[0] in ("core", "hook")] + ["src/isa/portable.c"]
sources += [f"test/lib/{name}.c" for name in ("t", "ref", "model")] + ["test/ct/poison.c", "test/ct/ops.c"]
wrong = []
for compiler in ("gcc", "clang-14"):
    for level in range(4):
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "poison")
            command = [compiler, *FLAGS, f"-O{level}", *INCLUDE, *(os.path.join(source, s) for s in sources), libcrypto,
                       "-o", program]
            done = valgrind.run(command)
            if done.returncode != 0:
                sys.exit(f"FAIL: {' '.join(command)}\n{done.stderr[:3000]}")
            under = ["valgrind", "-q", "--error-limit=no", program]
            env = {**os.environ, "RIJN_REQUIRE_IMPLS": ""}
            done = valgrind.run(under, env)
            said = done.stdout.strip().splitlines()[-1:]
            print(f"{compiler} -O{level}: status {done.returncode}, {said}", flush=True)
            if done.returncode != 0 or " 0 failures" not in done.stdout:
                wrong.append(f"{compiler} -O{level}:\n{valgrind.said(done)}")
            done = valgrind.run([*under, "--planted-table"], env)
            if done.returncode != 1 or "complaints, 0 allowed" not in done.stderr:
                wrong.append(f"{compiler} -O{level}: the planted fault was not found")
if wrong:
    sys.exit("FAIL: " + "\n".join(wrong))
