/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* Written by tools/selftest-answers from another implementation: do not edit. Key lengths 16, 24, 32; XTS 32, 64. */
#ifndef RIJN_SELFTEST_ANSWERS_H
#define RIJN_SELFTEST_ANSWERS_H

#include <stdint.h>

static const uint64_t answer_gcm[3] = {0x76d8a5665064b516u, 0x5b0a902106308b73u, 0xb7d28713721ea915u};
static const uint64_t answer_nonce[3] = {0x58e88c67e1269c3bu, 0xa2f93d7f29fdcd07u, 0x70cbdb1950226bcau};
static const uint64_t answer_esp[3] = {0x6615be6e6b3ddbd6u, 0xfd6291c5038b1698u, 0x3feb8d79e0a5cadcu};
static const uint64_t answer_gmac[3] = {0x36299799f6747fe6u, 0x1a4250491af5e9b5u, 0x4be005610103e2cau};
static const uint64_t answer_ctr[3] = {0x676de639cd92bd9du, 0xb200eda7c14b2b1bu, 0x7d2a498cc1b5b200u};
static const uint64_t answer_ctr32[3] = {0xc5b3c53b8dffb804u, 0x079e2bb69c48edb1u, 0xd0604e7ffbb4d5c8u};
static const uint64_t answer_cbc[3] = {0xda7e554ef5f0d70eu, 0x3a089b7451af65e6u, 0x4256f02c9c62331cu};
static const uint64_t answer_ecb[3] = {0x52603febc416e82bu, 0x9636f36a8cf593e1u, 0xdef6a1b6b6e137b0u};
static const uint64_t answer_xts[2] = {0x0c9602de070d612fu, 0xe7faec2167072093u};
static const uint64_t answer_sectors[2] = {0x6d4bd2fe294045f0u, 0xd1cd21e252ed2c2bu};
static const uint64_t answer_gcm_siv[3] = {0x3042b3edacaec9a7u, 0xc729ff845ed95442u, 0xc1b05b996883cb48u};
static const uint64_t answer_cfb[3] = {0x4e6708004dc99ad8u, 0xca03a705a0bcc543u, 0x3706269137e32438u};
static const uint64_t answer_ccm[3] = {0xb91e033a7832ec55u, 0x6239951463781f43u, 0xd4999fe1f57b2bcbu};
static const uint64_t answer_xaes = 0xf2b5405c1300e9d9u;
static const uint64_t answer_ghash = 0x1f72f1be7a119d5cu;

#endif
