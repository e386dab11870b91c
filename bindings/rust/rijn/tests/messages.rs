// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
//! Messages: Wycheproof, the crate aes-gcm as oracle, all ways of one message, and bad input.
use aes_gcm::aead::{AeadInPlace, KeyInit};
use proptest::collection::vec;
use proptest::prelude::*;
use rijn::{Aes128Gcm, Aes192Gcm, Aes256Gcm, Error, Gcm, Open, Run, RunMut, Seal};
use wycheproof::aead::{TestName, TestSet};
use wycheproof::TestResult;

type Oracle192 = aes_gcm::AesGcm<aes::Aes192, aes_gcm::aead::consts::U12>;

#[test]
fn wycheproof() {
    let set = TestSet::load(TestName::AesGcm).expect("the crate has it");
    let (mut valid, mut invalid) = (0, 0);
    for group in &set.test_groups {
        for test in &group.tests {
            let key = Gcm::with_tag_len(&test.key, group.tag_size / 8).expect("all keys and tags are allowed ones");
            let (mut text, mut tag) = (test.ct.to_vec(), [0; 16]);
            let opened = key.open_in_place(&test.nonce, &test.aad, &mut text, &test.tag);
            if test.result == TestResult::Invalid {
                assert!(opened.is_err(), "{}: {}", test.tc_id, test.comment);
                assert!(opened == Err(Error::NonceLength) || text.iter().all(|b| *b == 0), "{}", test.tc_id);
                invalid += 1;
                continue;
            }
            assert_eq!((opened, &text[..]), (Ok(()), &test.pt[..]), "{}", test.tc_id);
            let tag = &mut tag[..group.tag_size / 8];
            key.seal_in_place(&test.nonce, &test.aad, &mut text, tag).expect("as the other way");
            assert_eq!((&text[..], &tag[..]), (&test.ct[..], &test.tag[..]), "{}", test.tc_id);
            valid += 1;
        }
    }
    assert!(valid > 150 && invalid > 50, "{valid} valid ones and {invalid} others");
}

#[test]
fn wycheproof_gcm_siv() {
    let set = TestSet::load(TestName::AesGcmSiv).expect("the crate has it");
    let (mut valid, mut invalid) = (0, 0);
    for test in set.test_groups.iter().flat_map(|group| &group.tests) {
        let Ok(nonce) = test.nonce[..].try_into() else { continue };
        let Ok(tag) = test.tag[..].try_into() else { continue };
        let (mut text, mut again) = (test.ct.to_vec(), test.pt.to_vec());
        let (opened, sealed) = match test.key.len() {
            16 => {
                let key = rijn::Aes128GcmSiv::new(test.key[..].try_into().expect("16")).expect("an implementation");
                (key.decrypt(nonce, &test.aad, &mut text, tag), key.encrypt(nonce, &test.aad, &mut again))
            }
            _ => {
                let key = rijn::Aes256GcmSiv::new(test.key[..].try_into().expect("32")).expect("an implementation");
                (key.decrypt(nonce, &test.aad, &mut text, tag), key.encrypt(nonce, &test.aad, &mut again))
            }
        };
        if test.result == TestResult::Invalid {
            assert_eq!(opened, Err(Error::Unauthentic), "{}: {}", test.tc_id, test.comment);
            assert!(text.iter().all(|b| *b == 0));
            invalid += 1;
        } else {
            assert_eq!((opened, &text[..]), (Ok(()), &test.pt[..]), "{}", test.tc_id);
            assert_eq!((sealed, &again[..]), (Ok(*tag), &test.ct[..]), "{}", test.tc_id);
            valid += 1;
        }
    }
    assert!(valid > 100 && invalid > 40, "{valid} valid ones and {invalid} others");
}

/// C2SP, XAES-256-GCM: its two examples.
#[test]
fn xaes() {
    for (byte, aad, want) in [
        (1, &b""[..], "ce546ef63c9cc60765923609b33a9a1974e96e52daf2fcf7075e2271"),
        (3, b"c2sp.org/XAES-256-GCM", "986ec1832593df5443a179437fd083bf3fdb41abd740a21f71eb769d"),
    ] {
        let key = rijn::Xaes256Gcm::new(&[byte; 32]).expect("an implementation");
        let (nonce, mut text) = (b"ABCDEFGHIJKLMNOPQRSTUVWX", *b"XAES-256-GCM");
        let tag = key.encrypt(nonce, aad, &mut text).expect("short");
        let got: String = text.iter().chain(&tag).map(|b| format!("{b:02x}")).collect();
        assert_eq!(got, want);
        let mut bad = text;
        key.decrypt(nonce, aad, &mut text, &tag).expect("authentic");
        assert_eq!(&text, b"XAES-256-GCM");
        bad[0] ^= 1;
        assert_eq!(key.decrypt(nonce, aad, &mut bad, &tag), Err(Error::Unauthentic));
        use rijn::aead::{AeadInOut, KeyInit};
        let key = <rijn::Xaes256Gcm as KeyInit>::new(&[byte; 32].into());
        let by_trait = key.encrypt_inout_detached(&(*nonce).into(), aad, text.as_mut_slice().into()).expect("short");
        assert_eq!(by_trait[..], tag);
    }
}

fn oracle(key: &[u8], nonce: &[u8], aad: &[u8], text: &mut [u8]) -> [u8; 16] {
    let nonce = aes_gcm::Nonce::from_slice(nonce);
    match key.len() {
        16 => aes_gcm::Aes128Gcm::new_from_slice(key).expect("16").encrypt_in_place_detached(nonce, aad, text),
        24 => Oracle192::new_from_slice(key).expect("24").encrypt_in_place_detached(nonce, aad, text),
        _ => aes_gcm::Aes256Gcm::new_from_slice(key).expect("32").encrypt_in_place_detached(nonce, aad, text),
    }
    .expect("short")
    .into()
}

/// By the type of one size of key, and by the traits of both versions of aead.
macro_rules! typed {
    ($name:ident, $key:expr, $nonce:expr, $aad:expr, $text:expr) => {{
        let (nonce, aad, text): ([u8; 12], &[u8], &[u8]) = ($nonce, $aad, $text);
        let raw: [u8; $name::KEY_LEN] = $key.try_into().expect("its length");
        let key = $name::boxed(&raw).expect("an implementation");
        let mut here = text.to_vec();
        let tag = key.encrypt(&nonce, aad, &mut here).expect("short");
        let (mut there, mut back) = (vec![1; text.len()], vec![1; text.len()]);
        assert_eq!(key.encrypt_to(&nonce, aad, text, &mut there), Ok(tag));
        assert_eq!(key.decrypt_to(&nonce, aad, &there, &mut back, &tag), Ok(()));
        assert_eq!((&there, &back[..]), (&here, text));
        {
            use rijn::aead::{AeadInOut, KeyInit};
            let key = <$name as KeyInit>::new(&raw.into());
            let mut by6 = text.to_vec();
            let tag6 = key.encrypt_inout_detached(&nonce.into(), aad, by6.as_mut_slice().into()).expect("short");
            assert_eq!((&by6, &tag6[..]), (&here, &tag[..]));
            let mut apart = vec![0; text.len()];
            let inout = rijn::aead::inout::InOutBuf::new(text, &mut apart).expect("one length");
            assert_eq!(key.encrypt_inout_detached(&nonce.into(), aad, inout).expect("short")[..], tag);
            assert_eq!(apart, here);
            key.decrypt_inout_detached(&nonce.into(), aad, by6.as_mut_slice().into(), &tag6).expect("authentic");
            assert_eq!(by6, text);
        }
        #[cfg(feature = "aead05")]
        {
            use rijn::aead05::{AeadInPlace, KeyInit};
            let key = <$name as KeyInit>::new(&raw.into());
            let mut by5 = text.to_vec();
            let tag5 = key.encrypt_in_place_detached(&nonce.into(), aad, &mut by5).expect("short");
            assert_eq!((&by5, &tag5[..]), (&here, &tag[..]));
            key.decrypt_in_place_detached(&nonce.into(), aad, &mut by5, &tag5).expect("authentic");
            assert_eq!(by5, text);
        }
        let mut zeros = here.clone();
        let mut bad = tag;
        bad[15] ^= 1;
        assert_eq!(key.decrypt(&nonce, aad, &mut zeros, &bad), Err(Error::Unauthentic));
        assert!(zeros.iter().all(|b| *b == 0));
        (here, tag)
    }};
}

fn message() -> impl Strategy<Value = (Vec<u8>, [u8; 12], Vec<u8>, Vec<u8>)> {
    let key = prop_oneof![Just(16_usize), Just(24), Just(32)].prop_flat_map(|n| vec(any::<u8>(), n));
    let len = prop_oneof![0..300_usize, 300..3000_usize, 16000..20000_usize];
    (key, any::<[u8; 12]>(), vec(any::<u8>(), 0..100), len.prop_flat_map(|n| vec(any::<u8>(), n)))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn one_message_in_all_ways((raw, nonce, aad, text) in message(), cut in any::<prop::sample::Index>()) {
        let mut want = text.clone();
        let tag = oracle(&raw, &nonce, &aad, &mut want);
        let got = match raw.len() {
            16 => typed!(Aes128Gcm, raw.as_slice(), nonce, &aad, &text),
            24 => typed!(Aes192Gcm, raw.as_slice(), nonce, &aad, &text),
            _ => typed!(Aes256Gcm, raw.as_slice(), nonce, &aad, &text),
        };
        prop_assert!(got == (want.clone(), tag));

        let key = Gcm::new(&raw).expect("a length that is allowed");
        let sealed = key.seal_to_vec(&nonce, &aad, &text).expect("short");
        prop_assert!(sealed == [&want[..], &tag[..]].concat());
        prop_assert!(key.open_to_vec(&nonce, &aad, &sealed).as_ref() == Ok(&text));

        let cut = cut.index(text.len() + 1);
        let (mut runs, mut made) = (text.clone(), [0; 16]);
        let (one, two) = runs.split_at_mut(cut);
        let parts = [Run::new(&aad[..aad.len() / 2]), Run::new(&aad[aad.len() / 2..])];
        key.seal_runs(&nonce, &parts, &mut [RunMut::new(one), RunMut::new(two)], &mut made).expect("short");
        prop_assert!((&runs, made) == (&want, tag));
        let mut back = vec![0; text.len()];
        let input = [Run::new(&want[..cut]), Run::new(&want[cut..])];
        key.open_runs_into(&nonce, &parts, &input, &mut [RunMut::new(&mut back)], &tag).expect("authentic");
        prop_assert!(back == text);

        let (mut pieces, mut made) = (text.clone(), [0; 16]);
        let mut stream = key.encryptor(&nonce).expect("a nonce");
        stream.aad(&aad).expect("before text");
        stream.update_in_place(&mut pieces[..cut]).expect("short");
        stream.update(&text[cut..], &mut pieces[cut..]).expect("short");
        stream.finish(&mut made).expect("a tag's length");
        prop_assert!((&pieces, made) == (&want, tag));
        let mut stream = key.decryptor(&nonce).expect("a nonce");
        stream.aad(&aad).expect("before text");
        stream.update_unverified_in_place(&mut pieces).expect("short");
        stream.finish(&tag).expect("authentic");
        prop_assert!(pieces == text);
    }

    #[test]
    fn batches_and_rows(raw in any::<[u8; 32]>(), width in 0..200_usize, n in 1..70_usize, bad in any::<prop::sample::Index>()) {
        let key = Gcm::new(&raw).expect("32 bytes");
        let nonces: Vec<[u8; 12]> = (0..n).map(|i| [i as u8; 12]).collect();
        let text: Vec<u8> = (0..n * width).map(|i| i as u8).collect();
        let (mut rows, mut tags) = (text.clone(), vec![[0; 16]; n]);
        key.seal_rows(&nonces, b"all", &mut rows, width, &mut tags).expect("lengths fit");
        let (mut apart, mut batch_tags) = (text.clone(), vec![[0; 16]; n]);
        let mut texts = apart.chunks_mut(width.max(1));
        let mut batch: Vec<_> = nonces.iter().zip(&mut batch_tags)
            .map(|(nonce, tag)| Seal::in_place(&key, nonce, b"all", texts.next().unwrap_or_default(), tag)).collect();
        prop_assert_eq!(Seal::batch(&mut batch), Ok(0));
        prop_assert!(batch.iter().all(|message| message.result() == Ok(())));
        prop_assert!((&apart, &batch_tags) == (&rows, &tags));
        for i in 0..n {
            let mut one = text[i * width..][..width].to_vec();
            prop_assert_eq!(oracle(&raw, &nonces[i], b"all", &mut one), tags[i]);
            prop_assert!(one == rows[i * width..][..width]);
        }
        let bad = bad.index(n);
        tags[bad][3] ^= 0x80;
        let mut opens = rows.clone();
        let mut texts = opens.chunks_mut(width.max(1));
        let mut batch: Vec<_> = nonces.iter().zip(&tags)
            .map(|(nonce, tag)| Open::in_place(&key, nonce, b"all", texts.next().unwrap_or_default(), tag)).collect();
        prop_assert_eq!(Open::batch(&mut batch), Ok(1));
        prop_assert_eq!(batch[bad].result(), Err(Error::Unauthentic));
        let mut ok = vec![false; n];
        prop_assert_eq!(key.open_rows(&nonces, b"all", &mut rows, width, &tags, Some(&mut ok)), Ok(1));
        let mut want = text;
        want[bad * width..][..width].fill(0);
        prop_assert!(rows == opens && rows == want);
        prop_assert!(ok.iter().enumerate().all(|(i, ok)| *ok == (i != bad)));
    }
}

#[test]
fn bad_input() {
    let key = Gcm::new(&[1; 16]).expect("16 bytes");
    let (mut text, mut tag) = ([5; 40], [0; 16]);
    for len in [0, 15, 17, 33, 64] {
        assert_eq!(Gcm::new(&vec![1; len]).err(), Some(Error::KeyLength));
    }
    for len in [0, 3, 5, 11, 17] {
        assert_eq!(Gcm::with_tag_len(&[1; 16], len).err(), Some(Error::TagLength));
    }
    assert_eq!(key.seal_in_place(&[], b"", &mut text, &mut tag), Err(Error::NonceLength));
    assert_eq!(key.seal_in_place(&[0; 12], b"", &mut text, &mut tag[..12]), Err(Error::TagLength));
    assert_eq!(key.open_in_place(&[0; 12], b"", &mut text, &tag[..15]), Err(Error::TagLength));
    assert_eq!(key.seal(&[0; 12], b"", &text, &mut [0; 39], &mut tag), Err(Error::Length));
    assert_eq!(key.open_to_vec(&[0; 12], b"", &[0; 15]), Err(Error::Unauthentic));
    assert_eq!(key.gmac(&[0; 12], b"", &mut [0; 15]), Err(Error::TagLength));
    assert_eq!((text, tag), ([5; 40], [0; 16]), "a call that refuses its arguments writes nothing");

    let (nonces, mut tags) = ([[0; 12]; 2], [[0; 16]; 2]);
    assert_eq!(key.seal_rows(&nonces, b"", &mut text, 19, &mut tags), Err(Error::Length));
    assert_eq!(key.seal_rows(&nonces, b"", &mut text, usize::MAX, &mut tags), Err(Error::Length));
    assert_eq!(key.seal_rows(&nonces, b"", &mut text, 20, &mut tags[..1]), Err(Error::Length));
    assert_eq!(key.open_rows(&nonces, b"", &mut text, 20, &tags, Some(&mut [true])), Err(Error::Length));
    assert_eq!((text, tags), ([5; 40], [[0; 16]; 2]));

    let mut stream = key.encryptor(&[0; 12]).expect("a nonce");
    stream.update_in_place(&mut text).expect("short");
    assert_eq!(stream.aad(b"late"), Err(Error::State));
    assert_eq!(stream.update_in_place(&mut text), Err(Error::State));
    assert_eq!(stream.finish(&mut tag), Err(Error::State));
    let stream = key.decryptor(&[0; 12]).expect("a nonce");
    assert_eq!(stream.finish(&[0; 12]), Err(Error::TagLength));
    let stream = key.decryptor(&[0; 12]).expect("a nonce");
    assert_eq!(stream.finish(&[0; 16]), Err(Error::Unauthentic));
}

#[test]
fn gmac() {
    let key = Gcm::with_tag_len(&[3; 32], 12).expect("12 is allowed");
    let (mut tag, mut same) = ([0; 12], [0; 12]);
    key.gmac(&[1; 12], b"data", &mut tag).expect("short");
    key.seal_in_place(&[1; 12], b"data", &mut [], &mut same).expect("short");
    assert_eq!(tag, same);
    assert_eq!(key.gmac_verify(&[1; 12], b"data", &tag), Ok(()));
    assert_eq!(key.gmac_verify(&[1; 12], b"date", &tag), Err(Error::Unauthentic));
}

/// In place it would encrypt another text under the same nonce.
#[test]
fn a_batch_is_done_once() {
    let key = Gcm::new(&[7; 16]).expect("16 bytes");
    let (mut one, mut two, mut tags) = (*b"first", *b"second", [[0; 16]; 2]);
    let [tag1, tag2] = &mut tags;
    let mut batch = [Seal::in_place(&key, &[1; 12], b"", &mut one, tag1)];
    assert_eq!(Seal::batch(&mut batch), Ok(0));
    assert_eq!(Seal::batch(&mut batch), Err(Error::State));
    let [first] = batch;
    let mut both = [Seal::in_place(&key, &[2; 12], b"", &mut two, tag2), first];
    assert_eq!(Seal::batch(&mut both), Err(Error::State), "nor among others");
    assert_eq!(both[0].result(), Err(Error::State));
    drop(both);
    assert_eq!(&two, b"second");
    let mut open = [Open::in_place(&key, &[1; 12], b"", &mut one, &tags[0])];
    assert_eq!((Open::batch(&mut open), Open::batch(&mut open)), (Ok(0), Err(Error::State)));
    drop(open);
    assert_eq!(&one, b"first");
}
