/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Template: the calls of GCM (SP 800-38D 7.1, 7.2) for whole messages, kernels of struct rijn_impl. Included twice by
 * gcm_t.h, which has the words and says which function is called when. Parameters: those of gcm_t.h, and
 *   GCM_ENC     1: encryption; 0: decryption
 *   GCM_NARROW  another set, of narrower vectors, that does texts of up to GCM_NARROW_MAX bytes; or not defined. As the
 *               key is made by this set, the other has to have the same N_POW, no more GCM_POWERS, and to read no more
 *               of round1 than is filled
 *   GCM_NARROW_WIDE(len, aad_len)  does it that with more than a block of associated data, too? Not if there is no
 *               text, when this set encrypts J0 by itself
 *
 * CT: lengths and the nonce are public, and so is each branch on them.
 */
#if GCM_ENC
#define GCM_(part) gcm_encrypt##part
#define GCM_TAG uint8_t
#else
#define GCM_(part) gcm_decrypt##part
#define GCM_TAG const uint8_t
#endif
#define GCM_ARGS GCM_MESSAGE, size_t nonce_len, GCM_TAG *tag

/* The last group, and the tag: written, or compared. To len is added what waits (TAIL_WAITS). PERF: a function with all
 * it is handed in registers, so that short and long messages share it. */
NOINLINE int GCM_(_tail)(GCM_TAIL_ARGS(GCM_TAG)) {
  HOLD_REGS(CLEAR_MORE);
  tail_t g = {.s = {lo, mid, hi}, .base = base, .ctr = ctr};
  const size_t all = len;
  b_t mine = tail_all(&g, k, &out, in, &len, GCM_ENC);
  if (GCM_ENC)
    b_store_upto16((uint8_t *)(uintptr_t)tag, mine, k->tag_len);
  /* CT: the verdict is public; where the tags differ is not looked at. */
  uint32_t differ = GCM_ENC ? 0
                    : __builtin_expect(k->tag_len == 16, 1)
                        ? b_differ(mine, b_load(tag))
                        : b_differ(b_keep(mine, k->tag_len), GCM_PART(k, tag, k->tag_len));
  if (!GCM_ENC)
    __asm__ volatile("" : "+r"(differ)); /* known before the registers are cleared: clang kept the tag until after */
  CLEAR_HELD();
  return differ ? tail_forged(out - (all - len), all) : 0;
}
/* A tail of any length: groups, then the last one; without masks _tail does all. */
NOINLINE int GCM_(_groups)(GCM_TAIL_ARGS(GCM_TAG)) {
  tail_t g = {.s = {lo, mid, hi}, .base = base, .ctr = ctr};
  if (!V_MASKED || __builtin_expect(len <= TAIL_LAST, 0)) /* PERF: nothing is saved then: 4096 bytes 3 % */
    return GCM_TAIL(GCM_(_tail), g);
#if V_MASKED
  const size_t all = len;
  HOLD_REGS(CLEAR_MOST);
  g.pow = tail_pow(k, tail_sum(len));
  if (tail_sum(len) != len) { /* several sums: the last lane, which has the lengths, is for the last of them */
    g.last = (sum_t){v_xor_last(v_zero(), lo), v_xor_last(v_zero(), mid), v_xor_last(v_zero(), hi)};
    g.s = (sum_t){v_xor(lo, g.last.lo), v_xor(mid, g.last.mid), v_xor(hi, g.last.hi)};
  }
  /* PERF: where there are registers, ciphertext is hashed one group later: the multiplies have all they need, and do
   * not fill the scheduler while they wait for the cipher. From 800 bytes on 5 to 10 % fewer cycles. */
  v_t d[9], w[9]; /* w: what waits */
  for (int more = 1, waits = 0; more; waits = 1) {
    more = len > TAIL_LAST || (TAIL_JOINED && GCM_ENC && len == TAIL_STEP);
    if (more) {
      tail_group(&g, k, out, in, len, d, TAIL_GROUP, 0, GCM_ENC, !waits);
      in += TAIL_STEP, out += TAIL_STEP, g.ctr += VB * TAIL_GROUP, len -= TAIL_STEP;
    }
    if (TAIL_JOINED && GCM_ENC && !more && len && g.pow != tail_pow(k, 0))
      len += TAIL_WAITS; /* the last group hashes it, unless it begins a sum */
    else if (GCM_ENC ? waits : more)
      tail_hash(&g, k, GCM_ENC ? w : d, len + (size_t)(GCM_ENC && more ? 2 : 1) * TAIL_STEP);
    EACH(i, TAIL_GROUP, w[i] = d[i]);
  }
  CLEAR_MIDDLE();
  int r = GCM_TAIL(GCM_(_tail), g);
  return GCM_ENC || !r ? r : tail_forged(out - (all - len), all - len);
#endif
}
/* A message that is all tail, with its associated data a, of a block or less. power: what a is multiplied by.
 * PERF: a function without arguments on the stack, and its caller one without vectors that would be aligned there: gcc
 * would save registers for the two together. */
__attribute__((noinline)) int GCM_NAME(GCM_(_short))(GCM_SHORT_ARGS(GCM_TAG)) {
  tail_t g;
  gcm_start(&g, k, power, a, lengths, nonce);
  return !V_MASKED || len <= TAIL_LAST ? GCM_TAIL(GCM_(_tail), g) : GCM_TAIL(GCM_(_groups), g);
}
NOINLINE int GCM_(_checked)(GCM_ARGS) {
  return (void)nonce_len, GCM_NAME(gcm_other)(k, out, in, len, aad, aad_len, nonce, GCM_ENC, (uint8_t *)(uintptr_t)tag);
}
static int GCM_()(GCM_ARGS) {
  if (__builtin_expect(!rijn_gcm_straight(out, in, len, aad, aad_len, nonce, nonce_len, tag), 0))
    return GCM_GLUE(rijn, GCM_(_other))(k, out, in, len, aad, aad_len, nonce, nonce_len, tag);
  /* PORT: on POWER associated data of less than a block goes through the stack, which is cleared below here only. */
  if (__builtin_expect(len > GCM_REACH || aad_len > 16 || (GF_PAIRS && aad_len != 16), 0))
    return GCM_NAME(gcm_other)(k, out, in, len, aad, aad_len, nonce, GCM_ENC, (uint8_t *)(uintptr_t)tag);
  b_t a = __builtin_expect(aad_len == 16, 1) ? b_load(aad) : GCM_PART(k, GCM_NONE(k, aad, aad_len), aad_len);
  b_t lengths = b_lengths(aad_len, len), power = b_load(tail_pow(k, tail_sum(len) + 16));
#ifdef GCM_NARROW
  int GCM_GLUE(GCM_NARROW, GCM_(_short))(GCM_SHORT_ARGS(GCM_TAG));
  if (len <= GCM_NARROW_MAX)
    return GCM_GLUE(GCM_NARROW, GCM_(_short))(k, out, in, len, nonce, tag, a, lengths, power);
#endif
  int r = GCM_NAME(GCM_(_short))(k, out, in, len, nonce, tag, a, lengths, power);
  BURN_SHORT();
  return r;
}
#undef GCM_
#undef GCM_TAG
#undef GCM_ENC
