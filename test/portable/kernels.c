/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Every kernel of every implementation that runs here, called as impl.h has it, against the references: known answers
 * from elsewhere, since a round trip forgives an error that is made in both directions.
 *
 * Built three times: as it is, and with the other two builds of portable.c in the place of the library's. */
#include "../../src/impl.h"
#include "ref.h"
#include "t.h"

#define MAX 1200 /* more than a group of any implementation, twice */

static uint8_t key[64], text[MAX], want[MAX], got[MAX], back[MAX], aad[MAX];
static struct rijn_aes aes;
static struct rijn_xts xts;
static struct rijn_gcm gcm;
static struct rijn_ghash gh;
static struct rijn_enc siv;

/* Which kernels were called: of each set all that it has must be. */
static bool called[RIJN_KERNELS];
static const struct rijn_impl *calling(const struct rijn_impl *m, int kernel) {
  called[kernel] = true;
  return m;
}
#define CALL(name) calling(m, RIJN_KERNEL_##name)->name

static const char *cipher(char name[32], size_t bits, const char *mode) {
  snprintf(name, 32, "AES-%zu-%s", bits, mode);
  return name;
}

/* nblk in steps that meet every count up to 20 and every place in the groups beyond. */
static size_t next_nblk(size_t n) { return n < 20 ? n + 1 : n + 7; }

static void test_ecb_cbc(const struct rijn_impl *m, size_t key_len) {
  char name[32];
  uint8_t iv[16], iv2[16], want_iv[16];

  aes.rounds = (uint8_t)(key_len / 4 + 6);
  CALL(aes_init)(&aes, key);
  for (size_t n = 0; n <= MAX / 16; n = next_nblk(n)) {
    T_AT("ecb, key %zu, blocks %zu", key_len, n);
    size_t len = 16 * n;
    ref_cipher(cipher(name, 8 * key_len, "ECB"), 1, key, NULL, want, text, len, NULL);
    CALL(ecb_enc)(&aes.rk, aes.rounds, got, text, n);
    CHECK_MEM(got, want, len);
    CALL(ecb_dec)(&aes.dk, aes.rounds, back, got, n);
    CHECK_MEM(back, text, len);
    memcpy(back, text, len);
    CALL(ecb_enc)(&aes.rk, aes.rounds, back, back, n);
    CHECK_MEM(back, want, len);
    CALL(ecb_dec)(&aes.dk, aes.rounds, back, back, n);
    CHECK_MEM(back, text, len);

    T_AT("cbc, key %zu, blocks %zu", key_len, n);
    t_fill(iv, 16);
    memcpy(want_iv, iv, 16);
    ref_cipher(cipher(name, 8 * key_len, "CBC"), 1, key, iv, want, text, len, NULL);
    if (n)
      memcpy(want_iv, want + len - 16, 16);
    memcpy(iv2, iv, 16);
    CALL(cbc_enc)(&aes.rk, aes.rounds, got, text, n, iv2);
    CHECK_MEM(got, want, len);
    CHECK_MEM(iv2, want_iv, 16);
    memcpy(iv2, iv, 16);
    CALL(cbc_dec)(&aes.dk, aes.rounds, back, got, n, iv2);
    CHECK_MEM(back, text, len);
    CHECK_MEM(iv2, want_iv, 16);
    memcpy(iv2, iv, 16);
    CALL(cbc_dec)(&aes.dk, aes.rounds, got, got, n, iv2);
    CHECK_MEM(got, text, len);
    CHECK_MEM(iv2, want_iv, 16);

    T_AT("cfb, key %zu, blocks %zu", key_len, n);
    ref_cipher(cipher(name, 8 * key_len, "CFB"), 1, key, iv, want, text, len, NULL);
    if (n)
      memcpy(want_iv, want + len - 16, 16);
    memcpy(iv2, iv, 16);
    CALL(cfb_enc)(&aes.rk, aes.rounds, got, text, n, iv2);
    CHECK_MEM(got, want, len);
    CHECK_MEM(iv2, want_iv, 16);
    memcpy(iv2, iv, 16);
    CALL(cfb_dec)(&aes.rk, aes.rounds, got, got, n, iv2);
    CHECK_MEM(got, text, len);
    CHECK_MEM(iv2, want_iv, 16);
  }
}

/* Streams side by side, each against itself alone. */
static void test_cbc_many(const struct rijn_impl *m) {
  static uint8_t ivs[RIJN_CBC_STREAMS][16], chain[16];
  for (size_t n = 1; n <= RIJN_CBC_STREAMS; n++)
    for (size_t nblk = 1; 16 * n * nblk <= MAX; nblk++) {
      struct rijn_cbc_stream s[RIJN_CBC_STREAMS];
      T_AT("%zu streams of %zu blocks", n, nblk);
      t_fill(ivs, sizeof ivs);
      for (size_t i = 0; i < n; i++) {
        memcpy(chain, ivs[i], 16);
        CALL(cbc_enc)(&aes.rk, aes.rounds, want + 16 * nblk * i, text + 16 * nblk * i, nblk, chain);
        s[i] = (struct rijn_cbc_stream){got + 16 * nblk * i, text + 16 * nblk * i, ivs[i]};
      }
      memset(got, 0, sizeof got);
      CALL(cbc_enc_many)(&aes.rk, aes.rounds, s, n, nblk);
      CHECK_MEM(got, want, 16 * n * nblk);
      for (size_t i = 0; i < n; i++)
        CHECK_MEM(ivs[i], want + 16 * (nblk * (i + 1) - 1), 16);
    }
}

/* Of a message with a nonce of 12 bytes, without associated data: B0 and Ctr0 as SP 800-38C A.2.1 and A.3 have them. */
static void test_ccm(const struct rijn_impl *m, size_t key_len) {
  uint8_t tag[16];
  for (size_t len = 0; len <= MAX; len += len < 70 ? 1 : 37) {
    T_AT("ccm, key %zu, length %zu", key_len, len);
    struct rijn_ccm_state first = {{2}, {7 * 8 + 2}, {0}}, c;
    t_fill(first.ctr + 1, 12);
    memcpy(first.mac + 1, first.ctr + 1, 12);
    first.mac[14] = (uint8_t)(len >> 8);
    first.mac[15] = (uint8_t)len;
    model_ccm(key, key_len, want, text, len, NULL, 0, first.ctr + 1, 12, tag, 16);
    c = first;
    CALL(ccm_enc)(&aes.rk, aes.rounds, got, text, len, &c);
    CHECK_MEM(got, want, len);
    CHECK_MEM(c.mac, tag, 16);
    c = first;
    CALL(ccm_dec)(&aes.rk, aes.rounds, got, got, len, &c);
    CHECK_MEM(got, text, len);
    CHECK_MEM(c.mac, tag, 16);
  }
}

/* Counter + i, by bytes: all 16, or the last 4. */
static void count(uint8_t ctr[16], int first) {
  for (int i = 15; i >= first && ++ctr[i] == 0; i--) {
  }
}

static void test_ctr(const struct rijn_impl *m, size_t key_len) {
  uint8_t start[16], ctr[16], want_ctr[16], ks[16];
  for (int wide = 0; wide < 2; wide++)
    for (size_t n = 0; n <= MAX / 16; n = next_nblk(n))
      for (unsigned kind = 0; kind < 4; kind++) {
        /* Far from a wrap, and 2^32, 2^64, 2^128 within the message. */
        T_AT("ctr wide %zu, key %zu, blocks %zu, kind %zu", wide, key_len, n, kind);
        t_fill(start, 16);
        start[15] = (uint8_t)(0 - t_below(n + 2));
        if (kind)
          memset(start + (kind == 1 ? 12 : kind == 2 ? 8 : 0), 0xff, kind == 1 ? 3 : kind == 2 ? 7 : 15);
        memcpy(ctr, start, 16);
        for (size_t i = 0; i < n; i++) {
          ref_aes_block(key, key_len, ctr, ks);
          for (int j = 0; j < 16; j++)
            want[16 * i + (size_t)j] = text[16 * i + (size_t)j] ^ ks[j];
          count(ctr, wide ? 0 : 12);
        }
        memcpy(want_ctr, ctr, 16);
        memcpy(ctr, start, 16);
        (wide ? CALL(ctr_blocks) : CALL(ctr32_blocks))(&aes.rk, aes.rounds, got, text, n, ctr);
        CHECK_MEM(got, want, 16 * n);
        CHECK_MEM(ctr, want_ctr, 16);
        memcpy(got, text, 16 * n);
        memcpy(ctr, start, 16);
        (wide ? CALL(ctr_blocks) : CALL(ctr32_blocks))(&aes.rk, aes.rounds, got, got, n, ctr);
        CHECK_MEM(got, want, 16 * n);
        if (m->ctr_public == NULL)
          continue;
        memset(got, 0, 16 * n);
        memcpy(ctr, start, 16);
        CALL(ctr_public)(&aes.rk, aes.rounds, got, text, n, ctr, wide);
        CHECK_MEM(got, want, 16 * n);
        CHECK_MEM(ctr, want_ctr, 16);
      }
}

/* libcrypto has no XTS with two keys of 24 bytes, nor has a standard. The kernels have, because their templates
 * have. */
static void xts_want(size_t key_len, const uint8_t *tweak, uint8_t *out, const uint8_t *in, size_t len) {
  char name[32];
  if (key_len == 24)
    model_cipher("AES-192-XTS", 1, key, tweak, out, in, len, NULL);
  else
    ref_cipher(cipher(name, 8 * key_len, "XTS"), 1, key, tweak, out, in, len, NULL);
}

static void test_xts(const struct rijn_impl *m, size_t key_len) {
  uint8_t tweak[16];

  xts.rounds = (uint8_t)(key_len / 4 + 6);
  CALL(xts_init)(&xts, key);
  for (size_t len = 16; len <= MAX; len += len < 200 ? 1 : 13) {
    T_AT("xts, key %zu, len %zu", key_len, len);
    t_fill(tweak, 16);
    xts_want(key_len, tweak, want, text, len);
    CALL(xts_enc)(&xts, got, text, len, tweak);
    CHECK_MEM(got, want, len);
    CALL(xts_dec)(&xts, back, got, len, tweak);
    CHECK_MEM(back, text, len);
    CALL(xts_dec)(&xts, got, got, len, tweak);
    CHECK_MEM(got, text, len);
    CALL(xts_enc)(&xts, got, got, len, tweak);
    CHECK_MEM(got, want, len);
  }
}

/* A data unit in parts, each at least a block, both ways, in place and not. first: blocks of the first part; most: of
 * the others, at most. */
static void test_parts_of(const struct rijn_impl *m, size_t key_len, size_t len, size_t first, size_t most) {
  uint8_t tweak[16], next[16];
  size_t n;

  t_fill(tweak, 16);
  xts_want(key_len, tweak, want, text, len);
  for (unsigned i = 0; i < 4; i++) {
    int encrypt = i & 1, in_place = i & 2;
    const uint8_t *from = encrypt ? text : want, *in = in_place ? got : from;
    T_AT("xts in parts, key %zu, len %zu, first %zu blocks, then at most %zu", key_len, len, first, most);
    memset(got, 0, len);
    if (in_place)
      memcpy(got, from, len);
    for (size_t at = 0; at < len; at += n) {
      n = 16 * (at == 0 ? first : 1 + t_below(most));
      n = n + 16 > len - at ? len - at : n;
      if (encrypt)
        CALL(xts_enc_part)(&xts, got + at, in + at, n, at == 0 ? tweak : next, next, at == 0);
      else
        CALL(xts_dec_part)(&xts, got + at, in + at, n, at == 0 ? tweak : next, next, at == 0);
    }
    CHECK_MEM(got, encrypt ? want : text, len);
  }
}

/* Where parts meet is anywhere; and, as that is seldom, where a ring of tweaks (src/mode/xts_t.h) begins anew. */
static void test_xts_parts(const struct rijn_impl *m, size_t key_len) {
  for (size_t len = 16; len <= MAX; len += len < 200 ? 1 : 13) {
    size_t most = 1 + t_below(len / 16);
    test_parts_of(m, key_len, len, 1 + t_below(most), most);
  }
  for (size_t first = 62; first <= 74; first++)
    test_parts_of(m, key_len, MAX - t_below(16), first, 1 + t_below(12));
}

#define SECTORS 19
static void test_sectors(const struct rijn_impl *m, size_t key_len) {
  static uint8_t in[SECTORS * 512], out[SECTORS * 512], exp[SECTORS * 512], tweaks[SECTORS * 16];

  t_fill(in, sizeof in);
  for (size_t n = 0; n <= SECTORS; n++) {
    struct rijn_sectors s = {.size = 512, .n = n, .first = t_rnd() >> 1, .step = n % 3 ? 1 : 512, .tweaks = NULL};
    for (int given = 0; given < 2; given++) {
      T_AT("sectors, key %zu, n %zu, tweaks given %zu", key_len, n, given);
      for (size_t i = 0; i < n; i++) {
        uint64_t v = s.first + i * s.step;
        memset(tweaks + 16 * i, 0, 16);
        for (int b = 0; b < 8; b++)
          tweaks[16 * i + (size_t)b] = (uint8_t)(v >> 8 * b);
        if (given)
          t_fill(tweaks + 16 * i, 16);
        xts_want(key_len, tweaks + 16 * i, exp + 512 * i, in + 512 * i, 512);
      }
      s.tweaks = given ? tweaks : NULL;
      CALL(xts_enc_sectors)(&xts, out, in, &s);
      CHECK_MEM(out, exp, 512 * n);
      CALL(xts_dec_sectors)(&xts, out, out, &s);
      CHECK_MEM(out, in, 512 * n);
    }
  }
}

/* A call of the kernels for blocks: what is chained before it, the counter behind it, the hash subkey. */
struct blocks {
  const uint8_t *ctr, *want_ctr, *acc, *h;
  size_t n;
  unsigned ends;
  size_t key_len;
};
static void test_tag(const struct rijn_impl *m, const struct blocks *b) {
  struct rijn_gcm_state c;
  uint8_t want_tag[16], lengths[16] = {0}, j0[16], ej0[16];
  memcpy(want_tag, b->acc, 16);
  memcpy(c.acc, b->acc, 16);
  t_fill(j0, 16);
  if (b->ends & RIJN_HASH_PENDING)
    model_ghash(want_tag, b->h, (const uint8_t[16]){0}, 16);
  lengths[6] = 2, lengths[7] = 0x38; /* 71 * 8 */
  lengths[10] = (uint8_t)(b->n >> 17), lengths[11] = (uint8_t)(b->n >> 9), lengths[12] = (uint8_t)(b->n >> 1);
  lengths[13] = (uint8_t)(b->n << 7);
  model_ghash(want_tag, b->h, lengths, 16);
  ref_aes_block(key, b->key_len, j0, ej0);
  for (int i = 0; i < 16; i++)
    want_tag[i] ^= ej0[i];
  CALL(gcm_blocks_tag)(&gcm, &c, j0, 71, (uint64_t)b->n << 20, b->ends & RIJN_HASH_PENDING);
  CHECK_MEM(c.acc, want_tag, 16);
}
/* Both directions; `want` is the ciphertext. */
static void test_blocks(const struct rijn_impl *m, const struct blocks *b) {
  struct rijn_gcm_state c;
  uint8_t next[16], ks[16], want_acc[16], none[16];
  T_AT("gcm blocks, key %zu, blocks %zu, ends %u", b->key_len, b->n, b->ends);
  memcpy(want_acc, b->acc, 16);
  if (b->ends & RIJN_HASH_PENDING)
    model_ghash(want_acc, b->h, (const uint8_t[16]){0}, 16);
  model_ghash(want_acc, b->h, want, 16 * b->n);
  t_fill(none, 16);
  memcpy(ks, none, 16);
  memcpy(next, b->want_ctr, 16);
  if (b->ends & RIJN_NEXT_KEYSTREAM) {
    ref_aes_block(key, b->key_len, next, ks);
    count(next, 12);
  }
  for (int encrypt = 1; encrypt >= 0; encrypt--) {
    memcpy(c.ctr, b->ctr, 16);
    memcpy(c.acc, b->acc, 16);
    memcpy(c.ks, none, 16);
    if (encrypt)
      CALL(gcm_enc_blocks)(&gcm, got, text, b->n, &c, b->ends);
    else
      CALL(gcm_dec_blocks)(&gcm, got, got, b->n, &c, b->ends);
    CHECK_MEM(got, encrypt ? want : text, 16 * b->n);
    CHECK_MEM(c.ctr, next, 16);
    CHECK_MEM(c.acc, want_acc, 16);
    CHECK_MEM(c.ks, ks, 16);
  }
  test_tag(m, b);
}

static void test_gcm(const struct rijn_impl *m, size_t key_len) {
  uint8_t nonce[12], tag[16], got_tag[16];

  memset(&gcm, 0, sizeof gcm);
  gcm.rounds = (uint8_t)(key_len / 4 + 6);
  gcm.tag_len = 16;
  CALL(gcm_init)(&gcm, key);
  for (size_t len = 0; len <= MAX; len += len < 300 ? 1 : 37) {
    size_t aad_len = len % 7 ? t_below(70) : t_below(MAX);
    T_AT("gcm, key %zu, len %zu, aad %zu", key_len, len, aad_len);
    t_fill(nonce, 12);
    ref_gcm(key, key_len, want, text, len, aad, aad_len, nonce, 12, tag);
    CHECK_EQ(CALL(gcm_encrypt)(&gcm, got, text, len, aad, aad_len, nonce, 12, got_tag), 0);
    CHECK_MEM(got, want, len);
    CHECK_MEM(got_tag, tag, 16);
    CHECK_EQ(CALL(gcm_decrypt)(&gcm, back, got, len, aad, aad_len, nonce, 12, tag), 0);
    CHECK_MEM(back, text, len);
    memcpy(back, text, len);
    memset(got_tag, 0, 16);
    CHECK_EQ(CALL(gcm_encrypt)(&gcm, back, back, len, aad, aad_len, nonce, 12, got_tag), 0);
    CHECK_MEM(back, want, len);
    CHECK_MEM(got_tag, tag, 16);
    got_tag[len % 16] ^= (uint8_t)(1u << len % 8);
    CHECK_EQ(CALL(gcm_decrypt)(&gcm, back, back, len, aad, aad_len, nonce, 12, got_tag), -1);
    CHECK_ALL(back, 0, len);
    memset(got_tag, 0, 16);
    CHECK_EQ(CALL(gcm_encrypt_checked)(&gcm, got, text, len, aad, aad_len, nonce, 12, got_tag), 0);
    CHECK_MEM(got, want, len);
    CHECK_MEM(got_tag, tag, 16);
    CHECK_EQ(CALL(gcm_decrypt_checked)(&gcm, back, got, len, aad, aad_len, nonce, 12, tag), 0);
    CHECK_MEM(back, text, len);
  }

  /* Streams, and the hash alone. */
  uint8_t h[16] = {0}, ctr[16], acc[16], want_acc[16], want_ctr[16], ks[16];
  ref_aes_block(key, key_len, h, h);
  gh.impl = 0;
  CALL(ghash_init)(&gh, h);
  for (size_t n = 0; n <= MAX / 16; n = next_nblk(n)) {
    T_AT("gcm blocks, key %zu, blocks %zu", key_len, n);
    t_fill(ctr, 16);
    t_fill(acc, 16);
    if (n % 2)
      memset(ctr + 12, 0xff, 3);
    memcpy(want_ctr, ctr, 16);
    memcpy(want_acc, acc, 16);
    for (size_t i = 0; i < n; i++, count(want_ctr, 12)) {
      ref_aes_block(key, key_len, want_ctr, ks);
      for (int j = 0; j < 16; j++)
        want[16 * i + (size_t)j] = text[16 * i + (size_t)j] ^ ks[j];
    }
    model_ghash(want_acc, h, want, 16 * n);

    for (unsigned ends = 0; ends < 4; ends++)
      test_blocks(m, &(struct blocks){ctr, want_ctr, acc, h, n, ends, key_len});
    uint8_t a[16];
    memcpy(a, acc, 16);
    CALL(ghash_blocks)(&gh.h, a, want, n);
    CHECK_MEM(a, want_acc, 16);
    memcpy(a, acc, 16);
    CALL(ghash_blocks)(&gcm.h, a, want, n);
    CHECK_MEM(a, want_acc, 16);
  }
}

/* Lengths that differ. WHY so many messages: of fewer than 16 that are not alike a kernel may take none
 * (BATCH_MANY in batch_t.h). test/gcm/batch.c has the others. */
static void test_batch(const struct rijn_impl *m, size_t key_len) {
  enum { MSGS = 19 };
  static uint8_t outs[MSGS][MAX], wants[MSGS][MAX], backs[MSGS][MAX];
  uint8_t nonces[MSGS][12], tags[MSGS][16], got_tags[MSGS][16];
  rijn_gcm_msg msgs[MSGS];
  size_t failed = 0;

  if (m->gcm_encrypt_batch == NULL)
    return;
  T_AT("batch, key %zu", key_len);
  t_fill(nonces, sizeof nonces);
  for (size_t i = 0; i < MSGS; i++) {
    msgs[i] = (rijn_gcm_msg){.size = sizeof msgs[i],
                             .key = (const rijn_gcm_key *)(const void *)&gcm,
                             .out = outs[i],
                             .in = text,
                             .len = 37 * i,
                             .aad = aad,
                             .aad_len = 2 * i,
                             .nonce = nonces[i],
                             .nonce_len = 12,
                             .tag = got_tags[i]};
    ref_gcm(key, key_len, wants[i], text, 37 * i, aad, 2 * i, nonces[i], 12, tags[i]);
  }
  for (size_t done = 0; done < MSGS;) {
    size_t taken = CALL(gcm_encrypt_batch)(msgs + done, MSGS - done, &failed);
    REQUIRE(taken > 0);
    done += taken;
  }
  for (size_t i = 0; i < MSGS; i++) {
    CHECK_MEM(outs[i], wants[i], 37 * i);
    CHECK_MEM(got_tags[i], tags[i], 16);
    msgs[i].in = outs[i];
    msgs[i].out = backs[i];
  }
  if (m->gcm_decrypt_batch == NULL)
    return;
  for (size_t done = 0; done < MSGS;) {
    size_t taken = CALL(gcm_decrypt_batch)(msgs + done, MSGS - done, &failed);
    REQUIRE(taken > 0);
    done += taken;
  }
  CHECK_EQ(failed, 0);
  for (size_t i = 0; i < MSGS; i++)
    CHECK_MEM(backs[i], text, 37 * i);
}

/* A key for one message: what it does not make has any bytes, and what it wipes is all that it made. */
static void test_once(const struct rijn_impl *m, size_t key_len) {
  static _Alignas(64) struct rijn_gcm k, before;
  uint8_t nonce[12], tag[16], got_tag[16];

  if (m->gcm_init_once == NULL)
    return;
  for (size_t len = 0; len <= MAX; len += len < 300 ? 1 : 37)
    for (size_t aad_len = len % 23; aad_len <= MAX; aad_len += 16 + MAX / 3) {
      T_AT("gcm once, key %zu, len %zu, aad %zu", key_len, len, aad_len);
      t_fill(nonce, 12);
      t_fill(&before, sizeof before);
      memcpy(&k, &before, sizeof k);
      k.rounds = (uint8_t)(key_len / 4 + 6);
      k.tag_len = 16;
      CALL(gcm_init_once)(&k, key, aad_len, len);
      ref_gcm(key, key_len, want, text, len, aad, aad_len, nonce, 12, tag);
      CHECK_EQ(CALL(gcm_encrypt_checked)(&k, got, text, len, aad, aad_len, nonce, 12, got_tag), 0);
      CHECK_MEM(got, want, len);
      CHECK_MEM(got_tag, tag, 16);
      CHECK_EQ(CALL(gcm_decrypt_checked)(&k, back, got, len, aad, aad_len, nonce, 12, tag), 0);
      CHECK_MEM(back, text, len);
      CALL(gcm_wipe_once)(&k, aad_len, len);
      for (size_t i = 0; i < sizeof k; i += 16) /* as it was, or zeros */
        if (memcmp((uint8_t *)&k + i, (uint8_t *)&before + i, 16) != 0)
          CHECK_ALL((uint8_t *)&k + i, 0, 16);
    }
}

static void test_siv(const struct rijn_impl *m, size_t key_len) {
  uint8_t nonce[12], tag[16], got_tag[16];

  if (m->siv_encrypt == NULL)
    return;
  siv.rounds = (uint8_t)(key_len / 4 + 6);
  memcpy(&siv.rk, &aes.rk, sizeof siv.rk);
  for (size_t len = 0; len <= MAX; len += len < 300 ? 1 : 37) {
    size_t aad_len = len % 7 ? t_below(70) : t_below(MAX);
    T_AT("gcm-siv, key %zu, len %zu, aad %zu", key_len, len, aad_len);
    t_fill(nonce, 12);
    model_gcm_siv(key, key_len, want, text, len, aad, aad_len, nonce, tag);
    CHECK_EQ(CALL(siv_encrypt)(&siv, got, text, len, aad, aad_len, nonce, got_tag), 0);
    CHECK_MEM(got, want, len);
    CHECK_MEM(got_tag, tag, 16);
    CHECK_EQ(CALL(siv_decrypt)(&siv, got, got, len, aad, aad_len, nonce, tag), 0);
    CHECK_MEM(got, text, len);
    got_tag[len % 16] ^= (uint8_t)(1u << len % 8);
    CHECK_EQ(CALL(siv_decrypt)(&siv, back, want, len, aad, aad_len, nonce, got_tag), -1);
    CHECK_ALL(back, 0, len);
  }
}

/* Integer multiplications add columns up: subkeys and text of all ones make the largest sums. */
static void test_dense(const struct rijn_impl *m) {
  uint8_t h[16], in[64], acc[16], want_acc[16];
  for (unsigned i = 0; i < 256; i++) {
    T_AT("dense hash, pattern %zu", i);
    memset(h, 0xff, 16);
    memset(in, 0xff, 64);
    if (i)
      h[t_below(16)] ^= (uint8_t)t_rnd();
    if (i & 1)
      in[t_below(64)] ^= (uint8_t)t_rnd();
    if (i & 2)
      h[0] &= 0x7f;
    memset(acc, 0, 16);
    memset(want_acc, 0, 16);
    CALL(ghash_init)(&gh, h);
    CALL(ghash_blocks)(&gh.h, acc, in, 4);
    model_ghash(want_acc, h, in, 64);
    CHECK_MEM(acc, want_acc, 16);
  }
}

int main(int argc, char **argv) {
  t_init(argc, argv);
  T_IMPLS(i) {
    const struct rijn_impl *m = rijn_impls[i];
    t_fill(key, sizeof key);
    t_fill(text, sizeof text);
    t_fill(aad, sizeof aad);
    for (size_t key_len = 16; key_len <= 32; key_len += 8) {
      test_ecb_cbc(m, key_len);
      test_cbc_many(m);
      test_ccm(m, key_len);
      test_ctr(m, key_len);
      test_gcm(m, key_len);
      gcm.impl = (uint8_t)(i + 1);
      test_batch(m, key_len);
      test_once(m, key_len);
      test_siv(m, key_len);
      test_xts(m, key_len);
      test_xts_parts(m, key_len);
      test_sectors(m, key_len);
    }
    test_dense(m);
#define KERNEL(name, shape, key)                                                                                       \
  T_AT(#name, 0);                                                                                                      \
  CHECK(m->name == NULL || called[RIJN_KERNEL_##name]);
#include "../../src/kernels.def"
    memset(called, 0, sizeof called);
  }
  return t_done();
}
