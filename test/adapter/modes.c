/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
#include "adapter.h"

/* The ways to do one thing must agree: this keeps the answer of one of them, and its input, for the next. */
struct kept {
  uint8_t *in, *out, tag[16];
  int err;
};

static struct kept keep_input(const struct req *r) {
  struct kept k = {malloc(r->in.n + 1), malloc(r->out_n + 1), {0}, 0};
  REQUIRE(k.in != NULL && k.out != NULL);
  memcpy(k.in, r->in.p, r->in.n);
  return k;
}

static void keep_answer(struct kept *k, const struct req *r, int err) {
  check_output(r);
  k->err = err;
  memcpy(k->out, r->out, r->out_n);
  memcpy(k->tag, r->tag_out, 16);
}

/* As it was before: zeros in the output, or the input in place. */
static void again(const struct kept *k, struct req *r) {
  memset(r->out, 0, r->out_n);
  memcpy(r->in.p, k->in, r->in.n);
  memset(r->tag_out, 0, 16);
}

static void same(struct kept *k, const struct req *r, int err) {
  check_output(r);
  CHECK_EQ(err, k->err);
  CHECK_MEM(r->out, k->out, r->out_n);
  CHECK_MEM(r->tag_out, k->tag, 16);
}

static void drop(struct kept *k) {
  free(k->in);
  free(k->out);
}

/* ---- GCM */

static int gcm_stream(const rijn_gcm_key *key, struct req *r) {
  rijn_gcm_stream s;
  int err =
      r->enc ? rijn_gcm_encrypt_start(&s, key, r->iv.p, r->iv.n) : rijn_gcm_decrypt_start(&s, key, r->iv.p, r->iv.n);
  if (err != RIJN_OK) {
    return err;
  }
  size_t half = r->aad.n / 2, pos = 0;
  CHECK_EQ(rijn_gcm_aad(&s, r->aad.p, half), RIJN_OK);
  CHECK_EQ(rijn_gcm_aad(&s, r->aad.p + half, r->aad.n - half), RIJN_OK);
  for (size_t i = 0; i < r->n_cuts; i++) {
    CHECK_EQ(rijn_gcm_update(&s, r->out + pos, r->in.p + pos, r->cuts[i]), RIJN_OK);
    pos += r->cuts[i];
  }
  if (r->enc) {
    return rijn_gcm_encrypt_finish(&s, r->tag_out);
  }
  err = rijn_gcm_decrypt_finish(&s, r->tag.p);
  if (err != RIJN_OK) { /* a stream cannot take back what it has handed out: its caller has to */
    memset(r->out, 0, r->out_n);
  }
  return err;
}

static int gcm_lists(const rijn_gcm_key *key, struct req *r) {
  size_t n = r->n_cuts, half = r->aad.n / 2, pos = 0;
  rijn_iov *in = calloc(n + 1, sizeof *in), *out = calloc(n + 1, sizeof *out);
  rijn_iov aad[2] = {{r->aad.p, half}, {r->aad.p + half, r->aad.n - half}};
  REQUIRE(in != NULL && out != NULL);
  for (size_t i = 0; i < n; i++) {
    in[i] = (rijn_iov){r->in.p + pos, r->cuts[i]};
    pos += r->cuts[i];
  }
  size_t out_n = n;
  if (r->in_place) {
    memcpy(out, in, n * sizeof *in);
  } else { /* the same lengths in the other order */
    pos = 0;
    for (size_t i = 0; i < n; i++) {
      out[i] = (rijn_iov){r->out + pos, r->cuts[n - 1 - i]};
      pos += r->cuts[n - 1 - i];
    }
  }
  int err = r->enc ? rijn_gcm_encrypt_iov(key, out, out_n, in, n, aad, 2, r->iv.p, r->iv.n, r->tag_out)
                   : rijn_gcm_decrypt_iov(key, out, out_n, in, n, aad, 2, r->iv.p, r->iv.n, r->tag.p);
  free(in);
  free(out);
  return err;
}

static int gcm_one(const rijn_gcm_key *key, struct req *r) {
  return r->enc ? rijn_gcm_encrypt(key, r->out, r->in.p, r->in.n, r->aad.p, r->aad.n, r->iv.p, r->iv.n, r->tag_out)
                : rijn_gcm_decrypt(key, r->out, r->in.p, r->in.n, r->aad.p, r->aad.n, r->iv.p, r->iv.n, r->tag.p);
}

static int gcm_batch(const rijn_gcm_key *key, struct req *r) {
  rijn_gcm_msg m = {
      sizeof m, key, r->out, r->in.p, r->in.n, r->aad.p, r->aad.n, r->iv.p, r->iv.n, r->enc ? r->tag_out : r->tag.p, 1};
  int failed = r->enc ? rijn_gcm_encrypt_batch(&m, 1) : rijn_gcm_decrypt_batch(&m, 1);
  CHECK_EQ(failed, m.result != RIJN_OK);
  return m.result;
}

int run_gcm(struct req *r) {
  rijn_gcm_key key;
  int err = rijn_gcm_init_taglen(&key, r->key.p, r->key.n, r->tag_len);
  if (err != RIJN_OK) {
    return err;
  }
  place_output(r, r->in.n);
  r->made_tag = r->enc;
  struct kept k = keep_input(r);
  keep_answer(&k, r, r->cuts != NULL ? gcm_stream(&key, r) : gcm_one(&key, r));
  again(&k, r);
  err = r->cuts != NULL ? gcm_lists(&key, r) : gcm_batch(&key, r);
  same(&k, r, err);
  drop(&k);
  rijn_gcm_wipe(&key);
  return err;
}

int run_gmac(struct req *r) {
  rijn_gcm_key key;
  int err = rijn_gcm_init_taglen(&key, r->key.p, r->key.n, r->tag_len);
  if (err == RIJN_OK) {
    err = r->enc ? rijn_gmac(&key, r->aad.p, r->aad.n, r->iv.p, r->iv.n, r->tag_out)
                 : rijn_gmac_verify(&key, r->aad.p, r->aad.n, r->iv.p, r->iv.n, r->tag.p);
    r->made_tag = r->enc;
  }
  return err;
}

int run_rfc4106(struct req *r) {
  rijn_esp_key key;
  int err = rijn_rfc4106_init(&key, r->key.p, r->key.n, r->tag_len);
  if (err != RIJN_OK) {
    return err;
  }
  if (r->iv.n != 8) {
    return RIJN_ENONCELEN;
  }
  place_output(r, r->in.n);
  err = r->enc ? rijn_rfc4106_encrypt(&key, r->out, r->in.p, r->in.n, r->aad.p, r->aad.n, r->iv.p, r->tag_out)
               : rijn_rfc4106_decrypt(&key, r->out, r->in.p, r->in.n, r->aad.p, r->aad.n, r->iv.p, r->tag.p);
  check_output(r);
  r->made_tag = r->enc;
  rijn_esp_wipe(&key);
  return err;
}

int run_rfc4543(struct req *r) {
  rijn_esp_key key;
  int err = rijn_rfc4543_init(&key, r->key.p, r->key.n);
  if (err != RIJN_OK) {
    return err;
  }
  if (r->tag_len != 16) {
    return RIJN_ETAGLEN;
  }
  if (r->iv.n != 8) {
    return RIJN_ENONCELEN;
  }
  err = r->enc ? rijn_rfc4543_tag(&key, r->aad.p, r->aad.n, r->iv.p, r->tag_out)
               : rijn_rfc4543_verify(&key, r->aad.p, r->aad.n, r->iv.p, r->tag.p);
  r->made_tag = r->enc;
  rijn_esp_wipe(&key);
  return err;
}

int run_ghash(struct req *r) {
  rijn_ghash_key key;
  if (r->key.n != 16) {
    return RIJN_EKEYLEN;
  }
  if (r->in.n % 16 != 0) {
    return RIJN_ELEN;
  }
  int err = rijn_ghash_init(&key, r->key.p);
  if (err == RIJN_OK) {
    size_t nblk = r->in.n / 16, first = r->cuts != NULL ? nblk / 2 : nblk;
    err = rijn_ghash_update(&key, r->tag_out, r->in.p, first);
    CHECK_EQ(rijn_ghash_update(&key, r->tag_out, r->in.p + 16 * first, nblk - first), err);
  }
  r->made_tag = true;
  return err;
}

/* ---- AES-GCM-SIV, XAES-256-GCM */

static int siv_batch(const rijn_gcm_siv_key *key, struct req *r) {
  rijn_gcm_siv_msg m = {
      sizeof m, key, r->out, r->in.p, r->in.n, r->aad.p, r->aad.n, r->iv.p, r->enc ? r->tag_out : r->tag.p, 1};
  int failed = r->enc ? rijn_gcm_siv_encrypt_batch(&m, 1) : rijn_gcm_siv_decrypt_batch(&m, 1);
  CHECK_EQ(failed, m.result != RIJN_OK);
  return m.result;
}

int run_gcm_siv(struct req *r) {
  rijn_gcm_siv_key key;
  int err = rijn_gcm_siv_init(&key, r->key.p, r->key.n);
  if (err != RIJN_OK) {
    return err;
  }
  if (r->iv.n != 12) {
    return RIJN_ENONCELEN;
  }
  if (r->tag_len != 16) {
    return RIJN_ETAGLEN;
  }
  place_output(r, r->in.n);
  r->made_tag = r->enc;
  struct kept k = keep_input(r);
  err = r->enc ? rijn_gcm_siv_encrypt(&key, r->out, r->in.p, r->in.n, r->aad.p, r->aad.n, r->iv.p, r->tag_out)
               : rijn_gcm_siv_decrypt(&key, r->out, r->in.p, r->in.n, r->aad.p, r->aad.n, r->iv.p, r->tag.p);
  keep_answer(&k, r, err);
  again(&k, r);
  err = siv_batch(&key, r);
  same(&k, r, err);
  drop(&k);
  rijn_gcm_siv_wipe(&key);
  return err;
}

int run_xaes(struct req *r) {
  rijn_xaes_key key;
  int err = rijn_xaes_init(&key, r->key.p, r->key.n);
  if (err != RIJN_OK) {
    return err;
  }
  if (r->iv.n != 24) {
    return RIJN_ENONCELEN;
  }
  if (r->tag_len != 16) {
    return RIJN_ETAGLEN;
  }
  place_output(r, r->in.n);
  r->made_tag = r->enc;
  err = r->enc ? rijn_xaes_encrypt(&key, r->out, r->in.p, r->in.n, r->aad.p, r->aad.n, r->iv.p, r->tag_out)
               : rijn_xaes_decrypt(&key, r->out, r->in.p, r->in.n, r->aad.p, r->aad.n, r->iv.p, r->tag.p);
  check_output(r);
  rijn_xaes_wipe(&key);
  return err;
}

/* ---- XTS */

int run_xts(struct req *r) {
  rijn_xts_key key;
  int err = rijn_xts_init(&key, r->key.p, r->key.n);
  if (err != RIJN_OK) {
    return err;
  }
  if (r->iv.n != 16) {
    return RIJN_ENONCELEN;
  }
  place_output(r, r->in.n);
  struct kept k = keep_input(r);
  err = r->enc ? rijn_xts_encrypt(&key, r->out, r->in.p, r->in.n, r->iv.p)
               : rijn_xts_decrypt(&key, r->out, r->in.p, r->in.n, r->iv.p);
  keep_answer(&k, r, err);
  size_t n = r->in.n;
  if (err == RIJN_OK && n >= 512 && n <= 65536 && (n & (n - 1)) == 0) { /* a sector is a data unit */
    again(&k, r);
    same(&k, r,
         r->enc ? rijn_xts_encrypt_tweaks(&key, r->out, r->in.p, n, 1, r->iv.p)
                : rijn_xts_decrypt_tweaks(&key, r->out, r->in.p, n, 1, r->iv.p));
  }
  drop(&k);
  rijn_xts_wipe(&key);
  return err;
}

/* ---- CTR, CFB, CCM, CBC, ECB */

int run_ctr(struct req *r) {
  rijn_aes_key key;
  rijn_ctr_state s;
  int err = rijn_aes_init(&key, r->key.p, r->key.n);
  if (err != RIJN_OK) {
    return err;
  }
  if (r->iv.n != 16) {
    return RIJN_ENONCELEN;
  }
  place_output(r, r->in.n);
  memset(&s, 0, sizeof s);
  memcpy(s.ctr, r->iv.p, 16);
  if (r->cuts == NULL) {
    err = rijn_ctr_crypt(&key, r->out, r->in.p, r->in.n, &s);
  }
  for (size_t i = 0, pos = 0; i < r->n_cuts && err == RIJN_OK; pos += r->cuts[i++]) {
    err = rijn_ctr_crypt(&key, r->out + pos, r->in.p + pos, r->cuts[i], &s);
  }
  check_output(r);
  rijn_aes_wipe(&key);
  return err;
}

int run_cfb(struct req *r) {
  rijn_aes_key key;
  rijn_cfb_state s;
  int (*crypt)(const rijn_aes_key *, void *, const void *, size_t, rijn_cfb_state *) =
      r->enc ? rijn_cfb_encrypt : rijn_cfb_decrypt;
  int err = rijn_aes_init(&key, r->key.p, r->key.n);
  if (err != RIJN_OK) {
    return err;
  }
  if (r->iv.n != 16) {
    return RIJN_ENONCELEN;
  }
  place_output(r, r->in.n);
  memset(&s, 0, sizeof s);
  memcpy(s.iv, r->iv.p, 16);
  if (r->cuts == NULL) {
    err = crypt(&key, r->out, r->in.p, r->in.n, &s);
  }
  for (size_t i = 0, pos = 0; i < r->n_cuts && err == RIJN_OK; pos += r->cuts[i++]) {
    err = crypt(&key, r->out + pos, r->in.p + pos, r->cuts[i], &s);
  }
  check_output(r);
  rijn_cfb_wipe(&s);
  rijn_aes_wipe(&key);
  return err;
}

int run_ccm(struct req *r) {
  rijn_ccm_key key;
  int err = rijn_ccm_init_taglen(&key, r->key.p, r->key.n, r->tag_len);
  if (err != RIJN_OK) {
    return err;
  }
  place_output(r, r->in.n);
  err = r->enc ? rijn_ccm_encrypt(&key, r->out, r->in.p, r->in.n, r->aad.p, r->aad.n, r->iv.p, r->iv.n, r->tag_out)
               : rijn_ccm_decrypt(&key, r->out, r->in.p, r->in.n, r->aad.p, r->aad.n, r->iv.p, r->iv.n, r->tag.p);
  r->made_tag = r->enc;
  check_output(r);
  rijn_ccm_wipe(&key);
  return err;
}

/* These take whole blocks: a cut within one is made behind it. */
static int blocks(struct req *r, bool cbc) {
  rijn_aes_key key;
  int err = rijn_aes_init(&key, r->key.p, r->key.n);
  if (err != RIJN_OK) {
    return err;
  }
  if (r->in.n % 16 != 0) {
    return RIJN_ELEN;
  }
  if (cbc && r->iv.n != 16) {
    return RIJN_ENONCELEN;
  }
  place_output(r, r->in.n);
  if (cbc) {
    memcpy(r->next_iv, r->iv.p, 16);
    r->made_iv = true;
  }
  size_t whole = r->in.n, *cuts = r->cuts != NULL ? r->cuts : &whole, n = r->cuts != NULL ? r->n_cuts : 1;
  for (size_t i = 0, asked = 0, done = 0; i < n && err == RIJN_OK; i++) {
    asked += cuts[i];
    size_t nblk = (asked + 15) / 16 - done / 16;
    uint8_t *out = r->out + done;
    const uint8_t *in = r->in.p + done;
    err = cbc ? (r->enc ? rijn_cbc_encrypt : rijn_cbc_decrypt)(&key, out, in, nblk, r->next_iv)
              : (r->enc ? rijn_ecb_encrypt : rijn_ecb_decrypt)(&key, out, in, nblk);
    done += 16 * nblk;
  }
  if (cbc && r->enc && err == RIJN_OK && !r->in_place) { /* the same twice in one call for many */
    enum { MOST = 4096 };
    static uint8_t two[2][MOST], iv[2][16];
    rijn_cbc_msg m[2];
    for (size_t i = 0; i < 2 && r->in.n <= MOST; i++) {
      memcpy(iv[i], r->iv.p, 16);
      m[i] = (rijn_cbc_msg){sizeof m[i], &key, two[i], r->in.p, r->in.n / 16, iv[i], 0};
    }
    if (r->in.n <= MOST) {
      CHECK_EQ(rijn_cbc_encrypt_many(m, 2), 0);
      CHECK_MEM(two[0], r->out, r->in.n);
      CHECK_MEM(two[1], r->out, r->in.n);
      CHECK_MEM(iv[1], r->next_iv, 16);
    }
  }
  check_output(r);
  rijn_aes_wipe(&key);
  return err;
}

int run_cbc(struct req *r) { return blocks(r, true); }
int run_ecb(struct req *r) { return blocks(r, false); }

int run_pkcs7(struct req *r) {
  rijn_aes_key key;
  size_t n = 0;
  int err = rijn_aes_init(&key, r->key.p, r->key.n);
  if (err != RIJN_OK) {
    return err;
  }
  if (r->iv.n != 16) {
    return RIJN_ENONCELEN;
  }
  place_output(r, r->enc ? r->in.n / 16 * 16 + 16 : r->in.n);
  err = r->enc ? rijn_cbc_encrypt_pkcs7(&key, r->out, &n, r->in.p, r->in.n, r->iv.p)
               : rijn_cbc_decrypt_pkcs7(&key, r->out, &n, r->in.p, r->in.n, r->iv.p);
  check_output(r);
  if (err == RIJN_OK) {
    CHECK(n <= r->out_n);
    r->out_n = n;
  }
  rijn_aes_wipe(&key);
  return err;
}
