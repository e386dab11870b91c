# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""x86-64: operands, registers, the System V calling convention. The rows: x86_general.py, and of vectors
x86_vector.py, x86_shuffle.py.

A row makes the step of an instruction: row(machine, mnemonic, operands, address, next) returns a function of the
machine. Rows work on operands that can load and store; nothing here knows of a kernel."""
import re

import domain as d
from domain import Bits, Fault, Missing
from machine import RETURN, Machine
from values import bits, number

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
    PATTERN = re.compile(r"(?:(\w+) (PTR|BCST) )?(?:(\w+):)?(?:\[(.*)\]|(0x[0-9a-f]+))$")

    def __init__(self, text, after):
        match = self.PATTERN.match(text)
        if match is None:
            raise Missing(f"operand {text}")
        size, kind, segment, inside, plain = match.groups()
        self.n, self.broadcast = SIZES.get(size, 0), kind == "BCST"
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
    BRANCHES = r"j(?!mp).*"
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


import x86_general  # noqa: E402,F401  (its rows)
import x86_vector  # noqa: E402,F401  (its rows)
import x86_shuffle  # noqa: E402,F401  (its rows)
