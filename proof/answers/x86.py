# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""x86-64: operands, registers, the System V calling convention, and the general instructions. Vectors: x86_vector.py.

A row makes the step of an instruction: row(machine, mnemonic, operands, address, next) returns a function of the
machine. Rows work on operands that can load and store; nothing here knows of a kernel."""
import re

import domain as d
from domain import Bits, Fault, Missing, const
from machine import RETURN, Machine
from values import add, bits, logic, number, shifted, signed, sub

M64 = (1 << 64) - 1
ROWS = {}


def row(*mnemonics):
    def add(f):
        for m in mnemonics:
            assert m not in ROWS, m
            ROWS[m] = f
        return f
    return add


# ---------------------------------------------------------------- operands

def _registers():
    names = {}
    low8 = "al cl dl bl spl bpl sil dil".split()
    for i, r in enumerate("ax cx dx bx sp bp si di".split()):
        names.update({"r" + r: (i, 64, 0), "e" + r: (i, 32, 0), r: (i, 16, 0), low8[i]: (i, 8, 0)})
    for i, r in enumerate("ah ch dh bh".split()):
        names[r] = (i, 8, 8)
    for i in range(8, 16):
        names.update({f"r{i}": (i, 64, 0), f"r{i}d": (i, 32, 0), f"r{i}w": (i, 16, 0), f"r{i}b": (i, 8, 0)})
    return names


REGISTERS = _registers()
NAMES64 = "rax rcx rdx rbx rsp rbp rsi rdi r8 r9 r10 r11 r12 r13 r14 r15".split()
SIZES = {"BYTE": 8, "WORD": 16, "DWORD": 32, "QWORD": 64, "XMMWORD": 128, "YMMWORD": 256, "ZMMWORD": 512}


class Gpr:
    def __init__(self, name):
        self.i, self.n, self.at = REGISTERS[name]

    def get(self, m):
        v = m.g[self.i]
        if self.n == 64:
            return v
        if isinstance(v, int):
            return v >> self.at & ((1 << self.n) - 1)
        return number(d.part(v, self.at, self.n))

    def set(self, m, value):
        if self.n == 64:
            m.g[self.i] = value
        elif self.n == 32:
            m.g[self.i] = value if isinstance(value, int) else d.extend(value, 64)
        else:
            old, at, n = m.g[self.i], self.at, self.n
            if isinstance(old, int) and isinstance(value, int):
                m.g[self.i] = old & ~(((1 << n) - 1) << at) | value << at
            else:
                old = bits(old, 64)
                parts = [d.part(old, 0, at)] if at else []
                m.g[self.i] = d.concat(parts + [bits(value, n), d.part(old, at + n, 64 - at - n)])


class Imm:
    def __init__(self, value):
        self.value = value

    def get(self, _):
        return self.value


class Mem:
    PATTERN = re.compile(r"(?:(\w+) PTR )?(?:(\w+):)?(?:\[(.*)\]|(0x[0-9a-f]+))$")

    def __init__(self, text, after):
        size, segment, inside, plain = self.PATTERN.match(text).groups()
        self.n = SIZES.get(size, 0)
        self.segment, self.base, self.index, self.scale, self.offset = segment, None, None, 1, 0
        if plain:
            self.offset = int(plain, 16)
            return
        for sign, term in re.findall(r"([+-]?)([^+-]+)", inside):
            if re.match(r"0x|\d", term):
                self.offset += int(term, 0) * (-1 if sign == "-" else 1)
            elif "*" in term:
                name, scale = term.split("*")
                if name not in ("riz", "eiz"):
                    self.index, self.scale = REGISTERS[name][0], int(scale)
            elif term == "rip":
                self.offset += after
            elif self.base is None:
                self.base = REGISTERS[term][0]
            else:
                self.index = REGISTERS[term][0]

    def address(self, m):
        a = self.offset
        if self.base is not None:
            b = m.g[self.base]
            if not isinstance(b, int):
                b = m.plain(b)
            a += b
        if self.index is not None:
            i = m.g[self.index]
            if not isinstance(i, int):
                i = m.plain(i)
            a += i * self.scale
        if self.segment == "fs":
            a += m.FS
        return a & M64

    def get(self, m):
        return m.load(self.address(m), self.n // 8)

    def set(self, m, value):
        m.store(self.address(m), self.n // 8, value)


class Vec:
    """xmm, ymm, zmm: 1, 2 or 4 lanes of 128 bits. mask: the number of its mask register; zeroing: {z}."""
    def __init__(self, kind, i, mask, zeroing):
        self.lanes, self.i, self.mask, self.zeroing = {"x": 1, "y": 2, "z": 4}[kind], i, mask, zeroing
        self.n = 128 * self.lanes


class Mask:
    def __init__(self, i, mask):
        self.i, self.mask, self.n = i, mask, 64


# ---------------------------------------------------------------- the machine

class X86(Machine):
    OBJDUMP = ("objdump", "x86_64-linux-gnu-objdump")
    OPTIONS = ("-M", "intel")
    SECOND = ("llvm-objdump-14", "llvm-objdump")
    ROWS = ROWS
    FS = 0x7e0000000000
    KEPT = (3, 5, 12, 13, 14, 15)  # rbx, rbp, r12 .. r15
    PREFIXES = {"data16", "cs", "ds", "es", "bnd", "notrack", "lock", "{evex}", "rex.W"}

    def __init__(self, library):
        super().__init__(library)
        self.first_g = [d.unknown(("caller", "g", i), 64) for i in range(16)]
        self.first_z = [[d.unknown(("caller", "z", i, k), 128) for k in range(4)] for i in range(32)]
        for r in self.first_g + sum(self.first_z, []):
            self.publish(r)

    def split(self, text):
        text = re.sub(r"\s+#.*$|\s*<[^>]*>", "", text).strip()
        words = text.split(None, 1)
        while words[0] in self.PREFIXES:
            words = words[1].split(None, 1) if len(words) > 1 else ["nop"]
        if words[0] in ("rep", "repz", "repnz"):
            rest = words[1].split(None, 1)
            words = [words[0] + " " + rest[0]] + rest[1:] if rest[0] != "ret" else ["ret"]
        return words[0], words[1].strip() if len(words) > 1 else ""

    def operands(self, text, after):
        out = []
        for t in re.findall(r"[^,\[]*(?:\[[^\]]*\])?[^,\[]*", text):
            t = t.strip()
            if not t:
                continue
            plain, *marks = t.split("{")
            mask = next((int(x[1]) for x in marks if x[0] == "k"), None)
            zeroing = any(x.startswith("z") for x in marks)
            v = re.fullmatch(r"([xyz])mm(\d+)", plain)
            if v:
                out.append(Vec(v[1], int(v[2]), mask, zeroing))
            elif re.fullmatch(r"k[0-7]", plain):
                out.append(Mask(int(plain[1]), mask))
            elif plain in REGISTERS:
                out.append(Gpr(plain))
            elif re.fullmatch(r"-?0x[0-9a-f]+|\d+", plain):
                out.append(Imm(int(plain, 0)))
            elif "[" in plain or ":" in plain:
                o = Mem(plain, after)
                o.mask, o.zeroing = mask, zeroing
                out.append(o)
            else:
                raise Missing(f"operand {t}")
        return out

    def plain(self, value):
        value = number(value)
        if not isinstance(value, int):
            raise Fault("an address depends on data")
        return value

    # -- calls (System V ABI)

    def begin(self, entry, args):
        self.g, self.z = list(self.first_g), [list(z) for z in self.first_z]
        self.k = [0] * 8
        self.flags = None
        sp = (self.stack_top - 8 * max(0, len(args) - 6)) & -16
        for i, value in enumerate(args):
            if i < 6:
                self.g[(7, 6, 2, 1, 8, 9)[i]] = value & M64
            else:
                self.store(sp + 8 * (i - 6), 8, value & M64)
        self.sp = sp
        self.g[4] = sp - 8
        self.store(sp - 8, 8, RETURN)
        return entry

    def result(self):
        return self.g[0]

    def argument(self, i):
        return self.plain(self.g[(7, 6, 2, 1, 8, 9)[i]])

    def leave(self, value):
        self.g[0] = value
        return self.pop()

    def push(self, value):
        self.g[4] -= 8
        self.store(self.g[4], 8, value)

    def pop(self):
        value = self.load(self.g[4], 8)
        self.g[4] += 8
        return value

    def left(self):
        for i in range(16):
            if i not in self.KEPT:
                yield NAMES64[i], self.g[i]
        for i, lanes in enumerate(self.z):
            for k, lane in enumerate(lanes):
                yield f"zmm{i}[{k}]", lane
        for i, k in enumerate(self.k):
            yield f"k{i}", k if isinstance(k, int) else k.bits
        for value in self.flags or ():
            if isinstance(value, Bits):
                yield "flags", value

    def kept(self):
        for i in self.KEPT:
            yield NAMES64[i], self.first_g[i], self.g[i]
        yield "rsp", self.sp, self.g[4]


# ---------------------------------------------------------------- flags: (what made them, result, a, b, bits, carry in)

def _carry(m):
    kind, r, a, b, n, c = m.flags
    if kind == "logic":
        return 0
    if kind in ("carry", "zero", "mul"):
        return c
    if kind == "test":
        return int(m.is_zero(b))
    if not (isinstance(a, int) and isinstance(b, int)):
        if kind == "sub" and b == 0 and c == 0:
            return 0
        raise Fault("a carry depends on data")
    if kind == "add":
        return (a + b + c) >> n & 1
    return int(a < b + c)  # sub


def _zero(m):
    kind, r, a, b, n, c = m.flags
    if kind == "zero":
        return r
    if kind == "test":
        return int(m.is_zero(a))
    if isinstance(r, int):
        return int(r == 0)
    return int(m.is_zero(r))


def _sign(m):
    kind, r, a, b, n, c = m.flags
    if not isinstance(r, int):
        return m.plain(d.part(r, n - 1, 1))
    return r >> (n - 1) & 1


def _overflow(m):
    kind, r, a, b, n, c = m.flags
    if kind == "logic" or kind == "test":
        return 0
    if kind in ("inc", "dec") or not all(isinstance(x, int) for x in (a, b, r)):
        raise Missing("this overflow flag")
    sa, sb, sr = a >> n - 1 & 1, b >> n - 1 & 1, r >> n - 1 & 1
    if kind == "add":
        return int(sa == sb != sr)
    if kind == "sub":
        return int(sa != sb and sr != sa)
    raise Missing("this overflow flag")


def _parity(m):
    r = m.flags[1]
    if not isinstance(r, int):
        raise Fault("parity depends on data")
    return int(bin(r & 255).count("1") % 2 == 0)


CONDITIONS = {
    "e": _zero, "ne": lambda m: 1 - _zero(m), "b": _carry, "ae": lambda m: 1 - _carry(m),
    "be": lambda m: _carry(m) | _zero(m), "a": lambda m: 1 - (_carry(m) | _zero(m)),
    "s": _sign, "ns": lambda m: 1 - _sign(m), "l": lambda m: _sign(m) ^ _overflow(m),
    "ge": lambda m: 1 - (_sign(m) ^ _overflow(m)), "le": lambda m: _zero(m) | (_sign(m) ^ _overflow(m)),
    "g": lambda m: 1 - (_zero(m) | (_sign(m) ^ _overflow(m))), "o": _overflow, "no": lambda m: 1 - _overflow(m),
    "p": _parity, "np": lambda m: 1 - _parity(m),
}


@row("mov", "movabs")
def _mov(m, _, text, at, after):
    to, source = m.operands(text, after)
    n = to.n
    if isinstance(source, Imm):
        source.value &= (1 << n) - 1
    if isinstance(to, Gpr) and isinstance(source, Gpr) and n == 64:
        i, j = to.i, source.i

        def step(m):
            m.g[i] = m.g[j]
        return step
    return lambda m: to.set(m, source.get(m))


def _unsigned(value):
    return value


@row("movzx")
def _movzx(m, _, text, at, after):
    to, source = m.operands(text, after)
    n = to.n

    def step(m):
        v = source.get(m)
        to.set(m, v if isinstance(v, int) else d.extend(v, n))
    return step


@row("movsx", "movsxd")
def _movsx(m, _, text, at, after):
    to, source = m.operands(text, after)
    return lambda m: to.set(m, signed(source.get(m), source.n, to.n))


@row("cdqe", "cdq", "cqo")
def _cdqe(m, name, *_):
    def step(m):
        if name == "cdqe":
            m.g[0] = signed(Gpr("eax").get(m), 32, 64)
        else:
            n = 32 if name == "cdq" else 64
            v = m.plain(m.g[0])
            m.g[2] = (1 << n) - 1 if v >> n - 1 & 1 else 0
    return step


@row("lea")
def _lea(m, _, text, at, after):
    to, source = m.operands(text, after)
    n = to.n

    def step(m):
        parts = []
        if source.base is not None:
            parts.append(m.g[source.base])
        if source.index is not None:
            parts.append(shifted("shl", m.g[source.index], source.scale.bit_length() - 1, 64))
        value = source.offset & M64
        for p in parts:
            value = add(value, p, 64)
        to.set(m, value & ((1 << n) - 1) if isinstance(value, int) else d.part(value, 0, n))
    return step


@row("push")
def _push(m, _, text, at, after):
    source, = m.operands(text, after)
    return lambda m: m.push(source.get(m) & M64 if isinstance(source, Imm) else source.get(m))


@row("pop")
def _pop(m, _, text, at, after):
    to, = m.operands(text, after)
    return lambda m: to.set(m, m.pop())


@row("leave")
def _leave(m, *_):
    def step(m):
        m.g[4] = m.plain(m.g[5])
        m.g[5] = m.pop()
    return step


@row("call", "jmp")
def _jump(m, name, text, at, after):
    target = int(text, 16) if re.fullmatch(r"[0-9a-f]+", text) else m.operands(text, after)[0]

    def step(m):
        to = target if isinstance(target, int) else m.plain(target.get(m))
        if name == "call":
            m.push(after)
        return to
    return step


@row("ret")
def _ret(m, *_):
    return lambda m: m.plain(m.pop())


@row("nop", "endbr64", "prefetcht0", "prefetcht1", "prefetcht2", "prefetchnta")
def _nop(m, *_):
    return lambda m: None


def _branch(cond):
    def make(m, _, text, at, after):
        target = int(text, 16)
        return lambda m: target if cond(m) else after
    return make


def _set(cond):
    def make(m, _, text, at, after):
        to, = m.operands(text, after)
        return lambda m: to.set(m, cond(m))
    return make


def _cmov(cond):
    def make(m, _, text, at, after):
        to, source = m.operands(text, after)

        def step(m):
            value = source.get(m)
            to.set(m, value if cond(m) else to.get(m))
        return step
    return make


for _name, _cond in CONDITIONS.items():
    ROWS["j" + _name], ROWS["set" + _name], ROWS["cmov" + _name] = _branch(_cond), _set(_cond), _cmov(_cond)


@row("add", "sub", "cmp", "adc", "sbb")
def _add(m, name, text, at, after):
    to, source = m.operands(text, after)
    n = to.n
    kind = "add" if name in ("add", "adc") else "sub"
    how = add if kind == "add" else sub
    if isinstance(source, Imm):
        source.value &= (1 << n) - 1
    carries = name in ("adc", "sbb")

    def step(m):
        a, b = to.get(m), source.get(m)
        c = _carry(m) if carries else 0
        if isinstance(a, int) and isinstance(b, int):
            r = (a + b + c if kind == "add" else a - b - c) & ((1 << n) - 1)
        else:
            if isinstance(b, int) and name == "cmp":  # equal to a number? that is the sum without carries
                r = number(d.xor(a, const(n, b)))
            else:
                r = how(how(a, b, n), c, n)
        m.flags = (kind, r, a, b, n, c)
        if name != "cmp":
            to.set(m, r)
    return step


@row("and", "or", "xor", "test")
def _logic(m, name, text, at, after):
    to, source = m.operands(text, after)
    n = to.n
    f = logic("and" if name == "test" else name)
    if isinstance(source, Imm):
        source.value &= (1 << n) - 1
    if name == "xor" and isinstance(to, Gpr) and isinstance(source, Gpr) and (to.i, to.at) == (source.i, source.at):
        f = lambda a, b, n: 0

    def step(m):
        r = f(to.get(m), source.get(m), n)
        m.flags = ("logic", r, 0, 0, n, 0)
        if name != "test":
            to.set(m, r)
    return step


@row("not")
def _not(m, _, text, at, after):
    to, = m.operands(text, after)
    n = to.n
    f = logic("xor")
    return lambda m: to.set(m, f(to.get(m), (1 << n) - 1, n))


@row("neg")
def _neg(m, _, text, at, after):
    to, = m.operands(text, after)
    n = to.n

    def step(m):
        a = to.get(m)
        r = sub(0, a, n)
        m.flags = ("sub", r, 0, a, n, 0)
        to.set(m, r)
    return step


@row("inc", "dec")
def _inc(m, name, text, at, after):
    to, = m.operands(text, after)
    n, one = to.n, 1 if name == "inc" else -1

    def step(m):
        c = _carry(m) if m.flags else 0
        r = (m.plain(to.get(m)) + one) & ((1 << n) - 1)
        m.flags = ("carry", r, 0, 0, n, c)
        to.set(m, r)
    return step


@row("shl", "shr", "sar")
def _shift(m, name, text, at, after):
    ops = m.operands(text, after)
    to, count = ops[0], ops[1] if len(ops) > 1 else Imm(1)
    n = to.n

    def step(m):
        k = m.plain(count.get(m)) & (63 if n == 64 else 31)
        a = to.get(m)
        r = shifted(name, a, k, n)
        to.set(m, r)
        if k:
            c = 0
            if isinstance(a, int):
                c = a >> n - k & 1 if name == "shl" else a >> k - 1 & 1
            m.flags = ("carry", r, 0, 0, n, c)
    return step


@row("rol", "ror")
def _rotate(m, name, text, at, after):
    to, count = m.operands(text, after)
    n = to.n

    def step(m):
        k = m.plain(count.get(m)) % n
        k = n - k if name == "ror" else k
        a = to.get(m)
        if isinstance(a, int):
            to.set(m, (a << k | a >> n - k) & ((1 << n) - 1))
        else:
            to.set(m, d.concat([d.part(a, n - k, k), d.part(a, 0, n - k)]) if k else a)
    return step


@row("shld", "shrd")
def _shld(m, name, text, at, after):
    to, source, count = m.operands(text, after)
    n = to.n

    def step(m):
        k = m.plain(count.get(m)) & (63 if n == 64 else 31)
        if k:
            a, b = to.get(m), source.get(m)
            there, back = ("shl", "shr") if name == "shld" else ("shr", "shl")
            r = logic("or")(shifted(there, a, k, n), shifted(back, b, n - k, n), n)
            to.set(m, r)
            c = 0
            if isinstance(a, int):
                c = a >> n - k & 1 if name == "shld" else a >> k - 1 & 1
            m.flags = ("carry", r, 0, 0, n, c)
    return step


@row("shlx", "shrx", "sarx")
def _shlx(m, name, text, at, after):
    to, source, count = m.operands(text, after)
    n = to.n
    return lambda m: to.set(m, shifted(name[:3], source.get(m), m.plain(count.get(m)) & (63 if n == 64 else 31), n))


@row("bzhi")
def _bzhi(m, _, text, at, after):
    to, source, count = m.operands(text, after)
    n = to.n

    def step(m):
        k = m.plain(count.get(m)) & 255
        r = logic("and")(source.get(m), (1 << min(k, n)) - 1, n)
        m.flags = ("carry", r, 0, 0, n, int(k >= n))
        to.set(m, r)
    return step


@row("bt", "bts", "btr")
def _bt(m, name, text, at, after):
    to, count = m.operands(text, after)
    n = to.n

    def step(m):
        k, a = m.plain(count.get(m)) % n, to.get(m)
        zero = _zero(m) if m.flags and isinstance(m.flags[1], int) else 0
        c = m.plain(number(d.part(bits(a, n), k, 1)))
        m.flags = ("zero", zero, 0, 0, n, c)
        if name != "bt":
            to.set(m, logic("or")(a, 1 << k, n) if name == "bts" else logic("and")(a, ~(1 << k), n))
    return step


@row("bswap")
def _bswap(m, _, text, at, after):
    to, = m.operands(text, after)
    n = to.n // 8
    table = tuple(range(n - 1, -1, -1))

    def step(m):
        v = to.get(m)
        to.set(m, int.from_bytes(v.to_bytes(n, "little"), "big") if isinstance(v, int) else d.shuffle([v], table))
    return step


@row("imul", "mul")
def _mul(m, name, text, at, after):
    ops = m.operands(text, after)
    n = ops[0].n

    def step(m):
        if len(ops) == 1:
            a, b = m.plain(Gpr({64: "rax", 32: "eax"}[n]).get(m)), m.plain(ops[0].get(m))
            if name == "imul":
                raise Missing("imul with one operand")
            r = a * b
            Gpr({64: "rax", 32: "eax"}[n]).set(m, r & ((1 << n) - 1))
            Gpr({64: "rdx", 32: "edx"}[n]).set(m, r >> n)
            over = int(r >> n != 0)
        else:
            a, b = m.plain(ops[-2].get(m)), m.plain(ops[-1].get(m))
            full = _number_signed(a, n) * _number_signed(b, n)
            r = full & ((1 << n) - 1)
            over = int(_number_signed(r, n) != full)
            ops[0].set(m, r)
        m.flags = ("mul", r, 0, 0, n, over)
    return step


def _number_signed(a, n):
    a &= (1 << n) - 1
    return a - (1 << n) if a >> n - 1 else a


@row("div")
def _div(m, _, text, at, after):
    by, = m.operands(text, after)
    n = by.n

    def step(m):
        low, high = Gpr({64: "rax", 32: "eax"}[n]), Gpr({64: "rdx", 32: "edx"}[n])
        a, b = m.plain(high.get(m)) << n | m.plain(low.get(m)), m.plain(by.get(m))
        low.set(m, a // b)
        high.set(m, a % b)
    return step


@row("xchg")
def _xchg(m, _, text, at, after):
    a, b = m.operands(text, after)

    def step(m):
        x, y = a.get(m), b.get(m)
        a.set(m, y)
        b.set(m, x)
    return step


@row("rep stos")
def _rep_stos(m, _, text, at, after):
    n = {"BYTE": 1, "WORD": 2, "DWORD": 4, "QWORD": 8}[text.split()[0]]

    def step(m):
        value = Gpr({1: "al", 2: "ax", 4: "eax", 8: "rax"}[n]).get(m)
        while m.plain(m.g[1]):
            m.store(m.plain(m.g[7]), n, value)
            m.g[7] += n
            m.g[1] -= 1
    return step


import x86_vector  # noqa: E402,F401  (its rows)
