/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* ECB, CBC, CFB, CTR, CCM, XTS: every error a call can give, exactly, and nothing written by a refusal. PKCS#7 is in
 * pkcs7.c. */
#include <limits.h>

#include "t.h"

static uint8_t out[1024], iv[16];

#define REFUSED(want, call) CHECK_REFUSED(want, call, out, iv)

static void test_aes_init(int impl) {
  T_AT("impl %zu aes init", impl);
  rijn_aes_key key;
  uint8_t raw[80] = {1};
  INIT_REFUSED(RIJN_ENULL, &key, rijn_aes_init_impl(NULL, raw, 16, impl));
  INIT_REFUSED(RIJN_ENULL, &key, rijn_aes_init_impl(&key, NULL, 16, impl));
  INIT_REFUSED(RIJN_EKEYLEN, &key, rijn_aes_init_impl(&key, NULL, 0, impl));
  for (size_t n = 0; n <= 70; n++)
    if (n != 16 && n != 24 && n != 32) {
      INIT_REFUSED(RIJN_EKEYLEN, &key, rijn_aes_init_impl(&key, raw, n, impl));
      INIT_REFUSED(RIJN_EKEYLEN, &key, rijn_aes_init(&key, raw, n));
    }
  const int none[] = {-1, RIJN_EIMPL, INT_MIN, rijn_impl_count(), INT_MAX};
  for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
    INIT_REFUSED(RIJN_EIMPL, &key, rijn_aes_init_impl(&key, raw, 16, none[i]));
  CHECK_EQ(rijn_aes_init(&key, raw, 24), 0);
  rijn_aes_wipe(&key);
  CHECK_ALL(&key, 0, sizeof key);
  rijn_aes_wipe(NULL);
}

static void no_aes_key(const rijn_aes_key *key, int want) {
  uint8_t in[32] = {0};
  rijn_ctr_state st = {{0}, {0}, 0};
  size_t n = 1;
  REFUSED(want, rijn_ecb_encrypt(key, out, in, 2));
  REFUSED(want, rijn_ecb_decrypt(key, out, in, 2));
  REFUSED(want, rijn_cbc_encrypt(key, out, in, 2, iv));
  REFUSED(want, rijn_cbc_decrypt(key, out, in, 2, iv));
  REFUSED(want, rijn_cbc_encrypt_pkcs7(key, out, &n, in, 32, iv));
  REFUSED(want, rijn_cbc_decrypt_pkcs7(key, out, &n, in, 32, iv));
  REFUSED(want, rijn_ctr_crypt(key, out, in, 32, &st));
  REFUSED(want, rijn_ctr32_crypt(key, out, in, 32, &st));
  rijn_cfb_state cfb = {{0}, 0};
  REFUSED(want, rijn_cfb_encrypt(key, out, in, 32, &cfb));
  REFUSED(want, rijn_cfb_decrypt(key, out, in, 32, &cfb));
  CHECK_ALL(&cfb, 0, sizeof cfb);
  CHECK_EQ(n, 1);
  CHECK_ALL(&st, 0, sizeof st);
}

static void test_aes_calls(int impl) {
  T_AT("impl %zu ecb cbc ctr", impl);
  rijn_aes_key key;
  uint8_t raw[16] = {1}, in[64] = {2};
  const size_t over = SIZE_MAX / 16 + 1;
  no_aes_key(NULL, RIJN_ENULL);
  memset(&key, 0, sizeof key);
  no_aes_key(&key, RIJN_ESTATE);
  memset(&key, 0xff, sizeof key);
  no_aes_key(&key, RIJN_ESTATE);

  CHECK_EQ(rijn_aes_init_impl(&key, raw, 16, impl), 0);
  REFUSED(RIJN_ENULL, rijn_ecb_encrypt(&key, NULL, in, 1));
  REFUSED(RIJN_ENULL, rijn_ecb_encrypt(&key, out, NULL, 1));
  REFUSED(RIJN_ENULL, rijn_ecb_decrypt(&key, NULL, in, 1));
  REFUSED(RIJN_ENULL, rijn_ecb_decrypt(&key, out, NULL, 1));
  REFUSED(0, rijn_ecb_encrypt(&key, NULL, NULL, 0));
  REFUSED(0, rijn_ecb_decrypt(&key, NULL, NULL, 0));
  REFUSED(RIJN_ELEN, rijn_ecb_encrypt(&key, out, out, over));
  REFUSED(RIJN_ELEN, rijn_ecb_decrypt(&key, out, out, over));
  REFUSED(RIJN_EOVERLAP, rijn_ecb_encrypt(&key, out + 16, out, 2));
  REFUSED(RIJN_EOVERLAP, rijn_ecb_decrypt(&key, out, out + 31, 2));

  REFUSED(RIJN_ENULL, rijn_cbc_encrypt(&key, NULL, in, 1, iv));
  REFUSED(RIJN_ENULL, rijn_cbc_encrypt(&key, out, NULL, 1, iv));
  REFUSED(RIJN_ENULL, rijn_cbc_encrypt(&key, out, in, 1, NULL));
  REFUSED(RIJN_ENULL, rijn_cbc_decrypt(&key, NULL, in, 1, iv));
  REFUSED(RIJN_ENULL, rijn_cbc_decrypt(&key, out, NULL, 1, iv));
  REFUSED(RIJN_ENULL, rijn_cbc_decrypt(&key, out, in, 1, NULL));
  REFUSED(0, rijn_cbc_encrypt(&key, NULL, NULL, 0, iv));
  REFUSED(0, rijn_cbc_decrypt(&key, NULL, NULL, 0, iv));
  REFUSED(RIJN_ELEN, rijn_cbc_encrypt(&key, out, out, over, iv));
  REFUSED(RIJN_ELEN, rijn_cbc_decrypt(&key, out, out, over, iv));
  REFUSED(RIJN_EOVERLAP, rijn_cbc_encrypt(&key, out + 16, out, 2, iv));
  REFUSED(RIJN_EOVERLAP, rijn_cbc_decrypt(&key, out, out + 16, 2, iv));

  for (int way = 0; way < 2; way++) {
    int (*crypt)(const rijn_aes_key *, void *, const void *, size_t, rijn_cfb_state *) =
        way ? rijn_cfb_encrypt : rijn_cfb_decrypt;
    rijn_cfb_state st = {{7}, 5}, keep = st;
    REFUSED(RIJN_ENULL, crypt(&key, NULL, in, 1, &st));
    REFUSED(RIJN_ENULL, crypt(&key, out, NULL, 1, &st));
    REFUSED(RIJN_ENULL, crypt(&key, out, in, 1, NULL));
    REFUSED(RIJN_EOVERLAP, crypt(&key, out + 1, out, 2, &st));
    REFUSED(0, crypt(&key, NULL, NULL, 0, &st));
    CHECK_MEM(&st, &keep, sizeof st);
    const uint32_t used[] = {16, 17, 0x80000000, UINT32_MAX};
    for (size_t i = 0; i < sizeof used / sizeof used[0]; i++) {
      st.used = keep.used = used[i];
      REFUSED(RIJN_ESTATE, crypt(&key, out, in, 32, &st));
      REFUSED(RIJN_ESTATE, crypt(&key, NULL, NULL, 0, &st));
      CHECK_MEM(&st, &keep, sizeof st);
    }
    rijn_cfb_wipe(&st);
    CHECK_ALL(st.iv, 0, sizeof st.iv);
    REFUSED(RIJN_ESTATE, crypt(&key, out, in, 32, &st));
    rijn_cfb_wipe(NULL);
  }

  for (int narrow = 0; narrow < 2; narrow++) {
    int (*crypt)(const rijn_aes_key *, void *, const void *, size_t, rijn_ctr_state *) =
        narrow ? rijn_ctr32_crypt : rijn_ctr_crypt;
    rijn_ctr_state st, keep;
    memset(&st, 0x11, sizeof st);
    st.used = 5;
    keep = st;
    REFUSED(RIJN_ENULL, crypt(&key, NULL, in, 1, &st));
    REFUSED(RIJN_ENULL, crypt(&key, out, NULL, 1, &st));
    REFUSED(RIJN_ENULL, crypt(&key, out, in, 1, NULL));
    REFUSED(RIJN_EOVERLAP, crypt(&key, out + 1, out, 2, &st));
    REFUSED(0, crypt(&key, NULL, NULL, 0, &st));
    CHECK_MEM(&st, &keep, sizeof st);
    const uint32_t used[] = {16, 17, 256, 0x80000000, UINT32_MAX, RIJN_CTR_SECRET | 16, 2 * RIJN_CTR_SECRET};
    for (size_t i = 0; i < sizeof used / sizeof used[0]; i++) {
      st.used = keep.used = used[i];
      REFUSED(RIJN_ESTATE, crypt(&key, out, in, 32, &st));
      REFUSED(RIJN_ESTATE, crypt(&key, NULL, NULL, 0, &st));
      CHECK_MEM(&st, &keep, sizeof st);
    }
    /* No 32-bit counter twice in a call. What is not too long is refused for its overlap, which is looked at later. */
    for (uint32_t n = 0; n < 16 && SIZE_MAX > UINT32_MAX; n++) {
      const size_t most = (size_t)((UINT64_C(1) << 36) - n);
      st.used = keep.used = n | (n % 2 ? RIJN_CTR_SECRET : 0);
      REFUSED(RIJN_EOVERLAP, crypt(&key, out + 1, out, most, &st));
      REFUSED(narrow ? RIJN_ELEN : RIJN_EOVERLAP, crypt(&key, out + 1, out, most + 1, &st));
      REFUSED(narrow ? RIJN_ELEN : RIJN_EOVERLAP, crypt(&key, out + 1, out, SIZE_MAX, &st));
      CHECK_MEM(&st, &keep, sizeof st);
    }
  }
}

static void test_ccm(int impl) {
  T_AT("impl %zu ccm", impl);
  rijn_ccm_key key;
  uint8_t raw[80] = {1}, in[64] = {2}, tag[16] = {0};
  const int none[] = {-1, RIJN_EIMPL, INT_MIN, rijn_impl_count(), INT_MAX};
  INIT_REFUSED(RIJN_ENULL, &key, rijn_ccm_init_impl(NULL, raw, 16, 16, impl));
  INIT_REFUSED(RIJN_ENULL, &key, rijn_ccm_init_impl(&key, NULL, 16, 16, impl));
  for (size_t n = 0; n <= 70; n++) {
    if (n != 16 && n != 24 && n != 32)
      INIT_REFUSED(RIJN_EKEYLEN, &key, rijn_ccm_init(&key, raw, n));
    if (n < 4 || n > 16 || n % 2 != 0)
      INIT_REFUSED(RIJN_ETAGLEN, &key, rijn_ccm_init_taglen(&key, raw, 16, n));
  }
  for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
    INIT_REFUSED(RIJN_EIMPL, &key, rijn_ccm_init_impl(&key, raw, 16, 16, none[i]));
  memset(&key, 0, sizeof key);
  CHECK_EQ(rijn_ccm_tag_len(NULL), 0);
  rijn_ccm_wipe(NULL);

  for (int way = 0; way < 2; way++) {
#define CCM(...)                                                                                                       \
  (way ? rijn_ccm_encrypt(__VA_ARGS__, out + 900)                                                                      \
       : rijn_ccm_decrypt(__VA_ARGS__, tag)) /* the tag: refused, not written */
    memset(&key, 0, sizeof key);
    REFUSED(RIJN_ESTATE, CCM(&key, out, in, 32, raw, 3, iv, 12));
    REFUSED(RIJN_ENULL, CCM(NULL, out, in, 32, raw, 3, iv, 12));
    CHECK_EQ(rijn_ccm_init_impl(&key, raw, 16, 16, impl), 0);
    REFUSED(RIJN_ENULL, CCM(&key, NULL, in, 32, raw, 3, iv, 12));
    REFUSED(RIJN_ENULL, CCM(&key, out, NULL, 32, raw, 3, iv, 12));
    REFUSED(RIJN_ENULL, CCM(&key, out, in, 32, NULL, 3, iv, 12));
    REFUSED(RIJN_ENULL, CCM(&key, out, in, 32, raw, 3, NULL, 12));
    REFUSED(RIJN_EOVERLAP, CCM(&key, out + 1, out, 32, raw, 3, iv, 12));
    for (size_t n = 0; n < 20; n++)
      if (n < 7 || n > 13)
        REFUSED(RIJN_ENONCELEN, CCM(&key, out, in, 32, raw, 3, raw, n));
    /* What is not too long is refused for its overlap, which is looked at later. */
    for (size_t n = sizeof(size_t) == 8 ? 8 : 12; n <= 13; n++) {
      const size_t most = ((size_t)1 << 8 * (15 - n)) - 1;
      REFUSED(RIJN_EOVERLAP, CCM(&key, out + 1, out, most, raw, 3, raw, n));
      REFUSED(RIJN_ELEN, CCM(&key, out + 1, out, most + 1, raw, 3, raw, n));
    }
#undef CCM
  }
  REFUSED(RIJN_ENULL, rijn_ccm_encrypt(&key, out, in, 32, raw, 3, iv, 12, NULL));
  REFUSED(RIJN_ENULL, rijn_ccm_decrypt(&key, out, in, 32, raw, 3, iv, 12, NULL));
}

static void test_xts_init(int impl) {
  T_AT("impl %zu xts init", impl);
  rijn_xts_key key;
  uint8_t raw[80];
  t_fill(raw, sizeof raw);
  INIT_REFUSED(RIJN_ENULL, &key, rijn_xts_init_impl(NULL, raw, 32, impl));
  INIT_REFUSED(RIJN_ENULL, &key, rijn_xts_init_impl(&key, NULL, 32, impl));
  INIT_REFUSED(RIJN_EKEYLEN, &key, rijn_xts_init_impl(&key, NULL, 0, impl));
  for (size_t n = 0; n <= 70; n++) /* 48 is among them: there is no XTS with AES-192 */
    if (n != 32 && n != 64) {
      INIT_REFUSED(RIJN_EKEYLEN, &key, rijn_xts_init_impl(&key, raw, n, impl));
      INIT_REFUSED(RIJN_EKEYLEN, &key, rijn_xts_init(&key, raw, n));
    }
  for (size_t n = 32; n <= 64; n += 32) {
    memcpy(raw + n / 2, raw, n / 2);
    INIT_REFUSED(RIJN_EWEAKKEY, &key, rijn_xts_init_impl(&key, raw, n, impl));
    INIT_REFUSED(RIJN_EWEAKKEY, &key, rijn_xts_init(&key, raw, n));
    for (size_t bit = 0; bit < 8 * n; bit += 7) { /* one bit apart is apart */
      raw[bit / 8] ^= (uint8_t)(1 << bit % 8);
      CHECK_EQ(rijn_xts_init_impl(&key, raw, n, impl), 0);
      raw[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    raw[0] ^= 1;
    INIT_REFUSED(RIJN_EIMPL, &key, rijn_xts_init_impl(&key, raw, n, -1));
    INIT_REFUSED(RIJN_EIMPL, &key, rijn_xts_init_impl(&key, raw, n, rijn_impl_count()));
    CHECK_EQ(rijn_xts_init(&key, raw, n), 0);
  }
  rijn_xts_wipe(&key);
  CHECK_ALL(&key, 0, sizeof key);
  rijn_xts_wipe(NULL);
}

typedef int unit_fn(const rijn_xts_key *, void *, const void *, size_t, const uint8_t *);
typedef int sectors_fn(const rijn_xts_key *, void *, const void *, size_t, size_t, uint64_t, uint64_t);
typedef int tweaks_fn(const rijn_xts_key *, void *, const void *, size_t, size_t, const uint8_t *);

static void test_xts_unit(int impl, unit_fn *crypt) {
  T_AT("impl %zu xts unit", impl);
  rijn_xts_key key;
  uint8_t raw[32] = {1}, tweak[16] = {2}, in[64] = {3};
  memset(&key, 0, sizeof key);
  REFUSED(RIJN_ESTATE, crypt(&key, out, in, 16, tweak));
  CHECK_EQ(rijn_xts_init_impl(&key, raw, 32, impl), 0);
  REFUSED(RIJN_ENULL, crypt(NULL, out, in, 16, tweak));
  REFUSED(RIJN_ENULL, crypt(&key, NULL, in, 16, tweak));
  REFUSED(RIJN_ENULL, crypt(&key, out, NULL, 16, tweak));
  REFUSED(RIJN_ENULL, crypt(&key, out, in, 16, NULL));
  REFUSED(RIJN_ELEN, crypt(&key, NULL, NULL, 0, tweak));
  for (size_t n = 0; n < 16; n++)
    REFUSED(RIJN_ELEN, crypt(&key, out, in, n, tweak));
  REFUSED(RIJN_EOVERLAP, crypt(&key, out, out + 1, RIJN_XTS_MAX_LEN, tweak));
  REFUSED(RIJN_ELEN, crypt(&key, out, out + 1, RIJN_XTS_MAX_LEN + 1, tweak));
  REFUSED(RIJN_ELEN, crypt(&key, out, out, RIJN_XTS_MAX_LEN + 1, tweak));
  REFUSED(RIJN_ELEN, crypt(&key, out, out, SIZE_MAX, tweak));
}

static void test_xts_sectors(int impl, sectors_fn *crypt) {
  T_AT("impl %zu xts sectors", impl);
  rijn_xts_key key;
  uint8_t raw[32] = {1};
  static uint8_t in[1024];
  memset(&key, 0, sizeof key);
  REFUSED(RIJN_ESTATE, crypt(&key, out, in, 512, 2, 0, 1));
  CHECK_EQ(rijn_xts_init_impl(&key, raw, 32, impl), 0);
  REFUSED(RIJN_ENULL, crypt(NULL, out, in, 512, 2, 0, 1));
  REFUSED(RIJN_ENULL, crypt(&key, NULL, in, 512, 2, 0, 1));
  REFUSED(RIJN_ENULL, crypt(&key, out, NULL, 512, 2, 0, 1));
  REFUSED(0, crypt(&key, NULL, NULL, 512, 0, 0, 1));
  REFUSED(0, crypt(&key, NULL, NULL, 65536, 0, UINT64_MAX, UINT64_MAX));
  for (size_t n = 0; n <= 1100; n++)
    if (n != 512 && n != 1024) {
      REFUSED(RIJN_ESECTOR, crypt(&key, out, in, n, 1, 0, 1));
      CHECK_EQ(crypt(&key, out, in, n, 0, 0, 1), RIJN_ESECTOR);
    }
  const size_t sizes[] = {1536, 4095, 4097, 65535, 65537, 131072, SIZE_MAX, SIZE_MAX / 2 + 1};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
    REFUSED(RIJN_ESECTOR, crypt(&key, out, in, sizes[i], 1, 0, 1));
  for (size_t size = 512; size <= 65536; size *= 2) {
    REFUSED(RIJN_ESECTOR, crypt(&key, out, out, size, SIZE_MAX / size + 1, 0, 0));
    REFUSED(RIJN_EOVERLAP, crypt(&key, out, out + 1, size, SIZE_MAX / size, 0, 0));
  }
  REFUSED(RIJN_EOVERLAP, crypt(&key, out, out + 512, 512, 2, 0, 1));

  /* The last sector's number: exactly 2^64 - 1 is the last that is. Where the numbers are fine, the overlap is not. */
  static const struct {
    uint64_t n, first, step;
    int want;
  } runs[] = {
      {1, UINT64_MAX, 1, RIJN_EOVERLAP},         {1, UINT64_MAX, UINT64_MAX, RIJN_EOVERLAP},
      {2, UINT64_MAX - 1, 1, RIJN_EOVERLAP},     {2, UINT64_MAX, 1, RIJN_ESECTOR},
      {2, UINT64_MAX, 0, RIJN_EOVERLAP},         {3, UINT64_MAX - 2, 1, RIJN_EOVERLAP},
      {3, UINT64_MAX - 1, 1, RIJN_ESECTOR},      {2, 0, UINT64_MAX, RIJN_EOVERLAP},
      {2, 1, UINT64_MAX, RIJN_ESECTOR},          {3, 0, UINT64_MAX, RIJN_ESECTOR},
      {3, 0, UINT64_MAX / 2, RIJN_EOVERLAP},     {3, 1, UINT64_MAX / 2, RIJN_EOVERLAP},
      {3, 2, UINT64_MAX / 2, RIJN_ESECTOR},      {3, 0, UINT64_MAX / 2 + 1, RIJN_ESECTOR},
      {101, UINT64_MAX - 800, 8, RIJN_EOVERLAP}, {101, UINT64_MAX - 799, 8, RIJN_ESECTOR},
  };
  for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
    T_AT("impl %zu xts sectors run %zu", impl, i);
    REFUSED(runs[i].want, crypt(&key, out, out + 1, 512, (size_t)runs[i].n, runs[i].first, runs[i].step));
  }
  CHECK_EQ(crypt(&key, out, in, 512, 2, UINT64_MAX - 8, 8), 0);
}

static void test_xts_tweaks(int impl, tweaks_fn *crypt) {
  T_AT("impl %zu xts tweaks", impl);
  rijn_xts_key key;
  uint8_t raw[32] = {1}, tweaks[32] = {4};
  static uint8_t in[1024];
  memset(&key, 0, sizeof key);
  REFUSED(RIJN_ESTATE, crypt(&key, out, in, 512, 2, tweaks));
  CHECK_EQ(rijn_xts_init_impl(&key, raw, 32, impl), 0);
  REFUSED(RIJN_ENULL, crypt(NULL, out, in, 512, 2, tweaks));
  REFUSED(RIJN_ENULL, crypt(&key, NULL, in, 512, 2, tweaks));
  REFUSED(RIJN_ENULL, crypt(&key, out, NULL, 512, 2, tweaks));
  REFUSED(RIJN_ENULL, crypt(&key, out, in, 512, 2, NULL));
  REFUSED(0, crypt(&key, NULL, NULL, 512, 0, NULL));
  REFUSED(RIJN_ESECTOR, crypt(&key, out, in, 511, 2, tweaks));
  REFUSED(RIJN_ESECTOR, crypt(&key, out, in, 16, 2, tweaks));
  REFUSED(RIJN_ESECTOR, crypt(&key, out, in, 131072, 2, tweaks));
  REFUSED(RIJN_ESECTOR, crypt(&key, NULL, NULL, 0, 0, NULL));
  REFUSED(RIJN_ESECTOR, crypt(&key, out, out, 512, SIZE_MAX / 512 + 1, tweaks));
  REFUSED(RIJN_EOVERLAP, crypt(&key, out, out + 1, 512, SIZE_MAX / 512, tweaks));
}

int main(int argc, char **argv) {
  t_init(argc, argv);
  T_IMPLS(i) {
    test_aes_init(i);
    test_aes_calls(i);
    test_ccm(i);
    test_xts_init(i);
    test_xts_unit(i, rijn_xts_encrypt);
    test_xts_unit(i, rijn_xts_decrypt);
    test_xts_sectors(i, rijn_xts_encrypt_sectors);
    test_xts_sectors(i, rijn_xts_decrypt_sectors);
    test_xts_tweaks(i, rijn_xts_encrypt_tweaks);
    test_xts_tweaks(i, rijn_xts_decrypt_tweaks);
  }
  return t_done();
}
