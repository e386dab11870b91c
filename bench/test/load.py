# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""One program against itself on a machine that has other work: nothing is proven slower, and what is measured is of the size
that it has without the load."""
import json
import multiprocessing
import os
import tempfile
import unittest

from common import OK, PROGRAM, bench, report_tool

WHAT = ["gcm", "--impl", "chosen", "--peers", "libcrypto", "--sizes", "64,1420,16384", "--key", "128,256"]


def spin():
    while True:
        sum(range(100000))


class Load(unittest.TestCase):
    def setUp(self):
        self.busy = [multiprocessing.Process(target=spin, daemon=True) for _ in range(2 * os.cpu_count())]

    def tearDown(self):
        for p in self.busy:
            if p.is_alive():
                p.terminate()
                p.join()

    def rows(self, folder, name):
        path = os.path.join(folder, name)
        self.assertEqual(bench(*WHAT, "--launches", "5", "--json", path).returncode, OK)
        with open(path, encoding="utf-8") as f:
            return json.load(f)["rows"]

    def test_itself_under_load(self):
        with tempfile.TemporaryDirectory() as d:
            calm = self.rows(d, "calm.json")
            for p in self.busy:
                p.start()
            loaded = self.rows(d, "loaded.json")
            r = report_tool("versus", PROGRAM, PROGRAM, "--min-effect", "2", "--", *WHAT, timeout=900)
            self.assertEqual((r.returncode, r.stderr), (OK, ""), r.stdout)
            r = report_tool("compare", os.path.join(d, "calm.json"), os.path.join(d, "loaded.json"), "--min-effect", "5")
            self.assertEqual((r.returncode, r.stderr), (OK, ""), r.stdout)
        for a, b in zip(calm, loaded):
            self.assertLess(b["low"] / a["low"], 2, (a["subject"], a["size"]))


if __name__ == "__main__":
    unittest.main()
