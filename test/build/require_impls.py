# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""tools/require-impls on known lists of flags; and the library supports whatever it names for this machine."""
import os

from common import Scratch, arguments, fail, run

args = arguments("program")
tool = os.path.join(args.root, "tools/require-impls")

WESTMERE = "sse2 ssse3 sse4_1 sse4_2 aes pclmulqdq"
IVY_BRIDGE = WESTMERE + " avx"
HASWELL = IVY_BRIDGE + " avx2 bmi1 bmi2 fma movbe"
SKYLAKE_X = HASWELL + " avx512f avx512vl avx512bw avx512dq avx512cd"
ALDER_LAKE = HASWELL + " vaes vpclmulqdq gfni"
ICE_LAKE = SKYLAKE_X + " vaes vpclmulqdq gfni"
CASES = [
    ("x86_64", "flags\t\t: sse2 ssse3\n", "portable"),
    ("x86_64", f"flags : {WESTMERE}\n", "x86-aesni,portable"),
    ("x86_64", f"flags : {HASWELL}\n", "x86-aesni-avx,x86-aesni,portable"),
    ("x86_64", f"flags : {SKYLAKE_X}\n", "x86-aesni-avx,x86-aesni,portable"),
    ("x86_64", f"flags : {HASWELL} vaes\n", "x86-aesni-avx,x86-aesni,portable"),
    ("x86_64", f"flags : {ALDER_LAKE}\n", "x86-vaes-avx2,x86-aesni-avx,x86-aesni,portable"),
    (
        "x86_64",
        f"processor : 0\nflags : {ICE_LAKE}\nprocessor : 1\nflags : {ICE_LAKE}\n",
        "x86-vaes-avx512-zen,x86-vaes-avx512-zen4,x86-vaes-avx512,x86-vaes-avx512-256,x86-vaes-avx2,x86-aesni-avx,x86-aesni,portable",
    ),
    # One processor without: no thread may be sent there with it.
    ("x86_64", f"flags : {ICE_LAKE}\nflags : {WESTMERE}\n", "x86-aesni,portable"),
    ("i686", f"flags : {ICE_LAKE}\n", "x86-aesni,portable"),
    ("aarch64", "Features : fp asimd\n", "portable"),
    ("aarch64", "Features : fp asimd aes pmull\n", "arm-ce,portable"),
    ("aarch64", "Features : fp asimd aes pmull sha3\n", "arm-ce-sha3,arm-ce,portable"),
    ("ppc64le", "cpu : POWER8 (architected), altivec supported\n", "ppc-p8,portable"),
    ("ppc64le", "cpu : POWER10, altivec supported\n", "ppc-p9,ppc-p8,portable"),
    ("riscv64", "isa : rv64gc\n", "portable"),
]

with Scratch() as tmp:
    for machine, text, want in CASES:
        path = os.path.join(tmp, "cpuinfo")
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        got = run([tool, path, machine]).strip()
        if got != want:
            fail(f"require-impls: {machine}, {text!r}: {got}, not {want}")

need = os.environ.get("RIJN_REQUIRE_IMPLS") or run([tool]).strip()
print(run([args.program, *need.split(",")]), end="")
# The program can fail: a name that is not there.
if run([args.program, "x86-nothing"], ok=False).returncode == 0:
    fail("an implementation that does not exist passed as supported")
print(f"{len(CASES)} lists of flags")
