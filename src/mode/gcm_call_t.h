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
NOINLINE int GCM_(_tail)(GCM_TAIL_ARGS(GCM_TAG)) {
  tail_t g = {.s = {lo, mid, hi}, .base = base, .a = a, .hp = hp, .ctr = ctr};
  b_t mine = tail_all(&g, k, out, in, len, GCM_ENC);
#if GCM_ENC
  b_store_upto16(tag, mine, k->tag_len);
  return tail_end(0);
#else
  /* CT: the verdict is public; where the tags differ is not looked at. */
  uint32_t differ = b_differ(b_keep(mine, k->tag_len), b_load_upto16(tag, k->tag_len));
  __asm__ volatile("" : "+r"(differ)); /* known before the registers are cleared: clang kept the tag until after */
  return tail_end(differ ? -1 : 0);
#endif
}
GCM_OTHER int GCM_(_other)(GCM_ARGS) {
  uint8_t *t = (uint8_t *)(uintptr_t)tag; /* decryption only reads it */
  (void)nonce_len;
#if GCM_CACHE
  if (len >= GCM_CACHE)
    return gcm_cached(k, out, in, len, aad, aad_len, nonce, t, GCM_ENC);
#endif
  int r = gcm_long(k, out, in, len, aad, aad_len, nonce, NULL, t, GCM_ENC);
  if (GCM_SPILLS)
    burn_1152();
  return r;
}
GCM_SHORT int GCM_(_short)(GCM_ARGS) {
  tail_t g;
  (void)nonce_len;
  gcm_start(&g, k, len, b_load_upto16(aad, aad_len), aad_len, nonce);
  return GCM_TAIL(GCM_(_tail), g);
}
static int GCM_()(GCM_ARGS) {
#ifdef GCM_NARROW
  if (len <= GCM_NARROW_MAX && aad_len <= 16)
    return GCM_NARROW.GCM_()(GCM_SAME);
#endif
  int r;
  if (__builtin_expect(len <= TAIL_REACH && aad_len <= 16, 1)) {
    r = GCM_(_short)(GCM_SAME);
    if (GCM_SPILLS)
      BURN_SHORT();
  } else {
    r = GCM_(_other)(GCM_SAME);
  }
  if (!GCM_ENC && __builtin_expect(r, 0) && len)
    memset(out, 0, len);
  return r;
}
#undef GCM_
#undef GCM_TAG
#undef GCM_ENC
