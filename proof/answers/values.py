# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""Arithmetic that the rows of all architectures share, on what a register has: an int, or Bits (machine.py)."""
import counters
import domain as d
from anyof import any_of
from domain import Fault, const


def bits(value, n):
    return const(n, value & ((1 << n) - 1)) if isinstance(value, int) else value


def number(value):
    """An int where that is possible: a constant counts as one."""
    if isinstance(value, int):
        return value
    known = d.as_int(value)
    return value if known is None else known


# ---------------------------------------------------------------- sums and the like

def add(a, b, n):
    """Numbers; or data where no bit can be 1 in both, which is no carry."""
    if isinstance(a, int) and isinstance(b, int):
        return (a + b) & ((1 << n) - 1)
    if a == 0 and isinstance(a, int):
        return b
    if b == 0 and isinstance(b, int):
        return a
    if isinstance(a, int) or isinstance(b, int):
        a, b = (b, a) if isinstance(a, int) else (a, b)
        return counters.plus(a, b) if d.overlap(a, bits(b, n)) else d.or_(a, bits(b, n))
    if d.overlap(a, b):
        raise Fault("a sum of data")
    return d.or_(a, b)


def sub(a, b, n):
    if isinstance(a, int) and isinstance(b, int):
        return (a - b) & ((1 << n) - 1)
    if isinstance(b, int):
        return counters.plus(a, -b)
    raise Fault("a difference of data")


def logic(name):
    of_int = {"and": int.__and__, "or": int.__or__, "xor": int.__xor__}[name]
    of_bits = {"and": d.and_, "or": any_of, "xor": d.xor}[name]

    def f(a, b, n):
        if isinstance(a, int) and isinstance(b, int):
            return of_int(a, b) & ((1 << n) - 1)
        return number(of_bits(bits(a, n), bits(b, n)))
    return f


def shifted(name, a, k, n):
    if isinstance(a, int):
        if name == "shl":
            return a << k & ((1 << n) - 1)
        if name == "sar" and a >> n - 1:
            a |= -1 << n
        return a >> k & ((1 << n) - 1)
    if name == "shl":
        return d.shift_left(a, k) if k < n else 0
    if name == "shr" or k == 0:
        return number(d.shift_right(a, k))
    k = min(k, n - 1)
    return d.concat([d.part(a, k, n - k), d.repeat_bit(a, n - 1, k)])


def rotated(value, k, n):
    """To the right."""
    k %= n
    if isinstance(value, int):
        return (value >> k | value << n - k) & ((1 << n) - 1)
    return d.concat([d.part(value, k, n - k), d.part(value, 0, k)]) if k else value


def signed(value, n, wide):
    if isinstance(value, int):
        return value | (((1 << wide) - 1) ^ ((1 << n) - 1)) if value >> n - 1 else value
    return d.concat([value, d.repeat_bit(value, n - 1, wide - n)])


# ---------------------------------------------------------------- vectors of 128 bits, element by element

def same_is_zero(f):
    """A value less itself, or plus itself: the old value does not matter."""
    return lambda a, b: const(128, 0) if a.v == b.v else f(a, b)


def elements(f, n):
    """f of numbers of n bits, element by element. Where one is 0, or a sum has no carry, data will do, too."""
    def lane(a, b):
        x, y = d.as_int(a), d.as_int(b)
        ones = (1 << n) - 1
        if x is not None and y is not None:
            return const(128, sum((f(x >> i & ones, y >> i & ones) & ones) << i for i in range(0, 128, n)))
        out = []
        for i in range(0, 128, n):
            p, q = number(d.part(a, i, n)), number(d.part(b, i, n))
            if isinstance(p, int) and isinstance(q, int):
                out.append(const(n, f(p, q) & ones))
            else:
                out.append(f(p, q))
        return d.concat(out)
    return lane


def plus(n):
    """A number and data is a counter (counters.py); data and data a sum only if it has no carry."""
    def f(p, q):
        if isinstance(p, int) and isinstance(q, int):
            return p + q
        if isinstance(q, int):
            return counters.plus(p, q)
        if isinstance(p, int):
            return counters.plus(q, p)
        if p.v == q.v:
            return d.shift_left(p, 1)
        r = n == 64 and (counters.plus_carry(p, q) or counters.plus_carry(q, p))
        if r:
            return r
        if d.overlap(p, q):
            raise Fault("a sum of data")
        return d.or_(p, q)
    return f


def minus(p, q):
    if isinstance(p, int) and isinstance(q, int):
        return p - q
    if isinstance(q, int):
        return counters.plus(p, -q)
    r = counters.plus_carry(p, q, -1) if not isinstance(p, int) and p.n == 64 else None
    if r is None:
        raise Fault("a difference of data")
    return r


def greater(n):
    def f(p, q):
        if isinstance(p, int) and isinstance(q, int):
            half = 1 << n - 1
            return -1 if (p ^ half) > (q ^ half) else 0
        if isinstance(p, int) and p == 0:  # 0 > q: q's sign
            return d.repeat_bit(q, n - 1, n)
        raise Fault("a comparison of data")
    return f


def equal(p, q):
    if isinstance(p, int) and isinstance(q, int):
        return -1 if p == q else 0
    raise Fault("a comparison of data")


def shift_elements(v, k, n, kind):
    """Each element of n bits by k."""
    if kind == "sra":
        k = min(k, n - 1)
        if k == 0:
            return v
        return d.concat([x for i in range(0, 128, n)
                         for x in ([d.part(v, i + k, n - k), d.repeat_bit(v, i + n - 1, k)])])
    if k >= n:
        return const(128, 0)
    ones = (1 << n) - 1
    each = ones << k & ones if kind == "sll" else ones >> k
    mask = const(128, sum(each << i for i in range(0, 128, n)))
    r = d.shift_left(v, k) if kind == "sll" else d.shift_right(v, k)
    return d.and_(r, mask)
