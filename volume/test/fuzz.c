/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* The readers of headers. The first byte of the input says of which: LUKS2's JSON, GELI's and BitLocker's metadata and
 * TrueCrypt's header get the right checksums here, so that the fuzzer is past them. What is loaded must lie within the
 * disk; what opens must be readable from end to end. */
#include "made.h"

enum { LUKS2_JSON, GELI_METADATA, LUKS1, RAW, PARTITIONS, BITLOCKER, TRUECRYPT, KINDS };
enum { SIZE = 1 << 20, HEADER = 16384, BINARY = 4096 };

static struct memory m;

static void luks2(const uint8_t *p, size_t n) {
  for (int i = 0; i < 2; i++) {
    uint8_t *h = m.bytes + i * HEADER;
    unsigned len;
    memset(h, 0, HEADER);
    memcpy(h, i == 0 ? "LUKS\xba\xbe\0\2" : "SKUL\xba\xbe\0\2", 8);
    h[14] = 0x40;                   /* 16384 bytes */
    h[16 + 7] = 1;                  /* epoch */
    h[256 + 6] = i == 0 ? 0 : 0x40; /* where it lies */
    memcpy(h + 72, "sha256", 6);
    memcpy(h + BINARY, p, n < HEADER - BINARY ? n : HEADER - BINARY);
    EVP_Digest(h, HEADER, h + 448, &len, EVP_sha256(), NULL);
  }
}

static void geli(const uint8_t *p, size_t n) {
  uint8_t *s = m.bytes + SIZE - 512;
  unsigned len;
  memcpy(s, p, n < 511 ? n : 511);
  memcpy(s, "GEOM::ELI\0\0\0\0\0\0", 16);
  EVP_Digest(s, s[16] == 0 ? 493 : 495, s + (s[16] == 0 ? 493 : 495), &len, EVP_md5(), NULL);
}

/* The input is the block from its states on. */
static void bitlocker(const uint8_t *p, size_t n) {
  uint8_t *block = m.bytes + bde_copies[0];
  size_t most = BDE_BLOCK - 64, len = n < most ? n : most;
  bde_boot(m.bytes, 512);
  memcpy(block + 12, p, len);
  bde_finish(block, len + 12 > BDE_ENTRIES ? len + 12 - BDE_ENTRIES : 0);
}

static void truecrypt(const uint8_t *p, size_t n) {
  uint8_t plain[512] = {0};
  memcpy(plain + 68, p, n < 444 ? n : 444);
  truecrypt_seal(m.bytes, plain);
}

static void put(unsigned kind, const uint8_t *p, size_t n) {
  memset(m.bytes, 0, SIZE);
  switch (kind) {
  case LUKS2_JSON:
    luks2(p, n);
    return;
  case GELI_METADATA:
    geli(p, n);
    return;
  case LUKS1:
    memcpy(m.bytes, p, n < 4096 ? n : 4096);
    memcpy(m.bytes, "LUKS\xba\xbe\0\1", 8);
    return;
  case BITLOCKER:
    bitlocker(p, n);
    return;
  case TRUECRYPT:
    truecrypt(p, n);
    return;
  default: /* anything at the start */
    memcpy(m.bytes, p, n < SIZE ? n : SIZE);
  }
}

/* With RIJN_FUZZ_PLANTED a refusal counts as if it had been none: the fuzzer must come there. */
static void planted(const rijn_volume *v) {
  int code = rijn_volume_refusal(v)->code;
  if (getenv("RIJN_FUZZ_PLANTED") != NULL && (code == RIJN_VOLUME_EIVTWEAK || code == RIJN_VOLUME_EROUNDS))
    abort();
}

/* WHY no passphrase of BitLocker: it is hashed a million times. */
static void open_it(const rijn_volume_disk *disk, unsigned kind, rijn_volume_bytes key_file) {
  rijn_volume_options options = {.limit_rounds = 300, .limit_memory_kib = 64};
  rijn_volume_secret secret = passphrase("one");
  if (kind == BITLOCKER)
    secret = (rijn_volume_secret){NULL, 0, &key_file, 1, -1};
  if (kind == TRUECRYPT) {
    options = (rijn_volume_options){.format = RIJN_VOLUME_VERACRYPT, .limit_rounds = 1000, .hash = "sha512"};
    secret.slot = 0; /* WHY: one header takes no thread, and runs do not differ */
  }
  rijn_volume_error err;
  rijn_volume *v;
  uint8_t sector[512];
  if (rijn_volume_load(&v, disk, NULL, &options, &err) != 0) {
    REQUIRE(err.text[0] != '\0');
    return;
  }
  const rijn_volume_facts *f = rijn_volume_facts_of(v);
  planted(v);
  bool opened = rijn_volume_unlock(v, &secret, NULL, &err) == 0;
  REQUIRE(f->size <= SIZE && (f->size == 0 || f->data_offset + f->size <= SIZE));
  if (opened) {
    REQUIRE(rijn_volume_pread(v, sector, sizeof sector, f->size - sizeof sector) == 0);
    REQUIRE(rijn_volume_pread(v, sector, sizeof sector, 0) == 0);
  }
  rijn_volume_close(v);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static rijn_volume_partition list[64];
  rijn_volume_error err;
  size_t count;
  if (m.bytes == NULL)
    memory_new(&m, SIZE);
  if (size == 0)
    return 0;
  /* WHY so few bytes for the last two: TrueCrypt's rounds take a millisecond. */
  unsigned kind = data[0] < KINDS ? data[0] : data[0] % BITLOCKER;
  size_t tail = size - 1 < 200 ? size - 1 : 200;
  put(kind, data + 1, size - 1);
  rijn_volume_disk disk = memory_disk(&m);
  disk.sector_size = 0;
  open_it(&disk, kind, (rijn_volume_bytes){data + size - tail, tail});
  if (rijn_volume_partitions(&disk, list, 64, &count, &err) == 0)
    for (size_t i = 0; i < count; i++)
      REQUIRE(list[i].offset <= SIZE && list[i].size <= SIZE - list[i].offset);
  return 0;
}
