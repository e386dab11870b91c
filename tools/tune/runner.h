/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* The tuner's runner: loads variants of the library into one process. runner.c measures, check.c compares answers. */
#ifndef RIJN_TUNE_RUNNER_H
#define RIJN_TUNE_RUNNER_H

#include <rijn.h>
#include <stddef.h>
#include <stdint.h>

/* The calls of the library that are measured or checked. */
#define EACH_CALL(X)                                                                                                   \
  X(impl_count)                                                                                                        \
  X(impl_name)                                                                                                         \
  X(impl_chosen)                                                                                                       \
  X(impl_find)                                                                                                         \
  X(impl_supported)                                                                                                    \
  X(selftest)                                                                                                          \
  X(gcm_init_impl)                                                                                                     \
  X(gcm_encrypt)                                                                                                       \
  X(gcm_decrypt)                                                                                                       \
  X(gcm_encrypt_batch)                                                                                                 \
  X(gcm_decrypt_batch)                                                                                                 \
  X(gcm_encrypt_start)                                                                                                 \
  X(gcm_decrypt_start)                                                                                                 \
  X(gcm_aad)                                                                                                           \
  X(gcm_update)                                                                                                        \
  X(gcm_encrypt_finish)                                                                                                \
  X(gcm_decrypt_finish)                                                                                                \
  X(gcm_siv_init_impl)                                                                                                 \
  X(gcm_siv_encrypt)                                                                                                   \
  X(gcm_siv_decrypt)                                                                                                   \
  X(xaes_init_impl)                                                                                                    \
  X(xaes_encrypt)                                                                                                      \
  X(xts_init_impl)                                                                                                     \
  X(xts_encrypt)                                                                                                       \
  X(xts_decrypt)                                                                                                       \
  X(xts_encrypt_sectors)                                                                                               \
  X(xts_decrypt_sectors)                                                                                               \
  X(aes_init_impl)                                                                                                     \
  X(ecb_encrypt)                                                                                                       \
  X(ecb_decrypt)                                                                                                       \
  X(cbc_encrypt)                                                                                                       \
  X(cbc_decrypt)                                                                                                       \
  X(ctr_crypt)                                                                                                         \
  X(ctr32_crypt)

/* A library, and the set of it that works: index impl. */
struct lib {
  const char *path;
  int impl;
#define X(name) __typeof__(&rijn_##name) name;
  EACH_CALL(X)
#undef X
};

/* Ends the program with a message on the standard error. */
__attribute__((noreturn, format(printf, 1, 2))) void die(const char *format, ...);
/* 0 .. 2^64 - 1, of a sequence that is the same in each run with a seed. */
uint64_t random_next(void);
void random_fill(void *p, size_t n);

/* Compares lib's answers with good's in all modes. Ends the program with what differs. */
void check_all(const struct lib *lib, const struct lib *good);

#endif
