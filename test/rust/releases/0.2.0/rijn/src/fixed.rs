// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
//! Keys of one size, with nonces of one size and tags of 16 bytes.
use crate::raw::{SivKey, Text, XaesKey};
use crate::{Gcm, Result, TAG_LEN};
use core::fmt;
use zeroize::{Zeroize, ZeroizeOnDrop};

macro_rules! fixed {
    ($(#[$doc:meta])* $name:ident, $inner:ty, $empty:expr, $len:literal, $nonce:literal, |$key:ident| $raw:expr, $init:expr) => {
        $(#[$doc])*
        ///
        /// The traits of the crates `aead` 0.6 and 0.5 come with the features `aead` and `aead05`.
        #[derive(Clone)]
        #[repr(transparent)]
        pub struct $name($inner);

        impl $name {
            /// Bytes of the raw key.
            pub const KEY_LEN: usize = $len;

            /// Bytes of a nonce.
            pub const NONCE_LEN: usize = $nonce;

            /// Fails only where the environment variable `RIJN_IMPL` names an implementation that this machine lacks.
            pub fn new(key: &[u8; $len]) -> Result<Self> {
                let mut made = $name($empty);
                $init(&mut made.0, key)?;
                Ok(made)
            }

            /// The same, made in a box: no copy of it was ever on the stack.
            #[cfg(feature = "alloc")]
            pub fn boxed(key: &[u8; $len]) -> Result<alloc::boxed::Box<Self>> {
                let mut made = alloc::boxed::Box::new($name($empty));
                $init(&mut made.0, key)?;
                Ok(made)
            }

            #[inline(always)]
            pub(crate) fn seal16(&self, nonce: &[u8; $nonce], aad: &[u8], text: Text<'_>) -> Result<[u8; TAG_LEN]> {
                let $key = &self.0;
                $raw.seal16(nonce, aad, text)
            }

            #[inline(always)]
            pub(crate) fn open16(
                &self,
                nonce: &[u8; $nonce],
                aad: &[u8],
                text: Text<'_>,
                tag: &[u8; TAG_LEN],
            ) -> Result<()> {
                let $key = &self.0;
                $raw.open16(nonce, aad, text, tag)
            }

            /// Encrypts `text` where it is, and returns the tag.
            #[inline]
            pub fn encrypt(&self, nonce: &[u8; $nonce], aad: &[u8], text: &mut [u8]) -> Result<[u8; TAG_LEN]> {
                self.seal16(nonce, aad, Text::in_place(text))
            }

            /// Checks the tag and decrypts `text` where it is. If the tag does not match, `text` is all zeros after it.
            #[inline]
            pub fn decrypt(
                &self,
                nonce: &[u8; $nonce],
                aad: &[u8],
                text: &mut [u8],
                tag: &[u8; TAG_LEN],
            ) -> Result<()> {
                self.open16(nonce, aad, Text::in_place(text), tag)
            }

            /// Encrypts `input` into `output`, which has the same length, and returns the tag.
            #[inline]
            pub fn encrypt_to(
                &self,
                nonce: &[u8; $nonce],
                aad: &[u8],
                input: &[u8],
                output: &mut [u8],
            ) -> Result<[u8; TAG_LEN]> {
                self.seal16(nonce, aad, Text::between(input, output)?)
            }

            /// Checks the tag and decrypts `input` into `output`, which has the same length. If the tag does not match,
            /// `output` is all zeros.
            #[inline]
            pub fn decrypt_to(
                &self,
                nonce: &[u8; $nonce],
                aad: &[u8],
                input: &[u8],
                output: &mut [u8],
                tag: &[u8; TAG_LEN],
            ) -> Result<()> {
                self.open16(nonce, aad, Text::between(input, output)?, tag)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(concat!(stringify!($name), "(..)"))
            }
        }

        impl Zeroize for $name {
            fn zeroize(&mut self) {
                self.0.zeroize();
            }
        }

        impl ZeroizeOnDrop for $name {}
    };
}
macro_rules! gcm {
    ($name:ident, $len:literal, $bits:literal) => {
        fixed!(
            #[doc = concat!("An AES-GCM key of ", $bits, " bits with nonces of 12 bytes: what [`Gcm`] can do, by `Deref`.")]
            $name,
            Gcm,
            Gcm::empty(),
            $len,
            12,
            |key| key.0,
            |place: &mut Gcm, raw| place.set_key(raw, TAG_LEN)
        );

        impl core::ops::Deref for $name {
            type Target = Gcm;

            #[inline]
            fn deref(&self) -> &Gcm {
                &self.0
            }
        }
    };
}
gcm!(Aes128Gcm, 16, "128");
gcm!(Aes192Gcm, 24, "192");
gcm!(Aes256Gcm, 32, "256");

macro_rules! siv {
    ($name:ident, $len:literal, $bits:literal) => {
        fixed!(
            #[doc = concat!("An AES-GCM-SIV key of ", $bits, " bits (RFC 8452), which forgives a nonce used twice: all that is")]
            /// given away then is whether the two messages, their associated data included, are equal.
            ///
            /// Nonces have 12 bytes; with random ones at most 2^32 messages a key. Text is at most 2^36 bytes. Slower than
            /// GCM, a short message most.
            $name,
            SivKey,
            SivKey::EMPTY,
            $len,
            12,
            |key| key,
            |place: &mut SivKey, raw: &[u8; $len]| place.init(raw)
        );
    };
}
siv!(Aes128GcmSiv, 16, "128");
siv!(Aes256GcmSiv, 32, "256");

fixed!(
    /// An XAES-256-GCM key (C2SP): AES-256-GCM for nonces of 24 bytes, which may be random, 2^80 messages a key. For those who
    /// cannot keep a counter. Each message has a key of its own, made from this one and the nonce.
    ///
    /// ```
    /// let key = rijn::Xaes256Gcm::new(&[7; 32])?;
    /// let nonce = [9; 24]; // random, and sent with the message
    /// let mut text = *b"hello";
    /// let tag = key.encrypt(&nonce, b"to: all", &mut text)?;
    /// key.decrypt(&nonce, b"to: all", &mut text, &tag)?;
    /// # Ok::<(), rijn::Error>(())
    /// ```
    Xaes256Gcm,
    XaesKey,
    XaesKey::EMPTY,
    32,
    24,
    |key| key,
    |place: &mut XaesKey, raw: &[u8; 32]| place.init(raw)
);
