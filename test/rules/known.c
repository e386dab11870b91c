/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Published answers for ECB, CBC, CTR (SP 800-38A, appendix F), XTS (IEEE 1619, annex B) and raw GHASH. */
#include "impl.h"
#include "t.h"

#define TEXT                                                                                                           \
  "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"                                                   \
  "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"

static const struct {
  const char *key, *ecb, *cbc, *ctr;
} sp800_38a[] = {
    {"2b7e151628aed2a6abf7158809cf4f3c",
     "3ad77bb40d7a3660a89ecaf32466ef97f5d3d58503b9699de785895a96fdbaaf"
     "43b1cd7f598ece23881b00e3ed0306887b0c785e27e8ad3f8223207104725dd4",
     "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2"
     "73bed6b8e3c1743b7116e69e222295163ff1caa1681fac09120eca307586e1a7",
     "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff"
     "5ae4df3edbd5d35e5b4f09020db03eab1e031dda2fbe03d1792170a0f3009cee"},
    {"8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b",
     "bd334f1d6e45f25ff712a214571fa5cc974104846d0ad3ad7734ecb3ecee4eef"
     "ef7afd2270e2e60adce0ba2face6444e9a4b41ba738d6c72fb16691603c18e0e",
     "4f021db243bc633d7178183a9fa071e8b4d9ada9ad7dedf4e5e738763f69145a"
     "571b242012fb7ae07fa9baac3df102e008b0e27988598881d920a9e64f5615cd",
     "1abc932417521ca24f2b0459fe7e6e0b090339ec0aa6faefd5ccc2c6f4ce8e94"
     "1e36b26bd1ebc670d1bd1d665620abf74f78a7f6d29809585a97daec58c6b050"},
    {"603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
     "f3eed1bdb5d2a03c064b5a7e3db181f8591ccb10d410ed26dc5ba74a31362870"
     "b6ed21b99ca6f4f9f153e7b1beafed1d23304b7a39f9f3ff067d8d8f9e24ecc7",
     "f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d"
     "39f23369a9d9bacfa530e26304231461b2eb05e2c39be9fcda6c19078c6a9d1b",
     "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c5"
     "2b0930daa23de94ce87017ba2d84988ddfc9c58db67aada613c2dd08457941a6"},
};

static void test_sp800_38a(int impl) {
  for (size_t c = 0; c < sizeof sp800_38a / sizeof sp800_38a[0]; c++) {
    T_AT("impl %zu case %zu", impl, c);
    uint8_t raw[32], text[64], want[64], out[64], iv[16], chain[16];
    rijn_aes_key key;
    size_t raw_len = t_hex(raw, sizeof raw, sp800_38a[c].key);
    t_hex(text, sizeof text, TEXT);
    CHECK_EQ(rijn_aes_init_impl(&key, raw, raw_len, impl), 0);

    t_hex(want, sizeof want, sp800_38a[c].ecb);
    CHECK_EQ(rijn_ecb_encrypt(&key, out, text, 4), 0);
    CHECK_MEM(out, want, 64);
    CHECK_EQ(rijn_ecb_decrypt(&key, out, out, 4), 0);
    CHECK_MEM(out, text, 64);

    /* Whole, and block by block with the chaining value handed on. */
    t_hex(want, sizeof want, sp800_38a[c].cbc);
    t_hex(iv, sizeof iv, "000102030405060708090a0b0c0d0e0f");
    memcpy(chain, iv, 16);
    CHECK_EQ(rijn_cbc_encrypt(&key, out, text, 4, chain), 0);
    CHECK_MEM(out, want, 64);
    CHECK_MEM(chain, want + 48, 16);
    memcpy(chain, iv, 16);
    CHECK_EQ(rijn_cbc_decrypt(&key, out, out, 4, chain), 0);
    CHECK_MEM(out, text, 64);
    CHECK_MEM(chain, want + 48, 16);
    memcpy(chain, iv, 16);
    for (size_t i = 0; i < 4; i++)
      CHECK_EQ(rijn_cbc_encrypt(&key, out + 16 * i, text + 16 * i, 1, chain), 0);
    CHECK_MEM(out, want, 64);
    memcpy(chain, iv, 16);
    for (size_t i = 0; i < 4; i++)
      CHECK_EQ(rijn_cbc_decrypt(&key, out + 16 * i, out + 16 * i, 1, chain), 0);
    CHECK_MEM(out, text, 64);

    t_hex(want, sizeof want, sp800_38a[c].ctr);
    rijn_ctr_state st = {{0}, {0}, 0};
    t_hex(st.ctr, 16, "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff");
    CHECK_EQ(rijn_ctr_crypt(&key, out, text, 64, &st), 0);
    CHECK_MEM(out, want, 64);
    t_hex(want, sizeof want, "f0f1f2f3f4f5f6f7f8f9fafbfcfdff03");
    CHECK_MEM(st.ctr, want, 16);
    rijn_aes_wipe(&key);
  }
}

/* Vectors 15 to 18 are the first 17 to 20 bytes of 00 01 02 ...; 19 is 512 bytes of it. */
static const struct {
  const char *key, *tweak, *want;
} ieee1619[] = {
    {"fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0bfbebdbcbbbab9b8b7b6b5b4b3b2b1b0", "9a785634120000000000000000000000",
     "6c1625db4671522d3d7599601de7ca09ed"},
    {"fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0bfbebdbcbbbab9b8b7b6b5b4b3b2b1b0", "9a785634120000000000000000000000",
     "d069444b7a7e0cab09e24447d24deb1fedbf"},
    {"fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0bfbebdbcbbbab9b8b7b6b5b4b3b2b1b0", "9a785634120000000000000000000000",
     "e5df1351c0544ba1350b3363cd8ef4beedbf9d"},
    {"fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0bfbebdbcbbbab9b8b7b6b5b4b3b2b1b0", "9a785634120000000000000000000000",
     "9d84c813f719aa2c7be3f66171c7c5c2edbf9dac"},
    {"e0e1e2e3e4e5e6e7e8e9eaebecedeeefc0c1c2c3c4c5c6c7c8c9cacbcccdcecf", "21436587a90000000000000000000000",
     "38b45812ef43a05bd957e545907e223b954ab4aaf088303ad910eadf14b42be68b2461149d8c8ba85f992be970bc621f1b06573f63e867bf"
     "5875acafa04e42ccbd7bd3c2a0fb1fff791ec5ec36c66ae4ac1e806d81fbf709dbe29e471fad38549c8e66f5345d7c1eb94f405d1ec785cc"
     "6f6a68f6254dd8339f9d84057e01a17741990482999516b5611a38f41bb6478e6f173f320805dd71b1932fc333cb9ee39936beea9ad96fa1"
     "0fb4112b901734ddad40bc1878995f8e11aee7d141a2f5d48b7a4e1e7f0b2c04830e69a4fd1378411c2f287edf48c6c4e5c247a19680f7fe"
     "41cefbd49b582106e3616cbbe4dfb2344b2ae9519391f3e0fb4922254b1d6d2d19c6d4d537b3a26f3bcc51588b32f3eca0829b6a5ac72578"
     "fb814fb43cf80d64a233e3f997a3f02683342f2b33d25b492536b93becb2f5e1a8b82f5b883342729e8ae09d16938841a21a97fb543eea3b"
     "bff59f13c1a18449e398701c1ad51648346cbc04c27bb2da3b93a1372ccae548fb53bee476f9e9c91773b1bb19828394d55d3e1a20ed6911"
     "3a860b6829ffa847224604435070221b257e8dff783615d2cae4803a93aa4334ab482a0afac9c0aeda70b45a481df5dec5df8cc0f423c77a"
     "5fd46cd312021d4b438862419a791be03bb4d97c0e59578542531ba466a83baf92cefc151b5cc1611a167893819b63fb8a6b18e86de60290"
     "fa72b797b0ce59f3"},
};

static void test_ieee1619(int impl) {
  uint8_t raw[64], tweak[16], text[512], want[512], out[512];
  rijn_xts_key key;
  for (size_t c = 0; c < sizeof ieee1619 / sizeof ieee1619[0]; c++) {
    T_AT("impl %zu IEEE 1619 vector %zu", impl, 15 + c);
    size_t raw_len = t_hex(raw, sizeof raw, ieee1619[c].key);
    t_hex(tweak, sizeof tweak, ieee1619[c].tweak);
    size_t len = t_hex(want, sizeof want, ieee1619[c].want);
    for (size_t i = 0; i < len; i++)
      text[i] = (uint8_t)i;
    CHECK_EQ(rijn_xts_init_impl(&key, raw, raw_len, impl), 0);
    CHECK_EQ(rijn_xts_encrypt(&key, out, text, len, tweak), 0);
    CHECK_MEM(out, want, len);
    CHECK_EQ(rijn_xts_decrypt(&key, out, out, len, tweak), 0);
    CHECK_MEM(out, text, len);
    if (len == 512) { /* as a sector of that number, and as one with a tweak of its own */
      CHECK_EQ(rijn_xts_encrypt_sectors(&key, out, text, 512, 1, UINT64_C(0xa987654321), 1), 0);
      CHECK_MEM(out, want, len);
      CHECK_EQ(rijn_xts_decrypt_sectors(&key, out, out, 512, 1, UINT64_C(0xa987654321), 1), 0);
      CHECK_MEM(out, text, len);
      CHECK_EQ(rijn_xts_encrypt_tweaks(&key, out, text, 512, 1, tweak), 0);
      CHECK_MEM(out, want, len);
      CHECK_EQ(rijn_xts_decrypt_tweaks(&key, out, out, 512, 1, tweak), 0);
      CHECK_MEM(out, text, len);
    }
  }

  T_AT("impl %zu IEEE 1619 vector 2", impl);
  memset(raw, 0x11, 16);
  memset(raw + 16, 0x22, 16);
  t_hex(tweak, sizeof tweak, "33333333330000000000000000000000");
  memset(text, 0x44, 32);
  t_hex(want, sizeof want, "c454185e6a16936e39334038acef838bfb186fff7480adc4289382ecd6d394f0");
  CHECK_EQ(rijn_xts_init_impl(&key, raw, 32, impl), 0);
  CHECK_EQ(rijn_xts_encrypt(&key, out, text, 32, tweak), 0);
  CHECK_MEM(out, want, 32);
  CHECK_EQ(rijn_xts_decrypt(&key, out, out, 32, tweak), 0);
  CHECK_MEM(out, text, 32);

  /* Vector 1 has a key of zeros, whose halves are equal: the library refuses it, the kernel does not know. */
  T_AT("impl %zu IEEE 1619 vector 1", impl);
  memset(raw, 0, 32);
  memset(tweak, 0, 16);
  memset(text, 0, 32);
  t_hex(want, sizeof want, "917cf69ebd68b2ec9b9fe9a3eadda692cd43d2f59598ed858c02c2652fbf922e");
  CHECK_EQ(rijn_xts_init_impl(&key, raw, 32, impl), RIJN_EWEAKKEY);
  struct rijn_xts k = {.rounds = 10};
  rijn_impls[impl]->xts_init(&k, raw);
  rijn_impls[impl]->xts_enc(&k, out, text, 32, tweak);
  CHECK_MEM(out, want, 32);
  rijn_impls[impl]->xts_dec(&k, out, out, 32, tweak);
  CHECK_MEM(out, text, 32);
}

/* GCM specification, appendix B: the hashes of cases 2 and 3, whose subkeys stand there too. Its last block holds the
 * lengths. */
static void test_ghash(int impl) {
  T_AT("impl %zu GHASH", impl);
  uint8_t h[16], acc[16] = {0}, in[80], want[16];
  rijn_ghash_key key;
  t_hex(h, sizeof h, "66e94bd4ef8a2c3b884cfa59ca342b2e");
  t_hex(in, sizeof in, "0388dace60b6a392f328c2b971b2fe7800000000000000000000000000000080");
  t_hex(want, sizeof want, "f38cbb1ad69223dcc3457ae5b6b0f885");
  CHECK_EQ(rijn_ghash_init_impl(&key, h, impl), 0);
  CHECK_EQ(rijn_ghash_update(&key, acc, in, 2), 0);
  CHECK_MEM(acc, want, 16);
  memset(acc, 0, 16);
  CHECK_EQ(rijn_ghash_update(&key, acc, in, 1), 0);
  CHECK_EQ(rijn_ghash_update(&key, acc, NULL, 0), 0);
  CHECK_EQ(rijn_ghash_update(&key, acc, in + 16, 1), 0);
  CHECK_MEM(acc, want, 16);

  t_hex(h, sizeof h, "b83b533708bf535d0aa6e52980d53b78");
  t_hex(in, sizeof in,
        "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa05"
        "1ba30b396a0aac973d58e091473f598500000000000000000000000000000200");
  t_hex(want, sizeof want, "7f1b32b81b820d02614f8895ac1d4eac");
  memset(acc, 0, 16);
  CHECK_EQ(rijn_ghash_init_impl(&key, h, impl), 0);
  CHECK_EQ(rijn_ghash_update(&key, acc, in, 5), 0);
  CHECK_MEM(acc, want, 16);
}

int main(int argc, char **argv) {
  t_init(argc, argv);
  T_IMPLS(i) {
    test_sp800_38a(i);
    test_ieee1619(i);
    test_ghash(i);
  }
  return t_done();
}
