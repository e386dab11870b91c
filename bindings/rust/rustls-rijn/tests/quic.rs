// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
//! QUIC: packets and headers beside ring's, byte for byte; and quinn over loopback.
mod common;

use common::{client, identity, over, server};
use rustls::crypto::ring;
use rustls::quic::{DirectionalKeys, Keys, Version};
use rustls::{CipherSuite, Side, SupportedCipherSuite, Tls13CipherSuite};
use std::sync::Arc;

fn suite(provider: &rustls::crypto::CryptoProvider, name: CipherSuite) -> &'static Tls13CipherSuite {
    let found = provider.cipher_suites.iter().find(|suite| suite.suite() == name);
    match found {
        Some(SupportedCipherSuite::Tls13(suite)) => suite,
        _ => panic!("{name:?}"),
    }
}

fn keys(suite: &'static Tls13CipherSuite, side: Side) -> Keys {
    // RFC 9001, appendix A: the connection ID of its examples.
    let id = [0x83, 0x94, 0xc8, 0xf0, 0x3e, 0x51, 0x57, 0x08];
    Keys::initial(Version::V1, suite, suite.quic.expect("QUIC"), &id, side)
}

fn packets(own: &DirectionalKeys, base: &DirectionalKeys, remote: &DirectionalKeys) {
    for (number, len) in [0, 1, 16, 20, 1162, 1420, 60000].into_iter().enumerate() {
        let (number, header) = (number as u64 * 0x1_0000_0001, [0xc3; 18]);
        let text: Vec<u8> = (0..len).map(|i| i as u8).collect();
        for path in [None, Some(7)] {
            let (mut one, mut two) = (text.clone(), text.clone());
            let (tag, want) = match path {
                None => (
                    own.packet.encrypt_in_place(number, &header, &mut one),
                    base.packet.encrypt_in_place(number, &header, &mut two),
                ),
                Some(path) => (
                    own.packet.encrypt_in_place_for_path(path, number, &header, &mut one),
                    base.packet.encrypt_in_place_for_path(path, number, &header, &mut two),
                ),
            };
            one.extend(tag.expect("short").as_ref());
            two.extend(want.expect("short").as_ref());
            assert!(one == two, "{len} bytes, path {path:?}");
            let mut bad = one.clone();
            bad[len] ^= 1;
            let opened = match path {
                None => remote.packet.decrypt_in_place(number, &header, &mut one),
                Some(path) => remote.packet.decrypt_in_place_for_path(path, number, &header, &mut one),
            };
            assert_eq!(opened.expect("authentic"), text);
            assert!(remote.packet.decrypt_in_place(number, &header, &mut bad).is_err());
        }
    }
    assert!(remote.packet.decrypt_in_place(0, &[], &mut [0; 15]).is_err());
    assert_eq!(own.packet.tag_len(), base.packet.tag_len());
    assert_eq!(own.packet.confidentiality_limit(), base.packet.confidentiality_limit());
    assert_eq!(own.packet.integrity_limit(), base.packet.integrity_limit());
}

fn headers(own: &DirectionalKeys, base: &DirectionalKeys) {
    assert_eq!(own.header.sample_len(), base.header.sample_len());
    for i in 0..=255_u8 {
        let sample: [u8; 16] = std::array::from_fn(|k| i ^ (k as u8 * 11));
        for len in 1..=4 {
            let (mut one, mut two) = ((i, vec![i; len]), (i, vec![i; len]));
            own.header.encrypt_in_place(&sample, &mut one.0, &mut one.1).expect("a sample");
            base.header.encrypt_in_place(&sample, &mut two.0, &mut two.1).expect("a sample");
            assert_eq!(one, two);
            own.header.decrypt_in_place(&sample, &mut one.0, &mut one.1).expect("a sample");
            base.header.decrypt_in_place(&sample, &mut two.0, &mut two.1).expect("a sample");
            assert_eq!(one, two);
            if len > usize::from(i & 3) {
                assert_eq!(one, (i, vec![i; len]));
            }
        }
    }
    let (mut first, mut number) = (0xc3, [1; 5]);
    assert!(own.header.encrypt_in_place(&[0; 15], &mut first, &mut number[..4]).is_err());
    assert!(own.header.encrypt_in_place(&[0; 16], &mut first, &mut number).is_err());
    assert_eq!((first, number), (0xc3, [1; 5]));
}

#[test]
fn as_ring_does_it() {
    for name in [CipherSuite::TLS13_AES_128_GCM_SHA256, CipherSuite::TLS13_AES_256_GCM_SHA384] {
        let (own, base) = (suite(&over(), name), suite(&ring::default_provider(), name));
        let (client, server) = (keys(own, Side::Client), keys(own, Side::Server));
        let theirs = keys(base, Side::Client);
        packets(&client.local, &theirs.local, &server.remote);
        headers(&client.local, &theirs.local);
        headers(&client.remote, &theirs.remote);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn quinn_over_loopback() {
    let identity = identity();
    let versions = [&rustls::version::TLS13];
    let server = quinn::crypto::rustls::QuicServerConfig::try_from(server(over(), &identity, &versions));
    let server = quinn::ServerConfig::with_crypto(Arc::new(server.expect("a suite for the first packets")));
    let server = quinn::Endpoint::server(server, "127.0.0.1:0".parse().expect("an address")).expect("loopback");
    let to = server.local_addr().expect("bound");
    let config = quinn::crypto::rustls::QuicClientConfig::try_from(client(over(), &identity, &versions));
    let config = quinn::ClientConfig::new(Arc::new(config.expect("a suite for the first packets")));
    let mut client = quinn::Endpoint::client("127.0.0.1:0".parse().expect("an address")).expect("loopback");
    client.set_default_client_config(config);

    let echo = tokio::spawn(async move {
        let connection = server.accept().await.expect("one comes").await.expect("a handshake");
        let (mut send, mut receive) = connection.accept_bi().await.expect("a stream");
        let text = receive.read_to_end(2 << 20).await.expect("all of it");
        send.write_all(&text).await.expect("an open stream");
        send.finish().expect("an open stream");
        connection.closed().await;
    });
    let text: Vec<u8> = (0..1_u32 << 20).map(|i| (i >> 3) as u8).collect();
    let connection = client.connect(to, "localhost").expect("a name").await.expect("a handshake");
    let (mut send, mut receive) = connection.open_bi().await.expect("a stream");
    send.write_all(&text).await.expect("an open stream");
    send.finish().expect("an open stream");
    let back = receive.read_to_end(2 << 20).await.expect("all of it");
    assert!(back == text);
    connection.close(0_u32.into(), b"done");
    echo.await.expect("the server ends");
}
