/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Partition tables. SPEC: UEFI 2.10, section 5 (GPT, protective MBR). */
#include "internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MBR_TABLE = 446, MBR_ENTRY = 16, EXTENDED_MOST = 128, GPT_ENTRIES_MOST = 1024 };

struct listing {
  rijn_volume_partition *list;
  size_t room, count;
};

static rijn_volume_partition *next(struct listing *l) {
  static const rijn_volume_partition empty;
  rijn_volume_partition *p = l->count < l->room ? &l->list[l->count] : NULL;
  l->count++;
  if (p != NULL)
    *p = empty;
  return p;
}

/* ---------------------------------------------------------------- GPT */

void rijnv_guid_text(char to[37], const uint8_t g[16]) {
  snprintf(to, 37, "%08lx-%04lx-%04lx-%04lx-%012llx", (unsigned long)rijnv_le(g, 4), (unsigned long)rijnv_le(g + 4, 2),
           (unsigned long)rijnv_le(g + 6, 2), (unsigned long)rijnv_be(g + 8, 2),
           (unsigned long long)rijnv_be(g + 10, 6));
}

/* 36 units of UTF-16; what is not ASCII becomes a question mark. */
static void name_text(char *to, const uint8_t *p) {
  for (int i = 0; i < 36; i++, p += 2) {
    uint64_t c = rijnv_le(p, 2);
    if (c == 0)
      break;
    *to++ = c >= 0x20 && c < 0x7f ? (char)c : '?';
  }
  *to = '\0';
}

static int gpt_entries(const rijn_volume_disk *disk, const uint8_t *h, unsigned sector, struct listing *l,
                       rijn_volume_error *err) {
  uint64_t at = rijnv_le(h + 72, 8), n = rijnv_le(h + 80, 4), size = rijnv_le(h + 84, 4);
  if (size < 128 || size > 4096 || n > GPT_ENTRIES_MOST || at > disk->size / sector)
    return rijnv_fail(err, RIJN_VOLUME_EDAMAGED, "GPT: the header's fields make no sense");
  uint8_t *table = malloc((size_t)(n * size + 1));
  if (table == NULL)
    return rijnv_fail(err, RIJN_VOLUME_EMEM, "out of memory");
  int r = rijnv_read(disk, table, (size_t)(n * size), at * sector, "GPT", err);
  if (r == RIJN_VOLUME_OK && rijnv_crc32(table, (size_t)(n * size)) != rijnv_le(h + 88, 4))
    r = rijnv_fail(err, RIJN_VOLUME_EDAMAGED, "GPT: the checksum of the partitions is wrong");
  for (uint64_t i = 0; r == RIJN_VOLUME_OK && i < n; i++) {
    static const uint8_t unused[16];
    const uint8_t *e = table + i * size;
    uint64_t first = rijnv_le(e + 32, 8), last = rijnv_le(e + 40, 8), sectors = disk->size / sector;
    if (memcmp(e, unused, 16) == 0 || first > last || last >= sectors)
      continue;
    rijn_volume_partition *p = next(l);
    if (p == NULL)
      continue;
    p->number = (unsigned)i + 1;
    p->offset = first * sector;
    p->size = (last - first + 1) * sector;
    rijnv_guid_text(p->type, e);
    name_text(p->name, e + 56);
  }
  free(table);
  return r;
}

/* EFORMAT: there is none for sectors of that size. */
static int gpt(const rijn_volume_disk *disk, unsigned sector, struct listing *l, rijn_volume_error *err) {
  uint8_t h[512], copy[512];
  if (disk->size < 3 * (uint64_t)sector)
    return RIJN_VOLUME_EFORMAT;
  int r = rijnv_read(disk, h, sizeof h, sector, "GPT", err);
  if (r != RIJN_VOLUME_OK)
    return r;
  uint64_t len = rijnv_le(h + 12, 4);
  if (memcmp(h, "EFI PART", 8) != 0)
    return RIJN_VOLUME_EFORMAT;
  if (len < 92 || len > sizeof h)
    return rijnv_fail(err, RIJN_VOLUME_EDAMAGED, "GPT: the header's length makes no sense");
  memcpy(copy, h, sizeof h);
  memset(copy + 16, 0, 4);
  if (rijnv_crc32(copy, (size_t)len) != rijnv_le(h + 16, 4))
    return rijnv_fail(err, RIJN_VOLUME_EDAMAGED, "GPT: the checksum of the header is wrong");
  return gpt_entries(disk, h, sector, l, err);
}

/* ---------------------------------------------------------------- MBR */

static bool extended(uint8_t type) { return type == 0x05 || type == 0x0f || type == 0x85; }

static void mbr_entry(const rijn_volume_disk *disk, const uint8_t *e, uint64_t base, unsigned number,
                      struct listing *l) {
  uint64_t offset = base + rijnv_le(e + 8, 4) * 512, size = rijnv_le(e + 12, 4) * 512;
  if (e[4] == 0 || size == 0 || extended(e[4]) || offset > disk->size || size > disk->size - offset)
    return;
  rijn_volume_partition *p = next(l);
  if (p == NULL)
    return;
  p->number = number;
  p->offset = offset;
  p->size = size;
  snprintf(p->type, sizeof p->type, "%02x", e[4]);
}

/* Each logical partition has a table of its own: it, and where the next one lies. */
static int logical(const rijn_volume_disk *disk, uint64_t start, struct listing *l, rijn_volume_error *err) {
  uint64_t at = start;
  for (unsigned i = 0; i < EXTENDED_MOST; i++) {
    uint8_t s[512];
    if (at > disk->size || disk->size - at < 512)
      return RIJN_VOLUME_OK;
    int r = rijnv_read(disk, s, sizeof s, at, "partition table", err);
    if (r != RIJN_VOLUME_OK || s[510] != 0x55 || s[511] != 0xaa)
      return r;
    mbr_entry(disk, s + MBR_TABLE, at, 5 + i, l);
    const uint8_t *e = s + MBR_TABLE + MBR_ENTRY;
    if (!extended(e[4]))
      return RIJN_VOLUME_OK;
    at = start + rijnv_le(e + 8, 4) * 512;
  }
  return RIJN_VOLUME_OK;
}

int rijn_volume_partitions(const rijn_volume_disk *disk, rijn_volume_partition *list, size_t room, size_t *count,
                           rijn_volume_error *err) {
  struct listing l = {list, room, 0};
  uint8_t s[512];
  *count = 0;
  if (disk->size < 1024)
    return RIJN_VOLUME_OK;
  int r = rijnv_read(disk, s, sizeof s, 0, "partition table", err);
  if (r != RIJN_VOLUME_OK)
    return r;
  bool marked = s[510] == 0x55 && s[511] == 0xaa, protective = false;
  for (int i = 0; i < 4; i++)
    protective = protective || s[MBR_TABLE + i * MBR_ENTRY + 4] == 0xee;
  if (!marked)
    return RIJN_VOLUME_OK;
  if (protective) {
    r = gpt(disk, disk->sector_size != 0 ? disk->sector_size : 512, &l, err);
    if (r == RIJN_VOLUME_EFORMAT && disk->sector_size == 0)
      r = gpt(disk, 4096, &l, err); /* an image of a disk with such sectors */
  }
  for (unsigned i = 0; !protective && r == RIJN_VOLUME_OK && i < 4; i++) {
    const uint8_t *e = s + MBR_TABLE + i * MBR_ENTRY;
    mbr_entry(disk, e, 0, i + 1, &l);
    if (extended(e[4]))
      r = logical(disk, rijnv_le(e + 8, 4) * 512, &l, err);
  }
  *count = l.count < room ? l.count : room;
  return r == RIJN_VOLUME_EFORMAT ? RIJN_VOLUME_OK : r;
}

int rijn_volume_disk_partition(rijn_volume_disk *part, const rijn_volume_disk *disk, unsigned number,
                               rijn_volume_error *err) {
  enum { MOST = 1200 };
  rijn_volume_partition *list = calloc(MOST, sizeof *list);
  size_t n = 0;
  if (list == NULL)
    return rijnv_fail(err, RIJN_VOLUME_EMEM, "out of memory");
  int r = rijn_volume_partitions(disk, list, MOST, &n, err);
  size_t i = 0;
  while (r == RIJN_VOLUME_OK && i < n && list[i].number != number)
    i++;
  if (r == RIJN_VOLUME_OK && i == n)
    r = rijnv_fail(err, RIJN_VOLUME_EARG, n == 0 ? "the disk has no partition table" : "the disk has no partition %u",
                   number);
  if (r == RIJN_VOLUME_OK)
    r = rijn_volume_disk_part(part, disk, list[i].offset, list[i].size, err);
  free(list);
  return r;
}
