// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
use crate::{raw, Result};

/// The version of the C library, as "0.2.0".
pub fn version() -> &'static str {
    raw::version()
}

/// The implementation that new keys use, as "x86-vaes-avx2": the best that this machine runs, or the one that the
/// environment variable `RIJN_IMPL` names. [`Error::Implementation`](crate::Error::Implementation) where it names none.
pub fn implementation() -> Result<&'static str> {
    raw::impl_chosen()
}

/// The implementations of this build, best first, and whether this machine runs each.
pub fn implementations() -> impl Iterator<Item = (&'static str, bool)> {
    (0..raw::impl_count()).filter_map(|i| Some((raw::impl_name(i)?, raw::impl_supported(i))))
}

/// Known answers through every implementation that this machine runs; [`Error::SelfTest`](crate::Error::SelfTest) if one
/// comes out wrong.
pub fn self_test() -> Result<()> {
    raw::self_test()
}
