/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Published answers: two messages of RFC 8452 appendix C.1; the two vectors of C2SP's XAES-256-GCM, and its accumulated
 * ones (10 000 messages, or a million with RIJN_TEST_SLOW). All answers of appendix C are in test/vectors. */
#include "siv.h"

static const struct {
  enum mode mode;
  size_t key_len;
  const char *key, *nonce, *aad, *text, *want;
} answers[] = {
    {SIV, 16, "01000000000000000000000000000000", "030000000000000000000000", "", "0100000000000000",
     "b5d839330ac7b786578782fff6013b815b287c22493a364c"},
    {SIV, 16, "01000000000000000000000000000000", "030000000000000000000000", "01", "0200000000000000",
     "1e6daba35669f4273b0a1a2560969cdf790d99759abd1508"},
    {XAES, 32, "0101010101010101010101010101010101010101010101010101010101010101",
     "4142434445464748494a4b4c4d4e4f505152535455565758", "", "584145532d3235362d47434d",
     "ce546ef63c9cc60765923609b33a9a1974e96e52daf2fcf7075e2271"},
    {XAES, 32, "0303030303030303030303030303030303030303030303030303030303030303",
     "4142434445464748494a4b4c4d4e4f505152535455565758", "633273702e6f72672f584145532d3235362d47434d",
     "584145532d3235362d47434d", "986ec1832593df5443a179437fd083bf3fdb41abd740a21f71eb769d"},
};

static void published(int impl) {
  for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
    uint8_t key[32], nonce[24], aad[32], text[32], want[48], out[48];
    union any_key k;
    enum mode m = answers[i].mode;
    t_hex(key, sizeof key, answers[i].key);
    t_hex(nonce, sizeof nonce, answers[i].nonce);
    size_t a = t_hex(aad, sizeof aad, answers[i].aad), n = t_hex(text, sizeof text, answers[i].text);
    T_AT("answer %zu", i);
    REQUIRE(t_hex(want, sizeof want, answers[i].want) == n + 16);
    CHECK_EQ(any_init(m, &k, key, answers[i].key_len, impl), RIJN_OK);
    CHECK_EQ(any_encrypt(m, &k, out, text, n, aad, a, nonce, out + n), RIJN_OK);
    CHECK_MEM(out, want, n + 16);
    CHECK_EQ(any_decrypt(m, &k, out, want, n, aad, a, nonce, want + n), RIJN_OK);
    CHECK_MEM(out, text, n);
  }
}

#ifdef RIJN_REF_LIBCRYPTO
/* SPEC: C2SP, XAES-256-GCM, "accumulated randomized vectors": from the output of SHAKE-128 of nothing come keys,
 * nonces, texts and associated data, each of these two behind a byte that is its length; the answer is SHAKE-128 of all
 * ciphertexts and tags. */
static void accumulated(int impl) {
  const size_t messages = t_slow() ? 1000000 : 10000;
  const size_t room = messages * 330 + 100000; /* a message has 313 bytes on average */
  uint8_t want[32], got[32], *drawn = malloc(room), *made = malloc(room), *p = drawn, *q = made;
  REQUIRE(drawn != NULL && made != NULL);
  t_hex(want, 32,
        t_slow() ? "2163ae1445985a30b60585ee67daa55674df06901b890593e824b8a7c885ab15"
                 : "e6b9edf2df6cec60c8cbd864e2211b597fb69a529160cd040d56c0c210081939");
  ref_shake128(drawn, room, NULL, 0);
  for (size_t i = 0; i < messages; i++) {
    rijn_xaes_key k;
    uint8_t back[255];
    T_AT("accumulated message %zu", i);
    const uint8_t *nonce = p + 32, *text = p + 57;
    size_t n = text[-1], a = text[n];
    const uint8_t *aad = text + n + 1;
    CHECK_EQ(rijn_xaes_init_impl(&k, p, 32, impl), RIJN_OK);
    CHECK_EQ(rijn_xaes_encrypt(&k, q, text, n, aad, a, nonce, q + n), RIJN_OK);
    CHECK_EQ(rijn_xaes_decrypt(&k, back, q, n, aad, a, nonce, q + n), RIJN_OK);
    CHECK_MEM(back, text, n);
    p = p + 58 + n + a;
    q += n + 16;
    REQUIRE((size_t)(p - drawn) < room - 600);
  }
  ref_shake128(got, 32, made, (size_t)(q - made));
  CHECK_MEM(got, want, 32);
  free(drawn);
  free(made);
}
#else
static void accumulated(int impl) { (void)impl; } /* no SHAKE at hand; the native build has it */
#endif

int main(int argc, char **argv) {
  t_init(argc, argv);
  T_IMPLS(impl) {
    published(impl);
    accumulated(impl);
  }
  return t_done();
}
