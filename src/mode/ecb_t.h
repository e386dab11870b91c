/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Template: ECB (SP 800-38A 6.1), both directions: each block by itself. Parameters as in modes_t.h. Needs the v_ and
 * b_ rounds of encryption and decryption. */

/* n vectors, a constant, from in to out. The last round key is loaded once, before any store, behind which a compiler
 * has to load it again (T-146). */
INLINE void ecb_vectors(const uint8_t *rk, unsigned rounds, uint8_t *out, const uint8_t *in, const int n,
                        const enum direction dir) {
  v_t x[MODE_ROOM], k = v_bcast_mem(rk);
  EACH(i, n, x[i] = v_aes_first(v_load(in + VECTOR_BYTES * i), k));
  aes_middle_rounds(x, &k, &rk, rounds, n, dir);
  v_t k_last = v_bcast_mem(rk);
  EACH(i, n, v_store(out + VECTOR_BYTES * i, v_round_last(x[i], k, k_last, dir)));
}
/* nblk blocks: passes, four vectors, two, single ones, and the part of a vector that is left. */
INLINE void ecb_many(const uint8_t *rk, unsigned rounds, uint8_t *out, const uint8_t *in, size_t nblk,
                     const enum direction dir) {
  RESERVE_REGS(REGS_16_31);
  for (; nblk >= MODE_BLOCKS; nblk -= MODE_BLOCKS, in += MODE_BYTES, out += MODE_BYTES)
    ecb_vectors(rk, rounds, out, in, MODE_VECTORS, dir);
  while (nblk >= VECTOR_BLOCKS) {
    size_t n = VECTOR_BLOCKS;
    if (__builtin_expect(nblk >= MODE_FEW * VECTOR_BLOCKS, 0)) {
      n = MODE_FEW * VECTOR_BLOCKS;
      ecb_vectors(rk, rounds, out, in, MODE_FEW, dir);
    } else if (__builtin_expect(nblk >= 2 * VECTOR_BLOCKS, 0)) {
      n = 2 * VECTOR_BLOCKS;
      ecb_vectors(rk, rounds, out, in, 2, dir);
    } else {
      ecb_vectors(rk, rounds, out, in, 1, dir);
    }
    nblk -= n;
    in += 16 * n;
    out += 16 * n;
  }
  if (VECTOR_BLOCKS > 1 && nblk) {
    v_t x[MODE_ROOM], k = v_bcast_mem(rk);
    x[0] = v_aes_first(v_load_part(in, 16 * nblk), k);
    aes_middle_rounds(x, &k, &rk, rounds, 1, dir);
    v_store_part(out, v_round_last(x[0], k, v_bcast_mem(rk), dir), 16 * nblk);
  }
  CLEAR_UNRESERVED();
}
/* A call for one block has its own way. */
INLINE void ecb_one(const uint8_t *rk, unsigned rounds, uint8_t *out, const uint8_t *in, const enum direction dir) {
  RESERVE_REGS(REGS_16_31);
  b_t k = b_load(rk), x = b_aes_first(b_load(in), k);
  b_middle_rounds(&x, &k, &rk, rounds, dir);
  b_store(out, b_round_last(x, k, b_load(rk), dir));
  CLEAR_UNRESERVED();
}

NOINLINE void ecb_enc_many(const uint8_t *rk, unsigned rounds, uint8_t *out, const uint8_t *in, size_t nblk) {
  ecb_many(rk, rounds, out, in, nblk, ENCRYPT);
}
NOINLINE void ecb_dec_many(const uint8_t *rk, unsigned rounds, uint8_t *out, const uint8_t *in, size_t nblk) {
  ecb_many(rk, rounds, out, in, nblk, DECRYPT);
}
static void ecb_enc(const struct rijn_rk *keys, unsigned rounds, uint8_t *out, const uint8_t *in, size_t nblk) {
  if (nblk == 1)
    ecb_one(keys->b, rounds, out, in, ENCRYPT);
  else
    ecb_enc_many(keys->b, rounds, out, in, nblk);
}
static void ecb_dec(const struct rijn_rk *keys, unsigned rounds, uint8_t *out, const uint8_t *in, size_t nblk) {
  if (nblk == 1)
    ecb_one(keys->b, rounds, out, in, DECRYPT);
  else
    ecb_dec_many(keys->b, rounds, out, in, nblk);
}
