/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Linux makes macros of words that the core has in attributes. Included before all else in the core's files, and before
 * the core's headers in the glue's. */
#undef inline
#undef noinline
#undef unused
