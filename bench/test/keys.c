/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Which key serves which message of batches and runs, with --cold-key: the same for Rijn's own calls and for peers that
 * do one message after the other. No two batches one after the other may share a key. */
#include "subject.h"

#include <rijn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS = 16, COUNT = 4, ROUNDS = 3 };
static int failures;
static struct b_subject portable;

void b_subject_add(struct b_subjects *all, const struct b_subject *s) {
  (void)all;
  portable = *s; /* the last one */
}

static size_t asked, used[COUNT * ROUNDS];
static const void *first_key;

static int spy(const struct b_job *j, size_t n) {
  if (n != 1 || j->serial || asked == COUNT * ROUNDS)
    return -1;
  used[asked++] = (size_t)((const char *)j->keys[0] - (const char *)first_key);
  return 0;
}

static void by_ones(enum b_op op, int (*run)(const struct b_job *, size_t, b_run)) {
  static char keys[KEYS];
  static uint8_t text[COUNT * 512];
  void *ring[KEYS];
  uint32_t len = 512;
  struct b_msg msgs[COUNT] = {{text, text, text, text}};
  struct b_case c = {.op = op, .count = COUNT, .size = 512};
  struct b_job j = {.c = &c, .keys = ring, .kmask = KEYS - 1, .lens = &len, .msgs = msgs, .in = text, .out = text};
  j.serial = true;
  for (int i = 0; i < KEYS; i++)
    ring[i] = keys + i;
  first_key = keys;
  asked = 0;
  int bad = run(&j, ROUNDS, spy);
  for (size_t i = 0; i < asked; i++)
    if (used[i] != (op == B_BATCHKEYS ? i : i / COUNT)) {
      printf("by ones, %d: message %zu has key %zu\n", (int)op, i, used[i]);
      failures++;
    }
  if (bad || asked != COUNT * ROUNDS) {
    printf("by ones, %d: %zu messages\n", (int)op, asked);
    failures++;
  }
}

/* Whose key it was, the tags of the last batch tell. */
static void rijn(enum b_op op, size_t keys) {
  uint8_t raw[KEYS][16] = {{0}}, tags[COUNT][16], want[16];
  static const uint8_t nonce[12], aad[16];
  void *ring[KEYS];
  uint32_t len = 0;
  struct b_msg msgs[COUNT];
  struct b_case c = {.op = op, .count = COUNT, .key_bits = 128};
  struct b_job j = {.c = &c, .keys = ring, .kmask = keys - 1, .lens = &len, .msgs = msgs, .aad = aad, .aad_len = 16};
  for (size_t i = 0; i < keys; i++) {
    raw[i][0] = (uint8_t)i;
    ring[i] = portable.key_new(&portable, &c, raw[i], 16);
  }
  for (size_t i = 0; i < COUNT; i++)
    msgs[i] = (struct b_msg){NULL, NULL, nonce, tags[i]};
  if (portable.runner(&portable, &c)(&j, ROUNDS)) {
    printf("rijn, %d: fails\n", (int)op);
    failures++;
  }
  for (size_t i = 0; i < COUNT; i++) {
    size_t key = (op == B_BATCHKEYS ? (ROUNDS - 1) * COUNT + i : ROUNDS - 1) & (keys - 1);
    if (rijn_gcm_encrypt(ring[key], NULL, NULL, 0, aad, 16, nonce, 12, want) || memcmp(want, tags[i], 16) != 0) {
      printf("rijn, %d, %zu keys: message %zu of the last batch has another key than %zu\n", (int)op, keys, i, key);
      failures++;
    }
  }
  for (size_t i = 0; i < keys; i++)
    portable.key_free(&portable, &c, ring[i]);
}

int main(void) {
  b_subjects_rijn(NULL);
  by_ones(B_BATCH, b_batch_by_ones);
  by_ones(B_BATCHKEYS, b_batch_by_ones);
  by_ones(B_XTSRUN, b_run_by_ones);
  rijn(B_BATCH, 1);
  rijn(B_BATCHKEYS, COUNT);
  rijn(B_BATCH, KEYS);
  rijn(B_BATCHKEYS, KEYS);
  printf("%d failures\n", failures);
  return failures != 0;
}
