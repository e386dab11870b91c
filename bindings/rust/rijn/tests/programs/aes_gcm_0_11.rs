// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
// A program for aes-gcm 0.11, as its documents write them. It is compiled with that crate and with Rijn's module, which
// stand above it as `aes_gcm`.
use aes_gcm::{
    aead::{
        array::Array, arrayvec::ArrayVec, consts::*, Aead, AeadInOut, Generate, Key, KeyInit, KeySizeUser, Payload,
    },
    aes::Aes192,
    Aes128Gcm, Aes256Gcm, AesGcm, Nonce, Tag,
};

fn simple() -> Result<(), Box<dyn core::error::Error>> {
    let key = Key::<Aes256Gcm>::generate();
    let cipher = Aes256Gcm::new(&key);
    let nonce = Nonce::generate();
    let ciphertext = cipher.encrypt(&nonce, b"plaintext message".as_ref())?;
    let plaintext = cipher.decrypt(&nonce, ciphertext.as_ref())?;
    assert_eq!(&plaintext, b"plaintext message");
    Ok(())
}

fn in_place() -> Result<(), Box<dyn core::error::Error>> {
    let cipher = Aes256Gcm::new(&Key::<Aes256Gcm>::generate());
    let nonce = Nonce::generate();
    let mut buffer: ArrayVec<u8, 128> = ArrayVec::new();
    buffer.try_extend_from_slice(b"plaintext message").unwrap();
    cipher.encrypt_in_place(&nonce, b"", &mut buffer)?;
    assert_ne!(buffer.as_ref(), b"plaintext message");
    cipher.decrypt_in_place(&nonce, b"", &mut buffer)?;
    assert_eq!(buffer.as_ref(), b"plaintext message");
    Ok(())
}

struct Sealer<A>(A);

impl<A: Aead + KeyInit> Sealer<A> {
    fn seal(raw: &[u8], nonce: &[u8], msg: &[u8], aad: &[u8]) -> Vec<u8> {
        let sealer = Sealer(A::new_from_slice(raw).expect("a key of that length"));
        let nonce = nonce.try_into().expect("a nonce of that length");
        sealer.0.encrypt(nonce, Payload { msg, aad }).expect("a text that is not too long")
    }
}

type Other = AesGcm<Aes192, U16, U13>;

pub fn run() -> Vec<Vec<u8>> {
    simple().expect("simple");
    in_place().expect("in place");
    let raw: [u8; 32] = core::array::from_fn(|i| i as u8);
    let key: &Key<Aes256Gcm> = (&raw).into();
    let cipher: Aes256Gcm = Aes256Gcm::new(key).clone();
    let mut text = *b"detached";
    let nonce: Nonce<U12> = Array::from([3; 12]);
    let tag: Tag = cipher.encrypt_inout_detached(&nonce, b"aad", text.as_mut_slice().into()).expect("detached");
    assert!(cipher.decrypt(&nonce, [&text[..], &[0; 16]].concat().as_ref()).is_err());
    assert_eq!((Aes128Gcm::key_size(), Other::key_size()), (16, 24));
    assert!(Aes128Gcm::new_from_slice(&raw).is_err());
    vec![
        text.to_vec(),
        tag.to_vec(),
        Sealer::<Aes128Gcm>::seal(&raw[..16], &[1; 12], b"text", b"aad"),
        Sealer::<Aes256Gcm>::seal(&raw, &[1; 12], b"", b"aad"),
        Sealer::<Other>::seal(&raw[..24], &[2; 16], &[7; 300], b""),
    ]
}
