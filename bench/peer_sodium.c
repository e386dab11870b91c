/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* libsodium: AES-256-GCM, and only where the processor has AES instructions. The header is needed at build time, the
 * library is loaded at run time. */
#include "subject.h"

#ifdef RIJN_BENCH_HAVE_SODIUM
#include <dlfcn.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

typedef crypto_aead_aes256gcm_state state;

static struct {
  __typeof__(&sodium_init) init;
  __typeof__(&sodium_version_string) version;
  __typeof__(&crypto_aead_aes256gcm_is_available) available;
  __typeof__(&crypto_aead_aes256gcm_statebytes) size;
  __typeof__(&crypto_aead_aes256gcm_beforenm) setkey;
  __typeof__(&crypto_aead_aes256gcm_encrypt_detached_afternm) encrypt;
  __typeof__(&crypto_aead_aes256gcm_decrypt_detached_afternm) decrypt;
} sodium;

static int gcm_enc(const struct b_job *j, size_t n) {
  int bad = 0;
  B_EACH_MESSAGE(j, n, bad |= sodium.encrypt(w.out, tag, NULL, w.in, len, w.aad, w.aad_len, NULL, nonce, key));
  return bad;
}

static int gcm_dec(const struct b_job *j, size_t n) {
  int bad = 0;
  B_EACH_MESSAGE(j, n, bad |= sodium.decrypt(w.out, NULL, w.in, len, tag, w.aad, w.aad_len, nonce, key));
  return bad;
}

static int keys(const struct b_job *j, size_t n) {
  int bad = 0;
  B_EACH_MESSAGE(j, n, bad |= sodium.setkey(key, w.raw));
  return bad;
}

static int batch_enc(const struct b_job *j, size_t n) { return b_batch_by_ones(j, n, gcm_enc); }

static int batch_dec(const struct b_job *j, size_t n) { return b_batch_by_ones(j, n, gcm_dec); }

static b_loops loops = {
    [B_GCM] = {gcm_enc, gcm_dec},       [B_MANYKEYS] = {gcm_enc, gcm_dec},      [B_KEYS] = {keys},
    [B_BATCH] = {batch_enc, batch_dec}, [B_BATCHKEYS] = {batch_enc, batch_dec},
};

static b_run runner(const struct b_subject *s, const struct b_case *c) {
  (void)s;
  return c->key_bits == 256 ? b_loop(loops, c) : NULL;
}

static void *key_new(const struct b_subject *s, const struct b_case *c, const uint8_t *raw, size_t raw_len) {
  (void)s;
  (void)c;
  (void)raw_len;
  state *key = aligned_alloc(16, (sodium.size() + 15) / 16 * 16);
  if (key && sodium.setkey(key, raw)) {
    free(key);
    return NULL;
  }
  return key;
}

static void key_free(const struct b_subject *s, const struct b_case *c, void *key) {
  (void)s;
  (void)c;
  free(key);
}

static void get(void *lib, void *to, const char *name, bool *ok) {
  void *f = dlsym(lib, name);
  *ok &= f != NULL;
  memcpy(to, &f, sizeof f);
}

/* Debian 12 has the first, later releases the second: what is called here is the same in both. */
static void *load(void) {
  static const char *const sonames[] = {"libsodium.so.26", "libsodium.so.23"};
  void *lib = NULL;
  for (size_t i = 0; i < sizeof sonames / sizeof *sonames && !lib; i++)
    lib = dlopen(sonames[i], RTLD_NOW | RTLD_LOCAL);
  return lib;
}

void b_subjects_sodium(struct b_subjects *all) {
  void *lib = load();
  bool ok = true;
  if (!lib) {
    b_peer_absent(all, "libsodium (no libsodium.so.23 or .26)");
    return;
  }
  get(lib, &sodium.init, "sodium_init", &ok);
  get(lib, &sodium.version, "sodium_version_string", &ok);
  get(lib, &sodium.available, "crypto_aead_aes256gcm_is_available", &ok);
  get(lib, &sodium.size, "crypto_aead_aes256gcm_statebytes", &ok);
  get(lib, &sodium.setkey, "crypto_aead_aes256gcm_beforenm", &ok);
  get(lib, &sodium.encrypt, "crypto_aead_aes256gcm_encrypt_detached_afternm", &ok);
  get(lib, &sodium.decrypt, "crypto_aead_aes256gcm_decrypt_detached_afternm", &ok);
  if (!ok || sodium.init() < 0) {
    b_peer_absent(all, "libsodium (not complete)");
    return;
  }
  if (!sodium.available()) {
    b_peer_absent(all, "libsodium (has no AES on this processor)");
    return;
  }
  struct b_subject s = {.name = "libsodium", .runner = runner, .key_new = key_new, .key_free = key_free};
  b_subject_add(all, &s);
  b_peer_found(all, "libsodium", "libsodium %s", sodium.version());
}
#else
void b_subjects_sodium(struct b_subjects *all) { b_peer_absent(all, "libsodium (not built in)"); }
#endif
