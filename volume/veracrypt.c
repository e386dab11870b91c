/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* VeraCrypt and TrueCrypt: a header of 512 bytes, all noise but for whoever has the key. SPEC: "VeraCrypt Volume Format
 * Specification", "Header Key Derivation" and "Keyfiles" of VeraCrypt's documentation. */
#include "internal.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HEADER = 512, SALT = 64, SEALED = HEADER - SALT, KEY = 64, POOL = 64, POOL_LONG = 128 };
enum { AREA = 65536, NEWEST = 5, PIM_MOST = 2147468 };
/* Which header: the numbers of slots. */
enum { NORMAL, HIDDEN, NORMAL_BACKUP, HIDDEN_BACKUP, SYSTEM, HIDDEN_OLD, HEADERS };

/* WHY the backups and the system's only when they are named: each header costs seconds. */
static const struct {
  const char *name;
  int priority;
} headers[HEADERS] = {
    [NORMAL] = {"header of the volume", 1},          [HIDDEN] = {"header of a hidden volume", 1},
    [NORMAL_BACKUP] = {"backup of the header", 0},   [HIDDEN_BACKUP] = {"backup of the hidden header", 0},
    [SYSTEM] = {"header of an encrypted system", 0}, [HIDDEN_OLD] = {"hidden header of TrueCrypt 5", 1}};

/* In the order in which they are tried: the usual ones first, the slowest last. */
static const struct hash {
  const char *name;
  unsigned rounds, system_rounds; /* of VeraCrypt; those of TrueCrypt follow, 0: it has no such hash */
  unsigned truecrypt, truecrypt_system;
  bool system_pim; /* of a system PIM counts 2048 rounds of this hash */
} hashes[] = {{"sha512", 500000, 500000, 1000, 1000, false},
              {"sha256", 500000, 200000, 0, 0, true},
              {"blake2s-256", 500000, 200000, 0, 0, true},
              {"whirlpool", 500000, 500000, 1000, 1000, false},
              {"ripemd160", 655331, 327661, 2000, 1000, true}};
enum { HASHES = sizeof hashes / sizeof hashes[0] };

static bool place_of(int slot, uint64_t size, uint64_t *offset) {
  const uint64_t places[HEADERS] = {[NORMAL] = 0,
                                    [HIDDEN] = AREA,
                                    [NORMAL_BACKUP] = size - 2 * AREA,
                                    [HIDDEN_BACKUP] = size - AREA,
                                    [SYSTEM] = 62 * 512,
                                    [HIDDEN_OLD] = size - 3 * 512};
  const uint64_t least[HEADERS] = {
      [NORMAL] = 1024,     [HIDDEN] = AREA + HEADER, [NORMAL_BACKUP] = 4 * AREA, [HIDDEN_BACKUP] = 4 * AREA,
      [SYSTEM] = 64 * 512, [HIDDEN_OLD] = 8 * 512};
  *offset = places[slot];
  return size >= least[slot];
}

int rijnv_veracrypt_load(rijn_volume *v, rijn_volume_error *err) {
  rijn_volume_facts *f = &v->facts;
  bool known = v->options.hash[0] == '\0';
  for (size_t i = 0; i < HASHES; i++)
    known = known || strcmp(v->options.hash, hashes[i].name) == 0;
  if (!known)
    return rijnv_fail(err, RIJN_VOLUME_EARG,
                      "VeraCrypt: the hash is sha512, sha256, blake2s-256, whirlpool or ripemd160, not '%s'",
                      v->options.hash);
  if (v->options.pim > PIM_MOST)
    return rijnv_fail(err, RIJN_VOLUME_EARG, "VeraCrypt: a PIM is at most %d", PIM_MOST);
  if (v->facts.detached)
    return rijnv_fail(err, RIJN_VOLUME_EARG, "VeraCrypt: a volume has its headers in itself");
  for (int i = 0; i < HEADERS; i++) {
    v->veracrypt.headers[i].present = place_of(i, v->disk.size, &v->veracrypt.headers[i].offset);
    if (!v->veracrypt.headers[i].present)
      continue;
    rijn_volume_slot *s = &f->slots[f->slots_n++];
    *s = (rijn_volume_slot){.number = i, .priority = headers[i].priority, .bound = true, .understood = true};
    snprintf(s->name, sizeof s->name, "%s", headers[i].name);
  }
  f->format = RIJN_VOLUME_VERACRYPT;
  f->sector_size = 512;
  return f->slots_n > 0 ? RIJN_VOLUME_OK : RIJN_VOLUME_EFORMAT;
}

/* ---------------------------------------------------------------- passphrase and key files */

/* The bytes of CRC-32's register, without the complement at its end, are added to the pool. */
static void mix_key_file(uint8_t *pool, size_t pool_len, rijn_volume_bytes file) {
  enum { MOST = 1 << 20 };
  const uint8_t *p = file.data;
  uint32_t crc = ~0u;
  size_t at = 0;
  for (size_t i = 0; i < file.len && i < MOST; i++) {
    crc = rijnv_crc32_step(crc, p[i]);
    for (int shift = 24; shift >= 0; shift -= 8) {
      pool[at] = (uint8_t)(pool[at] + (crc >> shift));
      at = (at + 1) % pool_len;
    }
  }
}

/* The password that PBKDF2 gets: bytes has room for POOL_LONG. Its length, or 0 where it is too long. */
static size_t password_of(const rijn_volume_secret *secret, bool truecrypt, uint8_t *bytes) {
  uint8_t pool[POOL_LONG] = {0};
  size_t len = secret->passphrase != NULL ? secret->passphrase_len : 0, pool_len = len > POOL ? POOL_LONG : POOL;
  if (len > (truecrypt ? POOL : POOL_LONG))
    return 0;
  memset(bytes, 0, POOL_LONG);
  if (len > 0)
    memcpy(bytes, secret->passphrase, len);
  if (secret->key_files_n == 0)
    return len;
  for (size_t i = 0; i < secret->key_files_n; i++)
    mix_key_file(pool, pool_len, secret->key_files[i]);
  for (size_t i = 0; i < pool_len; i++)
    bytes[i] = (uint8_t)(bytes[i] + pool[i]);
  explicit_bzero(pool, sizeof pool);
  return pool_len;
}

/* ---------------------------------------------------------------- what may open it */

struct candidate {
  int slot;
  bool truecrypt;
  const struct hash *hash;
  uint64_t rounds;
};

/* All that the threads share. */
struct work {
  const uint8_t (*headers)[HEADER];
  uint8_t passwords[2][POOL_LONG]; /* of VeraCrypt, of TrueCrypt */
  size_t password_len[2];
  struct candidate list[HEADERS * HASHES * 2];
  size_t n;
  atomic_size_t next, opened; /* opened: the lowest index that opens, n where none does */
  pthread_mutex_t lock;
  const struct hash *failed; /* under lock, as plain; NULL: none */
  uint8_t plain[HEADER];
};

static uint64_t rounds_of(const rijn_volume *v, const struct hash *h, bool system, bool truecrypt) {
  uint64_t pim = v->options.pim;
  if (truecrypt)
    return system ? h->truecrypt_system : h->truecrypt;
  if (pim != 0)
    return system && h->system_pim ? pim * 2048 : 15000 + pim * 1000;
  return system ? h->system_rounds : h->rounds;
}

static void add_candidate(const rijn_volume *v, struct work *w, struct candidate c) {
  if (c.rounds == 0 || !v->veracrypt.headers[c.slot].present || w->password_len[c.truecrypt] == 0)
    return;
  if ((c.truecrypt && v->options.pim != 0) || (c.slot == HIDDEN_OLD && !c.truecrypt))
    return;
  w->list[w->n++] = c;
}

/* TrueCrypt's rounds are a hundredth of VeraCrypt's, so they come first. */
static void list_candidates(const rijn_volume *v, int named, struct work *w) {
  for (int truecrypt = 1; truecrypt >= 0; truecrypt--)
    for (int i = 0; i < HASHES; i++)
      for (int slot = 0; slot < HEADERS; slot++) {
        const struct hash *h = &hashes[i];
        bool slot_wanted = named >= 0 ? named == slot : headers[slot].priority > 0;
        bool hash_wanted = v->options.hash[0] == '\0' || strcmp(v->options.hash, h->name) == 0;
        if (!slot_wanted || !hash_wanted || !rijnv_has_hash(h->name))
          continue;
        /* Where an encrypted system's header lies, one with the rounds of other volumes opens too. */
        for (int system = slot == SYSTEM; system >= 0; system--)
          add_candidate(v, w, (struct candidate){slot, truecrypt != 0, h, rounds_of(v, h, system, truecrypt != 0)});
      }
}

/* Does this password open the header? plain gets it without the salt's place changed. */
static int try_candidate(const struct work *w, const struct candidate *c, uint8_t plain[HEADER]) {
  const uint8_t *sealed = w->headers[c->slot];
  rijn_volume_bytes pass = {w->passwords[c->truecrypt], w->password_len[c->truecrypt]}, salt = {sealed, SALT};
  static const uint8_t tweak[16] = {0};
  uint8_t key[KEY];
  rijn_xts_key xts;
  int r = rijnv_pbkdf2(c->hash->name, pass, salt, c->rounds, key, sizeof key);
  if (r == RIJN_VOLUME_OK && rijn_xts_init(&xts, key, sizeof key) != RIJN_OK)
    r = RIJN_VOLUME_EKEY; /* two equal halves are no key */
  if (r == RIJN_VOLUME_OK && rijn_xts_decrypt(&xts, plain + SALT, sealed + SALT, SEALED, tweak) != RIJN_OK)
    r = RIJN_VOLUME_ECRYPTO;
  /* CT: whether a candidate opens the header is seen by all. */
  if (r == RIJN_VOLUME_OK && (memcmp(plain + 64, c->truecrypt ? "TRUE" : "VERA", 4) != 0 ||
                              rijnv_be(plain + 72, 4) != rijnv_crc32(plain + 256, 256)))
    r = RIJN_VOLUME_EKEY;
  if (r == RIJN_VOLUME_OK && rijnv_be(plain + 68, 2) >= 4 && rijnv_be(plain + 252, 4) != rijnv_crc32(plain + 64, 188))
    r = RIJN_VOLUME_EKEY;
  explicit_bzero(key, sizeof key);
  rijn_xts_wipe(&xts);
  return r;
}

/* The order counts, not which thread is faster: whatever stands before the one that opens is tried. */
static void *worker(void *argument) {
  struct work *w = argument;
  uint8_t plain[HEADER];
  for (size_t i; (i = atomic_fetch_add(&w->next, 1)) < atomic_load(&w->opened);) {
    int r = try_candidate(w, &w->list[i], plain);
    pthread_mutex_lock(&w->lock);
    if (r == RIJN_VOLUME_OK && i < atomic_load(&w->opened)) {
      memcpy(w->plain, plain, HEADER);
      atomic_store(&w->opened, i);
    } else if (r == RIJN_VOLUME_ECRYPTO) {
      w->failed = w->list[i].hash;
    }
    pthread_mutex_unlock(&w->lock);
  }
  explicit_bzero(plain, sizeof plain);
  return NULL;
}

/* This thread works too, so that it goes on where no other can be had. */
static void run_workers(struct work *w) {
  enum { MOST = 32 };
  pthread_t threads[MOST];
  long cpus = sysconf(_SC_NPROCESSORS_ONLN);
  size_t n = 0;
  while (n < MOST && (long)n + 1 < cpus && n + 1 < w->n && pthread_create(&threads[n], NULL, worker, w) == 0)
    n++;
  worker(w);
  while (n > 0)
    pthread_join(threads[--n], NULL);
}

/* ---------------------------------------------------------------- an open header */

static int damaged(rijn_volume_error *err, const char *what, uint64_t value) {
  return rijnv_fail(err, RIJN_VOLUME_EDAMAGED, "VeraCrypt: the passphrase is right, but the header says %s %llu", what,
                    (unsigned long long)value);
}

/* Where the data lie, as version 4 and later say it, or as all had it before. */
static int take_layout(rijn_volume *v, const struct work *w, rijn_volume_error *err) {
  const uint8_t *h = w->plain;
  uint64_t version = rijnv_be(h + 68, 2), hidden = rijnv_be(h + 92, 8), size = rijnv_be(h + 100, 8);
  uint64_t offset = rijnv_be(h + 108, 8), area = rijnv_be(h + 116, 8);
  uint64_t sector = version >= 5 ? rijnv_be(h + 128, 4) : 512, disk = v->disk.size;
  if (version > NEWEST)
    return rijnv_fail(err, RIJN_VOLUME_EVERSION, "VeraCrypt: a header of version %llu, and the newest known is %d",
                      (unsigned long long)version, NEWEST);
  if (sector < 512 || sector > 4096 || sector % 512 != 0)
    return damaged(err, "sectors of", sector);
  if (version < 4) {
    area = hidden != 0 ? hidden : disk - HEADER;
    offset = HEADER;
    if (hidden != 0)
      offset = hidden <= disk - 3 * HEADER ? disk - 3 * HEADER - hidden : disk;
    size = area;
  }
  if (area != size)
    return rijnv_fail(err, RIJN_VOLUME_EREENCRYPT,
                      "VeraCrypt: %llu of %llu bytes are encrypted: let VeraCrypt end what it has begun",
                      (unsigned long long)area, (unsigned long long)size);
  if (area == 0 || area % 512 != 0 || offset % 512 != 0)
    return damaged(err, "that its data have this many bytes:", area);
  v->facts.version = (unsigned)version;
  int r = rijnv_set_sectors(v, RIJNV_XTS, 512, offset, area);
  if (v->refusal.code != 0) { /* of this header, and the next secret may open another one */
    r = rijnv_fail(err, v->refusal.code, "VeraCrypt: %s", v->refusal.text);
    memset(&v->refusal, 0, sizeof v->refusal);
    return r;
  }
  v->tweak_of_disk = true;
  return r;
}

static int take_key(rijn_volume *v, const struct work *w, rijn_volume_error *err) {
  rijn_volume_facts *f = &v->facts;
  const struct candidate *c = &w->list[atomic_load(&w->opened)];
  int r = take_layout(v, w, err);
  if (r != RIJN_VOLUME_OK)
    return r;
  snprintf(f->cipher, sizeof f->cipher, "%s AES-XTS", c->truecrypt ? "TrueCrypt" : "VeraCrypt");
  snprintf(f->hash, sizeof f->hash, "%s", c->hash->name);
  f->key_bits = 256;
  f->rounds = (int)c->rounds;
  /* WHY: nobody can see whether a hidden volume lies in the free space of this one. */
  f->hides = c->slot == NORMAL || c->slot == NORMAL_BACKUP;
  f->read_only = v->options.read_only || v->disk.pwrite == NULL || (f->hides && !v->options.no_hidden);
  r = rijnv_key_init(&v->key, RIJNV_XTS, w->plain + 256, KEY, NULL);
  return r == RIJN_VOLUME_OK ? r : rijnv_fail(err, r, "the core library refuses the volume key");
}

static int read_headers(rijn_volume *v, int named, uint8_t (*to)[HEADER], rijn_volume_error *err) {
  int r = RIJN_VOLUME_OK;
  for (int i = 0; r == RIJN_VOLUME_OK && i < HEADERS; i++)
    if (v->veracrypt.headers[i].present && (named < 0 || named == i))
      r = rijnv_read(&v->disk, to[i], HEADER, v->veracrypt.headers[i].offset, headers[i].name, err);
  return r;
}

/* Leaves out what takes too long: the most rounds of those, or 0. */
static uint64_t leave_out(const rijn_volume *v, struct work *w) {
  struct rijnv_limits limits = rijnv_limits_of(&v->options);
  uint64_t most = 0;
  size_t n = 0;
  for (size_t i = 0; i < w->n; i++)
    if (w->list[i].rounds <= limits.rounds && w->list[i].rounds <= INT32_MAX)
      w->list[n++] = w->list[i];
    else if (w->list[i].rounds > most)
      most = w->list[i].rounds;
  w->n = n;
  return most;
}

static int unlock(rijn_volume *v, const rijn_volume_secret *secret, struct work *w, int *slot, rijn_volume_error *err) {
  w->password_len[0] = password_of(secret, false, w->passwords[0]);
  w->password_len[1] = password_of(secret, true, w->passwords[1]);
  if (w->password_len[0] == 0)
    return rijnv_fail(err, RIJN_VOLUME_EARG, "VeraCrypt: a passphrase has 1 to 128 bytes, and this one has %zu",
                      secret->passphrase_len);
  list_candidates(v, secret->slot, w);
  uint64_t too_many = leave_out(v, w);
  atomic_store(&w->opened, w->n);
  run_workers(w);
  if (atomic_load(&w->opened) < w->n) {
    *slot = w->list[atomic_load(&w->opened)].slot;
    return take_key(v, w, err);
  }
  if (w->failed != NULL)
    return rijnv_fail(err, RIJN_VOLUME_ECRYPTO, "VeraCrypt: PBKDF2 with %s failed in libcrypto, and nothing else opens",
                      w->failed->name);
  if (too_many != 0)
    return rijnv_fail(err, RIJN_VOLUME_ECOST,
                      "VeraCrypt: %llu rounds of PBKDF2 are wanted, and the limit is lower (--limit-rounds)",
                      (unsigned long long)too_many);
  return RIJN_VOLUME_EKEY;
}

int rijnv_veracrypt_unlock(rijn_volume *v, const rijn_volume_secret *secret, int *slot, rijn_volume_error *err) {
  uint8_t sealed[HEADERS][HEADER];
  int r = read_headers(v, secret->slot, sealed, err);
  if (r != RIJN_VOLUME_OK)
    return r;
  struct work *w = rijnv_secret_alloc(sizeof *w);
  if (w == NULL)
    return rijnv_fail(err, RIJN_VOLUME_EMEM, "out of memory");
  w->headers = (const uint8_t(*)[HEADER])sealed;
  pthread_mutex_init(&w->lock, NULL);
  r = unlock(v, secret, w, slot, err);
  pthread_mutex_destroy(&w->lock);
  rijnv_secret_free(w, sizeof *w);
  return r;
}
