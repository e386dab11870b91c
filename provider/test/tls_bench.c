/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * TLS 1.3 in bulk over the loopback interface: Rijn's provider against the default one, in turns. Not a test.
 *
 *   tls_bench FOLDER_OF_RIJN.SO [megabytes a turn]
 *
 * One thread sends, one receives, in records of 16 KiB. Printed: processor time of both for each byte with the
 * sockets, and, as a ruler, the same without TLS.
 */
#define _GNU_SOURCE
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/provider.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <netinet/in.h>
#include <unistd.h>

enum { CHUNK = 16384, TURNS = 5 };
static size_t total;
static uint8_t text[CHUNK];

static void must(int ok, const char *what) {
  if (ok > 0)
    return;
  fprintf(stderr, "tls_bench: %s failed\n", what);
  ERR_print_errors_fp(stderr);
  exit(1);
}

struct end {
  SSL_CTX *ctx; /* NULL: no TLS */
  int fd;
};

static void *receiver(void *arg) {
  struct end *e = arg;
  uint8_t buf[CHUNK];
  size_t have = 0, n;
  SSL *s = NULL;
  if (e->ctx != NULL) {
    s = SSL_new(e->ctx);
    must(s != NULL && SSL_set_fd(s, e->fd), "SSL_new");
    must(SSL_accept(s), "accept");
  }
  while (have < total) {
    if (s != NULL) {
      must(SSL_read_ex(s, buf, sizeof buf, &n), "reading");
    } else {
      ssize_t r = read(e->fd, buf, sizeof buf);
      must(r > 0, "reading");
      n = (size_t)r;
    }
    have += n;
  }
  must(write(e->fd, "", 1) == 1, "the last byte");
  SSL_free(s);
  return NULL;
}

static double cpu(void) {
  struct rusage u;
  getrusage(RUSAGE_SELF, &u);
  return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + 1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

/* Nanoseconds of processor time a byte. */
static double turn(SSL_CTX *client, SSL_CTX *server) {
  int l = socket(AF_INET, SOCK_STREAM, 0), c = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t len = sizeof a;
  must(l >= 0 && c >= 0 && bind(l, (struct sockaddr *)&a, sizeof a) == 0 && listen(l, 1) == 0 &&
           getsockname(l, (struct sockaddr *)&a, &len) == 0 && connect(c, (struct sockaddr *)&a, sizeof a) == 0,
       "connecting");
  struct end e = {server, accept(l, NULL, NULL)};
  must(e.fd >= 0, "accepting");
  pthread_t id;
  double from = cpu();
  must(pthread_create(&id, NULL, receiver, &e) == 0, "thread");
  SSL *s = NULL;
  if (client != NULL) {
    s = SSL_new(client);
    must(s != NULL && SSL_set_fd(s, c), "SSL_new");
    must(SSL_connect(s), "connect");
  }
  for (size_t done = 0; done < total; done += CHUNK) {
    size_t n = 0;
    if (s != NULL)
      must(SSL_write_ex(s, text, CHUNK, &n), "writing");
    else
      for (ssize_t w; n < CHUNK; n += (size_t)w) {
        w = write(c, text + n, CHUNK - n);
        must(w > 0, "writing");
      }
  }
  pthread_join(id, NULL);
  double spent = cpu() - from;
  SSL_free(s);
  close(c);
  close(e.fd);
  close(l);
  return spent / (double)total * 1e9;
}

static void contexts(OSSL_LIB_CTX *lib, const char *query, const char *suite, SSL_CTX *ends[2]) {
  EVP_PKEY *key = EVP_PKEY_Q_keygen(lib, NULL, "EC", "P-256");
  X509 *cert = X509_new_ex(lib, NULL);
  must(key != NULL && cert != NULL && X509_set_version(cert, 2) && X509_gmtime_adj(X509_getm_notBefore(cert), 0) &&
           X509_gmtime_adj(X509_getm_notAfter(cert), 86400) && X509_set_pubkey(cert, key) &&
           X509_sign(cert, key, EVP_sha256()) > 0,
       "certificate");
  for (int e = 0; e < 2; e++) {
    ends[e] = SSL_CTX_new_ex(lib, query, TLS_method());
    must(ends[e] != NULL && SSL_CTX_set_min_proto_version(ends[e], TLS1_3_VERSION) &&
             SSL_CTX_set_ciphersuites(ends[e], suite),
         "SSL_CTX_new");
    if (e == 1)
      must(SSL_CTX_use_certificate(ends[e], cert) && SSL_CTX_use_PrivateKey(ends[e], key), "certificate");
  }
  X509_free(cert);
  EVP_PKEY_free(key);
}

static double middle(double *t) {
  for (int i = 1; i < TURNS; i++)
    for (int j = i; j > 0 && t[j] < t[j - 1]; j--) {
      double x = t[j];
      t[j] = t[j - 1];
      t[j - 1] = x;
    }
  return t[TURNS / 2];
}

int main(int argc, char **argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: tls_bench FOLDER_OF_RIJN.SO [megabytes]\n");
    return 2;
  }
  total = (size_t)(argc > 2 ? atoi(argv[2]) : 200) * 1000000 / CHUNK * CHUNK;
  OSSL_LIB_CTX *lib = OSSL_LIB_CTX_new();
  must(OSSL_PROVIDER_set_default_search_path(lib, argv[1]), "folder");
  OSSL_PROVIDER *d = OSSL_PROVIDER_load(lib, "default"), *r = OSSL_PROVIDER_load(lib, "rijn");
  must(d != NULL && r != NULL, "loading the provider");
  static const char *const suites[] = {"TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384"};
  printf("%s; processor time of both ends, the middle of %d turns\n", OpenSSL_version(OPENSSL_VERSION), TURNS);
  printf("%-24s %12s %12s %12s %7s\n", "ns a byte", "no TLS", "default", "rijn", "ratio");
  for (int i = 0; i < 2; i++) {
    SSL_CTX *ref[2], *ours[2];
    contexts(lib, "provider=default", suites[i], ref);
    contexts(lib, "?provider=rijn", suites[i], ours);
    double t[3][TURNS];
    for (int k = 0; k < TURNS; k++) {
      t[0][k] = turn(NULL, NULL);
      t[1][k] = turn(ref[0], ref[1]);
      t[2][k] = turn(ours[0], ours[1]);
    }
    double plain = middle(t[0]), a = middle(t[1]), b = middle(t[2]);
    printf("%-24s %12.3f %12.3f %12.3f %7.2f\n", suites[i], plain, a, b, a / b);
    for (int e = 0; e < 2; e++) {
      SSL_CTX_free(ref[e]);
      SSL_CTX_free(ours[e]);
    }
  }
  OSSL_PROVIDER_unload(r);
  OSSL_PROVIDER_unload(d);
  OSSL_LIB_CTX_free(lib);
  return 0;
}
