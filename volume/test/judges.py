# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""Packaged programs judge: what they write is read here, and what is written here they read."""
import json
import os
import unittest

from common import MIB, Case, text_of

COST = ("--pbkdf", "pbkdf2", "--pbkdf-force-iterations", "1000")


class Cryptsetup(Case):
    """It encrypts and decrypts plain files without device-mapper, as root: for its lock."""

    def encrypt(self, *more):
        text = text_of(4 * MIB)
        self.put("disk", text + bytes(32 * MIB))
        self.run_("cryptsetup", "reencrypt", "--encrypt", "--type", "luks2", "--reduce-device-size", "32M", "-q", *COST,
                  "--key-file", self.bare, *more, self.path("disk"))
        out = self.rijn("read", "disk", "--passphrase-file", self.passphrase, "--length", len(text)).stdout
        self.assertEqual(out == text, True)

    def test_reads_theirs(self):
        self.encrypt("--sector-size", "512")
        self.encrypt("--sector-size", "4096", "--cipher", "aes-xts-plain64", "--key-size", "256")
        self.encrypt("--cipher", "aes-cbc-essiv:sha256", "--key-size", "256")

    def test_they_read_ours(self):
        text = text_of(4 * MIB)
        for sector, bits in ((512, 256), (4096, 128)):
            name = self.make(f"ours{sector}", "luks2", 20 * MIB, "--sector-size", sector, "--key-bits", bits)
            self.rijn("write", name, "--passphrase-file", self.passphrase, data=text)
            self.run_("cryptsetup", "reencrypt", "--decrypt", "--force-offline-reencrypt", "-q", "--header",
                      self.path(f"hdr{sector}"), "--key-file", self.bare, name)
            self.assertEqual(self.get(name)[:len(text)] == text, True)

    def test_their_slots_and_ours(self):
        name = self.make("slots", "luks2", 20 * MIB)
        other, key = self.put("other", b"another\n"), self.put("key", os.urandom(64))
        self.rijn("add-key", name, "--passphrase-file", self.passphrase, "--new-passphrase-file", other, "--memory", 8,
                  "--rounds", 4)
        self.rijn("add-key", name, "--passphrase-file", other, "--new-key-file", key, "--kdf", "pbkdf2", "--rounds", 1000)
        self.run_("cryptsetup", "open", "--test-passphrase", "--key-slot", "1", name, data=b"another")
        self.run_("cryptsetup", "open", "--test-passphrase", "--key-slot", "2", "--key-file", key, name)
        self.rijn("remove-key", name, "--slot", 0, "--key-file", key)
        r = self.run_("cryptsetup", "open", "--test-passphrase", "--key-file", self.bare, name, ok=False)
        self.assertEqual(r.returncode, 2)  # no key with this passphrase
        self.run_("cryptsetup", "luksAddKey", "-q", *COST, "--key-file", key, name, self.bare)
        self.rijn("read", name, "--passphrase-file", self.passphrase, "--length", 512)
        self.run_("cryptsetup", "config", "--key-slot", "0", "--priority", "ignore", name)
        self.assertIn("only when named", self.rijn("info", name).stdout.decode())
        r = self.rijn("read", name, "--passphrase-file", self.passphrase, "--length", 512, ok=False)
        self.assertEqual(r.returncode, 1)
        self.rijn("read", name, "--passphrase-file", self.passphrase, "--length", 512, "--slot", 0)

    def test_detached_header(self):
        text = text_of(MIB)
        self.sparse("data", 2 * MIB)
        self.rijn("create", "data", "--format", "luks2", "--header", "head", "--passphrase-file", self.passphrase, "--kdf",
                  "pbkdf2", "--rounds", 1000)
        self.rijn("write", "data", "--header", "head", "--passphrase-file", self.passphrase, data=text)
        self.run_("cryptsetup", "open", "--test-passphrase", "--header", "head", "--key-file", self.bare, "data")
        self.assertEqual(text[512:1024] in self.get("data"), False)
        out = self.rijn("read", "data", "--header", "head", "--passphrase-file", self.passphrase).stdout
        self.assertEqual(out[:MIB] == text, True)


class Luks1(Case):
    def format(self, *more):
        self.sparse("disk", 8 * MIB)
        self.run_("cryptsetup", "luksFormat", "--type", "luks1", "-q", "--pbkdf-force-iterations", "1000", "--key-file",
                  self.bare, *more, "disk")

    def size_of(self, name):
        return json.loads(self.rijn("info", "--json", name).stdout)["volume"]["size"]

    def test_qemu_and_nbdkit(self):
        """All three read what one of them wrote."""
        text = text_of(MIB)
        secret = ("--object", f"secret,id=s,file={self.bare}", "--image-opts", "driver=luks,key-secret=s,file.filename=disk")
        for more in ((), ("--cipher", "aes-xts-plain", "--key-size", "256")):
            self.format(*more)
            self.rijn("write", "disk", "--passphrase-file", self.passphrase, data=text)
            self.run_("qemu-img", "convert", *secret, "-O", "raw", "by-qemu")
            self.assertEqual(self.get("by-qemu")[:MIB] == text, True)
            uri = self.serve("file", "disk", "--filter=luks", f"passphrase=+{self.passphrase}")
            self.run_("nbdcopy", uri, "by-nbdkit")
            self.assertEqual(self.get("by-nbdkit")[:MIB] == text, True)
            self.run_("nbdcopy", self.put("other", text[::-1]), uri)
            out = self.rijn("read", "disk", "--passphrase-file", self.passphrase, "--length", MIB).stdout
            self.assertEqual(out == text[::-1], True)

    def test_by_qemu(self):
        """All of a volume that qemu wrote. WHY qemu does not make it: it measures the processor for that, and gives up on a
        busy one."""
        text = text_of(MIB)
        self.put("plain", text)
        self.format("--cipher", "aes-xts-plain64", "--key-size", "512")
        os.truncate(self.path("disk"), os.path.getsize(self.path("disk")) - self.size_of("disk") + MIB)
        self.run_("qemu-img", "convert", "-n", "--object", f"secret,id=s,file={self.bare}", "--target-image-opts", "plain",
                  "driver=luks,key-secret=s,file.filename=disk")
        self.assertEqual(self.rijn("read", "disk", "--passphrase-file", self.passphrase).stdout == text, True)


class Dissect(Case):
    """dissect.fve of PyPI, a reader in Python that shares no code with cryptsetup. tools/setup puts it into build/venv."""

    SCRIPT = """
import sys
from dissect.fve.luks import LUKS
with open(sys.argv[1], "rb") as f:
    volume = LUKS(f)
    volume.unlock_with_passphrase(sys.argv[2])
    sys.stdout.buffer.write(volume.open().read(int(sys.argv[3])))
"""

    def dissect(self, name, passphrase, length, ok=True):
        return self.run_(os.environ["RIJN_VENV_PYTHON"], "-c", self.SCRIPT, self.path(name), passphrase, length, ok=ok)

    def test_reads_ours(self):
        text = text_of(256 << 10)
        kdfs = {"pbkdf2": ("--rounds", 1000), "argon2i": ("--memory", 8, "--rounds", 4), "argon2id": ("--memory", 8, "--rounds", 4)}
        for kdf, cost in kdfs.items():
            for sector, bits in ((512, 256), (4096, 128)):
                name = f"{kdf}{sector}"
                self.rijn("create", name, "--format", "luks2", "--size", 17 * MIB, "--sector-size", sector, "--key-bits", bits,
                          "--passphrase-file", self.passphrase, "--kdf", kdf, *cost)
                self.rijn("write", name, "--passphrase-file", self.passphrase, data=text)
                self.assertEqual(self.dissect(name, "correct horse", len(text)).stdout == text, True)

    def test_after_changes(self):
        """Key slots that were added and removed here, and the second header alone."""
        text, other = text_of(4096), self.put("other", b"another\n")
        name = self.make("disk", "luks2", 17 * MIB)
        self.rijn("write", name, "--passphrase-file", self.passphrase, data=text)
        self.rijn("add-key", name, "--passphrase-file", self.passphrase, "--new-passphrase-file", other, "--kdf", "pbkdf2",
                  "--rounds", 1000)
        self.rijn("remove-key", name, "--slot", 0, "--passphrase-file", other)
        self.assertEqual(self.dissect(name, "another", len(text)).stdout == text, True)
        self.assertNotEqual(self.dissect(name, "correct horse", len(text), ok=False).returncode, 0)
        with open(name, "r+b") as f:
            f.write(bytes(4096))
        self.assertEqual(self.dissect(name, "another", len(text)).stdout == text, True)


class Geli(Case):
    """GRUB reads GELI. It takes the passphrase from its standard input."""

    def test_grub(self):
        file = text_of(300000)
        for sector, bits in ((512, 128), (4096, 256)):
            name = self.make(f"geli{sector}", "geli", 8 * MIB, "--sector-size", sector, "--key-bits", bits)
            plain = self.sparse("plain", 7 * MIB)
            os.makedirs(self.path("tree"), exist_ok=True)
            self.put("tree/file", file)
            self.run_("mke2fs", "-q", "-F", "-t", "ext2", "-d", self.path("tree"), plain)
            self.rijn("write", name, "--passphrase-file", self.passphrase, "--input", plain)
            r = self.run_("grub-fstest", "-C", name, "cat", "(crypto0)/file", data=b"correct horse\n")
            self.assertIn(file, r.stdout)

    def test_backup_and_size(self):
        name = self.make("geli", "geli", 8 * MIB)
        text = text_of(MIB)
        self.rijn("write", name, "--passphrase-file", self.passphrase, data=text)
        with open(name, "r+b") as f:
            f.seek(8 * MIB - 512)
            f.write(bytes(512))
        r = self.rijn("info", name, ok=False)
        self.assertEqual((r.returncode, b"geli resize" in r.stderr), (1, True))
        out = self.rijn("read", name, "--metadata", name + ".eli", "--passphrase-file", self.passphrase, "--length", MIB).stdout
        self.assertEqual(out == text, True)
        self.assertIn("GELI version 7", self.rijn("info", name + ".eli").stdout.decode())
        with open(name, "ab") as f:
            f.write(bytes(512))
        r = self.rijn("read", name, "--metadata", name + ".eli", "--passphrase-file", self.passphrase, ok=False)
        self.assertIn(b"geli resize", r.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
