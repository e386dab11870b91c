// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
//! The traits of `aead` 0.6.
use crate::raw::Text;
use crate::{Aes128Gcm, Aes128GcmSiv, Aes192Gcm, Aes256Gcm, Aes256GcmSiv, Xaes256Gcm};
use aead::consts::{U12, U16, U24, U32};
use aead::inout::InOutBuf;
use aead::{AeadCore, AeadInOut, Error, Key, KeyInit, KeySizeUser, Nonce, Result, Tag, TagPosition};

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
                $name::new(&key.0).expect("RIJN_IMPL names an implementation that this machine has")
            }
        }

        impl AeadCore for $name {
            type NonceSize = $nonce;
            type TagSize = U16;
            const TAG_POSITION: TagPosition = TagPosition::Postfix;
        }

        impl AeadInOut for $name {
            #[inline]
            fn encrypt_inout_detached(
                &self,
                nonce: &Nonce<Self>,
                aad: &[u8],
                buffer: InOutBuf<'_, '_, u8>,
            ) -> Result<Tag<Self>> {
                self.seal16(&nonce.0, aad, Text::inout(buffer)).map(Into::into).map_err(|_| Error)
            }

            #[inline]
            fn decrypt_inout_detached(
                &self,
                nonce: &Nonce<Self>,
                aad: &[u8],
                buffer: InOutBuf<'_, '_, u8>,
                tag: &Tag<Self>,
            ) -> Result<()> {
                self.open16(&nonce.0, aad, Text::inout(buffer), &tag.0).map_err(|_| Error)
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
