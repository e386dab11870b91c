/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* The list of those that can be measured: subject_rijn.c and peer_*.c put theirs into it. */
#include "bench.h"
#include "cmd.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void b_subject_add(struct b_subjects *all, const struct b_subject *s) {
  if (all->n < B_MAX_SUBJECTS)
    all->s[all->n++] = *s;
}

size_t b_next_of_list(char *buf, size_t size) {
  size_t at = strlen(buf);
  if (at && at + 2 < size) {
    memcpy(buf + at, ", ", 3);
    at += 2;
  }
  return at;
}

void b_peer_found(struct b_subjects *all, const char *name, const char *fmt, ...) {
  if (all->n_peers == B_MAX_PEERS)
    return;
  struct b_peer *p = &all->peers[all->n_peers++];
  va_list ap;
  va_start(ap, fmt);
  snprintf(p->name, sizeof p->name, "%s", name);
  vsnprintf(p->version, sizeof p->version, fmt, ap);
  va_end(ap);
}

void b_peer_absent(struct b_subjects *all, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  size_t at = b_next_of_list(all->absent, sizeof all->absent);
  vsnprintf(all->absent + at, sizeof all->absent - at, fmt, ap);
  va_end(ap);
}
