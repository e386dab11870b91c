/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Template: ECB (SP 800-38A 6.1), both directions: each block by itself. Parameters as in modes_t.h. Needs the v_ and
 * b_ rounds of encryption and decryption. */

/* n vectors, a constant, from in to out. The last round key is loaded once, before any store, behind which a
 * compiler has to load it again (T-146). */
#define ECB_VECTORS(n, round, last)                                                                                    \
  do {                                                                                                                 \
    v_t x[MODE_ROOM], k = v_bcast_mem(rk);                                                                             \
    const uint8_t *key = rk;                                                                                           \
    EACH(i, n, x[i] = v_aes_first(v_load(in + VEC * i), k));                                                           \
    AES_MIDDLE(round, n, x, k, key, rounds);                                                                           \
    v_t k_last = v_bcast_mem(key);                                                                                     \
    EACH(i, n, v_store(out + VEC * i, last(x[i], k, k_last)));                                                         \
  } while (0)
/* nblk blocks: passes, four vectors, two, single ones, and the part of a vector that is left. */
#define ECB_KERNEL(round, last)                                                                                        \
  do {                                                                                                                 \
    HOLD_REGS(CLEAR_MORE);                                                                                             \
    for (; nblk >= MODE_BLOCKS; nblk -= MODE_BLOCKS, in += MODE_BYTES, out += MODE_BYTES)                              \
      ECB_VECTORS(MODE_NV, round, last);                                                                               \
    while (nblk >= VB) {                                                                                               \
      size_t n = VB;                                                                                                   \
      if (__builtin_expect(nblk >= MODE_FEW * VB, 0)) {                                                                \
        n = MODE_FEW * VB;                                                                                             \
        ECB_VECTORS(MODE_FEW, round, last);                                                                            \
      } else if (__builtin_expect(nblk >= 2 * VB, 0)) {                                                                \
        n = 2 * VB;                                                                                                    \
        ECB_VECTORS(2, round, last);                                                                                   \
      } else {                                                                                                         \
        ECB_VECTORS(1, round, last);                                                                                   \
      }                                                                                                                \
      nblk -= n, in += 16 * n, out += 16 * n;                                                                          \
    }                                                                                                                  \
    if (VB > 1 && nblk) {                                                                                              \
      v_t x[MODE_ROOM], k = v_bcast_mem(rk);                                                                           \
      x[0] = v_aes_first(v_load_part(in, 16 * nblk), k);                                                               \
      AES_MIDDLE(round, 1, x, k, rk, rounds);                                                                          \
      v_store_part(out, last(x[0], k, v_bcast_mem(rk)), 16 * nblk);                                                    \
    }                                                                                                                  \
    CLEAR_HELD();                                                                                                      \
  } while (0)

/* The kernel `name` of a direction. A call for one block has its own way; `many` is for all else. */
#define ECB(name, many, round, last)                                                                                   \
  NOINLINE void many(const uint8_t *rk, unsigned rounds, uint8_t *out, const uint8_t *in, size_t nblk) {               \
    ECB_KERNEL(v_##round, v_##last);                                                                                   \
  }                                                                                                                    \
  static void name(const struct rijn_rk *keys, unsigned rounds, uint8_t *out, const uint8_t *in, size_t nblk) {        \
    const uint8_t *rk = keys->b;                                                                                       \
    if (nblk == 1) {                                                                                                   \
      HOLD_REGS(CLEAR_MORE);                                                                                           \
      b_t k = b_load(rk), x = b_aes_first(b_load(in), k);                                                              \
      B_MIDDLE(b_##round, x, k, rk, rounds);                                                                           \
      b_store(out, b_##last(x, k, b_load(rk)));                                                                        \
      CLEAR_HELD();                                                                                                    \
    } else {                                                                                                           \
      many(rk, rounds, out, in, nblk);                                                                                 \
    }                                                                                                                  \
  }
ECB(ecb_enc, ecb_enc_many, aes_round, aes_last)
ECB(ecb_dec, ecb_dec_many, aesd_round, aesd_last)
#undef ECB
#undef ECB_VECTORS
#undef ECB_KERNEL
