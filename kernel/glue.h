/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Rijn as drivers of Linux's crypto API: what the files of this folder share.
 *
 * Each set that this machine runs is registered under names of its own. All are synchronous. Where the vector unit may
 * not be used (Linux says so in some interrupts), `portable` does the work, with a key of its own in the same context:
 * so nothing is ever put off to another thread. (simd.h of Linux wraps drivers for that; no wrapper is needed here.)
 */
#ifndef RIJN_GLUE_H
#define RIJN_GLUE_H

#include <crypto/internal/aead.h>
#include <crypto/internal/simd.h>
#include <crypto/internal/skcipher.h>
#include <crypto/scatterwalk.h>
#include <linux/highmem.h>
#include <linux/module.h>
#include <linux/scatterlist.h>

#include "shim/plain.h"

#include "../src/impl.h"
#include "../src/key.h"
#include "vec.h"

#ifdef CONFIG_CPU_BIG_ENDIAN
#error "this module is for little-endian kernels only"
#endif
#ifdef CONFIG_HIGHMEM
#error "this module takes all memory for mapped: 64-bit kernels only"
#endif

extern const struct rijn_impl rijn_impl_portable;

/* An algorithm of a set, as it is registered. set: index in rijn_impls. */
struct rijn_aead {
  struct aead_alg alg;
  int set;
};
struct rijn_skcipher {
  struct skcipher_alg alg;
  int set;
};
struct rijn_cipher {
  struct crypto_alg alg;
  int set;
};
enum { RIJN_AEADS = 2, RIJN_SKCIPHERS = 4, RIJN_ALIGN = 64 };
/* A section, in which a call holds the vector unit and no other thread runs on the processor, has so many bytes at
 * most. A piece counts as RIJN_PIECE bytes at least, and as a multiple of them: short ones take time, too. */
enum { RIJN_ONE_CALL = 65536, RIJN_PIECE = 256 };

/* They fill in all but the driver's name, the priority, the module and the set. */
void rijn_gcm_algs(struct rijn_aead algs[RIJN_AEADS]);
void rijn_xts_alg(struct rijn_skcipher *alg);
void rijn_mode_algs(struct rijn_skcipher algs[RIJN_SKCIPHERS - 1], struct rijn_cipher *aes);

/* The module of the tests tells another one how long it holds the vector unit (kernel/test/rtest/watch.c), and has its
 * kernels called by way of that. */
#ifdef RIJN_TEST
void rijn_watch_begin(void);
void rijn_watch_end(void);
void rijn_watch_entry(void);
void rijn_watch_yield(void);
const struct rijn_impl *rijn_watched(const struct rijn_impl *impl, int set);
#else
static inline void rijn_watch_begin(void) {}
static inline void rijn_watch_end(void) {}
static inline void rijn_watch_entry(void) {}
static inline void rijn_watch_yield(void) {}
static inline const struct rijn_impl *rijn_watched(const struct rijn_impl *impl, int set) { return impl; }
#endif

/* The set that does the work of this call, for a context whose own set is `set`. made: that one has a key here. vector:
 * it uses the vector unit, which rijn_begin and rijn_end allow it. Asked once a call: an answer holds in all of it. */
struct rijn_way {
  const struct rijn_impl *impl;
  struct vec_room *room;
  bool vector;
};
static inline struct rijn_way rijn_way(int set, bool made, struct vec_room *room) {
  if (made && rijn_impls[set] != &rijn_impl_portable && crypto_simd_usable())
    return (struct rijn_way){rijn_watched(rijn_impls[set], set), room, true};
  return (struct rijn_way){&rijn_impl_portable, NULL, false};
}
static inline void rijn_begin(struct rijn_way way) {
  if (way.vector) {
    vec_begin(way.room);
    rijn_watch_begin();
  }
}
static inline void rijn_end(struct rijn_way way) {
  if (way.vector) {
    rijn_watch_end();
    vec_end(way.room);
  }
}

/* Memory of this processor, from the beginning of a section to its end: on x86 nothing else has the vector unit there
 * meanwhile, neither a thread nor an interrupt. (On Arm another thread may, from Linux 6.8 on. No set wants memory
 * there.) */
int rijn_scratch_make(void);
void rijn_scratch_free(void);
u8 *rijn_scratch(void);

/* A section. flags: the request's; left: what may still be done in this one, a multiple of RIJN_PIECE. WHY in sections:
 * between two of them Linux may do other work. */
struct rijn_section {
  struct rijn_way way;
  u32 flags;
  unsigned int left;
};
static inline void rijn_open(struct rijn_section *s) {
  rijn_begin(s->way);
  s->left = RIJN_ONE_CALL;
}
/* What may be done next, RIJN_PIECE bytes at least: in a new section, if this one is used up. */
static inline unsigned int rijn_room(struct rijn_section *s) {
  if (s->left == 0) {
    rijn_end(s->way);
    if (s->flags & CRYPTO_TFM_REQ_MAY_SLEEP) {
      rijn_watch_yield();
      cond_resched();
    }
    rijn_open(s);
  }
  return s->left;
}
/* Of n bytes, those that may be done next; they are counted as done. */
static inline unsigned int rijn_may(struct rijn_section *s, unsigned int n) {
  n = min(n, rijn_room(s));
  s->left -= n != 0 ? round_up(n, RIJN_PIECE) : RIJN_PIECE;
  return n;
}

/* Contexts begin on a line of the cache. Linux aligns them less. */
static inline void *rijn_ctx(void *ctx) { return PTR_ALIGN(ctx, RIJN_ALIGN); }

/* As sg_next, which is a call. */
static inline struct scatterlist *rijn_next(struct scatterlist *sg) {
  rijn_watch_entry();
  if (sg_is_last(sg))
    return NULL;
  sg++;
  return sg_is_chain(sg) ? sg_chain_ptr(sg) : sg;
}
/* The address of len bytes from byte off on, if they are in one piece; else NULL. Of no bytes it is any address. WHY
 * not that of the piece: an empty one may have no page, and where Linux keeps pages in sections it reads the page. */
static inline u8 *rijn_piece(struct scatterlist *sg, unsigned int off, unsigned int len) {
  if (len == 0)
    return (u8 *)sg;
  for (; sg != NULL; sg = rijn_next(sg)) {
    if (off < sg->length)
      return len <= sg->length - off ? (u8 *)sg_virt(sg) + off : NULL;
    off -= sg->length;
  }
  return NULL;
}
/* A place in a list of pieces. left: what lies in one piece from there on, or 0, and then `at` is no address. WHY 0:
 * the list's next entry is read when it is needed, and not behind the last byte of a request. */
struct rijn_place {
  struct scatterlist *sg;
  u8 *at;
  unsigned int left;
};
static inline void rijn_skip(struct rijn_place *p, unsigned int n) {
  p->at += n;
  p->left -= n;
}
/* off bytes behind the beginning of a piece. */
static inline void rijn_enter(struct rijn_place *p, struct scatterlist *sg, unsigned int off) {
  p->sg = sg;
  p->left = sg->length - off;
  p->at = p->left != 0 ? (u8 *)sg_virt(sg) + off : NULL;
}
/* What lies in one piece, which is not empty. Another byte has to be there. */
static inline unsigned int rijn_ahead(struct rijn_section *s, struct rijn_place *p) {
  while (p->left == 0) {
    rijn_enter(p, rijn_next(p->sg), 0);
    if (p->left == 0)
      rijn_may(s, 0);
  }
  return p->left;
}
/* off bytes from the list's beginning, all of which are there. */
static inline void rijn_go(struct rijn_place *p, struct scatterlist *sg, unsigned int off) {
  while (off > sg->length) {
    off -= sg->length;
    sg = rijn_next(sg);
  }
  rijn_enter(p, sg, off);
}
/* A kernel has written to len bytes at p, in one piece. Linux's own walks say the same of each page. */
static inline void rijn_wrote(const void *p, unsigned int len) {
#if ARCH_IMPLEMENTS_FLUSH_DCACHE_PAGE
  struct page *page = virt_to_page(p), *end = len != 0 ? virt_to_page((const u8 *)p + len - 1) + 1 : page;
  for (; page != end; page++)
    flush_dcache_page(page);
#endif
}
/* n bytes, from byte off on, to buf or from there. All of them are there. WHY not scatterwalk_map_and_copy: behind an
 * empty piece that begins a page it takes some other page for written (6.1). There may be none, and then AArch64 has an
 * oops. */
static inline void rijn_copy(u8 *buf, struct scatterlist *sg, unsigned int off, unsigned int n, bool to_list) {
  struct rijn_place p;
  unsigned int here;

  if (n == 0)
    return;
  for (rijn_go(&p, sg, off); n != 0; n -= here, buf += here, rijn_skip(&p, here)) {
    while (p.left == 0)
      rijn_enter(&p, rijn_next(p.sg), 0);
    here = min(n, p.left);
    if (to_list) {
      memcpy(p.at, buf, here);
      rijn_wrote(p.at, here);
    } else {
      memcpy(buf, p.at, here);
    }
  }
}
/* Are there so many bytes? Linux trusts its callers in that; a short list would be read behind its end. */
static inline bool rijn_has(struct scatterlist *sg, u64 len) {
  if (len == 0)
    return true;
  for (; sg != NULL; sg = rijn_next(sg)) {
    if (len <= sg->length)
      return true;
    len -= sg->length;
  }
  return false;
}

#endif
