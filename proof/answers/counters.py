# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""Counters that are data: x + n for an unknown x and a number n.

Each x + n is an unknown of its own: what holds for any values holds for these. Who asks again for the same sum gets the
same one, and (x + 1) + 2 is x + 3, modulo 2^bits.

A counter of 128 bits has two halves of 64. The carry out of the lower one, from lo to lo + n with n < 2^63, is 1 where
the top bit of lo is 1 and that of lo + n is 0: lo + n has wrapped if and only if its top bit fell, because a sum that
does not wrap can only raise it, and one that wraps by less than 2^63 ends below 2^63. Code that computes this bit, or 64
times the bit, and adds or subtracts it, is known by that value; two carries that follow one another are one."""
import anyof
import domain as d
from domain import const

_info = d.memory()      # (bits, value) -> (root, n, carry)
_sums = d.memory()      # (root, n, carry) -> Bits
_carries = d.memory()   # value of 64 bits -> (of lo, of lo + n), sign: +1 the bit itself, -1 its mask


def _of(a):
    key = a.n, a.v
    if key not in _info:
        _info[key] = (a.n, len(_info)), 0, None
        _sums[_info[key]] = a
    return _info[key]


def _sum(info, n):
    if info not in _sums:
        r = _sums[info] = d.fresh(n)
        _info[n, r.v] = info
    return _sums[info]


def plus(a, n):
    """a + n, modulo 2^bits. Low bits of a that are constants are added as numbers, and the rest takes their carry."""
    n %= 1 << a.n
    if n == 0:
        return a
    tested = anyof.less_one(a) if n == (1 << a.n) - 1 else None
    if tested is not None:
        return tested
    k, low = _constant_low(a)
    if k == 0:
        r = _plus(a, n)
    else:
        low += n
        rest = _plus(d.part(a, k, a.n - k), low >> k) if k < a.n else None
        r = d.concat([const(k, low & ((1 << k) - 1))] + ([rest] if rest else []))
    if a.n == 64 and n < 1 << 63:
        _keep_carry(a, r)
    return r


def _constant_low(a):
    k = low = 0
    while k < a.n:
        field = a.v >> k * d.SAMPLES & d.ONES
        if field not in (0, d.ONES):
            break
        low |= (field & 1) << k
        k += 1
    return k, low


def _plus(a, n):
    n %= 1 << a.n
    if n == 0:
        return a
    root, old, carry = _of(a)
    return _sum((root, (old + n) % (1 << a.n), carry), a.n)


def _keep_carry(lo, after):
    bit = _carry_bit(lo, after)
    if bit.v not in _carries and d.as_int(bit) is None:
        places = _upper(lo), _upper(after)
        _carries[bit.v] = places, 1
        _carries[d.repeat_bit(bit, 0, 64).v] = places, -1


def _upper(lo):
    """What is not a constant of it: low bits that are have no part in its carry."""
    k, _ = _constant_low(lo)
    return d.part(lo, k, 64 - k).v


def _carry_bit(lo, after):
    top = d.and_(d.part(lo, 63, 1), d.invert(d.part(after, 63, 1)))
    return d.concat([top, const(63, 0)])


def carry_mask(lo, after):
    """64 times whether lo is above after, which is the carry where after is lo plus a number; None if it is not."""
    (k, low), (n, low_after) = _constant_low(lo), _constant_low(after)
    if k == n and _upper(lo) == _upper(after):
        return const(64, (1 << 64) - 1 if low > low_after else 0)
    mask = d.repeat_bit(_carry_bit(lo, after), 0, 64)
    return mask if mask.v in _carries else None


def plus_carry(a, c, sign=1):
    """a + c, or a - c, where c is a carry, or its mask; None if it is none."""
    value = d.as_int(c)
    if value is not None:
        return plus(a, value * sign)
    known = _carries.get(c.v)
    if known is None or known[1] != sign:
        return None
    root, n, carry = _of(a)
    start, end = known[0]
    if carry is None:
        return _sum((root, n, (start, end)), 64)
    if carry[1] == start:
        return _sum((root, n, (carry[0], end)), 64)
    return None


def plus_128(block, n):
    """A block as a counter of 16 bytes, the highest first, plus n."""
    lo = d.shuffle([d.part(block, 64, 64)], tuple(range(7, -1, -1)))
    hi = d.shuffle([d.part(block, 0, 64)], tuple(range(7, -1, -1)))
    if n:
        after = plus(lo, n)
        hi, lo = plus_carry(hi, _carry_bit(lo, after)), after
    return d.shuffle([lo, hi], tuple(range(15, -1, -1)))


def plus_32(block, n):
    """A block whose last four bytes count, the highest first."""
    return d.concat([d.part(block, 0, 96), _turned(plus(_turned(d.part(block, 96, 32)), n))])


def plus_32_low(block, n):
    """A block whose first four bytes count, the lowest first."""
    return d.concat([plus(d.part(block, 0, 32), n), d.part(block, 32, 96)])


def _turned(word):
    return d.shuffle([word], (3, 2, 1, 0))
