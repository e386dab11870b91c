/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Who is measured: what the command line takes from the list of all. */
#include "bench.h"
#include "cmd.h"

#include <stdlib.h>
#include <string.h>

/* "ipsec-mb" names all of "ipsec-mb:sse", "ipsec-mb:avx2", ... */
static bool names(const char *want, size_t want_len, const char *name) {
  return !strncmp(want, name, want_len) && (!name[want_len] || name[want_len] == ':' || name[want_len] == ' ');
}

/* Is name in the comma-separated list? */
static bool listed(const char *list, const char *name) {
  for (const char *p = list; *p;) {
    size_t n = strcspn(p, ",");
    if (n && names(p, n, name))
      return true;
    p += n + (p[n] == ',');
  }
  return false;
}

static int check_known(const struct b_subjects *all, const char *list, bool rijn, const char *option) {
  for (const char *p = list;;) {
    size_t n = strcspn(p, ",");
    bool known = n == 3 && !strncmp(p, "all", 3);
    for (int i = 0; i < all->n && !known && n != 0; i++)
      known = all->s[i].is_rijn == rijn && names(p, n, all->s[i].name);
    if (!known) {
      rijn_say_as("rijn bench", "%s: \"%.*s\" is not known or cannot run on this machine; there is:", option, (int)n,
                  p);
      fputs("  all, none", stderr);
      for (int i = 0; i < all->n; i++)
        if (all->s[i].is_rijn == rijn)
          fprintf(stderr, ", %s", all->s[i].name);
      fputc('\n', stderr);
      if (!rijn && all->absent[0])
        rijn_say_as("rijn bench", "not on this machine: %s", all->absent);
      return B_EXIT_USAGE;
    }
    if (p[n] == '\0')
      return 0;
    p += n + 1;
  }
}

static bool has_row(const struct b_run_info *r, int subject) {
  for (size_t i = 0; i < r->n_rows; i++)
    if (r->rows[i].subject == subject && (r->rows[i].n || r->rows[i].error[0]))
      return true;
  return false;
}

void b_peers_text(const struct b_run_info *r, bool measured, char *buf, size_t size) {
  const struct b_subjects *all = r->subjects;
  buf[0] = 0;
  for (int p = 0; p < all->n_peers; p++) {
    bool meant = false;
    for (int s = 0; s < all->n && !meant; s++)
      meant = names(all->peers[p].name, strlen(all->peers[p].name), all->s[s].name) && (!measured || has_row(r, s));
    if (meant) {
      size_t at = b_next_of_list(buf, size);
      snprintf(buf + at, size - at, "%s", all->peers[p].version);
    }
  }
}

static bool everything(const char *list) { return !list || listed(list, "all"); }

int b_subjects_find(struct b_subjects *all, const struct b_options *o) {
  struct b_subjects *found = calloc(1, sizeof *found);
  if (!found)
    return b_refused("memory");
  memset(all, 0, sizeof *all);
#ifdef RIJN_BENCH_ABLATE
  if (o->ablate)
    b_subjects_ablated(found);
  else
#endif
    b_subjects_rijn(found);
  b_subjects_ipsecmb(found);
  b_subjects_libcrypto(found);
  b_subjects_nettle(found);
  b_subjects_gcrypt(found);
  b_subjects_sodium(found);
#ifdef RIJN_TEST_HOOKS
  if (o->peers && strstr(o->peers, "planted"))
    b_subjects_planted(found);
#endif
  memcpy(all->peers, found->peers, sizeof all->peers);
  all->n_peers = found->n_peers;
  if (everything(o->peers)) /* who names some, or none, misses no other */
    memcpy(all->absent, found->absent, sizeof all->absent);
  int err = 0;
  if (o->impls && strcmp(o->impls, "none"))
    err = check_known(found, o->impls, true, "--impl");
  if (!err && o->peers && strcmp(o->peers, "none"))
    err = check_known(found, o->peers, false, "--peers");
  for (int i = 0; i < found->n && !err; i++) {
    const char *list = found->s[i].is_rijn ? o->impls : o->peers;
    if (everything(list) || listed(list, found->s[i].name))
      b_subject_add(all, &found->s[i]);
  }
  free(found);
  if (!err && all->n == 0) {
    rijn_say_as("rijn bench", "--impl none with --peers none leaves nothing to measure");
    err = B_EXIT_USAGE;
  }
  return err;
}
