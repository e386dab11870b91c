// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
use crate::raw::{GcmKey, Rows, Text};
use crate::{Decryptor, Encryptor, Error, Result, Run, RunMut, NONCE_LEN, TAG_LEN};
use core::fmt;
use zeroize::{Zeroize, ZeroizeOnDrop};

/// An AES-GCM key of any size (SP 800-38D), with tags of any of its lengths.
///
/// Never use a nonce twice with one key: two messages under one nonce give away their XOR and the key of the
/// authentication. The safe way is a counter. Random nonces: at most 2^32 messages a key.
///
/// The object has 1984 bytes, holds no pointer, never changes, and can be used by many threads at once. It is wiped when it
/// is dropped. **Moving** it copies its bytes, and Rust does not wipe where they were: [`Gcm::boxed`] makes a key in a box,
/// and [`Gcm::empty`] with [`Gcm::set_key`] makes one where it stays.
///
/// Text is at most 2^36 - 32 bytes. Nonces have any length but 0; 12 bytes is the fast one, and the one to use.
///
/// ```
/// let key = rijn::Gcm::new(&[7; 32])?;
/// let (nonce, mut text, mut tag) = ([0; 12], *b"hello", [0; 16]);
/// key.seal_in_place(&nonce, b"to: all", &mut text, &mut tag)?;
/// key.open_in_place(&nonce, b"to: all", &mut text, &tag)?;
/// assert_eq!(&text, b"hello");
/// # Ok::<(), rijn::Error>(())
/// ```
#[derive(Clone)]
#[repr(transparent)]
pub struct Gcm(pub(crate) GcmKey);

impl Gcm {
    /// A key of 16, 24 or 32 bytes, with tags of 16; else [`Error::KeyLength`].
    pub fn new(key: &[u8]) -> Result<Self> {
        Gcm::with_tag_len(key, TAG_LEN)
    }

    /// The same with tags of 12 to 16 bytes, or of 4 or 8 (SP 800-38D, appendix C limits the use of these two).
    pub fn with_tag_len(key: &[u8], tag_len: usize) -> Result<Self> {
        let mut made = Gcm::empty();
        made.0.init(key, tag_len)?;
        Ok(made)
    }

    /// The same as [`Gcm::new`], made in a box: no copy of it was ever on the stack.
    #[cfg(feature = "alloc")]
    pub fn boxed(key: &[u8]) -> Result<alloc::boxed::Box<Self>> {
        let mut made = alloc::boxed::Box::new(Gcm::empty());
        made.set_key(key, TAG_LEN)?;
        Ok(made)
    }

    /// A place for a key: every call refuses it ([`Error::State`]) until [`Gcm::set_key`].
    pub const fn empty() -> Self {
        Gcm(GcmKey::EMPTY)
    }

    /// Makes the key where the object is, as [`Gcm::with_tag_len`] does. What was there is wiped, also where the arguments
    /// are refused.
    pub fn set_key(&mut self, key: &[u8], tag_len: usize) -> Result<()> {
        self.0.wipe();
        self.0.init(key, tag_len)
    }

    /// Bytes of tag that this key makes and checks; 0 for one that is empty.
    pub fn tag_len(&self) -> usize {
        self.0.tag_len()
    }

    /// The implementation that made the key, and is used with it.
    pub fn implementation(&self) -> Option<&'static str> {
        self.0.implementation()
    }

    /// Encrypts `text` where it is, and writes the tag.
    #[inline]
    pub fn seal_in_place(&self, nonce: &[u8], aad: &[u8], text: &mut [u8], tag: &mut [u8]) -> Result<()> {
        self.0.seal(nonce, aad, Text::in_place(text), tag)
    }

    /// Checks the tag and decrypts `text` where it is. If the tag does not match, `text` is all zeros after it.
    #[inline]
    pub fn open_in_place(&self, nonce: &[u8], aad: &[u8], text: &mut [u8], tag: &[u8]) -> Result<()> {
        self.0.open(nonce, aad, Text::in_place(text), tag)
    }

    /// Encrypts `input` into `output`, which has the same length, and writes the tag.
    #[inline]
    pub fn seal(&self, nonce: &[u8], aad: &[u8], input: &[u8], output: &mut [u8], tag: &mut [u8]) -> Result<()> {
        self.0.seal(nonce, aad, Text::between(input, output)?, tag)
    }

    /// Checks the tag and decrypts `input` into `output`, which has the same length. If the tag does not match, `output` is
    /// all zeros.
    #[inline]
    pub fn open(&self, nonce: &[u8], aad: &[u8], input: &[u8], output: &mut [u8], tag: &[u8]) -> Result<()> {
        self.0.open(nonce, aad, Text::between(input, output)?, tag)
    }

    /// Encrypts into a new vector: text, then tag.
    #[cfg(feature = "alloc")]
    pub fn seal_to_vec(&self, nonce: &[u8], aad: &[u8], text: &[u8]) -> Result<alloc::vec::Vec<u8>> {
        let mut out = alloc::vec![0; text.len() + self.tag_len()];
        let (body, tag) = out.split_at_mut(text.len());
        self.seal(nonce, aad, text, body, tag)?;
        Ok(out)
    }

    /// Decrypts text and the tag behind it into a new vector.
    #[cfg(feature = "alloc")]
    pub fn open_to_vec(&self, nonce: &[u8], aad: &[u8], sealed: &[u8]) -> Result<alloc::vec::Vec<u8>> {
        let len = sealed.len().checked_sub(self.tag_len()).ok_or(Error::Unauthentic)?;
        let (body, tag) = sealed.split_at(len);
        let mut out = alloc::vec![0; len];
        self.open(nonce, aad, body, &mut out, tag)?;
        Ok(out)
    }

    /// Encrypts a text that lies in several places, where it is. Associated data may lie in several places too.
    ///
    /// ```
    /// use rijn::{Run, RunMut};
    /// let key = rijn::Gcm::new(&[7; 16])?;
    /// let (mut head, mut body, mut tag) = ([1; 5], [2; 700], [0; 16]);
    /// let mut text = [RunMut::new(&mut head), RunMut::new(&mut body)];
    /// key.seal_runs(&[0; 12], &[Run::new(b"to: "), Run::new(b"all")], &mut text, &mut tag)?;
    /// # Ok::<(), rijn::Error>(())
    /// ```
    pub fn seal_runs(&self, nonce: &[u8], aad: &[Run<'_>], text: &mut [RunMut<'_>], tag: &mut [u8]) -> Result<()> {
        self.0.seal_runs(nonce, aad, None, text, tag)
    }

    /// The opposite of [`Gcm::seal_runs`]. If the tag does not match, all runs are zeros.
    pub fn open_runs(&self, nonce: &[u8], aad: &[Run<'_>], text: &mut [RunMut<'_>], tag: &[u8]) -> Result<()> {
        self.0.open_runs(nonce, aad, None, text, tag)
    }

    /// From runs into others, which may be cut differently; both have one total length, else [`Error::Length`].
    pub fn seal_runs_into(
        &self,
        nonce: &[u8],
        aad: &[Run<'_>],
        input: &[Run<'_>],
        output: &mut [RunMut<'_>],
        tag: &mut [u8],
    ) -> Result<()> {
        self.0.seal_runs(nonce, aad, Some(input), output, tag)
    }

    /// The opposite of [`Gcm::seal_runs_into`]. If the tag does not match, all output runs are zeros.
    pub fn open_runs_into(
        &self,
        nonce: &[u8],
        aad: &[Run<'_>],
        input: &[Run<'_>],
        output: &mut [RunMut<'_>],
        tag: &[u8],
    ) -> Result<()> {
        self.0.open_runs(nonce, aad, Some(input), output, tag)
    }

    /// GMAC: the tag over data alone. The same rule for nonces.
    pub fn gmac(&self, nonce: &[u8], data: &[u8], tag: &mut [u8]) -> Result<()> {
        self.0.gmac(nonce, data, tag)
    }

    /// Checks a tag that [`Gcm::gmac`] made.
    pub fn gmac_verify(&self, nonce: &[u8], data: &[u8], tag: &[u8]) -> Result<()> {
        self.0.gmac_verify(nonce, data, tag)
    }

    /// Begins to encrypt a message in pieces.
    pub fn encryptor(&self, nonce: &[u8]) -> Result<Encryptor<'_>> {
        Encryptor::new(self, nonce)
    }

    /// Begins to decrypt a message in pieces. It hands out text that is not verified yet: see [`Decryptor`].
    pub fn decryptor(&self, nonce: &[u8]) -> Result<Decryptor<'_>> {
        Decryptor::new(self, nonce)
    }

    /// Encrypts messages of one length that lie one behind the other, in place: row i of `rows` under nonce i, its tag to
    /// `tags[i]`. One associated data for all. `rows` has `width` bytes a nonce, else [`Error::Length`].
    ///
    /// ```
    /// let key = rijn::Gcm::new(&[7; 16])?;
    /// let mut rows = [0; 3 * 64];
    /// let (nonces, mut tags) = ([[1; 12], [2; 12], [3; 12]], [[0; 16]; 3]);
    /// key.seal_rows(&nonces, b"", &mut rows, 64, &mut tags)?;
    /// let failed = key.open_rows(&nonces, b"", &mut rows, 64, &tags, None)?;
    /// assert_eq!((failed, rows), (0, [0; 3 * 64]));
    /// # Ok::<(), rijn::Error>(())
    /// ```
    pub fn seal_rows(
        &self,
        nonces: &[[u8; NONCE_LEN]],
        aad: &[u8],
        rows: &mut [u8],
        width: usize,
        tags: &mut [[u8; TAG_LEN]],
    ) -> Result<()> {
        self.0.seal_rows(Rows { nonces, aad, rows, width }, tags)
    }

    /// The opposite of [`Gcm::seal_rows`]. Rows that are not authentic become zeros, and the others are decrypted all the
    /// same; the result is how many are not, and `ok`, which has a place a row, says which.
    pub fn open_rows(
        &self,
        nonces: &[[u8; NONCE_LEN]],
        aad: &[u8],
        rows: &mut [u8],
        width: usize,
        tags: &[[u8; TAG_LEN]],
        ok: Option<&mut [bool]>,
    ) -> Result<usize> {
        self.0.open_rows(Rows { nonces, aad, rows, width }, tags, ok)
    }
}

impl fmt::Debug for Gcm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gcm").field("tag_len", &self.tag_len()).finish_non_exhaustive()
    }
}

impl Zeroize for Gcm {
    /// Wipes the key; every call refuses it from then on ([`Error::State`]).
    fn zeroize(&mut self) {
        self.0.wipe();
    }
}

impl ZeroizeOnDrop for Gcm {}
