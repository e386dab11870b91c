# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""One message a call: values beside PyPI's cryptography, kinds of buffers, places of buffers, and what is refused."""
import array
import concurrent.futures
import copy
import ctypes
import mmap
import multiprocessing
import pickle
import subprocess
import sys

import cryptography.exceptions
import numpy
import pytest
import rijn
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM as Reference
from hypothesis import given, settings
from hypothesis import strategies as st
from rijn import AESGCM, InvalidTag

KEY, NONCE, AAD = bytes(range(32)), b"n" * 12, b"associated"


def as_mmap(data):
    area = mmap.mmap(-1, max(len(data), 1))
    area[: len(data)] = data
    return memoryview(area)[: len(data)]


KINDS = {
    "bytes": bytes,
    "bytearray": bytearray,
    "memoryview": memoryview,
    "mmap": as_mmap,
    "numpy": lambda data: numpy.frombuffer(data, "u1"),
    "array": lambda data: array.array("B", data),
    "ctypes": lambda data: (ctypes.c_ubyte * len(data)).from_buffer_copy(data),
}


class BytesSubclass(bytes):
    """No exact bytes: goes by the buffer protocol."""


@settings(max_examples=400, deadline=None)
@given(
    st.sampled_from([16, 24, 32]).flatmap(lambda n: st.binary(min_size=n, max_size=n)),
    st.binary(min_size=8, max_size=128),
    st.binary(max_size=5000),
    st.none() | st.binary(max_size=500),
)
def test_same_as_cryptography(key, nonce, data, aad):
    mine, theirs = AESGCM(key), Reference(key)
    sealed = theirs.encrypt(nonce, data, aad)
    assert mine.encrypt(nonce, data, aad) == sealed
    assert mine.decrypt(nonce, sealed, aad) == data
    out = bytearray(len(sealed))
    assert mine.encrypt_into(nonce, data, aad, out) == len(sealed) and out == sealed
    back = bytearray(len(data))
    assert mine.decrypt_into(nonce, sealed, aad, back) == len(data) and back == data


def test_every_length():
    mine, theirs, data = AESGCM(KEY), Reference(KEY), bytes(range(256)) * 20
    for n in [*range(0, 700), *range(2000, 2100), *range(4090, 4100)]:
        sealed = theirs.encrypt(NONCE, data[:n], data[: n % 40])
        assert mine.encrypt(NONCE, data[:n], data[: n % 40]) == sealed, n
        assert mine.decrypt(NONCE, sealed, data[: n % 40]) == data[:n], n


@pytest.mark.parametrize("data_kind", KINDS)
@pytest.mark.parametrize("other_kind", KINDS)
def test_kinds_of_buffers(data_kind, other_kind):
    data, other = KINDS[data_kind], KINDS[other_kind]
    for text in (b"t", b"text" * 20, bytes(3000)):
        want = Reference(KEY).encrypt(NONCE, text, AAD)
        mine = AESGCM(other(KEY))
        assert mine.encrypt(other(NONCE), data(text), other(AAD)) == want
        assert mine.decrypt(other(NONCE), data(want), other(AAD)) == text
        out = KINDS[other_kind](bytes(len(want)))
        if other_kind not in ("bytes", "memoryview", "numpy"):
            assert mine.encrypt_into(NONCE, data(text), AAD, out) == len(want) and bytes(out) == want


def test_names_and_defaults():
    mine = AESGCM(key=KEY)
    want = Reference(KEY).encrypt(NONCE, b"text", AAD)
    assert mine.encrypt(nonce=NONCE, data=b"text", associated_data=AAD) == want
    assert mine.encrypt(NONCE, associated_data=AAD, data=b"text") == want
    assert mine.encrypt(NONCE, b"text") == mine.encrypt(NONCE, b"text", None) == mine.encrypt(NONCE, b"text", b"")
    assert mine.encrypt(BytesSubclass(NONCE), BytesSubclass(b"text"), BytesSubclass(AAD)) == want


def test_in_place():
    mine = AESGCM(KEY)
    for n in (0, 1, 100, 5000):
        text = bytes(i & 0xFF for i in range(n))
        buf = bytearray(text + bytes(16))
        view = memoryview(buf)
        assert mine.encrypt_into(NONCE, view[:n], AAD, view) == n + 16
        assert buf == Reference(KEY).encrypt(NONCE, text, AAD)
        assert mine.decrypt_into(NONCE, view, AAD, view[:n]) == n
        assert buf[:n] == text


def test_overlaps_are_refused_and_nothing_is_written():
    mine, area = AESGCM(KEY), bytearray(bytes(range(200)))
    view, before = memoryview(area), bytes(area)
    cases = [
        ("encrypt_into", NONCE, view[1:41], AAD, view[0:56], "overlaps data"),
        ("encrypt_into", NONCE, view[0:40], AAD, view[1:57], "overlaps data"),
        ("encrypt_into", NONCE, view[40:48], AAD, view[32:56], "overlaps data"),
        ("encrypt_into", view[50:62], view[0:40], AAD, view[0:56], "overlaps nonce"),
        ("encrypt_into", NONCE, view[0:40], view[55:60], view[0:56], "overlaps associated_data"),
        ("decrypt_into", NONCE, view[0:40], AAD, view[1:25], "overlaps data"),
        ("decrypt_into", NONCE, view[0:24], AAD, view[10:18], "overlaps data"),
        ("decrypt_into", view[8:20], view[0:40], AAD, view[0:24], "overlaps nonce"),
    ]
    for name, nonce, data, aad, buf, says in cases:
        with pytest.raises(ValueError, match=f"^{name}: buf {says}"):
            getattr(mine, name)(nonce, data, aad, buf)
        assert area == before


@pytest.mark.parametrize("length", [4, 8, 12, 13, 14, 15, 16])
def test_lengths_of_tags(length):
    mine = AESGCM(KEY, tag_length=length)
    assert mine.tag_length == length
    whole = Reference(KEY).encrypt(NONCE, b"some text", AAD)
    short = whole[: 9 + length]
    assert mine.encrypt(NONCE, b"some text", AAD) == short
    assert mine.decrypt(NONCE, short, AAD) == b"some text"
    with pytest.raises(InvalidTag):
        mine.decrypt(NONCE, short[:-1] + bytes([short[-1] ^ 1]), AAD)


def test_forgeries():
    mine, sealed = AESGCM(KEY), bytearray(AESGCM(KEY).encrypt(NONCE, b"x" * 50, AAD))
    for i in range(len(sealed)):
        sealed[i] ^= 1
        with pytest.raises(InvalidTag):
            mine.decrypt(NONCE, sealed, AAD)
        out = bytearray(b"?" * 50)
        with pytest.raises(InvalidTag):
            mine.decrypt_into(NONCE, sealed, AAD, out)
        assert out == bytes(50)
        sealed[i] ^= 1
    for nonce, data, aad in [
        (b"m" * 12, sealed, AAD),
        (NONCE, sealed, AAD + b"!"),
        (NONCE, sealed, None),
        (NONCE, sealed[:-1], AAD),
        (NONCE, b"", AAD),
        (NONCE, b"too short", AAD),
    ]:
        with pytest.raises(InvalidTag):
            mine.decrypt(nonce, data, aad)
    assert mine.decrypt(NONCE, sealed, AAD) == b"x" * 50


def test_what_is_raised_is_an_invalid_tag_of_both():
    with pytest.raises(cryptography.exceptions.InvalidTag) as caught:
        AESGCM(KEY).decrypt(NONCE, bytes(20), None)
    assert isinstance(caught.value, InvalidTag)
    again = pickle.loads(pickle.dumps(caught.value))  # as multiprocessing hands it on
    assert isinstance(again, InvalidTag) and isinstance(again, cryptography.exceptions.InvalidTag)
    assert again.args == caught.value.args and again.rows is None


LOADS = "import pickle, sys; e = pickle.loads(sys.stdin.buffer.read()); print(type(e).__mro__[1].__name__, e.rows, e)"


def test_an_invalid_tag_arrives_where_cryptography_is_not_loaded():
    error = rijn.exceptions._forged("3 rows", [1, 2, 3])
    told = subprocess.run([sys.executable, "-c", LOADS], input=pickle.dumps(error), capture_output=True, check=True)
    assert told.stdout == b"_Named [1, 2, 3] 3 rows\n"
    assert isinstance(copy.copy(error), cryptography.exceptions.InvalidTag) and copy.copy(error).rows == [1, 2, 3]


def test_a_pool_of_processes_hands_on_what_except_clauses_know():
    with concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context("fork")) as pool:
        with pytest.raises(cryptography.exceptions.InvalidTag):
            pool.submit(forge, 0).result()


def forge(_):
    AESGCM(KEY).decrypt(NONCE, bytes(32))


REFUSED = [
    (lambda: AESGCM("k" * 32), TypeError, r"^AESGCM: key: .*bytes-like.*'str'"),
    (lambda: AESGCM(b"k" * 31), ValueError, "^AESGCM: key must be 16, 24 or 32 bytes, not 31"),
    (lambda: AESGCM(), TypeError, "^AESGCM: key is missing"),
    (lambda: AESGCM(KEY, 16, 1), TypeError, "^AESGCM: at most 2 arguments, not 3"),
    (lambda: AESGCM(KEY, key=KEY), TypeError, "^AESGCM: key is given twice"),
    (lambda: AESGCM(KEY, tag=16), TypeError, "^AESGCM: there is no parameter 'tag'"),
    (lambda: AESGCM(KEY, tag_length="16"), TypeError, "^AESGCM: tag_length: "),
    (lambda: AESGCM(KEY, tag_length=11), ValueError, "^AESGCM: tag_length must be 12 to 16, 4 or 8, not 11"),
    (lambda: AESGCM(KEY, tag_length=17), ValueError, "^AESGCM: tag_length must be 12 to 16, 4 or 8, not 17"),
    (lambda: AESGCM(KEY, tag_length=2**80), ValueError, "^AESGCM: tag_length must be 12 to 16, 4 or 8, not 12089"),
    (lambda: AESGCM.generate_key(129), ValueError, "^generate_key: bit_length must be 128, 192 or 256, not 129"),
    (lambda: AESGCM.generate_key(2**70), ValueError, "^generate_key: bit_length must be 128, 192 or 256"),
    (lambda: AESGCM.generate_key(), TypeError, "^generate_key: bit_length is missing"),
    (lambda: AESGCM.generate_key(bits=128), TypeError, "^generate_key: there is no parameter 'bits'"),
    (lambda: AESGCM.generate_key("128"), TypeError, "^generate_key: bit_length must be an int"),
    (lambda: AESGCM(KEY).encrypt(NONCE), TypeError, "^encrypt: data is missing"),
    (lambda: AESGCM(KEY).encrypt(NONCE, b"", b"", b""), TypeError, "^encrypt: at most 3 arguments, not 4"),
    (lambda: AESGCM(KEY).encrypt(NONCE, b"", aad=b""), TypeError, "^encrypt: there is no parameter 'aad'"),
    (lambda: AESGCM(KEY).encrypt("n" * 12, b""), TypeError, "^encrypt: nonce: .*'str'"),
    (lambda: AESGCM(KEY).encrypt(NONCE, 5), TypeError, "^encrypt: data: .*'int'"),
    (lambda: AESGCM(KEY).decrypt(NONCE, b"", [1]), TypeError, "^decrypt: associated_data: .*'list'"),
    (lambda: AESGCM(KEY).encrypt(b"n" * 7, b""), ValueError, "^encrypt: nonce must be from 8 to 128 bytes, not 7"),
    (lambda: AESGCM(KEY).decrypt(b"n" * 129, b""), ValueError, "^decrypt: nonce must be from 8 to 128 bytes, not 129"),
    (lambda: AESGCM(KEY).encrypt(NONCE, memoryview(bytes(20))[::2]), BufferError, "^encrypt: data: "),
    (lambda: AESGCM(KEY).encrypt(NONCE, numpy.zeros((4, 4), "u1")[:, 1]), BufferError, "^encrypt: data: "),
    (lambda: AESGCM(KEY).encrypt_into(NONCE, b"t", None, bytes(17)), BufferError, "^encrypt_into: buf: "),
    (lambda: AESGCM(KEY).encrypt_into(NONCE, b"t", None, memoryview(bytes(17))), BufferError, "^encrypt_into: buf: "),
    (lambda: AESGCM(KEY).encrypt_into(NONCE, b"t", None, numpy.frombuffer(bytes(17), "u1")), BufferError, "buf: "),
    (lambda: AESGCM(KEY).encrypt_into(NONCE, b"t", None, bytearray(16)), ValueError, "buffer must be 17 bytes.* not 16"),
    (lambda: AESGCM(KEY).encrypt_into(NONCE, b"t", None), TypeError, "^encrypt_into: buf is missing"),
    (lambda: AESGCM(KEY).decrypt_into(NONCE, bytes(20), None, bytearray(5)), ValueError, "buffer must be 4 bytes"),
    (lambda: pickle.dumps(AESGCM(KEY)), TypeError, "^AESGCM: is not pickled"),
    (lambda: pickle.dumps(AESGCM(KEY), 0), TypeError, "^AESGCM: is not pickled"),
]


@pytest.mark.parametrize("case", range(len(REFUSED)))
def test_refused(case):
    call, error, says = REFUSED[case]
    with pytest.raises(error, match=says):
        call()


def test_buffers_are_given_back():
    """A refused or failed call holds no buffer: a bytearray can be resized afterwards."""
    key, nonce, data, aad, buf = (bytearray(n) for n in (32, 12, 40, 5, 56))
    mine = AESGCM(key)
    mine.encrypt_into(nonce, data, aad, buf)
    for call in (
        lambda: mine.encrypt(nonce, data, 7),
        lambda: mine.decrypt(nonce, data, aad),
        lambda: mine.encrypt_into(nonce, data, aad, data),
        lambda: mine.decrypt_into(nonce, data, aad, buf),
        lambda: mine.decrypt_into(nonce, data, aad, memoryview(buf)[:24]),
        lambda: AESGCM(memoryview(key)[:31]),
    ):
        with pytest.raises((TypeError, ValueError, InvalidTag)):
            call()
    for one in (key, nonce, data, aad, buf):
        one.append(0)


def test_nonces_of_other_lengths_on_one_object():
    mine, theirs = AESGCM(KEY), Reference(KEY)
    for i, n in enumerate((12, 16, 12, 8, 12, 128, 13, 12, 16)):
        nonce = bytes([i]) * n
        sealed = theirs.encrypt(nonce, b"text" * 9, AAD)
        assert mine.encrypt(nonce, b"text" * 9, AAD) == sealed and mine.decrypt(nonce, sealed, AAD) == b"text" * 9


def times(x, y):
    """In GCM's field (SP 800-38D, algorithm 1); the first bit is the highest."""
    z = 0
    for i in range(127, -1, -1):
        z ^= y if x >> i & 1 else 0
        y = y >> 1 ^ (0xE1 << 120 if y & 1 else 0)
    return z


def nonce_with(j0, subkey):
    """The nonce of 16 bytes whose J0 this is: j0 = (nonce * H + 128) * H, and 1 / H = H ** (2**128 - 2)."""
    inverse, power = 1 << 127, subkey
    for _ in range(127):
        power = times(power, power)
        inverse = times(inverse, power)
    return times(times(j0, inverse) ^ 128, inverse).to_bytes(16, "big")


def test_counters_that_wrap_behind_a_long_nonce():
    """The counter is derived from the nonce, and wraps after so many blocks."""
    subkey = int.from_bytes(Cipher(algorithms.AES(KEY), modes.ECB()).encryptor().update(bytes(16)), "big")
    text = bytes(range(256)) * 4
    for blocks in (0, 1, 2, 7, 8, 31, 40):
        nonce = nonce_with(5 << 32 | 2**32 - 1 - blocks, subkey)
        sealed = Reference(KEY).encrypt(nonce, text, AAD)
        assert AESGCM(KEY).encrypt(nonce, text, AAD) == sealed and AESGCM(KEY).decrypt(nonce, sealed, AAD) == text
        sealer = AESGCM(KEY).encryptor(nonce)
        sealer.authenticate_additional_data(AAD)
        assert sealer.update(text[:17]) + sealer.update(text[17:]) + sealer.finalize() + sealer.tag == sealed


def test_short_tags_at_the_end_of_a_page():
    """No byte is written behind a tag of less than 16: the next page cannot be touched."""
    page = mmap.PAGESIZE
    area = mmap.mmap(-1, 2 * page)
    libc = ctypes.CDLL(None, use_errno=True)
    at = ctypes.addressof(ctypes.c_char.from_buffer(area))
    assert libc.mprotect(ctypes.c_void_p(at + page), ctypes.c_size_t(page), 0) == 0
    for tag_length in (4, 8, 12, 13, 14, 15, 16):
        mine = AESGCM(KEY, tag_length=tag_length)
        for n in (0, 1, 15, 16, 100, 3000):
            data = bytes(n)
            want = mine.encrypt(NONCE, data, AAD)
            end = memoryview(area)[page - len(want) : page]
            mine.encrypt_into(NONCE, data, AAD, end)
            assert end == want
            mine.encrypt_rows(memoryview(NONCE).cast("B", (1, 12)), memoryview(bytes(n + 1)).cast("B", (1, n + 1)), AAD,
                              memoryview(area)[page - len(want) - 1 : page].cast("B", (1, len(want) + 1)))  # fmt: skip
            mine.encrypt_column((NONCE[:8], 0), array.array("i", [0, n]), data, AAD, out=end)
            assert mine.decrypt((NONCE[:8] + bytes(4)), end, AAD) == data
            end.release()
    libc.mprotect(ctypes.c_void_p(at + page), ctypes.c_size_t(page), 3)


def test_objects():
    mine = AESGCM(KEY)
    assert repr(mine) == "<rijn.AESGCM: AES-256, tags of 16 bytes>"
    assert KEY.hex() not in repr(mine) and repr(KEY) not in repr(mine)
    assert copy.copy(mine) is mine and copy.deepcopy(mine) is mine
    with pytest.raises(AttributeError):
        mine.key = b""
    with pytest.raises(TypeError):
        AESGCM.encrypt = None
    with pytest.raises(TypeError):
        type("Sub", (AESGCM,), {})
    assert {len(AESGCM.generate_key(n)) * 8 for n in (128, 192, 256)} == {128, 192, 256}
    assert AESGCM.generate_key(256) != AESGCM.generate_key(256)
    for kind in (AESGCM, rijn.AESGCMSIV):  # by the name that cryptography's documents write
        assert len(kind.generate_key(bit_length=128)) == 16
    assert len(rijn.XTS.generate_key(bit_length=512)) == 64
    assert rijn.GIL_FROM == 2048


def test_every_public_thing_has_a_docstring():
    for name in rijn.__all__:
        thing = getattr(rijn, name)
        if name in ("__version__", "GIL_FROM"):
            continue
        assert thing.__doc__, name
        for method, what in vars(thing).items() if isinstance(thing, type) else ():
            assert method.startswith("_") or method == "rows" or what.__doc__, f"{name}.{method}"


def test_known_answers_and_info():
    assert rijn.selftest() is None
    told = rijn.info()
    assert told["version"] == rijn.__version__
    (chosen,) = [one for one in told["implementations"] if one["chosen"]]
    assert chosen["name"] == told["implementation"] and chosen["supported"]
