/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* How much stack a function takes: it runs in a thread whose stack was filled with poison. Included by a test that has
 * defined STACK, how much that stack has. */
#include "t.h"

#include <pthread.h>
#include <string.h>

static _Alignas(4096) uint8_t taken_stack[STACK];
static void (*taken_by)(void);
static void *taken_thread(void *arg) {
  taken_by();
  return arg;
}

/* Bytes of stack that a thread takes which calls this. The first thread ever takes more. */
static size_t taken(void (*fn)(void)) {
  pthread_attr_t attr;
  pthread_t t;
  size_t left = 0;
  memset(taken_stack, T_POISON, STACK);
  taken_by = fn;
  REQUIRE(pthread_attr_init(&attr) == 0 && pthread_attr_setstack(&attr, taken_stack, STACK) == 0);
  REQUIRE(pthread_create(&t, &attr, taken_thread, NULL) == 0 && pthread_join(t, NULL) == 0);
  pthread_attr_destroy(&attr);
  while (left < STACK && taken_stack[left] == T_POISON)
    left++;
  return STACK - left;
}
