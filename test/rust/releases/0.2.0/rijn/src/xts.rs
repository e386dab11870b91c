// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
use crate::raw::{Direction, Text, XtsKey};
#[allow(unused_imports)] // the documentation names it
use crate::Error;
use crate::Result;
use core::fmt;
use zeroize::{Zeroize, ZeroizeOnDrop};

/// An AES-XTS key (IEEE 1619, SP 800-38E), for disks and pages of fixed size.
///
/// **XTS has no integrity:** a changed ciphertext decrypts to something, and nobody is told.
///
/// The object has 1024 bytes, and is copied, shared and wiped as [`Gcm`](crate::Gcm) is.
///
/// ```
/// let key: Vec<u8> = (0..64).collect();
/// let key = rijn::Xts::new(&key)?;
/// let mut disk = vec![0; 8 * 512];
/// key.encrypt_sectors(&mut disk, 512, 1000, 1)?; // sectors 1000 to 1007, as dm-crypt's plain64 numbers them
/// key.decrypt_sectors(&mut disk[512..1024], 512, 1001, 1)?;
/// assert_eq!(disk[512..1024], [0; 512]);
/// # Ok::<(), rijn::Error>(())
/// ```
#[derive(Clone)]
pub struct Xts(XtsKey);

impl Xts {
    /// A key of 32 bytes (AES-128) or 64 (AES-256), the data key first. [`Error::WeakKey`] if both halves are equal.
    pub fn new(key: &[u8]) -> Result<Self> {
        let mut made = Xts::empty();
        made.0.init(key)?;
        Ok(made)
    }

    /// A place for a key: every call refuses it ([`Error::State`]) until [`Xts::set_key`].
    pub const fn empty() -> Self {
        Xts(XtsKey::EMPTY)
    }

    /// Makes the key where the object is; what was there is wiped.
    pub fn set_key(&mut self, key: &[u8]) -> Result<()> {
        self.0.wipe();
        self.0.init(key)
    }
}

macro_rules! both {
    ($way:ident, $name:literal, $unit:ident, $unit_to:ident, $sectors:ident, $sectors_to:ident, $tweaks:ident) => {
        impl Xts {
            #[doc = concat!($name, " a data unit of 16 bytes to 2^20 blocks where it is. A length that is no multiple of")]
            /// 16 uses ciphertext stealing.
            #[inline]
            pub fn $unit(&self, unit: &mut [u8], tweak: &[u8; 16]) -> Result<()> {
                self.0.unit(Direction::$way, Text::in_place(unit), tweak)
            }

            #[doc = concat!($name, " a data unit from `input` into `output`, which has the same length.")]
            #[inline]
            pub fn $unit_to(&self, input: &[u8], output: &mut [u8], tweak: &[u8; 16]) -> Result<()> {
                self.0.unit(Direction::$way, Text::between(input, output)?, tweak)
            }

            #[doc = concat!($name, " a run of sectors where they are. Sector i has the tweak `first + i * step`, as a")]
            /// little-endian number of 128 bits: step 1 for dm-crypt's plain64 with sectors of 512 bytes, 8 with 4096, the
            /// size of a sector for GELI. The size is a power of two in 512..=65536 ([`Error::Sector`]), the run a multiple
            /// of it ([`Error::Length`]).
            #[inline]
            pub fn $sectors(&self, run: &mut [u8], sector_size: usize, first: u64, step: u64) -> Result<()> {
                self.0.sectors(Direction::$way, Text::in_place(run), sector_size, first, step)
            }

            #[doc = concat!($name, " a run of sectors from `input` into `output`, which has the same length.")]
            #[inline]
            pub fn $sectors_to(
                &self,
                input: &[u8],
                output: &mut [u8],
                sector_size: usize,
                first: u64,
                step: u64,
            ) -> Result<()> {
                self.0.sectors(Direction::$way, Text::between(input, output)?, sector_size, first, step)
            }

            #[doc = concat!($name, " a run of sectors where they are, each with a tweak of its own.")]
            #[inline]
            pub fn $tweaks(&self, run: &mut [u8], sector_size: usize, tweaks: &[[u8; 16]]) -> Result<()> {
                self.0.tweaks(Direction::$way, Text::in_place(run), sector_size, tweaks)
            }
        }
    };
}
both!(Encrypt, "Encrypts", encrypt_unit, encrypt_unit_to, encrypt_sectors, encrypt_sectors_to, encrypt_tweaks);
both!(Decrypt, "Decrypts", decrypt_unit, decrypt_unit_to, decrypt_sectors, decrypt_sectors_to, decrypt_tweaks);

impl fmt::Debug for Xts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Xts(..)")
    }
}

impl Zeroize for Xts {
    /// Wipes the key; every call refuses it from then on ([`Error::State`]).
    fn zeroize(&mut self) {
        self.0.wipe();
    }
}

impl ZeroizeOnDrop for Xts {}
