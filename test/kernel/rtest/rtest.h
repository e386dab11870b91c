/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the files of this folder share. */
#ifndef RTEST_H
#define RTEST_H

#include <crypto/aead.h>

/* long.c. other: a driver that computes the same. 0, or an error. */
int rijn_long_test(const char *driver, const char *other, bool is_aead);

#endif
