/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Rows: each comes out as the single call has it, in any layout (apart, in place, columns of one table); a forged one
 * is zeros and told, and the others are done; no byte between rows is touched; every refusal is exact and writes
 * nothing.
 */
#include "t.h"

enum { MOST = 100, LEN = 200, AAD = 20, GAP = 24, TABLE = MOST * (2 * LEN + AAD + 16 + 12 + 4 * GAP) };
static uint8_t table[TABLE], before[TABLE], want[MOST][LEN], want_tag[MOST][16], text[MOST][LEN], forged[MOST];

/* Where the columns of a table begin, and how far apart its rows are. */
struct layout {
  size_t in, out, aad, nonce, tag, step, aad_step;
};

/* Text, output (if it is not in place), associated data, nonce and tag side by side, with gaps between. */
static struct layout columns(size_t len, size_t aad_len, bool in_place, bool one_aad) {
  struct layout l = {.in = GAP};
  l.out = in_place ? l.in : l.in + len + GAP;
  l.aad = l.out + len + GAP;
  l.nonce = l.aad + aad_len;
  l.tag = l.nonce + 12 + GAP;
  l.step = l.tag + 16;
  l.aad_step = one_aad ? 0 : l.step;
  return l;
}

static rijn_gcm_rows rows_of(const rijn_gcm_key *key, const struct layout *l, size_t rows, size_t len, size_t aad_len) {
  return (rijn_gcm_rows){.size = sizeof(rijn_gcm_rows),
                         .key = key,
                         .rows = rows,
                         .len = len,
                         .aad_len = aad_len,
                         .out = table + l->out,
                         .in = table + l->in,
                         .aad = table + l->aad,
                         .nonces = table + l->nonce,
                         .tags = table + l->tag,
                         .out_step = l->step,
                         .in_step = l->step,
                         .aad_step = l->aad_step,
                         .nonce_step = l->step,
                         .tag_step = l->step,
                         .forged = forged};
}

/* The table but for what a call may write is as it was. */
static void untouched(const struct layout *l, size_t rows, size_t len, size_t tag_len, bool tags) {
  for (size_t i = 0; i < rows; i++) {
    memcpy(before + l->out + i * l->step, table + l->out + i * l->step, len);
    if (tags)
      memcpy(before + l->tag + i * l->step, table + l->tag + i * l->step, tag_len);
  }
  CHECK_MEM(table, before, TABLE);
}

static void encrypted(const rijn_gcm_key *key, const struct layout *l, size_t rows, size_t len, size_t aad_len) {
  const size_t tag_len = rijn_gcm_tag_len(key);
  t_fill(table, TABLE);
  memcpy(before, table, TABLE);
  memset(forged, 77, MOST);
  for (size_t i = 0; i < rows; i++) {
    memcpy(text[i], table + l->in + i * l->step, len);
    CHECK_EQ(rijn_gcm_encrypt(key, want[i], text[i], len, table + l->aad + i * l->aad_step, aad_len,
                              table + l->nonce + i * l->step, 12, want_tag[i]),
             RIJN_OK);
  }
  rijn_gcm_rows r = rows_of(key, l, rows, len, aad_len);
  CHECK_EQ(rijn_gcm_encrypt_rows(&r), 0);
  for (size_t i = 0; i < rows; i++) {
    CHECK_MEM(table + l->out + i * l->step, want[i], len);
    CHECK_MEM(table + l->tag + i * l->step, want_tag[i], tag_len);
  }
  CHECK_ALL(forged, 0, rows);
  CHECK_ALL(forged + rows, 77, MOST - rows);
  untouched(l, rows, len, tag_len, true);
}

/* What `encrypted` left is decrypted; of every bad-th row (0: of none) the tag is changed. */
static void decrypted(const rijn_gcm_key *key, const struct layout *l, size_t rows, size_t len, size_t aad_len,
                      size_t bad) {
  const size_t tag_len = rijn_gcm_tag_len(key);
  long long failed = 0;
  for (size_t i = 0; i < rows; i++) {
    memcpy(table + l->in + i * l->step, want[i], len);
    if (bad != 0 && i % bad == 0) {
      table[l->tag + i * l->step + t_below(tag_len)] ^= (uint8_t)(1u << t_below(8));
      failed++;
    }
  }
  memcpy(before, table, TABLE);
  rijn_gcm_rows r = rows_of(key, l, rows, len, aad_len);
  CHECK_EQ(rijn_gcm_decrypt_rows(&r), failed);
  for (size_t i = 0; i < rows; i++) {
    const bool wrong = bad != 0 && i % bad == 0;
    CHECK_EQ(forged[i], wrong);
    if (wrong)
      CHECK_ALL(table + l->out + i * l->step, 0, len);
    else
      CHECK_MEM(table + l->out + i * l->step, text[i], len);
  }
  untouched(l, rows, len, tag_len, false);
  r.forged = NULL;
  if (l->in != l->out)
    CHECK_EQ(rijn_gcm_decrypt_rows(&r), failed);
}

static void shapes(const rijn_gcm_key *key) {
  static const size_t lens[] = {0, 1, 15, 16, 17, 63, 64, 65, 100, 199, LEN};
  static const size_t counts[] = {1, 3, 4, 31, 32, 33, 64, 65, MOST};
  static const size_t aads[] = {0, 5, 16, AAD};
  for (size_t i = 0; i < sizeof lens / sizeof *lens; i++)
    for (size_t j = 0; j < sizeof counts / sizeof *counts; j++) {
      const size_t aad_len = aads[(i + j) % 4];
      const bool in_place = (i + j) % 3 == 0;
      struct layout l = columns(lens[i], aad_len, in_place, j % 2 != 0);
      T_AT("%zu rows of %zu bytes", counts[j], lens[i]);
      encrypted(key, &l, counts[j], lens[i], aad_len);
      decrypted(key, &l, counts[j], lens[i], aad_len, j % 4 == 0 ? 0 : j % 4);
    }
}

/* Rows whose output is a table of its own, without gaps, and pieces that a caller need not have: no text, no data. */
static void bare(const rijn_gcm_key *key) {
  static uint8_t out[MOST][64], nonces[MOST][12], tags[MOST][16], tag[16];
  t_fill(text, sizeof text);
  t_fill(nonces, sizeof nonces);
  rijn_gcm_rows r = {.size = sizeof r,
                     .key = key,
                     .rows = MOST,
                     .len = 64,
                     .out = out,
                     .in = text,
                     .nonces = nonces,
                     .tags = tags,
                     .out_step = 64,
                     .in_step = LEN,
                     .nonce_step = 12,
                     .tag_step = 16};
  CHECK_EQ(rijn_gcm_encrypt_rows(&r), 0);
  for (size_t i = 0; i < MOST; i++) {
    CHECK_EQ(rijn_gcm_encrypt(key, want[i], text[i], 64, NULL, 0, nonces[i], 12, tag), RIJN_OK);
    CHECK_MEM(out[i], want[i], 64);
    CHECK_MEM(tags[i], tag, rijn_gcm_tag_len(key));
  }
  r.len = 0;
  r.out = NULL;
  r.in = NULL;
  CHECK_EQ(rijn_gcm_encrypt_rows(&r), 0);
  for (size_t i = 0; i < MOST; i++) {
    CHECK_EQ(rijn_gcm_encrypt(key, NULL, NULL, 0, NULL, 0, nonces[i], 12, tag), RIJN_OK);
    CHECK_MEM(tags[i], tag, rijn_gcm_tag_len(key));
  }
}

static void refused(const char *what, const rijn_gcm_rows *r, int error) {
  T_AT("%s", what);
  memcpy(before, table, TABLE);
  CHECK_EQ(rijn_gcm_encrypt_rows(r), error);
  CHECK_EQ(rijn_gcm_decrypt_rows(r), error);
  CHECK_MEM(table, before, TABLE);
}

#define REFUSED(error, ...)                                                                                            \
  do {                                                                                                                 \
    rijn_gcm_rows r = good;                                                                                            \
    __VA_ARGS__;                                                                                                       \
    refused(#__VA_ARGS__, &r, error);                                                                                  \
  } while (0)

static void refusals(const rijn_gcm_key *key) {
  static rijn_gcm_key dead;
  const struct layout l = columns(64, AAD, false, false);
  const rijn_gcm_rows good = rows_of(key, &l, 10, 64, AAD);
  t_fill(table, TABLE);
  refused("nothing", NULL, RIJN_ENULL);
  REFUSED(RIJN_ESTRUCT, r.size--);
  REFUSED(RIJN_ESTRUCT, r.size++);
  REFUSED(RIJN_OK, r.rows = 0, r.key = NULL);
  REFUSED(RIJN_ENULL, r.key = NULL);
  REFUSED(RIJN_ESTATE, r.key = &dead);
  REFUSED(RIJN_ENULL, r.out = NULL);
  REFUSED(RIJN_ENULL, r.in = NULL);
  REFUSED(RIJN_ENULL, r.aad = NULL);
  REFUSED(RIJN_ENULL, r.nonces = NULL);
  REFUSED(RIJN_ENULL, r.tags = NULL);
  REFUSED(RIJN_EOVERLAP, r.out_step = 63);
  REFUSED(RIJN_EOVERLAP, r.out_step = 0);
  REFUSED(RIJN_EOVERLAP, r.tag_step = rijn_gcm_tag_len(key) - 1);
  REFUSED(RIJN_EOVERLAP, r.out = table + l.in + 1);                      /* each row a byte behind its text */
  REFUSED(RIJN_EOVERLAP, r.out = table + l.in + l.step - 1);             /* the next row's text */
  REFUSED(RIJN_EOVERLAP, r.out = table + l.in, r.out_step = l.step + 1); /* in place, but at another distance */
  REFUSED(RIJN_ELEN, r.in_step = SIZE_MAX / 2);
  REFUSED(RIJN_ELEN, r.out_step = SIZE_MAX / 2);
  REFUSED(RIJN_ELEN, r.aad_step = SIZE_MAX / 2);
  REFUSED(RIJN_ELEN, r.nonce_step = (size_t)0 - 12);
  REFUSED(RIJN_ELEN, r.tag_step = SIZE_MAX / 2);
  REFUSED(RIJN_EOVERLAP, r.in_step = l.step / 2, r.out_step = l.step); /* interleaved, at unequal distances */
  /* One nonce for several messages is never meant. Decryption may be asked for it. */
  rijn_gcm_rows one_nonce = good;
  one_nonce.nonce_step = 0;
  memcpy(before, table, TABLE);
  CHECK_EQ(rijn_gcm_encrypt_rows(&one_nonce), RIJN_ENONCELEN);
  CHECK_MEM(table, before, TABLE);
  CHECK_EQ(rijn_gcm_decrypt_rows(&one_nonce), 10);
#if SIZE_MAX > UINT32_MAX
  REFUSED(RIJN_ELEN, r.rows = (size_t)RIJN_GCM_ROWS_MAX + 1);
  REFUSED(RIJN_ELEN, r.len = (size_t)RIJN_GCM_MAX_LEN + 1);
  REFUSED(RIJN_EAADLEN, r.aad_len = (size_t)1 << 61);
#endif
}

int main(int argc, char **argv) {
  static const size_t tag_lens[] = {16, 12, 4};
  t_init(argc, argv);
  T_IMPLS(i) {
    static rijn_gcm_key key;
    uint8_t raw[32];
    for (size_t k = 0; k < 3; k++) {
      t_fill(raw, sizeof raw);
      CHECK_EQ(rijn_gcm_init_impl(&key, raw, 16 + 8 * k, tag_lens[k], i), RIJN_OK);
      shapes(&key);
      bare(&key);
      refusals(&key);
    }
  }
  return t_done();
}
