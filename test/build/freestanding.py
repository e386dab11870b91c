# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""The core without a C library: everything in src but cpu.c and env.c compiles with -ffreestanding -nostdinc and the
compiler's own headers, and wants of the outside only memcpy, memmove, memset, memcmp. The same with a kernel's flags,
where in addition no file but an instruction set's may touch a vector register."""
import os

from common import WARNINGS, Scratch, Sources, arguments, fail, run, symbols

HOSTED = {"cpu.c", "env.c"}
MEM = {"memcpy", "memmove", "memset", "memcmp"}

args = arguments()
sources = Sources(args)
isa_check = os.path.join(args.root, "tools/isa-check")


def own_headers(compiler):
    if compiler == "gcc":
        return ["-isystem", run(["gcc", "-print-file-name=include"]).strip()]
    return ["-isystem", os.path.join(run([compiler, "-print-resource-dir"]).strip(), "include")]


def build(what, compiler, common, not_isa, portable):
    """Compiles all of the core; returns the objects that belong to no instruction set."""
    with Scratch() as tmp:
        base = [compiler, "-O2", *WARNINGS, "-ffreestanding", "-nostdinc", *own_headers(compiler), *common]
        objects, plain = [], []
        for name in [n for n in sources.core + sources.hook if n not in HOSTED]:
            plain.append(sources.compile(base + not_isa, name, tmp))
        for name, flags in sources.isa["x86_64"]:
            extra = portable if name == "isa/portable.c" else flags
            objects.append(sources.compile(base + extra, name, tmp))
            if name == "isa/portable.c" and portable:
                plain.append(objects[-1])
        # The hosted files, as the rest of the library: what they define is not the outside.
        hosted = [sources.compile([compiler, "-O2"], name, tmp) for name in sorted(HOSTED)]
        objects = sorted(set(objects + plain))
        outside = symbols("nm", objects, False) - symbols("nm", objects + hosted, True)
        if outside - MEM:
            fail(f"{what}, {compiler}: the core wants {sorted(outside - MEM)}")
        if not_isa:
            run([isa_check, *(o + "=x86-kernel" for o in plain)])
        print(f"{what}, {compiler}: {len(objects)} objects, they want {', '.join(sorted(outside))}")


KERNEL = ["-mno-red-zone", "-mcmodel=kernel", "-fno-pic", "-fno-stack-protector", "-fno-asynchronous-unwind-tables"]
NO_SIMD = ["-mno-sse", "-mno-sse2", "-mno-mmx", "-mno-80387"]
build("freestanding", "gcc", ["-fno-pic"], [], [])
build("freestanding", "clang-14", ["-fno-pic"], [], [])
build("kernel flags", "gcc", KERNEL, NO_SIMD, NO_SIMD)
