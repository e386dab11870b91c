# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""POWER, little-endian (ppc64le): registers, the calling convention of the ELF v2 ABI. The rows:
ppc_general.py, ppc_vector.py."""
import re

import domain as d
from domain import Bits, Fault, Missing
from machine import RETURN, Machine
from values import logic, number

M64 = (1 << 64) - 1
ROWS = {}
AND, OR, XOR = logic("and"), logic("or"), logic("xor")


def row(*mnemonics):
    def register(f):
        for m in mnemonics:
            assert m not in ROWS, m
            ROWS[m] = f
        return f
    return register


def low(v, n):
    """The lowest n bits."""
    return v & ((1 << n) - 1) if isinstance(v, int) else number(d.part(v, 0, n))


def wide(v):
    return v if isinstance(v, int) else d.extend(v, 64)


def number_signed(a, n):
    return a - (1 << n) if a >> n - 1 & 1 else a


class Ppc(Machine):
    """g: general registers. x: vs0 to vs63, as integers: the most significant byte is byte 0 of the manuals. cr: of each
    field an int (lt 8, gt 4, eq 2, so 1), 4 Bits, or ("zero", value): eq is whether value is 0, and nothing else may be
    asked."""
    OBJDUMP = ("powerpc64le-linux-gnu-objdump", "objdump")
    OPTIONS = ()
    SECOND = ("llvm-objdump-14", "llvm-objdump")
    BRANCHES = r"b(?!ctr|lr|cl|ctrl)(?:eq|ne|lt|le|gt|ge|so|ns|un|nu|dn?z)[a-z]*[+-]?"
    ROWS = ROWS
    BELOW = 96  # the header of the caller's frame, and its area of parameters
    KEPT = tuple(range(14, 32))
    KEPT_CR = (2, 3, 4)
    FIRST_CR = (15, 13, 11, 7, 14, 5, 9, 3)  # of the caller: no comparison makes these

    def __init__(self, library):
        super().__init__(library)
        self.first_g = [d.unknown(("caller", "r", i), 64) for i in range(32)]
        self.first_x = [d.unknown(("caller", "vs", i), 128) for i in range(64)]
        self.no_value = d.unknown("undefined", 64)  # what an instruction leaves undefined
        for r in self.first_g + self.first_x + [self.no_value]:
            self.publish(r)
        self.compared = {}  # the bit of "all are equal" -> the difference

    def split(self, text):
        text = re.sub(r"\s*#.*$|\s*<[^>]*>", "", text).strip()
        words = text.split(None, 1)
        return words[0], words[1].strip() if len(words) > 1 else ""

    @staticmethod
    def names(text):
        """r3, 16, v2 .. as numbers; of v2 the number among all 64."""
        out = []
        for t in re.split(r"[,()]", text):
            if t == "":
                continue
            m = re.fullmatch(r"(vs|v|r|f|cr)?(-?\d+)", t)
            if not m:
                raise Missing(f"operand {t}")
            out.append(int(m[2]) + (32 if m[1] == "v" else 0))
        return out

    def plain(self, value):
        value = number(value)
        if not isinstance(value, int):
            raise Fault("an address depends on data")
        return value

    def base(self, i):
        """Of an address or a sum: register 0 is 0."""
        return self.g[i] if i else 0

    # -- fields of the condition register

    def compare(self, field, a, b, n, is_signed):
        if isinstance(a, int) and isinstance(b, int):
            if is_signed:
                a, b = number_signed(a, n), number_signed(b, n)
            self.cr[field] = 8 if a < b else 4 if a > b else 2
        else:
            self.cr[field] = ("zero", XOR(a, b, n))

    def record(self, value):
        self.compare(0, value, 0, 64, True)

    def bit(self, field, k):
        """0: lt, 1: gt, 2: eq, 3: so."""
        v = self.cr[field]
        if isinstance(v, int):
            return v >> 3 - k & 1
        if isinstance(v, Bits):
            return 1 - int(self.is_zero(d.part(v, 3 - k, 1)))
        if k != 2:
            raise Fault("a comparison depends on data")
        return int(v[1] == 0 if isinstance(v[1], int) else self.is_zero(v[1]))

    def verdict_of(self, b):
        """(difference, whether b is 0 if that is 0), if b has the bit of a comparison of vectors and nothing else."""
        fields = {b.v >> i * d.SAMPLES & d.ONES for i in range(b.n)} - {0}
        field = fields.pop() if len(fields) == 1 else None
        for f, sense in ((field, False), (field and field ^ d.ONES, True)):
            if f in self.compared:
                return self.compared[f], sense
        return None

    def is_zero(self, b):
        asked = self.verdict_of(b)
        if asked:
            return super().is_zero(asked[0]) == asked[1]
        return super().is_zero(b)

    # -- calls

    def begin(self, entry, args):
        self.g, self.x = list(self.first_g), list(self.first_x)
        self.cr = list(self.FIRST_CR)
        self.ca, self.lr, self.ctr = 0, RETURN, 0
        self.compared.clear()
        self.sp = self.g[1] = self.stack_top - 512
        for i, value in enumerate(args):
            if i < 8:
                self.g[3 + i] = value & M64
            else:
                self.store(self.sp + 32 + 8 * i, 8, value & M64)
        self.g[12] = entry
        return entry

    def result(self):
        return self.g[3]

    def argument(self, i):
        return self.plain(self.g[3 + i])

    def leave(self, value):
        self.g[3] = value
        return self.plain(self.lr)

    def left(self):
        for i in (0, *range(2, 13)):
            yield f"r{i}", self.g[i]
        yield "ctr", self.ctr
        yield "lr", self.lr
        for i, field in enumerate(self.cr):
            value = field[1] if isinstance(field, tuple) else field
            if i not in self.KEPT_CR and not (isinstance(value, Bits) and self.verdict_of(value)):
                yield f"cr{i}", value  # the verdict itself is public
        for i in range(52):
            if 14 <= i < 32:
                yield f"vs{i}[1]", d.part(self.x[i], 0, 64)
            else:
                yield f"vs{i}", self.x[i]

    def kept(self):
        for i in (1, 13, *self.KEPT):
            yield f"r{i}", self.sp if i == 1 else self.first_g[i], self.g[i]
        for i in self.KEPT_CR:
            after = self.cr[i]
            yield f"cr{i}", self.FIRST_CR[i], 0 if isinstance(after, tuple) else after
        for i in range(14, 32):
            yield f"f{i}", d.part(self.first_x[i], 64, 64), d.part(self.x[i], 64, 64)
        for i in range(20, 32):
            yield f"v{i}", self.first_x[32 + i], self.x[32 + i]


import ppc_general  # noqa: E402,F401  (its rows)
import ppc_vector  # noqa: E402,F401  (its rows)
