/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Template: CBC and CFB (SP 800-38A 6.2, and 6.3 with segments of a block), which chain ciphertext in the same way.
 * Parameters as in modes_t.h.
 *
 * Encryption of a block needs the ciphertext of the one before, so it goes block by block. Decryption does not: the
 * block before is ciphertext, and there already. In place it may be overwritten too early, though: the vectors of a
 * group are written from the last to the first, and the last block of ciphertext is kept for the group behind. (CFB
 * reads the blocks before ahead of the cipher, and the order is the same to it.)
 * Streams of CBC that have nothing to do with one another are encrypted side by side.
 */
enum chained { CBC, CFB }; /* a constant in each copy */

/* One block waits for the other; only the sum of text and first round key can be made ahead. Rounds are written out, so
 * that the processor looks ahead to that (T-145). */
INLINE void chain_enc(const struct rijn_rk *keys, unsigned rounds, uint8_t *out, const uint8_t *in, size_t nblk,
                      uint8_t iv[16], const enum chained mode) {
  if (nblk == 0)
    return;
  RESERVE_REGS(REGS_16_31);
  const uint8_t *last = keys->b + 16 * rounds;
  b_t k0 = b_load(keys->b), d = b_load(in), x = b_aes_first(mode == CBC ? b_xor(b_load(iv), d) : b_load(iv), k0);
  for (;;) {
    b_t k = k0, c;
    const uint8_t *rk = keys->b;
    b_middle_rounds(&x, &k, &rk, rounds, ENCRYPT);
    c = mode == CBC ? b_aes_last(x, k, b_load(last)) : b_aes_last_xor(x, k, b_load(last), d);
    b_store(out, c);
    if (--nblk == 0) {
      b_store(iv, c);
      break;
    }
    in += 16;
    out += 16;
    b_t next = b_load(in);
    x = b_aes_last_xor(x, k, b_load(last), b_aes_first(mode == CBC ? next : d, k0));
    d = next;
  }
  CLEAR_UNRESERVED();
}
static void cbc_enc(const struct rijn_rk *keys, unsigned rounds, uint8_t *out, const uint8_t *in, size_t nblk,
                    uint8_t iv[16]) {
  chain_enc(keys, rounds, out, in, nblk, iv, CBC);
}

/* What decrypts: c is ciphertext, before the blocks before, and it is CBC that goes through AES backwards. */
INLINE v_t chain_first(v_t c, v_t before, v_t k, const enum chained mode) {
  return v_aes_first(mode == CBC ? c : before, k);
}
INLINE v_t chain_last(v_t x, v_t k, v_t k_last, v_t c, v_t before, const enum chained mode) {
  return mode == CBC ? v_aesd_last_xor(x, k, k_last, before) : v_aes_last_xor(x, k, k_last, c);
}

/* n vectors, a constant; prev: the block of ciphertext before. In place: what is added behind the cipher is read a
 * second time when the vector is written, so they are written from the end. Returns the last block of ciphertext. */
INLINE b_t chain_vectors(struct keys keys, uint8_t *out, const uint8_t *in, b_t prev, const int n,
                         const enum chained mode) {
  const uint8_t *rk = keys.rk;
  v_t x[MODE_ROOM], k = v_bcast_mem(rk), first = v_prev(prev, v_load(in));
  EACH(i, n,
       x[i] = chain_first(mode == CBC ? v_load(in + VECTOR_BYTES * i) : k,
                          i ? v_load(in + VECTOR_BYTES * i - 16) : first, k, mode));
  aes_middle_rounds(x, &k, &rk, keys.rounds, n, mode == CBC ? DECRYPT : ENCRYPT);
  v_t k_last = v_bcast_mem(rk);
  prev = b_load(in + VECTOR_BYTES * n - 16);
  EACH(i, n, {
    const int j = n - 1 - i;
    v_t before = mode == CFB || j == 0 ? first : v_load(in + VECTOR_BYTES * j - 16);
    v_store(out + VECTOR_BYTES * j,
            chain_last(x[j], k, k_last, mode == CBC ? k : v_load(in + VECTOR_BYTES * j), before, mode));
  });
  return prev;
}
/* A call for one block has its own way. */
INLINE void chain_dec_one(struct keys keys, uint8_t *out, const uint8_t *in, uint8_t iv[16], const enum chained mode) {
  RESERVE_REGS(REGS_16_31);
  const uint8_t *rk = keys.rk;
  b_t c = b_load(in), before = b_load(iv), k = b_load(rk), x = b_aes_first(mode == CBC ? c : before, k);
  b_middle_rounds(&x, &k, &rk, keys.rounds, mode == CBC ? DECRYPT : ENCRYPT);
  x = mode == CBC ? b_aesd_last_xor(x, k, b_load(rk), before) : b_aes_last_xor(x, k, b_load(rk), c);
  b_store(iv, c);
  b_store(out, x);
  CLEAR_UNRESERVED();
}
INLINE void chain_dec(struct keys keys, uint8_t *out, const uint8_t *in, size_t nblk, uint8_t iv[16],
                      const enum chained mode) {
  if (nblk == 0)
    return;
  if (nblk == 1) {
    chain_dec_one(keys, out, in, iv, mode);
    return;
  }
  RESERVE_REGS(REGS_16_31);
  b_t prev = b_load(iv);
  b_store(iv, b_load(in + 16 * (nblk - 1)));
  for (; nblk >= MODE_BLOCKS; nblk -= MODE_BLOCKS, in += MODE_BYTES, out += MODE_BYTES)
    prev = chain_vectors(keys, out, in, prev, MODE_VECTORS, mode);
  while (nblk) {
    size_t n = nblk < VECTOR_BLOCKS ? nblk : VECTOR_BLOCKS;
    if (__builtin_expect(nblk >= MODE_FEW * VECTOR_BLOCKS, 0)) {
      n = MODE_FEW * VECTOR_BLOCKS;
      prev = chain_vectors(keys, out, in, prev, MODE_FEW, mode);
    } else if (__builtin_expect(nblk >= 2 * VECTOR_BLOCKS, 0)) {
      n = 2 * VECTOR_BLOCKS;
      prev = chain_vectors(keys, out, in, prev, 2, mode);
    } else {
      const uint8_t *rk = keys.rk;
      v_t x[MODE_ROOM], k = v_bcast_mem(rk), c = v_load_part(in, 16 * n), before = v_prev(prev, c);
      x[0] = chain_first(c, before, k, mode);
      aes_middle_rounds(x, &k, &rk, keys.rounds, 1, mode == CBC ? DECRYPT : ENCRYPT);
      x[0] = chain_last(x[0], k, v_bcast_mem(rk), c, before, mode);
      prev = v_last(c); /* of a full vector; nothing follows the other kind */
      v_store_part(out, x[0], 16 * n);
    }
    nblk -= n;
    in += 16 * n;
    out += 16 * n;
  }
  CLEAR_UNRESERVED();
}
static void cbc_dec(const struct rijn_rk *dk, unsigned rounds, uint8_t *out, const uint8_t *in, size_t nblk,
                    uint8_t iv[16]) {
  chain_dec((struct keys){dk->b, rounds}, out, in, nblk, iv, CBC);
}

#ifndef RIJN_IN_KERNEL
static void cfb_enc(const struct rijn_rk *keys, unsigned rounds, uint8_t *out, const uint8_t *in, size_t nblk,
                    uint8_t iv[16]) {
  chain_enc(keys, rounds, out, in, nblk, iv, CFB);
}
static void cfb_dec(const struct rijn_rk *rk, unsigned rounds, uint8_t *out, const uint8_t *in, size_t nblk,
                    uint8_t iv[16]) {
  chain_dec((struct keys){rk->b, rounds}, out, in, nblk, iv, CFB);
}

/* nblk blocks of n streams, a constant, side by side. Of a step all text is read before ciphertext is written: a stream
 * may stand there twice, and both write the same. */
INLINE void cbc_side_by_side(const struct rijn_rk *keys, unsigned rounds, const struct rijn_cbc_stream *s, size_t nblk,
                             const int n) {
  RESERVE_REGS(REGS_16_31);
  b_t x[MODE_ROOM], k0 = b_load(keys->b);
  EACH(i, n, x[i] = b_load(s[i].iv));
  for (size_t at = 0; at < 16 * nblk; at += 16) {
    const uint8_t *rk = keys->b;
    b_t k = k0;
    EACH(i, n, x[i] = b_aes_first(b_xor(x[i], b_load(s[i].in + at)), k0));
    b_middle_rounds_n(x, &k, &rk, rounds, n, ENCRYPT);
    b_t last = b_load(rk);
    EACH(i, n, x[i] = b_aes_last(x[i], k, last); b_store(s[i].out + at, x[i]));
  }
  EACH(i, n, b_store(s[i].iv, x[i]));
  CLEAR_UNRESERVED();
}
/* Places that are left take the first stream of their group once more: eight take hardly longer than five. WHY of their
 * group: that of another is encrypted already. */
static void cbc_enc_many(const struct rijn_rk *rk, unsigned rounds, struct rijn_cbc_stream *s, size_t n, size_t nblk) {
  for (size_t i = n; i % MODE_VECTORS != 0; i++)
    s[i] = s[i - i % MODE_VECTORS];
  for (size_t i = 0; i < n; i += MODE_VECTORS) {
    if (MODE_VECTORS > MODE_FEW && n <= MODE_FEW)
      cbc_side_by_side(rk, rounds, s + i, nblk, MODE_FEW);
    else
      cbc_side_by_side(rk, rounds, s + i, nblk, MODE_VECTORS);
  }
  if (SPILLS || SPILLS_MORE)
    zero_stack_640();
}
#endif
