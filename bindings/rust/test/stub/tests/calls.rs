// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
//! Every call of the crate `rijn` that reaches the library, over the stub, with lengths from nothing on, in buffers
//! that end where the memory does.
use rijn::{Aes128Gcm, Aes256GcmSiv, Block, Error, Gcm, Open, Run, RunMut, Seal, Xaes256Gcm, Xts};
use zeroize::Zeroize;

// The stub's symbols are wanted by rijn_sys; nothing of it is named in Rust.
use rijn_stub as _;

const NONCE: [u8; 12] = [9; 12];
const LENGTHS: [usize; 7] = [0, 1, 15, 16, 17, 64, 200];

/// Of exactly that length on the heap.
fn text(len: usize) -> Box<[u8]> {
    (0..len).map(|i| i as u8).collect()
}

#[test]
fn one_message() {
    for key_len in [16, 24, 32] {
        for tag_len in [4, 8, 12, 13, 14, 15, 16] {
            let key = Gcm::with_tag_len(&text(key_len), tag_len).expect("lengths that it has");
            for len in LENGTHS {
                let (plain, aad, nonce) = (text(len), text(len / 2), text(len + 1));
                let (mut apart, mut inside) = (text(len), plain.clone());
                let (mut tag, mut other) = (text(tag_len), text(tag_len));
                key.seal(&nonce, &aad, &plain, &mut apart, &mut tag).expect("sealed");
                key.seal_in_place(&nonce, &aad, &mut inside, &mut other).expect("sealed");
                assert_eq!((&apart, &tag), (&inside, &other));
                let mut back = text(len);
                key.open(&nonce, &aad, &apart, &mut back, &tag).expect("authentic");
                key.open_in_place(&nonce, &aad, &mut inside, &tag).expect("authentic");
                assert_eq!((&back, &inside), (&plain, &plain));
                let sealed = key.seal_to_vec(&nonce, &aad, &plain).expect("sealed");
                assert_eq!(key.open_to_vec(&nonce, &aad, &sealed).expect("authentic")[..], plain[..]);
                tag[0] ^= 1;
                assert_eq!(key.open_in_place(&nonce, &aad, &mut apart, &tag), Err(Error::Unauthentic));
                assert!(apart.iter().all(|byte| *byte == 0));
                key.gmac(&nonce, &aad, &mut tag).expect("a tag");
                key.gmac_verify(&nonce, &aad, &tag).expect("the same");
            }
        }
    }
}

#[test]
fn wrong_lengths() {
    let key = Gcm::new(&[1; 16]).expect("16");
    let (mut tag, mut out) = ([0; 15], [0; 4]);
    assert_eq!(key.seal_in_place(&NONCE, b"", &mut out, &mut tag), Err(Error::TagLength));
    assert_eq!(key.open_in_place(&NONCE, b"", &mut out, &tag), Err(Error::TagLength));
    assert_eq!(key.gmac(&NONCE, b"", &mut tag), Err(Error::TagLength));
    assert_eq!(key.gmac_verify(&NONCE, b"", &tag), Err(Error::TagLength));
    assert_eq!(key.seal(&NONCE, b"", b"five.", &mut out, &mut [0; 16]), Err(Error::Length));
    assert_eq!(key.open_to_vec(&NONCE, b"", &[0; 15]), Err(Error::Unauthentic));
    assert_eq!(Gcm::new(&[1; 17]).err(), Some(Error::KeyLength));
    assert_eq!(Gcm::with_tag_len(&[1; 16], 5).err(), Some(Error::TagLength));
}

#[test]
fn keys_of_one_size() {
    macro_rules! all {
        ($key:ty, $raw:expr, $nonce:expr) => {
            for len in LENGTHS {
                let key = <$key>::boxed(&[3; $raw]).expect("made");
                let (mut inside, plain, mut apart) = (text(len), text(len), text(len));
                let tag = key.encrypt(&[4; $nonce], b"aad", &mut inside).expect("sealed");
                assert_eq!(key.encrypt_to(&[4; $nonce], b"aad", &plain, &mut apart), Ok(tag));
                let copy = <$key>::clone(&key);
                drop(key);
                copy.decrypt(&[4; $nonce], b"aad", &mut inside, &tag).expect("authentic");
                let mut back = text(len);
                copy.decrypt_to(&[4; $nonce], b"aad", &apart, &mut back, &tag).expect("authentic");
                assert_eq!((&inside, &back), (&plain, &plain));
                assert_eq!(copy.decrypt(&[4; $nonce], b"", &mut inside, &tag), Err(Error::Unauthentic));
            }
        };
    }
    all!(Aes128Gcm, 16, 12);
    all!(Aes256GcmSiv, 32, 12);
    all!(Xaes256Gcm, 32, 24);
}

#[test]
fn traits_of_both_versions() {
    use rijn::aead::AeadInOut as _;
    use rijn::aead05::AeadInPlace;
    let (key, nonce) = (Aes128Gcm::new(&[5; 16]).expect("made"), NONCE);
    for len in LENGTHS {
        let (plain, mut out) = (text(len), text(len));
        let both = rijn::aead::inout::InOutBuf::new(&plain, &mut out).expect("one length");
        let tag = key.encrypt_inout_detached(&nonce.into(), b"aad", both).expect("sealed");
        key.decrypt_inout_detached(&nonce.into(), b"aad", (&mut *out).into(), &tag).expect("authentic");
        assert_eq!(out, plain);
        let tag = AeadInPlace::encrypt_in_place_detached(&key, &nonce.into(), b"aad", &mut out).expect("sealed");
        AeadInPlace::decrypt_in_place_detached(&key, &nonce.into(), b"aad", &mut out, &tag).expect("authentic");
        assert_eq!(out, plain);
    }
    <Xaes256Gcm as rijn::aead::KeyInit>::new(&[6; 32].into());
}

#[test]
fn runs() {
    let key = Gcm::new(&[7; 32]).expect("32");
    for len in LENGTHS {
        let (mut one, mut two, mut tag) = (text(len), text(len / 3), [0; 16]);
        let aad = [Run::new(b"to: "), Run::new(b""), Run::new(b"all")];
        key.seal_runs(&NONCE, &aad, &mut [RunMut::new(&mut one), RunMut::new(&mut two)], &mut tag).expect("sealed");
        let (mut whole, mut end) = (text(len + len / 3), []);
        let input = [Run::new(&one), Run::new(&two)];
        let mut output = [RunMut::new(&mut whole), RunMut::new(&mut end)];
        key.open_runs_into(&NONCE, &aad, &input, &mut output, &tag).expect("authentic");
        assert_eq!(&whole[..len], &text(len)[..]);
        let mut other = [0; 16];
        let (front, back) = (&whole[..len], &whole[len..]);
        let mut output = [RunMut::new(&mut one), RunMut::new(&mut two)];
        key.seal_runs_into(&NONCE, &aad, &[Run::new(front), Run::new(back)], &mut output, &mut other).expect("sealed");
        assert_eq!(tag, other);
        tag[3] ^= 1;
        let mut output = [RunMut::new(&mut one), RunMut::new(&mut two)];
        assert_eq!(key.open_runs(&NONCE, &aad, &mut output, &tag), Err(Error::Unauthentic));
        assert!(one.iter().chain(&*two).all(|byte| *byte == 0));
    }
    assert_eq!(key.seal_runs_into(&NONCE, &[], &[Run::new(b"x")], &mut [], &mut [0; 16]), Err(Error::Length));
    key.seal_runs(&NONCE, &[], &mut [], &mut [0; 16]).expect("a message without runs");
}

#[test]
fn pieces() {
    let key = Box::new(Gcm::with_tag_len(&[8; 16], 12).expect("16"));
    for len in LENGTHS {
        let (plain, mut out, mut tag) = (text(len), text(len), text(12));
        let mut sealer = key.encryptor(&NONCE).expect("a nonce");
        sealer.aad(b"to: ").expect("first");
        sealer.aad(b"all").expect("first");
        for (from, to) in plain.chunks(7).zip(out.chunks_mut(7)) {
            let mut moved = sealer;
            moved.update(from, to).expect("a piece");
            sealer = moved;
        }
        sealer.finish(&mut tag).expect("a tag");
        assert_eq!(key.seal_to_vec(&NONCE, b"to: all", &plain).expect("sealed"), [&*out, &*tag].concat());
        let mut opener = key.decryptor(&NONCE).expect("a nonce");
        opener.aad(b"to: all").expect("first");
        out.chunks_mut(9).for_each(|piece| opener.update_unverified_in_place(piece).expect("a piece"));
        opener.finish(&tag).expect("authentic");
        assert_eq!(out, plain);
    }
    let mut late = key.encryptor(&NONCE).expect("a nonce");
    late.update_in_place(&mut [0; 3]).expect("a piece");
    assert_eq!(late.aad(b"late"), Err(Error::State));
    assert_eq!(late.finish(&mut [0; 12]), Err(Error::State));
    let mut opener = key.decryptor(&NONCE).expect("a nonce");
    opener.update_unverified(&[1; 4], &mut [0; 4]).expect("a piece");
    assert_eq!(opener.finish(&[0; 12]), Err(Error::Unauthentic));
    drop(key.decryptor(&NONCE));
}

#[test]
fn batches() {
    let (keys, n) = ([Gcm::new(&[1; 16]).expect("16"), Gcm::new(&[2; 32]).expect("32")], 20);
    let mut texts: Vec<Box<[u8]>> = (0..n).map(|i| text(i * 3)).collect();
    let (mut tags, sent): (Vec<[u8; 16]>, Vec<[u8; 12]>) = (vec![[0; 16]; n], (0..n).map(|i| [i as u8; 12]).collect());
    let of = |i: usize| &keys[i % 2];
    let mut batch: Vec<Seal<'_>> = (texts.iter_mut().zip(&mut tags).enumerate())
        .map(|(i, (text, tag))| Seal::in_place(of(i), &sent[i], b"aad", text, tag))
        .collect();
    assert_eq!((batch[0].result(), Seal::batch(&mut batch)), (Err(Error::State), Ok(0)));
    assert!(batch.iter().all(|one| one.result().is_ok()));
    tags[4][0] ^= 1;
    let sealed = texts.clone();
    let mut batch: Vec<Open<'_>> = (texts.iter_mut().zip(&tags).enumerate())
        .map(|(i, (out, tag))| Open::between(of(i), &sent[i], b"aad", &sealed[i], out, tag).expect("one length"))
        .collect();
    let failed = std::thread::scope(|scope| scope.spawn(|| Open::batch(&mut batch)).join().expect("no panic"));
    assert_eq!((failed, batch[4].result(), batch[5].result()), (Ok(1), Err(Error::Unauthentic), Ok(())));
    assert!((0..n).all(|i| i == 4 || texts[i] == text(i * 3)));
    assert_eq!((Seal::batch(&mut []), Open::batch(&mut [])), (Ok(0), Ok(0)));
}

#[test]
fn rows() {
    let key = Gcm::new(&[3; 16]).expect("16");
    for (n, width) in [(0, 5), (1, 0), (3, 1), (6, 33)] {
        let (nonces, mut rows) = ((0..n).map(|i| [i as u8; 12]).collect::<Vec<_>>(), text(n * width));
        let (mut tags, mut ok) = (vec![[0; 16]; n], vec![false; n]);
        key.seal_rows(&nonces, b"aad", &mut rows, width, &mut tags).expect("sealed");
        let mut again = rows.clone();
        assert_eq!(key.open_rows(&nonces, b"aad", &mut again, width, &tags, None), Ok(0));
        assert_eq!(again, text(n * width));
        if let Some(tag) = tags.last_mut() {
            tag[15] ^= 1;
            assert_eq!(key.open_rows(&nonces, b"aad", &mut rows, width, &tags, Some(&mut ok)), Ok(1));
            assert_eq!((ok.iter().filter(|ok| **ok).count(), ok[n - 1]), (n - 1, false));
        }
    }
    assert_eq!(key.seal_rows(&[NONCE], b"", &mut [0; 5], 4, &mut [[0; 16]]), Err(Error::Length));
    assert_eq!(key.open_rows(&[NONCE], b"", &mut [0; 5], 5, &[[0; 16]], Some(&mut [])), Err(Error::Length));
}

#[test]
fn sectors_and_blocks() {
    let (key, tweak, n) = (Xts::new(&text(64)).expect("64"), [1; 16], 3);
    for len in [16, 17, 100, 512] {
        let (plain, mut unit, mut apart, mut back) = (text(len), text(len), text(len), text(len));
        key.encrypt_unit(&mut unit, &tweak).expect("a unit");
        key.encrypt_unit_to(&plain, &mut apart, &tweak).expect("a unit");
        key.decrypt_unit_to(&apart, &mut back, &tweak).expect("a unit");
        key.decrypt_unit(&mut unit, &tweak).expect("a unit");
        assert_eq!((&back, &unit), (&plain, &plain));
    }
    let (plain, mut run, mut apart) = (text(512 * n), text(512 * n), text(512 * n));
    key.encrypt_sectors(&mut run, 512, 5, 2).expect("a run");
    key.encrypt_sectors_to(&plain, &mut apart, 512, 5, 2).expect("a run");
    let tweaks: Vec<[u8; 16]> = (0..n).map(|i| (5 + 2 * i as u128).to_le_bytes()).collect();
    assert_eq!(run, apart);
    key.decrypt_tweaks(&mut run, 512, &tweaks).expect("the same tweaks");
    key.encrypt_tweaks(&mut run, 512, &tweaks).expect("the same tweaks");
    key.decrypt_sectors_to(&run, &mut apart, 512, 5, 2).expect("a run");
    key.decrypt_sectors(&mut run, 512, 5, 2).expect("a run");
    assert_eq!((&run, &apart), (&plain, &plain));
    assert_eq!(key.encrypt_sectors(&mut run, 0, 0, 1), Err(Error::Sector));
    assert_eq!(key.encrypt_tweaks(&mut run, 512, &tweaks[1..]), Err(Error::Length));
    let (block, mut bytes) = (Block::boxed(&[1; 24]).expect("24"), [2; 16]);
    block.encrypt(&mut bytes);
    assert_ne!(bytes, [2; 16]);
}

#[test]
fn empty_and_wiped_keys() {
    let mut key = Gcm::empty();
    assert_eq!((key.tag_len(), key.implementation(), key.encryptor(&NONCE).err()), (0, None, Some(Error::State)));
    key.set_key(&[1; 16], 16).expect("16");
    assert_eq!(key.implementation(), Some("one"));
    key.zeroize();
    assert_eq!(key.seal_in_place(&NONCE, b"", &mut [0; 3], &mut [0; 16]), Err(Error::State));
    assert_eq!(key.seal_rows(&[NONCE], b"", &mut [0; 4], 4, &mut [[0; 16]]), Err(Error::State));
    assert_eq!(Xts::empty().encrypt_unit(&mut [0; 16], &[0; 16]), Err(Error::State));
    assert_eq!((rijn::version(), rijn::implementation(), rijn::self_test()), ("stub", Ok("one"), Ok(())));
    assert_eq!(rijn::implementations().count(), 2);
}
