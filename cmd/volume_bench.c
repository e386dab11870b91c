/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* rijn volume bench: what deriving a key costs, and how fast sectors are. In memory, on one processor; Argon2 takes one
 * for each lane. */
#include "volume.h"

#include <argon2.h>
#include <errno.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

enum { DISK = 32 << 20, RUN = 1 << 20 };

static int memory_pread(void *handle, void *buf, size_t len, uint64_t offset) {
  memcpy(buf, (const uint8_t *)handle + offset, len);
  return 0;
}
static int memory_pwrite(void *handle, const void *buf, size_t len, uint64_t offset) {
  memcpy((uint8_t *)handle + offset, buf, len);
  return 0;
}

static double speed(rijn_volume *v, uint8_t *buf, bool encrypt) {
  double start = rijn_now(), spent = 0;
  uint64_t bytes = 0;
  for (; spent < enough; bytes += RUN) {
    if (rijn_volume_crypt(v, buf, RUN, 0, encrypt) != 0)
      return 0;
    spent = rijn_now() - start;
  }
  return (double)bytes / spent / (1 << 20);
}

static int bench_sectors(void *memory, uint8_t *buf, int format, unsigned key_bits, unsigned sector_size) {
  rijn_volume_disk disk = {memory, DISK, 512, memory_pread, memory_pwrite, NULL, NULL};
  rijn_volume_create what = {.format = format, .key_bits = key_bits, .sector_size = sector_size};
  rijn_volume_secret secret = {"x", 1, NULL, 0, -1};
  rijn_volume_options options = {.format = format};
  rijn_volume_error err;
  rijn_volume *v = NULL;
  what.kdf = (rijn_volume_kdf){.name = "pbkdf2", .rounds = 1000};
  int r = rijn_volume_create_on(&disk, &what, &secret, NULL, &err);
  if (r == RIJN_VOLUME_OK)
    r = rijn_volume_load(&v, &disk, NULL, &options, &err);
  if (r == RIJN_VOLUME_OK)
    r = rijn_volume_unlock(v, &secret, NULL, &err);
  if (r == RIJN_VOLUME_OK) {
    double to = speed(v, buf, true), from = speed(v, buf, false);
    printf("%-8s aes-xts %6ub %8u %12.1f MiB/s %12.1f MiB/s\n", format == RIJN_VOLUME_GELI ? "GELI" : "LUKS2",
           2 * key_bits, sector_size, to, from);
  }
  rijn_volume_close(v);
  return r == RIJN_VOLUME_OK ? RIJN_EXIT_OK : volume_say("bench", &err);
}

int volume_bench(struct volume_args *a) {
  static const int formats[] = {RIJN_VOLUME_LUKS2, RIJN_VOLUME_GELI};
  long cpus = sysconf(_SC_NPROCESSORS_ONLN);
  uint8_t *memory = calloc(1, DISK), *buf = aligned_alloc(4096, RUN);
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
    printf("#%-7s %7s %7s %8s %18s %18s\n", "Volume", "Cipher", "Key", "Sector", "Encryption", "Decryption");
  }
  for (size_t f = 0; f < 2; f++)
    for (unsigned bits = 128; status == RIJN_EXIT_OK && bits <= 256; bits += 128)
      for (unsigned sector = 512; status == RIJN_EXIT_OK && sector <= 4096; sector *= 8)
        status = bench_sectors(memory, buf, formats[f], bits, sector);
  free(memory);
  free(buf);
  return rijn_finish_stdout(status);
}
