# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""The core compiles for processors that no other test builds for: clang reads all of it, without a C library, for a
target of each size of a pointer, alignment of 64-bit integers and order of bytes. Warnings are errors."""
from common import WARNINGS, Sources, arguments, fail, run

HOSTED = {"cpu.c", "env.c"}
TARGETS = {
    "armv7-linux-gnueabihf": "32 bits, little-endian, 64-bit integers aligned to 8",
    "riscv32-unknown-elf": "the same",
    "wasm32-unknown-unknown": "the same",
    "i386-unknown-elf": "32 bits, little-endian, aligned to 4",
    "mips-linux-gnu": "32 bits, big-endian",
    "mips64-linux-gnuabi64": "64 bits, big-endian",
    "s390x-linux-gnu": "64 bits, big-endian, vectors aligned to 8",
}

args = arguments()
sources = Sources(args)
files = [n for n in sources.core + sources.hook if n not in HOSTED] + ["isa/portable.c"]
for target, what in TARGETS.items():
    run(["clang-14", f"--target={target}", "-std=c11", "-ffreestanding", "-O2", *WARNINGS, "-fsyntax-only",
         f"-I{args.root}/include", f"-I{args.root}/src", *(f"{args.root}/src/{n}" for n in files)])
    print(f"{target} ({what}): {len(files)} files")
if len(files) < 15:
    fail(f"only {files}")
