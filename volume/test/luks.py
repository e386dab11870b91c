# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""LUKS headers as cryptsetup makes them, and as damage, age and other programs leave them."""
import hashlib
import json
import os
import re
import unittest

from common import MIB, Case, text_of

COST = ("--pbkdf", "pbkdf2", "--pbkdf-force-iterations", "1000")
LONGER = ("--keyslot-cipher", "aes-xts-plain64", "--keyslot-key-size", "512")
EPOCH, SUM = slice(16, 24), slice(448, 512)  # of the binary header


class Headers(Case):
    def format(self, name="disk", size=20 * MIB, kind="luks2", more=()):
        cost = COST if kind == "luks2" else COST[2:]
        self.sparse(name, size)
        self.run_("cryptsetup", "luksFormat", "--type", kind, "-q", *cost, "--key-file", self.bare, *more, name)
        return self.path(name)

    def facts(self, name, *more):
        return json.loads(self.rijn("info", "--json", name, *more).stdout)["volume"]

    def opens(self, name, *more, passphrase=None):
        """The first bytes, or None: no key."""
        r = self.rijn("read", name, "--length", 4096, "--passphrase-file", passphrase or self.passphrase, *more, ok=False)
        return r.stdout if r.returncode == 0 else None

    def change(self, name, offset, data):
        with open(self.path(name), "r+b") as f:
            f.seek(offset)
            f.write(data)

    def test_second_header(self):
        """At each of the nine places where it may lie, when the first is damaged; and it must say itself where it lies."""
        for kib in (16, 32, 64, 128, 256, 512, 1024, 2048, 4096):
            with self.subTest(kib=kib):
                name = self.format(more=("--luks2-metadata-size", f"{kib}k", "--luks2-keyslots-size", "512k", "--offset", "20480"))
                text = text_of(4096)
                self.rijn("write", name, "--passphrase-file", self.passphrase, data=text)
                self.assertEqual(self.facts(name)["header_used"], 1)
                self.change("disk", 0, bytes(4096))
                self.assertEqual((self.facts(name)["header_used"], self.opens(name)), (2, text))
                second = self.get("disk")[kib << 10:]
                with open(self.path("moved"), "wb") as f:  # elsewhere: this volume lay within another disk
                    f.write(bytes(2 * kib << 10) + second[:8 * MIB])
                r = self.rijn("info", "moved", ok=False)
                self.assertNotIn(b"LUKS", r.stdout)

    def test_the_newer_of_two(self):
        name = self.format()
        first = self.get("disk")[:16384]
        self.run_("cryptsetup", "config", "--label", "newer", name)
        self.assertEqual(self.facts(name)["label"], "newer")
        self.change("disk", 0, first)  # of before
        self.assertEqual((self.facts(name)["header_used"], self.facts(name)["label"]), (2, "newer"))

    def test_slots_and_tokens(self):
        """A key slot without a segment does not open the volume; a token is listed and changes nothing."""
        name, other = self.format(more=("--label", "shelf")), self.put("other", b"another")
        line = self.put("line", b"another\n")
        self.run_("cryptsetup", "luksAddKey", "--unbound", "--key-size", "512", "-q", *COST, "--key-slot", "5", "--key-file",
                  self.bare, name, other)
        self.run_("cryptsetup", "token", "add", "--key-description", "mine", "--key-slot", "0", name)
        facts = self.facts(name)
        self.assertEqual((facts["label"], facts["tokens"]), ("shelf", {"0": "luks2-keyring"}))
        self.assertEqual([(slot["slot"], slot["bound"]) for slot in facts["slots"]], [(0, True), (5, False)])
        self.assertIsNone(self.opens(name, passphrase=line))
        self.assertIsNone(self.opens(name, "--slot", 5, passphrase=line))
        self.assertIsNotNone(self.opens(name))

    def test_ciphers(self):
        for kind, cipher, bits, writes in (("luks2", "aes-cbc-plain64", 256, False), ("luks2", "aes-cbc-essiv:sha256", 128, False),
                                           ("luks1", "aes-cbc-essiv:sha256", 256, False), ("luks1", "aes-xts-plain64", 256, True),
                                           ("luks1", "aes-xts-plain64", 512, True)):
            with self.subTest(kind=kind, cipher=cipher, bits=bits):
                name = self.format(kind=kind, more=("--cipher", cipher, "--key-size", bits))
                self.assertEqual((self.facts(name)["cipher"], self.facts(name)["key_bits"]), (cipher, bits))
                self.assertIsNotNone(self.opens(name))
                r = self.rijn("write", name, "--passphrase-file", self.passphrase, data=b"x", ok=writes)
                self.assertEqual(r.returncode == 0, writes)
        self.format(kind="luks1")
        for cipher, mode in ((b"serpent", b"xts-plain64"), (b"aes", b"xts-essiv:sha256"), (b"aes", b"ecb"), (b"aes", b"")):
            self.change("disk", 8, cipher.ljust(32, b"\0") + mode.ljust(32, b"\0"))
            r = self.rijn("read", "disk", "--passphrase-file", self.passphrase, ok=False)
            self.assertEqual((r.returncode, r.stdout), (1, b""))
            self.assertIn(b"cipher", r.stderr)
            self.assertIn(cipher + b"-" + mode, r.stderr)

    def test_a_key_added_to_cbc(self):
        name, other = self.format(more=("--cipher", "aes-cbc-essiv:sha256", "--key-size", "256")), self.put("other", b"another\n")
        self.rijn("add-key", name, "--passphrase-file", self.passphrase, "--new-passphrase-file", other, "--kdf", "pbkdf2",
                  "--rounds", 1000)
        self.run_("cryptsetup", "open", "--test-passphrase", "--key-slot", "1", name, data=b"another")

    def test_a_key_beside_a_longer_one(self):
        """A volume key of 256 bits under one of 512, as rijn made it once. A new key slot's is as long as the volume's."""
        name, other = self.format(more=("--key-size", "256", *LONGER)), self.put("other", b"another\n")

        def longs():
            slots = json.loads(self.get("disk")[4096:16384].rstrip(b"\0"))["keyslots"]
            return [(slot["key_size"], slot["area"]["key_size"]) for _, slot in sorted(slots.items())]

        text = text_of(4096)
        self.assertEqual(longs(), [(32, 64)])
        self.rijn("write", name, "--passphrase-file", self.passphrase, data=text)
        self.rijn("add-key", name, "--passphrase-file", self.passphrase, "--new-passphrase-file", other, "--kdf", "pbkdf2",
                  "--rounds", 1000)
        self.assertEqual(longs(), [(32, 64), (32, 32)])
        for line in (self.passphrase, other):
            self.assertEqual(self.opens(name, passphrase=line), text)
        for slot, word in enumerate((b"correct horse", b"another")):
            self.run_("cryptsetup", "open", "--test-passphrase", "--key-slot", slot, name, data=word)

    def test_key_file_and_its_part(self):
        key = self.put("key", bytes(range(256)) * 4)
        self.sparse("disk", 20 * MIB)
        part = ("--keyfile-offset", "100", "--keyfile-size", "64")
        self.run_("cryptsetup", "luksFormat", "--type", "luks2", "-q", *COST, "--key-file", key, *part, "disk")
        for more, status in ((part, 0), ((), 1), (("--keyfile-offset", "101", "--keyfile-size", "64"), 1)):
            r = self.rijn("read", "disk", "--length", 1, "--key-file", key, *more, ok=False)
            self.assertEqual(r.returncode, status)

    def test_what_argon2_wants(self):
        """The limit, by a message that says how much the slot wants."""
        self.sparse("disk", 20 * MIB)
        self.run_("cryptsetup", "luksFormat", "--type", "luks2", "-q", "--pbkdf", "argon2id", "--pbkdf-memory", "65536",
                  "--pbkdf-force-iterations", "4", "--pbkdf-parallel", "1", "--key-file", self.bare, "disk")
        r = self.rijn("read", "disk", "--passphrase-file", self.passphrase, "--limit-memory", 32, ok=False)
        self.assertEqual((r.returncode, r.stdout), (1, b""))
        self.assertIn(b"64 MiB", r.stderr)
        self.assertIsNotNone(self.opens("disk", "--limit-memory", 64))

    def test_refused_by_name(self):
        """What is not supported is named without a key, whoever has the disk. The checksums are right."""
        name = self.format()
        raw = self.get("disk")
        for before, after, word in ((b'"type":"crypt"', b'"type":"hw-opal"', "segment"),
                                    (b'"flags":[', b'"requirements":{"mandatory":["offline-reencrypt"]},"flags":[', "reencryption"),
                                    (b'"flags":[', b'"requirements":{"mandatory":["opal"]},"flags":[', "requirement")):  # fmt: skip
            text = raw[4096:16384].rstrip(b"\0")
            if before not in text:
                text = text.replace(b'"config":{', b'"config":{"flags":[],')
            self.assertEqual(text.count(before), 1)
            self.rewrite(raw, text.replace(before, after))
            self.assertEqual(self.facts(name)["refused"]["name"], word)

    def rewrite(self, raw, text):
        """The disk with this JSON, in both headers, with right checksums."""
        for offset in (0, 16384):
            header = bytearray(raw[offset:offset + 4096] + text.ljust(12288, b"\0"))
            header[SUM] = bytes(64)
            header[SUM] = hashlib.sha256(header).digest().ljust(64, b"\0")
            self.change("disk", offset, header)

    def test_from_a_hostile_host(self):
        """The null cipher is refused in segment, key slot and digest; few rounds are said aloud."""
        name = self.format()
        raw = self.get("disk")
        text = raw[4096:16384].rstrip(b"\0")
        null = b'"encryption":"cipher_null-ecb"'
        parts = text.split(b'"encryption":"aes-xts-plain64"')  # of the key slot and of the segment
        self.assertEqual(len(parts), 3)
        for changed in (parts[0] + null + parts[1] + b'"encryption":"aes-xts-plain64"' + parts[2],
                        parts[0] + b'"encryption":"aes-xts-plain64"' + parts[1] + null + parts[2],
                        text.replace(b'"digests":{"0":{', b'"digests":{"0":{"encryption":"cipher_null-ecb",')):
            self.rewrite(raw, changed)
            r = self.rijn("read", name, "--passphrase-file", self.passphrase, ok=False)
            self.assertEqual((r.returncode, r.stdout, b"cipher_null, which encrypts nothing" in r.stderr), (1, b"", True), r.stderr)
            self.assertEqual(self.facts(name)["refused"]["name"], "cipher")
        self.rewrite(raw, text.replace(b'"iterations":1000', b'"iterations":1'))
        r = self.rijn("read", name, "--passphrase-file", self.passphrase, ok=False)
        self.assertIn(b"key slot 0 has 1 of PBKDF2's rounds", r.stderr)
        self.assertIn(b"the digest of the volume key has 1 of", r.stderr)
        name = self.format(kind="luks1")
        self.change("disk", 8, b"cipher_null".ljust(32, b"\0") + b"ecb".ljust(32, b"\0"))
        self.assertEqual(self.facts(name)["refused"]["name"], "cipher")

    def test_behind_a_colon(self):
        """plain64:sha256, as Tomb wrote it until 2019, is plain64, as in Linux. nbdkit's filter reads the same."""
        for cipher, longer in (("plain64", b"xts-plain64:sha256"), ("plain", b"xts-plain:sha256")):
            name = self.format(kind="luks1", more=("--cipher", f"aes-xts-{cipher}", "--key-size", "512"))
            self.change("disk", 40, longer.ljust(32, b"\0"))
            self.rijn("write", name, "--passphrase-file", self.passphrase, data=text_of(MIB))
            self.run_("nbdcopy", self.serve("file", name, "--filter=luks", f"passphrase=+{self.passphrase}"), "by-nbdkit")
            self.assertEqual(self.get("by-nbdkit")[:MIB] == text_of(MIB), True)
        name = self.format()
        raw = self.get("disk")
        self.rewrite(raw, raw[4096:16384].rstrip(b"\0").replace(b'"aes-xts-plain64"', b'"aes-xts-plain64:sha256"'))
        self.assertIsNotNone(self.opens(name))
        self.assertNotIn("refused", self.facts(name))

    def test_what_it_says(self):
        """Of what cannot be opened."""
        open_it = ("read", "disk", "--passphrase-file", self.passphrase)
        name = self.format(more=("--label", "die l\u00e4nge"))
        self.assertIn("die l\u00e4nge\n".encode(), self.rijn("info", name).stdout)
        self.run_("cryptsetup", "config", "--key-slot", "0", "--priority", "ignore", name)
        self.assertIn(b'those of priority "ignore" were not tried', self.rijn(*open_it, ok=False).stderr)
        self.run_("cryptsetup", "erase", "-q", name)
        self.assertIn(b"has no key slot", self.rijn(*open_it, ok=False).stderr)
        self.format()
        raw = self.get("disk")
        self.rewrite(raw, raw[4096:16384].rstrip(b"\0").replace(b'"key_size":64', b'"key_size":48'))
        self.assertIn(b"keys of 384 bits", self.rijn(*open_it, ok=False).stderr)
        self.assertIn(b"384 bits", self.rijn("info", name).stdout)
        self.format()
        raw = self.get("disk")
        self.rewrite(raw, re.sub(rb'(?s)(.*)"hash":"sha256"', rb'\1"hash":"stribog512"', raw[4096:16384].rstrip(b"\0")))
        self.assertRegex(self.rijn(*open_it, ok=False).stderr, b"no hash of this name: stribog512")
        self.format()
        os.truncate(name, 10 * MIB)
        self.assertIn(b"ends at 10485760 bytes, and header and key slots take 16777216", self.rijn("info", name, ok=False).stderr)
        made = self.rijn("create", "none", "--format", "luks2", "--passphrase-file", self.passphrase, ok=False)
        self.assertEqual(made.stderr, b"rijn: none: is not there; --size makes a file\n")
        self.rijn("create", "full", "--format", "luks2", "--size", "17M", "--passphrase-file", self.passphrase, "--kdf", "pbkdf2", "--rounds", "1000")
        add = ("add-key", "full", "--passphrase-file", self.passphrase, "--new-passphrase-file", self.passphrase, "--kdf", "pbkdf2", "--rounds", "1000")
        for _ in range(31):
            self.rijn(*add)
        self.assertIn(b"all 32 key slots are in use", self.rijn(*add, ok=False).stderr)
        r = self.rijn("read", "full", "--passphrase-file", "/dev/zero", ok=False)
        self.assertIn(b"/dev/zero: the first line is longer than a passphrase can be (4096 bytes)", r.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
