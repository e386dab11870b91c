/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * The tuner's runner.
 *
 *   runner sets LIBRARY
 *       the sets that this machine runs, the chosen one first
 *   runner check GOOD LIBRARY SET
 *       exit status 0, or what SET of LIBRARY computes otherwise than GOOD's portable implementation, and 1
 *   runner measure CPU CLOCK ROUNDS US SEED CELL,CELL... LIBRARY=SET ...
 *       for each sample a line: cell, library (as counted from 0), round, cycles of a message. In each round each
 *       library has its turn, in another order. CPU: -1: the last. CLOCK: chain (cycles), fixed (nanoseconds), stub
 *       (bytes are counted, for tests where no time says anything)
 *   A cell is OP-DIRECTION-BITS-SIZE-AAD-KEYS: gcm, batch (of 16), xts, ctr, cbc, key; enc, dec.
 */
#include "runner.h"

#include "clock.h"

#include <dlfcn.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 16, MAX_LIBS = 32, MAX_CELLS = 256, LARGEST = 1 << 16, NONCES = 64 };

void die(const char *format, ...) {
  va_list list;
  va_start(list, format);
  vfprintf(stderr, format, list);
  va_end(list);
  fputc('\n', stderr);
  exit(1);
}

static uint64_t random_state = 1;
uint64_t random_next(void) { /* xorshift64* (Vigna 2016) */
  random_state ^= random_state >> 12;
  random_state ^= random_state << 25;
  random_state ^= random_state >> 27;
  return random_state * UINT64_C(0x2545f4914f6cdd1d);
}
void random_fill(void *p, size_t n) {
  for (size_t i = 0; i < n; i++)
    ((uint8_t *)p)[i] = (uint8_t)(random_next() >> 32);
}

static void lib_load(struct lib *lib, const char *path, const char *set) {
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    die("%s", dlerror());
  lib->path = path;
#define X(name)                                                                                                        \
  *(void **)&lib->name = dlsym(handle, "rijn_" #name);                                                                 \
  if (!lib->name)                                                                                                      \
    die("%s", dlerror());
  EACH_CALL(X)
#undef X
  if (!set)
    return;
  lib->impl = lib->impl_find(set);
  if (lib->impl < 0 || !lib->impl_supported(lib->impl))
    die("%s: this machine does not run %s", path, set);
}

struct cell {
  char op[8];
  bool dec;
  size_t bits, size, aad, keys;
};

static void cell_read(struct cell *c, const char *text) {
  char dir[4];
  if (sscanf(text, "%7[a-z]-%3[a-z]-%zu-%zu-%zu-%zu", c->op, dir, &c->bits, &c->size, &c->aad, &c->keys) != 6 ||
      c->size > LARGEST || c->aad > LARGEST || c->keys & (c->keys - 1) || !c->keys)
    die("no such cell: %s", text);
  c->dec = !strcmp(dir, "dec");
}

/* What all libraries share. */
static _Alignas(4096) uint8_t in[BATCH * LARGEST], out[BATCH * LARGEST + 4096], cipher[LARGEST];
static uint8_t aad[LARGEST], nonces[NONCES][16], raw[64], tags[BATCH][16];

/* A library in a cell. The keys are of that library. */
struct work {
  const struct lib *lib;
  const struct cell *cell;
  rijn_gcm_key *gcm;
  rijn_xts_key xts;
  rijn_aes_key aes;
  rijn_gcm_msg msgs[BATCH];
};

static void work_make(struct work *w, const struct lib *lib, const struct cell *c) {
  int bad = 0;
  memset(w, 0, sizeof *w);
  w->lib = lib;
  w->cell = c;
  w->gcm = aligned_alloc(64, c->keys * sizeof *w->gcm);
  if (!w->gcm)
    die("no memory for %zu keys", c->keys);
  for (size_t i = 0; i < c->keys; i++) {
    raw[0] = (uint8_t)i;
    bad |= lib->gcm_init_impl(&w->gcm[i], raw, c->bits / 8, 16, lib->impl);
  }
  bad |= lib->xts_init_impl(&w->xts, raw, c->bits / 4, lib->impl);
  bad |= lib->aes_init_impl(&w->aes, raw, c->bits / 8, lib->impl);
  bad |= lib->gcm_encrypt(w->gcm, cipher, in, c->size, aad, c->aad, nonces[0], 12, tags[0]); /* what is decrypted */
  for (size_t i = 0; i < BATCH; i++) {
    size_t at = i * ((c->size + 63) / 64 * 64);
    w->msgs[i] =
        (rijn_gcm_msg){sizeof w->msgs[i], w->gcm, out + at, in + at, c->size, aad, c->aad, nonces[i], 12, tags[i], 0};
  }
  if (bad)
    die("%s: %s: a key cannot be made", lib->path, c->op);
}

static int work_gcm(struct work *w, size_t n) {
  const struct cell *c = w->cell;
  uint8_t tag[16];
  int bad = 0;
  if (c->dec)
    for (size_t i = 0; i < n; i++)
      bad |= w->lib->gcm_decrypt(w->gcm, out, cipher, c->size, aad, c->aad, nonces[0], 12, tags[0]);
  else
    for (size_t i = 0; i < n; i++)
      bad |=
          w->lib->gcm_encrypt(&w->gcm[i & (c->keys - 1)], out, in, c->size, aad, c->aad, nonces[i % NONCES], 12, tag);
  return bad;
}

static int work_other(struct work *w, size_t n) {
  const struct cell *c = w->cell;
  uint8_t iv[16] = {0};
  int bad = 0;
  for (size_t i = 0; i < n; i++) {
    if (c->op[0] == 'b')
      bad |= w->lib->gcm_encrypt_batch(w->msgs, BATCH);
    else if (c->op[0] == 'k')
      bad |= w->lib->gcm_init_impl(w->gcm, raw, c->bits / 8, 16, w->lib->impl);
    else if (c->op[0] == 'x')
      bad |= c->dec ? w->lib->xts_decrypt(&w->xts, out, in, c->size, nonces[i % NONCES])
                    : w->lib->xts_encrypt(&w->xts, out, in, c->size, nonces[i % NONCES]);
    else if (!strcmp(c->op, "cbc"))
      bad |= w->lib->cbc_decrypt(&w->aes, out, in, c->size / 16, iv);
    else {
      rijn_ctr_state s = {.used = 0};
      memcpy(s.ctr, nonces[i % NONCES], 12);
      bad |= w->lib->ctr_crypt(&w->aes, out, in, c->size, &s);
    }
  }
  return bad;
}

static bool stub; /* the clock counts bytes */

/* Ticks of n messages. */
static double timed(struct work *w, size_t n) {
  uint64_t start = b_ticks_start();
  int bad = w->cell->op[0] == 'g' ? work_gcm(w, n) : work_other(w, n);
  double ticks = (double)(b_ticks_end() - start) - b_ticks_overhead();
  if (bad)
    die("%s: %s: fails while it is measured", w->lib->path, w->cell->op);
  return stub ? (double)(n * (w->cell->size + 100)) : ticks;
}

/* Cycles of a message; taken anew, a few times at most, while something disturbs it. */
static double sample(struct work *w, size_t n) {
  double best = INFINITY;
  timed(w, w->cell->keys > 1 ? w->cell->keys : n / 16 + 1); /* warm */
  for (int i = 0; i < 4; i++) {
    struct b_watch watch;
    b_watch_start(&watch);
    double before = b_clock_probe(), t = timed(w, n), after = b_clock_probe();
    double each = t * (before + after) / 2 / (double)n;
    if (stub)
      return t / (double)n;
    if (!b_watch_disturbed(&watch) && fabs(before - after) < 0.1 * before)
      return each;
    best = each < best ? each : best;
  }
  return best;
}

/* So many messages take us microseconds; of many keys, each has its turn. */
static size_t messages(struct work *w, double us) {
  double best = INFINITY, want = us * 1e-6 * b_tick_hz();
  for (int i = 0; i < 5; i++)
    best = fmin(best, timed(w, 1 + (size_t)i) / (1 + i));
  size_t n = stub || best < 1 ? 1 : (size_t)(want / best) + 1;
  return n < w->cell->keys && !stub ? w->cell->keys : n;
}

static void measure_cell(const struct lib *libs, size_t n_libs, const struct cell *c, size_t index, size_t rounds,
                         double us) {
  struct work *works = calloc(n_libs, sizeof *works);
  size_t order[MAX_LIBS], n = 0;
  if (!works)
    die("no memory");
  for (size_t i = 0; i < n_libs; i++) {
    order[i] = i;
    work_make(&works[i], &libs[i], c);
    size_t its = messages(&works[i], us);
    n = its > n ? its : n;
  }
  for (size_t round = 0; round < rounds; round++) {
    for (size_t i = n_libs; i > 1; i--) {
      size_t k = random_next() % i, t = order[i - 1];
      order[i - 1] = order[k];
      order[k] = t;
    }
    for (size_t i = 0; i < n_libs; i++)
      printf("%zu %zu %zu %.2f\n", index, order[i], round, sample(&works[order[i]], n));
  }
  for (size_t i = 0; i < n_libs; i++)
    free(works[i].gcm);
  free(works);
}

static int measure(int argc, char **argv) {
  static struct lib libs[MAX_LIBS];
  static struct cell cells[MAX_CELLS];
  size_t n_libs = 0, n_cells = 0;
  if (argc < 9)
    die("usage: runner measure CPU CLOCK ROUNDS US SEED CELLS LIBRARY=SET ...");
  if (b_pin(atoi(argv[2])))
    fprintf(stderr, "cannot pin to a processor\n");
  stub = !strcmp(argv[3], "stub");
  b_clock_init(strcmp(argv[3], "chain") ? B_CLOCK_FIXED : B_CLOCK_CHAIN, 1e9);
  random_state = strtoull(argv[6], NULL, 10) * 2 + 1;
  for (char *c = strtok(argv[7], ","); c && n_cells < MAX_CELLS; c = strtok(NULL, ","))
    cell_read(&cells[n_cells++], c);
  for (int i = 8; i < argc && n_libs < MAX_LIBS; i++) {
    char *set = strrchr(argv[i], '=');
    if (!set)
      die("no set: %s", argv[i]);
    *set = 0;
    lib_load(&libs[n_libs++], argv[i], set + 1);
  }
  random_fill(in, sizeof in);
  random_fill(nonces, sizeof nonces);
  random_fill(raw, sizeof raw);
  for (size_t i = 0; i < n_cells; i++)
    measure_cell(libs, n_libs, &cells[i], i, strtoull(argv[4], NULL, 10), atof(argv[5]));
  return 0;
}

static int sets(const char *path) {
  struct lib lib;
  lib_load(&lib, path, NULL);
  int chosen = lib.impl_chosen();
  for (int i = -1; i < lib.impl_count(); i++) {
    int set = i < 0 ? chosen : i;
    if (lib.impl_supported(set) && (i < 0 || i != chosen))
      puts(lib.impl_name(set));
  }
  return 0;
}

int main(int argc, char **argv) {
  if (argc == 3 && !strcmp(argv[1], "sets"))
    return sets(argv[2]);
  if (argc == 5 && !strcmp(argv[1], "check")) {
    static struct lib good, lib;
    lib_load(&good, argv[2], "portable");
    lib_load(&lib, argv[3], argv[4]);
    check_all(&lib, &good);
    return 0;
  }
  if (argc > 1 && !strcmp(argv[1], "measure"))
    return measure(argc, argv);
  die("usage: runner sets|check|measure ...");
}
