/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Bytes of an unlocked volume. Whole sectors go through in runs; parts of sectors are read, changed, written back. */
#include "internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* WHY this size: a piece is still in the second level cache when the cipher follows the disk. */
enum { PIECE = 256 << 10 };
static const uint64_t sectors_a_key = 1 << 20; /* of GELI */

/* ---------------------------------------------------------------- keys of GELI */

/* A copy: another thread may replace the one in the cache. */
static int cached_key(rijn_volume *v, uint64_t number, struct rijnv_key *key) {
  unsigned oldest = 0;
  int r = RIJN_VOLUME_OK;
  pthread_mutex_lock(&v->cache_lock);
  unsigned i = 0;
  for (; i < RIJNV_CACHE && (v->cache_used[i] == 0 || v->cache_number[i] != number); i++)
    if (v->cache_used[i] < v->cache_used[oldest])
      oldest = i;
  if (i == RIJNV_CACHE) {
    i = oldest;
    r = rijnv_geli_data_key(&v->geli, number, &v->cache[i]);
    v->cache_number[i] = number;
  }
  v->cache_used[i] = r == RIJN_VOLUME_OK ? ++v->cache_clock : 0;
  memcpy(key, &v->cache[i], sizeof *key);
  pthread_mutex_unlock(&v->cache_lock);
  return r;
}

/* Sectors from number first, all under one key. */
static int crypt_geli(rijn_volume *v, uint64_t first, void *out, const void *in, size_t sectors, bool encrypt) {
  struct rijnv_key key;
  unsigned size = v->facts.sector_size;
  struct rijnv_run run = {v->mode, size, sectors, first * size, size};
  int r = cached_key(v, v->geli.version < 5 ? 0 : first / sectors_a_key, &key);
  if (r == RIJN_VOLUME_OK)
    r = rijnv_crypt(&key, &run, out, in, encrypt);
  explicit_bzero(&key, sizeof key);
  return r;
}

/* Whole sectors, at offset of what the tweak counts from. A run is split where GELI's key changes. */
static int crypt(rijn_volume *v, void *out, const void *in, size_t len, uint64_t offset, bool encrypt) {
  unsigned size = v->facts.sector_size;
  uint64_t first = offset / size;
  size_t sectors = len / size;
  if (v->facts.format != RIJN_VOLUME_GELI) {
    uint64_t step = size / v->step_unit;
    struct rijnv_run run = {v->mode, size, sectors, offset / v->step_unit, step};
    return rijnv_crypt(&v->key, &run, out, in, encrypt) == RIJN_VOLUME_OK ? 0 : EIO;
  }
  while (sectors > 0) {
    uint64_t left = sectors_a_key - first % sectors_a_key;
    size_t n = left < sectors ? (size_t)left : sectors;
    if (crypt_geli(v, first, out, in, n, encrypt) != RIJN_VOLUME_OK)
      return EIO;
    out = (uint8_t *)out + n * size;
    in = (const uint8_t *)in + n * size;
    first += n;
    sectors -= n;
  }
  return 0;
}

/* ---------------------------------------------------------------- buffers */

static void *take_buffer(rijn_volume *v) {
  void *p = NULL;
  pthread_mutex_lock(&v->pool_lock);
  if (v->pool_n > 0)
    p = v->pool[--v->pool_n];
  pthread_mutex_unlock(&v->pool_lock);
  return p != NULL ? p : aligned_alloc(4096, PIECE);
}

static void give_buffer(rijn_volume *v, void *p) {
  pthread_mutex_lock(&v->pool_lock);
  if (v->pool_n < sizeof v->pool / sizeof v->pool[0]) {
    v->pool[v->pool_n++] = p;
    p = NULL;
  }
  pthread_mutex_unlock(&v->pool_lock);
  free(p);
}

/* ---------------------------------------------------------------- whole sectors */

/* A range of the volume that is in one piece on the disk. */
struct piece {
  size_t len;
  uint64_t disk, tweak; /* tweak: the offset that it counts from */
  bool zero;
};
static struct piece piece_at(const rijn_volume *v, size_t len, uint64_t offset) {
  const struct rijnv_segment *s = v->segments;
  while (offset - s->start >= s->size) /* they cover the volume, in their order */
    s++;
  uint64_t in = offset - s->start, left = s->size - in;
  struct piece p = {left < len ? (size_t)left : len, s->disk + in, offset, s->zero};
  if (v->tweak_of_disk)
    p.tweak = p.disk;
  return p;
}

static int read_sectors(rijn_volume *v, uint8_t *buf, size_t len, uint64_t offset) {
  int no = 0;
  struct piece p;
  for (size_t at = 0; no == 0 && at < len; at += p.len) {
    p = piece_at(v, len - at < PIECE ? len - at : PIECE, offset + at);
    if (p.zero) {
      memset(buf + at, 0, p.len);
      continue;
    }
    no = v->disk.pread(v->disk.handle, buf + at, p.len, p.disk);
    if (no == 0)
      no = crypt(v, buf + at, buf + at, p.len, p.tweak, false);
  }
  return no;
}

static bool all_zeros(const uint8_t *p, size_t len) {
  return len == 0 || (p[0] == 0 && memcmp(p, p + 1, len - 1) == 0);
}

static int write_sectors(rijn_volume *v, const uint8_t *buf, size_t len, uint64_t offset) {
  uint8_t *piece = take_buffer(v);
  int no = piece != NULL ? 0 : ENOMEM;
  struct piece p;
  for (size_t at = 0; no == 0 && at < len; at += p.len) {
    p = piece_at(v, len - at < PIECE ? len - at : PIECE, offset + at);
    if (p.zero) {
      no = all_zeros(buf + at, p.len) ? 0 : EROFS;
      continue;
    }
    no = crypt(v, piece, buf + at, p.len, p.tweak, true);
    if (no == 0)
      no = v->disk.pwrite(v->disk.handle, piece, p.len, p.disk);
  }
  if (piece != NULL)
    give_buffer(v, piece);
  return no;
}

/* ---------------------------------------------------------------- any bytes */

/* What a range is made of: part of a sector, whole sectors, part of a sector. */
struct parts {
  size_t head, whole, tail;
};
static struct parts split(const rijn_volume *v, size_t len, uint64_t offset) {
  unsigned size = v->facts.sector_size;
  struct parts p = {0, 0, 0};
  size_t in = (size_t)(offset % size);
  if (in != 0)
    p.head = size - in < len ? size - in : len;
  p.whole = (len - p.head) / size * size;
  p.tail = len - p.head - p.whole;
  return p;
}

static int in_range(const rijn_volume *v, size_t len, uint64_t offset) {
  if (!v->unlocked || offset > v->facts.size || len > v->facts.size - offset)
    return EINVAL;
  return 0;
}

/* Less than a sector, within one. */
static int read_part(rijn_volume *v, uint8_t *buf, size_t len, uint64_t offset) {
  unsigned size = v->facts.sector_size;
  uint8_t *sector = take_buffer(v);
  if (sector == NULL)
    return ENOMEM;
  int no = read_sectors(v, sector, size, offset / size * size);
  if (no == 0)
    memcpy(buf, sector + offset % size, len);
  explicit_bzero(sector, size);
  give_buffer(v, sector);
  return no;
}

static int write_part(rijn_volume *v, const uint8_t *buf, size_t len, uint64_t offset) {
  unsigned size = v->facts.sector_size;
  uint8_t *sector = take_buffer(v);
  if (sector == NULL)
    return ENOMEM;
  int no = read_sectors(v, sector, size, offset / size * size);
  if (no == 0) {
    memcpy(sector + offset % size, buf, len);
    no = write_sectors(v, sector, size, offset / size * size);
  }
  explicit_bzero(sector, size);
  give_buffer(v, sector);
  return no;
}

int rijn_volume_pread(rijn_volume *v, void *buf, size_t len, uint64_t offset) {
  uint8_t *p = buf;
  int no = in_range(v, len, offset);
  if (no != 0)
    return no;
  struct parts parts = split(v, len, offset);
  if (parts.head > 0)
    no = read_part(v, p, parts.head, offset);
  if (no == 0 && parts.whole > 0)
    no = read_sectors(v, p + parts.head, parts.whole, offset + parts.head);
  if (no == 0 && parts.tail > 0)
    no = read_part(v, p + len - parts.tail, parts.tail, offset + len - parts.tail);
  return no;
}

int rijn_volume_pwrite(rijn_volume *v, const void *buf, size_t len, uint64_t offset) {
  const uint8_t *p = buf;
  int no = in_range(v, len, offset);
  if (no != 0)
    return no;
  if (v->facts.read_only)
    return EROFS;
  struct parts parts = split(v, len, offset);
  /* WHY a lock of the volume: two parts of one sector, or a part and the whole, may come by different connections, and
   * what one reads must not be older than what the other has written. */
  if (parts.head + parts.tail > 0)
    pthread_rwlock_wrlock(&v->parts);
  else
    pthread_rwlock_rdlock(&v->parts);
  if (parts.head > 0)
    no = write_part(v, p, parts.head, offset);
  if (no == 0 && parts.whole > 0)
    no = write_sectors(v, p + parts.head, parts.whole, offset + parts.head);
  if (no == 0 && parts.tail > 0)
    no = write_part(v, p + len - parts.tail, parts.tail, offset + len - parts.tail);
  pthread_rwlock_unlock(&v->parts);
  return no;
}

int rijn_volume_flush(rijn_volume *v) {
  if (v->disk.flush == NULL || v->facts.read_only)
    return 0;
  return v->disk.flush(v->disk.handle);
}

int rijn_volume_trim(rijn_volume *v, uint64_t len, uint64_t offset) {
  unsigned size = v->facts.sector_size;
  if (!v->unlocked || offset > v->facts.size || len > v->facts.size - offset)
    return EINVAL;
  if (v->facts.read_only)
    return EROFS;
  if (!v->facts.discards || v->disk.trim == NULL)
    return 0;
  uint64_t first = (offset + size - 1) / size * size, end = (offset + len) / size * size;
  if (end <= first)
    return 0;
  pthread_rwlock_wrlock(&v->parts);
  int no = 0;
  struct piece p;
  for (uint64_t at = first; no == 0 && at < end; at += p.len) {
    p = piece_at(v, end - at < SIZE_MAX ? (size_t)(end - at) : SIZE_MAX - size, at);
    no = p.zero ? 0 : v->disk.trim(v->disk.handle, p.len, p.disk);
  }
  pthread_rwlock_unlock(&v->parts);
  return no;
}

int rijn_volume_crypt(rijn_volume *v, void *buf, size_t len, uint64_t offset, bool encrypt) {
  unsigned size = v->facts.sector_size;
  int no = in_range(v, len, offset);
  if (no != 0)
    return no;
  if (len % size != 0 || offset % size != 0)
    return EINVAL;
  if (encrypt && !rijnv_mode_writes(v->mode))
    return EROFS;
  struct piece p;
  for (size_t at = 0; no == 0 && at < len; at += p.len) {
    p = piece_at(v, len - at, offset + at);
    if (!p.zero)
      no = crypt(v, (uint8_t *)buf + at, (uint8_t *)buf + at, p.len, p.tweak, encrypt);
  }
  return no;
}
