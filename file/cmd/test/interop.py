# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""Both ways against another implementation of the format: PyPI's cryptography, 50 or newer (run by its Python)."""
import cryptography
from cryptography import cobblestone

from common import BATCH, CHUNK, FAILED, Case, main, run, text_of

SIZES = [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK, BATCH - 1, BATCH, BATCH + 1, 5 << 20]
CONTEXTS = [b"", b"backup of Tuesday", b"\0\xff", b"x" * 3000]
BITS = {32: (cobblestone.Cobblestone256Encryptor, cobblestone.Cobblestone256Decryptor),
        16: (cobblestone.Cobblestone128Encryptor, cobblestone.Cobblestone128Decryptor)}


class Interop(Case):
    def test_version(self):
        self.assertGreaterEqual(int(cryptography.__version__.split(".")[0]), 50)

    def each(self, check):
        for i, n in enumerate(SIZES):
            for bits, (encryptor, decryptor) in BITS.items():
                context = CONTEXTS[(i + bits // 16) % len(CONTEXTS)]
                key = self.get(self.keys[bits])
                args = ["-k", self.keys[bits], "--context-file", self.put("ctx", context)]
                with self.subTest(size=n, key=bits, context=context[:20]):
                    check(text_of(n), args, encryptor(key, context), decryptor(key, context))

    def test_theirs_to_ours(self):
        def check(text, args, encryptor, _):
            r = run("decrypt", *args, data=encryptor.update(text) + encryptor.finalize())
            self.assertEqual((r.returncode, r.stderr), (0, ""))
            self.assertEqual(r.stdout, text)
        self.each(check)

    def test_ours_to_theirs(self):
        def check(text, args, _, decryptor):
            r = run("encrypt", *args, data=text)
            self.assertEqual((r.returncode, r.stderr), (0, ""))
            self.assertEqual(decryptor.update(r.stdout) + decryptor.finalize(), text)
        self.each(check)

    def test_both_refuse(self):
        """A flipped bit, a cut: what one refuses, so does the other."""
        sealed = self.seal(text_of(2 * CHUNK + 9))
        for at in (0, 30, 56, 56 + CHUNK, 56 + 2 * (CHUNK + 16) + 3, len(sealed) - 1):
            flipped = sealed[:at] + bytes([sealed[at] ^ 128]) + sealed[at + 1:]
            for bad in (sealed[:at], flipped, sealed + sealed[:at + 1]):
                with self.subTest(at=at, size=len(bad)):
                    self.expect(run("decrypt", "-k", self.key, data=bad), FAILED)
                    d = cobblestone.Cobblestone256Decryptor(self.get(self.key), b"")
                    with self.assertRaises(Exception):
                        d.update(bad) + d.finalize()


if __name__ == "__main__":
    main()
