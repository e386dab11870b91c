/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * What the start of a program costs that uses the provider:
 *   evp_start [FOLDER_OF_RIJN.SO [context]]
 * fetches AES-256-GCM, of the default provider or of Rijn, makes a context with a key if asked to, and prints what each
 * took. With valgrind --tool=callgrind in front the whole is counted.
 */
#define _DEFAULT_SOURCE
#include <openssl/evp.h>
#include <openssl/provider.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double microseconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static void need(int ok, const char *what) {
  if (ok)
    return;
  fprintf(stderr, "evp_start: %s failed\n", what);
  exit(1);
}

int main(int argc, char **argv) {
  static const unsigned char key[32] = {1}, iv[12] = {2};
  if (argc > 3 || (argc == 3 && strcmp(argv[2], "context") != 0)) {
    fprintf(stderr, "usage: evp_start [FOLDER_OF_RIJN.SO [context]]\n");
    return 2;
  }
  need(OSSL_PROVIDER_load(NULL, "default") != NULL, "loading the default provider");
  double began = microseconds();
  if (argc > 1)
    need(OSSL_PROVIDER_set_default_search_path(NULL, argv[1]) == 1 && OSSL_PROVIDER_load(NULL, "rijn") != NULL,
         "loading rijn.so");
  double loaded = microseconds();
  EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, "AES-256-GCM", argc > 1 ? "provider=rijn" : NULL);
  need(cipher != NULL, "fetching AES-256-GCM");
  double fetched = microseconds();
  EVP_CIPHER_CTX *ctx = argc > 2 ? EVP_CIPHER_CTX_new() : NULL;
  if (argc > 2)
    need(ctx != NULL && EVP_EncryptInit_ex2(ctx, cipher, key, iv, NULL) == 1, "a context");
  double made = microseconds();
  printf("loading %.0f us, fetching %.0f us, the first context %.0f us\n", loaded - began, fetched - loaded,
         made - fetched);
  EVP_CIPHER_CTX_free(ctx);
  EVP_CIPHER_free(cipher);
  return 0;
}
