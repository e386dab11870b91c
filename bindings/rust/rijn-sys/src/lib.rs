// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
//! The raw declarations of `rijn.h`, and the C library behind them.
//!
//! [`rijn`](https://docs.rs/rijn) is the safe crate on top of this one. The header itself, in `csrc/include/rijn.h` of
//! this package, says what each call takes, refuses and promises; the names here are its names.
//!
//! The build script compiles the C sources with the crate `cc` and needs gcc or clang, nothing else. The feature `system`
//! links the librijn that pkg-config finds instead. A program can have one version of this crate (`links = "rijn"`).
#![no_std]
#![allow(non_camel_case_types)]
#![allow(missing_docs)] // the header has them

use core::ffi::{c_char, c_int, c_void};
use core::mem::MaybeUninit;

pub const RIJN_VERSION_MAJOR: u32 = 0;
pub const RIJN_VERSION_MINOR: u32 = 2;
pub const RIJN_VERSION_PATCH: u32 = 0;

pub const RIJN_OK: c_int = 0;
pub const RIJN_EAUTH: c_int = -1;
pub const RIJN_ENULL: c_int = -2;
pub const RIJN_EKEYLEN: c_int = -3;
pub const RIJN_ENONCELEN: c_int = -4;
pub const RIJN_ETAGLEN: c_int = -5;
pub const RIJN_ELEN: c_int = -6;
pub const RIJN_EAADLEN: c_int = -7;
pub const RIJN_EOVERLAP: c_int = -8;
pub const RIJN_EIMPL: c_int = -9;
pub const RIJN_EWEAKKEY: c_int = -10;
pub const RIJN_ESTATE: c_int = -11;
pub const RIJN_ESECTOR: c_int = -12;
pub const RIJN_EPADDING: c_int = -13;
pub const RIJN_ESELFTEST: c_int = -14;
pub const RIJN_ESTRUCT: c_int = -15;

pub const RIJN_GCM_KEY_SIZE: usize = 1984;
pub const RIJN_GCM_STREAM_SIZE: usize = 256;
pub const RIJN_ESP_KEY_SIZE: usize = RIJN_GCM_KEY_SIZE + 16;
pub const RIJN_GHASH_KEY_SIZE: usize = 1728;
pub const RIJN_GCM_SIV_KEY_SIZE: usize = 320;
pub const RIJN_XAES_KEY_SIZE: usize = 320;
pub const RIJN_CCM_KEY_SIZE: usize = 320;
pub const RIJN_XTS_KEY_SIZE: usize = 1024;
pub const RIJN_AES_KEY_SIZE: usize = 768;

pub const RIJN_GCM_MAX_LEN: u64 = (1 << 36) - 32;
pub const RIJN_GCM_SIV_MAX_LEN: u64 = 1 << 36;
pub const RIJN_XTS_MAX_LEN: usize = 16 << 20;
pub const RIJN_GCM_NONCE_LEN: usize = 12;
pub const RIJN_GCM_TAG_MAX: usize = 16;
pub const RIJN_ESP_NONCE_LEN: usize = 8;
pub const RIJN_GCM_SIV_NONCE_LEN: usize = 12;
pub const RIJN_GCM_SIV_TAG_LEN: usize = 16;
pub const RIJN_XAES_NONCE_LEN: usize = 24;
pub const RIJN_XAES_TAG_LEN: usize = 16;
pub const RIJN_IOV_CHECKED: usize = 64;
pub const RIJN_BATCH_MAX: usize = 65536;
pub const RIJN_GCM_ROWS_MAX: usize = 0x7fff_ffff;
pub const RIJN_CTR_SECRET: u32 = 0x10000;
pub const RIJN_MODE_GCM: c_int = 0;
pub const RIJN_MODE_GCM_SIV: c_int = 1;
pub const RIJN_MODE_XAES: c_int = 2;
pub const RIJN_MODE_XTS: c_int = 3;
pub const RIJN_MODE_CTR: c_int = 4;
pub const RIJN_MODE_CBC: c_int = 5;
pub const RIJN_MODE_ECB: c_int = 6;
pub const RIJN_MODE_CFB: c_int = 7;
pub const RIJN_MODE_CCM: c_int = 8;

macro_rules! opaque {
    ($($name:ident[$size:expr])*) => {$(
        #[repr(C, align(16))]
        pub struct $name {
            /// WHY not integers: a stream has the address of its key, and an address that is moved as an integer
            /// is none to Rust's rules.
            pub opaque: [MaybeUninit<u8>; $size],
        }

        impl $name {
            /// Zeros, which every call but its init refuses.
            pub const EMPTY: Self = Self { opaque: [MaybeUninit::new(0); $size] };
        }
    )*};
}
opaque! {
    rijn_gcm_key[RIJN_GCM_KEY_SIZE]
    rijn_gcm_stream[RIJN_GCM_STREAM_SIZE]
    rijn_esp_key[RIJN_ESP_KEY_SIZE]
    rijn_ghash_key[RIJN_GHASH_KEY_SIZE]
    rijn_gcm_siv_key[RIJN_GCM_SIV_KEY_SIZE]
    rijn_xaes_key[RIJN_XAES_KEY_SIZE]
    rijn_ccm_key[RIJN_CCM_KEY_SIZE]
    rijn_xts_key[RIJN_XTS_KEY_SIZE]
    rijn_aes_key[RIJN_AES_KEY_SIZE]
}

#[derive(Clone, Copy)]
#[repr(C)]
pub struct rijn_iov {
    pub base: *mut c_void,
    pub len: usize,
}

#[derive(Clone, Copy)]
#[repr(C)]
pub struct rijn_gcm_msg {
    pub size: usize,
    pub key: *const rijn_gcm_key,
    pub out: *mut c_void,
    pub in_: *const c_void,
    pub len: usize,
    pub aad: *const c_void,
    pub aad_len: usize,
    pub nonce: *const c_void,
    pub nonce_len: usize,
    pub tag: *mut c_void,
    pub result: c_int,
}

#[derive(Clone, Copy)]
#[repr(C)]
pub struct rijn_cbc_msg {
    pub size: usize,
    pub key: *const rijn_aes_key,
    pub out: *mut c_void,
    pub in_: *const c_void,
    pub nblk: usize,
    pub iv: *mut u8,
    pub result: c_int,
}

#[derive(Clone, Copy)]
#[repr(C)]
pub struct rijn_gcm_siv_msg {
    pub size: usize,
    pub key: *const rijn_gcm_siv_key,
    pub out: *mut c_void,
    pub in_: *const c_void,
    pub len: usize,
    pub aad: *const c_void,
    pub aad_len: usize,
    pub nonce: *const u8,
    pub tag: *mut c_void,
    pub result: c_int,
}

#[derive(Clone, Copy)]
#[repr(C)]
pub struct rijn_gcm_rows {
    pub size: usize,
    pub key: *const rijn_gcm_key,
    pub rows: usize,
    pub len: usize,
    pub aad_len: usize,
    pub out: *mut c_void,
    pub in_: *const c_void,
    pub aad: *const c_void,
    pub nonces: *const c_void,
    pub tags: *mut c_void,
    pub out_step: usize,
    pub in_step: usize,
    pub aad_step: usize,
    pub nonce_step: usize,
    pub tag_step: usize,
    pub forged: *mut u8,
}

#[repr(C)]
pub struct rijn_cfb_state {
    pub iv: [u8; 16],
    pub used: u32,
}

#[repr(C)]
pub struct rijn_ctr_state {
    pub ctr: [u8; 16],
    pub ks: [u8; 16],
    pub used: u32,
}

unsafe extern "C" {
    pub fn rijn_version() -> *const c_char;
    pub fn rijn_strerror(err: c_int) -> *const c_char;
    pub fn rijn_impl_count() -> c_int;
    pub fn rijn_impl_name(i: c_int) -> *const c_char;
    pub fn rijn_impl_supported(i: c_int) -> c_int;
    pub fn rijn_impl_why(i: c_int, buf: *mut c_char, size: usize) -> *const c_char;
    pub fn rijn_impl_chosen() -> c_int;
    pub fn rijn_impl_find(name: *const c_char) -> c_int;
    pub fn rijn_cpu_features(buf: *mut c_char, size: usize) -> *const c_char;
    pub fn rijn_selftest(i: c_int) -> c_int;
    pub fn rijn_selftest_mode(i: c_int, mode: c_int, key_len: usize) -> c_int;
    pub fn rijn_gcm_init(key: *mut rijn_gcm_key, raw: *const c_void, raw_len: usize) -> c_int;
    pub fn rijn_gcm_init_taglen(key: *mut rijn_gcm_key, raw: *const c_void, raw_len: usize, tag_len: usize) -> c_int;
    pub fn rijn_gcm_init_impl(
        key: *mut rijn_gcm_key,
        raw: *const c_void,
        raw_len: usize,
        tag_len: usize,
        impl_: c_int,
    ) -> c_int;
    pub fn rijn_gcm_key_impl(key: *const rijn_gcm_key) -> c_int;
    pub fn rijn_gcm_tag_len(key: *const rijn_gcm_key) -> usize;
    pub fn rijn_gcm_wipe(key: *mut rijn_gcm_key);
    pub fn rijn_gcm_encrypt(
        key: *const rijn_gcm_key,
        out: *mut c_void,
        in_: *const c_void,
        len: usize,
        aad: *const c_void,
        aad_len: usize,
        nonce: *const c_void,
        nonce_len: usize,
        tag: *mut c_void,
    ) -> c_int;
    pub fn rijn_gcm_decrypt(
        key: *const rijn_gcm_key,
        out: *mut c_void,
        in_: *const c_void,
        len: usize,
        aad: *const c_void,
        aad_len: usize,
        nonce: *const c_void,
        nonce_len: usize,
        tag: *const c_void,
    ) -> c_int;
    pub fn rijn_gcm_seal(
        key: *const rijn_gcm_key,
        out: *mut c_void,
        in_: *const c_void,
        len: usize,
        aad: *const c_void,
        aad_len: usize,
        nonce: *const c_void,
        nonce_len: usize,
    ) -> c_int;
    pub fn rijn_gcm_open(
        key: *const rijn_gcm_key,
        out: *mut c_void,
        in_: *const c_void,
        len: usize,
        aad: *const c_void,
        aad_len: usize,
        nonce: *const c_void,
        nonce_len: usize,
    ) -> c_int;
    pub fn rijn_gcm_nonce(out: *mut u8, iv: *const u8, sequence: u64) -> c_int;
    pub fn rijn_gmac(
        key: *const rijn_gcm_key,
        data: *const c_void,
        len: usize,
        nonce: *const c_void,
        nonce_len: usize,
        tag: *mut c_void,
    ) -> c_int;
    pub fn rijn_gmac_verify(
        key: *const rijn_gcm_key,
        data: *const c_void,
        len: usize,
        nonce: *const c_void,
        nonce_len: usize,
        tag: *const c_void,
    ) -> c_int;
    pub fn rijn_gcm_encrypt_iov(
        key: *const rijn_gcm_key,
        out: *const rijn_iov,
        out_n: usize,
        in_: *const rijn_iov,
        in_n: usize,
        aad: *const rijn_iov,
        aad_n: usize,
        nonce: *const c_void,
        nonce_len: usize,
        tag: *mut c_void,
    ) -> c_int;
    pub fn rijn_gcm_decrypt_iov(
        key: *const rijn_gcm_key,
        out: *const rijn_iov,
        out_n: usize,
        in_: *const rijn_iov,
        in_n: usize,
        aad: *const rijn_iov,
        aad_n: usize,
        nonce: *const c_void,
        nonce_len: usize,
        tag: *const c_void,
    ) -> c_int;
    pub fn rijn_gcm_encrypt_start(
        s: *mut rijn_gcm_stream,
        key: *const rijn_gcm_key,
        nonce: *const c_void,
        nonce_len: usize,
    ) -> c_int;
    pub fn rijn_gcm_decrypt_start(
        s: *mut rijn_gcm_stream,
        key: *const rijn_gcm_key,
        nonce: *const c_void,
        nonce_len: usize,
    ) -> c_int;
    pub fn rijn_gcm_aad(s: *mut rijn_gcm_stream, aad: *const c_void, len: usize) -> c_int;
    pub fn rijn_gcm_update(s: *mut rijn_gcm_stream, out: *mut c_void, in_: *const c_void, len: usize) -> c_int;
    pub fn rijn_gcm_encrypt_finish(s: *mut rijn_gcm_stream, tag: *mut c_void) -> c_int;
    pub fn rijn_gcm_decrypt_finish(s: *mut rijn_gcm_stream, tag: *const c_void) -> c_int;
    pub fn rijn_gcm_stream_wipe(s: *mut rijn_gcm_stream);
    pub fn rijn_gcm_encrypt_batch(msgs: *mut rijn_gcm_msg, n: usize) -> c_int;
    pub fn rijn_gcm_decrypt_batch(msgs: *mut rijn_gcm_msg, n: usize) -> c_int;
    pub fn rijn_rfc4106_init(key: *mut rijn_esp_key, raw: *const c_void, raw_len: usize, tag_len: usize) -> c_int;
    pub fn rijn_rfc4106_init_impl(
        key: *mut rijn_esp_key,
        raw: *const c_void,
        raw_len: usize,
        tag_len: usize,
        impl_: c_int,
    ) -> c_int;
    pub fn rijn_rfc4106_encrypt(
        key: *const rijn_esp_key,
        out: *mut c_void,
        in_: *const c_void,
        len: usize,
        aad: *const c_void,
        aad_len: usize,
        nonce: *const u8,
        tag: *mut c_void,
    ) -> c_int;
    pub fn rijn_rfc4106_decrypt(
        key: *const rijn_esp_key,
        out: *mut c_void,
        in_: *const c_void,
        len: usize,
        aad: *const c_void,
        aad_len: usize,
        nonce: *const u8,
        tag: *const c_void,
    ) -> c_int;
    pub fn rijn_rfc4106_gcm_key(key: *const rijn_esp_key) -> *const rijn_gcm_key;
    pub fn rijn_rfc4106_nonce(out: *mut u8, key: *const rijn_esp_key, nonce: *const u8) -> c_int;
    pub fn rijn_rfc4543_init(key: *mut rijn_esp_key, raw: *const c_void, raw_len: usize) -> c_int;
    pub fn rijn_rfc4543_init_impl(key: *mut rijn_esp_key, raw: *const c_void, raw_len: usize, impl_: c_int) -> c_int;
    pub fn rijn_rfc4543_tag(
        key: *const rijn_esp_key,
        data: *const c_void,
        len: usize,
        nonce: *const u8,
        tag: *mut c_void,
    ) -> c_int;
    pub fn rijn_rfc4543_verify(
        key: *const rijn_esp_key,
        data: *const c_void,
        len: usize,
        nonce: *const u8,
        tag: *const c_void,
    ) -> c_int;
    pub fn rijn_esp_wipe(key: *mut rijn_esp_key);
    pub fn rijn_ghash_init(key: *mut rijn_ghash_key, h: *const u8) -> c_int;
    pub fn rijn_ghash_init_impl(key: *mut rijn_ghash_key, h: *const u8, impl_: c_int) -> c_int;
    pub fn rijn_ghash_update(key: *const rijn_ghash_key, acc: *mut u8, in_: *const c_void, nblk: usize) -> c_int;
    pub fn rijn_ghash_wipe(key: *mut rijn_ghash_key);
    pub fn rijn_gcm_encrypt_rows(rows: *const rijn_gcm_rows) -> c_int;
    pub fn rijn_gcm_decrypt_rows(rows: *const rijn_gcm_rows) -> c_int;
    pub fn rijn_gcm_siv_init(key: *mut rijn_gcm_siv_key, raw: *const c_void, raw_len: usize) -> c_int;
    pub fn rijn_gcm_siv_init_impl(
        key: *mut rijn_gcm_siv_key,
        raw: *const c_void,
        raw_len: usize,
        impl_: c_int,
    ) -> c_int;
    pub fn rijn_gcm_siv_wipe(key: *mut rijn_gcm_siv_key);
    pub fn rijn_gcm_siv_encrypt(
        key: *const rijn_gcm_siv_key,
        out: *mut c_void,
        in_: *const c_void,
        len: usize,
        aad: *const c_void,
        aad_len: usize,
        nonce: *const u8,
        tag: *mut c_void,
    ) -> c_int;
    pub fn rijn_gcm_siv_decrypt(
        key: *const rijn_gcm_siv_key,
        out: *mut c_void,
        in_: *const c_void,
        len: usize,
        aad: *const c_void,
        aad_len: usize,
        nonce: *const u8,
        tag: *const c_void,
    ) -> c_int;
    pub fn rijn_gcm_siv_seal(
        key: *const rijn_gcm_siv_key,
        out: *mut c_void,
        in_: *const c_void,
        len: usize,
        aad: *const c_void,
        aad_len: usize,
        nonce: *const u8,
    ) -> c_int;
    pub fn rijn_gcm_siv_open(
        key: *const rijn_gcm_siv_key,
        out: *mut c_void,
        in_: *const c_void,
        len: usize,
        aad: *const c_void,
        aad_len: usize,
        nonce: *const u8,
    ) -> c_int;
    pub fn rijn_gcm_siv_encrypt_batch(msgs: *mut rijn_gcm_siv_msg, n: usize) -> c_int;
    pub fn rijn_gcm_siv_decrypt_batch(msgs: *mut rijn_gcm_siv_msg, n: usize) -> c_int;
    pub fn rijn_xaes_init(key: *mut rijn_xaes_key, raw: *const c_void, raw_len: usize) -> c_int;
    pub fn rijn_xaes_init_impl(key: *mut rijn_xaes_key, raw: *const c_void, raw_len: usize, impl_: c_int) -> c_int;
    pub fn rijn_xaes_wipe(key: *mut rijn_xaes_key);
    pub fn rijn_xaes_encrypt(
        key: *const rijn_xaes_key,
        out: *mut c_void,
        in_: *const c_void,
        len: usize,
        aad: *const c_void,
        aad_len: usize,
        nonce: *const u8,
        tag: *mut c_void,
    ) -> c_int;
    pub fn rijn_xaes_decrypt(
        key: *const rijn_xaes_key,
        out: *mut c_void,
        in_: *const c_void,
        len: usize,
        aad: *const c_void,
        aad_len: usize,
        nonce: *const u8,
        tag: *const c_void,
    ) -> c_int;
    pub fn rijn_xaes_seal(
        key: *const rijn_xaes_key,
        out: *mut c_void,
        in_: *const c_void,
        len: usize,
        aad: *const c_void,
        aad_len: usize,
        nonce: *const u8,
    ) -> c_int;
    pub fn rijn_xaes_open(
        key: *const rijn_xaes_key,
        out: *mut c_void,
        in_: *const c_void,
        len: usize,
        aad: *const c_void,
        aad_len: usize,
        nonce: *const u8,
    ) -> c_int;
    pub fn rijn_ccm_init(key: *mut rijn_ccm_key, raw: *const c_void, raw_len: usize) -> c_int;
    pub fn rijn_ccm_init_taglen(key: *mut rijn_ccm_key, raw: *const c_void, raw_len: usize, tag_len: usize) -> c_int;
    pub fn rijn_ccm_init_impl(
        key: *mut rijn_ccm_key,
        raw: *const c_void,
        raw_len: usize,
        tag_len: usize,
        impl_: c_int,
    ) -> c_int;
    pub fn rijn_ccm_tag_len(key: *const rijn_ccm_key) -> usize;
    pub fn rijn_ccm_wipe(key: *mut rijn_ccm_key);
    pub fn rijn_ccm_encrypt(
        key: *const rijn_ccm_key,
        out: *mut c_void,
        in_: *const c_void,
        len: usize,
        aad: *const c_void,
        aad_len: usize,
        nonce: *const c_void,
        nonce_len: usize,
        tag: *mut c_void,
    ) -> c_int;
    pub fn rijn_ccm_decrypt(
        key: *const rijn_ccm_key,
        out: *mut c_void,
        in_: *const c_void,
        len: usize,
        aad: *const c_void,
        aad_len: usize,
        nonce: *const c_void,
        nonce_len: usize,
        tag: *const c_void,
    ) -> c_int;
    pub fn rijn_xts_init(key: *mut rijn_xts_key, raw: *const c_void, raw_len: usize) -> c_int;
    pub fn rijn_xts_init_impl(key: *mut rijn_xts_key, raw: *const c_void, raw_len: usize, impl_: c_int) -> c_int;
    pub fn rijn_xts_wipe(key: *mut rijn_xts_key);
    pub fn rijn_xts_encrypt(
        key: *const rijn_xts_key,
        out: *mut c_void,
        in_: *const c_void,
        len: usize,
        tweak: *const u8,
    ) -> c_int;
    pub fn rijn_xts_decrypt(
        key: *const rijn_xts_key,
        out: *mut c_void,
        in_: *const c_void,
        len: usize,
        tweak: *const u8,
    ) -> c_int;
    pub fn rijn_xts_encrypt_sectors(
        key: *const rijn_xts_key,
        out: *mut c_void,
        in_: *const c_void,
        sector_size: usize,
        sectors: usize,
        first: u64,
        step: u64,
    ) -> c_int;
    pub fn rijn_xts_decrypt_sectors(
        key: *const rijn_xts_key,
        out: *mut c_void,
        in_: *const c_void,
        sector_size: usize,
        sectors: usize,
        first: u64,
        step: u64,
    ) -> c_int;
    pub fn rijn_xts_encrypt_tweaks(
        key: *const rijn_xts_key,
        out: *mut c_void,
        in_: *const c_void,
        sector_size: usize,
        sectors: usize,
        tweaks: *const u8,
    ) -> c_int;
    pub fn rijn_xts_decrypt_tweaks(
        key: *const rijn_xts_key,
        out: *mut c_void,
        in_: *const c_void,
        sector_size: usize,
        sectors: usize,
        tweaks: *const u8,
    ) -> c_int;
    pub fn rijn_aes_init(key: *mut rijn_aes_key, raw: *const c_void, raw_len: usize) -> c_int;
    pub fn rijn_aes_init_impl(key: *mut rijn_aes_key, raw: *const c_void, raw_len: usize, impl_: c_int) -> c_int;
    pub fn rijn_aes_wipe(key: *mut rijn_aes_key);
    pub fn rijn_ecb_encrypt(key: *const rijn_aes_key, out: *mut c_void, in_: *const c_void, nblk: usize) -> c_int;
    pub fn rijn_ecb_decrypt(key: *const rijn_aes_key, out: *mut c_void, in_: *const c_void, nblk: usize) -> c_int;
    pub fn rijn_cbc_encrypt(
        key: *const rijn_aes_key,
        out: *mut c_void,
        in_: *const c_void,
        nblk: usize,
        iv: *mut u8,
    ) -> c_int;
    pub fn rijn_cbc_decrypt(
        key: *const rijn_aes_key,
        out: *mut c_void,
        in_: *const c_void,
        nblk: usize,
        iv: *mut u8,
    ) -> c_int;
    pub fn rijn_cbc_encrypt_pkcs7(
        key: *const rijn_aes_key,
        out: *mut c_void,
        out_len: *mut usize,
        in_: *const c_void,
        len: usize,
        iv: *const u8,
    ) -> c_int;
    pub fn rijn_cbc_decrypt_pkcs7(
        key: *const rijn_aes_key,
        out: *mut c_void,
        out_len: *mut usize,
        in_: *const c_void,
        len: usize,
        iv: *const u8,
    ) -> c_int;
    pub fn rijn_cbc_encrypt_many(msgs: *mut rijn_cbc_msg, n: usize) -> c_int;
    pub fn rijn_cfb_encrypt(
        key: *const rijn_aes_key,
        out: *mut c_void,
        in_: *const c_void,
        len: usize,
        state: *mut rijn_cfb_state,
    ) -> c_int;
    pub fn rijn_cfb_decrypt(
        key: *const rijn_aes_key,
        out: *mut c_void,
        in_: *const c_void,
        len: usize,
        state: *mut rijn_cfb_state,
    ) -> c_int;
    pub fn rijn_cfb_wipe(state: *mut rijn_cfb_state);
    pub fn rijn_ctr_crypt(
        key: *const rijn_aes_key,
        out: *mut c_void,
        in_: *const c_void,
        len: usize,
        state: *mut rijn_ctr_state,
    ) -> c_int;
    pub fn rijn_ctr32_crypt(
        key: *const rijn_aes_key,
        out: *mut c_void,
        in_: *const c_void,
        len: usize,
        state: *mut rijn_ctr_state,
    ) -> c_int;
    pub fn rijn_ctr_wipe(state: *mut rijn_ctr_state);
    pub fn rijn_gcm_key_size() -> usize;
    pub fn rijn_gcm_stream_size() -> usize;
    pub fn rijn_esp_key_size() -> usize;
    pub fn rijn_ghash_key_size() -> usize;
    pub fn rijn_gcm_siv_key_size() -> usize;
    pub fn rijn_xaes_key_size() -> usize;
    pub fn rijn_ccm_key_size() -> usize;
    pub fn rijn_xts_key_size() -> usize;
    pub fn rijn_aes_key_size() -> usize;
    pub fn rijn_ctr_state_size() -> usize;
    pub fn rijn_cfb_state_size() -> usize;
}
