# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""The chunked-encryption vectors of C2SP Wycheproof: every one, through a pipe and into a file."""
import hashlib
import json
import os
import zlib

from common import FAILED, OK, Case, main, run

VECTORS = os.path.join(os.environ["RIJN_VECTORS"], "wycheproof")


class Wycheproof(Case):
    def one(self, t):
        key, context = self.key_file("key", bytes.fromhex(t["key"])), self.put("ctx", bytes.fromhex(t["ctx"]))
        sealed = zlib.decompress(bytes.fromhex(t["ct"]))
        args = ["decrypt", "--raw", "-k", key, "--context-file", context]
        target = os.path.join(self.box, "out")
        pipe, file = run(*args, data=sealed), run(*args, "-o", target, self.put("in", sealed))
        if "msgLength" in t:
            self.assertEqual(len(pipe.stdout), t["msgLength"])
            self.assertEqual(hashlib.sha512(pipe.stdout).hexdigest(), t["msgSha512"])
        else:
            self.assertEqual(pipe.stdout, b"")
        for r in (pipe, file):
            self.assertEqual(r.returncode, OK if t["result"] == "valid" else FAILED, r.stderr)
        if t["result"] == "valid":
            self.assertEqual(self.get(target), pipe.stdout)
            os.remove(target)
            return
        self.assertEqual(self.left(), [])
        if "InvalidKeySize" in t["flags"]:
            word = "exactly 32 or 16 raw bytes"
        elif "HeaderFailure" in t["flags"]:
            word = ": header: "
        else:
            word = f": chunk {t.get('msgLength', 0) // 16384} ("
        for r in (pipe, file):
            self.assertIn(word, r.stderr)

    def test_all(self):
        for bits in (128, 256):
            with open(os.path.join(VECTORS, f"c2sp_chunked_encryption_aes_{bits}_gcm_test.json")) as f:
                data = json.load(f)
            count = 0
            for group in data["testGroups"]:
                self.assertEqual(group["aead"], f"AEAD_AES_{bits}_GCM")
                for t in group["tests"]:
                    with self.subTest(bits=bits, tcId=t["tcId"], comment=t["comment"]):
                        self.one(t)
                    count += 1
            self.assertEqual(count, data["numberOfTests"])
            self.assertGreaterEqual(count, 35)


if __name__ == "__main__":
    main()
