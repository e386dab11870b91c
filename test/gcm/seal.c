/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * The tag behind the text: rijn_gcm_seal and rijn_gcm_open give what the call with a tag of its own gives, in place and
 * apart, up to guard pages; every refusal is exact and writes nothing. The nonce of a numbered record, against RFC 9001
 * and by bytes. The sizes of objects. The wiped state of CTR.
 */
#include "t.h"

enum { MOST = 4200, AAD = 70 };
static uint8_t text[MOST], want[MOST + 16], aad[AAD], nonce[16];
static t_buf in_buf, out_buf;

static void sealed(const rijn_gcm_key *key, size_t len, size_t aad_len, size_t nonce_len) {
  const size_t tag_len = rijn_gcm_tag_len(key);
  T_AT("len %zu aad %zu nonce %zu tag %zu", len, aad_len, nonce_len, tag_len);
  CHECK_EQ(rijn_gcm_encrypt(key, want, text, len, aad, aad_len, nonce, nonce_len, want + len), RIJN_OK);
  const uint8_t *in = t_lay(&in_buf, text, len, true, true);
  uint8_t *out = t_end(&out_buf, len + tag_len);
  t_poison(&out_buf, out, len + tag_len);
  CHECK_EQ(rijn_gcm_seal(key, out, in, len, aad, aad_len, nonce, nonce_len), RIJN_OK);
  CHECK_MEM(out, want, len + tag_len);
  CHECK_POISON(&out_buf, out, len + tag_len);
  t_poison(&out_buf, out, len + tag_len);
  memcpy(out, text, len);
  CHECK_EQ(rijn_gcm_seal(key, out, out, len, aad, aad_len, nonce, nonce_len), RIJN_OK);
  CHECK_MEM(out, want, len + tag_len);
  CHECK_POISON(&out_buf, out, len + tag_len);
  t_readonly(&in_buf, false);
}

static void opened(const rijn_gcm_key *key, size_t len, size_t aad_len, size_t nonce_len) {
  const size_t tag_len = rijn_gcm_tag_len(key);
  uint8_t *in = t_lay(&in_buf, want, len + tag_len, true, true);
  uint8_t *out = t_end(&out_buf, len);
  t_poison(&out_buf, out, len);
  CHECK_EQ(rijn_gcm_open(key, out, in, len + tag_len, aad, aad_len, nonce, nonce_len), RIJN_OK);
  CHECK_MEM(out, text, len);
  CHECK_POISON(&out_buf, out, len);
  t_readonly(&in_buf, false);
  CHECK_EQ(rijn_gcm_open(key, in, in, len + tag_len, aad, aad_len, nonce, nonce_len), RIJN_OK);
  CHECK_MEM(in, text, len);
  CHECK_MEM(in + len, want + len, tag_len);
  /* Forged: a bit of the text or of the tag, which stays as it came. */
  for (int in_place = 0; in_place < 2; in_place++) {
    const size_t at = t_below(len + tag_len);
    memcpy(in, want, len + tag_len);
    in[at] ^= 8;
    uint8_t *to = in_place ? in : out;
    CHECK_EQ(rijn_gcm_open(key, to, in, len + tag_len, aad, aad_len, nonce, nonce_len), RIJN_EAUTH);
    CHECK_ALL(to, 0, len);
    CHECK_EQ(in[len + tag_len - 1], at == len + tag_len - 1 ? want[at] ^ 8 : want[len + tag_len - 1]);
  }
}

static void lengths(const rijn_gcm_key *key) {
  static const size_t lens[] = {0, 1, 15, 16, 17, 31, 64, 100, 255, 256, 600, 1420, 2048, 4096, MOST};
  for (size_t i = 0; i < sizeof lens / sizeof *lens; i++)
    for (size_t nonce_len = 12; nonce_len <= 16; nonce_len += 4) {
      const size_t aad_len = i % 3 == 0 ? 0 : t_below(AAD);
      sealed(key, lens[i], aad_len, nonce_len);
      opened(key, lens[i], aad_len, nonce_len);
    }
}

static uint8_t room[256], before[256];
#define REFUSED(want, call)                                                                                            \
  do {                                                                                                                 \
    T_AT(#call);                                                                                                       \
    CHECK_UNCHANGED(want, call, room, before);                                                                         \
  } while (0)

static void refusals(const rijn_gcm_key *key) {
  static rijn_gcm_key dead;
  const size_t t = rijn_gcm_tag_len(key);
  uint8_t *p = room + 64;
  t_fill(room, sizeof room);
  memcpy(before, room, sizeof room);
  REFUSED(RIJN_ENULL, rijn_gcm_seal(NULL, p, p, 32, aad, 5, nonce, 12));
  REFUSED(RIJN_ESTATE, rijn_gcm_seal(&dead, p, p, 32, aad, 5, nonce, 12));
  REFUSED(RIJN_ENULL, rijn_gcm_seal(key, NULL, p, 32, aad, 5, nonce, 12));
  REFUSED(RIJN_ENULL, rijn_gcm_seal(key, NULL, NULL, 0, aad, 5, nonce, 12));
  REFUSED(RIJN_ENULL, rijn_gcm_seal(key, p, NULL, 1, aad, 5, nonce, 12));
  REFUSED(RIJN_ENULL, rijn_gcm_seal(key, p, p, 32, NULL, 5, nonce, 12));
  REFUSED(RIJN_ENULL, rijn_gcm_seal(key, p, p, 32, aad, 5, NULL, 12));
  REFUSED(RIJN_ENONCELEN, rijn_gcm_seal(key, p, p, 32, aad, 5, nonce, 0));
  REFUSED(RIJN_EOVERLAP, rijn_gcm_seal(key, p + 1, p, 32, aad, 5, nonce, 12));
  REFUSED(RIJN_EOVERLAP, rijn_gcm_seal(key, p - 32, p, 32, aad, 5, nonce, 12)); /* the tag alone would lie in it */
  REFUSED(RIJN_EOVERLAP, rijn_gcm_seal(key, p - 31 - t, p, 32, aad, 5, nonce, 12));
  REFUSED(RIJN_ELEN, rijn_gcm_seal(key, p, p, SIZE_MAX, aad, 5, nonce, 12));
  REFUSED(RIJN_ELEN, rijn_gcm_seal(key, p, p, SIZE_MAX - t + 1, aad, 5, nonce, 12));

  REFUSED(RIJN_ENULL, rijn_gcm_open(NULL, p, p, 48, aad, 5, nonce, 12));
  REFUSED(RIJN_ESTATE, rijn_gcm_open(&dead, p, p, 48, aad, 5, nonce, 12));
  REFUSED(RIJN_ENULL, rijn_gcm_open(key, p, NULL, 48, aad, 5, nonce, 12));
  REFUSED(RIJN_ENULL, rijn_gcm_open(key, NULL, p, 48, aad, 5, nonce, 12));
  REFUSED(RIJN_ENULL, rijn_gcm_open(key, p, p, 48, NULL, 5, nonce, 12));
  REFUSED(RIJN_ENULL, rijn_gcm_open(key, p, p, 48, aad, 5, NULL, 12));
  REFUSED(RIJN_ENONCELEN, rijn_gcm_open(key, p, p, 48, aad, 5, nonce, 0));
  REFUSED(RIJN_EOVERLAP, rijn_gcm_open(key, p + 1, p, 48, aad, 5, nonce, 12));
  REFUSED(RIJN_EOVERLAP, rijn_gcm_open(key, p + 47, p, 48, aad, 5, nonce, 12)); /* over the tag's last byte alone */
  for (size_t n = 0; n < t; n++) /* too short for a tag, NULL included where it may be */
    REFUSED(RIJN_EAUTH, rijn_gcm_open(key, n == 0 ? NULL : p, n == 0 ? NULL : p, n, aad, 5, nonce, 12));
#if SIZE_MAX > UINT32_MAX
  REFUSED(RIJN_ELEN, rijn_gcm_seal(key, p, p, (size_t)RIJN_GCM_MAX_LEN + 1, aad, 5, nonce, 12));
  REFUSED(RIJN_ELEN, rijn_gcm_open(key, p, p, (size_t)RIJN_GCM_MAX_LEN + 1 + t, aad, 5, nonce, 12));
  REFUSED(RIJN_EAADLEN, rijn_gcm_seal(key, p, p, 32, aad, (size_t)1 << 61, nonce, 12));
#endif
  /* Right behind one another is disjoint. */
  CHECK_EQ(rijn_gcm_seal(key, p - 32 - t, p, 32, aad, 5, nonce, 12), RIJN_OK);
  CHECK_EQ(rijn_gcm_open(key, p, p - 32 - t, 32 + t, aad, 5, nonce, 12), RIJN_OK);
  CHECK_MEM(p, before + 64, 32);
  /* A tag alone. */
  CHECK_EQ(rijn_gcm_seal(key, p, NULL, 0, aad, 5, nonce, 12), RIJN_OK);
  CHECK_EQ(rijn_gcm_open(key, NULL, p, t, aad, 5, nonce, 12), RIJN_OK);
}

static void nonces(void) {
  uint8_t iv[12], got[12], want_nonce[12], hex[12], pair[40];
  T_AT("nonces");
  /* RFC 9001, appendix A: the client's iv, and the nonce of its packet 2; then A.5's, packet 654360564. */
  REQUIRE(t_hex(iv, 12, "fa044b2f42a3fd3b46fb255c") == 12 && t_hex(hex, 12, "fa044b2f42a3fd3b46fb255e") == 12);
  CHECK_EQ(rijn_gcm_nonce(got, iv, 2), RIJN_OK);
  CHECK_MEM(got, hex, 12);
  REQUIRE(t_hex(iv, 12, "e0459b3474bdd0e44a41c144") == 12 && t_hex(hex, 12, "e0459b3474bdd0e46d417eb0") == 12);
  CHECK_EQ(rijn_gcm_nonce(got, iv, 654360564), RIJN_OK);
  CHECK_MEM(got, hex, 12);
  for (unsigned bit = 0; bit <= 64; bit++) {
    const uint64_t n = bit == 64 ? UINT64_MAX : t_rnd() >> bit;
    t_fill(iv, 12);
    memcpy(want_nonce, iv, 12);
    for (unsigned i = 0; i < 8; i++)
      want_nonce[11 - i] ^= (uint8_t)(n >> 8 * i);
    CHECK_EQ(rijn_gcm_nonce(got, iv, n), RIJN_OK);
    CHECK_MEM(got, want_nonce, 12);
  }
  t_fill(pair, sizeof pair);
  memcpy(before, pair, sizeof pair);
  CHECK_EQ(rijn_gcm_nonce(NULL, pair, 1), RIJN_ENULL);
  CHECK_EQ(rijn_gcm_nonce(pair, NULL, 1), RIJN_ENULL);
  for (size_t at = 1; at < 24; at++)
    CHECK_EQ(rijn_gcm_nonce(pair + at, pair + 12, 1), RIJN_EOVERLAP);
  CHECK_MEM(pair, before, sizeof pair);
  CHECK_EQ(rijn_gcm_nonce(pair, pair + 12, 1), RIJN_OK);
  CHECK_EQ(rijn_gcm_nonce(pair + 24, pair + 12, 1), RIJN_OK);
  CHECK_MEM(pair, pair + 24, 12);
  CHECK_MEM(pair + 12, before + 12, 12);
}

static void sizes(void) {
  T_AT("sizes");
  CHECK_EQ(rijn_gcm_key_size(), sizeof(rijn_gcm_key));
  CHECK_EQ(rijn_gcm_stream_size(), sizeof(rijn_gcm_stream));
  CHECK_EQ(rijn_esp_key_size(), sizeof(rijn_esp_key));
  CHECK_EQ(rijn_ghash_key_size(), sizeof(rijn_ghash_key));
  CHECK_EQ(rijn_gcm_siv_key_size(), sizeof(rijn_gcm_siv_key));
  CHECK_EQ(rijn_xaes_key_size(), sizeof(rijn_xaes_key));
  CHECK_EQ(rijn_xts_key_size(), sizeof(rijn_xts_key));
  CHECK_EQ(rijn_aes_key_size(), sizeof(rijn_aes_key));
  CHECK_EQ(rijn_ctr_state_size(), sizeof(rijn_ctr_state));
}

static void ctr_wiped(int impl) {
  static rijn_aes_key key;
  static const rijn_ctr_state fresh;
  rijn_ctr_state s = fresh;
  uint8_t some[21] = {0}, kept[21];
  CHECK_EQ(rijn_aes_init_impl(&key, nonce, 16, impl), RIJN_OK);
  for (uint32_t used = 0; used <= RIJN_CTR_SECRET; used += RIJN_CTR_SECRET) {
    s = fresh;
    s.used = used;
    CHECK_EQ(rijn_ctr_crypt(&key, some, some, 21, &s), RIJN_OK);
    rijn_ctr_wipe(&s);
    CHECK_ALL(s.ctr, 0, sizeof s.ctr);
    CHECK_ALL(s.ks, 0, sizeof s.ks);
    memcpy(kept, some, sizeof some);
    CHECK_EQ(rijn_ctr_crypt(&key, some, some, 21, &s), RIJN_ESTATE);
    CHECK_EQ(rijn_ctr32_crypt(&key, some, some, 21, &s), RIJN_ESTATE);
    CHECK_MEM(some, kept, sizeof some);
  }
  rijn_ctr_wipe(NULL);
}

int main(int argc, char **argv) {
  static const size_t tag_lens[] = {16, 12, 13, 4};
  t_init(argc, argv);
  in_buf = t_buf_new(MOST + 16);
  out_buf = t_buf_new(MOST + 16);
  nonces();
  sizes();
  T_IMPLS(i) {
    static rijn_gcm_key key;
    uint8_t raw[32];
    ctr_wiped(i);
    for (size_t k = 0; k < 4; k++) {
      t_fill(raw, sizeof raw);
      t_fill(text, sizeof text);
      t_fill(aad, sizeof aad);
      t_fill(nonce, sizeof nonce);
      CHECK_EQ(rijn_gcm_init_impl(&key, raw, 16 + 8 * (k % 3), tag_lens[k], i), RIJN_OK);
      lengths(&key);
      refusals(&key);
    }
  }
  t_buf_free(&in_buf);
  t_buf_free(&out_buf);
  return t_done();
}
