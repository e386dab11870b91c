# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""Who can open a file: text keys, public keys, passphrases; what is said to those who cannot; and the stored files of
each version of the header."""
import os
import pty
import re
import stat
import time

from common import FAILED, OK, PROGRAM, SOURCE, USAGE, Case, main, run, text_of

CHEAP = ("--passphrase-cost", "1,1,1")


class Holders(Case):
    def path(self, name):
        return os.path.join(self.box, name)

    def pair(self, name):
        r = run("keygen", "--recipient", "-o", self.path(name), "-c", f"of {name}")
        self.expect(r, OK)
        self.put(f"box/{name}.pub", r.stdout)
        return self.path(name), r.stdout.decode().split()[0]

    def secret_file(self, text=b"correct horse\n"):
        return self.key_file("passphrase", text)

    # ------------------------------------------------------------ text keys

    def test_text_keys(self):
        for args, kind, size in (([], "rijn-aes256-key", 64), (["-b", "128"], "rijn-aes128-key", 32)):
            key = self.path("k" + kind)
            self.expect(run("keygen", "-o", key, "-c", "what it is for", *args), OK)
            line = self.get(key).decode()
            self.assertRegex(line, rf"\A{kind}:[0-9a-f]{{{size}}}-[0-9a-f]{{8}} what it is for\n\Z")
            self.assertEqual(stat.S_IMODE(os.stat(key).st_mode), 0o600)
            raw = self.key_file("raw", bytes.fromhex(re.search(":([0-9a-f]+)-", line).group(1)))
            sealed = self.seal(b"text", key)
            self.assertEqual(run("decrypt", "-k", raw, data=sealed).stdout, b"text")  # it is the same key
            shown = run("keygen", "--show", key).stdout.decode()
            self.assertRegex(shown, r"\Akind: +AES-(128|256)\nfingerprint:  [0-9a-f]{32}\ncomment: +what it is for\n\Z")
            same = run("keygen", "-s", raw).stdout.decode().splitlines()
            self.assertEqual(same, shown.splitlines()[:2])
            self.assertNotIn(line[20:40], shown)
            for bad in (line[:-30], line.replace(line[25], "f" if line[25] != "f" else "e", 1),
                        "rijn-other-key:" + line.split(":")[1]):
                r = run("decrypt", "-k", self.key_file("bad", bad.encode()), data=sealed)
                self.expect(r, FAILED, "key: ", "is no key: its checksum does not match")
            remarks = self.key_file("remarks", b"# a remark\n\n" + line.encode())
            self.assertEqual(run("decrypt", "-k", remarks, data=sealed).stdout, b"text")
        for args, said in ((["-o", "k", "-r", "-b", "128"], "--bits"), (["-o", "k", "-r", "--raw"], "--raw"),
                           (["-o", "k", "-c", "a\nb"], "one line"), (["-o", "k", "-c", "x" * 501], "500"),
                           (["-s", "k", "-o", "l"], "not both")):
            self.expect(run("keygen", *args), USAGE, said)

    def test_readable_key_is_warned_of(self):
        for mode, said in ((0o600, ""), (0o400, ""), (0o640, "(its mode is 0640)"), (0o604, "(its mode is 0604)")):
            os.chmod(self.key, mode)
            r = self.expect(run("encrypt", "-k", self.key, data=b"x"), OK, said)
            self.assertEqual(r.stderr.count("others can read it"), 1 if said else 0)

    # ------------------------------------------------------------ public keys

    def test_recipients(self):
        (a, a_pub), (b, b_pub), (c, c_pub) = map(self.pair, "abc")
        text = text_of(200000)
        both = self.put("both.pub", f"# friends\n{a_pub} one\n\n{b_pub} two\n".encode())
        for args in (["-r", a_pub, "-r", b_pub], ["-r", both], ["-r", self.path("a.pub"), "-r", b_pub]):
            r = self.expect(run("encrypt", *args, "-c", "about", data=text), OK)
            for key in (a, b):
                back = run("decrypt", "-k", key, "-c", "about", data=r.stdout)
                self.assertEqual((back.returncode, back.stdout), (OK, text), back.stderr)
            self.expect(run("decrypt", "-k", c, "-c", "about", data=r.stdout), FAILED, "header: ", "wrong passphrase or secret key")
            self.expect(run("decrypt", "-k", a, data=r.stdout), FAILED, "header: the commitment", "wrong context")
        self.expect(run("decrypt", "-k", self.key, data=r.stdout), FAILED, "for public keys, and the key given is neither")
        self.expect(run("decrypt", data=r.stdout), USAGE, "was encrypted for public keys", "--key-file")
        self.expect(run("decrypt", "-k", a, data=self.seal(b"x")), FAILED, "has no header of keys, so no secret key")
        self.expect(run("encrypt", "-k", a, data=b""), USAGE, "secret key for reading", "--recipient")
        self.expect(run("encrypt", "-k", self.path("a.pub"), data=b""), USAGE, "a public key opens nothing")
        self.expect(run("encrypt", "-r", self.get(a).decode().split()[0], data=b""), FAILED, "is a secret key")
        self.expect(run("encrypt", "-r", a_pub[:-1], data=b""), FAILED, "is no key: its checksum does not match, so it is mistyped")
        self.expect(run("encrypt", "-r", self.put("none", b"# nobody\n"), data=b""), FAILED, "no public key is in it")
        self.expect(run("encrypt", "-r", "/none", data=b""), FAILED, "recipient: /none: No such file")
        self.expect(run("encrypt", "-r", a_pub, "-k", self.key, data=b""), USAGE, "not both")
        self.expect(run("encrypt", "-r", a_pub, "--format", "tink", data=b""), USAGE, "--format tink has no header")
        shown = run("keygen", "--show", a).stdout.decode()
        self.assertIn("public key:   " + a_pub, shown)
        self.assertEqual(re.findall("fingerprint.*", shown),
                         re.findall("fingerprint.*", run("keygen", "-s", self.path("a.pub")).stdout.decode()))

    def test_stream_is_the_standard_one(self):
        """Behind the header there is a stream that any reader of the format reads; here Rijn's own, with its length."""
        _, pub = self.pair("a")
        sealed = run("encrypt", "-r", pub, data=text_of(20000)).stdout
        header = int.from_bytes(sealed[10:12], "big")
        self.assertEqual(len(sealed) - header, 56 + 20000 + 2 * 16)

    # ------------------------------------------------------------ passphrases

    def test_passphrases(self):
        text, file = text_of(70000), self.secret_file()
        env = {"RIJN_PASSPHRASE_FILE": file}
        r = self.expect(run("encrypt", "-p", *CHEAP, data=text, env=env), OK)
        self.assertEqual(run("decrypt", data=r.stdout, env=env).stdout, text)
        with open(file, "rb") as f:
            back = run("decrypt", "--passphrase-fd", f.fileno(), data=r.stdout, pass_fds=[f.fileno()])
        self.assertEqual(back.stdout, text)
        self.expect(run("decrypt", data=r.stdout, env={"RIJN_PASSPHRASE_FILE": self.put("w", b"wrong")}), FAILED,
                    "header: wrong passphrase")
        self.expect(run("decrypt", "-k", self.key, data=r.stdout), FAILED, "for a passphrase, and the key given is neither")
        for bad, said in ((b"", "is empty"), (b"\nx", "is empty"), (b"x" * 1025, "longer than 1024")):
            e = {"RIJN_PASSPHRASE_FILE": self.put("w", bad)}
            self.expect(run("encrypt", "-p", *CHEAP, data=b"", env=e), FAILED, said)
        self.expect(run("encrypt", "-p", data=b"", env={"RIJN_PASSPHRASE_FILE": "/none"}), FAILED, "passphrase: /none: ")
        self.expect(run("encrypt", "--passphrase-fd", "99", data=b""), FAILED, "passphrase: descriptor 99: ")
        self.expect(run("encrypt", "-p", *CHEAP, data=b"", preexec=os.setsid), FAILED, "no terminal to ask")
        for cost in ("", "1,1", "0,1,1", "1,0,1", "1,1,0", "1025,1,1", "1,17,1", "1,1,17", "1,1,1,1", "a,b,c"):
            self.expect(run("encrypt", "-p", "--passphrase-cost", cost, data=b"", env=env), USAGE, "--passphrase-cost")
        # The default is what the man page says, and is stored.
        r = self.expect(run("encrypt", "-p", data=b"x", env=env), OK)
        info = run("info", self.put("box/p.rijn", r.stdout)).stdout.decode()
        self.assertIn("Argon2id, 64 MiB, 3 passes, 4 lanes", info)

    def test_absurd_costs(self):
        """A header that wants all memory or all day is refused at once."""
        env = {"RIJN_PASSPHRASE_FILE": self.secret_file()}
        sealed = bytearray(run("encrypt", "-p", *CHEAP, data=b"x", env=env).stdout)
        for at, value, said in ((16, 0xFFFFFFFF, "4194303 MiB"), (20, 0xFFFFFFFF, "4294967295 passes"),
                                (24, 1 << 20, "1048576 lanes")):
            bad = sealed[:at] + value.to_bytes(4, "big") + sealed[at + 4:]
            start = time.monotonic()
            self.expect(run("decrypt", data=bytes(bad), env=env), FAILED, "header: asks for", said)
            self.assertLess(time.monotonic() - start, 60)  # days, otherwise

    def on_terminal(self, args, *answers):
        """Runs with a terminal of its own as /dev/tty, and types each answer when it is asked: status, all that stood."""
        pid, master = pty.fork()
        if pid == 0:
            os.execv(PROGRAM, [PROGRAM, *args])
        seen = b""
        for answer in answers:
            while not seen.endswith(b": "):
                seen += os.read(master, 1000)
            os.write(master, answer)
            seen += os.read(master, 2)  # the end of the line, which is shown by the program
        try:
            while part := os.read(master, 1000):
                seen += part
        except OSError:
            pass
        os.close(master)
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), seen.decode()

    def test_terminal(self):
        """Twice to encrypt, once to decrypt, and never shown."""
        plain = self.put("box/m", b"text")
        args = ["encrypt", "-p", *CHEAP, plain]
        status, seen = self.on_terminal(args, b"secret words\n", b"secret wards\n")
        self.assertEqual(status, FAILED, seen)
        self.assertIn("the two passphrases differ", seen)
        status, seen = self.on_terminal(args, b"secret words\n", b"secret words\n")
        self.assertEqual(status, OK, seen)
        self.assertNotIn("secret", seen)
        os.remove(plain)
        status, seen = self.on_terminal(["decrypt", plain + ".rijn"], b"other\n")
        self.assertEqual((status, self.left()), (FAILED, ["m.rijn"]))
        self.assertIn("wrong passphrase", seen)
        status, seen = self.on_terminal(["decrypt", plain + ".rijn"], b"secret words\n")
        self.assertEqual((status, self.get(plain)), (OK, b"text"), seen)
        self.assertNotIn("secret", seen)

    # ------------------------------------------------------------ what was written once

    def test_stored(self):
        """A file of each version of the header, readable for ever: by key and by passphrase."""
        folder = os.path.join(SOURCE, "file/cmd/test/stored")
        versions = sorted(n[:-5] for n in os.listdir(folder) if n.endswith(".rijn"))
        self.assertEqual(versions, ["v1"])
        for v in versions:
            key = self.key_file("key", self.get(os.path.join(folder, v + ".key")))
            sealed, text = (self.get(os.path.join(folder, f"{v}.{n}")) for n in ("rijn", "txt"))
            args = ["decrypt", "-c", "stored file"]
            r = run(*args, "-k", key, data=sealed)
            self.assertEqual((r.returncode, r.stdout), (OK, text), r.stderr)
            r = run(*args, data=sealed, env={"RIJN_PASSPHRASE_FILE": os.path.join(folder, v + ".passphrase")})
            self.assertEqual((r.returncode, r.stdout), (OK, text), r.stderr)


if __name__ == "__main__":
    main()
