/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
#include <stdint.h>

extern uint8_t scratch[9536];
uint8_t *rijn_scratch(void);
