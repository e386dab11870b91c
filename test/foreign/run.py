# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""Cross-builds the tests and runs them under qemu's user emulation.

usage: run.py SOURCE FOLDER build BUILD          into FOLDER/BUILD
       run.py SOURCE FOLDER test BUILD CPU SET   SET: kernels, most or all
       run.py SOURCE FOLDER hidden BUILD CPU     every set of hidden features: which implementations run
"""
import itertools
import os
import shutil
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tools"))
import rijn_sets

SETS = rijn_sets.Sets()

# Areas of tests; architecture, target for clang, emulator.
AREAS = "lib;abi;adapter;ct;gcm;modes;portable;rules;siv;foreign"
BUILDS = {
    "aarch64": ("aarch64", None, "aarch64"),
    "ppc64le": ("ppc64le", None, "ppc64le"),
    "ppc64": ("ppc64", None, "ppc64"),
    "aarch64-clang": ("aarch64", "aarch64-linux-gnu", "aarch64"),
    "ppc64le-clang": ("ppc64le", "powerpc64le-linux-gnu", "ppc64le"),
}
# The features of a processor, from which follows what it must be able to run. Written down, and not taken from the
# library's own detection.
FEATURES = {
    "max": ["aes", "pmull", "sha3"],
    "cortex-a57": ["aes", "pmull"],
    "cortex-a53": ["aes", "pmull"],
    "power8": ["vcrypto"],
    "power9": ["vcrypto", "arch_3_00"],
    "power10": ["vcrypto", "arch_3_00"],
}
# The tests that run kernels, for every processor.
KERNELS = """portable/selftest portable/kernels portable/residue foreign/compare gcm/known_answers gcm/nonces gcm/guard
modes/blocks modes/ctr modes/xts modes/xts_tweaks modes/sectors modes/cbc_in_place rules/known siv/known_answers
siv/rules""".split()
# ... and, where there are kernels beside portable, the calling convention.
CONVENTION = {"aarch64": ["abi/aapcs64"], "ppc64le": ["abi/elfv2"]}
# The first needs an hour. The second starts itself again, which works only where the kernel knows the emulator: hidden()
# has its place.
NEVER = ["gcm/big", "modes/big", "portable/hide"]
# Of which test/README.md says that it is enough for `make check`.
ARGS = {"gcm/fuzz": ["--seconds", "10"], "siv/fuzz": ["--seconds", "3"]}
ALL_ARGS = {"gcm/fuzz": ["--seconds", "60"]}


def need(program):
    path = shutil.which(program)
    if path is None:
        sys.exit(f"foreign: {program} is missing (tools/setup test installs it; test/foreign/packages.txt)")
    return path


def run(command, **more):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", **more)
    if done.returncode != 0:
        sys.exit(f"foreign: {' '.join(command)}\n{done.stdout[-8000:]}\nforeign: exit status {done.returncode}")
    return done.stdout


def build(source, folder, name):
    arch, triple, emulator = BUILDS[name]
    need(f"qemu-{emulator}-static")
    toolchain = os.path.join(source, "cmake", arch + ".cmake")
    need((SETS.arch(arch).tools if SETS.arch(arch) else "powerpc64-linux-gnu") + "-gcc")
    command = [need("cmake"), "-G", "Ninja", "-S", source, "-B", os.path.join(folder, name)]
    command += ["-DCMAKE_EXE_LINKER_FLAGS=-static", "-DRIJN_BUILD_COMMAND=OFF", "-DRIJN_BUILD_PROVIDER=OFF"]
    command += ["-DRIJN_BUILD_TESTS=ON", "-DRIJN_TEST_HOOKS=ON", "-DCMAKE_BUILD_TYPE=Release", f"-DRIJN_TEST_AREAS={AREAS}"]
    if triple:  # clang, with gcc's libraries and linker
        toolchain = os.path.join(folder, name + ".cmake")
        os.makedirs(folder, exist_ok=True)
        text = open(os.path.join(source, "cmake", arch + ".cmake")).read()
        text += f"set(CMAKE_C_COMPILER {need('clang-14')})\n"
        text += f"set(CMAKE_C_COMPILER_TARGET {triple})\nset(CMAKE_ASM_COMPILER_TARGET {triple})\n"
        with open(toolchain, "w") as f:
            f.write(text)
    run([*command, f"-DCMAKE_TOOLCHAIN_FILE={toolchain}"])
    run([need("ninja"), "-C", os.path.join(folder, name), "-j2"])


def programs(folder, name):
    found = {}
    for area in AREAS.split(";"):
        path = os.path.join(folder, name, "test", area)
        for f in sorted(os.listdir(path)):
            if f.startswith(f"test_{area}_"):
                found[f"{area}/{f[len(area) + 6:]}"] = os.path.join(path, f)
    found.pop("foreign/impls")
    return found


def emulate(name, cpu):
    return [need(f"qemu-{BUILDS[name][2]}-static"), "-cpu", cpu]


def test(folder, name, cpu, which):
    found = programs(folder, name)
    if which == "kernels":
        names = KERNELS + CONVENTION.get(BUILDS[name][0], [])
        missing = [n for n in names if n not in found]
        if missing:
            sys.exit(f"foreign: not built: {' '.join(missing)}")
    else:
        names = sorted(n for n in found if n not in NEVER)
    environment = dict(os.environ, RIJN_REQUIRE_IMPLS=",".join(SETS.run_with(BUILDS[name][0], FEATURES[cpu])))
    args = ALL_ARGS if which == "all" else ARGS
    for n in names:
        began = time.monotonic()
        run([*emulate(name, cpu), found[n], *args.get(n, [])], env=environment)
        print(f"  {n}: {time.monotonic() - began:.1f} s")


def hidden(folder, name, cpu):
    features = FEATURES[cpu]
    area = os.path.join(folder, name, "test")
    for n in range(len(features) + 1):
        for hide in itertools.combinations(features, n):
            runs = SETS.run_with(name, set(features) - set(hide))
            environment = dict(os.environ, RIJN_HIDE=",".join(hide), RIJN_REQUIRE_IMPLS=",".join(runs))
            got = run([*emulate(name, cpu), os.path.join(area, "foreign/test_foreign_impls")], env=environment).split()
            if got != [*runs, "->", runs[0]]:
                sys.exit(f"foreign: without {','.join(hide) or 'nothing'}: {' '.join(got)}, expected {' '.join(runs)}")
            run([*emulate(name, cpu), os.path.join(area, "rules/test_rules_known")], env=environment)
            print(f"  without {','.join(hide) or 'nothing'}: {' '.join(runs)}")


def main():
    source, folder, what, name = sys.argv[1:5]
    if what == "build":
        build(source, folder, name)
    elif what == "test":
        test(folder, name, *sys.argv[5:7])
    else:
        hidden(folder, name, sys.argv[5])


main()
