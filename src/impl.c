/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* The table of implementations, and the one-time choice among them. No libc: freestanding builds use this file. */
#include "impl.h"

#include "arch.h"
#include "cpu.h"
#include "rijn.h"

/* RIJN_ONLY_PORTABLE: a build without any instruction set of its own (a first port, or kernel code without vectors). */
#ifdef RIJN_ONLY_PORTABLE
#define ROW(where, ...)
#else
#define ROW(where, ...) IN_##where(__VA_ARGS__)
#endif

#define SET(name, file, where, level) ROW(where, extern const struct rijn_impl rijn_impl_##file;)
#include "isa/sets.def"
extern const struct rijn_impl rijn_impl_portable;

const struct rijn_impl *const rijn_impls[] = {
#define SET(name, file, where, level) ROW(where, &rijn_impl_##file, )
#include "isa/sets.def"
    &rijn_impl_portable,
};
#define IMPLS ((int)(sizeof rijn_impls / sizeof rijn_impls[0]))
const int rijn_impls_n = IMPLS;

#if !__STDC_HOSTED__
/* A freestanding build that brings no rijn_cpu_read of its own (cpu.c has one for x86) has no features. */
__attribute__((weak)) void rijn_cpu_read(struct rijn_cpu *cpu) { *cpu = (struct rijn_cpu){0}; }
#endif

const char *rijn_version(void) { return RIJN_VERSION_STRING; }

/* ---------------------------------------------------------------- strings, without libc */

static int same(const char *a, const char *b) {
  for (; *a && *a == *b; a++, b++)
    ;
  return *a == *b;
}

/* Text in a buffer, cut to size and always ended. */
struct text {
  char *buf;
  size_t size, len;
};

static void put(struct text *t, const char *s) {
  for (; *s && t->len + 1 < t->size; s++)
    t->buf[t->len++] = *s;
  t->buf[t->len] = 0;
}

static void put_bits(struct text *t, const char *lead, uint64_t bits) {
  for (int i = 0; i < RIJN_CPU_BITS; i++)
    if (bits >> i & 1) {
      put(t, lead);
      put(t, rijn_cpu_bit_name(i));
      lead = " ";
    }
}

/* ---------------------------------------------------------------- the choice */

/* The place from which the choice goes down the list: that of the set that policy names. */
static int place_of(const struct rijn_choice *choice) {
  for (int i = 0; i < IMPLS; i++)
    if (same(rijn_impls[i]->name, choice->set))
      return i;
  return 0;
}

/* What is to be known, in one word: 0 before the choice; bits 0-15 which implementations run here, bits 16-23 the
 * index of the chosen one, bit 24 set when RIJN_IMPL names none that does, bit 31 always.
 *
 * WHY one word: threads that come first together each work it out and store the same value. There is nothing to
 * order it against, so relaxed loads and stores are enough, and no thread ever waits. */
#define DONE 0x80000000u
#define NONE 0x01000000u
static uint32_t state;
_Static_assert(IMPLS <= 16, "bits 0-15 of state");

static uint32_t choose(void) {
  struct rijn_cpu cpu;
  uint32_t word = DONE;
  const char *name = NULL;
  int chosen = -1;

  rijn_cpu_read(&cpu);
#if __STDC_HOSTED__
  name = rijn_env_impl();
#endif
  const int from = place_of(rijn_policy(&cpu));
  for (int i = 0; i < IMPLS; i++) {
    if (rijn_impls[i]->needs & ~cpu.has)
      continue;
    word |= 1u << i;
    if (chosen < 0 && (name ? same(name, rijn_impls[i]->name) : i >= from))
      chosen = i;
  }
  return chosen < 0 ? word | NONE : word | (uint32_t)chosen << 16;
}

static uint32_t impl_known(void) {
  uint32_t word = __atomic_load_n(&state, __ATOMIC_RELAXED);
  if (!word) {
    word = choose();
    __atomic_store_n(&state, word, __ATOMIC_RELAXED);
  }
  return word;
}

/* ---------------------------------------------------------------- asked by the rest, and by the world */

const struct rijn_impl *rijn_impl_get(int i, int *index) {
  if (i == -1)
    i = rijn_impl_chosen();
  if (!rijn_impl_supported(i))
    return NULL;
  *index = i;
  return rijn_impls[i];
}

int rijn_impl_count(void) { return IMPLS; }

const char *rijn_impl_name(int i) { return i >= 0 && i < IMPLS ? rijn_impls[i]->name : NULL; }

int rijn_impl_supported(int i) { return i >= 0 && i < IMPLS && impl_known() >> i & 1; }

int rijn_impl_chosen(void) {
  uint32_t word = impl_known();
  return word & NONE ? RIJN_EIMPL : (int)(word >> 16 & 0xff);
}

int rijn_impl_find(const char *name) {
  for (int i = 0; name && i < IMPLS; i++)
    if (same(name, rijn_impls[i]->name))
      return i;
  return RIJN_EIMPL;
}

static void put_choice(struct text *t, const struct rijn_choice *choice) {
  put(t, "policy: ");
  put(t, choice->processor);
  put(t, ": ");
  put(t, choice->why);
  put(t, choice->record ? "; record " : "; no record of make tune");
  put(t, choice->record ? choice->record : "");
}

const char *rijn_impl_why(int i, char *buf, size_t size) {
  struct text t = {buf, size, 0};
  struct rijn_cpu cpu;

  if (!buf || !size)
    return "";
  put(&t, "");
  if (i < -1 || i >= IMPLS) {
    put(&t, "no such implementation");
    return buf;
  }
  rijn_cpu_read(&cpu);
  const struct rijn_choice *choice = rijn_policy(&cpu);
  if (i >= 0)
    put_bits(&t, "missing ", rijn_impls[i]->needs & ~cpu.has);
  if (i == -1 || (!t.len && i < place_of(choice)))
    put_choice(&t, choice);
  return buf;
}

const char *rijn_cpu_features(char *buf, size_t size) {
  struct text t = {buf, size, 0};
  struct rijn_cpu cpu;

  if (!buf || !size)
    return "";
  put(&t, "");
  rijn_cpu_read(&cpu);
  put_bits(&t, "", cpu.has);
  return buf;
}
