/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* From the options to the rows that are to be measured. */
#include "bench.h"
#include "cmd.h"

#include <rijn.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SIZES 64
#define LARGEST (64 << 20)

struct plan {
  struct b_run_info *r;
  size_t room;
  int err;
};

static void add_case(struct plan *p, const struct b_case *c) {
  struct b_run_info *r = p->r;
  for (int s = 0; s < r->subjects->n && !p->err; s++) {
    if (!r->subjects->s[s].runner(&r->subjects->s[s], c))
      continue;
    if (r->n_rows == p->room) {
      p->room = p->room ? 2 * p->room : 64;
      struct b_row *more = realloc(r->rows, p->room * sizeof *more);
      if (!more) {
        p->err = b_refused("memory");
        return;
      }
      r->rows = more;
    }
    struct b_row *row = &r->rows[r->n_rows++];
    memset(row, 0, sizeof *row);
    memcpy(&row->c, c, sizeof *c);
    row->subject = s;
  }
}

static size_t own_list(const char *text, size_t v[MAX_SIZES]) {
  int n = b_number_list(text, 0, LARGEST, v, MAX_SIZES, NULL);
  return n > 0 ? (size_t)n : 0;
}

/* Says which of the lengths that were asked for the mode does not have. */
static void say_left_out(const struct b_options *o, const struct b_mode *m) {
  char left[MAX_SIZES * 10 + 6]; /* a size has eight digits at most */
  size_t at = 0;
  for (size_t i = 0; i < o->n_sizes; i++)
    if (!b_mode_has_size(m, o->sizes[i]))
      at += (size_t)snprintf(left + at, sizeof left - at, ", %zu", o->sizes[i]);
  if (o->mix && m->mix == B_MIX_NEVER)
    at += (size_t)snprintf(left + at, sizeof left - at, ", mix");
  /* WHY only then: where all modes are meant, nobody has asked for this length of this mode. */
  if (at && o->ops != B_ALL_OPS && o->child_fd < 0)
    rijn_say_as("rijn bench", "%s: left out of --sizes, as it has no such length: %s", m->name, left + 2);
}

/* The sizes a mode is measured at, beside the mix of those that mix. */
static size_t sizes_of(const struct b_options *o, enum b_op op, size_t sizes[MAX_SIZES]) {
  const struct b_mode *m = &b_modes[op];
  bool asked = (o->n_sizes || o->mix) && !m->fixed_size;
  if (!asked)
    return own_list(m->sizes ? m->sizes : "16,256,4096,16384", sizes);
  size_t kept = 0;
  for (size_t i = 0; i < o->n_sizes; i++)
    if (b_mode_has_size(m, o->sizes[i]))
      sizes[kept++] = o->sizes[i];
  say_left_out(o, m);
  return kept;
}

static bool mixes(const struct b_options *o, const struct b_mode *m) {
  if (m->mix == B_MIX_NEVER)
    return false;
  return o->mix || (o->n_sizes == 0 && (o->full || m->mix == B_MIX_BY_DEFAULT));
}

static void plan_key(struct plan *p, enum b_op op, int key_bits, const size_t *sizes, size_t n_sizes) {
  const struct b_options *o = p->r->o;
  const struct b_mode *m = &b_modes[op];
  size_t counts[MAX_SIZES], n_counts = own_list(m->counts ? m->counts : "1", counts);
  bool mix = mixes(o, m);
  for (int d = B_ENC; d <= B_DEC; d++) {
    bool wanted = d == B_ENC ? o->enc || m->one_way : o->dec && !m->one_way;
    if (!wanted)
      continue;
    for (size_t k = 0; k < n_counts; k++)
      for (size_t i = 0; i < n_sizes + mix; i++) {
        struct b_case c;
        memset(&c, 0, sizeof c); /* cases are compared as memory */
        c.op = op;
        c.key_bits = key_bits;
        c.dir = (enum b_dir)d;
        c.mix = i == n_sizes;
        c.size = c.mix ? 0 : sizes[i];
        c.count = counts[k];
        c.aad = m->has_aad ? o->aad : 0;
        add_case(p, &c);
      }
  }
}

static void plan_mode(struct plan *p, enum b_op op) {
  const struct b_options *o = p->r->o;
  const struct b_mode *m = &b_modes[op];
  size_t sizes[MAX_SIZES], n = sizes_of(o, op, sizes);
  size_t n_keys = m->key == B_KEY_GHASH || m->key == B_KEY_NONE ? 1 : o->n_keys;
  /* The quick table has many keys once, of the longest. */
  for (size_t k = o->quick && m->turn_keys ? n_keys - 1 : 0; k < n_keys; k++)
    if (b_mode_has_key(m, o->keys[k]))
      plan_key(p, op, (int)o->keys[k], sizes, n);
}

static int find_baseline(struct b_run_info *r) {
  const char *want = r->o->baseline;
  int chosen = rijn_impl_chosen();
  if (!want && chosen >= 0)
    want = rijn_impl_name(chosen);
  r->baseline = -1;
  for (int i = 0; want && i < r->subjects->n; i++)
    if (!strcmp(r->subjects->s[i].name, want))
      r->baseline = i;
  if (r->o->baseline && r->baseline < 0) {
    rijn_say_as("rijn bench", "--baseline: \"%s\" is not measured in this run; there is:", r->o->baseline);
    for (int i = 0; i < r->subjects->n; i++)
      fprintf(stderr, "%s %s", i ? "," : " ", r->subjects->s[i].name);
    fputc('\n', stderr);
    return B_EXIT_USAGE;
  }
  return 0;
}

int b_plan(struct b_run_info *r) {
  struct plan p = {r, 0, find_baseline(r)};
  for (int op = 0; op < B_OPS && !p.err; op++)
    if (r->o->ops & 1u << op)
      plan_mode(&p, (enum b_op)op);
  if (!p.err && r->n_rows == 0) {
    rijn_say_as("rijn bench", "nothing to measure: no subject has that mode with such a key at that length");
    return B_EXIT_USAGE;
  }
  return p.err;
}
