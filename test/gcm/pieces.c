/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* One message in pieces: streams, buffer lists cut differently, batches. All must give the bytes of one call, which
 * the reference gives here. */
#include "ref.h"
#include "t.h"

#define MAX_LEN 9000
#define MAX_CUTS 40

static uint8_t raw[32], nonce[64], aad[600], text[MAX_LEN], want[MAX_LEN], out[MAX_LEN], want_tag[16], tag[16];
static size_t key_len, nonce_len, aad_len, len;
static rijn_gcm_key key;

static void new_message(int impl, size_t max_len) {
  static const size_t key_lens[] = {16, 24, 32};
  key_len = key_lens[t_below(3)];
  nonce_len = t_below(3) != 0 ? 12 : t_between(1, 40);
  aad_len = t_below(4) == 0 ? 0 : t_below(t_below(2) ? 40 : sizeof aad);
  len = t_below(4) == 0 ? t_below(64) : t_below(max_len);
  t_fill(raw, sizeof raw);
  t_fill(nonce, sizeof nonce);
  t_fill(aad, aad_len);
  t_fill(text, len);
  CHECK_EQ(rijn_gcm_init_impl(&key, raw, key_len, 16, impl), RIJN_OK);
  ref_gcm(raw, key_len, want, text, len, aad, aad_len, nonce, nonce_len, want_tag);
}

/* Cuts n bytes into pieces whose sizes go to cut[]; some are 0. Returns how many, at least one. */
static size_t cuts(size_t n, size_t cut[MAX_CUTS]) {
  static const size_t usual[] = {0, 0, 1, 7, 15, 16, 17, 31, 32, 48, 63, 64, 65, 128, 255, 256, 257, 512};
  size_t k = 0;
  bool fine = t_below(2) != 0;
  while (k < MAX_CUTS - 1 && (n > 0 || t_below(3) == 0)) {
    size_t c = fine ? usual[t_below(sizeof usual / sizeof usual[0])] : t_below(n + 1);
    c = c < n ? c : n;
    cut[k++] = c;
    n -= c;
  }
  cut[k++] = n;
  return k;
}

static void stream(bool dec, bool in_place, bool copies) {
  rijn_gcm_stream s, t;
  size_t cut[MAX_CUTS], k, pos = 0;
  CHECK_EQ(dec ? rijn_gcm_decrypt_start(&s, &key, nonce, nonce_len)
               : rijn_gcm_encrypt_start(&s, &key, nonce, nonce_len),
           RIJN_OK);
  k = cuts(aad_len, cut);
  for (size_t i = 0; i < k && aad_len > 0; i++) {
    CHECK_EQ(rijn_gcm_aad(&s, cut[i] != 0 ? aad + pos : NULL, cut[i]), RIJN_OK);
    pos += cut[i];
  }
  const uint8_t *src = dec ? want : text;
  if (in_place) {
    memcpy(out, src, len);
    src = out;
  }
  k = cuts(len, cut);
  pos = 0;
  for (size_t i = 0; i < k && len > 0; i++) {
    size_t n = cut[i];
    if (copies) { /* a copied stream goes on, and the first one is wiped */
      t = s;
      rijn_gcm_stream_wipe(&s);
      CHECK_ALL(&s, 0, sizeof s);
      s = t;
    }
    CHECK_EQ(rijn_gcm_update(&s, n != 0 ? out + pos : NULL, n != 0 ? src + pos : NULL, n), RIJN_OK);
    pos += n;
  }
  CHECK_MEM(out, dec ? text : want, len);
  if (dec) {
    CHECK_EQ(rijn_gcm_decrypt_finish(&s, want_tag), RIJN_OK);
  } else {
    memset(tag, 0, 16);
    CHECK_EQ(rijn_gcm_encrypt_finish(&s, tag), RIJN_OK);
    CHECK_MEM(tag, want_tag, 16);
  }
  CHECK_ALL(&s, 0, sizeof s);
}

static void stream_forged(void) {
  rijn_gcm_stream s;
  CHECK_EQ(rijn_gcm_decrypt_start(&s, &key, nonce, nonce_len), RIJN_OK);
  CHECK_EQ(rijn_gcm_aad(&s, aad, aad_len), RIJN_OK);
  CHECK_EQ(rijn_gcm_update(&s, out, want, len), RIJN_OK);
  memcpy(tag, want_tag, 16);
  tag[t_below(16)] ^= (uint8_t)(1u << t_below(8));
  CHECK_EQ(rijn_gcm_decrypt_finish(&s, tag), RIJN_EAUTH);
  CHECK_ALL(&s, 0, sizeof s);
}

/* A list over p, cut at random. */
static size_t list(rijn_iov v[MAX_CUTS], uint8_t *p, size_t n) {
  size_t cut[MAX_CUTS], k = cuts(n, cut);
  for (size_t i = 0; i < k; i++) {
    v[i].base = cut[i] != 0 ? p : NULL;
    v[i].len = cut[i];
    p += cut[i];
  }
  return k;
}

static void lists(bool in_place) {
  rijn_iov in_v[MAX_CUTS], out_v[MAX_CUTS], aad_v[MAX_CUTS];
  size_t in_n, out_n, aad_n = list(aad_v, aad, aad_len);
  for (int pass = 0; pass < 3; pass++) { /* encrypt, decrypt, decrypt a forgery */
    uint8_t *src = pass == 0 ? text : want;
    memset(out, T_POISON, len);
    if (in_place) {
      memcpy(out, src, len);
    }
    in_n = list(in_v, in_place ? out : src, len);
    if (in_place) { /* each output run is exactly its input run */
      memcpy(out_v, in_v, sizeof in_v);
      out_n = in_n;
    } else {
      out_n = list(out_v, out, len);
    }
    memcpy(tag, want_tag, 16);
    if (pass == 0) {
      memset(tag, 0, 16);
      CHECK_EQ(rijn_gcm_encrypt_iov(&key, out_v, out_n, in_v, in_n, aad_v, aad_n, nonce, nonce_len, tag), RIJN_OK);
      CHECK_MEM(out, want, len);
      CHECK_MEM(tag, want_tag, 16);
    } else if (pass == 1) {
      CHECK_EQ(rijn_gcm_decrypt_iov(&key, out_v, out_n, in_v, in_n, aad_v, aad_n, nonce, nonce_len, tag), RIJN_OK);
      CHECK_MEM(out, text, len);
    } else {
      tag[t_below(16)] ^= (uint8_t)(1u << t_below(8));
      CHECK_EQ(rijn_gcm_decrypt_iov(&key, out_v, out_n, in_v, in_n, aad_v, aad_n, nonce, nonce_len, tag), RIJN_EAUTH);
      CHECK_ALL(out, 0, len);
    }
  }
}

/* Empty lists, and lists of nothing but empty runs. */
static void empty_lists(int impl) {
  rijn_iov none[3] = {{NULL, 0}, {text, 0}, {NULL, 0}};
  T_AT("empty lists");
  new_message(impl, 64);
  ref_gcm(raw, key_len, NULL, NULL, 0, NULL, 0, nonce, nonce_len, want_tag);
  CHECK_EQ(rijn_gcm_encrypt_iov(&key, NULL, 0, NULL, 0, NULL, 0, nonce, nonce_len, tag), RIJN_OK);
  CHECK_MEM(tag, want_tag, 16);
  memset(tag, 0, 16);
  CHECK_EQ(rijn_gcm_encrypt_iov(&key, none, 3, none, 2, none, 3, nonce, nonce_len, tag), RIJN_OK);
  CHECK_MEM(tag, want_tag, 16);
  CHECK_EQ(rijn_gcm_decrypt_iov(&key, none, 1, none, 0, none, 0, nonce, nonce_len, want_tag), RIJN_OK);
}

/* ---- batches */

#define BATCH 100

struct item {
  rijn_gcm_key key;
  uint8_t nonce[16], aad[64], text[700], in[700], out[700], want[700], tag[16], want_tag[16];
};
static struct item items[BATCH];
static rijn_gcm_msg msgs[BATCH];

static void batch(int impl, size_t n, bool in_place) {
  size_t bad = 0;
  T_AT("batch of %zu, in place %zu", n, in_place);
  for (size_t i = 0; i < n; i++) {
    struct item *it = &items[i];
    new_message(impl, 700);
    len = len % 700;
    aad_len %= 64;
    nonce_len = nonce_len > 16 ? 16 : nonce_len;
    ref_gcm(raw, key_len, want, text, len, aad, aad_len, nonce, nonce_len, want_tag);
    it->key = key;
    memcpy(it->nonce, nonce, 16);
    memcpy(it->aad, aad, 64);
    memcpy(in_place ? it->out : it->in, text, len);
    memcpy(it->text, text, len);
    memcpy(it->want, want, len);
    memcpy(it->want_tag, want_tag, 16);
    memset(it->tag, 0, 16);
    msgs[i] = (rijn_gcm_msg){sizeof(rijn_gcm_msg),
                             &it->key,
                             it->out,
                             in_place ? it->out : it->in,
                             len,
                             it->aad,
                             aad_len,
                             it->nonce,
                             nonce_len,
                             it->tag,
                             77};
  }
  CHECK_EQ(rijn_gcm_encrypt_batch(msgs, n), 0);
  for (size_t i = 0; i < n; i++) {
    CHECK_EQ(msgs[i].result, RIJN_OK);
    CHECK_MEM(items[i].out, items[i].want, msgs[i].len);
    CHECK_MEM(items[i].tag, items[i].want_tag, 16);
  }
  /* Back again, with some forged and some refused: the others go through. */
  for (size_t i = 0; i < n; i++) {
    memcpy(in_place ? items[i].out : items[i].in, items[i].want, msgs[i].len);
    msgs[i].result = 77;
    if (i % 7 == 3) {
      items[i].tag[i % 16] ^= 1;
      bad++;
    } else if (i % 11 == 5) {
      msgs[i].nonce_len = 0;
      bad++;
    }
  }
  CHECK_EQ(rijn_gcm_decrypt_batch(msgs, n), bad);
  for (size_t i = 0; i < n; i++) {
    bool forged = i % 7 == 3, refused = !forged && i % 11 == 5;
    CHECK_EQ(msgs[i].result, forged ? RIJN_EAUTH : refused ? RIJN_ENONCELEN : RIJN_OK);
    if (forged) {
      CHECK_ALL(items[i].out, 0, msgs[i].len);
    } else if (!refused) {
      CHECK_MEM(items[i].out, items[i].text, msgs[i].len);
    }
  }
}

static void batch_edges(int impl) {
  T_AT("edges of batches");
  CHECK_EQ(rijn_gcm_encrypt_batch(NULL, 0), 0);
  CHECK_EQ(rijn_gcm_decrypt_batch(NULL, 0), 0);
  CHECK_EQ(rijn_gcm_encrypt_batch(NULL, 1), RIJN_ENULL);
  CHECK_EQ(rijn_gcm_encrypt_batch(msgs, RIJN_BATCH_MAX + 1), RIJN_ELEN);
  CHECK_EQ(rijn_gcm_decrypt_batch(msgs, RIJN_BATCH_MAX + 1), RIJN_ELEN);
  /* A size it does not know: nothing is done, not even the good message before it. */
  batch(impl, 2, false);
  memset(items[0].out, T_POISON, sizeof items[0].out);
  msgs[0].result = 77;
  msgs[1].size = sizeof(rijn_gcm_msg) - 1;
  CHECK_EQ(rijn_gcm_encrypt_batch(msgs, 2), RIJN_ESTRUCT);
  CHECK_ALL(items[0].out, T_POISON, sizeof items[0].out);
  CHECK_EQ(msgs[0].result, 77);
}

int main(int argc, char **argv) {
  t_init(argc, argv);
#ifdef RIJN_REF_LIBCRYPTO
  size_t rounds = t_slow() ? 20000 : 1500, max = MAX_LEN;
#else
  size_t rounds = 200, max = 1500;
#endif
  T_IMPLS(impl) {
    for (size_t i = 0; i < rounds; i++) {
      new_message(impl, i % 8 == 0 ? max : 1300);
      T_AT("message %zu: len %zu, aad %zu, nonce %zu", i, len, aad_len, nonce_len);
      stream(false, i % 2 != 0, i % 3 == 0);
      stream(true, i % 2 != 0, i % 3 == 0);
      stream_forged();
      lists(i % 2 != 0);
    }
    empty_lists(impl);
    for (size_t n = 1; n <= 40; n++) {
      batch(impl, n, n % 2 != 0);
    }
    batch(impl, BATCH, false);
    batch_edges(impl);
  }
  return t_done();
}
