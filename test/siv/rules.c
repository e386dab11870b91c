/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* What the calls of both modes refuse, and with what; that a refused call writes nothing; key objects; batches. */
#include "siv.h"

enum { LEN = 100 };
static uint8_t raw[64], nonce[24], in[LEN], out[LEN], tag[16], aad[16];

/* Nothing was written. */
#define REFUSED(call, err) CHECK_REFUSED(err, call, out, tag)
#define BOTH_REFUSED(key, out, in, len, aad, aad_len, nonce, tag, err)                                                 \
  do {                                                                                                                 \
    REFUSED(any_encrypt(m, key, out, in, len, aad, aad_len, nonce, tag), err);                                         \
    REFUSED(any_decrypt(m, key, out, in, len, aad, aad_len, nonce, tag), err);                                         \
  } while (0)

static void keys(enum mode m, int impl) {
  union any_key k;
  memset(&k, 0x77, sizeof k);
  for (size_t n = 0; n <= 64; n++) {
    int want = n == 32 || (m == SIV && (n == 16 || n == 24)) ? RIJN_OK : RIJN_EKEYLEN;
    T_AT("mode %zu, key of %zu", m, n);
    CHECK_EQ(any_init(m, &k, raw, n, impl), want);
  }
  CHECK_EQ(any_init(m, &k, NULL, 32, impl), RIJN_ENULL);
  CHECK_EQ(any_init(m, NULL, raw, 32, impl), RIJN_ENULL);
  CHECK_EQ(any_init(m, &k, raw, 32, rijn_impl_count()), RIJN_EIMPL);
  CHECK_EQ(any_init(m, &k, raw, 32, -1), RIJN_EIMPL);
  CHECK_EQ(any_init(m, &k, (uint8_t *)&k + 1, 32, impl), RIJN_EOVERLAP);
  CHECK_EQ(m == SIV ? rijn_gcm_siv_init(&k.siv, raw, 32) : rijn_xaes_init(&k.xaes, raw, 32), RIJN_OK);
  any_wipe(m, &k);
  CHECK_ALL(&k, 0, any_size(m));
  any_wipe(m, NULL);
  BOTH_REFUSED(&k, out, in, LEN, aad, 16, nonce, tag, RIJN_ESTATE);
  /* A copy of a key is a key. */
  union any_key copy;
  uint8_t back[LEN];
  CHECK_EQ(any_init(m, &k, raw, 32, impl), RIJN_OK);
  memcpy(&copy, &k, sizeof k);
  CHECK_EQ(any_encrypt(m, &k, out, in, LEN, aad, 16, nonce, tag), RIJN_OK);
  CHECK_EQ(any_decrypt(m, &copy, back, out, LEN, aad, 16, nonce, tag), RIJN_OK);
  CHECK_MEM(back, in, LEN);
}

static void arguments(enum mode m, int impl) {
  union any_key k;
  T_AT("arguments of mode %zu", m);
  CHECK_EQ(any_init(m, &k, raw, 32, impl), RIJN_OK);
  BOTH_REFUSED(NULL, out, in, LEN, aad, 16, nonce, tag, RIJN_ENULL);
  BOTH_REFUSED(&k, NULL, in, LEN, aad, 16, nonce, tag, RIJN_ENULL);
  BOTH_REFUSED(&k, out, NULL, LEN, aad, 16, nonce, tag, RIJN_ENULL);
  BOTH_REFUSED(&k, out, in, LEN, NULL, 16, nonce, tag, RIJN_ENULL);
  BOTH_REFUSED(&k, out, in, LEN, aad, 16, NULL, tag, RIJN_ENULL);
  BOTH_REFUSED(&k, out, in, LEN, aad, 16, nonce, NULL, RIJN_ENULL);
  for (size_t d = 1; d < 50; d++) {
    T_AT("mode %zu, overlap by all but %zu", m, d);
    BOTH_REFUSED(&k, out + d, out, 50, aad, 16, nonce, tag, RIJN_EOVERLAP);
    BOTH_REFUSED(&k, out, out + d, 50, aad, 16, nonce, tag, RIJN_EOVERLAP);
  }
#if SIZE_MAX > 0xffffffffu
  const size_t most = m == SIV ? RIJN_GCM_SIV_MAX_LEN : RIJN_GCM_MAX_LEN, most_aad = m == SIV ? most : SIZE_MAX / 8;
  BOTH_REFUSED(&k, out, in, most + 1, aad, 16, nonce, tag, RIJN_ELEN);
  BOTH_REFUSED(&k, out, in, SIZE_MAX, aad, 16, nonce, tag, RIJN_ELEN);
  BOTH_REFUSED(&k, out, in, LEN, aad, most_aad + 1, nonce, tag, RIJN_EAADLEN);
  BOTH_REFUSED(&k, out, in, LEN, aad, SIZE_MAX, nonce, tag, RIJN_EAADLEN);
#endif
  /* Nothing at all: no text, no associated data, and no place for them. */
  uint8_t want[16];
  any_model(m, raw, 32, NULL, NULL, 0, NULL, 0, nonce, want);
  CHECK_EQ(any_encrypt(m, &k, NULL, NULL, 0, NULL, 0, nonce, tag), RIJN_OK);
  CHECK_MEM(tag, want, 16);
  CHECK_EQ(any_decrypt(m, &k, NULL, NULL, 0, NULL, 0, nonce, tag), RIJN_OK);
  tag[3] ^= 1;
  CHECK_EQ(any_decrypt(m, &k, NULL, NULL, 0, NULL, 0, nonce, tag), RIJN_EAUTH);
}

/* A bad message does not stop the others, and each result is its own. */
/* The tag may be written into the text that is read, when that is not where the output goes: it is written last. */
static void tag_in_text(enum mode m, int impl) {
  static const size_t at[] = {0, 1, 40, LEN - 16};
  union any_key k;
  uint8_t want[LEN], want_tag[16], text[LEN];
  CHECK_EQ(any_init(m, &k, raw, 32, impl), RIJN_OK);
  t_fill(in, LEN);
  CHECK_EQ(any_encrypt(m, &k, want, in, LEN, aad, 16, nonce, want_tag), RIJN_OK);
  for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
    T_AT("mode %zu, tag at %zu of the text", m, at[i]);
    memcpy(text, in, LEN);
    CHECK_EQ(any_encrypt(m, &k, out, text, LEN, aad, 16, nonce, text + at[i]), RIJN_OK);
    CHECK_MEM(out, want, LEN);
    CHECK_MEM(text + at[i], want_tag, 16);
  }
}

static void batches(int impl) {
  enum { N = 12 };
  static uint8_t outs[N][LEN], backs[N][LEN], tags[N][16], nonces[N][12];
  rijn_gcm_siv_key k[2], none;
  rijn_gcm_siv_msg msgs[N];
  T_AT("batches");
  memset(&none, 0, sizeof none);
  CHECK_EQ(rijn_gcm_siv_init_impl(&k[0], raw, 16, impl), RIJN_OK);
  CHECK_EQ(rijn_gcm_siv_init_impl(&k[1], raw, 32, impl), RIJN_OK);
  t_fill(nonces, sizeof nonces);
  for (size_t i = 0; i < N; i++)
    msgs[i] = (rijn_gcm_siv_msg){sizeof msgs[0], &k[i % 2], outs[i], in, 9 * i, aad, i, nonces[i], tags[i], 1};
  CHECK_EQ(rijn_gcm_siv_encrypt_batch(msgs, N), 0);
  for (size_t i = 0; i < N; i++) {
    uint8_t want[LEN], want_tag[16];
    model_gcm_siv(raw, i % 2 ? 32 : 16, want, in, 9 * i, aad, i, nonces[i], want_tag);
    CHECK_EQ(msgs[i].result, RIJN_OK);
    CHECK_MEM(outs[i], want, 9 * i);
    CHECK_MEM(tags[i], want_tag, 16);
    msgs[i].in = outs[i];
    msgs[i].out = backs[i];
  }
  tags[4][0] ^= 1;
  msgs[6].key = NULL;
  msgs[7].key = &none;
  msgs[8].nonce = NULL;
  CHECK_EQ(rijn_gcm_siv_decrypt_batch(msgs, N), 4);
  for (size_t i = 0; i < N; i++) {
    static const int errs[N] = {[4] = RIJN_EAUTH, [6] = RIJN_ENULL, [7] = RIJN_ESTATE, [8] = RIJN_ENULL};
    T_AT("message %zu of a batch", i);
    CHECK_EQ(msgs[i].result, errs[i]);
    if (errs[i] == RIJN_OK)
      CHECK_MEM(backs[i], in, 9 * i);
    if (errs[i] == RIJN_EAUTH)
      CHECK_ALL(backs[i], 0, 9 * i);
  }
  msgs[N - 1].size--;
  memset(backs, 0x11, sizeof backs);
  CHECK_EQ(rijn_gcm_siv_decrypt_batch(msgs, N), RIJN_ESTRUCT);
  CHECK_EQ(rijn_gcm_siv_encrypt_batch(msgs, N), RIJN_ESTRUCT);
  CHECK_ALL(backs, 0x11, sizeof backs);
  CHECK_EQ(rijn_gcm_siv_encrypt_batch(msgs, RIJN_BATCH_MAX + 1), RIJN_ELEN);
  CHECK_EQ(rijn_gcm_siv_decrypt_batch(NULL, 1), RIJN_ENULL);
  CHECK_EQ(rijn_gcm_siv_encrypt_batch(NULL, 0), 0);
}

int main(int argc, char **argv) {
  t_init(argc, argv);
  t_fill(raw, sizeof raw);
  t_fill(nonce, sizeof nonce);
  t_fill(in, sizeof in);
  T_IMPLS(impl) {
    for (enum mode m = SIV; m < MODES; m++) {
      keys(m, impl);
      arguments(m, impl);
      tag_in_text(m, impl);
    }
    batches(impl);
  }
  return t_done();
}
