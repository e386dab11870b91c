// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
//! A certificate of our own, and configurations for both sides.
#![allow(dead_code)] // not every test uses all of it
use rustls::crypto::CryptoProvider;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{CipherSuite, ClientConfig, RootCertStore, ServerConfig, SupportedProtocolVersion};
use std::sync::Arc;

pub struct Identity {
    pub cert: CertificateDer<'static>,
    pub cert_pem: String,
    pub key: Vec<u8>,
    pub key_pem: String,
}

pub fn identity() -> Identity {
    let pair = rcgen::KeyPair::generate_for(&rcgen::PKCS_ECDSA_P256_SHA256).expect("a key");
    let params = rcgen::CertificateParams::new(vec!["localhost".to_owned()]).expect("a name");
    let cert = params.self_signed(&pair).expect("a certificate");
    Identity {
        cert: cert.der().clone(),
        cert_pem: cert.pem(),
        key: pair.serialize_der(),
        key_pem: pair.serialize_pem(),
    }
}

/// The provider below. bindings/rust/test/bases has these tests again, over the others.
#[allow(unexpected_cfgs)]
pub fn base() -> CryptoProvider {
    #[cfg(feature = "aws-lc-rs")]
    return rustls::crypto::aws_lc_rs::default_provider();
    #[cfg(feature = "graviola")]
    return rustls_graviola::default_provider();
    #[cfg(not(any(feature = "aws-lc-rs", feature = "graviola")))]
    rustls::crypto::ring::default_provider()
}

pub fn over() -> CryptoProvider {
    rustls_rijn::over(base())
}

/// The same provider with one suite.
pub fn only(provider: CryptoProvider, suite: CipherSuite) -> CryptoProvider {
    let cipher_suites: Vec<_> = provider.cipher_suites.iter().copied().filter(|s| s.suite() == suite).collect();
    assert_eq!(cipher_suites.len(), 1, "{suite:?}");
    CryptoProvider { cipher_suites, ..provider }
}

pub fn version(suite: CipherSuite) -> &'static SupportedProtocolVersion {
    match suite {
        CipherSuite::TLS13_AES_128_GCM_SHA256 | CipherSuite::TLS13_AES_256_GCM_SHA384 => &rustls::version::TLS13,
        _ => &rustls::version::TLS12,
    }
}

pub fn client(
    provider: CryptoProvider,
    identity: &Identity,
    versions: &[&'static SupportedProtocolVersion],
) -> ClientConfig {
    let mut roots = RootCertStore::empty();
    roots.add(identity.cert.clone()).expect("a certificate");
    ClientConfig::builder_with_provider(Arc::new(provider))
        .with_protocol_versions(versions)
        .expect("suites of these versions")
        .with_root_certificates(roots)
        .with_no_client_auth()
}

pub fn server(
    provider: CryptoProvider,
    identity: &Identity,
    versions: &[&'static SupportedProtocolVersion],
) -> ServerConfig {
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(identity.key.clone()));
    ServerConfig::builder_with_provider(Arc::new(provider))
        .with_protocol_versions(versions)
        .expect("suites of these versions")
        .with_no_client_auth()
        .with_single_cert(vec![identity.cert.clone()], key)
        .expect("a key for it")
}
