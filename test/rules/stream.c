/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* GCM streams: any cut gives the answer of one call; every call in every state; the limits, exactly. */
#include "gcm.h"
#include "ref.h"
#include "t.h"

enum { N = 200 };

/* ---------------------------------------------------------------- cuts */

/* Pieces of 0 to 40 bytes, now and then all that is left. */
static size_t piece(size_t left) {
  size_t n = t_below(8) == 0 ? left : t_below(41);
  return n < left ? n : left;
}

static void test_cuts(int impl) {
  uint8_t raw[32], nonce[128], aad[N], in[N], want[N], want_tag[16], out[N], tag[16];
  rijn_gcm_key key;
  rijn_gcm_stream s;
  t_fill(raw, sizeof raw);
  t_fill(nonce, sizeof nonce);
  t_fill(aad, sizeof aad);
  t_fill(in, sizeof in);
  for (size_t round = 0; round < 300; round++) {
    size_t key_len = 16 + 8 * t_below(3), tag_len = 12 + t_below(5), len = t_below(N + 1), aad_len = t_below(N + 1);
    size_t nonce_len = t_below(2) ? 12 : t_between(1, 128);
    T_AT("impl %zu len %zu aad %zu nonce %zu", impl, len, aad_len, nonce_len);
    ref_gcm(raw, key_len, want, in, len, aad, aad_len, nonce, nonce_len, want_tag);
    CHECK_EQ(rijn_gcm_init_impl(&key, raw, key_len, tag_len, impl), 0);
    for (int dec = 0; dec < 2; dec++) {
      const uint8_t *from = dec ? want : in, *to = dec ? in : want;
      bool in_place = t_below(2);
      memset(out, T_POISON, sizeof out);
      if (in_place)
        memcpy(out, from, len);
      memset(&s, 0xee, sizeof s); /* start asks nothing of what was there before */
      CHECK_EQ(dec ? rijn_gcm_decrypt_start(&s, &key, nonce, nonce_len)
                   : rijn_gcm_encrypt_start(&s, &key, nonce, nonce_len),
               0);
      for (size_t at = 0, n; at < aad_len; at += n) {
        n = piece(aad_len - at);
        CHECK_EQ(rijn_gcm_aad(&s, n != 0 ? aad + at : NULL, n), 0);
      }
      for (size_t at = 0, n; at < len; at += n) {
        n = piece(len - at);
        CHECK_EQ(rijn_gcm_update(&s, n ? out + at : NULL, n ? (in_place ? out : from) + at : NULL, n), 0);
        CHECK_MEM(out, to, at + n);
      }
      CHECK_ALL(out + len, T_POISON, N - len);
      if (dec) {
        memcpy(tag, want_tag, 16);
        bool forged = t_below(2);
        tag[t_below(tag_len)] ^= (uint8_t)(forged << t_below(8));
        CHECK_EQ(rijn_gcm_decrypt_finish(&s, tag), forged ? RIJN_EAUTH : 0);
      } else {
        memset(tag, T_POISON, 16);
        CHECK_EQ(rijn_gcm_encrypt_finish(&s, tag), 0);
        CHECK_MEM(tag, want_tag, tag_len);
        CHECK_ALL(tag + tag_len, T_POISON, 16 - tag_len);
      }
      CHECK_ALL(&s, 0, sizeof s);
    }
  }
}

/* A stream copied in the middle goes on twice. */
static void test_copy(int impl) {
  T_AT("impl %zu copy", impl);
  uint8_t raw[16] = {1}, nonce[12] = {2}, in[N], want[N], want_tag[16], out[N], tag[16];
  rijn_gcm_key key;
  rijn_gcm_stream s, t;
  t_fill(in, sizeof in);
  ref_gcm(raw, 16, want, in, N, NULL, 0, nonce, 12, want_tag);
  CHECK_EQ(rijn_gcm_init_impl(&key, raw, 16, 16, impl), 0);
  CHECK_EQ(rijn_gcm_encrypt_start(&s, &key, nonce, 12), 0);
  CHECK_EQ(rijn_gcm_update(&s, out, in, 37), 0);
  t = s;
  for (int i = 0; i < 2; i++) {
    rijn_gcm_stream *one = i == 0 ? &s : &t;
    memset(out + 37, T_POISON, N - 37);
    CHECK_EQ(rijn_gcm_update(one, out + 37, in + 37, N - 37), 0);
    CHECK_MEM(out, want, N);
    CHECK_EQ(rijn_gcm_encrypt_finish(one, tag), 0);
    CHECK_MEM(tag, want_tag, 16);
  }
}

/* ---------------------------------------------------------------- the order of calls */

enum call { ENC_START, DEC_START, AAD_0, AAD_7, UPDATE_0, UPDATE_21, ENC_FINISH, DEC_FINISH, WIPE, CALLS };
enum state { DEAD, ENC_AAD, ENC_TEXT, DEC_AAD, DEC_TEXT };

/* What a call does in a state, from the text of rijn.h: the state after it, or DEAD with RIJN_ESTATE. */
static int model(enum state *s, enum call c) {
  enum state was = *s;
  switch (c) {
  case ENC_START:
    *s = ENC_AAD;
    return 0;
  case DEC_START:
    *s = DEC_AAD;
    return 0;
  case AAD_0:
  case AAD_7:
    *s = was == ENC_AAD || was == DEC_AAD ? was : DEAD;
    return *s == DEAD ? RIJN_ESTATE : 0;
  case UPDATE_0:
  case UPDATE_21:
    *s = was == ENC_AAD || was == ENC_TEXT ? ENC_TEXT : was == DEC_AAD || was == DEC_TEXT ? DEC_TEXT : DEAD;
    return *s == DEAD ? RIJN_ESTATE : 0;
  case ENC_FINISH:
    *s = DEAD;
    return was == ENC_AAD || was == ENC_TEXT ? 0 : RIJN_ESTATE;
  case DEC_FINISH:
    *s = DEAD;
    return was == DEC_AAD || was == DEC_TEXT ? 0 : RIJN_ESTATE;
  default:
    *s = DEAD;
    return 0;
  }
}

/* One sequence of calls, from an object of zeros, against the model; a tag that comes out is the tag of what went
 * in. */
static void sequence(const rijn_gcm_key *key, const uint8_t nonce[12], const enum call *calls, size_t n) {
  static const uint8_t aad[64] = {9, 8, 7}, in[128] = {1, 2, 3};
  rijn_gcm_stream s;
  memset(&s, 0, sizeof s);
  enum state state = DEAD;
  size_t aad_len = 0, len = 0;
  for (size_t i = 0; i < n; i++) {
    uint8_t out[32], tag[16], want[16], text[128];
    enum state was = state;
    int err = model(&state, calls[i]);
    memset(out, T_POISON, sizeof out);
    memset(tag, T_POISON, sizeof tag);
    switch (calls[i]) {
    case ENC_START:
      CHECK_EQ(rijn_gcm_encrypt_start(&s, key, nonce, 12), err);
      aad_len = len = 0;
      break;
    case DEC_START:
      CHECK_EQ(rijn_gcm_decrypt_start(&s, key, nonce, 12), err);
      aad_len = len = 0;
      break;
    case AAD_0:
    case AAD_7:
      CHECK_EQ(rijn_gcm_aad(&s, aad + aad_len, calls[i] == AAD_0 ? 0 : 7), err);
      aad_len += calls[i] == AAD_0 ? 0 : 7;
      break;
    case UPDATE_0:
    case UPDATE_21:
      CHECK_EQ(rijn_gcm_update(&s, out, in + len, calls[i] == UPDATE_0 ? 0 : 21), err);
      if (err != 0 || calls[i] == UPDATE_0)
        CHECK_ALL(out, T_POISON, sizeof out);
      len += calls[i] == UPDATE_0 ? 0 : 21;
      break;
    case ENC_FINISH:
      CHECK_EQ(rijn_gcm_encrypt_finish(&s, tag), err);
      if (err != 0)
        CHECK_ALL(tag, T_POISON, 16);
      else {
        CHECK_EQ(rijn_gcm_encrypt(key, text, in, len, aad, aad_len, nonce, 12, want), 0);
        CHECK_MEM(tag, want, 16);
      }
      break;
    case DEC_FINISH:
      /* What went in is ciphertext: its text is its own encryption, and that text's encryption has the tag. */
      CHECK_EQ(rijn_gcm_encrypt(key, text, in, len, NULL, 0, nonce, 12, want), 0);
      CHECK_EQ(rijn_gcm_encrypt(key, text, text, len, aad, aad_len, nonce, 12, want), 0);
      CHECK_EQ(rijn_gcm_decrypt_finish(&s, want), err);
      break;
    default:
      rijn_gcm_stream_wipe(&s);
    }
    if (state == DEAD) {
      CHECK_ALL(&s, 0, sizeof s);
      aad_len = len = 0;
    } else if (was == DEAD)
      CHECK(calls[i] == ENC_START || calls[i] == DEC_START);
  }
}

static void test_order(int impl) {
  uint8_t raw[16] = {1}, nonce[12] = {2};
  rijn_gcm_key key;
  CHECK_EQ(rijn_gcm_init_impl(&key, raw, 16, 16, impl), 0);
  for (size_t c = 0; c < (size_t)CALLS * CALLS * CALLS * CALLS; c++) {
    enum call calls[4];
    size_t rest = c;
    for (size_t i = 0; i < 4; i++, rest /= CALLS)
      calls[i] = (enum call)(rest % CALLS);
    T_AT("impl %zu calls %zu", impl, c);
    sequence(&key, nonce, calls, 4);
  }
}

/* ---------------------------------------------------------------- refusals that leave the stream usable */

static void test_refusals(int impl) {
  T_AT("impl %zu refusals", impl);
  uint8_t raw[16] = {1}, nonce[12] = {2}, in[64] = {3}, out[64], both[64], tag[16], want[64], want_tag[16];
  rijn_gcm_key key;
  rijn_gcm_stream s, keep;
  CHECK_EQ(rijn_gcm_init_impl(&key, raw, 16, 16, impl), 0);
  ref_gcm(raw, 16, want, in, 64, in, 20, nonce, 12, want_tag);

  CHECK_EQ(rijn_gcm_encrypt_start(NULL, &key, nonce, 12), RIJN_ENULL);
  CHECK_EQ(rijn_gcm_decrypt_start(NULL, &key, nonce, 12), RIJN_ENULL);
  CHECK_EQ(rijn_gcm_aad(NULL, in, 1), RIJN_ENULL);
  CHECK_EQ(rijn_gcm_update(NULL, out, in, 1), RIJN_ENULL);
  CHECK_EQ(rijn_gcm_encrypt_finish(NULL, tag), RIJN_ENULL);
  CHECK_EQ(rijn_gcm_decrypt_finish(NULL, tag), RIJN_ENULL);
  rijn_gcm_stream_wipe(NULL);

/* Refused, and neither the stream nor the output has changed. */
#define REFUSED(want, call)                                                                                            \
  do {                                                                                                                 \
    keep = s;                                                                                                          \
    CHECK_REFUSED(want, call, both, tag);                                                                              \
    CHECK_MEM(&s, &keep, sizeof s);                                                                                    \
  } while (0)
  memset(&s, 0x33, sizeof s);
  REFUSED(RIJN_ENULL, rijn_gcm_encrypt_start(&s, NULL, nonce, 12));
  REFUSED(RIJN_ENULL, rijn_gcm_encrypt_start(&s, &key, NULL, 12));
  REFUSED(RIJN_ENONCELEN, rijn_gcm_encrypt_start(&s, &key, nonce, 0));
  REFUSED(RIJN_ENONCELEN, rijn_gcm_decrypt_start(&s, &key, NULL, 0));
#if SIZE_MAX > UINT32_MAX
  REFUSED(RIJN_ENONCELEN, rijn_gcm_decrypt_start(&s, &key, nonce, (size_t)1 << 61));
#endif
  for (int dec = 0; dec < 2; dec++) {
    const uint8_t *from = dec ? want : in, *to = dec ? in : want;
    CHECK_EQ(dec ? rijn_gcm_decrypt_start(&s, &key, nonce, 12) : rijn_gcm_encrypt_start(&s, &key, nonce, 12), 0);
    for (size_t at = 0; at < 20; at += 10) {
      REFUSED(RIJN_ENULL, rijn_gcm_aad(&s, NULL, 1));
#if SIZE_MAX > UINT32_MAX
      REFUSED(RIJN_EAADLEN, rijn_gcm_aad(&s, in, (size_t)1 << 61));
      REFUSED(RIJN_EAADLEN, rijn_gcm_aad(&s, in, SIZE_MAX));
#endif
      REFUSED(RIJN_ENULL, dec ? rijn_gcm_decrypt_finish(&s, NULL) : rijn_gcm_encrypt_finish(&s, NULL));
      CHECK_EQ(rijn_gcm_aad(&s, in + at, 10), 0);
    }
    static const size_t cuts[] = {0, 5, 16, 33, 64};
    for (size_t c = 0; c + 1 < sizeof cuts / sizeof cuts[0]; c++) {
      REFUSED(RIJN_ENULL, rijn_gcm_update(&s, NULL, in, 1));
      REFUSED(RIJN_ENULL, rijn_gcm_update(&s, both, NULL, 1));
      REFUSED(RIJN_EOVERLAP, rijn_gcm_update(&s, both, both + 1, 20));
      REFUSED(RIJN_EOVERLAP, rijn_gcm_update(&s, both + 19, both, 20));
#if SIZE_MAX > UINT32_MAX
      REFUSED(RIJN_ELEN, rijn_gcm_update(&s, both, both, (size_t)1 << 36));
      REFUSED(RIJN_ELEN, rijn_gcm_update(&s, both, both, SIZE_MAX));
#endif
      REFUSED(RIJN_ENULL, dec ? rijn_gcm_decrypt_finish(&s, NULL) : rijn_gcm_encrypt_finish(&s, NULL));
      CHECK_EQ(rijn_gcm_update(&s, out + cuts[c], from + cuts[c], cuts[c + 1] - cuts[c]), 0);
    }
    CHECK_MEM(out, to, 64);
    if (dec)
      CHECK_EQ(rijn_gcm_decrypt_finish(&s, want_tag), 0);
    else {
      CHECK_EQ(rijn_gcm_encrypt_finish(&s, tag), 0);
      CHECK_MEM(tag, want_tag, 16);
    }
  }

  /* The key is wiped too early: no call goes on, nor does one with an object that never was a stream. */
  for (int call = 0; call < 6; call++) {
    bool dec = call % 2 != 0;
    CHECK_EQ(rijn_gcm_init_impl(&key, raw, 16, 16, impl), 0);
    CHECK_EQ(dec ? rijn_gcm_decrypt_start(&s, &key, nonce, 12) : rijn_gcm_encrypt_start(&s, &key, nonce, 12), 0);
    rijn_gcm_wipe(&key);
    for (int garbage = 0; garbage < 2; garbage++) {
      memset(out, T_POISON, sizeof out);
      memset(tag, T_POISON, sizeof tag);
      CHECK_EQ(call / 2 == 0   ? rijn_gcm_update(&s, out, in, 20)
               : call / 2 == 1 ? rijn_gcm_aad(&s, in, 20)
               : dec           ? rijn_gcm_decrypt_finish(&s, tag)
                               : rijn_gcm_encrypt_finish(&s, tag),
               RIJN_ESTATE);
      CHECK_ALL(out, T_POISON, sizeof out);
      CHECK_ALL(tag, T_POISON, sizeof tag);
      memset(&s, dec ? 0xff : 0x55, sizeof s);
    }
  }
}

/* ---------------------------------------------------------------- limits */

#define MAX_AAD ((UINT64_C(1) << 61) - 1)

/* Bytes at .. at + n - 1 of the keystream. */
static void keystream(const uint8_t raw[16], const uint8_t j0[16], uint64_t at, uint8_t *ks, size_t n) {
  uint8_t ctr[16], block[16];
  for (size_t i = 0; i < n; i++, at++) {
    uint32_t low = (uint32_t)j0[12] << 24 | (uint32_t)j0[13] << 16 | (uint32_t)j0[14] << 8 | j0[15];
    low += 1 + (uint32_t)(at / 16);
    memcpy(ctr, j0, 12);
    for (size_t b = 0; b < 4; b++)
      ctr[12 + b] = (uint8_t)(low >> (24 - 8 * b));
    ref_aes_block(raw, 16, ctr, block);
    ks[i] = block[at % 16];
  }
}

static void put_be64(uint8_t *p, uint64_t v) {
  for (size_t i = 0; i < 8; i++)
    p[i] = (uint8_t)(v >> (56 - 8 * i));
}

/* The text may grow to the limit and not by one byte more, wherever in a block the last update begins. */
static void test_text_limit(int impl, size_t nonce_len) {
  uint8_t raw[16] = {1}, nonce[20] = {2}, in[80], out[80], ks[80], j0[16], tag[16];
  rijn_gcm_key key;
  rijn_gcm_stream s, keep;
  t_fill(in, sizeof in);
  model_j0(raw, 16, nonce, nonce_len, j0);
  CHECK_EQ(rijn_gcm_init_impl(&key, raw, 16, 16, impl), 0);
  for (size_t left = 0; left < 70; left++)
    for (int dec = 0; dec < 2; dec++) {
      T_AT("impl %zu nonce_len %zu left %zu decrypt %zu", impl, nonce_len, left, dec);
      CHECK_EQ(dec ? rijn_gcm_decrypt_start(&s, &key, nonce, nonce_len)
                   : rijn_gcm_encrypt_start(&s, &key, nonce, nonce_len),
               0);
      CHECK_EQ(rijn_gcm_update(&s, out, in, left % 19), 0);
      REQUIRE(rijn_test_gcm_stream_preset(&s, RIJN_GCM_MAX_LEN - left, 0) == 0);
      keep = s;
      memset(out, T_POISON, sizeof out);
      CHECK_EQ(rijn_gcm_update(&s, out, in, left + 1), RIJN_ELEN);
      CHECK_EQ(rijn_gcm_update(&s, out, in, SIZE_MAX), RIJN_ELEN);
      CHECK_MEM(&s, &keep, sizeof s);
      CHECK_ALL(out, T_POISON, sizeof out);
      CHECK_EQ(rijn_gcm_update(&s, out, in, left / 3), 0);
      CHECK_EQ(rijn_gcm_update(&s, out + left / 3, in + left / 3, left - left / 3 + 1), RIJN_ELEN);
      CHECK_EQ(rijn_gcm_update(&s, out + left / 3, in + left / 3, left - left / 3), 0);
      keystream(raw, j0, RIJN_GCM_MAX_LEN - left, ks, left);
      for (size_t i = 0; i < left; i++)
        ks[i] ^= in[i];
      CHECK_MEM(out, ks, left);
      CHECK_ALL(out + left, T_POISON, sizeof out - left);
      CHECK_EQ(rijn_gcm_update(&s, out, in, 1), RIJN_ELEN);
      CHECK_EQ(rijn_gcm_update(&s, out, in, 0), 0);
      CHECK_EQ(dec ? rijn_gcm_decrypt_finish(&s, in) : rijn_gcm_encrypt_finish(&s, tag), dec ? RIJN_EAUTH : 0);
    }
}

/* The same of associated data; and the lengths in bits go into the tag whole. */
static void test_aad_limit(int impl) {
  uint8_t raw[16] = {1}, nonce[12] = {2}, in[80], tag[16], want[16], h[16] = {0}, zero[16] = {0}, j0[16], lens[16];
  rijn_gcm_key key;
  rijn_gcm_stream s, keep;
  t_fill(in, sizeof in);
  model_j0(raw, 16, nonce, 12, j0);
  ref_aes_block(raw, 16, zero, h);
  CHECK_EQ(rijn_gcm_init_impl(&key, raw, 16, 16, impl), 0);
  for (size_t left = 0; left < 40; left++) {
    T_AT("impl %zu aad left %zu", impl, left);
    CHECK_EQ(rijn_gcm_encrypt_start(&s, &key, nonce, 12), 0);
    REQUIRE(rijn_test_gcm_stream_preset(&s, 0, MAX_AAD - left) == 0);
    keep = s;
    CHECK_EQ(rijn_gcm_aad(&s, in, left + 1), RIJN_EAADLEN);
    CHECK_MEM(&s, &keep, sizeof s);
    CHECK_EQ(rijn_gcm_aad(&s, in, left), 0);
    CHECK_EQ(rijn_gcm_aad(&s, in, 1), RIJN_EAADLEN);
    CHECK_EQ(rijn_gcm_aad(&s, NULL, 0), 0);
    CHECK_EQ(rijn_gcm_update(&s, in, in, 33), 0);
    CHECK_EQ(rijn_gcm_encrypt_finish(&s, tag), 0);
  }
  /* Nothing hashed but the lengths: the tag is theirs times H, XOR E(J0). */
  static const uint64_t sizes[][2] = {{0, 0},
                                      {MAX_AAD - 15, 0},
                                      {0, RIJN_GCM_MAX_LEN},
                                      {MAX_AAD - 15, RIJN_GCM_MAX_LEN},
                                      {UINT64_C(1) << 32, 1u << 31}};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    T_AT("impl %zu lengths %zu", impl, i);
    CHECK_EQ(rijn_gcm_encrypt_start(&s, &key, nonce, 12), 0);
    REQUIRE(sizes[i][0] % 16 == 0 && sizes[i][1] % 16 == 0);
    REQUIRE(rijn_test_gcm_stream_preset(&s, sizes[i][1], sizes[i][0]) == 0);
    CHECK_EQ(rijn_gcm_encrypt_finish(&s, tag), 0);
    put_be64(lens, sizes[i][0] * 8);
    put_be64(lens + 8, sizes[i][1] * 8);
    uint8_t acc[16] = {0};
    model_ghash(acc, h, lens, 16);
    ref_aes_block(raw, 16, j0, want);
    for (size_t b = 0; b < 16; b++)
      want[b] ^= acc[b];
    CHECK_MEM(tag, want, 16);
  }
  memset(&s, 0, sizeof s);
  CHECK_EQ(rijn_test_gcm_stream_preset(&s, 0, 0), RIJN_ESTATE);
}

int main(int argc, char **argv) {
  t_init(argc, argv);
  T_IMPLS(i) {
    test_cuts(i);
    test_copy(i);
    test_order(i);
    test_refusals(i);
    test_text_limit(i, 12);
    test_text_limit(i, 8);
    test_text_limit(i, 20);
    test_aad_limit(i);
  }
  return t_done();
}
