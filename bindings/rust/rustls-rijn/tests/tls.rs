// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
//! Connections in memory, each suite, over and beside the base's own provider; records that were changed; what is kept.
mod common;

use common::{base, client, identity, only, over, server, version};
use rustls::crypto::CryptoProvider;
use rustls::{CipherSuite, ClientConnection, Error, ServerConnection, SupportedCipherSuite};
use std::io::{Read, Write};
use std::sync::Arc;

const SUITES: [CipherSuite; 4] = [
    CipherSuite::TLS13_AES_128_GCM_SHA256,
    CipherSuite::TLS13_AES_256_GCM_SHA384,
    CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,
    CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,
];

type Pair = (ClientConnection, ServerConnection);

fn connect(client_side: CryptoProvider, server_side: CryptoProvider, suite: CipherSuite) -> Pair {
    let (identity, versions) = (identity(), [version(suite)]);
    let mut client = client(only(client_side, suite), &identity, &versions);
    let mut server = server(only(server_side, suite), &identity, &versions);
    (client.enable_secret_extraction, server.enable_secret_extraction) = (true, true);
    let name = "localhost".try_into().expect("a name");
    let mut pair = (
        ClientConnection::new(Arc::new(client), name).expect("a configuration"),
        ServerConnection::new(Arc::new(server)).expect("a configuration"),
    );
    for _ in 0..10 {
        carry(&mut pair, |_| ()).expect("a handshake");
    }
    assert!(!pair.0.is_handshaking() && !pair.1.is_handshaking());
    assert_eq!(pair.0.negotiated_cipher_suite().map(|s| s.suite()), Some(suite));
    pair
}

/// Carries what each side has to say to the other; `change` may change what comes from the client.
fn carry(pair: &mut Pair, change: impl Fn(&mut Vec<u8>)) -> Result<(), Error> {
    let mut wire = Vec::new();
    while pair.0.wants_write() {
        pair.0.write_tls(&mut wire).expect("memory");
    }
    change(&mut wire);
    let mut rest = &wire[..];
    while !rest.is_empty() {
        pair.1.read_tls(&mut rest).expect("memory");
        pair.1.process_new_packets()?;
    }
    let mut wire = Vec::new();
    while pair.1.wants_write() {
        pair.1.write_tls(&mut wire).expect("memory");
    }
    let mut rest = &wire[..];
    while !rest.is_empty() {
        pair.0.read_tls(&mut rest).expect("memory");
        pair.0.process_new_packets()?;
    }
    Ok(())
}

fn talk(pair: &mut Pair) {
    for len in [1, 15, 16, 17, 100, 1400, 5000, 16383, 16384, 50000] {
        let text: Vec<u8> = (0..len).map(|i| (i * 13 >> 2) as u8).collect();
        let (mut there, mut back) = (vec![0; len], vec![0; len]);
        // A side holds as much as a record until somebody reads.
        for ((text, there), back) in text.chunks(16384).zip(there.chunks_mut(16384)).zip(back.chunks_mut(16384)) {
            pair.0.writer().write_all(text).expect("room");
            carry(pair, |_| ()).expect("records");
            pair.1.reader().read_exact(there).expect("all of it");
            pair.1.writer().write_all(there).expect("room");
            carry(pair, |_| ()).expect("records");
            pair.0.reader().read_exact(back).expect("all of it");
        }
        assert!(there == text && back == text, "{len} bytes");
    }
}

#[test]
fn every_suite_both_ways() {
    for suite in SUITES {
        for (client_over, server_over) in [(true, true), (true, false), (false, true)] {
            let provider = |rijn| if rijn { over() } else { base() };
            talk(&mut connect(provider(client_over), provider(server_over), suite));
        }
    }
}

#[test]
fn changed_records_are_refused() {
    for suite in SUITES {
        // The header's length, the explicit nonce of TLS 1.2, the text, the tag.
        for at in [3, 6, 30, 999] {
            let mut pair = connect(over(), over(), suite);
            pair.0.writer().write_all(&[7; 100]).expect("room");
            let changed = carry(&mut pair, |wire| {
                let at = at.min(wire.len() - 1);
                wire[at] ^= 1;
            });
            assert!(at == 3 || changed == Err(Error::DecryptError), "{suite:?} {at}: {changed:?}");
            assert!(pair.1.reader().read(&mut [0; 200]).map_or(true, |n| n == 0), "nothing of it comes out");
        }
        let mut pair = connect(over(), over(), suite);
        pair.0.writer().write_all(&[7; 100]).expect("room");
        let cut = carry(&mut pair, |wire| {
            wire.truncate(5 + 15); // shorter than a tag
            wire[3..5].copy_from_slice(&[0, 15]);
        });
        assert_eq!(cut, Err(Error::DecryptError));
    }
}

#[test]
fn secrets_can_be_extracted() {
    for suite in SUITES {
        let (client, server) = connect(over(), over(), suite);
        let (client, server) = (client.dangerous_extract_secrets(), server.dangerous_extract_secrets());
        let (client, server) = (client.expect("AES-GCM"), server.expect("AES-GCM"));
        let bytes = |secrets: rustls::ConnectionTrafficSecrets| match secrets {
            rustls::ConnectionTrafficSecrets::Aes128Gcm { key, iv } => {
                (key.as_ref()[..16].to_vec(), iv.as_ref().to_vec())
            }
            rustls::ConnectionTrafficSecrets::Aes256Gcm { key, iv } => (key.as_ref().to_vec(), iv.as_ref().to_vec()),
            _ => panic!("{suite:?} is AES-GCM"),
        };
        let ((client_seq, client), (server_seq, server)) = (client.tx, server.rx);
        let ((client_key, client_iv), (server_key, server_iv)) = (bytes(client), bytes(server));
        assert_eq!((client_seq, client_key), (server_seq, server_key));
        let salt = if version(suite).version == rustls::ProtocolVersion::TLSv1_2 { 4 } else { 12 };
        assert_eq!(client_iv[..salt], server_iv[..salt]);
    }
}

fn place(suite: &SupportedCipherSuite) -> *const () {
    match suite {
        SupportedCipherSuite::Tls12(suite) => (*suite as *const rustls::Tls12CipherSuite).cast(),
        SupportedCipherSuite::Tls13(suite) => (*suite as *const rustls::Tls13CipherSuite).cast(),
    }
}

#[test]
fn all_else_is_the_base() {
    let (base, over) = (base(), over());
    assert_eq!(base.cipher_suites.len(), over.cipher_suites.len());
    let mut replaced = 0;
    for (base, over) in base.cipher_suites.iter().zip(&over.cipher_suites) {
        assert_eq!(base.suite(), over.suite(), "the order is the base's");
        let gcm = format!("{:?}", base.suite()).contains("_GCM_");
        assert_eq!(place(base) != place(over), gcm, "{base:?}");
        replaced += usize::from(gcm);
        if let (SupportedCipherSuite::Tls13(base), SupportedCipherSuite::Tls13(over)) = (base, over) {
            assert_eq!(base.common.confidentiality_limit, over.common.confidentiality_limit);
            assert_eq!(over.quic.is_some(), gcm || base.quic.is_some());
        }
    }
    assert_eq!(replaced, 6);
    let groups = |p: &CryptoProvider| p.kx_groups.iter().map(|group| group.name()).collect::<Vec<_>>();
    assert_eq!(groups(&base), groups(&over));
    assert!(!over.fips());
    let (again, twice) = (common::over(), rustls_rijn::over(common::over()));
    let places = |p: &CryptoProvider| p.cipher_suites.iter().map(place).collect::<Vec<_>>();
    assert_eq!(places(&over), places(&again), "a suite is made once");
    assert_eq!(places(&over), places(&twice), "over what is over already");
}
