// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod quic;
#[cfg(feature = "tls12")]
mod tls12;
mod tls13;

use rustls::crypto::CryptoProvider;
use rustls::{CipherSuite, SupportedCipherSuite};
use std::sync::Mutex;

/// The provider `base` with the AES-GCM of Rijn: its suites of TLS 1.3 (and, with the feature `tls12`, TLS 1.2) that name
/// AES-GCM compute by Rijn, and so do packets and their headers in QUIC, also where `base` has no QUIC, as graviola's.
/// Everything else is `base`'s: order and other suites, key exchange, signatures, hashes, random numbers.
///
/// A suite in rustls lives as long as the program. So each suite of a base is made once, and calling this again with the
/// same base takes no more memory.
///
/// The suites say that they are not FIPS.
///
/// # Panics
///
/// If Rijn cannot be used: its known answers come out wrong, or the environment variable `RIJN_IMPL` names an
/// implementation that this machine lacks. So a handshake that has begun does not fail by it.
pub fn over(base: CryptoProvider) -> CryptoProvider {
    if let Err(error) = rijn::implementation().and_then(|_| rijn::self_test()) {
        panic!("rustls-rijn: {error}");
    }
    CryptoProvider { cipher_suites: base.cipher_suites.iter().map(|suite| replace(*suite)).collect(), ..base }
}

/// What was replaced, and by what.
static MADE: Mutex<Vec<(SupportedCipherSuite, SupportedCipherSuite)>> = Mutex::new(Vec::new());

/// The same suite as a place in memory: suites compare by their name alone, and every base has its own.
fn same(one: SupportedCipherSuite, other: SupportedCipherSuite) -> bool {
    match (one, other) {
        #[cfg(feature = "tls12")]
        (SupportedCipherSuite::Tls12(one), SupportedCipherSuite::Tls12(other)) => std::ptr::eq(one, other),
        (SupportedCipherSuite::Tls13(one), SupportedCipherSuite::Tls13(other)) => std::ptr::eq(one, other),
        #[allow(unreachable_patterns)]
        _ => false,
    }
}

fn replace(suite: SupportedCipherSuite) -> SupportedCipherSuite {
    let Some(size) = key_size(suite.suite()) else { return suite };
    let mut made = MADE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    // What was made before comes back as it is, also as a base's own suite.
    if let Some((_, new)) = made.iter().find(|(base, new)| same(*base, suite) || same(*new, suite)) {
        return *new;
    }
    let new = match suite {
        #[cfg(feature = "tls12")]
        SupportedCipherSuite::Tls12(base) => SupportedCipherSuite::Tls12(Box::leak(Box::new(tls12::suite(base, size)))),
        SupportedCipherSuite::Tls13(base) => SupportedCipherSuite::Tls13(Box::leak(Box::new(tls13::suite(base, size)))),
        #[allow(unreachable_patterns)]
        _ => return suite,
    };
    made.push((suite, new));
    new
}

#[derive(Clone, Copy)]
enum KeySize {
    Aes128,
    Aes256,
}

impl KeySize {
    fn bytes(self) -> usize {
        match self {
            KeySize::Aes128 => 16,
            KeySize::Aes256 => 32,
        }
    }
}

fn key_size(suite: CipherSuite) -> Option<KeySize> {
    match suite {
        CipherSuite::TLS13_AES_128_GCM_SHA256
        | CipherSuite::TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256
        | CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256 => Some(KeySize::Aes128),
        CipherSuite::TLS13_AES_256_GCM_SHA384
        | CipherSuite::TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384
        | CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384 => Some(KeySize::Aes256),
        _ => None,
    }
}

const TAG: usize = rijn::TAG_LEN;

/// rustls gives keys of the length that the suite named, and `over` has seen that keys can be made.
fn key(raw: &rustls::crypto::cipher::AeadKey) -> Box<rijn::Gcm> {
    rijn::Gcm::boxed(raw.as_ref()).expect("a key of 16 or 32 bytes, and an implementation that was there before")
}

fn secrets(
    size: KeySize,
    key: rustls::crypto::cipher::AeadKey,
    iv: rustls::crypto::cipher::Iv,
) -> rustls::ConnectionTrafficSecrets {
    match size {
        KeySize::Aes128 => rustls::ConnectionTrafficSecrets::Aes128Gcm { key, iv },
        KeySize::Aes256 => rustls::ConnectionTrafficSecrets::Aes256Gcm { key, iv },
    }
}
