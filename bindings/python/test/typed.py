# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""What users write: both checkers must take it, and it runs."""
from __future__ import annotations

import mmap
from typing import Any

import numpy
from rijn import AESGCM, XTS, GCMDecryptor, GCMEncryptor, InvalidTag, info


def whole(key: bytes, nonce: bytes, text: bytearray | memoryview | mmap.mmap) -> bytes:
    sealed: bytes = AESGCM(key).encrypt(nonce, text, None)
    cipher = AESGCM(key=key, tag_length=16)
    written: int = cipher.encrypt_into(nonce, text, b"aad", bytearray(len(text) + cipher.tag_length))
    assert written == len(sealed)
    return cipher.decrypt(nonce, data=sealed, associated_data=None)


def many(cipher: AESGCM, nonces: list[bytes], texts: list[bytes]) -> list[bytes | None]:
    sealed: list[bytes] = cipher.encrypt_many(nonces, texts, b"one for all")
    return cipher.decrypt_many(nonces, sealed, [b"one for all"] * len(texts))


def rows(cipher: AESGCM, out: memoryview) -> memoryview:
    nonces, data = memoryview(bytes(24)).cast("B", (2, 12)), memoryview(bytes(64)).cast("B", (2, 32))
    sealed: memoryview = cipher.encrypt_rows(nonces, data, out=out)
    try:
        return cipher.decrypt_rows(nonces, sealed, None, memoryview(bytearray(64)).cast("B", (2, 32)))
    except InvalidTag as error:
        print(error.rows)
        raise


def arrays(cipher: AESGCM) -> numpy.ndarray[Any, numpy.dtype[numpy.uint8]]:
    nonces, data = numpy.zeros((2, 12), "u1"), numpy.zeros((2, 32), "u1")
    out = numpy.zeros((2, 48), "u1")
    offsets, column = cipher.encrypt_column((b"prefix", 7), numpy.arange(3), b"ab")
    cipher.decrypt_column((b"prefix", 7), offsets, column, ok=numpy.zeros(2, bool))
    sealed = cipher.encrypt_rows(nonces, data, out=out)
    assert cipher.encrypt_many(iter([b"n" * 12]), (one for one in [b"text"])) == cipher.encrypt_many([b"n" * 12], [b"text"])
    return sealed


def pieces(cipher: AESGCM, nonce: bytes) -> bytes:
    sealer: GCMEncryptor = cipher.encryptor(nonce)
    sealer.authenticate_additional_data(b"aad")
    text: bytes = sealer.update(b"text") + sealer.finalize()
    opener: GCMDecryptor = cipher.decryptor(nonce)
    opener.authenticate_additional_data(b"aad")
    return opener.update(text) + opener.finalize_with_tag(sealer.tag)


def sectors(disk: bytearray) -> bytearray:
    xts = XTS(XTS.generate_key(512))
    copied: bytes = xts.encrypt_sectors(bytes(disk), 0, 4096)
    by_place: bytearray = xts.encrypt_sectors(bytes(disk), 0, 512, 1, bytearray(len(disk)))
    assert len(by_place) == len(disk)
    same: bytearray = xts.encrypt_sectors(disk, first=0, sector_size=4096, out=disk)
    assert copied == same
    return xts.decrypt_sectors(disk, 0, 4096, out=disk)


if __name__ == "__main__":
    key = AESGCM.generate_key(bit_length=256)
    assert whole(key, bytes(12), bytearray(b"text")) == b"text"
    assert many(AESGCM(key), [bytes(12)], [b"text"]) == [b"text"]
    assert rows(AESGCM(key), memoryview(bytearray(96)).cast("B", (2, 48))).tobytes() == bytes(64)
    assert arrays(AESGCM(key)).shape == (2, 48)
    assert pieces(AESGCM(key), bytes(12)) == b"text"
    assert sectors(bytearray(8192)) == bytes(8192)
    assert info()["implementations"][0]["name"]
