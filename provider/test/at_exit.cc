// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
// at_exit CASE: a program that lets go of OpenSSL's objects at an unusual time: after libcrypto's own cleanup, from a
// library that is unloaded, in a forked child. at_exit.py runs each case and looks at the status. "in use": the object
// holds a message that is half done, so that the provider's contexts and keys are still there.
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace {

// Made before main, so destroyed behind everything that libcrypto has registered.
std::shared_ptr<SSL_CTX> ssl;
std::shared_ptr<EVP_CIPHER_CTX> message;
std::shared_ptr<EVP_CIPHER> cipher;
std::shared_ptr<OSSL_LIB_CTX> own;

[[noreturn]] void die(const char *what) {
  std::fprintf(stderr, "at_exit: %s failed\n", what);
  ERR_print_errors_fp(stderr);
  _exit(3);
}
#define MUST(x) ((x) ? (void)0 : die(#x))

EVP_CIPHER_CTX *half_done(OSSL_LIB_CTX *lib, int size) {
  static const unsigned char bytes[4096] = {};
  static unsigned char out[4096];
  int n;
  EVP_CIPHER *c = EVP_CIPHER_fetch(lib, "AES-256-GCM", nullptr);
  EVP_CIPHER_CTX *x = EVP_CIPHER_CTX_new();
  MUST(c != nullptr && x != nullptr && EVP_EncryptInit_ex2(x, c, bytes, bytes, nullptr) == 1);
  MUST(EVP_EncryptUpdate(x, nullptr, &n, bytes, 13) == 1 && EVP_EncryptUpdate(x, out, &n, bytes, size) == 1);
  EVP_CIPHER_free(c);
  return x;
}

void hold_all(int size) {
  ssl.reset(SSL_CTX_new(TLS_method()), SSL_CTX_free);
  cipher.reset(EVP_CIPHER_fetch(nullptr, "AES-128-GCM", nullptr), EVP_CIPHER_free);
  message.reset(half_done(nullptr, size), EVP_CIPHER_CTX_free);
  MUST(ssl && cipher && message);
}

// A context with an error of the provider in the thread's queue.
void leave_error() {
  unsigned char out[16];
  int n;
  EVP_CIPHER_CTX *x = EVP_CIPHER_CTX_new();
  MUST(EVP_EncryptInit_ex2(x, EVP_aes_256_gcm(), nullptr, nullptr, nullptr) == 1);
  MUST(EVP_EncryptUpdate(x, out, &n, out, 16) == 0); // no key
  EVP_CIPHER_CTX_free(x);
  MUST(ERR_peek_last_error() != 0);
}

void drop_all() {
  message.reset();
  cipher.reset();
  ssl.reset();
  own.reset();
}

int is(const char *got, const char *want) { return std::strcmp(got, want) == 0; }

void with_own_context() {
  own.reset(OSSL_LIB_CTX_new(), OSSL_LIB_CTX_free);
  MUST(OSSL_LIB_CTX_load_config(own.get(), std::getenv("OPENSSL_CONF")) == 1);
  message.reset(half_done(own.get(), 100), EVP_CIPHER_CTX_free);
}

int in_child(int how) {
  std::fflush(nullptr);
  pid_t pid = fork();
  MUST(pid >= 0);
  if (pid == 0) {
    message.reset(half_done(nullptr, 3000), EVP_CIPHER_CTX_free);
    if (how == 1)
      _exit(0);
    std::exit(0);
  }
  int status = -1;
  MUST(waitpid(pid, &status, 0) == pid);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void plugin(const char *path, bool close) {
  void *so = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  MUST(so != nullptr);
  auto begin = reinterpret_cast<void (*)()>(dlsym(so, "plugin_begin"));
  MUST(begin != nullptr);
  begin();
  if (close)
    MUST(dlclose(so) == 0);
}

} // namespace

// This file is also the plugin, built as a library.
extern "C" void plugin_begin() { hold_all(100); }

#ifndef PLUGIN
int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  if (is(what, "static")) {
    hold_all(100);
  } else if (is(what, "static, long message")) {
    hold_all(4000);
  } else if (is(what, "static, own context")) {
    with_own_context();
  } else if (is(what, "static in a function")) {
    hold_all(100);
    static std::shared_ptr<SSL_CTX> late(SSL_CTX_new(TLS_method()), SSL_CTX_free);
    static std::shared_ptr<EVP_CIPHER_CTX> x(half_done(nullptr, 3000), EVP_CIPHER_CTX_free);
    MUST(late && x);
  } else if (is(what, "atexit before libcrypto")) {
    MUST(std::atexit(drop_all) == 0);
    hold_all(100);
  } else if (is(what, "atexit after libcrypto")) {
    hold_all(100);
    MUST(std::atexit(drop_all) == 0);
  } else if (is(what, "atexit before and after")) {
    MUST(std::atexit(drop_all) == 0);
    with_own_context();
    MUST(std::atexit([] { message.reset(); }) == 0);
  } else if (is(what, "cleanup by hand")) {
    hold_all(100);
    OPENSSL_cleanup();
    drop_all();
  } else if (is(what, "error left")) {
    hold_all(100);
    leave_error();
  } else if (is(what, "fork")) {
    hold_all(100);
    MUST(in_child(0) && in_child(1));
  } else if (is(what, "fork before libcrypto")) {
    MUST(in_child(0));
    hold_all(100);
  } else if (is(what, "plugin")) {
    plugin(argv[2], false);
  } else if (is(what, "plugin, unloaded")) {
    plugin(argv[2], true);
  } else if (is(what, "plugin, libcrypto in use")) {
    hold_all(4000);
    plugin(argv[2], true);
  } else {
    return 2;
  }
  std::puts("reached the end");
  return 0;
}
#endif
