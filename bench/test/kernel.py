# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""rijn bench kernel: what it takes and refuses where Linux has no such module; kernel.bench measures."""
import unittest

from common import OK, SYSTEM, USAGE, bench


class Kernel(unittest.TestCase):
    def test_kernel(self):
        """Drivers of Linux: what they are asked in this machine's own words; kernel.bench measures them."""
        r = bench("kernel", "--help")
        self.assertEqual((r.returncode, r.stderr), (OK, ""))
        self.assertLessEqual(max(map(len, r.stdout.splitlines())), 80)
        for args, words in [
            (["gmac"], ["gmac", "gcm, xts, ctr, cbc, ecb"]),
            (["--sizes", "2097153"], ["--sizes", "2097153", "2097152"]),
            (["xts", "--set-key"], ["--set-key", "gcm"]),
            (["--sizes", "0"], ["--sizes"]),
            (["--pieces", "17"], ["--pieces", "16"]),
            (["--key", "129"], ["--key", "128, 192, 256"]),
            (["--dir", "both"], ["--dir", "enc, dec"]),
            (["--aad", "1025"], ["--aad", "1024"]),
            (["--rounds", "0"], ["--rounds"]),
            (["--sample-us", "1.5"], ["--sample-us", "whole"]),
            (["--frobnicate"], ["frobnicate"]),
        ]:
            r = bench("kernel", *args)
            self.assertEqual((r.returncode, r.stdout), (USAGE, ""), args)
            for word in words:
                self.assertIn(word, r.stderr)
        r = bench("kernel", "--json", "/nowhere/report")
        self.assertEqual((r.returncode, r.stdout), (SYSTEM, ""))
        self.assertIn("/nowhere/report", r.stderr)


if __name__ == "__main__":
    unittest.main()
