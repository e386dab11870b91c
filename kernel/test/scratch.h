/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
#include "../../src/impl.h"

/* GUARD: behind it; nobody may write there. */
enum { GUARD = 64 };
extern uint8_t scratch[RIJN_SCRATCH + GUARD];
