/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Threads that make TLS connections one after the other, both ends in one process over memory, with Rijn's AES-GCM and
 * AES-CCM on both: TLS 1.2 and 1.3, AES-128 and AES-256, records of all lengths, every byte compared. */
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/provider.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <pthread.h>
#include <stdatomic.h>

#include "t.h"

enum { THREADS = 8, LONGEST = 40000 };
static const struct {
  int version;
  const char *suite;
} kinds[] = {{TLS1_2_VERSION, "ECDHE-ECDSA-AES128-GCM-SHA256"}, {TLS1_2_VERSION, "ECDHE-ECDSA-AES256-GCM-SHA384"},
             {TLS1_3_VERSION, "TLS_AES_128_GCM_SHA256"},        {TLS1_3_VERSION, "TLS_AES_256_GCM_SHA384"},
             {TLS1_2_VERSION, "ECDHE-ECDSA-AES128-CCM"},        {TLS1_2_VERSION, "ECDHE-ECDSA-AES256-CCM8"},
             {TLS1_3_VERSION, "TLS_AES_128_CCM_SHA256"},        {TLS1_3_VERSION, "TLS_AES_128_CCM_8_SHA256"}};
enum { KINDS = 8 };
static SSL_CTX *ends[KINDS][2]; /* client, server */
static uint8_t text[LONGEST];
static atomic_size_t made;
static size_t handshakes;
static double until;

static void make_contexts(OSSL_LIB_CTX *lib) {
  EVP_PKEY *key = EVP_PKEY_Q_keygen(lib, NULL, "EC", "P-256");
  X509 *cert = X509_new_ex(lib, NULL);
  REQUIRE(key != NULL && cert != NULL);
  X509_NAME *name = X509_get_subject_name(cert);
  REQUIRE(X509_set_version(cert, 2) && ASN1_INTEGER_set(X509_get_serialNumber(cert), 1) &&
          X509_gmtime_adj(X509_getm_notBefore(cert), -3600) && X509_gmtime_adj(X509_getm_notAfter(cert), 86400) &&
          X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const uint8_t *)"localhost", -1, -1, 0) &&
          X509_set_issuer_name(cert, name) && X509_set_pubkey(cert, key) && X509_sign(cert, key, EVP_sha256()));
  for (int k = 0; k < KINDS; k++)
    for (int server = 0; server < 2; server++) {
      SSL_CTX *c = ends[k][server] = SSL_CTX_new_ex(lib, "?provider=rijn", TLS_method());
      REQUIRE(c != NULL);
      REQUIRE(SSL_CTX_set_min_proto_version(c, kinds[k].version) && SSL_CTX_set_max_proto_version(c, kinds[k].version));
      SSL_CTX_set_security_level(c, 0); /* tags of 8 bytes */
      REQUIRE(kinds[k].version == TLS1_3_VERSION ? SSL_CTX_set_ciphersuites(c, kinds[k].suite)
                                                 : SSL_CTX_set_cipher_list(c, kinds[k].suite));
      if (server)
        REQUIRE(SSL_CTX_use_certificate(c, cert) == 1 && SSL_CTX_use_PrivateKey(c, key) == 1);
      else {
        X509_STORE_add_cert(SSL_CTX_get_cert_store(c), cert);
        SSL_CTX_set_verify(c, SSL_VERIFY_PEER, NULL);
      }
    }
  X509_free(cert);
  EVP_PKEY_free(key);
}

/* n bytes from one end to the other. */
static bool send_bytes(SSL *from, SSL *to, const uint8_t *p, size_t n) {
  static _Thread_local uint8_t got[LONGEST];
  size_t put = 0, have = 0;
  while (have < n) {
    size_t w = 0, r = 0;
    int moved = 0;
    if (put < n && SSL_write_ex(from, p + put, n - put, &w))
      put += w, moved = 1;
    if (SSL_read_ex(to, got + have, n - have, &r))
      have += r, moved = 1;
    if (!moved)
      return false;
  }
  return memcmp(got, p, n) == 0;
}

static bool connection(int k, size_t turn) {
  SSL *s[2] = {SSL_new(ends[k][0]), SSL_new(ends[k][1])};
  BIO *a = NULL, *b = NULL;
  bool ok = s[0] != NULL && s[1] != NULL && BIO_new_bio_pair(&a, 70000, &b, 70000) == 1;
  if (!ok)
    return false;
  SSL_set_bio(s[0], a, a);
  SSL_set_bio(s[1], b, b);
  SSL_set_mode(s[0], SSL_MODE_ENABLE_PARTIAL_WRITE);
  SSL_set_mode(s[1], SSL_MODE_ENABLE_PARTIAL_WRITE);
  SSL_set_connect_state(s[0]);
  SSL_set_accept_state(s[1]);
  int done[2] = {0, 0};
  for (int i = 0; i < 50 && !(done[0] == 1 && done[1] == 1); i++)
    for (int e = 0; e < 2; e++)
      done[e] = SSL_do_handshake(s[e]);
  ok = done[0] == 1 && done[1] == 1 && strcmp(SSL_get_cipher_name(s[0]), kinds[k].suite) == 0;
  for (size_t i = 0; ok && i < 6; i++) {
    size_t n = (turn * 7919 + i * 104729) % (i == 5 ? LONGEST : 700) + 1;
    ok = send_bytes(s[i % 2], s[1 - i % 2], text + (LONGEST - n) / 2, n);
  }
  if (ok && kinds[k].version == TLS1_3_VERSION && turn % 5 == 0) /* new keys in the middle */
    ok = SSL_key_update(s[0], SSL_KEY_UPDATE_REQUESTED) == 1 && send_bytes(s[0], s[1], text, 20000) &&
         send_bytes(s[1], s[0], text, 20000);
  SSL_free(s[0]);
  SSL_free(s[1]);
  return ok;
}

static void *thread(void *arg) {
  size_t t = (size_t)(uintptr_t)arg;
  for (size_t i = 0; i < handshakes && t_now() < until; i++) {
    if (!connection((int)((i + t) % KINDS), i * THREADS + t))
      return "a connection failed";
    atomic_fetch_add(&made, 1);
  }
  OPENSSL_thread_stop();
  return NULL;
}

int main(int argc, char **argv) {
  t_init(argc, argv);
  t_fill(text, sizeof text);
  handshakes = t_slow() ? 2000 : 12;
  until = t_now() + t_seconds(t_slow() ? 120 : 60); /* bounded on a loaded machine */
  OSSL_LIB_CTX *lib = OSSL_LIB_CTX_new();
  REQUIRE(OSSL_PROVIDER_set_default_search_path(lib, RIJN_MODULES) == 1);
  OSSL_PROVIDER *d = OSSL_PROVIDER_load(lib, "default"), *r = OSSL_PROVIDER_load(lib, "rijn");
  REQUIRE(d != NULL && r != NULL);
  make_contexts(lib);
  pthread_t id[THREADS];
  for (size_t i = 0; i < THREADS; i++)
    REQUIRE(pthread_create(&id[i], NULL, thread, (void *)(uintptr_t)i) == 0);
  for (size_t i = 0; i < THREADS; i++) {
    void *result = "?";
    CHECK(pthread_join(id[i], &result) == 0);
    if (result != NULL)
      ERR_print_errors_fp(stderr);
    CHECK(result == NULL);
  }
  printf("%zu connections, %d threads\n", atomic_load(&made), THREADS);
  CHECK(atomic_load(&made) >= THREADS);
  for (int k = 0; k < KINDS; k++)
    for (int server = 0; server < 2; server++)
      SSL_CTX_free(ends[k][server]);
  CHECK(OSSL_PROVIDER_unload(r) == 1 && OSSL_PROVIDER_unload(d) == 1);
  OSSL_LIB_CTX_free(lib);
  return t_done();
}
