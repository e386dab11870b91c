/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * How programs call EVP when they do not do it as TLS does: Rijn's provider against the default one, in one run, in
 * turns. Not a test.
 *
 *   evp_patterns FOLDER_OF_RIJN.SO [milliseconds a measurement [ROW]]
 *
 * With ROW only the rows whose names contain it.
 * Each row is a message: IV, 13 bytes of associated data (GCM, CCM), text in place, end, tag. "new context", "implicit
 * fetch" and "copied context" make a context for the message and free it; the others keep one.
 */
#define _XOPEN_SOURCE 700
#include <openssl/evp.h>
#include <openssl/provider.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint8_t buf[16384], sealed[16384], key[64], iv[16], aad[13], tag[16];

/* WHY the thread's own time: other work on the machine does not count. */
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void must(int ok, const char *what) {
  if (ok > 0)
    return;
  fprintf(stderr, "evp_patterns: %s failed\n", what);
  exit(1);
}

enum how { KEPT, NEW, IMPLICIT, COPIED };
struct pattern {
  const char *what, *cipher;
  const EVP_CIPHER *(*old)(void); /* for an implicit fetch */
  enum how how;
  int enc, len, piece;
  int late; /* the tag is set after the text */
};

static void text(EVP_CIPHER_CTX *c, const struct pattern *p, int tag_len) {
  int got;
  must(EVP_CIPHER_CTX_get_mode(c) != EVP_CIPH_CCM_MODE || EVP_CipherUpdate(c, NULL, &got, NULL, p->len), "length");
  if (tag_len)
    must(EVP_CipherUpdate(c, NULL, &got, aad, sizeof aad), "associated data");
  for (int at = 0; at < p->len; at += p->piece) {
    int n = p->len - at < p->piece ? p->len - at : p->piece;
    must(EVP_CipherUpdate(c, buf + at, &got, (p->enc ? buf : sealed) + at, n), "text");
  }
}

static void message(EVP_CIPHER_CTX *kept, EVP_CIPHER *cipher, const struct pattern *p, int tag_len) {
  int got;
  uint8_t rest[32];
  EVP_CIPHER_CTX *c = kept;
  if (p->how != KEPT)
    must((c = EVP_CIPHER_CTX_new()) != NULL, "context");
  if (p->how == COPIED)
    must(EVP_CIPHER_CTX_copy(c, kept), "copy");
  if (p->how == IMPLICIT)
    must(EVP_CipherInit_ex(c, p->old(), NULL, key, iv, p->enc), "init");
  else if (p->how == NEW)
    must(EVP_CipherInit_ex2(c, cipher, key, iv, p->enc, NULL), "init");
  else
    must(EVP_CipherInit_ex2(c, NULL, NULL, iv, p->enc, NULL), "init");
  if (tag_len && !p->enc && !p->late)
    must(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, tag_len, tag), "tag");
  text(c, p, tag_len);
  if (tag_len && !p->enc && p->late)
    must(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, tag_len, tag), "tag");
  must(EVP_CipherFinal_ex(c, rest, &got), "end");
  if (tag_len && p->enc)
    must(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, tag_len, rest), "tag");
  if (p->how != KEPT)
    EVP_CIPHER_CTX_free(c);
}

/* A message that opens: sealed and tag. */
static void seal(EVP_CIPHER *cipher, const struct pattern *p, int tag_len) {
  int got;
  EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
  must(EVP_EncryptInit_ex2(c, cipher, key, iv, NULL), "init");
  must(EVP_CIPHER_CTX_set_padding(c, 0), "padding");
  must(EVP_CIPHER_CTX_get_mode(c) != EVP_CIPH_CCM_MODE || EVP_EncryptUpdate(c, NULL, &got, NULL, p->len), "length");
  if (tag_len)
    must(EVP_EncryptUpdate(c, NULL, &got, aad, sizeof aad), "associated data");
  if (p->len != 0)
    must(EVP_EncryptUpdate(c, sealed, &got, buf, p->len), "text");
  must(EVP_EncryptFinal_ex(c, buf, &got), "end");
  if (tag_len)
    must(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, tag_len, tag), "tag");
  EVP_CIPHER_CTX_free(c);
}

static double measure(EVP_CIPHER *cipher, const struct pattern *p, double seconds) {
  int mode = EVP_CIPHER_get_mode(cipher);
  int tag_len = mode == EVP_CIPH_GCM_MODE ? 16 : mode == EVP_CIPH_CCM_MODE ? 12 : 0;
  EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
  must(EVP_CipherInit_ex2(c, cipher, key, NULL, p->enc, NULL), "key");
  must(EVP_CIPHER_CTX_set_padding(c, 0), "padding");
  seal(cipher, p, tag_len);
  unsigned long done = 0;
  double spent = 0, from = now();
  for (unsigned batch = 16; spent < seconds; batch = batch < 512 ? batch * 2 : batch) {
    for (unsigned i = 0; i < batch; i++)
      message(c, cipher, p, tag_len);
    done += batch;
    spent = now() - from;
  }
  EVP_CIPHER_CTX_free(c);
  return spent / (double)done * 1e9;
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static const struct pattern patterns[] = {
    {"new context, 64 bytes", "AES-256-GCM", NULL, NEW, 1, 64, 64, 0},
    {"new context to open, 64", "AES-256-GCM", NULL, NEW, 0, 64, 64, 0},
    {"implicit fetch, 64", "AES-256-GCM", EVP_aes_256_gcm, IMPLICIT, 1, 64, 64, 0},
    {"copied context, 64", "AES-256-GCM", NULL, COPIED, 1, 64, 64, 0},
    {"tag set after the text, 64", "AES-256-GCM", NULL, KEPT, 0, 64, 64, 1},
    {"tag set after, 1420", "AES-256-GCM", NULL, KEPT, 0, 1420, 1420, 1},
    {"tag set after, 4096", "AES-256-GCM", NULL, KEPT, 0, 4096, 4096, 1},
    {"no text, seal", "AES-256-GCM", NULL, KEPT, 1, 0, 1, 0},
    {"no text, open", "AES-256-GCM", NULL, KEPT, 0, 0, 1, 0},
    {"1420 in pieces of 16", "AES-256-GCM", NULL, KEPT, 1, 1420, 16, 0},
    {"1420 in 16, open", "AES-256-GCM", NULL, KEPT, 0, 1420, 16, 0},
    {"1420 in 13", "AES-256-GCM", NULL, KEPT, 1, 1420, 13, 0},
    {"1420 in 100", "AES-256-GCM", NULL, KEPT, 1, 1420, 100, 0},
    {"65 in 64", "AES-256-GCM", NULL, KEPT, 1, 65, 64, 0},
    {"4096 in 1024", "AES-256-GCM", NULL, KEPT, 1, 4096, 1024, 0},
    {"XTS 16", "AES-128-XTS", NULL, KEPT, 1, 16, 16, 0},
    {"XTS 64", "AES-128-XTS", NULL, KEPT, 1, 64, 64, 0},
    {"XTS 256", "AES-256-XTS", NULL, KEPT, 1, 256, 256, 0},
    {"XTS 256, decrypt", "AES-256-XTS", NULL, KEPT, 0, 256, 256, 0},
    {"ECB 16", "AES-128-ECB", NULL, KEPT, 1, 16, 16, 0},
    {"ECB 64", "AES-128-ECB", NULL, KEPT, 1, 64, 64, 0},
    {"ECB 64, decrypt", "AES-256-ECB", NULL, KEPT, 0, 64, 64, 0},
    {"CBC 16", "AES-128-CBC", NULL, KEPT, 1, 16, 16, 0},
    {"CBC 16, decrypt", "AES-256-CBC", NULL, KEPT, 0, 16, 16, 0},
    {"CBC 64 in 16", "AES-128-CBC", NULL, KEPT, 1, 64, 16, 0},
    {"CTR 16", "AES-128-CTR", NULL, KEPT, 1, 16, 16, 0},
    {"CTR 64", "AES-256-CTR", NULL, KEPT, 1, 64, 64, 0},
    {"new context, CBC 64", "AES-256-CBC", NULL, NEW, 1, 64, 64, 0},
    {"new context, XTS 64", "AES-256-XTS", NULL, NEW, 1, 64, 64, 0},
    {"whole: GCM 64", "AES-128-GCM", NULL, KEPT, 1, 64, 64, 0},
    {"whole: GCM 1420", "AES-128-GCM", NULL, KEPT, 1, 1420, 1420, 0},
    {"whole: GCM 16384", "AES-128-GCM", NULL, KEPT, 1, 16384, 16384, 0},
    {"whole: CCM 16", "AES-128-CCM", NULL, KEPT, 1, 16, 16, 0},
    {"whole: CCM 64", "AES-128-CCM", NULL, KEPT, 1, 64, 64, 0},
    {"whole: CCM 1420", "AES-128-CCM", NULL, KEPT, 1, 1420, 1420, 0},
    {"whole: CCM 16384", "AES-128-CCM", NULL, KEPT, 1, 16384, 16384, 0},
    {"whole: CCM 16384, open", "AES-128-CCM", NULL, KEPT, 0, 16384, 16384, 0},
    {"whole: CFB 1024", "AES-128-CFB", NULL, KEPT, 1, 1024, 1024, 0},
    {"whole: CFB 16384", "AES-128-CFB", NULL, KEPT, 1, 16384, 16384, 0},
    {"whole: CFB 1024, decrypt", "AES-128-CFB", NULL, KEPT, 0, 1024, 1024, 0},
    {"whole: CFB 16384, decrypt", "AES-128-CFB", NULL, KEPT, 0, 16384, 16384, 0},
    {"whole: CBC 16384, decrypt", "AES-128-CBC", NULL, KEPT, 0, 16384, 16384, 0},
    {"whole: CTR 16384", "AES-128-CTR", NULL, KEPT, 1, 16384, 16384, 0},
    {"whole: XTS 4096", "AES-256-XTS", NULL, KEPT, 1, 4096, 4096, 0},
};

static const char config[] = "rijn_patterns.cnf";
static void load(const char *folder) {
  char *full = realpath(folder, NULL); /* libcrypto takes a relative one as in its own folder */
  FILE *f = fopen(config, "w");
  must(full != NULL && f != NULL, "the configuration");
  fprintf(f,
          "openssl_conf = a\n[a]\nproviders = b\n[b]\ndefault = d\nrijn = c\n[d]\nactivate = 1\n[c]\nactivate = 1\n"
          "module = %s/rijn.so\nalgorithms = all\n",
          full);
  free(full);
  must(fclose(f) == 0, "the configuration");
  must(OSSL_LIB_CTX_load_config(NULL, config), "loading the provider");
  remove(config);
}

int main(int argc, char **argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: evp_patterns FOLDER_OF_RIJN.SO [milliseconds [ROW]]\n");
    return 2;
  }
  static const char *const properties[2] = {"provider=default", "provider=rijn"};
  enum { TURNS = 61, TENTH = TURNS / 10 };
  double seconds = argc > 2 ? atof(argv[2]) / 1000 : 0.002;
  load(argv[1]);
  for (size_t i = 0; i < sizeof key; i++)
    key[i] = (uint8_t)(i * 7);
  printf("%s; nanoseconds a message, the lowest tenth of %d turns\n", OpenSSL_version(OPENSSL_VERSION), TURNS);
  printf("%-12s %-28s %9s %9s %7s\n", "cipher", "pattern", "default", "rijn", "ratio");
  for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
    const struct pattern *p = &patterns[i];
    if (argc > 3 && strstr(p->what, argv[3]) == NULL)
      continue;
    double t[2][TURNS];
    for (int turn = 0; turn < TURNS; turn++)
      for (int s = 0; s < 2; s++) {
        EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, p->cipher, properties[s]);
        must(cipher != NULL && EVP_set_default_properties(NULL, properties[s]), "fetch");
        t[s][turn] = measure(cipher, p, seconds);
        EVP_CIPHER_free(cipher);
      }
    for (int s = 0; s < 2; s++)
      qsort(t[s], TURNS, sizeof t[s][0], by_value);
    printf("%-12s %-28s %9.1f %9.1f %7.2f\n", p->cipher, p->what, t[0][TENTH], t[1][TENTH], t[0][TENTH] / t[1][TENTH]);
    fflush(stdout);
  }
  return 0;
}
