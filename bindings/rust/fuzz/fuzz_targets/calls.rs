// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
//! Any bytes are a key, a nonce, associated data and a text: every way of one message says the same, also when it
//! refuses, and what is forged leaves zeros. XTS comes back, or refuses.
#![no_main]
use libfuzzer_sys::fuzz_target;
use rijn::{Error, Gcm, Open, Run, RunMut, Seal, Xts};

/// What the bytes stand for; each takes from the front.
struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    fn take(&mut self, n: usize) -> &'a [u8] {
        let (one, rest) = self.0.split_at(n.min(self.0.len()));
        self.0 = rest;
        one
    }

    fn number(&mut self) -> usize {
        self.take(1).first().copied().map_or(0, usize::from)
    }
}

struct One<'a> {
    nonce: &'a [u8],
    aad: &'a [u8],
    text: &'a [u8],
    cut: usize,
}

type Sealed = Result<(Vec<u8>, [u8; 16]), Error>;

fn in_one(key: &Gcm, one: &One<'_>) -> Sealed {
    let (mut text, mut tag) = (one.text.to_vec(), [0; 16]);
    let tag_len = key.tag_len();
    key.seal_in_place(one.nonce, one.aad, &mut text, &mut tag[..tag_len])?;
    Ok((text, tag))
}

fn between(key: &Gcm, one: &One<'_>) -> Sealed {
    let (mut text, mut tag) = (vec![1; one.text.len()], [0; 16]);
    let tag_len = key.tag_len();
    key.seal(one.nonce, one.aad, one.text, &mut text, &mut tag[..tag_len])?;
    Ok((text, tag))
}

fn in_runs(key: &Gcm, one: &One<'_>) -> Sealed {
    let (mut text, mut tag) = (one.text.to_vec(), [0; 16]);
    let (head, tail) = text.split_at_mut(one.cut);
    let (a, b) = one.aad.split_at(one.cut.min(one.aad.len()));
    let tag_len = key.tag_len();
    let mut runs = [RunMut::new(head), RunMut::new(tail)];
    key.seal_runs(one.nonce, &[Run::new(a), Run::new(b)], &mut runs, &mut tag[..tag_len])?;
    Ok((text, tag))
}

fn in_pieces(key: &Gcm, one: &One<'_>) -> Sealed {
    let (mut text, mut tag) = (one.text.to_vec(), [0; 16]);
    let (head, tail) = text.split_at_mut(one.cut);
    let mut stream = key.encryptor(one.nonce)?;
    stream.aad(one.aad)?;
    stream.update_in_place(head)?;
    stream.update_in_place(tail)?;
    let tag_len = key.tag_len();
    stream.finish(&mut tag[..tag_len])?;
    Ok((text, tag))
}

fn in_a_batch(key: &Gcm, one: &One<'_>) -> Sealed {
    let mut texts = [one.text.to_vec(), one.text.to_vec(), one.text.to_vec(), one.text.to_vec(), one.text.to_vec()];
    let mut tags = [[0; 16]; 5];
    let mut all: Vec<_> =
        texts.iter_mut().zip(&mut tags).map(|(text, tag)| Seal::in_place(key, one.nonce, one.aad, text, tag)).collect();
    let failed = Seal::batch(&mut all)?;
    all.iter().try_for_each(Seal::result)?;
    assert_eq!(failed, 0);
    drop(all);
    assert!(texts.iter().all(|text| *text == texts[0]) && tags.iter().all(|tag| *tag == tags[0]));
    Ok((texts[0].clone(), tags[0]))
}

fn opened(key: &Gcm, one: &One<'_>, sealed: &[u8], tag: &[u8; 16]) {
    let tag_len = key.tag_len();
    let mut text = sealed.to_vec();
    assert_eq!(key.open_in_place(one.nonce, one.aad, &mut text, &tag[..tag_len]), Ok(()));
    assert_eq!(text, one.text);
    let mut bad = *tag;
    bad[one.cut % tag_len] ^= 1;
    let mut text = sealed.to_vec();
    assert_eq!(key.open_in_place(one.nonce, one.aad, &mut text, &bad[..tag_len]), Err(Error::Unauthentic));
    assert!(text.iter().all(|byte| *byte == 0));
    let mut texts = [sealed.to_vec(), sealed.to_vec()];
    let [first, second] = &mut texts;
    let mut batch =
        [Open::in_place(key, one.nonce, one.aad, first, tag), Open::in_place(key, one.nonce, one.aad, second, &bad)];
    assert_eq!(Open::batch(&mut batch), Ok(1));
    assert_eq!((batch[0].result(), batch[1].result()), (Ok(()), Err(Error::Unauthentic)));
    assert!(texts[0] == one.text && texts[1].iter().all(|byte| *byte == 0));
}

fn sectors(raw: &[u8], data: &[u8], size: usize, first: u64) {
    let Ok(key) = Xts::new(raw) else { return };
    let mut run = data.to_vec();
    match key.encrypt_sectors(&mut run, size, first, 1) {
        Ok(()) => {
            assert_eq!(key.decrypt_sectors(&mut run, size, first, 1), Ok(()));
            assert_eq!(run, data);
        }
        Err(error) => assert!(matches!(error, Error::Sector | Error::Length), "{error:?}"),
    }
}

fuzz_target!(|bytes: &[u8]| {
    let mut input = Input(bytes);
    let key_len = [16, 24, 32, 16, 24, 32, 0, 17][input.number() % 8];
    let tag_len = [16, 12, 13, 14, 15, 4, 8, 16, 16, 16, 11, 17][input.number() % 12];
    let (nonce_len, aad_len, cut) = (input.number() % 20, input.number(), input.number());
    let raw = input.take(key_len);
    sectors(&raw.repeat(2), input.0, 1 << (cut % 12), cut as u64);
    let Ok(key) = Gcm::with_tag_len(raw, tag_len) else { return };
    let (nonce, aad) = (input.take(nonce_len), input.take(aad_len));
    let one = One { nonce, aad, text: input.0, cut: cut.min(input.0.len()) };
    let want = in_one(&key, &one);
    for way in [between, in_runs, in_pieces, in_a_batch] {
        assert_eq!(way(&key, &one), want);
    }
    match want {
        Ok((sealed, tag)) => opened(&key, &one, &sealed, &tag),
        Err(error) => assert_eq!(error, Error::NonceLength),
    }
});
