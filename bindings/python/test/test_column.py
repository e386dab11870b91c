# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""Columns as Arrow has them: each value is what encrypt() makes of it, and what does not fit is refused."""
import array
import random
import threading

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rijn import AESGCM, InvalidTag

MINE = AESGCM(bytes(range(32)))
PREFIX = b"column 7"


def column(values, width=4, first=0):
    """Offsets and data; first bytes before them belong to nobody."""
    offsets = numpy.cumsum([first, *(len(one) for one in values)]).astype(f"i{width}")
    return offsets, numpy.frombuffer(bytes(first) + b"".join(values) + b"behind", "u1")


def nonce_of(number, prefix=PREFIX):
    return prefix + number.to_bytes(12 - len(prefix), "big")


def values_of(offsets, data):
    data = bytes(data)
    return [data[a:b] for a, b in zip(offsets[:-1], offsets[1:])]


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.binary(max_size=80), max_size=200),
    st.sampled_from([4, 8]),
    st.integers(0, 20),
    st.binary(min_size=4, max_size=11),
    st.integers(0, 200),
    st.none() | st.binary(max_size=20),
)
def test_values_are_messages(values, width, before, prefix, first, aad):
    if len(prefix) == 11:
        first = min(first, 256 - max(len(values), 1))
    offsets, data = column(values, width, before)
    out_offsets, out = MINE.encrypt_column((prefix, first), offsets, data, aad)
    nonces = [nonce_of(first + i, prefix) for i in range(len(values))]
    assert values_of(out_offsets, out) == [MINE.encrypt(n, one, aad) for n, one in zip(nonces, values)]
    assert out_offsets.dtype == offsets.dtype and out_offsets[0] == 0 and out_offsets[-1] == len(out)
    back_offsets, back = MINE.decrypt_column((prefix, first), out_offsets, out, aad)
    assert values_of(back_offsets, back) == values
    if values:
        table = numpy.frombuffer(b"".join(nonces), "u1").reshape(-1, 12)
        again = MINE.encrypt_column(table, offsets, data, aad)
        assert bytes(again[1]) == bytes(out)


def test_long_values_and_associated_data_for_each():
    rng = random.Random(3)
    values = [rng.randbytes(n) for n in (0, 1, 5000, 70_000, 3, 8192, 8191, 16)]
    aad = numpy.arange(len(values) * 5, dtype="u1").reshape(-1, 5)
    offsets, data = column(values, 8)
    got = values_of(*MINE.encrypt_column((PREFIX, 0), offsets, data, aad))
    assert got == [MINE.encrypt(nonce_of(i), one, bytes(aad[i])) for i, one in enumerate(values)]


def test_without_numpy():
    values = [b"one", b"", b"three"]
    offsets, data = array.array("i", [0, 3, 3, 8]), b"onethree"
    out_offsets, out = MINE.encrypt_column((PREFIX, 0), offsets, data)
    assert isinstance(out, memoryview) and out_offsets.format == "i" and out.format == "B"
    assert values_of(out_offsets, out) == [MINE.encrypt(nonce_of(i), one) for i, one in enumerate(values)]


def test_outputs_of_the_callers():
    values = [bytes([i]) * i for i in range(50)]
    offsets, data = column(values)
    out_offsets, out, ok = numpy.zeros(51, "i4"), numpy.full(3000, 7, "u1"), numpy.zeros(50, bool)
    got = MINE.encrypt_column((PREFIX, 0), offsets, data, None, out_offsets, out)
    assert got[0] is out_offsets and got[1] is out
    total = int(out_offsets[-1])
    assert total == sum(range(50)) + 50 * 16 and (out[total:] == 7).all()
    back_offsets, back = MINE.decrypt_column((PREFIX, 0), out_offsets, out, ok=ok)
    assert values_of(back_offsets, back) == values and ok.all()


def test_values_that_fail():
    values = [bytes([i]) * 20 for i in range(200)]
    out_offsets, out = MINE.encrypt_column((PREFIX, 0), *column(values))
    for bad in (3, 64, 199):
        out[out_offsets[bad] + 5] ^= 1
    with pytest.raises(InvalidTag, match="3 of 200 rows") as caught:
        MINE.decrypt_column((PREFIX, 0), out_offsets, out)
    assert caught.value.rows == [3, 64, 199]
    ok = numpy.ones(200, bool)
    back = values_of(*MINE.decrypt_column((PREFIX, 0), out_offsets, out, ok=ok))
    assert numpy.flatnonzero(~ok).tolist() == [3, 64, 199]
    assert back == [bytes(20) if i in (3, 64, 199) else one for i, one in enumerate(values)]


def test_a_value_that_is_shorter_than_a_tag():
    """As a null that a file did not keep: it is empty, and not good; the others are read."""
    offsets, out = MINE.encrypt_column((PREFIX, 0), *column([b"one", b"", b"three"]))
    kept = bytes(out[: offsets[1]]) + bytes(out[offsets[2] :])
    cut = numpy.array([0, offsets[1], offsets[1], len(kept)], "i4")
    ok = bytearray(3)
    back = MINE.decrypt_column((PREFIX, 0), cut, kept, ok=ok)
    assert values_of(*back) == [b"one", b"", b"three"] and list(ok) == [1, 0, 1]


def test_offsets_of_32_bits_that_the_output_passes():
    """2**27 tags of empty values; nothing is written, and the zeros take no memory until then."""
    offsets = numpy.zeros(2**27 + 1, "i4")
    with pytest.raises(OverflowError, match="^encrypt_column: offsets of 32 bits cannot count 2147483648 bytes"):
        MINE.encrypt_column((PREFIX, 0), offsets, b"")


OFFSETS, DATA = column([b"one", b"two", b"three"])
AREA = numpy.zeros(400, "u1")
BAD = [
    (lambda: MINE.encrypt_column((PREFIX, 0), numpy.array([0, 3, 2, 9], "i4"), DATA), ValueError, "value 1 is from 3 to 2"),
    (lambda: MINE.encrypt_column((PREFIX, 0), numpy.array([-1, 3], "i4"), DATA), ValueError, "value 0 is from -1 to 3"),
    (lambda: MINE.encrypt_column((PREFIX, 0), numpy.array([0, 99], "i8"), DATA), ValueError, "to 99, and data has 17 bytes"),
    (lambda: MINE.encrypt_column((PREFIX, 0), numpy.array([], "i4"), DATA), ValueError, "one more than there are values"),
    (lambda: MINE.encrypt_column((PREFIX, 0), OFFSETS.astype("i2"), DATA), TypeError, "offsets: items must be integers of 32 or 64"),
    (lambda: MINE.encrypt_column((PREFIX, 0), OFFSETS.astype(">i4"), DATA), TypeError, "offsets: items must be integers"),
    (lambda: MINE.encrypt_column((PREFIX, 0), OFFSETS.astype("f4"), DATA), TypeError, "offsets: items must be integers"),
    (lambda: MINE.encrypt_column((PREFIX, 0), OFFSETS.tobytes(), DATA), TypeError, "offsets: items must be integers"),
    (lambda: MINE.encrypt_column((PREFIX, 0), OFFSETS.reshape(2, 2), DATA), ValueError, "must be one-dimensional"),
    (lambda: MINE.encrypt_column((PREFIX, 0), OFFSETS, OFFSETS), TypeError, "data: items must be bytes"),
    (lambda: MINE.encrypt_column((PREFIX, 0), OFFSETS, "text"), TypeError, "^encrypt_column: data: "),
    (lambda: MINE.encrypt_column((b"abc", 0), OFFSETS, DATA), ValueError, "prefix of nonces must be from 4 to 11 bytes, not 3"),
    (lambda: MINE.encrypt_column((bytes(12), 0), OFFSETS, DATA), ValueError, "prefix of nonces .* not 12"),
    (lambda: MINE.encrypt_column((bytes(11), 254), OFFSETS, DATA), ValueError, "do not fit into the 1 bytes behind"),
    (lambda: MINE.encrypt_column((bytes(4), 2**64 - 2), OFFSETS, DATA), ValueError, "do not fit into the 8 bytes behind"),
    (lambda: MINE.encrypt_column((PREFIX, -1), OFFSETS, DATA), ValueError, "nonces must be from 0 to 2..64 - 1"),
    (lambda: MINE.encrypt_column((PREFIX, "1"), OFFSETS, DATA), TypeError, "nonces must be an int"),
    (lambda: MINE.encrypt_column((PREFIX,), OFFSETS, DATA), TypeError, "a tuple are .prefix, number"),
    (lambda: MINE.encrypt_column(numpy.zeros((2, 12), "u1"), OFFSETS, DATA), ValueError, "2 nonces for 3 values"),
    (lambda: MINE.encrypt_column(numpy.zeros((3, 5), "u1"), OFFSETS, DATA), ValueError, "nonce must be from 8"),
    (lambda: MINE.encrypt_column(numpy.broadcast_to(AREA[:12], (3, 12)), OFFSETS, DATA), ValueError, "same one"),
    (lambda: MINE.encrypt_column((PREFIX, 0), OFFSETS, DATA, numpy.zeros((2, 4), "u1")), ValueError, "2 rows of associated_data"),
    (lambda: MINE.encrypt_column((PREFIX, 0), OFFSETS, DATA, out=bytearray(58)), ValueError, "at least 59 bytes .* not 58"),
    (lambda: MINE.encrypt_column((PREFIX, 0), OFFSETS, DATA, out=bytes(59)), BufferError, "^encrypt_column: out: "),
    (lambda: MINE.encrypt_column((PREFIX, 0), OFFSETS, DATA, None, numpy.zeros(3, "i4")), ValueError, "4 integers of 32 bits"),
    (lambda: MINE.encrypt_column((PREFIX, 0), OFFSETS, DATA, None, numpy.zeros(4, "i8")), ValueError, "4 integers of 32 bits"),
    (lambda: MINE.encrypt_column((PREFIX, 0), OFFSETS, AREA[50:67], out=AREA[60:]), ValueError, "out overlaps data"),
    (lambda: MINE.encrypt_column((PREFIX, 0), OFFSETS, AREA[:17], out=AREA), ValueError, "out overlaps data"),
    (lambda: MINE.encrypt_column(AREA[:36].reshape(3, 12), OFFSETS, DATA, out=AREA), ValueError, "out overlaps nonces"),
    (lambda: MINE.encrypt_column((PREFIX, 0), OFFSETS, DATA, AREA[5:9], out=AREA), ValueError, "overlaps associated_data"),
    (lambda: MINE.encrypt_column((PREFIX, 0), OFFSETS, DATA, None, AREA[:16].view("i4"), AREA), ValueError, "out overlaps out_offsets"),
    (lambda: MINE.encrypt_column((PREFIX, 0), OFFSETS, DATA, None, OFFSETS), ValueError, "out_offsets overlaps offsets"),
    (lambda: MINE.decrypt_column((PREFIX, 0), OFFSETS, DATA, ok=bytearray(2)), ValueError, "ok must be 3 bytes"),
    (lambda: MINE.decrypt_column((PREFIX, 0), OFFSETS, AREA[:17], ok=AREA[:3]), ValueError, "ok overlaps data"),
]


@pytest.mark.parametrize("case", range(len(BAD)))
def test_refused(case):
    call, error, says = BAD[case]
    with pytest.raises(error, match=says):
        call()
    assert not AREA.any() and OFFSETS.tolist() == [0, 3, 6, 11]


def test_offsets_that_another_thread_changes():
    """An error or a result, and nothing beyond the buffers."""
    n, over = 20_000, threading.Event()
    offsets = numpy.arange(n + 1, dtype="i4") * 10
    data, wild = numpy.zeros(10 * n, "u1"), numpy.random.default_rng(1)

    def change():
        while not over.is_set():
            offsets[wild.integers(0, n, 50)] = wild.integers(-(2**31), 2**31 - 1, 50)
            offsets[:] = numpy.arange(n + 1) * 10

    thread = threading.Thread(target=change)
    thread.start()
    for _ in range(60):
        try:
            MINE.encrypt_column((PREFIX, 0), offsets, data)
        except (ValueError, RuntimeError):
            continue
    over.set()
    thread.join()
