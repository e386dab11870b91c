# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""rijn bench compare, on reports made up so that the right answer is known."""
import json
import os
import tempfile
import unittest

from common import FAIL, OK, SYSTEM, USAGE, bench


def row(cycles, **more):
    r = {"what": "gcm", "title": "T", "key": 128, "direction": "encrypt", "mix": False, "size": 64, "count": 1, "aad": 16,
         "subject": "portable", "launches": 1, "cycles": cycles}
    r.update(more)
    return r


class Compare(unittest.TestCase):
    def compare(self, a, b, *args):
        with tempfile.TemporaryDirectory() as d:
            names = []
            for name, content in [("a.json", a), ("b.json", b)]:
                names.append(os.path.join(d, name))
                with open(names[-1], "w", encoding="utf-8") as f:
                    if isinstance(content, str):
                        f.write(content)
                    else:
                        report = content if isinstance(content, dict) else {"rows": content}
                        json.dump({"format": "rijn-bench", "version": 1, **report}, f)
            return bench("compare", *names, *args)

    def test_ministat_example(self):
        r = self.compare([row([50, 200, 150, 400, 750, 400, 150])], [row([150, 400, 720, 500, 930])])
        self.assertEqual((r.returncode, r.stderr), (OK, ""))
        # half an interval of 344.65 on a mean of 300
        self.assertIn("no difference proven (+-114.88%)", r.stdout)

    def test_slower_faster_equal(self):
        a, b = [100, 101, 99, 100], [103, 102, 104, 103]
        r = self.compare([row(a)], [row(b)])
        self.assertEqual(r.returncode, FAIL)
        self.assertIn("+3.00% +- 1.41%  B is slower", r.stdout)
        r = self.compare([row(b)], [row(a)])
        self.assertEqual(r.returncode, OK)
        self.assertIn("-2.91% +- 1.37%  B is faster", r.stdout)
        r = self.compare([row(a)], [row(a)])
        self.assertEqual(r.returncode, OK)
        self.assertIn("no difference proven", r.stdout)

    def test_no_end(self):
        r = bench("compare", "/dev/zero", "/dev/zero")
        self.assertEqual((r.returncode, r.stdout), (USAGE, ""))
        self.assertIn("/dev/zero: no report has 512 MB", r.stderr)

    def test_min_effect(self):
        a, b = [row([100, 101, 99, 100])], [row([103, 102, 104, 103])]
        self.assertEqual(self.compare(a, b, "--min-effect", "2.9").returncode, FAIL)
        self.assertEqual(self.compare(a, b, "--min-effect", "3.1").returncode, OK)
        self.assertEqual(self.compare(a, b, "--min-effect=2.9").returncode, FAIL)
        self.assertEqual(self.compare(a, b, "--min=3.1").returncode, OK)
        for bad in ["-1", "x", ""]:
            self.assertEqual(self.compare(a, b, "--min-effect", bad).returncode, USAGE)
        for bad, words in [(["--min-effect"], '--min-effect: its value is missing'), (["--max"], '--max: no such'),
                           (["--min-effect=1", "-xh"], '-x: no such'), (["--", "--help"], "needs two files")]:
            r = self.compare(a, b, *bad)
            self.assertEqual((r.returncode, r.stdout), (USAGE, ""))
            self.assertIn(words, r.stderr)
        for help in ["-h", "--help"]:
            self.assertEqual(self.compare(a, b, help).stdout, bench("--help").stdout)

    def test_launches_are_the_observations(self):
        """Inside a launch all agree, the launches differ: what would be proven by samples is not by launches."""
        a = [100] * 20 + [110] * 20 + [120] * 20
        b = [104] * 20 + [114] * 20 + [124] * 20
        r = self.compare([row(a)], [row(b)])
        self.assertIn("B is slower", r.stdout)
        self.assertIn("fewer than 3 launches", r.stdout)
        r = self.compare([row(a, launches=3)], [row(b, launches=3)])
        self.assertEqual(r.returncode, OK)
        self.assertIn("no difference proven", r.stdout)
        self.assertNotIn("fewer than 3 launches", r.stdout)

    def test_rows_are_matched_by_what_they_are(self):
        a = [row([1, 2, 3]), row([1, 2, 3], size=128), row([5, 6, 7], subject="other")]
        b = [row([1, 2, 3], size=128), row([1, 2, 3], key=256), row([5, 6, 7], subject="other")]
        r = self.compare(a, b)
        self.assertEqual(r.returncode, OK)
        self.assertIn("2 rows: 0 faster, 0 slower, 2 without", r.stdout)
        self.assertIn("1 rows only in A, 1 only in B", r.stdout)

    def test_measured_otherwise(self):
        """A difference of what was measured is said, for it is not one of speed."""
        plain = {"threads": 1, "misalign": 0, "in_place": False, "cold_key": False, "serialize": False, "clock": "chain"}
        a = {"rows": [row([1, 2, 3])], "options": plain}
        for name, value, words in [("threads", 2, "1 | 2"), ("misalign", 1, "0 | 1"), ("in_place", True, "0 | 1"),
                                   ("cold_key", True, "0 | 1"), ("serialize", True, "0 | 1"),
                                   ("clock", "fixed", "chain | fixed")]:
            r = self.compare(a, {"rows": a["rows"], "options": {**plain, name: value}})
            self.assertEqual(r.returncode, OK)
            self.assertEqual([line for line in r.stdout.splitlines() if "note" in line],
                             [f"note: {name} differs: {words}"])
        fixed = {"rows": a["rows"], "options": {**plain, "clock": "fixed"}, "machine": {"core_hz_median": 2.6e9}}
        r = self.compare(fixed, {**fixed, "machine": {"core_hz_median": 3e9}})
        self.assertIn("note: the told clock differs: 2.6e+09 | 3e+09 Hz\n", r.stdout)
        self.assertNotIn("note", self.compare(fixed, {**fixed, "machine": {"core_hz_median": 2.6000001e9}}).stdout)
        r = self.compare({**a, "peers": "libcrypto 3.0.1"}, {**a, "peers": "libcrypto 3.0.2"})
        self.assertIn("note: peers differ: libcrypto 3.0.1 | libcrypto 3.0.2\n", r.stdout)
        self.assertNotIn("note", self.compare(a, a).stdout)
        r = self.compare(a, {"rows": a["rows"], "options": {"clock": "chain"}})
        self.assertNotIn("note", r.stdout)  # not known is no difference

    def test_wrong_rows(self):
        """An output that was wrong is not compared, and fails where it was right before."""
        good, bad = row([1, 2, 3]), row([1, 2, 3], error="failed while timed")
        for a, b, status, words in [([good], [bad], FAIL, "WRONG in B: failed while timed"),
                                    ([good, row([1, 2], size=1)], [bad, row([1, 2], size=1)], FAIL, "wrong where A was right"),
                                    ([bad, row([1, 2], size=1)], [good, row([1, 2], size=1)], OK, "WRONG in A: failed"),
                                    ([bad, row([1, 2], size=1)], [bad, row([1, 2], size=1)], OK, "WRONG in both: failed"),
                                    ([bad], [bad], USAGE, "WRONG in both"), ([bad], [good], USAGE, "WRONG in A")]:
            r = self.compare(a, b)
            self.assertEqual(r.returncode, status)
            self.assertIn(words, r.stdout)
            self.assertIn("is wrong in A" if status == USAGE else "", r.stderr)

    def test_terminal_is_safe(self):
        esc = "\u001b[31m\u009b2J\u007f\r\n\u00e9"
        a = {"rows": [row([1, 2, 3], title=esc, subject=esc)], "machine": {"cpu": esc}}
        r = self.compare(a, {**a, "machine": {"cpu": "x"}})
        self.assertEqual((r.returncode, r.stderr), (OK, ""))
        self.assertEqual(r.stdout.count("?[31m??2J???\u00e9"), 3)
        self.assertNotRegex(r.stdout, "[\x00-\x09\x0b-\x1f\x7f-\x9f]")

    def test_no_such_number_of_cycles(self):
        r = self.compare("""{"format": "rijn-bench", "version": 1, "rows": [%s]}""" %
                         json.dumps(row(["X"])).replace('"X"', "1e999, 1, -1, 0, 2, 3"), [row([1, 2, 3])])
        self.assertEqual(r.returncode, OK)
        self.assertRegex(r.stdout, r" 2\.0 +2\.0 no difference proven \(\+-113\.")

    def test_nothing_in_common(self):
        r = self.compare([row([1, 2])], [row([1, 2], key=256)])
        self.assertEqual(r.returncode, USAGE)
        self.assertIn("no row in common", r.stderr)
        self.assertIn("in common was measured in both", self.compare([row([1])], [row([1])]).stderr)

    def test_not_a_report(self):
        good = [row([1, 2])]
        for text in ["", "{", "[]", "null", '{"format": "rijn-bench", "version": 2, "rows": []}', '{"rows": []}',
                     '{"format": "rijn-bench", "version": 1, "rows": {}}', "\x00", '{"format": 1}']:
            with self.subTest(text=text):
                r = self.compare(text, good)
                self.assertEqual(r.returncode, USAGE)
                self.assertIn("a.json", r.stderr)
                self.assertEqual(self.compare(good, text).returncode, USAGE)

    def test_odd_rows_do_no_harm(self):
        odd = [{}, 1, None, [], row([]), row("x"), row([None, "y"]), row([1, 2], launches=7), row([1, 2, 3], launches=-1)]
        r = self.compare(odd, odd)
        self.assertIn(r.returncode, (OK, USAGE))

    def test_files(self):
        self.assertEqual(bench("compare").returncode, USAGE)
        self.assertEqual(bench("compare", "a").returncode, USAGE)
        self.assertEqual(bench("compare", "a", "b", "c").returncode, USAGE)
        with tempfile.TemporaryDirectory() as d:
            good = os.path.join(d, "good.json")
            with open(good, "w", encoding="utf-8") as f:
                json.dump({"format": "rijn-bench", "version": 1, "rows": [row([1, 2])]}, f)
            none = os.path.join(d, "none.json")
            for names, word in (((none, good), none), ((good, none), none), ((good, d), d + ": Is a directory")):
                r = bench("compare", *names)  # 3: a file that the system refuses
                self.assertEqual((r.returncode, r.stdout), (SYSTEM, ""))
                self.assertIn(word, r.stderr)
        self.assertIn("Try 'rijn bench compare --help'", bench("compare", "--what", "a", "b").stderr)

    def test_own_reports(self):
        """What --json writes, compare reads."""
        with tempfile.TemporaryDirectory() as d:
            name = os.path.join(d, "a.json")
            r = bench("gcm", "--impl", "portable", "--peers", "none", "--sizes", "16", "--key", "128", "--rounds", "4",
                      "--sample-us", "2", "--cpu", "none", "--json", name)
            self.assertEqual(r.returncode, OK)
            r = bench("compare", name, name)
            self.assertEqual((r.returncode, r.stderr), (OK, ""))
            self.assertIn("2 rows: 0 faster, 0 slower, 2 without", r.stdout)


if __name__ == "__main__":
    unittest.main()
