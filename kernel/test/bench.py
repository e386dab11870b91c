# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""rijn bench kernel in user-mode Linux.

usage: bench.py SOURCE PROGRAM test               it measures what it is asked to, and says what is wrong
       bench.py SOURCE PROGRAM templates          what Linux's templates make of Rijn's drivers beside its own, natively
       bench.py SOURCE PROGRAM measure [WORD...]  a table, natively, beside the drivers of Linux 6.12 for x86

PROGRAM: rijn-bench. WORD: of `rijn bench kernel`. `run.py SOURCE build um` goes before all. For those two, the drivers
that Linux 6.12 has for x86 are built as a module of user-mode Linux, of the source package linux-source-6.12, which has none
of its own; they and Rijn's with -O2. Its vector unit costs nothing to take and to give back there, for Rijn's drivers and for Linux's."""
import json
import os
import re
import shutil
import statistics
import sys

import kit
from kernels import MODULES, Kernel, boot, linked, pack, strip
from run import expected

ROUNDS = 5
LINUX = ["aesni-intel_glue.c", "aesni-intel_asm.S", "aes_ctrby8_avx-x86_64.S", "aes-gcm-aesni-x86_64.S", "aes-gcm-avx10-x86_64.S",
         "aes-xts-avx-x86_64.S"]  # fmt: skip
# Whose names Linux's drivers have where user-mode Linux has none: all that they ask for is there.
SHIM = """#include <linux/types.h>
#include <asm/cpufeature.h>
#include <asm/cpu_device_id.h>
#include <crypto/gf128mul.h>
#undef X86_MATCH_FEATURE
#undef X86_MATCH_VFM
#define X86_MATCH_FEATURE(...) { .vendor = 1 }
#define X86_MATCH_VFM(...) { .vendor = 2 }
#define x86_match_cpu(list) ((list)[0].vendor == 1)
#define cpu_has_xfeatures(...) 1
"""
# As Debian compiles Linux for x86-64. Its user-mode Linux is compiled for size.
FAST = "KCFLAGS=-O2"
HAS = "-DCONFIG_AS_VAES=1 -DCONFIG_AS_VPCLMULQDQ=1"


def linux_drivers(kernel):
    """The path of a module with Linux 6.12's AES for x86."""
    folder, tree = kernel.path("linux-aes"), kit.newer_source(os.path.dirname(kernel.own))
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    for name in [*(f"arch/x86/crypto/{name}" for name in LINUX), "crypto/simd.c"]:
        shutil.copy(os.path.join(tree, name), folder)
    with open(os.path.join(folder, "shim.h"), "w", encoding="utf-8") as f:
        f.write(SHIM)
    objects = " ".join(re.sub(r"\.[cS]$", ".o", name) for name in [*LINUX, "simd.c"])
    with open(os.path.join(folder, "Kbuild"), "w", encoding="utf-8") as f:
        f.write(f"obj-m := linux-aes.o\nlinux-aes-y := {objects}\nccflags-y := -include $(src)/shim.h {HAS}\n")
        f.write(f"asflags-y := -I$(srctree)/arch/x86/include {HAS}\n")
    kernel.module(folder, FAST)
    return os.path.join(folder, "linux-aes.ko")


def with_linux(kernel, files):
    """Rijn's module, built anew, and Linux's are there as well."""
    pack(kernel)
    kernel.module(kernel.path("module"), FAST)
    for name in ("rijn.ko", "rijn-bench.ko"):  # by `build um` again as Debian's has it
        shutil.copyfile(kernel.path(f"module/{name}"), kernel.path(name))
    return {**files, "linux-aes.ko": strip(kernel, linux_drivers(kernel))}


# Algorithm, bytes of key, and the driver by what it is made of: %s is the end of a name, Rijn's or Linux's.
TEMPLATES = [("cbc(aes)", 32, "cbc-aes-%s"), ("cts(cbc(aes))", 32, "cts(cbc-aes-%s)"), ("lrw(aes)", 48, "lrw(ecb-aes-%s)"),
             ("essiv(cbc(aes),sha256)", 32, "essiv(cbc-aes-%s,sha256-generic)"), ("ccm(aes)", 32, "ccm_base(ctr-aes-%s,cbcmac(aes-%s))"),
             ("adiantum", 32, "adiantum(xchacha12-generic,aes-%s,nhpoly1305-generic)")]  # fmt: skip


def templates(kernel):
    cases = [f"{alg} {key} {way} {size} 1 {16 * alg.startswith('ccm')} 101 100 "
             f"{driver.replace('%s', 'rijn-' + expected(kernel)[0])} {driver.replace('%s', 'aesni')}"
             for alg, key, driver in TEMPLATES for way in ("enc", "dec") for size in (64, 512, 4096)]  # fmt: skip
    files = with_linux(kernel, {"cases": "".join(case + "\n" for case in cases).encode()})
    modules = [*MODULES, "cryptd", "cts", "lrw", "essiv", "ccm", "adiantum", "nhpoly1305", "chacha_generic", "authenc", "sha256_generic"]
    said = boot(kernel, modules, files, script="templates")
    for case, answer in re.findall(r"RIJN case (.*)\n((?:(?!RIJN).*\n)*)", said):
        rows = [line.split() for line in answer.splitlines()[1:]]
        if len(rows) != 2 or any(not row[1].isdigit() for row in rows):
            print(case, [row[:3] for row in rows])
            continue
        mine, other = ([int(ticks) / int(row[1]) for ticks in row[2:]] for row in rows)
        words = case.split()
        ratio = statistics.median(a / b for a, b in zip(mine, other))
        print(f"{words[0]:24} {words[2]} {words[3]:>5} bytes: Rijn's time is {ratio:.2f} of Linux's")
    if "RIJN end" not in said or "RIJN no" in said:
        sys.exit(said[-3000:])


def measure(kernel, path, words):
    files = with_linux(kernel, linked("rijn-bench", path))
    said = boot(kernel, [*MODULES, "cryptd"], files, script="bench", measure=" ".join(words) or "gcm xts")
    print(re.sub(r"(?s).*?\n(?=UML, Linux)", "", said, count=1))
    if "RIJN status 0\n" not in said:
        sys.exit("kernel: rijn bench kernel did not do it")


def wrong_rows(report):
    """What is wrong with the report's rows; empty: nothing."""
    wrong, sets = [], expected(Kernel(sys.argv[1], "um"))
    if report["format"] != "rijn-bench-kernel" or report["version"] != 1:
        wrong.append("the report's format")
    cases = {}
    for row in report["rows"]:
        name = " ".join(str(row[key]) for key in ("what", "key", "direction", "size", "pieces"))
        cases.setdefault(name, []).append(row)
        if row["wrong"] or row["error"] is not None or len(row["ns"]) != ROUNDS:
            wrong.append(f"{name} {row['driver']}: wrong {row['wrong']}, error {row['error']}, {len(row['ns'])} samples")
        elif not 0 < row["low"] <= row["median"] or row["ratio"] <= 0 or row["per_sample"] < 1:
            wrong.append(f"{name} {row['driver']}: low {row['low']}, median {row['median']}, ratio {row['ratio']}")
    for name, rows in cases.items():
        mine = [re.sub(".*-rijn-", "", row["driver"]) for row in rows if row["kind"] == "rijn"]
        others = [row["driver"] for row in rows if row["kind"] == "linux"]
        if sorted(mine) != sorted(sets) or len(others) != 1 or "generic" not in others[0]:
            wrong.append(f"{name}: {mine}, {others}")
        if rows[0]["ratio"] != 1 or rows[0]["kind"] != "rijn" or rows[-1]["ratio"] < 2:
            wrong.append(f"{name}: ratios {rows[0]['ratio']} of {rows[0]['driver']} .. {rows[-1]['ratio']}")
    if len(cases) != 4 * (8 + 4 * 3):
        wrong.append(f"{len(cases)} cases")
    return wrong


def test(kernel, path):
    said = boot(kernel, files=linked("rijn-bench", path), script="bench")
    rows = [line.split(None, 2)[1:] for line in said.splitlines() if line.startswith("RIJN ")]
    passed = {row[1].split()[0] for row in rows if row[0] == "bench" and row[1].endswith(" passed")}
    wanted = ["no-module", "no-bench", "impl", "one-impl", "pieces", "unloaded", "stopped-INT", "stopped-TERM"]
    wrong = [f"{name} did not pass" for name in wanted if name not in passed]
    wrong += [" ".join(row) for row in rows if row[0] == "taken"]
    wrong += [f"RIJN {row} is missing" for row in (["status", "0"], ["named", "0 2"], ["two", "2"], ["end"]) if row not in rows]
    table = "\n".join(row[1] for row in rows if row[0] == "table" and len(row) > 1)
    report = json.loads(next((row[1] for row in rows if row[0] == "report"), "null"))
    wrong += wrong_rows(report) if report else ["there is no report"]
    for text in ("gcm(aes), key of 128 bits, encryption, 16 bytes of associated data, in 4 pieces", "xts(aes), key of 256 bits, decryption",
                 "bytes driver "):  # fmt: skip
        if text not in table:
            wrong.append(f"the table lacks '{text}'")
    if any(len(line) > 80 for line in table.splitlines()):
        wrong.append("the table is wider than 80 columns")
    wrong += [line for line in said.splitlines() if re.search(r"BUG:|WARNING:|Oops|Call Trace|Kernel panic", line)]
    if wrong:
        print(said[:3000], said[-6000:])
        sys.exit("kernel: " + "\nkernel: ".join(wrong[:30]))
    print(f"kernel bench: {len(report['rows'])} rows; {', '.join(sorted(passed))}")


if __name__ == "__main__":
    if len(sys.argv) < 4 or sys.argv[3] not in ("test", "templates", "measure"):
        sys.exit(__doc__)
    um = Kernel(sys.argv[1], "um")
    if sys.argv[3] == "templates":
        templates(um)
    elif sys.argv[3] == "test":
        test(um, sys.argv[2])
    else:
        measure(um, sys.argv[2], sys.argv[4:])
