# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""A peer that gives a wrong answer is found before it is timed: planted ones, and the real ones found here agree."""
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../provider/test"))

import newer  # noqa: E402
from common import FAIL, OK, QUICK, bench, rows


class Peers(unittest.TestCase):
    def planted(self, *args):
        return bench("gcm", "--impl", "portable", "--peers", "planted:text,planted:tag,planted:rejects", "--key", "128", *QUICK, "--json", "-", *args)

    def test_wrong_answers_are_found(self):
        for sizes in ["16", "100", "mix"]:
            with self.subTest(sizes=sizes):
                r = self.planted("--sizes", sizes)
                self.assertEqual(r.returncode, FAIL)
                found = {(t["subject"], t["direction"]): t for t in rows(r.stdout)}
                self.assertIn("output differs from portable's at byte", found["planted:text", "encrypt"]["error"])
                self.assertIn("tag differs", found["planted:tag", "encrypt"]["error"])
                self.assertIn("rejects an authentic message", found["planted:rejects", "decrypt"]["error"])
                for direction in ["encrypt", "decrypt"]:
                    self.assertEqual(found["portable", direction]["error"], "")
                for (subject, _), t in found.items():
                    if subject != "portable":
                        self.assertEqual((t["low"], t["cycles"]), (None, []))

    def test_every_length_in_place(self):
        """Messages that are put back one by one have the lengths of the mix all the same."""
        r = bench("gcm", "--impl", "portable", "--peers", "planted:long", "--key", "128", "--sizes", "mix", "--dir", "dec",
                  "--in-place", *QUICK, "--json", "-")
        self.assertEqual(r.returncode, FAIL)
        found = {t["subject"]: t for t in rows(r.stdout)}
        self.assertEqual(found["portable"]["error"], "")
        self.assertIn(found["planted:long"]["error"], ("fails", "failed while timed"))  # it is a later one

    def test_terminal_says_so(self):
        r = bench("gcm", "--impl", "portable", "--peers", "planted:tag", "--key", "128", "--sizes", "16", *QUICK)
        self.assertEqual(r.returncode, FAIL)
        self.assertIn("WRONG: planted:tag", r.stdout)

    def test_all_here_agree(self):
        """Every implementation and every peer of this machine in every mode at an odd spread of sizes."""
        r = bench("gcm", "gmac", "batch", "batch-keys", "gcm-siv", "xaes", "xts", "xts-run", "ctr", "cbc", "ecb", "ghash", "latency",
                  "--sizes", "16,48,512,1024,mix", "--key", "128,192,256", "--rounds", "1", "--sample-us", "1", "--cpu", "none", "--json", "-")
        wrong = [(t["what"], t["key"], t["direction"], t["size"], t["subject"], t["error"]) for t in rows(r.stdout)
                 if t["error"]]
        self.assertEqual(wrong, [])
        self.assertEqual(r.returncode, OK)
        for line in r.stderr.splitlines():
            self.assertIn(": left out of --sizes", line)

    def test_many_keys(self):
        """A thousand keys are the same for all: who took another one would have another tag."""
        r = bench("many-keys", "--sizes", "100", "--key", "256", "--rounds", "1", "--sample-us", "1", "--cpu", "none", "--json", "-")
        self.assertEqual([(t["subject"], t["error"]) for t in rows(r.stdout) if t["error"]], [])
        self.assertEqual((r.returncode, r.stderr), (OK, ""))
        self.assertIn("libcrypto", {t["subject"] for t in rows(r.stdout)})

    def test_newer_libcrypto(self):
        """The system's has no AES-GCM-SIV, one of 3.2 and newer has: it is measured, and it agrees."""
        few = ["gcm-siv", "--impl", "portable", "--peers", "libcrypto", "--key", "128,192,256", "--sizes", "1,100", *QUICK,
               "--json", "-"]
        with newer.libraries() as env:
            r = bench(*few, env=env)
        found = [(t["key"], t["direction"], t["size"], t["error"]) for t in rows(r.stdout) if t["subject"] == "libcrypto"]
        self.assertEqual(sorted(found), sorted((key, way, size, "") for key in ("128", "192", "256")
                                               for way in ("encrypt", "decrypt") for size in ("1", "100")), r.stderr)
        without = bench(*few)
        self.assertEqual({t["subject"] for t in rows(without.stdout)} - {"libcrypto"}, {"portable"}, without.stderr)


if __name__ == "__main__":
    unittest.main()
