/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
/* The sizes of the objects, for those who cannot see the header. */
#include <rijn.h>

size_t rijn_gcm_key_size(void) { return sizeof(rijn_gcm_key); }
size_t rijn_gcm_stream_size(void) { return sizeof(rijn_gcm_stream); }
size_t rijn_esp_key_size(void) { return sizeof(rijn_esp_key); }
size_t rijn_ghash_key_size(void) { return sizeof(rijn_ghash_key); }
size_t rijn_gcm_siv_key_size(void) { return sizeof(rijn_gcm_siv_key); }
size_t rijn_xaes_key_size(void) { return sizeof(rijn_xaes_key); }
size_t rijn_ccm_key_size(void) { return sizeof(rijn_ccm_key); }
size_t rijn_xts_key_size(void) { return sizeof(rijn_xts_key); }
size_t rijn_aes_key_size(void) { return sizeof(rijn_aes_key); }
size_t rijn_ctr_state_size(void) { return sizeof(rijn_ctr_state); }
size_t rijn_cfb_state_size(void) { return sizeof(rijn_cfb_state); }
