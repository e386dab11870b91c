# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""poison.c over portable as gcc and clang compile it, -O0 to -O3; on this machine provider.c over the provider, too.

usage: matrix.py SOURCE BUILD LIBCRYPTO           for this machine
       matrix.py SOURCE BUILD aarch64|ppc64le     for another, under emulation"""
import os
import sys
import tempfile

import valgrind

source, build, target = sys.argv[1:4]
INCLUDE = [f"-I{os.path.join(source, d)}" for d in ("include", "src", "test/lib")]
# The table of implementations has one row. PORT: valgrind 3.19 cannot read the DWARF 5 of clang 14.
FLAGS = ["-std=c11", "-w", "-gdwarf-4", "-D_GNU_SOURCE", "-DRIJN_ONLY_PORTABLE=1", "-DRIJN_TEST_HOOKS=1"]
FOREIGN = {"aarch64": ("aarch64-linux-gnu", "cortex-a57"), "ppc64le": ("powerpc64le-linux-gnu", "power9")}

with open(os.path.join(build, "sources.txt"), encoding="utf-8") as f:
    rows = [line.split() for line in f]
sources = ["src/" + r[1] for r in rows if r[0] in ("core", "hook")] + ["src/isa/portable.c"]
sources += [f"test/lib/{name}.c" for name in ("t", "ref", "model")]
# What else makes a program, and a fault that it can plant.
PROGRAMS = {"poison": (["test/ct/poison.c", "test/ct/ops.c"], [], "--planted-table")}
if target not in FOREIGN:
    provider = sorted(f"provider/{f}" for f in os.listdir(os.path.join(source, "provider")) if f.endswith(".c"))
    more = [f"-I{os.path.join(source, 'provider')}", "-Wl,--wrap=memcpy"]
    PROGRAMS["provider"] = (["test/ct/provider.c", *provider], more, "--planted-place")


def check(compiler, last, under, env):
    wrong, name = [], " ".join(compiler)
    for level, (what, (own, more, fault)) in ((n, p) for n in range(4) for p in PROGRAMS.items()):
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, what)
            # The machine's header serves all architectures; nothing else beside it is to be seen.
            os.symlink("/usr/include/valgrind", os.path.join(folder, "valgrind"))
            files = [os.path.join(source, f) for f in sources + own]
            command = [*compiler, *FLAGS, f"-O{level}", *INCLUDE, *more, f"-I{folder}", *files, *last, "-o", program]
            done = valgrind.run(command)
            if done.returncode != 0:
                sys.exit(f"FAIL: {' '.join(command)}\n{done.stderr[:3000]}")
            whole = [*under, "-q", "--error-limit=no", program]
            done = valgrind.run(whole, env)
            said = done.stdout.strip().splitlines()[-1:]
            print(f"{what}, {name} -O{level}: status {done.returncode}, {said}", flush=True)
            if done.returncode != 0 or " 0 failures" not in done.stdout:
                wrong.append(f"{what}, {name} -O{level}:\n{valgrind.said(done)}")
            done = valgrind.run([*whole, fault], env)
            if done.returncode != 1 or "complaints, 0 allowed" not in done.stderr:
                wrong.append(f"{what}, {name} -O{level}: the planted fault was not found")
    return wrong


env = {**os.environ, "RIJN_REQUIRE_IMPLS": ""}
if target in FOREIGN:
    triple, cpu = FOREIGN[target]
    under, env = valgrind.foreign(target, cpu, env)
    last = ["-static"] + (["-Wl,--wrap=rijn_cpu_read"] if target == "ppc64le" else [])
    compilers = [[f"{triple}-gcc"], ["clang-14", f"--target={triple}"]]
else:
    under, last, compilers = ["valgrind"], ["-DRIJN_REF_LIBCRYPTO=1", target], [["gcc"], ["clang-14"]]
wrong = [w for compiler in compilers for w in check(compiler, last, under, env)]
if wrong:
    sys.exit("FAIL: " + "\n".join(wrong))
