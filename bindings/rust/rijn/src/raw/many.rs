// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
//! Messages in runs, batches of messages, and rows. What makes each call sound is in the head of `raw.rs`.
use super::{check, read, sys, write, GcmKey, Text};
use crate::{Error, Result};
use core::ffi::{c_int, c_void};
use core::marker::PhantomData;
use core::mem::size_of;

/// A part of a message that is read, in the library's form, as `std::io::IoSlice` is the system's.
#[repr(transparent)]
pub struct Run<'a>(sys::rijn_iov, PhantomData<&'a [u8]>);

impl<'a> Run<'a> {
    /// The bytes of a slice.
    #[inline]
    pub fn new(bytes: &'a [u8]) -> Self {
        Run(sys::rijn_iov { base: bytes.as_ptr().cast_mut().cast(), len: bytes.len() }, PhantomData)
    }
}

/// A part of a message that is written, or read and written.
#[repr(transparent)]
pub struct RunMut<'a>(sys::rijn_iov, PhantomData<&'a mut [u8]>);

impl<'a> RunMut<'a> {
    /// The bytes of a slice.
    #[inline]
    pub fn new(bytes: &'a mut [u8]) -> Self {
        RunMut(sys::rijn_iov { base: bytes.as_mut_ptr().cast(), len: bytes.len() }, PhantomData)
    }
}

/// Where the runs of the output are, and those of the input, and how many these are.
fn lists(input: Option<&[Run<'_>]>, output: &[RunMut<'_>]) -> (*const sys::rijn_iov, *const sys::rijn_iov, usize) {
    let out: *const sys::rijn_iov = output.as_ptr().cast();
    let (runs, n) = input.map_or((out, output.len()), |runs| (runs.as_ptr().cast(), runs.len()));
    (out, runs, n)
}

impl GcmKey {
    /// `input` is `None` in place. The runs are borrows: no two that are written overlap, or one that is read.
    pub(crate) fn seal_runs(
        &self,
        nonce: &[u8],
        aad: &[Run<'_>],
        input: Option<&[Run<'_>]>,
        output: &mut [RunMut<'_>],
        tag: &mut [u8],
    ) -> Result<()> {
        if tag.len() != self.tag_len() {
            return Err(self.wrong_tag());
        }
        let (out, runs, n) = lists(input, output);
        // SAFETY: see the head; both types of run are a rijn_iov.
        check(unsafe {
            sys::rijn_gcm_encrypt_iov(
                &self.0,
                out,
                output.len(),
                runs,
                n,
                aad.as_ptr().cast(),
                aad.len(),
                read(nonce),
                nonce.len(),
                write(tag),
            )
        })
    }

    pub(crate) fn open_runs(
        &self,
        nonce: &[u8],
        aad: &[Run<'_>],
        input: Option<&[Run<'_>]>,
        output: &mut [RunMut<'_>],
        tag: &[u8],
    ) -> Result<()> {
        if tag.len() != self.tag_len() {
            return Err(self.wrong_tag());
        }
        let (out, runs, n) = lists(input, output);
        // SAFETY: see the head; both types of run are a rijn_iov.
        check(unsafe {
            sys::rijn_gcm_decrypt_iov(
                &self.0,
                out,
                output.len(),
                runs,
                n,
                aad.as_ptr().cast(),
                aad.len(),
                read(nonce),
                nonce.len(),
                read(tag),
            )
        })
    }
}

/// A message of a batch, as the library wants it. What it borrows is borrowed for `'a`.
#[repr(transparent)]
pub(crate) struct Message<'a>(sys::rijn_gcm_msg, PhantomData<&'a mut [u8]>);

// SAFETY: it is the borrows that it was made of, a `&GcmKey`, `&[u8]` and `&mut [u8]`, and these can be sent.
unsafe impl Send for Message<'_> {}

impl<'a> Message<'a> {
    fn new(key: &'a GcmKey, nonce: &'a [u8], aad: &'a [u8], text: Text<'a>, tag: *mut u8) -> Self {
        let message = sys::rijn_gcm_msg {
            size: size_of::<sys::rijn_gcm_msg>(),
            key: &key.0,
            out: text.output.cast(),
            in_: text.input.cast(),
            len: text.len,
            aad: read(aad),
            aad_len: aad.len(),
            nonce: read(nonce),
            nonce_len: nonce.len(),
            tag: tag.cast(),
            result: sys::RIJN_ESTATE,
        };
        Message(message, PhantomData)
    }

    pub(crate) fn to_seal(
        key: &'a GcmKey,
        nonce: &'a [u8],
        aad: &'a [u8],
        text: Text<'a>,
        tag: &'a mut [u8; 16],
    ) -> Self {
        Message::new(key, nonce, aad, text, tag.as_mut_ptr())
    }

    /// Of `tag` the library only reads.
    pub(crate) fn to_open(key: &'a GcmKey, nonce: &'a [u8], aad: &'a [u8], text: Text<'a>, tag: &'a [u8; 16]) -> Self {
        Message::new(key, nonce, aad, text, tag.as_ptr().cast_mut())
    }

    pub(crate) fn result(&self) -> Result<()> {
        check(self.0.result)
    }

    /// Returns the number of messages that failed. The caller knows that all were made by `to_seal`.
    pub(crate) fn seal_all(messages: &mut [Message<'a>]) -> Result<usize> {
        Message::in_parts(messages, sys::rijn_gcm_encrypt_batch)
    }

    pub(crate) fn open_all(messages: &mut [Message<'a>]) -> Result<usize> {
        Message::in_parts(messages, sys::rijn_gcm_decrypt_batch)
    }

    fn in_parts(
        messages: &mut [Message<'a>],
        call: unsafe extern "C" fn(*mut sys::rijn_gcm_msg, usize) -> c_int,
    ) -> Result<usize> {
        if messages.iter().any(|message| message.0.result != sys::RIJN_ESTATE) {
            return Err(Error::State);
        }
        let mut failed = 0;
        for part in messages.chunks_mut(sys::RIJN_BATCH_MAX) {
            // SAFETY: see the head; a Message is a rijn_gcm_msg.
            let n = unsafe { call(part.as_mut_ptr().cast(), part.len()) };
            failed += usize::try_from(n).map_err(|_| Error::from_code(n))?;
        }
        Ok(failed)
    }
}

/// What is a [`Message`] and nothing else (`repr(transparent)`); only this crate has such types.
pub(crate) trait IsMessage<'a> {}

pub(crate) fn messages<'m, 'a, M: IsMessage<'a>>(messages: &'m mut [M]) -> &'m mut [Message<'a>] {
    const { assert!(size_of::<M>() == size_of::<Message<'_>>()) };
    // SAFETY: an IsMessage is a Message.
    unsafe { core::slice::from_raw_parts_mut(messages.as_mut_ptr().cast(), messages.len()) }
}

/// Rows of one length, one behind the other, and a nonce and a tag for each.
pub(crate) struct Rows<'a> {
    pub(crate) nonces: &'a [[u8; 12]],
    pub(crate) aad: &'a [u8],
    pub(crate) rows: &'a mut [u8],
    pub(crate) width: usize,
}

impl GcmKey {
    pub(crate) fn seal_rows(&self, rows: Rows<'_>, tags: &mut [[u8; 16]]) -> Result<()> {
        let all = self.rows(rows, tags.len(), tags.as_mut_ptr())?;
        // SAFETY: see the head.
        check(unsafe { sys::rijn_gcm_encrypt_rows(&all) })
    }

    /// Returns how many rows are not authentic; `ok`, which has a place a row, says which.
    pub(crate) fn open_rows(&self, rows: Rows<'_>, tags: &[[u8; 16]], mut ok: Option<&mut [bool]>) -> Result<usize> {
        if ok.as_ref().is_some_and(|ok| ok.len() != tags.len()) {
            return Err(Error::Length);
        }
        let mut all = self.rows(rows, tags.len(), tags.as_ptr().cast_mut())?;
        if let Some(ok) = &mut ok {
            all.forged = ok.as_mut_ptr().cast();
        }
        // SAFETY: see the head; of tags the call only reads, and what it writes to `forged`, 0 and 1, are values of a bool.
        let failed = unsafe { sys::rijn_gcm_decrypt_rows(&all) };
        let failed = usize::try_from(failed).map_err(|_| Error::from_code(failed))?;
        ok.into_iter().flatten().for_each(|forged| *forged = !*forged);
        Ok(failed)
    }

    /// `tags` is valid for `n` tags.
    fn rows(&self, rows: Rows<'_>, n: usize, tags: *mut [u8; 16]) -> Result<sys::rijn_gcm_rows> {
        let Rows { nonces, aad, rows, width } = rows;
        if nonces.len() != n || width.checked_mul(n) != Some(rows.len()) {
            return Err(Error::Length);
        }
        let out: *mut c_void = rows.as_mut_ptr().cast();
        Ok(sys::rijn_gcm_rows {
            size: size_of::<sys::rijn_gcm_rows>(),
            key: &self.0,
            rows: n,
            len: width,
            aad_len: aad.len(),
            out,
            in_: out,
            aad: read(aad),
            nonces: nonces.as_ptr().cast(),
            tags: tags.cast(),
            out_step: width,
            in_step: width,
            aad_step: 0,
            nonce_step: 12,
            tag_step: 16,
            forged: core::ptr::null_mut(),
        })
    }
}
