// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
//! Key objects, XTS, and what is said of the library.
use aes::cipher::{BlockEncrypt, KeyInit};
use proptest::prelude::*;
use rijn::{Aes256Gcm, Block, Error, Gcm, Open, Seal, Xts};
use std::mem::{size_of, ManuallyDrop};
use zeroize::Zeroize;

fn bytes_of<T>(value: &ManuallyDrop<T>) -> &[u8] {
    // SAFETY: key objects are bytes without padding.
    unsafe { std::slice::from_raw_parts((&raw const **value).cast(), size_of::<T>()) }
}

#[test]
fn a_dropped_key_is_wiped() {
    macro_rules! wiped {
        ($make:expr) => {
            let mut key = ManuallyDrop::new($make);
            assert!(bytes_of(&key).iter().any(|b| *b != 0));
            // SAFETY: nothing uses the value afterwards, only its bytes are looked at.
            unsafe { ManuallyDrop::drop(&mut key) };
            assert!(bytes_of(&key).iter().all(|b| *b == 0));
        };
    }
    let raw: Vec<u8> = (0..64).collect();
    wiped!(Gcm::new(&raw[..32]).expect("32"));
    wiped!(Aes256Gcm::new(raw[..32].try_into().expect("32")).expect("an implementation"));
    wiped!(Xts::new(&raw).expect("64"));
    wiped!(Block::new(&raw[..16]).expect("16"));
}

#[test]
fn a_key_that_is_wiped_or_empty_is_refused() {
    let (mut text, mut tag) = ([0; 32], [0; 16]);
    let mut key = Gcm::new(&[1; 16]).expect("16");
    let copy = key.clone();
    key.zeroize();
    for key in [&key, &Gcm::empty()] {
        assert_eq!(key.seal_in_place(&[0; 12], b"", &mut text, &mut tag), Err(Error::State));
        assert_eq!(key.open_in_place(&[0; 12], b"", &mut text, &tag), Err(Error::State));
        assert_eq!(key.encryptor(&[0; 12]).err(), Some(Error::State));
        assert_eq!((key.tag_len(), key.implementation()), (0, None));
    }
    copy.seal_in_place(&[0; 12], b"", &mut text, &mut tag).expect("a copy is a key of its own");
    key.set_key(&[1; 16], 16).expect("16");
    key.open_in_place(&[0; 12], b"", &mut text, &tag).expect("the same key again");
    assert_eq!(key.set_key(&[1; 15], 16), Err(Error::KeyLength));
    assert_eq!(key.tag_len(), 0, "what was there is wiped");
    let mut typed = Aes256Gcm::boxed(&[2; 32]).expect("32");
    typed.zeroize();
    assert_eq!(typed.encrypt(&[0; 12], b"", &mut text), Err(Error::State));
    let mut xts = Xts::new(&(0..32).collect::<Vec<u8>>()).expect("32");
    xts.zeroize();
    assert_eq!(xts.encrypt_unit(&mut text, &[0; 16]), Err(Error::State));
}

#[test]
fn nothing_is_said_of_a_secret() {
    let raw: Vec<u8> = (100..164).collect();
    let key = Gcm::new(&raw[..32]).expect("32");
    let typed = Aes256Gcm::new(raw[..32].try_into().expect("32")).expect("an implementation");
    let (xts, block, stream) = (Xts::new(&raw), Block::new(&raw[..16]), key.encryptor(&[0; 12]));
    assert_eq!(
        format!("{key:?} {typed:?} {xts:?} {block:?} {stream:?}"),
        "Gcm { tag_len: 16, .. } Aes256Gcm(..) Ok(Xts(..)) Ok(Block(..)) Ok(Encryptor(..))"
    );
}

#[test]
fn types_go_between_threads() {
    fn both<T: Send + Sync>() {}
    fn send<T: Send>() {}
    both::<Gcm>();
    both::<Aes256Gcm>();
    both::<Xts>();
    both::<Block>();
    send::<Seal<'_>>();
    send::<Open<'_>>();
    let key = Gcm::new(&[1; 32]).expect("32");
    let seal = || key.seal_to_vec(&[0; 12], b"", &[7; 1000]);
    let sealed = seal();
    assert!(sealed.is_ok());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..1000).for_each(|_| assert!(seal() == sealed)));
        }
    });
}

#[test]
fn the_library_says_what_it_is() {
    assert_eq!(rijn::version(), env!("CARGO_PKG_VERSION"));
    let chosen = rijn::implementation().expect("RIJN_IMPL is a good one, if it is set");
    let all: Vec<_> = rijn::implementations().collect();
    assert!(all.contains(&(chosen, true)), "{all:?}");
    assert!(all.contains(&("portable", true)), "{all:?}");
    assert_eq!(Gcm::new(&[0; 16]).expect("16").implementation(), Some(chosen));
    assert_eq!(rijn::self_test(), Ok(()));
    println!("implementation: {chosen}");
}

#[test]
fn block() {
    let raw: Vec<u8> = (0..32).collect();
    let text: [u8; 16] = std::array::from_fn(|i| (i * 17) as u8);
    for len in [16, 24, 32] {
        let (mut block, mut want) = (text, text.into());
        Block::new(&raw[..len]).expect("a size of AES").encrypt(&mut block);
        let mut again = text;
        Block::boxed(&raw[..len]).expect("a size of AES").encrypt(&mut again);
        assert_eq!(again, block);
        match len {
            16 => aes::Aes128::new_from_slice(&raw[..16]).expect("16").encrypt_block(&mut want),
            24 => aes::Aes192::new_from_slice(&raw[..24]).expect("24").encrypt_block(&mut want),
            _ => aes::Aes256::new_from_slice(&raw[..32]).expect("32").encrypt_block(&mut want),
        }
        assert_eq!(block[..], want[..]);
    }
    assert_eq!(Block::new(&[0; 15]).err(), Some(Error::KeyLength));
    assert_eq!(Block::boxed(&[0; 15]).err(), Some(Error::KeyLength));
}

/// IEEE 1619 for whole blocks, by the crate aes: XOR with the tweak's encryption times 2^i, encrypt, XOR.
fn model(raw: &[u8], unit: &mut [u8], tweak: [u8; 16]) {
    let (one, two) = raw.split_at(32);
    let (data, tweaks) = (aes::Aes256::new_from_slice(one).expect("32"), aes::Aes256::new_from_slice(two).expect("32"));
    let mut mask = tweak.into();
    tweaks.encrypt_block(&mut mask);
    let mut mask = u128::from_le_bytes(mask.into());
    for block in unit.chunks_exact_mut(16) {
        let masked = u128::from_le_bytes((&*block).try_into().expect("16")) ^ mask;
        let mut done = masked.to_le_bytes().into();
        data.encrypt_block(&mut done);
        block.copy_from_slice(&(u128::from_le_bytes(done.into()) ^ mask).to_le_bytes());
        mask = (mask << 1) ^ if mask >> 127 == 1 { 0x87 } else { 0 };
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 30, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn xts(raw in prop::collection::vec(any::<u8>(), 64), first in 0..u64::MAX / 2, step in 0..9_u64,
           n in 0..20_usize, shift in 9..13_u32) {
        let size = 1_usize << shift;
        let key = Xts::new(&raw).expect("64 bytes that are not twice the same 32");
        let text: Vec<u8> = (0..n * size).map(|i| (i * 7 >> 3) as u8).collect();
        let mut want = text.clone();
        let numbers: Vec<_> = (0..n as u64).map(|i| u128::from(first + i * step).to_le_bytes()).collect();
        want.chunks_mut(size).zip(&numbers).for_each(|(sector, tweak)| model(&raw, sector, *tweak));
        let (mut here, mut there, mut with) = (text.clone(), vec![0; text.len()], text.clone());
        key.encrypt_sectors(&mut here, size, first, step).expect("in range");
        key.encrypt_sectors_to(&text, &mut there, size, first, step).expect("in range");
        key.encrypt_tweaks(&mut with, size, &numbers).expect("as many");
        prop_assert!(here == want && there == want && with == want);
        for (sector, tweak) in there.chunks_mut(size).zip(&numbers) {
            key.decrypt_unit(sector, tweak).expect("a data unit");
        }
        key.decrypt_sectors(&mut here, size, first, step).expect("in range");
        key.decrypt_tweaks(&mut with, size, &numbers).expect("as many");
        prop_assert!(here == text && there == text && with == text);
    }
}

#[test]
fn xts_units_of_any_length() {
    let key = Xts::new(&(0..32).collect::<Vec<u8>>()).expect("32");
    for len in 16..70 {
        let text = vec![9; len];
        let (mut there, mut back) = (vec![0; len], vec![0; len]);
        key.encrypt_unit_to(&text, &mut there, &[5; 16]).expect("16 bytes or more");
        key.decrypt_unit_to(&there, &mut back, &[5; 16]).expect("16 bytes or more");
        assert!(back == text && there != text);
    }
}

#[test]
fn xts_bad_input() {
    for len in [0, 16, 31, 33, 48, 65] {
        assert_eq!(Xts::new(&(0..len).collect::<Vec<u8>>()).err(), Some(Error::KeyLength));
    }
    assert_eq!(Xts::new(&[1; 32]).err(), Some(Error::WeakKey));
    let key = Xts::new(&(0..32).collect::<Vec<u8>>()).expect("32");
    let mut run = [3; 2048];
    assert_eq!(key.encrypt_unit(&mut run[..15], &[0; 16]), Err(Error::Length));
    assert_eq!(key.encrypt_unit_to(&run, &mut [0; 2047], &[0; 16]), Err(Error::Length));
    for size in [0, 256, 768, 131072] {
        assert!(key.encrypt_sectors(&mut run, size, 0, 1).is_err(), "{size}");
    }
    assert_eq!(key.encrypt_sectors(&mut run, 0, 0, 1), Err(Error::Sector));
    assert_eq!(key.encrypt_sectors(&mut run[..2047], 512, 0, 1), Err(Error::Length));
    assert_eq!(key.encrypt_sectors(&mut run, 512, u64::MAX - 2, 1), Err(Error::Sector));
    assert_eq!(key.encrypt_tweaks(&mut run, 512, &[[0; 16]; 3]), Err(Error::Length));
    assert_eq!(run, [3; 2048]);
}
