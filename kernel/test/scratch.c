/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* The module's memory of a processor (kernel/scratch.c), for kernels of the module in a program. */
#include "scratch.h"

_Alignas(64) uint8_t scratch[RIJN_SCRATCH + GUARD];

uint8_t *rijn_scratch(void) { return scratch; }
