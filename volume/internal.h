/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* What the files of librijn-volume share. */
#ifndef RIJN_VOLUME_INTERNAL_H
#define RIJN_VOLUME_INTERNAL_H

#include "rijn-volume.h"

#include <rijn.h>

#include <pthread.h>

struct json_object;
struct stat;

/* ---------------------------------------------------------------- support.c */

/* Fills *err, which may be NULL, and answers code. */
int rijnv_fail(rijn_volume_error *err, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Zeroed pages that a core dump leaves out, or NULL; wiped by their free. */
void *rijnv_secret_alloc(size_t len);
void rijnv_secret_free(void *p, size_t len);
/* From the header's disk, with a sentence when it fails. what: what is read. */
int rijnv_read(const rijn_volume_disk *disk, void *buf, size_t len, uint64_t offset, const char *what,
               rijn_volume_error *err);
int rijnv_write(const rijn_volume_disk *disk, const void *buf, size_t len, uint64_t offset, const char *what,
                rijn_volume_error *err);
int rijnv_flush(const rijn_volume_disk *disk, rijn_volume_error *err);
int rijnv_random(void *buf, size_t len, rijn_volume_error *err);

static inline uint64_t rijnv_le(const uint8_t *p, unsigned bytes) {
  uint64_t v = 0;
  while (bytes-- > 0)
    v = v << 8 | p[bytes];
  return v;
}
static inline uint64_t rijnv_be(const uint8_t *p, unsigned bytes) {
  uint64_t v = 0;
  for (unsigned i = 0; i < bytes; i++)
    v = v << 8 | p[i];
  return v;
}
static inline void rijnv_put_le(uint8_t *p, uint64_t v, unsigned bytes) {
  for (unsigned i = 0; i < bytes; i++, v >>= 8)
    p[i] = (uint8_t)v;
}
static inline void rijnv_put_be(uint8_t *p, uint64_t v, unsigned bytes) {
  for (; bytes-- > 0; v >>= 8)
    p[bytes] = (uint8_t)v;
}
/* CRC-32 of IEEE 802.3. CT: no table, for key files go through it. */
static inline uint32_t rijnv_crc32_step(uint32_t crc, uint8_t byte) {
  crc ^= byte;
  for (int i = 0; i < 8; i++)
    crc = crc >> 1 ^ (0xedb88320 & (0u - (crc & 1)));
  return crc;
}
static inline uint32_t rijnv_crc32(const uint8_t *p, size_t len) {
  uint32_t crc = ~0u;
  while (len-- > 0)
    crc = rijnv_crc32_step(crc, *p++);
  return ~crc;
}
static inline bool rijnv_is_power_of_two(uint64_t v) { return v != 0 && (v & (v - 1)) == 0; }

/* ---------------------------------------------------------------- disk.c, claim.c, user.c */

/* Where a disk of rijn_volume_disk_open lies. */
struct rijnv_place {
  int fd, *claim; /* claim: what claim.c opens, closed with the disk */
  bool part;      /* of a disk: these bytes of it */
  uint64_t offset, size;
};
/* false: the disk is somebody else's calls. */
bool rijnv_disk_place(const rijn_volume_disk *disk, struct rijnv_place *place);

/* The lock that cryptsetup, too, takes around each change of a LUKS2 header and, shared, to read it. */
struct rijnv_lock {
  int fd; /* -1: not held */
  bool device;
};
int rijnv_lock_header(const rijn_volume_disk *disk, struct rijnv_lock *lock, bool change, rijn_volume_error *err);
void rijnv_unlock_header(struct rijnv_lock *lock, const rijn_volume_disk *disk);

/* A few words on who uses the file or device, or "". */
void rijnv_user_of(const struct stat *st, char *text, size_t room);
/* Does a loop device show this file? */
bool rijnv_loop_of(const struct stat *st);

/* ---------------------------------------------------------------- kdf.c */

struct rijnv_limits {
  uint64_t memory_kib, rounds;
};
struct rijnv_limits rijnv_limits_of(const rijn_volume_options *options);

/* LUKS's names. Is there such a hash? */
bool rijnv_has_hash(const char *name);
/* Bytes of its digest, or 0. */
size_t rijnv_hash_len(const char *name);
/* digest has room for 64 bytes. */
int rijnv_digest(const char *hash, const void *a, size_t a_len, const void *b, size_t b_len, uint8_t *digest);
int rijnv_pbkdf2(const char *hash, rijn_volume_bytes pass, rijn_volume_bytes salt, uint64_t rounds, uint8_t *out,
                 size_t out_len);
/* HMAC-SHA512 over n parts. */
int rijnv_hmac512(rijn_volume_bytes key, const rijn_volume_bytes *parts, size_t n, uint8_t out[64]);

struct rijnv_kdf {
  char name[16], hash[32]; /* pbkdf2, argon2i, argon2id */
  uint64_t rounds, memory_kib;
  unsigned lanes;
  uint8_t salt[64];
  size_t salt_len;
};
/* Does it stay within the limits? slot: for the sentence. */
int rijnv_kdf_cost(const struct rijnv_kdf *kdf, int slot, const struct rijnv_limits *limits, rijn_volume_error *err);
int rijnv_kdf_run(const struct rijnv_kdf *kdf, rijn_volume_bytes pass, uint8_t *out, size_t out_len,
                  rijn_volume_error *err);

/* ---------------------------------------------------------------- af.c */

enum { RIJNV_STRIPES = 4000, RIJNV_KEY_MAX = 64 };
/* material: len * RIJNV_STRIPES bytes. */
int rijnv_af_merge(const char *hash, const uint8_t *material, uint8_t *key, size_t len);
int rijnv_af_split(const char *hash, const uint8_t *key, uint8_t *material, size_t len, rijn_volume_error *err);

/* ---------------------------------------------------------------- sectors.c */

enum rijnv_mode {
  RIJNV_NONE,
  RIJNV_XTS,       /* plain64 of LUKS; GELI's byte offset */
  RIJNV_XTS_PLAIN, /* plain: 32 bits of the sector number */
  RIJNV_CBC_ESSIV, /* ESSIV with SHA-256 */
  RIJNV_CBC_PLAIN64,
  RIJNV_CBC_GELI,     /* IV from IV-Key and byte offset */
  RIJNV_CBC_BITLOCKER /* IV is the byte offset, encrypted under the same key */
};
struct rijnv_key {
  rijn_xts_key xts;
  rijn_aes_key aes, essiv;
  uint8_t iv_key[64];
};
/* The mode that LUKS calls so, RIJNV_NONE for any other. */
enum rijnv_mode rijnv_mode_of(const char *spec);
/* A cipher that encrypts nothing: whoever has the disk could give text of their own for the owner's. */
bool rijnv_is_null(const char *spec);
bool rijnv_mode_writes(enum rijnv_mode mode);
bool rijnv_mode_is_xts(enum rijnv_mode mode);
bool rijnv_mode_key_len(enum rijnv_mode mode, size_t len);
/* iv_key: of RIJNV_CBC_GELI, else NULL. */
int rijnv_key_init(struct rijnv_key *key, enum rijnv_mode mode, const uint8_t *raw, size_t len, const uint8_t *iv_key);

struct rijnv_run {
  enum rijnv_mode mode;
  unsigned sector_size;
  size_t sectors;
  uint64_t first, step; /* of the tweak or the IV */
};
/* out is exactly in, or disjoint from it. */
int rijnv_crypt(const struct rijnv_key *key, const struct rijnv_run *run, void *out, const void *in, bool encrypt);

/* ---------------------------------------------------------------- luks_area.c */

struct rijnv_area {
  uint64_t offset;
  enum rijnv_mode mode;
  size_t area_key_len, key_len; /* of the key of the area, and of the one in it */
  const char *af_hash;
};
/* Bytes of the area's material, rounded up to sectors. */
size_t rijnv_area_bytes(const struct rijnv_area *area);
int rijnv_area_open(const rijn_volume_disk *disk, const struct rijnv_area *area, const uint8_t *area_key, uint8_t *key,
                    rijn_volume_error *err);
int rijnv_area_seal(const rijn_volume_disk *disk, const struct rijnv_area *area, const uint8_t *area_key,
                    const uint8_t *key, rijn_volume_error *err);

/* ---------------------------------------------------------------- formats */

struct rijnv_luks1_slot {
  uint64_t offset;
  struct rijnv_kdf kdf;
  bool active;
};
struct rijnv_luks1 {
  size_t key_len;
  struct rijnv_kdf digest_kdf;
  uint8_t digest[20];
  struct rijnv_luks1_slot slots[8];
};

struct rijnv_luks2_slot {
  bool present, understood, bound;
  int priority;
  uint64_t area_offset, area_size;
  enum rijnv_mode mode;
  size_t area_key_len, key_len;
  char af_hash[32];
  struct rijnv_kdf kdf;
};
struct rijnv_luks2 {
  struct json_object *json;
  uint64_t header_size, epoch;
  uint8_t seen[32];  /* SHA-256 of the epoch and the JSON, as they are on the disk */
  int used;          /* 1 or 2: the copy that was read; 0: none is on the disk yet */
  uint8_t raw[4096]; /* its binary header */
  struct rijnv_luks2_slot slots[32];
  int digest_number; /* of the segment; -1: none */
  struct rijnv_kdf digest_kdf;
  uint8_t digest[64];
  size_t digest_len;
  uint64_t slots_end;     /* where the area of key slots ends */
  uint8_t volume_key[64]; /* once unlocked */
  size_t volume_key_len;
  size_t new_area_key_len; /* of the area of a new key slot */
};

struct rijnv_geli {
  unsigned version, flags, ealgo, keylen, aalgo, sector_size, keys;
  uint64_t provsize;
  int32_t rounds;
  uint8_t salt[64], slots[2][192];
  uint8_t iv_key[64], data_key[64]; /* once unlocked */
};

/* VeraCrypt and TrueCrypt: nothing is known before a key opens one of the headers. */
struct rijnv_veracrypt {
  struct {
    bool present;
    uint64_t offset;
  } headers[6]; /* by the number of the slot: veracrypt.c has them */
};

/* Where bytes of the volume lie on the disk. */
struct rijnv_segment {
  uint64_t start, size, disk;
  bool zero; /* nowhere: they read as zeros, and only zeros are taken */
};

/* What AES-CCM has sealed. */
struct rijnv_blob {
  uint8_t nonce[12], tag[16], data[80];
  size_t len;
};
struct rijnv_protector {
  unsigned kind;
  uint8_t guid[16], salt[16], clear_key[32];
  bool has_salt, has_clear_key;
  struct rijnv_blob vmk; /* len 0: none that is understood */
};
struct rijnv_bitlocker {
  unsigned method; /* of the sectors */
  size_t protectors_n;
  struct rijnv_protector protectors[32];
  struct rijnv_blob fvek, seal; /* seal: holds the SHA-256 of the metadata */
  uint8_t digest[64];           /* which they have */
  struct rijnv_segment moved;   /* the first sectors, by the entry that some Windows write; size 0: there is none */
};

enum { RIJNV_CACHE = 64, RIJNV_SEGMENTS = 12 };
struct rijn_volume {
  rijn_volume_disk disk, header;
  rijn_volume_options options;
  rijn_volume_facts facts;
  rijn_volume_error refusal;
  bool unlocked;
  enum rijnv_mode mode;
  uint64_t step_unit; /* what one step of the tweak stands for, in bytes */
  bool tweak_of_disk; /* the tweak counts from the start of the disk, not of the volume */
  size_t segments_n;
  struct rijnv_segment segments[RIJNV_SEGMENTS];
  struct rijnv_luks1 luks1;
  struct rijnv_luks2 luks2;
  struct rijnv_geli geli;
  struct rijnv_veracrypt veracrypt;
  struct rijnv_bitlocker bitlocker;
  struct rijnv_key key; /* where there is one for all sectors */
  pthread_rwlock_t parts;
  pthread_mutex_t cache_lock, pool_lock;
  uint64_t cache_clock, cache_number[RIJNV_CACHE], cache_used[RIJNV_CACHE]; /* used 0: empty */
  struct rijnv_key cache[RIJNV_CACHE];
  void *pool[16]; /* buffers for writes */
  unsigned pool_n;
};

/* A GUID as Microsoft writes it. partition.c */
void rijnv_guid_text(char to[37], const uint8_t g[16]);
/* bitlocker.c: entries of BitLocker's metadata and of its key files, one after the other. */
struct rijnv_entry {
  unsigned type, value;
  const uint8_t *data;
  size_t len;
};
/* 1: *e is the next of *p, which moves on. 0: there are no more. -1: what is there is no entry. */
int rijnv_entry_next(const uint8_t **p, const uint8_t *end, struct rijnv_entry *e);
enum {
  RIJNV_BDE_ERASED,
  RIJNV_BDE_KEY,
  RIJNV_BDE_TEXT,
  RIJNV_BDE_STRETCH,
  RIJNV_BDE_SEALED = 5,
  RIJNV_BDE_VMK = 8,
  RIJNV_BDE_EXTERNAL,
  RIJNV_BDE_MOVED = 15
}; /* values of entries */
enum { RIJNV_BDE_CLEAR, RIJNV_BDE_STARTUP = 0x200, RIJNV_BDE_RECOVERY = 0x800, RIJNV_BDE_PASSWORD = 0x2000 };
size_t rijnv_bitlocker_key_len(unsigned method);
enum rijnv_mode rijnv_bitlocker_mode(unsigned method);

/* Each looks whether its header is there: EFORMAT if not, OK with facts and, perhaps, a refusal. */
int rijnv_luks1_load(rijn_volume *v, rijn_volume_error *err);
int rijnv_luks2_load(rijn_volume *v, rijn_volume_error *err);
int rijnv_geli_load(rijn_volume *v, rijn_volume_error *err);
int rijnv_veracrypt_load(rijn_volume *v, rijn_volume_error *err);
int rijnv_bitlocker_load(rijn_volume *v, rijn_volume_error *err);
int rijnv_luks1_unlock(rijn_volume *v, const rijn_volume_secret *secret, int *slot, rijn_volume_error *err);
int rijnv_luks2_unlock(rijn_volume *v, const rijn_volume_secret *secret, int *slot, rijn_volume_error *err);
int rijnv_geli_unlock(rijn_volume *v, const rijn_volume_secret *secret, int *slot, rijn_volume_error *err);
int rijnv_veracrypt_unlock(rijn_volume *v, const rijn_volume_secret *secret, int *slot, rijn_volume_error *err);
int rijnv_bitlocker_unlock(rijn_volume *v, const rijn_volume_secret *secret, int *slot, rijn_volume_error *err);
/* What the header does not understand or forbids, the first time that it is said. Answers OK. */
int rijnv_refuse(rijn_volume *v, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Key of 2^20 sectors of GELI. */
int rijnv_geli_data_key(const struct rijnv_geli *g, uint64_t number, struct rijnv_key *key);

/* What is known of the sectors: checks mode, sector size and room, and fills facts and v. */
int rijnv_set_sectors(rijn_volume *v, enum rijnv_mode mode, unsigned sector_size, uint64_t offset, uint64_t size);
/* The secrets of LUKS, one after the other: false when there are no more. */
bool rijnv_luks_secret(const rijn_volume_secret *secret, size_t i, rijn_volume_bytes *pass);
/* May a new key be made of it? EARG where it has no byte. Format: LUKS2 takes the first part, GELI all of them. */
int rijnv_new_secret(const rijn_volume_secret *secret, int format, rijn_volume_error *err);

/* luks2_json.c: v->luks2.json into slots, facts and refusal. */
int rijnv_luks2_parse(rijn_volume *v, rijn_volume_error *err);
/* luks2_header.c: both copies of the header, the one in use last, each flushed before the other is touched. Raises the
 * epoch. */
int rijnv_luks2_write(const rijn_volume_disk *disk, struct rijnv_luks2 *l, rijn_volume_error *err);
/* Is the header on the disk the one that v knows? EBUSY: another has changed it. */
int rijnv_luks2_unchanged(rijn_volume *v, rijn_volume_error *err);
/* The epoch of the LUKS2 header that is on the disk, 0 where there is none. */
uint64_t rijnv_luks2_epoch_on(const rijn_volume_disk *disk);
/* Zeros over what a LUKS header is known by, at each place where one may lie. */
int rijnv_luks_forget(const rijn_volume_disk *disk, rijn_volume_error *err);
/* The same of BitLocker's first sector. */
int rijnv_bitlocker_forget(const rijn_volume_disk *disk, rijn_volume_error *err);
struct json_object *rijnv_json_parse(const char *text, size_t len);
/* luks2_slots.c: the key into a free area of a free slot, and the slot into the JSON, whose header is not written. */
int rijnv_luks2_new_slot(const rijn_volume_disk *disk, struct rijnv_luks2 *l, const rijn_volume_secret *secret,
                         const rijn_volume_kdf *kdf, int *slot, rijn_volume_error *err);
/* A new object of a KDF, with a salt, and its JSON. */
int rijnv_kdf_new(struct rijnv_kdf *k, const rijn_volume_kdf *wanted, struct json_object **json,
                  rijn_volume_error *err);
struct json_object *rijnv_json_base64(const void *p, size_t len);
struct json_object *rijnv_json_u64(uint64_t value);
/* geli.c */
/* The same for GELI's metadata, which lie by the size of the disk's sectors. */
int rijnv_geli_forget(const rijn_volume_disk *disk, rijn_volume_error *err);
bool rijnv_geli_encode(const struct rijnv_geli *g, uint8_t sector[512]);
int rijnv_geli_user_key(const struct rijnv_geli *g, const rijn_volume_secret *secret, bool passphrase, uint8_t key[64]);
int rijnv_geli_seal(struct rijnv_geli *g, int slot, const uint8_t user_key[64]);
int rijnv_luks2_create(const rijn_volume_disk *disk, const rijn_volume_create *what, const rijn_volume_secret *secret,
                       rijn_volume_error *err);
int rijnv_geli_create(const rijn_volume_disk *disk, const rijn_volume_create *what, const rijn_volume_secret *secret,
                      void *backup, rijn_volume_error *err);

#endif
