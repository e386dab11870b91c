// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
#![doc = include_str!("../README.md")]
#![no_std]
#![deny(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "alloc")]
extern crate alloc;

#[cfg(feature = "aead05")]
mod aead05_traits;
#[cfg(feature = "aead")]
mod aead06_traits;
#[cfg(feature = "aead")]
pub mod aes_gcm;
#[cfg(feature = "aead05")]
pub mod aes_gcm_0_10;
#[cfg(any(feature = "aead", feature = "aead05"))]
mod aes_gcm_key;
mod batch;
mod error;
mod fixed;
mod gcm;
mod info;
mod raw;
mod stream;
mod xts;

pub use batch::{Open, Seal};
pub use error::Error;
pub use fixed::{Aes128Gcm, Aes128GcmSiv, Aes192Gcm, Aes256Gcm, Aes256GcmSiv, Xaes256Gcm};
pub use gcm::Gcm;
pub use info::{implementation, implementations, self_test, version};
pub use raw::{Block, Run, RunMut};
pub use stream::{Decryptor, Encryptor};
pub use xts::Xts;

#[cfg(feature = "aead")]
pub use ::aead;
#[cfg(feature = "aead05")]
pub use ::aead05;

/// Bytes of a nonce that the traits, batches and rows take; the fast one, and the one to use.
pub const NONCE_LEN: usize = 12;
/// Bytes of a tag, unless [`Gcm::with_tag_len`] made the key.
pub const TAG_LEN: usize = 16;

/// `Result` with this crate's [`Error`].
pub type Result<T> = core::result::Result<T, Error>;
