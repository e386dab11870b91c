# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""Ten thousand small files in one command, and one of more than 4 GiB: its text is a hole with marks in it, so that it
takes no room; what is made of it does. Arguments: many, large."""
import hashlib
import os
import shutil
import subprocess
import sys

from common import CHUNK, FAILED, HEADER, OK, PROGRAM, SEALED, Case, main, run, sealed_size

MANY = 10000
GIB4 = 1 << 32
SIZE = GIB4 + 3 * CHUNK + 5
MARKS = (0, GIB4 - 3, GIB4 + CHUNK, SIZE - 5)  # where "marks" stands in the text


def text_of_file(i):
    return b"%d " % i * (i % 300)


class Many(Case):
    def test_many(self):
        """Each is there, with its own text; one that is damaged is told, and keeps nobody else from coming out."""
        names = [os.path.join(self.box, f"f{i}") for i in range(MANY)]
        for i, name in enumerate(names):
            with open(name, "wb") as f:
                f.write(text_of_file(i))
        self.assertLess(sum(map(len, names)), 2_000_000 - 10 * MANY)  # the system takes so many arguments
        self.expect(run("encrypt", "--sync=no", "-k", self.key, *names), OK)
        for i, name in enumerate(names):
            self.assertEqual(os.stat(name + ".rijn").st_size, sealed_size(len(text_of_file(i))))
            os.remove(name)
        sealed = [n + ".rijn" for n in names]
        bad = bytearray(self.get(sealed[777]))
        bad[-1] ^= 1
        self.put(sealed[777], bytes(bad))
        r = self.expect(run("verify", "-k", self.key, *sealed), FAILED, "f777.rijn: chunk 0 ")
        self.assertEqual((r.stdout.count(b": verified, "), r.stderr.count("\n")), (MANY - 1, 1))
        r = self.expect(run("decrypt", "--sync=no", "-k", self.key, *sealed), FAILED, "f777.rijn: chunk 0 ")
        self.assertEqual(r.stderr.count("\n"), 1)
        for i, name in enumerate(names):
            if i != 777:
                self.assertEqual(self.get(name), text_of_file(i))
        self.assertFalse(os.path.exists(names[777]))
        self.assertEqual(len(self.left()), 2 * MANY - 1)


class Large(Case):
    def setUp(self):
        super().setUp()
        self.assertGreater(shutil.disk_usage(self.dir).free, 2 * SIZE, "there is no room for this test")
        self.text = os.path.join(self.dir, "text")
        with open(self.text, "wb") as f:
            for at in MARKS:
                f.seek(at)
                f.write(b"marks")
        self.assertEqual(os.stat(self.text).st_size, SIZE)
        self.assertLess(os.stat(self.text).st_blocks, 1000)

    def test_large(self):
        sealed = os.path.join(self.box, "text.rijn")
        args = [PROGRAM, "encrypt", "--sync=no", "-j", "8", "-k", self.key, "-o", sealed, self.text]
        _, status, used = os.wait4(os.posix_spawn(PROGRAM, args, os.environ), 0)
        self.assertEqual((status, os.stat(sealed).st_size), (0, sealed_size(SIZE)))
        self.assertLess(used.ru_maxrss, 64 << 10)  # KiB: a bound that does not grow with the file
        for at in MARKS:
            r = self.expect(run("cat", "-k", self.key, "--offset", at, "--length", 5, sealed), OK)
            self.assertEqual(r.stdout, b"marks")
        # through a pipe it comes back the same
        want, got = hashlib.sha256(), hashlib.sha256()
        p = subprocess.Popen([PROGRAM, "decrypt", "-k", self.key, "-o", "-", sealed], stdout=subprocess.PIPE)
        with open(self.text, "rb") as f:
            while part := f.read(1 << 20):
                want.update(part)
                got.update(p.stdout.read(len(part)))
        self.assertEqual((p.stdout.read(1), p.wait(60)), (b"", OK))
        p.stdout.close()
        self.assertEqual(got.hexdigest(), want.hexdigest())
        # damage behind 4 GiB is named by its bytes
        chunk = GIB4 // CHUNK + 1
        with open(sealed, "r+b") as f:
            f.seek(HEADER + chunk * SEALED + 9)
            f.write(b"damage")
        start = HEADER + chunk * SEALED
        place = f"chunk {chunk} (bytes {start} to {start + SEALED - 1})"
        self.expect(run("verify", "-k", self.key, sealed), FAILED, place)
        # and salvaged: all the rest is there, in its place
        out = os.path.join(self.box, "text")
        r = run("decrypt", "--sync=no", "--salvage", "-k", self.key, "-o", out, sealed)
        self.expect(r, FAILED, place, "zeros for 1 chunk that does not verify")
        self.assertEqual(os.stat(out).st_size, SIZE)
        with open(out, "rb") as f:
            for at in MARKS:
                f.seek(at)
                self.assertEqual(f.read(5), b"\0" * 5 if at == GIB4 + CHUNK else b"marks")


if __name__ == "__main__":
    which = sys.argv.pop(1)
    del globals()[{"many": "Large", "large": "Many"}[which]]
    main(580)
