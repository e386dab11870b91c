/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * AES-GCM through EVP: Rijn's provider against the default one, in one run, in turns. Not a test.
 *
 *   evp_bench FOLDER_OF_RIJN.SO [milliseconds a measurement]
 *
 * As TLS 1.3 has it: the context keeps its key; each message sets the IV, 13 bytes of associated data, one piece of
 * text in place, the end, and gets or sets the tag. "empty" is the same without text: what EVP and the provider cost by
 * themselves. "record" is TLS 1.2's one call for a record.
 */
#define _POSIX_C_SOURCE 200809L
#include <openssl/evp.h>
#include <openssl/provider.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint8_t buf[16384 + 64], iv[12], aad[13], tag[16], key[32];
static EVP_CIPHER *ciphers[2];

/* WHY the thread's own time: other work on the machine does not count. */
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void must(int ok, const char *what) {
  if (ok > 0)
    return;
  fprintf(stderr, "evp_bench: %s failed\n", what);
  exit(1);
}

enum kind { SEAL, OPEN, RECORD };

static void message(EVP_CIPHER_CTX *c, enum kind kind, int n, uint64_t i) {
  int got;
  uint8_t rest[16];
  memcpy(iv, &i, sizeof i);
  if (kind == RECORD) {
    aad[11] = (uint8_t)((n + 8) >> 8);
    aad[12] = (uint8_t)(n + 8);
    must(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_TLS1_AAD, 13, aad), "tlsaad");
    must(EVP_CipherUpdate(c, buf, &got, buf, n + 24), "record");
    return;
  }
  must(EVP_CipherInit_ex(c, NULL, NULL, NULL, iv, kind == SEAL), "IV");
  if (kind == OPEN)
    must(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, 16, tag), "tag");
  must(EVP_CipherUpdate(c, NULL, &got, aad, 13), "associated data");
  if (n != 0)
    must(EVP_CipherUpdate(c, buf, &got, buf, n), "text");
  must(EVP_CipherFinal_ex(c, rest, &got), "end");
  if (kind == SEAL)
    must(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, 16, tag), "tag");
}

/* Nanoseconds a message. Opening needs a message that is right: one buffer is sealed and opened in turns, the time of
 * sealing is not counted. */
static double measure(EVP_CIPHER *cipher, enum kind kind, int n, double seconds) {
  EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new(), *s = EVP_CIPHER_CTX_new();
  must(c != NULL && s != NULL, "context");
  must(EVP_CipherInit_ex(c, cipher, NULL, key, NULL, kind != OPEN), "key");
  must(EVP_CipherInit_ex(s, cipher, NULL, key, NULL, 1), "key");
  if (kind == RECORD)
    must(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_IV_FIXED, 4, iv), "fixed part");
  uint64_t done = 0, batch = 64;
  double spent = 0;
  while (spent < seconds) {
    double from;
    if (kind == OPEN) {
      uint8_t sealed[sizeof buf];
      message(s, SEAL, n, 7);
      memcpy(sealed, buf, (size_t)n);
      from = now();
      for (uint64_t i = 0; i < batch; i++) {
        memcpy(buf, sealed, (size_t)n);
        message(c, OPEN, n, 7);
      }
    } else {
      from = now();
      for (uint64_t i = 0; i < batch; i++)
        message(c, kind, n, done + i);
    }
    double t = now() - from;
    done += batch;
    spent += t;
    if (t < 1e-3)
      batch *= 2;
  }
  EVP_CIPHER_CTX_free(c);
  EVP_CIPHER_CTX_free(s);
  return spent / (double)done * 1e9;
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

int main(int argc, char **argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: evp_bench FOLDER_OF_RIJN.SO [milliseconds]\n");
    return 2;
  }
  double seconds = argc > 2 ? atof(argv[2]) / 1000 : 0.02;
  OSSL_LIB_CTX *lib = OSSL_LIB_CTX_new();
  must(OSSL_PROVIDER_set_default_search_path(lib, argv[1]), "folder");
  OSSL_PROVIDER *d = OSSL_PROVIDER_load(lib, "default"), *r = OSSL_PROVIDER_load(lib, "rijn");
  must(d != NULL && r != NULL, "loading the provider");
  static const int sizes[] = {0, 16, 64, 256, 1420, 4096, 16384};
  static const char *const kinds[] = {"seal", "open", "record"};
  enum { TURNS = 9 };
  printf("%s; nanoseconds a message, the middle of %d turns\n", OpenSSL_version(OPENSSL_VERSION), TURNS);
  printf("%-12s %-7s %6s %10s %10s %7s\n", "cipher", "call", "bytes", "default", "rijn", "ratio");
  for (int bits = 128; bits <= 256; bits += 128) {
    char name[16];
    snprintf(name, sizeof name, "AES-%d-GCM", bits);
    ciphers[0] = EVP_CIPHER_fetch(lib, name, "provider=default");
    ciphers[1] = EVP_CIPHER_fetch(lib, name, "provider=rijn");
    must(ciphers[0] != NULL && ciphers[1] != NULL, "fetch");
    for (int k = SEAL; k <= RECORD; k++)
      for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        double t[2][TURNS];
        for (int turn = 0; turn < TURNS; turn++)
          for (int s = 0; s < 2; s++)
            t[s][turn] = measure(ciphers[s], (enum kind)k, sizes[i], seconds);
        for (int s = 0; s < 2; s++)
          qsort(t[s], TURNS, sizeof t[s][0], by_value);
        printf("%-12s %-7s %6d %10.1f %10.1f %7.2f\n", name, kinds[k], sizes[i], t[0][TURNS / 2], t[1][TURNS / 2],
               t[0][TURNS / 2] / t[1][TURNS / 2]);
        fflush(stdout);
      }
    EVP_CIPHER_free(ciphers[0]);
    EVP_CIPHER_free(ciphers[1]);
  }
  OSSL_PROVIDER_unload(r);
  OSSL_PROVIDER_unload(d);
  OSSL_LIB_CTX_free(lib);
  return 0;
}
