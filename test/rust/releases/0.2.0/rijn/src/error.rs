// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
use core::ffi::c_int;
use core::fmt;

/// Why a call was refused, or that a message is not authentic. No variant has anything of a key, a text or a tag, or says
/// where two tags differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Error {
    /// The tag does not match: the message is not authentic. The output is zeros.
    Unauthentic,
    /// The raw key has not one of the lengths that the call takes.
    KeyLength,
    /// The nonce is empty, or has not the length that the construction has.
    NonceLength,
    /// The tag has not the length that the key makes, or no key makes tags of that length.
    TagLength,
    /// The text is longer than the mode's limit, no multiple that it needs, or output and input differ in length.
    Length,
    /// The associated data is longer than its limit.
    AadLength,
    /// `RIJN_IMPL` names an implementation that does not exist, or that this machine cannot run.
    Implementation,
    /// XTS: both halves of the raw key are equal.
    WeakKey,
    /// The key was never made or is wiped, or the stream has ended, or its associated data comes after text.
    State,
    /// The size of a sector is no power of two in 512..=65536, or the numbers of sectors pass 2^64.
    Sector,
    /// A known answer came out wrong: the build or the machine is broken.
    SelfTest,
    /// An error of the library that this version of the crate does not know.
    Other,
}

impl Error {
    #[cold]
    pub(crate) fn from_code(code: c_int) -> Error {
        match code {
            rijn_sys::RIJN_EAUTH => Error::Unauthentic,
            rijn_sys::RIJN_EKEYLEN => Error::KeyLength,
            rijn_sys::RIJN_ENONCELEN => Error::NonceLength,
            rijn_sys::RIJN_ETAGLEN => Error::TagLength,
            rijn_sys::RIJN_ELEN => Error::Length,
            rijn_sys::RIJN_EAADLEN => Error::AadLength,
            rijn_sys::RIJN_EIMPL => Error::Implementation,
            rijn_sys::RIJN_EWEAKKEY => Error::WeakKey,
            rijn_sys::RIJN_ESTATE => Error::State,
            rijn_sys::RIJN_ESECTOR => Error::Sector,
            rijn_sys::RIJN_ESELFTEST => Error::SelfTest,
            _ => Error::Other,
        }
    }

    fn text(self) -> &'static str {
        match self {
            Error::Unauthentic => "the message is not authentic",
            Error::KeyLength => "the key has a length that this mode does not take",
            Error::NonceLength => "the nonce has a length that this mode does not take",
            Error::TagLength => "the tag has not the length that belongs to the key",
            Error::Length => "the text has a length that this mode does not take, or another than the output",
            Error::AadLength => "the associated data is longer than the limit",
            Error::Implementation => "RIJN_IMPL names an implementation that this machine does not have",
            Error::WeakKey => "both halves of the XTS key are equal",
            Error::State => "the key or the stream is in no state for this call",
            Error::Sector => "the sector size is no power of two in 512..=65536, or the sector numbers pass 2^64",
            Error::SelfTest => "a known answer came out wrong",
            Error::Other => "an error that this version of the crate does not know",
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

impl core::error::Error for Error {}
