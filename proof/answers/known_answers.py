#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""known_answers.py LIBRARY: the standards' own examples, with numbers for data, through standard.py and through the
same machine that proves. So neither is a model of nothing."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True

import domain as d  # noqa: E402
import library  # noqa: E402
import standard as s  # noqa: E402
from kernels import Harness  # noqa: E402


def block(text):
    data = bytes.fromhex(text)
    return d.const(8 * len(data), int.from_bytes(data, "little"))


def text_of(b):
    value = b if isinstance(b, d.Bits) else None
    return d.as_int(value).to_bytes(value.n // 8, "little").hex()


PLAIN = "00112233445566778899aabbccddeeff"
FIPS_197 = [  # appendix C: key, ciphertext
    ("000102030405060708090a0b0c0d0e0f", "69c4e0d86a7b0430d8cdb78070b4c55a"),
    ("000102030405060708090a0b0c0d0e0f1011121314151617", "dda97ca4864cdfe06eaf70a0ec0d7191"),
    ("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f", "8ea2b7ca516745bfeafc49904b496089"),
]
GCM = dict(  # The Galois/Counter Mode of Operation, appendix B, test case 4
    key="feffe9928665731c6d6a8f9467308308", nonce="cafebabefacedbaddecaf888",
    aad="feedfacedeadbeeffeedfacedeadbeefabaddad2",
    plain="d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657"
          "ba637b39",
    cipher="42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac97"
           "3d58e091", tag="5bc94fbc3221a5db94fae95ae7121a47")
XTS = dict(  # IEEE 1619, appendix B, vector 15: 17 bytes
    key="fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0bfbebdbcbbbab9b8b7b6b5b4b3b2b1b0", tweak="9a785634120000000000000000000000",
    plain="000102030405060708090a0b0c0d0e0f10", cipher="6c1625db4671522d3d7599601de7ca09ed")


def equal(what, got, want):
    if got != want:
        sys.exit(f"known_answers.py: {what}: {got}, not {want}")


def of_standard():
    for key, cipher in FIPS_197:
        keys = s.key_expansion(block(key))
        equal(f"FIPS 197, {len(key) * 4} bits", text_of(s.encrypt(block(PLAIN), keys)), cipher)
        equal(f"FIPS 197, {len(key) * 4} bits, back", text_of(s.decrypt(block(cipher), keys)), PLAIN)
    h, x = s.poly(block("66e94bd4ef8a2c3b884cfa59ca342b2e")), s.poly(block("0388dace60b6a392f328c2b971b2fe78"))
    equal("GHASH, test case 2", text_of(s.of_poly(s.multiply(x, h))), "5e2ec746917062882c85b0685353deb7")
    keys = [s.key_expansion(block(XTS["key"][i:i + 32])) for i in (0, 32)]
    equal("XTS", text_of(s.xts(block(XTS["plain"]), block(XTS["tweak"]), *keys, s.encrypt)[0]), XTS["cipher"])
    equal("XTS, back", text_of(s.xts(block(XTS["cipher"]), block(XTS["tweak"]), *keys, s.decrypt)[0]), XTS["plain"])


class Known(Harness):
    def place(self, name, text, size=None, write=False):
        b = block(text) if text else None
        r = self.region(name, size or b.n // 8, write=write)
        if b:
            r.store(0, b.n // 8, b)
        return r

    def bytes(self, region, n):
        value = region.load(0, n)
        return value.to_bytes(n, "little").hex() if isinstance(value, int) else text_of(value)

    def ecb(self, key, cipher):
        self.begin()
        rounds = len(key) // 8 + 6
        k, raw = self.region("key", 496, write=True), self.place("raw", key)
        k.store(1, 1, rounds)
        self.call("aes_init", k.base, raw.base)
        out, given = self.region("out", 16, write=True), self.place("in", PLAIN)
        self.call("ecb_enc", k.base + 16, rounds, out.base, given.base, 1)
        equal(f"{self.set.name}, FIPS 197, {len(key) * 4} bits", self.bytes(out, 16), cipher)
        self.call("ecb_dec", k.base + 256, rounds, out.base, out.base, 1)
        equal(f"{self.set.name}, FIPS 197, {len(key) * 4} bits, back", self.bytes(out, 16), PLAIN)

    def gcm(self):
        self.begin()
        k, raw = self.region("key", 1968, write=True, missing=lambda off, n: 0), self.place("raw", GCM["key"])
        k.store(1, 1, 10)
        self.call("gcm_init", k.base, raw.base)
        k.store(0, 1, self.set.index + 1)
        k.store(2, 1, 16)
        n, aad_len = len(GCM["plain"]) // 2, len(GCM["aad"]) // 2
        out, given, aad = self.region("out", n, write=True), self.place("in", GCM["plain"]), self.place("aad", GCM["aad"])
        nonce, tag = self.place("nonce", GCM["nonce"]), self.region("tag", 16, write=True)
        self.call("gcm_encrypt", k.base, out.base, given.base, n, aad.base, aad_len, nonce.base, 12, tag.base)
        equal(f"{self.set.name}, GCM, test case 4", self.bytes(out, n), GCM["cipher"])
        equal(f"{self.set.name}, GCM, test case 4, tag", self.bytes(tag, 16), GCM["tag"])

    def xts(self):
        self.begin()
        k, raw = self.region("key", 736, write=True), self.place("raw", XTS["key"])
        k.store(1, 1, 10)
        self.call("xts_init", k.base, raw.base)
        out, given, tweak = self.region("out", 17, write=True), self.place("in", XTS["plain"]), self.place("other", XTS["tweak"])
        self.call("xts_enc", k.base, out.base, given.base, 17, tweak.base)
        equal(f"{self.set.name}, XTS, vector 15", self.bytes(out, 17), XTS["cipher"])


def main():
    d.start(8, 0)
    of_standard()
    machine, sets = library.open_library(sys.argv[1])
    names = [n for n in sets if n != "portable"]
    for name in names:
        known = Known(machine, sets[name])
        for key, cipher in FIPS_197:
            known.ecb(key, cipher)
        known.gcm()
        known.xts()
    print(f"known answers: the standard's side, and {len(names)} sets of {sys.argv[1]}")


if __name__ == "__main__":
    main()
