#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""foreign_test.py LIBRARY [--seed N] [--verbose]

Holds the rows of arm.py and ppc.py against an emulated processor (qemu-user): each form of instruction of the library
that works on registers or memory, with random inputs. A row has to give what the processor gives, for numbers, and for
data whose samples are these inputs, where it takes data. The library's own instructions are what is tested: a form is a
mnemonic with the kinds of its operands, and of each some that have different numbers in them."""
import argparse
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True

import anyof  # noqa: E402
import counters  # noqa: E402
import domain as d  # noqa: E402
import library  # noqa: E402
from domain import Bits, Fault, Missing, const  # noqa: E402
from machine import Library  # noqa: E402

INPUTS, EACH = 8, 2                    # of an instruction; instructions of a form
MEMORY, SIZE = 0x50000000, 512
BASE = MEMORY + SIZE // 2
M64 = (1 << 64) - 1
S_BOX = re.compile("aes[ed]$|vn?cipher|vsbox")

DRIVER = r"""
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
struct state { uint64_t g[8], flags, run, carry, pad[5]; uint8_t v[64][16]; };
extern const uint64_t stubs[];
static struct state s;
static void run(void) {
#ifdef __aarch64__
  register struct state *p __asm__("x20") = &s;
  __asm__ volatile("ldr x16,[x20,#64]\n\tmsr nzcv,x16\n\tldr x16,[x20,#72]\n\tadd x17,x20,#128\n\t"
    ".irp n,0,2,4,6,8,10,12,14,16,18,20,22,24,26,28,30\n\tldr q\\n,[x17],#16\n\tadd x17,x17,#16\n\t.endr\n\t"
    "add x17,x20,#144\n\t"
    ".irp n,1,3,5,7,9,11,13,15,17,19,21,23,25,27,29,31\n\tldr q\\n,[x17],#16\n\tadd x17,x17,#16\n\t.endr\n\t"
    ".irp n,0,1,2,3,4,5,6,7\n\tldr x\\n,[x20,#8*\\n]\n\t.endr\n\tblr x16\n\t"
    ".irp n,0,1,2,3,4,5,6,7\n\tstr x\\n,[x20,#8*\\n]\n\t.endr\n\tmrs x16,nzcv\n\tstr x16,[x20,#64]\n\tadd x17,x20,#128\n\t"
    ".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n\t"
    "str q\\n,[x17],#16\n\t.endr"
    : "+r"(p) : : "memory", "cc", "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x16", "x17", "x30",
      "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16", "v17",
      "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31");
#else
  register struct state *p __asm__("r31") = &s;
#define TEN(x, t) x t "0," x t "1," x t "2," x t "3," x t "4," x t "5," x t "6," x t "7," x t "8," x t "9"
#define ALL "0,1,2,3,4,5,6,7,8,9," TEN("", "1") "," TEN("", "2") "," TEN("", "3") "," TEN("", "4") "," TEN("", "5") ",60,61,62,63"
  __asm__ volatile("ld 3,64(31)\n\tmtcrf 255,3\n\tld 3,80(31)\n\tmtxer 3\n\tld 3,72(31)\n\tmtctr 3\n\t"
    ".irp n," ALL "\n\tli 3,128+16*\\n\n\tlxvx \\n,31,3\n\t.endr\n\t"
    ".irp n,0,1,2,3,4,5,6,7\n\tld 4+\\n,8*\\n(31)\n\t.endr\n\tbctrl\n\t"
    ".irp n,0,1,2,3,4,5,6,7\n\tstd 4+\\n,8*\\n(31)\n\t.endr\n\tmfcr 3\n\tstd 3,64(31)\n\tmfxer 3\n\tstd 3,80(31)\n\t"
    ".irp n," ALL "\n\tli 3,128+16*\\n\n\tstxvx \\n,31,3\n\t.endr"
    : "+r"(p) : : "memory", "cr0", "cr1", "cr2", "cr3", "cr4", "cr5", "cr6", "cr7", "ctr", "lr", "xer", "r3", "r4", "r5",
      "r6", "r7", "r8", "r9", "r10", "r11",
      "fr0", "fr1", "fr2", "fr3", "fr4", "fr5", "fr6", "fr7", "fr8", "fr9", "fr10", "fr11", "fr12", "fr13", "fr14", "fr15",
      "fr16", "fr17", "fr18", "fr19", "fr20", "fr21", "fr22", "fr23", "fr24", "fr25", "fr26", "fr27", "fr28", "fr29",
      "fr30", "fr31", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15",
      "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31");
#endif
}
int main(void) {
  uint8_t *m = mmap((void *)@MEMORY@, @SIZE@, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  if (m == MAP_FAILED)
    return 1;
  while (fread(&s, sizeof s, 1, stdin) == 1 && fread(m, @SIZE@, 1, stdin) == 1) {
    s.run = stubs[s.run];
    run();
    fwrite(&s, sizeof s, 1, stdout);
    fwrite(m, @SIZE@, 1, stdout);
  }
  return 0;
}
"""


class Arm:
    """How an instruction is made to use x0 to x7 alone."""
    GCC, FLAGS = "aarch64-linux-gnu-gcc", ["-march=armv8.4-a+aes+sha3"]
    QEMU = ["qemu-aarch64-static", "-cpu", "max"]
    SKIP = re.compile(r"(b|bl|br|blr|ret|b\..*|cbn?z|tbn?z|adrp?|nop|bti|hint|paciasp|autiasp|prfm|brk|udf|\.\w+|fmadd)$")
    FIRST, GENERAL, VECTOR = 0, r"\b([xw])(\d+)\b", r"\b[vqdshb]\d+\b"
    V = 32

    @staticmethod
    def address_of(text):
        """The registers of an address, the offsets."""
        inside = re.search(r"\[(x[^\]]*)\]", text)
        if not inside:
            return None
        names = re.findall(r"x(\d+)|w(\d+)", inside[1])
        return [int(a or b) for a, b in names], [int(x, 0) for x in re.findall(r"#(-?\w+)", text)]

    @staticmethod
    def set(m, g, v, flags, carry):
        m.g, m.v = [*g, *[0] * 24], v
        m.flags = ("known", flags >> 28, 0, 0, 64, 0)
        m.maxima.clear()

    @staticmethod
    def get(m):
        import arm
        ask = (arm._negative, arm._zero, arm._carry, arm._overflow)
        return m.g[:8], m.v, lambda: sum(f(m) << 31 - i for i, f in enumerate(ask)), None


class Ppc:
    """.. r4 to r11."""
    GCC, FLAGS = "powerpc64le-linux-gnu-gcc", ["-mcpu=power9", "-Wa,-mregnames"]
    QEMU = ["qemu-ppc64le-static", "-cpu", "power9"]
    SKIP = re.compile(r"(b|bl|blr|bctrl?|bcl|bdnz|bdz|b(eq|ne|lt|gt|le|ge|so|ns)(lr)?[+-]?|nop|attn|m[tf](ctr|lr)|trap|"
                      r"\.long|dcbtst|dcbt)$")
    FIRST, GENERAL, VECTOR = 4, r"\b(r)(\d+)\b", r"\b(?:vs|v|f)\d+\b"
    V = 64

    @staticmethod
    def address_of(text):
        found = re.search(r"(-?\d+)\(r(\d+)\)", text)
        if found:
            return [int(found[2])], [int(found[1])]
        return None

    @staticmethod
    def set(m, g, v, flags, carry):
        m.g, m.x = [0] * 4 + list(g) + [0] * 20, v
        m.cr, m.ca = [flags >> 28 - 4 * i & 15 for i in range(8)], carry >> 29 & 1
        m.compared.clear()

    @staticmethod
    def get(m):
        return m.g[4:12], m.x, lambda: sum(c << 28 - 4 * i for i, c in enumerate(m.cr)), m.ca


INDEXED = re.compile(r"(l|st)\w*(x|ll)$")


def is_memory(how, mnemonic, text):
    """Of an instruction with an address: the numbers of the registers in it; else None."""
    plain = how.address_of(text)
    if plain:
        return plain if all(abs(x) <= SIZE // 2 - 64 for x in plain[1]) else "far"
    if how is Ppc and INDEXED.match(mnemonic):
        return [int(x) for x in re.findall(r"\br(\d+)\b", text.split(",", 1)[1])], []
    return None


class Test:
    def __init__(self, how, mnemonic, text):
        self.mnemonic = mnemonic
        address = is_memory(how, mnemonic, text)
        names, self.used = {}, []
        for kind, number in re.findall(how.GENERAL, text):
            if (how is Ppc and number == "0") or number not in names:
                names.setdefault(number, len(names) + how.FIRST)
        self.text = re.sub(how.GENERAL, lambda x: x[1] + str(names[x[2]]), text)
        self.base = [names[str(i)] - how.FIRST for i in address[0]] if address else []
        self.is_memory = bool(address)

    def inputs(self, rng):
        """Registers, vectors, flags, carry."""
        def word():
            kind = rng.randrange(8)
            return rng.getrandbits(64) if kind < 4 else rng.getrandbits(32) if kind < 5 else rng.randrange(128) \
                if kind < 7 else M64 - rng.randrange(3)
        g = [word() for _ in range(8)]
        if self.is_memory:
            if self.mnemonic.endswith("ll") and len(self.base) == 2:
                g[self.base[1]] = rng.randrange(17) << 56 | rng.getrandbits(30)
            elif len(self.base) == 2:
                g[self.base[1]] = rng.randrange(16)
            g[self.base[0]] = BASE
        v = [rng.getrandbits(128) for _ in range(64)]
        if rng.randrange(2):  # small numbers, equal elements, for comparisons and counts
            v = [x & 0x0707070707070707_0707070707070707 for x in v]
            v[rng.randrange(64)] = v[0]
        if rng.randrange(4) == 0:
            v = [v[0]] * 64
        return g, v, rng.getrandbits(4) << 28, rng.getrandbits(1) << 29, rng.randbytes(SIZE)


def tests_of(machine, how):
    """Instructions of the library, some of each form; and the forms that are not tested."""
    seen, tests, left = {}, [], set()
    for text, _ in machine.library.code.values():
        mnemonic, ops = machine.split(text)
        if mnemonic not in machine.ROWS or how.SKIP.match(mnemonic):
            if mnemonic in machine.ROWS:
                left.add(mnemonic)
            continue
        kinds = re.sub(how.GENERAL, r"\1", re.sub(how.VECTOR, lambda x: re.sub(r"\d", "", x[0]), ops))
        form = mnemonic, re.sub(r"-?\b(0x[0-9a-f]+|\d+)\b", "N", kinds)
        many = seen.setdefault(form, set())
        if len(many) >= EACH or kinds in many or "sp" in ops or is_memory(how, mnemonic, ops) == "far":
            continue
        test = Test(how, mnemonic, ops)
        if len(test.base) != len(set(test.base)):
            continue
        if how is Ppc and re.search(r"\br0\b", ops):
            continue  # register 0 is a number in some places: the row says which, and others have tested it
        many.add(kinds)
        tests.append(test)
    return tests, sorted(left), {f[0] for f in seen} - {t.mnemonic for t in tests}


def run(how, tests, cases):
    """What the processor makes of the cases: (test, inputs)."""
    for tool in (how.GCC, how.QEMU[0]):
        if not shutil.which(tool):
            raise Missing(f"{tool} is not installed")
    with tempfile.TemporaryDirectory() as folder:
        source, stubs, program = (os.path.join(folder, x) for x in ("driver.c", "stubs.s", "program"))
        with open(source, "w", encoding="utf-8") as f:
            f.write(DRIVER.replace("@MEMORY@", hex(MEMORY)).replace("@SIZE@", str(SIZE)))
        ret = "ret" if how is Arm else "blr"
        with open(stubs, "w", encoding="utf-8") as f:
            f.write(".text\n" + "".join(f"s{i}: {t.mnemonic} {t.text}\n {ret}\n" for i, t in enumerate(tests)))
            f.write(".section .rodata\n.balign 8\n.globl stubs\nstubs:\n" +
                    "".join(f" .quad s{i}\n" for i in range(len(tests))) + '.section .note.GNU-stack,"",%progbits\n')
        subprocess.run([how.GCC, "-O1", "-static", *how.FLAGS, source, stubs, "-o", program], check=True)
        sent = b"".join(struct.pack("<8QQQQ40x", *g, flags, i, carry) + b"".join(x.to_bytes(16, "little") for x in v) + mem
                        for i, (g, v, flags, carry, mem) in cases)
        out = subprocess.run([*how.QEMU, program], input=sent, stdout=subprocess.PIPE, check=True).stdout
    size = len(sent) // len(cases)
    if len(out) != len(sent):
        raise Missing("the program stopped")
    results = []
    for at in range(0, len(out), size):
        words = struct.unpack_from("<11Q", out, at)
        v = [int.from_bytes(out[at + 128 + 16 * i:at + 144 + 16 * i], "little") for i in range(64)]
        results.append((list(words[:8]), v, words[8], words[10], out[at + 1152:at + size]))
    return results


class Row:
    """A row, run on values."""

    def __init__(self, machine, how):
        self.m, self.how = machine, how
        self.undefined = machine.no_value.v if how is Ppc else None

    def __call__(self, test, g, v, flags, carry, memory):
        m = self.m
        m.regions = []
        region = m.region("memory", MEMORY, SIZE)
        region.store(0, SIZE, memory)
        m.verdict = None
        self.how.set(m, g, list(v[:self.how.V]), flags, carry)
        m.ROWS[test.mnemonic](m, test.mnemonic, test.text, 0, 4)(m)
        g, v, flags, carry = self.how.get(m)
        return g, v, flags, carry, region.load(0, SIZE)


def differs(row, test, given, want):
    """With numbers. What is not as it should be, or None."""
    g, v, flags, carry, memory = given
    try:
        g, v, flags, carry, memory = row(test, g, [const(128, x) for x in v], flags, carry, int.from_bytes(memory, "little"))
    except Fault as e:
        return f"a fault: {e}"
    except Missing:
        return None  # undefined for these inputs
    for name, got, right in (("register", g, want[0]), ("vector", v, want[1])):
        for i, (x, y) in enumerate(zip(got, right)):
            x = x if isinstance(x, int) else d.as_int(x)
            if x is None and d.as_int(d.part(got[i], 64, 64)) == y >> 64:
                continue  # the other half is undefined
            if x != y:
                return f"{name} {i} is {x if x is None else hex(x)}, not {y:#x}"
    flags = flags()
    if flags != want[2] & 0xffffffff:
        return f"flags are {flags:#x}, not {want[2]:#x}"
    if carry is not None and carry != want[3] >> 29 & 1:
        return f"the carry is {carry}"
    memory = d.as_int(memory) if isinstance(memory, Bits) else memory
    if memory != int.from_bytes(want[4], "little"):
        return "memory"
    return None


def differs_data(row, test, given, wanted, free):
    """With data in the registers and vectors `free`, and in memory, where the row takes them. (None, False): it does
    not, or makes an unknown."""
    first = given[0]
    if S_BOX.match(test.mnemonic):  # not interpreted, but for numbers
        return None, False
    g, v = list(first[0]), [const(128, x) for x in first[1]]
    for kind, i in free:
        if kind == "v":
            v[i] = d.from_samples(128, [x[1][i] for x in given])
        elif i not in test.base:
            g[i] = d.from_samples(64, [x[0][i] for x in given])
    memory = int.from_bytes(first[4], "little")
    if test.is_memory:
        memory = d.from_samples(8 * SIZE, [int.from_bytes(x[4], "little") for x in given])
    for table in (counters._sums, counters._info, counters._carries, anyof._members, anyof._fields):
        table.clear()
    unknowns, old = [], (g, v, memory)
    fresh, random_bytes = d.fresh, d.random_bytes
    d.fresh = lambda n: unknowns.append(n) or fresh(n)
    d.random_bytes = lambda: unknowns.append(8) or random_bytes()
    try:
        g, v, _, _, memory = row(test, g, v, first[2], first[3], memory)
    except (Fault, Missing):
        return None, False
    finally:
        d.fresh, d.random_bytes = fresh, random_bytes
    if unknowns or anyof._members:  # an OR of data is not interpreted
        return None, False
    for name, n, got, before, which in (("register", 64, g, old[0], 0), ("vector", 128, v, old[1], 1)):
        for i, x in enumerate(got):
            right = [w[which][i] for w in wanted]
            if x is before[i] and right == [y[which][i] for y in given]:
                continue
            x = const(n, x) if isinstance(x, int) else x
            k = 64 if n == 128 and d.part(x, 0, 64).v == row.undefined else 0
            if d.part(x, k, n - k).v != d.from_samples(n - k, [r >> k for r in right]).v:
                return f"{name} {i} of data", True
    if test.is_memory and memory.v != d.from_samples(8 * SIZE, [int.from_bytes(w[4], "little") for w in wanted]).v:
        return "memory of data", True
    return None, True


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n", 2)[2], usage=__doc__.split("\n")[0])
    p.add_argument("library")
    p.add_argument("--seed", type=int, default=random.SystemRandom().getrandbits(32))
    p.add_argument("--verbose", action="store_true")
    args = p.parse_args()
    how = {"aarch64": Arm, "ppc64le": Ppc}[Library.machine(args.library)]
    rng = random.Random(args.seed)
    d.start(INPUTS, args.seed)
    machine, _ = library.open_library(args.library)
    tests, skipped, empty = tests_of(machine, how)
    given = [[t.inputs(rng) for _ in range(2 * INPUTS)] for t in tests]
    for t, inputs in zip(tests, given):  # the second half is for data: what is no data is the same in all
        fixed = inputs[INPUTS]
        for k in range(INPUTS, 2 * INPUTS):
            g, v, _, _, mem = inputs[k]
            g = [fixed[0][i] if i in t.base else x for i, x in enumerate(g)]
            inputs[k] = (g, v, fixed[2], fixed[3], mem)
    sets = [variants(how, t, inputs[INPUTS:]) for t, inputs in zip(tests, given)]
    cases = []
    for i, inputs in enumerate(given):
        cases += [(i, x) for x in inputs[:INPUTS]]
        for _, some in sets[i]:
            cases += [(i, x) for x in some]
    results = iter(run(how, tests, cases))
    row, failures, of_data = Row(machine, how), 0, set()
    for i, t in enumerate(tests):
        said = None
        for x in given[i][:INPUTS]:
            said = differs(row, t, x, next(results)) or said
        for free, some in sets[i]:
            wanted = [next(results) for _ in some]
            text, ran = differs_data(row, t, some, wanted, free)
            said = said or text
            if ran:
                of_data.add(i)
        if said:
            failures += 1
        if said or args.verbose:
            print(f"{t.mnemonic} {t.text}: {said or 'as the processor'}{', data too' if i in of_data else ''}")
    print(f"{args.library}: seed {args.seed}: {len(tests)} instructions of {len({t.mnemonic for t in tests})} mnemonics, "
          f"{INPUTS} inputs each; {len(of_data)} with data, too; {failures} differ")
    print(f"not tested, because they say where to go on, or do nothing: {' '.join(skipped)}")
    if empty:
        print("not tested, because of the numbers or registers in all of them: " + " ".join(sorted(empty)))
    sys.exit(1 if failures or not tests else 0)


def variants(how, test, inputs):
    """(what is data, inputs where the rest is fixed): all data, and each operand alone."""
    g = [("g", int(n) - how.FIRST) for _, n in re.findall(how.GENERAL, test.text)]
    v = []
    for name in re.findall(how.VECTOR, test.text):
        number = int(re.sub(r"\D", "", name))
        v.append(("v", number + (32 if how is Ppc and re.match(r"v\d", name) else 0)))
    every = set(g + v)
    out = []
    for free in [every] + ([{x} for x in sorted(every)] if len(every) > 1 else []):
        first = inputs[0]
        some = [([x[0][i] if ("g", i) in free else first[0][i] for i in range(8)],
                 [x[1][i] if ("v", i) in free else first[1][i] for i in range(64)], first[2], first[3], x[4]) for x in inputs]
        out.append((free, some))
    return out


if __name__ == "__main__":
    main()
