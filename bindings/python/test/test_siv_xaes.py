# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""AES-GCM-SIV beside PyPI's cryptography; XAES-256-GCM beside its definition by CMAC and AES-GCM."""
import pickle
import subprocess
import sys

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM as Reference
from cryptography.hazmat.primitives.ciphers.aead import AESGCMSIV as ReferenceSIV
from hypothesis import given, settings
from hypothesis import strategies as st
from rijn import AESGCMSIV, XAES256GCM, InvalidTag

KEY = bytes(range(32))


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from([16, 24, 32]).flatmap(lambda n: st.binary(min_size=n, max_size=n)),
    st.binary(min_size=12, max_size=12),
    st.binary(min_size=1, max_size=5000),
    st.none() | st.binary(max_size=300),
)
def test_siv_is_cryptographys(key, nonce, data, aad):
    sealed = ReferenceSIV(key).encrypt(nonce, data, aad)
    mine, buf = AESGCMSIV(key), bytearray(data + bytes(16))
    assert mine.encrypt(nonce, data, aad) == sealed and mine.decrypt(nonce, sealed, aad) == data
    assert mine.encrypt_into(nonce, memoryview(buf)[:-16], aad, buf) == len(sealed) and buf == sealed


def xaes_reference(key, nonce, data, aad):
    """C2SP XAES-256-GCM: two blocks of CMAC make the key."""

    def aes(block):
        worker = Cipher(algorithms.AES(key), modes.ECB()).encryptor()
        return worker.update(block)

    doubled = int.from_bytes(aes(bytes(16)), "big") << 1
    k1 = (doubled ^ (0x87 if doubled >> 128 else 0)) & (2**128 - 1)
    made = b""
    for i in (1, 2):
        block = b"\0" + bytes([i]) + b"X\0" + nonce[:12]
        made += aes((int.from_bytes(block, "big") ^ k1).to_bytes(16, "big"))
    return Reference(made).encrypt(nonce[12:], data, aad)


@settings(max_examples=200, deadline=None)
@given(st.binary(min_size=32, max_size=32), st.binary(min_size=24, max_size=24), st.binary(max_size=5000), st.binary(max_size=99))
def test_xaes_is_its_definition(key, nonce, data, aad):
    sealed, mine = xaes_reference(key, nonce, data, aad), XAES256GCM(key)
    assert mine.encrypt(nonce, data, aad) == sealed and mine.decrypt(nonce, sealed, aad) == data
    assert mine.open(nonce + sealed, aad) == data
    whole = mine.seal(data, associated_data=aad)
    assert len(whole) == len(data) + 40 and xaes_reference(key, whole[:24], data, aad) == whole[24:]
    assert mine.open(bytearray(whole), aad) == data


def test_nonces_of_seal_are_new():
    mine = XAES256GCM(XAES256GCM.generate_key())
    assert len({mine.seal(b"")[:24] for _ in range(1000)}) == 1000


def test_random_bytes_are_as_many_as_they_must_be():
    code = (
        "import os; os.urandom = lambda n: {}; from rijn import XAES256GCM as A\n"
        "for work in (lambda: A(bytes(32)).seal(b''), A.generate_key):\n"
        "    try: work()\n"
        "    except RuntimeError as error: print(error)\n"
    )
    for gives in ("bytes(n - 1)", "bytes(n + 1)", "b''", "'x' * n", "bytearray(n)"):
        done = subprocess.run([sys.executable, "-c", code.format(gives)], capture_output=True, text=True, check=True)
        wanted = [f"os.urandom({n}) did not give {n} bytes" for n in (24, 32)]
        assert done.stdout.splitlines() == wanted, gives


def test_forgeries():
    sealed = XAES256GCM(KEY).seal(b"text")
    for i in range(len(sealed)):
        with pytest.raises(InvalidTag):
            XAES256GCM(KEY).open(sealed[:i] + bytes([sealed[i] ^ 1]) + sealed[i + 1 :])
        with pytest.raises(InvalidTag):
            XAES256GCM(KEY).open(sealed[:i])
    siv = AESGCMSIV(KEY).encrypt(bytes(12), b"text")
    for i in range(len(siv)):
        with pytest.raises(InvalidTag):
            AESGCMSIV(KEY).decrypt(bytes(12), siv[:i] + bytes([siv[i] ^ 1]) + siv[i + 1 :])


REFUSED = [
    (lambda: AESGCMSIV(bytes(20)), ValueError, "^AESGCMSIV: key must be 16, 24 or 32 bytes, not 20"),
    (lambda: XAES256GCM(bytes(16)), ValueError, "^XAES256GCM: key must be 32 bytes, not 16"),
    (lambda: AESGCMSIV(KEY).encrypt(bytes(13), b""), ValueError, "^encrypt: nonce must be 12 bytes, not 13"),
    (lambda: XAES256GCM(KEY).encrypt(bytes(12), b""), ValueError, "^encrypt: nonce must be 24 bytes, not 12"),
    (lambda: XAES256GCM(KEY).seal("text"), TypeError, "^seal: data: "),
    (lambda: XAES256GCM(KEY).open(5), TypeError, "^open: sealed: "),
    (lambda: XAES256GCM(KEY).seal(b"", 5), TypeError, "^seal: associated_data: "),
    (lambda: pickle.dumps(XAES256GCM(KEY)), TypeError, "^XAES256GCM: is not pickled"),
]


@pytest.mark.parametrize("case", range(len(REFUSED)))
def test_refused(case):
    call, error, says = REFUSED[case]
    with pytest.raises(error, match=says):
        call()


def test_buffers_are_given_back():
    data, aad = bytearray(40), bytearray(5)
    whole = bytearray(XAES256GCM(KEY).seal(data, aad))
    XAES256GCM(KEY).open(whole, aad)
    for call in (lambda: XAES256GCM(KEY).open(whole, data), lambda: XAES256GCM(KEY).open(data[:39] + b"", aad)):
        with pytest.raises(InvalidTag):
            call()
    for one in (data, aad, whole):
        one.append(0)
