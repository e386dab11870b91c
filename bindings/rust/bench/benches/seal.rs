// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
//! AES-256-GCM, 16 bytes of associated data, in place, tag apart: Rijn beside its peers, by length of text.
//! `cargo bench --bench seal -- --table` prints one table: there the peers take turns, so that a busy machine is busy for
//! all.
use aead::{AeadInOut, KeyInit};
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, Throughput};
use std::hint::black_box;
use std::time::{Duration, Instant};

const LENGTHS: [usize; 5] = [16, 64, 1420, 16384, 1 << 20];
const KEY: [u8; 32] = [7; 32];
const AAD: [u8; 16] = [9; 16];

/// Seals a text in place; the nonce counts.
type SealOne = Box<dyn FnMut(&mut [u8])>;

fn nonce(counter: &mut u64) -> [u8; 12] {
    *counter += 1;
    let mut nonce = [0; 12];
    nonce[4..].copy_from_slice(&counter.to_be_bytes());
    nonce
}

macro_rules! sealer {
    ($counter:ident, $text:ident, $body:expr) => {{
        let mut counter = 0_u64;
        Box::new(move |$text: &mut [u8]| {
            let $counter = nonce(&mut counter);
            let _ = black_box($body);
        }) as SealOne
    }};
}

fn peers() -> Vec<(&'static str, SealOne)> {
    let own = rijn::Aes256Gcm::new(&KEY).expect("an implementation");
    let by_trait = own.clone();
    let ring =
        ring::aead::LessSafeKey::new(ring::aead::UnboundKey::new(&ring::aead::AES_256_GCM, &KEY).expect("32 bytes"));
    let aws = aws_lc_rs::aead::LessSafeKey::new(
        aws_lc_rs::aead::UnboundKey::new(&aws_lc_rs::aead::AES_256_GCM, &KEY).expect("32 bytes"),
    );
    let graviola = graviola::aead::AesGcm::new(&KEY);
    let pure = aes_gcm::Aes256Gcm::new(&KEY.into());
    vec![
        ("rijn", sealer!(nonce, text, own.encrypt(&nonce, &AAD, text).expect("short"))),
        (
            "rijn (aead)",
            sealer!(nonce, text, by_trait.encrypt_inout_detached(&nonce.into(), &AAD, text.into()).expect("short")),
        ),
        (
            "ring",
            sealer!(nonce, text, {
                let nonce = ring::aead::Nonce::assume_unique_for_key(nonce);
                ring.seal_in_place_separate_tag(nonce, ring::aead::Aad::from(&AAD), text).expect("short")
            }),
        ),
        (
            "aws-lc-rs",
            sealer!(nonce, text, {
                let nonce = aws_lc_rs::aead::Nonce::assume_unique_for_key(nonce);
                aws.seal_in_place_separate_tag(nonce, aws_lc_rs::aead::Aad::from(&AAD), text).expect("short")
            }),
        ),
        (
            "graviola",
            sealer!(nonce, text, {
                let mut tag = [0; 16];
                graviola.encrypt(&nonce, &AAD, text, &mut tag);
                tag
            }),
        ),
        (
            "aes-gcm",
            sealer!(nonce, text, pure.encrypt_inout_detached(&nonce.into(), &AAD, text.into()).expect("short")),
        ),
    ]
}

fn bench(group: &mut BenchmarkGroup<'_, WallTime>, len: usize) {
    for (name, mut seal) in peers() {
        let mut text = vec![0; len];
        group.throughput(Throughput::Bytes(len as u64));
        group.bench_function(BenchmarkId::new(name, len), |b| b.iter(|| seal(black_box(&mut text))));
    }
}

/// Nanoseconds a call: the lowest tenth of rounds in which all take turns.
fn table() {
    println!("| bytes | {} |", peers().iter().map(|(name, _)| *name).collect::<Vec<_>>().join(" | "));
    println!("|---:|{}", "---:|".repeat(peers().len()));
    for len in LENGTHS {
        let mut peers = peers();
        let mut text = vec![0; len];
        let calls = (400_000 / (len + 200)).clamp(1, 2000) as u32;
        let mut rounds: Vec<Vec<Duration>> = vec![Vec::new(); peers.len()];
        let until = Instant::now() + Duration::from_secs(3);
        while Instant::now() < until {
            for ((_, seal), times) in peers.iter_mut().zip(&mut rounds) {
                let from = Instant::now();
                for _ in 0..calls {
                    seal(black_box(&mut text));
                }
                times.push(from.elapsed() / calls);
            }
        }
        let low = |times: &mut Vec<Duration>| {
            times.sort();
            times[times.len() / 10].as_nanos()
        };
        let cells: Vec<_> = rounds.iter_mut().map(|times| low(times).to_string()).collect();
        println!("| {len} | {} |", cells.join(" | "));
    }
}

fn main() {
    if std::env::args().any(|arg| arg == "--table") {
        return table();
    }
    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("AES-256-GCM seal");
    for len in LENGTHS {
        bench(&mut group, len);
    }
    group.finish();
    criterion.final_summary();
}
