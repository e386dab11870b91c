/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * A disk with sectors of 4096 bytes, encrypted with AES-256-XTS. The tweak is the sector's number, in units of 512
 * bytes, as dm-crypt counts them. Any sector can be read and replaced alone.
 *
 * XTS has no integrity: a changed sector decrypts to noise, and no call says so. Where that matters, keep checksums
 * elsewhere, or take AES-GCM with room for tags.
 */
#include "example.h"

enum { SECTOR = 4096, SECTORS = 8, STEP = SECTOR / 512 };
static unsigned char disk[SECTORS][SECTOR], plain[SECTORS][SECTOR], one[SECTOR];

int main(void) {
  static rijn_xts_key key;
  unsigned char raw[64]; /* two AES-256 keys; equal ones are refused */
  random_bytes(raw, sizeof raw);
  random_bytes(plain, sizeof plain);
  MUST(rijn_xts_init(&key, raw, sizeof raw));
  forget(raw, sizeof raw);

  MUST(rijn_xts_encrypt_sectors(&key, disk, plain, SECTOR, SECTORS, 0, STEP));

  /* The sixth sector alone. */
  MUST(rijn_xts_decrypt_sectors(&key, one, disk[5], SECTOR, 1, 5 * STEP, STEP));
  EXPECT(memcmp(one, plain[5], SECTOR) == 0);
  /* Another text in its place; its neighbours stay as they are. */
  memset(one, 'x', SECTOR);
  MUST(rijn_xts_encrypt_sectors(&key, disk[5], one, SECTOR, 1, 5 * STEP, STEP));
  MUST(rijn_xts_decrypt_sectors(&key, disk, disk, SECTOR, SECTORS, 0, STEP));
  EXPECT(memcmp(disk[4], plain[4], SECTOR) == 0 && memcmp(disk[6], plain[6], SECTOR) == 0);
  EXPECT(memcmp(disk[5], one, SECTOR) == 0);
  rijn_xts_wipe(&key);
  printf("%d sectors of %d bytes\n", SECTORS, SECTOR);
  return 0;
}
