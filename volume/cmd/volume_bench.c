/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* rijn volume bench: what deriving a key costs, and how fast sectors are. In memory, on one processor; Argon2 takes one
 * for each lane. */
#include "volume.h"

#include <rijn.h>

#include <argon2.h>
#include <errno.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const double enough = 0.3; /* seconds of each line */

/* ---------------------------------------------------------------- keys */

static void bench_pbkdf2(const char *name, const EVP_MD *md) {
  unsigned char out[64];
  const int rounds = 20000;
  double start = rijn_now(), spent = 0;
  int n = 0;
  for (; spent < enough; n++) {
    PKCS5_PBKDF2_HMAC("passphrase", 10, (const unsigned char *)"0123456789abcdef", 16, rounds, md, sizeof out, out);
    spent = rijn_now() - start;
  }
  printf("PBKDF2-%-12s %9.0f rounds a second for a key of 512 bits\n", name, n * (double)rounds / spent);
}

static int bench_argon2(uint32_t memory_kib, uint32_t lanes) {
  unsigned char out[64];
  const uint32_t passes = 4;
  double start = rijn_now();
  int r = argon2id_hash_raw(passes, memory_kib, lanes, "passphrase", 10, "0123456789abcdef", 16, out, sizeof out);
  if (r != ARGON2_OK) {
    rijn_say("Argon2 with %u MiB: %s", memory_kib >> 10, argon2_error_message(r));
    return RIJN_EXIT_FAILED;
  }
  printf("argon2id            %9.0f ms for %u passes over %u MiB, %u lanes\n", 1e3 * (rijn_now() - start), passes,
         memory_kib >> 10, lanes);
  return RIJN_EXIT_OK;
}

/* ---------------------------------------------------------------- sectors */

/* WHY longer than what is kept of it: a range with the border of two of GELI's keys is on it, in sectors of 4096 bytes
 * too. */
enum { KEPT = 32 << 20, RUN = 1 << 20, SAMPLES = 31, RUNS = 4 };
static const uint64_t disk_size = ((uint64_t)4 << 30) + 2 * KEPT;

/* The two ends of the disk are one memory: LUKS's header is at the start, GELI's metadata are at the end. */
static void *kept(void *memory, uint64_t offset) { return (uint8_t *)memory + offset % KEPT; }
static int memory_pread(void *memory, void *buf, size_t len, uint64_t offset) {
  memcpy(buf, kept(memory, offset), len);
  return 0;
}
static int memory_pwrite(void *memory, const void *buf, size_t len, uint64_t offset) {
  memcpy(kept(memory, offset), buf, len);
  return 0;
}

/* WHY the thread's own time: what else runs on this machine does not count. */
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* What is measured: a range of a volume, or the library's own call on as many sectors. */
struct work {
  rijn_volume *volume; /* NULL: the library */
  uint64_t offset;
  const rijn_xts_key *key;
  size_t sector_size;
};
static int once(const struct work *w, uint8_t *buf, bool encrypt) {
  if (w->volume != NULL)
    return rijn_volume_crypt(w->volume, buf, RUN, w->offset, encrypt);
  if (encrypt)
    return rijn_xts_encrypt_sectors(w->key, buf, buf, w->sector_size, RUN / w->sector_size, 0, 1);
  return rijn_xts_decrypt_sectors(w->key, buf, buf, w->sector_size, RUN / w->sector_size, 0, 1);
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

enum { VOLUME, LIBRARY, WORKS };

/* MiB a second of both, in turn: the medians. */
static int speeds(const struct work works[WORKS], uint8_t *buf, bool encrypt, double mib[WORKS]) {
  double spent[WORKS][SAMPLES];
  for (int i = -1; i < SAMPLES; i++) /* the first is for warmth */
    for (int w = 0; w < WORKS; w++) {
      double start = now();
      for (int n = 0; n < RUNS; n++)
        if (once(&works[w], buf, encrypt) != 0)
          return RIJN_EXIT_FAILED;
      spent[w][i < 0 ? 0 : i] = now() - start;
    }
  for (int w = 0; w < WORKS; w++) {
    qsort(spent[w], SAMPLES, sizeof spent[w][0], by_value);
    mib[w] = RUNS * (double)RUN / spent[w][SAMPLES / 2] / (1 << 20);
  }
  return RIJN_EXIT_OK;
}

struct row {
  const char *name;
  int format;
  unsigned key_bits, sector_size;
  bool border; /* the middle of the range is where GELI's second key begins */
};

static int measure(rijn_volume *v, const struct row *row, uint8_t *buf) {
  static const uint8_t raw[64] = {1};
  uint64_t offset = row->border ? (uint64_t)row->sector_size * (1 << 20) - RUN / 2 : 0;
  rijn_xts_key key;
  const struct work works[WORKS] = {{v, offset, NULL, 0}, {NULL, 0, &key, row->sector_size}};
  double to[WORKS], from[WORKS];
  if (rijn_xts_init(&key, raw, row->key_bits / 4) != RIJN_OK || speeds(works, buf, true, to) != RIJN_EXIT_OK ||
      speeds(works, buf, false, from) != RIJN_EXIT_OK)
    return RIJN_EXIT_FAILED;
  printf("%-12s %4ub %8u %9.1f MiB/s %3.0f %% %9.1f MiB/s %3.0f %%\n", row->name, 2 * row->key_bits, row->sector_size,
         to[VOLUME], 100 * to[VOLUME] / to[LIBRARY], from[VOLUME], 100 * from[VOLUME] / from[LIBRARY]);
  return RIJN_EXIT_OK;
}

static int bench_sectors(void *memory, uint8_t *buf, const struct row *row) {
  rijn_volume_disk disk = {memory, disk_size, 512, memory_pread, memory_pwrite, NULL, NULL};
  rijn_volume_create what = {.format = row->format, .key_bits = row->key_bits, .sector_size = row->sector_size};
  rijn_volume_secret secret = {"x", 1, NULL, 0, -1};
  rijn_volume_options options = {.format = row->format};
  rijn_volume_error err;
  rijn_volume *v = NULL;
  what.kdf = (rijn_volume_kdf){.name = "pbkdf2", .rounds = 1000};
  int r = rijn_volume_create_on(&disk, &what, &secret, NULL, &err);
  if (r == RIJN_VOLUME_OK)
    r = rijn_volume_load(&v, &disk, NULL, &options, &err);
  if (r == RIJN_VOLUME_OK)
    r = rijn_volume_unlock(v, &secret, NULL, &err);
  int status = r == RIJN_VOLUME_OK ? measure(v, row, buf) : volume_say("bench", &err);
  rijn_volume_close(v);
  return status;
}

int volume_bench(struct volume_args *a) {
  static const struct {
    const char *name;
    int format;
    bool border;
  } kinds[] = {
      {"LUKS2", RIJN_VOLUME_LUKS2, false}, {"GELI", RIJN_VOLUME_GELI, false}, {"GELI, 2 keys", RIJN_VOLUME_GELI, true}};
  long cpus = sysconf(_SC_NPROCESSORS_ONLN);
  uint8_t *memory = calloc(1, KEPT), *buf = aligned_alloc(4096, RUN);
  int status = memory != NULL && buf != NULL ? RIJN_EXIT_OK : RIJN_EXIT_FAILED;
  uint32_t lanes = cpus < 1 ? 1 : (uint32_t)cpus;
  (void)a;
  if (lanes > 4)
    lanes = 4;
  if (status == RIJN_EXIT_OK) {
    memset(buf, 0, RUN);
    puts("# In memory, without a disk.");
    bench_pbkdf2("sha1", EVP_sha1());
    bench_pbkdf2("sha256", EVP_sha256());
    bench_pbkdf2("sha512", EVP_sha512());
    status = bench_argon2(64 << 10, lanes);
    puts("# Sectors by AES-XTS on one processor. In per cent: of the speed of librijn's own call.");
    printf("#%-11s %5s %8s %21s %21s\n", "Volume", "Key", "Sector", "Encryption", "Decryption");
  }
  for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
    for (unsigned bits = 128; bits <= 256; bits += 128)
      for (unsigned sector = 512; status == RIJN_EXIT_OK && sector <= 4096; sector *= 8) {
        const struct row row = {kinds[k].name, kinds[k].format, bits, sector, kinds[k].border};
        status = bench_sectors(memory, buf, &row);
      }
  free(memory);
  free(buf);
  return rijn_finish_stdout(status);
}
