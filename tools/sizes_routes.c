/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * How much code a GCM message goes through, for tools/sizes: each call is run one instruction at a time (x86-64's trap
 * flag), and the lines of the cache that its instructions lie in are counted. The library's code alone is: neither that
 * of this file, which is a section of its own, nor that of libc.
 */
#define _GNU_SOURCE
#include "rijn.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

enum { LINE = 64, LINES = 1 << 16, LONGEST = 65536, LONGEST_AAD = 64 };
#define OWN __attribute__((noinline, section("routes")))
extern const char __executable_start[], etext[], __start_routes[], __stop_routes[];

static uint8_t touched[LINES]; /* by line of this program */

static void on_step(int sig, siginfo_t *info, void *context) {
  const char *at = (const char *)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
  (void)sig, (void)info;
  if (at >= __executable_start && at < etext && (at < __start_routes || at >= __stop_routes))
    touched[(size_t)(at - __executable_start) / LINE] = 1;
}

/* Compiled without a red zone, because these push. */
#define TRAP_ON() __asm__ volatile("pushfq\n orq $0x100, (%%rsp)\n popfq" ::: "memory", "cc")
#define TRAP_OFF() __asm__ volatile("pushfq\n andq $~0x100, (%%rsp)\n popfq" ::: "memory", "cc")

static void require(int holds, const char *what) {
  if (holds)
    return;
  fprintf(stderr, "%s\n", what);
  exit(1);
}

enum direction { ENCRYPT, DECRYPT };
static rijn_gcm_key key;
static uint8_t text[LONGEST], aad[LONGEST_AAD], nonce[12], tag[16];

/* Bytes of the lines that a message of len bytes goes through. */
OWN static size_t route(enum direction direction, size_t len, size_t aad_len) {
  size_t bytes = 0;
  int err;
  if (direction == DECRYPT) {
    err = rijn_gcm_encrypt(&key, text, text, len, aad, aad_len, nonce, sizeof nonce, tag);
    require(err == RIJN_OK, "no message to decrypt");
  }
  memset(touched, 0, sizeof touched);
  TRAP_ON();
  if (direction == ENCRYPT)
    err = rijn_gcm_encrypt(&key, text, text, len, aad, aad_len, nonce, sizeof nonce, tag);
  else
    err = rijn_gcm_decrypt(&key, text, text, len, aad, aad_len, nonce, sizeof nonce, tag);
  TRAP_OFF();
  require(err == RIJN_OK, "a message failed");
  for (size_t i = 0; i < LINES; i++)
    bytes += touched[i] * (size_t)LINE;
  return bytes;
}

/* What is to be seen: a record, packets, more associated data than a block, passes, passes with a table. */
static const struct {
  size_t len, aad_len;
} messages[] = {{16, 16}, {64, 16}, {64, 48}, {256, 16}, {1420, 16}, {4096, 16}, {32768, 16}};
enum { MESSAGES = sizeof messages / sizeof messages[0] };

OWN int main(void) {
  static const uint8_t raw[16] = {1};
  struct sigaction action = {.sa_sigaction = on_step, .sa_flags = SA_SIGINFO};
  require((size_t)(etext - __executable_start) <= (size_t)LINE * LINES, "more code than there is room for");
  require(sigaction(SIGTRAP, &action, NULL) == 0, "no handler for the trap flag");
  printf("%-24s %9s", "bytes of a route", "text");
  for (size_t m = 0; m < MESSAGES; m++)
    printf(" %6zu", messages[m].len);
  printf("\n%-24s %9s", "", "with aad");
  for (size_t m = 0; m < MESSAGES; m++)
    printf(" %6zu", messages[m].aad_len);
  printf("\n");
  for (int impl = 0; impl < rijn_impl_count(); impl++) {
    if (!rijn_impl_supported(impl))
      continue;
    require(rijn_gcm_init_impl(&key, raw, sizeof raw, sizeof tag, impl) == RIJN_OK, "no key");
    for (enum direction d = ENCRYPT; d <= DECRYPT; d++) {
      printf("%-24s %9s", rijn_impl_name(impl), d == ENCRYPT ? "encrypt" : "decrypt");
      for (size_t m = 0; m < MESSAGES; m++)
        printf(" %6zu", route(d, messages[m].len, messages[m].aad_len));
      printf("\n");
    }
  }
  return 0;
}
