// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
//! The one module with unsafe code: the C calls, behind functions that are safe to call with any argument.
//!
//! What makes each call sound is always the same. A slice is valid for its length and holds the library to it. An output is
//! `&mut`, hence overlaps no other argument; in place, one pointer is both, which the library allows. A key object is
//! zeros, which the library refuses (`RIJN_ESTATE`), or what its init made, for nothing else writes to it.
#![allow(unsafe_code)]

mod blocks;
mod many;

pub use blocks::Block;
pub(crate) use blocks::Direction;
pub(crate) use many::{messages, IsMessage, Message, Rows};
pub use many::{Run, RunMut};

use crate::{Error, Result};
use core::ffi::{c_char, c_int, c_void, CStr};
use core::marker::PhantomData;
use rijn_sys as sys;

#[inline(always)]
fn check(code: c_int) -> Result<()> {
    if code == sys::RIJN_OK {
        Ok(())
    } else {
        Err(Error::from_code(code))
    }
}

#[inline(always)]
fn read(s: &[u8]) -> *const c_void {
    s.as_ptr().cast()
}

#[inline(always)]
fn write(s: &mut [u8]) -> *mut c_void {
    s.as_mut_ptr().cast()
}

/// Input and output of one length: two buffers, or one in place.
pub(crate) struct Text<'a> {
    input: *const u8,
    output: *mut u8,
    len: usize,
    held: PhantomData<&'a mut [u8]>,
}

impl<'a> Text<'a> {
    #[inline(always)]
    pub(crate) fn in_place(buffer: &'a mut [u8]) -> Self {
        let (output, len) = (buffer.as_mut_ptr(), buffer.len());
        Text { input: output, output, len, held: PhantomData }
    }

    #[inline(always)]
    pub(crate) fn between(input: &'a [u8], output: &'a mut [u8]) -> Result<Self> {
        if input.len() != output.len() {
            return Err(Error::Length);
        }
        Ok(Text { input: input.as_ptr(), output: output.as_mut_ptr(), len: input.len(), held: PhantomData })
    }

    /// `InOutBuf` promises what a `Text` needs: two slices of one length that are the same or disjoint.
    #[cfg(feature = "aead")]
    #[inline(always)]
    pub(crate) fn inout(mut buffer: aead::inout::InOutBuf<'a, '_, u8>) -> Self {
        let (input, len) = (buffer.get_in().as_ptr(), buffer.len());
        Text { input, output: buffer.get_out().as_mut_ptr(), len, held: PhantomData }
    }
}

macro_rules! key {
    ($name:ident, $raw:ident, $wipe:ident) => {
        /// A key object of the library: zeros, or what its init made of it. Dropping wipes it.
        #[repr(transparent)]
        pub(crate) struct $name(sys::$raw);

        impl $name {
            pub(crate) const EMPTY: $name = $name(sys::$raw::EMPTY);

            /// Wipes, as `Drop` does; the object is refused until it is made again.
            pub(crate) fn wipe(&mut self) {
                // SAFETY: the object is valid; the call writes zeros to all of it.
                unsafe { sys::$wipe(&mut self.0) }
            }
        }

        impl zeroize::Zeroize for $name {
            fn zeroize(&mut self) {
                self.wipe();
            }
        }

        impl Drop for $name {
            fn drop(&mut self) {
                self.wipe();
            }
        }

        impl Clone for $name {
            fn clone(&self) -> Self {
                $name(sys::$raw { opaque: self.0.opaque })
            }
        }
    };
}
key!(GcmKey, rijn_gcm_key, rijn_gcm_wipe);
key!(XtsKey, rijn_xts_key, rijn_xts_wipe);
key!(SivKey, rijn_gcm_siv_key, rijn_gcm_siv_wipe);
key!(XaesKey, rijn_xaes_key, rijn_xaes_wipe);
key!(AesKey, rijn_aes_key, rijn_aes_wipe);

impl GcmKey {
    pub(crate) fn init(&mut self, raw: &[u8], tag_len: usize) -> Result<()> {
        // SAFETY: see the head; key and raw bytes are two borrows, so they do not overlap.
        check(unsafe { sys::rijn_gcm_init_taglen(&mut self.0, read(raw), raw.len(), tag_len) })
    }

    #[inline]
    pub(crate) fn tag_len(&self) -> usize {
        // SAFETY: see the head.
        unsafe { sys::rijn_gcm_tag_len(&self.0) }
    }

    pub(crate) fn implementation(&self) -> Option<&'static str> {
        // SAFETY: see the head.
        impl_name(unsafe { sys::rijn_gcm_key_impl(&self.0) })
    }

    /// The caller has checked that the tag has the key's length.
    #[inline(always)]
    fn seal_unchecked(&self, nonce: &[u8], aad: &[u8], text: &Text<'_>, tag: *mut u8) -> c_int {
        // SAFETY: see the head; tag is valid for the key's tag length.
        unsafe {
            sys::rijn_gcm_encrypt(
                &self.0,
                text.output.cast(),
                text.input.cast(),
                text.len,
                read(aad),
                aad.len(),
                read(nonce),
                nonce.len(),
                tag.cast(),
            )
        }
    }

    #[inline(always)]
    fn open_unchecked(&self, nonce: &[u8], aad: &[u8], text: &Text<'_>, tag: *const u8) -> c_int {
        // SAFETY: see the head; tag is valid for the key's tag length.
        unsafe {
            sys::rijn_gcm_decrypt(
                &self.0,
                text.output.cast(),
                text.input.cast(),
                text.len,
                read(aad),
                aad.len(),
                read(nonce),
                nonce.len(),
                tag.cast(),
            )
        }
    }

    #[inline]
    pub(crate) fn seal(&self, nonce: &[u8], aad: &[u8], text: Text<'_>, tag: &mut [u8]) -> Result<()> {
        if tag.len() != self.tag_len() {
            return Err(self.wrong_tag());
        }
        check(self.seal_unchecked(nonce, aad, &text, tag.as_mut_ptr()))
    }

    #[inline]
    pub(crate) fn open(&self, nonce: &[u8], aad: &[u8], text: Text<'_>, tag: &[u8]) -> Result<()> {
        if tag.len() != self.tag_len() {
            return Err(self.wrong_tag());
        }
        check(self.open_unchecked(nonce, aad, &text, tag.as_ptr()))
    }

    /// No key makes a longer tag than 16 bytes: room for 16 is room for any.
    #[inline]
    pub(crate) fn seal16(&self, nonce: &[u8; 12], aad: &[u8], text: Text<'_>) -> Result<[u8; 16]> {
        let mut tag = [0; 16];
        check(self.seal_unchecked(nonce, aad, &text, tag.as_mut_ptr()))?;
        Ok(tag)
    }

    #[inline]
    pub(crate) fn open16(&self, nonce: &[u8; 12], aad: &[u8], text: Text<'_>, tag: &[u8; 16]) -> Result<()> {
        check(self.open_unchecked(nonce, aad, &text, tag.as_ptr()))
    }

    #[cold]
    fn wrong_tag(&self) -> Error {
        if self.tag_len() == 0 {
            Error::State
        } else {
            Error::TagLength
        }
    }

    pub(crate) fn gmac(&self, nonce: &[u8], data: &[u8], tag: &mut [u8]) -> Result<()> {
        if tag.len() != self.tag_len() {
            return Err(self.wrong_tag());
        }
        // SAFETY: see the head.
        check(unsafe { sys::rijn_gmac(&self.0, read(data), data.len(), read(nonce), nonce.len(), write(tag)) })
    }

    pub(crate) fn gmac_verify(&self, nonce: &[u8], data: &[u8], tag: &[u8]) -> Result<()> {
        if tag.len() != self.tag_len() {
            return Err(self.wrong_tag());
        }
        // SAFETY: see the head.
        check(unsafe { sys::rijn_gmac_verify(&self.0, read(data), data.len(), read(nonce), nonce.len(), read(tag)) })
    }
}

macro_rules! one_call {
    ($name:ident, $nonce:literal, $init:ident, $encrypt:ident, $decrypt:ident) => {
        impl $name {
            pub(crate) fn init(&mut self, raw: &[u8]) -> Result<()> {
                // SAFETY: see the head.
                check(unsafe { sys::$init(&mut self.0, read(raw), raw.len()) })
            }

            #[inline]
            pub(crate) fn seal16(&self, nonce: &[u8; $nonce], aad: &[u8], text: Text<'_>) -> Result<[u8; 16]> {
                let mut tag = [0; 16];
                let (out, input, to) = (text.output.cast(), text.input.cast(), tag.as_mut_ptr().cast());
                // SAFETY: see the head.
                let code =
                    unsafe { sys::$encrypt(&self.0, out, input, text.len, read(aad), aad.len(), nonce.as_ptr(), to) };
                check(code).map(|()| tag)
            }

            #[inline]
            pub(crate) fn open16(
                &self,
                nonce: &[u8; $nonce],
                aad: &[u8],
                text: Text<'_>,
                tag: &[u8; 16],
            ) -> Result<()> {
                let (out, input, tag) = (text.output.cast(), text.input.cast(), tag.as_ptr().cast());
                // SAFETY: see the head.
                check(unsafe {
                    sys::$decrypt(&self.0, out, input, text.len, read(aad), aad.len(), nonce.as_ptr(), tag)
                })
            }
        }
    };
}
one_call!(SivKey, 12, rijn_gcm_siv_init, rijn_gcm_siv_encrypt, rijn_gcm_siv_decrypt);
one_call!(XaesKey, 24, rijn_xaes_init, rijn_xaes_encrypt, rijn_xaes_decrypt);

/// A stream; the key is borrowed as long as it lives, for the library keeps its address.
pub(crate) struct Stream<'k>(sys::rijn_gcm_stream, PhantomData<&'k GcmKey>);

impl<'k> Stream<'k> {
    fn start(
        key: &'k GcmKey,
        nonce: &[u8],
        call: unsafe extern "C" fn(*mut sys::rijn_gcm_stream, *const sys::rijn_gcm_key, *const c_void, usize) -> c_int,
    ) -> Result<Self> {
        let mut stream = Stream(sys::rijn_gcm_stream::EMPTY, PhantomData);
        // SAFETY: see the head.
        check(unsafe { call(&mut stream.0, &key.0, read(nonce), nonce.len()) })?;
        Ok(stream)
    }

    pub(crate) fn to_seal(key: &'k GcmKey, nonce: &[u8]) -> Result<Self> {
        Stream::start(key, nonce, sys::rijn_gcm_encrypt_start)
    }

    pub(crate) fn to_open(key: &'k GcmKey, nonce: &[u8]) -> Result<Self> {
        Stream::start(key, nonce, sys::rijn_gcm_decrypt_start)
    }

    pub(crate) fn aad(&mut self, aad: &[u8]) -> Result<()> {
        // SAFETY: see the head.
        check(unsafe { sys::rijn_gcm_aad(&mut self.0, read(aad), aad.len()) })
    }

    pub(crate) fn update(&mut self, text: Text<'_>) -> Result<()> {
        // SAFETY: see the head.
        check(unsafe { sys::rijn_gcm_update(&mut self.0, text.output.cast(), text.input.cast(), text.len) })
    }

    /// The caller gives a tag of the key's length.
    pub(crate) fn seal_finish(&mut self, key: &GcmKey, tag: &mut [u8]) -> Result<()> {
        if tag.len() != key.tag_len() {
            return Err(key.wrong_tag());
        }
        // SAFETY: see the head.
        check(unsafe { sys::rijn_gcm_encrypt_finish(&mut self.0, write(tag)) })
    }

    pub(crate) fn open_finish(&mut self, key: &GcmKey, tag: &[u8]) -> Result<()> {
        if tag.len() != key.tag_len() {
            return Err(key.wrong_tag());
        }
        // SAFETY: see the head.
        check(unsafe { sys::rijn_gcm_decrypt_finish(&mut self.0, read(tag)) })
    }
}

impl Drop for Stream<'_> {
    fn drop(&mut self) {
        // SAFETY: see the head.
        unsafe { sys::rijn_gcm_stream_wipe(&mut self.0) }
    }
}

/// What the library says in C's strings lives as long as the program.
fn text(c: *const c_char) -> Option<&'static str> {
    // SAFETY: the library gives NULL, or a string that it never changes or frees.
    (!c.is_null()).then(|| unsafe { CStr::from_ptr(c) }).and_then(|name| name.to_str().ok())
}

pub(crate) fn version() -> &'static str {
    // SAFETY: it has no arguments.
    text(unsafe { sys::rijn_version() }).unwrap_or("")
}

pub(crate) fn impl_count() -> c_int {
    // SAFETY: it has no arguments.
    unsafe { sys::rijn_impl_count() }
}

pub(crate) fn impl_name(i: c_int) -> Option<&'static str> {
    // SAFETY: any number is allowed.
    text(unsafe { sys::rijn_impl_name(i) })
}

pub(crate) fn impl_supported(i: c_int) -> bool {
    // SAFETY: any number is allowed.
    unsafe { sys::rijn_impl_supported(i) == 1 }
}

pub(crate) fn impl_chosen() -> Result<&'static str> {
    // SAFETY: it has no arguments.
    let i = unsafe { sys::rijn_impl_chosen() };
    impl_name(i).ok_or_else(|| Error::from_code(i))
}

pub(crate) fn self_test() -> Result<()> {
    // SAFETY: any number is allowed.
    check(unsafe { sys::rijn_selftest(-1) })
}
