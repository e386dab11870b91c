/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Template: CBC (SP 800-38A 6.2). Parameters as in modes_t.h.
 *
 * Encryption of a block needs the ciphertext of the one before, so it goes block by block. Decryption does not: the
 * block before is ciphertext, and there already. In place it may be overwritten too early, though: the vectors of a
 * group are written from the last to the first, and the last block of ciphertext is kept for the group behind.
 */

/* One block waits for the other; only the sum of text and first round key can be made ahead. Rounds are written out, so
 * that the processor looks ahead to that (T-145). */
static void cbc_enc(const struct rijn_rk *keys, unsigned rounds, uint8_t *out, const uint8_t *in, size_t nblk,
                    uint8_t iv[16]) {
  if (nblk == 0)
    return;
  HOLD_REGS(REGS_16_31);
  const uint8_t *last = keys->b + 16 * rounds;
  b_t k0 = b_load(keys->b), x = b_aes_first(b_xor(b_load(iv), b_load(in)), k0);
  for (;;) {
    b_t k = k0, c;
    const uint8_t *rk = keys->b;
    b_middle(&x, &k, &rk, rounds, ENCRYPT);
    c = b_aes_last(x, k, b_load(last));
    b_store(out, c);
    if (--nblk == 0) {
      b_store(iv, c);
      break;
    }
    in += 16;
    out += 16;
    x = b_aes_last_xor(x, k, b_load(last), b_aes_first(b_load(in), k0));
  }
  CLEAR_HELD();
}

/* n vectors, a constant; prev: the block of ciphertext before. In place: the block before each vector is read a second
 * time when the vector is written, so they are written from the end. Returns the last block of ciphertext. */
INLINE b_t cbc_vectors(const uint8_t *dk, unsigned rounds, uint8_t *out, const uint8_t *in, b_t prev, const int n) {
  v_t x[MODE_ROOM], k = v_bcast_mem(dk), first = v_prev(prev, v_load(in));
  EACH(i, n, x[i] = v_aes_first(v_load(in + VEC * i), k));
  aes_middle(x, &k, &dk, rounds, n, DECRYPT);
  v_t k_last = v_bcast_mem(dk);
  prev = b_load(in + VEC * n - 16);
  EACH(i, n, {
    const int j = n - 1 - i;
    v_store(out + VEC * j, v_aesd_last_xor(x[j], k, k_last, j ? v_load(in + VEC * j - 16) : first));
  });
  return prev;
}
static void cbc_dec(const struct rijn_rk *keys, unsigned rounds, uint8_t *out, const uint8_t *in, size_t nblk,
                    uint8_t iv[16]) {
  if (nblk == 0)
    return;
  HOLD_REGS(REGS_16_31);
  if (nblk == 1) {
    const uint8_t *dk = keys->b;
    b_t c = b_load(in), k = b_load(dk), x = b_aes_first(c, k);
    b_middle(&x, &k, &dk, rounds, DECRYPT);
    x = b_aesd_last_xor(x, k, b_load(dk), b_load(iv));
    b_store(iv, c);
    b_store(out, x);
    CLEAR_HELD();
    return;
  }
  b_t prev = b_load(iv);
  b_store(iv, b_load(in + 16 * (nblk - 1)));
  for (; nblk >= MODE_BLOCKS; nblk -= MODE_BLOCKS, in += MODE_BYTES, out += MODE_BYTES)
    prev = cbc_vectors(keys->b, rounds, out, in, prev, MODE_VECTORS);
  while (nblk) {
    size_t n = nblk < VECTOR_BLOCKS ? nblk : VECTOR_BLOCKS;
    if (__builtin_expect(nblk >= MODE_FEW * VECTOR_BLOCKS, 0)) {
      n = MODE_FEW * VECTOR_BLOCKS;
      prev = cbc_vectors(keys->b, rounds, out, in, prev, MODE_FEW);
    } else if (__builtin_expect(nblk >= 2 * VECTOR_BLOCKS, 0)) {
      n = 2 * VECTOR_BLOCKS;
      prev = cbc_vectors(keys->b, rounds, out, in, prev, 2);
    } else {
      const uint8_t *dk = keys->b;
      v_t x[MODE_ROOM], k = v_bcast_mem(dk), c = v_load_part(in, 16 * n);
      x[0] = v_aes_first(c, k);
      aes_middle(x, &k, &dk, rounds, 1, DECRYPT);
      x[0] = v_aesd_last_xor(x[0], k, v_bcast_mem(dk), v_prev(prev, c));
      prev = v_last(c); /* of a full vector; nothing follows the other kind */
      v_store_part(out, x[0], 16 * n);
    }
    nblk -= n;
    in += 16 * n;
    out += 16 * n;
  }
  CLEAR_HELD();
}
