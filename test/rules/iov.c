/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* GCM over buffer lists: any cut of both lists gives the answer of one call; refusals; overlap. */
#include "ref.h"
#include "t.h"

enum { N = 700, RUNS = 80 };

/* Cuts len bytes at base into at most RUNS runs, empty ones among them (their base may be NULL). gap bytes lie between
 * two. */
static size_t cut(rijn_iov *v, uint8_t *base, size_t len, size_t gap) {
  size_t n = 0;
  size_t big = t_below(3) == 0 ? 16 : 90;
  while (n < RUNS - 1) {
    size_t m = t_below(5) == 0 ? 0 : t_below(big);
    if (m > len)
      m = len;
    if (t_below(4) == 0)
      m = m / 16 * 16;
    v[n++] = (rijn_iov){m == 0 && t_below(2) ? NULL : base, m};
    base += m + gap;
    len -= m;
    if (len == 0 && t_below(2) == 0)
      return n;
  }
  v[n++] = (rijn_iov){base, len};
  return n;
}

static void gather(uint8_t *to, const rijn_iov *v, size_t n) {
  for (size_t i = 0; i < n; to += v[i].len, i++)
    if (v[i].len != 0)
      memcpy(to, v[i].base, v[i].len);
}

static void scatter(const rijn_iov *v, size_t n, const uint8_t *from) {
  for (size_t i = 0; i < n; from += v[i].len, i++)
    if (v[i].len != 0)
      memcpy(v[i].base, from, v[i].len);
}

/* The bytes between the runs, and behind them, have their poison. */
static void check_gaps(const uint8_t *mem, size_t size, const rijn_iov *v, size_t n) {
  static uint8_t used[2 * N + RUNS * 8];
  REQUIRE(size <= sizeof used);
  memset(used, 0, size);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < v[i].len; j++)
      used[(size_t)((uint8_t *)v[i].base - mem) + j] = 1;
  size_t bad = 0;
  for (size_t i = 0; i < size; i++)
    bad += !used[i] && mem[i] != T_POISON;
  CHECK_EQ(bad, 0);
}

static void test_cuts(int impl, size_t rounds) {
  static uint8_t text[N], want[N], aad[N], src[N + RUNS * 3], dst[2 * N + RUNS * 8], got[N];
  uint8_t raw[32], nonce[128], want_tag[16], tag[16];
  rijn_iov in[RUNS], out[RUNS], ad[RUNS];
  rijn_gcm_key key;
  t_fill(raw, sizeof raw);
  t_fill(nonce, sizeof nonce);
  t_fill(text, sizeof text);
  t_fill(aad, sizeof aad);
  for (size_t round = 0; round < rounds; round++) {
    size_t key_len = 16 + 8 * t_below(3), tag_len = 12 + t_below(5), len = t_below(N + 1);
    size_t aad_len = t_below(200), nonce_len = t_below(2) ? 12 : t_between(1, 128);
    bool in_place = t_below(3) == 0;
    T_AT("impl %zu round %zu len %zu aad %zu", impl, round, len, aad_len);
    ref_gcm(raw, key_len, want, text, len, aad, aad_len, nonce, nonce_len, want_tag);
    CHECK_EQ(rijn_gcm_init_impl(&key, raw, key_len, tag_len, impl), 0);
    for (int dec = 0; dec < 2; dec++) {
      const uint8_t *from = dec ? want : text, *to = dec ? text : want;
      size_t gap = t_below(4);
      memset(dst, T_POISON, sizeof dst);
      memset(src, T_POISON, sizeof src);
      size_t out_n = cut(out, dst, len, gap), aad_n = cut(ad, aad, aad_len, 0), in_n = out_n;
      if (in_place)
        memcpy(in, out, sizeof out);
      else
        in_n = cut(in, src, len, t_below(3));
      scatter(in, in_n, from);
      if (dec) {
        CHECK_EQ(rijn_gcm_decrypt_iov(&key, out, out_n, in, in_n, ad, aad_n, nonce, nonce_len, want_tag), 0);
      } else {
        memset(tag, T_POISON, sizeof tag);
        CHECK_EQ(rijn_gcm_encrypt_iov(&key, out, out_n, in, in_n, ad, aad_n, nonce, nonce_len, tag), 0);
        CHECK_MEM(tag, want_tag, tag_len);
        CHECK_ALL(tag + tag_len, T_POISON, 16 - tag_len);
      }
      gather(got, out, out_n);
      CHECK_MEM(got, to, len);
      check_gaps(dst, sizeof dst, out, out_n);
      if (dec) { /* forged: zeros in every run, and only there */
        memcpy(tag, want_tag, 16);
        tag[t_below(tag_len)] ^= 0x10;
        scatter(in, in_n, from);
        CHECK_EQ(rijn_gcm_decrypt_iov(&key, out, out_n, in, in_n, ad, aad_n, nonce, nonce_len, tag), RIJN_EAUTH);
        gather(got, out, out_n);
        CHECK_ALL(got, 0, len);
        check_gaps(dst, sizeof dst, out, out_n);
      }
    }
  }
}

/* One run in each list is a message in one piece, which goes another way. */
static void test_one_piece(int impl) {
  static uint8_t src[N], dst[N], want[N], aad[20];
  uint8_t raw[32], nonce[12], tag[16], want_tag[16];
  rijn_gcm_key key;
  t_fill(raw, sizeof raw);
  t_fill(nonce, sizeof nonce);
  t_fill(aad, sizeof aad);
  CHECK_EQ(rijn_gcm_init_impl(&key, raw, 32, 16, impl), 0);
  static const size_t lens[] = {0, 1, 16, 100, N};
  for (size_t l = 0; l < sizeof lens / sizeof lens[0]; l++)
    for (size_t aad_n = 0; aad_n <= 1; aad_n++) {
      const size_t len = lens[l], aad_len = aad_n * sizeof aad;
      T_AT("impl %zu one piece of %zu, aad %zu", impl, len, aad_len);
      rijn_iov s = {src, len}, d = {dst, len}, a = {aad, aad_len};
      t_fill(src, sizeof src);
      ref_gcm(raw, 32, want, src, len, aad, aad_len, nonce, 12, want_tag);
      CHECK_EQ(rijn_gcm_encrypt_iov(&key, &d, 1, &s, 1, &a, aad_n, nonce, 12, tag), 0);
      CHECK_MEM(dst, want, len);
      CHECK_MEM(tag, want_tag, 16);
      memcpy(want, src, len); /* and back: the text, from what now lies in dst */
      memset(src, T_POISON, len);
      CHECK_EQ(rijn_gcm_decrypt_iov(&key, &s, 1, &d, 1, &a, aad_n, nonce, 12, tag), 0);
      CHECK_MEM(src, want, len);
      memcpy(want, dst, len);
      tag[15] ^= 1;
      CHECK_EQ(rijn_gcm_decrypt_iov(&key, &s, 1, &d, 1, &a, aad_n, nonce, 12, tag), RIJN_EAUTH);
      CHECK_ALL(src, 0, len);
      CHECK_MEM(dst, want, len);
    }
}

/* ---------------------------------------------------------------- refusals */

static uint8_t mem[512], tag[16];

static int crypt(int dec, const rijn_gcm_key *key, const rijn_iov *out, size_t out_n, const rijn_iov *in, size_t in_n,
                 const rijn_iov *aad, size_t aad_n, const void *nonce, size_t nonce_len, void *t) {
  return dec ? rijn_gcm_decrypt_iov(key, out, out_n, in, in_n, aad, aad_n, nonce, nonce_len, t)
             : rijn_gcm_encrypt_iov(key, out, out_n, in, in_n, aad, aad_n, nonce, nonce_len, t);
}

#define REFUSED(want, call) CHECK_REFUSED(want, call, mem, tag)

static void test_refusals(int impl, int dec) {
  T_AT("impl %zu decrypt %zu refusals", impl, dec);
  uint8_t raw[16] = {1}, nonce[12] = {2};
  rijn_gcm_key key;
  CHECK_EQ(rijn_gcm_init_impl(&key, raw, 16, 16, impl), 0);
  rijn_iov o[2] = {{mem, 32}, {mem + 32, 16}}, i[2] = {{mem + 100, 16}, {mem + 200, 32}}, a[1] = {{mem + 300, 20}};
  rijn_iov no_base[2] = {{mem + 100, 47}, {NULL, 1}}, no_first[2] = {{NULL, 1}, {mem + 100, 47}},
           short_1[2] = {{mem + 100, 16}, {mem + 200, 31}};
  REFUSED(RIJN_ENULL, crypt(dec, &key, NULL, 2, i, 2, a, 1, nonce, 12, tag));
  REFUSED(RIJN_ENULL, crypt(dec, &key, o, 2, NULL, 2, a, 1, nonce, 12, tag));
  REFUSED(RIJN_ENULL, crypt(dec, &key, o, 2, i, 2, NULL, 1, nonce, 12, tag));
  REFUSED(RIJN_ENULL, crypt(dec, &key, no_base, 2, i, 2, a, 1, nonce, 12, tag));
  REFUSED(RIJN_ENULL, crypt(dec, &key, o, 2, no_base, 2, a, 1, nonce, 12, tag));
  REFUSED(RIJN_ENULL, crypt(dec, &key, o, 2, i, 2, no_base, 2, nonce, 12, tag));
  REFUSED(RIJN_ENULL, crypt(dec, &key, no_first, 2, i, 2, a, 1, nonce, 12, tag));
  REFUSED(RIJN_ENULL, crypt(dec, &key, o, 2, no_first, 2, a, 1, nonce, 12, tag));
  REFUSED(RIJN_ENULL, crypt(dec, &key, o, 2, i, 2, no_first, 2, nonce, 12, tag));
  REFUSED(RIJN_ENULL, crypt(dec, &key, o, 2, i, 2, a, 1, NULL, 12, tag));
  REFUSED(RIJN_ENULL, crypt(dec, &key, o, 2, i, 2, a, 1, nonce, 12, NULL));
  REFUSED(RIJN_ENONCELEN, crypt(dec, &key, o, 2, i, 2, a, 1, nonce, 0, tag));
  REFUSED(RIJN_ELEN, crypt(dec, &key, o, 2, short_1, 2, a, 1, nonce, 12, tag));
  REFUSED(RIJN_ELEN, crypt(dec, &key, short_1, 2, o, 2, a, 1, nonce, 12, tag));
  REFUSED(RIJN_ELEN, crypt(dec, &key, o, 1, i, 2, a, 1, nonce, 12, tag));
  REFUSED(RIJN_ELEN, crypt(dec, &key, NULL, 0, i, 2, a, 1, nonce, 12, tag));
  REFUSED(RIJN_ELEN, crypt(dec, &key, o, 2, NULL, 0, a, 1, nonce, 12, tag));
#if SIZE_MAX > UINT32_MAX
  /* On the limit the overlap is what is refused; one byte over, or a sum that wraps, is the length. */
  const size_t max = (size_t)RIJN_GCM_MAX_LEN;
  rijn_iov at[2] = {{mem, max - 16}, {mem + 1, 16}}, over[2] = {{mem, max - 16}, {mem + 1, 17}};
  rijn_iov wrap[3] = {{mem, SIZE_MAX}, {mem, 1}, {mem, 48}};
  REFUSED(RIJN_EOVERLAP, crypt(dec, &key, at, 2, at, 2, a, 1, nonce, 12, tag));
  REFUSED(RIJN_ELEN, crypt(dec, &key, over, 2, over, 2, a, 1, nonce, 12, tag));
  REFUSED(RIJN_ELEN, crypt(dec, &key, o, 2, wrap, 3, a, 1, nonce, 12, tag));
  REFUSED(RIJN_ELEN, crypt(dec, &key, wrap, 3, i, 2, a, 1, nonce, 12, tag));
  REFUSED(RIJN_ELEN, crypt(dec, &key, wrap, 3, wrap, 3, a, 1, nonce, 12, tag));
  rijn_iov a_at[2] = {{mem, ((size_t)1 << 61) - 2}, {mem, 1}}, a_over[2] = {{mem, ((size_t)1 << 61) - 1}, {mem, 1}};
  REFUSED(RIJN_EOVERLAP, crypt(dec, &key, at, 2, at, 2, a_at, 2, nonce, 12, tag));
  REFUSED(RIJN_EAADLEN, crypt(dec, &key, at, 2, at, 2, a_over, 2, nonce, 12, tag));
  REFUSED(RIJN_EAADLEN, crypt(dec, &key, o, 2, i, 2, wrap, 3, nonce, 12, tag));
  REFUSED(RIJN_ENONCELEN, crypt(dec, &key, o, 2, i, 2, a, 1, nonce, (size_t)1 << 61, tag));
#endif
}

/* Nothing at all is a message too. */
static void test_empty(int impl) {
  T_AT("impl %zu empty", impl);
  uint8_t raw[16] = {1}, nonce[12] = {2}, want[16], got[16];
  rijn_gcm_key key;
  rijn_iov none[3] = {{NULL, 0}, {mem, 0}, {NULL, 0}};
  ref_gcm(raw, 16, NULL, NULL, 0, NULL, 0, nonce, 12, want);
  CHECK_EQ(rijn_gcm_init_impl(&key, raw, 16, 16, impl), 0);
  for (size_t n = 0; n <= 3; n++) {
    memset(got, 0, 16);
    CHECK_EQ(rijn_gcm_encrypt_iov(&key, n ? none : NULL, n, NULL, 0, n ? none : NULL, n, nonce, 12, got), 0);
    CHECK_MEM(got, want, 16);
    CHECK_EQ(rijn_gcm_decrypt_iov(&key, NULL, 0, n ? none : NULL, n, NULL, 0, nonce, 12, got), 0);
    got[0] ^= 1;
    CHECK_EQ(rijn_gcm_decrypt_iov(&key, NULL, 0, n ? none : NULL, n, NULL, 0, nonce, 12, got), RIJN_EAUTH);
  }
}

/* ---------------------------------------------------------------- overlap */

static void test_overlap(int impl, int dec) {
  T_AT("impl %zu decrypt %zu overlap", impl, dec);
  uint8_t raw[16] = {1}, nonce[12] = {2}, *far = mem + 300;
  rijn_gcm_key key;
  CHECK_EQ(rijn_gcm_init_impl(&key, raw, 16, 16, impl), 0);
  const struct {
    rijn_iov out[3], in[3];
  } bad[] = {
      {{{mem, 16}, {mem + 16, 32}, {NULL, 0}}, {{mem + 1, 16}, {far, 32}, {NULL, 0}}},  /* by a byte */
      {{{mem, 16}, {mem + 16, 32}, {NULL, 0}}, {{far, 16}, {mem + 47, 32}, {NULL, 0}}}, /* the last byte */
      {{{mem, 16}, {mem + 16, 16}, {NULL, 0}}, {{mem + 16, 16}, {mem, 16}, {NULL, 0}}}, /* exchanged */
      {{{mem, 16}, {mem + 16, 16}, {NULL, 0}}, {{far, 16}, {mem, 16}, {NULL, 0}}},      /* another place */
      {{{mem, 16}, {mem + 16, 16}, {NULL, 0}}, {{mem, 32}, {NULL, 0}, {NULL, 0}}},      /* cut differently */
      {{{mem, 32}, {NULL, 0}, {NULL, 0}}, {{mem, 16}, {mem + 16, 16}, {NULL, 0}}},      /* and the other way */
      {{{mem, 16}, {far, 16}, {mem + 15, 16}}, {{mem + 100, 16}, {mem + 200, 16}, {mem + 250, 16}}}, /* out with out */
      {{{mem, 16}, {mem, 16}, {NULL, 0}}, {{mem + 100, 16}, {mem + 200, 16}, {NULL, 0}}}, /* the same out twice */
      {{{mem, 16}, {far, 16}, {NULL, 0}}, {{mem, 16}, {mem, 16}, {NULL, 0}}}, /* one in twice, and written in place */
      {{{mem, 32}, {NULL, 0}, {NULL, 0}}, {{mem, 16}, {far, 16}, {NULL, 0}}}, /* in place, but longer */
  };
  for (size_t c = 0; c < sizeof bad / sizeof bad[0]; c++) {
    T_AT("impl %zu decrypt %zu overlap %zu", impl, dec, c);
    REFUSED(RIJN_EOVERLAP, crypt(dec, &key, bad[c].out, 3, bad[c].in, 3, NULL, 0, nonce, 12, tag));
  }

  /* The last pair of runs that is looked at. */
  rijn_iov o[RIJN_IOV_CHECKED], i[RIJN_IOV_CHECKED];
  for (size_t n = 0; n < RIJN_IOV_CHECKED; n++) {
    o[n] = (rijn_iov){mem + n, 1};
    i[n] = (rijn_iov){far + n, 1};
  }
  CHECK_EQ(crypt(0, &key, o, RIJN_IOV_CHECKED, i, RIJN_IOV_CHECKED, NULL, 0, nonce, 12, tag), 0);
  i[RIJN_IOV_CHECKED - 1].base = mem; /* where the first run of out is */
  REFUSED(RIJN_EOVERLAP, crypt(dec, &key, o, RIJN_IOV_CHECKED, i, RIJN_IOV_CHECKED, NULL, 0, nonce, 12, tag));
  i[RIJN_IOV_CHECKED - 1].base = far;
  o[RIJN_IOV_CHECKED - 1].base = mem;
  REFUSED(RIJN_EOVERLAP, crypt(dec, &key, o, RIJN_IOV_CHECKED, i, RIJN_IOV_CHECKED, NULL, 0, nonce, 12, tag));
  o[RIJN_IOV_CHECKED - 1].base = mem + 63;
  CHECK_EQ(crypt(0, &key, o, RIJN_IOV_CHECKED, i, RIJN_IOV_CHECKED, NULL, 0, nonce, 12, tag), 0);
}

/* One input run may be read twice, and runs may touch. */
static void test_allowed(int impl) {
  T_AT("impl %zu allowed", impl);
  uint8_t raw[16] = {1}, nonce[12] = {2}, text[64], want[64], want_tag[16];
  rijn_gcm_key key;
  CHECK_EQ(rijn_gcm_init_impl(&key, raw, 16, 16, impl), 0);
  t_fill(text, 32);
  memcpy(text + 32, text, 32);
  ref_gcm(raw, 16, want, text, 64, text, 5, nonce, 12, want_tag);
  memcpy(mem, text, 32);
  rijn_iov i[2] = {{mem, 32}, {mem, 32}}, o[2] = {{mem + 32, 40}, {mem + 72, 24}}, a[1] = {{text, 5}};
  CHECK_EQ(rijn_gcm_encrypt_iov(&key, o, 2, i, 2, a, 1, nonce, 12, tag), 0);
  CHECK_MEM(mem + 32, want, 64);
  CHECK_MEM(mem, text, 32);
  CHECK_MEM(tag, want_tag, 16);

  /* In place for the one run, elsewhere for the other. */
  memcpy(mem, text, 64);
  rijn_iov i2[2] = {{mem, 20}, {mem + 20, 44}}, o2[2] = {{mem, 20}, {mem + 100, 44}};
  CHECK_EQ(rijn_gcm_encrypt_iov(&key, o2, 2, i2, 2, a, 1, nonce, 12, tag), 0);
  CHECK_MEM(mem, want, 20);
  CHECK_MEM(mem + 20, text + 20, 44);
  CHECK_MEM(mem + 100, want + 20, 44);
  CHECK_MEM(tag, want_tag, 16);
}

int main(int argc, char **argv) {
  t_init(argc, argv);
  T_IMPLS(i) {
    test_cuts(i, t_slow() ? 3000 : 200);
    test_empty(i);
    test_one_piece(i);
    test_allowed(i);
    for (int dec = 0; dec < 2; dec++) {
      test_refusals(i, dec);
      test_overlap(i, dec);
    }
  }
  return t_done();
}
