/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/*
 * Detection on x86: a feature counts only when the operating system saves its registers too. No machine at hand has a
 * system that does not, so here src/cpu.c reads a processor that this test makes up: every bit of CPUID is set, and
 * XCR0 takes each of its values.
 */
#define _GNU_SOURCE
#include "../../src/impl.h"
#include "t.h"

#include <cpuid.h>

static uint64_t state; /* XCR0 */
static uint32_t leaves;
static bool osxsave, asked;

static void fake_cpuid(uint32_t leaf, uint32_t *a, uint32_t *b, uint32_t *c, uint32_t *d) {
  *a = leaf == 0 ? leaves : 0;
  *b = UINT32_MAX;
  *c = leaf == 1 && !osxsave ? ~(1u << 27) : UINT32_MAX;
  *d = UINT32_MAX;
}
static int fake_get_cpuid(uint32_t leaf, uint32_t *a, uint32_t *b, uint32_t *c, uint32_t *d) {
  fake_cpuid(leaf, a, b, c, d);
  return 1;
}
#undef __cpuid
#undef __cpuid_count
#define __cpuid(leaf, a, b, c, d) fake_cpuid(leaf, &(a), &(b), &(c), &(d))
#define __cpuid_count(leaf, sub, a, b, c, d) fake_cpuid(leaf, &(a), &(b), &(c), &(d))
#define __get_cpuid fake_get_cpuid
/* The one asm statement there is xgetbv, which writes lo and hi. */
#define __asm__
#define volatile(...) (asked = true, lo = (uint32_t)state, hi = (uint32_t)(state >> 32))
#include "../../src/cpu.c"
#undef volatile
#undef __asm__

static const uint64_t needs_nothing = RIJN_CPU(AESNI) | RIJN_CPU(PCLMUL) | RIJN_CPU(SSSE3) | RIJN_CPU(SSE41);
static const uint64_t needs_ymm = RIJN_CPU(AVX) | RIJN_CPU(AVX2) | RIJN_CPU(VAES) | RIJN_CPU(VPCLMUL);
static const uint64_t needs_zmm = RIJN_CPU(AVX512F) | RIJN_CPU(AVX512DQ) | RIJN_CPU(AVX512BW) | RIJN_CPU(AVX512VL);

/* SPEC: Intel's manual, volume 1, section 13.3: bit 1 the state of SSE, 2 that of AVX; 5, 6 and 7 those of AVX-512. */
static void check_state(void) {
  struct rijn_cpu cpu;
  bool ymm = osxsave && (state >> 1 & 3) == 3, zmm = ymm && (state >> 5 & 7) == 7;
  rijn_cpu_read(&cpu);
  CHECK_EQ(cpu.has & needs_nothing, needs_nothing);
  CHECK_EQ(cpu.has & needs_ymm, ymm ? needs_ymm : 0);
  CHECK_EQ(cpu.has & needs_zmm, zmm ? needs_zmm : 0);
  for (int i = 0; i < rijn_impls_n; i++) {
    bool runs = (rijn_impls[i]->needs & ~cpu.has) == 0;
    const char *name = rijn_impls[i]->name;
    CHECK_EQ(runs, strstr(name, "avx512") != NULL ? zmm : strstr(name, "avx") != NULL ? ymm : true);
  }
}

int main(int argc, char **argv) {
  REQUIRE(unsetenv("RIJN_REQUIRE_IMPLS") == 0); /* the processor that is made up has none of them */
  t_init(argc, argv);
  leaves = 7;
  for (int os = 0; os < 2; os++) {
    osxsave = os != 0;
    for (state = 0; state < 1024; state++) {
      T_AT("XSAVE on: %zu, XCR0 %zu", os, state);
      asked = false;
      check_state();
      CHECK_EQ(asked, osxsave); /* elsewhere xgetbv is an invalid instruction */
    }
  }
  /* Processors whose CPUID ends before leaf 7, or before leaf 1. */
  struct rijn_cpu cpu;
  state = UINT64_MAX;
  leaves = 6;
  rijn_cpu_read(&cpu);
  CHECK_EQ(cpu.has, needs_nothing | RIJN_CPU(AVX));
  leaves = 0;
  rijn_cpu_read(&cpu);
  CHECK_EQ(cpu.has, 0);
  return t_done();
}
