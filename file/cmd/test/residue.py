# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""When the command ends, in success or failure, neither key nor text stands anywhere in its memory."""
import hashlib
import hmac
import json
import os
import re

from common import CHUNK, FAILED, HEADER, OK, SEALED, Case, main, run, text_of

RESIDUE = os.environ["RIJN_RESIDUE_PRELOAD"]


def message_key(key, salt):
    """The key of one message: the first bytes of HKDF-Expand-SHA512 (RFC 5869)."""
    name = {32: b"AEAD_AES_256_GCM", 16: b"AEAD_AES_128_GCM"}[len(key)]
    info = b"c2sp.org/chunked-encryption@v1+" + name + b"\0" + salt
    return hmac.new(key, info + b"\1", hashlib.sha512).digest()[:len(key)]


class Residue(Case):
    def found(self, status, secrets, *args, data=None, planted=False, impl="portable"):
        """The numbers of the secrets that were found."""
        listed = ",".join((["planted"] if planted else []) + [s.hex() for s in secrets])
        r = run(*args, data=data, env={"LD_PRELOAD": RESIDUE, "RIJN_RESIDUE": listed, "RIJN_IMPL": impl})
        self.assertEqual(r.returncode, status, r.stderr)
        m = re.search(r"residue: searched (\d+) bytes for (\d+) secrets\n\Z", r.stderr)
        self.assertTrue(m, r.stderr)
        self.assertGreater(int(m.group(1)), 100000)
        self.assertEqual(int(m.group(2)), len(secrets))
        return {int(k) for k in re.findall(r"residue: secret (\d+) in ", r.stderr)}, r

    def test_search_finds(self):
        key = os.urandom(32)
        path = self.key_file("key", key)
        self.assertEqual(self.found(OK, [key], "encrypt", "-k", path, data=b"x", planted=True)[0], {0})

    def test_nothing_left(self):
        impls = json.loads(run("info", "--json").stdout)["implementations"]
        for name in (i["name"] for i in impls if i["supported"]):
            with self.subTest(impl=name):
                self.nothing_left(name)

    def nothing_left(self, impl):
        text = os.urandom(40 * CHUNK + 1000)
        marks = [text[i:i + 24] for i in (0, 5 * CHUNK + 8, 33 * CHUNK, len(text) - 24)]
        for n in (32, 16):
            key = os.urandom(n)
            path = self.key_file("key", key)
            out = os.path.join(self.box, "out")
            found, r = self.found(OK, [key, *marks], "encrypt", "-k", path, data=text, impl=impl)
            self.assertEqual(found, set(), r.stderr)
            sealed = r.stdout
            secrets = [key, message_key(key, sealed[:24]), *marks]
            found, r = self.found(OK, secrets, "decrypt", "-f", "-k", path, "-o", out, data=sealed, impl=impl)
            self.assertEqual((self.get(out), found), (text, set()), r.stderr)
            bad = bytearray(sealed)
            bad[HEADER + 35 * SEALED] ^= 1
            found, r = self.found(FAILED, secrets, "decrypt", "-k", path, data=bytes(bad), impl=impl)
            self.assertEqual(found, set(), r.stderr)
            for args, data in ((["encrypt", "-o", out], b""), (["decrypt"], sealed[:20])):  # the key was read, not used
                found, r = self.found(FAILED, [key], *args, "-k", path, data=data, impl=impl)
                self.assertEqual(found, set(), r.stderr)
            kind = f"rijn-aes{8 * n}-key:"  # the same key as a line of text
            line = f"{kind}{key.hex()}-{hashlib.sha256(kind.encode() + key).hexdigest()[:8]}\n".encode()
            name = self.key_file("line", line)
            # WHY not at once: the secrets stand in the environment, in hexadecimal.
            for look in (secrets, [key.hex().encode()]):
                found, r = self.found(OK, look, "decrypt", "-k", name, data=sealed, impl=impl)
                self.assertEqual(found, set(), r.stderr)
            bad[30] ^= 1  # the commitment
            found, r = self.found(FAILED, secrets, "decrypt", "-k", path, data=bytes(bad), impl=impl)
            self.assertEqual(found, set(), r.stderr)

    def test_message_key(self):
        """The key looked for is the one that is used: with it, and the nonce behind it, the first chunk opens."""
        text = text_of(100)
        sealed = self.seal(text)
        self.assertEqual(len(message_key(self.get(self.key), sealed[:24])), 32)
        okm, t = b"", b""
        info = b"c2sp.org/chunked-encryption@v1+AEAD_AES_256_GCM\0" + sealed[:24]
        for i in (1, 2):
            t = hmac.new(self.get(self.key), t + info + bytes([i]), hashlib.sha512).digest()
            okm += t
        self.assertEqual(okm[44:76], sealed[24:56])  # the commitment in the header: so the derivation is right
        self.assertEqual(okm[:32], message_key(self.get(self.key), sealed[:24]))


if __name__ == "__main__":
    main()
