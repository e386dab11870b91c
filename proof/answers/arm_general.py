# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""AArch64: the rows of the general instructions: sums and logic, where to go on, loads and stores."""
import domain as d
from arm import CODES, CONDITIONS, M64, ROWS, SHIFTS, Imm, Mem, Reg, Vec, _carry, _compare, extended, row
from arm_vector import vector, vector_mov, vector_rev
from domain import Missing
from values import add, bits, logic, number, rotated, shifted, signed, sub

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
