/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Published answers: the 18 cases of the GCM specification ("The Galois/Counter Mode of Operation", appendix B), and
 * "The Use of AES-GCM in IPsec ESP: test cases" (draft-mcgrew-gcm-test-01) for RFC 4106 and RFC 4543. Answers and not
 * round trips: an error that both directions share would pass those. */
#include "t.h"

#define ZERO "0000000000000000000000000000000000000000000000000000000000000000"
#define KEY "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308"
#define N0 "000000000000000000000000"
#define N8 "cafebabefacedbad"
#define N12 "cafebabefacedbaddecaf888"
#define N60                                                                                                            \
  "9313225df88406e555909c5aff5269aa6a7a9538534f7da1e4c303d2a318a728c3c0c95156809539fcf0e2429a6b525416aedbf5a0de6a57"   \
  "a637b39b"
#define AAD "feedfacedeadbeeffeedfacedeadbeefabaddad2"
#define P16 "00000000000000000000000000000000"
#define P60                                                                                                            \
  "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657"   \
  "ba637b39"
#define P64 P60 "1aafd255"

/* The specification's order; the key is the first key_len bytes. */
static const struct {
  size_t key_len;
  const char *key, *nonce, *text, *aad, *want, *tag;
} spec[] = {
    {16, ZERO, N0, "", "", "", "58e2fccefa7e3061367f1d57a4e7455a"},
    {16, ZERO, N0, P16, "", "0388dace60b6a392f328c2b971b2fe78", "ab6e47d42cec13bdf53a67b21257bddf"},
    {16, KEY, N12, P64, "",
     "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa05"
     "1ba30b396a0aac973d58e091473f5985",
     "4d5c2af327cd64a62cf35abd2ba6fab4"},
    {16, KEY, N12, P60, AAD,
     "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa05"
     "1ba30b396a0aac973d58e091",
     "5bc94fbc3221a5db94fae95ae7121a47"},
    {16, KEY, N8, P60, AAD,
     "61353b4c2806934a777ff51fa22a4755699b2a714fcdc6f83766e5f97b6c742373806900e49f24b22b097544d4896b42"
     "4989b5e1ebac0f07c23f4598",
     "3612d2e79e3b0785561be14aaca2fccb"},
    {16, KEY, N60, P60, AAD,
     "8ce24998625615b603a033aca13fb894be9112a5c3a211a8ba262a3cca7e2ca701e4a9a4fba43c90ccdcb281d48c7c6f"
     "d62875d2aca417034c34aee5",
     "619cc5aefffe0bfa462af43c1699d050"},
    {24, ZERO, N0, "", "", "", "cd33b28ac773f74ba00ed1f312572435"},
    {24, ZERO, N0, P16, "", "98e7247c07f0fe411c267e4384b0f600", "2ff58d80033927ab8ef4d4587514f0fb"},
    {24, KEY, N12, P64, "",
     "3980ca0b3c00e841eb06fac4872a2757859e1ceaa6efd984628593b40ca1e19c7d773d00c144c525ac619d18c84a3f47"
     "18e2448b2fe324d9ccda2710acade256",
     "9924a7c8587336bfb118024db8674a14"},
    {24, KEY, N12, P60, AAD,
     "3980ca0b3c00e841eb06fac4872a2757859e1ceaa6efd984628593b40ca1e19c7d773d00c144c525ac619d18c84a3f47"
     "18e2448b2fe324d9ccda2710",
     "2519498e80f1478f37ba55bd6d27618c"},
    {24, KEY, N8, P60, AAD,
     "0f10f599ae14a154ed24b36e25324db8c566632ef2bbb34f8347280fc4507057fddc29df9a471f75c66541d4d4dad1c9"
     "e93a19a58e8b473fa0f062f7",
     "65dcc57fcf623a24094fcca40d3533f8"},
    {24, KEY, N60, P60, AAD,
     "d27e88681ce3243c4830165a8fdcf9ff1de9a1d8e6b447ef6ef7b79828666e4581e79012af34ddd9e2f037589b292db3"
     "e67c036745fa22e7e9b7373b",
     "dcf566ff291c25bbb8568fc3d376a6d9"},
    {32, ZERO, N0, "", "", "", "530f8afbc74536b9a963b4f1c4cb738b"},
    {32, ZERO, N0, P16, "", "cea7403d4d606b6e074ec5d3baf39d18", "d0d1c8a799996bf0265b98b5d48ab919"},
    {32, KEY, N12, P64, "",
     "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838"
     "c5f61e6393ba7a0abcc9f662898015ad",
     "b094dac5d93471bdec1a502270e3cc6c"},
    {32, KEY, N12, P60, AAD,
     "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838"
     "c5f61e6393ba7a0abcc9f662",
     "76fc6ece0f4e1768cddf8853bb2d551b"},
    {32, KEY, N8, P60, AAD,
     "c3762df1ca787d32ae47c13bf19844cbaf1ae14d0b976afac52ff7d79bba9de0feb582d33934a4f0954cc2363bc73f78"
     "62ac430e64abe499f47c9b1f",
     "3a337dbf46a792c45e454913fe2ea8f2"},
    {32, KEY, N60, P60, AAD,
     "5a8def2f0c9e53f1f75d7853659e2a20eeb2b22aafde6419a058ab4f6f746bf40fc0c3b780f244452da3ebf1c5d82cde"
     "a2418997200ef82e44ae7e3f",
     "a44a8266ee1c8eb0c8b5d4cf5ae9f19a"},
};

static const struct {
  const char *raw, *nonce, *aad, *text, *want, *tag; /* raw: key || salt */
} esp[] = {
    {"4c80cdefbb5d10da906ac73c3613a6342e443b68", "4956ed7e3b244cfe", "000043218765432100000000",
     "45000048699a000080114db7c0a80102c0a801010a9bf15638d301000001000000000000045f736970045f7564700373"
     "69700963796265726369747902646b000021000101020201",
     "fecf537e729d5b07dc30df528dd22b768d1b98736696a6fd348509fa13ceac34cfa2436f14a3f3cf65925bf1f4a13c5d"
     "15b21e1884f5ff6247aeabb786b93bce61bc17d768fd9732",
     "459018148f6cbe722fd04796562dfdb4"},
    {"feffe9928665731c6d6a8f9467308308cafebabe", "facedbaddecaf888", "0000a5f80000000a",
     "4500003e698f000080114dccc0a80102c0a801010a980035002a2343b2d0010000010000000000000373697009637962"
     "65726369747902646b00000100010001",
     "deb22cd9b07c72c16e3a65beeb8df304a5a5897d33ae530f1ba76d5d114d2a5c3de81827c10e9a4f51330d0eec416642"
     "cfbb85a5b47e48a4ec3b9ba95d918bd1",
     "83b70d3aa8bc6ee4c309e9d85a41ad4a"},
    {"abbccddef00112233445566778899aababbccddef00112233445566778899aab11223344", "0102030405060708", "4a2cbfe300000002",
     "4500003069a6400080062690c0a801029389155e0a9e008b2dc57ee0000000007002400020bf0000020405b401010402"
     "01020201",
     "ff425c9b724599df7a3bcd510194e00d6a78107f1b0b1cbf06efae9d65a5d763748a637985771d347f0545659f14e99d"
     "ef842d8e",
     "b335f4eecfdbf831824b4c4915956c96"},
    {"0000000000000000000000000000000000000000", "0000000000000000", "0000000000000001",
     "4500003c99c500008001cb7a40679318010101010800075c020044006162636465666768696a6b6c6d6e6f7071727374"
     "75767761626364656667686901020201",
     "4688daf2f973a392732909c331d56d60f694abaa414b5e7ff5fdcdfff5e9a284456476492719ffb64de7d9dca1e1d894"
     "bc3bd57873ed4d181d19d4d5c8c18af3",
     "f821d496eeb096e98ad2b69e4799c71d"},
    {"3de09874b388e6491988d0c3607eae1f57690e43", "4e280000a2fca1a3", "42f67e3f1010101010101010",
     "4500003c99c300008001cb7c40679318010101010800085c020043006162636465666768696a6b6c6d6e6f7071727374"
     "75767761626364656667686901020201",
     "fba2caa4853cf9f0f22cb10d86dd83b0fec75691cf1a04b00d1138ec9c35791765acbd8701ad79845bf9fe3fba487bc9"
     "1755e6662b4c8d0d1f5e22739530320a",
     "e0d731cc978ecafaeae88f00e80d6e48"},
    {"3de09874b388e6491988d0c3607eae1f57690e43", "4e280000a2fca1a3", "42f67e3f1010101010101010",
     "4500001c42a200008001441f406793b6e00000020a00f5ff01020201",
     "fba2ca845e5df9f0f22c3e6e86dd831e1fc65792cd1af9130e1379ed", "369f071f35e034be95f112e4e7d05d35"},
    {"feffe9928665731c6d6a8f9467308308feffe9928665731ccafebabe", "facedbaddecaf888", "0000a5f80000000a",
     "45000028a4ad4000400678800a01038f0a010612802306b8cb712602dd6bb03e501016d075680001",
     "a5b1f8066029aea40e598b8122de02420938b3ab33f828e687b8858b5bfbdbd0315b27452144cc77",
     "95457b9652037f5318027b5b4cd7a636"},
    {"abbccddef00112233445566778899aabdecaf888", "cafedebaceface74", "000001000000000000000001",
     "4500004933ba00007f119106c3fb1d10c2b1d326c02831ce0035dd7b800302d500004e20001e8c18d75b81dc91baa047"
     "6b91b924b280389d92c963bac046ec959b6266c04722b14923010101",
     "18a6fd42f72cbf4ab2a2ea901f73d814e3e7f243d95412e1c349c1d2fbec168f9190feebaf2cb01984e65863965d7472"
     "b79da345e0e780191f0d2f0e0f496c226f2127b27db35724e7845d68",
     "651f57e65f354f75ff17015769623436"},
    {"abbccddef00112233445566778899aababbccddef00112233445566778899aab73616c74", "616e640169766563",
     "17405e67156f3126dd0db99b", "45080028732c00004006e9f90a0106120a01038f06b88023dd6bafbecb71260250101f646d540001",
     "f2d69ecdbd5a0d5b8d5ef38bad4da58d1f278fde98ef67549d524a3018d9a57ff4d3a31ce673119e",
     "451626c2415771e3b7eebca614c89b35"},
    {"3de09874b388e6491988d0c3607eae1f57690e43", "4e280000a2fca1a3", "42f67e3f1010101010101010",
     "45000049333e00007f119182c3fb1d10c2b1d326c02831ce0035cb458003025b000001e0001e8c18d65759d52284a035"
     "2c71475c8880391c764d6e5ee0496b325ae270c03899493915010101",
     "fba2cad12fc1f9f00d3cebf305410db83d7784b607323d220f24b0a97d54182800cadb0f68d99ef0e0c0c89ae9bea888"
     "4e52d65bc1afd0740f742444747b5b39ab533163aad4550ee5160975",
     "cdb608c5769189609763b8e18caa81e2"},
    {"abbccddef00112233445566778899aababbccddef00112233445566778899aab73616c74", "616e640169766563",
     "17405e67156f3126dd0db99b",
     "636973636f0172756c657301746865016e6574776501646566696e6501746865746563686e6f6c6f6769657301746861"
     "7477696c6c01646566696e65746f6d6f72726f7701020201",
     "d4b7ed86a1777f2ea13d6973d324c69e7b43f826fb56831226508bebd2dceb18d0a6df10e5487df074113e14c641024e"
     "3e6773d91a62ee429b043a10e3efe6b012a49363412364f8",
     "c0cac587f249e56b11e24f30e44ccc76"},
    {"7d773d00c144c525ac619d18c84a3f47d9664267", "43457e9182443bc6", "335467aeffffffff", "01020201", "437f866b",
     "cb3f699fe9b0822bac961c4504bef270"},
    {"abbccddef00112233445566778899aabdecaf888", "cafedebaceface74", "000001000000000000000001",
     "746f016265016f72016e6f7401746f0162650001", "29c9fc69a197d038ccdd14e2ddfcaa0543332164",
     "412503524303ed3c6c5f283843af8c3e"},
    {"6c6567616c697a656d6172696a75616e61616e64646f69746265666f726569617475726e", "333021696765746d",
     "796b6963ffffffffffffffff",
     "45000030da3a00008001df3bc0a80005c0a800010800c6cd020007006162636465666768696a6b6c6d6e6f7071727374"
     "01020201",
     "f97ab2aa356d8edce17644ac8c78e25dd24dedbb29ebf1b64a274b39b49c3a864cd3d78ca4ae68a32b42458fb57dbe82"
     "1dcc63b9",
     "d0937ba2945f669368661a329fb4c053"},
};

#define MAX 128

static void gcm_spec(int impl) {
  static const size_t tag_lens[] = {4, 8, 12, 13, 14, 15, 16};
  for (size_t i = 0; i < sizeof spec / sizeof spec[0]; i++) {
    uint8_t raw[32], nonce[60], text[MAX], aad[MAX], want[MAX], want_tag[16], out[MAX], tag[17];
    rijn_gcm_key key;
    rijn_gcm_stream s;
    t_hex(raw, sizeof raw, spec[i].key);
    size_t kl = spec[i].key_len, nl = t_hex(nonce, sizeof nonce, spec[i].nonce);
    size_t n = t_hex(text, sizeof text, spec[i].text), al = t_hex(aad, sizeof aad, spec[i].aad);
    REQUIRE(t_hex(want, sizeof want, spec[i].want) == n && t_hex(want_tag, sizeof want_tag, spec[i].tag) == 16);
    for (size_t j = 0; j < sizeof tag_lens / sizeof tag_lens[0]; j++) {
      size_t tl = tag_lens[j];
      T_AT("specification's case %zu, tag of %zu", i + 1, tl);
      memset(&key, 0xee, sizeof key);
      CHECK_EQ(rijn_gcm_init_impl(&key, raw, kl, tl, impl), RIJN_OK);
      CHECK_EQ(rijn_gcm_key_impl(&key), impl);
      CHECK_EQ(rijn_gcm_tag_len(&key), tl);
      memset(tag, T_POISON, sizeof tag);
      CHECK_EQ(rijn_gcm_encrypt(&key, out, text, n, aad, al, nonce, nl, tag), RIJN_OK);
      CHECK_MEM(out, want, n);
      CHECK_MEM(tag, want_tag, tl);
      CHECK_ALL(tag + tl, T_POISON, sizeof tag - tl);
      CHECK_EQ(rijn_gcm_decrypt(&key, out, want, n, aad, al, nonce, nl, want_tag), RIJN_OK);
      CHECK_MEM(out, text, n);

      CHECK_EQ(rijn_gcm_encrypt_start(&s, &key, nonce, nl), RIJN_OK);
      CHECK_EQ(rijn_gcm_aad(&s, aad, al), RIJN_OK);
      CHECK_EQ(rijn_gcm_update(&s, out, text, n), RIJN_OK);
      memset(tag, T_POISON, sizeof tag);
      CHECK_EQ(rijn_gcm_encrypt_finish(&s, tag), RIJN_OK);
      CHECK_MEM(out, want, n);
      CHECK_MEM(tag, want_tag, tl);
      CHECK_ALL(tag + tl, T_POISON, sizeof tag - tl);
      CHECK_EQ(rijn_gcm_decrypt_start(&s, &key, nonce, nl), RIJN_OK);
      CHECK_EQ(rijn_gcm_aad(&s, aad, al), RIJN_OK);
      CHECK_EQ(rijn_gcm_update(&s, out, want, n), RIJN_OK);
      CHECK_EQ(rijn_gcm_decrypt_finish(&s, want_tag), RIJN_OK);
      CHECK_MEM(out, text, n);
    }
  }
}

static void rfc4106(int impl) {
  static const size_t tag_lens[] = {8, 12, 16};
  for (size_t i = 0; i < sizeof esp / sizeof esp[0]; i++) {
    uint8_t raw[36], nonce[8], aad[12], text[MAX], want[MAX], want_tag[16], out[MAX], tag[17];
    rijn_esp_key key;
    size_t kl = t_hex(raw, sizeof raw, esp[i].raw), al = t_hex(aad, sizeof aad, esp[i].aad);
    size_t n = t_hex(text, sizeof text, esp[i].text);
    REQUIRE(t_hex(nonce, sizeof nonce, esp[i].nonce) == 8 && t_hex(want, sizeof want, esp[i].want) == n);
    REQUIRE(t_hex(want_tag, sizeof want_tag, esp[i].tag) == 16);
    for (size_t j = 0; j < sizeof tag_lens / sizeof tag_lens[0]; j++) {
      size_t tl = tag_lens[j];
      T_AT("RFC 4106 case %zu, tag of %zu", i + 1, tl);
      CHECK_EQ(rijn_rfc4106_init_impl(&key, raw, kl, tl, impl), RIJN_OK);
      memset(tag, T_POISON, sizeof tag);
      CHECK_EQ(rijn_rfc4106_encrypt(&key, out, text, n, aad, al, nonce, tag), RIJN_OK);
      CHECK_MEM(out, want, n);
      CHECK_MEM(tag, want_tag, tl);
      CHECK_ALL(tag + tl, T_POISON, sizeof tag - tl);
      CHECK_EQ(rijn_rfc4106_decrypt(&key, out, want, n, aad, al, nonce, want_tag), RIJN_OK);
      CHECK_MEM(out, text, n);
      want_tag[tl - 1] ^= 1;
      CHECK_EQ(rijn_rfc4106_decrypt(&key, out, want, n, aad, al, nonce, want_tag), RIJN_EAUTH);
      CHECK_ALL(out, 0, n);
      want_tag[tl - 1] ^= 1;
    }
    rijn_esp_wipe(&key);
  }
}

/* SPI || sequence number || IV || payload: RFC 4543 authenticates all of it (section 3.3: the IV as well). */
static void rfc4543(int impl) {
  uint8_t raw[20], data[80], nonce[8] = {0}, want[16], tag[16];
  rijn_esp_key key;
  T_AT("RFC 4543");
  size_t kl = t_hex(raw, sizeof raw, "4c80cdefbb5d10da906ac73c3613a63422433c64");
  size_t n = t_hex(data, sizeof data,
                   "0000432100000007000000000000000045000030da3a00008001df3bc0a80005c0a800010800c6cd02000700"
                   "6162636465666768696a6b6c6d6e6f707172737401020201");
  t_hex(want, sizeof want, "f2a9a836e155106aa8dcd618e4099aaa");
  CHECK_EQ(rijn_rfc4543_init_impl(&key, raw, kl, impl), RIJN_OK);
  CHECK_EQ(rijn_rfc4543_tag(&key, data, n, nonce, tag), RIJN_OK);
  CHECK_MEM(tag, want, 16);
  CHECK_EQ(rijn_rfc4543_verify(&key, data, n, nonce, want), RIJN_OK);
  for (size_t bit = 0; bit < 8 * n; bit++) {
    T_AT("RFC 4543, bit %zu of the data", bit);
    data[bit / 8] ^= (uint8_t)(1u << bit % 8);
    CHECK_EQ(rijn_rfc4543_verify(&key, data, n, nonce, want), RIJN_EAUTH);
    data[bit / 8] ^= (uint8_t)(1u << bit % 8);
  }
  rijn_esp_wipe(&key);
}

int main(int argc, char **argv) {
  t_init(argc, argv);
  T_IMPLS(impl) {
    gcm_spec(impl);
    rfc4106(impl);
    rfc4543(impl);
    T_AT("self-test");
    CHECK_EQ(rijn_selftest(impl), RIJN_OK);
  }
  return t_done();
}
