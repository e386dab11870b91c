# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""What is encrypted comes back, in every shape of input and output, and the sizes are those of the format."""
import json
import os
import subprocess

from common import BATCH, CHUNK, OK, PROGRAM, Case, main, run, sealed_size, text_of

SIZES = [0, 1, 15, 16, 17, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK, 3 * CHUNK + 5, BATCH - CHUNK, BATCH - 1, BATCH,
         BATCH + 1, BATCH + CHUNK, 5 << 20]


class Roundtrip(Case):
    def test_files(self):
        for bits in (32, 16):
            for n in SIZES:
                with self.subTest(key=bits, size=n):
                    text = text_of(n)
                    plain = self.put("message", text)
                    r = run("encrypt", "-k", self.keys[bits], plain)
                    self.assertEqual((r.returncode, r.stdout, r.stderr), (OK, b"", ""))
                    self.assertEqual(os.path.getsize(plain + ".rijn"), sealed_size(n))
                    os.rename(plain, plain + ".old")
                    r = run("decrypt", "--key-file", self.keys[bits], plain + ".rijn")
                    self.assertEqual((r.returncode, r.stdout, r.stderr), (OK, b"", ""))
                    self.assertEqual(self.get(plain), text)
                    os.remove(plain)
                    os.remove(plain + ".rijn")

    def test_pipes(self):
        for n in SIZES:
            with self.subTest(size=n):
                text = text_of(n)
                sealed = self.seal(text)
                self.assertEqual(len(sealed), sealed_size(n))
                r = run("decrypt", "-k", self.key, data=sealed)
                self.assertEqual((r.returncode, r.stdout, r.stderr), (OK, text, ""))

    def test_mixed(self):
        """File to pipe, pipe to file, '-' for both, -o to a named file, and the key from a descriptor."""
        text = text_of(100000)
        plain = self.put("message", text)
        r = run("encrypt", "-k", self.key, "-o", "-", plain)
        self.assertEqual(r.returncode, OK)
        out = os.path.join(self.box, "out")
        self.expect(run("decrypt", "-k", self.key, "-o", out, "-", data=r.stdout), OK)
        self.assertEqual(self.get(out), text)
        sealed = os.path.join(self.box, "sealed")
        with open(self.key, "rb") as k:
            self.expect(run("encrypt", "--key-fd", k.fileno(), "--output", sealed, plain, pass_fds=[k.fileno()]), OK)
        with open(self.key, "rb") as k:
            r = subprocess.run([PROGRAM, "decrypt", "--key-fd", "0", "-o", "-", sealed], stdin=k, capture_output=True)
        self.assertEqual((r.returncode, r.stdout), (OK, text))

    def test_pipes_that_do_not_block(self):
        """Whoever shares a pipe can have made it so; then there is nothing yet, or no room yet, and that is no error."""
        text = text_of(BATCH)  # more than a pipe holds
        (in_r, in_w), (out_r, out_w) = os.pipe(), os.pipe()
        os.set_blocking(in_r, False)
        os.set_blocking(out_w, False)
        p = subprocess.Popen([PROGRAM, "encrypt", "-k", self.key], stdin=in_r, stdout=out_w, stderr=subprocess.PIPE)
        os.close(in_r)
        os.close(out_w)
        with os.fdopen(in_w, "wb") as f:
            for i in range(0, len(text), 4093):
                f.write(text[i:i + 4093])
                f.flush()
        with os.fdopen(out_r, "rb") as f:
            sealed = f.read()
        self.assertEqual((p.wait(60), p.stderr.read()), (OK, b""))
        p.stderr.close()
        self.assertEqual(run("decrypt", "-k", self.key, data=sealed).stdout, text)

    def test_small_pieces(self):
        """A pipe that brings a few bytes at a time changes nothing."""
        text = text_of(3 * CHUNK + 77)
        p = subprocess.Popen([PROGRAM, "encrypt", "-k", self.key], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        for i in range(0, len(text), 4093):
            p.stdin.write(text[i:i + 4093])
            p.stdin.flush()
        sealed = p.communicate()[0]
        self.assertEqual(len(sealed), sealed_size(len(text)))
        self.assertEqual(run("decrypt", "-k", self.key, data=sealed).stdout, text)

    def test_salt(self):
        """Two encryptions of one message share nothing."""
        a, b = self.seal(text_of(500)), self.seal(text_of(500))
        self.assertEqual(len(a), len(b))
        same = sum(x == y for x, y in zip(a, b))
        self.assertLess(same, 40)  # 572 bytes: 2.2 expected, 40 is beyond chance
        self.assertNotEqual(a[:24], b[:24])

    def test_context(self):
        text = text_of(1000)
        ctx = self.put("ctx", b"a\0b\xff")
        for args, wrong in ((["-c", "backup of Tuesday"], ["-c", "backup of Wednesday"]), (["--context-file", ctx], []),
                            ([], ["--context", "x"]), (["--context", "x" * 16384], ["--context", "x" * 16383])):
            sealed = self.seal(text, None, *args)
            self.assertEqual(run("decrypt", "-k", self.key, *args, data=sealed).stdout, text)
            r = run("decrypt", "-k", self.key, *wrong, data=sealed)
            self.expect(r, 1, "header", "wrong context")
            self.assertEqual(r.stdout, b"")
        r = run("decrypt", "-k", self.key, data=self.seal(text, None, "-c", ""))  # the empty one is the default
        self.assertEqual((r.returncode, r.stdout, r.stderr), (OK, text, ""))
        self.expect(run("encrypt", "-k", self.key, "-c", "x" * 16385, data=b""), 2, "context", "16384")
        self.expect(run("encrypt", "-k", self.key, "--context-file", "/dev/zero", data=b""), 2, "context: /dev/zero: longer than 16384")
        self.expect(run("encrypt", "-k", self.key, "--context-file", "/none", data=b""), 1, "context: /none: No such")

    def test_openssl_conf(self):
        """No configuration of libcrypto matters, be it one that leaves nothing to be found; it is not even opened."""
        nobody = ("openssl_conf = a", "[a]", "providers = b", "alg_section = c", "[b]", "base = d", "[c]",
                  "default_properties = provider=nobody", "[d]", "activate = 1", "")
        fifo = os.path.join(self.dir, "fifo")
        os.mkfifo(fifo)  # who opens it waits
        for conf in (self.put("openssl.cnf", "\n".join(nobody).encode()), fifo):
            env = {"OPENSSL_CONF": conf}
            sealed = run("encrypt", "-k", self.key, data=b"text", env=env)
            self.expect(sealed, OK)
            r = run("decrypt", "-k", self.key, data=sealed.stdout, env=env)
            self.assertEqual((r.returncode, r.stdout, r.stderr), (OK, b"text", ""))

    def test_each_implementation(self):
        """Every implementation reads what every other wrote, and -v names the one that ran."""
        text = text_of(2 * CHUNK + 1234)
        names = [i["name"] for i in json.loads(run("info", "--json").stdout)["implementations"] if i["supported"]]
        self.assertIn("portable", names)
        sealed = {}
        for name in names:
            r = run("encrypt", "-v", "-k", self.key, data=text, env={"RIJN_IMPL": name})
            self.expect(r, OK, f"Cobblestone-256 through {name}\n", f"encrypted {len(text)} bytes", "MB/s")
            sealed[name] = r.stdout
        for name in names:
            for other in names:
                r = run("decrypt", "-v", "-k", self.key, data=sealed[other], env={"RIJN_IMPL": name})
                self.expect(r, OK, f"through {name}\n", "decrypted")
                self.assertEqual(r.stdout, text)


if __name__ == "__main__":
    main()
