# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""Keys: only from a file or descriptor, exactly 32 or 16 bytes; keygen's file is new, whole and the owner's alone."""
import os
import stat
import subprocess

from common import FAILED, OK, PROGRAM, USAGE, Case, main, run


class Keys(Case):
    def test_lengths(self):
        for n in (0, 1, 15, 17, 24, 31, 33, 64, 4095):
            for first in (b"", b"k", b"#"):  # a raw key may begin with what begins a remark in a key as text
                key = first + bytes(i % 256 for i in range(n - len(first)))
                r = run("encrypt", "-k", self.key_file("k", key[:n]), data=b"x")
                self.expect(r, FAILED, "exactly 32 or 16 raw bytes", f"this has {n}\n")
                self.assertEqual(r.stdout, b"")
        self.expect(run("encrypt", "-k", "/dev/zero", data=b"x"), FAILED, "exactly 32 or 16", "this has 4096 or more")
        self.expect(run("encrypt", "-k", self.key_file("k", b"0123456789abcdef" * 4 + b"\n"), data=b"x"), FAILED,
                    "this has 65", "hexadecimal")

    def test_letters(self):
        """A password that has the length of a key is none, unless it is said to be."""
        for word in (b"my-secret-pass1\n", b"my-secret-pass12", b"0123456789abcdef" * 2, b"correct horse battery staple 123"):
            key = self.key_file("k", word)
            r = self.expect(run("encrypt", "-k", key, data=b"x"), FAILED, "letters, as in a passphrase", "-p takes", "--raw")
            self.assertEqual(("hexadecimal" in r.stderr, r.stdout), (word[0] == ord("0"), b""))
            sealed = self.expect(run("encrypt", "--raw", "-k", key, data=b"text"), OK).stdout
            self.assertEqual(run("decrypt", "--raw", "-k", key, data=sealed).stdout, b"text")
            self.expect(run("decrypt", "-k", key, data=sealed), FAILED, "--raw")
        self.expect(run("encrypt", "-k", self.key_file("k", b"\xef\xbb\xbf" + self.get(self.key)), data=b"x"), FAILED, "byte-order mark")

    def test_several_in_a_file(self):
        """Each of them opens, by its own file, a pipe or a part; what is no key among them is said, and encryption takes one."""
        names = [os.path.join(self.dir, name) for name in ("a", "b", "s", "t")]
        made = [self.expect(run("keygen", "-o", name, *(["-r"] if name[-1] in "st" else [])), OK).stdout.split() for name in names]
        for first, second, how in ((names[0], names[1], None), (names[2], names[3], made[2:])):
            both = self.key_file("both", b"# old\n" + self.get(first) + b"\n# new\n" + self.get(second))
            for n, name in enumerate((first, second)):
                arguments = ["-r", how[n][0].decode()] if how else ["-k", name]
                sealed = self.expect(run("encrypt", *arguments, data=b"text"), OK).stdout
                self.assertEqual(run("decrypt", "-k", both, data=sealed).stdout, b"text")
                path = self.put("sealed", sealed)
                self.assertEqual(run("cat", "--offset", 1, "-k", both, path).stdout, b"ext")
                self.expect(run("verify", "-k", both, path), OK)
                self.expect(run("verify", "-k", self.key_file("other", self.get(names[1 - n] if not how else names[3 - n])), path), FAILED)
            self.expect(run("encrypt", "-k", both, data=b"x"), USAGE, "holds 2 keys, and encryption takes one")
            self.expect(run("keygen", "--show", both), OK, "holds 2 keys")
        self.expect(run("verify", "-k", self.key_file("mixed", self.get(names[0]) + self.get(names[2])), self.key), USAGE, "several kinds")
        self.expect(run("verify", "-k", self.key_file("bad", self.get(names[0]) + b"rijn-key\n"), self.key), FAILED, "behind 1 key:")

    def test_sources(self):
        self.expect(run("encrypt", data=b"x"), USAGE, "no key", "--key-file", "--key-fd")
        self.expect(run("encrypt", "-k", self.key, "--key-fd", "3", data=b"x"), USAGE, "not both")
        self.expect(run("encrypt", "--key-fd", "0", data=b"k" * 32), USAGE, "both come from the standard input")
        for bad in ("", "x", "3x", "-1", "99999999999999999999"):
            self.expect(run("encrypt", "--key-fd", bad, data=b"x"), USAGE, "--key-fd")
        self.expect(run("encrypt", "--key-fd", "77", data=b"x"), FAILED, "descriptor 77: Bad file descriptor")
        self.expect(run("encrypt", "-k", "/none", data=b"x"), FAILED, "key: /none: No such file")
        self.expect(run("encrypt", "-k", self.dir, data=b"x"), FAILED, f"key: {self.dir}: cannot read: Is a directory")
        r = run("encrypt", "--key", "00" * 32, data=b"x")  # never from the arguments
        self.expect(r, USAGE, "--key: can be --key-file, --key-fd")
        r, w = os.pipe()
        os.write(w, bytes(range(32)))
        os.close(w)
        sealed = run("encrypt", "--key-fd", r, data=b"text", pass_fds=[r])
        os.close(r)
        self.expect(sealed, OK)
        self.assertEqual(run("decrypt", "-k", self.key, data=sealed.stdout).stdout, b"text")

    def test_shared_source(self):
        """One pipe or file cannot be two of key, context and input: who reads first leaves nothing to the other."""
        with open(self.put("both", bytes(range(32))), "rb") as f:
            name, n = f.name, f.fileno()
            for command in ("encrypt", "decrypt"):
                for args, words in (
                    (["-k", "/dev/stdin"], "the key and the input"),
                    (["--key-fd", "0", "/proc/thread-self/fd/0"], "the key and the input"),
                    (["--key-fd", n, name], "the key and the input"),
                    (["-k", self.key, "--context-file", "/dev/stdin"], "the context and the input"),
                    (["-k", self.key, "--context-file", name, name], "the context and the input"),
                    (["-k", name, "--context-file", name, self.key], "the context and the key"),
                ):
                    f.seek(0)
                    r = run(command, "-o", "-", *args, data=bytes(range(32)), pass_fds=[n])
                    self.expect(r, USAGE, f"rijn {command}: {words} are the same file or pipe")
                    self.assertEqual(r.stdout, b"")
        # a device can be both
        r = run("encrypt", "-k", self.key, "--context-file", "/dev/null", "/dev/null", "-o", "-")
        self.expect(r, OK)
        self.assertEqual(run("decrypt", "-k", self.key, data=r.stdout).returncode, OK)

    def test_given_twice(self):
        """Which of the two was meant is not for the command to guess."""
        out = os.path.join(self.box, "out")
        for command in ("encrypt", "decrypt"):
            for option, value, rest in (
                ("--key-file", self.key, []), ("--key-fd", "0", []), ("--output", out, ["-k", self.key]),
                ("--context", "", ["-k", self.key]), ("--context-file", self.key, ["-k", self.key]),
            ):
                r = run(command, option, value, option, value, *rest, data=b"x" * 32)
                self.expect(r, USAGE, f"rijn {command}: {option}: given twice", value)
            for short, option in (("-k", "--key-file"), ("-o", "--output"), ("-c", "--context")):
                r = run(command, short, "a", "x", f"{option}=b")
                self.expect(r, USAGE, f"rijn {command}: {option}: given twice ('a' and 'b')")
        self.expect(run("keygen", "-o", out, "-o", out), USAGE, "rijn keygen: --output: given twice", out)
        self.expect(run("keygen", "-o", out, "-b", "128", "-b", "256"), USAGE, "--bits: given twice ('128' and '256')")
        self.expect(run("keygen", "--show", out, "--bits", "256"), USAGE, "--show and another option")
        self.expect(run("info", "-k", out), USAGE, "no FILE")
        self.expect(run("encrypt", "-k", out, "--passphrase-cost", "1,1,1", data=b""), USAGE, "--passphrase-cost")
        self.assertEqual(self.left(), [])

    def test_keygen(self):
        made = []
        for args, size in (([], 32), (["--bits", "256"], 32), (["-b", "128"], 16)):
            for mask in (0o000, 0o022, 0o777):
                path = os.path.join(self.box, "new")
                r = run("keygen", "--raw", "-o", path, *args, preexec=lambda m=mask: os.umask(m))
                self.assertEqual((r.returncode, r.stdout, r.stderr), (OK, b"", ""))
                st = os.stat(path)
                self.assertEqual((stat.S_IMODE(st.st_mode), st.st_size), (0o600, size))
                made.append(self.get(path))
                os.remove(path)
        self.assertEqual(len(set(made)), len(made))
        self.assertTrue(all(len(set(k)) > 4 for k in made))

    def test_keygen_refuses(self):
        old = self.put("old", b"precious")
        self.expect(run("keygen", "-o", old), FAILED, "exists already")
        self.assertEqual(self.get(old), b"precious")
        link = os.path.join(self.box, "link")
        os.symlink(os.path.join(self.box, "nowhere"), link)
        self.expect(run("keygen", "-o", link), FAILED, "exists already")
        self.assertEqual(self.left(), ["link"])
        for name in (".", self.dir, self.box):
            r = self.expect(run("keygen", "-o", name), FAILED, name + ": is a directory")
            self.assertNotIn("exists already", r.stderr)
        for name in ("", self.dir + "/", os.path.join(self.box, "new/")):
            self.expect(run("keygen", "-o", name), USAGE, f"'{name}': is not the name of a file")
        name = os.path.join(self.dir, "no", "k")
        self.expect(run("keygen", "-o", name), FAILED, name + ": cannot create: No such file or directory")
        self.expect(run("keygen"), USAGE, "-o FILE")
        r = subprocess.run([PROGRAM, "keygen", "-o", "-"], cwd=self.box, capture_output=True, text=True)
        self.assertEqual((self.expect(r, USAGE, "standard output", "./-").stdout, self.left()), ("", ["link"]))
        self.expect(run("keygen", "-o", old, "more"), USAGE, "more")
        for bits in ("", "192", "12", "1280"):
            self.expect(run("keygen", "-o", os.path.join(self.box, "k"), "--bits", bits), USAGE, "128 or 256")
        self.assertEqual(self.left(), ["link"])

    def test_keygen_full_disk(self):
        path = os.path.join(self.box, "k")
        self.expect(run("keygen", "-o", path, fsize=8), FAILED, "cannot write", "File too large")
        self.assertEqual(self.left(), [])
        for fault in ("fsync", "close", "zero"):
            self.expect(run("keygen", "-o", path, faults=fault), FAILED, "k: cannot write: Input/output error")
            self.assertEqual(self.left(), [])

    def test_name_is_on_the_disk(self):
        """Of a key as of what is encrypted by it: the folder is synchronised, or a power failure could take the name."""
        for args in (["keygen", "-o", "k"], ["keygen", "-o", os.path.join(self.box, "l")],
                     ["encrypt", "-k", "k", "-o", "m", "/dev/null"]):
            r = run(*args, faults="dirsync", preexec=lambda: os.chdir(self.box))
            self.assertEqual((r.returncode, r.stderr), (OK, "a folder is synchronised\n"))


if __name__ == "__main__":
    main()
