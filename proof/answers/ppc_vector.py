# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""POWER: the rows of instructions with vectors (VMX and VSX), AES and carry-less products.

A register is an integer here. The manuals number its bytes from the most significant one: byte i of theirs is byte
15 - i of the integer."""
import aes
import counters
import domain as d
from domain import Fault, Missing, const
from ppc import low, row, wide
from ppc_general import address, undefined
from values import bits, elements, equal, greater, minus, number, plus, same_is_zero, shift_elements

ONES = (1 << 128) - 1


def manual(table):
    """A table of bytes of two registers as the manuals number them, as d.shuffle wants it."""
    return tuple(x if x < 0 else x // 16 * 16 + 15 - x % 16 for x in reversed(table))


# ---------------------------------------------------------------- loads and stores: a table of the bytes in memory

_TURNED = tuple(range(15, -1, -1))
IN_MEMORY = {
    "lvx": None, "lxv": None, "lxvx": None, "lxvd2x": (*range(8, 16), *range(8)),
    "lxvw4x": tuple(4 * (3 - i // 4) + i % 4 for i in range(16)), "lxvb16x": _TURNED,
}


@row(*IN_MEMORY, *("st" + name[1:] for name in IN_MEMORY))
def _whole(m, name, text, at, after):
    reg, rest = text.split(",", 1)
    i, (where, _) = m.names(reg)[0], address(rest, m)
    table = IN_MEMORY["l" + name[2:] if name[0] == "s" else name]
    mask = ~15 if "vx" == name[-2:] and name in ("lvx", "stvx") else ~0

    def load(m):
        v = m.load_bits(where(m) & mask, 16)
        m.x[i] = d.shuffle([v], table) if table else v

    def store(m):  # each table is its own inverse
        m.store(where(m) & mask, 16, d.shuffle([m.x[i]], table) if table else m.x[i])
    return load if name[0] == "l" else store


@row("lxvll", "stxvll")
def _left_part(m, name, text, at, after):
    """As many bytes as the top byte of a register says, from byte 0 on."""
    i, a, length = m.names(text)

    def count(m):
        return min(m.plain(m.g[length]) >> 56, 16), m.plain(m.base(a))

    def load(m):
        n, where = count(m)
        v = d.extend(m.load_bits(where, n), 128) if n else const(128, 0)
        m.x[i] = d.shuffle([v], _TURNED)

    def store(m):
        n, where = count(m)
        if n:
            m.store(where, n, d.part(d.shuffle([m.x[i]], _TURNED), 0, 8 * n))
    return load if name[0] == "l" else store


@row("lfd", "lxsd", "lxsdx", "stfd", "stxsd", "stxsdx")
def _upper(m, name, text, at, after):
    """The upper half of a register."""
    reg, rest = text.split(",", 1)
    i, (where, _) = m.names(reg)[0], address(rest, m)

    def load(m):
        m.x[i] = d.concat([m.no_value, m.load_bits(where(m), 8)])

    def store(m):
        m.store(where(m), 8, d.part(m.x[i], 64, 64))
    return load if name[0] == "l" else store


# ---------------------------------------------------------------- to and from general registers

@row("mtvrd", "mtfprd", "mtvsrd", "mtvrwz", "mtfprwz", "mtvsrwz")
def _to_upper(m, name, text, at, after):
    to, a = m.names(text)
    n = 32 if name.endswith("wz") else 64

    def step(m):
        m.x[to] = d.concat([m.no_value, d.extend(bits(low(m.g[a], n), n), 64)])
    return step


@row("mtvsrdd")
def _two_halves(m, name, text, at, after):
    to, a, b = m.names(text)

    def step(m):
        m.x[to] = d.concat([bits(m.g[b], 64), bits(m.base(a), 64)])
    return step


@row("mtvsrws")
def _four_words(m, name, text, at, after):
    to, a = m.names(text)

    def step(m):
        m.x[to] = d.concat([bits(low(m.g[a], 32), 32)] * 4)
    return step


@row("mfvrd", "mffprd", "mfvsrd", "mfvrwz", "mffprwz", "mfvsrwz", "mfvsrld")
def _from(m, name, text, at, after):
    to, a = m.names(text)
    start, n = 0 if name == "mfvsrld" else 64, 32 if name.endswith("wz") else 64

    def step(m):
        m.g[to] = wide(number(d.part(m.x[a], start, n)))
    return step


@row("vextuwrx", "vextubrx")
def _from_right(m, name, text, at, after):
    to, a, b = m.names(text)
    n = 32 if name[5] == "w" else 8

    def step(m):
        i = m.plain(m.g[a]) & 15
        if 8 * i + n > 128:
            undefined("an element beyond the register")
        m.g[to] = wide(number(d.part(m.x[b], 8 * i, n)))
    return step


# ---------------------------------------------------------------- two registers

def two(*names):
    def register(f):
        @row(*names)
        def make(m, name, text, at, after):
            to, a, b = m.names(text)

            def step(m):
                m.x[to] = f(m.x[a], m.x[b])
            return step
        return f
    return register


def one(*names):
    def register(f):
        @row(*names)
        def make(m, name, text, at, after):
            to, a = m.names(text)

            def step(m):
                m.x[to] = f(m.x[a])
            return step
        return f
    return register


two("xxlxor", "vxor")(same_is_zero(d.xor))
two("xxland", "vand")(d.and_)
two("xxlor", "vor")(d.or_)
two("xxlandc", "vandc")(lambda a, b: d.and_(a, d.invert(b)))
two("xxlnor", "vnor")(lambda a, b: d.invert(d.or_(a, b)))
one("xxlnot", "vnot")(d.invert)
one("xxmr", "vmr")(lambda a: a)


def _add128(a, b):
    x, y = d.as_int(a), d.as_int(b)
    if x is not None and y is not None:
        return const(128, x + y & ONES)
    if a.v == b.v:
        return d.shift_left(a, 1)
    if x is not None or y is not None:
        block = d.reverse_bytes(a if x is None else b)
        return d.reverse_bytes(counters.plus_128(block, y if x is None else x))
    raise Fault("a sum of data")


two("vadduqm")(_add128)
for _n, _c in ((8, "b"), (16, "h"), (32, "w"), (64, "d")):
    two(f"vaddu{_c}m")(elements(plus(_n), _n))
    two(f"vsubu{_c}m")(same_is_zero(elements(minus, _n)))
    two(f"vcmpgts{_c}")(same_is_zero(elements(greater(_n), _n)))
    two(f"vcmpequ{_c}")(lambda a, b, f=elements(equal, _n): const(128, ONES) if a.v == b.v else f(a, b))


@row("vcmpequb.")
def _all_equal(m, name, text, at, after):
    """cr6: whether all are equal, and whether none is. Of data these are unknowns, as the vector is; whether the first is
    0 is a question to all bits of the difference, which the machine keeps."""
    to, a, b = m.names(text)

    def step(m):
        difference = d.xor(m.x[a], m.x[b])
        value = d.as_int(difference)
        if value is None:
            every = d.fresh(1)
            m.compared[every.v] = difference
            m.cr[6] = d.concat([const(1, 0), d.fresh(1), const(1, 0), every])
            m.x[to] = d.fresh(128)
            return
        alike = [i for i in range(0, 128, 8) if not value >> i & 255]
        m.x[to] = const(128, sum(255 << i for i in alike))
        m.cr[6] = 8 if len(alike) == 16 else 0 if alike else 2
    return step


def _by_counts(n, f):
    """f(element, count), by constants."""
    def lane(a, by):
        counts = d.as_int(by)
        if counts is None:
            raise Fault("a shift by data")
        return d.concat([f(d.part(a, i, n), counts >> i & (n - 1)) for i in range(0, 128, n)])
    return lane


def _sra(e, k):
    return d.concat([d.part(e, k, e.n - k), d.repeat_bit(e, e.n - 1, k)]) if k else e


def _shift(kind, n):
    """All elements at once, where they have the same count."""
    single = {"sll": d.shift_left, "srl": d.shift_right, "sra": _sra}[kind]
    each = _by_counts(n, single)

    def lane(a, by):
        counts = d.as_int(by)
        if counts is not None:
            counts = {counts >> i & (n - 1) for i in range(0, 128, n)}
            if len(counts) == 1:
                return shift_elements(a, counts.pop(), n, kind)
        return each(a, by)
    return lane


for _n, _c in ((8, "b"), (16, "h"), (32, "w"), (64, "d")):
    for _name, _kind in (("vsl", "sll"), ("vsr", "srl"), ("vsra", "sra")):
        two(_name + _c)(_shift(_kind, _n))
    two(f"vrl{_c}")(_by_counts(_n, lambda e, k: d.concat([d.part(e, e.n - k, k), d.part(e, 0, e.n - k)]) if k else e))


# ---------------------------------------------------------------- AES and products

_turned = d.memory()


def turned(f):
    """f of a block, for a register, which has the block's bytes in reverse."""
    def of(a):
        memo = _turned.setdefault(f.__name__, {})
        r = memo.get(a.v)
        if r is None:
            if len(memo) > 6000:
                memo.clear()
            r = memo[a.v] = d.reverse_bytes(f(d.reverse_bytes(a)))
        d.compared(max(a.deg, 1), len(memo))
        return r
    return of


_middle, _last, _inv_last, _inv_mix = map(turned, (aes.middle, aes.last, aes.inv_last, aes.inv_mix_columns))
two("vcipher")(lambda a, k: d.xor(_middle(a), k))
two("vcipherlast")(lambda a, k: d.xor(_last(a), k))
two("vncipher")(lambda a, k: _inv_mix(d.xor(_inv_last(a), k)))
two("vncipherlast")(lambda a, k: d.xor(_inv_last(a), k))
one("vsbox")(aes.sub_bytes)


@two("vpmsumd")
def _products(a, b):
    return d.xor(d.clmul(d.part(a, 64, 64), d.part(b, 64, 64)), d.clmul(d.part(a, 0, 64), d.part(b, 0, 64)))


@two("vpmsumb")
def _products_of_bytes(a, b):
    """Of bytes, by constants: of each two neighbours the sum."""
    if d.as_int(b) is None:
        a, b = b, a
    known = d.as_int(b)
    if known is None:
        raise Missing("products of bytes of data")
    out = []
    for i in range(0, 128, 16):
        total = const(16, 0)
        for j in (i, i + 8):
            e = d.extend(d.part(a, j, 8), 16)
            for k in range(8):
                if known >> j + k & 1:
                    total = d.xor(total, d.shift_left(e, k))
        out.append(total)
    return d.concat(out)


# ---------------------------------------------------------------- bytes that move

def moved(*names):
    """table(numbers): bytes of one register or two, by the manuals' numbers. Operands: target, registers, numbers."""
    def register(registers, table):
        @row(*names)
        def make(m, name, text, at, after):
            to, *rest = m.names(text)
            sources, t = rest[:registers], manual(table(*rest[registers:]))

            def step(m):
                m.x[to] = d.shuffle([m.x[i] for i in sources], t)
            return step
    return register


def _halves(i, j):
    return [*range(8 * i, 8 * i + 8), *range(16 + 8 * j, 24 + 8 * j)]


moved("vsldoi")(2, lambda n: range(n, n + 16))
moved("xxsldwi")(2, lambda n: range(4 * n, 4 * n + 16))
moved("xxpermdi")(2, lambda dm: _halves(dm >> 1, dm & 1))
moved("xxmrghd")(2, lambda: _halves(0, 0))
moved("xxmrgld")(2, lambda: _halves(1, 1))
moved("xxswapd")(1, lambda: [*range(8, 16), *range(8)])
moved("xxspltd")(1, lambda i: [*range(8 * i, 8 * i + 8)] * 2)
moved("xxspltw")(1, lambda i: [*range(4 * i, 4 * i + 4)] * 4)
moved("vspltb")(1, lambda i: [i] * 16)
moved("xxbrd")(1, lambda: [*range(7, -1, -1), *range(15, 7, -1)])
moved("xxbrq")(1, lambda: range(15, -1, -1))
moved("xxbrw")(1, lambda: [4 * (i // 4) + 3 - i % 4 for i in range(16)])
moved("vextractub")(1, lambda i: [-1] * 7 + [i] + [-1] * 8)


@row("vspltw")
def _vspltw(m, name, text, at, after):
    to, a, i = m.names(text)

    def step(m):
        m.x[to] = d.concat([d.part(m.x[a], 32 * (3 - i), 32)] * 4)
    return step


def _permute(a, b, by, turned_):
    table = d.as_int(by)
    if table is None:
        raise Fault("a permutation by data")
    numbers = [x & 31 for x in table.to_bytes(16, "big")]
    return d.shuffle([a, b], manual([31 - x for x in numbers] if turned_ else numbers))


@row("vperm", "vpermr", "xxperm", "xxpermr")
def _vperm(m, name, text, at, after):
    to, a, b, *by = m.names(text)
    first, second, by = (a, b, by[0]) if by else (a, to, b)

    def step(m):
        m.x[to] = _permute(m.x[first], m.x[second], m.x[by], name[-1] == "r")
    return step


@row("xxsel", "vsel")
def _select(m, name, text, at, after):
    to, a, b, by = m.names(text)

    def step(m):
        mask, x, y = m.x[by], m.x[a], m.x[b]
        if mask.deg == 0:
            m.x[to] = d.or_(d.and_(x, d.invert(mask)), d.and_(y, mask))
        else:
            m.x[to] = d.xor(x, d.and_(d.xor(x, y), mask))
    return step


@row("vspltisb", "vspltish", "vspltisw", "xxspltib")
def _numbers(m, name, text, at, after):
    to, value = m.names(text)
    n = {"h": 16, "w": 32}.get(name[-1], 8)
    value = const(128, sum((value & ((1 << n) - 1)) << i for i in range(0, 128, n)))

    def step(m):
        m.x[to] = value
    return step


@row("vextsb2w", "vextsb2d", "vextsw2d")
def _extend(m, name, text, at, after):
    to, a = m.names(text)
    n, each = {"b": 8, "w": 32}[name[5]], {"w": 32, "d": 64}[name[7]]

    def step(m):
        m.x[to] = d.concat([x for i in range(0, 128, each)
                            for x in (d.part(m.x[a], i, n), d.repeat_bit(m.x[a], i + n - 1, each - n))])
    return step
