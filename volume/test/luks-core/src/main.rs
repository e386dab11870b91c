// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
//! IMAGE PASSPHRASE: the plain volume to standard output, as `rijn volume read` writes it, 1 MiB at a time.
use std::io::{Cursor, Write};

fn main() {
    let mut args = std::env::args().skip(1);
    let (image, passphrase) = (args.next().expect("IMAGE"), args.next().expect("PASSPHRASE"));
    // WHY all of it at once: from a file the crate reads each sector by calls of its own.
    let disk = Cursor::new(std::fs::read(image).expect("the image"));
    let mut volume = luks::LuksVolume::unlock_with_passphrase(disk, passphrase.as_bytes()).expect("unlock");
    let (size, mut at, mut piece) = (volume.payload_size(), 0, vec![0; 1 << 20]);
    let mut out = std::io::stdout().lock();
    while at < size {
        let n = piece.len().min((size - at) as usize);
        volume.read_at(at, &mut piece[..n]).expect("read_at");
        out.write_all(&piece[..n]).expect("write");
        at += n as u64;
    }
}
