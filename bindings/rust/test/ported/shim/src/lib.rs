// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
//! What programs for the crate aes-gcm get in its place.
#![no_std]
pub use rijn::aes_gcm_0_10::*;
