# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""x86-64: the rows of the general instructions: moves, where to go on, sums and logic."""
import re

import domain as d
from domain import Missing, const
from values import add, bits, logic, number, shifted, signed, sub
from x86 import CONDITIONS, M64, ROWS, Gpr, Imm, _carry, _zero, row


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


@row("mulx")
def _mulx(m, _, text, at, after):
    high, low, source = m.operands(text, after)
    n = high.n

    def step(m):
        a, b = m.plain(m.g[2]) & ((1 << n) - 1), m.plain(source.get(m))
        low.set(m, a * b & ((1 << n) - 1))
        high.set(m, a * b >> n)
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
