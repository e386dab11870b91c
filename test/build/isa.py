# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""No instruction outside its set, in the objects of this build (compilers.py: in those of the other compilers); and
tools/isa-check finds one that is planted."""
import importlib.machinery
import importlib.util
import os

from common import SETS, Scratch, Sources, arguments, check_isa, fail, run

args = arguments("arch")
sources = Sources(args)
isa_check = os.path.join(args.root, "tools/isa-check")
# 1. The objects that the libraries of this build are made of.
objects = os.path.join(args.build, "src/CMakeFiles/{}.dir/{}.o")
names = [(n, "rijn_core") for n in sources.core] + [(n, "rijn_plain") for n in sources.hook]
names += [(n, "rijn_exported") for n in sources.core + sources.hook]
names += [(n, "rijn_core") for n, _ in sources.isa[args.arch]]
check_isa(args, args.arch, [(objects.format(target, name), name) for name, target in names])

if args.arch != "x86_64":
    raise SystemExit(0)

# 2. Planted: an instruction, the sets that must refuse it, and the best one that must not (None: all refuse).
PLANTED = [
    ("add %rax, %rbx", "x86-kernel"),
    ("lock cmpxchg %rax, (%rbx)", "x86-kernel"),
    ("pxor %xmm0, %xmm1", "x86-base"),
    ("aesenc %xmm0, %xmm1", "x86-aesni"),
    ("pclmulqdq $0x11, %xmm0, %xmm1", "x86-aesni"),
    ("vpxor %xmm0, %xmm1, %xmm2", "x86-aesni-avx"),
    ("vaesenc %xmm0, %xmm1, %xmm2", "x86-aesni-avx"),
    ("vmovdqu (%rax), %ymm0", "x86-aesni-avx"),
    ("vinsertf128 $1, %xmm0, %ymm1, %ymm2", "x86-aesni-avx"),
    ("vpxor %ymm0, %ymm1, %ymm2", "x86-vaes-avx2"),
    ("vaesenc %ymm0, %ymm1, %ymm2", "x86-vaes-avx2"),
    ("vpbroadcastd %xmm0, %xmm1", "x86-vaes-avx2"),
    ("bzhi %rax, %rbx, %rcx", "x86-vaes-avx2"),
    ("vpternlogq $0x96, %ymm0, %ymm1, %ymm2", "x86-vaes-avx512-256"),
    ("vpxor %xmm0, %xmm1, %xmm2\nvpxorq %xmm16, %xmm1, %xmm2", "x86-vaes-avx512-256"),
    ("{evex} vpaddd %xmm0, %xmm1, %xmm2", "x86-vaes-avx512-256"),
    ("vmovdqu8 (%rax), %ymm1{%k1}{z}", "x86-vaes-avx512-256"),
    ("vpxorq %zmm0, %zmm1, %zmm2", "x86-vaes-avx512"),
    ("vaesenc %zmm0, %zmm1, %zmm2", "x86-vaes-avx512"),
    ("pcmpgtq %xmm0, %xmm1", None),  # SSE4.2
    ("crc32b %al, %ebx", None),
    ("popcnt %rax, %rbx", None),
    ("tzcnt %rax, %rbx", None),  # BMI1
    ("andn %rax, %rbx, %rcx", None),
    ("lzcnt %rax, %rbx", None),
    ("movbe (%rax), %rbx", None),
    ("adcx %rax, %rbx", None),
    ("vpermb %zmm0, %zmm1, %zmm2", None),  # VBMI
    ("vpmadd52luq %zmm0, %zmm1, %zmm2", None),  # IFMA
    ("vpopcntd %zmm0, %zmm1", None),
    ("gf2p8affineqb $0, %xmm0, %xmm1", None),  # GFNI
    ("vgf2p8mulb %zmm0, %zmm1, %zmm2", None),
    ("vfmadd231ps %ymm0, %ymm1, %ymm2", None),  # FMA
    ("sha256rnds2 %xmm0, %xmm1", None),
    ("rdrand %rax", None),
    ("vpshldvd %zmm0, %zmm1, %zmm2", None),  # VBMI2
]
OTHER = [
    ("aarch64-linux-gnu", "add v0.4s, v1.4s, v2.4s", "arm-base"),
    ("aarch64-linux-gnu", "aese v0.16b, v1.16b", "arm-ce"),
    ("aarch64-linux-gnu", "pmull2 v0.1q, v1.2d, v2.2d", "arm-ce"),
    ("aarch64-linux-gnu", "eor3 v0.16b, v1.16b, v2.16b, v3.16b", "arm-ce-sha3"),
    ("aarch64-linux-gnu", "xar v0.2d, v1.2d, v2.2d, 3", "arm-ce-sha3"),
    ("aarch64-linux-gnu", "add z0.d, z1.d, z2.d", None),
    ("aarch64-linux-gnu", "sm4e v0.4s, v1.4s", None),
    ("powerpc64le-linux-gnu", "xxlxor 0,1,2", "ppc-base"),
    ("powerpc64le-linux-gnu", "vcipher 0,1,2", "ppc-p8"),
    ("powerpc64le-linux-gnu", "vpmsumd 0,1,2", "ppc-p8"),
    ("powerpc64le-linux-gnu", "lxv 0,16(3)", "ppc-p9"),
    ("powerpc64le-linux-gnu", "xxbrq 0,1", "ppc-p9"),
    ("powerpc64le-linux-gnu", "lxvp 0,0(3)", None),
    ("powerpc64le-linux-gnu", "brd 3,4", None),
]
AS = {"": [], "aarch64-linux-gnu-": ["-march=armv8.5-a+aes+sha3+sm4+sve"], "powerpc64le-linux-gnu-": ["-mpower10"]}

# The names that instructions are held against, those that allow least first: outside of sets, and the sets.
NAMES = {arch.tools: ([arch.base], [row.name for row in reversed(SETS.of(arch.name))]) for arch in SETS.archs if arch.name != "i386"}
X86 = ["x86-kernel", *sum(NAMES.pop(""), [])]

# As a module: one process for all of them.
loader = importlib.machinery.SourceFileLoader("isa_check", isa_check)
checker = importlib.util.module_from_spec(importlib.util.spec_from_loader("isa_check", loader))
loader.exec_module(checker)


def planted(prefix, sets, cases, tmp):
    """One object, a symbol for each case."""
    path, obj = os.path.join(tmp, "planted.s"), os.path.join(tmp, "planted.o")
    with open(path, "w", encoding="utf-8") as f:
        for i, (text, _) in enumerate(cases):
            f.write(f"case{i}:\n{text}\n")
    run([prefix + "as", *AS[prefix], path, "-o", obj])
    refused = {}
    for _, raw, text, symbol in checker.disassemble(prefix + "objdump", obj):
        for name in sets:
            if checker.verdict(name, raw, text):
                refused.setdefault(symbol, set()).add(name)
    for i, (text, first) in enumerate(cases):
        want = set(sets[: sets.index(first)] if first else sets)
        got = refused.get(f"case{i}", set())
        if got != want:
            fail(f"isa-check: '{text}' must be refused in {sorted(want)}, and was in {sorted(got)}")
    # And the program itself fails on that object.
    if run([isa_check, "--objdump", prefix + "objdump", f"{obj}={sets[-1]}"], ok=False).returncode == 0:
        fail("isa-check: exit status 0 for an object with planted instructions")


with Scratch() as tmp:
    planted("", X86, PLANTED, tmp)
    for target, (base, sets) in NAMES.items():
        planted(target + "-", base + sets, [(text, first) for tools, text, first in OTHER if tools == target], tmp)
print(f"{len(PLANTED) + len(OTHER)} planted instructions: each found where it must not be, and only there")
