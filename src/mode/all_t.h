/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* All templates, and the struct rijn_impl that they make of one instruction set: included last by each of src/isa but
 * portable, which has defined the parameters and the operations of all templates before. */
#include "../cpu.h"
#include "../gcm.h"
#include "clean_t.h"
#include "wipe_t.h"
#include "aes_t.h"
#include "key_t.h"
#include "ghash_t.h"
#include "gcm_t.h"
#include "modes_t.h"
#include "batch_t.h"
#ifndef RIJN_IN_KERNEL
#include "siv_t.h"
#else
/* WHY none: Linux's stack is small, and it has no such algorithm. */
#define SIV_KERNELS .siv_encrypt = NULL, .siv_decrypt = NULL
#endif

/* Name and needs of each set, of which this file's are taken. */
#define SET(name, file, where, level)                                                                                  \
  static const char name_##file[] __attribute__((unused)) = name;                                                      \
  enum { needs_##file = RIJN_LEVEL_##level };
#include "../isa/sets.def"

extern const struct rijn_impl ISA_IMPL;
const struct rijn_impl ISA_IMPL = {.name = ISA_GLUE(name_, ISA),
                                   .needs = ISA_GLUE(needs_, ISA),
                                   GCM_KERNELS,
                                   MODE_KERNELS,
                                   SIV_KERNELS,
                                   BATCH_KERNELS};
