// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
//! Programs for the crate aes-gcm compile and answer alike when its name is Rijn's module.
mod theirs_0_11 {
    use aes_gcm_0_11 as aes_gcm;
    include!("programs/aes_gcm_0_11.rs");
}
mod ours_0_11 {
    use rijn::aes_gcm;
    include!("programs/aes_gcm_0_11.rs");
}
mod theirs_0_10 {
    use aes_gcm;
    include!("programs/aes_gcm_0_10.rs");
}
mod ours_0_10 {
    use rijn::aes_gcm_0_10 as aes_gcm;
    include!("programs/aes_gcm_0_10.rs");
}

#[test]
fn programs_for_0_11() {
    assert_eq!(theirs_0_11::run(), ours_0_11::run());
}

#[test]
fn programs_for_0_10() {
    assert_eq!(theirs_0_10::run(), ours_0_10::run());
}
