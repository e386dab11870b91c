# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""AArch64: operands, registers, the calling convention of the AAPCS64, and the general instructions. Vectors:
arm_vector.py."""
import re

import domain as d
from domain import Bits, Fault, Missing, const
from machine import RETURN, Machine
from values import add, bits, logic, number, rotated, shifted, signed, sub

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


# ---------------------------------------------------------------- sums and logic

def _three(m, text, after):
    """Target, a, b; the width is the target's."""
    ops = m.operands(text, after)
    return ops[0], ops[1], ops[2], ops[0].n


@row("add", "sub", "adds", "subs")
def _add(m, name, text, at, after):
    to, a, b, n = _three(m, text, after)
    if isinstance(to, Vec):
        return vector("add" if name == "add" else "sub", to, a, b)
    if name[3:]:
        return lambda m: to.set(m, _compare(m, name, a.get(m), b.modified(m, n), n))
    how = add if name == "add" else sub

    def step(m):
        x, y = a.get(m), b.modified(m, n)
        if not isinstance(x, int) and not isinstance(y, int) and name == "sub" and x.v == y.v:
            to.set(m, 0)
        else:
            to.set(m, how(x, y, n))
    return step


@row("adc", "sbc", "adcs", "sbcs")
def _adc(m, name, text, at, after):
    to, a, b, n = _three(m, text, after)

    def step(m):
        old = m.flags
        r = _compare(m, name[:3] + "s", a.get(m), b.modified(m, n), n, _carry(m))
        if not name[3:]:
            m.flags = old
        to.set(m, r)
    return step


@row("cmp", "cmn")
def _cmp(m, name, text, at, after):
    a, b = m.operands(text, after)
    n = a.n

    def step(m):
        _compare(m, name, a.get(m), b.modified(m, n), n)
    return step


@row("ccmp", "ccmn")
def _ccmp(m, name, text, at, after):
    a, b, nzcv, code = m.operands(text, after)
    n, cond = a.n, CONDITIONS[code]

    def step(m):
        if cond(m):
            _compare(m, name[1:], a.get(m), b.modified(m, n), n)
        else:
            m.flags = ("known", nzcv.value, 0, 0, n, 0)
    return step


_AND, _OR, _XOR = logic("and"), logic("or"), logic("xor")


def _not(v, n):
    return _XOR(v, (1 << n) - 1, n)


@row("and", "orr", "eor", "bic", "orn", "eon", "ands", "bics")
def _logic(m, name, text, at, after):
    to, a, b, n = _three(m, text, after)
    if isinstance(to, Vec):
        return vector(name, to, a, b)
    f = {"an": _AND, "bi": _AND, "or": _OR, "eo": _XOR}[name[:2]]
    inverts, sets = name in ("bic", "orn", "eon", "bics"), name in ("ands", "bics")

    def step(m):
        x, y = a.get(m), b.modified(m, n)
        r = f(x, _not(y, n) if inverts else y, n)
        if name == "eor" and not isinstance(x, int) and not isinstance(y, int) and x.v == y.v:
            r = 0
        if sets:
            m.flags = ("logic", r, 0, 0, n, 0)
        to.set(m, r)
    return step


@row("tst")
def _tst(m, _, text, at, after):
    a, b = m.operands(text, after)
    n = a.n

    def step(m):
        m.flags = ("logic", _AND(a.get(m), b.modified(m, n), n), 0, 0, n, 0)
    return step


@row("neg", "mvn", "negs")
def _neg(m, name, text, at, after):
    to, a = m.operands(text, after)
    n = to.n
    if isinstance(to, Vec):
        return vector(name, to, a, a)
    if name == "mvn":
        return lambda m: to.set(m, _not(a.modified(m, n), n))
    if name == "negs":
        return lambda m: to.set(m, _compare(m, name, 0, a.modified(m, n), n))
    return lambda m: to.set(m, sub(0, a.modified(m, n), n))


@row("mov")
def _mov(m, _, text, at, after):
    to, source = m.operands(text, after)
    if isinstance(to, Vec) or isinstance(source, Vec):
        return vector_mov(to, source)
    n = to.n
    if isinstance(source, Imm):
        source.value &= (1 << n) - 1
    return lambda m: to.set(m, source.get(m))


@row("movk")
def _movk(m, _, text, at, after):
    to, source = m.operands(text, after)
    k = source.by
    return lambda m: to.set(m, m.plain(to.get(m)) & ~(0xffff << k) | source.value << k)


@row("lsl", "lsr", "asr", "ror")
def _shift(m, name, text, at, after):
    to, a, count, n = _three(m, text, after)

    def step(m):
        k, v = m.plain(count.get(m)) % n, a.get(m)
        to.set(m, rotated(v, k, n) if name == "ror" else shifted(SHIFTS[name], v, k, n))
    return step


@row("extr")
def _extr(m, _, text, at, after):
    to, high, low, k = m.operands(text, after)
    n, k = to.n, k.value

    def step(m):
        x, y = high.get(m), low.get(m)
        to.set(m, _OR(shifted("shr", y, k, n), shifted("shl", x, n - k, n), n) if k else y)
    return step


@row("ubfx", "sbfx", "ubfiz", "sbfiz", "bfi", "bfxil")
def _field(m, name, text, at, after):
    to, a, at_, width = m.operands(text, after)
    n, k, w = to.n, at_.value, width.value
    takes = name in ("ubfx", "sbfx", "bfxil")

    def step(m):
        v = a.get(m)
        if takes:
            v = shifted("shr", v, k, n)
        v = v & ((1 << w) - 1) if isinstance(v, int) else number(d.part(v, 0, w))
        if name[0] == "s":
            v = signed(v, w, n)
        elif not isinstance(v, int):
            v = d.extend(v, n)
        if not takes:
            v = shifted("shl", v, k, n)
        if name[0] == "b":
            mask = (1 << w) - 1 << (0 if takes else k)
            v = _OR(_AND(to.get(m), ~mask & ((1 << n) - 1), n), v, n)
        to.set(m, v)
    return step


@row("sxtb", "sxth", "sxtw", "uxtb", "uxth", "uxtw")
def _extend(m, name, text, at, after):
    to, a = m.operands(text, after)
    n, wide = a.n, to.n
    return lambda m: to.set(m, extended(a.get(m), n, name, wide))


@row("rev", "rev16", "rev32")
def _rev(m, name, text, at, after):
    to, a = m.operands(text, after)
    if isinstance(to, Vec):
        return vector_rev(to, a, int(name[3:]))
    n, each = to.n // 8, (int(name[3:]) if name[3:] else to.n) // 8
    table = tuple(i + each - 1 - j for i in range(0, n, each) for j in range(each))

    def step(m):
        v = a.get(m)
        if isinstance(v, int):
            old = v.to_bytes(n, "little")
            to.set(m, int.from_bytes(bytes(old[i] for i in table), "little"))
        else:
            to.set(m, d.shuffle([v], table))
    return step


@row("clz", "rbit")
def _clz(m, name, text, at, after):
    to, a = m.operands(text, after)
    n = to.n

    def step(m):
        v = m.plain(a.get(m))
        to.set(m, n - v.bit_length() if name == "clz" else int(f"{v:0{n}b}"[::-1], 2))
    return step


def _number_signed(a, n):
    return a - (1 << n) if a >> n - 1 else a


@row("mul", "mneg", "madd", "msub", "umull", "smull", "umaddl", "smaddl", "umulh", "smulh", "udiv", "sdiv")
def _mul(m, name, text, at, after):
    to, a, b, *more = m.operands(text, after)
    n, narrow = to.n, a.n
    is_signed = name[0] == "s"

    def step(m):
        x, y = m.plain(a.get(m)), m.plain(b.get(m))
        if is_signed:
            x, y = _number_signed(x, narrow), _number_signed(y, narrow)
        if name.endswith("div"):
            r = 0 if y == 0 else abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
        elif name.endswith("h"):
            r = x * y >> 64
        else:
            r = x * y
        if more:
            r = m.plain(more[0].get(m)) + (-r if name == "msub" else r)
        elif name == "mneg":
            r = -r
        to.set(m, r & ((1 << n) - 1))
    return step


# ---------------------------------------------------------------- where to go on

@row("b", "bl")
def _jump(m, name, text, at, after):
    target = int(text, 16)
    if name == "b":
        return lambda m: target

    def step(m):
        m.g[30] = after
        return target
    return step


@row("br", "blr", "ret")
def _jump_register(m, name, text, at, after):
    i = m.register(text).i if text else 30

    def step(m):
        to = m.plain(m.g[i])
        if name == "blr":
            m.g[30] = after
        return to
    return step


def _branch(cond):
    def make(m, _, text, at, after):
        target = int(text, 16)
        return lambda m: target if cond(m) else after
    return make


for _name, _cond in CONDITIONS.items():
    ROWS["b." + _name] = _branch(_cond)


@row("cbz", "cbnz")
def _cbz(m, name, text, at, after):
    a, target = m.operands(text.split(",")[0], after)[0], int(text.split(",")[1], 16)

    def step(m):
        v = a.get(m)
        zero = v == 0 if isinstance(v, int) else m.is_zero(m.maxima.get(v.v, v))
        return target if zero == (name == "cbz") else after
    return step


@row("tbz", "tbnz")
def _tbz(m, name, text, at, after):
    reg, bit, target = (t.strip() for t in text.split(","))
    a, k, target = m.register(reg), int(bit[1:], 0), int(target, 16)

    def step(m):
        v = a.get(m)
        one = m.plain(v if isinstance(v, int) else d.part(v, k, 1)) >> (k if isinstance(v, int) else 0) & 1
        return target if one == (name == "tbnz") else after
    return step


@row("csel", "csinc", "csinv", "csneg")
def _csel(m, name, text, at, after):
    to, a, b, code = m.operands(text, after)
    return _select(to, a, b, code, name)


def _choose(name):
    return {"csel": lambda v, n: v, "csinc": lambda v, n: add(v, 1, n), "csinv": _not,
            "csneg": lambda v, n: sub(0, v, n)}[name]


def _select(to, a, b, code, name):
    cond, n, other = CONDITIONS[code], to.n, _choose(name)
    return lambda m: to.set(m, a.get(m) if cond(m) else other(b.get(m), n))


def _opposite(code):
    return CODES[CODES.index(code) ^ 1]


@row("cset", "csetm")
def _cset(m, name, text, at, after):
    to, code = m.operands(text, after)
    zero = Reg(32, to.n)
    return _select(to, zero, zero, _opposite(code), "csinc" if name == "cset" else "csinv")


@row("cinc", "cinv", "cneg")
def _cinc(m, name, text, at, after):
    to, a, code = m.operands(text, after)
    return _select(to, a, a, _opposite(code), "cs" + name[1:])


@row("nop", "bti", "paciasp", "autiasp", "prfm", "hint")
def _nop(m, *_):
    """CT: a prefetch has an address, too, but none that its row looks at."""
    return lambda m: None


# ---------------------------------------------------------------- addresses, loads and stores

@row("adr", "adrp")
def _adr(m, _, text, at, after):
    reg, target = (t.strip() for t in text.split(","))
    to, value = m.register(reg), int(target, 16)
    return lambda m: to.set(m, value)


def access(op):
    """(bytes, a function that gets, a function that sets) of a register of either kind."""
    if isinstance(op, Reg):
        return op.n // 8, op.get, op.set
    n = op.n

    def get(m):
        return m.v[op.i] if n == 128 else d.part(m.v[op.i], 0, n)

    def put(m, value):
        m.v[op.i] = d.extend(bits(value, n), 128)
    return n // 8, get, put


@row("ldr", "ldur", "str", "stur", "ldp", "stp", "ldnp", "stnp")
def _load(m, name, text, at, after):
    *regs, mem = m.operands(text, after)
    each = [access(r) for r in regs]
    n = each[0][0]
    if name[0] == "l":
        if not isinstance(mem, Mem):
            raise Missing("a load of a literal")

        def load(m):
            a = mem.address(m)
            for k, (_, _, put) in enumerate(each):
                put(m, m.load(a + n * k & M64, n))
        return load

    def store(m):
        values = [get(m) for _, get, _ in each]
        a = mem.address(m)
        for k, v in enumerate(values):
            m.store(a + n * k & M64, n, v)
    return store


@row("ldrb", "ldurb", "ldrh", "ldurh", "ldrsb", "ldrsh", "ldrsw", "ldursb", "ldursh", "ldursw", "strb", "sturb", "strh",
     "sturh")
def _load_small(m, name, text, at, after):
    reg, mem = m.operands(text, after)
    size = {"b": 8, "h": 16, "w": 32}[name[-1]]
    is_signed = name[-2] == "s" and name[0] == "l"

    def load(m):
        v = m.load(mem.address(m), size // 8)
        reg.set(m, signed(v, size, reg.n) if is_signed else v)

    def store(m):
        v = reg.get(m)
        m.store(mem.address(m), size // 8, v & ((1 << size) - 1) if isinstance(v, int) else d.part(v, 0, size))
    return load if name[0] == "l" else store


from arm_vector import vector, vector_mov, vector_rev  # noqa: E402  (its rows, too)
