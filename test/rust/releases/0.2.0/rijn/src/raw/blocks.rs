// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
//! XTS, and AES on single blocks. What makes each call sound is in the head of `raw.rs`.
use super::{check, read, sys, AesKey, Text, XtsKey};
use crate::{Error, Result};
use core::ffi::c_void;

/// Which way a call of XTS goes.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Direction {
    Encrypt,
    Decrypt,
}

impl XtsKey {
    pub(crate) fn init(&mut self, raw: &[u8]) -> Result<()> {
        // SAFETY: see the head.
        check(unsafe { sys::rijn_xts_init(&mut self.0, read(raw), raw.len()) })
    }

    #[inline]
    pub(crate) fn unit(&self, way: Direction, text: Text<'_>, tweak: &[u8; 16]) -> Result<()> {
        let call = if way == Direction::Encrypt { sys::rijn_xts_encrypt } else { sys::rijn_xts_decrypt };
        // SAFETY: see the head.
        check(unsafe { call(&self.0, text.output.cast(), text.input.cast(), text.len, tweak.as_ptr()) })
    }

    #[inline]
    pub(crate) fn sectors(&self, way: Direction, text: Text<'_>, size: usize, first: u64, step: u64) -> Result<()> {
        let n = whole(text.len, size)?;
        let call =
            if way == Direction::Encrypt { sys::rijn_xts_encrypt_sectors } else { sys::rijn_xts_decrypt_sectors };
        // SAFETY: see the head; n sectors of that size are all of the text.
        check(unsafe { call(&self.0, text.output.cast(), text.input.cast(), size, n, first, step) })
    }

    #[inline]
    pub(crate) fn tweaks(&self, way: Direction, text: Text<'_>, size: usize, tweaks: &[[u8; 16]]) -> Result<()> {
        let n = whole(text.len, size)?;
        if n != tweaks.len() {
            return Err(Error::Length);
        }
        let call = if way == Direction::Encrypt { sys::rijn_xts_encrypt_tweaks } else { sys::rijn_xts_decrypt_tweaks };
        // SAFETY: see the head; there are as many tweaks as sectors.
        check(unsafe { call(&self.0, text.output.cast(), text.input.cast(), size, n, tweaks.as_ptr().cast()) })
    }
}

/// How many sectors of a size the text has.
fn whole(len: usize, size: usize) -> Result<usize> {
    match (len.checked_div(size), len.checked_rem(size)) {
        (Some(n), Some(0)) => Ok(n),
        (Some(_), Some(_)) => Err(Error::Length),
        _ => Err(Error::Sector),
    }
}

impl AesKey {
    fn init(&mut self, raw: &[u8]) -> Result<()> {
        // SAFETY: see the head; key and raw bytes are two borrows, so they do not overlap.
        check(unsafe { sys::rijn_aes_init(&mut self.0, read(raw), raw.len()) })
    }
}

/// AES itself on single blocks (FIPS 197): a building block, as for the header protection of QUIC, and no mode for data.
///
/// ```
/// let key = rijn::Block::new(&[0; 16])?;
/// let mut block = *b"sixteen bytes...";
/// key.encrypt(&mut block);
/// # assert_ne!(&block, b"sixteen bytes...");
/// # Ok::<(), rijn::Error>(())
/// ```
#[derive(Clone)]
pub struct Block(AesKey);

impl Block {
    /// A key of 16, 24 or 32 bytes; else [`Error::KeyLength`].
    pub fn new(key: &[u8]) -> Result<Self> {
        let mut block = Block(AesKey::EMPTY);
        block.0.init(key)?;
        Ok(block)
    }

    /// The same, made in a box: no copy of it was ever on the stack.
    #[cfg(feature = "alloc")]
    pub fn boxed(key: &[u8]) -> Result<alloc::boxed::Box<Self>> {
        let mut made = alloc::boxed::Box::new(Block(AesKey::EMPTY));
        made.0.init(key)?;
        Ok(made)
    }

    /// Encrypts a block in place.
    #[inline]
    pub fn encrypt(&self, block: &mut [u8; 16]) {
        let at: *mut c_void = block.as_mut_ptr().cast();
        // SAFETY: see the head.
        let code = unsafe { sys::rijn_ecb_encrypt(&self.0 .0, at, at, 1) };
        debug_assert_eq!(code, sys::RIJN_OK, "a key that was made, and one block");
    }
}

impl core::fmt::Debug for Block {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Block(..)")
    }
}
