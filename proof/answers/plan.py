# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""Which calls a run makes. A job is all calls of one harness with one key of one set: it is what a process takes, and
what is not done again when a run goes on after it was stopped.

Depths: quick, for each build: chosen lengths. all: every length to LONGEST. Between them, a list of lengths."""
from gcm import Gcm
from modes import Aes
from xts import Xts

LONGEST = 2112
GCM_QUICK = (0, 1, 15, 16, 17, 40, 100, 129, 255, 300, 600, 1000, 2100)
XTS_QUICK = (16, 17, 31, 32, 100, 128, 255, 600, 2100)
BLOCKS_QUICK = (0, 1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 33, 65)
SOME_LOW = (0, 1, 17, 31)


def lengths(text):
    """0-16,100,2100 as a list."""
    out = []
    for piece in text.split(","):
        first, _, last = piece.partition("-")
        out += range(int(first), int(last or first) + 1)
    return out


def _blocks(depth):
    if depth == "quick":
        return BLOCKS_QUICK
    if depth == "all":
        return range(LONGEST // 16 + 1)
    return sorted({n // 16 for n in depth})


def _texts(depth, quick, least=0):
    if depth == "quick":
        return quick
    return [n for n in (range(LONGEST + 1) if depth == "all" else depth) if n >= least]


def gcm_calls(harness, depth):
    quick = depth == "quick"
    for n in _texts(depth, GCM_QUICK):
        yield "gcm_encrypt", "message", dict(way="encrypt", n=n)
        yield "gcm_decrypt", "message", dict(way="decrypt", n=n)
        yield "gcm_decrypt", "message", dict(way="decrypt", n=n, forged=True)
    for i, aad in enumerate((0, 1, 15, 16, 17, 20, 32, 100, 255, 300) if quick else range(301)):
        n = (0, 33, 400)[i % 3]
        yield "gcm_encrypt", "message", dict(way="encrypt", n=n, aad_len=aad, misaligned=i % 16)
        yield "gcm_decrypt", "message", dict(way="decrypt", n=n, aad_len=aad, in_place=True)
    for i, tag in enumerate((4, 8, 12, 13, 14, 15)):
        n = (0, 1, 20, 100, 300, 600)[i]
        yield "gcm_encrypt", "message", dict(way="encrypt", n=n, tag_len=tag, in_place=True)
        yield "gcm_decrypt", "message", dict(way="decrypt", n=n, tag_len=tag, misaligned=5)
        yield "gcm_decrypt", "message", dict(way="decrypt", n=n, tag_len=tag, forged=True)
    for n in (0, 5, 200, 700):
        yield "gcm_encrypt_checked", "message", dict(way="encrypt", n=n, checked=True, in_place=True, misaligned=3)
        yield "gcm_decrypt_checked", "message", dict(way="decrypt", n=n, checked=True)
    if harness.key.n == 256:
        for n in (4500, 9001) if quick else (4500, 9001, 16385, 20003, 65536):
            yield "gcm_encrypt", "message", dict(way="encrypt", n=n)
            yield "gcm_decrypt", "message", dict(way="decrypt", n=n)


def xts_calls(harness, depth):
    for way in ("encrypt", "decrypt"):
        name = f"xts_{way[:3]}"
        for i, n in enumerate(_texts(depth, XTS_QUICK, 16)):
            yield name, "unit", dict(way=way, n=n, in_place=i % 4 == 1, misaligned=i % 7)
        for i, n in enumerate((16, 32, 256, 400, 402, 1040)):
            yield name + "_part", "part", dict(way=way, n=n, first=i % 2 == 0, in_place=i % 3 == 0)
        for n, count in ((512, 3), (512, 1), (1024, 2)) if depth == "quick" else ((512, 9), (4096, 2), (1536, 3)):
            yield name + "_sectors", "sectors", dict(way=way, size=n, count=count)
            yield name + "_sectors", "sectors", dict(way=way, size=n, count=count, tweaks=True, in_place=True)


def aes_calls(harness, depth):
    has_public = harness.set.kernels["ctr_public"]
    for n in _blocks(depth):
        for way in ("encrypt", "decrypt"):
            yield f"ecb_{way[:3]}", "ecb", dict(way=way, n=n, in_place=n % 2 == 0, misaligned=n % 5)
            yield f"cbc_{way[:3]}", "cbc", dict(way=way, n=n, in_place=n % 2 == 0, misaligned=n % 5)
        for kernel in ("ctr_blocks", "ctr32_blocks"):
            for low in [None] if n < 24 else SOME_LOW if depth != "all" or n % 16 else range(32):
                yield kernel, "ctr", dict(kernel=kernel, n=n, low=low, in_place=n % 2 == 1)
        for wide in (0, 1) if has_public else ():
            for start in (2, 2**32 - 5, 2**64 - 3):
                yield "ctr_public", "ctr", dict(kernel="ctr_public", n=n, start=start, wide=wide)
    if has_public:
        for n in (300, 600):
            yield "ctr_public", "ctr", dict(kernel="ctr_public", n=n, start=0x1234fe, wide=1)


GROUPS = {  # harness, key lengths, its calls, the kernel that makes the key
    "gcm": (Gcm, (128, 192, 256), gcm_calls, "gcm_init"),
    "xts": (Xts, (128, 256), xts_calls, "xts_init"),
    "aes": (Aes, (128, 192, 256), aes_calls, "aes_init"),
}


def jobs(sets):
    """(set, group, key length)."""
    return [(name, group, bits) for group, (_, sizes, _, _) in GROUPS.items() for name in sets for bits in sizes]
