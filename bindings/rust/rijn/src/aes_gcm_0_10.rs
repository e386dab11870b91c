// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
//! The names of the crate `aes-gcm` 0.10: code that was written for it compiles when `aes_gcm::` becomes
//! `rijn::aes_gcm_0_10::`, or with `use rijn::aes_gcm_0_10 as aes_gcm;` alone.
//!
//! Its features `getrandom`, `rand_core`, `std`, `arrayvec`, `heapless` and `zeroize` are features of this crate. Not
//! here: `From` of a cipher of the crate `aes`, because [`aes`] has the names of key sizes alone.
//!
//! ```
//! # #[cfg(feature = "getrandom")] fn main() -> Result<(), rijn::aes_gcm_0_10::Error> {
//! use rijn::aes_gcm_0_10::{
//!     aead::{Aead, AeadCore, KeyInit, OsRng},
//!     Aes256Gcm,
//! };
//!
//! let cipher = Aes256Gcm::new(&Aes256Gcm::generate_key(OsRng));
//! let nonce = Aes256Gcm::generate_nonce(&mut OsRng); // never twice with one key
//! let ciphertext = cipher.encrypt(&nonce, b"plaintext message".as_ref())?;
//! assert_eq!(cipher.decrypt(&nonce, ciphertext.as_ref())?, b"plaintext message");
//! # Ok(())
//! # }
//! # #[cfg(not(feature = "getrandom"))] fn main() {}
//! ```
pub use crate::aes_gcm_key::{aes, AesGcm, TagSize};
pub use ::aead05::{self as aead, AeadCore, AeadInPlace, Error, Key, KeyInit, KeySizeUser};
use ::aead05::{
    consts::{U12, U16},
    generic_array::GenericArray,
};

/// Most bytes of associated data.
pub const A_MAX: u64 = 1 << 36;
/// Most bytes of text, as aes-gcm 0.10 has it; the library's own limit is 32 less.
pub const P_MAX: u64 = 1 << 36;
/// Most bytes of ciphertext, as aes-gcm 0.10 has it.
pub const C_MAX: u64 = (1 << 36) + 16;

/// A nonce.
pub type Nonce<NonceSize> = GenericArray<u8, NonceSize>;
/// A tag.
pub type Tag<TagSize = U16> = GenericArray<u8, TagSize>;
/// AES-GCM with keys of 128 bits and nonces of 96.
pub type Aes128Gcm = AesGcm<aes::Aes128, U12>;
/// AES-GCM with keys of 192 bits and nonces of 96. (aes-gcm has no name for it.)
pub type Aes192Gcm = AesGcm<aes::Aes192, U12>;
/// AES-GCM with keys of 256 bits and nonces of 96.
pub type Aes256Gcm = AesGcm<aes::Aes256, U12>;
