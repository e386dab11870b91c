// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
//! The C library's calls in Rust, for tools that see Rust alone: each reads every byte that the call may read, and
//! writes every byte that it may write. It is no cipher: text is XORed with what depends on key, nonce and place, and
//! the tag is a checksum. Arguments that `rijn`'s types rule out are not checked for.
#![allow(non_camel_case_types, clippy::missing_safety_doc)]

use core::ffi::{c_char, c_int, c_void};
use rijn_sys::*;

const MADE: u64 = 0x6d61_6465_6b65_7973;

/// What a key object begins with. The rest of it is bytes of the seed, so that all of the object is written.
#[derive(Clone, Copy)]
#[repr(C)]
struct Key {
    made: u64,
    seed: u64,
    tag_len: usize,
}

/// What a stream begins with. As the library does, it keeps the key's address.
#[derive(Clone, Copy)]
#[repr(C)]
struct Stream {
    key: *const Key,
    at: Place,
    sum: u64,
    opening: bool,
    text: bool,
    live: bool,
    rest: [u8; 5], // WHY: padding would be bytes without a value in the object, whose bytes are integers
}

fn mix(sum: u64, byte: u8) -> u64 {
    (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(29)
}

unsafe fn absorb(mut sum: u64, p: *const c_void, len: usize) -> u64 {
    for i in 0..len {
        sum = mix(sum, *p.cast::<u8>().add(i));
    }
    sum
}

/// Where in which message the text goes on.
#[derive(Clone, Copy)]
#[repr(C)]
struct Place {
    start: u64,
    next: u64,
}

impl Place {
    unsafe fn of(key: *const Key, nonce: *const c_void, nonce_len: usize) -> Place {
        Place { start: absorb((*key).seed, nonce, nonce_len), next: 0 }
    }

    /// Does text; the sum is that of the ciphertext.
    unsafe fn crypt(&mut self, mut sum: u64, opening: bool, out: *mut c_void, input: *const c_void, len: usize) -> u64 {
        for i in 0..len {
            let byte = *input.cast::<u8>().add(i);
            let other = byte ^ (self.start.wrapping_mul(self.next | 1) >> 56) as u8 ^ self.next as u8;
            sum = mix(sum, if opening { byte } else { other });
            *out.cast::<u8>().add(i) = other;
            self.next += 1;
        }
        sum
    }
}

fn tag_of(sum: u64) -> [u8; 16] {
    u128::from(sum).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835).to_le_bytes()
}

unsafe fn put_tag(sum: u64, tag: *mut c_void, len: usize) {
    tag.cast::<u8>().copy_from_nonoverlapping(tag_of(sum).as_ptr(), len);
}

unsafe fn is_tag(sum: u64, tag: *const c_void, len: usize) -> bool {
    (0..len).fold(0, |bad, i| bad | (*tag.cast::<u8>().add(i) ^ tag_of(sum)[i])) == 0
}

unsafe fn make(object: *mut c_void, size: usize, raw: *const c_void, raw_len: usize, tag_len: usize) -> c_int {
    let seed = absorb(raw_len as u64, raw, raw_len);
    for i in 0..size {
        *object.cast::<u8>().add(i) = seed.to_le_bytes()[i % 8];
    }
    object.cast::<Key>().write(Key { made: MADE, seed, tag_len });
    RIJN_OK
}

unsafe fn wipe(object: *mut c_void, size: usize) {
    for i in 0..size {
        object.cast::<u8>().add(i).write_volatile(0);
    }
}

/// The object, if it was made. All of it is read.
unsafe fn made<T>(object: *const T) -> Option<*const Key> {
    let key = object.cast::<Key>();
    absorb(0, object.cast(), size_of::<T>());
    ((*key).made == MADE).then_some(key)
}

/// A message as a whole: its text, which may be in place, and its associated data.
#[derive(Clone, Copy)]
struct Whole {
    out: *mut c_void,
    input: *const c_void,
    len: usize,
    aad: *const c_void,
    aad_len: usize,
    nonce: *const c_void,
    nonce_len: usize,
}

impl Whole {
    unsafe fn seal<T>(self, object: *const T, tag: *mut c_void) -> c_int {
        let Some(key) = made(object) else { return RIJN_ESTATE };
        let sum = absorb((*key).seed, self.aad, self.aad_len);
        let sum = Place::of(key, self.nonce, self.nonce_len).crypt(sum, false, self.out, self.input, self.len);
        put_tag(sum, tag, (*key).tag_len);
        RIJN_OK
    }

    unsafe fn open<T>(self, object: *const T, tag: *const c_void) -> c_int {
        let Some(key) = made(object) else { return RIJN_ESTATE };
        let sum = absorb((*key).seed, self.aad, self.aad_len);
        let sum = Place::of(key, self.nonce, self.nonce_len).crypt(sum, true, self.out, self.input, self.len);
        if is_tag(sum, tag, (*key).tag_len) {
            return RIJN_OK;
        }
        wipe(self.out, self.len);
        RIJN_EAUTH
    }
}

/// The calls that a call of C reaches by its name.
macro_rules! exported {
    ($($name:ident($($param:ident: $type:ty),* $(,)?) $(-> $out:ty)? $body:block)*) => {$(
        #[no_mangle]
        pub unsafe extern "C" fn $name($($param: $type),*) $(-> $out)? $body
    )*};
}

macro_rules! wiped {
    ($($name:ident $object:ty;)*) => {
        exported! {$($name(object: *mut $object) { wipe(object.cast(), size_of::<$object>()) })*}
    };
}
wiped! {
    rijn_gcm_wipe rijn_gcm_key;
    rijn_gcm_stream_wipe rijn_gcm_stream;
    rijn_gcm_siv_wipe rijn_gcm_siv_key;
    rijn_xaes_wipe rijn_xaes_key;
    rijn_xts_wipe rijn_xts_key;
    rijn_aes_wipe rijn_aes_key;
}

macro_rules! made_of {
    ($($name:ident $object:ty, $($len:literal)|*;)*) => {exported! {$(
        $name(object: *mut $object, raw: *const c_void, raw_len: usize) -> c_int {
            match raw_len {
                $($len)|* => make(object.cast(), size_of::<$object>(), raw, raw_len, 16),
                _ => RIJN_EKEYLEN,
            }
        }
    )*}};
}
made_of! {
    rijn_gcm_siv_init rijn_gcm_siv_key, 16 | 32;
    rijn_xaes_init rijn_xaes_key, 32;
    rijn_xts_init rijn_xts_key, 32 | 64;
    rijn_aes_init rijn_aes_key, 16 | 24 | 32;
}

macro_rules! with_fixed_nonces {
    ($($seal:ident $open:ident $object:ty, $nonce_len:literal;)*) => {exported! {$(
        $seal(key: *const $object, out: *mut c_void, input: *const c_void, len: usize, aad: *const c_void,
              aad_len: usize, nonce: *const u8, tag: *mut c_void) -> c_int {
            Whole { out, input, len, aad, aad_len, nonce: nonce.cast(), nonce_len: $nonce_len }.seal(key, tag)
        }

        $open(key: *const $object, out: *mut c_void, input: *const c_void, len: usize, aad: *const c_void,
              aad_len: usize, nonce: *const u8, tag: *const c_void) -> c_int {
            Whole { out, input, len, aad, aad_len, nonce: nonce.cast(), nonce_len: $nonce_len }.open(key, tag)
        }
    )*}};
}
with_fixed_nonces! {
    rijn_gcm_siv_encrypt rijn_gcm_siv_decrypt rijn_gcm_siv_key, 12;
    rijn_xaes_encrypt rijn_xaes_decrypt rijn_xaes_key, 24;
}

exported! {
    rijn_gcm_init_taglen(key: *mut rijn_gcm_key, raw: *const c_void, raw_len: usize, tag_len: usize) -> c_int {
        match (raw_len, tag_len) {
            (16 | 24 | 32, 4 | 8 | 12..=16) => make(key.cast(), size_of::<rijn_gcm_key>(), raw, raw_len, tag_len),
            (16 | 24 | 32, _) => RIJN_ETAGLEN,
            _ => RIJN_EKEYLEN,
        }
    }

    rijn_gcm_tag_len(key: *const rijn_gcm_key) -> usize {
        made(key).map_or(0, |key| (*key).tag_len)
    }

    rijn_gcm_key_impl(key: *const rijn_gcm_key) -> c_int {
        made(key).map_or(RIJN_ESTATE, |_| 0)
    }

    rijn_gcm_encrypt(key: *const rijn_gcm_key, out: *mut c_void, input: *const c_void, len: usize, aad: *const c_void,
                     aad_len: usize, nonce: *const c_void, nonce_len: usize, tag: *mut c_void) -> c_int {
        Whole { out, input, len, aad, aad_len, nonce, nonce_len }.seal(key, tag)
    }

    rijn_gcm_decrypt(key: *const rijn_gcm_key, out: *mut c_void, input: *const c_void, len: usize, aad: *const c_void,
                     aad_len: usize, nonce: *const c_void, nonce_len: usize, tag: *const c_void) -> c_int {
        Whole { out, input, len, aad, aad_len, nonce, nonce_len }.open(key, tag)
    }

    rijn_gmac(key: *const rijn_gcm_key, data: *const c_void, len: usize, nonce: *const c_void, nonce_len: usize,
              tag: *mut c_void) -> c_int {
        let (out, input) = (core::ptr::null_mut(), core::ptr::null());
        Whole { out, input, len: 0, aad: data, aad_len: len, nonce, nonce_len }.seal(key, tag)
    }

    rijn_gmac_verify(key: *const rijn_gcm_key, data: *const c_void, len: usize, nonce: *const c_void, nonce_len: usize,
                     tag: *const c_void) -> c_int {
        let (out, input) = (core::ptr::null_mut(), core::ptr::null());
        Whole { out, input, len: 0, aad: data, aad_len: len, nonce, nonce_len }.open(key, tag)
    }
}

// Messages in runs.

unsafe fn list<'a>(runs: *const rijn_iov, n: usize) -> &'a [rijn_iov] {
    core::slice::from_raw_parts(runs, n)
}

/// Where each byte is. The runs of output and input need not have the same lengths.
fn bytes(runs: &[rijn_iov]) -> impl Iterator<Item = *mut u8> + '_ {
    runs.iter().flat_map(|run| (0..run.len).map(|i| run.base.cast::<u8>().wrapping_add(i)))
}

struct Runs<'a> {
    out: &'a [rijn_iov],
    input: &'a [rijn_iov],
    aad: &'a [rijn_iov],
    nonce: *const c_void,
    nonce_len: usize,
}

impl Runs<'_> {
    unsafe fn crypt(&self, key: *const Key, opening: bool) -> Result<u64, c_int> {
        if bytes(self.out).count() != bytes(self.input).count() {
            return Err(RIJN_ELEN);
        }
        let mut sum = (*key).seed;
        for run in self.aad {
            sum = absorb(sum, run.base, run.len);
        }
        let mut place = Place::of(key, self.nonce, self.nonce_len);
        for (to, from) in bytes(self.out).zip(bytes(self.input)) {
            sum = place.crypt(sum, opening, to.cast(), from.cast(), 1);
        }
        Ok(sum)
    }
}

exported! {
    rijn_gcm_encrypt_iov(object: *const rijn_gcm_key, out: *const rijn_iov, out_n: usize, input: *const rijn_iov,
                         in_n: usize, aad: *const rijn_iov, aad_n: usize, nonce: *const c_void, nonce_len: usize,
                         tag: *mut c_void) -> c_int {
        let Some(key) = made(object) else { return RIJN_ESTATE };
        let runs = Runs { out: list(out, out_n), input: list(input, in_n), aad: list(aad, aad_n), nonce, nonce_len };
        runs.crypt(key, false).map_or_else(|code| code, |sum| {
            put_tag(sum, tag, (*key).tag_len);
            RIJN_OK
        })
    }

    rijn_gcm_decrypt_iov(object: *const rijn_gcm_key, out: *const rijn_iov, out_n: usize, input: *const rijn_iov,
                         in_n: usize, aad: *const rijn_iov, aad_n: usize, nonce: *const c_void, nonce_len: usize,
                         tag: *const c_void) -> c_int {
        let Some(key) = made(object) else { return RIJN_ESTATE };
        let runs = Runs { out: list(out, out_n), input: list(input, in_n), aad: list(aad, aad_n), nonce, nonce_len };
        match runs.crypt(key, true) {
            Ok(sum) if is_tag(sum, tag, (*key).tag_len) => RIJN_OK,
            Ok(_) => {
                runs.out.iter().for_each(|run| wipe(run.base, run.len));
                RIJN_EAUTH
            }
            Err(code) => code,
        }
    }
}

// Streams.

unsafe fn start(
    object: *mut rijn_gcm_stream,
    key: *const rijn_gcm_key,
    nonce: *const c_void,
    nonce_len: usize,
    opening: bool,
) -> c_int {
    let Some(key) = made(key) else { return RIJN_ESTATE };
    for i in 0..size_of::<rijn_gcm_stream>() {
        *object.cast::<u8>().add(i) = i as u8;
    }
    let at = Place::of(key, nonce, nonce_len);
    object.cast::<Stream>().write(Stream { key, at, sum: (*key).seed, opening, text: false, live: true, rest: [0; 5] });
    RIJN_OK
}

unsafe fn stream<'a>(object: *mut rijn_gcm_stream) -> Option<&'a mut Stream> {
    let stream = &mut *object.cast::<Stream>();
    stream.live.then_some(stream)
}

exported! {
    rijn_gcm_encrypt_start(s: *mut rijn_gcm_stream, key: *const rijn_gcm_key, nonce: *const c_void,
                           nonce_len: usize) -> c_int {
        start(s, key, nonce, nonce_len, false)
    }

    rijn_gcm_decrypt_start(s: *mut rijn_gcm_stream, key: *const rijn_gcm_key, nonce: *const c_void,
                           nonce_len: usize) -> c_int {
        start(s, key, nonce, nonce_len, true)
    }

    rijn_gcm_aad(s: *mut rijn_gcm_stream, aad: *const c_void, len: usize) -> c_int {
        match stream(s) {
            Some(s) if !s.text => {
                s.sum = absorb(s.sum, aad, len);
                RIJN_OK
            }
            Some(s) => {
                s.live = false;
                RIJN_ESTATE
            }
            None => RIJN_ESTATE,
        }
    }

    rijn_gcm_update(s: *mut rijn_gcm_stream, out: *mut c_void, input: *const c_void, len: usize) -> c_int {
        let Some(s) = stream(s) else { return RIJN_ESTATE };
        s.text = true;
        s.sum = s.at.crypt(s.sum, s.opening, out, input, len);
        RIJN_OK
    }

    rijn_gcm_encrypt_finish(s: *mut rijn_gcm_stream, tag: *mut c_void) -> c_int {
        let Some(s) = stream(s) else { return RIJN_ESTATE };
        s.live = false;
        put_tag(s.sum, tag, (*s.key).tag_len);
        RIJN_OK
    }

    rijn_gcm_decrypt_finish(s: *mut rijn_gcm_stream, tag: *const c_void) -> c_int {
        let Some(s) = stream(s) else { return RIJN_ESTATE };
        s.live = false;
        if is_tag(s.sum, tag, (*s.key).tag_len) { RIJN_OK } else { RIJN_EAUTH }
    }
}

// Batches and rows.

unsafe fn batch(messages: *mut rijn_gcm_msg, n: usize, one: impl Fn(Whole, &rijn_gcm_msg) -> c_int) -> c_int {
    let mut failed = 0;
    for i in 0..n {
        let m = &mut *messages.add(i);
        let (aad, nonce) = ((m.aad, m.aad_len), (m.nonce, m.nonce_len));
        let whole = Whole {
            out: m.out,
            input: m.in_,
            len: m.len,
            aad: aad.0,
            aad_len: aad.1,
            nonce: nonce.0,
            nonce_len: nonce.1,
        };
        m.result = if m.size == size_of::<rijn_gcm_msg>() { one(whole, m) } else { RIJN_ESTRUCT };
        failed += c_int::from(m.result != RIJN_OK);
    }
    failed
}

unsafe fn row(rows: &rijn_gcm_rows, i: usize) -> (Whole, *mut c_void) {
    let whole = Whole {
        out: rows.out.byte_add(i * rows.out_step),
        input: rows.in_.byte_add(i * rows.in_step),
        len: rows.len,
        aad: rows.aad.byte_add(i * rows.aad_step),
        aad_len: rows.aad_len,
        nonce: rows.nonces.byte_add(i * rows.nonce_step),
        nonce_len: 12,
    };
    (whole, rows.tags.byte_add(i * rows.tag_step))
}

exported! {
    rijn_gcm_encrypt_batch(messages: *mut rijn_gcm_msg, n: usize) -> c_int {
        batch(messages, n, |whole, m| whole.seal(m.key, m.tag))
    }

    rijn_gcm_decrypt_batch(messages: *mut rijn_gcm_msg, n: usize) -> c_int {
        batch(messages, n, |whole, m| whole.open(m.key, m.tag))
    }

    rijn_gcm_encrypt_rows(rows: *const rijn_gcm_rows) -> c_int {
        let rows = &*rows;
        let done = (0..rows.rows).map(|i| row(rows, i)).map(|(whole, tag)| whole.seal(rows.key, tag));
        done.fold(RIJN_OK, |code, one| if code == RIJN_OK { one } else { code })
    }

    rijn_gcm_decrypt_rows(rows: *const rijn_gcm_rows) -> c_int {
        let rows = &*rows;
        let mut failed = 0;
        for i in 0..rows.rows {
            let (whole, tag) = row(rows, i);
            let code = whole.open(rows.key, tag);
            if code != RIJN_OK && code != RIJN_EAUTH {
                return code;
            }
            if !rows.forged.is_null() {
                *rows.forged.add(i) = u8::from(code != RIJN_OK);
            }
            failed += c_int::from(code != RIJN_OK);
        }
        failed
    }
}

// XTS and single blocks.

unsafe fn unit<T>(key: *const T, out: *mut c_void, input: *const c_void, len: usize, tweak: *const c_void) -> c_int {
    let Some(key) = made(key) else { return RIJN_ESTATE };
    if len < 16 {
        return RIJN_ELEN;
    }
    Place::of(key, tweak, 16).crypt(0, false, out, input, len);
    RIJN_OK
}

macro_rules! xts {
    ($($unit:ident $sectors:ident $tweaks:ident;)*) => {exported! {$(
        $unit(key: *const rijn_xts_key, out: *mut c_void, input: *const c_void, len: usize, tweak: *const u8) -> c_int {
            unit(key, out, input, len, tweak.cast())
        }

        $sectors(key: *const rijn_xts_key, out: *mut c_void, input: *const c_void, size: usize, n: usize, first: u64,
                 step: u64) -> c_int {
            let numbers: Vec<u128> = (0..n).map(|i| u128::from(first) + i as u128 * u128::from(step)).collect();
            $tweaks(key, out, input, size, n, numbers.as_ptr().cast())
        }

        $tweaks(key: *const rijn_xts_key, out: *mut c_void, input: *const c_void, size: usize, n: usize,
                tweaks: *const u8) -> c_int {
            if !size.is_power_of_two() || !(512..=65536).contains(&size) {
                return RIJN_ESECTOR;
            }
            (0..n).fold(RIJN_OK, |code, i| {
                code | unit(key, out.byte_add(i * size), input.byte_add(i * size), size, tweaks.add(16 * i).cast())
            })
        }
    )*}};
}
xts! {
    rijn_xts_encrypt rijn_xts_encrypt_sectors rijn_xts_encrypt_tweaks;
    rijn_xts_decrypt rijn_xts_decrypt_sectors rijn_xts_decrypt_tweaks;
}

exported! {
    rijn_ecb_encrypt(key: *const rijn_aes_key, out: *mut c_void, input: *const c_void, nblk: usize) -> c_int {
        unit(key, out, input, 16 * nblk, b"a block, no mode".as_ptr().cast())
    }
}

// What the library says of itself.

exported! {
    rijn_version() -> *const c_char { c"stub".as_ptr() }
    rijn_impl_count() -> c_int { 2 }
    rijn_impl_name(i: c_int) -> *const c_char {
        match i {
            0 => c"one".as_ptr(),
            1 => c"two".as_ptr(),
            _ => core::ptr::null(),
        }
    }
    rijn_impl_supported(i: c_int) -> c_int { c_int::from(i == 0) }
    rijn_impl_chosen() -> c_int { 0 }
    rijn_selftest(i: c_int) -> c_int { if i == -1 { RIJN_OK } else { RIJN_EIMPL } }
}
