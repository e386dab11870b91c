# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""Nothing leaks, and no key is found in the process after its object is gone."""
import gc
import os
import subprocess
import sys

import numpy
from rijn import AESGCM, XTS, InvalidTag

KEY, NONCE = bytes(range(32)), b"n" * 12


def resident():
    with open("/proc/self/statm", encoding="ascii") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def failing(call, *errors):
    try:
        call()
    except errors:
        return
    raise AssertionError("no error")


def every_way():
    mine = AESGCM(KEY)
    sealed = mine.encrypt(NONCE, b"x" * 300, b"aad")
    buf, rows, ns = bytearray(316), numpy.zeros((4, 30), "u1"), numpy.zeros((4, 12), "u1")
    xts, sectors = XTS(bytes(range(64))), bytearray(1024)

    def once():
        mine.encrypt(NONCE, bytearray(300), b"aad")
        mine.decrypt(NONCE, sealed, b"aad")
        mine.encrypt(nonce=NONCE, data=b"x")
        mine.encrypt_into(NONCE, memoryview(buf)[:300], None, buf)
        failing(lambda: mine.decrypt(NONCE, sealed, b"other"), InvalidTag)
        failing(lambda: mine.decrypt_into(NONCE, sealed, None, bytearray(300)), InvalidTag)
        failing(lambda: mine.encrypt(NONCE, "x"), TypeError)
        failing(lambda: mine.encrypt(b"", b"x"), ValueError)
        failing(lambda: mine.encrypt_into(NONCE, b"x", None, bytes(17)), BufferError)
        mine.decrypt_rows(ns, mine.encrypt_rows(ns, rows, b"a"), b"a")
        failing(lambda: mine.decrypt_rows(ns, rows), InvalidTag)
        failing(lambda: mine.encrypt_rows(ns, rows, rows[:3]), ValueError)
        mine.decrypt_many([NONCE] * 3, [*mine.encrypt_many([NONCE] * 2, [b"a", bytearray(9)]), b"short"])
        failing(lambda: mine.encrypt_many([NONCE], [7]), TypeError)
        sealer = mine.encryptor(NONCE)
        sealer.authenticate_additional_data(b"a")
        sealer.update(b"text")
        failing(lambda: sealer.authenticate_additional_data(b"a"), ValueError)
        sealer.finalize()
        sealer.tag
        failing(lambda: mine.decryptor(NONCE).finalize_with_tag(bytes(16)), InvalidTag)
        xts.encrypt_sectors(sectors, 0, out=sectors)
        xts.encrypt(b"x" * 20, bytes(16))
        failing(lambda: xts.encrypt_sectors(sectors, -1), ValueError)
        failing(lambda: AESGCM(bytes(5)), ValueError)
        AESGCM(key=KEY, tag_length=12)

    return once


def test_no_leak():
    """By memory: 20 objects or references a round, 4000 rounds, would be more than 2 MiB."""
    once = every_way()
    for _ in range(1000):
        once()
    gc.collect()
    before = resident()
    for _ in range(4000):
        once()
    gc.collect()
    assert resident() - before < 1 << 20


def test_no_leak_in_a_million_calls():
    mine, data = AESGCM(KEY), b"x" * 64
    for _ in range(10000):
        mine.decrypt(NONCE, mine.encrypt(NONCE, data))
    before = resident()
    for _ in range(500000):
        mine.decrypt(NONCE, mine.encrypt(NONCE, data))
    assert resident() - before < 1 << 20


def test_no_reference_is_kept():
    once = every_way()
    things = [KEY, NONCE, None, True, InvalidTag, AESGCM, XTS]
    once()
    before = [sys.getrefcount(one) for one in things]
    for _ in range(1000):
        once()
    after = [sys.getrefcount(one) for one in things]
    assert all(b - a < 50 for a, b in zip(before, after)), (before, after)


# A process that makes keys of a pattern and drops them. Besides the keys the pattern is only in bytearrays, which it wipes.
KEYS = """
import sys, rijn
def pattern(n):
    return bytearray(b ^ 0x5a for b in range(101, 101 + 16)) + bytearray(range(n - 16))
raw, xts_raw = pattern(32), pattern(32)
for i in range(16):
    raw[i] ^= 0x5a
    xts_raw[i] ^= 0x5a
one, two, three = rijn.AESGCM(memoryview(raw)), rijn.XTS(memoryview(xts_raw)), rijn.AESGCM(memoryview(raw))
one.encrypt(bytes(12), bytes(5000)); two.encrypt(bytes(512), bytes(16)); three.encrypt_many([bytes(12)] * 9, [bytes(99)] * 9)
stream = three.encryptor(bytes(12)); stream.update(bytes(100)); stream.update(bytes(9000))
raw[:] = bytes(32)
xts_raw[:] = bytes(32)
print("made", flush=True); input()
del one, two, three
print("the stream holds one", flush=True); input()
del stream
print("gone", flush=True); input()
"""


def occurrences(pid, pattern):
    """In the memory of a process that can be written."""
    hits = 0
    with open(f"/proc/{pid}/maps", encoding="ascii") as maps, open(f"/proc/{pid}/mem", "rb", 0) as memory:
        for line in maps:
            span, access = line.split()[:2]
            low, high = (int(x, 16) for x in span.split("-"))
            if access[:2] == "rw":
                try:
                    memory.seek(low)
                    hits += memory.read(high - low).count(pattern)
                except (OSError, OverflowError):  # no page there, as in [vsyscall]
                    continue
    return hits


def test_no_key_is_found_after_del():
    """The first round key of AES is the raw key: an object that lives has it, which shows that the search would find it."""
    pattern = bytes(range(101, 101 + 16))
    with subprocess.Popen([sys.executable, "-c", KEYS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        found = {}
        for said in ("made", "the stream holds one", "gone"):
            assert child.stdout.readline().strip() == said
            found[said] = occurrences(child.pid, pattern)
            child.stdin.write("\n")
            child.stdin.flush()
    assert child.returncode == 0
    assert found["made"] >= 3 and 1 <= found["the stream holds one"] < found["made"] and found["gone"] == 0, found
