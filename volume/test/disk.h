/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* A disk in memory that keeps a log of what is written, and fails when it is told to. */
#ifndef RIJN_TEST_VOLUME_DISK_H
#define RIJN_TEST_VOLUME_DISK_H

#include "t.h"

#include <rijn-volume.h>

#include <errno.h>
#include <stdatomic.h>

struct written {
  uint64_t offset;
  size_t len;
  uint8_t *bytes;
};
struct memory {
  uint8_t *bytes;
  uint64_t size, base;    /* bytes[0] is the byte base of the disk */
  atomic_long fail_after; /* calls that still work; negative: all */
  struct written *log;
  size_t log_n;
  bool logging;
  atomic_ulong flushes, trimmed;
};

static inline int memory_fails(struct memory *m) {
  return atomic_load(&m->fail_after) >= 0 && atomic_fetch_sub(&m->fail_after, 1) <= 0;
}
static inline int memory_pread(void *handle, void *buf, size_t len, uint64_t offset) {
  struct memory *m = handle;
  if (memory_fails(m))
    return EIO;
  REQUIRE(offset >= m->base && offset - m->base + len <= m->size);
  memcpy(buf, m->bytes + (offset - m->base), len);
  return 0;
}
static inline int memory_pwrite(void *handle, const void *buf, size_t len, uint64_t offset) {
  struct memory *m = handle;
  if (memory_fails(m))
    return EIO;
  REQUIRE(offset >= m->base && offset - m->base + len <= m->size);
  if (m->logging) {
    m->log = realloc(m->log, (m->log_n + 1) * sizeof *m->log);
    struct written *w = &m->log[m->log_n++];
    *w = (struct written){offset, len, malloc(len)};
    REQUIRE(w->bytes != NULL);
    memcpy(w->bytes, buf, len);
  }
  memcpy(m->bytes + (offset - m->base), buf, len);
  return 0;
}
static inline int memory_flush(void *handle) {
  atomic_fetch_add(&((struct memory *)handle)->flushes, 1);
  return 0;
}
static inline int memory_trim(void *handle, uint64_t len, uint64_t offset) {
  struct memory *m = handle;
  REQUIRE(offset - m->base + len <= m->size);
  memset(m->bytes + (offset - m->base), 0, len);
  atomic_fetch_add(&m->trimmed, len);
  return 0;
}

static inline void memory_new(struct memory *m, uint64_t size) {
  memset(m, 0, sizeof *m);
  m->bytes = calloc(1, size);
  m->size = size;
  atomic_store(&m->fail_after, -1);
  REQUIRE(m->bytes != NULL);
}
static inline void memory_free(struct memory *m) {
  for (size_t i = 0; i < m->log_n; i++)
    free(m->log[i].bytes);
  free(m->log);
  free(m->bytes);
}
/* The whole of it as a disk. */
static inline rijn_volume_disk memory_disk(struct memory *m) {
  return (rijn_volume_disk){m, m->base + m->size, 512, memory_pread, memory_pwrite, memory_flush, memory_trim};
}
static inline rijn_volume_secret passphrase(const char *text) {
  return (rijn_volume_secret){text, strlen(text), NULL, 0, -1};
}
/* A new volume with cheap rounds. */
static inline void make(const rijn_volume_disk *disk, int format, unsigned sector_size) {
  rijn_volume_create what = {.format = format, .sector_size = sector_size, .kdf = {"pbkdf2", 1000, 0, 0}};
  rijn_volume_secret secret = passphrase("one");
  rijn_volume_error err;
  REQUIRE(rijn_volume_create_on(disk, &what, &secret, NULL, &err) == 0);
}
/* Its code, and the volume where that is 0. */
static inline int unlock(rijn_volume **v, const rijn_volume_disk *disk, const char *pass, rijn_volume_error *err) {
  rijn_volume_secret secret = passphrase(pass);
  int r = rijn_volume_load(v, disk, NULL, NULL, err);
  if (r == 0)
    r = rijn_volume_unlock(*v, &secret, NULL, err);
  if (r != 0) {
    rijn_volume_close(*v);
    *v = NULL;
  }
  return r;
}

#endif
