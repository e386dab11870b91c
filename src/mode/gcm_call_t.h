/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Template, included twice: the kernels of struct rijn_impl for whole messages, GCM_ENC 1 or 0. CT: lengths and the nonce are
 * public, and so is each branch on them. */
#if GCM_ENC
#define GCM_(part) gcm_encrypt##part
#define GCM_TAG uint8_t
#else
#define GCM_(part) gcm_decrypt##part
#define GCM_TAG const uint8_t
#endif
#define GCM_ARGS                                                                                                       \
  const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t len, const uint8_t *aad, size_t aad_len,           \
      const uint8_t *nonce, size_t nonce_len, GCM_TAG *tag
#define GCM_SAME k, out, in, len, aad, aad_len, nonce, nonce_len, tag

/* PERF: a function with its vectors in registers, so that short and long messages share it. */
NOINLINE int GCM_(_tail)(const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t len, size_t hp,
                         const uint8_t (*ctr)[16], GCM_TAG *tag, v_t base, b_t a, v_t lo, v_t mid, v_t hi) {
  tail_t g = {.s = {lo, mid, hi}, .base = base, .a = a, .hp = hp, .ctr = ctr};
  b_t mine = tail_all(&g, k, out, in, len, GCM_ENC);
#if GCM_ENC
  b_store_upto16(tag, mine, k->tag_len);
  return tail_end(0);
#else
  /* CT: the verdict is public; where the tags differ is not looked at. */
  uint32_t differ = b_differ(b_keep(mine, k->tag_len), b_load_upto16(tag, k->tag_len));
  __asm__ volatile("" : "+r"(differ)); /* known before the registers are cleared: clang kept the tag until after */
  return tail_end(-(int)differ);
#endif
}
#define GCM_TAIL(g) GCM_(_tail)(k, out, in, len, (g).hp, (g).ctr, tag, (g).base, (g).a, (g).s.lo, (g).s.mid, (g).s.hi)

NOINLINE int GCM_(_long)(GCM_ARGS, uint8_t *table) {
  uint8_t ctr[LONG_CTR][16];
  tail_t g;
  (void)nonce_len;
  gcm_long(&g, k, &out, &in, &len, aad, aad_len, nonce, table, ctr, GCM_ENC);
  return GCM_TAIL(g);
}
#if GCM_CACHE
/* With the table, which is wiped.
 * PERF: half a page away from out, for loads wait for stores with the same address modulo 4096: 16 KiB took 3571 cycles
 * instead of 3290 where chance had it so. */
NOINLINE int GCM_(_cached)(GCM_ARGS) {
  _Alignas(64) uint8_t room[4096 + GCM_TABLE];
  uint8_t *table = room + (((uintptr_t)out - (uintptr_t)room + 2048) & 4032);
  int r = GCM_(_long)(GCM_SAME, table + 32);
  _Pragma("GCC unroll 4") for (int i = 64; i < GCM_TABLE; i += 16 * VB) v_store(table + i, v_zero());
  __asm__ volatile("" ::"r"(room) : "memory");
  return r;
}
#endif
GCM_OTHER int GCM_(_other)(GCM_ARGS) {
#if GCM_CACHE
  /* PERF: AES-128 gains later, for there the AES port is not all: at 16 KiB it lost 3 %, at 64 KiB it gains 5 %. */
  if (len >= (k->rounds > 10 ? GCM_CACHE : 2 * GCM_CACHE))
    return GCM_(_cached)(GCM_SAME);
#endif
  int r = GCM_(_long)(GCM_SAME, NULL);
  if (GCM_SPILLS)
    burn_1152();
  return r;
}
GCM_SHORT int GCM_(_short)(GCM_ARGS) {
  tail_t g;
  (void)nonce_len;
  gcm_start(&g, k, len, b_load_upto16(aad, aad_len), aad_len, nonce);
  int r = GCM_TAIL(g);
  if (GCM_SPILLS)
    burn_384();
  return r;
}
static int GCM_()(GCM_ARGS) {
#ifdef GCM_NARROW
  if (len <= GCM_NARROW_MAX && aad_len <= 16)
    return GCM_NARROW.GCM_()(GCM_SAME);
#endif
  int r;
  if (__builtin_expect(len <= TAIL_REACH && aad_len <= 16, 1))
    r = GCM_(_short)(GCM_SAME);
  else
    r = GCM_(_other)(GCM_SAME);
  if (!GCM_ENC && __builtin_expect(r, 0) && len)
    memset(out, 0, len);
  return r;
}
#undef GCM_
#undef GCM_TAG
#undef GCM_ARGS
#undef GCM_SAME
#undef GCM_TAIL
#undef GCM_ENC
