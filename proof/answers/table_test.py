#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""table_test.py LIBRARY RESULTS: holds the rows of x86-64 against this processor, and objdump against a second decoder.

RESULTS: what rijn-prove --json wrote. Each form of instruction that its calls met (mnemonic, kinds of operands, which of
them are the same register, constants) runs here with random inputs, and through its row: with numbers, one by one, and
where the row takes data with all inputs at once, as samples. General registers, flags, vectors, masks and memory are
compared. A form that this processor lacks is reported as untested."""
import json
import os
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True

import counters  # noqa: E402
import domain as d  # noqa: E402
import library  # noqa: E402
import x86  # noqa: E402

INPUTS = 16
ELSEWHERE = {"call", "jmp", "ret", "push", "pop", "leave", "nop", "endbr64", "rep stos", "prefetcht0", "prefetcht1",
             "prefetcht2", "ud2", "div"}  # control and stack: the proofs stand on them in each step; div: it may trap
IMPLICIT = {"mul", "cdqe", "cqo", "cdq"}
GENERAL = (0, 1, 2, 3, 6, 7, 8, 9)
POOL = (0, 2, 3, 6)
MEMORY = 0x5000000
OFFSETS = {"flags": 128, "z": 192, "k": 704, "memory": 768, "size": 832}


def general_name(i, n, high):
    return next(name for name, where in x86.REGISTERS.items() if where == (i, n, high))


def form_of(name, text):
    """The instruction with registers of the test's in place of its own, or None."""
    if name in ELSEWHERE:
        return None
    if name[0] == "j":
        return f"set{name[1:]} al"
    general, vectors, pool = {}, {}, list(POOL)

    def register(m):
        t = m[0]
        v = re.fullmatch(r"([xyz])mm(\d+)", t)
        if v:
            return f"{v[1]}mm{vectors.setdefault(v[2], len(vectors))}"
        if t in x86.REGISTERS:
            i, n, high = x86.REGISTERS[t]
            if i == 1 or (name in IMPLICIT and i in GENERAL):
                return t
            if i not in general:
                general[i] = pool.pop(0)
            return general_name(general[i], n, high)
        return t
    if name != "lea":
        text = re.sub(r"(\w+ PTR )\w*:?\[[^\]]*\]", r"\1[MEM]", text)
    return (name + " " + re.sub(r"[a-z]\w*", register, text)).strip().replace("[MEM]", "[r14]")


def forms(machine, met):
    found = {}
    for at in sorted(met):
        name, text = machine.split(machine.library.code[at][0])
        form = form_of(name, text)
        if form and not re.search(r"\b[re]?[sb]p\b|\brip\b|r1[0-5][^4]?\b(?<!r14)", form):
            found.setdefault(form, at)
    return found


ASSEMBLY = """
f{i}:
  push rbx; push rbp; push r12; push r13; push r14; push r15; push rsi
  mov r15, rdi
  lea r14, [rdi+768]
  {load_z}
  {load_k}
  {load_g}
  cmp r8, r9
  {text}
  mov r13, [rsp]
  {store_g}
  pushfq
  pop qword ptr [r13+128]
  {store_z}
  {store_k}
  vmovdqu64 zmm31, [r14]
  vmovdqu64 [r13+768], zmm31
  pop rsi; pop r15; pop r14; pop r13; pop r12; pop rbp; pop rbx
  ret
"""
DRIVER = r"""
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
extern void (*const forms[])(const void *, void *);
static sigjmp_buf back;
static void ill(int s) { siglongjmp(back, s); }
int main(int argc, char **argv) {
  int n = atoi(argv[1]), inputs = atoi(argv[2]);
  static _Alignas(64) unsigned char in[832], out[832];
  signal(SIGILL, ill);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < inputs; j++) {
      if (fread(in, 1, sizeof in, stdin) != sizeof in) return 2;
      memset(out, 0, sizeof out);
      unsigned char ok = 1;
      if (sigsetjmp(back, 1)) ok = 0; else forms[i](in, out);
      fwrite(&ok, 1, 1, stdout);
      fwrite(out, 1, sizeof out, stdout);
    }
  return argc != 3;
}
"""


def build(work, listed):
    g = [(i, x86.NAMES64[i]) for i in GENERAL]
    parts = dict(load_z="; ".join(f"vmovdqu64 zmm{i}, [r15+{192 + 64 * i}]" for i in range(8)),
                 load_k="; ".join(f"kmovq k{i}, [r15+{704 + 8 * i}]" for i in range(8)),
                 load_g="; ".join(f"mov {n}, [r15+{8 * i}]" for i, n in g),
                 store_g="; ".join(f"mov [r13+{8 * i}], {n}" for i, n in g),
                 store_z="; ".join(f"vmovdqu64 [r13+{192 + 64 * i}], zmm{i}" for i in range(8)),
                 store_k="; ".join(f"kmovq [r13+{704 + 8 * i}], k{i}" for i in range(8)))
    text = ".intel_syntax noprefix\n.text\n" + "".join(ASSEMBLY.format(i=i, text=t, **parts) for i, t in enumerate(listed))
    text += ".section .data.rel.ro,\"aw\"\n.globl forms\nforms:\n" + "".join(f"  .quad f{i}\n" for i in range(len(listed)))
    text += ".section .note.GNU-stack,\"\",@progbits\n"
    for name, content in (("forms.s", text), ("driver.c", DRIVER)):
        with open(os.path.join(work, name), "w", encoding="utf-8") as f:
            f.write(content)
    subprocess.run(["gcc", "-O1", "-o", "driver", "driver.c", "forms.s"], cwd=work, check=True)


def inputs_of(form, rng):
    """A state. Masks have few ones, counts are small now and then, and a shuffle's mask is one."""
    state = bytearray(rng.randbytes(OFFSETS["size"]))
    if rng.random() < 0.5:  # small numbers, and equal ones
        for i in GENERAL:
            state[8 * i:8 * i + 8] = rng.randrange(40).to_bytes(8, "little")
    return bytes(state)


def load_state(m, states, data):
    """The registers of a state; or those of all states, as samples."""
    def value(at, n):
        if data:
            return d.from_samples(8 * n, [int.from_bytes(s[at:at + n], "little") for s in states])
        number = int.from_bytes(states[0][at:at + n], "little")
        return number if n == 8 else d.const(8 * n, number)
    m.g = [value(8 * i, 8) if i in GENERAL else 0 for i in range(16)]
    m.g[14] = MEMORY
    m.z = [[value(192 + 64 * i + 16 * k, 16) for k in range(4)] for i in range(8)] + [[d.zero()] * 4] * 24
    m.k = [int.from_bytes(states[0][704 + 8 * i:712 + 8 * i], "little") for i in range(8)]
    a, b = (int.from_bytes(states[0][8 * i:8 * i + 8], "little") for i in (8, 9))
    m.flags = None if data else ("sub", (a - b) % 2**64, a, b, 64, 0)
    m.regions = [m.constants]
    memory = m.region("memory", MEMORY, 64)
    for i in range(4):
        v = value(768 + 16 * i, 16)
        memory.store(16 * i, 16, v)
    return memory


def differs(m, memory, out, sample, flags_too):
    """What of the machine is not what the processor says; sample: which, or None for numbers."""
    def same(value, at, n):
        want = int.from_bytes(out[at:at + n], "little")
        if isinstance(value, int):
            return value == want
        return (d.as_int(value) if sample is None else d.sample(value, sample)) == want
    for i in GENERAL:
        if not same(m.g[i], 8 * i, 8):
            return x86.NAMES64[i]
    for i in range(8):
        for k in range(4):
            if not same(m.z[i][k], 192 + 64 * i + 16 * k, 16):
                return f"zmm{i}[{k}]"
        if sample is None and isinstance(m.k[i], int) and not same(m.k[i], 704 + 8 * i, 8):
            return f"k{i}"
    if not same(memory.load(0, 64), 768, 64):
        return "memory"
    if flags_too and m.flags:
        flags = int.from_bytes(out[128:136], "little")
        kind = m.flags[0]
        for name, bit in (("b", 0), ("e", 6), ("s", 7), ("o", 11)):
            if (kind in ("mul", "zero", "test") and name in "so") or (kind == "mul" and name == "e"):
                continue
            try:
                if x86.CONDITIONS[name](m) != flags >> bit & 1:
                    return f"flag {name}"
            except (d.Missing, d.Fault):
                pass
    return None


def no_unknowns(*_):
    raise d.Fault("x + n is an unknown")


def run(machine, listed, states, outs):
    counters.plus = no_unknowns
    told, untested, with_data = [], [], 0
    for i, form in enumerate(listed):
        mine, results = states[i], outs[i]
        if not all(ok for ok, _ in results):
            untested.append(form)
            continue
        name, text = machine.split(form)
        fault = None
        try:
            for j, (_, out) in enumerate(results):
                memory = load_state(machine, [mine[j]], False)
                machine.ROWS[name](machine, name, text, 0, 0)(machine)
                fault = fault or differs(machine, memory, out, None, True)
        except (d.Missing, d.Fault) as e:
            fault = f"refused: {e.args[0]}"
        if "aes" not in name and not fault and not re.search(r"\bk[0-7]\b", form):  # masks are numbers
            try:
                memory = load_state(machine, mine, True)
                machine.ROWS[name](machine, name, text, 0, 0)(machine)
                for j, (_, out) in enumerate(results):
                    fault = fault or differs(machine, memory, out, j, False)
                with_data += 1
            except (d.Missing, d.Fault, TypeError):
                pass  # the row takes no data there
        if fault:
            told.append(f"{form}: {fault}")
    return told, untested, with_data


# ---------------------------------------------------------------- a second decoder

ALIASES = {"vpcmpleuq": "vpcmpleuq", "movabs": "mov", "movsxd": "movsxd"}


def plain(text):
    """An instruction as its numbers, registers and mnemonic, in an order that both decoders have."""
    text = re.sub(r"\s+#.*$|<[^>]*>|\{evex\}|\bnotrack\b|\bcs\b|\bdata16\b|\bbnd\b", "", text.lower())
    text = re.sub(r"\b(byte|word|dword|qword|xmmword|ymmword|zmmword) ptr\b", "", text)
    text = re.sub(r"^\s*rep\s+stos.*", "rep stos", text)
    text = re.sub(r"^\s*xchg\s+ax,\s*ax", "nop", text)
    name, _, rest = text.strip().partition(" ")
    name = name.replace("\t", " ").split()[0]
    rest = text.strip()[len(name):]
    m = re.fullmatch(r"(v?)pclmul(lqlq|hqlq|lqhq|hqhq)dq", name)
    if m:
        name, rest = m[1] + "pclmulqdq", rest + ", " + {"lqlq": "0", "hqlq": "1", "lqhq": "16", "hqhq": "17"}[m[2]]
    tokens = re.findall(r"0x[0-9a-f]+|\b\d+\b|[a-z]\w*", rest)
    signs = [-1 if re.search(r"-\s*$", rest[:m.start()]) else 1 for m in re.finditer(r"0x[0-9a-f]+|\b\d+\b", rest)]
    numbers = [int(t, 0) * s % 2**64 for t, s in zip([t for t in tokens if t[0].isdigit()], signs)]
    return ALIASES.get(name, name), [t for t in tokens if not t[0].isdigit()], [n for n in numbers if n not in (0, 1)]


def second_decoder(machine, met):
    program = library.objdump_of(machine.SECOND)
    out = subprocess.run([program, "-d", "--no-show-raw-insn", "--x86-asm-syntax=intel", "--print-imm-hex", machine.library.path], capture_output=True, text=True, check=True)
    other = {int(m[1], 16): m[2] for m in re.finditer(r"^ *([0-9a-f]+):\s+([^\n]*)$", out.stdout, re.M)}
    different = []
    for at in sorted(met):
        mine, theirs = machine.library.code[at][0], other.get(at)
        if theirs is None:
            different.append((mine, "no instruction there"))
            continue
        a, b = plain(mine), plain(theirs)
        if (a[0][0] == "j" or a[0] == "call") and "<" in mine:
            same = a[0] == b[0] and int(mine.split()[-2], 16) == int(theirs.split()[-2], 16)
        else:
            same = a[1] == b[1] and sorted(n % 2**32 for n in a[2]) == sorted(n % 2**32 for n in b[2])
            same = same and (a[0] == b[0] or a[0][:4] == b[0][:4])
        if not same and a[0] not in ("nop",) and "rip" not in a[1]:
            different.append((mine, theirs.strip()))
    return program, different


def main():
    path, results = sys.argv[1:3]
    with open(results, encoding="utf-8") as f:
        met = {a for j in json.load(f)["jobs"] for a in j["met"]}
    d.start(INPUTS, 0)
    machine, _ = library.open_library(path)
    listed = sorted(forms(machine, met))
    rng = random.Random(1)
    states = [[inputs_of(form, rng) for _ in range(INPUTS)] for form in listed]
    with tempfile.TemporaryDirectory() as work:
        build(work, listed)
        out = subprocess.run([os.path.join(work, "driver"), str(len(listed)), str(INPUTS)], check=True, capture_output=True,
                             input=b"".join(s for mine in states for s in mine)).stdout
    step = OFFSETS["size"] + 1
    outs = [[(out[(i * INPUTS + j) * step], out[(i * INPUTS + j) * step + 1:(i * INPUTS + j + 1) * step])
             for j in range(INPUTS)] for i in range(len(listed))]
    told, untested, with_data = run(machine, listed, states, outs)
    print(f"{len(listed)} forms on this processor, {INPUTS} inputs each: {len(told)} differ, {with_data} with data, too; "
          f"untested here: {len(untested)}")
    for text in told + [f"untested: {t}" for t in untested]:
        print("  " + text)
    program, different = second_decoder(machine, met)
    print(f"{len(met)} addresses: {program} differs at {len(different)}")
    for mine, theirs in sorted(set(different))[:40]:
        print(f"  {mine}   |   {theirs}")
    sys.exit(1 if told or different else 0)


if __name__ == "__main__":
    main()
