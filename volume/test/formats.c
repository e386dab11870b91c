/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* BitLocker and TrueCrypt: where bytes lie, what is not written, and headers in which each byte is another. */
#include "made.h"

#include <openssl/core_names.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SIZE = 1 << 20 };

static struct memory m;
static rijn_volume_disk disk;

static const struct {
  unsigned method;
  size_t key_len;
} methods[] = {{0x8002, 16}, {0x8003, 32}, {0x8004, 32}, {0x8005, 64}};

/* ---------------------------------------------------------------- BitLocker */

static int open_bde(rijn_volume **v, bool by_file, int *slot, rijn_volume_error *err) {
  uint8_t file[200];
  rijn_volume_bytes key_file = {file, bde_file(file)};
  rijn_volume_secret secret = {NULL, 0, &key_file, by_file ? 1 : 0, -1};
  int r = rijn_volume_load(v, &disk, NULL, NULL, err);
  return r == 0 ? rijn_volume_unlock(*v, &secret, slot, err) : r;
}

static bool in_hole(uint64_t at) {
  for (int i = 0; i < 3; i++)
    if (at >= bde_copies[i] && at < bde_copies[i] + BDE_BLOCK)
      return true;
  return at >= BDE_MOVED_TO && at < BDE_MOVED_TO + BDE_MOVED;
}

/* All of a volume, written in pieces of odd lengths and read in others: the text, but zeros in the holes. The disk's
 * own places are untouched, and the first sectors lie where they were moved. */
static void everywhere(rijn_volume *v) {
  uint8_t *text = malloc(SIZE), *back = malloc(SIZE), *before = malloc(SIZE);
  REQUIRE(text != NULL && back != NULL && before != NULL);
  memcpy(before, m.bytes, SIZE);
  for (uint64_t i = 0; i < SIZE; i++)
    text[i] = in_hole(i) ? 0 : (uint8_t)(i * 13 + (i >> 9) + 1);
  for (size_t at = 0, n = 1; at < SIZE; at += n, n = n * 5 % 100003)
    CHECK_EQ(rijn_volume_pwrite(v, text + at, n < SIZE - at ? n : SIZE - at, at), 0);
  CHECK_EQ(rijn_volume_pread(v, back, SIZE, 0), 0);
  CHECK(memcmp(text, back, SIZE) == 0);
  for (size_t at = 0, n = 3; at < SIZE; at += n, n = n * 7 % 100003) {
    size_t len = n < SIZE - at ? n : SIZE - at;
    CHECK(rijn_volume_pread(v, back, len, at) == 0 && memcmp(text + at, back, len) == 0);
  }
  CHECK(memcmp(m.bytes, before, BDE_MOVED) == 0);
  CHECK(memcmp(m.bytes + BDE_MOVED_TO, before + BDE_MOVED_TO, BDE_MOVED) != 0);
  for (int i = 0; i < 3; i++) {
    CHECK(memcmp(m.bytes + bde_copies[i], before + bde_copies[i], BDE_BLOCK) == 0);
    CHECK_EQ(rijn_volume_pwrite(v, "x", 1, bde_copies[i] + 5), EROFS);
    CHECK_EQ(rijn_volume_pwrite(v, "\0", 1, bde_copies[i] + 5), 0);
  }
  free(text);
  free(back);
  free(before);
}

static void bitlocker(void) {
  rijn_volume *v;
  rijn_volume_error err;
  for (size_t i = 0; i < 4; i++)
    for (unsigned sector = 512; sector <= 4096; sector *= 8) {
      T_AT("method %x, sectors of %u", methods[i].method, sector);
      memset(m.bytes, 0, SIZE);
      bde_make(&m, methods[i].method, methods[i].key_len, sector);
      int slot = -1;
      REQUIRE(open_bde(&v, i % 2 == 0, &slot, &err) == 0);
      CHECK_EQ(slot, i % 2 == 0 ? 0 : 2);
      const rijn_volume_facts *f = rijn_volume_facts_of(v);
      CHECK(f->size == SIZE && f->sector_size == sector && f->opens_without_key && strcmp(f->label, "name") == 0);
      CHECK(f->slots_n == 5 && f->slots[0].understood && !f->slots[1].understood &&
            strcmp(f->slots[1].name, "TPM") == 0);
      everywhere(v);
      rijn_volume_close(v);
    }
}

/* The first copy that is whole counts. */
static void copies(void) {
  rijn_volume *v;
  rijn_volume_error err;
  memset(m.bytes, 0, SIZE);
  bde_make(&m, 0x8004, 32, 512);
  for (int i = 0; i < 3; i++) {
    REQUIRE(open_bde(&v, false, NULL, &err) == 0);
    CHECK_EQ(rijn_volume_facts_of(v)->header_used, i + 1);
    rijn_volume_close(v);
    m.bytes[bde_copies[i] + 100] ^= 1;
  }
  CHECK_EQ(rijn_volume_load(&v, &disk, NULL, NULL, &err), RIJN_VOLUME_EDAMAGED);
  rijn_volume_disk cut = disk;
  cut.size = 0x30000;
  CHECK(rijn_volume_load(&v, &cut, NULL, NULL, &err) != 0 && v == NULL);
}

/* The first sector has neither checksum nor seal: a wrong place in it costs that copy, and moves no hole. */
static void places(void) {
  rijn_volume *v;
  rijn_volume_error err;
  for (int i = 0; i < 3; i++) {
    T_AT("place %d", i);
    memset(m.bytes, 0, SIZE);
    bde_make(&m, 0x8004, 32, 512);
    put_number(m.bytes + 176 + 8 * i, 0x80000, 8);
    memcpy(m.bytes + 0x80000, m.bytes + bde_copies[0], BDE_BLOCK); /* whole, but of another place */
    REQUIRE(open_bde(&v, false, NULL, &err) == 0);
    CHECK_EQ(rijn_volume_facts_of(v)->header_used, i == 0 ? 2 : 1);
    everywhere(v);
    rijn_volume_close(v);
  }
}

/* Nor does anything guard the size of sectors, but for what the metadata say of the moved ones. */
static void sector_sizes(void) {
  static const struct {
    unsigned made, said;
    int code;
  } cases[] = {{512, 0, 0},
               {4096, 512, RIJN_VOLUME_EDAMAGED},
               {512, 4096, RIJN_VOLUME_EDAMAGED},
               {512, 1024, RIJN_VOLUME_ESECTOR},
               {4096, 0, RIJN_VOLUME_EDAMAGED}};
  rijn_volume *v;
  rijn_volume_error err;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    T_AT("sectors of %u, said to be of %u", cases[i].made, cases[i].said);
    memset(m.bytes, 0, SIZE);
    bde_make(&m, 0x8004, 32, cases[i].made);
    put_number(m.bytes + 11, cases[i].said, 2);
    CHECK_EQ(open_bde(&v, false, NULL, &err), cases[i].code);
    rijn_volume_close(v);
  }
}

/* Another copy that is whole and says another thing: nobody knows what is right, so nothing is written. */
static void copies_differ(void) {
  static const struct {
    size_t at;
    uint64_t value;
    unsigned bytes;
  } cases[] = {{12, 2, 2},       {14, 1, 2},       {16, SIZE / 2, 8},          {28, 8, 4},
               {32, 0x90000, 8}, {56, 0x90000, 8}, {BDE_AREA + 36, 0x8003, 2}, {12, 4, 2}};
  enum { CASES = sizeof cases / sizeof cases[0] };
  rijn_volume *v;
  rijn_volume_error err;
  for (size_t i = 0; i < CASES; i++) {
    T_AT("case %zu", i);
    memset(m.bytes, 0, SIZE);
    bde_make(&m, 0x8004, 32, 512);
    uint8_t *block = m.bytes + bde_copies[1 + i % 2];
    put_number(block + cases[i].at, cases[i].value, cases[i].bytes);
    bde_seal(block);
    bool differ = i < CASES - 1;
    REQUIRE(open_bde(&v, false, NULL, &err) == 0);
    const rijn_volume_facts *f = rijn_volume_facts_of(v);
    CHECK(f->copies_differ == differ && f->reads_only == differ && f->read_only == differ);
    CHECK_EQ(rijn_volume_pwrite(v, "x", 1, 5), differ ? EROFS : 0);
    rijn_volume_close(v);
  }
}

/* What opens must be readable from end to end; everything else has a sentence. */
static void open_and_read(void) {
  static uint8_t all[SIZE];
  rijn_volume *v;
  rijn_volume_error err = {0, ""};
  int r = open_bde(&v, true, NULL, &err);
  if (r == 0) {
    const rijn_volume_facts *f = rijn_volume_facts_of(v);
    REQUIRE(f->size > 0 && f->size <= SIZE);
    CHECK_EQ(rijn_volume_pread(v, all, f->size, 0), 0);
  } else {
    CHECK(err.text[0] != '\0');
  }
  rijn_volume_close(v);
}

static void changed_bde(void) {
  static uint8_t block[BDE_BLOCK], changed[BDE_BLOCK];
  static const uint8_t values[] = {0, 1, 0x7f, 0x80, 0xff};
  memset(m.bytes, 0, SIZE);
  bde_make(&m, 0x8004, 32, 512);
  size_t n = bde_block(block, 0x8004, 32, SIZE, 512);
  for (size_t at = 12; at < BDE_ENTRIES + n; at++)
    for (size_t i = 0; i < sizeof values; i++) {
      T_AT("byte %zu becomes %u", at, values[i]);
      memcpy(changed, block, BDE_BLOCK);
      changed[at] = values[i];
      bde_seal(changed);
      memcpy(m.bytes + bde_copies[0], changed, BDE_ENTRIES + n + 112);
      open_and_read();
    }
  memcpy(m.bytes + bde_copies[0], block, BDE_BLOCK);
  for (size_t at = 0; at < 512; at++)
    for (size_t i = 0; i < sizeof values; i++) {
      bde_boot(m.bytes, 512);
      m.bytes[at] = values[i];
      open_and_read();
    }
}

static void refused_bde(void) {
  static const struct {
    size_t at;
    uint64_t value;
    unsigned bytes;
    int code;
  } cases[] = {{28, 16, 4, 0},
               {12, 2, 2, RIJN_VOLUME_EREENCRYPT},
               {14, 1, 2, RIJN_VOLUME_EREENCRYPT},
               {16, SIZE + 512, 8, RIJN_VOLUME_ESIZE},
               {28, 0, 4, RIJN_VOLUME_EDAMAGED},
               {28, 200, 4, RIJN_VOLUME_EDAMAGED}, /* into a copy of the metadata */
               {56, 0x40000, 8, RIJN_VOLUME_EDAMAGED},
               {56, ~UINT64_C(0) << 12, 8, RIJN_VOLUME_EDAMAGED},
               {BDE_AREA + 36, 0x8000, 4, RIJN_VOLUME_ECIPHER},
               {BDE_AREA + 36, 0x8005, 4, RIJN_VOLUME_EKEYSLOT},
               {BDE_AREA + 36, 0x8006, 4, RIJN_VOLUME_ECIPHER},
               {BDE_ENTRIES, 7, 2, RIJN_VOLUME_EDAMAGED},
               {BDE_ENTRIES, 60000, 2, RIJN_VOLUME_EDAMAGED}};
  rijn_volume *v;
  rijn_volume_error err;
  uint8_t *block = m.bytes + bde_copies[0];
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    T_AT("case %zu", i);
    memset(m.bytes, 0, SIZE);
    bde_make(&m, 0x8004, 32, 512);
    put_number(block + BDE_ENTRIES + 18 + 2, 14, 2); /* no entry of the moved sectors, which would say more */
    put_number(block + cases[i].at, cases[i].value, cases[i].bytes);
    bde_seal(block);
    CHECK_EQ(open_bde(&v, false, NULL, &err), cases[i].code);
    rijn_volume_close(v);
  }
}

/* A block of another cipher, whose checksum is right: only the holder of the VMK can make its seal, or the FVEK. */
static void sealed(void) {
  rijn_volume *v;
  rijn_volume_error err;
  uint8_t *block = m.bytes + bde_copies[0];
  for (int i = 0; i < 4; i++) {
    T_AT("case %d", i);
    memset(m.bytes, 0, SIZE);
    bde_make(&m, 0x8004, 32, 512);
    size_t size = (size_t)(block[8] | block[9] << 8) * 16;
    put_number(block + BDE_AREA + 36, i < 2 ? 0x8003 : 0x8004, 2);
    if (i == 1)
      bde_seal(block);
    if (i == 2)
      memset(block + size + 8, 0, 80);
    put_number(block + size + 4, crc_of(block, size), 4);
    CHECK_EQ(open_bde(&v, false, NULL, &err), i < 3 ? RIJN_VOLUME_EDAMAGED : 0);
    rijn_volume_close(v);
  }
}

/* What is typed, for which protector, and what is said of it; nothing here is stretched. */
struct typed {
  const char *text;
  int slot, code;
  const char *said;
};
static void *type(void *argument) {
  const struct typed *t = argument;
  rijn_volume_secret secret = {t->text, strlen(t->text), NULL, 0, t->slot};
  rijn_volume *v;
  rijn_volume_error err;
  REQUIRE(rijn_volume_load(&v, &disk, NULL, NULL, &err) == 0);
  CHECK_EQ(rijn_volume_unlock(v, &secret, NULL, &err), t->code);
  CHECK(strstr(err.text, t->said) != NULL);
  rijn_volume_close(v);
  return NULL;
}

/* On a stack that is looked at: neither the password in UTF-16 nor the numbers of the recovery key stay there. */
static void typed_bde(void) {
  enum { PASSWORD = 3, RECOVERY = 4, STACK = 1 << 20 };
  static const char most[] =
      "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789ab"
      "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789ab"
      "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789ab";
  static struct typed list[] = {
      {"", PASSWORD, RIJN_VOLUME_EARG, "1 to 256 characters of UTF-8"},
      {"0123456789abcdef\xff", PASSWORD, RIJN_VOLUME_EARG, "1 to 256 characters of UTF-8"},
      {most, PASSWORD, RIJN_VOLUME_EARG, "1 to 256 characters of UTF-8"},
      {"235818-357952-253979-013365-241120-245575-342914-591910", RECOVERY, RIJN_VOLUME_EARG, "group 2 of"},
      {"235818357952253979013365241120245575342914591910", RECOVERY, RIJN_VOLUME_EARG, "group 2 of"},
      {" 235818 357951 253979 013365 241121 245575 342914 - 591910 ", RECOVERY, RIJN_VOLUME_EARG, "group 5 of"},
      {"235818-357951-253979-013365-241120-245575-342914-59191", RECOVERY, RIJN_VOLUME_EKEY, "does not open"},
      {"235818-357951-253979-013365-241120-245575-342914-5919100", RECOVERY, RIJN_VOLUME_EKEY, "does not open"},
      {"23581-8357951-253979-013365-241120-245575-342914-591910", RECOVERY, RIJN_VOLUME_EKEY, "does not open"}};
  static const uint8_t password[] = {'3', 0, '4', 0, '5', 0, '6', 0, '7', 0, '8', 0},
                       number[] = {0xbe, 0x53, 0x1d, 0x7f};
  uint8_t *stack = aligned_alloc(4096, STACK);
  pthread_attr_t attributes;
  pthread_t thread;
  memset(m.bytes, 0, SIZE);
  bde_make(&m, 0x8004, 32, 512);
  REQUIRE(stack != NULL && pthread_attr_init(&attributes) == 0 &&
          pthread_attr_setstack(&attributes, stack, STACK) == 0);
  for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
    T_AT("text %zu", i);
    memset(stack, 0, STACK);
    REQUIRE(pthread_create(&thread, &attributes, type, &list[i]) == 0 && pthread_join(thread, NULL) == 0);
    CHECK(memmem(stack, STACK, password, sizeof password) == NULL);
    CHECK(memmem(stack, STACK, number, sizeof number) == NULL);
  }
  pthread_attr_destroy(&attributes);
  free(stack);
}

/* ---------------------------------------------------------------- TrueCrypt */

enum { DATA = 131072, DATA_SIZE = SIZE - 2 * DATA };

static int open_tc(rijn_volume **v, int slot, bool no_hidden, rijn_volume_error *err) {
  rijn_volume_options options = {
      .format = RIJN_VOLUME_VERACRYPT, .no_hidden = no_hidden, .limit_rounds = 1000, .hash = "sha512"};
  rijn_volume_secret secret = {"one", 3, NULL, 0, slot};
  int opened = -1, r = rijn_volume_load(v, &disk, NULL, &options, err);
  if (r == 0)
    r = rijn_volume_unlock(*v, &secret, &opened, err);
  if (r == 0 && slot >= 0)
    CHECK_EQ(opened, slot);
  return r;
}

/* An outer volume is not written unless it is said to hide nothing; a hidden one is. */
static void hidden(void) {
  static const int places[] = {0, 65536, SIZE - 131072, SIZE - 65536};
  uint8_t plain[512];
  rijn_volume *v;
  rijn_volume_error err;
  for (int slot = 0; slot < 4; slot++) {
    T_AT("header %d", slot);
    memset(m.bytes, 0, SIZE);
    truecrypt_plain(plain, slot % 2 == 0 ? DATA : 300 * 1024, slot % 2 == 0 ? DATA_SIZE : 65536);
    truecrypt_seal(m.bytes + places[slot], plain);
    bool outer = slot % 2 == 0;
    REQUIRE(open_tc(&v, slot, false, &err) == 0);
    const rijn_volume_facts *f = rijn_volume_facts_of(v);
    CHECK(f->hides == outer && f->read_only == outer && f->size == (outer ? DATA_SIZE : 65536));
    CHECK_EQ(rijn_volume_pwrite(v, "x", 1, 5), outer ? EROFS : 0);
    rijn_volume_close(v);
    REQUIRE(open_tc(&v, slot, true, &err) == 0);
    CHECK_EQ(rijn_volume_pwrite(v, "x", 1, 5), 0);
    rijn_volume_close(v);
    if (slot >= 2) /* backups are not tried unless they are named */
      CHECK_EQ(open_tc(&v, -1, false, &err), RIJN_VOLUME_ECOST);
    else
      CHECK_EQ(open_tc(&v, -1, false, &err), 0);
    rijn_volume_close(v);
  }
}

/* Two headers that one passphrase opens: the first one counts, whichever thread is faster. */
static void first_header(void) {
  uint8_t plain[512];
  rijn_volume *v;
  rijn_volume_error err;
  truecrypt_plain(plain, DATA, DATA_SIZE);
  truecrypt_seal(m.bytes, plain);
  truecrypt_plain(plain, 300 * 1024, 65536);
  truecrypt_seal(m.bytes + 65536, plain);
  for (int i = 0; i < 100; i++) {
    T_AT("time %d", i);
    REQUIRE(open_tc(&v, -1, false, &err) == 0);
    CHECK_EQ(rijn_volume_facts_of(v)->size, DATA_SIZE);
    rijn_volume_close(v);
  }
}

int __real_EVP_KDF_derive(EVP_KDF_CTX *ctx, unsigned char *key, size_t len, const OSSL_PARAM params[]);
int __wrap_EVP_KDF_derive(EVP_KDF_CTX *ctx, unsigned char *key, size_t len, const OSSL_PARAM params[]);
static const uint8_t failing[8] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
/* The linker puts it before libcrypto's: it fails for a salt that begins like this. */
int __wrap_EVP_KDF_derive(EVP_KDF_CTX *ctx, unsigned char *key, size_t len, const OSSL_PARAM params[]) {
  const OSSL_PARAM *salt = OSSL_PARAM_locate_const(params, OSSL_KDF_PARAM_SALT);
  bool fails = salt != NULL && salt->data_size > sizeof failing && memcmp(salt->data, failing, sizeof failing) == 0;
  return fails ? 0 : __real_EVP_KDF_derive(ctx, key, len, params);
}

/* What libcrypto cannot do for one header is no end for the others. */
static void failed_hash(void) {
  rijn_volume *v;
  rijn_volume_error err;
  T_AT("a salt of %d", failing[0]);
  memcpy(m.bytes, failing, sizeof failing);
  CHECK_EQ(open_tc(&v, -1, false, &err), 0);
  rijn_volume_close(v);
  memcpy(m.bytes + 65536, failing, sizeof failing);
  CHECK_EQ(open_tc(&v, -1, false, &err), RIJN_VOLUME_ECRYPTO);
  CHECK(strstr(err.text, "sha512") != NULL);
  rijn_volume_close(v);
}

/* VeraCrypt takes no PIM above this one. */
static void pim(void) {
  rijn_volume *v;
  rijn_volume_error err;
  for (unsigned above = 0; above < 2; above++) {
    rijn_volume_options options = {.format = RIJN_VOLUME_VERACRYPT, .pim = 2147468 + above};
    T_AT("PIM %u", options.pim);
    CHECK_EQ(rijn_volume_load(&v, &disk, NULL, &options, &err), above ? RIJN_VOLUME_EARG : 0);
    rijn_volume_close(v);
  }
}

/* What one secret has opened, or could not, is nothing for the next one. */
static void another_secret(void) {
  rijn_volume_options options = {.format = RIJN_VOLUME_VERACRYPT, .limit_rounds = 1000, .hash = "sha512"};
  rijn_volume_secret secret = {"one", 3, NULL, 0, 0};
  uint8_t plain[512];
  rijn_volume *v;
  rijn_volume_error err;
  truecrypt_plain(plain, 300 * 1024, 65536);
  truecrypt_seal(m.bytes + 65536, plain);
  for (int i = 0; i < 2; i++) {
    T_AT("outer volume of %d disks", i + 1);
    truecrypt_plain(plain, DATA, i == 0 ? DATA_SIZE : 2 * SIZE);
    truecrypt_seal(m.bytes, plain);
    REQUIRE(rijn_volume_load(&v, &disk, NULL, &options, &err) == 0);
    secret.slot = 0;
    CHECK_EQ(rijn_volume_unlock(v, &secret, NULL, &err), i == 0 ? 0 : RIJN_VOLUME_ESIZE);
    secret.slot = 1;
    CHECK_EQ(rijn_volume_unlock(v, &secret, NULL, &err), 0);
    CHECK(rijn_volume_refusal(v)->code == 0 && !rijn_volume_facts_of(v)->read_only);
    CHECK_EQ(rijn_volume_pwrite(v, "x", 1, 5), 0);
    rijn_volume_close(v);
  }
}

/* Of a key file of 9 MiB, VeraCrypt takes the first; other formats, and a pipe, what is named. */
static void key_files(void) {
  enum { MIB = 1 << 20 };
  static const struct {
    uint64_t offset, size;
    int format, code;
    size_t len;
  } cases[] = {{0, 0, RIJN_VOLUME_ANY, RIJN_VOLUME_EARG, 0},
               {0, 0, RIJN_VOLUME_VERACRYPT, 0, MIB},
               {9 * MIB - 64, 64, RIJN_VOLUME_LUKS, 0, 64},
               {9 * MIB - 64, 0, RIJN_VOLUME_LUKS, 0, 64},
               {9 * MIB - 64, 65, RIJN_VOLUME_LUKS, RIJN_VOLUME_EARG, 0},
               {9 * MIB, 0, RIJN_VOLUME_LUKS, 0, 0},
               {9 * MIB + 1, 0, RIJN_VOLUME_LUKS, RIJN_VOLUME_EARG, 0},
               {UINT64_MAX, 64, RIJN_VOLUME_LUKS, RIJN_VOLUME_EARG, 0},
               {0, 8 * MIB + 1, RIJN_VOLUME_LUKS, RIJN_VOLUME_EARG, 0}};
  char name[40], from_pipe[40];
  uint8_t last[64], text[1000];
  rijn_volume_bytes bytes;
  rijn_volume_error err;
  int fd = memfd_create("key", MFD_CLOEXEC), ends[2];
  for (size_t i = 0; i < sizeof text; i++)
    text[i] = (uint8_t)(i * 7 + 1);
  memcpy(last, text, sizeof last);
  snprintf(name, sizeof name, "/dev/fd/%d", fd);
  REQUIRE(fd >= 0 && pwrite(fd, last, 64, 9 * MIB - 64) == 64);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    T_AT("case %zu", i);
    CHECK_EQ(rijn_volume_key_file(&bytes, name, cases[i].offset, cases[i].size, cases[i].format, &err), cases[i].code);
    CHECK_EQ(bytes.len, cases[i].len);
    if (bytes.len == 64)
      CHECK(memcmp(bytes.data, last, 64) == 0);
    rijn_volume_key_file_free(&bytes);
  }
  REQUIRE(pipe(ends) == 0 && write(ends[1], text, sizeof text) == (ssize_t)sizeof text);
  snprintf(from_pipe, sizeof from_pipe, "/dev/fd/%d", ends[0]);
  CHECK_EQ(rijn_volume_key_file(&bytes, from_pipe, 100, 64, RIJN_VOLUME_LUKS, &err), 0);
  CHECK(bytes.len == 64 && memcmp(bytes.data, text + 100, 64) == 0);
  rijn_volume_key_file_free(&bytes);
  CHECK(read(ends[0], text, 1) == 1 && text[0] == (uint8_t)(164 * 7 + 1)); /* the next byte is still there */
  close(ends[0]);
  close(ends[1]);
  close(fd);
}

static void refused_tc(void) {
  static const struct {
    size_t at;
    uint64_t value;
    unsigned bytes;
    int code;
  } cases[] = {{68, 5, 2, 0},
               {68, 6, 2, RIJN_VOLUME_EVERSION},
               {100, DATA_SIZE + 512, 8, RIJN_VOLUME_EREENCRYPT},
               {108, 5, 8, RIJN_VOLUME_EDAMAGED},
               {108, SIZE, 8, RIJN_VOLUME_ESIZE},
               {108, ~UINT64_C(0) << 9, 8, RIJN_VOLUME_ESIZE},
               {116, 0, 8, RIJN_VOLUME_EREENCRYPT},
               {128, 0, 4, RIJN_VOLUME_EDAMAGED},
               {128, 8192, 4, RIJN_VOLUME_EDAMAGED}};
  uint8_t plain[512];
  rijn_volume *v;
  rijn_volume_error err;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    T_AT("case %zu", i);
    truecrypt_plain(plain, DATA, DATA_SIZE);
    put_big(plain + cases[i].at, cases[i].value, cases[i].bytes);
    truecrypt_seal(m.bytes, plain);
    CHECK_EQ(open_tc(&v, 0, false, &err), cases[i].code);
    rijn_volume_close(v);
  }
}

static void changed_tc(void) {
  static uint8_t all[SIZE];
  uint8_t plain[512];
  rijn_volume_error err;
  rijn_volume *v;
  for (size_t at = 68; at < 132; at++)
    for (unsigned value = 0; value < 256; value += 85) {
      truecrypt_plain(plain, DATA, DATA_SIZE);
      plain[at] = (uint8_t)value;
      truecrypt_seal(m.bytes, plain);
      T_AT("byte %zu becomes %u", at, value);
      if (open_tc(&v, 0, false, &err) == 0)
        CHECK_EQ(rijn_volume_pread(v, all, rijn_volume_facts_of(v)->size, 0), 0);
      else
        CHECK(err.text[0] != '\0');
      rijn_volume_close(v);
    }
}

/* A new volume of another format is the only one there. */
static void over_another(void) {
  rijn_volume *v;
  rijn_volume_error err;
  memset(m.bytes, 0, SIZE);
  bde_make(&m, 0x8004, 32, 512);
  make(&disk, RIJN_VOLUME_GELI, 4096);
  CHECK_EQ(unlock(&v, &disk, "one", &err), 0);
  CHECK_EQ(rijn_volume_facts_of(v)->format, RIJN_VOLUME_GELI);
  rijn_volume_close(v);
  bde_boot(m.bytes, 512);
  CHECK_EQ(unlock(&v, &disk, "one", &err), RIJN_VOLUME_EAMBIGUOUS);
}

int main(int argc, char **argv) {
  t_init(argc, argv);
  memory_new(&m, SIZE);
  disk = memory_disk(&m);
  bitlocker();
  copies();
  places();
  sector_sizes();
  copies_differ();
  refused_bde();
  sealed();
  typed_bde();
  changed_bde();
  over_another();
  memset(m.bytes, 0, SIZE);
  hidden();
  first_header();
  failed_hash();
  pim();
  another_secret();
  key_files();
  refused_tc();
  changed_tc();
  memory_free(&m);
  return t_done();
}
