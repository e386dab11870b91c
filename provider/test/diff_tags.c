/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Tags of each length, 1 to 16, and messages in pieces of each size: what encryption hands out, decryption takes, as
 * with the default provider. */
#include "pair.h"

enum { MOST = 3100 };
static uint8_t text[MOST], sealed[MOST], key[32], iv[16], aad[100];
static const int lens[] = {0, 1, 15, 16, 17, 100, 256, 257, 512, 513, 1025, 2048, 2049, 3000};
#define COUNT(a) (sizeof(a) / sizeof(a)[0])

/* n bytes in pieces of the size. */
static void put(struct pair *p, const uint8_t *in, int n, int piece, uint8_t *out, bool in_place) {
  for (int at = 0; at < n; at += piece) {
    int now = n - at < piece ? n - at : piece;
    CHECK(pair_update(p, in + at, now, true, in_place));
    if (out != NULL)
      memcpy(out + at, p->mine, (size_t)now);
  }
}

static void seal(struct pair *p, int n, int piece, int aad_len, uint8_t *tag, int tag_len) {
  CHECK(pair_init(p, NULL, iv, 1));
  CHECK(aad_len == 0 || pair_update(p, aad, aad_len, false, false));
  put(p, text, n, piece, sealed, piece % 2);
  CHECK(pair_final(p));
  CHECK(pair_ctrl_get(p, EVP_CTRL_AEAD_GET_TAG, tag_len, tag, (size_t)tag_len));
}

static void open(struct pair *p, int n, int piece, int aad_len, uint8_t *tag, int tag_len, bool late, bool good) {
  uint8_t got[MOST];
  CHECK(pair_init(p, NULL, iv, 0));
  CHECK(late || pair_ctrl_set(p, EVP_CTRL_AEAD_SET_TAG, tag_len, tag, (size_t)tag_len));
  CHECK(aad_len == 0 || pair_update(p, aad, aad_len, false, false));
  put(p, sealed, n, piece, got, piece % 2);
  CHECK_MEM(got, text, (size_t)n);
  CHECK(!late || pair_ctrl_set(p, EVP_CTRL_AEAD_SET_TAG, tag_len, tag, (size_t)tag_len));
  CHECK_EQ(pair_final(p), good);
}

/* Is this one that Rijn can check when it is set late? */
static bool late_too(int tag_len, int n, int piece, int aad_len) {
  return tag_len >= 12 || tag_len == 8 || tag_len == 4 || (n <= 512 && piece <= 256 && aad_len <= 64) ||
         (n <= 512 && piece >= n && aad_len <= 64);
}

static void test_tags(const char *name) {
  struct pair p;
  int step = pair_rounds(50) == 1 ? 5 : 1;
  pair_fetch(&p, name);
  for (int tag_len = 1; tag_len <= 16; tag_len += step)
    for (size_t i = 0; i < COUNT(lens); i++)
      for (int how = 0; how < 4; how++) {
        uint8_t tag[16];
        int n = lens[i], piece = how & 1 ? n / 2 + 1 : MOST, aad_len = how & 2 ? 100 : 13;
        T_AT("tag of %zu, text of %zu in %zu, data of %zu", tag_len, n, piece, aad_len);
        CHECK(pair_init(&p, key, NULL, 1)); /* WHY a key each time: with it a context forgets about pieces */
        seal(&p, n, piece, aad_len, tag, tag_len);
        for (int late = 0; late < 2; late++)
          if (!late || late_too(tag_len, n, piece, aad_len)) {
            CHECK(pair_init(&p, key, NULL, 0));
            open(&p, n, piece, aad_len, tag, tag_len, late, true);
            unsigned at = (unsigned)(t_rnd() % (unsigned)tag_len);
            tag[at] ^= (uint8_t)(1u << t_rnd() % 8);
            CHECK(pair_init(&p, key, NULL, 0));
            open(&p, n, piece, aad_len, tag, tag_len, late, false);
            open(&p, n, piece, aad_len, tag, tag_len, late, false);
            tag[at] = 0;
            seal(&p, n, piece, aad_len, tag, tag_len);
          }
      }
  pair_free(&p);
}

/* Where Rijn cannot check a late tag it says so; the message is over, and the next one none the worse. */
static void test_late(void) {
  EVP_CIPHER *ref, *ours;
  one_open(RIJN_MODULES, &ref, &ours);
  for (int tag_len = 1; tag_len <= 16; tag_len++)
    for (int n = 513; n <= MOST; n += 800) {
      uint8_t out[MOST], tag[16];
      bool own = late_too(tag_len, n, n, 0);
      T_AT("tag of %zu, text of %zu", tag_len, n);
      EVP_CIPHER_CTX *c = one_begin(ours, 1, key, iv);
      CHECK(one_update(c, sealed, text, n) == 1 && one_final(c) == 1 && one_get_tag(c, tag, tag_len) == 1);
      CHECK(EVP_CipherInit_ex2(c, NULL, NULL, iv, 0, NULL) == 1);
      CHECK(one_update(c, out, sealed, n) == 1 && one_set_tag(c, tag, tag_len) == 1);
      CHECK_EQ(one_final(c) == 1, own);
      if (!own) {
        const char *data = "";
        int flags;
        ERR_get_error_all(NULL, NULL, NULL, &data, &flags);
        CHECK(strstr(data, "must be set before the text") != NULL);
      }
      CHECK(EVP_CipherInit_ex2(c, NULL, NULL, iv, 0, NULL) == 1 && one_set_tag(c, tag, tag_len) == 1);
      CHECK(one_update(c, out, sealed, n) == 1 && one_final(c) == 1);
      CHECK_MEM(out, text, (size_t)n);
      EVP_CIPHER_CTX_free(c);
    }
  one_close(ref, ours);
}

/* Every size of small pieces, and sizes in turns; copies in the middle. */
static void test_pieces(const char *name) {
  struct pair p;
  uint8_t tag[16];
  pair_fetch(&p, name);
  CHECK(pair_init(&p, key, NULL, 1));
  for (int piece = 1; piece <= 130; piece += piece < 20 ? 1 : 7) {
    T_AT("pieces of %zu", piece);
    seal(&p, 1420, piece, 13, tag, 16);
    open(&p, 1420, piece, 13, tag, 16, false, true);
    open(&p, 1420, piece, 13, tag, 16, true, true);
    open(&p, 1420, piece, 13, tag, 11, false, true);
  }
  size_t rounds = pair_rounds(60);
  for (size_t i = 0; i < rounds; i++) {
    int n = 100 + (int)(t_rnd() % 2900), tag_len = 1 + (int)(t_rnd() % 16);
    uint8_t got[MOST];
    T_AT("round %zu, text of %zu", i, n);
    for (int enc = 1; enc >= 0; enc--) {
      CHECK(pair_init(&p, NULL, iv, enc));
      CHECK(enc || pair_ctrl_set(&p, EVP_CTRL_AEAD_SET_TAG, tag_len, tag, (size_t)tag_len));
      for (int at = 0; at < n;) {
        int most = t_rnd() % 4 == 0 ? 400 : 40, now = 1 + (int)(t_rnd() % (unsigned)most);
        now = now < n - at ? now : n - at;
        CHECK(pair_update(&p, (enc ? text : sealed) + at, now, true, t_rnd() % 2));
        memcpy((enc ? sealed : got) + at, p.mine, (size_t)now);
        at += now;
        if (t_rnd() % 16 == 0)
          CHECK(pair_copy(&p));
      }
      CHECK(pair_final(&p));
      CHECK(!enc || pair_ctrl_get(&p, EVP_CTRL_AEAD_GET_TAG, tag_len, tag, (size_t)tag_len));
    }
    CHECK_MEM(got, text, (size_t)n);
  }
  pair_free(&p);
}

int main(int argc, char **argv) {
  t_init(argc, argv);
  t_fill(text, sizeof text);
  t_fill(key, sizeof key);
  t_fill(iv, sizeof iv);
  t_fill(aad, sizeof aad);
  test_late();
  pair_open(RIJN_MODULES, NULL);
  test_tags("AES-256-GCM");
  test_pieces("AES-128-GCM");
  test_pieces("AES-256-GCM");
  pair_close();
  return t_done();
}
