// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
// A program for aes-gcm 0.10, as its documents write them. It is compiled with that crate and with Rijn's module, which
// stand above it as `aes_gcm`.
use aes_gcm::{
    aead::{
        consts::*, generic_array::GenericArray, heapless, Aead, AeadCore, AeadInPlace, KeyInit, KeySizeUser, OsRng,
        Payload,
    },
    aes::Aes256,
    Aes128Gcm, Aes256Gcm, AesGcm, Key, Nonce, Tag,
};

fn simple() -> Result<(), aes_gcm::Error> {
    let key = Aes256Gcm::generate_key(OsRng);
    let key = Key::<Aes256Gcm>::from_slice(&key);
    let cipher = Aes256Gcm::new(key);
    let nonce = Aes256Gcm::generate_nonce(&mut OsRng);
    let ciphertext = cipher.encrypt(&nonce, b"plaintext message".as_ref())?;
    let plaintext = cipher.decrypt(&nonce, ciphertext.as_ref())?;
    assert_eq!(&plaintext, b"plaintext message");
    Ok(())
}

fn in_place() -> Result<(), Box<dyn std::error::Error>> {
    let cipher = Aes256Gcm::new(&Aes256Gcm::generate_key(&mut OsRng));
    let nonce = Aes256Gcm::generate_nonce(&mut OsRng);
    let mut buffer: heapless::Vec<u8, 128> = heapless::Vec::new();
    buffer.extend_from_slice(b"plaintext message").expect("room");
    cipher.encrypt_in_place(&nonce, b"", &mut buffer)?;
    assert_ne!(&buffer, b"plaintext message");
    cipher.decrypt_in_place(&nonce, b"", &mut buffer)?;
    assert_eq!(&buffer, b"plaintext message");
    Ok(())
}

type Other = AesGcm<Aes256, U16, U12>;

pub fn run() -> Vec<Vec<u8>> {
    simple().expect("simple");
    in_place().expect("in place");
    let raw: [u8; 32] = core::array::from_fn(|i| i as u8);
    let cipher = Aes256Gcm::new((&raw).into());
    let mut text = *b"detached";
    let nonce = Nonce::from_slice(&[3; 12]);
    let tag: Tag = cipher.encrypt_in_place_detached(nonce, b"aad", &mut text).expect("detached");
    let short = Aes128Gcm::new(GenericArray::from_slice(&raw[..16]));
    let sealed = short.encrypt(Nonce::from_slice(b"unique nonce"), Payload { msg: b"text", aad: b"aad" });
    let other = Other::new_from_slice(&raw).expect("a key").encrypt(GenericArray::from_slice(&[2; 16]), &[7; 300][..]);
    assert_eq!((Aes128Gcm::key_size(), Other::key_size()), (16, 32));
    vec![text.to_vec(), tag.to_vec(), sealed.expect("sealed"), other.expect("sealed")]
}
