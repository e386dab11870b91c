// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
//! What the modules for both versions of the crate aes-gcm have in common: the key, with the traits of either.
use crate::raw::Text;
use crate::Gcm;
#[cfg(feature = "aead")]
use ::aead::consts;
#[cfg(not(feature = "aead"))]
use ::aead05::consts;
use core::fmt;
use core::marker::PhantomData;
use zeroize::ZeroizeOnDrop;

/// Names of key sizes, where aes-gcm has ciphers.
pub mod aes {
    /// Keys of 128 bits.
    #[derive(Clone, Copy, Debug)]
    pub struct Aes128;
    /// Keys of 192 bits.
    #[derive(Clone, Copy, Debug)]
    pub struct Aes192;
    /// Keys of 256 bits.
    #[derive(Clone, Copy, Debug)]
    pub struct Aes256;
}

mod sealed {
    pub trait Sealed {}
}

/// Bytes of a tag: 12 to 16, and with the feature `hazmat` 4 and 8.
pub trait TagSize: sealed::Sealed {}

macro_rules! tags {
    ($($(#[$when:meta])* $size:ident),*) => {
        $($(#[$when])* impl sealed::Sealed for consts::$size {}
        $(#[$when])* impl TagSize for consts::$size {})*
    };
}
tags!(
    #[cfg(feature = "hazmat")]
    U4,
    #[cfg(feature = "hazmat")]
    U8,
    U12,
    U13,
    U14,
    U15,
    U16
);

/// AES-GCM as the crate aes-gcm has it: all that it can do are the traits of `aead`. It is wiped when it is dropped.
///
/// A decryption in place that fails leaves zeros, where aes-gcm leaves the ciphertext: try a second key on a copy.
pub struct AesGcm<Aes, NonceSize, TagSize = consts::U16>(Gcm, PhantomData<fn() -> (Aes, NonceSize, TagSize)>);

impl<Aes, NonceSize, TagSize> Clone for AesGcm<Aes, NonceSize, TagSize> {
    fn clone(&self) -> Self {
        AesGcm(self.0.clone(), PhantomData)
    }
}

impl<Aes, NonceSize, TagSize> fmt::Debug for AesGcm<Aes, NonceSize, TagSize> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AesGcm(..)")
    }
}

impl<Aes, NonceSize, TagSize> ZeroizeOnDrop for AesGcm<Aes, NonceSize, TagSize> {}

impl<Aes, NonceSize, TagSize> AesGcm<Aes, NonceSize, TagSize> {
    fn made(key: &[u8], tag_len: usize) -> Self {
        let key = Gcm::with_tag_len(key, tag_len).expect("RIJN_IMPL names an implementation that this machine has");
        AesGcm(key, PhantomData)
    }
}

#[cfg(feature = "aead")]
mod traits_06 {
    use super::*;
    use ::aead::array::ArraySize;
    use ::aead::consts::{U16, U24, U32};
    use ::aead::inout::InOutBuf;
    use ::aead::{AeadCore, AeadInOut, Error, Key, KeyInit, KeySizeUser, Nonce, Result, Tag, TagPosition};

    impl KeySizeUser for aes::Aes128 {
        type KeySize = U16;
    }
    impl KeySizeUser for aes::Aes192 {
        type KeySize = U24;
    }
    impl KeySizeUser for aes::Aes256 {
        type KeySize = U32;
    }

    impl<A: KeySizeUser, N, T> KeySizeUser for AesGcm<A, N, T> {
        type KeySize = A::KeySize;
    }

    impl<A: KeySizeUser, N, T: TagSize + ArraySize> KeyInit for AesGcm<A, N, T> {
        /// # Panics
        ///
        /// If the environment variable `RIJN_IMPL` names an implementation that this machine lacks.
        fn new(key: &Key<Self>) -> Self {
            AesGcm::made(key, T::USIZE)
        }
    }

    impl<A, N: ArraySize, T: TagSize + ArraySize> AeadCore for AesGcm<A, N, T> {
        type NonceSize = N;
        type TagSize = T;
        const TAG_POSITION: TagPosition = TagPosition::Postfix;
    }

    impl<A, N: ArraySize, T: TagSize + ArraySize> AeadInOut for AesGcm<A, N, T> {
        fn encrypt_inout_detached(
            &self,
            nonce: &Nonce<Self>,
            aad: &[u8],
            buffer: InOutBuf<'_, '_, u8>,
        ) -> Result<Tag<Self>> {
            let mut tag = Tag::<Self>::default();
            self.0 .0.seal(nonce, aad, Text::inout(buffer), &mut tag).map_err(|_| Error)?;
            Ok(tag)
        }

        fn decrypt_inout_detached(
            &self,
            nonce: &Nonce<Self>,
            aad: &[u8],
            buffer: InOutBuf<'_, '_, u8>,
            tag: &Tag<Self>,
        ) -> Result<()> {
            self.0 .0.open(nonce, aad, Text::inout(buffer), tag).map_err(|_| Error)
        }
    }
}

#[cfg(feature = "aead05")]
mod traits_05 {
    use super::*;
    use ::aead05::consts::{U0, U16, U24, U32};
    use ::aead05::generic_array::ArrayLength;
    use ::aead05::{AeadCore, AeadInPlace, Error, Key, KeyInit, KeySizeUser, Nonce, Result, Tag};

    impl KeySizeUser for aes::Aes128 {
        type KeySize = U16;
    }
    impl KeySizeUser for aes::Aes192 {
        type KeySize = U24;
    }
    impl KeySizeUser for aes::Aes256 {
        type KeySize = U32;
    }

    impl<A: KeySizeUser, N, T> KeySizeUser for AesGcm<A, N, T> {
        type KeySize = A::KeySize;
    }

    impl<A: KeySizeUser, N, T: TagSize + ArrayLength<u8>> KeyInit for AesGcm<A, N, T> {
        /// # Panics
        ///
        /// If the environment variable `RIJN_IMPL` names an implementation that this machine lacks.
        fn new(key: &Key<Self>) -> Self {
            AesGcm::made(key, T::USIZE)
        }
    }

    impl<A, N: ArrayLength<u8>, T: TagSize + ArrayLength<u8>> AeadCore for AesGcm<A, N, T> {
        type NonceSize = N;
        type TagSize = T;
        type CiphertextOverhead = U0;
    }

    impl<A, N: ArrayLength<u8>, T: TagSize + ArrayLength<u8>> AeadInPlace for AesGcm<A, N, T> {
        fn encrypt_in_place_detached(&self, nonce: &Nonce<Self>, aad: &[u8], buffer: &mut [u8]) -> Result<Tag<Self>> {
            let mut tag = Tag::<Self>::default();
            self.0 .0.seal(nonce, aad, Text::in_place(buffer), &mut tag).map_err(|_| Error)?;
            Ok(tag)
        }

        fn decrypt_in_place_detached(
            &self,
            nonce: &Nonce<Self>,
            aad: &[u8],
            buffer: &mut [u8],
            tag: &Tag<Self>,
        ) -> Result<()> {
            self.0 .0.open(nonce, aad, Text::in_place(buffer), tag).map_err(|_| Error)
        }
    }
}
