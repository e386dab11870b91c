// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
//! What was reported of other libraries.
use aes_gcm::aead::{consts::U16, AeadInPlace, KeyInit};
use rijn::{Error, Gcm};

/// A tag shorter than 16 bytes is written to no more bytes than it has.
#[test]
fn a_short_tag_ends_where_it_ends() {
    for tag_len in [4, 8, 12, 13, 14, 15] {
        let key = Gcm::with_tag_len(&[1; 32], tag_len).expect("a length that is allowed");
        for len in [0, 1, 15, 16, 64, 100, 1420, 17000] {
            let (text, mut here, mut there) = (vec![7; len], vec![7; len], vec![0; len]);
            let (mut one, mut two, mut three) = ([0xa5; 32], [0xa5; 32], [0xa5; 32]);
            key.seal_in_place(&[2; 12], b"aad", &mut here, &mut one[..tag_len]).expect("short");
            key.seal(&[2; 12], b"aad", &text, &mut there, &mut two[..tag_len]).expect("short");
            let mut stream = key.encryptor(&[2; 12]).expect("a nonce");
            stream.aad(b"aad").expect("before text");
            stream.update(&text, &mut there).expect("short");
            stream.finish(&mut three[..tag_len]).expect("a tag's length");
            assert_eq!((one, two), (two, three));
            assert!(one[tag_len..].iter().all(|b| *b == 0xa5), "tag of {tag_len}, text of {len}");
            let sealed = key.seal_to_vec(&[2; 12], b"aad", &text).expect("short");
            assert_eq!(sealed, [&here[..], &one[..tag_len]].concat());
        }
    }
}

/// A tag that is shorter than the key's is refused, though it is the beginning of the right one.
#[test]
fn a_cut_tag_is_none() {
    for tag_len in [4, 8, 12, 16] {
        let key = Gcm::with_tag_len(&[1; 32], tag_len).expect("a length that is allowed");
        let sealed = key.seal_to_vec(&[2; 12], b"", &[7; 20]).expect("short");
        let (text, tag) = sealed.split_at(20);
        for less in 0..tag_len {
            let mut out = [1; 20];
            assert_eq!(key.open(&[2; 12], b"", text, &mut out, &tag[..less]), Err(Error::TagLength));
            assert_eq!(out, [1; 20]);
            assert_eq!(key.open_to_vec(&[2; 12], b"", &sealed[..20 + less]), Err(Error::Unauthentic));
        }
    }
}

/// Nonces of 16 bytes whose counters begin with 2^32 - 1, - 2, - 16, - 64 and - 128.
#[test]
fn counters_wrap() {
    let raw: [u8; 32] = core::array::from_fn(|i| i as u8);
    let oracle = aes_gcm::AesGcm::<aes_gcm::aes::Aes256, U16>::new(&raw.into());
    let key = Gcm::new(&raw).expect("32 bytes");
    for nonce in [
        0x15316b6dc8251865bf54f98a24e2eb9e_u128,
        0x8db93b7232bdcaee187da59ac570d0c2,
        0x12ca5bcdf929b18af3c08d7f8c8d91ee,
        0x614559cd03bec844647ece6da7e94fbb,
        0x65515e33a58a6aadae29ca55c3679888,
    ] {
        for len in [0, 1, 16, 17, 100, 1000, 3000, 20000] {
            let nonce = nonce.to_be_bytes();
            let mut want = vec![3; len];
            let tag = oracle.encrypt_in_place_detached(&nonce.into(), b"aad", &mut want).expect("short");
            let sealed = key.seal_to_vec(&nonce, b"aad", &vec![3; len]).expect("short");
            assert_eq!(sealed, [&want[..], &tag[..]].concat(), "{len} bytes");
            assert_eq!(key.open_to_vec(&nonce, b"aad", &sealed), Ok(vec![3; len]));
        }
    }
}
