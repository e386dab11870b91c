# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""rijn volume as people call it: passphrases at a terminal, other passphrases, what it does not do to disks and files."""
import os
import re
import signal
import subprocess
import sys
import time
import unittest

from common import MIB, PROGRAM, Case, text_of

CHEAP = ("--kdf", "pbkdf2", "--rounds", "1000")


class Command(Case):
    def at_terminal(self, *args, answers=()):
        return self.talk([PROGRAM, "volume", *map(str, args)], answers)

    def opens(self, name, passphrase, *more):
        line = self.put("line", passphrase + b"\n")
        return self.rijn("read", name, "--length", 1, "--passphrase-file", line, *more, ok=False).returncode == 0

    def test_at_a_terminal(self):
        """A new passphrase is asked for twice, one that opens once, and none is shown."""
        make = ("create", "disk", "--format", "luks2", "--size", 20 * MIB, *CHEAP)
        status, said = self.at_terminal(*make, answers=[b"one two", b"one to"])
        self.assertNotEqual(status, 0, said)
        self.assertEqual(os.path.exists(self.path("disk")), False)
        status, said = self.at_terminal(*make, answers=[b"one two", b"one two"])
        self.assertEqual(status, 0, said)
        self.assertNotIn(b"one two", said)
        for answer, wanted in ((b"one two", 0), (b"one", 1)):
            status, said = self.at_terminal("read", "disk", "--output", "plain", "--force", answers=[answer])
            self.assertEqual(status, wanted, said)
            self.assertNotIn(answer + b"\r", said)

    def test_given_twice(self):
        """An option with a value is given once, or the last one would count: of remove-key that destroys a slot."""
        for words in (("remove-key", "disk", "--slot", 1, "--slot", 2), ("read", "disk", "--offset", 0, "--offset", 512)):
            done = self.rijn(*words, ok=False)
            self.assertEqual(done.returncode, 2)
            self.assertIn(b"given twice", done.stderr)

    def test_interrupted(self):
        """Ctrl-C at each question, and a signal while the key is derived: no file is left."""
        before = sorted(os.listdir(self.dir))
        for fmt, more in (("luks2", ()), ("luks2", ("--header", "head")), ("geli", ())):
            make = ("create", "disk", "--format", fmt, "--size", 20 * MIB, *more, "--kdf", "pbkdf2", "--rounds")
            for answers in ([b"\3"], [b"one two", b"\3"]):
                status, said = self.at_terminal(*make, 1000, answers=answers)
                self.assertEqual((status, said.count(b": ")), (-signal.SIGINT, len(answers)))
                self.assertEqual(sorted(os.listdir(self.dir)), before)
            for number in (signal.SIGTERM, signal.SIGINT):
                words = map(str, (*make, 2000000000, "--passphrase-file", self.passphrase))
                p = subprocess.Popen([PROGRAM, "volume", *words], cwd=self.dir)
                last = "disk.eli" if fmt == "geli" else more[1] if more else "disk"
                for _ in range(6000):
                    if os.path.exists(self.path(last)) or p.poll() is not None:
                        break
                    time.sleep(0.01)
                p.send_signal(number)
                self.assertEqual(p.wait(60), -number)
                self.assertEqual(sorted(os.listdir(self.dir)), before)

    def test_no_room_for_the_copy(self):
        """The copy of GELI's metadata cannot be written: none is left that is not whole, and no new disk. Nothing else goes."""
        make = ("create", "disk", "--format", "geli", "--passphrase-file", self.passphrase, *CHEAP)
        fault = ("env", "LD_PRELOAD=" + os.environ["RIJN_FAULTS"], "RIJN_FAULT=fsync", PROGRAM, "volume")
        before = sorted(os.listdir(self.dir))
        r = self.run_(*fault, *make, "--size", MIB, ok=False)
        self.assertEqual(r.returncode, 1)
        self.assertIn(b"disk.eli: cannot write", r.stderr)
        self.assertEqual(sorted(os.listdir(self.dir)), before)
        self.put("disk.eli", b"another's")
        self.assertIn(b"cannot be created", self.rijn(*make, "--size", MIB, ok=False).stderr)
        self.assertEqual(self.get("disk.eli"), b"another's")
        self.assertFalse(os.path.exists(self.path("disk")))
        os.unlink(self.path("disk.eli"))
        self.sparse("disk", MIB)
        r = self.run_(*fault, *make, ok=False)
        self.assertEqual(r.returncode, 1)
        self.assertIn(b"disk: has the new volume, but there is no copy", r.stderr)
        self.assertEqual(sorted(os.listdir(self.dir)), sorted([*before, "disk"]))
        self.assertTrue(self.opens("disk", b"correct horse"))

    def test_passwd(self):
        name, new = self.make("disk", "luks2", 20 * MIB), self.put("new", b"battery staple\n")
        r = self.rijn("passwd", name, "--passphrase-file", self.passphrase, "--new-passphrase-file", new, *CHEAP)
        self.assertEqual(r.stdout, b"key slot 1, instead of 0\n")
        self.assertEqual((self.opens(name, b"battery staple"), self.opens(name, b"correct horse")), (True, False))
        self.run_("cryptsetup", "open", "--test-passphrase", name, data=b"battery staple")
        r = self.rijn("passwd", name, "--passphrase-file", self.passphrase, "--new-passphrase-file", new, *CHEAP, ok=False)
        self.assertEqual((r.returncode, r.stdout), (1, b""))
        self.assertTrue(self.opens(name, b"battery staple"))

    def test_new_slot(self):
        """The slot that is named, unless it is in use or there is none of that number."""
        name, new = self.make("disk", "luks2", 20 * MIB), self.put("new", b"battery staple\n")
        add = ("add-key", name, "--passphrase-file", self.passphrase, "--new-passphrase-file", new, *CHEAP, "--new-slot")
        self.assertEqual(self.rijn(*add, 7).stdout, b"key slot 7\n")
        self.assertTrue(self.opens(name, b"battery staple", "--slot", 7))
        for slot, said in ((7, b"key slot 7 is in use"), (0, b"key slot 0 is in use"), (32, b"key slots 0 to 31, not 32")):
            r = self.rijn(*add, slot, ok=False)
            self.assertEqual(r.returncode, 1)
            self.assertIn(said, r.stderr)

    def test_empty_keys(self):
        """No new key without a byte, from a file or typed. Nothing is made, and nothing changes."""
        none, line = self.put("none", b""), self.put("line", b"\nsecond line\n")
        before = sorted(os.listdir(self.dir))
        for fmt, secret in (("luks2", ("--passphrase-file", line)), ("luks2", ("--passphrase-file", none)),
                            ("luks2", ("--key-file", none)), ("geli", ("--passphrase-file", line)),
                            ("geli", ("--key-file", none)), ("geli", ("--key-file", none, "--passphrase-file", none)),
                            ("luks2", ("--key-file", self.passphrase, "--keyfile-offset", 14))):
            r = self.rijn("create", "disk", "--format", fmt, "--size", 20 * MIB, *secret, *CHEAP, ok=False)
            self.assertEqual((r.returncode, sorted(os.listdir(self.dir))), (1, before))
            self.assertRegex(r.stderr, b"empty: anyone could open")
        status, said = self.at_terminal("create", "disk", "--format", "luks2", "--size", 20 * MIB, *CHEAP, answers=[b"", b""])
        self.assertEqual((status, b"passphrase is empty" in said, sorted(os.listdir(self.dir))), (1, True, before))
        name = self.make("disk", "luks2", 20 * MIB)
        made = self.get("disk")
        for command in ("add-key", "passwd"):
            for secret in (("--new-passphrase-file", line), ("--new-key-file", none)):
                r = self.rijn(command, name, "--passphrase-file", self.passphrase, *secret, *CHEAP, ok=False)
                self.assertEqual((r.returncode, r.stdout, self.get("disk") == made), (1, b"", True))
                self.assertRegex(r.stderr, b"empty: anyone could open")

    def test_over_another_format(self):
        """With --force, and then it opens without --format; LUKS1 of cryptsetup too."""
        name = self.path("disk")
        self.sparse("disk", 24 * MIB)
        self.run_("cryptsetup", "luksFormat", "--type", "luks1", "-q", "--pbkdf-force-iterations", "1000", "--key-file", self.bare, name)
        for fmt in ("geli", "luks2", "geli"):
            self.rijn("create", name, "--format", fmt, "--force", "--passphrase-file", self.passphrase, *CHEAP)
            self.assertTrue(self.opens(name, b"correct horse"), fmt)
            self.assertIn(fmt[:4].upper().encode(), self.rijn("info", name).stdout)
            if fmt == "geli":
                os.unlink(name + ".eli")

    def test_the_last_key(self):
        name = self.make("disk", "luks2", 20 * MIB)
        remove = ("remove-key", name, "--slot", 0, "--passphrase-file", self.passphrase)
        self.assertRegex(self.rijn(*remove, ok=False).stderr, b"is the last that opens.*--last")
        self.assertTrue(self.opens(name, b"correct horse"))
        self.rijn(*remove, "--last")
        self.assertFalse(self.opens(name, b"correct horse"))

    def test_what_is_there_stays(self):
        """A disk with something on it, an output that is there, a text that is longer than the volume."""
        name = self.make("disk", "luks2", 17 * MIB)
        before = self.get("disk")
        r = self.rijn("create", name, "--format", "geli", "--passphrase-file", self.passphrase, *CHEAP, ok=False)
        self.assertIn(b"--force", r.stderr)
        r = self.rijn("write", name, "--passphrase-file", self.passphrase, "--input", self.put("long", bytes(MIB + 1)), ok=False)
        self.assertIn(b"longer than", r.stderr)
        self.assertEqual(self.get("disk") == before, True)
        self.put("plain", b"mine")
        r = self.rijn("read", name, "--passphrase-file", self.passphrase, "--output", "plain", ok=False)
        self.assertEqual((r.returncode != 0, self.get("plain")), (True, b"mine"))

    def test_a_disk_that_ends(self):
        """A copy of which all but the header is missing: an error, and no output is left."""
        name = self.make("disk", "luks2", 18 * MIB)
        os.truncate(name, 16 * MIB)
        r = self.rijn("read", name, "--passphrase-file", self.passphrase, "--output", "plain", ok=False)
        self.assertEqual((r.returncode, os.path.exists(self.path("plain"))), (1, False))
        self.assertIn(b"ends before the data begin", r.stderr)

    def test_passphrases_are_no_arguments(self):
        name = self.make("disk", "luks2", 20 * MIB)
        self.assertEqual(self.rijn("read", name, "--password", "correct horse", ok=False).returncode, 2)
        uri, listed = self.path("s"), b""
        self.rijn("open", name, "--passphrase-file", self.passphrase, "--socket", uri)
        with open(uri + ".pid", encoding="ascii") as f:
            pid = int(f.read())
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as f:
                listed = f.read()
            with open(f"/proc/{pid}/environ", "rb") as f:
                listed += f.read()
        finally:
            os.kill(pid, signal.SIGTERM)
        self.assertIn(b"passphrase=-", listed)
        self.assertNotIn(b"horse", listed)

    def test_open_read_only(self):
        name = self.make("disk", "luks2", 20 * MIB)
        lines = self.rijn("open", name, "--read-only", "--passphrase-file", self.passphrase).stdout.decode()
        socket = re.search(r"socket=(\S+) FILE", lines)[1]
        with open(socket + ".pid", encoding="ascii") as f:
            self.addCleanup(os.kill, int(f.read()), signal.SIGTERM)
        self.assertIn("is_read_only: true", self.run_("nbdinfo", f"nbd+unix:///?socket={socket}").stdout.decode())
        r = self.rijn("open", name, "--passphrase-file", self.passphrase, ok=False)
        self.assertIn(b"exists already", r.stderr)
        r = self.rijn("open", name, "--passphrase-file", self.put("wrong", b"no\n"), "--socket", "other", ok=False)
        self.assertEqual((r.returncode, os.path.exists(self.path("other"))), (1, False))

    def test_pieces(self):
        """A part of the volume, by a pipe, at any byte."""
        name, text = self.make("disk", "luks2", 20 * MIB), text_of(100000)
        self.rijn("write", name, "--passphrase-file", self.passphrase, "--offset", 12345, data=text)
        for offset, length in ((12345, 100000), (12346, 1), (20000, 0), (99999, 12345)):
            out = self.rijn("read", name, "--passphrase-file", self.passphrase, "--offset", offset, "--length", length).stdout
            self.assertEqual(out == text[offset - 12345:offset - 12345 + length], True)
        r = self.rijn("read", name, "--passphrase-file", self.passphrase, "--offset", 4 * MIB, "--length", 1, ok=False)
        self.assertEqual((r.returncode, r.stdout), (1, b""))


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=2))
