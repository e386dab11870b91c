# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""The steps of AES (FIPS 197) on the values of domain.py, for the standard and for the instructions alike. The S-box is
uninterpreted but for constants; ShiftRows and MixColumns are exact."""
import domain as d
from domain import Bits

_SBOX = []
_sub, _inv, _rounds, _fixed = d.memory(), d.memory(), d.memory(), d.memory()


def _make_sbox():
    """FIPS 197 5.1.1: the inverse in GF(2^8), then the affine map."""
    p = q = 1
    sbox = [0x63] * 256
    while True:
        p = p ^ (p << 1 & 0xff) ^ (0x1b if p & 0x80 else 0)
        q ^= q << 1
        q ^= q << 2
        q ^= q << 4
        q &= 0xff
        q ^= 0x09 if q & 0x80 else 0
        x = q ^ (q << 1 | q >> 7) ^ (q << 2 | q >> 6) ^ (q << 3 | q >> 5) ^ (q << 4 | q >> 4)
        sbox[p] = (x & 0xff) ^ 0x63
        if p == 1:
            return sbox


_SBOX[:] = _make_sbox()


def _constants():
    for x, y in enumerate(_SBOX):
        x, y = d.raw_of(d.const(8, x)), d.raw_of(d.const(8, y))
        _sub[x], _inv[y] = y, x


def _substitute(b, there, back):
    if not _sub:
        _constants()
    out, deg = [], b.deg
    for x in d.bytes_of(b):
        y = there.get(x)
        if y is None:
            y = there[x] = d.random_bytes()
            back[y] = x
        out.append(y)
    d.compared(max(deg, 1), len(out) * len(there))
    return d.of_raw(b"".join(out), min(deg, 1))


def sub_bytes(b):
    """Each byte by the S-box."""
    return _substitute(b, _sub, _inv)


def inv_sub_bytes(b):
    return _substitute(b, _inv, _sub)


_ROWS = tuple((i + 4 * (i % 4)) % 16 for i in range(16))
_INV_ROWS = tuple((i - 4 * (i % 4)) % 16 for i in range(16))


def shift_rows(b):
    return d.shuffle([b], _ROWS)


def inv_shift_rows(b):
    return d.shuffle([b], _INV_ROWS)


def _pattern(n, byte):
    """byte in every byte of n bits."""
    key = n, byte, d.SAMPLES
    if key not in _fixed:
        _fixed[key] = d.const(n, int.from_bytes(bytes([byte]) * (n // 8), "little")).v
    return _fixed[key]


def _xtime(v, n):
    """Each byte times x in GF(2^8) (FIPS 197 4.2.1)."""
    s = d.SAMPLES
    top = v >> 7 * s & _pattern(n, 1)
    return (v & _pattern(n, 0x7f)) << s ^ top ^ top << s ^ top << 3 * s ^ top << 4 * s


def _turn(v, k, n):
    """In each column of four bytes: byte i from byte i + k."""
    s = d.SAMPLES
    key = "turn", k, n, s
    if key not in _fixed:
        low = int.from_bytes((b"\xff" * (4 - k) + bytes(k)) * (n // 32), "little")
        _fixed[key] = d.const(n, low).v
    low = _fixed[key]
    high = d.const(n, (1 << n) - 1).v ^ low
    return v >> 8 * k * s & low | v << 8 * (4 - k) * s & high


def mix_columns(b):
    """FIPS 197 5.1.3: bytes a0 .. a3 of a column become 2 a0 + 3 a1 + a2 + a3, and so on."""
    v, n = b.v, b.n
    one = _turn(v, 1, n)
    return Bits(n, _xtime(v ^ one, n) ^ one ^ _turn(v, 2, n) ^ _turn(v, 3, n), b.deg)


def inv_mix_columns(b):
    """FIPS 197 5.3.3, by the factors 14, 11, 13, 9."""
    v, n = b.v, b.n
    two = _xtime(v, n)
    four = _xtime(two, n)
    eight = _xtime(four, n)
    return Bits(n, eight ^ four ^ two ^ _turn(eight ^ two ^ v, 1, n) ^ _turn(eight ^ four ^ v, 2, n) ^
                _turn(eight ^ v, 3, n), b.deg)


def _memo(kind, b, make):
    memo = _rounds.setdefault(kind, {})
    r = memo.get(b.v)
    if r is None:
        if len(memo) > 6000:
            memo.clear()
        r = memo[b.v] = make(b)
    d.compared(max(b.deg, 1), len(memo))
    return r


def middle(b):
    """A round without its key: SubBytes, ShiftRows, MixColumns."""
    return _memo("middle", b, lambda x: mix_columns(shift_rows(sub_bytes(x))))


def last(b):
    """The last round without its key."""
    return _memo("last", b, lambda x: shift_rows(sub_bytes(x)))


def inv_middle(b):
    """A round of the equivalent inverse cipher without its key (FIPS 197 5.3.5)."""
    return _memo("inv middle", b, lambda x: inv_mix_columns(inv_sub_bytes(inv_shift_rows(x))))


def inv_last(b):
    return _memo("inv last", b, lambda x: inv_sub_bytes(inv_shift_rows(x)))
