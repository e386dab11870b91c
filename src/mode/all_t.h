/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* All templates, and the row of the implementation table that they make. */
#include "../cpu.h"
#include "../gcm.h"
#include "clean_t.h"
#include "wipe_t.h"
#include "aes_t.h"
#include "key_t.h"
#include "ghash_t.h"
#include "gcm_t.h"
#include "modes_t.h"
#include "batch_t.h"

extern const struct rijn_impl ISA_IMPL;
const struct rijn_impl ISA_IMPL = {
    .name = ISA_NAME,
    .needs = ISA_NEEDS,
    .gcm_init = gcm_init,
    .ghash_init = ghash_init,
    .gcm_encrypt = gcm_encrypt,
    .gcm_decrypt = gcm_decrypt,
    .gcm_encrypt_checked = gcm_encrypt_checked,
    .gcm_decrypt_checked = gcm_decrypt_checked,
    BATCH_KERNELS /**/
        .gcm_enc_blocks = gcm_enc_blocks,
    .gcm_dec_blocks = gcm_dec_blocks,
    .ghash_blocks = ghash_blocks,
    MODE_KERNELS,
};
