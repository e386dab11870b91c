// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
//! Packets of QUIC and their headers (RFC 9001, section 5).
use crate::{KeySize, TAG};
use rijn::{Block, Gcm};
use rustls::crypto::cipher::{AeadKey, Iv, Nonce};
use rustls::quic::{self, Tag};
use rustls::Error;

pub(crate) struct Algorithm(pub(crate) KeySize);

impl quic::Algorithm for Algorithm {
    fn packet_key(&self, key: AeadKey, iv: Iv) -> Box<dyn quic::PacketKey> {
        Box::new(PacketKey { key: crate::key(&key), iv })
    }

    fn header_protection_key(&self, key: AeadKey) -> Box<dyn quic::HeaderProtectionKey> {
        Box::new(HeaderKey(Block::boxed(key.as_ref()).expect("a key of 16 or 32 bytes")))
    }

    fn aead_key_len(&self) -> usize {
        self.0.bytes()
    }
}

struct PacketKey {
    key: Box<Gcm>,
    iv: Iv,
}

impl PacketKey {
    fn seal(&self, nonce: Nonce, header: &[u8], payload: &mut [u8]) -> Result<Tag, Error> {
        let mut tag = [0; TAG];
        self.key.seal_in_place(&nonce.0, header, payload, &mut tag).map_err(|_| Error::EncryptError)?;
        Ok(Tag::from(&tag[..]))
    }

    fn open<'a>(&self, nonce: Nonce, header: &[u8], payload: &'a mut [u8]) -> Result<&'a [u8], Error> {
        let len = payload.len().checked_sub(TAG).ok_or(Error::DecryptError)?;
        let (text, tag) = payload.split_at_mut(len);
        self.key.open_in_place(&nonce.0, header, text, tag).map_err(|_| Error::DecryptError)?;
        Ok(text)
    }
}

impl quic::PacketKey for PacketKey {
    fn encrypt_in_place(&self, number: u64, header: &[u8], payload: &mut [u8]) -> Result<Tag, Error> {
        self.seal(Nonce::new(&self.iv, number), header, payload)
    }

    fn encrypt_in_place_for_path(
        &self,
        path: u32,
        number: u64,
        header: &[u8],
        payload: &mut [u8],
    ) -> Result<Tag, Error> {
        self.seal(Nonce::for_path(path, &self.iv, number), header, payload)
    }

    fn decrypt_in_place<'a>(&self, number: u64, header: &[u8], payload: &'a mut [u8]) -> Result<&'a [u8], Error> {
        self.open(Nonce::new(&self.iv, number), header, payload)
    }

    fn decrypt_in_place_for_path<'a>(
        &self,
        path: u32,
        number: u64,
        header: &[u8],
        payload: &'a mut [u8],
    ) -> Result<&'a [u8], Error> {
        self.open(Nonce::for_path(path, &self.iv, number), header, payload)
    }

    fn tag_len(&self) -> usize {
        TAG
    }

    /// RFC 9001, section 6.6 and appendix B.1.1.
    fn confidentiality_limit(&self) -> u64 {
        1 << 23
    }

    /// RFC 9001, section 6.6 and appendix B.1.2.
    fn integrity_limit(&self) -> u64 {
        1 << 52
    }
}

struct HeaderKey(Box<Block>);

impl HeaderKey {
    /// RFC 9001, section 5.4.1. Nothing is changed where an argument is refused.
    fn mask(&self, sample: &[u8], first: &mut u8, number: &mut [u8], masked: bool) -> Result<(), Error> {
        let mut mask: [u8; 16] = sample.try_into().map_err(|_| Error::General("sample of invalid length".into()))?;
        if number.len() > 4 {
            return Err(Error::General("packet number too long".into()));
        }
        self.0.encrypt(&mut mask);
        let bits = if *first & 0x80 != 0 { 0x0f } else { 0x1f };
        let plain = if masked { *first ^ (mask[0] & bits) } else { *first };
        let len = usize::from(plain & 3) + 1;
        *first ^= mask[0] & bits;
        for (byte, mask) in number.iter_mut().zip(&mask[1..]).take(len) {
            *byte ^= mask;
        }
        Ok(())
    }
}

impl quic::HeaderProtectionKey for HeaderKey {
    fn encrypt_in_place(&self, sample: &[u8], first: &mut u8, number: &mut [u8]) -> Result<(), Error> {
        self.mask(sample, first, number, false)
    }

    fn decrypt_in_place(&self, sample: &[u8], first: &mut u8, number: &mut [u8]) -> Result<(), Error> {
        self.mask(sample, first, number, true)
    }

    fn sample_len(&self) -> usize {
        16
    }
}
