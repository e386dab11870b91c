# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""Which calls a run makes. A job is all calls of one harness with one key of one set: it is what a process takes, and
what is not done again when a run goes on after it was stopped.

Depths: quick, for each build: chosen lengths. all: every length to LONGEST. Between them, a list of lengths."""
from calls import Calls, Xaes
from gcm import Gcm
from modes import Aes
from pieces import Ghash, Pieces
from siv import Siv
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


def few(depth):
    """Chosen lengths, or a short list: the other shapes of calls are chosen, too."""
    return depth == "quick" or depth != "all" and len(depth) < 100


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
    quick = few(depth)
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
    for i, nonce in enumerate((8, 16, 1, 60)):
        yield "gcm_encrypt", "message", dict(way="encrypt", n=(40, 300, 0, 17)[i], nonce_len=nonce)
        yield "gcm_decrypt", "message", dict(way="decrypt", n=(100, 5)[i % 2], nonce_len=nonce)
        yield "gcm_decrypt", "message", dict(way="decrypt", n=(0, 20)[i % 2], nonce_len=nonce, forged=True)
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
        for n, count in ((512, 3), (512, 1), (1024, 2)) if few(depth) else ((512, 9), (4096, 2), (1536, 3)):
            yield name + "_sectors", "sectors", dict(way=way, size=n, count=count)
            yield name + "_sectors", "sectors", dict(way=way, size=n, count=count, tweaks=True, in_place=True)


def aes_calls(harness, depth):
    has_public = harness.set.kernels["ctr_public"]
    for n in _blocks(depth):
        for way in ("encrypt", "decrypt"):
            yield f"ecb_{way[:3]}", "ecb", dict(way=way, n=n, in_place=n % 2 == 0, misaligned=n % 5)
            for mode in ("cbc", "cfb"):
                yield f"{mode}_{way[:3]}", "chain", dict(mode=mode, way=way, n=n, in_place=n % 2 == 0, misaligned=n % 5)
        for kernel in ("ctr_blocks", "ctr32_blocks"):
            for low in [None] if n < 24 else SOME_LOW[::1 + few(depth)] if depth != "all" or n % 16 else range(32):
                yield kernel, "ctr", dict(kernel=kernel, n=n, low=low, in_place=n % 2 == 1)
        for wide in (0, 1) if has_public else ():
            for start in (2, 2**32 - 5, 2**64 - 3):
                yield "ctr_public", "ctr", dict(kernel="ctr_public", n=n, start=start, wide=wide)
    for count in range(1, 9):
        for n in (1, 2, 5) if depth == "quick" else (1, 2, 3, 5, 17):
            yield "cbc_enc_many", "cbc_many", dict(count=count, n=n)
    for way in ("encrypt", "decrypt"):
        for i, n in enumerate(_texts(depth, (0, 1, 15, 16, 17, 48, 100))):
            yield f"ccm_{way[:3]}", "ccm", dict(way=way, n=n, nonce_len=7 + i % 7, in_place=n % 3 == 1, misaligned=n % 5)
    if has_public:
        for n in (300, 600):
            yield "ctr_public", "ctr", dict(kernel="ctr_public", n=n, start=0x1234fe, wide=1)


MIXED = (0, 1, 15, 16, 33, 64, 100, 300, 1000, 5, 17, 18, 19, 20, 512, 40, 41, 42, 43, 44, 45, 46)


def piece_calls(harness, depth):
    for way in ("encrypt", "decrypt"):
        for n in _blocks(depth):
            for ends in (0, 1, 2, 3) if depth == "all" else (n % 4,):
                yield f"gcm_{way[:3]}_blocks", "blocks", dict(way=way, n=n, ends=ends, in_place=n % 2 == 1)
        for n in (0, 5, 100, 600, 2100) if depth == "quick" else _texts(depth, ())[::8]:
            yield "gcm_init_once", "once", dict(n=n, way=way)
        name = f"gcm_{way}_batch"
        for n in (0, 5, 16, 33, 64) if depth == "quick" else range(65):
            yield name, "batch", dict(way=way, lengths=(n,) * 4)
            yield name, "batch", dict(way=way, lengths=(n,) * 4, aad_lens=(n % 17,))
        yield name, "batch", dict(way=way, lengths=MIXED, aad_lens=(0, 13, 16))
    yield "gcm_decrypt_batch", "batch", dict(way="decrypt", lengths=(20,) * 4, forged=(2,))
    yield "gcm_decrypt_batch", "batch", dict(way="decrypt", lengths=MIXED, aad_lens=(0, 13, 16), forged=(1, 9))
    for way in ("encrypt", "decrypt"):
        name = f"gcm_{way}_batch" if harness.set.kernels[f"gcm_{way}_batch"] else f"gcm_{way}"
        forged = (1,) if way == "decrypt" else ()
        for call, of in (("batch", (0, 13, 100, 33, 17, 2000)), ("rows", (20,) * 5), ("rows", (300,) * 3)):
            yield name, "batch", dict(way=way, lengths=of, forged=forged, call=call)
    for ends in (0, 1):
        for aad, n in ((20, 100), (0, 0), (0, 7), (5, 0)):
            yield "gcm_blocks_tag", "tag", dict(aad_len=aad, n=n, ends=ends)


def ghash_calls(_, depth):
    for n in _blocks(depth):
        yield "ghash_blocks", "blocks", dict(n=n, misaligned=n % 7)


def siv_calls(_, depth):
    for i, n in enumerate(_texts(depth, (0, 1, 15, 16, 17, 33, 100, 300, 600, 2100))):
        yield "siv_encrypt", "message", dict(way="encrypt", n=n, aad_len=(13, 0, 16, 40)[i % 4], misaligned=i % 5)
        yield "siv_decrypt", "message", dict(way="decrypt", n=n, aad_len=(13, 0, 16, 40)[i % 4], in_place=i % 2 == 1)
        yield "siv_decrypt", "message", dict(way="decrypt", n=n, forged=True)


CUTS = ((1, 5), (16, 16), (7, 9), (33, 3), (100, 16), (15, 1), (500, 20))


def public_calls(_, depth):
    for i, n in enumerate(_texts(depth, (0, 1, 16, 40, 100, 300, 700))):
        for way in ("encrypt", "decrypt"):
            yield f"gcm_{way}", "by", dict(route="stream", way=way, n=n, cuts=CUTS[i % 7], nonce_len=(12, 8)[i % 2],
                                           aad_len=(13, 0, 16, 40)[i % 4], in_place=i % 3 == 0)
            yield f"gcm_{way}", "by", dict(route="rfc4106", way=way, n=n, aad_len=(8, 12)[i % 2])
            yield f"gcm_{way}", "by", dict(route="rfc4543", way=way, n=0, aad_len=n)
        yield "gcm_decrypt", "by", dict(route="stream", way="decrypt", n=n, cuts=CUTS[i % 7], forged=True)
        yield "gcm_decrypt", "by", dict(route="rfc4106", way="decrypt", n=n, aad_len=8, forged=True)


def xaes_calls(_, depth):
    for i, n in enumerate(_texts(depth, (0, 1, 16, 100, 300, 700, 2100))):
        yield "gcm_encrypt_checked", "message", dict(way="encrypt", n=n, aad_len=(13, 0, 40)[i % 3], in_place=i % 2 == 0)
        yield "gcm_decrypt_checked", "message", dict(way="decrypt", n=n, aad_len=(13, 0, 40)[i % 3])
        yield "gcm_decrypt_checked", "message", dict(way="decrypt", n=n, forged=True)


GROUPS = {  # harness, key lengths, its calls, the kernel that makes the key
    "gcm": (Gcm, (128, 192, 256), gcm_calls, "gcm_init"),
    "xts": (Xts, (128, 256), xts_calls, "xts_init"),
    "aes": (Aes, (128, 192, 256), aes_calls, "aes_init"),
    "pieces": (Pieces, (128, 192, 256), piece_calls, "gcm_init"),
    "ghash": (Ghash, (128,), ghash_calls, "ghash_init"),
    "siv": (Siv, (128, 192, 256), siv_calls, "aes_init"),
    "calls": (Calls, (128, 192, 256), public_calls, "gcm_init"),
    "xaes": (Xaes, (256,), xaes_calls, "aes_init"),
}


def jobs(sets):
    """(set, group, key length)."""
    return [(name, group, bits) for group, (_, sizes, _, _) in GROUPS.items() for name in sets for bits in sizes]
