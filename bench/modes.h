/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * What can be measured. A CASE is what is done (mode, key size, direction, length). A SUBJECT is who does it: an
 * implementation of Rijn or a peer. A ROW is one subject in one case, with a sample for every round.
 */
#ifndef RIJN_BENCH_MODES_H
#define RIJN_BENCH_MODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum b_op {
#define MODE(id, ...) B_##id
#include "modes.def"
#undef MODE
  B_OPS
};
#define B_ALL_OPS ((1u << B_OPS) - 1)
enum b_dir { B_ENC, B_DEC };

enum b_key { B_KEY_NONE, B_KEY_GCM, B_KEY_XTS, B_KEY_AES, B_KEY_GHASH, B_KEY_SIV, B_KEY_XAES };
/* Is the mix of lengths measured? Never; when it is asked for or with --full; also when no size is asked for. */
enum b_mix { B_MIX_NEVER, B_MIX_IF_FULL, B_MIX_BY_DEFAULT };
/* What AES costs at least: nothing known; blocks side by side; one chain of blocks to encrypt; one block. */
enum b_limit { B_LIMIT_NONE, B_LIMIT_BLOCKS, B_LIMIT_CHAIN, B_LIMIT_ONE };

struct b_mode {
  const char *name, *help;
  const char *title;  /* {key}, {dir}, {aad} and {count} stand for the case's */
  enum b_key key;     /* which kind of key object */
  const char *cipher; /* "GCM": the part of its name behind AES and the key size */
  const char *sizes;  /* as --sizes takes them; NULL: 16,256,4096,16384 */
  const char *counts; /* messages a batch, sectors a run; NULL: 1 */
  enum b_mix mix;
  bool one_way;          /* encryption only */
  bool has_aad, has_tag; /* associated data; a tag, which decryption checks */
  bool batch, key_each;  /* one call for several messages; each with a key of its own */
  size_t turn_keys;      /* key objects that messages take in turn, at least; 0: one */
  bool fixed_size;       /* --sizes does not apply */
  bool incomparable;     /* there is no output to compare */
  size_t least, most;    /* bytes; most 0: no limit */
  size_t multiple;       /* of so many bytes; 0: of one */
  bool power_of_two;
  enum b_limit limit;
  size_t extra_blocks; /* beside those of the text, for B_LIMIT_BLOCKS */
};
extern const struct b_mode b_modes[B_OPS];

#define B_BATCH_MAX 128 /* messages a batch */
#define B_MIX_N 256     /* lengths in the mix of packets; a power of two */
#define B_NONCES 256    /* prepared nonces, 16 bytes apart; a power of two. One of more bytes goes on into the next */

struct b_case {
  enum b_op op;
  int key_bits; /* 128, 192, 256; for XTS that of the data key */
  enum b_dir dir;
  size_t size;  /* bytes a message; 0 with mix */
  size_t count; /* messages a batch, sectors a run; 1 elsewhere */
  size_t aad;
  bool mix; /* lengths from 64 to 1500 instead of size */
};

static inline const struct b_mode *b_mode(const struct b_case *c) { return &b_modes[c->op]; }

/* The index of a mode, or -1. */
int b_mode_find(const char *name);
bool b_mode_has_size(const struct b_mode *m, size_t size);
bool b_mode_has_key(const struct b_mode *m, size_t key_bits);
/* Numbers with commas between, each from lo to hi: how many there are, each named once; -1 where it is no such list or
 * too long. "16k" is 16384, "1m" 1048576; "mix" sets *mix, where that is not NULL. */
int b_number_list(const char *text, double lo, double hi, size_t *v, size_t room, bool *mix);
bool b_number(const char *text, size_t n, double lo, double hi, double *v);
void b_case_title(const struct b_case *c, char *buf, size_t size);
/* Of a message, on average. */
double b_case_bytes(const struct b_case *c);
/* The lengths of a mix; returns how many are used, a batch's messages have the first. */
size_t b_mix_lengths(uint32_t lens[B_MIX_N], const struct b_case *c);

#endif
