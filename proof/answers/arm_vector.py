# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""AArch64: the rows of instructions with vectors, of Advanced SIMD, AES, PMULL and SHA3."""
import aes
import counters
import domain as d
from arm import Imm, Reg, Vec, row
from domain import Bits, Fault, Missing, const
from values import bits, elements, equal, greater, minus, number, plus, same_is_zero, shift_elements

ONES = (1 << 128) - 1


def get(m, o):
    return m.v[o.i] if o.n == 128 else d.extend(d.part(m.v[o.i], 0, o.n), 128)


def put(m, o, value):
    m.v[o.i] = value if o.n == 128 else d.extend(d.part(value, 0, o.n), 128)


def size_of(o):
    return o.each or o.n


# ---------------------------------------------------------------- two operands, element by element

def _above(n):
    """Unsigned. x > x + k of a counter: its carry, as a mask."""
    def f(p, q):
        if isinstance(p, int) and isinstance(q, int):
            return -1 if p > q else 0
        if isinstance(p, Bits) and isinstance(q, Bits) and n == 64:
            mask = const(64, 0) if p.v == q.v else counters.carry_mask(p, q)
            if mask is not None:
                return mask
        raise Fault("a comparison of data")
    return f


def _tests(p, q):
    if isinstance(p, int) and isinstance(q, int):
        return -1 if p & q else 0
    raise Fault("a comparison of data")


def _equal_is(value, f):
    return lambda a, b: const(128, value) if a.v == b.v else f(a, b)


ELEMENTS = {
    "add": lambda n: elements(plus(n), n), "sub": lambda n: same_is_zero(elements(minus, n)),
    "cmgt": lambda n: same_is_zero(elements(greater(n), n)), "cmeq": lambda n: _equal_is(ONES, elements(equal, n)),
    "cmhi": lambda n: same_is_zero(elements(_above(n), n)), "cmtst": lambda n: elements(_tests, n),
}
WHOLE = {
    "and": d.and_, "orr": d.or_, "eor": same_is_zero(d.xor), "bic": lambda a, b: d.and_(a, d.invert(b)),
    "orn": lambda a, b: d.or_(a, d.invert(b)), "mvn": lambda a, b: d.invert(b),
}


def vector(name, to, a, b):
    """add, eor and their like, which general registers have, too."""
    if isinstance(b, Imm):
        raise Missing(f"{name} with a number")
    f = WHOLE.get(name) or ELEMENTS[name](size_of(to))
    return lambda m: put(m, to, f(get(m, a), get(m, b)))


@row("cmgt", "cmeq", "cmhi", "cmtst", "cmlt", "cmge")
def _compare(m, name, text, at, after):
    to, a, b = m.operands(text, after)
    if not isinstance(b, Imm):
        if name == "cmge":
            raise Missing("cmge with a register")
        return vector(name, to, a, b)
    if b.value:
        raise Missing("a comparison with a number")
    n = size_of(to)
    if name == "cmlt":  # the sign, everywhere in the element
        return lambda m: put(m, to, shift_elements(get(m, a), n - 1, n, "sra"))
    if name == "cmge":
        return lambda m: put(m, to, d.invert(shift_elements(get(m, a), n - 1, n, "sra")))
    f = ELEMENTS[name](n)
    return lambda m: put(m, to, f(get(m, a), const(128, 0)))


@row("bif", "bit", "bsl")
def _pick(m, name, text, at, after):
    to, a, b = m.operands(text, after)

    def choose(mask, x, y):
        """x where the mask has ones, else y."""
        if mask.deg == 0:
            return d.or_(d.and_(x, mask), d.and_(y, d.invert(mask)))
        return d.xor(y, d.and_(d.xor(x, y), mask))

    def step(m):
        old, x, y = get(m, to), get(m, a), get(m, b)
        if name == "bsl":
            put(m, to, choose(old, x, y))
        elif name == "bit":
            put(m, to, choose(y, x, old))
        else:
            put(m, to, choose(y, old, x))
    return step


@row("eor3", "bcax")
def _three(m, name, text, at, after):
    to, a, b, c = m.operands(text, after)

    def step(m):
        x, y, z = get(m, a), get(m, b), get(m, c)
        put(m, to, d.xor(x, d.xor(y, z) if name == "eor3" else d.and_(y, d.invert(z))))
    return step


@row("umaxv")
def _umaxv(m, _, text, at, after):
    """Of data it is an unknown; whether it is 0 is a question to all elements, which the machine keeps."""
    to, a = m.operands(text, after)
    n = a.each

    def step(m):
        v = get(m, a)
        known = d.as_int(v)
        if known is None:
            r = d.fresh(n)
            m.maxima[r.v] = v
        else:
            r = const(n, max(known >> i & ((1 << n) - 1) for i in range(0, a.n, n)))
        put(m, to, d.extend(r, 128))
    return step


# ---------------------------------------------------------------- shifts

def _shift(kind):
    def make(m, name, text, at, after):
        to, a, count = m.operands(text, after)
        n, k = size_of(to), count.value
        return lambda m: put(m, to, shift_elements(get(m, a), k, n, kind))
    return make


for _name, _kind in (("shl", "sll"), ("ushr", "srl"), ("sshr", "sra")):
    row(_name)(_shift(_kind))


@row("sli", "sri", "usra")
def _shift_insert(m, name, text, at, after):
    to, a, count = m.operands(text, after)
    n, k = size_of(to), count.value
    ones = (1 << n) - 1
    each = {"sli": ones << k & ones, "sri": ones >> k, "usra": 0}[name]
    free = const(128, ONES ^ sum(each << i for i in range(0, 128, n)))
    f = elements(plus(n), n) if name == "usra" else d.or_

    def step(m):
        v = shift_elements(get(m, a), k, n, "sll" if name == "sli" else "srl")
        put(m, to, f(v, d.and_(get(m, to), free)))
    return step


# ---------------------------------------------------------------- bytes that move

@row("ext")
def _ext(m, _, text, at, after):
    to, a, b, k = m.operands(text, after)
    n = to.n // 8
    table = tuple((x if x < n else x - n + 16) for x in range(k.value, k.value + n)) + (-1,) * (16 - n)
    return lambda m: put(m, to, d.shuffle([get(m, a), get(m, b)], table))


@row("tbl")
def _tbl(m, _, text, at, after):
    to, a, by = m.operands(text, after)

    def step(m):
        mask = d.as_int(get(m, by))
        if mask is None:
            raise Fault("a shuffle by data")
        put(m, to, d.shuffle([get(m, a)], tuple(x if x < 16 else -1 for x in mask.to_bytes(16, "little"))))
    return step


def _pairs(which):
    """which(elements): a list of their numbers; those of the second operand follow the first's."""
    def make(m, _, text, at, after):
        to, a, b = m.operands(text, after)
        n = to.each // 8
        count = to.n // to.each
        byte = [n * i if i < count else 16 + n * (i - count) for i in range(2 * count)]
        table = tuple(byte[e] + j for e in which(count) for j in range(n)) + (-1,) * (16 - to.n // 8)
        return lambda m: put(m, to, d.shuffle([get(m, a), get(m, b)], table))
    return make


for _i in (0, 1):
    row(f"zip{_i + 1}")(_pairs(lambda c, i=_i: [x for k in range(c // 2) for x in (i * c // 2 + k, c + i * c // 2 + k)]))
    row(f"uzp{_i + 1}")(_pairs(lambda c, i=_i: list(range(i, 2 * c, 2))))
    row(f"trn{_i + 1}")(_pairs(lambda c, i=_i: [x for k in range(i, c, 2) for x in (k, c + k)]))


def vector_rev(to, a, n):
    """The elements of each group of n bits in reverse."""
    size, group = to.each // 8, n // 8
    table = tuple(g + group - size - e + j for g in range(0, 16, group) for e in range(0, group, size)
                  for j in range(size))
    return lambda m: put(m, to, d.shuffle([get(m, a)], table))


@row("rev64")
def _rev64(m, _, text, at, after):
    return vector_rev(*m.operands(text, after), 64)


# ---------------------------------------------------------------- elements, general registers, numbers

def _value(m, source, n):
    """n bits of what is moved."""
    if isinstance(source, Reg):
        return bits(source.get(m), source.n) if source.n == n else d.part(bits(source.get(m), source.n), 0, n)
    if isinstance(source, Vec):
        return d.part(m.v[source.i], (source.index or 0) * n, n)
    return const(n, source.get(m))


def _insert(old, i, value):
    n = value.n
    parts = [d.part(old, 0, i * n)] if i else []
    parts.append(value)
    if (i + 1) * n < 128:
        parts.append(d.part(old, (i + 1) * n, 128 - (i + 1) * n))
    return d.concat(parts)


def vector_mov(to, source):
    if isinstance(to, Reg):
        n = source.each or source.n
        return lambda m: to.set(m, number(_value(m, source, n)))
    if to.index is not None:
        n = to.each

        def step(m):
            m.v[to.i] = _insert(m.v[to.i], to.index, _value(m, source, n))
        return step
    if isinstance(source, Vec) and source.index is None:
        return lambda m: put(m, to, get(m, source))
    n = to.n  # a scalar of an element
    return lambda m: put(m, to, d.extend(_value(m, source, n), 128))


@row("fmov", "umov", "ins")
def _fmov(m, name, text, at, after):
    return vector_mov(*m.operands(text, after))


@row("dup")
def _dup(m, _, text, at, after):
    to, source = m.operands(text, after)
    if to.each is None:
        return vector_mov(to, source)
    n, count = to.each, to.n // to.each

    def step(m):
        put(m, to, d.extend(d.concat([_value(m, source, n)] * count), 128))
    return step


@row("movi", "mvni")
def _movi(m, name, text, at, after):
    to, source = m.operands(text, after)
    n = size_of(to)
    value = source.value << source.by
    if source.how not in (None, "lsl"):
        raise Missing(f"movi with {source.how}")
    if name == "mvni":
        value ^= (1 << n) - 1
    value = const(128, sum((value & ((1 << n) - 1)) << i for i in range(0, to.n, n)))

    def step(m):
        m.v[to.i] = value
    return step


# ---------------------------------------------------------------- AES and products

def _aes(f):
    """AESE and AESD add the key first."""
    def make(m, _, text, at, after):
        to, key = m.operands(text, after)
        return lambda m: put(m, to, f(same_is_zero(d.xor)(m.v[to.i], m.v[key.i])))
    return make


def _mix(f):
    def make(m, _, text, at, after):
        to, a = m.operands(text, after)
        return lambda m: put(m, to, f(m.v[a.i]))
    return make


row("aese")(_aes(aes.last))
row("aesd")(_aes(aes.inv_last))
row("aesmc")(_mix(aes.mix_columns))
row("aesimc")(_mix(aes.inv_mix_columns))


@row("pmull", "pmull2")
def _pmull(m, name, text, at, after):
    to, a, b = m.operands(text, after)
    if a.each != 64:
        raise Missing("products of bytes")
    k = 64 if name == "pmull2" else 0
    return lambda m: put(m, to, d.clmul(d.part(m.v[a.i], k, 64), d.part(m.v[b.i], k, 64)))
