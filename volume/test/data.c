/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Bytes of volumes against a plain array: any offset and length, several threads in one sector, the border of two keys
 * of GELI, a disk that fails. */
#include "disk.h"

#include <pthread.h>

enum { PLAIN = 1 << 20, HEADER = 16 << 20, MOST = 300000 };

static uint8_t plain[PLAIN], got[PLAIN];

/* Random reads and writes, the same in the array. */
static void against_array(rijn_volume *v, int rounds) {
  REQUIRE(rijn_volume_pread(v, plain, PLAIN, 0) == 0);
  for (int i = 0; i < rounds; i++) {
    size_t len = t_below(8) == 0 ? t_below(MOST) : t_below(9000), at = t_below(PLAIN - len);
    if (t_below(3) == 0)
      at = at / 4096 * 4096;
    T_AT("offset %zu length %zu", at, len);
    if (t_below(2) == 0) {
      t_fill(plain + at, len);
      CHECK_EQ(rijn_volume_pwrite(v, plain + at, len, at), 0);
    } else {
      CHECK_EQ(rijn_volume_pread(v, got, len, at), 0);
      CHECK_MEM(got, plain + at, len);
    }
  }
  CHECK_EQ(rijn_volume_pread(v, got, PLAIN, 0), 0);
  CHECK_MEM(got, plain, PLAIN);
}

static void limits(rijn_volume *v) {
  uint64_t size = rijn_volume_facts_of(v)->size;
  CHECK_EQ(rijn_volume_pread(v, got, 1, size), EINVAL);
  CHECK_EQ(rijn_volume_pread(v, got, 2, size - 1), EINVAL);
  CHECK_EQ(rijn_volume_pread(v, got, 1, size - 1), 0);
  CHECK_EQ(rijn_volume_pread(v, got, 0, size), 0);
  CHECK_EQ(rijn_volume_pwrite(v, got, 1, UINT64_MAX), EINVAL);
}

/* The disk's n-th call fails: an error, and afterwards all is well. */
static void failing_disk(rijn_volume *v, struct memory *m) {
  for (long n = 0; n < 2; n++) { /* a part of a sector is read, then written */
    atomic_store(&m->fail_after, n);
    CHECK_EQ(rijn_volume_pwrite(v, got, 5000, 700), EIO);
    atomic_store(&m->fail_after, 0);
    CHECK_EQ(rijn_volume_pread(v, got, 5000, 700), EIO);
    atomic_store(&m->fail_after, -1);
    CHECK_EQ(rijn_volume_pread(v, got, 5000, 700), 0);
  }
}

/* ---- each thread owns every eighth byte of one range, and writes them one at a time */
static rijn_volume *shared;
static void *writer(void *arg) {
  unsigned mine = (unsigned)(uintptr_t)arg;
  for (unsigned at = mine; at < 512; at += 8) {
    uint8_t byte = (uint8_t)(at * 7 + 1);
    CHECK_EQ(rijn_volume_pwrite(shared, &byte, 1, at), 0);
  }
  return NULL;
}
static void threads(rijn_volume *v) {
  pthread_t t[8];
  shared = v;
  for (uintptr_t i = 0; i < 8; i++)
    REQUIRE(pthread_create(&t[i], NULL, writer, (void *)i) == 0);
  for (int i = 0; i < 8; i++)
    pthread_join(t[i], NULL);
  CHECK_EQ(rijn_volume_pread(v, got, 512, 0), 0);
  for (unsigned i = 0; i < 512; i++)
    CHECK_EQ(got[i], (uint8_t)(i * 7 + 1));
}

static void volume(int format, unsigned sector_size) {
  struct memory m;
  rijn_volume *v;
  rijn_volume_error err;
  memory_new(&m, PLAIN + (format == RIJN_VOLUME_GELI ? 65536 : HEADER));
  rijn_volume_disk disk = memory_disk(&m);
  make(&disk, format, sector_size);
  REQUIRE(unlock(&v, &disk, "one", &err) == 0);
  CHECK_EQ(rijn_volume_facts_of(v)->sector_size, sector_size);
  against_array(v, 150);
  limits(v);
  threads(v);
  failing_disk(v, &m);
  CHECK_EQ(rijn_volume_trim(v, PLAIN / 2, 0), 0); /* forbidden by this header: nothing happens */
  CHECK_EQ(atomic_load(&m.trimmed), 0);
  CHECK_EQ(rijn_volume_flush(v), 0);
  rijn_volume_close(v);
  /* What was written is ciphertext, and another opening reads it. */
  CHECK(memcmp(m.bytes + (format == RIJN_VOLUME_GELI ? 0 : HEADER), plain, 4096) != 0);
  REQUIRE(unlock(&v, &disk, "one", &err) == 0);
  against_array(v, 3);
  rijn_volume_close(v);
  memory_free(&m);
}

/* Trim, where the header asks for it: whole sectors only. */
static void trims(void) {
  struct memory m;
  rijn_volume *v;
  rijn_volume_error err;
  memory_new(&m, HEADER + PLAIN);
  rijn_volume_disk disk = memory_disk(&m);
  rijn_volume_create what = {.format = RIJN_VOLUME_LUKS2, .kdf = {"pbkdf2", 1000, 0, 0}, .allow_discards = true};
  rijn_volume_secret secret = passphrase("one");
  REQUIRE(rijn_volume_create_on(&disk, &what, &secret, NULL, &err) == 0);
  REQUIRE(unlock(&v, &disk, "one", &err) == 0);
  CHECK_EQ(rijn_volume_trim(v, 10000, 100), 0); /* from 4096 to 8192 */
  CHECK_EQ(atomic_load(&m.trimmed), 4096);
  CHECK_EQ(rijn_volume_trim(v, 4000, 100), 0);
  CHECK_EQ(atomic_load(&m.trimmed), 4096);
  rijn_volume_close(v);
  memory_free(&m);
}

/* A disk that begins with zeros, up to its window. */
static int window_pread(void *handle, void *buf, size_t len, uint64_t offset) {
  if (offset + len > ((struct memory *)handle)->base)
    return memory_pread(handle, buf, len, offset);
  memset(buf, 0, len);
  return 0;
}

/* A window of a disk of 512 MiB and more: GELI's second key begins within one write. */
static void border(void) {
  enum { WINDOW = 1 << 17 };
  const uint64_t at = (uint64_t)512 << 20;
  struct memory m;
  rijn_volume *v;
  rijn_volume_error err;
  static uint8_t one[WINDOW];
  memory_new(&m, 2 * WINDOW);
  m.base = at - WINDOW;
  rijn_volume_disk disk = memory_disk(&m);
  disk.pread = window_pread;
  make(&disk, RIJN_VOLUME_GELI, 512);
  rijn_volume_options options = {.format = RIJN_VOLUME_GELI};
  rijn_volume_secret secret = passphrase("one");
  REQUIRE(rijn_volume_load(&v, &disk, NULL, &options, &err) == 0);
  REQUIRE(rijn_volume_unlock(v, &secret, NULL, &err) == 0);
  t_fill(one, WINDOW);
  CHECK_EQ(rijn_volume_pwrite(v, one, WINDOW, at - WINDOW / 2), 0);
  static uint8_t first[WINDOW];
  memcpy(first, m.bytes + WINDOW / 2, WINDOW);
  for (size_t i = 0; i < WINDOW; i += 512)
    CHECK_EQ(rijn_volume_pwrite(v, one + i, 512, at - WINDOW / 2 + i), 0);
  CHECK_MEM(m.bytes + WINDOW / 2, first, WINDOW); /* sector by sector it is the same */
  CHECK_EQ(rijn_volume_pread(v, got, WINDOW, at - WINDOW / 2), 0);
  CHECK_MEM(got, one, WINDOW);
  rijn_volume_close(v);
  memory_free(&m);
}

int main(int argc, char **argv) {
  t_init(argc, argv);
  static const unsigned luks[] = {512, 1024, 4096}, geli[] = {512, 4096, 65536};
  for (size_t i = 0; i < 3; i++) {
    volume(RIJN_VOLUME_LUKS2, luks[i]);
    volume(RIJN_VOLUME_GELI, geli[i]);
  }
  trims();
  border();
  return t_done();
}
