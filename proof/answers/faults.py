#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""faults.py BUILD [--only TEXT]: plants faults, and the prover has to see each, in words that say what is wrong.

BUILD: a build folder by ninja with a librijn.so of x86-64. A fault in C is planted in a copy of the sources, of which
one set is compiled anew; one in a table of instructions, in the table. As a check of this program the library without a
fault is proved as well."""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SET, FILE = "x86-vaes-avx2", "x86_vaes_avx2"
RULES = {"ct.h": "gcm_stream", "gcm_stream.c": "gcm_stream"}  # file -> what is compiled anew in place of the set

# what it is, file, text, text with the fault, groups, what has to be said
C_FAULTS = [
    ("a counter of a short text", "mode/gcm_message_t.h", "tail->row = COUNTERS(2);", "tail->row = COUNTERS(3);",
     "gcm", r"byte 0 of the text \(block 0, counter 2\) is wrong"),
    ("a counter of a pass", "mode/gcm_passes_t.h", "g.next = dir == ENCRYPT ? 2 + P_BLOCKS : 2;",
     "g.next = dir == ENCRYPT ? 3 + P_BLOCKS : 2;", "gcm", r"byte \d+ of the text \(block \d+, counter \d+\) is wrong"),
    ("a power of a short text", "mode/gcm_tail_t.h", "(16 * (N_POW - 1) - ((n + 15) & ~(size_t)15))",
     "(16 * (N_POW - 0) - ((n + 15) & ~(size_t)15))", "gcm", r"it has .*C1 H\^1 instead of .*C1 H\^2"),
    ("a power of a pass", "mode/gcm_passes_t.h", "HP_LAST = N_POW - P_BLOCKS }", "HP_LAST = N_POW - P_BLOCKS + 2 }",
     "gcm", r"C\d+ H\^\d+"),
    ("a product inside a pass", "mode/gcm_passes_t.h", "t->x = v_xor(t->x, g->acc);",
     "t->x = v_xor(t->x, v_bswap(g->acc));", "gcm", r"C\d+ H\^\d+"),
    ("the reduction", "isa/ops_x86_128.h", "0xc200000000000000", "0xc300000000000000", "gcm",
     r"the sum H\^2 is used before it is one: its products or their reduction are wrong"),
    ("the lengths", "mode/gcm_message_t.h", "(uint64_t)aad_len << 3, (uint64_t)len << 3",
     "(uint64_t)aad_len << 3, (uint64_t)len << 2", "gcm", r"the tag is wrong: it has H\^1 instead of"),
    ("a constant of the key schedule", "mode/key_t.h", "ROTATED(0, 0x1b, 0, 0)", "ROTATED(0, 0x1d, 0, 0)", "gcm",
     r"round key 9 of 10 is wrong"),
    ("a byte of the tag", "mode/gcm_message_t.h", "b_differ(b_keep(mine, k->tag_len), gcm_part(k, tag, k->tag_len))",
     "b_differ(b_keep(mine, k->tag_len - 1u), gcm_part(k, tag, k->tag_len - 1u))", "gcm",
     r"the verdict is not whether the tags are equal: byte 3 does not count"),
    ("a byte of a forgery", "mode/gcm_message_t.h", "memset(out, 0, len);", "memset(out, 0, len - (len > 0));", "gcm",
     r"byte 0 of the text \(block 0, counter 2\) is wrong"),
    ("vector registers", "mode/gcm_message_t.h", "  CLEAR_UNRESERVED();\n  if (__builtin", "  if (__builtin", "gcm",
     r"leaves what is not public in zmm"),
    ("general registers", "mode/wipe_t.h", "    CLEAR_GENERAL();", "    ((void)0);", "gcm",
     r"leaves what is not public in r"),
    ("general registers of CCM", "mode/ccm_t.h", "  clear_parts();\n", "", "aes", r"ccm_enc: .*leaves what is not public in r"),
    ("the stack", "mode/gcm_passes_t.h", "  EACH(i, PASS_VECTORS, v_store(t->out",
     "  v_store(&((volatile uint8_t *)__builtin_frame_address(0))[-2048], p->x[0]);\n  EACH(i, PASS_VECTORS, v_store(t->out",
     "gcm", r"leaves what is not public in stack-"),
    ("bytes beyond the text", "isa/part.h", "part_get(p + n - 8, 8) >> (8 * (16 - n))", "part_get(p + 8, 8) & "
     "((uint64_t)1 << (8 * (n - 8))) - 1", "gcm", r"load of 8 bytes: aad\+8 of 13"),
    ("a branch on the key", "mode/gcm_message_t.h", "  const size_t len = left_bytes(last_src.packed);",
     "  if (to.k->rk.b[3] & 1)\n    __asm__ volatile(\"nop\");\n  const size_t len = left_bytes(last_src.packed);", "gcm",
     r"a branch, an address or a sum depends on data"),
    ("the step of a tweak", "isa/ops_x86_modes.h", "v_bcast(_mm_cvtsi32_si128(0x87)), 0x01)",
     "v_bcast(_mm_cvtsi32_si128(0x86)), 0x01)", "xts", r"byte \d+ of the text \(block \d+\) is wrong"),
    ("the number of a sector", "mode/xts_t.h", "i++, number += s->step)", "i++, number += s->step + 1)", "xts",
     r"byte \d+ of the text \(block \d+\) is wrong"),
    ("the carry of a counter", "isa/ops_x86_modes.h", "_mm256_add_epi64(s, _mm256_bslli_epi128(carry, 8))",
     "_mm256_add_epi64(s, _mm256_bslli_epi128(_mm256_setzero_si256(), 8 + 0 * (int)sizeof carry))", "aes",
     r"ctr_blocks: .*byte \d+ of the text \(block \d+\) is wrong"),
    ("the chaining value", "mode/cbc_t.h", "b_store(iv, c);", "b_store(iv, x);", "aes",
     r"cbc_enc: .*byte 0 of the iv behind 1 blocks is wrong"),
    ("what a wipe leaves", "mode/gcm_once_t.h", "wipe_powers(&k->h, once_powers(aad_len, len));",
     "wipe_powers(&k->h, once_powers(aad_len, len) - POWERS_STEP);", "pieces", r"gcm_wipe_once leaves 16 bytes"),
    ("the hash that waits", "mode/gcm_stream_t.h", "    g.acc = blocks_pending(k, g.acc);", "    g.acc = g.acc;", "pieces",
     r"byte 0 of the hash is wrong: it has .*Y.* instead of .*Y"),
    ("a tag in general registers", "ct.h", "  RIJN_CLEAR_GENERAL();\n  return equal;", "  return equal;", "gcm",
     r"decrypt .*forged=True: gcm_decrypt leaves what is not public in "),
    ("a byte of the tag in the rules", "gcm_stream.c", "rijn_ct_eq(r->chain.acc, tag, r->k->tag_len)",
     "rijn_ct_eq(r->chain.acc, tag, r->k->tag_len - 1u)", "gcm", r"the verdict is not whether the tags are equal: byte 15"),
    ("the top bit of GCM-SIV's hash", "mode/siv_t.h", "b_t x = b_and(b_xor(hash, GF_LITTLE(b_load12(nonce))), low);",
     "b_t x = b_xor(hash, GF_LITTLE(b_load12(nonce)));\n  (void)low;", "siv", r"is wrong"),
]
# a row of the table, and what it does instead; groups
TABLE_FAULTS = [
    ("vpaddd", "vpsubd", "aes"), ("vpshufd", "vpshufhw", "gcm"), ("vpclmulhqlqdq", "vpclmullqlqdq", "gcm"),
    ("vaesdec", "vaesenc", "xts"), ("ja", "jae", "gcm"),
]


def commands(build, file=""):
    """How what a file is a part of is compiled, and the library linked."""
    out = subprocess.run(["ninja", "-C", build, "-t", "compdb"], capture_output=True, text=True, check=True).stdout
    rows = json.loads(out)
    unit = re.escape(RULES.get(file, f"isa/{FILE}"))
    link = next(r for r in rows if re.fullmatch(r"src/librijn\.so\.\d+\.\d+\.\d+", r["output"]))
    made = re.search(rf"src/CMakeFiles/rijn_\w+\.dir/{unit}\.c\.o", link["command"])[0]
    make = next(r for r in rows if r["output"] == made)
    return make["command"], make["output"], link["command"], link["output"]


def build_fault(build, work, file, text, fault):
    """A library with the fault, or why there is none."""
    sources = os.path.join(work, "src")
    shutil.rmtree(sources, ignore_errors=True)
    shutil.copytree(os.path.join(ROOT, "src"), sources)
    path = os.path.join(sources, file)
    with open(path, encoding="utf-8") as f:
        old = f.read()
    if text not in old:
        return None, f"{file} has no {text!r}"
    with open(path, "w", encoding="utf-8") as f:
        f.write(old.replace(text, fault, 1))
    make, made, link, linked = commands(build, file)
    target, library = os.path.join(work, FILE + ".o"), os.path.join(work, "librijn.so")
    make = re.sub(r"-M[DTF]( \S+\.[od]+)?", "", make).replace(os.path.join(ROOT, "src"), sources)
    make = make.replace(f"-o {made}", f"-o {target}")
    link = link.replace(f"-o {linked}", f"-o {library}").replace(made, target)
    for command in (make, link):
        done = subprocess.run(command, shell=True, cwd=build, capture_output=True, text=True, check=False)
        if done.returncode:
            return None, done.stderr[-800:]
    return library, None


def prove(library, group, *more):
    done = subprocess.run([sys.executable, "-B", os.path.join(HERE, "rijn-prove"), library, "--impl", SET, "--group", group,
                           "--bits", "128", "--jobs", "1", "--lengths", "1,15,16,32,100,600", *more], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def judge(what, code, text, wanted):
    seen = [line.strip() for line in text.splitlines() if re.search(wanted, line)]
    good = code == 1 and "FAULTS:" in text and bool(seen)
    print(f"{'seen  ' if good else 'NOT SEEN'} {what}: {seen[0] if seen else text.strip()[-600:]}", flush=True)
    return good


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("build")
    p.add_argument("--only", default="", help="faults whose names have this")
    args = p.parse_args()
    build = os.path.abspath(args.build)
    library = os.path.join(build, commands(build)[3])
    failed = 0
    with tempfile.TemporaryDirectory() as work:
        for what, file, text, fault, group, wanted in C_FAULTS:
            if args.only not in what:
                continue
            made, why = build_fault(build, work, file, text, fault)
            failed += not (judge(what, *prove(made, group), wanted) if made else print(f"NOT BUILT {what}: {why}"))
    for row, other, group in TABLE_FAULTS:
        if args.only in f"the row of {row}":
            failed += not judge(f"the row of {row}", *prove(library, group, "--swap", row, other), "wrong|no row|load|store|sum")
    if not args.only:
        code, text = prove(library, "gcm")
        failed += code != 0
        print(f"{'proved' if code == 0 else 'NOT PROVED'} the library without a fault")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
