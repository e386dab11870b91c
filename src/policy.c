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

/* The choice: processor, set, record. The first row that fits. Its set is chosen, or where that does not run the first
 * behind it in isa/sets.def that does. A record is a file of tuning/machines, made by `make tune`; NULL: there is none,
 * and the set was chosen by what the row says.
 *
 * WHY the narrow ones: through Ice Lake's time Intel's cores dropped their clock when 512-bit units woke up, for the
 * whole core and for long after the last such instruction: a few packets encrypted faster, everything between them
 * slower (T-256). How far depends on the part: two licence levels below the base on Skylake servers, one small step on
 * Ice Lake. Client parts drop less, but have one 512-bit multiply port, so that the wide kernels gain little over 256
 * bits there. From Sapphire Rapids on light 512-bit work (AES and carry-less multiplies count as light) costs no
 * visible step. The first two have no VAES, and stand here so that the policy does not depend on that.
 *
 * WHY one set for Zen 4 and Zen 5: both start a carry-less multiply every other cycle, whatever its width, and two
 * rounds of AES in one (Zen 4: one of 512 bits): multiplies are what is scarce there (rijn bench prints both rates).
 * Zen 4 runs 512 bits as two halves, Zen 5 whole; neither lowers its clock. Its set was compared on Zen 5 with the one
 * that was made there, and is faster (T-311). */
enum { OTHER, INTEL, AMD, LAST = 255 };
#define WIDE "x86-vaes-avx512"
#define HALF "x86-vaes-avx512-256"
#define ZEN "x86-vaes-avx512-zen4"
static const struct row {
  uint32_t vendor, family, family_last, model, model_last, hints; /* hints: all of these are there */
  struct rijn_choice choice;
} rows[] = {
    {AMD, 0x19, 0x19, 0, LAST, 0, {"AMD family 25 (Zen 4)", ZEN, "x86-amd-25-17", "its own set"}},
    {AMD, 0x1a, LAST, 0, LAST, 0, {"AMD family 26 (Zen 5) and later", ZEN, NULL, "multiplies are slow, as on Zen 4"}},
    /* Hypervisors were seen to report model 167 on processors with AMX; the features cannot be that wrong. */
    {INTEL, 6, 6, 0, LAST, RIJN_CPU_HINT_SPR, {"Sapphire Rapids and later", WIDE, NULL, "512-bit work is free"}},
    {INTEL, 6, 6, 85, 85, 0, {"Skylake-SP to Cooper Lake", HALF, NULL, "512-bit work lowers the clock by two levels"}},
    {INTEL, 6, 6, 102, 102, 0, {"Cannon Lake", HALF, NULL, "client part, 512-bit work lowers its clock"}},
    {INTEL, 6, 6, 106, 106, 0, {"Ice Lake server", HALF, NULL, "512-bit work lowers the clock of the core"}},
    {INTEL, 6, 6, 108, 108, 0, {"Ice Lake server (Xeon D)", HALF, NULL, "512-bit work lowers the clock of the core"}},
    {INTEL, 6, 6, 125, 126, 0, {"Ice Lake client", HALF, NULL, "512-bit work lowers its clock"}},
    {INTEL, 6, 6, 140, 141, 0, {"Tiger Lake", HALF, NULL, "client part, 512-bit work lowers its clock"}},
    {INTEL, 6, 6, 167, 167, 0, {"Rocket Lake", HALF, NULL, "512-bit work raises its power enough to lower the clock"}},
};
/* Whoever builds AVX-512 with VAES today has learnt from Skylake. Where WIDE is not in the list, as on Arm and on
 * POWER, the first that runs is chosen. */
static const struct rijn_choice other = {"no processor of the list", WIDE, NULL, "the best that runs"};

const struct rijn_choice *rijn_policy(const struct rijn_cpu *cpu) {
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    const struct row *r = &rows[i];
    if (cpu->vendor == r->vendor && cpu->family >= r->family && cpu->family <= r->family_last &&
        cpu->model >= r->model && cpu->model <= r->model_last && (cpu->hints & r->hints) == r->hints)
      return &r->choice;
  }
  return &other;
}
