# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""What all architectures have in common: a library as it is shipped, memory in regions, and the steps of a call.

A value in a register or in memory is an int, when it is a number that everybody may know (a length, an address, a
counter, a constant), or Bits. Code runs with numbers for lengths and addresses, and unknowns for all data."""
import bisect
import re
import struct
import subprocess
from array import array

import anyof
import domain as d
from domain import Bits, Fault, Missing, const

RETURN = 0x00dead000000     # where a call returns to
EXTERNAL = 0x00ee00000000   # functions of other libraries, 16 apart
STEPS = 40_000_000          # of one call, at most


# ---------------------------------------------------------------- the library

class Library:
    """An ELF file: its bytes with relocations done, its exported names, and its instructions as objdump prints them."""
    MACHINES = {62: "x86_64", 183: "aarch64", 21: "ppc64le"}
    RELATIVE, SYMBOLIC = {8, 1027, 22}, {1, 6, 7, 257, 1025, 1026, 38, 20, 21}

    def __init__(self, path, objdump, options=()):
        self.path = path
        with open(path, "rb") as f:
            self.file = f.read()
        self.arch = self.machine(path)
        self.segments, self.exports, self.externals, self.symbols = [], {}, {}, []
        self._load()
        self._names()
        self._disassemble([objdump, "-d", "--no-show-raw-insn", *options, path])

    @classmethod
    def machine(cls, path):
        with open(path, "rb") as f:
            head = f.read(64)
        if head[:4] != b"\x7fELF" or head[4:6] != b"\2\1":
            raise Missing(f"{path}: not a 64-bit little-endian ELF file")
        number = struct.unpack_from("<H", head, 18)[0]
        if number not in cls.MACHINES:
            raise Missing(f"{path}: ELF machine {number} has no tables here")
        return cls.MACHINES[number]

    def _load(self):
        f = self.file
        phoff, = struct.unpack_from("<Q", f, 32)
        size, n = struct.unpack_from("<HH", f, 54)
        dynamic = None
        for i in range(n):
            kind, flags, off, vaddr, _, filesz, memsz, _ = struct.unpack_from("<IIQQQQQQ", f, phoff + i * size)
            if kind == 1:
                self.segments.append((vaddr, bytearray(f[off:off + filesz]) + bytearray(memsz - filesz), flags))
            elif kind == 2:
                dynamic = (off, filesz)
        if dynamic is None:
            raise Missing(f"{self.path}: not a shared library")
        tags = {}
        for at in range(dynamic[0], sum(dynamic), 16):
            tag, value = struct.unpack_from("<qQ", f, at)
            tags.setdefault(tag, value)
        self.symtab, self.strtab = tags[6], tags[5]
        for table, length in ((7, 8), (23, 2)):
            if table in tags:
                for at in range(tags[table], tags[table] + tags[length], 24):
                    self._relocate(at)
        if 36 in tags:
            self._relocate_relr(tags[36], tags[35])

    def _relocate(self, at):
        where, info, addend = self.number(at), self.number(at + 8), self.number(at + 16)
        kind, symbol = info & 0xffffffff, info >> 32
        if kind in self.RELATIVE:
            self._write(where, addend)
        elif kind in self.SYMBOLIC:
            name, value = self._symbol(symbol)
            if value == 0:
                value = EXTERNAL + 16 * len(self.externals)
                self.externals[value] = name
                addend = 0
            self._write(where, value + addend)

    def _relocate_relr(self, at, size):
        where = 0
        for i in range(0, size, 8):
            word = self.number(at + i)
            if word & 1 == 0:
                where = word
                self._write(where, self.number(where))
                where += 8
            else:
                for bit in range(63):
                    if word >> bit + 1 & 1:
                        self._write(where + 8 * bit, self.number(where + 8 * bit))
                where += 63 * 8

    def _symbol(self, i):
        at = self.symtab + 24 * i
        return self.text(self.strtab + self.number(at, 4)), self.number(at + 8)

    def _names(self):
        """From the dynamic symbols, and the others if the file is not stripped."""
        f = self.file
        shoff, = struct.unpack_from("<Q", f, 40)
        size, n = struct.unpack_from("<HH", f, 58)
        heads = [struct.unpack_from("<IIQQQQIIQQ", f, shoff + i * size) for i in range(n)]
        found = {}
        for _, kind, _, _, off, length, link, _, _, each in heads:
            if kind not in (2, 11):
                continue
            strings = heads[link][4]
            for at in range(off, off + length, each):
                name, info, _, section, value, _ = struct.unpack_from("<IBBHQQ", f, at)
                text = f[strings + name:f.index(b"\0", strings + name)].decode()
                if section and info & 15 in (1, 2):
                    found.setdefault(value, text)
                    if kind == 11:
                        self.exports[text.split("@")[0]] = value
        self.symbols = sorted(found.items())
        self._starts = [a for a, _ in self.symbols]

    def _disassemble(self, command):
        out = subprocess.run(command, capture_output=True, text=True, check=False)
        if out.returncode:
            raise Missing(f"{' '.join(command)}: {out.stderr.strip()}")
        self.code, before = {}, None
        for m in re.finditer(r"^ *([0-9a-f]+):\t([^\n]*)$", out.stdout, re.M):
            address = int(m[1], 16)
            if before is not None:
                self.code[before][1] = address
            self.code[address] = [m[2].strip(), address + 4]
            before = address

    def _segment(self, address, n):
        for base, data, flags in self.segments:
            if base <= address and address + n <= base + len(data):
                return base, data, flags
        raise Missing(f"{address:#x} is not in the library")

    def number(self, address, n=8):
        base, data, _ = self._segment(address, n)
        return int.from_bytes(data[address - base:address - base + n], "little")

    def text(self, address):
        base, data, _ = self._segment(address, 1)
        return data[address - base:data.index(b"\0", address - base)].decode()

    def _write(self, address, value):
        base, data, _ = self._segment(address, 8)
        data[address - base:address - base + 8] = (value % 2**64).to_bytes(8, "little")

    def where(self, address):
        """function+offset."""
        i = bisect.bisect_right(self._starts, address) - 1
        if i < 0:
            return f"{address:#x}"
        return f"{self.symbols[i][1]}+{address - self._starts[i]:#x}"

    def function(self, address):
        i = bisect.bisect_right(self._starts, address) - 1
        return (self._starts[i], self.symbols[i][1]) if i >= 0 else (0, "?")


# ---------------------------------------------------------------- memory

class Region:
    """size bytes at base. missing: what a load of bytes that nobody wrote gives: a function of their offset and number,
    or None: a fault. What is stored is kept in chunks: start -> (bytes, value); own: of each byte its chunk's start."""

    def __init__(self, name, base, size, write=True, missing=None):
        self.name, self.base, self.size, self.write, self.missing = name, base, size, write, missing
        self.chunks, self.own = {}, array("i", [-1]) * size

    def copy(self, name=None, write=None):
        r = Region(name or self.name, self.base, 0, self.write if write is None else write, self.missing)
        r.size, r.chunks, r.own = self.size, dict(self.chunks), self.own[:]
        return r

    def load(self, off, n):
        c = self.chunks.get(off)
        if c is not None and c[0] == n:
            return c[1]
        parts, at = [], off
        while at < off + n:
            start = self.own[at]
            if start < 0:
                end = at + 1
                while end < off + n and self.own[end] < 0:
                    end += 1
                if self.missing is None:
                    raise Fault(f"{self.name}+{at} is read before anything was written there")
                value, count = self.missing(at, end - at), end - at
                self.store(at, count, value)
                at = end
            else:
                length, value = self.chunks[start]
                count = min(start + length, off + n) - at
                value = cut(value, 8 * (at - start), 8 * count)
                at += count
            parts.append((value, 8 * count))
        return join(parts)

    def store(self, off, n, value):
        c = self.chunks.get(off)
        if c is None or c[0] != n:
            self._split(off, n)
            self.own[off:off + n] = array("i", [off]) * n
        self.chunks[off] = (n, value)

    def _split(self, off, n):
        """Makes room: what reaches beyond [off, off + n) of older chunks stays as chunks of its own."""
        for at in (off, off + n):
            if 0 < at < self.size:
                start = self.own[at]
                if start >= 0 and start < at:
                    length, value = self.chunks[start]
                    self.chunks[start] = (at - start, cut(value, 0, 8 * (at - start)))
                    rest = start + length - at
                    self.chunks[at] = (rest, cut(value, 8 * (at - start), 8 * rest))
                    self.own[at:at + rest] = array("i", [at]) * rest
        for start in {s for s in self.own[off:off + n] if s >= 0}:
            del self.chunks[start]


def cut(value, at, n):
    if isinstance(value, int):
        return value >> at & ((1 << n) - 1)
    return d.part(value, at, n)


def join(parts):
    if len(parts) == 1:
        return parts[0][0]
    if all(isinstance(v, int) for v, _ in parts):
        total = at = 0
        for v, n in parts:
            total |= v << at
            at += n
        return total
    return d.concat([const(n, v) if isinstance(v, int) else v for v, n in parts])


class Constants:
    """The library itself, as a region that only reads. Its writable data can be written for a call, and is as it was
    for the next."""
    name, write = "library", False

    def __init__(self, library):
        self.library = library
        self.base = 0
        self.size = max(base + len(data) for base, data, _ in library.segments)

    def load(self, off, n):
        return self.library.number(off, n)


# ---------------------------------------------------------------- the machine

class Machine:
    """An architecture derives from this. It has

        OBJDUMP, OPTIONS      programs to try, and what they are called with
        BRANCHES              what mnemonics of conditional branches match
        ROWS                  mnemonic -> function(machine, mnemonic, operands, address, next): makes the step
        split(text)           (mnemonic, operands) of a line of objdump
        begin(entry, args)    registers and stack for a call of so many int arguments; returns where the stack begins
        result()              what it returned
        argument(i), leave()  of a function of another library, which is called: an argument; back to the caller
        left()                (name, value) of all registers and flags that a call leaves, but those it has to keep
        kept()                (name, before, after) of those
        BELOW                 bytes above the stack pointer that a function may write: a caller's save area

    A step is a function of the machine. It returns None, or where to go on; a conditional branch returns either way
    where."""
    BELOW = 0

    def __init__(self, library):
        self.library = library
        self.constants = Constants(library)
        self.steps, self.met, self.jumps, self.forms = {}, set(), set(), {}
        self.regions, self.public, self.verdict = [], set(), None
        self.loads = None       # a list: loads are kept there
        anyof.ask = self.is_zero
        for x in range(256):
            self.public.add(d.raw_of(const(8, x)))

    # -- memory

    def region(self, name, base, size, **how):
        r = Region(name, base, size, **how)
        self.regions.append(r)
        return r

    def _at(self, address, n, what):
        if not isinstance(address, int):
            raise Fault(f"the address of a {what} depends on data")
        for r in self.regions:
            off = address - r.base
            if 0 <= off and off + n <= r.size:
                return r, off
        near = [r for r in self.regions if -64 <= address - r.base < r.size + 64 and r.name != "library"]
        place = f"{near[0].name}{address - near[0].base:+d} of {near[0].size}" if near else f"{address:#x}"
        raise Fault(f"{what} of {n} bytes: {place}")

    def load(self, address, n):
        """n bytes: an int or Bits."""
        r, off = self._at(address, n, "load")
        value = r.load(off, n)
        if self.loads is not None:
            self.loads.append((address, value))
        if isinstance(value, Bits) and (value.deg == 0 or n <= 8):
            known = d.as_int(value)
            return value if known is None else known
        return value

    def load_bits(self, address, n):
        value = self.load(address, n)
        return const(8 * n, value) if isinstance(value, int) else value

    def store(self, address, n, value):
        r, off = self._at(address, n, "store")
        if not r.write:
            raise Fault(f"store of {n} bytes: {r.name}{off:+d}, which may only be read")
        r.store(off, n, value)

    def unwritten(self, off, n):
        """What stands on the stack where the call has not written: it is the caller's."""
        value = d.concat([d.unknown(("stack", i), 8) for i in range(off, off + n)])
        self.publish(value)
        return value

    # -- running

    def call(self, entry, args):
        """Runs a function to its return. args: ints."""
        self.regions.sort(key=lambda r: r.name == "library")
        self.run(self.begin(entry, args))
        return self.result()

    def run(self, pc):
        steps, met, jumps, count = self.steps, self.met, self.jumps, 0
        try:
            while pc != RETURN:
                step = steps.get(pc)
                if step is None:
                    if pc in self.library.externals:
                        pc = self.external(self.library.externals[pc])
                        continue
                    step = self.translate(pc)
                met.add(pc)
                go = step[0](self)
                if go is None:
                    pc = step[1]
                else:
                    jumps.add((pc, go))
                    pc = go
                count += 1
                if count > STEPS:
                    raise Fault(f"no return within {STEPS} steps")
        except (Fault, Missing) as e:
            text = self.library.code.get(pc, ["?"])[0]
            e.args = (f"{self.library.where(pc)}: {e.args[0]} [{text}]",)
            raise

    def conditional(self, text):
        """Is it a branch that may go on behind itself? BRANCHES matches its mnemonic."""
        return re.fullmatch(self.BRANCHES, self.split(text)[0]) is not None

    def translate(self, pc):
        if pc not in self.library.code:
            raise Missing(f"no instruction at {pc:#x}")
        text, after = self.library.code[pc]
        mnemonic, operands = self.split(text)
        row = self.ROWS.get(mnemonic)
        if row is None:
            raise Missing(f"no row for {mnemonic}")
        step = self.steps[pc] = (row(self, mnemonic, operands, pc, after), after)
        return step

    def external(self, name):
        """memset and memcpy; the library calls nothing else of another library where a kernel runs."""
        name = name.split("@")[0]
        if name == "memset":
            to, byte, n = (self.argument(i) for i in range(3))
            for at in range(0, n, 16):
                count = min(16, n - at)
                self.store(to + at, count, int.from_bytes(bytes([byte & 255]) * count, "little"))
            return self.leave(to)
        if name == "memcpy":
            to, start, n = (self.argument(i) for i in range(3))
            data = [(at, min(16, n - at)) for at in range(0, n, 16)]
            for at, count in data:
                self.store(to + at, count, self.load(start + at, count))
            return self.leave(to)
        raise Missing(f"a call of {name}")

    # -- what depends on data

    def is_zero(self, b):
        """For a test: are all bits 0? The harness answers for a verdict; nothing else may depend on data."""
        value = d.as_int(b)
        if value is not None:
            return value == 0
        if self.verdict is None:
            raise Fault("a branch, an address or a sum depends on data")
        return self.verdict(b)

    # -- what is left

    def is_public(self, value):
        """An int, or bytes that are constants or those of values that everybody may know."""
        if isinstance(value, int):
            return True
        if value.n % 8:
            value = d.concat([value, const(-value.n % 8, 0)])
        d.compared(max(value.deg, 1), value.n // 8 * len(self.public))
        return all(x in self.public for x in d.bytes_of(value))

    def publish(self, value):
        if isinstance(value, Bits):
            self.public.update(d.bytes_of(value))

    def residues(self, stack, top):
        """Names of what holds data that is not public, of registers, flags and the stack below top."""
        found = [name for name, value in self.left() if not self.is_public(value)]
        for off, (n, value) in sorted(stack.chunks.items()):
            if off < top - stack.base + self.BELOW and not self.is_public(value):
                found.append(f"stack{stack.base + off - top:+d} ({n} bytes)")
        return found

    def not_kept(self):
        return [name for name, before, after in self.kept()
                if before is not after and (isinstance(before, int) or isinstance(after, int) or
                                            before.v != after.v) and before != after]
