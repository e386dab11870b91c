# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""rijn bench --check-choice: that the set which is chosen on this machine is the fastest, and that a bad choice is found."""
import json
import re
import unittest

from common import FAIL, OK, USAGE, bench

# By how many percent another set has to be faster, in three tries, each of two runs: what a busy machine does to the mean of
# forty medians of ratios is less.
MARGIN = 4


def check(*args, **more):
    return bench("--check-choice", "--margin", MARGIN, *args, **more)


class Choice(unittest.TestCase):
    def test_here(self):
        """The one assertion about speed: not how fast, but which of two that take turns."""
        for _ in range(3):
            r = check()
            if r.returncode == OK:
                break
        self.assertEqual(r.returncode, OK, r.stdout + r.stderr)
        self.assertIn("No set takes 4 % fewer cycles here than ", r.stdout)

    def test_planted(self):
        """portable in place of a set: who is faster is named, with the remedy; and it is one."""
        r = check("--rounds", 5, env={"RIJN_IMPL": "portable"})
        if len(re.findall(r"(?m)^  (x86|arm|ppc)", bench("--list", "--impl", "all").stdout)) == 0:
            self.assertEqual((r.returncode, r.stdout), (OK, "There is no choice: only one set runs here.\n"))
            return
        self.assertEqual((r.returncode, r.stderr), (FAIL, ""))
        text = " ".join(r.stdout.split())
        self.assertRegex(text, r"^(\S+) takes [0-9.]+ % fewer cycles here than portable, which RIJN_IMPL names\. "
                               r"A remedy: RIJN_IMPL=\1 Please send the project the file of: rijn bench --check-choice --json FILE$")
        self.assertNotIn("portable", text.split("RIJN_IMPL=")[1])

    def test_quick_table(self):
        """The quick table says it as well, and says nothing where nothing is wrong."""
        few = ["--sizes", "1420", "--rounds", 15, "--peers", "none"]
        worse = bench(*few, env={"RIJN_IMPL": "portable"})
        self.assertEqual(worse.returncode, OK)
        if "NOISY" not in worse.stdout:
            self.assertIn("than\nportable, which RIJN_IMPL names", worse.stdout)
        self.assertNotIn("A remedy", bench(*few, "--margin", 50).stdout)

    def test_report(self):
        """What is sent has all sets that run here, each measured in all cases."""
        r = bench("--check-choice", "--rounds", 2, "--sample-us", 1, "--margin", 100, "--json", "-")
        rows = json.loads(r.stdout)["rows"]
        count = {row["subject"]: 0 for row in rows}
        for row in rows:
            count[row["subject"]] += 1
        self.assertEqual(len(set(count.values())), 1, count)

    def test_refused(self):
        for args in (["gcm"], ["--impl", "all"], ["--peers", "none"], ["--sizes", "16"], ["--baseline", "portable"]):
            r = bench("--check-choice", *args)
            self.assertEqual((r.returncode, r.stdout), (USAGE, ""))
            self.assertIn("--check-choice says itself", r.stderr)


if __name__ == "__main__":
    unittest.main()
