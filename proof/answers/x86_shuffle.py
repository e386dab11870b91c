# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""x86-64: the rows of shuffles of vectors, of their lanes and quarters, and of tests and masks."""
import domain as d
from domain import Fault, Missing, const
from x86 import Imm, Mask, Mem, Vec, row
from x86_vector import ZERO, element_of, get, put

# ---------------------------------------------------------------- shuffles: a table of bytes, by lane

def _shuffles(names, table):
    """table(imm): source bytes of one lane. Operands: target, source, imm."""
    @row(*names)
    def make(m, name, text, at, after):
        to, source, imm = m.operands(text, after)
        t = tuple(table(imm.value))
        return lambda m: put(m, to, [d.shuffle([v], t) for v in get(m, source, to.lanes)], name, 32)


_shuffles(("pshufd", "vpshufd"), lambda i: [4 * (i >> 2 * k & 3) + j for k in range(4) for j in range(4)])
_shuffles(("pshuflw", "vpshuflw"), lambda i: [2 * (i >> 2 * k & 3) + j for k in range(4) for j in range(2)] +
          list(range(8, 16)))
_shuffles(("pshufhw", "vpshufhw"), lambda i: list(range(8)) +
          [8 + 2 * (i >> 2 * k & 3) + j for k in range(4) for j in range(2)])


@row("vpermilpd")
def _vpermilpd(m, name, text, at, after):
    """By a number: a bit for each half."""
    to, source, imm = m.operands(text, after)
    if not isinstance(imm, Imm):
        raise Missing("vpermilpd by a register")

    def step(m):
        out = []
        for i, v in enumerate(get(m, source, to.lanes)):
            low, high = imm.value >> 2 * i & 1, imm.value >> 2 * i + 1 & 1
            out.append(d.concat([d.part(v, 64 * low, 64), d.part(v, 64 * high, 64)]))
        put(m, to, out, name, 64)
    return step


@row("pslldq", "vpslldq", "psrldq", "vpsrldq")
def _shift_bytes(m, name, text, at, after):
    ops = m.operands(text, after)
    to, source, k = ops[0], ops[-2], min(ops[-1].value, 16)
    if "sll" in name:
        t = tuple([-1] * k + list(range(16 - k)))
    else:
        t = tuple(list(range(k, 16)) + [-1] * k)
    return lambda m: put(m, to, [d.shuffle([v], t) for v in get(m, source, to.lanes)], name)


def two(*names, element=None):
    """table(imm) of the bytes of two lanes, the first operand's and the second's."""
    def add(table):
        @row(*names)
        def make(m, name, text, at, after):
            ops = m.operands(text, after)
            imm = ops.pop().value if isinstance(ops[-1], Imm) else 0
            to, a, b = ops[0], ops[-2] if len(ops) > 2 else ops[0], ops[-1]
            t = tuple(table(imm))
            each = element or element_of(name)

            def step(m):
                x, y = get(m, a, to.lanes), get(m, b, to.lanes)
                put(m, to, [d.shuffle([p, q], t) for p, q in zip(x, y)], name, each)
            return step
    return add


for _n, _c in ((1, "bw"), (2, "wd"), (4, "dq"), (8, "qdq")):
    for _at, _where in ((0, "l"), (8, "h")):
        two(f"punpck{_where}{_c}", f"vpunpck{_where}{_c}")(
            lambda imm, n=_n, at=_at: [x + i + j for i in range(at, at + 8, n) for x in (0, 16) for j in range(n)])
two("unpcklpd", "vunpcklpd", "movlhps", "vmovlhps")(lambda imm: list(range(8)) + list(range(16, 24)))
two("unpckhpd", "vunpckhpd")(lambda imm: list(range(8, 16)) + list(range(24, 32)))
two("movhlps", "vmovhlps")(lambda imm: list(range(24, 32)) + list(range(8, 16)))
two("palignr", "vpalignr")(lambda imm: [(x + 16 if x < 16 else x - 16) if x < 32 else -1
                                       for x in range(imm, imm + 16)])
two("vpblendd", "blendps", "vblendps", element=32)(lambda imm: [i + (16 if imm >> i // 4 & 1 else 0) for i in range(16)])
two("pblendw", "vpblendw", element=16)(lambda imm: [i + (16 if imm >> i // 2 & 1 else 0) for i in range(16)])
two("shufps", "vshufps", element=32)(
    lambda imm: [4 * (imm >> 2 * k & 3) + j + (16 if k > 1 else 0) for k in range(4) for j in range(4)])


@row("shufpd", "vshufpd")
def _shufpd(m, name, text, at, after):
    ops = m.operands(text, after)
    imm = ops.pop().value
    to, a, b = ops[0], ops[-2] if len(ops) > 2 else ops[0], ops[-1]
    tables = [tuple(8 * (imm >> 2 * i & 1) + j for j in range(8)) +
              tuple(16 + 8 * (imm >> 2 * i + 1 & 1) + j for j in range(8)) for i in range(to.lanes)]

    def step(m):
        x, y = get(m, a, to.lanes), get(m, b, to.lanes)
        put(m, to, [d.shuffle([p, q], t) for p, q, t in zip(x, y, tables)], name, 64)
    return step


@row("pshufb", "vpshufb")
def _pshufb(m, name, text, at, after):
    ops = m.operands(text, after)
    to, a, b = ops[0], ops[-2] if len(ops) > 2 else ops[0], ops[-1]

    def lane(v, by):
        mask = d.as_int(by)
        if mask is None:
            raise Fault("a shuffle by data")
        t = tuple(-1 if x & 0x80 else x & 15 for x in mask.to_bytes(16, "little"))
        return d.shuffle([v], t)
    return lambda m: put(m, to, [lane(v, by) for v, by in zip(get(m, a, to.lanes), get(m, b, to.lanes))], name, 8)


# ---------------------------------------------------------------- lanes and quarters

@row("vinserti128", "vinserti32x4", "vinserti64x2", "vinsertf128", "vinserti64x4")
def _insert_lane(m, name, text, at, after):
    to, a, b, imm = m.operands(text, after)
    n = 2 if name.endswith("64x4") else 1

    def step(m):
        lanes = get(m, a, to.lanes)
        i = imm.value % (to.lanes // n) * n
        lanes[i:i + n] = get(m, b, n)
        put(m, to, lanes, name)
    return step


@row("vextracti128", "vextracti32x4", "vextracti64x2", "vextractf128", "vextracti64x4", "vextractf32x4", "vextractf64x2",
     "vextractf64x4")
def _extract_lane(m, name, text, at, after):
    to, source, imm = m.operands(text, after)
    n = 2 if name.endswith("64x4") else 1

    def step(m):
        i = imm.value % (source.lanes // n) * n
        lanes = m.z[source.i][i:i + n]
        if isinstance(to, Vec):
            put(m, to, lanes, name)
        else:
            for k, v in enumerate(lanes):
                m.store(to.address(m) + 16 * k, 16, v)
    return step


@row("vshufi32x4", "vshufi64x2")
def _shuffle_lanes(m, name, text, at, after):
    to, a, b, imm = m.operands(text, after)
    n, each = to.lanes, 2 if to.lanes == 4 else 1

    def step(m):
        x, y = get(m, a, n), get(m, b, n)
        put(m, to, [(x if i < n // 2 else y)[imm.value >> each * i & (n - 1)] for i in range(n)], name)
    return step


@row("vperm2i128", "vperm2f128")
def _perm2(m, name, text, at, after):
    to, a, b, imm = m.operands(text, after)

    def step(m):
        lanes = get(m, a, 2) + get(m, b, 2)
        put(m, to, [ZERO() if imm.value >> 4 * i & 8 else lanes[imm.value >> 4 * i & 3] for i in range(2)], name)
    return step


def quarters(lanes):
    return [d.part(v, at, 64) for v in lanes for at in (0, 64)]


def from_quarters(q):
    return [d.concat(q[i:i + 2]) for i in range(0, len(q), 2)]


@row("valignq")
def _valignq(m, name, text, at, after):
    to, a, b, imm = m.operands(text, after)

    def step(m):
        q = quarters(get(m, b, to.lanes)) + quarters(get(m, a, to.lanes))
        i = imm.value % (2 * to.lanes)
        put(m, to, from_quarters(q[i:i + 2 * to.lanes]), name)
    return step


@row("vpermq")
def _vpermq(m, name, text, at, after):
    to, source, imm = m.operands(text, after)
    if not isinstance(imm, Imm):
        raise Missing("vpermq by a register")

    def step(m):
        q = quarters(get(m, source, to.lanes))
        put(m, to, from_quarters([q[i // 4 * 4 + (imm.value >> i % 4 * 2 & 3)] for i in range(len(q))]), name)
    return step


@row("vpermt2q", "vpermi2q")
def _permute2(m, name, text, at, after):
    to, a, b = m.operands(text, after)

    def step(m):
        old, x, y = get(m, to, to.lanes), get(m, a, to.lanes), get(m, b, to.lanes)
        first, index = (old, x) if name == "vpermt2q" else (x, old)
        q = quarters(first) + quarters(y)
        which = [d.as_int(i) for i in quarters(index)]
        if None in which:
            raise Fault("a permutation by data")
        put(m, to, from_quarters([q[i % len(q)] for i in which]), name)
    return step


# ---------------------------------------------------------------- tests and masks

@row("ptest", "vptest")
def _ptest(m, name, text, at, after):
    a, b = m.operands(text, after)

    def step(m):
        x, y = get(m, a, a.lanes), get(m, b, a.lanes)
        both = d.concat([d.and_(p, q) for p, q in zip(x, y)])
        other = d.concat([ZERO() if p.v == q.v else d.and_(d.invert(p), q) for p, q in zip(x, y)])
        m.flags = ("test", 0, both, other, 0, 0)
    return step


@row("kmovb", "kmovw", "kmovd", "kmovq")
def _kmov(m, name, text, at, after):
    to, source = m.operands(text, after)
    n = {"b": 8, "w": 16, "d": 32, "q": 64}[name[-1]]

    def step(m):
        if isinstance(source, Mask):
            v = m.k[source.i]
        elif isinstance(source, Mem):
            v = m.plain(m.load(source.address(m), n // 8))
        else:
            v = m.plain(source.get(m))
        v &= (1 << n) - 1
        if isinstance(to, Mask):
            m.k[to.i] = v
        elif isinstance(to, Mem):
            m.store(to.address(m), n // 8, v)
        else:
            to.set(m, v)
    return step


def _mask_logic(op, f):
    for c, n in (("b", 8), ("w", 16), ("d", 32), ("q", 64)):
        @row(f"k{op}{c}")
        def make(m, name, text, at, after, n=n):
            to, a, b = m.operands(text, after)

            def step(m):
                m.k[to.i] = f(m.k[a.i], m.k[b.i]) & ((1 << n) - 1)
            return step


_mask_logic("xor", lambda a, b: a ^ b)
_mask_logic("xnor", lambda a, b: ~(a ^ b))
_mask_logic("and", lambda a, b: a & b)
_mask_logic("or", lambda a, b: a | b)
_mask_logic("andn", lambda a, b: ~a & b)


@row("knotb", "knotw", "knotd", "knotq")
def _knot(m, name, text, at, after):
    to, a = m.operands(text, after)
    n = {"b": 8, "w": 16, "d": 32, "q": 64}[name[-1]]

    def step(m):
        m.k[to.i] = ~m.k[a.i] & ((1 << n) - 1)
    return step


@row("kortestb", "kortestw", "kortestd", "kortestq")
def _kortest(m, name, text, at, after):
    a, b = m.operands(text, after)
    n = {"b": 8, "w": 16, "d": 32, "q": 64}[name[-1]]

    def step(m):
        if isinstance(m.k[a.i], Differ) and a.i == b.i:
            m.flags = ("test", 0, m.k[a.i].bits, const(8, 1), 0, 0)
            return
        r = (m.k[a.i] | m.k[b.i]) & ((1 << n) - 1)
        m.flags = ("zero", int(r == 0), 0, 0, n, int(r == (1 << n) - 1))
    return step


@row("vpmovm2b", "vpmovm2w", "vpmovm2d", "vpmovm2q")
def _from_mask(m, name, text, at, after):
    to, source = m.operands(text, after)
    n = {"b": 8, "w": 16, "d": 32, "q": 64}[name[-1]]
    count, ones = 128 // n, (1 << n) - 1

    def step(m):
        k = m.k[source.i]
        put(m, to, [const(128, sum(ones << n * i for i in range(count) if k >> count * lane + i & 1))
                    for lane in range(to.lanes)], name)
    return step


@row("kshiftrb", "kshiftrw", "kshiftrd", "kshiftrq", "kshiftlb", "kshiftlw", "kshiftld", "kshiftlq")
def _shift_mask(m, name, text, at, after):
    to, a, count = m.operands(text, after)
    n = {"b": 8, "w": 16, "d": 32, "q": 64}[name[-1]]

    def step(m):
        k = m.k[a.i] & ((1 << n) - 1)
        m.k[to.i] = (k >> count.value if name[6] == "r" else k << count.value) & ((1 << n) - 1)
    return step


@row("ktestb", "ktestw", "ktestd", "ktestq")
def _test_masks(m, name, text, at, after):
    a, b = m.operands(text, after)
    n = {"b": 8, "w": 16, "d": 32, "q": 64}[name[-1]]

    def step(m):
        x, y = m.k[a.i], m.k[b.i]
        m.flags = ("zero", int(x & y & ((1 << n) - 1) == 0), 0, 0, n, int(y & ~x & ((1 << n) - 1) == 0))
    return step


class Differ:
    """A mask of which it is only known what it was made of: its bits are whether elements of this are not 0."""

    def __init__(self, bits_):
        self.bits = bits_


def _compare(name, f, n):
    @row(name)
    def make(m, _, text, at, after):
        to, a, b = m.operands(text, after)

        def step(m):
            x, y = get(m, a, a.lanes), get(m, b, a.lanes)
            r, i = 0, 0
            if "neq" in name and to.mask is None:
                difference = d.concat([d.xor(p, q) for p, q in zip(x, y)])
                if d.as_int(difference) is None:
                    m.k[to.i] = Differ(difference)
                    return
                x, y = [difference], [const(difference.n, 0)]
            for p, q in zip(x, y):
                p, q = d.as_int(p), d.as_int(q)
                if p is None or q is None:
                    raise Fault("a comparison of data")
                for at_ in range(0, 128 * a.lanes // len(x), n):
                    u, v = p >> at_ & ((1 << n) - 1), q >> at_ & ((1 << n) - 1)
                    r |= int(f(u, v)) << i
                    i += 1
            m.k[to.i] = r & (m.k[to.mask] if to.mask is not None else r)
        return step


for _n, _c in ((8, "b"), (16, "w"), (32, "d"), (64, "q")):
    for _name, _f in (("leu", lambda u, v: u <= v), ("ltu", lambda u, v: u < v), ("neq", lambda u, v: u != v),
                      ("nleu", lambda u, v: u > v), ("nltu", lambda u, v: u >= v)):
        _compare(f"vpcmp{_name}{_c}", _f, _n)
    _compare(f"vptestm{_c}", lambda u, v: u & v != 0, _n)
    _compare(f"vptestnm{_c}", lambda u, v: u & v == 0, _n)
