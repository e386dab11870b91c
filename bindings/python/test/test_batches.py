# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""Rows of arrays and lists of messages: each is the message that encrypt() makes."""
import ctypes

import numpy
import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM as Reference
from hypothesis import given, settings
from hypothesis import strategies as st
from rijn import AESGCM, InvalidTag

KEY = bytes(range(32))
MINE, THEIRS = AESGCM(KEY), Reference(KEY)


def random(*shape):
    return numpy.random.default_rng(len(shape) + sum(shape)).integers(0, 256, shape, "u1")


def want(nonces, data, aads):
    return [THEIRS.encrypt(bytes(n), bytes(d), None if a is None else bytes(a)) for n, d, a in zip(nonces, data, aads)]


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 200), st.integers(0, 300), st.sampled_from([8, 12, 12, 12, 20]), st.integers(0, 2), st.integers(0, 40))
def test_rows_are_messages(n, width, nonce, aad_kind, aad_width):
    nonces, data = random(n, nonce), random(n, width)
    aad = [None, bytes(random(aad_width)), random(n, aad_width)][aad_kind]
    sealed = MINE.encrypt_rows(nonces, data, aad)
    assert sealed.shape == (n, width + 16)
    assert [bytes(row) for row in sealed] == want(nonces, data, aad if aad_kind == 2 else [aad] * n)
    assert numpy.array_equal(MINE.decrypt_rows(nonces, sealed, aad), data)
    ok = numpy.zeros(n, "?")
    back = numpy.ones((n, width), "u1")
    assert MINE.decrypt_rows(nonces, sealed, aad, out=back, ok=ok) is back
    assert ok.all() and numpy.array_equal(back, data)


def test_without_numpy_arrays():
    nonces, data = memoryview(bytes(random(5, 12))).cast("B", (5, 12)), memoryview(bytes(random(5, 40))).cast("B", (5, 40))
    sealed = MINE.encrypt_rows(nonces, data)
    assert type(sealed) is memoryview and sealed.shape == (5, 56)
    assert MINE.decrypt_rows(nonces, sealed).tobytes() == data.tobytes()


def test_columns_of_one_array_in_place():
    """nonce, text, tag beside each other: a packet a row."""
    packets = random(300, 12 + 64 + 16)
    nonces, text = packets[:, :12], packets[:, 12:76]
    expected = want(nonces.copy(), text.copy(), [b"aad"] * 300)
    assert MINE.encrypt_rows(nonces, text, b"aad", packets[:, 12:]) is not None
    assert [bytes(row) for row in packets[:, 12:]] == expected
    before = packets[:, :12].copy()
    MINE.decrypt_rows(nonces, packets[:, 12:], b"aad", packets[:, 12:76])
    assert numpy.array_equal(packets[:, :12], before)


def of_ctypes(array):
    """The same bytes in an exporter that gives no strides."""
    made = ((ctypes.c_ubyte * array.shape[1]) * array.shape[0])()
    ctypes.memmove(made, array.tobytes(), array.size)
    return made


def test_arrays_of_ctypes():
    nonces, data, aad = random(5, 12), random(5, 33), random(5, 7)
    wanted = want(nonces, data, aad)
    for kind in range(16):
        given = [of_ctypes(a) if kind >> i & 1 else a for i, a in enumerate((nonces, data, aad))]
        out = of_ctypes(numpy.zeros((5, 49), "u1")) if kind & 8 else None
        sealed = MINE.encrypt_rows(*given, out)
        assert [bytes(row) for row in numpy.asarray(sealed)] == wanted
        back = of_ctypes(numpy.zeros((5, 33), "u1"))
        given[1] = of_ctypes(numpy.array(sealed, "u1"))
        assert MINE.decrypt_rows(*given, back) is back and bytes(back) == data.tobytes()


def test_one_row_in_place():
    """Columns of one row have any stride: numpy and ctypes give what they like."""
    nonce, row = random(1, 12), random(1, 40)
    wanted = want(nonce, row[:, :24], [None])
    for text, out in ((row[:, :24], row), (numpy.frombuffer(row, "u1", 24).reshape(1, 24), row)):
        kept = row.copy()
        assert MINE.encrypt_rows(nonce, text, None, out) is out and [bytes(one) for one in out] == wanted
        MINE.decrypt_rows(nonce, out, None, text)
        assert numpy.array_equal(text, kept[:, :24])
        row[:] = kept
    with pytest.raises(ValueError, match="out overlaps data"):
        MINE.encrypt_rows(nonce, row[:, 1:20], None, row[:, :35])


def test_rows_of_input_that_overlap():
    area = random(200)
    rows = numpy.lib.stride_tricks.as_strided
    sealed, text = rows(area, (4, 36), (30, 1)), rows(area, (4, 20), (30, 1))
    kept = area.copy()
    with pytest.raises(ValueError, match="^decrypt_rows: out overlaps data"):
        MINE.decrypt_rows(random(4, 12), sealed, None, text, bytearray(4))
    assert numpy.array_equal(area, kept)
    assert len(MINE.encrypt_rows(random(4, 12), sealed)) == 4  # elsewhere it is one message as another


def test_more_bytes_than_a_number_holds():
    nonces = numpy.lib.stride_tricks.as_strided(random(12), (1 << 58, 12), (1, 1))  # never read
    data = numpy.broadcast_to(random(16), (1 << 58, 16))
    with pytest.raises(MemoryError):
        MINE.encrypt_rows(nonces, data)


def test_one_nonce_is_not_for_several_rows():
    nonce, data = random(1, 12), random(3, 16)
    with pytest.raises(ValueError, match="all rows of nonces are the same one"):
        MINE.encrypt_rows(numpy.broadcast_to(nonce, (3, 12)), data)
    assert len(MINE.encrypt_rows(numpy.broadcast_to(nonce, (1, 12)), data[:1])) == 1


def test_rows_backwards_and_far_apart():
    nonces, data = random(50, 24)[::-1, :12], random(100, 40)[::2, 3:30]
    out = numpy.zeros((100, 60), "u1")
    MINE.encrypt_rows(nonces, data, None, out[1::2, 5:48])
    assert [bytes(row) for row in out[1::2, 5:48]] == want(nonces, data, [None] * 50)
    assert not out[::2].any() and not out[:, :5].any() and not out[:, 48:].any()
    down = numpy.zeros((50, 43), "u1")
    MINE.encrypt_rows(nonces, data, None, down[::-1])
    assert [bytes(row) for row in down[::-1]] == want(nonces, data, [None] * 50)


def test_rows_that_fail():
    nonces, data = random(200, 12), random(200, 33)
    sealed = MINE.encrypt_rows(nonces, data)
    for bad in (3, 64, 199):
        sealed[bad, bad % 49] ^= 4
    with pytest.raises(InvalidTag, match="3 of 200 rows") as caught:
        MINE.decrypt_rows(nonces, sealed)
    assert caught.value.rows == [3, 64, 199]
    ok, out = bytearray(200), numpy.ones((200, 33), "u1")
    MINE.decrypt_rows(nonces, sealed, None, out, ok)
    assert [i for i in range(200) if not ok[i]] == [3, 64, 199]
    data[[3, 64, 199]] = 0
    assert numpy.array_equal(out, data)


N12, D = random(4, 12), random(4, 20)
AREA = random(4, 200)
REFUSED = [
    (lambda: MINE.encrypt_rows(N12[:3], D), ValueError, "^encrypt_rows: 3 nonces for 4 rows of data"),
    (lambda: MINE.encrypt_rows(N12[:, :7], D), ValueError, "^encrypt_rows: nonce must be from 8 to 128 bytes, not 7"),
    (lambda: MINE.encrypt_rows(N12, D, D[:3]), ValueError, "^encrypt_rows: 3 rows of associated_data for 4"),
    (lambda: MINE.encrypt_rows(N12, D, numpy.broadcast_to(D[:1], (3, 20))), ValueError, "3 rows of associated_data"),
    (lambda: MINE.encrypt_rows(N12, bytes(80)), ValueError, "^encrypt_rows: data must be two-dimensional"),
    (lambda: MINE.encrypt_rows(N12, D.astype("u2")), TypeError, "^encrypt_rows: data: items must be bytes, not of format .H."),
    (lambda: MINE.encrypt_rows(N12, "x"), TypeError, "^encrypt_rows: data: "),
    (lambda: MINE.encrypt_rows(N12, D[:, ::2]), BufferError, "^encrypt_rows: data: the bytes of a row"),
    (lambda: MINE.encrypt_rows(N12, numpy.asfortranarray(D)), BufferError, "^encrypt_rows: data: the bytes of a row"),
    (lambda: MINE.encrypt_rows(N12, D, None, random(4, 35)), ValueError, r"out must have the shape \(4, 36\), not \(4, 35\)"),
    (lambda: MINE.encrypt_rows(N12, D, None, bytes(4 * 36)), BufferError, "^encrypt_rows: out: "),
    (lambda: MINE.encrypt_rows(N12, D, out=numpy.broadcast_to(numpy.zeros(36, "u1"), (4, 36))), BufferError, "out: "),
    (
        lambda: MINE.encrypt_rows(N12, D, None, numpy.lib.stride_tricks.as_strided(AREA, (4, 36), (30, 1))),
        ValueError,
        "^encrypt_rows: rows of out overlap each other",
    ),
    (lambda: MINE.encrypt_rows(N12, AREA[:, 1:21], None, AREA[:, :36]), ValueError, "^encrypt_rows: out overlaps data"),
    (lambda: MINE.encrypt_rows(N12, AREA[:, 20:40], None, AREA[:, :36]), ValueError, "^encrypt_rows: out overlaps data"),
    (lambda: MINE.encrypt_rows(AREA[:, 30:42], D, None, AREA[:, :36]), ValueError, "^encrypt_rows: out overlaps nonces"),
    (lambda: MINE.encrypt_rows(N12, D, AREA[:, 35:40], AREA[:, :36]), ValueError, "out overlaps associated_data"),
    (lambda: MINE.encrypt_rows(N12, D, AREA.reshape(-1)[:9], AREA[:, :36]), ValueError, "out overlaps associated_data"),
    (lambda: MINE.decrypt_rows(N12, D[:, :15]), ValueError, "^decrypt_rows: a row of data has 15 bytes"),
    (lambda: MINE.decrypt_rows(N12, D, ok=bytearray(3)), ValueError, "^decrypt_rows: ok must be 4 bytes, one a row, not 3"),
    (lambda: MINE.decrypt_rows(N12, D, ok=bytes(4)), BufferError, "^decrypt_rows: ok: "),
    (lambda: MINE.decrypt_rows(N12, AREA[:, :20], ok=AREA[0, :4]), ValueError, "^decrypt_rows: ok overlaps"),
    (lambda: MINE.encrypt_many([N12[0]], []), ValueError, "^encrypt_many: 0 messages need as many nonces, not 1"),
    (lambda: MINE.encrypt_many([N12[0]], [b""], []), ValueError, "1 messages need as many associated_data, not 0"),
    (lambda: MINE.encrypt_many([N12[0]], [7]), TypeError, "^encrypt_many: data: "),
    (lambda: MINE.encrypt_many([b"n"], [b""]), ValueError, "^encrypt_many: nonce must be from 8 to 128 bytes, not 1"),
    (lambda: MINE.encrypt_many(b"nonces", [b""]), TypeError, "^encrypt_many: nonces must be a list, or go through like one"),
    (lambda: MINE.encrypt_many("n" * 12, [b""]), TypeError, "^encrypt_many: nonces must be a list"),
    (lambda: MINE.encrypt_many([N12[0]], {b""}), TypeError, "^encrypt_many: data must be a list"),
    (lambda: MINE.encrypt_many([N12[0]], 5), TypeError, "^encrypt_many: data must be a list"),
    (lambda: MINE.encrypt_many([N12[0]] * 20, D[0]), TypeError, "^encrypt_many: data: items must be bytes"),
    (lambda: MINE.encrypt_many([N12[0]], [b""], ["x"]), TypeError, "^encrypt_many: associated_data: "),
]


@pytest.mark.parametrize("case", range(len(REFUSED)))
def test_refused(case):
    call, error, says = REFUSED[case]
    before = AREA.copy()
    with pytest.raises(error, match=says):
        call()
    assert numpy.array_equal(AREA, before)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.binary(min_size=12, max_size=12), st.binary(max_size=400), st.none() | st.binary(max_size=30)), max_size=200))
def test_lists_are_messages(items):
    nonces, data, aads = (list(part) for part in zip(*items)) if items else ([], [], [])
    sealed = MINE.encrypt_many(nonces, data, aads)
    assert sealed == want(nonces, data, aads)
    assert MINE.decrypt_many(nonces, sealed, aads) == data
    assert MINE.encrypt_many(tuple(nonces), tuple(data), b"one") == want(nonces, data, [b"one"] * len(data))


def test_what_goes_through_like_a_list():
    nonces, data = [bytes([i]) * 12 for i in range(9)], [bytes(i) for i in range(9)]
    sealed = want(nonces, data, data)
    assert MINE.encrypt_many(iter(nonces), (one for one in data), (one for one in data)) == sealed
    assert MINE.encrypt_many(numpy.array(nonces, dtype=object), numpy.array(data, dtype=object), data) == sealed


def test_lists_of_long_messages_and_failures():
    nonces = [bytes([i]) * 12 for i in range(150)]
    data = [bytearray([i]) * (i * 100) for i in range(150)]
    sealed = MINE.encrypt_many(nonces, data)
    assert sealed == want(nonces, data, [None] * 150)
    sealed[7] = b"short"
    sealed[0] = b""
    sealed[90] = sealed[90][:-1] + bytes([sealed[90][-1] ^ 1])
    back = MINE.decrypt_many(nonces, sealed)
    assert [i for i in range(150) if back[i] is None] == [0, 7, 90]
    assert all(back[i] == data[i] for i in range(150) if back[i] is not None)


def test_a_list_that_fails_half_way_holds_nothing():
    data = [bytearray(10) for _ in range(100)]
    with pytest.raises(TypeError):
        MINE.encrypt_many([bytes(12)] * 101, [*data, "no bytes"])
    for one in data:
        one.append(0)
