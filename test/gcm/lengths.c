/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Lengths and alignments of the one-shot calls. Every implementation is compared with the reference, portable among
 * them; so all are compared with each other.
 *
 * The bytes on both sides of each output are checked, and so is that nothing of the text is left as it was.
 */
#include "ref.h"
#include "t.h"

#define MAX_LEN (65536 + 300)
#define MAX_AAD 4200

static t_buf in_b, out_b, aad_b;
static uint8_t *pool, *want;
static const size_t key_lens[] = {16, 24, 32};
static const size_t aad_lens[] = {0,  1,  8,   12,  13,  16,  17,  20,  31,  32,  33,  48,  64,  65,  80,
                                  96, 99, 100, 112, 128, 144, 160, 192, 240, 255, 256, 257, 300, 512, 1000};
#define N_AADS (sizeof aad_lens / sizeof aad_lens[0])

static rijn_gcm_key keys[3];
static uint8_t raws[3][32];

static void make_keys(int impl) {
  for (size_t i = 0; i < 3; i++) {
    t_fill(raws[i], 32);
    CHECK_EQ(rijn_gcm_init_impl(&keys[i], raws[i], key_lens[i], 16, impl), RIJN_OK);
  }
}

/* One message: encrypt and decrypt it, out of place (a_out is where the output lies) or in place. */
static void message(size_t ki, size_t len, size_t aad_len, size_t a_in, size_t a_out, bool in_place) {
  uint8_t nonce[12], tag[16], want_tag[16];
  T_AT("key %zu, len %zu, aad %zu, offsets in * 1000 + out: %zu", key_lens[ki], len, aad_len, a_in * 1000 + a_out);
  REQUIRE(len <= MAX_LEN && aad_len <= MAX_AAD);
  uint8_t *aad = t_start(&aad_b, a_out), *in = t_start(&in_b, 512 + a_in);
  uint8_t *out = in_place ? in : t_start(&out_b, 512 + a_out);
  const t_buf *ob = in_place ? &in_b : &out_b;
  const uint8_t *text = pool + t_below(4096);
  t_fill(nonce, sizeof nonce);
  memcpy(aad, pool + t_below(4096), aad_len);
  ref_gcm(raws[ki], key_lens[ki], want, text, len, aad, aad_len, nonce, 12, want_tag);

  t_poison(ob, out, len);
  memcpy(in, text, len);
  CHECK_EQ(rijn_gcm_encrypt(&keys[ki], out, in, len, aad, aad_len, nonce, 12, tag), RIJN_OK);
  CHECK_MEM(out, want, len);
  CHECK_MEM(tag, want_tag, 16);
  CHECK_POISON(ob, out, len);

  t_poison(ob, out, len);
  memcpy(in, want, len);
  CHECK_EQ(rijn_gcm_decrypt(&keys[ki], out, in, len, aad, aad_len, nonce, 12, want_tag), RIJN_OK);
  CHECK_MEM(out, text, len);
  CHECK_POISON(ob, out, len);
}

/* Without libcrypto the reference is a model that takes 0.1 ms per kilobyte: every so many lengths, then. */
#ifdef RIJN_REF_LIBCRYPTO
#define STRIDE 1
#else
#define STRIDE 7
#endif

static void every_length(void) {
  static const size_t offs[4] = {0, 1, 8, 15};
  for (size_t len = 0; len <= 1024; len += STRIDE) {
    for (size_t ki = 0; ki < 3; ki++) {
      for (size_t a = 0; a < N_AADS; a++) {
        for (size_t i = 0; i < 4; i++) {
          size_t turn = len + a + ki + i;
          message(ki, len, aad_lens[a], offs[i], offs[turn / 4 % 4], turn % 3 == 0);
        }
      }
    }
  }
}

static void every_aad_length(void) {
  for (size_t n = 0; n <= 600; n += STRIDE) {
    message(n % 3, n % 70, n, n % 5, n % 7, n % 2 == 0);
    message(n % 3, 0, n, n % 5, n % 7, false);
  }
  for (size_t n = 1024; n <= 4096; n += 256) {
    message(n / 256 % 3, 33, n - 1, 0, 0, false);
    message(n / 256 % 3, 33, n, 0, 0, true);
    message(n / 256 % 3, 33, n + 1, 0, 3, false);
  }
}

/* Around the multiples of 256 blocks, where the counter's last byte comes round: a kernel that keeps something for a
 * run of 256 counters has its seams here. */
static void seams(void) {
  for (size_t k = 4096; k <= 15 * 4096; k += 4096) {
    for (size_t d = 0; d < 1200; d += t_between(1, 40) * STRIDE) {
      message((k / 4096 + d) % 3, k - 600 + d, aad_lens[d % 10], d % 4, 0, d % 2 == 0);
    }
  }
}

/* Around the powers of two, where loops of different width begin and end. */
static void large(void) {
  static const size_t aads[] = {13, 17, 28, 32,  33,  48,
                                49, 64, 65, 128, 336, 400}; /* one sum or several, and what fits the first */
  for (size_t len = 1025; len <= 2400; len += STRIDE) {
    for (size_t a = 0; a < sizeof aads / sizeof aads[0]; a++)
      message((len + a) % 3, len, aads[a], len % 4, 0, len % 2 == 0);
  }
  for (size_t k = 2048; k <= 65536; k *= 2) {
    for (size_t d = 0; d <= 34; d++) {
      size_t len = k - 17 + d;
      if (k > 8192 && d % 5 != 2 && d != 16 && d != 17 && d != 18) {
        continue;
      }
      message(d % 3, len, aad_lens[d % 8], d % 4, d % 2, d % 4 == 0);
    }
    message(0, k + 255, 20, 0, 0, false);
    message(1, k - 255, 20, 1, 0, false);
    message(2, k + 256, 16, 0, 5, false);
  }
}

static void every_alignment(void) {
  static const size_t lens[] = {1, 15, 16, 17, 63, 64, 129, 200, 256, 511, 777, 1500, 4096};
  for (size_t i = 0; i < sizeof lens / sizeof lens[0]; i++) {
    for (size_t a = 0; a < 64; a += STRIDE) {
      message(a % 3, lens[i], 13, a, 0, false);
      message(a % 3, lens[i], 20, 0, a, false);
      message(a % 3, lens[i], 33, a, 63 - a, false);
      message(a % 3, lens[i], 300, a, a, true);
    }
  }
}

/* A key may lie at any multiple of 16, and be copied to another. */
static void key_alignment(int impl) {
  _Alignas(64) static uint8_t room[sizeof(rijn_gcm_key) + 64], copy[sizeof(rijn_gcm_key) + 64];
  uint8_t out[100], tag[16], want_tag[16];
  static const uint8_t nonce[12] = {1, 2, 3};
  ref_gcm(raws[2], 32, want, pool, 100, pool, 20, nonce, 12, want_tag);
  for (size_t off = 0; off < 64; off += 16) {
    T_AT("key at %zu", off);
    CHECK_EQ(rijn_gcm_init_impl((rijn_gcm_key *)(void *)(room + off), raws[2], 32, 16, impl), RIJN_OK);
    memcpy(copy + (48 - off), room + off, sizeof(rijn_gcm_key));
    rijn_gcm_wipe((rijn_gcm_key *)(void *)(room + off));
    CHECK_ALL(room + off, 0, sizeof(rijn_gcm_key));
    rijn_gcm_key *k = (rijn_gcm_key *)(void *)(copy + (48 - off));
    CHECK_EQ(rijn_gcm_encrypt(k, out, pool, 100, pool, 20, nonce, 12, tag), RIJN_OK);
    CHECK_MEM(out, want, 100);
    CHECK_MEM(tag, want_tag, 16);
  }
}

int main(int argc, char **argv) {
  t_init(argc, argv);
  in_b = t_buf_new(512 + 64 + MAX_LEN);
  out_b = t_buf_new(512 + 64 + MAX_LEN);
  aad_b = t_buf_new(MAX_AAD + 64);
  pool = malloc(MAX_LEN + 4096);
  want = malloc(MAX_LEN);
  REQUIRE(pool != NULL && want != NULL);
  t_fill(pool, MAX_LEN + 4096);
  T_IMPLS(impl) {
    make_keys(impl);
    every_length();
    every_aad_length();
    seams();
    large();
    every_alignment();
    key_alignment(impl);
  }
  free(pool);
  free(want);
  return t_done();
}
