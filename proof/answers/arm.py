# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""AArch64: operands, registers, the calling convention of the AAPCS64. The rows: arm_general.py,
arm_vector.py."""
import re

import domain as d
from domain import Bits, Fault, Missing, const
from machine import RETURN, Machine
from values import add, number, rotated, shifted, signed, sub

M64 = (1 << 64) - 1
ROWS = {}


def row(*mnemonics):
    def register(f):
        for m in mnemonics:
            assert m not in ROWS, m
            ROWS[m] = f
        return f
    return register


# ---------------------------------------------------------------- operands

class Reg:
    """A general register, of 64 or 32 bits; number 31 is sp, number 32 is zero. A shift or an extension may follow."""

    def __init__(self, i, n):
        self.i, self.n, self.how, self.by = i, n, None, 0

    def get(self, m):
        if self.i == 32:
            return 0
        v = m.g[self.i]
        if self.n == 32:
            v = v & 0xffffffff if isinstance(v, int) else number(d.part(v, 0, 32))
        return v

    def set(self, m, value):
        if self.i < 32:
            m.g[self.i] = value if isinstance(value, int) else d.extend(value, 64)

    def modified(self, m, n):
        """Shifted or extended, to n bits."""
        v = self.get(m)
        if self.how is None:
            return v
        if self.how in SHIFTS:
            return rotated(v, self.by, n) if self.how == "ror" else shifted(SHIFTS[self.how], v, self.by, n)
        v = extended(v, self.n, self.how, n)
        return shifted("shl", v, self.by, n) if self.by else v


SHIFTS = {"lsl": "shl", "lsr": "shr", "asr": "sar", "ror": "ror"}


def extended(v, n, how, wide):
    """uxtb, sxtw and their like, of a value of n bits."""
    size = min({"b": 8, "h": 16, "w": 32, "x": 64}[how[3]], wide)
    if isinstance(v, int):
        v &= (1 << size) - 1
    else:
        v = number(d.part(v, 0, min(size, v.n)))
    if how[0] == "s":
        v = signed(v, size, wide)
    return v if isinstance(v, int) else d.extend(v, wide)


class Imm:
    """A number; a shift to the left may follow."""

    def __init__(self, value):
        self.value, self.how, self.by = value, None, 0

    def get(self, _):
        return self.value

    def modified(self, _, n):
        return self.value << self.by & ((1 << n) - 1)


class Mem:
    """[base], [base, #n], [base, index, how], with ! (before), or with a number behind it (after)."""

    def __init__(self, base, index, offset, before):
        self.base, self.index, self.offset, self.before, self.after = base, index, offset, before, None

    def address(self, m):
        a = m.plain(m.g[self.base]) + self.offset
        if self.index is not None:
            a += m.plain(self.index.modified(m, 64))
        a &= M64
        if self.before:
            m.g[self.base] = a
        elif self.after is not None:
            m.g[self.base] = a + self.after & M64
        return a


class Vec:
    """v3.16b: n bits in elements of `each`; v3.s[1]: that element alone; d3: so many bits of it, and no element."""

    def __init__(self, i, n, each, index=None):
        self.i, self.n, self.each, self.index = i, n, each, index


SIZES = {"b": 8, "h": 16, "s": 32, "d": 64, "q": 128}
CODES = "eq ne cs cc mi pl vs vc hi ls ge lt gt le al".split()


class Arm(Machine):
    OBJDUMP = ("aarch64-linux-gnu-objdump", "objdump")
    OPTIONS = ()
    SECOND = ("llvm-objdump-14", "llvm-objdump")
    BRANCHES = r"b\..*|cbn?z|tbn?z"
    ROWS = ROWS
    KEPT = tuple(range(19, 30))

    def __init__(self, library):
        super().__init__(library)
        self.first_g = [d.unknown(("caller", "x", i), 64) for i in range(31)] + [0]
        self.first_v = [d.unknown(("caller", "v", i), 128) for i in range(32)]
        for r in self.first_g + self.first_v:
            self.publish(r)
        self.maxima = {}  # the greatest of some numbers -> those

    def split(self, text):
        text = re.sub(r"\s*//.*$|\s*<[^>]*>", "", text).strip()
        words = text.split(None, 1)
        return words[0], words[1] if len(words) > 1 else ""

    # -- operands

    def operands(self, text, after):
        out = []
        for t in re.findall(r"\[[^\]]*\]!?|\{[^}]*\}|[^,\[{]+(?:\[\d+\])?", text):
            t = t.strip()
            word = t.split()
            if t == "":
                continue
            if word[0] in SHIFTS or re.match(r"[us]xt[bhwx]$", word[0]):
                out[-1].how, out[-1].by = word[0], int(word[1][1:], 0) if len(word) > 1 else 0
            elif out and isinstance(out[-1], Mem) and t[0] == "#":
                out[-1].after = int(t[1:], 0)
            else:
                out.append(self.operand(t))
        return out

    def operand(self, t):
        reg = self.register(t)
        if reg:
            return reg
        if t[0] == "#":
            return Imm(int(t[1:], 0))
        if t[0] == "[":
            return self.memory(t)
        if t in CODES:
            return t
        m = re.fullmatch(r"\{?v(\d+)\.(\d*)([bhsdq])\}?(?:\[(\d+)\])?", t)
        if m:
            each = SIZES[m[3]]
            index = int(m[4]) if m[4] else None
            return Vec(int(m[1]), each * int(m[2]) if m[2] else 128, each, index)
        m = re.fullmatch(r"([bhsdq])(\d+)", t)
        if m:
            return Vec(int(m[2]), SIZES[m[1]], None)
        if re.fullmatch(r"[0-9a-f]+", t):
            return int(t, 16)
        raise Missing(f"operand {t}")

    @staticmethod
    def register(t):
        m = re.fullmatch(r"([xw])(\d+|zr)|(w?sp)", t)
        if not m:
            return None
        if m[3]:
            return Reg(31, 32 if m[3] == "wsp" else 64)
        return Reg(32 if m[2] == "zr" else int(m[2]), 64 if m[1] == "x" else 32)

    def memory(self, t):
        parts = [p.strip() for p in t.strip("[]!").split(",")]
        base, index, offset = self.register(parts[0]).i, None, 0
        if len(parts) > 1:
            if parts[1][0] == "#":
                offset = int(parts[1][1:], 0)
            else:
                index = self.operands(", ".join(parts[1:]), 0)[0]
        return Mem(base, index, offset, t.endswith("!"))

    def plain(self, value):
        value = number(value)
        if not isinstance(value, int):
            raise Fault("an address depends on data")
        return value

    # -- calls

    def begin(self, entry, args):
        self.g, self.v = list(self.first_g), list(self.first_v)
        self.flags = None
        self.maxima.clear()
        self.sp = self.g[31] = self.stack_top - 8 * max(0, len(args) - 8) & -16
        for i, value in enumerate(args):
            if i < 8:
                self.g[i] = value & M64
            else:
                self.store(self.sp + 8 * (i - 8), 8, value & M64)
        self.g[30] = RETURN
        return entry

    def result(self):
        return self.g[0]

    def argument(self, i):
        return self.plain(self.g[i])

    def leave(self, value):
        self.g[0] = value
        return self.plain(self.g[30])

    def left(self):
        for i in range(31):
            if i not in self.KEPT:
                yield f"x{i}", self.g[i]
        for i, v in enumerate(self.v):
            if 8 <= i < 16:
                yield f"v{i}.d[1]", d.part(v, 64, 64)
            else:
                yield f"v{i}", v
        for value in self.flags or ():
            if isinstance(value, Bits):
                yield "flags", value

    def kept(self):
        for i in self.KEPT:
            yield f"x{i}", self.first_g[i], self.g[i]
        yield "sp", self.sp, self.g[31]
        for i in range(8, 16):
            yield f"d{i}", d.part(self.first_v[i], 0, 64), d.part(self.v[i], 0, 64)


# ---------------------------------------------------------------- flags: (what made them, result, a, b, bits, carry in)

def _zero(m):
    kind, r, *_ = m.flags
    if kind == "known":
        return r >> 2 & 1
    if isinstance(r, int):
        return int(r == 0)
    return int(m.is_zero(m.maxima.get(r.v, r)))


def _negative(m):
    kind, r, _, _, n, _ = m.flags
    if kind == "known":
        return r >> 3 & 1
    return r >> n - 1 & 1 if isinstance(r, int) else m.plain(d.part(r, n - 1, 1))


def _carry(m):
    kind, r, a, b, n, c = m.flags
    if kind == "known":
        return r >> 1 & 1
    if kind == "logic":
        return 0
    if not (isinstance(a, int) and isinstance(b, int)):
        raise Fault("a carry depends on data")
    return a + b + c >> n & 1


def _overflow(m):
    kind, r, a, b, n, c = m.flags
    if kind == "known":
        return r & 1
    if kind == "logic":
        return 0
    if not (isinstance(a, int) and isinstance(b, int)):
        raise Fault("an overflow depends on data")
    top = n - 1
    return int(a >> top & 1 == b >> top & 1 != r >> top & 1)


_POSITIVE = {
    "eq": _zero, "cs": _carry, "mi": _negative, "vs": _overflow, "hi": lambda m: _carry(m) & (1 - _zero(m)),
    "ge": lambda m: 1 - (_negative(m) ^ _overflow(m)),
    "gt": lambda m: (1 - _zero(m)) & (1 - (_negative(m) ^ _overflow(m))), "al": lambda m: 1,
}
CONDITIONS = dict(_POSITIVE)
for _name, _other in (("eq", "ne"), ("cs", "cc"), ("mi", "pl"), ("vs", "vc"), ("hi", "ls"), ("ge", "lt"), ("gt", "le")):
    CONDITIONS[_other] = lambda m, f=_POSITIVE[_name]: 1 - f(m)


def _compare(m, name, a, b, n, c=None):
    """Sets flags as a + b, or a - b, which is a + ~b + 1. Returns the result."""
    ones = (1 << n) - 1
    minus = name in ("sub", "subs", "cmp", "sbcs", "negs")
    c = int(minus) if c is None else c
    if isinstance(a, int) and isinstance(b, int):
        b = b ^ ones if minus else b
        r = a + b + c & ones
    elif name == "cmp" and isinstance(b, int):  # equal to a number? that is the sum without carries
        r = a if b == 0 else number(d.xor(a, const(n, b)))
    else:
        r = (sub if minus else add)(a, b, n)
    m.flags = ("sum", r, a, b, n, c)
    return r


import arm_general  # noqa: E402,F401  (its rows)
import arm_vector  # noqa: E402,F401  (its rows)
