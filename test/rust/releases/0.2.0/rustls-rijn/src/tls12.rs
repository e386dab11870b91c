// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
//! Records of TLS 1.2 (RFC 5288): a nonce is the salt of the handshake and 8 bytes that the record carries.
use crate::{KeySize, TAG};
use rijn::Gcm;
use rustls::crypto::cipher::{
    make_tls12_aad, AeadKey, InboundOpaqueMessage, InboundPlainMessage, Iv, KeyBlockShape, MessageDecrypter,
    MessageEncrypter, Nonce, OutboundOpaqueMessage, OutboundPlainMessage, PrefixedPayload, Tls12AeadAlgorithm,
    UnsupportedOperationError, NONCE_LEN,
};
use rustls::crypto::CipherSuiteCommon;
use rustls::{ConnectionTrafficSecrets, Error, Tls12CipherSuite};

const SALT: usize = 4;
const EXPLICIT: usize = NONCE_LEN - SALT;
/// RFC 5246, section 6.2.1.
const MAX_FRAGMENT: usize = 1 << 14;

pub(crate) fn suite(base: &'static Tls12CipherSuite, size: KeySize) -> Tls12CipherSuite {
    let common = CipherSuiteCommon { ..base.common };
    Tls12CipherSuite { common, aead_alg: Box::leak(Box::new(Aead(size))), ..*base }
}

struct Aead(KeySize);

/// As TLS 1.3 does it: the explicit part begins with what the handshake derived, and counts by XOR.
fn start(salt: &[u8], explicit: &[u8]) -> Iv {
    let mut iv = [0; NONCE_LEN];
    iv[..SALT].copy_from_slice(salt);
    iv[SALT..].copy_from_slice(explicit);
    Iv::new(iv)
}

impl Tls12AeadAlgorithm for Aead {
    fn encrypter(&self, key: AeadKey, iv: &[u8], extra: &[u8]) -> Box<dyn MessageEncrypter> {
        Box::new(Encrypter { key: crate::key(&key), iv: start(iv, extra) })
    }

    fn decrypter(&self, key: AeadKey, iv: &[u8]) -> Box<dyn MessageDecrypter> {
        let salt = iv.try_into().expect("as key_block_shape has it");
        Box::new(Decrypter { key: crate::key(&key), salt })
    }

    fn key_block_shape(&self) -> KeyBlockShape {
        KeyBlockShape { enc_key_len: self.0.bytes(), fixed_iv_len: SALT, explicit_nonce_len: EXPLICIT }
    }

    fn extract_keys(
        &self,
        key: AeadKey,
        iv: &[u8],
        explicit: &[u8],
    ) -> Result<ConnectionTrafficSecrets, UnsupportedOperationError> {
        Ok(crate::secrets(self.0, key, start(iv, explicit)))
    }
}

struct Encrypter {
    key: Box<Gcm>,
    iv: Iv,
}

impl MessageEncrypter for Encrypter {
    fn encrypt(&mut self, msg: OutboundPlainMessage<'_>, seq: u64) -> Result<OutboundOpaqueMessage, Error> {
        let len = self.encrypted_payload_len(msg.payload.len());
        let nonce = Nonce::new(&self.iv, seq).0;
        let aad = make_tls12_aad(seq, msg.typ, msg.version, msg.payload.len());
        let mut payload = PrefixedPayload::with_capacity(len);
        payload.extend_from_slice(&nonce[SALT..]);
        payload.extend_from_chunks(&msg.payload);
        payload.extend_from_slice(&[0; TAG]);
        let (text, tag) = payload.as_mut()[EXPLICIT..].split_at_mut(msg.payload.len());
        self.key.seal_in_place(&nonce, &aad, text, tag).map_err(|_| Error::EncryptError)?;
        Ok(OutboundOpaqueMessage::new(msg.typ, msg.version, payload))
    }

    fn encrypted_payload_len(&self, payload_len: usize) -> usize {
        EXPLICIT + payload_len + TAG
    }
}

struct Decrypter {
    key: Box<Gcm>,
    salt: [u8; SALT],
}

impl MessageDecrypter for Decrypter {
    fn decrypt<'a>(&mut self, mut msg: InboundOpaqueMessage<'a>, seq: u64) -> Result<InboundPlainMessage<'a>, Error> {
        let len = msg.payload.len().checked_sub(EXPLICIT + TAG).ok_or(Error::DecryptError)?;
        let aad = make_tls12_aad(seq, msg.typ, msg.version, len);
        let payload = &mut msg.payload;
        let mut nonce = [0; NONCE_LEN];
        nonce[..SALT].copy_from_slice(&self.salt);
        nonce[SALT..].copy_from_slice(&payload[..EXPLICIT]);
        let (text, tag) = payload[EXPLICIT..].split_at_mut(len);
        self.key.open_in_place(&nonce, &aad, text, tag).map_err(|_| Error::DecryptError)?;
        if len > MAX_FRAGMENT {
            return Err(Error::PeerSentOversizedRecord);
        }
        Ok(msg.into_plain_message_range(EXPLICIT..EXPLICIT + len))
    }
}
