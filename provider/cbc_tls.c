/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * The end of a CBC record of TLS: padding and MAC, in constant time.
 *
 * SPEC: RFC 5246 section 6.2.3.2: text, MAC, then n + 1 bytes of value n. Whoever can tell wrong padding from a wrong
 * MAC, by an answer or by time, can decrypt (Vaudenay; Lucky Thirteen). So everything here depends on the record's
 * length alone, which is public: masks are made from secrets, never branches or places in memory.
 */
#include <openssl/prov_ssl.h>
#include <string.h>

#include "masks.h"
#include "modes.h"

#define BLOCK 16u

/* mac = n bytes at rec + start, start secret. What may hold the MAC is the end of the record: padding has up to 256
 * bytes. The bytes go to places that rotate from a public beginning; then they are brought into order. */
static void copy_mac(uint8_t *mac, size_t n, const uint8_t *rec, size_t rec_len, uint32_t start) {
  uint8_t turned[MODES_MAX_TLS_MAC] = {0};
  size_t scan = rec_len > n + 256 ? rec_len - (n + 256) : 0;
  uint32_t shift = 0, place = 0;
  for (size_t i = scan; i < rec_len; i++) {
    uint32_t at = barrier((uint32_t)i);
    uint32_t inside = ~less(at, start) & less(at, start + (uint32_t)n);
    shift |= equal(at, start) & place;
    turned[place] |= (uint8_t)(rec[i] & inside);
    place = place + 1 == n ? 0 : place + 1; /* CT: place follows i, which is public */
  }
  for (uint32_t j = 0; j < n; j++) {
    uint32_t from = shift + j, byte = 0;
    from -= (uint32_t)n & ~less(from, (uint32_t)n);
    for (uint32_t i = 0; i < n; i++)
      byte |= turned[i] & equal(barrier(i), from);
    mac[j] = (uint8_t)byte;
  }
  memset(turned, 0, sizeof turned);
  __asm__ volatile("" : : "r"(turned) : "memory");
}

bool rijn_cbc_tls_open(struct modes *c, uint8_t *rec, size_t *len) {
  size_t n = c->tls_mac_size;
  switch (c->tls_version) {
  case TLS1_VERSION:
    break;
  case TLS1_1_VERSION:
  case TLS1_2_VERSION:
  case DTLS1_VERSION:
  case DTLS1_2_VERSION:
  case DTLS1_BAD_VER:
    if (*len < BLOCK)
      return false;
    rec += BLOCK; /* the explicit IV */
    *len -= BLOCK;
    break;
  default:
    return false;
  }
  if (n > MODES_MAX_TLS_MAC || *len < n + 1 || *len > INT32_MAX)
    return false;
  uint32_t rec_len = (uint32_t)*len, pad = rec[rec_len - 1];
  uint32_t good = ~less(rec_len, (uint32_t)n + 1 + pad);
  uint32_t check = rec_len < 256 ? rec_len : 256;
  for (uint32_t i = 0; i < check; i++)
    good &= less(pad, barrier(i)) | equal(rec[rec_len - 1 - i], pad);
  good = barrier(good);
  uint32_t text_mac = rec_len - (good & (pad + 1));
  if (n == 0) {
    /* Encrypt-then-MAC: the record was authenticated before, so the verdict on the padding is no secret. */
    *len = text_mac;
    return good != 0;
  }
  uint8_t random[MODES_MAX_TLS_MAC];
  if (!rijn_prov_random(random, n))
    return RIJN_RAISE(c->prov, RIJN_R_RANDOM) != 0;
  copy_mac(c->tls_mac, n, rec, rec_len, text_mac - (uint32_t)n);
  for (size_t i = 0; i < n; i++)
    c->tls_mac[i] = (uint8_t)((c->tls_mac[i] & good) | (random[i] & ~good));
  *len = text_mac - n;
  return true;
}
