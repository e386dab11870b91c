# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""The simulator of tools/golden_cove.py takes the cycles that can be counted by hand, and tools/model-calls runs a call
through it."""
import os
import re
import sys

from frame import arguments, fail, run

args = arguments()
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(args.root, "tools"))
import golden_cove  # noqa: E402

EACH = "%xmm0 %xmm1 %xmm2 %xmm3 %xmm4 %xmm5 %xmm6 %xmm7".split()
Y, Z = [r.replace("x", "y") for r in EACH], [r.replace("x", "z") for r in EACH]
KNOWN = [
    ("rounds of one block wait 3 cycles each", ["vaesenc %ymm1,%ymm0,%ymm0"] * 10, 30),
    ("two rounds of others a cycle", [f"vaesenc %ymm9,{r},{r}" for r in Y] * 6, 24),
    ("one of 512 bits", [f"vaesenc %zmm9,{r},{r}" for r in Z], 8),
    ("one multiply", [f"vpclmulqdq $0x11,%ymm9,{r},%ymm10" for r in Y], 8),
    ("three additions", [f"vpxor %ymm9,{r},%ymm10" for r in Y + ["%ymm8"]], 3),
    ("two of 512 bits", [f"vpxord %zmm9,{r},%zmm10" for r in Z], 4),
    ("three loads", [f"vmovdqu 0x20(%rdi),{r}" for r in Y + ["%ymm8"]], 3),
    ("two stores", [f"vmovdqu {r},0x20(%rdi)" for r in Y], 4),
    ("six zeros, which take no port", [f"vpxor {r},{r},{r}" for r in EACH + EACH + EACH], 4),
    ("six moves", [f"vmovdqa {r},%ymm9" for r in Y + Y + Y], 4),
    ("a zero waits for nothing", ["vpclmulqdq $0x0,%xmm0,%xmm0,%xmm0", "vpxor %xmm0,%xmm0,%xmm0"], 1),
    ("a comparison and its jump are one", ["cmp $0x10,%rax", "jne 10"] * 6, 3),
    ("an operand in memory is not waited for twice", ["vpclmulqdq $0x0,(%rdi),%ymm0,%ymm0"] * 4, 12),
    ("a lane from a register is a shuffle", ["vinserti128 $0x1,%xmm1,%ymm0,%ymm0"] * 4, 12),
    ("and from memory none", ["vinserti128 $0x1,(%rdi),%ymm0,%ymm0"] * 4, 4),
    ("push and pop do not wait for each other", ["push %rax", "push %rbx", "pop %rcx", "pop %rdx"], 1),
]
for what, code, cycles in KNOWN:
    simulated = golden_cove.cycles([(line, False) for line in code], 40)
    if abs(simulated - cycles) > 0.1 + 0.02 * cycles:
        fail(f"{what}: {simulated} cycles, not {cycles}: {code[0]}")
try:
    golden_cove.cycles([("vnonsense %ymm0,%ymm1,%ymm2", False)], 2)
    fail("an instruction that is not known is simulated")
except ValueError as e:
    if "vnonsense" not in str(e):
        fail(f"not said which instruction is not known: {e}")

tool = os.path.join(args.root, "tools/model-calls")
printed = run([tool, "--impl", "x86-aesni", "--dir", "dec", "--key", "256", "--sizes", "16,4096"])
row = re.search(r"^\| `x86-aesni` \| decrypt, AES-256 \| (\d+) \| (\d+) \|$", printed, re.M)
# 4096 bytes are 257 blocks of 14 rounds, two rounds a cycle at most; 16 bytes two that wait for nobody before them.
if not row or not 14 <= int(row[1]) < 100 or not 1799 <= int(row[2]) < 2 * 1799:
    fail(f"tools/model-calls: not what a call can take: {printed}")
