/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * libipsec-mb by its direct calls, the fastest door it has: keys expanded before, one call a message. Its managers
 * (SSE, AVX2, AVX-512) are peers of their own. The header is needed at build time, the library is loaded at run time.
 * Its decrypt computes a tag and leaves the comparison to the caller, so a comparison is part of the loop here.
 */
#include "subject.h"

#ifdef RIJN_BENCH_HAVE_IPSEC_MB
#include <dlfcn.h>
#include <intel-ipsec-mb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SONAME "libIPSec_MB.so.1"

static struct {
  const char *name;
  const char *init;
  uint64_t needs; /* IMB_FEATURE bits */
  IMB_MGR *mgr;
} managers[] = {
    {"ipsec-mb:sse", "init_mb_mgr_sse", IMB_CPUFLAGS_SSE, NULL},
    {"ipsec-mb:avx2", "init_mb_mgr_avx2", IMB_CPUFLAGS_AVX2, NULL},
    {"ipsec-mb:avx512", "init_mb_mgr_avx512", IMB_CPUFLAGS_AVX512, NULL},
};
#define MANAGERS ((int)(sizeof managers / sizeof *managers))

struct key {
  struct gcm_key_data data; /* first: its alignment is the object's */
  struct gcm_context_data ctx;
  IMB_MGR *mgr;
  aes_gcm_enc_dec_t enc, dec;
  aes_gcm_pre_t pre;
  aes_gmac_init_t gmac_init;
  aes_gmac_update_t gmac_update;
  aes_gmac_finalize_t gmac_finalize;
  ghash_t ghash;
};

static inline int differ(const uint8_t *a, const uint8_t *b) {
  uint64_t x[2], y[2];
  memcpy(x, a, 16);
  memcpy(y, b, 16);
  return ((x[0] ^ y[0]) | (x[1] ^ y[1])) != 0;
}

static int gcm_enc(const struct b_job *j, size_t n) {
  B_EACH_MESSAGE(j, n, {
    struct key *k = key;
    k->enc(&k->data, &k->ctx, w.out, w.in, len, nonce, w.aad, w.aad_len, tag, 16);
  });
  return 0;
}

static int gcm_dec(const struct b_job *j, size_t n) {
  int bad = 0;
  uint8_t made[16];
  B_EACH_MESSAGE(j, n, {
    struct key *k = key;
    k->dec(&k->data, &k->ctx, w.out, w.in, len, nonce, w.aad, w.aad_len, made, 16);
    bad |= differ(made, tag);
  });
  return bad;
}

static int gmac(const struct b_job *j, size_t n) {
  B_EACH_MESSAGE(j, n, {
    struct key *k = key;
    k->gmac_init(&k->data, &k->ctx, nonce, 12);
    k->gmac_update(&k->data, &k->ctx, w.in, len);
    k->gmac_finalize(&k->data, &k->ctx, tag, 16);
  });
  return 0;
}

static int ghash(const struct b_job *j, size_t n) {
  B_EACH_MESSAGE(j, n, {
    struct key *k = key;
    k->ghash(&k->data, w.in, len, tag, 16);
  });
  return 0;
}

static int gcm_keys(const struct b_job *j, size_t n) {
  B_EACH_MESSAGE(j, n, {
    struct key *k = key;
    k->pre(w.raw, &k->data);
  });
  return 0;
}

static int batch_enc(const struct b_job *j, size_t n) {
  for (size_t r = 0; r < n; r++) {
    for (size_t i = 0; i < j->c->count; i++) {
      struct key *k = j->keys[b_job_key(j, r, i)];
      const struct b_msg *m = &j->msgs[i];
      k->enc(&k->data, &k->ctx, m->out, m->in, b_batch_len(j, i), m->nonce, j->aad, j->aad_len, m->tag, 16);
    }
    if (j->serial)
      b_serialize();
  }
  return 0;
}

static int batch_dec(const struct b_job *j, size_t n) {
  int bad = 0;
  uint8_t made[16];
  for (size_t r = 0; r < n; r++) {
    for (size_t i = 0; i < j->c->count; i++) {
      struct key *k = j->keys[b_job_key(j, r, i)];
      const struct b_msg *m = &j->msgs[i];
      k->dec(&k->data, &k->ctx, m->out, m->in, b_batch_len(j, i), m->nonce, j->aad, j->aad_len, made, 16);
      bad |= differ(made, m->tag);
    }
    if (j->serial)
      b_serialize();
  }
  return bad;
}

static b_loops loops = {
    [B_GCM] = {gcm_enc, gcm_dec},
    [B_MANYKEYS] = {gcm_enc, gcm_dec},
    [B_GMAC] = {gmac},
    [B_KEYS] = {gcm_keys},
    [B_GHASH] = {ghash},
    [B_BATCH] = {batch_enc, batch_dec},
    [B_BATCHKEYS] = {batch_enc, batch_dec},
};

static b_run runner(const struct b_subject *s, const struct b_case *c) {
  (void)s;
  return b_loop(loops, c);
}

static void *key_new(const struct b_subject *s, const struct b_case *c, const uint8_t *raw, size_t raw_len) {
  struct key *k = aligned_alloc(64, (sizeof *k + 63) / 64 * 64);
  IMB_MGR *m = managers[s->index].mgr;
  (void)raw_len;
  if (!k)
    return NULL;
  memset(k, 0, sizeof *k);
  k->mgr = m;
#define PICK(bits)                                                                                                     \
  do {                                                                                                                 \
    k->enc = m->gcm##bits##_enc;                                                                                       \
    k->dec = m->gcm##bits##_dec;                                                                                       \
    k->pre = m->gcm##bits##_pre;                                                                                       \
    k->gmac_init = m->gmac##bits##_init;                                                                               \
    k->gmac_update = m->gmac##bits##_update;                                                                           \
    k->gmac_finalize = m->gmac##bits##_finalize;                                                                       \
  } while (0)
  if (c->key_bits == 128)
    PICK(128);
  else if (c->key_bits == 192)
    PICK(192);
  else
    PICK(256);
#undef PICK
  k->ghash = m->ghash;
  if (c->op == B_GHASH)
    k->pre = m->ghash_pre;
  k->pre(raw, &k->data);
  return k;
}

static void key_free(const struct b_subject *s, const struct b_case *c, void *key) {
  (void)s, (void)c;
  free(key);
}

void b_subjects_ipsecmb(struct b_subjects *all) {
  void *lib = dlopen(SONAME, RTLD_NOW | RTLD_LOCAL);
  if (!lib) {
    b_peer_absent(all, "ipsec-mb (no %s)", SONAME);
    return;
  }
  __typeof__(&imb_get_version) version = (__typeof__(&imb_get_version))dlsym(lib, "imb_get_version");
  __typeof__(&alloc_mb_mgr) alloc = (__typeof__(&alloc_mb_mgr))dlsym(lib, "alloc_mb_mgr");
  if (!version || !alloc || (version() & 0xffff00u) != (IMB_VERSION_NUM & 0xffff00u)) {
    /* The manager is a struct of the header: another version may have it otherwise. */
    b_peer_absent(all, "ipsec-mb (library %x, built for %x)", version ? version() : 0, (unsigned)IMB_VERSION_NUM);
    return;
  }
  for (int i = 0; i < MANAGERS; i++) {
    init_mb_mgr_t init = (init_mb_mgr_t)dlsym(lib, managers[i].init);
    if (!managers[i].mgr && init) {
      IMB_MGR *m = alloc(0);
      if (!m || (m->features & managers[i].needs) != managers[i].needs)
        continue;
      init(m);
      managers[i].mgr = m;
    }
    if (!managers[i].mgr)
      continue;
    struct b_subject s = {.index = i, .runner = runner, .key_new = key_new, .key_free = key_free};
    snprintf(s.name, sizeof s.name, "%s", managers[i].name);
    b_subject_add(all, &s);
  }
  b_peer_found(all, "ipsec-mb", "libipsec-mb %u.%u.%u", version() >> 16, version() >> 8 & 255, version() & 255);
}
#else
void b_subjects_ipsecmb(struct b_subjects *all) { b_peer_absent(all, "ipsec-mb (not built in)"); }
#endif
