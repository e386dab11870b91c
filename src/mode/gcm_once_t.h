/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Template: GCM keys (SP 800-38D 7.1) for one message: kernels of struct rijn_impl. Included by gcm_t.h, which has the
 * words and the parameters. Of the powers such a key has what its message reads. */

/* How many powers a sum of n blocks has made, at most most: whole vectors, in pairs if GF_HAS_PAIRS, and the first two
 * vectors in any case (gf_make_powers). */
enum { POWERS_STEP = GF_HAS_PAIRS ? 2 * VECTOR_BLOCKS : VECTOR_BLOCKS };
INLINE int powers_for(size_t n, const int most) {
  n = (n + POWERS_STEP - 1) / POWERS_STEP * POWERS_STEP;
  if (n < 2 * VECTOR_BLOCKS)
    return 2 * VECTOR_BLOCKS;
  return n < (size_t)most ? (int)n : most;
}
/* A message of so many blocks reads as many powers, and one each for the lengths and for associated data that is none;
 * aad_len and len may each end in a part of a block. Texts with passes, and associated data that gf_pass takes, are so
 * long that they read all. */
INLINE int once_powers(size_t aad_len, size_t len) { return powers_for(aad_len / 16 + len / 16 + 4, POWERS); }
/* The first n powers, as gf_make_powers makes them: AES-GCM-SIV has them made here, too. */
NOINLINE void powers_once(struct rijn_hpow *h, b_t h1, int n) { gf_make_powers(h, h1, n); }
static void gcm_init_once(struct rijn_gcm *k, const uint8_t *raw, size_t aad_len, size_t len) {
  b_t hash_subkey = expand_key(k->rk.b, raw, k->rounds);
  powers_once(&k->h, b_gf_mul_x_inv(b_bswap(hash_subkey)), once_powers(aad_len, len));
  KEY_END();
}

/* n blocks, any number. */
INLINE void wipe_blocks(uint8_t (*p)[16], size_t n) {
  wipe(*p, n / VECTOR_BLOCKS * VECTOR_BLOCKS * 16);
  for (size_t i = n / VECTOR_BLOCKS * VECTOR_BLOCKS; i < n; i++)
    b_store(p[i], b_zero());
  IN_MEMORY(p);
}
/* From the first power on that was made, of n. */
INLINE void wipe_powers(struct rijn_hpow *h, int n) {
  const size_t from = (size_t)(N_POW - n);
  wipe_blocks(h->pow + from, (size_t)n);
  if (GF_HAS_AUX)
    wipe_blocks(h->aux + from, (size_t)n);
  if (GF_HAS_PAIRS) {
    const size_t first = N_POW - size_min((size_t)n, N_POW - GF_FIRST_PAIR);
    wipe_blocks((uint8_t(*)[16])gf_halves_pair(h, first, 0), GF_PAIR_BLOCKS * (N_POW - first) / (2 * VECTOR_BLOCKS));
  }
  if (HASH_PAIRS && n == POWERS)
    wipe_blocks(h->aux, 3 * PASS_VECTORS);
}
static void gcm_wipe_once(struct rijn_gcm *k, size_t aad_len, size_t len) {
  wipe((uint8_t *)k, offsetof(struct rijn_gcm, h));
  wipe_powers(&k->h, once_powers(aad_len, len));
}
_Static_assert(offsetof(struct rijn_gcm, h) % (VECTOR_BYTES) == 0, "the round keys are wiped by whole vectors");
