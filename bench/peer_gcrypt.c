/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* libgcrypt. The header is needed at build time, the library is loaded at run time. */
#include "subject.h"

#ifdef RIJN_BENCH_HAVE_GCRYPT
#include <dlfcn.h>
#include <gcrypt.h>
#include <stdlib.h>
#include <string.h>

#define SONAME "libgcrypt.so.20"

static struct {
  __typeof__(&gcry_check_version) check_version;
  __typeof__(&gcry_cipher_open) open;
  __typeof__(&gcry_cipher_close) close;
  __typeof__(&gcry_cipher_setkey) setkey;
  __typeof__(&gcry_cipher_setiv) setiv;
  __typeof__(&gcry_cipher_setctr) setctr;
  __typeof__(&gcry_cipher_authenticate) authenticate;
  __typeof__(&gcry_cipher_encrypt) encrypt;
  __typeof__(&gcry_cipher_decrypt) decrypt;
  __typeof__(&gcry_cipher_gettag) gettag;
  __typeof__(&gcry_cipher_checktag) checktag;
  __typeof__(&gcry_cipher_ctl) ctl;
  __typeof__(&gcry_control) control;
} g;

static int gcm_enc(const struct b_job *j, size_t n) {
  gcry_error_t bad = 0;
  B_EACH_MESSAGE(j, n, {
    gcry_cipher_hd_t h = key;
    bad |= g.setiv(h, nonce, 12);
    bad |= g.authenticate(h, w.aad, w.aad_len);
    bad |= g.encrypt(h, w.out, len, w.in, len);
    bad |= g.gettag(h, tag, 16);
  });
  return bad != 0;
}

static int gcm_dec(const struct b_job *j, size_t n) {
  gcry_error_t bad = 0;
  B_EACH_MESSAGE(j, n, {
    gcry_cipher_hd_t h = key;
    bad |= g.setiv(h, nonce, 12);
    bad |= g.authenticate(h, w.aad, w.aad_len);
    bad |= g.decrypt(h, w.out, len, w.in, len);
    bad |= g.checktag(h, tag, 16);
  });
  return bad != 0;
}

static int gmac(const struct b_job *j, size_t n) {
  gcry_error_t bad = 0;
  B_EACH_MESSAGE(j, n, {
    gcry_cipher_hd_t h = key;
    bad |= g.setiv(h, nonce, 12);
    bad |= g.authenticate(h, w.in, len);
    bad |= g.gettag(h, tag, 16);
  });
  return bad != 0;
}

static int keys(const struct b_job *j, size_t n) {
  gcry_error_t bad = 0;
  B_EACH_MESSAGE(j, n, bad |= g.setkey(key, w.raw, w.raw_len));
  return bad != 0;
}

static int batch_enc(const struct b_job *j, size_t n) { return b_batch_by_ones(j, n, gcm_enc); }

static int batch_dec(const struct b_job *j, size_t n) { return b_batch_by_ones(j, n, gcm_dec); }

static int plain(const struct b_job *j, size_t n) {
  gcry_error_t bad = 0;
  bool enc = j->c->dir == B_ENC, ctr = j->c->op == B_CTR, ecb = j->c->op == B_ECB;
  B_EACH_MESSAGE(j, n, {
    gcry_cipher_hd_t h = key;
    if (!ecb)
      bad |= ctr ? g.setctr(h, nonce, 16) : g.setiv(h, nonce, 16);
    bad |= (enc ? g.encrypt : g.decrypt)(h, w.out, len, w.in, len);
  });
  return bad != 0;
}

static int xts_run(const struct b_job *j, size_t n) { return b_run_by_ones(j, n, plain); }

static b_loops loops = {
    [B_GCM] = {gcm_enc, gcm_dec},
    [B_MANYKEYS] = {gcm_enc, gcm_dec},
    [B_GMAC] = {gmac},
    [B_KEYS] = {keys},
    [B_BATCH] = {batch_enc, batch_dec},
    [B_BATCHKEYS] = {batch_enc, batch_dec},
    [B_XTS] = {plain, plain},
    [B_XTSRUN] = {xts_run, xts_run},
    [B_CTR] = {plain},
    [B_CBC] = {plain, plain},
    [B_ECB] = {plain, plain},
};

static b_run runner(const struct b_subject *s, const struct b_case *c) {
  (void)s;
  return b_loop(loops, c);
}

static void *key_new(const struct b_subject *s, const struct b_case *c, const uint8_t *raw, size_t raw_len) {
  static const int algorithms[] = {GCRY_CIPHER_AES128, GCRY_CIPHER_AES192, GCRY_CIPHER_AES256};
  int algo = algorithms[(c->key_bits - 128) / 64];
  static const struct {
    const char *name;
    int mode;
  } known[] = {{"GCM", GCRY_CIPHER_MODE_GCM},
               {"XTS", GCRY_CIPHER_MODE_XTS},
               {"CTR", GCRY_CIPHER_MODE_CTR},
               {"CBC", GCRY_CIPHER_MODE_CBC},
               {"ECB", GCRY_CIPHER_MODE_ECB}};
  int mode = GCRY_CIPHER_MODE_NONE;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (!strcmp(b_mode(c)->cipher, known[i].name))
      mode = known[i].mode;
  gcry_cipher_hd_t h = NULL;
  (void)s;
  if (g.open(&h, algo, mode, 0))
    return NULL;
  if (g.setkey(h, raw, raw_len)) {
    g.close(h);
    return NULL;
  }
  return h;
}

static void key_free(const struct b_subject *s, const struct b_case *c, void *key) {
  (void)s, (void)c;
  g.close(key);
}

static void get(void *lib, void *to, const char *name, bool *ok) {
  void *f = dlsym(lib, name);
  *ok &= f != NULL;
  memcpy(to, &f, sizeof f);
}

void b_subjects_gcrypt(struct b_subjects *all) {
  void *lib = dlopen(SONAME, RTLD_NOW | RTLD_LOCAL);
  bool ok = true;
  if (!lib) {
    b_peer_absent(all, "libgcrypt (no %s)", SONAME);
    return;
  }
#define GET(name, symbol) get(lib, &g.name, #symbol, &ok)
  GET(check_version, gcry_check_version);
  GET(open, gcry_cipher_open);
  GET(close, gcry_cipher_close);
  GET(setkey, gcry_cipher_setkey);
  GET(setiv, gcry_cipher_setiv);
  GET(setctr, gcry_cipher_setctr);
  GET(authenticate, gcry_cipher_authenticate);
  GET(encrypt, gcry_cipher_encrypt);
  GET(decrypt, gcry_cipher_decrypt);
  GET(gettag, gcry_cipher_gettag);
  GET(checktag, gcry_cipher_checktag);
  GET(ctl, gcry_cipher_ctl);
  GET(control, gcry_control);
#undef GET
  const char *version = ok ? g.check_version(NULL) : NULL;
  if (!version) {
    b_peer_absent(all, "libgcrypt (%s is not complete)", SONAME);
    return;
  }
  g.control(GCRYCTL_DISABLE_SECMEM, 0);
  g.control(GCRYCTL_INITIALIZATION_FINISHED, 0);
  struct b_subject s = {.name = "libgcrypt", .runner = runner, .key_new = key_new, .key_free = key_free};
  b_subject_add(all, &s);
  b_peer_found(all, "libgcrypt", "libgcrypt %s", version);
}
#else
void b_subjects_gcrypt(struct b_subjects *all) { b_peer_absent(all, "libgcrypt (not built in)"); }
#endif
