/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Upper halves of vector registers are given back: after a call the processor says that they are unused (XGETBV with
 * ECX = 1, the state in use). Zeros in them would not do: SSE code in the caller is slow until VZEROUPPER. */
#include "t.h"

#include <cpuid.h>

enum { TEXT = 40000 };
static uint8_t in[TEXT], out[TEXT], tag[16], nonce[12], iv[16], raw[64];

static bool tells(void) {
  unsigned a, b, c, d;
  if (!__get_cpuid_count(1, 0, &a, &b, &c, &d) || !(c & bit_OSXSAVE))
    return false;
  return __get_cpuid_count(13, 1, &a, &b, &c, &d) && (a & 4);
}
static bool in_use(void) {
  unsigned a, d;
  __asm__ volatile("xgetbv" : "=a"(a), "=d"(d) : "c"(1));
  return a & 4;
}
static void give_back(void) { __asm__ volatile("vzeroupper" ::: "memory"); }

#define CLEAN(call)                                                                                                    \
  do {                                                                                                                 \
    give_back();                                                                                                       \
    CHECK_EQ(call, 0);                                                                                                 \
    CHECK(!in_use());                                                                                                  \
  } while (0)

int main(int argc, char **argv) {
  t_init(argc, argv);
  if (!tells()) {
    printf("this processor does not tell which state is in use: nothing was looked at\n");
    return t_done();
  }
  /* What must be seen. */
  static const uint8_t ones[32] = {1};
  __asm__ volatile("vmovdqu %0, %%ymm7" ::"m"(ones) : "xmm7");
  CHECK(in_use());
  give_back();
  CHECK(!in_use());

  raw[40] = 1; /* the halves of an XTS key differ */
  T_IMPLS(i) {
    static rijn_gcm_key gcm;
    static rijn_xts_key xts;
    static rijn_aes_key aes;
    static rijn_ghash_key ghash;
    static rijn_ccm_key ccm;
    CLEAN(rijn_gcm_init_impl(&gcm, raw, 32, 16, i));
    CLEAN(rijn_xts_init_impl(&xts, raw, 64, i));
    CLEAN(rijn_aes_init_impl(&aes, raw, 32, i));
    CLEAN(rijn_ccm_init_impl(&ccm, raw, 32, 16, i));
    CLEAN(rijn_ghash_init_impl(&ghash, raw, i));
    for (size_t n = 0; n < TEXT; n += n < 700 ? 1 : 1511) {
      rijn_ctr_state ctr = {.used = 0};
      CLEAN(rijn_gcm_encrypt(&gcm, out, in, n, raw, n % 40, nonce, 12, tag));
      CLEAN(rijn_gcm_decrypt(&gcm, in, out, n, raw, n % 40, nonce, 12, tag));
      CLEAN(rijn_gcm_encrypt(&gcm, out, in, n, raw, 16, iv, 16, tag));
      CLEAN(rijn_ghash_update(&ghash, tag, in, n / 16));
      CLEAN(rijn_ctr_crypt(&aes, out, in, n, &ctr));
      CLEAN(rijn_cbc_encrypt(&aes, out, in, n / 16, iv));
      CLEAN(rijn_cbc_decrypt(&aes, out, in, n / 16, iv));
      rijn_cfb_state cfb = {.used = 0};
      CLEAN(rijn_cfb_encrypt(&aes, out, in, n, &cfb));
      CLEAN(rijn_cfb_decrypt(&aes, out, in, n, &cfb));
      CLEAN(rijn_ccm_encrypt(&ccm, out, in, n, raw, n % 40, nonce, 12, tag));
      CLEAN(rijn_ccm_decrypt(&ccm, in, out, n, raw, n % 40, nonce, 12, tag));
      rijn_cbc_msg two[2] = {{sizeof two[0], &aes, out, in, n / 32, iv, 0},
                             {sizeof two[0], &aes, out + n / 2, in + n / 2, n / 32, nonce, 0}};
      CLEAN(rijn_cbc_encrypt_many(two, 2));
      CLEAN(rijn_ecb_encrypt(&aes, out, in, n / 16));
      CLEAN(rijn_ecb_decrypt(&aes, out, in, n / 16));
      if (n >= 16) {
        CLEAN(rijn_xts_encrypt(&xts, out, in, n, iv));
        CLEAN(rijn_xts_decrypt(&xts, out, in, n, iv));
      }
    }
    CLEAN(rijn_xts_encrypt_sectors(&xts, out, in, 512, 40, 1, 1));
    CLEAN(rijn_xts_decrypt_sectors(&xts, out, in, 512, 40, 1, 1));
  }
  return t_done();
}
