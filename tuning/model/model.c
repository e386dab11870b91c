/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* For tuning/model/model: the loops of the templates between markers for llvm-mca. The public branches of a pass (key
 * size, whether the counter's last byte overflows) are decided here, because a simulator of straight code cannot follow
 * them.
 * The pass of GHASH alone has a loop inside: tuning/model/model writes out its turns.
 * Compiled with the flags of an instruction set and -DMODEL_ISA="its file"; never linked into anything. */
#include MODEL_ISA

#ifdef __aarch64__
#define MARK "// "
#else
#define MARK "# "
#endif
#define BEGIN(name) __asm__ volatile(MARK "LLVM-MCA-BEGIN " name ::: "memory")
#define END(name) __asm__ volatile(MARK "LLVM-MCA-END " name ::: "memory")
#define ASSUME(c)                                                                                                      \
  if (!(c))                                                                                                            \
  __builtin_unreachable()

/* Each pass ends with a reduction, be it one that others share. */
#if HASH_PAIRS
#define REDUCES (void)0
#else
#define REDUCES                                                                                                        \
  __asm__ volatile("" : "+r"(g.hp));                                                                                   \
  ASSUME(g.hp == HP_LAST)
#endif

#define GCM_LOOP(bits, enc, name)                                                                                      \
  void model_gcm_##enc##_##bits(gcm_t *gp, const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t n);       \
  void model_gcm_##enc##_##bits(gcm_t *gp, const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t n) {      \
    gcm_t g = *gp;                                                                                                     \
    pass_t p;                                                                                                          \
    struct rest t = {out, in, n};                                                                                      \
    g.table = NULL;                                                                                                    \
    do {                                                                                                               \
      BEGIN(name);                                                                                                     \
      REDUCES;                                                                                                         \
      ASSUME(k->rounds == bits / 32 + 6);                                                                              \
      ASSUME(g.next <= g.stop);                                                                                        \
      ASSUME(t.in &&t.out - PASS);                                                                                     \
      p.hashed = enc ? t.out - PASS : t.in;                                                                            \
      gcm_pass(&g, k, &p, &t, 1, KIND_12);                                                                             \
    } while (t.left >= PASS);                                                                                          \
    END(name);                                                                                                         \
    *gp = g;                                                                                                           \
  }
GCM_LOOP(128, 1, "gcm-enc-128")
GCM_LOOP(192, 1, "gcm-enc-192")
GCM_LOOP(256, 1, "gcm-enc-256")
GCM_LOOP(128, 0, "gcm-dec-128")
GCM_LOOP(192, 0, "gcm-dec-192")
GCM_LOOP(256, 0, "gcm-dec-256")

#define ECB_LOOP(dir, bits, way, name)                                                                                 \
  void model_ecb_##dir##_##bits(const uint8_t *rk, uint8_t *out, const uint8_t *in, size_t n);                         \
  void model_ecb_##dir##_##bits(const uint8_t *rk, uint8_t *out, const uint8_t *in, size_t n) {                        \
    ASSUME(rk);                                                                                                        \
    ASSUME(in);                                                                                                        \
    ASSUME(out);                                                                                                       \
    do {                                                                                                               \
      BEGIN(name);                                                                                                     \
      v_t x[MODE_ROOM], k = v_bcast_mem(rk);                                                                           \
      const uint8_t *key = rk;                                                                                         \
      EACH(i, MODE_VECTORS, x[i] = v_aes_first(v_load(in + VECTOR_BYTES * i), k));                                     \
      aes_middle_rounds(x, &k, &key, bits / 32 + 6, MODE_VECTORS, way);                                                \
      v_t k_last = v_bcast_mem(key);                                                                                   \
      EACH(i, MODE_VECTORS, v_store(out + VECTOR_BYTES * i, v_round_last(x[i], k, k_last, way)));                      \
      in += MODE_BYTES, out += MODE_BYTES;                                                                             \
    } while (--n);                                                                                                     \
    END(name);                                                                                                         \
  }
ECB_LOOP(enc, 128, ENCRYPT, "ecb-enc-128")
ECB_LOOP(dec, 128, DECRYPT, "ecb-dec-128")

void model_ghash(const struct rijn_hpow *h, v_t *acc, const uint8_t *p, size_t n);
void model_ghash(const struct rijn_hpow *h, v_t *acc, const uint8_t *p, size_t n) {
  v_t sum = *acc;
  ASSUME(p);
  do {
    BEGIN("ghash");
    sum = gf_pass(h, sum, p, GHASH);
    p += 2 * PASS;
  } while (--n);
  END("ghash");
  *acc = sum;
}
