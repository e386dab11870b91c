# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""VeraCrypt, TrueCrypt and BitLocker: the images of cryptsetup's own tests, which Debian's source package has, read and
written here, and judged by cryptsetup, dislocker, dissect.fve, libbde and tcplay. With the argument "all": each image."""
import configparser
import functools
import hashlib
import http.server
import json
import os
import sys
import threading
import unittest

import archive
from common import FILTER, MIB, PLUGIN, Case, text_of
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

ALL = "all" in sys.argv[1:]
IMAGES = os.environ["RIJN_IMAGES"]
KINDS = {"password": "VMK protected with passphrase", "recovery key": "VMK protected with recovery passphrase",
         "startup key": "VMK protected with startup key", "smart card": "VMK protected with smart card",
         "clear key": "VMK protected with clear key"}  # fmt: skip


def setUpModule():
    archive.fetch(IMAGES)


class Images(Case):
    def setUp(self):
        super().setUp()
        self.folder = os.path.join(IMAGES, self.KIND)
        self.names = sorted(os.listdir(self.folder))

    def unpack(self, *wanted):
        for name in wanted:
            archive.copy(os.path.join(self.folder, name), self.path(name))

    def word(self, text):
        return ("--passphrase-file", self.put("word", text.encode() + b"\n"))

    def info(self, *args):
        return json.loads(self.rijn("info", "--json", *args, ok=False).stdout)["volume"]


class BitLocker(Images):
    KIND = "bitlk"
    FEW = ("bitlk-aes-xts-128-eow.img", "bitlk-aes-xts-128-startup-key-win11.img")  # a startup key takes no time

    def setUp(self):
        super().setUp()
        self.unpack(*(name for name in self.names if name.endswith((".BEK", ".conf"))))
        self.facts = configparser.ConfigParser(strict=False)
        self.facts.read(self.path("images.conf"))

    def ways(self, image):
        facts = self.facts[image[:-4]]
        found = [self.word(facts["RP"])]
        if facts.get("PW") and "startup" not in image and "smart" not in image:
            found.append(self.word(facts["PW"]))
        if facts.get("SK_VMK_GUID"):
            found.append(("--key-file", self.path(facts["SK_VMK_GUID"].upper() + ".BEK")))
        return found

    def same_facts(self, image):
        """cryptsetup and libbde say the same of the header."""
        info, dump = self.info(image), self.run_("cryptsetup", "bitlkDump", image).stdout.decode()
        self.assertEqual(dump.count("Protection:"), len(info["slots"]))
        for slot in info["slots"]:
            self.assertIn(KINDS[slot["name"]], dump)
        for value in (info["uuid"], info["label"], f"{info['sector_size']} [bytes]"):
            self.assertIn(value, dump)
        if "refused" in info:
            return  # libbde wants the first sector of another GUID
        date = info["created"].replace("T", " ").rstrip("Z")
        said = self.run_("bdeinfo", image, ok=False).stdout.decode()
        wanted = self.run_("date", "-u", "-d", date, "+%b %d, %Y %H:%M:%S").stdout.decode().strip()
        self.assertIn(wanted, said)

    def dislocker(self, image, to):
        password = self.facts[image[:-4]]["RP"]
        self.run_("dislocker-file", "-V", image, f"-p{password}", "--", self.path(to))
        return self.get(to)

    def check_write(self, image, way):
        """In the first sectors, around the metadata, at the end, at odd places: dislocker reads all of it as it is to be."""
        plain = bytearray(self.rijn("read", image, *way).stdout)
        size = len(plain)
        for at, n in ((0, 9000), (34 * MIB + 5, 3), (35 * MIB + 11, 100000), (size - 70000, 70000), (MIB + 511, 2), (5258239, 3)):
            data = os.urandom(n)
            self.rijn("write", image, *way, "--offset", at, data=data)
            plain[at:at + n] = data
        self.assertEqual(self.rijn("read", image, *way).stdout == plain, True)
        self.assertEqual(self.dislocker(image, "judge")[:size] == plain, True)
        os.unlink(self.path("judge"))

    def check(self, image):
        self.unpack(image)
        self.same_facts(image)
        if "refused" in self.info(image):
            self.assertRegex(self.info(image)["refused"]["text"], "Elephant" if "elephant" in image else "encrypt on write")
            return False
        for way in self.ways(image):
            out = self.rijn("read", image, *way).stdout
            self.assertEqual(hashlib.sha256(out).hexdigest(), self.facts[image[:-4]]["SHA256SUM"], f"{image} {way}")
        return True

    def test_images(self):
        refused = 0
        for image in [name for name in self.names if name.endswith(".img")] if ALL else self.FEW:
            with self.subTest(image):
                if not self.check(image):
                    refused += 1
                elif "4k" not in image:  # dislocker 0.7.3 takes all sectors for 512 bytes
                    self.check_write(image, self.ways(image)[-1])
                os.unlink(self.path(image))
        self.assertEqual(refused, 4 if ALL else 1)

    def test_dissect(self):
        """What is written here, by a reader in Python that shares no code with the others."""
        script = """
import sys
from dissect.fve.bde import BDE
with open(sys.argv[1], "rb") as f:
    volume = BDE(f)
    volume.unlock_with_recovery_password(sys.argv[2])
    stream = volume.open()
    for at in map(int, sys.argv[3:]):
        stream.seek(at)
        sys.stdout.buffer.write(stream.read(8192))
"""
        for image in ("bitlk-aes-xts-128-4k.img", "bitlk-aes-cbc-128-4k.img") if ALL else ("bitlk-aes-xts-128-4k.img",):
            self.unpack(image)
            way, places, text = self.ways(image)[0], (0, 99 * MIB), text_of(8192)
            for at in places:
                self.rijn("write", image, *way, "--offset", at, data=text)
            r = self.run_(sys.executable, "-c", script, image, self.facts[image[:-4]]["RP"], *places)
            self.assertEqual(r.stdout == text * 2, True)

    def test_messages(self):
        image = "bitlk-aes-xts-128.img"
        self.unpack(image)
        recovery = self.facts[image[:-4]]["RP"]
        wrong = recovery[:7] + "123456" + recovery[13:]
        for word, said in ((wrong, b"group 2 of the recovery key is mistyped"), ("no", b"opens no protector")):
            r = self.rijn("read", image, *self.word(word), ok=False)
            self.assertEqual((r.returncode, r.stdout), (1, b""))
            self.assertIn(said, r.stderr)
        r = self.rijn("read", image, "--key-file", self.put("key", bytes(156)), ok=False)
        self.assertIn(b"opens no protector", r.stderr)
        same = [self.rijn("read", image, "--length", 512, *self.word(word)).stdout for word in (recovery, recovery.replace("-", ""))]
        self.assertEqual((len(same[0]), same[0] == same[1]), (512, True))

    def test_own_places(self):
        """They are not written, and the message says so; what lies before them in the same piece is written."""
        image, own = self.FEW[1], 35213312
        self.unpack(image)
        way = self.ways(image)[1]
        r = self.rijn("write", image, *way, "--offset", own - 1000, data=b"x" * 2000, ok=False)
        self.assertEqual(r.returncode, 1)
        self.assertIn(b"a place of BitLocker's own, which takes only zeros; what came before is written", r.stderr)
        r = self.rijn("read", image, *way, "--offset", own - 1001, "--length", 1002)
        self.assertEqual(r.stdout[1:], b"x" * 1000 + b"\0")

    def test_served(self):
        """By the plugin, beside the whole of it by dislocker."""
        image = self.FEW[1]
        self.unpack(image)
        uri = self.serve(PLUGIN, f"file={image}", f"key-file={self.ways(image)[1][1]}")
        self.run_("nbdcopy", self.put("text", text_of(2 * MIB)), uri)
        self.run_("nbdcopy", uri, self.path("out"))
        self.end(self.server)
        self.assertEqual(self.dislocker(image, "judge") == self.get("out"), True)
        self.assertEqual(self.get("out")[:2 * MIB] == text_of(2 * MIB), True)


class Tcrypt(Images):
    KIND = "tcrypt"
    FEW = ("tc_3-sha512-xts-aes-hidden", "tc_4-ripemd160-xts-aes", "tc_5-sha512-xts-aes-hidden", "tc_5-whirlpool-xts-aes",
           "tck_5-sha512-xts-aes", "tc_4-sha512-xts-aes-hidden", "vc_1-sha512-xts-aes", "vck_1_pw72-sha256-xts-aes",
           "tc_4-sha512-xts-serpent", "tc_2-ripemd160-cbc-aes")  # fmt: skip
    WORDS = {"": "a" * 12, "hidden": "b" * 12, "pw72": "".join(c * 12 for c in "abcdef")}

    def setUp(self):
        super().setUp()
        self.unpack("keyfile1", "keyfile2")

    def key_options(self, image, hidden):
        """The command line of this program, and cryptsetup's with its passphrase."""
        ours, theirs, word = ["--format", "veracrypt"], [], self.WORDS["hidden" if hidden else "pw72" if "pw72" in image else ""]
        hash_name = image.split("-")[1]
        if image.startswith(("tck", "vck")):
            ours += ["--key-file", "keyfile2", "--key-file", "keyfile1"]
            theirs += ["--key-file", "keyfile1", "--key-file", "keyfile2"]
        if image.startswith("vcpim"):
            ours += ["--pim", "1234"]
            theirs += ["--veracrypt-pim", "1234"]
        if image.startswith("sys"):
            ours += ["--slot", "4"]
            theirs += ["--tcrypt-system"]
        if image.startswith(("v", "sys")):  # a quarter of a second, not all hashes
            ours += ["--hash", hash_name]
        if "nopw" in image:
            return ours, theirs, b""
        theirs += ["--tcrypt-hidden"] if hidden and image.startswith("t") else []
        return [*ours, *self.word(word)], theirs, word.encode()

    def by_cryptsetup(self, image, theirs, word):
        """Its key, and the first sector of the data."""
        dump = self.run_("cryptsetup", "tcryptDump", "-q", "--dump-volume-key", "-h", image.split("-")[1], "-c", "aes", *theirs, image,
                         data=word + b"\n").stdout.decode()  # fmt: skip
        key = bytes.fromhex(dump.split("MK dump:")[1].replace("\n", " "))
        return key, int(dump.split("Payload offset:")[1].split()[0])

    def by_hand(self, image, hidden, word):
        """The same of VeraCrypt's header, by hashlib. WHY: with SHA-512 cryptsetup wants LRW of the kernel first."""
        header = self.get(image)[65536 * hidden:][:512]
        rounds = 655331 if "ripemd160" in image else 500000
        derived = hashlib.pbkdf2_hmac(image.split("-")[1], word, header[:64], rounds, 64)
        plain = Cipher(algorithms.AES(derived), modes.XTS(bytes(16))).decryptor().update(header[64:])
        self.assertEqual(plain[:4], b"VERA")
        return plain[192:256], int.from_bytes(plain[44:52], "big") // 512

    def judge(self, image, hidden, theirs, word):
        """The sectors by another AES. None: no judge has the hash, or mixes these key files."""
        if image.startswith("vc") and "sha256" not in image:
            if "whirlpool" in image or theirs:
                return None
            key, first = self.by_hand(image, hidden, word)
        else:
            key, first = self.by_cryptsetup(image, theirs, word)
        disk, sectors = self.get(image), []
        for i in range(first, len(disk) // 512):
            aes = Cipher(algorithms.AES(key), modes.XTS(i.to_bytes(16, "little"))).decryptor()
            sectors.append(aes.update(disk[i * 512:i * 512 + 512]))
        return b"".join(sectors)

    def check(self, image, hidden):
        ours, theirs, word = self.key_options(image, hidden)
        out = self.rijn("read", image, *ours).stdout
        theirs_out = self.judge(image, hidden, theirs, word)
        self.assertEqual(theirs_out is None or out == theirs_out[:len(out)], True)
        self.assertEqual(out[39:43], bytes.fromhex("bebafeca" if hidden else "bebaadde"))
        outer = () if hidden else ("--no-hidden",)
        if not hidden and "sys" not in image:
            r = self.rijn("write", image, *ours, data=b"x", ok=False)
            self.assertRegex(r.stderr, b"read only: it may hide another")
        for at, data in ((0, b"x" * 700), (len(out) - 513, b"y" * 513)):
            self.rijn("write", image, *ours, *outer, "--offset", at, data=data)
            out = out[:at] + data + out[at + len(data):]
        theirs_out = self.judge(image, hidden, theirs, word)
        self.assertEqual(theirs_out is None or out == theirs_out[:len(out)], True)
        self.assertEqual(out == self.rijn("read", image, *ours).stdout, True)

    def test_images(self):
        opened = 0
        for image in [name for name in self.names if "-" in name] if ALL else self.FEW:
            with self.subTest(image):
                self.unpack(image)
                if image.endswith(("xts-aes", "xts-aes-hidden")):
                    for hidden in range(1 + image.endswith("hidden")):
                        self.check(image, hidden)
                        opened += 1
                else:  # another cipher or mode: without their key they look like noise
                    ours, _, _ = self.key_options(image, False)
                    r = self.rijn("read", image, *ours, "--limit-rounds", "2000", ok=False)
                    self.assertEqual((r.returncode, r.stdout), (1, b""))
        self.assertEqual(opened, 29 if ALL else 11)

    def test_tcplay(self):
        """A volume that tcplay makes, with a hidden one in it, and by the copies of its headers."""
        disk = self.sparse("disk", 4 * MIB)
        loop = self.run_("losetup", "-f", "--show", disk).stdout.decode().strip()
        try:
            answers = [b"outer words"] * 2 + [b"hidden words"] * 2 + [b"2M", b"y"]
            command = ["tcplay", "-c", "-d", loop, "-a", "SHA512", "-b", "AES-256-XTS", "-x", "whirlpool", "-y", "AES-256-XTS", "-gzw"]
            status, said = self.talk(command, answers)
            self.assertEqual(status, 0, said)
        finally:
            self.run_("losetup", "-d", loop)
        for word, slots, size in (("outer words", (0, 2), 4 * MIB - 262144), ("hidden words", (1, 3), 2 * MIB)):
            found = [self.rijn("read", disk, "--format", "truecrypt", "--slot", slot, *self.word(word)).stdout for slot in slots]
            self.assertEqual((len(found[0]), found[0] == found[1]), (size, True))

    def test_served(self):
        """A partition by the plugin, an image by HTTP through the filter, and a wrong passphrase."""
        image = "tc_5-sha512-xts-aes-hidden"
        self.unpack(image)
        ours, _, _ = self.key_options(image, False)
        plain = self.rijn("read", image, *ours).stdout
        self.sparse("disk", 8 * MIB)
        self.run_("sfdisk", "-q", self.path("disk"), data=f"label: gpt\nstart=2048,size={len(self.get(image)) // 512}\n".encode())
        with open(self.path("disk"), "r+b") as f:
            f.seek(2048 * 512)
            f.write(self.get(image))
        word = f"passphrase=+{self.put('a', b'a' * 12)}"
        self.run_("nbdcopy", self.serve(PLUGIN, "file=disk", "partition=1", "format=veracrypt", word), self.path("out"))
        self.assertEqual(self.get("out") == plain, True)
        handler = functools.partial(Ranges, directory=self.dir)
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        uri = self.serve(f"--filter={FILTER}", "curl", f"http://127.0.0.1:{server.server_port}/{image}", "format=veracrypt", word)
        self.run_("nbdcopy", uri, self.path("over"))
        self.assertEqual(self.get("over") == plain, True)
        r = self.rijn("read", image, "--format", "veracrypt", "--limit-rounds", 2000, *self.word("no"), ok=False)
        self.assertEqual((r.returncode, r.stdout), (1, b""))
        r = self.rijn("read", image, "--format", "veracrypt", "--hash", "sha512", *self.word("no"), ok=False)
        self.assertIn(b"opens no header by AES", r.stderr)
        r = self.rijn("read", image, *self.word("no"), ok=False)
        self.assertIn(b"--format veracrypt", r.stderr)


class Ranges(http.server.SimpleHTTPRequestHandler):
    """Files of a folder, with ranges."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def do_HEAD(self):
        self.send_response(200)
        self.send_header("Content-Length", str(os.path.getsize(self.translate_path(self.path))))
        self.send_header("Accept-Ranges", "bytes")
        self.end_headers()

    def do_GET(self):
        with open(self.translate_path(self.path), "rb") as f:
            data = f.read()
        first, last = self.headers.get("Range", f"bytes=0-{len(data) - 1}")[6:].split("-")
        part = data[int(first):int(last) + 1]
        self.send_response(206 if "Range" in self.headers else 200)
        self.send_header("Content-Length", str(len(part)))
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("Content-Range", f"bytes {first}-{int(first) + len(part) - 1}/{len(data)}")
        self.end_headers()
        self.wfile.write(part)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
