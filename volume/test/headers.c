/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Headers: changes of key slots replayed up to each write, whole and torn; truncation; hostile JSON with right
 * checksums. */
#include "disk.h"

#include <openssl/evp.h>

enum { SIZE = (16 << 20) + 65536, HEADER = 16384, BINARY = 4096 };

static struct memory m;
static rijn_volume_disk disk;

/* ---------------------------------------------------------------- a disk that changes */

static unsigned reads, changed_read; /* of the start of the disk: at this one another label is there */

static int changing_pread(void *handle, void *buf, size_t len, uint64_t offset) {
  int no = memory_pread(handle, buf, len, offset);
  if (no == 0 && offset == 0 && len >= BINARY && ++reads == changed_read)
    ((uint8_t *)buf)[24] ^= 1;
  return no;
}

/* WHY the checksum does not tell: a host that gives other bytes can make that too. */
static void between_two_reads(void) {
  rijn_volume_disk other = disk;
  rijn_volume *v;
  rijn_volume_error err;
  make(&disk, RIJN_VOLUME_LUKS2, 4096);
  other.pread = changing_pread;
  for (changed_read = 1; changed_read <= 2; changed_read++) {
    reads = 0;
    CHECK_EQ(rijn_volume_load(&v, &other, NULL, NULL, &err), RIJN_VOLUME_EDAMAGED);
    CHECK(reads == 2 && strstr(err.text, "not the same when it is read twice") != NULL);
  }
}

/* ---------------------------------------------------------------- two at once */

/* Both have read the header before one of them changes it: the other changes nothing, whatever it wants. */
static void two_at_once(void) {
  rijn_volume *v, *w;
  rijn_volume_error err;
  rijn_volume_secret two = passphrase("two"), three = passphrase("three");
  rijn_volume_kdf kdf = {"pbkdf2", 1000, 0, 0};
  make(&disk, RIJN_VOLUME_LUKS2, 4096);
  REQUIRE(unlock(&v, &disk, "one", &err) == 0 && unlock(&w, &disk, "one", &err) == 0);
  CHECK_EQ(rijn_volume_add_key(v, &two, &kdf, NULL, &err), 0);
  uint8_t *after = malloc(SIZE);
  REQUIRE(after != NULL);
  memcpy(after, m.bytes, SIZE);
  CHECK_EQ(rijn_volume_add_key(w, &three, &kdf, NULL, &err), RIJN_VOLUME_EBUSY);
  CHECK_EQ(rijn_volume_remove_key(w, 0, true, &err), RIJN_VOLUME_EBUSY);
  CHECK(memcmp(after, m.bytes, SIZE) == 0);
  CHECK_EQ(rijn_volume_remove_key(v, 0, false, &err), 0);
  rijn_volume_close(v);
  rijn_volume_close(w);
  /* A new volume is another one, though its header is the first that is written. */
  make(&disk, RIJN_VOLUME_LUKS2, 4096);
  REQUIRE(unlock(&v, &disk, "one", &err) == 0);
  uint64_t epoch = rijn_volume_facts_of(v)->epoch;
  make(&disk, RIJN_VOLUME_LUKS2, 4096);
  CHECK_EQ(rijn_volume_add_key(v, &three, &kdf, NULL, &err), RIJN_VOLUME_EBUSY);
  rijn_volume_close(v);
  REQUIRE(unlock(&v, &disk, "one", &err) == 0);
  CHECK(rijn_volume_facts_of(v)->epoch > epoch); /* by which cryptsetup tells */
  rijn_volume_close(v);
  free(after);
}

/* ---------------------------------------------------------------- crashes */

static int opens(const char *pass) {
  rijn_volume *v;
  rijn_volume_error err;
  int r = unlock(&v, &disk, pass, &err);
  rijn_volume_close(v);
  return r;
}

/* From before, write by write: after each one, whole or cut in its middle, pass opens the volume. */
static void replay(const uint8_t *before, const char *pass) {
  memcpy(m.bytes, before, SIZE);
  m.logging = false;
  CHECK(m.log_n > 2);
  for (size_t i = 0; i < m.log_n; i++) {
    const struct written *w = &m.log[i];
    bool noise = w->len == BINARY && i % 16 != 0; /* of an area that is overwritten: a few of them will do */
    T_AT("write %zu of %zu at %zu", i, m.log_n, w->offset);
    memcpy(m.bytes + w->offset, w->bytes, w->len / 2 + 100);
    if (!noise)
      CHECK_EQ(opens(pass), 0);
    memcpy(m.bytes + w->offset, w->bytes, w->len);
    if (!noise)
      CHECK_EQ(opens(pass), 0);
  }
  for (size_t i = 0; i < m.log_n; i++)
    free(m.log[i].bytes);
  m.log_n = 0;
}

static void crashes(void) {
  uint8_t *before = malloc(SIZE);
  rijn_volume *v;
  rijn_volume_error err;
  rijn_volume_secret two = passphrase("two");
  rijn_volume_kdf kdf = {"pbkdf2", 1000, 0, 0};
  int slot = -1;
  REQUIRE(before != NULL);
  make(&disk, RIJN_VOLUME_LUKS2, 4096);
  for (int damaged = 0; damaged < 3; damaged++) { /* neither header, the first, the second */
    if (damaged != 0)
      m.bytes[damaged == 1 ? 100 : HEADER + 100] ^= 1;
    memcpy(before, m.bytes, SIZE);
    REQUIRE(unlock(&v, &disk, "one", &err) == 0);
    CHECK_EQ(rijn_volume_facts_of(v)->header_used, damaged == 1 ? 2 : 1);
    m.logging = true;
    CHECK_EQ(rijn_volume_add_key(v, &two, &kdf, &slot, &err), 0);
    CHECK_EQ(slot, 1);
    replay(before, "one");
    CHECK_EQ(opens("two"), 0);
    memcpy(before, m.bytes, SIZE);
    m.logging = true;
    CHECK_EQ(rijn_volume_remove_key(v, 1, false, &err), 0);
    CHECK_EQ(rijn_volume_remove_key(v, 0, false, &err), RIJN_VOLUME_EARG); /* the last one */
    replay(before, "one");
    CHECK_EQ(opens("two"), RIJN_VOLUME_EKEY);
    rijn_volume_close(v);
  }
  free(before);
}

/* All slots, until none is free; the volume opens by each. */
static void full(void) {
  rijn_volume *v;
  rijn_volume_error err;
  rijn_volume_kdf kdf = {"pbkdf2", 1000, 0, 0};
  make(&disk, RIJN_VOLUME_LUKS2, 4096);
  REQUIRE(unlock(&v, &disk, "one", &err) == 0);
  for (int i = 1; i < 32; i++) {
    char text[8];
    int slot;
    snprintf(text, sizeof text, "p%d", i);
    rijn_volume_secret secret = passphrase(text);
    CHECK_EQ(rijn_volume_add_key(v, &secret, &kdf, &slot, &err), 0);
    CHECK_EQ(slot, i);
  }
  rijn_volume_secret more = passphrase("more");
  CHECK_EQ(rijn_volume_add_key(v, &more, &kdf, NULL, &err), RIJN_VOLUME_EFULL);
  rijn_volume_close(v);
  CHECK_EQ(opens("p1"), 0);
}

/* A key without a byte makes no volume and no slot, and nothing is written. */
static void empty(void) {
  rijn_volume *v;
  rijn_volume_error err;
  const rijn_volume_bytes none = {"", 0}, both[] = {{"", 0}, {"x", 1}};
  const rijn_volume_secret secrets[] = {passphrase(""), {NULL, 0, &none, 1, -1}, {"", 0, &none, 1, -1}};
  rijn_volume_secret mixed = {NULL, 0, both, 2, -1};
  rijn_volume_create what = {.kdf = {"pbkdf2", 1000, 0, 0}};
  make(&disk, RIJN_VOLUME_LUKS2, 4096);
  REQUIRE(unlock(&v, &disk, "one", &err) == 0);
  m.logging = true;
  for (size_t i = 0; i < sizeof secrets / sizeof secrets[0]; i++) {
    T_AT("secret %zu", i);
    CHECK_EQ(rijn_volume_add_key(v, &secrets[i], &what.kdf, NULL, &err), RIJN_VOLUME_EARG);
    for (int geli = 0; geli < 2; geli++) {
      what.format = geli != 0 ? RIJN_VOLUME_GELI : RIJN_VOLUME_LUKS2;
      err.text[0] = '\0';
      CHECK_EQ(rijn_volume_create_on(&disk, &what, &secrets[i], NULL, &err), RIJN_VOLUME_EARG);
      CHECK(strstr(err.text, "empty") != NULL);
    }
  }
  what.format = RIJN_VOLUME_LUKS2;
  CHECK_EQ(rijn_volume_create_on(&disk, &what, &mixed, NULL, &err), RIJN_VOLUME_EARG); /* its first part alone counts */
  CHECK_EQ(m.log_n, 0);
  m.logging = false;
  rijn_volume_close(v);
  CHECK_EQ(opens("one"), 0);
  what.format = RIJN_VOLUME_GELI;
  CHECK_EQ(rijn_volume_create_on(&disk, &what, &mixed, NULL, &err), 0);
  memset(m.bytes, 0, SIZE);
}

/* ---------------------------------------------------------------- hostile headers */

/* Other JSON into both headers, with right checksums. */
static void put_json(const char *text) {
  for (int i = 0; i < 2; i++) {
    uint8_t *h = m.bytes + i * HEADER;
    unsigned len;
    memset(h + BINARY, 0, HEADER - BINARY);
    memcpy(h + BINARY, text, strlen(text) < HEADER - BINARY ? strlen(text) : HEADER - BINARY);
    memset(h + 448, 0, 64);
    EVP_Digest(h, HEADER, h + 448, &len, EVP_sha256(), NULL);
  }
}

static char json[HEADER];

/* The header's JSON with one piece replaced by another; what comes of it, loaded and unlocked. */
static int changed(const char *from, const char *to) {
  static char text[2 * HEADER];
  const char *at = strstr(json, from);
  rijn_volume_error err;
  rijn_volume *v;
  REQUIRE(at != NULL);
  snprintf(text, sizeof text, "%.*s%s%s", (int)(at - json), json, to, at + strlen(from));
  put_json(text);
  return unlock(&v, &disk, "one", &err) == 0 ? (rijn_volume_close(v), 0) : err.code;
}

static void hostile(void) {
  static const struct {
    const char *from, *to;
    int code;
  } cases[] = {
      {"\"iv_tweak\":\"0\"", "\"iv_tweak\":\"8\"", RIJN_VOLUME_EIVTWEAK},
      {"\"iv_tweak\":\"0\",", "", RIJN_VOLUME_EIVTWEAK},
      {"\"type\":\"crypt\"", "\"type\":\"hw-opal-crypt\"", RIJN_VOLUME_ESEGMENT},
      {"\"type\":\"crypt\"", "\"type\":\"crypt\",\"integrity\":{\"type\":\"hmac(sha256)\"}", RIJN_VOLUME_EINTEGRITY},
      {"\"encryption\":\"aes-xts-plain64\",\"sector_size\"", "\"encryption\":\"serpent-xts-plain64\",\"sector_size\"",
       RIJN_VOLUME_ECIPHER},
      {"\"sector_size\":4096", "\"sector_size\":0", RIJN_VOLUME_ESECTOR},
      {"\"sector_size\":4096", "\"sector_size\":8192", RIJN_VOLUME_ESECTOR},
      {"\"segments\":{", "\"segments\":{\"1\":{\"type\":\"linear\"},", RIJN_VOLUME_ESEGMENT},
      {"\"config\":{", "\"config\":{\"requirements\":{\"mandatory\":[\"nonsense\"]},", RIJN_VOLUME_EREQUIREMENT},
      {"\"config\":{", "\"config\":{\"requirements\":[],", RIJN_VOLUME_EREQUIREMENT},
      {"\"config\":{", "\"config\":{\"requirements\":null,", RIJN_VOLUME_EREQUIREMENT},
      {"\"config\":{", "\"config\":{\"requirements\":\"x\",", RIJN_VOLUME_EREQUIREMENT},
      {"\"config\":{", "\"config\":{\"requirements\":{\"mandatory\":[\"online-reencrypt-v2\"]},",
       RIJN_VOLUME_EREENCRYPT},
      {"\"offset\":\"16777216\"", "\"offset\":\"4096\"", RIJN_VOLUME_ESEGMENT},
      {"\"offset\":\"16777216\"", "\"offset\":\"18446744073709551615\"", RIJN_VOLUME_ESIZE},
      {"\"offset\":\"16777216\"", "\"offset\":\"18446744073709551616\"", RIJN_VOLUME_EDAMAGED},
      {"\"size\":\"dynamic\"", "\"size\":\"1099511627776\"", RIJN_VOLUME_ESIZE},
      {"\"offset\":\"32768\"", "\"offset\":\"0\"", RIJN_VOLUME_EDAMAGED},
      {"\"size\":\"258048\"", "\"size\":\"18446744073709551615\"", RIJN_VOLUME_EDAMAGED},
      {"\"size\":\"258048\"", "\"size\":\"4096\"", RIJN_VOLUME_EKEYSLOT},
      {"\"type\":\"luks2\"", "\"type\":\"other\"", RIJN_VOLUME_EKEYSLOT},
      {"\"stripes\":4000", "\"stripes\":4001", RIJN_VOLUME_EKEYSLOT},
      {"\"iterations\":1000,", "\"iterations\":4294967295,", RIJN_VOLUME_ECOST},
      {"\"iterations\":100000,", "\"iterations\":2000000000,", RIJN_VOLUME_ECOST},
      {"{\"type\":\"pbkdf2\",\"iterations\":1000,\"hash\":\"sha256\"",
       "{\"type\":\"argon2id\",\"time\":1,\"cpus\":1,\"memory\":4294967295", RIJN_VOLUME_ECOST},
      {"{\"type\":\"pbkdf2\",\"iterations\":1000,\"hash\":\"sha256\"",
       "{\"type\":\"argon2id\",\"time\":4294967295,\"cpus\":1,\"memory\":8", RIJN_VOLUME_ECOST},
      {"\"json_size\":\"12288\"", "\"json_size\":\"16384\"", RIJN_VOLUME_EDAMAGED},
      {"\"keyslots_size\":\"16744448\"", "\"keyslots_size\":\"18446744073709551615\"", RIJN_VOLUME_EDAMAGED},
      {"\"segments\":[\"0\"]", "\"segments\":[]", RIJN_VOLUME_EKEYSLOT},
      {"\"tokens\":{}", "\"tokens\":{\"0\":{\"type\":\"nobody's\",\"keyslots\":[\"0\"]}}", 0},
      {"\"keyslots\":{", "\"keyslots\":{\"1\":{\"type\":\"x\",\"area\":{\"offset\":\"40960\",\"size\":\"4096\"}},",
       RIJN_VOLUME_EDAMAGED},
      {"\"keyslots\":{\"0\"", "\"keyslots\":{\"32\"", RIJN_VOLUME_EDAMAGED},
      {"{\"keyslots\"", "[\"keyslots\"", RIJN_VOLUME_EDAMAGED},
  };
  make(&disk, RIJN_VOLUME_LUKS2, 4096);
  memcpy(json, m.bytes + BINARY, HEADER - BINARY);
  CHECK_EQ(changed("\"tokens\"", "\"tokens\""), 0);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    T_AT("case %zu", i);
    CHECK_EQ(changed(cases[i].from, cases[i].to), cases[i].code);
  }
}

/* A disk that goes on with zeros. */
static int long_pread(void *handle, void *buf, size_t len, uint64_t offset) {
  if (offset < SIZE)
    return memory_pread(handle, buf, len, offset);
  memset(buf, 0, len);
  return 0;
}

/* aes-xts-plain counts 32 bits of sectors: the same as plain64 up to 2 TiB, refused beyond. */
static void plain(void) {
  rijn_volume_disk small = disk;
  make(&disk, RIJN_VOLUME_LUKS2, 4096);
  memcpy(json, m.bytes + BINARY, HEADER - BINARY);
  const char *const from = "\"encryption\":\"aes-xts-plain64\",\"sector_size\"";
  const char *const to = "\"encryption\":\"aes-xts-plain\",\"sector_size\"";
  CHECK_EQ(changed(from, to), 0);
  disk.pread = long_pread;
  disk.size = ((uint64_t)2 << 40) + (16 << 20);
  CHECK_EQ(changed(from, to), 0);
  disk.size += 4096;
  CHECK_EQ(changed(from, to), RIJN_VOLUME_ESIZE);
  CHECK_EQ(changed(from, from), 0);
  disk = small;
}

static void bombs(void) {
  static char text[HEADER];
  rijn_volume_error err;
  rijn_volume *v;
  static const char *const pieces[] = {"[", "{\"a\":", "[],", "1,", "\"", "\\u0000"};
  for (size_t p = 0; p < sizeof pieces / sizeof pieces[0]; p++) {
    size_t n = (size_t)snprintf(text, sizeof text, "{\"config\":[");
    while (n + strlen(pieces[p]) < HEADER - BINARY)
      n += (size_t)snprintf(text + n, sizeof text - n, "%s", pieces[p]);
    put_json(text);
    T_AT("bomb %zu", p);
    CHECK_EQ(unlock(&v, &disk, "one", &err), RIJN_VOLUME_EDAMAGED);
  }
}

/* The disk ends after each sector of the header. Nothing that is cut opens. */
static void truncated(void) {
  rijn_volume_error err;
  rijn_volume *v;
  make(&disk, RIJN_VOLUME_LUKS2, 4096);
  for (uint64_t n = 0; n <= 2 * HEADER + 262144; n += 512) {
    rijn_volume_disk cut = disk;
    cut.size = n;
    CHECK(unlock(&v, &cut, "one", &err) != 0);
  }
  rijn_volume_disk small = disk;
  small.size = 65536;
  make(&small, RIJN_VOLUME_GELI, 4096);
  for (uint64_t n = 0; n < 65536; n += 512) {
    rijn_volume_disk cut = small;
    rijn_volume_options options = {.format = RIJN_VOLUME_GELI};
    cut.size = n;
    CHECK_EQ(rijn_volume_load(&v, &cut, NULL, &options, &err), RIJN_VOLUME_EFORMAT);
  }
}

/* Both a LUKS header and GELI metadata: nobody knows which is meant. */
static void both_formats(void) {
  uint8_t last[512];
  rijn_volume *v;
  rijn_volume_error err;
  memset(m.bytes, 0, SIZE);
  make(&disk, RIJN_VOLUME_GELI, 4096);
  memcpy(last, m.bytes + SIZE - 512, 512);
  make(&disk, RIJN_VOLUME_LUKS2, 4096);
  memcpy(m.bytes + SIZE - 512, last, 512);
  CHECK_EQ(unlock(&v, &disk, "one", &err), RIJN_VOLUME_EAMBIGUOUS);
}

/* The format of what opens without one being named, 0 for none. */
static int format_there(const rijn_volume_disk *on) {
  rijn_volume *v;
  rijn_volume_error err;
  int format = unlock(&v, on, "one", &err) == 0 ? rijn_volume_facts_of(v)->format : 0;
  rijn_volume_close(v);
  return format;
}

/* A new volume over one of the other format, and over GELI of sectors of another size, is the only one there. */
static void over_another(void) {
  rijn_volume_disk file = disk, large = disk;
  file.sector_size = 0;
  large.sector_size = 4096;
  memset(m.bytes, 0, SIZE);
  for (int copy = 0; copy < 3; copy++) { /* both, and each alone */
    T_AT("LUKS2, copy %d", copy);
    make(&disk, RIJN_VOLUME_LUKS2, 4096);
    CHECK_EQ(format_there(&file), RIJN_VOLUME_LUKS2);
    if (copy != 0)
      m.bytes[copy == 1 ? HEADER : 0] ^= 1;
    make(&disk, RIJN_VOLUME_GELI, 4096);
    CHECK_EQ(format_there(&file), RIJN_VOLUME_GELI);
  }
  T_AT("sectors of %u bytes", large.sector_size);
  make(&large, RIJN_VOLUME_GELI, 4096);
  CHECK_EQ(format_there(&file), RIJN_VOLUME_GELI);
  make(&file, RIJN_VOLUME_LUKS2, 4096);
  CHECK_EQ(format_there(&file), RIJN_VOLUME_LUKS2);
  make(&large, RIJN_VOLUME_GELI, 4096);
  make(&disk, RIJN_VOLUME_GELI, 4096);
  CHECK_EQ(format_there(&file), RIJN_VOLUME_GELI);
  make(&large, RIJN_VOLUME_LUKS2, 4096);
  CHECK_EQ(format_there(&file), RIJN_VOLUME_LUKS2);
}

int main(int argc, char **argv) {
  t_init(argc, argv);
  memory_new(&m, SIZE);
  disk = memory_disk(&m);
  between_two_reads();
  two_at_once();
  crashes();
  full();
  empty();
  hostile();
  plain();
  bombs();
  truncated();
  both_formats();
  over_another();
  memory_free(&m);
  return t_done();
}
