# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""What holds other items than bytes is no bytes: everywhere a TypeError, before anything is read or written."""
import array
import ctypes

import numpy
import pytest
from rijn import AESGCM, AESGCMSIV, XAES256GCM, XTS

OBJECTS = numpy.array([b"Ada Lovelace", b"Charles Babbage", b"Alan Turing", b"Grace Hopper"], dtype=object)  # 32 bytes of addresses


class Pair(ctypes.Structure):
    _fields_ = [("a", ctypes.c_uint16), ("b", ctypes.c_uint16)]


WRONG = {
    "objects": OBJECTS,
    "objects in two dimensions": OBJECTS.reshape(2, 2),
    "a memoryview of objects": memoryview(OBJECTS),
    "int64": numpy.arange(4),
    "uint16": numpy.arange(16, dtype="u2"),
    "float": numpy.zeros(4),
    "bool": numpy.ones(32, bool),
    "text": numpy.array(["abcdefgh"]),
    "fixed bytes": numpy.array([b"abcd"] * 8),
    "records": numpy.zeros(4, [("a", "u4"), ("b", "u4")]),
    "void": numpy.zeros(4, "V8"),
    "dates": numpy.zeros(4, "M8[s]"),
    "int64 of numpy": numpy.int64(5),
    "uint8 of numpy": numpy.uint8(5),
    "str of numpy": numpy.str_("abcdefgh"),
    "array of int": array.array("i", range(8)),
    "ctypes of int": (ctypes.c_int * 8)(),
    "ctypes of pointers": (ctypes.c_void_p * 4)(),
    "ctypes of objects": (ctypes.py_object * 4)(*OBJECTS),
    "ctypes structure": (Pair * 8)(),
    "memoryview of int": memoryview(bytearray(32)).cast("I"),
}
RIGHT = {
    "array": array.array("B", range(32)),
    "signed": array.array("b", range(32)),
    "ctypes": (ctypes.c_char * 32)(*range(32)),
    "numpy": numpy.arange(32, dtype="i1"),
    "numpy bytes": numpy.bytes_(bytes(range(32))),
    "cast": memoryview(numpy.frombuffer(bytes(range(32)), "u8")).cast("B"),
}

KEY, NONCE, N24 = bytes(range(32)), b"n" * 12, bytes(24)
GCM, SIV, XAES, DISK = AESGCM(KEY), AESGCMSIV(KEY), XAES256GCM(KEY), XTS(bytes(range(64)))
NS, ROWS = numpy.zeros((4, 12), "u1"), numpy.zeros((4, 32), "u1")

# Every place that takes a buffer.
PLACES = {
    "AESGCM": lambda x: AESGCM(x),
    "AESGCMSIV": lambda x: AESGCMSIV(x),
    "XAES256GCM": lambda x: XAES256GCM(x),
    "XTS": lambda x: XTS(x),
    "gcm nonce": lambda x: GCM.encrypt(x, b""),
    "gcm data": lambda x: GCM.encrypt(NONCE, x),
    "gcm aad": lambda x: GCM.encrypt(NONCE, b"", x),
    "gcm decrypt nonce": lambda x: GCM.decrypt(x, bytes(16)),
    "gcm decrypt": lambda x: GCM.decrypt(NONCE, x),
    "gcm decrypt aad": lambda x: GCM.decrypt(NONCE, bytes(16), x),
    "gcm into nonce": lambda x: GCM.encrypt_into(x, b"", b"", bytearray(16)),
    "gcm into data": lambda x: GCM.encrypt_into(NONCE, x, b"", bytearray(48)),
    "gcm into aad": lambda x: GCM.encrypt_into(NONCE, b"", x, bytearray(16)),
    "gcm into": lambda x: GCM.encrypt_into(NONCE, bytes(16), b"", x),
    "gcm decrypt into": lambda x: GCM.decrypt_into(NONCE, GCM.encrypt(NONCE, bytes(32)), b"", x),
    "gcm decrypt into data": lambda x: GCM.decrypt_into(NONCE, x, b"", bytearray(16)),
    "siv nonce": lambda x: SIV.encrypt(x, b""),
    "siv data": lambda x: SIV.encrypt(NONCE, x),
    "siv into": lambda x: SIV.encrypt_into(NONCE, bytes(16), b"", x),
    "xaes nonce": lambda x: XAES.encrypt(x, b""),
    "xaes data": lambda x: XAES.decrypt(N24, x),
    "xaes into": lambda x: XAES.encrypt_into(N24, bytes(16), b"", x),
    "xaes seal": lambda x: XAES.seal(x),
    "xaes seal aad": lambda x: XAES.seal(b"", x),
    "xaes open": lambda x: XAES.open(x),
    "xaes open aad": lambda x: XAES.open(bytes(40), x),
    "rows nonces": lambda x: GCM.encrypt_rows(x, ROWS),
    "rows data": lambda x: GCM.encrypt_rows(NS, x),
    "rows aad": lambda x: GCM.encrypt_rows(NS, ROWS, x),
    "rows out": lambda x: GCM.encrypt_rows(NS, ROWS, None, x),
    "decrypt rows nonces": lambda x: GCM.decrypt_rows(x, ROWS),
    "decrypt rows": lambda x: GCM.decrypt_rows(NS, x),
    "decrypt rows aad": lambda x: GCM.decrypt_rows(NS, ROWS, x),
    "decrypt rows out": lambda x: GCM.decrypt_rows(NS, ROWS, None, x),
    "decrypt rows ok": lambda x: GCM.decrypt_rows(NS, ROWS, ok=x),
    "many nonces": lambda x: GCM.encrypt_many([x], [b""]),
    "many data": lambda x: GCM.encrypt_many([NONCE], [x]),
    "many aad": lambda x: GCM.encrypt_many([NONCE], [b""], x),
    "many aads": lambda x: GCM.encrypt_many([NONCE], [b""], [x]),
    "decrypt many": lambda x: GCM.decrypt_many([NONCE], [x]),
    "encryptor": lambda x: GCM.encryptor(x),
    "decryptor": lambda x: GCM.decryptor(x),
    "update": lambda x: GCM.encryptor(NONCE).update(x),
    "update into data": lambda x: GCM.encryptor(NONCE).update_into(x, bytearray(64)),
    "update into": lambda x: GCM.encryptor(NONCE).update_into(bytes(32), x),
    "stream aad": lambda x: GCM.encryptor(NONCE).authenticate_additional_data(x),
    "stream tag": lambda x: GCM.decryptor(NONCE).finalize_with_tag(x),
    "sectors": lambda x: DISK.encrypt_sectors(x, 0),
    "sectors out": lambda x: DISK.decrypt_sectors(bytes(512), 0, out=x),
    "unit": lambda x: DISK.encrypt(x, bytes(16)),
    "unit tweak": lambda x: DISK.encrypt(bytes(16), x),
    "unit out": lambda x: DISK.decrypt(bytes(32), bytes(16), x),
}


def memory_of(thing):
    """The bytes that lie there, addresses among them."""
    if isinstance(thing, ctypes.Array):
        return ctypes.string_at(thing, ctypes.sizeof(thing))
    whole = thing.obj if isinstance(thing, memoryview) else thing
    return whole.tobytes() if hasattr(whole, "tobytes") else bytes(whole)


@pytest.mark.parametrize("place", PLACES)
def test_refused(place):
    for name, thing in WRONG.items():
        if place.endswith(" ok") and name == "bool":
            continue
        before = memory_of(thing)
        # numpy's scalars cannot be written, which is said first
        error = (TypeError, BufferError) if place.split()[-1] in ("into", "out", "ok") and " of numpy" in name else TypeError
        with pytest.raises(error, match="items must be|readonly"):
            PLACES[place](thing)
        assert memory_of(thing) == before, name


@pytest.mark.parametrize("kind", RIGHT)
def test_bytes_of_all_kinds(kind):
    thing = RIGHT[kind]
    assert AESGCM(thing).encrypt(NONCE, thing, thing) == GCM.encrypt(NONCE, KEY, KEY)


def test_the_message_says_what_to_do():
    with pytest.raises(TypeError, match="^encrypt: data: items must be bytes, not of format 'O': .*addresses of objects"):
        GCM.encrypt(NONCE, OBJECTS)
    with pytest.raises(TypeError, match="^AESGCM: key: items must be bytes, not of format 'H': memoryview"):
        AESGCM(numpy.zeros(16, "u2"))
    with pytest.raises(TypeError, match="^encrypt: data: items must be bytes, not those of .*ndarray"):
        GCM.encrypt(NONCE, WRONG["dates"])


def test_bools_tell_which_rows_are_good():
    ok = numpy.zeros(4, bool)
    GCM.decrypt_rows(NS, GCM.encrypt_rows(NS, ROWS), ok=ok)
    assert ok.all()
