// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
//! Says which implementation computes on this machine, and checks it: `cargo run --example check`.
use rijn::{Aes256Gcm, Gcm, Xts};

fn main() -> Result<(), rijn::Error> {
    println!("Rijn {}, implementation {}", rijn::version(), rijn::implementation()?);
    for (name, runs) in rijn::implementations() {
        println!("  {name}{}", if runs { "" } else { " (not on this machine)" });
    }
    rijn::self_test()?;
    println!("all known answers");

    let key = Aes256Gcm::new(&[7; 32])?;
    let mut text = *b"a message";
    let tag = key.encrypt(&[0; 12], b"to: all", &mut text)?;
    key.decrypt(&[0; 12], b"to: all", &mut text, &tag)?;
    assert_eq!(&text, b"a message");

    let key = Gcm::new(&[7; 16])?;
    let (nonces, mut rows, mut tags) = ([[1; 12]; 40], [3; 40 * 33], [[0; 16]; 40]);
    key.seal_rows(&nonces, b"", &mut rows, 33, &mut tags)?;
    tags[17][0] ^= 1;
    assert_eq!(key.open_rows(&nonces, b"", &mut rows, 33, &tags, None)?, 1);

    let key: Vec<u8> = (0..64).collect();
    let key = Xts::new(&key)?;
    let mut disk = [9; 8 * 512];
    key.encrypt_sectors(&mut disk, 512, 0, 1)?;
    key.decrypt_sectors(&mut disk, 512, 0, 1)?;
    assert_eq!(disk, [9; 8 * 512]);
    println!("messages, rows and sectors come back");
    Ok(())
}
