// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
//! The traits of `aead` 0.5.
use crate::raw::Text;
use crate::{Aes128Gcm, Aes128GcmSiv, Aes192Gcm, Aes256Gcm, Aes256GcmSiv, Xaes256Gcm};
use aead05::consts::{U0, U12, U16, U24, U32};
use aead05::{AeadCore, AeadInPlace, Error, Key, KeyInit, KeySizeUser, Nonce, Result, Tag};

macro_rules! traits {
    ($name:ident, $key:ty, $nonce:ty) => {
        impl KeySizeUser for $name {
            type KeySize = $key;
        }

        impl KeyInit for $name {
            /// # Panics
            ///
            /// If the environment variable `RIJN_IMPL` names an implementation that this machine lacks.
            fn new(key: &Key<Self>) -> Self {
                $name::new(key.as_ref()).expect("RIJN_IMPL names an implementation that this machine has")
            }
        }

        impl AeadCore for $name {
            type NonceSize = $nonce;
            type TagSize = U16;
            type CiphertextOverhead = U0;
        }

        impl AeadInPlace for $name {
            #[inline]
            fn encrypt_in_place_detached(
                &self,
                nonce: &Nonce<Self>,
                aad: &[u8],
                buffer: &mut [u8],
            ) -> Result<Tag<Self>> {
                self.seal16(nonce.as_ref(), aad, Text::in_place(buffer)).map(Into::into).map_err(|_| Error)
            }

            #[inline]
            fn decrypt_in_place_detached(
                &self,
                nonce: &Nonce<Self>,
                aad: &[u8],
                buffer: &mut [u8],
                tag: &Tag<Self>,
            ) -> Result<()> {
                self.open16(nonce.as_ref(), aad, Text::in_place(buffer), tag.as_ref()).map_err(|_| Error)
            }
        }
    };
}
traits!(Aes128Gcm, U16, U12);
traits!(Aes192Gcm, U24, U12);
traits!(Aes256Gcm, U32, U12);
traits!(Aes128GcmSiv, U16, U12);
traits!(Aes256GcmSiv, U32, U12);
traits!(Xaes256Gcm, U32, U24);
