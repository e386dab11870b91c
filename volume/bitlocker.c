/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* BitLocker: three copies of its metadata, found by the volume's first sector. SPEC: "BitLocker Drive Encryption (BDE)
 * format specification" of libbde. */
#include "internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BOOT = 512, BLOCK = 65536, BLOCK_HEADER = 64, HEADER = 48, ENTRY = 8, COPIES = 3, VMK_HEADER = 28 };
enum { AES_CBC_128 = 0x8002, AES_CBC_256, AES_XTS_128, AES_XTS_256 };
enum { TYPE_PROPERTY = 0, TYPE_VMK = 2, TYPE_FVEK = 3, TYPE_DESCRIPTION = 7, TYPE_MOVED = 15 };
enum { STATE_ENCRYPTED = 4 };

static const uint8_t guid_fve[16] = {0x3b, 0xd6, 0x67, 0x49, 0x29, 0x2e, 0xd8, 0x4a,
                                     0x83, 0x99, 0xf6, 0xa3, 0x39, 0xe3, 0xd0, 0x01};
static const uint8_t guid_eow[16] = {0x3b, 0x4d, 0xa8, 0x92, 0x80, 0xdd, 0x0e, 0x4d,
                                     0x9e, 0x4e, 0xb1, 0xe3, 0x28, 0x4e, 0xae, 0xd8};

static const struct {
  unsigned method, bits;
  const char *name;
  enum rijnv_mode mode;
  size_t key_len;
} ciphers[] = {{0x8000, 128, "AES-CBC with the Elephant diffuser", RIJNV_NONE, 0},
               {0x8001, 256, "AES-CBC with the Elephant diffuser", RIJNV_NONE, 0},
               {AES_CBC_128, 128, "AES-CBC", RIJNV_CBC_BITLOCKER, 16},
               {AES_CBC_256, 256, "AES-CBC", RIJNV_CBC_BITLOCKER, 32},
               {AES_XTS_128, 128, "AES-XTS", RIJNV_XTS, 32},
               {AES_XTS_256, 256, "AES-XTS", RIJNV_XTS, 64}};
enum { CIPHERS = sizeof ciphers / sizeof ciphers[0] };

enum rijnv_mode rijnv_bitlocker_mode(unsigned method) {
  for (size_t i = 0; i < CIPHERS; i++)
    if (ciphers[i].method == method)
      return ciphers[i].mode;
  return RIJNV_NONE;
}

size_t rijnv_bitlocker_key_len(unsigned method) {
  for (size_t i = 0; i < CIPHERS; i++)
    if (ciphers[i].method == method)
      return ciphers[i].key_len;
  return 0;
}

static const struct {
  unsigned kind;
  const char *name;
  bool usable;
} kinds[] = {{RIJNV_BDE_CLEAR, "clear key", true},
             {0x100, "TPM", false},
             {RIJNV_BDE_STARTUP, "startup key", true},
             {0x300, "TPM and startup key", false},
             {0x500, "TPM and PIN", false},
             {0x700, "TPM, PIN and startup key", false},
             {RIJNV_BDE_RECOVERY, "recovery key", true},
             {0x1000, "smart card", false},
             {RIJNV_BDE_PASSWORD, "password", true}};

/* ---------------------------------------------------------------- entries */

int rijnv_entry_next(const uint8_t **p, const uint8_t *end, struct rijnv_entry *e) {
  size_t left = (size_t)(end - *p);
  size_t len = left >= 2 ? (size_t)rijnv_le(*p, 2) : 0;
  if (len == 0)
    return 0;
  if (len < ENTRY || len > left)
    return -1;
  *e = (struct rijnv_entry){(unsigned)rijnv_le(*p + 2, 2), (unsigned)rijnv_le(*p + 4, 2), *p + ENTRY, len - ENTRY};
  *p += len;
  return 1;
}

static void take_blob(struct rijnv_blob *blob, const struct rijnv_entry *e) {
  size_t len = e->len > 28 ? e->len - 28 : 0;
  if (len == 0 || len > sizeof blob->data)
    return;
  memcpy(blob->nonce, e->data, 12);
  memcpy(blob->tag, e->data + 12, 16);
  memcpy(blob->data, e->data + 28, len);
  blob->len = len;
}

/* UTF-16 into UTF-8, as much as there is room for. */
static void take_text(char *to, size_t room, const uint8_t *p, size_t len) {
  for (size_t i = 0; i + 2 <= len; i += 2) {
    uint32_t c = (uint32_t)rijnv_le(p + i, 2);
    if (c == 0 || room < 5)
      break;
    if ((c & 0xfc00) == 0xd800 && i + 4 <= len && (rijnv_le(p + i + 2, 2) & 0xfc00) == 0xdc00) {
      c = 0x10000 + ((c & 0x3ff) << 10) + (uint32_t)(rijnv_le(p + i + 2, 2) & 0x3ff);
      i += 2;
    } else if ((c & 0xf800) == 0xd800) {
      c = '?';
    }
    unsigned more = 0u + (c >= 0x80) + (c >= 0x800) + (c >= 0x10000);
    static const uint8_t first[] = {0, 0xc0, 0xe0, 0xf0};
    *to++ = (char)(first[more] | c >> 6 * more);
    room -= 1 + more;
    for (; more > 0; more--)
      *to++ = (char)(0x80 | (c >> 6 * (more - 1) & 0x3f));
  }
  *to = '\0';
}

static int bad(rijn_volume_error *err, const char *what) {
  return rijnv_fail(err, RIJN_VOLUME_EDAMAGED, "BitLocker: the metadata's %s cannot be", what);
}

/* ---------------------------------------------------------------- protectors */

static int take_properties(struct rijnv_protector *p, const uint8_t *at, const uint8_t *end, rijn_volume_error *err) {
  struct rijnv_entry e;
  int r;
  while ((r = rijnv_entry_next(&at, end, &e)) > 0) {
    if (e.value == RIJNV_BDE_STRETCH && e.len >= 20 && !p->has_salt) {
      memcpy(p->salt, e.data + 4, 16);
      p->has_salt = true;
    } else if (e.value == RIJNV_BDE_KEY && e.len >= 36) {
      memcpy(p->clear_key, e.data + 4, 32);
      p->has_clear_key = true;
    } else if (e.value == RIJNV_BDE_SEALED && e.type == TYPE_PROPERTY && p->vmk.len == 0) {
      take_blob(&p->vmk, &e);
    }
  }
  return r == 0 ? RIJN_VOLUME_OK : bad(err, "list of a protector's properties");
}

static bool understood(const struct rijnv_protector *p) {
  bool needs_salt = p->kind == RIJNV_BDE_PASSWORD || p->kind == RIJNV_BDE_RECOVERY;
  return p->vmk.len == 44 && (!needs_salt || p->has_salt) && (p->kind != RIJNV_BDE_CLEAR || p->has_clear_key);
}

static int take_protector(rijn_volume *v, const struct rijnv_entry *e, rijn_volume_error *err) {
  struct rijnv_bitlocker *b = &v->bitlocker;
  if (e->len < VMK_HEADER)
    return bad(err, "entry of a protector");
  if (b->protectors_n == sizeof b->protectors / sizeof b->protectors[0])
    return RIJN_VOLUME_OK;
  struct rijnv_protector *p = &b->protectors[b->protectors_n];
  rijn_volume_slot *s = &v->facts.slots[v->facts.slots_n];
  memcpy(p->guid, e->data, 16);
  p->kind = (unsigned)rijnv_le(e->data + 26, 2);
  int r = take_properties(p, e->data + VMK_HEADER, e->data + e->len, err);
  if (r != RIJN_VOLUME_OK)
    return r;
  *s = (rijn_volume_slot){.number = (int)b->protectors_n, .priority = 1, .bound = true};
  snprintf(s->name, sizeof s->name, "unknown (0x%x)", p->kind);
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
    if (kinds[i].kind == p->kind) {
      snprintf(s->name, sizeof s->name, "%s", kinds[i].name);
      s->understood = kinds[i].usable && understood(p);
    }
  v->facts.opens_without_key = v->facts.opens_without_key || (p->kind == RIJNV_BDE_CLEAR && s->understood);
  b->protectors_n++;
  v->facts.slots_n++;
  return RIJN_VOLUME_OK;
}

static int take_entries(rijn_volume *v, const uint8_t *p, const uint8_t *end, rijn_volume_error *err) {
  struct rijnv_entry e;
  int r, result = RIJN_VOLUME_OK;
  while (result == RIJN_VOLUME_OK && (r = rijnv_entry_next(&p, end, &e)) != 0) {
    if (r < 0)
      return bad(err, "list of entries");
    if (e.type == TYPE_VMK && e.value == RIJNV_BDE_VMK)
      result = take_protector(v, &e, err);
    else if (e.type == TYPE_FVEK && e.value == RIJNV_BDE_SEALED && v->bitlocker.fvek.len == 0)
      take_blob(&v->bitlocker.fvek, &e);
    else if (e.type == TYPE_DESCRIPTION && e.value == RIJNV_BDE_TEXT)
      take_text(v->facts.label, sizeof v->facts.label, e.data, e.len);
    else if (e.type == TYPE_MOVED && e.value == RIJNV_BDE_MOVED && e.len >= 16)
      v->bitlocker.moved = (struct rijnv_segment){0, rijnv_le(e.data + 8, 8), rijnv_le(e.data, 8), false};
  }
  return result;
}

/* ---------------------------------------------------------------- where the bytes lie */

static int by_start(const void *a, const void *b) {
  const struct rijnv_segment *x = a, *y = b;
  return (x->start > y->start) - (x->start < y->start);
}

/* Where copy i lies, as this one says it. */
static uint64_t place_of(const uint8_t *block, int i) { return rijnv_le(block + 32 + 8 * i, 8); }

/* Windows moves the first sectors elsewhere, to have the place for its own. That place and the copies of the metadata
 * read as zeros. False where they overlap. */
static bool lay_out(rijn_volume *v, const uint8_t *block, uint64_t moved_to, uint64_t moved) {
  struct rijnv_segment holes[COPIES + 2] = {{0, moved, moved_to, false}, {moved_to, moved, 0, true}};
  uint64_t size = v->facts.size, at = 0;
  size_t n = 0;
  for (int i = 0; i < COPIES; i++)
    holes[2 + i] = (struct rijnv_segment){place_of(block, i), BLOCK, 0, true};
  qsort(holes, COPIES + 2, sizeof holes[0], by_start);
  for (int i = 0; i < COPIES + 2; i++) {
    if (holes[i].start < at || holes[i].start > size || holes[i].size > size - holes[i].start)
      return false;
    if (holes[i].start > at)
      v->segments[n++] = (struct rijnv_segment){at, holes[i].start - at, at, false};
    v->segments[n++] = holes[i];
    at = holes[i].start + holes[i].size;
  }
  if (at < size)
    v->segments[n++] = (struct rijnv_segment){at, size - at, at, false};
  v->segments_n = n;
  return true;
}

static int take_layout(rijn_volume *v, const uint8_t *block, unsigned sector) {
  enum rijnv_mode mode = rijnv_bitlocker_mode(v->bitlocker.method);
  uint64_t size = rijnv_le(block + 16, 8), moved = rijnv_le(block + 28, 4) * sector, moved_to = rijnv_le(block + 56, 8);
  const struct rijnv_segment *said = &v->bitlocker.moved;
  bool whole = moved_to % sector == 0 && moved != 0 && size != 0;
  /* This shows a wrong size of sectors, too, which the first sector says without a seal. */
  if (said->size != 0 && (said->size != moved || said->disk != moved_to))
    return rijnv_refuse(v, RIJN_VOLUME_EDAMAGED,
                        "BitLocker: with sectors of %u bytes, the metadata contradict themselves on the moved sectors",
                        sector);
  for (int i = 0; i < COPIES; i++)
    whole = whole && place_of(block, i) % sector == 0;
  int r = rijnv_set_sectors(v, mode, sector, 0, size);
  if (r != RIJN_VOLUME_OK || v->refusal.code != 0)
    return r;
  v->step_unit = mode == RIJNV_XTS ? sector : 1;
  v->tweak_of_disk = true;
  if (whole && lay_out(v, block, moved_to, moved))
    return RIJN_VOLUME_OK;
  v->facts.size = 0;
  return rijnv_refuse(v, RIJN_VOLUME_EDAMAGED, "BitLocker: places of its own overlap, or lie behind the end");
}

/* ---------------------------------------------------------------- metadata */

static size_t size_of(const uint8_t *block) { return 16 * (size_t)rijnv_le(block + 8, 2); } /* since Windows 7 */

/* Is this copy whole? *len: bytes of its entries and their header. */
static bool is_whole(const uint8_t *block, size_t *len) {
  size_t size = size_of(block);
  if (memcmp(block, "-FVE-FS-", 8) != 0 || rijnv_le(block + 10, 2) != 2)
    return false;
  if (size < BLOCK_HEADER + HEADER || size > BLOCK - 8 || rijnv_le(block + size + 4, 4) != rijnv_crc32(block, size))
    return false;
  *len = (size_t)rijnv_le(block + BLOCK_HEADER, 4);
  return *len >= HEADER && *len <= size - BLOCK_HEADER && rijnv_le(block + BLOCK_HEADER + 8, 4) == HEADER;
}

static int read_metadata(rijn_volume *v, const uint64_t copies[COPIES], uint8_t *block, size_t *len,
                         rijn_volume_error *err) {
  int worst = RIJN_VOLUME_OK;
  for (int i = 0; i < COPIES; i++) {
    int r = rijnv_read(&v->disk, block, BLOCK, copies[i], "BitLocker's metadata", err);
    worst = r != RIJN_VOLUME_OK ? r : worst;
    /* WHY its own place too: nothing guards the first sector. */
    if (r != RIJN_VOLUME_OK || !is_whole(block, len) || place_of(block, i) != copies[i])
      continue;
    v->facts.header_used = i + 1;
    return RIJN_VOLUME_OK;
  }
  if (worst != RIJN_VOLUME_OK) /* which has its sentence */
    return worst;
  return rijnv_fail(err, RIJN_VOLUME_EDAMAGED, "BitLocker: none of the three copies of the metadata is whole");
}

/* WHY: anybody can make the checksum. Behind it lies the hash that only who has the VMK can seal. */
static int take_seal(rijn_volume *v, const uint8_t *block, rijn_volume_error *err) {
  struct rijnv_bitlocker *b = &v->bitlocker;
  struct rijnv_entry e;
  const uint8_t *p = block + size_of(block) + 8;
  if (rijnv_entry_next(&p, block + BLOCK, &e) > 0 && e.type == TYPE_PROPERTY && e.value == RIJNV_BDE_SEALED)
    take_blob(&b->seal, &e);
  if (rijnv_digest("sha256", block, size_of(block), NULL, 0, b->digest) == RIJN_VOLUME_OK)
    return RIJN_VOLUME_OK;
  return rijnv_fail(err, RIJN_VOLUME_ECRYPTO, "BitLocker: SHA-256 failed in libcrypto");
}

/* What all copies say alike: states, sizes, places and the cipher. */
static bool same_copy(const uint8_t *a, const uint8_t *b) {
  enum { FROM = 12, METHOD = BLOCK_HEADER + 36 };
  return memcmp(a + FROM, b + FROM, BLOCK_HEADER - FROM) == 0 && memcmp(a + METHOD, b + METHOD, 2) == 0;
}

/* Where they contradict each other, the newest may be another one than the first: only reading does no harm. */
static void compare_copies(rijn_volume *v, const uint8_t *block, uint8_t *other) {
  size_t len;
  for (int i = 0; i < COPIES; i++)
    if (i + 1 != v->facts.header_used &&
        rijnv_read(&v->disk, other, BLOCK, place_of(block, i), "BitLocker's metadata", NULL) == RIJN_VOLUME_OK &&
        is_whole(other, &len) && !same_copy(block, other))
      v->facts.copies_differ = v->facts.reads_only = true;
}

static int64_t unix_time(uint64_t filetime) {
  const uint64_t second = 10000000, from_1601 = UINT64_C(11644473600);
  return filetime / second > from_1601 ? (int64_t)(filetime / second - from_1601) : 0;
}

static void list_facts(rijn_volume *v, const uint8_t *block, unsigned sector) {
  const uint8_t *h = block + BLOCK_HEADER;
  rijn_volume_facts *f = &v->facts;
  v->bitlocker.method = (unsigned)rijnv_le(h + 36, 2);
  f->version = (unsigned)rijnv_le(block + 10, 2);
  f->sector_size = sector;
  f->created = unix_time(rijnv_le(h + 40, 8));
  rijnv_guid_text(f->uuid, h + 16);
  snprintf(f->cipher, sizeof f->cipher, "unknown (0x%x)", v->bitlocker.method);
  for (size_t i = 0; i < CIPHERS; i++)
    if (ciphers[i].method == v->bitlocker.method) {
      snprintf(f->cipher, sizeof f->cipher, "%s", ciphers[i].name);
      f->key_bits = ciphers[i].bits;
    }
}

static bool has_usable(const rijn_volume_facts *f) {
  for (size_t i = 0; i < f->slots_n; i++)
    if (f->slots[i].understood)
      return true;
  return false;
}

static int check(rijn_volume *v, const uint8_t *block, unsigned sector, bool eow) {
  unsigned state = (unsigned)rijnv_le(block + 12, 2), next = (unsigned)rijnv_le(block + 14, 2);
  if (rijnv_bitlocker_mode(v->bitlocker.method) == RIJNV_NONE)
    return rijnv_refuse(v, RIJN_VOLUME_ECIPHER, "BitLocker: the cipher is not supported: %s", v->facts.cipher);
  if (state != STATE_ENCRYPTED || next != STATE_ENCRYPTED)
    return rijnv_refuse(v, RIJN_VOLUME_EREENCRYPT,
                        "BitLocker: Windows has not ended what it began, to encrypt or to decrypt (states %u and %u)",
                        state, next);
  if (eow)
    return rijnv_refuse(v, RIJN_VOLUME_EREENCRYPT,
                        "BitLocker: sectors are encrypted when they are written (encrypt on write), and a map on the "
                        "disk says which are; that is not supported");
  if (v->bitlocker.fvek.len < 12 + rijnv_bitlocker_key_len(v->bitlocker.method))
    return rijnv_refuse(v, RIJN_VOLUME_EKEYSLOT, "BitLocker: there is no volume key of the cipher's length");
  if (v->bitlocker.seal.len != 44)
    return rijnv_refuse(
        v, RIJN_VOLUME_EDAMAGED,
        "BitLocker: the metadata's hash is not there, sealed with the protectors' key: anybody may have "
        "changed them");
  if (!has_usable(&v->facts))
    return rijnv_refuse(v, RIJN_VOLUME_EKEYSLOT,
                        "BitLocker: no protector can be used here%s%s: a password, a recovery key, a startup key or a "
                        "clear key can",
                        v->facts.slots_n > 0 ? "; the first is " : "",
                        v->facts.slots_n > 0 ? v->facts.slots[0].name : "");
  return take_layout(v, block, sector);
}

/* ---------------------------------------------------------------- the first sector */

/* Where in it the GUID lies by which the copies are found; 0: this is no BitLocker. */
static size_t guid_at(const uint8_t *boot) {
  if (memcmp(boot + 3, "-FVE-FS-", 8) == 0)
    return 160;
  return memcmp(boot + 3, "MSWIN4.1", 8) == 0 && memcmp(boot + 424, guid_fve, 16) == 0 ? 424 : 0; /* BitLocker To Go */
}

int rijnv_bitlocker_forget(const rijn_volume_disk *disk, rijn_volume_error *err) {
  static const uint8_t zeros[4096] = {0};
  uint8_t boot[BOOT];
  size_t n = disk->sector_size == 4096 ? 4096 : BOOT; /* a block device is written in whole sectors */
  if (disk->size < n)
    return RIJN_VOLUME_OK;
  int r = rijnv_read(disk, boot, BOOT, 0, "first sector", err);
  if (r == RIJN_VOLUME_OK && guid_at(boot) != 0)
    r = rijnv_write(disk, zeros, n, 0, "first sector", err);
  return r;
}

int rijnv_bitlocker_load(rijn_volume *v, rijn_volume_error *err) {
  uint8_t boot[BOOT];
  uint64_t copies[COPIES];
  size_t len = 0;
  if (v->facts.detached || v->disk.size < BOOT)
    return RIJN_VOLUME_EFORMAT;
  int r = rijnv_read(&v->disk, boot, BOOT, 0, "first sector", err);
  size_t at = r == RIJN_VOLUME_OK ? guid_at(boot) : 0;
  if (r != RIJN_VOLUME_OK || at == 0)
    return r != RIJN_VOLUME_OK ? r : RIJN_VOLUME_EFORMAT;
  bool eow = memcmp(boot + at, guid_eow, 16) == 0;
  v->facts.format = RIJN_VOLUME_BITLOCKER;
  if (!eow && memcmp(boot + at, guid_fve, 16) != 0)
    return rijnv_fail(err, RIJN_VOLUME_EVERSION, "BitLocker: the first sector is of Windows Vista, or damaged");
  unsigned sector = (unsigned)rijnv_le(boot + 11, 2);
  if (sector == 0)
    sector = 512;
  if (sector != 512 && sector != 4096)
    return rijnv_fail(err, RIJN_VOLUME_ESECTOR, "BitLocker: sectors of %u bytes", sector);
  for (int i = 0; i < COPIES; i++)
    copies[i] = rijnv_le(boot + at + 16 + 8 * i, 8);
  uint8_t *block = rijnv_secret_alloc(2 * BLOCK); /* a clear key may lie in it */
  if (block == NULL)
    return rijnv_fail(err, RIJN_VOLUME_EMEM, "out of memory");
  r = read_metadata(v, copies, block, &len, err);
  if (r == RIJN_VOLUME_OK) {
    list_facts(v, block, sector);
    r = take_entries(v, block + BLOCK_HEADER + HEADER, block + BLOCK_HEADER + len, err);
  }
  if (r == RIJN_VOLUME_OK) {
    compare_copies(v, block, block + BLOCK);
    r = take_seal(v, block, err);
  }
  if (r == RIJN_VOLUME_OK)
    r = check(v, block, sector, eow);
  rijnv_secret_free(block, 2 * BLOCK);
  return r;
}
