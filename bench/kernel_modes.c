/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
#include "kernel.h"

const struct k_mode k_modes[K_MODES] = {
    {"gcm",
     "gcm(aes)",
     "gcm_base(ctr(aes-generic),ghash-generic)",
     true,
     1,
     {{64, 1}, {512, 1}, {1420, 1}, {4096, 1}, {16384, 1}, {1420, 4}, {4096, 4}, {16384, 4}}},
    {"xts", "xts(aes)", "xts(ecb(aes-generic))", false, 2, {{512, 1}, {4096, 1}, {4096, 2}}},
    {"ctr", "ctr(aes)", "ctr(aes-generic)", false, 1, {{512, 1}, {4096, 1}, {4096, 2}}},
    {"cbc", "cbc(aes)", "cbc(aes-generic)", false, 1, {{512, 1}, {4096, 1}, {4096, 2}}},
    {"ecb", "ecb(aes)", "ecb(aes-generic)", false, 1, {{512, 1}, {4096, 1}, {4096, 2}}},
};
