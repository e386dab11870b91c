# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""POWER: the rows of the general instructions: sums and logic, where to go on, loads and stores."""
import re

import domain as d
from domain import Bits, Missing, const
from ppc import AND, M64, OR, ROWS, XOR, low, number_signed, row, wide
from values import add, bits, number, rotated, shifted, signed, sub

# ---------------------------------------------------------------- sums and logic

def general(*names):
    """f(m, a, b) of two registers, or of a register and a number; a dot behind the name compares the result with 0."""
    def register(f):
        def make(m, name, text, at, after):
            to, *rest = m.names(text)

            def step(m):
                m.g[to] = r = f(m, *rest)
                if name[-1] == ".":
                    m.record(r)
            return step
        for name in names:
            ROWS[name] = ROWS[name + "."] = make
        return f
    return register


def add64(a, b):
    """A word of data plus a number is a counter of 32 bits; what it carries into the upper word is an unknown."""
    if isinstance(a, int):
        a, b = b, a
    if isinstance(a, Bits) and isinstance(b, int) and b and d.as_int(d.part(a, 32, 32)) == 0:
        if d.overlap(a, const(64, b & M64)):
            return d.concat([bits(add(d.part(a, 0, 32), b & 0xffffffff, 32), 32), d.fresh(32)])
    return add(a, b, 64)


general("add")(lambda m, a, b: add64(m.g[a], m.g[b]))
general("subf")(lambda m, a, b: 0 if a == b else sub(m.g[b], m.g[a], 64))
general("neg")(lambda m, a: sub(0, m.g[a], 64))
general("and")(lambda m, a, b: AND(m.g[a], m.g[b], 64))
general("or")(lambda m, a, b: OR(m.g[a], m.g[b], 64))
general("xor")(lambda m, a, b: 0 if a == b else XOR(m.g[a], m.g[b], 64))
general("andc")(lambda m, a, b: AND(m.g[a], XOR(m.g[b], M64, 64), 64))
general("orc")(lambda m, a, b: OR(m.g[a], XOR(m.g[b], M64, 64), 64))
general("nor")(lambda m, a, b: XOR(OR(m.g[a], m.g[b], 64), M64, 64))
general("eqv")(lambda m, a, b: XOR(XOR(m.g[a], m.g[b], 64), M64, 64))
general("not")(lambda m, a: XOR(m.g[a], M64, 64))
general("mr")(lambda m, a: m.g[a])
general("andi")(lambda m, a, n: AND(m.g[a], n, 64))
general("andis")(lambda m, a, n: AND(m.g[a], n << 16, 64))
general("ori")(lambda m, a, n: OR(m.g[a], n, 64))
general("oris")(lambda m, a, n: OR(m.g[a], n << 16, 64))
general("xori")(lambda m, a, n: XOR(m.g[a], n, 64))
general("xoris")(lambda m, a, n: XOR(m.g[a], n << 16, 64))
general("addi")(lambda m, a, n: add64(m.base(a), n & M64))
general("addis")(lambda m, a, n: add(m.base(a), n << 16 & M64, 64))
general("li")(lambda m, n: n & M64)
general("lis")(lambda m, n: n << 16 & M64)
for _n, _c in ((8, "b"), (16, "h"), (32, "w")):
    general("exts" + _c)(lambda m, a, n=_n: signed(low(m.g[a], n), n, 64))


def _sum(m, a, b, c):
    """a + b + c, and the carry."""
    total = m.plain(a) + m.plain(b) + c
    m.ca = total >> 64
    return total & M64


general("addic")(lambda m, a, n: _sum(m, m.g[a], n & M64, 0))
general("subfic")(lambda m, a, n: _sum(m, m.plain(m.g[a]) ^ M64, n & M64, 1))
general("addc")(lambda m, a, b: _sum(m, m.g[a], m.g[b], 0))
general("adde")(lambda m, a, b: _sum(m, m.g[a], m.g[b], m.ca))
general("addze")(lambda m, a: _sum(m, m.g[a], 0, m.ca))
general("addme")(lambda m, a: _sum(m, m.g[a], M64, m.ca))
general("subfc")(lambda m, a, b: _sum(m, m.plain(m.g[a]) ^ M64, m.g[b], 1))
general("subfe")(lambda m, a, b: m.ca - 1 & M64 if a == b else _sum(m, m.plain(m.g[a]) ^ M64, m.g[b], m.ca))
general("subfze")(lambda m, a: _sum(m, m.plain(m.g[a]) ^ M64, 0, m.ca))


def undefined(what):
    raise Missing(f"{what}, which is undefined")


def _products(name, n, is_signed, f):
    def of(m, a, b):
        x, y = m.plain(m.g[a]) & ((1 << n) - 1), m.plain(m.g[b]) & ((1 << n) - 1)
        if is_signed:
            x, y = number_signed(x, n), number_signed(y, n)
        return f(x, y) & M64
    general(name)(of)


_products("mulld", 64, True, lambda x, y: x * y)
_products("mullw", 32, True, lambda x, y: x * y)
_products("mulhd", 64, True, lambda x, y: x * y >> 64)
_products("mulhdu", 64, False, lambda x, y: x * y >> 64)
_products("mulhwu", 32, False, lambda x, y: x * y >> 32)
_products("divdu", 64, False, lambda x, y: x // y if y else undefined("a quotient by 0"))
_products("divwu", 32, False, lambda x, y: x // y if y else undefined("a quotient by 0"))
_products("modud", 64, False, lambda x, y: x % y if y else undefined("a quotient by 0"))
_products("moduw", 32, False, lambda x, y: x % y if y else undefined("a quotient by 0"))
general("mulli")(lambda m, a, n: m.plain(m.g[a]) * n & M64)
general("cntlzd")(lambda m, a: 64 - m.plain(m.g[a]).bit_length())
general("cntlzw")(lambda m, a: 32 - (m.plain(m.g[a]) & 0xffffffff).bit_length())


# ---------------------------------------------------------------- shifts, and rotations under a mask

def _mask(first, last):
    """Ones from bit to bit, bit 0 the most significant; round the end if first is behind last."""
    if first <= last:
        return (1 << 64 - first) - (1 << 63 - last)
    return M64 ^ _mask(last + 1, first - 1)


def _left(v, k):
    return rotated(bits(v, 64) if not isinstance(v, int) else v, -k, 64)


def _twice(v):
    """The lower word in both."""
    v = low(v, 32)
    return v | v << 32 if isinstance(v, int) else d.concat([v, v])


general("rldicl")(lambda m, a, k, b: AND(_left(m.g[a], k), _mask(b, 63), 64))
general("rldicr")(lambda m, a, k, e: AND(_left(m.g[a], k), _mask(0, e), 64))
general("rldic")(lambda m, a, k, b: AND(_left(m.g[a], k), _mask(b, 63 - k), 64))
general("rotldi")(lambda m, a, k: _left(m.g[a], k))
general("sldi")(lambda m, a, k: wide(shifted("shl", m.g[a], k, 64)))
general("srdi")(lambda m, a, k: wide(shifted("shr", m.g[a], k, 64)))
general("clrldi")(lambda m, a, b: AND(m.g[a], _mask(b, 63), 64))
general("clrrdi")(lambda m, a, k: AND(m.g[a], _mask(0, 63 - k), 64))
general("rlwinm")(lambda m, a, k, b, e: AND(_left(_twice(m.g[a]), k), _mask(b + 32, e + 32), 64))
general("rotlwi")(lambda m, a, k: AND(_left(_twice(m.g[a]), k), _mask(32, 63), 64))
general("slwi")(lambda m, a, k: AND(_left(_twice(m.g[a]), k), _mask(32, 63 - k), 64))
general("srwi")(lambda m, a, k: AND(_left(_twice(m.g[a]), 32 - k), _mask(32 + k, 63), 64))
general("clrlwi")(lambda m, a, b: AND(m.g[a], _mask(32 + b, 63), 64))
general("clrrwi")(lambda m, a, k: AND(m.g[a], _mask(32, 63 - k), 64))
general("extswsli")(lambda m, a, k: shifted("shl", signed(low(m.g[a], 32), 32, 64), k, 64))


@row("rldimi", "rlwimi")
def _insert(m, name, text, at, after):
    to, a, k, b, *e = m.names(text)
    mask = _mask(b + 32, e[0] + 32) if e else _mask(b, 63 - k)

    def step(m):
        v = _left(_twice(m.g[a]) if e else m.g[a], k)
        m.g[to] = OR(AND(m.g[to], M64 ^ mask, 64), AND(v, mask, 64), 64)
    return step


def _shift(name, kind, n):
    def of(m, a, b):
        k, v = m.plain(m.g[b]) & (2 * n - 1), low(m.g[a], n)
        return wide(shifted(kind, v, k, n)) if k < n else 0
    general(name)(of)


_shift("sld", "shl", 64)
_shift("srd", "shr", 64)
_shift("slw", "shl", 32)
_shift("srw", "shr", 32)


def _algebraic(name, n):
    """To the right with the sign; the carry is whether ones fall out of a negative number."""
    def of(m, a, k):
        v = low(m.g[a], n)
        if isinstance(v, int):
            m.ca = int(v >> n - 1 and v & ((1 << k) - 1) != 0)
        else:
            m.ca = "of data"
        return signed(shifted("sar", v, k, n), n, 64)
    general(name)(of)


_algebraic("sradi", 64)
_algebraic("srawi", 32)


# ---------------------------------------------------------------- comparisons

def _compares(name, n, is_signed, with_number):
    @row(name)
    def make(m, _, text, at, after):
        ops = m.names(text)
        field = ops.pop(0) if len(ops) > 2 else 0
        a, b = ops

        def step(m):
            y = b & ((1 << n) - 1) if with_number else low(m.g[b], n)
            m.compare(field, low(m.g[a], n), y, n, is_signed)
        return step


for _n, _c in ((64, "d"), (32, "w")):
    _compares("cmp" + _c, _n, True, False)
    _compares(f"cmp{_c}i", _n, True, True)
    _compares("cmpl" + _c, _n, False, False)
    _compares(f"cmpl{_c}i", _n, False, True)

BITS = {"lt": (0, 1), "gt": (1, 1), "eq": (2, 1), "so": (3, 1), "ge": (0, 0), "le": (1, 0), "ne": (2, 0), "ns": (3, 0)}


def _which(text):
    """4*cr7+gt, or gt: field, bit."""
    found = re.fullmatch(r"(?:4\*cr(\d)\+)?(lt|gt|eq|so)", text)
    return int(found[1] or 0), BITS[found[2]][0]


@row("isel", "iseleq", "iselgt", "isellt")
def _isel(m, name, text, at, after):
    names = text.split(",")
    field, k = _which(names.pop() if name == "isel" else name[4:])
    to, a, b = m.names(",".join(names))

    def step(m):
        m.g[to] = m.base(a) if m.bit(field, k) else m.g[b]
    return step


@row("mfcr", "mfocrf")
def _mfcr(m, name, text, at, after):
    to, *mask = m.names(text)
    wanted = [i for i in range(8) if not mask or mask[0] >> 7 - i & 1]

    def step(m):
        fields = [m.cr[i] if i in wanted else 0 for i in range(7, -1, -1)]
        if any(isinstance(f, tuple) for f in fields):
            raise Missing("a comparison of data in a general register")
        m.g[to] = number(d.concat([bits(f, 4) for f in fields] + [const(32, 0)]))
    return step


@row("mtcr", "mtcrf", "mtocrf")
def _mtcr(m, name, text, at, after):
    *mask, source = m.names(text)
    wanted = [i for i in range(8) if not mask or mask[0] >> 7 - i & 1]

    def step(m):
        for i in wanted:
            m.cr[i] = low(shifted("shr", m.g[source], 28 - 4 * i, 64), 4)
    return step


@row("crclr", "crset")
def _crclr(m, name, text, at, after):
    field, k = _which(text)
    bit = 8 >> k

    def step(m):
        old = m.cr[field]
        if isinstance(old, tuple):
            raise Missing("a comparison of data, of which a bit is replaced")
        m.cr[field] = OR(old, bit, 4) if name == "crset" else AND(old, 15 - bit, 4)
    return step


@row("mcrf")
def _mcrf(m, name, text, at, after):
    to, source = m.names(text)

    def step(m):
        m.cr[to] = m.cr[source]
    return step


# ---------------------------------------------------------------- where to go on

@row("b", "bl")
def _jump(m, name, text, at, after):
    target = int(text, 16)

    def step(m):
        if name == "bl":
            m.lr = after
        return target
    return step


@row("blr", "bctr", "bctrl")
def _jump_register(m, name, text, at, after):
    def step(m):
        to = m.plain(m.lr if name == "blr" else m.ctr)
        if name == "bctrl":
            m.lr = after
        return to
    return step


@row("bcl")
def _bcl(m, name, text, at, after):
    if not text.startswith("20,") or int(text.split(",")[-1], 16) != after:
        raise Missing("bcl but for the address of the next")

    def step(m):
        m.lr = after
    return step


@row("bdnz", "bdz")
def _bdnz(m, name, text, at, after):
    target = int(text, 16)

    def step(m):
        m.ctr = m.plain(m.ctr) - 1 & M64
        return target if (m.ctr == 0) == (name == "bdz") else after
    return step


def _branch(bit, value, to_lr):
    def make(m, _, text, at, after):
        names = text.split(",") if text else []
        field = int(names.pop(0)[2:]) if names and names[0].startswith("cr") else 0
        target = None if to_lr else int(names[0], 16)

        def step(m):
            if m.bit(field, bit) != value:
                return after
            return m.plain(m.lr) if to_lr else target
        return step
    return make


for _name, (_k, _value) in BITS.items():
    for _hint in ("", "+", "-"):
        ROWS["b" + _name + _hint] = _branch(_k, _value, False)
        ROWS["b" + _name + "lr" + _hint] = _branch(_k, _value, True)


@row("nop", "dcbt", "dcbtst")
def _nop(m, *_):
    return lambda m: None


@row("mtctr", "mtlr", "mfctr", "mflr")
def _special(m, name, text, at, after):
    i, = m.names(text)
    special = name[2:]

    def step(m):
        if name[1] == "t":
            setattr(m, special, m.g[i])
        else:
            m.g[i] = getattr(m, special)
    return step


# ---------------------------------------------------------------- loads and stores

def address(text, m):
    """16(r3), or r4,r3 (of which 0 is 0): a function that gives the address, and the register that an update sets."""
    if text.endswith(")"):
        offset, base = m.names(text)
        return lambda m: m.plain(m.base(base)) + offset & M64, base
    index, base = text.split(",")
    a, b = m.names(text)
    if index[0] != "r":
        return lambda m: m.plain(m.g[b]) + a & M64, None
    return lambda m: m.plain(m.base(a)) + m.plain(m.g[b]) & M64, a


def _reversed(v, n):
    if isinstance(v, int):
        return int.from_bytes(v.to_bytes(n, "little"), "big")
    return d.shuffle([v], tuple(range(n - 1, -1, -1)))


def _load(n, is_signed=False, turns=False, updates=False):
    def make(m, _, text, at, after):
        to, rest = text.split(",", 1)
        to, (where, base) = int(to[1:]), address(rest, m)

        def step(m):
            a = where(m)
            v = m.load(a, n)
            if turns:
                v = _reversed(v, n)
            m.g[to] = signed(v, 8 * n, 64) if is_signed else wide(v)
            if updates:
                m.g[base] = a
        return step
    return make


def _store(n, turns=False, updates=False):
    def make(m, _, text, at, after):
        source, rest = text.split(",", 1)
        source, (where, base) = int(source[1:]), address(rest, m)

        def step(m):
            a, v = where(m), low(m.g[source], 8 * n)
            m.store(a, n, _reversed(v, n) if turns else v)
            if updates:
                m.g[base] = a
        return step
    return make


for _c, _n in (("b", 1), ("h", 2), ("w", 4), ("d", 8)):
    _z = "" if _n == 8 else "z"
    for _x in ("", "x"):
        ROWS[f"l{_c}{_z}{_x}"], ROWS[f"st{_c}{_x}"] = _load(_n), _store(_n)
        ROWS[f"l{_c}{_z}u{_x}"], ROWS[f"st{_c}u{_x}"] = _load(_n, updates=True), _store(_n, updates=True)
    if _n > 1:
        ROWS[f"l{_c}brx"], ROWS[f"st{_c}brx"] = _load(_n, turns=True), _store(_n, turns=True)
for _name, _n in (("lwa", 4), ("lwax", 4), ("lha", 2), ("lhax", 2)):
    ROWS[_name] = _load(_n, is_signed=True)
