// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
//! Records of TLS 1.3 (RFC 8446, section 5).
use crate::{KeySize, TAG};
use rijn::Gcm;
use rustls::crypto::cipher::{
    make_tls13_aad, AeadKey, InboundOpaqueMessage, InboundPlainMessage, Iv, MessageDecrypter, MessageEncrypter, Nonce,
    OutboundOpaqueMessage, OutboundPlainMessage, PrefixedPayload, Tls13AeadAlgorithm, UnsupportedOperationError,
};
use rustls::crypto::CipherSuiteCommon;
use rustls::{ConnectionTrafficSecrets, ContentType, Error, ProtocolVersion, Tls13CipherSuite};

pub(crate) fn suite(base: &'static Tls13CipherSuite, size: KeySize) -> Tls13CipherSuite {
    let common = CipherSuiteCommon { ..base.common };
    // WHY also where the base has none (graviola has none): what QUIC needs besides is the suite's HKDF.
    let quic: Option<&'static dyn rustls::quic::Algorithm> = Some(Box::leak(Box::new(crate::quic::Algorithm(size))));
    Tls13CipherSuite { common, hkdf_provider: base.hkdf_provider, aead_alg: Box::leak(Box::new(Aead(size))), quic }
}

struct Aead(KeySize);

impl Tls13AeadAlgorithm for Aead {
    fn encrypter(&self, key: AeadKey, iv: Iv) -> Box<dyn MessageEncrypter> {
        Box::new(Records { key: crate::key(&key), iv })
    }

    fn decrypter(&self, key: AeadKey, iv: Iv) -> Box<dyn MessageDecrypter> {
        Box::new(Records { key: crate::key(&key), iv })
    }

    fn key_len(&self) -> usize {
        self.0.bytes()
    }

    fn extract_keys(&self, key: AeadKey, iv: Iv) -> Result<ConnectionTrafficSecrets, UnsupportedOperationError> {
        Ok(crate::secrets(self.0, key, iv))
    }
}

struct Records {
    key: Box<Gcm>,
    iv: Iv,
}

impl MessageEncrypter for Records {
    fn encrypt(&mut self, msg: OutboundPlainMessage<'_>, seq: u64) -> Result<OutboundOpaqueMessage, Error> {
        let len = self.encrypted_payload_len(msg.payload.len());
        let mut payload = PrefixedPayload::with_capacity(len);
        payload.extend_from_chunks(&msg.payload);
        payload.extend_from_slice(&[msg.typ.into()]);
        payload.extend_from_slice(&[0; TAG]);
        let (text, tag) = payload.as_mut().split_at_mut(len - TAG);
        let nonce = Nonce::new(&self.iv, seq).0;
        self.key.seal_in_place(&nonce, &make_tls13_aad(len), text, tag).map_err(|_| Error::EncryptError)?;
        Ok(OutboundOpaqueMessage::new(ContentType::ApplicationData, ProtocolVersion::TLSv1_2, payload))
    }

    fn encrypted_payload_len(&self, payload_len: usize) -> usize {
        payload_len + 1 + TAG
    }
}

impl MessageDecrypter for Records {
    fn decrypt<'a>(&mut self, mut msg: InboundOpaqueMessage<'a>, seq: u64) -> Result<InboundPlainMessage<'a>, Error> {
        let payload = &mut msg.payload;
        let (len, aad) = (payload.len().checked_sub(TAG).ok_or(Error::DecryptError)?, make_tls13_aad(payload.len()));
        let (text, tag) = payload.split_at_mut(len);
        let nonce = Nonce::new(&self.iv, seq).0;
        self.key.open_in_place(&nonce, &aad, text, tag).map_err(|_| Error::DecryptError)?;
        payload.truncate(len);
        msg.into_tls13_unpadded_message()
    }
}
