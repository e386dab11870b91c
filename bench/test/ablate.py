# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""rijn bench --ablate, in a build of its own: each part can be taken away, and where it is, the answer is wrong."""
import json
import os
import subprocess
import tempfile
import unittest

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Ablate(unittest.TestCase):
    def test_ablate(self):
        with tempfile.TemporaryDirectory() as d:
            for command in [["cmake", "-S", SOURCE, "-B", d, "-DRIJN_BENCH_ABLATE=ON", "-DRIJN_BUILD_TESTS=OFF",
                             "-DRIJN_BUILD_PROVIDER=OFF"], ["cmake", "--build", d, "-j2", "--target", "rijn_bench"]]:
                r = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8")
                self.assertEqual(r.returncode, 0, r.stdout)
            program, report = os.path.join(d, "bin/rijn-bench"), os.path.join(d, "a.json")
            small = ["--sizes", "64,16384", "--key", "128", "--rounds", "3", "--sample-us", "2"]
            r = subprocess.run([program, "--ablate", *small, "--json", report], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, encoding="utf-8")
            self.assertEqual((r.returncode, r.stderr), (0, ""))
            with open(report, encoding="utf-8") as f:
                rows = json.load(f)["rows"]
        self.assertTrue(rows)
        whole = [r for r in rows if r["kind"] == "rijn"]
        self.assertEqual(len(rows), 5 * len(whole))
        for r in whole:
            self.assertIsNone(r["error"])
        for r in rows:
            # In 16 KiB every part has its place; 64 bytes never see the bulk loop, where XOR and counters are taken away.
            if r["kind"] == "ablated" and (r["size"] == 16384 or not r["subject"].endswith(("-xor", "-counters"))):
                self.assertIsNone(r["error"], r["subject"])


if __name__ == "__main__":
    unittest.main()
