# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""What others say of the processors that tuning/model/model models, and where: for tuning/model/model --check.

The vendors' guides themselves could not be had beyond their title pages; what stands here comes from measurements that
name the processor, and from descriptions that its vendor gave to gcc, or that name the guide they follow.
"""

SOURCES = {
    "bench-v1": "measured on Graviton3, 2.6 GHz: ocxtal/insn_bench_aarch64, results/aws_graviton3.md; says itself that"
    " latencies of loads may be wrong",
    "bench-a72": "measured on NXP LX2160A, 2.0 GHz: ocxtal/insn_bench_aarch64, results/nxp_lx2160a_a72.md; the same",
    "guide-a72": "Cortex-A72 Software Optimization Guide, second hand: slothy, targets/aarch64/cortex_a72_frontend.py",
    "gcc-a57": "gcc, config/arm/cortex-a57.md, cortex_a57_crypto_simple",
    "gcc-tx2": "gcc, config/aarch64/thunderx2t99.md, by Cavium, Broadcom and Mentor",
    "gcc-p8": "gcc, config/rs6000/power8.md, by IBM; it knows no unit for AES alone",
    "gcc-p9": "gcc, config/rs6000/power9.md, by IBM",
    "openssl-arm": "measured: OpenSSL, crypto/aes/asm/aesv8-armx.pl, table of cycles a byte, AES-128",
    "openssl-gh": "measured: OpenSSL, crypto/modes/asm/ghashv8-armx.pl, table of cycles a byte",
    "openssl-ppc": "measured: OpenSSL, crypto/aes/asm/aesp8-ppc.pl, table of cycles a byte, AES-128, little-endian",
    "nettle": "measured: the authors of Nettle's combined AES-GCM, 3.5 GHz; GHASH as its maintainer read their figures",
}

AESE, AESMC = "aese v{d}.16b, v30.16b", "aesmc v{d}.16b, v{d}.16b"
PMULL, EOR = "pmull v{d}.1q, v{d}.1d, v30.1d", "eor v{d}.16b, v{d}.16b, v30.16b"
EOR3 = "eor3 v{d}.16b, v{d}.16b, v30.16b, v31.16b"
REV, EXT, LDR = "rev64 v{d}.16b, v{d}.16b", "ext v{d}.16b, v{d}.16b, v{d}.16b, #8", "ldr q{d}, [x0]"
# Processor, instruction ({d} is both source and result), latency, how many a cycle (None: not said), source.
INSTRUCTIONS = [
    *[("neoverse-v1", i, lat, n, "bench-v1") for i, lat, n in
      [(AESE, 2, 4), (AESMC, 2, 4), (PMULL, 2, 4), (EOR, 2, 4), (EOR3, 2, 1), (REV, 2, 4), (EXT, 2, 4),
       (LDR, 6.48, 3)]],
    *[("thunderx2t99", i, lat, n, "gcc-tx2") for i, lat, n in
      [(AESE, 5, 1), (AESMC, 5, 1), (PMULL, 5, 1), (EOR, 5, 2), (REV, 5, 2), (EXT, 5, 2), (LDR, 4, 2)]],
    *[("cortex-a57", i, 3, 1, "gcc-a57") for i in (AESE, AESMC)],
    *[("cortex-a72", i, lat, n, "bench-a72") for i, lat, n in
      [(AESE, 2, 1), (AESMC, 2, 1), (PMULL, 2, 1), (EOR, 3, 1.5), (REV, 3, 1.5), (EXT, 3, 1.5), (LDR, 4.28, 1)]],
    *[("cortex-a72", i, lat, n, "guide-a72") for i, lat, n in [(AESE, 3, 1), (EOR, 3, 2)]],
    *[("pwr8", i, lat, n, "gcc-p8") for i, lat, n in
      [("vcipher {d}, {d}, 30", 7, None), ("vpmsumd {d}, {d}, 30", 7, None), ("vxor {d}, {d}, 30", 2, 2),
       ("vperm {d}, {d}, {d}, 30", 2, 2), ("lxvw4x {d}, 0, 3", 5, 2)]],
    *[("pwr9", i, lat, n, "gcc-p9") for i, lat, n in
      [("vcipher {d}, {d}, 30", 6, 1), ("vpmsumd {d}, {d}, 30", 6, 1), ("xxlxor {d}, {d}, 30", 2, 2),
       ("xxpermdi {d}, {d}, {d}, 2", 3, 2), ("vadduwm {d}, {d}, 30", 3, 2), ("lxvb16x {d}, 0, 3", 5, 2)]],
]

# CBC encryption, where each block waits for the one before: ten rounds and an XOR. Processor, cycles a block, source.
CBC = [
    ("thunderx2t99", 16 * 5.95, "openssl-arm"),
    ("cortex-a57", 16 * 1.95, "openssl-arm"),
    ("cortex-a72", 16 * 1.33, "openssl-arm"),
    ("pwr8", 16 * 3.96, "openssl-ppc"),
    ("pwr9", 16 * 4.02, "openssl-ppc"),
]

# Instruction set, processor, loop here, what was measured there with other code, cycles a block, source. CTR does the
# work of ECB, an addition and an XOR; CBC decryption that of ECB and an XOR.
LOOPS = [
    ("arm_ce", "thunderx2t99", "ecb-enc-128", "CTR", 16 * 1.30, "openssl-arm"),
    ("arm_ce", "thunderx2t99", "ecb-dec-128", "CBC decryption", 16 * 1.25, "openssl-arm"),
    ("arm_ce", "cortex-a57", "ecb-enc-128", "CTR", 16 * 0.89, "openssl-arm"),
    ("arm_ce", "cortex-a57", "ecb-dec-128", "CBC decryption", 16 * 0.82, "openssl-arm"),
    ("arm_ce", "cortex-a57", "ghash", "GHASH", 16 * 0.73, "openssl-gh"),
    ("arm_ce", "cortex-a72", "ecb-enc-128", "CTR", 16 * 0.92, "openssl-arm"),
    ("arm_ce", "cortex-a72", "ecb-dec-128", "CBC decryption", 16 * 0.85, "openssl-arm"),
    ("ppc_p8", "pwr8", "ecb-enc-128", "CTR", 16 * 0.74, "openssl-ppc"),
    ("ppc_p8", "pwr8", "ecb-dec-128", "CBC decryption", 16 * 0.72, "openssl-ppc"),
    ("ppc_p9", "pwr9", "ecb-enc-128", "CTR", 16 * 0.84, "openssl-ppc"),
    ("ppc_p9", "pwr9", "ecb-dec-128", "CBC decryption", 16 * 0.86, "openssl-ppc"),
    ("ppc_p9", "pwr9", "ecb-enc-128", "ECB", 19.33, "nettle"),
    ("ppc_p9", "pwr9", "ecb-dec-128", "ECB", 24.24, "nettle"),
    ("ppc_p9", "pwr9", "ghash", "GHASH", 7.3, "nettle"),
    ("ppc_p9", "pwr9", "gcm-enc-128", "GCM", 20.83, "nettle"),
    ("ppc_p9", "pwr9", "gcm-enc-192", "GCM", 23.46, "nettle"),
    ("ppc_p9", "pwr9", "gcm-enc-256", "GCM", 26.03, "nettle"),
]
