/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Test builds of the module only: how often each family was called, in a file that RIJN_PROVIDER_COUNT names and that
 * all processes with the module map and add to. WHY a mapping: a server's children end without saying so, and may not
 * open files where they run. Layout: for each family, calls and bytes of encryption, then of decryption. */
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "prov.h"

enum { WORDS = RIJN_ALG_COUNT * 4 };
static _Atomic(_Atomic(uint64_t) *) counts;

void rijn_prov_count_open(void) {
  const char *path = getenv("RIJN_PROVIDER_COUNT");
  if (path == NULL || atomic_load(&counts) != NULL)
    return;
  int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (fd < 0)
    abort(); /* a test that asks for a count must not go on without one */
  if (ftruncate(fd, WORDS * sizeof(uint64_t)) != 0)
    abort();
  void *map = mmap(NULL, WORDS * sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (map == MAP_FAILED)
    abort();
  close(fd);
  _Atomic(uint64_t) *none = NULL;
  if (!atomic_compare_exchange_strong(&counts, &none, (_Atomic(uint64_t) *)map))
    munmap(map, WORDS * sizeof(uint64_t));
}

void rijn_prov_count(int what, bool enc, size_t len) {
  _Atomic(uint64_t) *c = atomic_load_explicit(&counts, memory_order_acquire);
  if (c == NULL)
    return;
  c += what * 4 + (enc ? 0 : 2);
  atomic_fetch_add_explicit(c, 1, memory_order_relaxed);
  atomic_fetch_add_explicit(c + 1, len, memory_order_relaxed);
}
