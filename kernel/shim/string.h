/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* For the glue, which includes Linux's headers and the core's: what string.h has is in Linux's own. */
#include <linux/string.h>
