/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* nettle. The header is needed at build time, the library is loaded at run time. */
#include "subject.h"

#ifdef RIJN_BENCH_HAVE_NETTLE
#include <dlfcn.h>
#include <nettle/aes.h>
#include <nettle/cbc.h>
#include <nettle/ctr.h>
#include <nettle/gcm.h>
#include <nettle/memxor.h>
#include <nettle/version.h>
#include <nettle/xts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One name for what the three key sizes have each. */
typedef void set_key_fn(void *ctx, const uint8_t *key);
typedef void set_iv_fn(void *ctx, size_t len, const uint8_t *iv);
typedef void update_fn(void *ctx, size_t len, const uint8_t *data);
typedef void crypt_fn(void *ctx, size_t len, uint8_t *dst, const uint8_t *src);
typedef void digest_fn(void *ctx, size_t len, uint8_t *digest);
typedef void xts_fn(void *ctx, const uint8_t *tweak, size_t len, uint8_t *dst, const uint8_t *src);

struct key {
  union {
    struct gcm_aes256_ctx gcm; /* the largest of the three */
    struct xts_aes256_key xts;
    struct aes256_ctx aes;
  } u; /* first: aligned like the object */
  set_key_fn *set_key;
  set_iv_fn *set_iv;
  update_fn *update;
  crypt_fn *enc, *dec;
  digest_fn *digest;
  xts_fn *xts;
  nettle_cipher_func *block;
  void (*cbc_enc)(const void *, nettle_cipher_func *, size_t, uint8_t *, size_t, uint8_t *, const uint8_t *);
  void (*cbc_dec)(const void *, nettle_cipher_func *, size_t, uint8_t *, size_t, uint8_t *, const uint8_t *);
  void (*cbc_aes_enc)(const void *, uint8_t *, size_t, uint8_t *, const uint8_t *); /* since 3.8, and faster; or NULL */
  void (*ctr)(const void *, nettle_cipher_func *, size_t, uint8_t *, size_t, uint8_t *, const uint8_t *);
};

static void *lib;
static void *(*p_memxor)(void *, const void *, size_t);

static int gcm_enc(const struct b_job *j, size_t n) {
  B_EACH_MESSAGE(j, n, {
    struct key *k = key;
    k->set_iv(&k->u, 12, nonce);
    k->update(&k->u, w.aad_len, w.aad);
    k->enc(&k->u, len, w.out, w.in);
    k->digest(&k->u, 16, tag);
  });
  return 0;
}

static int gcm_dec(const struct b_job *j, size_t n) {
  int bad = 0;
  uint8_t made[16];
  B_EACH_MESSAGE(j, n, {
    struct key *k = key;
    k->set_iv(&k->u, 12, nonce);
    k->update(&k->u, w.aad_len, w.aad);
    k->dec(&k->u, len, w.out, w.in);
    k->digest(&k->u, 16, made);
    bad |= memcmp(made, tag, 16);
  });
  return bad;
}

static int gmac(const struct b_job *j, size_t n) {
  B_EACH_MESSAGE(j, n, {
    struct key *k = key;
    k->set_iv(&k->u, 12, nonce);
    k->update(&k->u, len, w.in);
    k->digest(&k->u, 16, tag);
  });
  return 0;
}

static int keys(const struct b_job *j, size_t n) {
  B_EACH_MESSAGE(j, n, ((struct key *)key)->set_key(key, w.raw));
  return 0;
}

static int batch_enc(const struct b_job *j, size_t n) { return b_batch_by_ones(j, n, gcm_enc); }

static int batch_dec(const struct b_job *j, size_t n) { return b_batch_by_ones(j, n, gcm_dec); }

static int xts(const struct b_job *j, size_t n) {
  B_EACH_MESSAGE(j, n, ((struct key *)key)->xts(key, nonce, len, w.out, w.in));
  return 0;
}

static int xts_run(const struct b_job *j, size_t n) { return b_run_by_ones(j, n, xts); }

static int ctr(const struct b_job *j, size_t n) {
  uint8_t iv[16];
  B_EACH_MESSAGE(j, n, {
    struct key *k = key;
    memcpy(iv, nonce, 16);
    k->ctr(&k->u, k->block, 16, iv, len, w.out, w.in);
  });
  return 0;
}

static int cbc(const struct b_job *j, size_t n) {
  uint8_t iv[16];
  bool enc = j->c->dir == B_ENC;
  B_EACH_MESSAGE(j, n, {
    struct key *k = key;
    memcpy(iv, nonce, 16);
    if (enc && k->cbc_aes_enc)
      k->cbc_aes_enc(&k->u, iv, len, w.out, w.in);
    else
      (enc ? k->cbc_enc : k->cbc_dec)(&k->u, k->block, 16, iv, len, w.out, w.in);
  });
  return 0;
}

static int ecb(const struct b_job *j, size_t n) {
  B_EACH_MESSAGE(j, n, ((struct key *)key)->block(key, len, w.out, w.in));
  return 0;
}

static int exor(const struct b_job *j, size_t n) {
  B_EACH_MESSAGE(j, n, p_memxor(w.out, w.in, len));
  return 0;
}

static b_loops loops = {
    [B_GCM] = {gcm_enc, gcm_dec},
    [B_MANYKEYS] = {gcm_enc, gcm_dec},
    [B_GMAC] = {gmac},
    [B_KEYS] = {keys},
    [B_BATCH] = {batch_enc, batch_dec},
    [B_BATCHKEYS] = {batch_enc, batch_dec},
    [B_XTS] = {xts, xts},
    [B_XTSRUN] = {xts_run, xts_run},
    [B_CTR] = {ctr},
    [B_CBC] = {cbc, cbc},
    [B_ECB] = {ecb, ecb},
    [B_XOR] = {exor},
};

static b_run runner(const struct b_subject *s, const struct b_case *c) {
  (void)s;
  return b_loop(loops, c);
}

/* A function of the library by its name with the key size in it. POSIX lets a data pointer be one. */
static void get(void *to, const char *pattern, int bits, bool *ok) {
  char name[64];
  snprintf(name, sizeof name, pattern, bits);
  void *f = dlsym(lib, name);
  *ok &= f != NULL;
  memcpy(to, &f, sizeof f);
}

static void *key_new(const struct b_subject *s, const struct b_case *c, const uint8_t *raw, size_t raw_len) {
  struct key *k = aligned_alloc(64, (sizeof *k + 63) / 64 * 64);
  bool ok = k != NULL, dec = c->dir == B_DEC, older = false;
  set_key_fn *set = NULL;
  (void)s, (void)raw_len;
  if (!k)
    return NULL;
  memset(k, 0, sizeof *k);
  switch (b_mode(c)->key) {
  case B_KEY_XTS:
    get(&set, dec ? "nettle_xts_aes%d_set_decrypt_key" : "nettle_xts_aes%d_set_encrypt_key", c->key_bits, &ok);
    get(&k->xts, dec ? "nettle_xts_aes%d_decrypt_message" : "nettle_xts_aes%d_encrypt_message", c->key_bits, &ok);
    break;
  case B_KEY_AES:
    get(&set, dec ? "nettle_aes%d_set_decrypt_key" : "nettle_aes%d_set_encrypt_key", c->key_bits, &ok);
    get(&k->block, dec ? "nettle_aes%d_decrypt" : "nettle_aes%d_encrypt", c->key_bits, &ok);
    get(&k->ctr, "nettle_ctr_crypt", 0, &ok);
    get(&k->cbc_enc, "nettle_cbc_encrypt", 0, &ok);
    get(&k->cbc_dec, "nettle_cbc_decrypt", 0, &ok);
    get(&k->cbc_aes_enc, "nettle_cbc_aes%d_encrypt", c->key_bits, &older);
    break;
  case B_KEY_NONE:
    break;
  default:
    get(&set, "nettle_gcm_aes%d_set_key", c->key_bits, &ok);
    get(&k->set_iv, "nettle_gcm_aes%d_set_iv", c->key_bits, &ok);
    get(&k->update, "nettle_gcm_aes%d_update", c->key_bits, &ok);
    get(&k->enc, "nettle_gcm_aes%d_encrypt", c->key_bits, &ok);
    get(&k->dec, "nettle_gcm_aes%d_decrypt", c->key_bits, &ok);
    get(&k->digest, "nettle_gcm_aes%d_digest", c->key_bits, &ok);
  }
  k->set_key = set;
  if (ok && set)
    set(&k->u, raw);
  if (!ok) {
    free(k);
    k = NULL;
  }
  return k;
}

static void key_free(const struct b_subject *s, const struct b_case *c, void *key) {
  (void)s, (void)c;
  free(key);
}

void b_subjects_nettle(struct b_subjects *all) {
  bool ok = true;
  char soname[32];
  /* The number in the soname goes with the headers' version: 3.x is 8, 4.x is 9 and later. */
  snprintf(soname, sizeof soname, "libnettle.so.%d", NETTLE_VERSION_MAJOR + 5);
  if (!lib)
    lib = dlopen(soname, RTLD_NOW | RTLD_LOCAL);
  if (!lib) {
    b_peer_absent(all, "nettle (no %s)", soname);
    return;
  }
  get(&p_memxor, "nettle_memxor", 0, &ok);
  if (!ok) {
    b_peer_absent(all, "nettle (%s is not complete)", soname);
    return;
  }
  struct b_subject s = {.name = "nettle", .runner = runner, .key_new = key_new, .key_free = key_free};
  int (*major)(void), (*minor)(void);
  get(&major, "nettle_version_major", 0, &ok);
  get(&minor, "nettle_version_minor", 0, &ok);
  b_subject_add(all, &s);
  /* WHY asked: the library that is loaded need not be that of the headers. */
  if (ok)
    b_peer_found(all, "nettle", "nettle %d.%d", major(), minor());
  else
    b_peer_found(all, "nettle", "nettle");
}
#else
void b_subjects_nettle(struct b_subjects *all) { b_peer_absent(all, "nettle (not built in)"); }
#endif
