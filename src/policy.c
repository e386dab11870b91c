/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* What can be said about a processor without asking it: names, which feature needs which, and policy.
 * Pure functions over tables, no libc, no instruction: a test can ask about every processor there is. */
#include "cpu.h"

static const char *const bit_names[RIJN_CPU_BITS] = {
#define FEATURE(family, bit, name, word, n, state, bases) name,
#include "isa/sets.def"
};

const char *rijn_cpu_bit_name(int i) { return i >= 0 && i < RIJN_CPU_BITS ? bit_names[i] : NULL; }

/* Bases before what stands on them, as the list has it, so that one pass is enough. */
static const struct {
  uint64_t feature, base;
} bases[] = {
#define HAS(bit) | RIJN_CPU(bit)
#define FEATURE(family, bit, name, word, n, state, bases) {RIJN_CPU(bit), 0 bases},
#include "isa/sets.def"
};

uint64_t rijn_cpu_close(uint64_t has) {
  for (size_t i = 0; i < sizeof bases / sizeof bases[0]; i++)
    if ((has & bases[i].base) != bases[i].base)
      has &= ~bases[i].feature;
  return has;
}

/* Processors on which 512-bit vectors are not the default.
 *
 * WHY: through Ice Lake's time Intel's cores dropped their clock when 512-bit units woke up, for the whole core and for
 * long after the last such instruction: a few packets encrypted faster, everything between them slower (T-256). How far
 * depends on the part: two licence levels below the base on Skylake servers, one small step on Ice Lake. Client
 * parts drop less, but have one 512-bit multiply port, so that the wide kernels gain little over 256 bits there.
 * From Sapphire Rapids on light 512-bit work (AES and carry-less multiplies count as light) costs no visible step.
 *
 * Only those that have AVX-512 and would qualify otherwise matter; the first two rows have no VAES, and stand here so
 * that the policy does not depend on that. */
static const struct {
  uint32_t model;
  const char *why;
} narrow[] = {
    {85, "policy: Skylake-SP, Cascade Lake, Cooper Lake: 512-bit work lowers the clock of the core by two levels"},
    {102, "policy: Cannon Lake: client part, 512-bit work lowers its clock"},
    {106, "policy: Ice Lake server: 512-bit work lowers the clock of the core"},
    {108, "policy: Ice Lake server (Xeon D): 512-bit work lowers the clock of the core"},
    {125, "policy: Ice Lake client: 512-bit work lowers its clock"},
    {126, "policy: Ice Lake client: 512-bit work lowers its clock"},
    {140, "policy: Tiger Lake: client part, 512-bit work lowers its clock"},
    {141, "policy: Tiger Lake: client part, 512-bit work lowers its clock"},
    {167, "policy: Rocket Lake: client part, 512-bit work raises its power enough to lower the clock"},
};

/* WHY: AMD's cores start a carry-less multiply every other cycle, whatever its width, and two rounds of AES in one
 * (Zen 4: one of 512 bits): multiplies are what is scarce there (rijn bench prints both rates). Zen 3 has no AVX-512;
 * Zen 4 runs it as two halves, so that up to 96 bytes go better in 256 bits. */
enum { AMD = 2, ZEN4 = 0x19, ZEN5 };
const char *rijn_policy_zen(const struct rijn_cpu *cpu) {
  return cpu->vendor == AMD && cpu->family >= ZEN5
             ? NULL
             : "policy: for AMD's Zen 5 and later, whose carry-less multiplies are slow";
}
const char *rijn_policy_zen4(const struct rijn_cpu *cpu) {
  return cpu->vendor == AMD && cpu->family == ZEN4 ? NULL
                                                   : "policy: for AMD's Zen 4, which runs 512 bits as two halves";
}

const char *rijn_policy_any(const struct rijn_cpu *cpu) {
  (void)cpu;
  return NULL;
}

const char *rijn_policy_512(const struct rijn_cpu *cpu) {
  /* AMD: Zen 4 (family 0x19) runs a 512-bit instruction as two halves, Zen 5 (0x1a) whole; neither lowers its clock.
   * Others, and models to come: whoever builds AVX-512 with VAES today has learnt from Skylake. */
  if (cpu->vendor != 1 || cpu->family != 6)
    return NULL;
  /* Hypervisors were seen to report model 167 on processors with AMX; the features cannot be that wrong. */
  if (cpu->hints & RIJN_CPU_HINT_SPR)
    return NULL;
  for (size_t i = 0; i < sizeof narrow / sizeof narrow[0]; i++)
    if (cpu->model == narrow[i].model)
      return narrow[i].why;
  return NULL;
}
