// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
//! The names of the crate `aes-gcm` 0.11: code that was written for it compiles when `aes_gcm::` becomes
//! `rijn::aes_gcm::`, or with `use rijn::aes_gcm;` alone.
//!
//! Its features `getrandom`, `rand_core`, `arrayvec`, `bytes`, `zeroize` and `hazmat` are features of this crate. Not
//! here: `From` of a cipher of the crate `aes`, because [`aes`] has the names of key sizes alone.
//!
//! ```
//! # #[cfg(feature = "getrandom")] fn main() -> Result<(), Box<dyn core::error::Error>> {
//! use rijn::aes_gcm::{
//!     aead::{Aead, Generate, Key, KeyInit},
//!     Aes256Gcm, Nonce,
//! };
//!
//! let key = Key::<Aes256Gcm>::generate();
//! let cipher = Aes256Gcm::new(&key);
//! let nonce = Nonce::generate(); // never twice with one key
//! let ciphertext = cipher.encrypt(&nonce, b"plaintext message".as_ref())?;
//! assert_eq!(cipher.decrypt(&nonce, ciphertext.as_ref())?, b"plaintext message");
//! # Ok(())
//! # }
//! # #[cfg(not(feature = "getrandom"))] fn main() {}
//! ```
pub use crate::aes_gcm_key::{aes, AesGcm, TagSize};
pub use ::aead::{self, AeadCore, AeadInOut, Error, Key, KeyInit, KeySizeUser};
use ::aead::{
    array::Array,
    consts::{U12, U16},
};

/// Most bytes of associated data.
pub const A_MAX: u64 = (1 << 61) - 1;
/// Most bytes of text.
pub const P_MAX: u64 = (1 << 36) - 32;

/// A nonce.
pub type Nonce<NonceSize> = Array<u8, NonceSize>;
/// A tag.
pub type Tag<TagSize = U16> = Array<u8, TagSize>;
/// AES-GCM with keys of 128 bits and nonces of 96.
pub type Aes128Gcm = AesGcm<aes::Aes128, U12>;
/// AES-GCM with keys of 192 bits and nonces of 96. (aes-gcm has no name for it.)
pub type Aes192Gcm = AesGcm<aes::Aes192, U12>;
/// AES-GCM with keys of 256 bits and nonces of 96.
pub type Aes256Gcm = AesGcm<aes::Aes256, U12>;
