/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Reads the processor: what it can do AND the operating system saves.
 *
 * A freestanding build may leave this file out and bring its own rijn_cpu_read (a kernel knows its processor, and
 * whether it may use vectors at all); without either, impl.c sees no features and everything runs on portable.
 * PORT: AArch64 and POWER are read through Linux's auxiliary vector. Other systems (macOS, Windows, the BSDs) have
 * other ways, which are not here: there the features of these two read as absent, and the library runs on portable. */
#include "cpu.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>

/* PORT: _xgetbv needs -mxsave with gcc; the bytes are xgetbv. */
static uint64_t read_xcr0(void) {
  uint32_t lo, hi;
  __asm__ volatile(".byte 0x0f, 0x01, 0xd0" : "=a"(lo), "=d"(hi) : "c"(0));
  return (uint64_t)hi << 32 | lo;
}

/* A CPUID bit that stands for a feature, and the bits of XCR0 that make it usable. */
enum { LEAF1_C, LEAF7_B, LEAF7_C };
enum {
  STATE_SSE = 0,       /* every system saves it */
  STATE_AVX = 0x06,    /* XMM and the upper halves of YMM */
  STATE_AVX512 = 0xe6, /* those, opmasks, upper halves of ZMM0-15, ZMM16-31 */
};
static const struct {
  uint8_t reg, bit, feature, xcr0;
} bits[] = {
#define x86_FEATURE(...) {__VA_ARGS__},
#define arm_FEATURE(...)
#define ppc_FEATURE(...)
#define FEATURE(family, name, text, word, n, state, bases) family##_FEATURE(word, n, RIJN_CPU_##name##_BIT, state)
#include "isa/sets.def"
};

static void read_machine(struct rijn_cpu *cpu) {
  uint32_t a, b, c, d, max, reg[3] = {0, 0, 0};
  uint64_t xcr0 = 0;

  if (!__get_cpuid(0, &max, &b, &c, &d))
    return;
  if (b == 0x756e6547u && d == 0x49656e69u && c == 0x6c65746eu)
    cpu->vendor = 1; /* "GenuineIntel" */
  if (b == 0x68747541u && d == 0x69746e65u && c == 0x444d4163u)
    cpu->vendor = 2; /* "AuthenticAMD" */
  if (max < 1)
    return;

  __cpuid(1, a, b, c, d);
  reg[LEAF1_C] = c;
  cpu->family = a >> 8 & 15;
  cpu->model = a >> 4 & 15;
  if (cpu->family == 6 || cpu->family == 15)
    cpu->model |= (a >> 16 & 15) << 4;
  if (cpu->family == 15)
    cpu->family += a >> 20 & 255;
  /* Bit 27, OSXSAVE: the system has switched XSAVE on. Without it xgetbv is an invalid instruction. */
  if (c >> 27 & 1)
    xcr0 = read_xcr0();

  if (max >= 7) {
    __cpuid_count(7, 0, a, b, c, d);
    reg[LEAF7_B] = b;
    reg[LEAF7_C] = c;
    /* AMX-BF16, AVX512-FP16, AMX-TILE, AMX-INT8 */
    if (d & (1u << 22 | 1u << 23 | 1u << 24 | 1u << 25))
      cpu->hints |= RIJN_CPU_HINT_SPR;
  }
  for (unsigned i = 0; i < sizeof bits / sizeof bits[0]; i++)
    if (reg[bits[i].reg] >> bits[i].bit & 1 && (xcr0 & bits[i].xcr0) == bits[i].xcr0)
      cpu->has |= UINT64_C(1) << bits[i].feature;
}

#elif defined(__linux__) && __STDC_HOSTED__ && (defined(__aarch64__) || defined(__powerpc64__))
#include <sys/auxv.h>

/* A bit of the auxiliary vector that stands for a feature. */
static const struct {
  unsigned long type, mask;
  uint64_t feature;
} bits[] = {
#define x86_FEATURE(...)
#ifdef __aarch64__
#define arm_FEATURE(...) {__VA_ARGS__},
#define ppc_FEATURE(...)
#else
#define arm_FEATURE(...)
#define ppc_FEATURE(...) {__VA_ARGS__},
#endif
#define FEATURE(family, name, text, word, n, state, bases) family##_FEATURE(word, 1ul << n, RIJN_CPU(name))
#include "isa/sets.def"
};

static void read_machine(struct rijn_cpu *cpu) {
  for (unsigned i = 0; i < sizeof bits / sizeof bits[0]; i++)
    if (getauxval(bits[i].type) & bits[i].mask)
      cpu->has |= bits[i].feature;
}

#else
static void read_machine(struct rijn_cpu *cpu) { (void)cpu; }
#endif

void rijn_cpu_read(struct rijn_cpu *cpu) {
  *cpu = (struct rijn_cpu){0};
  read_machine(cpu);
#ifdef RIJN_EMULATED_CPU /* test/emulated: AVX2 and AES-NI do the work */
  if (cpu->has & RIJN_CPU(AVX2) && cpu->has & RIJN_CPU(AESNI) && cpu->has & RIJN_CPU(PCLMUL))
    cpu->has |= RIJN_LEVEL_avx512;
#endif
#if __STDC_HOSTED__
  cpu->has &= ~rijn_env_hidden();
#endif
  cpu->has = rijn_cpu_close(cpu->has);
}
