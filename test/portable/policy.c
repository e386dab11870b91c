/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* The pure functions of policy.c over tables of processors, none of which need be here; and what impl.c chooses on
 * them. */
#define _GNU_SOURCE
#include "../../src/cpu.h"
#include "t.h"

#include <sys/wait.h>
#include <unistd.h>

enum { OTHER, INTEL, AMD };

static const struct {
  const char *name;
  uint32_t vendor, family, model, hints;
  const char *set; /* without x86-vaes-avx512 in front */
} cpus[] = {
    {"Skylake-SP, Cascade Lake, Cooper Lake", INTEL, 6, 85, 0, "-256"},
    {"Cannon Lake", INTEL, 6, 102, 0, "-256"},
    {"Ice Lake-SP", INTEL, 6, 106, 0, "-256"},
    {"Ice Lake-D", INTEL, 6, 108, 0, "-256"},
    {"Ice Lake client, U", INTEL, 6, 125, 0, "-256"},
    {"Ice Lake client", INTEL, 6, 126, 0, "-256"},
    {"Tiger Lake-U", INTEL, 6, 140, 0, "-256"},
    {"Tiger Lake-H", INTEL, 6, 141, 0, "-256"},
    {"Rocket Lake", INTEL, 6, 167, 0, "-256"},
    {"Sapphire Rapids that a hypervisor calls Rocket Lake", INTEL, 6, 167, RIJN_CPU_HINT_SPR, ""},
    {"Sapphire Rapids that a hypervisor calls Skylake", INTEL, 6, 85, RIJN_CPU_HINT_SPR, ""},
    {"Sapphire Rapids", INTEL, 6, 143, RIJN_CPU_HINT_SPR, ""},
    {"Sapphire Rapids, AMX masked", INTEL, 6, 143, 0, ""},
    {"Emerald Rapids", INTEL, 6, 207, RIJN_CPU_HINT_SPR, ""},
    {"Granite Rapids", INTEL, 6, 173, RIJN_CPU_HINT_SPR, ""},
    {"an Intel model not known yet", INTEL, 6, 250, 0, ""},
    {"an Intel family not known yet", INTEL, 19, 1, 0, ""},
    {"an Intel family not known yet, with an old number", INTEL, 19, 85, 0, ""},
    {"Zen 4, Genoa", AMD, 0x19, 0x11, 0, "-zen4"},
    {"Zen 4, Raphael", AMD, 0x19, 0x61, 0, "-zen4"},
    {"Zen 4, Phoenix", AMD, 0x19, 0x74, 0, "-zen4"},
    {"Zen 4c, Bergamo", AMD, 0x19, 0xa0, 0, "-zen4"},
    {"Zen 5, Turin", AMD, 0x1a, 0x02, 0, "-zen4"},
    {"Zen 5, Granite Ridge", AMD, 0x1a, 0x44, 0, "-zen4"},
    {"another vendor, with an Intel number", OTHER, 6, 85, 0, ""},
    {"Zen 3", AMD, 0x19, 0x21, 0, "-zen4"}, /* which has no AVX-512: that is not asked here */
    {"an AMD family not known yet", AMD, 0x20, 1, 0, "-zen4"},
    {"Zen 2", AMD, 0x17, 0x31, 0, ""},
    {"Intel, with AMD's number", INTEL, 0x1a, 0x02, 0, ""},
    {"another vendor, with AMD's number", OTHER, 0x19, 0x11, 0, ""},
    {"another vendor, with AMD's later number", OTHER, 0x1a, 0x02, 0, ""},
    {"AMD, with an Intel number", AMD, 6, 106, 0, ""},
};

#define B(name) RIJN_CPU(name)
#define SSE (B(SSSE3) | B(SSE41) | B(AESNI) | B(PCLMUL))
#define AVX512 (B(AVX512F) | B(AVX512VL) | B(AVX512BW) | B(AVX512DQ))
#define ALL (SSE | B(AVX) | B(AVX2) | B(BMI2) | B(VAES) | B(VPCLMUL) | AVX512)

static const struct {
  const char *name;
  uint64_t has, closed;
} sets[] = {
    {"nothing", 0, 0},
    {"everything", ALL, ALL},
    {"no AVX: nothing with its registers, BMI2 stays", ALL & ~B(AVX), SSE | B(BMI2)},
    {"no AVX2: no AVX-512", ALL & ~B(AVX2), SSE | B(AVX) | B(BMI2) | B(VAES) | B(VPCLMUL)},
    {"no AVX512F: none of the others", ALL & ~B(AVX512F), ALL & ~AVX512},
    {"no AVX512VL: only that", ALL & ~B(AVX512VL), ALL & ~B(AVX512VL)},
    {"no AES-NI: no VAES", ALL & ~B(AESNI), ALL & ~B(AESNI) & ~B(VAES)},
    {"no PCLMULQDQ: no VPCLMULQDQ", ALL & ~B(PCLMUL), ALL & ~B(PCLMUL) & ~B(VPCLMUL)},
    {"VAES without VPCLMULQDQ is a real processor", ALL & ~B(VPCLMUL), ALL & ~B(VPCLMUL)},
    {"no SSSE3: no SSE4.1, no AVX", ALL & ~B(SSSE3), B(AESNI) | B(PCLMUL) | B(BMI2)},
    {"Arm, all", B(ARM_AES) | B(ARM_PMULL) | B(ARM_SHA3), B(ARM_AES) | B(ARM_PMULL) | B(ARM_SHA3)},
    {"Arm, no AES: no PMULL", B(ARM_PMULL) | B(ARM_SHA3), B(ARM_SHA3)},
    {"POWER", B(PPC_VCRYPTO) | B(PPC_ISA30), B(PPC_VCRYPTO) | B(PPC_ISA30)},
    {"POWER9 that hides its crypto", B(PPC_ISA30), B(PPC_ISA30)},
};

#if defined(__x86_64__)
/* In place of the library's: the linker takes the first. */
static struct rijn_cpu made_up;
void rijn_cpu_read(struct rijn_cpu *cpu) { *cpu = made_up; }

/* The implementation for processor i with these features: the first that nothing speaks against, and the one that is
 * chosen. WHY in a child: a program chooses once. */
static void check_choice(size_t i, uint64_t has, const char *want) {
  char why[256];
  int first = 0, status;
  made_up = (struct rijn_cpu){
      .has = has, .family = cpus[i].family, .model = cpus[i].model, .vendor = cpus[i].vendor, .hints = cpus[i].hints};
  while (first < rijn_impl_count() && rijn_impl_why(first, why, sizeof why)[0] != 0)
    first++;
  REQUIRE(first < rijn_impl_count());
  pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0)
    _exit(rijn_impl_chosen());
  REQUIRE(waitpid(child, &status, 0) == child && WIFEXITED(status));
  if (strcmp(rijn_impl_name(first), want) != 0 || WEXITSTATUS(status) != first)
    t_fail(__FILE__, __LINE__, "%s: %s, and index %d is chosen; expected %s", cpus[i].name, rijn_impl_name(first),
           WEXITSTATUS(status), want);
}

static void test_choice(void) {
  for (size_t i = 0; i < sizeof cpus / sizeof cpus[0]; i++) {
    char want[32];
    snprintf(want, sizeof want, "x86-vaes-avx512%s", cpus[i].set);
    check_choice(i, ALL, want);
    check_choice(i, ALL & ~AVX512, "x86-vaes-avx2");
    check_choice(i, SSE | B(AVX), "x86-aesni-avx");
    check_choice(i, SSE, "x86-aesni");
    check_choice(i, SSE & ~B(SSE41), "portable");
  }
}
#else
static void test_choice(void) {}
#endif

int main(int argc, char **argv) {
  REQUIRE(unsetenv("RIJN_REQUIRE_IMPLS") == 0 && unsetenv("RIJN_IMPL") == 0); /* what is here does not matter */
  t_init(argc, argv);
  test_choice();
  for (size_t i = 0; i < sizeof cpus / sizeof cpus[0]; i++) {
    struct rijn_cpu cpu = {
        .has = ALL, .family = cpus[i].family, .model = cpus[i].model, .vendor = cpus[i].vendor, .hints = cpus[i].hints};
    const struct rijn_choice *choice = rijn_policy(&cpu);
    if (strncmp(choice->set, "x86-vaes-avx512", 15) != 0 || strcmp(choice->set + 15, cpus[i].set) != 0)
      t_fail(__FILE__, __LINE__, "%s: %s", cpus[i].name, choice->set);
    CHECK(choice->processor[0] != 0 && choice->why[0] != 0);
    cpu.has = 0; /* capability is another question */
    CHECK(rijn_policy(&cpu) == choice);
  }
  for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++) {
    uint64_t closed = rijn_cpu_close(sets[i].has);
    if (closed != sets[i].closed)
      t_fail(__FILE__, __LINE__, "%s: %llx, expected %llx", sets[i].name, (unsigned long long)closed,
             (unsigned long long)sets[i].closed);
  }
  /* Whatever goes in: a part of it comes out, and once is enough. */
  for (unsigned i = 0; i < 100000; i++) {
    uint64_t has = t_rnd() & ((UINT64_C(1) << RIJN_CPU_BITS) - 1), closed = rijn_cpu_close(has);
    CHECK((closed & ~has) == 0);
    CHECK(rijn_cpu_close(closed) == closed);
  }
  for (int i = 0; i < RIJN_CPU_BITS; i++)
    CHECK(rijn_cpu_bit_name(i) != NULL && rijn_cpu_bit_name(i)[0] != 0);
  CHECK(rijn_cpu_bit_name(-1) == NULL);
  CHECK(rijn_cpu_bit_name(RIJN_CPU_BITS) == NULL);
  return t_done();
}
