# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""Damage of all kinds: the message names the chunk, status is 1, no file is left, a pipe gets only verified text."""
import os

from common import BATCH, CHUNK, FAILED, HEADER, SEALED, TAG, Case, main, run, text_of


class Damage(Case):
    def setUp(self):
        super().setUp()
        self.text = text_of(3 * CHUNK + 100)  # chunks 0, 1, 2 full, 3 the last
        self.sealed = self.seal(self.text)

    def refuse(self, sealed, where, verified=0, *words, key=None, text=None):
        """where: "header" or the number of the chunk that must be named."""
        place = "header: "
        if where != "header":
            start = HEADER + where * SEALED
            end = min(start + SEALED, len(sealed))
            place = f"chunk {where} " + (f"(at byte {start}): " if start == end else f"(bytes {start} to {end - 1}): ")
        args = ["decrypt", "-k", key or self.key]
        source = self.put("bad.rijn", sealed)
        target = os.path.join(self.box, "out")
        r = run(*args, "-o", target, source)
        self.expect(r, FAILED, f"rijn: {source}: {place}", *words)
        self.assertEqual(r.stderr.count("\n"), 1, r.stderr)
        self.assertEqual(self.left(), [])
        r = run(*args, data=sealed)
        self.expect(r, FAILED, f"rijn: standard input: {place}", *words)
        self.assertEqual(r.stdout, (text or self.text)[:verified])
        if where != "header":
            self.assertIn(f"standard output: got the {verified} verified bytes", r.stderr)

    def chunk(self, k):
        return self.sealed[HEADER + k * SEALED:HEADER + (k + 1) * SEALED]

    def test_truncated(self):
        cuts = {0, 1, 23, 24, 55, len(self.sealed) - 1, len(self.sealed) - 100, len(self.sealed) - 116}
        for k in range(4):
            at = HEADER + k * SEALED
            cuts |= {at, at + 1, at + 15, at + 16, at + 17, at + CHUNK - 1, at + CHUNK, at + SEALED - 1}
        for cut in sorted(c for c in cuts if c < len(self.sealed)):
            with self.subTest(cut=cut):
                if cut < HEADER:
                    self.refuse(self.sealed[:cut], "header", 0, "cut short")
                else:
                    k = (cut - HEADER) // SEALED
                    self.refuse(self.sealed[:cut], k, k * CHUNK, "cut short")

    def test_truncated_empty_last_chunk(self):
        for n in (0, CHUNK, BATCH):
            sealed = self.seal(text_of(n))
            for cut in (1, 15, 16):
                with self.subTest(size=n, cut=cut):
                    self.refuse(sealed[:-cut], n // CHUNK, n, "cut short", text=text_of(n))

    def test_flipped(self):
        for at in (0, 23, 24, 55):
            self.refuse(self.flip(self.sealed, at), "header", 0, "does not match")
        for k in range(4):
            start = HEADER + k * SEALED
            size = SEALED if k < 3 else 100 + TAG
            for at in (start, start + size // 2, start + size - TAG - 1, start + size - TAG, start + size - 1):
                with self.subTest(byte=at):
                    self.refuse(self.flip(self.sealed, at), k, k * CHUNK, "does not verify")

    @staticmethod
    def flip(data, at):
        return data[:at] + bytes([data[at] ^ 1]) + data[at + 1:]

    def test_reordered(self):
        head, c = self.sealed[:HEADER], [self.chunk(k) for k in range(4)]
        for order, bad in (([1, 0, 2, 3], 0), ([0, 2, 1, 3], 1), ([0, 0, 2, 3], 1), ([0, 2, 3], 1), ([1, 2, 3], 0),
                           ([0, 1, 3], 2), ([3], 0), ([0, 3], 1), ([0, 1, 2, 2, 3], 3)):
            with self.subTest(order=order):
                self.refuse(head + b"".join(c[k] for k in order), bad, bad * CHUNK, "does not verify", "out of order")

    def test_extended(self):
        for more in (b"\0", bytes(15), bytes(16), bytes(100), self.chunk(0), self.chunk(3), bytes(SEALED), self.sealed):
            with self.subTest(more=len(more)):
                self.refuse(self.sealed + more, 3, 3 * CHUNK, "extended")
        sealed = self.seal(text_of(CHUNK))  # its last chunk is empty
        for more in (b"\0", sealed[-16:], self.chunk(0)):
            self.refuse(sealed + more, 1, CHUNK, "extended", text=text_of(CHUNK))

    def test_other_message(self):
        other = self.seal(self.text)
        self.refuse(other[:HEADER] + self.sealed[HEADER:], 0)
        self.refuse(self.sealed[:HEADER + SEALED] + other[HEADER + SEALED:], 1, CHUNK)
        self.refuse(self.sealed[:24] + other[24:], "header")
        self.refuse(self.sealed, "header", 0, "wrong key", key=self.key_file("other", bytes(32)))
        self.refuse(self.sealed, "header", 0, "wrong key", key=self.keys[16])

    def test_second_batch(self):
        text = text_of(BATCH + 3 * CHUNK + 9)
        sealed = self.seal(text)
        for k in (7, 8, 9, 11):
            self.refuse(self.flip(sealed, HEADER + k * SEALED + 3), k, k * CHUNK, text=text)
        self.refuse(sealed[:HEADER + 8 * SEALED], 8, BATCH, "is missing", text=text)
        self.refuse(sealed[:HEADER + 10 * SEALED], 10, 10 * CHUNK, "is missing", text=text)

    def test_what_was_there_stays(self):
        """A failed --force leaves the old file as it was."""
        target = os.path.join(self.box, "out")
        with open(target, "wb") as f:
            f.write(b"old")
        bad = self.put("bad.rijn", self.flip(self.sealed, 40000))
        self.expect(run("decrypt", "-f", "-k", self.key, "-o", target, bad), FAILED, "chunk 2")
        self.assertEqual((self.get(target), self.left()), (b"old", ["out"]))

    def test_not_such_a_file(self):
        self.refuse(b"hello\n", "header", 0, "cut short, 6 of 56 bytes")
        self.refuse(text_of(5000), "header", 0, "does not match")


if __name__ == "__main__":
    main()
