/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * The contract between the rules of a mode (the files in src) and the instruction sets (src/isa): struct rijn_impl, a
 * struct of functions, of which each instruction set fills one.
 *
 * Words that all of src uses:
 *   set         an instruction set as src/isa/NAME.c has it, and the struct rijn_impl that it makes
 *   kernel      a function of that struct
 *   block       16 bytes; len counts bytes, nblk counts blocks
 *   vector      what a vector register holds: 1, 2 or 4 blocks, each in a lane of its own, the first in lane 0
 *   H           the hash subkey of GCM: a block of zeros, encrypted (SP 800-38D 7.1, step 1); its powers: H^2, H^3 ..
 *   J0          the counter block made from the nonce (SP 800-38D 7.1, step 2); those of the text follow it. Of a nonce
 *               of 12 bytes it is nonce || 1, so that the counters of the text begin with 2
 *   E(J0)       J0 encrypted: the hash plus E(J0) is the tag
 *   round r     of AES: the one that ends with the addition of round key r; round key 0 is added before round 1
 *   sum, plus   of blocks: XOR, which is the addition of their polynomials
 *
 * What a kernel is handed has been checked: no null pointer with a length, no partial overlap, every length within its
 * limit. Only gcm_encrypt, gcm_decrypt and the batches are handed what the caller gave: they look at the rules first,
 * and each says below what becomes of a call that may break one.
 *
 * What a kernel owes: it has no error to report but a wrong tag. It calls nothing outside its set but memset, memcpy
 * for public bytes, those rules, and for short messages a kernel of another set that needs no more of the processor. On
 * return no register and no byte of stack below the caller holds a secret, and callee-saved registers are as they
 * were.
 */
#ifndef RIJN_IMPL_H
#define RIJN_IMPL_H

#include <stddef.h>
#include <stdint.h>

#define RIJN_MAX_RK 15         /* round keys of AES-256 */
#define RIJN_GCM_POWERS 104    /* room for H^1 .. H^104 */
#define RIJN_GCM_POWERS_AUX 36 /* of a set that needs aux, too: room for H^1 .. H^36, and as much for aux */
/* Of such a set, one for two vectors of powers: 22 powers of one block a vector need 11, 36 of two 9. */
#define RIJN_GCM_HALVES (RIJN_GCM_POWERS_AUX / 4 + 2)
#define RIJN_GCM_SIDES 32       /* of a set without aux: room for the halves of H^1 .. H^64, of two powers in a block */
#define RIJN_GCM_BATCH_LEN 1856 /* longest text, and longest associated data, that go together in a batch */
#define RIJN_GCM_BATCH_AAD 16

/* Counter blocks with a nonce of zeros: that of counter c is rijn_counters[c + 2], so that the first of a text, 2, is
 * aligned to 64 bytes. 290 = 2 + 9 * 32: the counters of nine of the largest passes, 32 blocks each. */
#define RIJN_COUNTERS 290
extern __attribute__((visibility("hidden"))) const uint8_t rijn_counters[RIJN_COUNTERS + 2][16];
#define COUNTERS(c) (rijn_counters + 2 + (c))

/* Round keys, in whatever form the set wants them: 15 blocks. */
struct rijn_rk {
  uint8_t b[RIJN_MAX_RK * 16];
};

/* Powers of the hash subkey, in the form that ghash_t.h explains. A set that multiplies carry-less has N of them, and
 * lays them out so that the last ends before pow[N_POW]:
 *
 *     index   0 ..      N_POW-N   N_POW-N+1   ..   N_POW-2   N_POW-1   N_POW, +1, +2
 *     pow     unused    H^N       H^(N-1)     ..   H^2       H^1       zeros
 *
 * So the m blocks of a sum X1 H^m + .. + Xm H^1 take the powers from pow[N_POW-m] on, and the load of a vector may
 * begin at H^1: what it reads behind are zeros. N and N_POW are the set's choice (POWERS and N_POW in ghash_t.h); sets
 * of equal N_POW can share a key. aux is for what a set keeps in place of further powers: aux[i] the halves of pow[i],
 * added up, for Karatsuba's method, or the pairs of pairs_t.h. Behind both lies halves: the same halves, those of two
 * powers in one block. A set without aux that has such halves keeps them in sides, and has fewer powers. */
struct rijn_hpow {
  union {
    _Alignas(16) uint8_t pow[RIJN_GCM_POWERS + 3][16];
    struct {
      uint8_t before[RIJN_GCM_POWERS_AUX + 4][16], aux[RIJN_GCM_POWERS_AUX + 4][16], halves[RIJN_GCM_HALVES][16];
    };
    uint8_t sides[RIJN_GCM_SIDES][16]; /* in place of the highest powers */
  };
};

/* Small, because messages wait for their keys where many take turns (T-290). */
struct rijn_gcm {
  _Alignas(16) uint8_t impl; /* index in the table + 1; 0: no key here */
  uint8_t rounds;            /* 10, 12, 14 */
  uint8_t tag_len;
  uint8_t reserved[13];
  struct rijn_rk rk;
  struct rijn_hpow h;
};

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

/* A key that only encrypts: CCM's; AES-GCM-SIV's key-generating key (RFC 8452 4). */
struct rijn_enc {
  _Alignas(16) uint8_t impl;
  uint8_t rounds, tag_len; /* CCM's */
  uint8_t reserved[13];
  struct rijn_rk rk;
};

/* XAES-256-GCM: the key that makes a key for each message, and the subkey K1 of CMAC (SP 800-38B 6.1). */
struct rijn_xaes {
  struct rijn_enc enc;
  uint8_t k1[16];
};

/* A run of sectors. Sector i has the tweak at tweaks + 16*i, or, when tweaks is NULL, the number first + i*step as 16
 * bytes, the lowest first. */
struct rijn_sectors {
  size_t size, n;
  uint64_t first, step;
  const uint8_t *tweaks;
};

/* A stream of CBC, one of many that are encrypted together; iv is its chaining value, which moves on. */
enum { RIJN_CBC_STREAMS = 8 };
struct rijn_cbc_stream {
  uint8_t *out;
  const uint8_t *in;
  uint8_t *iv;
};

/* A message of CCM ahead of its text. All of it is secret but the counter. */
struct rijn_ccm_state {
  uint8_t ctr[16]; /* Ctr0 (SP 800-38C A.3), with whose keystream the tag is made; those of the text follow it */
  uint8_t mac[16]; /* what CBC-MAC encrypts next: the last block is added already */
  uint8_t ks[16];  /* for the kernel */
};

/* Which way a message goes. It is a constant wherever speed counts: both ways are the same code, compiled twice. Where
 * a template has the parameter `const enum direction dir`, it is one in each copy. */
enum direction { DECRYPT, ENCRYPT };

struct rijn_gcm_msg; /* rijn.h */

/* A message in pieces, between two calls of the kernels for blocks. CT: all of it may be secret. */
struct rijn_gcm_state {
  uint8_t ctr[16]; /* counter block of the next block of text; its last 4 bytes count, and wrap within themselves */
  uint8_t acc[16]; /* the hash so far, in the byte order of the standard */
  uint8_t ks[16];  /* the keystream of a block of which a part is done */
};
/* RIJN_HASH_PENDING: a block was added to acc, but not multiplied yet; the kernel begins with that.
 * RIJN_NEXT_KEYSTREAM: ks gets the keystream of the block after the text; ctr moves past it. */
enum { RIJN_HASH_PENDING = 1, RIJN_NEXT_KEYSTREAM = 2 };

/* In Linux's kernel, whose stacks are small: RIJN_SCRATCH bytes of this processor, 64-aligned, valid while it
 * holds the vector unit; for sets of x86 alone. A kernel wipes its secrets there. */
enum { RIJN_SCRATCH = 9536 };
uint8_t *rijn_scratch(void);

struct rijn_impl {
  const char *name;
  uint64_t needs; /* RIJN_CPU_ bits of cpu.h */

  /* rounds is set before each of these that has it (10, 12 or 14: the length of raw). They write all that follows
   * reserved, zeros where the set has nothing: no byte of a former key stays. */
  void (*gcm_init)(struct rijn_gcm *k, const uint8_t *raw);
  /* Optional (NULL: none; both or neither). A key for one message by gcm_encrypt_checked or gcm_decrypt_checked, with
   * so much associated data and text: what that message does not read is not made, and is not written. gcm_wipe_once
   * wipes what gcm_init_once has made for the same lengths. */
  void (*gcm_init_once)(struct rijn_gcm *k, const uint8_t *raw, size_t aad_len, size_t len);
  void (*gcm_wipe_once)(struct rijn_gcm *k, size_t aad_len, size_t len);
  void (*ghash_init)(struct rijn_ghash *k, const uint8_t h[16]);
  void (*aes_init)(struct rijn_aes *k, const uint8_t *raw);
  void (*xts_init)(struct rijn_xts *k, const uint8_t *raw); /* both schedules together */

  /* A whole message as the caller gave it: nothing but the key has been looked at. If every rule allows the call beyond
   * doubt (rijn_gcm_surely_valid in gcm.h), the kernel does the message; else it returns what rijn_gcm_encrypt_slow or
   * rijn_gcm_decrypt_slow, which check rule by rule, return. Encrypt writes k->tag_len bytes of tag and returns 0.
   * Decrypt compares in constant time, and returns 0, or -1 (RIJN_EAUTH) with out wiped.
   * The rules are part of the kernel, because arguments on the stack cost most where they are handed on (T-251).
   * CT: the counter is public here, because the nonce is. */
  int (*gcm_encrypt)(const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t len, const uint8_t *aad,
                     size_t aad_len, const uint8_t *nonce, size_t nonce_len, uint8_t *tag);
  int (*gcm_decrypt)(const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t len, const uint8_t *aad,
                     size_t aad_len, const uint8_t *nonce, size_t nonce_len, const uint8_t *tag);
  /* The same where every rule is known to hold, and the nonce has 12 bytes. */
  int (*gcm_encrypt_checked)(const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t len, const uint8_t *aad,
                             size_t aad_len, const uint8_t *nonce, size_t nonce_len, uint8_t *tag);
  int (*gcm_decrypt_checked)(const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t len, const uint8_t *aad,
                             size_t aad_len, const uint8_t *nonce, size_t nonce_len, const uint8_t *tag);

  /* Optional (NULL: none). n messages as the caller gave them, the first with a key of this set; nothing else but their
   * size fields has been looked at. The kernel takes messages from the front, as many as follow one another under the
   * first one's key, does to each what the call for one does, sets its result, and returns how many it took; those
   * whose result is not 0 are added to *failed. 0: none, and the caller does the first alone. It gains where
   * texts have at most RIJN_GCM_BATCH_LEN bytes and associated data at most RIJN_GCM_BATCH_AAD. */
  size_t (*gcm_encrypt_batch)(struct rijn_gcm_msg *m, size_t n, size_t *failed);
  size_t (*gcm_decrypt_batch)(struct rijn_gcm_msg *m, size_t n, size_t *failed);

  /* Streams, whole blocks. ctr and acc are advanced. Any nblk, 0 included; flags: RIJN_HASH_PENDING,
   * RIJN_NEXT_KEYSTREAM, both or 0. CT: ctr may be secret: no branch on it, no index made from it. flags is public. */
  void (*gcm_enc_blocks)(const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t nblk,
                         struct rijn_gcm_state *c, unsigned flags);
  void (*gcm_dec_blocks)(const struct rijn_gcm *k, uint8_t *out, const uint8_t *in, size_t nblk,
                         struct rijn_gcm_state *c, unsigned flags);
  /* The end of a message in pieces: acc becomes its tag, all 16 bytes. flags: 0 or RIJN_HASH_PENDING. */
  void (*gcm_blocks_tag)(const struct rijn_gcm *k, struct rijn_gcm_state *c, const uint8_t j0[16], uint64_t aad_len,
                         uint64_t len, unsigned flags);
  void (*ghash_blocks)(const struct rijn_hpow *h, uint8_t acc[16], const uint8_t *in, size_t nblk);

  /* nblk blocks each; out is in or disjoint from it. */
  void (*ecb_enc)(const struct rijn_rk *rk, unsigned rounds, uint8_t *out, const uint8_t *in, size_t nblk);
  void (*ecb_dec)(const struct rijn_rk *dk, unsigned rounds, uint8_t *out, const uint8_t *in, size_t nblk);
  /* ctr is advanced: all 16 bytes count, big-endian, or in ctr32_blocks the last 4. CT: ctr may be secret. */
  void (*ctr_blocks)(const struct rijn_rk *rk, unsigned rounds, uint8_t *out, const uint8_t *in, size_t nblk,
                     uint8_t ctr[16]);
  void (*ctr32_blocks)(const struct rijn_rk *rk, unsigned rounds, uint8_t *out, const uint8_t *in, size_t nblk,
                       uint8_t ctr[16]);
  /* Optional (NULL: none). The same, any nblk, faster from 2 on. wide: all 16 bytes count; 0: the last 4.
   * CT: ctr is public here. */
  void (*ctr_public)(const struct rijn_rk *rk, unsigned rounds, uint8_t *out, const uint8_t *in, size_t nblk,
                     uint8_t ctr[16], int wide);
  /* iv becomes the chaining value to go on with: the last block of ciphertext. */
  void (*cbc_enc)(const struct rijn_rk *rk, unsigned rounds, uint8_t *out, const uint8_t *in, size_t nblk,
                  uint8_t iv[16]);
  void (*cbc_dec)(const struct rijn_rk *dk, unsigned rounds, uint8_t *out, const uint8_t *in, size_t nblk,
                  uint8_t iv[16]);
  /* The next, up to xts_enc, are not in Linux's module (NULL). nblk blocks of each of the first n streams, which are
   * independent and distinct; 1 <= n <= RIJN_CBC_STREAMS, nblk >= 1. s has room for
   * RIJN_CBC_STREAMS, and the rest is the kernel's to use. */
  void (*cbc_enc_many)(const struct rijn_rk *rk, unsigned rounds, struct rijn_cbc_stream *s, size_t n, size_t nblk);
  /* As cbc_enc and cbc_dec; both directions encrypt the chaining value. */
  void (*cfb_enc)(const struct rijn_rk *rk, unsigned rounds, uint8_t *out, const uint8_t *in, size_t nblk,
                  uint8_t iv[16]);
  void (*cfb_dec)(const struct rijn_rk *rk, unsigned rounds, uint8_t *out, const uint8_t *in, size_t nblk,
                  uint8_t iv[16]);
  /* All text of a message, any len; c->mac becomes its tag. CT: the counter is public, and counts 64 bits. */
  void (*ccm_enc)(const struct rijn_rk *rk, unsigned rounds, uint8_t *out, const uint8_t *in, size_t len,
                  struct rijn_ccm_state *c);
  void (*ccm_dec)(const struct rijn_rk *rk, unsigned rounds, uint8_t *out, const uint8_t *in, size_t len,
                  struct rijn_ccm_state *c);
  /* One data unit, len >= 16, ciphertext stealing included. */
  void (*xts_enc)(const struct rijn_xts *k, uint8_t *out, const uint8_t *in, size_t len, const uint8_t tweak[16]);
  void (*xts_dec)(const struct rijn_xts *k, uint8_t *out, const uint8_t *in, size_t len, const uint8_t tweak[16]);
  /* A part of a data unit: len >= 16, a multiple of 16 unless it is the unit's end, ciphertext stealing included.
   * first: it is the unit's beginning, and tweak is the unit's; else tweak is what the part before left in next, the
   * encrypted tweak of the block len / 16 blocks on. The two may be one place. CT: next is a secret. */
  void (*xts_enc_part)(const struct rijn_xts *k, uint8_t *out, const uint8_t *in, size_t len, const uint8_t tweak[16],
                       uint8_t next[16], int first);
  void (*xts_dec_part)(const struct rijn_xts *k, uint8_t *out, const uint8_t *in, size_t len, const uint8_t tweak[16],
                       uint8_t next[16], int first);
  /* s->n sectors of s->size bytes (a multiple of 512), one after the other. */
  void (*xts_enc_sectors)(const struct rijn_xts *k, uint8_t *out, const uint8_t *in, const struct rijn_sectors *s);
  void (*xts_dec_sectors)(const struct rijn_xts *k, uint8_t *out, const uint8_t *in, const struct rijn_sectors *s);

  /* Optional (NULL: none; both or neither): a whole message of AES-GCM-SIV, nonce of 12 bytes, tag of 16. Decrypt
   * compares in constant time, and returns 0, or -1 (RIJN_EAUTH) with out wiped. Without them gcm_siv.c does it by
   * kernels of other modes.
   * CT: the counter is public, for it is the tag; the keys that the nonce makes are secret. */
  int (*siv_encrypt)(const struct rijn_enc *k, uint8_t *out, const uint8_t *in, size_t len, const uint8_t *aad,
                     size_t aad_len, const uint8_t *nonce, uint8_t *tag);
  int (*siv_decrypt)(const struct rijn_enc *k, uint8_t *out, const uint8_t *in, size_t len, const uint8_t *aad,
                     size_t aad_len, const uint8_t *nonce, const uint8_t *tag);
};

/* Each kernel has its row in kernels.def, in this order. */
enum {
#define KERNEL(name, shape, key) RIJN_KERNEL_##name,
#include "kernels.def"
  RIJN_KERNELS
};
#define RIJN_KERNEL_AT(i) (offsetof(struct rijn_impl, gcm_init) + (i) * sizeof(void (*)(void)))
#define KERNEL(name, shape, key)                                                                                       \
  _Static_assert(offsetof(struct rijn_impl, name) == RIJN_KERNEL_AT(RIJN_KERNEL_##name), "the order of kernels.def");
#include "kernels.def"
/* The same struct made of the rows: equally large with the padding at its end, which 32-bit machines have. */
struct rijn_impl_rows {
  const char *name;
  uint64_t needs;
#define KERNEL(name, shape, key) void (*name)(void);
#include "kernels.def"
};
_Static_assert(sizeof(struct rijn_impl) == sizeof(struct rijn_impl_rows), "a kernel without a row in kernels.def");

/* The table of all sets of this build, in the order of choice; "portable" is last and always runs. */
#ifndef rijn_impls /* a build without addresses in its data has a call here (bindings/go/blob) */
extern const struct rijn_impl *const rijn_impls[] __attribute__((visibility("hidden")));
extern const int rijn_impls_n __attribute__((visibility("hidden")));
#endif

/* For an init: the set of that index (i = -1: the chosen one), or NULL when it cannot run here; *index gets its place
 * in the table. */
const struct rijn_impl *rijn_impl_get(int i, int *index);

/* For a use: the set that made a key. id is the key's impl field; 0 or nonsense: NULL. */
static inline int rijn_impl_is(uint8_t id) { return id - 1u < (unsigned)rijn_impls_n; }
static inline const struct rijn_impl *rijn_impl_of(uint8_t id) { return rijn_impl_is(id) ? rijn_impls[id - 1u] : NULL; }

#endif
