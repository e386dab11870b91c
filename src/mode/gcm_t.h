/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Template: AES-GCM (SP 800-38D 7.1, 7.2). This file has the words and the types; then the parts, in the order in which
 * they build on one another:
 *
 *     gcm_counters_t.h    counter blocks: where they come from
 *     table_t.h           the table of counters' states after two rounds, for long messages
 *     gcm_passes_t.h      long texts: AES and the multiplies side by side
 *     gcm_tail_t.h        short texts, and the ends of long ones: groups, and the tag
 *     gcm_message_t.h     the ways of a call, from gcm_encrypt and gcm_decrypt to the tag
 *     gcm_stream_t.h      keys, and the blocks of a message in pieces
 *     gcm_once_t.h        keys for one message
 *
 * Parameters: those of tune.def, with what tune.h makes of them, and
 *   v_counter(page, row)  the counter blocks of a page and a vector of rows, below: v_xor on x86, else v_add32
 *   STACK_FITS   defined (isa/sets.def says when) where messages without passes leave nothing on the stack even though
 *                SPILLS is 1, and longer ones little
 *   STACK_LARGE  defined (src/CMakeLists.txt says when) where frames are larger than usual
 *
 * Words:
 *   pass       P blocks of a long message that go through AES side by side. Between its rounds stand the multiplies of
 *              the pass before (encryption) or of its own ciphertext (decryption, which has it from the start), so that
 *              AES and the multiplier work at the same time
 *   tail       what the passes leave; a message of up to ONE_CALL_BYTES bytes is all tail
 *   group      vectors of a tail that go through AES side by side; the last one encrypts J0 as well
 *   page, row  the two parts whose sum is the block of a public counter c. A page is 256 counters that differ in the
 *              last byte only:
 *
 *                  page    nonce || c - c % 256    in a register, for up to 256 counters; the first round key is added
 *                  row     0 .. 0 || c % 256       in rijn_counters: a load
 *
 *              Rows from 256 on have a 1 in the last byte but one. Added to an even page, whose byte there is even,
 *              they are counters of the next page: so a pass need not end where an even page does.
 *              One operation makes a vector of counters, where an addition and the round key would be two (T-006)
 */

/* A row of counters, in rijn_counters or in an array of the call. */
typedef uint8_t row_t[16];

/* Text that is still to be done. */
struct text {
  uint8_t *out;
  const uint8_t *in;
  size_t left; /* bytes */
};
INLINE void text_skip(struct text *t, size_t n) {
  t->in += n;
  t->out += n;
  t->left -= n;
}

/* The same as two pairs: where the text goes, and under which key; what is to be read, and how much of it. WHY pairs: a
 * struct of two words is handed on in registers, a larger one on the stack, which costs a short message more than its
 * AES. A short message is handed on so:
 *
 *     gcm_encrypt_short    dst {k, out}    src {in, left}               nonce_tag {nonce, tag}
 *     gcm_encrypt_groups   dst             src                          row_tag {row, tag}       with masks only
 *     gcm_encrypt_tail     dst             src_deferred {in, packed}    row_tag
 *     tail_end             text {out, in, left}
 *
 * packed is left, and whether ciphertext before it still has to be hashed (gcm_tail_t.h). On the other ways one struct
 * gcm_message in memory has all that the caller gave. */
struct dst {
  const struct rijn_gcm *k;
  uint8_t *out;
};
struct src {
  const uint8_t *in;
  size_t left; /* bytes */
};

/* PASS: bytes of a pass. TAIL_ROWS: counters that are still to come when the passes are through, at most: those of a
 * pass, of the vector that decryption leaves, and what loads of whole vectors take along; under masks J0's is among
 * the last. */
enum { PASS = 16 * P_BLOCKS, TAIL_ROWS = P_BLOCKS + (HAS_MASKS ? 2 : 3) * VECTOR_BLOCKS };
/* Is the last pass of an encrypted message hashed under the AES of its tail? Else at the end of the passes. It wants a
 * size_t of 64 bits (left_bytes). */
enum { LAST_PASS_LATE = !HAS_MASKS && sizeof(size_t) > 4 };

/* The kinds of counters. With a nonce of 12 bytes they are PUBLIC, and TABLED where a table has their states after two
 * rounds (table_t.h). Those of a stream may be SECRET, because J0 may be a GHASH: they are kept as integers whose bytes
 * are reversed for each block, with no branch and no index. KIND_12: that of a message whose nonce has 12 bytes. */
enum counters { SECRET, PUBLIC, TABLED, KIND_12 = BLOCK_IS_INTEGER ? SECRET : PUBLIC };

/* A message in passes. */
typedef struct {
  v_t ctr;   /* SECRET: the counters of the next vector, as integers; else their page, with the first round key added */
  v_t acc;   /* each lane's sum so far; is added to the next vector that is hashed */
  sum_t s;   /* products that wait for a reduction */
  size_t hp; /* the next vector to be hashed is multiplied by powers from pow[hp] on */
  /* PUBLIC, TABLED: the counter of the next block, the page that ctr has, the last counter at which a pass may begin
   * that has its counters from rows */
  uint32_t next, page, stop;
  uint8_t *table;        /* table_t.h's, of this call; NULL: none */
  v_t delta, delta_step; /* TABLED: D of this page (table_t.h), and D of this page plus D of the next */
  /* Ciphertext that the next pass hashes, if KEEP_TEXT; round keys 3, 4, 5 and the last five, if KEEP_LANES. */
  v_t kept[PASS_VECTORS], held[8];
} gcm_t;

#include "gcm_counters_t.h"

#include "table_t.h"

#include "gcm_passes_t.h"

#include "gcm_tail_t.h"

#include "gcm_message_t.h"

#include "gcm_stream_t.h"

#include "gcm_once_t.h"

/* The kernels' fields in struct rijn_impl. */
#define GCM_KERNELS                                                                                                    \
  .gcm_init = gcm_init, .gcm_init_once = gcm_init_once, .gcm_wipe_once = gcm_wipe_once, .ghash_init = ghash_init,      \
  .gcm_encrypt = gcm_encrypt, .gcm_decrypt = gcm_decrypt, .gcm_encrypt_checked = gcm_encrypt_checked,                  \
  .gcm_decrypt_checked = gcm_decrypt_checked, .gcm_enc_blocks = gcm_enc_blocks, .gcm_dec_blocks = gcm_dec_blocks,      \
  .gcm_blocks_tag = gcm_blocks_tag, .ghash_blocks = ghash_blocks
