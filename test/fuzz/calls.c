/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Arguments that may break a rule: any call, with lengths, null pointers, key and tag lengths and overlaps as the input
 * says. Each rule that is broken here names an error. A call must be refused if and only if a rule is broken, with the
 * error of a broken one, and then nothing has been written; what is not refused gives the bytes that portable gives.
 */
#include "fuzz.h"

enum { ARENA = 4096, ROOM = 1600, IN = 1800, TAIL = 16 };

static uint8_t raw[128], arena[ARENA], before[ARENA];
static uint32_t broken; /* bit e: error -e would be right */

static void rule(bool breaks, int error) {
  if (breaks)
    broken |= 1u << -error;
}

static void verdict(int err) { CHECK(broken == 0 ? err == RIJN_OK : err < 0 && (broken >> -err & 1) != 0); }

/* What the calls are made with: keys of the implementation at test, and of portable. */
struct keys {
  rijn_gcm_key gcm;
  rijn_esp_key esp;
  rijn_aes_key aes;
  rijn_xts_key xts;
  rijn_ghash_key ghash;
  rijn_ccm_key ccm;
  rijn_gcm_siv_key siv;
  rijn_xaes_key xaes;
};
static struct keys mine, theirs, dead;

struct args {
  uint8_t *out;
  const uint8_t *in, *aad, *iv;
  size_t len, aad_len, iv_len;
  uint64_t first, step;
};

/* Neither equal nor disjoint. */
static bool overlap(const uint8_t *out, size_t out_len, const uint8_t *in, size_t in_len) {
  uintptr_t o = (uintptr_t)out, i = (uintptr_t)in;
  return o != i && out_len != 0 && in_len != 0 && o < i + in_len && i < o + out_len;
}

static void init(struct feed *f, int impl) {
  static rijn_gcm_key g, was;
  size_t raw_len = feed_8(f) % 70, tag_len = feed_8(f) % 20;
  int which = feed_8(f) % 8 == 0 ? (int8_t)feed_8(f) : impl;
  const uint8_t *key = feed_8(f) % 16 == 0 ? NULL : raw;
  bool aes_len = raw_len == 16 || raw_len == 24 || raw_len == 32;
  bool runs = rijn_impl_supported(which) != 0;
  memset(&g, T_POISON, sizeof g);
  was = g;
  broken = 0;
  rule(key == NULL && raw_len != 0, RIJN_ENULL);
  rule(!aes_len, RIJN_EKEYLEN);
  rule(!(tag_len == 4 || tag_len == 8 || (tag_len >= 12 && tag_len <= 16)), RIJN_ETAGLEN);
  bool chosen = which == rijn_impl_chosen() && feed_8(f) % 2; /* by the call that takes no index */
  rule(!runs && !chosen, RIJN_EIMPL);
  int err =
      chosen ? rijn_gcm_init_taglen(&g, key, raw_len, tag_len) : rijn_gcm_init_impl(&g, key, raw_len, tag_len, which);
  verdict(err);
  if (err != RIJN_OK)
    CHECK_MEM(&g, &was, sizeof g);
  CHECK_EQ(err == RIJN_OK ? rijn_gcm_tag_len(&g) : tag_len, tag_len);
  CHECK_EQ(err == RIJN_OK ? rijn_gcm_key_impl(&g) : which, which);
  rijn_gcm_wipe(&g);
  CHECK_ALL(&g, 0, sizeof g);
  CHECK_EQ(rijn_gcm_key_impl(&g), RIJN_ESTATE);

  broken = 0;
  rule(key == NULL && raw_len != 0, RIJN_ENULL);
  rule(!aes_len, RIJN_EKEYLEN);
  err = rijn_gcm_init(&g, key, raw_len);
  verdict(err);
  CHECK_EQ(rijn_gcm_tag_len(&g), err == RIJN_OK ? 16 : 0);

  broken = 0;
  rule(key == NULL && raw_len != 0, RIJN_ENULL);
  rule(raw_len != 20 && raw_len != 28 && raw_len != 36, RIJN_EKEYLEN);
  rule(tag_len != 8 && tag_len != 12 && tag_len != 16, RIJN_ETAGLEN);
  rule(!runs, RIJN_EIMPL);
  err = chosen ? rijn_rfc4106_init(&mine.esp, key, raw_len, tag_len)
               : rijn_rfc4106_init_impl(&mine.esp, key, raw_len, tag_len, which);
  verdict(err);

  broken = 0;
  rule(key == NULL && raw_len != 0, RIJN_ENULL);
  rule(raw_len != 20 && raw_len != 28 && raw_len != 36, RIJN_EKEYLEN);
  rule(!runs, RIJN_EIMPL);
  err = chosen ? rijn_rfc4543_init(&mine.esp, key, raw_len) : rijn_rfc4543_init_impl(&mine.esp, key, raw_len, which);
  verdict(err);
  rijn_esp_wipe(&mine.esp);
  CHECK_ALL(&mine.esp, 0, sizeof mine.esp);

  broken = 0;
  rule(key == NULL && raw_len != 0, RIJN_ENULL);
  rule(!aes_len, RIJN_EKEYLEN);
  rule(!runs, RIJN_EIMPL);
  err = chosen ? rijn_aes_init(&mine.aes, key, raw_len) : rijn_aes_init_impl(&mine.aes, key, raw_len, which);
  verdict(err);
  rijn_aes_wipe(&mine.aes);
  CHECK_ALL(&mine.aes, 0, sizeof mine.aes);

  broken = 0;
  rule(key == NULL && raw_len != 0, RIJN_ENULL);
  rule(!aes_len, RIJN_EKEYLEN);
  rule(tag_len < 4 || tag_len > 16 || tag_len % 2 != 0, RIJN_ETAGLEN);
  rule(!runs, RIJN_EIMPL);
  err = chosen ? rijn_ccm_init_taglen(&mine.ccm, key, raw_len, tag_len)
               : rijn_ccm_init_impl(&mine.ccm, key, raw_len, tag_len, which);
  verdict(err);
  CHECK_EQ(err == RIJN_OK ? rijn_ccm_tag_len(&mine.ccm) : tag_len, tag_len);
  if (aes_len && key != NULL)
    CHECK_EQ(rijn_ccm_init(&mine.ccm, key, raw_len), RIJN_OK);
  rijn_ccm_wipe(&mine.ccm);
  CHECK_ALL(&mine.ccm, 0, sizeof mine.ccm);

  broken = 0;
  rule(key == NULL && raw_len != 0, RIJN_ENULL);
  rule(raw_len != 32 && raw_len != 64, RIJN_EKEYLEN);
  rule(memcmp(raw, raw + raw_len / 2, raw_len / 2) == 0, RIJN_EWEAKKEY);
  rule(!runs, RIJN_EIMPL);
  err = chosen ? rijn_xts_init(&mine.xts, key, raw_len) : rijn_xts_init_impl(&mine.xts, key, raw_len, which);
  verdict(err);
  rijn_xts_wipe(&mine.xts);
  CHECK_ALL(&mine.xts, 0, sizeof mine.xts);

  broken = 0;
  rule(key == NULL, RIJN_ENULL);
  rule(!runs, RIJN_EIMPL);
  err = chosen ? rijn_ghash_init(&mine.ghash, key) : rijn_ghash_init_impl(&mine.ghash, key, which);
  verdict(err);
  rijn_ghash_wipe(&mine.ghash);
  CHECK_ALL(&mine.ghash, 0, sizeof mine.ghash);
}

/* Any index, any name, any error, and text cut to any size. */
static void names(struct feed *f) {
  char whole[512], cut[512], name[24] = {0};
  int i = (int8_t)feed_8(f);
  size_t size = feed_16(f) % sizeof cut;
  for (int features = 0; features < 2; features++) {
    memset(cut, T_POISON, sizeof cut);
    const char *all = features ? rijn_cpu_features(whole, sizeof whole) : rijn_impl_why(i, whole, sizeof whole);
    const char *some = features ? rijn_cpu_features(cut, size) : rijn_impl_why(i, cut, size);
    size_t n = strlen(all) < size ? strlen(all) : size - 1;
    if (size != 0)
      CHECK(some == cut && strlen(some) == n && memcmp(some, all, n) == 0);
    else
      CHECK(*some == 0);
    CHECK_ALL(cut + size, T_POISON, sizeof cut - size);
  }
  bool exists = i >= 0 && i < rijn_impl_count();
  CHECK((rijn_impl_name(i) != NULL) == exists);
  if (exists)
    CHECK_EQ(rijn_impl_find(rijn_impl_name(i)), i);
  CHECK(rijn_strerror((int8_t)feed_8(f))[0] != 0);
  for (size_t k = 0; k < sizeof name - 1; k++)
    name[k] = (char)feed_8(f);
  const size_t sizes[] = {rijn_gcm_key_size(),   rijn_gcm_stream_size(), rijn_esp_key_size(),     rijn_ghash_key_size(),
                          rijn_xaes_key_size(),  rijn_xts_key_size(),    rijn_gcm_siv_key_size(), rijn_aes_key_size(),
                          rijn_ctr_state_size(), rijn_ccm_key_size()};
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
    CHECK(sizes[k] >= 36 && sizes[k] <= RIJN_ESP_KEY_SIZE);
  CHECK_EQ(rijn_cfb_state_size(), sizeof(rijn_cfb_state));
  int found = rijn_impl_find(name);
  CHECK(found == RIJN_EIMPL || strcmp(rijn_impl_name(found), name) == 0);
}

/* ---- one call each: states its rules, and makes it with the keys at k. The tag, or what else is written beside out,
 * is behind out's text, where nothing else lies: at arena + ARENA - TAIL. */

typedef int call_fn(const struct keys *k, const struct args *a, uint8_t *side);

static void key_rule(const struct keys *k) { rule(k == &dead, RIJN_ESTATE); }
static void text_rules(const struct args *a, size_t out_len) {
  rule((a->out == NULL && out_len != 0) || (a->in == NULL && a->len != 0), RIJN_ENULL);
  rule(a->out != NULL && a->in != NULL && overlap(a->out, out_len, a->in, a->len), RIJN_EOVERLAP);
}

static int gcm_enc(const struct keys *k, const struct args *a, uint8_t *side) {
  key_rule(k);
  text_rules(a, a->len);
  rule((a->aad == NULL && a->aad_len != 0) || (a->iv == NULL && a->iv_len != 0), RIJN_ENULL);
  rule(a->iv_len == 0, RIJN_ENONCELEN);
  return rijn_gcm_encrypt(&k->gcm, a->out, a->in, a->len, a->aad, a->aad_len, a->iv, a->iv_len, side);
}
/* The tag lies behind the text, and counts as written. */
static int gcm_seal(const struct keys *k, const struct args *a, uint8_t *side) {
  gcm_enc(&dead, a, side); /* for its rules; it is refused */
  broken &= ~(1u << -RIJN_ESTATE);
  key_rule(k);
  text_rules(a, a->len + 16);
  return rijn_gcm_seal(&k->gcm, a->out, a->in, a->len, a->aad, a->aad_len, a->iv, a->iv_len);
}
/* What was sealed far from all else is opened: authentic, or it breaks a rule. */
static int gcm_open(const struct keys *k, const struct args *a, uint8_t *side) {
  static uint8_t both[ROOM + 16];
  (void)side;
  const size_t n = a->len < 16 ? a->len : a->len - 16;
  key_rule(k);
  rule((a->aad == NULL && a->aad_len != 0) || (a->iv == NULL && a->iv_len != 0), RIJN_ENULL);
  rule(a->in == NULL && a->len != 0, RIJN_ENULL);
  rule(a->len < 16, RIJN_EAUTH);
  if (a->len >= 16) {
    rule(a->out == NULL && n != 0, RIJN_ENULL);
    rule(a->iv_len == 0, RIJN_ENONCELEN);
    rule(a->out != NULL && a->in != NULL && overlap(a->out, n, a->in, a->len), RIJN_EOVERLAP);
  }
  if (broken == 0) {
    CHECK_EQ(rijn_gcm_seal(&k->gcm, both, a->in, n, a->aad, a->aad_len, a->iv, a->iv_len), RIJN_OK);
    return rijn_gcm_open(&k->gcm, a->out, both, a->len, a->aad, a->aad_len, a->iv, a->iv_len);
  }
  return rijn_gcm_open(&k->gcm, a->out, a->in, a->len, a->aad, a->aad_len, a->iv, a->iv_len);
}
static int gcm_nonce(const struct keys *k, const struct args *a, uint8_t *side) {
  (void)k;
  (void)side;
  rule(a->out == NULL || a->in == NULL, RIJN_ENULL);
  rule(a->out != NULL && a->in != NULL && (a->out == a->in || overlap(a->out, 12, a->in, 12)), RIJN_EOVERLAP);
  return rijn_gcm_nonce(a->out, a->in, a->first);
}
static int gcm_iov(const struct keys *k, const struct args *a, uint8_t *side) {
  rijn_iov out = {a->out, a->len}, in = {(void *)(uintptr_t)a->in, a->len},
           aad = {(void *)(uintptr_t)a->aad, a->aad_len};
  gcm_enc(&dead, a, side); /* for its rules; it is refused */
  broken &= ~(1u << -RIJN_ESTATE);
  key_rule(k);
  return rijn_gcm_encrypt_iov(&k->gcm, &out, 1, &in, 1, &aad, 1, a->iv, a->iv_len, side);
}
/* The calls that have a nonce of their own length and the tag behind the text. */
struct sealed {
  int (*seal)(const struct keys *k, void *out, const struct args *a, const uint8_t *in, size_t len);
  int (*open)(const struct keys *k, void *out, const struct args *a, const uint8_t *in, size_t len);
};
static int siv_seal(const struct keys *k, void *out, const struct args *a, const uint8_t *in, size_t len) {
  return rijn_gcm_siv_seal(&k->siv, out, in, len, a->aad, a->aad_len, a->iv);
}
static int siv_open(const struct keys *k, void *out, const struct args *a, const uint8_t *in, size_t len) {
  return rijn_gcm_siv_open(&k->siv, out, in, len, a->aad, a->aad_len, a->iv);
}
static int xaes_seal(const struct keys *k, void *out, const struct args *a, const uint8_t *in, size_t len) {
  return rijn_xaes_seal(&k->xaes, out, in, len, a->aad, a->aad_len, a->iv);
}
static int xaes_open(const struct keys *k, void *out, const struct args *a, const uint8_t *in, size_t len) {
  return rijn_xaes_open(&k->xaes, out, in, len, a->aad, a->aad_len, a->iv);
}
static const struct sealed siv = {siv_seal, siv_open}, xaes = {xaes_seal, xaes_open};

static int sealed(const struct sealed *mode, const struct keys *k, const struct args *a) {
  key_rule(k);
  text_rules(a, a->len + 16);
  rule((a->aad == NULL && a->aad_len != 0) || a->iv == NULL, RIJN_ENULL);
  return mode->seal(k, a->out, a, a->in, a->len);
}
/* What was sealed far from all else is opened: authentic, or it breaks a rule. */
static int opened(const struct sealed *mode, const struct keys *k, const struct args *a) {
  static uint8_t both[ROOM + 16];
  const size_t n = a->len < 16 ? 0 : a->len - 16;
  key_rule(k);
  rule((a->aad == NULL && a->aad_len != 0) || a->iv == NULL, RIJN_ENULL);
  rule((a->in == NULL && a->len != 0) || (a->out == NULL && n != 0), RIJN_ENULL);
  rule(a->len < 16, RIJN_EAUTH);
  rule(n != 0 && a->out != NULL && a->in != NULL && overlap(a->out, n, a->in, a->len), RIJN_EOVERLAP);
  if (broken != 0)
    return mode->open(k, a->out, a, a->in, a->len);
  CHECK_EQ(mode->seal(k, both, a, a->in, n), RIJN_OK);
  return mode->open(k, a->out, a, both, a->len);
}
static int seal_siv(const struct keys *k, const struct args *a, uint8_t *side) {
  (void)side;
  return sealed(&siv, k, a);
}
static int open_siv(const struct keys *k, const struct args *a, uint8_t *side) {
  (void)side;
  return opened(&siv, k, a);
}
static int seal_xaes(const struct keys *k, const struct args *a, uint8_t *side) {
  (void)side;
  return sealed(&xaes, k, a);
}
static int open_xaes(const struct keys *k, const struct args *a, uint8_t *side) {
  (void)side;
  return opened(&xaes, k, a);
}
/* The ESP key lent to GCM's calls gives what the ESP call gives. */
static int esp_lent(const struct keys *k, const struct args *a, uint8_t *side) {
  uint8_t nonce[12];
  key_rule(k);
  text_rules(a, a->len);
  rule((a->aad == NULL && a->aad_len != 0) || a->iv == NULL, RIJN_ENULL);
  int err = rijn_rfc4106_nonce(nonce, &k->esp, a->iv);
  CHECK_EQ(err == RIJN_OK, k != &dead && a->iv != NULL);
  CHECK((rijn_rfc4106_gcm_key(&k->esp) == NULL) == (k == &dead));
  if (err != RIJN_OK)
    return err;
  return rijn_gcm_encrypt(rijn_rfc4106_gcm_key(&k->esp), a->out, a->in, a->len, a->aad, a->aad_len, nonce, 12, side);
}
static int esp_enc(const struct keys *k, const struct args *a, uint8_t *side) {
  key_rule(k);
  text_rules(a, a->len);
  rule(a->aad == NULL || a->iv == NULL, RIJN_ENULL);
  rule(a->aad_len != 8 && a->aad_len != 12, RIJN_EAADLEN);
  return rijn_rfc4106_encrypt(&k->esp, a->out, a->in, a->len, a->aad, a->aad_len, a->iv, side);
}
static int ghash(const struct keys *k, const struct args *a, uint8_t *side) {
  key_rule(k);
  rule(a->in == NULL && a->len / 16 != 0, RIJN_ENULL);
  return rijn_ghash_update(&k->ghash, side, a->in, a->len / 16);
}
static int ecb(const struct keys *k, const struct args *a, uint8_t *side) {
  struct args b = *a;
  (void)side;
  b.len -= b.len % 16;
  key_rule(k);
  text_rules(&b, b.len);
  return rijn_ecb_decrypt(&k->aes, b.out, b.in, b.len / 16);
}
static int cbc(const struct keys *k, const struct args *a, uint8_t *side) {
  struct args b = *a;
  b.len -= b.len % 16;
  key_rule(k);
  text_rules(&b, b.len);
  return rijn_cbc_encrypt(&k->aes, b.out, b.in, b.len / 16, side);
}
static int pad(const struct keys *k, const struct args *a, uint8_t *side) {
  size_t n = 0;
  (void)side;
  key_rule(k);
  text_rules(a, a->len + 16 - a->len % 16);
  rule(a->iv == NULL, RIJN_ENULL);
  int err = rijn_cbc_encrypt_pkcs7(&k->aes, a->out, &n, a->in, a->len, a->iv);
  CHECK_EQ(n, err == RIJN_OK ? a->len + 16 - a->len % 16 : 0);
  return err;
}
static int ctr(const struct keys *k, const struct args *a, uint8_t *side) {
  rijn_ctr_state s = {{0}, {0}, (uint32_t)(a->first % 20)};
  (void)side;
  key_rule(k);
  text_rules(a, a->len);
  rule(s.used > 15, RIJN_ESTATE);
  int err = rijn_ctr32_crypt(&k->aes, a->out, a->in, a->len, &s);
  rijn_ctr_wipe(&s);
  CHECK_ALL(s.ks, 0, sizeof s.ks);
  CHECK_EQ(rijn_ctr_crypt(&k->aes, a->out, a->in, 0, &s) == RIJN_OK, false);
  return err;
}
static int cfb(const struct keys *k, const struct args *a, uint8_t *side) {
  rijn_cfb_state s = {{0}, (uint32_t)(a->first % 20)};
  (void)side;
  key_rule(k);
  text_rules(a, a->len);
  rule(s.used > 15, RIJN_ESTATE);
  int err = rijn_cfb_decrypt(&k->aes, a->out, a->in, a->len, &s);
  rijn_cfb_wipe(&s);
  CHECK_ALL(s.iv, 0, sizeof s.iv);
  CHECK_EQ(rijn_cfb_encrypt(&k->aes, a->out, a->in, 0, &s) == RIJN_OK, false);
  return err;
}
static int ccm(const struct keys *k, const struct args *a, uint8_t *side) {
  key_rule(k);
  text_rules(a, a->len);
  rule((a->aad == NULL && a->aad_len != 0) || a->iv == NULL, RIJN_ENULL);
  rule(a->iv_len < 7 || a->iv_len > 13, RIJN_ENONCELEN);
  return rijn_ccm_encrypt(&k->ccm, a->out, a->in, a->len, a->aad, a->aad_len, a->iv, a->iv_len, side);
}
static int xts(const struct keys *k, const struct args *a, uint8_t *side) {
  (void)side;
  key_rule(k);
  text_rules(a, a->len);
  rule(a->iv == NULL, RIJN_ENULL);
  rule(a->len < 16, RIJN_ELEN);
  return rijn_xts_decrypt(&k->xts, a->out, a->in, a->len, a->iv);
}
static int sectors(const struct keys *k, const struct args *a, uint8_t *side) {
  size_t size = a->iv_len % 8 == 0 ? a->iv_len * 8 : 512, n = a->len / 512;
  struct args b = *a;
  (void)side;
  b.len = 512 * n; /* any other size is refused here */
  bool wraps = n > 1 && a->step != 0 && (UINT64_MAX - a->first) / a->step < n - 1;
  key_rule(k);
  rule(size != 512 || wraps, RIJN_ESECTOR);
  text_rules(&b, b.len);
  return rijn_xts_encrypt_sectors(&k->xts, a->out, a->in, size, n, a->first, a->step);
}

static call_fn *const calls[] = {gcm_enc, gcm_iov,  esp_enc,  ghash,     ecb,       cbc,       pad,
                                 ctr,     xts,      sectors,  gcm_seal,  gcm_open,  gcm_nonce, cfb,
                                 ccm,     seal_siv, open_siv, seal_xaes, open_xaes, esp_lent};

static void make_keys(struct keys *k, size_t key_len, int impl) {
  CHECK_EQ(rijn_gcm_init_impl(&k->gcm, raw, key_len, 16, impl), RIJN_OK);
  CHECK_EQ(rijn_rfc4106_init_impl(&k->esp, raw, key_len + 4, 16, impl), RIJN_OK);
  CHECK_EQ(rijn_aes_init_impl(&k->aes, raw, key_len, impl), RIJN_OK);
  CHECK_EQ(rijn_xts_init_impl(&k->xts, raw, key_len == 24 ? 64 : 2 * key_len, impl), RIJN_OK);
  CHECK_EQ(rijn_ghash_init_impl(&k->ghash, raw, impl), RIJN_OK);
  CHECK_EQ(rijn_ccm_init_impl(&k->ccm, raw, key_len, 16, impl), RIJN_OK);
  CHECK_EQ(rijn_gcm_siv_init_impl(&k->siv, raw, key_len, impl), RIJN_OK);
  CHECK_EQ(rijn_xaes_init_impl(&k->xaes, raw, 32, impl), RIJN_OK);
}

static void one(struct feed *f, int impl) {
  static uint8_t first[ARENA];
  struct args a;
  call_fn *call = calls[feed_8(f) % (sizeof calls / sizeof calls[0])];
  unsigned nulls = feed_8(f), near = feed_8(f);
  size_t key_len = 16 + 8 * (size_t)(feed_8(f) % 3);
  a.len = feed_len(f, ROOM);
  a.aad_len = nulls & 32 ? 8 + nulls / 4 % 2 * 4 : feed_8(f) % 40;
  a.iv_len = feed_8(f) % 70;
  a.first = (uint64_t)feed_8(f) << 56 | feed_8(f);
  a.step = (uint64_t)feed_8(f) << (near % 64);
  /* In place, a little behind or before, or far. What else is read does not lie in the arena. */
  size_t out_at = near < 64 ? IN : near < 128 ? IN + 3 * (near - 64) : near < 192 ? IN - 3 * (near - 128) : 0;
  a.in = nulls % 16 == 1 ? NULL : arena + IN;
  a.out = nulls % 16 == 2 ? NULL : arena + out_at;
  a.aad = nulls % 16 == 3 ? NULL : raw;
  a.iv = nulls % 16 == 4 ? NULL : raw + 1;
  const struct keys *k = nulls >> 6 == 3 ? &dead : &mine;
  make_keys(&mine, key_len, impl);
  make_keys(&theirs, key_len, t_portable());
  t_fill(arena, ARENA);
  memcpy(before, arena, ARENA);
  broken = 0;
  int err = call(k, &a, arena + ARENA - TAIL);
  if (planted() && err == RIJN_EOVERLAP) /* as if it had written a byte before it refused */
    arena[out_at] ^= 1;
  verdict(err);
  if (err != RIJN_OK) {
    CHECK_MEM(arena, before, ARENA);
    return;
  }
  memcpy(first, arena, ARENA);
  memcpy(arena, before, ARENA);
  CHECK_EQ(call(&theirs, &a, arena + ARENA - TAIL), RIJN_OK);
  CHECK_MEM(first, arena, ARENA);
}

/* A stream's calls in any order. The model: 0 ended, 1 associated data, 2 text. */
static void stream(struct feed *f, int impl) {
  static rijn_gcm_stream s;
  uint8_t out[64], tag[16];
  int state = 0;
  bool enc = false;
  make_keys(&mine, 16, impl);
  memset(&s, 0, sizeof s);
  for (int i = 0; i < 24 && f->n != 0; i++) {
    unsigned what = feed_8(f), n = what >> 3;
    switch (what % 6) {
    case 0:
    case 1:
      CHECK_EQ((what % 6 == 0 ? rijn_gcm_encrypt_start : rijn_gcm_decrypt_start)(&s, &mine.gcm, raw, n),
               n != 0 ? RIJN_OK : RIJN_ENONCELEN);
      if (n != 0) { /* else it stays as it was */
        enc = what % 6 == 0;
        state = 1;
      }
      break;
    case 2:
      CHECK_EQ(rijn_gcm_aad(&s, raw, n), state == 1 ? RIJN_OK : RIJN_ESTATE);
      state = state == 1 ? 1 : 0;
      break;
    case 3:
      CHECK_EQ(rijn_gcm_update(&s, out, raw, n), state != 0 ? RIJN_OK : RIJN_ESTATE);
      state = state != 0 ? 2 : 0;
      break;
    case 4:
      CHECK_EQ(rijn_gcm_encrypt_finish(&s, tag), state != 0 && enc ? RIJN_OK : RIJN_ESTATE);
      state = 0;
      break;
    default:
      CHECK_EQ(rijn_gcm_decrypt_finish(&s, raw), state != 0 && !enc ? RIJN_EAUTH : RIJN_ESTATE);
      state = 0;
    }
    if (state == 0)
      CHECK_ALL(&s, 0, sizeof s);
  }
  rijn_gcm_stream_wipe(&s);
  CHECK_ALL(&s, 0, sizeof s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct feed f = {data, size};
  unsigned what = feed_8(&f);
  feed_seed(&f);
  t_fill(raw, sizeof raw);
  if (what == 128)
    names(&f);
  if (what % 8 == 0 && what & 64) /* equal halves of an XTS key */
    memcpy(raw + 16, raw, 16);
  for (int impl = 0; impl < rijn_impl_count(); impl++) {
    struct feed again = f;
    if (!rijn_impl_supported(impl))
      continue;
    t_set_impl(impl);
    if (what % 8 == 0)
      init(&again, impl);
    else if (what % 8 == 1)
      stream(&again, impl);
    else
      one(&again, impl);
    fuzz_end();
  }
  return 0;
}
