/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* LUKS2's binary header: two copies with a checksum each, and which of them counts. SPEC: LUKS2 On-Disk Format
 * Specification 1.1.1, section 2. */
#include "internal.h"

#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BINARY = 4096, MAGIC = 0, VERSION = 6, SIZE = 8, EPOCH = 16, LABEL = 24, CSUM_ALG = 72, SALT = 104, UUID = 168 };
enum { SUBSYSTEM = 208, OFFSET = 256, CSUM = 448, CSUM_LEN = 64, LEGAL = 9 };
static const uint64_t least = 16384; /* a header has this size or one of the next eight powers of two */

static const char *const magics[] = {"LUKS\xba\xbe", "SKUL\xba\xbe"};

struct copy {
  uint8_t *bytes; /* the whole header; NULL: not there, or bad */
  size_t size;
  uint64_t epoch;
};

static bool legal_size(uint64_t size) {
  return rijnv_is_power_of_two(size) && size >= least && size <= least << (LEGAL - 1);
}

/* The checksum of a whole header, as if its field were zeros. */
static int checksum(const char *hash, const uint8_t *bytes, size_t size, uint8_t sum[CSUM_LEN]) {
  uint8_t head[BINARY];
  memcpy(head, bytes, BINARY);
  memset(head + CSUM, 0, CSUM_LEN);
  return rijnv_digest(hash, head, BINARY, bytes + BINARY, size - BINARY, sum);
}

static bool checksum_right(const uint8_t *bytes, size_t size) {
  uint8_t sum[CSUM_LEN];
  char hash[33] = "";
  memcpy(hash, bytes + CSUM_ALG, 32);
  size_t len = rijnv_hash_len(hash);
  return len != 0 && checksum(hash, bytes, size, sum) == RIJN_VOLUME_OK && memcmp(sum, bytes + CSUM, len) == 0;
}

/* Copy number which at offset, if it is whole; size 0: as the header says. A copy that is not right is left out; only a
 * disk that cannot be read, a newer version and want of memory are errors. */
static int take_copy(rijn_volume *v, int which, uint64_t offset, struct copy *c, rijn_volume_error *err) {
  uint8_t head[BINARY];
  c->bytes = NULL;
  if (offset > v->header.size || v->header.size - offset < BINARY)
    return RIJN_VOLUME_OK;
  int r = rijnv_read(&v->header, head, BINARY, offset, "LUKS2 header", err);
  if (r != RIJN_VOLUME_OK)
    return r;
  uint64_t size = rijnv_be(head + SIZE, 8);
  if (memcmp(head + MAGIC, magics[which], 6) != 0 || rijnv_be(head + VERSION, 2) == 1)
    return RIJN_VOLUME_OK;
  if (!legal_size(size) || rijnv_be(head + OFFSET, 8) != offset || (which == 1 && size != offset) ||
      size > v->header.size - offset)
    return RIJN_VOLUME_OK;
  c->bytes = malloc((size_t)size);
  if (c->bytes == NULL)
    return rijnv_fail(err, RIJN_VOLUME_EMEM, "out of memory");
  r = rijnv_read(&v->header, c->bytes, (size_t)size, offset, "LUKS2 header", err);
  if (r == RIJN_VOLUME_OK && memcmp(head, c->bytes, BINARY) != 0)
    r = rijnv_fail(err, RIJN_VOLUME_EDAMAGED, "LUKS2: the header is not the same when it is read twice");
  else if (r == RIJN_VOLUME_OK && checksum_right(c->bytes, (size_t)size)) {
    c->size = (size_t)size;
    c->epoch = rijnv_be(c->bytes + EPOCH, 8);
    if (rijnv_be(c->bytes + VERSION, 2) == 2)
      return RIJN_VOLUME_OK;
    r = rijnv_fail(err, RIJN_VOLUME_EVERSION, "LUKS: version %u is newer than 2",
                   (unsigned)rijnv_be(c->bytes + VERSION, 2));
  }
  free(c->bytes);
  c->bytes = NULL;
  return r;
}

/* The second copy lies behind the first. WHY all nine places when that one is bad: its size is not known then. Never
 * anywhere else: an image within a disk would be taken for the disk's own header. */
static int take_second(rijn_volume *v, const struct copy *first, struct copy *second, rijn_volume_error *err) {
  if (first->bytes != NULL)
    return take_copy(v, 1, first->size, second, err);
  for (unsigned i = 0; i < LEGAL; i++) {
    int r = take_copy(v, 1, least << i, second, err);
    if (r != RIJN_VOLUME_OK || second->bytes != NULL)
      return r;
  }
  return RIJN_VOLUME_OK;
}

static int take_both(rijn_volume *v, struct copy *first, struct copy *second, rijn_volume_error *err) {
  int r = take_copy(v, 0, 0, first, err);
  return r == RIJN_VOLUME_OK ? take_second(v, first, second, err) : r;
}

/* The copy that counts. */
static const struct copy *newer(const struct copy *first, const struct copy *second) {
  return first->bytes == NULL || (second->bytes != NULL && second->epoch > first->epoch) ? second : first;
}

static void take_text(char *to, const uint8_t *from, size_t len) {
  memcpy(to, from, len);
  to[len] = '\0';
}

/* What tells one header from the next. */
static int identity(const uint8_t *bytes, size_t size, uint8_t seen[32]) {
  uint8_t sum[64];
  int r = rijnv_digest("sha256", bytes + EPOCH, 8, bytes + BINARY, size - BINARY, sum);
  memcpy(seen, sum, 32);
  return r;
}

static int take_header(rijn_volume *v, const struct copy *c, int used, rijn_volume_error *err) {
  rijn_volume_facts *f = &v->facts;
  f->format = RIJN_VOLUME_LUKS2;
  f->version = 2;
  f->header_used = used;
  f->header_size = c->size;
  f->epoch = c->epoch;
  take_text(f->uuid, c->bytes + UUID, 40);
  take_text(f->label, c->bytes + LABEL, 48);
  take_text(f->subsystem, c->bytes + SUBSYSTEM, 48);
  memcpy(v->luks2.raw, c->bytes, BINARY);
  v->luks2.header_size = c->size;
  v->luks2.epoch = c->epoch;
  v->luks2.used = used;
  if (identity(c->bytes, c->size, v->luks2.seen) != RIJN_VOLUME_OK)
    return rijnv_fail(err, RIJN_VOLUME_ECRYPTO, "libcrypto has no SHA-256");
  v->luks2.json = rijnv_json_parse((const char *)c->bytes + BINARY, c->size - BINARY);
  if (v->luks2.json == NULL)
    return rijnv_fail(err, RIJN_VOLUME_EDAMAGED, "LUKS2: the JSON of header %d is not well formed", used);
  return rijnv_luks2_parse(v, err);
}

int rijnv_luks2_load(rijn_volume *v, rijn_volume_error *err) {
  struct copy first = {NULL, 0, 0}, second = {NULL, 0, 0};
  uint8_t magic[8] = {0};
  int r = RIJN_VOLUME_OK;
  if (v->header.size >= sizeof magic)
    r = rijnv_read(&v->header, magic, sizeof magic, 0, "LUKS header", err);
  if (r == RIJN_VOLUME_OK)
    r = take_both(v, &first, &second, err);
  if (r == RIJN_VOLUME_OK && first.bytes == NULL && second.bytes == NULL) {
    bool named = memcmp(magic, magics[0], 6) == 0;
    r = !named ? RIJN_VOLUME_EFORMAT
               : rijnv_fail(err, RIJN_VOLUME_EDAMAGED,
                            "LUKS: the header's checksum or version is wrong, and there is no "
                            "second header");
  } else if (r == RIJN_VOLUME_OK) {
    bool second_counts = newer(&first, &second) == &second;
    r = take_header(v, second_counts ? &second : &first, second_counts ? 2 : 1, err);
  }
  free(first.bytes);
  free(second.bytes);
  return r;
}

int rijnv_luks2_unchanged(rijn_volume *v, rijn_volume_error *err) {
  struct copy first = {NULL, 0, 0}, second = {NULL, 0, 0};
  uint8_t seen[32];
  int r = take_both(v, &first, &second, err);
  const struct copy *c = newer(&first, &second);
  bool same = r == RIJN_VOLUME_OK && c->bytes != NULL && c->size == v->luks2.header_size &&
              identity(c->bytes, c->size, seen) == RIJN_VOLUME_OK && memcmp(seen, v->luks2.seen, sizeof seen) == 0;
  free(first.bytes);
  free(second.bytes);
  if (r == RIJN_VOLUME_OK && !same)
    r = rijnv_fail(err, RIJN_VOLUME_EBUSY, "another program has changed the header meanwhile; nothing was written");
  return r;
}

uint64_t rijnv_luks2_epoch_on(const rijn_volume_disk *disk) {
  uint64_t epoch = 0;
  rijn_volume *v = rijnv_secret_alloc(sizeof *v);
  struct copy first = {NULL, 0, 0}, second = {NULL, 0, 0};
  if (v == NULL)
    return 0;
  v->header = *disk;
  if (take_both(v, &first, &second, NULL) == RIJN_VOLUME_OK)
    epoch = newer(&first, &second)->epoch;
  free(first.bytes);
  free(second.bytes);
  rijnv_secret_free(v, sizeof *v);
  return epoch;
}

static int write_copy(const rijn_volume_disk *disk, const struct rijnv_luks2 *l, int which, uint8_t *bytes,
                      rijn_volume_error *err) {
  memcpy(bytes + MAGIC, magics[which], 6);
  rijnv_put_be(bytes + OFFSET, which == 0 ? 0 : l->header_size, 8);
  int r = rijnv_random(bytes + SALT, 64, err); /* each copy has a salt of its own, so that they differ everywhere */
  if (r != RIJN_VOLUME_OK)
    return r;
  uint8_t sum[CSUM_LEN] = {0};
  char hash[33] = "";
  memcpy(hash, bytes + CSUM_ALG, 32);
  if (checksum(hash, bytes, l->header_size, sum) != RIJN_VOLUME_OK)
    return rijnv_fail(err, RIJN_VOLUME_ECRYPTO, "the checksum of the header cannot be made");
  memcpy(bytes + CSUM, sum, CSUM_LEN);
  r = rijnv_write(disk, bytes, l->header_size, which == 0 ? 0 : l->header_size, "LUKS2 header", err);
  return r == RIJN_VOLUME_OK ? rijnv_flush(disk, err) : r;
}

int rijnv_luks2_write(const rijn_volume_disk *disk, struct rijnv_luks2 *l, rijn_volume_error *err) {
  const char *text = json_object_to_json_string_ext(l->json, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);
  size_t len = text != NULL ? strlen(text) : 0;
  if (text == NULL)
    return rijnv_fail(err, RIJN_VOLUME_EMEM, "out of memory");
  if (len >= l->header_size - BINARY)
    return rijnv_fail(err, RIJN_VOLUME_EFULL, "the header has no room for its JSON of %zu bytes", len);
  uint8_t *bytes = calloc(1, l->header_size);
  if (bytes == NULL)
    return rijnv_fail(err, RIJN_VOLUME_EMEM, "out of memory");
  memcpy(bytes, l->raw, BINARY);
  rijnv_put_be(bytes + EPOCH, l->epoch + 1, 8);
  rijnv_put_be(bytes + SIZE, l->header_size, 8);
  memcpy(bytes + BINARY, text, len);
  /* WHY in this order: while one copy is torn the other is whole, and the one in use may be the only one that is. */
  int first = l->used == 1;
  int r = write_copy(disk, l, first, bytes, err);
  if (r == RIJN_VOLUME_OK) {
    l->epoch++; /* from here on this copy counts, whatever becomes of the other */
    l->used = first + 1;
    (void)identity(bytes, l->header_size, l->seen); /* of a hash that the checksum above was made with, or its like */
    r = write_copy(disk, l, !first, bytes, err);
  }
  free(bytes);
  return r;
}

/* LUKS1 has the first place and its magic too. */
int rijnv_luks_forget(const rijn_volume_disk *disk, rijn_volume_error *err) {
  static const uint8_t zeros[BINARY] = {0};
  int r = RIJN_VOLUME_OK;
  for (unsigned i = 0; r == RIJN_VOLUME_OK && i <= LEGAL; i++) {
    uint8_t magic[6];
    uint64_t offset = i == 0 ? 0 : least << (i - 1);
    if (offset > disk->size || disk->size - offset < 512)
      break;
    uint64_t left = disk->size - offset;
    r = rijnv_read(disk, magic, sizeof magic, offset, "LUKS header", err);
    if (r == RIJN_VOLUME_OK && memcmp(magic, magics[i > 0], sizeof magic) == 0)
      r = rijnv_write(disk, zeros, left < BINARY ? (size_t)left : BINARY, offset, "LUKS header", err);
  }
  return r;
}
