/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * The contract between the rules of a mode (the files in src) and the instruction sets (src/isa).
 *
 * A kernel has been handed arguments already checked: no null pointer with a length, no partial overlap, every length
 * within its limit. It calls nothing outside its set but memset, and has no error to report but a tag that is wrong.
 * gcm_encrypt, gcm_decrypt and the batches are others: they begin with the rules, and say below what they do with doubts.
 * On return no vector register and no byte of stack below the caller holds a secret, and callee-saved registers are as
 * they were.
 */
#ifndef RIJN_IMPL_H
#define RIJN_IMPL_H

#include <stddef.h>
#include <stdint.h>

#define RIJN_MAX_RK 15         /* round keys of AES-256 */
#define RIJN_GCM_POWERS 72     /* room for H^1 .. H^72 */
#define RIJN_GCM_POWERS_AUX 36 /* and where aux is needed */
#define RIJN_GCM_HALVES (RIJN_GCM_POWERS_AUX / 4 + 2)
#define RIJN_GCM_ROUND1 133     /* counters 1 .. 133: those of 2048 bytes, in whole vectors */
#define RIJN_GCM_BATCH_LEN 1856 /* longest text, and longest associated data, that go together in a batch */
#define RIJN_GCM_BATCH_AAD 16

/* Counter blocks with a nonce of zeros: that of c is rijn_counters[c + 2], so that a message's first, 2, is aligned. */
#define RIJN_COUNTERS 290
extern __attribute__((visibility("hidden"))) const uint8_t rijn_counters[RIJN_COUNTERS + 2][16];
#define COUNTERS(c) (rijn_counters + 2 + (c))

/* Round keys, in whatever form the implementation has: 15 blocks. */
struct rijn_rk {
  uint8_t b[RIJN_MAX_RK * 16];
};

/* Powers of the hash subkey. An implementation that multiplies carry-less stores, with N powers, H^N .. H^1 in
 * pow[P-N .. P-1], so that a group of m blocks starts at pow[P - m]; zeros follow, so that the load of a vector may run over the
 * end. P is its own choice; two that share P can share a key. aux is its own, in place of further powers: Karatsuba's halves.
 * Behind either, in halves, lie those that ghash_t.h has side by side. */
struct rijn_hpow {
  union {
    _Alignas(16) uint8_t pow[RIJN_GCM_POWERS + 3][16];
    struct {
      uint8_t before[RIJN_GCM_POWERS_AUX + 4][16], aux[RIJN_GCM_POWERS_AUX + 4][16], halves[RIJN_GCM_HALVES][16];
    };
  };
};
_Static_assert(offsetof(struct rijn_hpow, halves) >= 16 * (RIJN_GCM_POWERS + 3), "halves lie behind all powers too");

struct rijn_gcm {
  _Alignas(16) uint8_t impl; /* index in the table + 1; 0: no key here */
  uint8_t rounds;            /* 10, 12, 14 */
  uint8_t tag_len;
  uint8_t reserved[13];
  struct rijn_rk rk;
  struct rijn_hpow h;
  /* What counter c = 1, 2 .. adds to the state after round 1 of counter 0, at [c - 1]. It depends on the key alone, for all that is
   * different passes one S-box: so messages within their reach have a round fewer. A set fills as many as it reads, or none. [1] is
   * aligned to 64 bytes if the key is: PERF: 1420 bytes are 5 % slower where it is not. */
  uint8_t round1[RIJN_GCM_ROUND1][16];
};
_Static_assert((offsetof(struct rijn_gcm, round1) + 16) % 64 == 0, "halves has rows enough that round1[1] is aligned");

struct rijn_ghash {
  _Alignas(16) uint8_t impl;
  uint8_t reserved[15];
  struct rijn_hpow h;
};

struct rijn_aes {
  _Alignas(16) uint8_t impl;
  uint8_t rounds;
  uint8_t reserved[14];
  struct rijn_rk rk; /* encryption */
  struct rijn_rk dk; /* decryption, in the order of use */
};

struct rijn_xts {
  _Alignas(16) uint8_t impl;
  uint8_t rounds;
  uint8_t reserved[14];
  struct rijn_rk rk, dk; /* of the data key */
  struct rijn_rk tk;     /* of the tweak key: encryption only */
};

/* A run of sectors. Sector i has the tweak at tweaks + 16*i, or LE128(first + i*step) when tweaks is NULL. */
struct rijn_sectors {
  size_t size, n;
  uint64_t first, step;
  const uint8_t *tweaks;
};

struct rijn_gcm_msg; /* rijn.h */

struct rijn_impl {
  const char *name;
  uint64_t needs; /* RIJN_CPU_ bits of cpu.h */

  /* rounds is set before each of these; they fill the rest. */
  void (*gcm_init)(struct rijn_gcm *k, const uint8_t *raw);
  void (*ghash_init)(struct rijn_ghash *k, const uint8_t h[16]);
  void (*aes_init)(struct rijn_aes *k, const uint8_t *raw);
  void (*xts_init)(struct rijn_xts *k, const uint8_t *raw); /* both schedules together */

  /* A whole message as the caller gave it: nothing but the key has been looked at. It does what every rule allows beyond doubt
   * (rijn_gcm_straight), and hands the rest to rijn_gcm_encrypt_other or _decrypt_other.
   * Encrypt writes k->tag_len bytes of tag and returns 0. Decrypt compares in constant time: 0, or -1 (RIJN_EAUTH) with out wiped.
   * Or what _other returned.
   * PERF: the rules are part of the kernel, for arguments on the stack cost most where they are handed on.
   * CT: the counter is public here, for the nonce is. */
  int (*gcm_encrypt)(const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t len, const uint8_t *aad,
                     size_t aad_len, const uint8_t *nonce, size_t nonce_len, uint8_t *tag);
  int (*gcm_decrypt)(const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t len, const uint8_t *aad,
                     size_t aad_len, const uint8_t *nonce, size_t nonce_len, const uint8_t *tag);
  /* The same where every rule holds, and the nonce has 12 bytes. */
  int (*gcm_encrypt_checked)(const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t len, const uint8_t *aad,
                             size_t aad_len, const uint8_t *nonce, size_t nonce_len, uint8_t *tag);
  int (*gcm_decrypt_checked)(const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t len, const uint8_t *aad,
                             size_t aad_len, const uint8_t *nonce, size_t nonce_len, const uint8_t *tag);

  /* Optional (NULL: none). n messages as the caller gave them, the first with a key of this implementation; nothing but
   * their sizes has been looked at. From the front it takes as many as it is good for, all under that key, and gains where texts
   * have at most RIJN_GCM_BATCH_LEN and associated data _AAD: it does what the two above do, sets each result, adds those that
   * are not 0 to *failed, and returns how many messages it took. 0: the first has to go by itself. */
  size_t (*gcm_encrypt_batch)(struct rijn_gcm_msg *m, size_t n, size_t *failed);
  size_t (*gcm_decrypt_batch)(struct rijn_gcm_msg *m, size_t n, size_t *failed);

  /* Streams, whole blocks. ctr is the next block's counter (last 4 bytes big-endian, wrapping within them) and is
   * advanced; acc is the hash so far, in the byte order of the standard. Any nblk, 0 included.
   * CT: ctr may be secret: no branch on it, no index made from it. */
  void (*gcm_enc_blocks)(const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t nblk, uint8_t ctr[16],
                         uint8_t acc[16]);
  void (*gcm_dec_blocks)(const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t nblk, uint8_t ctr[16],
                         uint8_t acc[16]);
  void (*ghash_blocks)(const struct rijn_hpow *h, uint8_t acc[16], const uint8_t *in, size_t nblk);

  /* nblk blocks each; out is in or disjoint from it. */
  void (*ecb_enc)(const struct rijn_rk *rk, unsigned rounds, uint8_t *out, const uint8_t *in, size_t nblk);
  void (*ecb_dec)(const struct rijn_rk *dk, unsigned rounds, uint8_t *out, const uint8_t *in, size_t nblk);
  /* ctr is advanced; 128-bit carry, or within the last 4 bytes. CT: ctr may be secret. */
  void (*ctr_blocks)(const struct rijn_rk *rk, unsigned rounds, uint8_t *out, const uint8_t *in, size_t nblk,
                     uint8_t ctr[16]);
  void (*ctr32_blocks)(const struct rijn_rk *rk, unsigned rounds, uint8_t *out, const uint8_t *in, size_t nblk,
                       uint8_t ctr[16]);
  /* Optional (NULL: none). The same, any nblk, faster from 2 on. wide: 128-bit carry.
   * CT: ctr is public here. */
  void (*ctr_public)(const struct rijn_rk *rk, unsigned rounds, uint8_t *out, const uint8_t *in, size_t nblk,
                     uint8_t ctr[16], int wide);
  /* iv becomes the chaining value to go on with. */
  void (*cbc_enc)(const struct rijn_rk *rk, unsigned rounds, uint8_t *out, const uint8_t *in, size_t nblk,
                  uint8_t iv[16]);
  void (*cbc_dec)(const struct rijn_rk *dk, unsigned rounds, uint8_t *out, const uint8_t *in, size_t nblk,
                  uint8_t iv[16]);
  /* One data unit, len >= 16, ciphertext stealing included. */
  void (*xts_enc)(const struct rijn_xts *k, uint8_t *out, const uint8_t *in, size_t len, const uint8_t tweak[16]);
  void (*xts_dec)(const struct rijn_xts *k, uint8_t *out, const uint8_t *in, size_t len, const uint8_t tweak[16]);
  /* s->n sectors of s->size bytes (a multiple of 512), one after the other. */
  void (*xts_enc_sectors)(const struct rijn_xts *k, uint8_t *out, const uint8_t *in, const struct rijn_sectors *s);
  void (*xts_dec_sectors)(const struct rijn_xts *k, uint8_t *out, const uint8_t *in, const struct rijn_sectors *s);
};

/* The table, in the order of choice; "portable" is last and always runs. */
extern const struct rijn_impl *const rijn_impls[] __attribute__((visibility("hidden")));
extern const int rijn_impls_n __attribute__((visibility("hidden")));

/* For an init: the implementation of that index (i = -1: the chosen one), or NULL when it cannot run
 * here; *index gets its place in the table. */
const struct rijn_impl *rijn_impl_get(int i, int *index);

/* For a use: the implementation that made a key. id is the key's impl field; 0 or nonsense: NULL. */
static inline int rijn_impl_is(uint8_t id) { return id - 1u < (unsigned)rijn_impls_n; }
static inline const struct rijn_impl *rijn_impl_of(uint8_t id) { return rijn_impl_is(id) ? rijn_impls[id - 1u] : NULL; }

#endif
