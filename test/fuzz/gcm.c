/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* GCM: one message through every call, on every implementation, against libcrypto; so against portable as well. */
#include "fuzz.h"

enum { TEXT = 12000, AAD = 700, NONCE = 128, CUTS = 8, MORE = 8, SHORT = 600 };

static uint8_t raw[32], text[TEXT], aad[AAD], nonce[NONCE], want[TEXT], want_tag[16];
static uint8_t out[TEXT + 16], sealed[TEXT], tag[16];
static size_t key_len, len, aad_len, nonce_len, tag_len;
static uint8_t cuts[CUTS];
static rijn_gcm_key key;

static void check_sealed(void) {
  if (planted() && len % 16 == 13 && aad_len > 300)
    out[len / 2] ^= 1;
  CHECK_MEM(out, want, len);
  CHECK_MEM(tag, want_tag, tag_len);
}
static void check_opened(int err) {
  CHECK_EQ(err, RIJN_OK);
  CHECK_MEM(out, text, len);
}

static void whole(unsigned spoil) {
  CHECK_EQ(rijn_gcm_encrypt(&key, out, text, len, aad, aad_len, nonce, nonce_len, tag), RIJN_OK);
  check_sealed();
  memcpy(out, text, len);
  CHECK_EQ(rijn_gcm_encrypt(&key, out, out, len, aad, aad_len, nonce, nonce_len, tag), RIJN_OK);
  check_sealed();
  check_opened(rijn_gcm_decrypt(&key, out, out, len, aad, aad_len, nonce, nonce_len, tag));

  /* A forgery: one bit of the text, the associated data, the nonce or the tag. */
  struct {
    uint8_t *p;
    size_t n;
  } parts[] = {{sealed, len}, {aad, aad_len}, {nonce, nonce_len}, {tag, tag_len}};
  unsigned part = parts[spoil % 4].n != 0 ? spoil % 4 : 3;
  uint8_t *victim = parts[part].p + spoil / 32 % parts[part].n, bit = (uint8_t)(1 << spoil / 4 % 8);
  memcpy(sealed, want, len);
  *victim ^= bit;
  CHECK_EQ(rijn_gcm_decrypt(&key, out, sealed, len, aad, aad_len, nonce, nonce_len, tag), RIJN_EAUTH);
  CHECK_ALL(out, 0, len);
  *victim ^= bit;
}

/* The tag behind the text: apart and in place, then a bit of either changed. */
static void with_tag(unsigned spoil) {
  static uint8_t both[TEXT + 16];
  const size_t n = len + tag_len;
  CHECK_EQ(rijn_gcm_seal(&key, both, text, len, aad, aad_len, nonce, nonce_len), RIJN_OK);
  CHECK_MEM(both, want, len);
  CHECK_MEM(both + len, want_tag, tag_len);
  check_opened(rijn_gcm_open(&key, out, both, n, aad, aad_len, nonce, nonce_len));
  CHECK_EQ(rijn_gcm_seal(&key, out, out, len, aad, aad_len, nonce, nonce_len), RIJN_OK);
  CHECK_MEM(out, both, n);
  out[spoil / 8 % n] ^= (uint8_t)(1 << spoil % 8);
  CHECK_EQ(rijn_gcm_open(&key, out, out, n, aad, aad_len, nonce, nonce_len), RIJN_EAUTH);
  CHECK_ALL(out, 0, len);
}

/* The text's length from cut i on: never over what is left, and 0 at times. */
static size_t piece(unsigned i, size_t left) {
  size_t n = cuts[i % CUTS] < 128 ? cuts[i % CUTS] : (size_t)(cuts[i % CUTS] - 127) * 16;
  return n < left ? n : left;
}

static void in_pieces(void) {
  rijn_gcm_stream s;
  for (int enc = 1; enc >= 0; enc--) {
    const uint8_t *from = enc ? text : want;
    size_t done = 0;
    CHECK_EQ(enc ? rijn_gcm_encrypt_start(&s, &key, nonce, nonce_len)
                 : rijn_gcm_decrypt_start(&s, &key, nonce, nonce_len),
             RIJN_OK);
    for (unsigned i = 0; done < aad_len; i++) {
      size_t n = i < 20 ? piece(i, aad_len - done) : aad_len - done;
      CHECK_EQ(rijn_gcm_aad(&s, aad + done, n), RIJN_OK);
      done += n;
    }
    done = 0;
    for (unsigned i = 0; done < len; i++) {
      size_t n = i < 20 ? piece(i + 3, len - done) : len - done;
      CHECK_EQ(rijn_gcm_update(&s, out + done, from + done, n), RIJN_OK);
      done += n;
    }
    if (enc) {
      CHECK_EQ(rijn_gcm_encrypt_finish(&s, tag), RIJN_OK);
      check_sealed();
    } else {
      check_opened(rijn_gcm_decrypt_finish(&s, want_tag));
    }
  }
}

static size_t cut(rijn_iov *v, uint8_t *base, size_t n, unsigned first) {
  size_t i = 0, done = 0;
  for (; i < 9; i++) {
    size_t m = piece(first + (unsigned)i, n - done);
    v[i] = (rijn_iov){base + done, m};
    done += m;
  }
  v[i++] = (rijn_iov){base + done, n - done};
  return i;
}
static void in_lists(void) {
  rijn_iov o[10], t[10], a[10];
  size_t on = cut(o, out, len, cuts[0]), an = cut(a, aad, aad_len, cuts[1]);
  size_t tn = cut(t, text, len, cuts[2]);
  CHECK_EQ(rijn_gcm_encrypt_iov(&key, o, on, t, tn, a, an, nonce, nonce_len, tag), RIJN_OK);
  check_sealed();
  tn = cut(t, want, len, cuts[3]);
  check_opened(rijn_gcm_decrypt_iov(&key, o, on, t, tn, a, an, nonce, nonce_len, want_tag));
  /* In place; then a forgery. */
  memcpy(out, text, len);
  CHECK_EQ(rijn_gcm_encrypt_iov(&key, o, on, o, on, a, an, nonce, nonce_len, tag), RIJN_OK);
  check_sealed();
  tag[cuts[4] % tag_len] ^= 1;
  CHECK_EQ(rijn_gcm_decrypt_iov(&key, o, on, o, on, a, an, nonce, nonce_len, tag), RIJN_EAUTH);
  CHECK_ALL(out, 0, len);
}

/* Short messages that go with the batch: beginnings of this one. */
static struct {
  size_t len, aad_len;
  uint8_t want[SHORT], want_tag[16], out[SHORT], tag[16];
} more[MORE];

static void make_more(void) {
  for (size_t i = 0; i < MORE; i++) {
    more[i].len = piece((unsigned)i, len < SHORT ? len : SHORT);
    more[i].aad_len = i < cuts[i] % 4u ? 0 : cuts[i] % 32u;
    more[i].aad_len = more[i].aad_len < aad_len ? more[i].aad_len : aad_len;
    ref_gcm(raw, key_len, more[i].want, text, more[i].len, aad, more[i].aad_len, nonce, nonce_len, more[i].want_tag);
  }
}

/* The message three times among those: as it is, refused, and once more. A bad one does not stop the others. */
static void in_batch(void) {
  rijn_gcm_msg m[MORE + 3], all = {.size = sizeof all, .key = &key, .in = text, .aad = aad, .nonce = nonce};
  static uint8_t o[2][TEXT], t[2][16];
  const size_t n = MORE + 3, at[3] = {cuts[0] % 3u, 3 + cuts[1] % 4u, 7 + cuts[2] % 4u};
  all.len = len;
  all.aad_len = aad_len;
  all.nonce_len = nonce_len;
  for (size_t i = 0, k = 0; i < n; i++) {
    m[i] = all;
    if (i == at[0] || i == at[1] || i == at[2]) {
      m[i].out = i == at[0] ? o[0] : i == at[1] ? o[1] : out;
      m[i].tag = i == at[0] ? t[0] : i == at[1] ? t[1] : tag;
      continue;
    }
    m[i].out = more[k].out;
    m[i].len = more[k].len;
    m[i].aad_len = more[k].aad_len;
    m[i].tag = more[k++].tag;
  }
  m[at[1]].nonce_len = 0;
  CHECK_EQ(rijn_gcm_encrypt_batch(m, n), 1);
  CHECK_EQ(m[at[1]].result, RIJN_ENONCELEN);
  check_sealed();
  CHECK_MEM(o[0], want, len);
  for (size_t k = 0; k < MORE; k++) {
    CHECK_MEM(more[k].out, more[k].want, more[k].len);
    CHECK_MEM(more[k].tag, more[k].want_tag, tag_len);
  }
  /* Back, in place: the first is forged, the second as it should be now. */
  for (size_t i = 0; i < n; i++)
    m[i].in = m[i].out;
  t[0][cuts[5] % tag_len] ^= 0x80;
  m[at[1]].nonce_len = nonce_len;
  m[at[1]].in = want;
  m[at[1]].tag = want_tag;
  CHECK_EQ(rijn_gcm_decrypt_batch(m, n), 1);
  CHECK_EQ(m[at[0]].result, RIJN_EAUTH);
  CHECK_ALL(o[0], 0, len);
  CHECK_EQ(m[at[1]].result, RIJN_OK);
  CHECK_MEM(o[1], text, len);
  check_opened(m[at[2]].result);
  for (size_t k = 0; k < MORE; k++)
    CHECK_MEM(more[k].out, text, more[k].len);
}

/* The text cut into rows of equal length, each with a nonce of its own, against single calls; then back in place, one
 * of them forged. */
enum { ROWS = 40 };
static void in_rows(void) {
  static uint8_t made[TEXT], one[TEXT], tags[ROWS][16], nonces[ROWS][12], forged[ROWS];
  const size_t n = 1 + cuts[3] % ROWS, row = len / n, bad = cuts[4] % n;
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < 12; k++)
      nonces[i][k] = (uint8_t)(nonce[k % nonce_len] ^ (k == 11 ? i : 0));
  rijn_gcm_rows r = {.size = sizeof r, .key = &key, .rows = n, .len = row, .aad_len = aad_len, .out = made, .in = text};
  r.aad = aad;
  r.nonces = nonces;
  r.tags = tags;
  r.out_step = r.in_step = row;
  r.nonce_step = 12;
  r.tag_step = 16;
  r.forged = forged;
  CHECK_EQ(rijn_gcm_encrypt_rows(&r), 0);
  for (size_t i = 0; i < n; i++) {
    uint8_t mac[16];
    CHECK_EQ(rijn_gcm_encrypt(&key, one, text + i * row, row, aad, aad_len, nonces[i], 12, mac), RIJN_OK);
    CHECK_MEM(made + i * row, one, row);
    CHECK_MEM(tags[i], mac, tag_len);
  }
  r.in = made;
  tags[bad][cuts[5] % tag_len] ^= 0x10;
  CHECK_EQ(rijn_gcm_decrypt_rows(&r), 1);
  for (size_t i = 0; i < n; i++) {
    CHECK_EQ(forged[i], i == bad);
    if (i == bad)
      CHECK_ALL(made + i * row, 0, row);
    else
      CHECK_MEM(made + i * row, text + i * row, row);
  }
}

static void gmac(void) {
  uint8_t mac[16];
  ref_gcm(raw, key_len, NULL, NULL, 0, aad, aad_len, nonce, nonce_len, mac);
  CHECK_EQ(rijn_gmac(&key, aad, aad_len, nonce, nonce_len, tag), RIJN_OK);
  CHECK_MEM(tag, mac, tag_len);
  CHECK_EQ(rijn_gmac_verify(&key, aad, aad_len, nonce, nonce_len, tag), RIJN_OK);
  tag[cuts[6] % tag_len] ^= 4;
  CHECK_EQ(rijn_gmac_verify(&key, aad, aad_len, nonce, nonce_len, tag), RIJN_EAUTH);
}

/* RFC 4106 and RFC 4543: GCM whose nonce begins with the salt. */
static void esp(int impl) {
  static rijn_esp_key k;
  uint8_t salted[36], mac[16];
  if (nonce_len != 12)
    return;
  memcpy(salted, raw, key_len);
  memcpy(salted + key_len, nonce, 4);
  int err = rijn_rfc4106_init_impl(&k, salted, key_len + 4, tag_len, impl);
  CHECK_EQ(err, tag_len == 8 || tag_len == 12 || tag_len == 16 ? RIJN_OK : RIJN_ETAGLEN);
  if (err == RIJN_OK) {
    err = rijn_rfc4106_encrypt(&k, out, text, len, aad, aad_len, nonce + 4, tag);
    CHECK_EQ(err, aad_len == 8 || aad_len == 12 ? RIJN_OK : RIJN_EAADLEN);
  }
  if (err == RIJN_OK) {
    check_sealed();
    check_opened(rijn_rfc4106_decrypt(&k, out, out, len, aad, aad_len, nonce + 4, tag));
    tag[cuts[7] % tag_len] ^= 2;
    CHECK_EQ(rijn_rfc4106_decrypt(&k, out, want, len, aad, aad_len, nonce + 4, tag), RIJN_EAUTH);
    CHECK_ALL(out, 0, len);
  }
  ref_gcm(raw, key_len, NULL, NULL, 0, aad, aad_len, nonce, 12, mac);
  CHECK_EQ(rijn_rfc4543_init_impl(&k, salted, key_len + 4, impl), RIJN_OK);
  CHECK_EQ(rijn_rfc4543_tag(&k, aad, aad_len, nonce + 4, tag), RIJN_OK);
  CHECK_MEM(tag, mac, 16);
  CHECK_EQ(rijn_rfc4543_verify(&k, aad, aad_len, nonce + 4, tag), RIJN_OK);
  tag[cuts[7] % 16] ^= 2;
  CHECK_EQ(rijn_rfc4543_verify(&k, aad, aad_len, nonce + 4, tag), RIJN_EAUTH);
}

/* GHASH in pieces: of the ciphertext, so far as it is whole blocks. With the lengths, and E(J0) upon it, it is GMAC. */
static void ghash(int impl) {
  static rijn_ghash_key k;
  uint8_t h[16] = {0}, acc[16] = {0}, j0[16], mac[16], lengths[16] = {0};
  size_t nblk = len / 16, done = 0;
  if (nonce_len != 12)
    return;
  ref_aes_block(raw, key_len, h, h);
  CHECK_EQ(rijn_ghash_init_impl(&k, h, impl), RIJN_OK);
  for (unsigned i = 0; i < 20; i++) {
    size_t n = piece(i + 5, nblk - done);
    CHECK_EQ(rijn_ghash_update(&k, acc, want + 16 * done, n), RIJN_OK);
    done += n;
  }
  CHECK_EQ(rijn_ghash_update(&k, acc, want + 16 * done, nblk - done), RIJN_OK);
  for (size_t i = 0; i < 8; i++)
    lengths[i] = (uint8_t)((uint64_t)nblk * 128 >> (56 - 8 * i));
  CHECK_EQ(rijn_ghash_update(&k, acc, lengths, 1), RIJN_OK);
  memcpy(j0, nonce, 12);
  memcpy(j0 + 12, (uint8_t[]){0, 0, 0, 1}, 4);
  ref_aes_block(raw, key_len, j0, j0);
  for (size_t i = 0; i < 16; i++)
    acc[i] ^= j0[i];
  ref_gcm(raw, key_len, NULL, NULL, 0, want, 16 * nblk, nonce, 12, mac);
  CHECK_MEM(acc, mac, 16);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const size_t tags[] = {16, 16, 12, 8, 4, 13, 14, 15};
  struct feed f = {data, size};
  unsigned shape = feed_8(&f);
  key_len = 16 + 8 * (size_t)(shape % 3);
  tag_len = tags[shape / 3 % 8];
  nonce_len = shape & 128 ? 1 + (size_t)feed_8(&f) % NONCE : 12;
  aad_len = feed_len(&f, feed_8(&f) & 1 ? AAD : 40);
  uint8_t size_class = feed_8(&f);
  len = feed_len(&f, size_class < 128 ? 300 : size_class < 224 ? 2000 : TEXT);
  unsigned spoil = (unsigned)feed_16(&f);
  for (size_t i = 0; i < CUTS; i++)
    cuts[i] = feed_8(&f);
  feed_seed(&f);
  t_fill(raw, sizeof raw);
  t_fill(nonce, sizeof nonce);
  t_fill(aad, aad_len);
  t_fill(text, len);
  ref_gcm(raw, key_len, want, text, len, aad, aad_len, nonce, nonce_len, want_tag);
  make_more();
  for (int impl = 0; impl < rijn_impl_count(); impl++) {
    if (!rijn_impl_supported(impl))
      continue;
    t_set_impl(impl);
    T_AT("key %zu, len %zu, aad %zu, nonce %zu", key_len, len, aad_len, nonce_len);
    CHECK_EQ(rijn_gcm_init_impl(&key, raw, key_len, tag_len, impl), RIJN_OK);
    whole(spoil);
    with_tag(spoil);
    in_pieces();
    in_lists();
    in_batch();
    in_rows();
    gmac();
    esp(impl);
    ghash(impl);
    fuzz_end();
  }
  return 0;
}
