# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""The library by mingw-w64, run by wine: every kernel through the trampoline of win64.S, and the tests of the kernels with the
slow model as their reference. usage: win64.py SOURCE BUILD"""
import os
import sys
import tempfile

from windows import CC, run, wine

source, build = sys.argv[1:3]
FLAGS = ["-std=c11", "-O2", "-w", "-DRIJN_TEST_HOOKS=1", "-D__USE_MINGW_ANSI_STDIO=1"]
PROGRAMS = ["rules/known", "gcm/known_answers", "gcm/nonces", "modes/blocks", "modes/ctr", "modes/xts", "modes/sectors"]


def path(*names):
    return os.path.join(source, *names)


def compile_c(name, target, flags=()):
    include = ["-I" + path(d) for d in ("test/abi/win64", "include", "src", "test/lib")]
    run([CC, *FLAGS, *flags, *include, "-c", path(name), "-o", target])
    return target


with open(os.path.join(build, "sources.txt"), encoding="utf-8") as f:
    rows = [line.split() for line in f]
files = {r[1]: [] for r in rows if r[0] in ("core", "hook")}
files.update({r[2]: r[3:] for r in rows if r[:2] == ["isa", "x86_64"]})

with tempfile.TemporaryDirectory(dir=build, ignore_cleanup_errors=True) as folder:
    objects = [compile_c("src/" + n, os.path.join(folder, n.replace("/", "_") + ".o"), flags) for n, flags in files.items()]
    for name in ("t", "ref", "model"):
        objects.append(compile_c(f"test/lib/{name}.c", os.path.join(folder, name + ".o")))
    programs = []
    for name, extra in [("abi/abi", ["test/abi/win64.c", "test/abi/win64.S"])] + [(p, []) for p in PROGRAMS]:
        parts = [compile_c(part, os.path.join(folder, part.replace("/", "_") + ".o")) for part in [f"test/{name}.c", *extra]]
        programs.append(os.path.join(folder, name.replace("/", "_") + ".exe"))
        run([CC, "-static", *parts, *objects, "-lpthread", "-o", programs[-1]])

    with wine(folder) as (wine64, env):
        for program in programs:
            said = run([wine64, program], env=env, cwd=folder, timeout=900)
            print("\n".join(said.strip().splitlines()), flush=True)
            if " 0 failures" not in said:
                sys.exit("FAIL: it did not come to its end")
