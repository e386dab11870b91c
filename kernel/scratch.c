/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Memory of each processor, for a section of the vector unit. Linux's stacks are too small for it. */
#include "glue.h"

#include <linux/percpu.h>

struct scratch {
  u8 bytes[RIJN_SCRATCH];
} __aligned(RIJN_ALIGN);
static struct scratch __percpu *scratch;

int rijn_scratch_make(void) {
  if (!IS_ENABLED(CONFIG_X86_64))
    return 0;
  scratch = alloc_percpu(struct scratch);
  return scratch != NULL ? 0 : -ENOMEM;
}
void rijn_scratch_free(void) { free_percpu(scratch); }

u8 *rijn_scratch(void) { return this_cpu_ptr(scratch)->bytes; }
