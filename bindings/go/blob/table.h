/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Included before all else in a blob for Go. That is code which no loader changes, so it has no table of addresses.
 * The table is a variable of Go's, and a call says where it lies (stub.S). Go sets it before the first key is made. */
#ifndef RIJN_GO_TABLE_H
#define RIJN_GO_TABLE_H

struct rijn_impl;
__attribute__((const, visibility("hidden"))) const struct rijn_impl *const *rijn_table(void);
#define rijn_impls (rijn_table())
#define rijn_impls_n RIJN_GO_SETS /* given by blob.py */

#endif
