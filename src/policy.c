/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* What can be said about a processor without asking it: names, which feature needs which, and policy.
 * Pure functions over tables, no libc, no instruction: a test can ask about every processor there is. */
#include "cpu.h"

static const char *const bit_names[RIJN_CPU_BITS] = {
    [RIJN_CPU_SSSE3_BIT] = "ssse3",
    [RIJN_CPU_SSE41_BIT] = "sse4_1",
    [RIJN_CPU_AESNI_BIT] = "aes",
    [RIJN_CPU_PCLMUL_BIT] = "pclmulqdq",
    [RIJN_CPU_AVX_BIT] = "avx",
    [RIJN_CPU_AVX2_BIT] = "avx2",
    [RIJN_CPU_BMI2_BIT] = "bmi2",
    [RIJN_CPU_VAES_BIT] = "vaes",
    [RIJN_CPU_VPCLMUL_BIT] = "vpclmulqdq",
    [RIJN_CPU_AVX512F_BIT] = "avx512f",
    [RIJN_CPU_AVX512VL_BIT] = "avx512vl",
    [RIJN_CPU_AVX512BW_BIT] = "avx512bw",
    [RIJN_CPU_AVX512DQ_BIT] = "avx512dq",
    [RIJN_CPU_ARM_AES_BIT] = "aes",
    [RIJN_CPU_ARM_PMULL_BIT] = "pmull",
    [RIJN_CPU_ARM_SHA3_BIT] = "sha3",
    [RIJN_CPU_PPC_VCRYPTO_BIT] = "vcrypto", /* POWER has no such list; these two are what */
    [RIJN_CPU_PPC_ISA30_BIT] = "arch_3_00", /* LD_SHOW_AUXV prints for AT_HWCAP2 */
};

const char *rijn_cpu_bit_name(int i) { return i >= 0 && i < RIJN_CPU_BITS ? bit_names[i] : NULL; }

/* Bases before what stands on them, so that one pass is enough. BMI2 is VEX-encoded but works on general registers:
 * it needs no saved vector state. */
static const struct {
  uint64_t feature, base;
} bases[] = {
    {RIJN_CPU(SSE41), RIJN_CPU(SSSE3)},
    {RIJN_CPU(AVX), RIJN_CPU(SSE41)},
    {RIJN_CPU(AVX2), RIJN_CPU(AVX)},
    {RIJN_CPU(VAES), RIJN_CPU(AVX) | RIJN_CPU(AESNI)},
    {RIJN_CPU(VPCLMUL), RIJN_CPU(AVX) | RIJN_CPU(PCLMUL)},
    {RIJN_CPU(AVX512F), RIJN_CPU(AVX2)},
    {RIJN_CPU(AVX512VL), RIJN_CPU(AVX512F)},
    {RIJN_CPU(AVX512BW), RIJN_CPU(AVX512F)},
    {RIJN_CPU(AVX512DQ), RIJN_CPU(AVX512F)},
    {RIJN_CPU(ARM_PMULL), RIJN_CPU(ARM_AES)}, /* one ID field holds both: ID_AA64ISAR0_EL1.AES */
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
