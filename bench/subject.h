/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Who is measured, and the loops that do the work. */
#ifndef RIJN_BENCH_SUBJECT_H
#define RIJN_BENCH_SUBJECT_H

#include "clock.h"
#include "modes.h"

struct b_msg {
  const uint8_t *in;
  uint8_t *out;
  const uint8_t *nonce;
  uint8_t *tag;
};

/* All that a subject's loop reads. */
struct b_job {
  const struct b_case *c;
  void *const *keys; /* keys[i & kmask] serves message i; of batches and runs see b_job_key */
  size_t kmask;
  const uint32_t *lens; /* lens[i & lmask] is its length, tags + 16 * (i & lmask) its tag */
  size_t lmask;
  const uint8_t *nonces; /* nonces + 16 * (i & nmask) */
  size_t nmask;
  const uint8_t *aad;
  size_t aad_len;
  const uint8_t *in;
  uint8_t *out;
  uint8_t *tags;
  const uint8_t *raw; /* the raw key, for key set-up and for those who set it anew each message */
  size_t raw_len;
  const struct b_msg *msgs; /* batches: count of them */
  bool serial;              /* wait for the end of each message (batch, run) before the next */
};

/* Which of the job's keys is for message m of batch or run i: one for all of it, or each has its own. */
static inline size_t b_job_key(const struct b_job *j, size_t i, size_t m) {
  return (b_mode(j->c)->key_each ? i * j->c->count + m : i) & j->kmask;
}

/* Runs messages 0 .. n-1 (batches and runs: n times count of them). 0, or not 0 when one failed. */
typedef int (*b_run)(const struct b_job *j, size_t n);

struct b_subject {
  char name[40];
  bool is_rijn;
  bool ablated; /* its answer has to be wrong: ablate.c */
  int index;    /* the implementation's index, or what the peer likes */
  /* The loop for a case, or NULL when the subject does not have it. */
  b_run (*runner)(const struct b_subject *s, const struct b_case *c);
  /* A key for that loop, or NULL on failure. */
  void *(*key_new)(const struct b_subject *s, const struct b_case *c, const uint8_t *raw, size_t raw_len);
  void (*key_free)(const struct b_subject *s, const struct b_case *c, void *key);
};

/* A library that was found: subjects are called NAME or NAME:VARIANT. */
struct b_peer {
  char name[16], version[48];
};

#define B_MAX_SUBJECTS 40
#define B_MAX_PEERS 8
struct b_subjects {
  struct b_subject s[B_MAX_SUBJECTS];
  int n;
  struct b_peer peers[B_MAX_PEERS];
  int n_peers;
  char absent[512]; /* peers that were wanted and are not on this machine, and why */
};

/* The loops of a subject, encryption and decryption of each mode; NULL: it does not have that. */
typedef const b_run b_loops[B_OPS][2];
static inline b_run b_loop(b_loops loops, const struct b_case *c) { return loops[c->op][c->dir]; }

/* subject_rijn.c: one message of a mode with a tag, encrypted by Rijn with a key of that mode. */
int b_rijn_seal(const struct b_case *c, const void *key, const struct b_msg *m, size_t len, const uint8_t *aad,
                size_t aad_len);
/* A key of Rijn for a case, or NULL. */
void *b_rijn_key(const struct b_case *c, const uint8_t *raw, size_t raw_len, int impl);

/* Where the next one of a list in buf begins, behind ", " if it is not the first. */
size_t b_next_of_list(char *buf, size_t size);
/* by_ones.c: for those without a batch or a run of their own, one message after the other. */
#define B_FIRST_SECTOR UINT64_C(0x123456789)
int b_batch_by_ones(const struct b_job *j, size_t n, b_run run);
int b_run_by_ones(const struct b_job *j, size_t n, b_run run);
void b_subject_add(struct b_subjects *all, const struct b_subject *s);
/* fmt makes the name and version for readers: "libcrypto 3.0.22". */
void b_peer_found(struct b_subjects *all, const char *name, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void b_peer_absent(struct b_subjects *all, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Each adds its own. */
void b_subjects_rijn(struct b_subjects *all);
void b_subjects_libcrypto(struct b_subjects *all);
void b_subjects_ipsecmb(struct b_subjects *all);
void b_subjects_nettle(struct b_subjects *all);
void b_subjects_gcrypt(struct b_subjects *all);
void b_subjects_sodium(struct b_subjects *all);
void b_subjects_planted(struct b_subjects *all); /* test builds: a peer whose output is wrong */

/* Of message i of a batch. */
static inline size_t b_batch_len(const struct b_job *j, size_t i) { return j->lens[i & j->lmask]; }

/* Every subject's loop over single messages: i, key (void *), len, nonce and tag are the message's. */
#define B_EACH_MESSAGE(j, n, BODY)                                                                                     \
  do {                                                                                                                 \
    const struct b_job w = *(j);                                                                                       \
    for (size_t i = 0; i < (n); i++) {                                                                                 \
      void *const key = w.keys[i & w.kmask];                                                                           \
      const size_t len = w.lens[i & w.lmask];                                                                          \
      const uint8_t *const nonce = w.nonces + 16 * (i & w.nmask);                                                      \
      uint8_t *const tag = w.tags + 16 * (i & w.lmask);                                                                \
      (void)key, (void)len, (void)nonce, (void)tag;                                                                    \
      BODY;                                                                                                            \
      if (w.serial)                                                                                                    \
        b_serialize();                                                                                                 \
    }                                                                                                                  \
  } while (0)

#endif
