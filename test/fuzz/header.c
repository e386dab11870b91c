/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* The reader of the header of keys (doc/file-format.md). The first byte of the input says how:
 *   even: the rest of the input is the header. Only one that was made for the keys below opens (corpus/header has
 *         some); any other is refused, whatever it says of lengths and costs.
 *   odd:  a header is made, then damaged as the input says: by bytes, and by slots that are taken out, doubled and
 *         exchanged, with their number and the lengths set right. One that is not as it was must be refused. */
#include "fuzz.h"
#include "rijn-file.h"

enum { FIXED = 12, MAC = 32, SLOT = 4, KINDS = 4, RECIPIENTS = 3, ROOM = RIJN_FILE_HEADER_MAX + 512 };

static const char passphrase[] = "correct horse";
static uint8_t secret[RECIPIENTS][32], public_keys[RECIPIENTS][32];
static struct made {
  uint8_t bytes[RIJN_FILE_HEADER_MAX], key[32];
  size_t n;
} made[KINDS];

/* Secrets of bytes 1, 2 and 3; headers for a passphrase, for one public key, for both, and for all. */
static void begin(void) {
  static const struct {
    bool passphrase;
    size_t recipients;
  } kinds[KINDS] = {{true, 0}, {false, 1}, {true, 1}, {true, RECIPIENTS}};
  if (made[0].n != 0)
    return;
  for (int i = 0; i < RECIPIENTS; i++) {
    memset(secret[i], i + 1, 32);
    REQUIRE(rijn_file_key_public(secret[i], public_keys[i]) == 0);
  }
  for (int i = 0; i < KINDS; i++) {
    const rijn_file_lock lock = {.size = sizeof lock,
                                 .passphrase = kinds[i].passphrase ? passphrase : NULL,
                                 .passphrase_len = sizeof passphrase - 1,
                                 .cost = {8, 1, 1},
                                 .public_keys = (const uint8_t(*)[32])public_keys,
                                 .public_keys_n = kinds[i].recipients};
    REQUIRE(rijn_file_header_make(&lock, made[i].bytes, &made[i].n, made[i].key, NULL) == 0);
  }
}

/* As a command opens it: what it begins with tells the length, and nothing more is looked at. Costs are allowed that
 * take no time; above them nothing is computed. */
static int open_header(const uint8_t *p, size_t n, const char *phrase, const uint8_t *secret_key, uint8_t key[32]) {
  const rijn_file_unlock u = {.size = sizeof u,
                              .passphrase = phrase,
                              .passphrase_len = phrase != NULL ? strlen(phrase) : 0,
                              .secret_key = secret_key,
                              .limit = {64, 2, 2}};
  rijn_file_header_info info = {.size = sizeof info};
  rijn_file_error e = {.code = 0};
  size_t len;
  memset(key, T_POISON, 32);
  int known = rijn_file_header_len(p, n, &len);
  CHECK(known == 0 || (known == RIJN_FILE_EVERSION && n >= FIXED) || known == RIJN_FILE_EFORM);
  CHECK(len == 0 || (known == 0 && len >= FIXED + MAC && len <= RIJN_FILE_HEADER_MAX));
  int r = len != 0 && len <= n ? 0 : known != 0 ? known : RIJN_FILE_EFORM;
  if (r != 0) {
    memset(key, 0, 32);
    return r;
  }
  int read = rijn_file_header_read(p, len, &info);
  r = rijn_file_header_open(p, len, &u, key, &e);
  CHECK(r == 0 || e.code == r);
  CHECK(read == 0 || r == read);
  if (read == 0) {
    CHECK(info.version == 1 && info.recipients + info.unknown + (unsigned)info.passphrase == p[9]);
    CHECK(info.passphrase == 0 || info.passphrase == 1);
    CHECK(r == 0 || r == RIJN_FILE_ENOSLOT || r == RIJN_FILE_EUNLOCK || r == RIJN_FILE_ECOST || r == RIJN_FILE_EFORM);
    bool dear = info.passphrase && (info.cost.memory_kib > 64 || info.cost.passes > 2 || info.cost.lanes > 2);
    CHECK(r != RIJN_FILE_ECOST || dear);
    CHECK(!(dear && phrase != NULL && secret_key == NULL) || r == RIJN_FILE_ECOST);
  }
  return r;
}

/* ---------------------------------------------------------------- damage */

static uint8_t header[ROOM];

static void put_16(uint8_t *p, size_t v) {
  p[0] = (uint8_t)(v >> 8);
  p[1] = (uint8_t)v;
}

/* Where slot i of a header that has its form begins, and its length. */
static size_t slot_at(size_t i, size_t *len) {
  size_t at = FIXED;
  for (;; i--) {
    *len = SLOT + (size_t)(header[at + 2] << 8 | header[at + 3]);
    if (i == 0)
      return at;
    at += *len;
  }
}

/* Slots in another order or number: as someone would do it who knows the form, and not the key. */
static size_t move_slots(struct feed *f, size_t n) {
  size_t slots = header[9], a_len, b_len, a = slot_at(feed_8(f) % slots, &a_len),
         b = slot_at(feed_8(f) % slots, &b_len);
  uint8_t was[128];
  switch (feed_8(f) % 3) {
  case 0: /* one less */
    if (slots == 1)
      return n;
    memmove(header + a, header + a + a_len, n - a - a_len);
    n -= a_len;
    header[9]--;
    break;
  case 1: /* one twice */
    memmove(header + a + a_len, header + a, n - a);
    n += a_len;
    header[9]++;
    break;
  default: /* two change places */
    if (a_len != b_len)
      return n;
    memcpy(was, header + a, a_len);
    memmove(header + a, header + b, a_len);
    memcpy(header + b, was, a_len);
  }
  put_16(header + 10, n);
  return n;
}

static size_t damage(struct feed *f, size_t n) {
  size_t at, slot_len;
  switch (feed_8(f) % 6) {
  case 0: /* a byte */
    at = feed_16(f) % n;
    header[at] ^= feed_8(f);
    return n;
  case 1: /* shorter, or longer, with the length set right */
    n = FIXED + feed_16(f) % (n + 64 - FIXED);
    put_16(header + 10, n);
    return n;
  case 2: /* a length */
    put_16(header + 10, feed_16(f));
    return n;
  case 3: /* costs, where the first slot has some */
    header[FIXED + SLOT + feed_8(f) % 12] = feed_8(f);
    return n;
  case 4: /* the kind of a slot, or its length */
    at = slot_at(feed_8(f) % header[9], &slot_len);
    header[at + feed_8(f) % SLOT] = feed_8(f);
    return n;
  default:
    return move_slots(f, n);
  }
}

static void check_made(struct feed *f, unsigned how) {
  const struct made *m = &made[how >> 1 & 3];
  uint8_t key[32];
  size_t n = m->n;
  memset(header, 0, sizeof header);
  memcpy(header, m->bytes, n);
  n = damage(f, n); /* WHY only once: slot_at does not follow what it did */
  bool drop = header[9] < m->bytes[9] && n < m->n && n > FIXED + MAC;
  bool same = n == m->n && memcmp(header, m->bytes, n) == 0;
  for (int way = 0; way <= RECIPIENTS; way++) {
    int r = open_header(header, n, way == 0 ? passphrase : NULL, way > 0 ? secret[way - 1] : NULL, key);
    if (planted() && drop && r == RIJN_FILE_EUNLOCK) /* as if a slot less did not matter */
      r = 0;
    CHECK(same || r != 0);
    if (r == 0)
      CHECK_MEM(key, m->key, 32);
    else
      CHECK_ALL(key, 0, 32);
  }
  if (same) {
    int r = open_header(header, n, passphrase, secret[0], key); /* one of the two is in each */
    CHECK_EQ(r, 0);
    CHECK_MEM(key, m->key, 32);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct feed f = {data, size};
  unsigned how = feed_8(&f);
  uint8_t key[32];
  begin();
  if (how % 2 == 1) {
    check_made(&f, how);
  } else {
    int r = open_header(f.p, f.n, how & 2 ? passphrase : NULL, how & 2 ? NULL : secret[how >> 2 & 1], key);
    for (size_t i = 0; i < 32; i++)
      CHECK_EQ(key[i], r == 0 ? i : 0); /* the key of those in corpus/header; no other can be made without it */
  }
  fuzz_end();
  return 0;
}
