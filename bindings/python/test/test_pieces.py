# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""Messages in pieces, and XTS."""
import copy
import pickle

import cryptography.exceptions
import numpy
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM as Reference
from hypothesis import given, settings
from hypothesis import strategies as st
from rijn import AESGCM, XTS, AlreadyFinalized, AlreadyUpdated, GCMEncryptor, InvalidTag, NotYetFinalized

KEY, NONCE = bytes(range(32)), b"n" * 12
MINE = AESGCM(KEY)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.binary(max_size=3000), max_size=8), st.lists(st.binary(max_size=50), max_size=3))
def test_pieces_are_the_message(pieces, aads):
    want = Reference(KEY).encrypt(NONCE, b"".join(pieces), b"".join(aads))
    sealer, opener = MINE.encryptor(NONCE), MINE.decryptor(NONCE)
    for aad in aads:
        sealer.authenticate_additional_data(aad)
        opener.authenticate_additional_data(bytearray(aad))
    sealed = b"".join(sealer.update(piece) for piece in pieces) + sealer.finalize()
    assert sealed + sealer.tag == want
    text = b""
    for i in range(0, len(sealed), 1000):
        text += opener.update(sealed[i : i + 1000])
    assert text + opener.finalize_with_tag(sealer.tag) == b"".join(pieces)


def test_ends_behind_long_pieces():
    """Pieces whose sum passes the lengths at which kernels change by 0 to 17 bytes, then an end of 0 to 900."""
    text, number = bytes(range(251)) * 70, 0
    for total in (512, 768, 1024, 2048, 4096, 16384):
        for past in range(18):
            number += 1
            first, middle, end = total // 2, total - total // 2 + past, number * 53 % 901
            sealer, nonce = MINE.encryptor(number.to_bytes(12, "big")), number.to_bytes(12, "big")
            got = sealer.update(text[:first]) + sealer.update(text[first : first + middle])
            got += sealer.update(text[first + middle : first + middle + end]) + sealer.finalize() + sealer.tag
            assert got == Reference(KEY).encrypt(nonce, text[: first + middle + end], None)


def test_update_into():
    text, out = bytes(range(256)) * 20, bytearray(6000)
    want = Reference(KEY).encrypt(NONCE, text, None)
    sealer = MINE.encryptor(NONCE)
    assert sealer.update_into(text[:100], out) == 100
    assert sealer.update_into(text[100:], memoryview(out)[100:]) == len(text) - 100
    sealer.finalize()
    assert bytes(out[: len(text)]) + sealer.tag == want
    opener = MINE.decryptor(NONCE)  # in place
    assert opener.update_into(memoryview(out)[: len(text)], out) == len(text)
    opener.finalize_with_tag(sealer.tag)
    assert out[: len(text)] == text
    with pytest.raises(ValueError, match="^update_into: buffer must be at least 9 bytes for this data, not 8"):
        MINE.encryptor(NONCE).update_into(bytes(9), bytearray(8))
    with pytest.raises(ValueError, match="^update_into: buf overlaps data"):
        MINE.encryptor(NONCE).update_into(memoryview(out)[1:50], out)
    with pytest.raises(BufferError, match="^update_into: buf: "):
        MINE.encryptor(NONCE).update_into(bytes(9), bytes(9))


def test_wrong_orders_are_what_cryptography_calls_them():
    sealer = MINE.encryptor(NONCE)
    with pytest.raises(cryptography.exceptions.NotYetFinalized) as caught:
        sealer.tag
    assert isinstance(caught.value, NotYetFinalized)
    sealer.update(b"text")
    with pytest.raises(cryptography.exceptions.AlreadyUpdated) as caught:
        sealer.authenticate_additional_data(b"late")
    assert isinstance(caught.value, AlreadyUpdated)
    sealer.finalize()
    for call in (sealer.finalize, lambda: sealer.update(b""), lambda: sealer.authenticate_additional_data(b"")):
        with pytest.raises(cryptography.exceptions.AlreadyFinalized) as caught:
            call()
        assert isinstance(caught.value, AlreadyFinalized)


def test_order_and_ends():
    sealer = MINE.encryptor(NONCE)
    with pytest.raises(ValueError, match=r"^tag: there is none before finalize\(\)"):
        sealer.tag
    sealer.update(b"text")
    with pytest.raises(ValueError, match="^authenticate_additional_data: it comes before all text"):
        sealer.authenticate_additional_data(b"late")
    sealer.finalize()
    for call in (lambda: sealer.update(b"x"), lambda: sealer.finalize(), lambda: sealer.authenticate_additional_data(b"")):
        with pytest.raises(ValueError, match="the message is finished"):
            call()
    opener = MINE.decryptor(NONCE)
    opener.update(b"text")
    with pytest.raises(ValueError, match="^finalize_with_tag: tag must be 16 bytes, not 15"):
        opener.finalize_with_tag(bytes(15))
    with pytest.raises(InvalidTag):
        opener.finalize_with_tag(bytes(16))
    with pytest.raises(ValueError, match="the message is finished"):
        opener.finalize_with_tag(bytes(16))
    for bad in (lambda: MINE.encryptor(b"short"), lambda: MINE.decryptor(bytes(129))):
        with pytest.raises(ValueError, match="nonce must be from 8 to 128 bytes"):
            bad()


def test_a_stream_is_made_by_a_key_alone_and_is_no_data():
    with pytest.raises(TypeError):
        GCMEncryptor()
    for call in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError):
            call(MINE.encryptor(NONCE))
    stream = AESGCM(KEY).encryptor(NONCE)  # keeps its key alive
    assert stream.update(b"text") == Reference(KEY).encrypt(NONCE, b"text", None)[:4]


# ---------------------------------------------------------------- XTS

XKEY = bytes(range(64))


def reference(key, data, tweak, decrypt=False):
    cipher = Cipher(algorithms.AES(key), modes.XTS(tweak))
    worker = cipher.decryptor() if decrypt else cipher.encryptor()
    return worker.update(data) + worker.finalize()


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from([32, 64]),
    st.sampled_from([512, 1024, 4096]),
    st.integers(0, 9),
    st.integers(0, 2**64 - 200),
    st.sampled_from([1, 8]),
)
def test_sectors(key_len, size, n, first, step):
    key, data = XKEY[:key_len], bytes(i * 7 & 0xFF for i in range(n * size))
    mine = XTS(key)
    want = b"".join(
        reference(key, data[i * size : (i + 1) * size], (first + i * step).to_bytes(16, "little")) for i in range(n)
    )
    assert mine.encrypt_sectors(data, first, size, step=step) == want
    assert mine.decrypt_sectors(want, first=first, sector_size=size, step=step) == data
    buf = bytearray(data)
    assert mine.encrypt_sectors(buf, first, size, step, buf) is buf and buf == want
    array = numpy.zeros(len(data), "u1")
    assert mine.decrypt_sectors(buf, first, size, step, out=array) is array and bytes(array) == data


@settings(max_examples=150, deadline=None)
@given(st.binary(min_size=16, max_size=700), st.binary(min_size=16, max_size=16))
def test_data_units(data, tweak):
    mine = XTS(XKEY)
    want = reference(XKEY, data, tweak)
    assert mine.encrypt(data, tweak) == want and mine.decrypt(want, tweak) == data
    buf = bytearray(data)
    assert mine.encrypt(buf, tweak, out=buf) is buf and buf == want


REFUSED = [
    (lambda: XTS(bytes(48)), ValueError, "^XTS: key must be 32 or 64 bytes, not 48"),
    (lambda: XTS(bytes(64)), ValueError, "^XTS: .*halves"),
    (lambda: XTS("x" * 64), TypeError, "^XTS: key: "),
    (lambda: XTS(XKEY).encrypt(bytes(15), bytes(16)), ValueError, "^encrypt: data must be from 16 to 16777216 bytes, not 15"),
    (lambda: XTS(XKEY).encrypt(bytes(16), bytes(15)), ValueError, "^encrypt: tweak must be 16 bytes, not 15"),
    (lambda: XTS(XKEY).encrypt_sectors(bytes(513), 0), ValueError, "whole sectors of 512 bytes, not 513 bytes"),
    (lambda: XTS(XKEY).encrypt_sectors(bytes(1536), 0, 768), ValueError, "sector_size must be a power of two, not 768"),
    (lambda: XTS(XKEY).encrypt_sectors(bytes(512), 0, 256), ValueError, "sector_size must be from 512 to 65536, not 256"),
    (lambda: XTS(XKEY).encrypt_sectors(bytes(512), -1), ValueError, r"^encrypt_sectors: first must be from 0 to 2\*\*64 - 1"),
    (lambda: XTS(XKEY).encrypt_sectors(bytes(512), 2**64), ValueError, r"^encrypt_sectors: first must be from 0 to 2\*\*64"),
    (lambda: XTS(XKEY).encrypt_sectors(bytes(1024), 2**64 - 1), ValueError, r"^encrypt_sectors: numbers of sectors go beyond 2\*\*64 - 1"),
    (lambda: XTS(XKEY).encrypt_sectors(bytes(512), 1.5), TypeError, "^encrypt_sectors: first must be an int"),
    (lambda: XTS(XKEY).encrypt_sectors(bytes(512), 0, out=bytearray(511)), ValueError, "out must be 512 bytes, as data"),
    (lambda: XTS(XKEY).encrypt_sectors(bytes(512), 0, out=bytes(512)), BufferError, "^encrypt_sectors: out: "),
    (lambda: XTS.generate_key(128), ValueError, "^generate_key: bit_length must be 256 or 512, not 128"),
    (lambda: pickle.dumps(XTS(XKEY)), TypeError, "^XTS: is not pickled"),
]


@pytest.mark.parametrize("case", range(len(REFUSED)))
def test_refused(case):
    call, error, says = REFUSED[case]
    with pytest.raises(error, match=says):
        call()


def test_xts_overlap():
    area = bytearray(2048)
    with pytest.raises(ValueError, match="^decrypt_sectors: out overlaps data"):
        XTS(XKEY).decrypt_sectors(memoryview(area)[:1024], 0, out=memoryview(area)[512:1536])
    assert area == bytes(2048)


def test_xts_object():
    assert repr(XTS(XKEY)) == "<rijn.XTS: AES-256>" and repr(XTS(XKEY[:32])) == "<rijn.XTS: AES-128>"
    assert len(XTS.generate_key(512)) == 64
