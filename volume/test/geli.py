# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""GELI by a second writer and reader, in Python from doc/geli.md alone: all versions, ciphers and ways to unlock, what is refused,
and volumes that were made here. GRUB (judges.py) says that both understand the same by it."""
import hashlib
import hmac
import json
import random
import struct
import unittest

from common import MIB, Case
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

MAGIC, PASSPHRASE = b"GEOM::ELI", b"correct horse"
AES_CBC, AES_XTS = 11, 22
ONETIME, AUTH, RO, NODELETE = 0x1, 0x10, 0x20, 0x40
SECTORS_A_KEY = 1 << 20
rng = random.Random(20261126)


def mac(key, *parts):
    return hmac.new(key, b"".join(parts), "sha512").digest()


def cipher(mode, key, data, encrypt):
    way = Cipher(algorithms.AES(key), mode)
    way = way.encryptor() if encrypt else way.decryptor()
    return way.update(data) + way.finalize()


class Volume:
    """The fields of the metadata, and the two keys behind them."""

    NAMES = ("version", "flags", "ealgo", "keylen", "aalgo", "provsize", "sector", "keys", "rounds", "salt")
    LAYOUT = {False: "<16sIIHHHQIBi64s384s", True: "<16sIIHHQIBi64s384s"}  # version 0: without aalgo

    def __init__(self, size, **fields):
        self.provider_sector = fields.pop("provider_sector", 512)
        self.version, self.flags, self.ealgo, self.keylen, self.aalgo, self.sector, self.rounds = 7, 0, AES_XTS, 128, 0, 512, 1000
        self.provsize, self.keys, self.salt = size, 0, rng.randbytes(64)
        self.iv_key, self.data_key = rng.randbytes(64), rng.randbytes(64)
        self.slots = [rng.randbytes(192), rng.randbytes(192)]
        self.magic, self.sum = MAGIC, b""
        self.__dict__.update(fields)

    def user_key(self, passphrase, key_files):
        parts = list(key_files)
        if passphrase is not None and self.rounds > 0:
            parts.append(hashlib.pbkdf2_hmac("sha512", passphrase, self.salt, self.rounds, 64))
        elif passphrase is not None:
            parts += [self.salt, passphrase]
        return mac(b"", *parts)

    def slot(self, data, user_key, encrypt):
        return cipher(modes.CBC(bytes(16)), mac(user_key, b"\1")[:self.keylen // 8], data, encrypt)

    def seal(self, number, passphrase=PASSPHRASE, key_files=()):
        key, both = self.user_key(passphrase, key_files), self.iv_key + self.data_key
        self.slots[number] = self.slot(both + mac(mac(key, b"\0"), both), key, True)
        self.keys |= 1 << number
        return self

    def unseal(self, number, passphrase=PASSPHRASE, key_files=()):
        key = self.user_key(passphrase, key_files)
        plain = self.slot(self.slots[number], key, False)
        if mac(mac(key, b"\0"), plain[:128]) != plain[128:]:
            raise ValueError("the key opens no slot")
        self.iv_key, self.data_key = plain[:64], plain[64:128]
        return self

    def metadata(self):
        zero = self.version == 0
        values = [self.magic, self.version, self.flags, self.ealgo, self.keylen, *([] if zero else [self.aalgo]), self.provsize,
                  self.sector, self.keys, self.rounds, self.salt, b"".join(self.slots)]  # fmt: skip
        text = struct.pack(self.LAYOUT[zero], *values)
        return text + (self.sum or hashlib.md5(text).digest())

    @classmethod
    def parse(cls, text):
        fields = struct.unpack_from(cls.LAYOUT[False], text)
        if fields[0].rstrip(b"\0") != MAGIC or hashlib.md5(text[:495]).digest() != text[495:511]:
            raise ValueError("no metadata, or not their sum")
        volume = cls(0, **dict(zip(cls.NAMES, fields[1:11])))
        volume.slots = [fields[11][:192], fields[11][192:]]
        return volume

    def crypt(self, data, offset, encrypt):
        """Whole sectors from this byte on."""
        out = bytearray()
        for at in range(offset, offset + len(data), self.sector or 1):
            out += self.crypt_sector(data[at - offset:at - offset + self.sector], at, encrypt)
        return bytes(out)

    def crypt_sector(self, data, at, encrypt):
        where, base = struct.pack("<Q", at), self.iv_key if self.version in (5, 6) else self.data_key
        key = self.data_key
        if self.version >= 5:
            key = mac(base, b"ekey", struct.pack("<Q", at // (self.sector * SECTORS_A_KEY)))
        if self.ealgo == AES_XTS:
            return cipher(modes.XTS(where + bytes(8)), key[:self.keylen // 4], data, encrypt)
        return cipher(modes.CBC(hashlib.sha256(self.iv_key + where).digest()[:16]), key[:self.keylen // 8], data, encrypt)

    def write(self, path, text, offset=0):
        """Into a sparse file: the text's ciphertext, and the metadata."""
        with open(path, "wb") as f:
            f.truncate(self.provsize)
            f.seek(offset)
            f.write(self.crypt(text, offset, True))
            f.seek(self.provsize - self.provider_sector)
            f.write(self.metadata())
        return path

    def plain_of(self, path, offset, length):
        with open(path, "rb") as f:
            f.seek(offset)
            return self.crypt(f.read(length), offset, False)


class Geli(Case):
    def secret_args(self, passphrase, key_files):
        args = [word for i, key in enumerate(key_files) for word in ("--key-file", self.put(f"key{i}", key))]
        if passphrase is not None:
            args += ["--passphrase-file", self.put("line", passphrase + b"\n")]
        return args

    def read(self, path, *more, ok=True):
        return self.rijn("read", path, *more, ok=ok).stdout

    def refused(self, volume, size=None):
        """The word for what rijn volume info says against it; no key is needed for that."""
        path = volume.write(self.path("disk"), b"")
        if size is not None:
            with open(path, "r+b") as f:
                f.truncate(size)
        said = json.loads(self.rijn("info", "--json", path, ok=False).stdout)
        r = self.rijn("read", path, "--passphrase-file", self.passphrase, ok=False)
        self.assertEqual((r.returncode, r.stdout), (1, b""))
        return (said.get("refused") or said["volume"]["refused"])["name"]

    def test_what_opens(self):
        """Versions, ciphers and sectors by turns with what unlocks. What may be written is then read by Python."""
        one, two = rng.randbytes(64), rng.randbytes(1000)
        secrets = [(PASSPHRASE, ()), (None, (one,)), (PASSPHRASE, (one, two)), (b"", ()), (None, (b"", two, one))]
        kinds = [(version, AES_XTS, keylen, sector) for version in (5, 6, 7) for keylen in (128, 256) for sector in (512, 4096)]
        kinds += [(7, AES_XTS, 256, 65536), (7, AES_XTS, 128, 1024)]
        kinds += [(version, AES_CBC, keylen, 512) for version, keylen in enumerate((128, 192, 256, 128, 192, 256, 128, 192))]
        for i, (version, ealgo, keylen, sector) in enumerate(kinds):
            passphrase, key_files = secrets[i % len(secrets)]
            rounds = 0 if i % 3 == 2 else -1 if passphrase is None and i % 2 else 1000
            with self.subTest(version=version, ealgo=ealgo, keylen=keylen, sector=sector, rounds=rounds, secret=i % len(secrets)):
                volume = Volume(4 * sector + 65536 + 512, version=version, ealgo=ealgo, keylen=keylen, sector=sector, rounds=rounds)
                text = rng.randbytes((volume.provsize - 512) // sector * sector)
                path = volume.seal(i % 2, passphrase, key_files).write(self.path("disk"), text)
                args = self.secret_args(passphrase, key_files)
                self.assertEqual(self.read(path, *args) == text, True)
                written = ealgo == AES_XTS
                r = self.rijn("write", path, *args, "--offset", 100, data=b"x" * 1000, ok=written)
                if written:
                    wanted = text[:100] + b"x" * 1000 + text[1100:]
                    self.assertEqual(volume.plain_of(path, 0, len(text)) == wanted, True)
                else:
                    self.assertIn(b"read only", r.stderr)

    def test_slots(self):
        """Nothing says which slot has a passphrase: both open, and what is almost right does not."""
        one, two = rng.randbytes(64), rng.randbytes(64)
        volume = Volume(MIB).seal(0, PASSPHRASE, (one, two)).seal(1, None, (two,))
        text = rng.randbytes(4096)
        path = volume.write(self.path("disk"), text)
        for passphrase, key_files in ((PASSPHRASE, (one, two)), (None, (two,)), (PASSPHRASE, (two,))):
            args = self.secret_args(passphrase, key_files)
            self.assertEqual(self.read(path, *args, "--length", len(text)) == text, True)
        for passphrase, key_files in ((PASSPHRASE, (two, one)), (PASSPHRASE, (one,)), (None, (one, two)), (PASSPHRASE, ())):
            args = self.secret_args(passphrase, key_files)
            r = self.rijn("read", path, *args, ok=False)
            self.assertEqual((r.returncode, r.stdout), (1, b""))
            self.assertIn(b"opens no key slot", r.stderr)

    def test_border(self):
        """A run over the border of two keys, read and written."""
        border, sector = 512 * SECTORS_A_KEY, 512
        for version in (6, 7):
            volume = Volume(border + 65536 + 512, version=version, keylen=256).seal(0)
            text = rng.randbytes(16 * sector)
            path = volume.write(self.path("disk"), text, border - 8 * sector)
            secret, at = ("--passphrase-file", self.passphrase), border - 8 * sector
            self.assertEqual(self.read(path, *secret, "--offset", at, "--length", len(text)) == text, True)
            self.rijn("write", path, *secret, "--offset", at, data=text[::-1])
            self.assertEqual(volume.plain_of(path, at, len(text)) == text[::-1], True)

    def test_flags(self):
        path = Volume(MIB, flags=RO).seal(0).write(self.path("disk"), b"")
        r = self.rijn("write", path, "--passphrase-file", self.passphrase, data=b"x", ok=False)
        self.assertIn(b"read only", r.stderr)
        for flags in (0, NODELETE, 0x3fe & ~(AUTH | RO)):
            path = Volume(MIB, flags=flags).seal(0).write(self.path("disk"), b"")
            said = json.loads(self.rijn("info", "--json", path).stdout)["volume"]
            self.assertEqual((said["flags"], said["discards"]), (flags, flags & NODELETE == 0))

    def test_refused(self):
        cases = {"flags": [{"flags": flag} for flag in (ONETIME, 0x400, 0x10000, 0x40000, 0x80000, 0x200000, 0x400000, 1 << 31)],
                 "integrity": [{"flags": AUTH, "aalgo": aalgo} for aalgo in (7, 18, 20)],
                 "cipher": [{"ealgo": ealgo} for ealgo in (0, 2, 3, 16, 21, 23)] + [{"version": 4}],
                 "keylen": [{"keylen": bits} for bits in (0, 64, 129, 192, 512)] + [{"ealgo": AES_CBC, "keylen": 384}],
                 "sector": [{"sector": size} for size in (0, 1, 256, 513, 768, 131072, 1 << 31)],
                 "version": [{"version": version} for version in (8, 255, (1 << 32) - 1)],
                 "rounds": [{"rounds": rounds} for rounds in (-2, -(1 << 31))],
                 "damaged": [{"sum": bytes(16)}], "format": [{"magic": b"GEOM::ELJ"}, {"magic": b"GEOM::ELI2"}]}  # fmt: skip
        for word, changes in cases.items():
            for fields in changes:
                with self.subTest(word=word, fields=fields):
                    volume = Volume(MIB, **fields)
                    volume.keys = 1
                    self.assertEqual(self.refused(volume), word)
        self.assertEqual(self.refused(Volume(MIB)), "keyslot")
        self.assertEqual(self.refused(Volume(MIB, provider_sector=4096, sector=512, keys=1)), "sector")

    def test_size(self):
        """Metadata for another size: refused with the remedy, unless that disk is meant."""
        volume = Volume(MIB).seal(0)
        volume.provsize += 512
        path = self.path("disk")
        with open(path, "wb") as f:
            f.truncate(MIB)
            f.seek(MIB - 512)
            f.write(volume.metadata())
        r = self.rijn("read", path, "--passphrase-file", self.passphrase, ok=False)
        self.assertIn(b"geli resize -s", r.stderr)

    def test_provider_sector(self):
        text = rng.randbytes(4096)
        secret = ("--passphrase-file", self.passphrase, "--length", 4096)
        large = Volume(MIB, sector=4096, provider_sector=4096).seal(0)
        path = large.write(self.path("disk"), text)
        self.assertEqual(self.read(path, *secret) == text, True)
        with open(path, "r+b") as f:  # and one for sectors of 512 bytes
            f.seek(MIB - 512)
            f.write(Volume(MIB).seal(0).metadata())
        self.assertIn(b"--provider-sector", self.rijn("read", path, *secret, ok=False).stderr)
        self.assertEqual(self.read(path, *secret, "--provider-sector", 4096) == text, True)

    def test_cost(self):
        path = Volume(MIB, rounds=30000000, keys=1).write(self.path("disk"), b"")
        r = self.rijn("read", path, "--passphrase-file", self.passphrase, ok=False)
        self.assertRegex(r.stderr, rb"30000000 .*limit")
        path = Volume(MIB).seal(0).write(self.path("disk"), b"")
        r = self.rijn("read", path, "--passphrase-file", self.passphrase, "--limit-rounds", 999, ok=False)
        self.assertRegex(r.stderr, rb"1000 .*limit")

    def test_made_here(self):
        """What rijn volume create makes and rijn volume write writes, read by Python."""
        key, text = rng.randbytes(64), rng.randbytes(20000)
        for i, (bits, sector) in enumerate(((128, 512), (256, 4096))):
            name, secret = f"ours{i}", ("--key-file", self.put("key", key), "--passphrase-file", self.passphrase)
            self.rijn("create", name, "--format", "geli", "--size", MIB, "--key-bits", bits, "--sector-size", sector, "--rounds",
                      1000, *secret)
            self.rijn("write", name, *secret, data=text)
            sector_of_metadata = self.get(name)[-512:]
            self.assertEqual(self.get(name + ".eli")[:511], sector_of_metadata[:511])
            volume = Volume.parse(sector_of_metadata)
            self.assertEqual((volume.version, volume.ealgo, volume.keylen, volume.sector, volume.provsize, volume.keys),
                             (7, AES_XTS, bits, sector, MIB, 1))
            self.assertGreater(len(set(volume.slots[1])), 64)  # the slot that is not used is noise
            volume.unseal(0, PASSPHRASE, (key,))
            self.assertEqual(volume.plain_of(self.path(name), 0, 20480)[:len(text)] == text, True)
            for wrong in ((PASSPHRASE, ()), (None, (key,))):
                with self.assertRaises(ValueError):
                    volume.unseal(0, *wrong)


if __name__ == "__main__":
    unittest.main(verbosity=2)
