# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""The module in a kernel that watches it: locks in order (lockdep), nothing that sleeps where it may not, no byte outside of
what was allocated (KASAN), no vector unit that is taken twice. With two processors.

usage: debug.py SOURCE kernel    builds that kernel of Linux 6.1's sources, by debug.config: 11 minutes of CPU
       debug.py SOURCE build     builds the module by it, and the test module `stress`
       debug.py SOURCE load      calls in threads and in soft interrupts at once; loading and unloading while in use; dm-crypt,
                                 IPsec and TLS; Linux's tests, its random cases among them"""
import os
import re
import shutil
import sys

import kit
import run
from kernels import Kernel, boot, pack

CASES = 20  # random ones of each kind: each takes long in such a kernel, and the other tests have more of them
SECONDS = 20


def kernel(source):
    tree = os.path.join(source, "build/kernel/debug")
    stamp = os.path.join(tree, "built")
    with open(os.path.join(kit.HERE, "debug.config"), encoding="utf-8") as f:
        config = f.read()
    if os.path.exists(stamp) and open(stamp, encoding="utf-8").read() == config:
        return
    shutil.rmtree(tree, ignore_errors=True)
    os.makedirs(tree)
    packed = os.path.join(source, "build/kernel", kit.OWN, "usr/src/linux-source-6.1.tar.xz")
    left_out = ["drivers/gpu/*.[ch]", "drivers/media/*.[ch]", "drivers/staging/*.[ch]", "sound/*.[ch]", "arch/[!x]*/*.[chS]", "tools/testing",
                "tools/perf", "*.dts", "*.dtsi"]  # fmt: skip
    kit.run(["tar", "-xJf", packed, "-C", tree, "--strip-components=1", *(f"--exclude=linux-source-*/{what}" for what in left_out)])
    env = {key: value for key, value in os.environ.items() if not key.startswith(("MAKE", "RIJN"))}
    make = ["make", "-s", "-C", tree, "CC=gcc-12", f"-j{os.cpu_count()}"]
    kit.run([*make, "allnoconfig"], env={**env, "KCONFIG_ALLCONFIG": os.path.join(kit.HERE, "debug.config")})
    with open(os.path.join(tree, ".config"), encoding="utf-8") as f:
        made = f.read()
    if missing := [line for line in config.splitlines() if line.startswith("CONFIG_") and line + "\n" not in made]:
        sys.exit(f"kernel: the configuration lacks {missing}")
    kit.run([*make, "bzImage", "modules"], env=env)
    with open(stamp, "w", encoding="utf-8") as f:
        f.write(config)


def build(debug):
    pack(debug)
    debug.module(debug.path("module"))
    for name in ("rijn.ko", "rijn-bench.ko"):
        shutil.copyfile(debug.path(f"module/{name}"), debug.path(name))
    folder = debug.path("stress")
    os.makedirs(folder, exist_ok=True)
    shutil.copy(os.path.join(kit.HERE, "stress/main.c"), folder)
    with open(os.path.join(folder, "Kbuild"), "w", encoding="utf-8") as f:
        f.write("obj-m := stress.o\nstress-y := main.o\n")
    debug.module(folder)


def load(debug):
    files = run.users_files(debug)
    files["users"] = open(os.path.join(kit.HERE, "users"), "rb").read()
    files["stress.ko"] = open(debug.path("stress/stress.ko"), "rb").read()
    said = boot(debug, [], files, line=f" cryptomgr.fuzz_iterations={CASES}", timeout=1500, script="load", seconds=SECONDS)
    rows = [line.split()[1:] for line in said.splitlines() if line.startswith("RIJN ")]
    passed = {row[1] for row in rows if row[0] == "load" and row[-1] == "passed"}
    wanted = ["tests", "held", "unloaded", "again", "during", *(f"stress-{name}" for name in debug.emulated.sets)]
    wrong = [f"{name} did not pass" for name in wanted if name not in passed]
    users = {row[1] for row in rows if row[0] == "user" and row[-1] == "passed"}
    wrong += [f"{name} did not pass" for name in run.USERS + run.IPSEC if name not in users]
    wrong += [" ".join(row) for row in rows if row[0] in ("user", "load") and row[-1] != "passed"]
    # All that lockdep, KASAN and the rest have to say begins so.
    wrong += [line for line in said.splitlines() if re.search(r"BUG:|WARNING:|INFO: |Oops|Call Trace|Kernel panic|possible .* detected", line)]
    stress = re.findall(r"stress: .*", said)
    for line in stress:
        calls = [int(n) for n in re.findall(r"(\d+) (?:calls|in soft|of them|wrong)", line)]
        # WHY each: a soft interrupt that never met a taken vector unit tested nothing of that, nor one without long texts.
        if len(calls) != 6 or not all(calls[:5]) or calls[5]:
            wrong.append(line)
    if wrong or ["end"] not in rows:
        print(said[-15000:])
        sys.exit("kernel: " + "\nkernel: ".join(wrong[:40]))
    print("\n".join(stress))
    print("kernel debug:", ", ".join(sorted(passed | users)))


def main():
    if len(sys.argv) != 3 or sys.argv[2] not in ("kernel", "build", "load"):
        sys.exit(__doc__)
    if sys.argv[2] == "kernel":
        kernel(os.path.realpath(sys.argv[1]))
    elif sys.argv[2] == "build":
        build(Kernel(sys.argv[1], "debug"))
    else:
        load(Kernel(sys.argv[1], "debug"))


if __name__ == "__main__":
    main()
