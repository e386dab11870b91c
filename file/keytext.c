/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Keys as text: KIND:HEX-CHECK, where CHECK is the first four bytes of SHA-256 over KIND, a colon and the raw bytes.
 * */
#include "crypto.h"

#include <string.h>

enum { CHECK_LEN = 4, KIND_MAX = 24 };

static const struct {
  int kind;
  size_t len;
  const char *name;
} kinds[] = {{RIJN_FILE_KEY_AES128, 16, "rijn-aes128-key"},
             {RIJN_FILE_KEY_AES256, 32, "rijn-aes256-key"},
             {RIJN_FILE_KEY_SECRET, 32, "rijn-x25519-secret"},
             {RIJN_FILE_KEY_PUBLIC, 32, "rijn-x25519-public"}};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static int find_kind(int kind) {
  for (int i = 0; i < KINDS; i++)
    if (kinds[i].kind == kind)
      return i;
  return -1;
}

/* CT: no digit is an index or a branch; the digits of a secret key go through here. */
static void to_hex(char *out, const uint8_t *in, size_t len) {
  for (size_t i = 0; i < 2 * len; i++) {
    int d = i % 2 == 0 ? in[i / 2] >> 4 : in[i / 2] & 15;
    out[i] = (char)('0' + d + (((9 - d) >> 8) & ('a' - '0' - 10)));
  }
}

/* -1 where x is in from..to, else 0. */
static int within(int x, int from, int to) { return ~((x - from) | (to - x)) >> 8; }

/* False: another character than 0-9, a-f is among them. CT: which one, and where, is not told by the time. */
static bool from_hex(uint8_t *out, const char *in, size_t len) {
  int bad = 0;
  for (size_t i = 0; i < 2 * len; i++) {
    int c = (unsigned char)in[i], digit = within(c, '0', '9'), letter = within(c, 'a', 'f');
    int d = (digit & (c - '0')) | (letter & (c - 'a' + 10));
    bad |= ~(digit | letter);
    out[i / 2] = (uint8_t)(i % 2 == 0 ? d << 4 : out[i / 2] | d);
  }
  return bad == 0;
}

/* SHA-256 of label || kind || ":" || raw, its first len bytes. */
static void digest_of(const char *label, int i, const uint8_t *raw, uint8_t *out, size_t len) {
  uint8_t text[2 * KIND_MAX + 1 + 32], sum[32];
  size_t a = strlen(label), b = strlen(kinds[i].name), n = a + b + 1 + kinds[i].len;
  memcpy(text, label, a);
  memcpy(text + a, kinds[i].name, b);
  text[a + b] = ':';
  memcpy(text + a + b + 1, raw, kinds[i].len);
  rijn_sha256((struct rijn_bytes){text, n}, sum);
  explicit_bzero(text, sizeof text);
  memcpy(out, sum, len);
}

int rijn_file_key_write(int kind, const void *raw, char text[RIJN_FILE_KEY_TEXT]) {
  uint8_t check[CHECK_LEN];
  int i = find_kind(kind);
  if (i < 0 || raw == NULL)
    return RIJN_FILE_EARGUMENT;
  digest_of("", i, raw, check, sizeof check);
  size_t n = strlen(kinds[i].name);
  memcpy(text, kinds[i].name, n);
  text[n++] = ':';
  to_hex(text + n, raw, kinds[i].len);
  n += 2 * kinds[i].len;
  text[n++] = '-';
  to_hex(text + n, check, sizeof check);
  text[n + 2 * sizeof check] = '\0';
  return 0;
}

int rijn_file_key_read(const char *text, size_t len, int *kind, uint8_t raw[32], size_t *raw_len) {
  uint8_t check[CHECK_LEN], given[CHECK_LEN];
  for (int i = 0; i < KINDS; i++) {
    size_t n = strlen(kinds[i].name), digits = 2 * kinds[i].len;
    if (len < n + 1 || memcmp(text, kinds[i].name, n) != 0 || text[n] != ':')
      continue;
    const char *hex = text + n + 1;
    if (len != n + 1 + digits + 1 + 2 * CHECK_LEN || hex[digits] != '-' || !from_hex(raw, hex, kinds[i].len) ||
        !from_hex(given, hex + digits + 1, CHECK_LEN))
      return RIJN_FILE_EKEYTEXT;
    digest_of("", i, raw, check, sizeof check);
    if (!rijn_same_bytes(check, given, CHECK_LEN))
      return RIJN_FILE_EKEYTEXT;
    *kind = kinds[i].kind;
    *raw_len = kinds[i].len;
    return 0;
  }
  return RIJN_FILE_EKEYTEXT;
}

int rijn_file_fingerprint(int kind, const void *raw, char text[RIJN_FILE_FINGERPRINT]) {
  uint8_t sum[16];
  int i = find_kind(kind);
  if (i < 0 || raw == NULL)
    return RIJN_FILE_EARGUMENT;
  digest_of("rijn-fingerprint:", i, raw, sum, sizeof sum);
  to_hex(text, sum, sizeof sum);
  text[2 * sizeof sum] = '\0';
  return 0;
}

int rijn_file_key_new(int kind, uint8_t raw[32]) {
  int i = find_kind(kind);
  if (i < 0 || kind == RIJN_FILE_KEY_PUBLIC)
    return RIJN_FILE_EARGUMENT;
  return rijn_random_bytes(raw, kinds[i].len) == 0 ? 0 : RIJN_FILE_ERANDOM;
}

int rijn_file_key_public(const uint8_t secret[32], uint8_t public_key[32]) {
  return rijn_x25519_public(secret, public_key) ? 0 : RIJN_FILE_ECRYPTO;
}
