// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
use crate::raw::{Stream, Text};
use crate::{Gcm, Result};

/// Encrypts a message in pieces: any number of [`aad`](Self::aad), any number of updates, [`finish`](Self::finish).
/// Slower than one call. Dropping it wipes it.
///
/// ```
/// let key = rijn::Gcm::new(&[7; 16])?;
/// let mut text = *b"a message that comes in pieces";
/// let mut stream = key.encryptor(&[0; 12])?;
/// stream.aad(b"to: all")?;
/// for piece in text.chunks_mut(7) {
///     stream.update_in_place(piece)?;
/// }
/// let mut tag = [0; 16];
/// stream.finish(&mut tag)?;
/// key.open_in_place(&[0; 12], b"to: all", &mut text, &tag)?;
/// # Ok::<(), rijn::Error>(())
/// ```
pub struct Encryptor<'k> {
    key: &'k Gcm,
    stream: Stream<'k>,
}

impl<'k> Encryptor<'k> {
    pub(crate) fn new(key: &'k Gcm, nonce: &[u8]) -> Result<Self> {
        Ok(Encryptor { key, stream: Stream::to_seal(&key.0, nonce)? })
    }

    /// More associated data; [`Error::State`](crate::Error::State) after text, which ends the stream.
    pub fn aad(&mut self, aad: &[u8]) -> Result<()> {
        self.stream.aad(aad)
    }

    /// Encrypts the next piece where it is.
    pub fn update_in_place(&mut self, piece: &mut [u8]) -> Result<()> {
        self.stream.update(Text::in_place(piece))
    }

    /// Encrypts the next piece from `input` into `output`, which has the same length.
    pub fn update(&mut self, input: &[u8], output: &mut [u8]) -> Result<()> {
        self.stream.update(Text::between(input, output)?)
    }

    /// Ends the message and writes its tag.
    pub fn finish(mut self, tag: &mut [u8]) -> Result<()> {
        self.stream.seal_finish(&self.key.0, tag)
    }
}

/// Decrypts a message in pieces. **What it hands out is not verified** until [`finish`](Self::finish) returns `Ok`: until
/// then do not act on it, and if it fails, throw all of it away.
pub struct Decryptor<'k> {
    key: &'k Gcm,
    stream: Stream<'k>,
}

impl<'k> Decryptor<'k> {
    pub(crate) fn new(key: &'k Gcm, nonce: &[u8]) -> Result<Self> {
        Ok(Decryptor { key, stream: Stream::to_open(&key.0, nonce)? })
    }

    /// More associated data; [`Error::State`](crate::Error::State) after text, which ends the stream.
    pub fn aad(&mut self, aad: &[u8]) -> Result<()> {
        self.stream.aad(aad)
    }

    /// Decrypts the next piece where it is; the text is not verified.
    pub fn update_unverified_in_place(&mut self, piece: &mut [u8]) -> Result<()> {
        self.stream.update(Text::in_place(piece))
    }

    /// Decrypts the next piece from `input` into `output`, which has the same length; the text is not verified.
    pub fn update_unverified(&mut self, input: &[u8], output: &mut [u8]) -> Result<()> {
        self.stream.update(Text::between(input, output)?)
    }

    /// Ends the message and checks its tag: [`Error::Unauthentic`](crate::Error::Unauthentic) means that all text that was
    /// handed out has to be thrown away.
    pub fn finish(mut self, tag: &[u8]) -> Result<()> {
        self.stream.open_finish(&self.key.0, tag)
    }
}

macro_rules! debug {
    ($($name:ident)*) => {$(
        impl core::fmt::Debug for $name<'_> {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str(concat!(stringify!($name), "(..)"))
            }
        }
        impl zeroize::ZeroizeOnDrop for $name<'_> {}
    )*};
}
debug!(Encryptor Decryptor);
