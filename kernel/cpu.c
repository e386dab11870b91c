/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What this processor can do, as Linux sees it: it takes away what it was told to (clearcpuid=), and what it does not
 * save. The place of src/cpu.c. */
#include <linux/types.h>

#include "../src/cpu.h"

#if defined(CONFIG_X86_64)
#include <asm/cpufeature.h>
#include <asm/fpu/api.h>
#include <asm/processor.h>

/* The words of Linux's list of features are those of CPUID. */
enum { LEAF1_C = CPUID_1_ECX, LEAF7_B = CPUID_7_0_EBX, LEAF7_C = CPUID_7_ECX };
enum {
  STATE_SSE = XFEATURE_MASK_SSE,
  STATE_AVX = XFEATURE_MASK_SSE | XFEATURE_MASK_YMM,
  STATE_AVX512 = XFEATURE_MASK_SSE | XFEATURE_MASK_YMM | XFEATURE_MASK_AVX512,
};
static const struct {
  u64 feature, state;
  int bit;
} bits[] = {
#define x86_FEATURE(word, n, name, state) {name, state, 32 * word + n},
#define arm_FEATURE(...)
#define ppc_FEATURE(...)
#define FEATURE(family, name, text, word, n, state, bases) family##_FEATURE(word, n, RIJN_CPU(name), state)
#include "../src/isa/sets.def"
};

static bool has(int i) {
  if (!cpu_has(&boot_cpu_data, bits[i].bit))
    return false;
  return bits[i].state == STATE_SSE || cpu_has_xfeatures(bits[i].state, NULL);
}

static void read_machine(struct rijn_cpu *cpu) {
  const struct cpuinfo_x86 *c = &boot_cpu_data;
  cpu->family = c->x86;
  cpu->model = c->x86_model;
  cpu->vendor = c->x86_vendor == X86_VENDOR_INTEL ? 1 : c->x86_vendor == X86_VENDOR_AMD ? 2 : 0;
  if (cpu_has(c, X86_FEATURE_AVX512_FP16) || cpu_has(c, X86_FEATURE_AMX_TILE) || cpu_has(c, X86_FEATURE_AMX_BF16) ||
      cpu_has(c, X86_FEATURE_AMX_INT8))
    cpu->hints |= RIJN_CPU_HINT_SPR;
}

#else
#if defined(CONFIG_ARM64)
#include <asm/cpufeature.h>
#include <asm/hwcap.h>
#define arm_FEATURE(n, name) {name, n},
#define ppc_FEATURE(n, name)
/* Linux counts the features of AT_HWCAP from its bit 0 on. */
#define HAS_BIT(n) cpu_have_feature(n)
#elif defined(CONFIG_PPC64)
#include <asm/cputable.h>
#define arm_FEATURE(n, name)
#define ppc_FEATURE(n, name) {name, n},
#define HAS_BIT(n) ((cur_cpu_spec->cpu_user_features2 >> (n)&1) != 0)
#endif
#define x86_FEATURE(n, name)
static const struct {
  u64 feature;
  int bit;
} bits[] = {
#define FEATURE(family, name, text, word, n, state, bases) family##_FEATURE(n, RIJN_CPU(name))
#include "../src/isa/sets.def"
};
static bool has(int i) { return HAS_BIT(bits[i].bit); }
static void read_machine(struct rijn_cpu *cpu) { (void)cpu; }
#endif

void rijn_cpu_read(struct rijn_cpu *cpu) {
  int i;

  *cpu = (struct rijn_cpu){0};
  read_machine(cpu);
  for (i = 0; i < (int)(sizeof bits / sizeof bits[0]); i++)
    if (has(i))
      cpu->has |= bits[i].feature;
  cpu->has = rijn_cpu_close(cpu->has);
}
