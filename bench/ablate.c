/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * rijn bench --ablate: where the cycles of GCM go. Each implementation's kernel beside copies of it that lack one part
 * (ablate_ops.h); what the absence saves is what the part costs after all that runs in its shadow. Kernels are called
 * directly, the whole one too, so that nothing but the part differs. A build of its own: RIJN_BENCH_ABLATE.
 */
#include "bench.h"

#include <rijn.h>
#include <stdlib.h>
#include <string.h>

#include "arch.h"
#include "impl.h"

#define PARTS 5
static const char *const parts[PARTS] = {"", " -ghash", " -aes", " -xor", " -counters"};
static const char *const heads[PARTS] = {"whole", "no GHASH", "no AES", "no XOR", "no counters"};

#define DECLARE(isa)                                                                                                   \
  extern const struct rijn_impl rijn_ablate_GHASH_##isa, rijn_ablate_AES_##isa, rijn_ablate_XOR_##isa,                 \
      rijn_ablate_COUNTERS_##isa;
#define ROW(isa)                                                                                                       \
  { &rijn_ablate_GHASH_##isa, &rijn_ablate_AES_##isa, &rijn_ablate_XOR_##isa, &rijn_ablate_COUNTERS_##isa }
#define SET(name, file, where, level) IN_##where(DECLARE(file))
#include "isa/sets.def"
static const struct rijn_impl *const ablated[][PARTS - 1] = {
#define SET(name, file, where, level) IN_##where(ROW(file), )
#include "isa/sets.def"
};
#define ABLATED ((int)(sizeof ablated / sizeof *ablated))

struct key {
  rijn_gcm_key key; /* first: its alignment is the object's */
  const struct rijn_impl *impl;
};

static int enc(const struct b_job *j, size_t n) {
  int bad = 0;
  B_EACH_MESSAGE(j, n, {
    struct key *k = key;
    bad |= k->impl->gcm_encrypt((const struct rijn_gcm *)(const void *)&k->key, w.out, w.in, len, w.aad, w.aad_len,
                                nonce, 12, tag);
  });
  return bad;
}

static b_run runner(const struct b_subject *s, const struct b_case *c) {
  (void)s;
  return c->op == B_GCM && c->dir == B_ENC ? enc : NULL;
}

/* index: PARTS * (row of ablated) + part */
static void *key_new(const struct b_subject *s, const struct b_case *c, const uint8_t *raw, size_t raw_len) {
  struct key *k = aligned_alloc(64, (sizeof *k + 63) / 64 * 64);
  const struct rijn_impl *const *row = ablated[s->index / PARTS];
  int part = s->index % PARTS, whole = rijn_impl_find(row[0]->name);
  (void)c;
  if (!k)
    return NULL;
  k->impl = part == 0 ? rijn_impls[whole] : row[part - 1];
  if (rijn_gcm_init_impl(&k->key, raw, raw_len, 16, whole)) {
    free(k);
    return NULL;
  }
  return k;
}

static void key_free(const struct b_subject *s, const struct b_case *c, void *key) {
  (void)s, (void)c;
  free(key);
}

/* The same list as without --ablate, but with five subjects for each implementation: whole, and without each part. */
void b_subjects_ablated(struct b_subjects *all) {
  for (int i = 0; i < ABLATED; i++) {
    int impl = rijn_impl_find(ablated[i][0]->name);
    if (!rijn_impl_supported(impl))
      continue;
    for (int part = 0; part < PARTS; part++) {
      struct b_subject s = {.is_rijn = true, .ablated = part > 0, .index = PARTS * i + part};
      s.runner = runner;
      s.key_new = key_new;
      s.key_free = key_free;
      snprintf(s.name, sizeof s.name, "%s%s", ablated[i][0]->name, parts[part]);
      b_subject_add(all, &s);
    }
  }
}

/* Rows come case by case and, in a case, in the order of the subjects. */
void b_ablate_table(const struct b_run_info *r, FILE *f) {
  char title[128];
  for (size_t i = 0; i < r->n_rows; i++) {
    const struct b_row *row = &r->rows[i];
    const struct b_subject *s = &r->subjects->s[row->subject];
    if (i == 0 || memcmp(&row->c, &row[-1].c, sizeof row->c)) {
      b_case_title(&row->c, title, sizeof title);
      if (row->c.mix)
        fprintf(f, "\n%s, mix of lengths\n%-*s", title, B_NAME_WIDTH, "cycles a message");
      else
        fprintf(f, "\n%s, %zu bytes\n%-*s", title, row->c.size, B_NAME_WIDTH, "cycles a message");
      for (int p = 0; p < PARTS; p++)
        fprintf(f, p ? " %12s" : " %7s", heads[p]);
      fprintf(f, "\n");
    }
    if (!s->ablated)
      fprintf(f, "%-*s %7.0f", B_NAME_WIDTH, s->name, row->low);
    else if (row->error[0])
      fprintf(f, " %12s", "-");
    else
      fprintf(f, " %6.0f %+4.0f%%", row->low, 100 * (row->low / row[-(s->index % PARTS)].low - 1));
    if (s->index % PARTS == PARTS - 1)
      fprintf(f, "\n");
  }
  fprintf(f, "\nA dash: without that part the kernel's answer is the same, so it is not in this message's way.\n%s\n",
          r->noise);
}
