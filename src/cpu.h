/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* What this processor and its operating system can do, and, apart from that, what is worth doing. */
#ifndef RIJN_CPU_H
#define RIJN_CPU_H

#include <stddef.h>
#include <stdint.h>

/* One bit a feature, RIJN_CPU(name), as isa/sets.def lists them. A bit is set when the instructions exist AND the
 * operating system saves the registers they use. */
enum {
#define FEATURE(family, bit, name, word, n, state, bases) RIJN_CPU_##bit##_BIT,
#include "isa/sets.def"
  RIJN_CPU_BITS
};
#define RIJN_CPU(name) (UINT64_C(1) << RIJN_CPU_##name##_BIT)
/* All that a level needs. */
enum { RIJN_LEVEL_none = 0 };
#define HAS(name) | RIJN_CPU(name)
#define LEVEL(name, below, flags, needs) enum { RIJN_LEVEL_##name = RIJN_LEVEL_##below needs };
#include "isa/sets.def"

/* For the policy alone: features that tell a processor's generation apart, not ones that a kernel uses. */
#define RIJN_CPU_HINT_SPR 1u /* AMX or AVX512_FP16: Sapphire Rapids or later, whatever the model number says */

struct rijn_cpu {
  uint64_t has;    /* RIJN_CPU bits */
  uint32_t family; /* x86: display family and model, vendor 1 = Intel, 2 = AMD, 0 = other */
  uint32_t model;
  uint32_t vendor;
  uint32_t hints; /* RIJN_CPU_HINT bits */
};

/* Reads the processor. Idempotent: any number of threads may call it at once. */
void rijn_cpu_read(struct rijn_cpu *cpu);
/* Name of feature bit i, or NULL when there is no such bit. */
const char *rijn_cpu_bit_name(int i);
/* A pure function: has without every feature whose base is missing (AVX2 without AVX, VAES without AES-NI).
 * Such sets come from hypervisors and from RIJN_HIDE; no kernel should have to think about them. */
uint64_t rijn_cpu_close(uint64_t has);

/* Policy, a pure function: which set is worth it on this processor. (Capability is has.) */
struct rijn_choice {
  const char *processor; /* its name, for rijn info */
  const char *set;       /* this one, or where it does not run the first behind it that does */
  const char *record;    /* of tuning/machines, without .json; NULL: none */
  const char *why;
};
const struct rijn_choice *rijn_policy(const struct rijn_cpu *cpu);

/* The one file that reads the environment (env.c; absent in freestanding builds, which answer NULL / 0). */
const char *rijn_env_impl(void); /* RIJN_IMPL, or NULL when unset or setuid */
uint64_t rijn_env_hidden(void);  /* RIJN_HIDE of test builds: features to hide, comma-separated names */

#endif
