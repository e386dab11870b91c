# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""Several files at once; verify, info, cat (from a local nginx too), salvage, JSON; files of other kinds."""
import gzip
import io
import json
import os
import signal
import socket
import subprocess
import tarfile
import time
import zipfile

from common import BATCH, CHUNK, FAILED, HEADER, OK, PROGRAM, SEALED, USAGE, Case, main, run, text_of


class Several(Case):
    def path(self, name):
        return os.path.join(self.box, name)

    def flip(self, name, *ats):
        data = bytearray(self.get(name))
        for at in ats:
            data[at] ^= 1
        self.put(os.path.relpath(name, self.dir), bytes(data))

    def lines(self, text):
        return [json.loads(line) for line in (text if isinstance(text, str) else text.decode()).splitlines()]

    # ------------------------------------------------------------ many files

    def test_many(self):
        texts = {f"f{i}": text_of(i * 7919) for i in range(12)}
        names = [self.put("box/" + n, t) for n, t in texts.items()]
        self.expect(run("encrypt", "-k", self.key, *names), OK)
        for n in names:
            os.remove(n)
        r = self.expect(run("verify", "-k", self.key, *(n + ".rijn" for n in names)), OK)
        want = [f"{self.path(n)}.rijn: verified, {len(t)} bytes" for n, t in texts.items()]
        self.assertEqual(r.stdout.decode().splitlines(), want)
        self.flip(names[3] + ".rijn", HEADER)
        r = self.expect(run("decrypt", "-k", self.key, *(n + ".rijn" for n in names)), FAILED, "f3.rijn: chunk 0 ")
        self.assertEqual(r.stderr.count("\n"), 1)  # the others came through
        for n, t in texts.items():
            self.assertEqual(os.path.exists(self.path(n)), n != "f3")
            if n != "f3":
                self.assertEqual(self.get(self.path(n)), t)
        r = self.expect(run("verify", "-j", "3", "-k", self.key, *(n + ".rijn" for n in names), "/none"), FAILED,
                        "f3.rijn: chunk 0 ", "/none: No such file")
        self.assertEqual(len(r.stdout.splitlines()), 11)
        self.expect(run("decrypt", "-k", self.key, names[0] + ".rijn", names[1]), USAGE, "does not end in .rijn")
        self.expect(run("verify", "-k", self.key), USAGE, "no FILE")

    def test_time_is_kept(self):
        plain = self.put("box/m", b"text")
        os.utime(plain, ns=(1, 1234567890123456789))
        self.expect(run("encrypt", "-k", self.key, plain), OK)
        self.assertEqual(os.stat(plain + ".rijn").st_mtime_ns, 1234567890123456789)
        os.remove(plain)
        self.expect(run("decrypt", "-k", self.key, plain + ".rijn"), OK)
        self.assertEqual(os.stat(plain).st_mtime_ns, 1234567890123456789)
        self.expect(run("encrypt", "-k", self.key, "-o", self.path("p"), data=b"x"), OK)
        self.assertGreater(os.stat(self.path("p")).st_mtime, time.time() - 1000)

    # ------------------------------------------------------------ info, verify, salvage

    def test_info(self):
        sealed = self.put("box/s", self.seal(text_of(100000)))
        r = self.expect(run("info", sealed), OK).stdout.decode()
        for said in ("format:    Cobblestone", "opens by:  a key of its own", "100000 bytes in 7 chunks", "by its length"):
            self.assertIn(said, r)
        self.assertIn(" 1 byte in 1 chunk\n", self.expect(run("info", self.put("box/1", self.seal(b"x"))), OK).stdout.decode())
        r = self.expect(run("info", "-k", self.key, sealed), OK).stdout.decode()
        self.assertIn("yes, every chunk verifies", r)
        self.flip(sealed, HEADER + 2 * SEALED + 5, HEADER + 5 * SEALED)
        r = run("info", "-k", self.key, sealed)
        self.assertEqual((r.returncode, r.stderr), (FAILED, ""))
        r = r.stdout.decode()
        self.assertIn(f"chunk 2 (bytes {HEADER + 2 * SEALED} to {HEADER + 3 * SEALED - 1}) is the first of 2 that do not "
                      "verify; 5 do", r)
        (j,) = self.lines(run("info", "-k", self.key, "--json", sealed).stdout)
        self.assertEqual((j["text_bytes"], j["chunks"], j["complete"], j["verified"], j["bad_chunks"]),
                         (100000, 7, True, False, 2))
        cut = self.put("box/cut", self.get(sealed)[:HEADER + 3 * SEALED])
        self.assertIn("no: it was cut short", run("info", cut).stdout.decode())
        self.expect(run("info", "/none"), FAILED, "No such file")
        r = run("info", "-k", self.keys[16], sealed)
        self.assertEqual(r.returncode, FAILED)
        self.assertIn("no: wrong key", r.stdout.decode())

    def test_verify_says_all(self):
        sealed = self.put("box/s", self.seal(text_of(20 * BATCH)))
        bad = [3, 40, 41, 150]
        self.flip(sealed, *(HEADER + k * SEALED + 99 for k in bad))
        r = self.expect(run("verify", "-k", self.key, sealed), FAILED, "s: chunk 3 (bytes ", "s: 4 chunks do not verify")
        (j,) = self.lines(run("verify", "-k", self.key, "--json", sealed).stdout)
        self.assertEqual((j["status"], j["bad_chunks"], j["file"]), ("failed", 4, sealed))
        self.assertIn("chunk 3 ", r.stderr)
        self.assertEqual(self.left(), ["s"])

    def test_salvage(self):
        text = text_of(10 * BATCH + 77)
        sealed = self.put("box/s.rijn", self.seal(text))
        bad = [0, 7, 8, 31, 80]
        self.flip(sealed, *(HEADER + k * SEALED + (50 if k < 80 else 5) for k in bad))
        want = bytearray(text)
        for k in bad:
            want[k * CHUNK:(k + 1) * CHUNK] = bytes(len(want[k * CHUNK:(k + 1) * CHUNK]))
        for args in ([], ["-j", "1"], ["-o", self.path("t")]):
            r = self.expect(run("decrypt", "--salvage", "-k", self.key, *args, sealed), FAILED, "zeros for 5 chunks")
            said = [int(line.split(": chunk ")[1].split()[0]) for line in r.stderr.splitlines() if ": chunk " in line]
            self.assertEqual(said, bad)
            out = self.path("t" if "-o" in args else "s")
            self.assertEqual(self.get(out), bytes(want))
            os.remove(out)
        r = run("decrypt", "--salvage", "-k", self.key, data=self.get(sealed))
        self.assertEqual((r.returncode, r.stdout), (FAILED, bytes(want)))
        cut = self.get(sealed)[:HEADER + 9 * SEALED + 7]
        r = run("decrypt", "--salvage", "-k", self.key, "-o", self.path("c"), data=cut)
        self.expect(r, FAILED, "chunk 9 (", "is shorter than its tag", "has 147456 bytes of text")
        self.assertEqual(self.get(self.path("c")), bytes(want[:9 * CHUNK]))
        r = run("decrypt", "--salvage", "-k", self.key, data=self.seal(text))
        self.assertEqual((r.returncode, r.stdout, r.stderr), (OK, text, ""))

    # ------------------------------------------------------------ cat

    RANGES = [(0, 0), (0, 1), (CHUNK - 1, 2), (5, 300000), (CHUNK, CHUNK), (399999, 1), (400000, 5), (123456, None)]

    def test_cat(self):
        text = text_of(400000)
        sealed = self.put("box/s", self.seal(text))
        for at, n in self.RANGES:
            args = ["--offset", at] + ([] if n is None else ["--length", n])
            r = self.expect(run("cat", "-k", self.key, *args, sealed), OK)
            self.assertEqual(r.stdout, text[at:None if n is None else at + n])
        self.expect(run("cat", "-k", self.key, "--offset", 400001, sealed), FAILED, "400000 bytes of text")
        for o in ("--offset", "--length"):
            for bad in ("", "-1", "x", "1x", "99999999999999999999999"):
                self.expect(run("cat", "-k", self.key, o, bad, sealed), USAGE, o)
        self.flip(sealed, HEADER + SEALED)
        r = run("cat", "-k", self.key, "--length", CHUNK, sealed)  # only what is asked for is looked at
        self.assertEqual((r.returncode, r.stdout), (OK, text[:CHUNK]))
        r = run("cat", "-k", self.key, "--offset", CHUNK + 7, "--length", 5, sealed)
        self.expect(r, FAILED, "chunk 1 (")
        self.assertEqual(r.stdout, b"")
        cut = self.put("box/c", self.seal(text)[:HEADER + 3 * SEALED])
        r = run("cat", "-k", self.key, cut)
        self.expect(r, FAILED, "cut short")
        self.assertEqual(r.stdout, text[:3 * CHUNK])
        self.expect(run("cat", "-k", self.key, "-", data=self.get(sealed)), FAILED, "is no regular file")
        for chunks in (0, 1, 24):  # closed by bytes that are as long as a last chunk without text
            forged = self.put("box/c", self.seal(text)[:HEADER + chunks * SEALED] + bytes(16))
            for args in ((), ("--offset", chunks * CHUNK)):
                r = self.expect(run("cat", "-k", self.key, *args, forged), FAILED, f"chunk {chunks} ")
                self.assertEqual(r.stdout, b"")

    def serve(self):
        """A local nginx over the box: its address. It inherits the socket, as a newer nginx does from an older one, so
        that nobody else can take the port."""
        door = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(door.close)
        port = door.getsockname()[1]
        conf = self.put("nginx.conf", f"""
daemon off; pid {self.dir}/pid; error_log {self.dir}/log; {"user root;" if os.geteuid() == 0 else ""}
events {{}}
http {{ access_log {self.dir}/access; client_body_temp_path {self.dir}/a; proxy_temp_path {self.dir}/b;
  fastcgi_temp_path {self.dir}/c; uwsgi_temp_path {self.dir}/d; scgi_temp_path {self.dir}/e;
  server {{ listen 127.0.0.1:{port}; root {self.box};
    location /whole/ {{ alias {self.box}/; max_ranges 0; }}
    location /moved/ {{ rewrite ^/moved/(.*) /$1 redirect; }} }} }}
""".encode())
        nginx = subprocess.Popen(["/usr/sbin/nginx", "-c", conf, "-e", self.dir + "/log"], stderr=subprocess.DEVNULL,
                                 env={**os.environ, "NGINX": f"{door.fileno()};"}, pass_fds=[door.fileno()])

        def stop():
            nginx.send_signal(signal.SIGTERM)
            nginx.wait(30)
        self.addCleanup(stop)
        return f"http://127.0.0.1:{port}"

    def test_http(self):
        text = text_of(400000)
        self.put("box/s", self.seal(text))
        r = run("keygen", "-r", "-o", os.path.join(self.dir, "secret"))
        self.put("box/r", run("encrypt", "-r", r.stdout.decode().split()[0], data=text).stdout)
        self.put("box/empty", b"")
        url = self.serve()
        for at, n in self.RANGES:
            args = ["--offset", at] + ([] if n is None else ["--length", n])
            for place in ("/s", "/moved/s"):
                r = self.expect(run("cat", "-k", self.key, *args, url + place), OK)
                self.assertEqual(r.stdout, text[at:None if n is None else at + n])
        r = self.expect(run("cat", "-k", os.path.join(self.dir, "secret"), url + "/r"), OK)
        self.assertEqual(r.stdout, text)
        with open(self.dir + "/access", encoding="utf-8") as f:
            before = sum(int(line.split('" ')[1].split()[1]) for line in f)
        self.expect(run("cat", "-k", self.key, "--offset", 200000, "--length", 10, url + "/s"), OK)
        with open(self.dir + "/access", encoding="utf-8") as f:
            took = sum(int(line.split('" ')[1].split()[1]) for line in f) - before
        self.assertLess(took, SEALED + 10000)  # the head, the header and one chunk
        self.expect(run("cat", "-k", self.key, url + "/none"), FAILED, "/none: ")
        self.expect(run("cat", "-k", self.key, url + "/whole/s"), FAILED, "the server gives no ranges")
        self.expect(run("cat", "-k", self.key, url + "/empty"), FAILED, "/empty")
        self.expect(run("cat", "-k", self.keys[16], url + "/s"), FAILED, "header: the commitment")
        with socket.socket() as nobody:  # bound, so that nobody listens there
            nobody.bind(("127.0.0.1", 0))
            url = f"http://127.0.0.1:{nobody.getsockname()[1]}/s"
            self.expect(run("cat", "-k", self.key, url), FAILED, url + ": ")

    # ------------------------------------------------------------ JSON

    def test_json(self):
        a, b = self.put("box/a", text_of(1000)), self.put("box/b", text_of(70000))
        r = run("encrypt", "--json", "-k", self.key, a, b, "/none")
        self.assertEqual(r.returncode, FAILED)
        self.assertIn("rijn: /none: No such file or directory\n", r.stderr)
        out = [json.loads(line) for line in r.stderr.splitlines() if line.startswith("{")]
        self.assertEqual([(j["action"], j["file"], j["status"]) for j in out],
                         [("encrypt", a, "ok"), ("encrypt", b, "ok"), ("encrypt", "/none", "failed")])
        self.assertEqual([j.get("text_bytes") for j in out], [1000, 70000, None])
        self.assertEqual((out[0]["output"], out[2]["error"]), (a + ".rijn", "/none: No such file or directory"))
        r = run("decrypt", "--json", "-k", self.key, a + ".rijn", data=None)
        self.assertEqual((r.returncode, json.loads(r.stderr.splitlines()[-1])["error"]),
                         (FAILED, f"{a}: exists already; --force replaces it"))
        # A name is bytes; each that is not UTF-8 (RFC 3629: too short, too long, a surrogate, too large) is one U+FFFD.
        for name, shown in ((b"\xff", "\ufffd"), (b"\xc3\xa4\xf0\x9f\x94\x91", "\u00e4\U0001f511"), (b"\xe2\x82", "\ufffd" * 2),
                            (b"\xc0\xae", "\ufffd" * 2), (b"\xe0\x80\xae", "\ufffd" * 3), (b"\xed\xa0\x80", "\ufffd" * 3),
                            (b"\xf4\x90\x80\x80", "\ufffd" * 4), (b"\xf5x", "\ufffdx")):
            path = self.put("box/" + os.fsdecode(name), b"text")
            r = run("encrypt", "--json", "-k", self.key, path)
            self.assertEqual(json.loads(r.stderr)["file"], self.path(shown))
        # progress, where the work takes a while
        p = subprocess.Popen([PROGRAM, "encrypt", "--json", "-k", self.key, "-o", "/dev/null"], stdin=subprocess.PIPE,
                             stderr=subprocess.PIPE)
        for pause in (1.3, 0, 0):
            p.stdin.write(text_of(BATCH))
            p.stdin.flush()
            time.sleep(pause)
        out = self.lines(p.communicate()[1])
        self.assertEqual(out[0]["progress"], "standard input")
        self.assertGreaterEqual(out[0]["text_bytes"], BATCH)
        self.assertEqual((out[-1]["status"], out[-1]["text_bytes"]), ("ok", 3 * BATCH))

    # ------------------------------------------------------------ files of another kind

    def test_foreign(self):
        tar, zipped = io.BytesIO(), io.BytesIO()
        with tarfile.open(fileobj=tar, mode="w") as t:
            t.addfile(tarfile.TarInfo("name"))
        with zipfile.ZipFile(zipped, "w") as z:
            z.writestr("name", b"text")
        salted = subprocess.run(["openssl", "enc", "-aes-256-ctr", "-k", "x", "-pbkdf2"], input=b"x" * 100,
                                capture_output=True, check=True).stdout
        kinds = {"tar": tar.getvalue(), "gzip": gzip.compress(b"text" * 100), "zip": zipped.getvalue(),
                 "PNG": b"\x89PNG\r\n\x1a\n" + bytes(80), "age": b"age-encryption.org/v1\n-> X25519 " + bytes(80),
                 "gpg": bytes.fromhex("85010c03") + bytes(80), "openssl enc": salted, "xz": b"\xfd7zXZ\0" + bytes(80),
                 "PDF": b"%PDF-1.7\n" + bytes(80), "ELF": self.get(PROGRAM)[:5000]}
        for kind, data in kinds.items():
            name = self.put("box/foreign.rijn", data)
            for command in ("decrypt", "verify", "info", "cat"):
                r = run(command, "-k", self.key, name)
                self.expect(r, FAILED, f"{name}: is a file of another kind ({kind})")
                self.assertNotIn("wrong key", r.stderr)
            self.expect(run("decrypt", name), FAILED, f"is a file of another kind ({kind})")
            self.assertEqual(self.left(), ["foreign.rijn"])
        r = run("decrypt", "-k", self.key, data=kinds["gzip"])
        self.expect(r, FAILED, "standard input: is a file of another kind (gzip)")

    def test_tink(self):
        text = text_of(100000)
        for args in (["tink-4kb"], ["tink-1mb"], ["tink"]):
            for n in (32, 16):
                plain = self.put("box/m", text)
                self.expect(run("encrypt", "-f", "-k", self.keys[n], "--format", *args, "-c", "data", plain), OK)
                os.remove(plain)
                key = ["-k", self.keys[n], "-c", "data"]
                self.expect(run("decrypt", *key, "--format", "tink", plain + ".rijn"), OK)
                self.assertEqual(self.get(plain), text)
                r = run("cat", *key, "--format", "tink", "--offset", 5000, "--length", 9000, plain + ".rijn")
                self.assertEqual(r.stdout, text[5000:14000])
                self.expect(run("verify", *key, "--format", "tink", plain + ".rijn"), OK)
                sealed = self.get(plain + ".rijn")
                form = args[0] if args[0] != "tink" else "tink-1mb"
                self.assertEqual(run("decrypt", *key, "--format", form, data=sealed).stdout, text)
                self.expect(run("decrypt", *key, "--format", form, data=sealed[:-1]), FAILED, "the last one, does not verify")
                self.expect(run("decrypt", *key, "--format", "tink", data=sealed), USAGE, "say tink-4kb or tink-1mb")
        self.expect(run("encrypt", "-k", self.key, "--format", "none", data=b""), USAGE, "--format: cobblestone, tink")


if __name__ == "__main__":
    main()
