# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""The harnesses, their bounds, and the faults that each has been shown to see."""
from typing import NamedTuple


class Fault(NamedTuple):
    what: str
    file: str
    old: str
    new: str


class Harness(NamedTuple):
    name: str
    file: str
    function: str
    bounds: str
    unwind: int = 20  # loops; that it is enough is proved too
    replaced: tuple = ()  # (function, the contract that stands in its place)
    defines: tuple = ()
    loops: tuple = ()  # (file of src, part of its line, bound): loops whose count is a length; run.loop_bounds
    faults: tuple = ()
    pointers: bool = True  # pointers that are only computed are checked too, and not only those that are used
    # Objects up to so many bytes are to CBMC as many variables. Of a larger one it has a new copy for each byte that is
    # written, and a stream is written byte by byte: in an hour there was no answer, where this way it takes seconds.
    # Of a key that is wiped the opposite is true.
    apart: int = 64


# Functions whose unsigned arithmetic wraps by intention.
MEANT_TO_WRAP = {
    "rijn_impl_is": "id 0 becomes the largest number, which is beyond the table",
    "rijn_disjoint": "distances modulo 2^N",
    "rijn_gcm_surely_valid": "distances modulo 2^N",
    "inc32": "SP 800-38D section 6.2: modulo 2^32",
    "rijn_ct_zero": "masks",
}

# Loops of a constant count, wherever they are: wiping, round keys.
CONSTANT_LOOPS = (("i < bytes / turns", 75), ("n - i >= 4 * VECTOR_BYTES", 20), ("r < rounds; r++", 15), ("r = rounds - written_out; r; r -= 2", 15),
                  ("r = written_out; --r;", 15), ("(at += 16) != end", 15))

ANY = "any arguments"
PARTS = (("stream_crypt_part", "crypt_part_contract"), ("absorb_part", "absorb_part_contract"))


def rules(function, *faults, bounds=ANY, **more):
    return Harness(f"gcm_rules.{function}", "gcm_rules.c", function, bounds, faults=faults, **more)


def pieces(function, *faults, bounds="any stream, text to 2^36-32, data to 2^50", replaced=PARTS, apart=2048, **more):
    return Harness(f"gcm_pieces.{function}", "gcm_pieces.c", function, bounds, replaced=replaced, faults=faults, apart=apart,
                   **more)


def fault(file, what, old, new):
    return Fault(what, "src/" + file, old, new)


def xts(function, *faults, bounds=ANY, name=None, **more):
    return Harness(f"xts_rules.{name or function}", "xts_rules.c", function, bounds, faults=faults, **more)


AVX = ("__SSE4_1__", "__SSE4_2__", "__AVX__")
AVX512 = AVX + ("__AVX2__", "__AVX512F__", "__AVX512BW__", "__AVX512VL__")


BLOCK = (("b_load_part", "load_part_contract"), ("b_store_part", "store_part_contract"))


def templates(isa, function, length, *faults, features=(), loops=(), bounds="", unwind=8, replaced=BLOCK,
              pointers=True):
    return Harness(f"{isa}.{function}", "templates.c", function, bounds or f"text to {length} bytes", unwind, replaced,
                   (f'SET_FILE="../src/isa/{isa}.c"', f"LEN={length}", *features), loops, faults, pointers)


# Bounds for up to 18 blocks and a part of one, 8 a pass.
XTS_LOOPS = tuple(("mode/xts_t.h", text, count) for text, count in (
    ("at + 16 * XTS_AHEAD < XTS_BYTES && ", 4), ("; nblk + (stolen != 0) > MODE_BLOCKS; at = ", 2), ("for (;;) {", 2),
    ("for (; nblk >= VECTOR_BLOCKS; nblk -= VECTOR_BLOCKS, in += VEC", 10)))

# What is a tail as a whole. The template computes pointers a part of a block beyond the text, and NULL + 0, which it
# does not use.
GCM_BOUNDS = "text to 160 bytes, data to 40"
GCM_REPLACED = BLOCK + (("gcm_tabled_message", "tabled_never"),)
GCM_LOOPS = (("mode/gcm_tail_plain_t.h", "for (;; packed = t->left) {", 3),)  # groups of a tail

HARNESSES = [
    rules("encrypt",
          fault("gcm.h", "overlap from below is not seen", "(d >= len && -d >= len)", "d >= len"),
          fault("gcm.c", "one byte too many", "rijn_over(len, RIJN_GCM_MAX_LEN)", "rijn_over(len, RIJN_GCM_MAX_LEN + 1)")),
    rules("decrypt",
          fault("gcm.h", "the straight way forgets an error", "tag == NULL || out == NULL || in == NULL",
                "out == NULL || in == NULL")),
    rules("forged", fault("gcm.c", "no zeros", "if (err != RIJN_OK && len != 0)", "if (err != RIJN_OK && len > 1)")),
    rules("init_default", fault("key.h", "a key that nobody made", "if (maker->impl == NULL)", "if (0)")),
    rules("init_taglen", fault("gcm.c", "tags of 11 bytes", "n >= 12 && n <= 16", "n >= 11 && n <= 16")),
    rules("init_impl", fault("key.h", "the object is touched before the last rule", "  int index;\n",
                             "  memset((void *)(uintptr_t)key, 0, 1);\n  int index;\n")),
    rules("wipe", fault("ct.h", "one byte of each piece is left", "memset(b, 0, 32);", "memset(b, 0, 31);"), unwind=66),
    pieces("part_of_text", fault("gcm_stream.c", "the text is hashed", "ENCRYPT ? key : from", "ENCRYPT ? from : key"),
           bounds="within a block", replaced=(), apart=64),
    pieces("part_of_data", fault("gcm_stream.c", "always from the first byte", "uint8_t *acc = r->chain.acc + place;\n  for",
                                 "uint8_t *acc = r->chain.acc;\n  for"),
           bounds="within a block", replaced=(), apart=64),
    pieces("stream_start", fault("gcm_stream.c", "a block too many", "end + start, 2 - start / 16);\n}",
                                 "end + start, 2);\n}")),
    pieces("stream_aad", fault("gcm_stream.c", "beyond the block", "size_t n = len < 16 - place ? len : 16 - place;\n    absorb",
                               "size_t n = len < 16 ? len : 16;\n    absorb")),
    pieces("stream_update", fault("gcm_stream.c", "the limit of a call", "RIJN_GCM_MAX_LEN - t->run.text_len",
                                  "RIJN_GCM_MAX_LEN")),
    pieces("stream_overlap", fault("gcm_stream.c", "overlaps", "if (!rijn_alias_ok(out, in, len))", "if (0)"),
           replaced=PARTS + (("rijn_gcm_ctx_text", "text_never"),)),
    pieces("stream_finish", fault("gcm_stream.c", "the right tag stays", "  rijn_wipe(r, sizeof *r);                  /*",
                                  " /*")),
    pieces("stream_closed", fault("gcm_stream.c", "an end without a beginning", "if (!is_open(t) || t->dir == ENCRYPT)",
                                  "if (t->dir == ENCRYPT)"),
           replaced=PARTS + (("rijn_gcm_ctx_text", "text_never"), ("rijn_gcm_ctx_aad", "aad_never"))),
    xts("init_rules", fault("xts.c", "half of a half", "(const uint8_t *)raw + half, half)",
                            "(const uint8_t *)raw + half, half / 2)"), unwind=40),
    xts("unit_rules", fault("xts.c", "a byte beyond 2^20 blocks", "len > RIJN_XTS_MAX_LEN", "len > RIJN_XTS_MAX_LEN + 1")),
    xts("wipe", fault("ct.h", "one byte of each piece is left", "memset(b, 0, 32);", "memset(b, 0, 31);"), unwind=40),
    xts("sectors_rules", fault("xts.c", "sectors of 256 bytes", "s->size < 512", "s->size < 256"),
        name="sectors_refused", bounds=ANY + ", sizes that are none", defines=("SIZE=0",)),
    xts("sectors_rules", fault("xts.c", "numbers that wrap", "|| span > UINT64_MAX - s->first", ""),
        name="sectors_512_step_1", bounds=ANY + ", sectors of 512, step 1", defines=("SIZE=512", "STEP=1")),
    xts("sectors_rules", fault("xts.c", "the number after the last", "(uint64_t)s->n - 1, s->step", "(uint64_t)s->n, s->step"),
        name="sectors_4096_step_8", bounds=ANY + ", sectors of 4096, step 8", defines=("SIZE=4096", "STEP=8")),
    xts("sectors_rules", fault("xts.c", "a product that wraps", "__builtin_mul_overflow((uint64_t)s->n - 1, s->step, &span)",
                               "(span = (s->n - 1) * s->step, 0)"),
        name="sectors_any_step", bounds=ANY + ", sectors of 65536, at most 5", defines=("SIZE=65536", "MOST=5")),
    xts("tweaks_rules", fault("xts.c", "a run beyond the address space", "if (s->n > SIZE_MAX / s->size)", "if (0)"),
        name="tweaks_4096", bounds=ANY + ", sectors of 4096", defines=("SIZE=4096",)),
    templates("x86_aesni", "partial_blocks", 15,
              fault("isa/part.h", "eight bytes where there are seven", "if (n >= 8)\n    return", "if (n >= 7)\n    return"),
              unwind=20, bounds="parts of a block", replaced=()),
    templates("x86_aesni", "xts_unit", 303,
              fault("mode/xts_t.h", "stealing reads a byte too far", "b_load(in + n), 16 - n)", "b_load(in + n + 1), 16 - n)"),
              fault("mode/xts_t.h", "stealing leaves a byte out", "b_store(out + n, b_up(a, 16 - n))",
                    "b_store(out + n - 1, b_up(a, 16 - n))"),
              loops=XTS_LOOPS),
    templates("x86_aesni", "gcm_encrypts", 160,
              fault("mode/gcm_tail_plain_t.h", "the last part is not stored", "    v_store_part(t->out, made, n);", "    (void)0;"),
              pointers=False, bounds=GCM_BOUNDS, replaced=GCM_REPLACED, loops=GCM_LOOPS),
    templates("x86_aesni", "gcm_decrypts", 160,
              fault("mode/gcm_message_t.h", "a byte of a forgery is left", "memset(out, 0, len);", "memset(out, 0, len - 1);"),
              pointers=False, bounds=GCM_BOUNDS, replaced=GCM_REPLACED, loops=GCM_LOOPS),
]
