# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""bench/report compare, on reports made up so that the right answer is known: planted differences are found, noise
is not taken for one. The noise is pseudo-random with a fixed seed, so each run sees the same."""
import json
import os
import random
import tempfile
import unittest

from common import FAIL, OK, SYSTEM, USAGE, bench, in_process, report_tool


def row(cycles, **more):
    r = {"what": "gcm", "title": "T", "key": 128, "direction": "encrypt", "mix": False, "size": 64, "count": 1, "aad": 16,
         "subject": "portable", "launches": 1, "cycles": cycles, "error": None}
    r.update(more)
    return r


def launches(level, seed, n=7, rounds=101, disturbed=(), spread=0.004):
    """Samples of n launches of a subject of that many cycles, on a machine that is not silent: each launch lies a little
    elsewhere, a tenth of the samples is late, and in a disturbed launch a neighbour makes all of it 40 % slower."""
    r, found = random.Random(seed), []
    for launch in range(n):
        of = level * (1 + r.gauss(0, spread)) * (1.4 if launch in disturbed else 1)
        found += [of * (1 + abs(r.gauss(0, 0.01))) * (r.uniform(1.2, 9) if r.random() < 0.1 else 1) for _ in range(rounds)]
    return found


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
                        json.dump({"format": "rijn-bench", "version": 2, **report}, f)
            return in_process("compare", *names, *args)

    def test_planted_differences(self):
        """3 % are found among twenty rows, in both directions, and the others are not."""
        def report(first, seed):
            return [row(launches(first if i == 0 else 100 + i, seed + i), size=i, launches=7) for i in range(20)]
        for planted, words, status in ((103, "B is slower", FAIL), (97, "B is faster", OK)):
            r = self.compare(report(100, 1), report(planted, 100))
            self.assertEqual((r.returncode, r.stderr), (status, ""), r.stdout)
            found = [line for line in r.stdout.splitlines() if "B is " in line and "portable" in line]
            self.assertEqual(len(found), 1, r.stdout)
            self.assertRegex(found[0], rf"^ +0 portable .* [-+][234]\.\d\d% .* {words}$")

    def test_no_difference_is_none(self):
        """Twenty pairs of reports of one program with twenty rows each: not one row is proven different."""
        for seed in range(20):
            a, b = ({"rows": [row(launches(100, 1000 * seed + 100 * k + i), size=i, launches=7) for i in range(20)]}
                    for k in range(2))
            r = self.compare(a, b)
            self.assertEqual((r.returncode, r.stderr), (OK, ""))
            self.assertIn("20 rows: 0 faster, 0 slower, 20 without", r.stdout)

    def test_a_neighbour_on_the_core(self):
        """Launches in which libcrypto too was slow are left out: what is left finds 2 %, and no more than there is."""
        def report(level, seed, disturbed):
            both = {"launches": 7}
            return {"peers": "libcrypto 3", "rows": [row(launches(level, seed, disturbed=disturbed), **both),
                                                     row(launches(900, seed + 1, disturbed=disturbed), subject="libcrypto", **both)]}
        calm, loud = report(100, 1, ()), report(100, 11, (0, 3, 5))
        r = self.compare(calm, loud)
        self.assertIn("2 rows: 0 faster, 0 slower, 2 without", r.stdout)
        r = self.compare(calm, report(103, 21, (1, 2, 6)), "--min-effect", "0")
        self.assertEqual(r.returncode, FAIL)
        self.assertRegex(r.stdout, r"portable .* \+[23]\.\d\d% \+- \d\.\d\d%  B is slower")
        r = self.compare(calm, report(100, 31, (0, 1, 2, 4, 6)))
        self.assertEqual(r.returncode, OK)
        self.assertEqual(r.stdout.count("too few launches were undisturbed"), 2)
        self.assertIn("2 rows tell nothing", r.stdout)
        # another libcrypto tells nothing of the machine
        r = self.compare(calm, {**report(100, 31, (0, 1, 2, 4, 6)), "peers": "libcrypto 4"})
        self.assertNotIn("undisturbed", r.stdout)
        self.assertIn("note: peers differs: libcrypto 3 | libcrypto 4\n", r.stdout)

    def test_one_launch_proves_nothing(self):
        r = self.compare([row(launches(100, 1, n=1))], [row(launches(130, 2, n=1))])
        self.assertEqual(r.returncode, OK)
        self.assertIn("B seems slower: too few launches to tell", r.stdout)
        self.assertIn("bench/report versus", r.stdout)

    def test_launches_are_the_observations(self):
        """Inside a launch all agree, the launches differ: what would be proven by samples is not by launches."""
        a, b = ([x for level in (100, 110, 120) for x in [level + more] * 20] for more in (0, 4))
        r = self.compare([row(a, launches=3)], [row(b, launches=3)])
        self.assertEqual(r.returncode, OK)
        self.assertIn("no difference proven", r.stdout)

    def test_equal_samples(self):
        for b, words in ((100, "no difference proven"), (101, "+1.00% +- 0.00%  B is slower")):
            r = self.compare([row([100] * 9, launches=3)], [row([b] * 9, launches=3)])
            self.assertIn(words, r.stdout)

    def test_min_effect(self):
        a, b = [row(launches(100, 1), launches=7)], [row(launches(105, 2), launches=7)]
        for least, status in (("1", FAIL), ("2", FAIL), ("20", OK)):
            self.assertEqual(self.compare(a, b, "--min-effect", least).returncode, status)
        for bad in (["--min-effect", "-1"], ["--min-effect", "x"], ["--min-effect"], ["--max"], ["c.json"], ["--", "gcm"]):
            r = self.compare(a, b, *bad)
            self.assertEqual((r.returncode, r.stdout), (USAGE, ""))
            self.assertIn("bench-report", r.stderr)

    def test_dropped_samples(self):
        """null is a sample that was dropped; what is no positive number is none either."""
        a = launches(100, 1)
        b = [None if i % 9 == 4 else x for i, x in enumerate(launches(100, 2))]
        r = self.compare([row(a, launches=7)], [row(b, launches=7)])
        self.assertIn("no difference proven", r.stdout)
        odd = json.dumps(row(["X"] + [1, -1, 0, True, "y", [2]] + launches(100, 3)[7:], launches=7)).replace('"X"', "1e999")
        r = self.compare('{"format": "rijn-bench", "version": 1, "rows": [%s]}' % odd, [row(a, launches=7)])
        self.assertEqual((r.returncode, r.stderr), (OK, ""))
        self.assertIn("no difference proven", r.stdout)

    def test_rows_are_matched_by_what_they_are(self):
        a = [row([1, 2, 3]), row([1, 2, 3], size=128), row([5, 6, 7], subject="other")]
        b = [row([1, 2, 3], size=128), row([1, 2, 3], key=256), row([5, 6, 7], subject="other")]
        r = self.compare(a, b)
        self.assertEqual(r.returncode, OK)
        self.assertIn("2 rows: 0 faster, 0 slower, 2 without", r.stdout)
        self.assertIn("1 rows only in A, 1 only in B", r.stdout)

    def test_measured_otherwise(self):
        """A difference of what was measured is said, since it is not one of speed."""
        plain = {"threads": 1, "misalign": 0, "in_place": False, "cold_key": False, "serialize": False, "clock": "chain"}
        a = {"rows": [row([1, 2, 3])], "options": plain}
        for name, value, words in [("threads", 2, "1 | 2"), ("misalign", 1, "0 | 1"), ("in_place", True, "False | True"),
                                   ("clock", "fixed", "chain | fixed")]:
            r = self.compare(a, {"rows": a["rows"], "options": {**plain, name: value}})
            self.assertEqual(r.returncode, OK)
            self.assertEqual([line for line in r.stdout.splitlines() if "note" in line], [f"note: {name} differs: {words}"])
        fixed = {"rows": a["rows"], "options": {**plain, "clock": "fixed"}, "machine": {"core_hz_median": 2.6e9}}
        r = self.compare(fixed, {**fixed, "machine": {"core_hz_median": 3e9}})
        self.assertIn("note: the told clock differs: 2.6e+09 | 3e+09 Hz\n", r.stdout)
        self.assertNotIn("note", self.compare(fixed, {**fixed, "machine": {"core_hz_median": 2.6000001e9}}).stdout)
        self.assertNotIn("note", self.compare(a, {"rows": a["rows"], "options": {"clock": "chain"}}).stdout)

    def test_wrong_rows(self):
        """An output that was wrong is not compared, and fails where it was right before."""
        good, bad = row([1, 2, 3]), row([1, 2, 3], error="failed while timed")
        for a, b, status, words in [([good], [bad], FAIL, "WRONG in B: failed while timed"),
                                    ([good, row([1, 2, 3], size=1)], [bad, row([1, 2, 3], size=1)], FAIL, "wrong where A was right"),
                                    ([bad, row([1, 2, 3], size=1)], [good, row([1, 2, 3], size=1)], OK, "WRONG in A: failed"),
                                    ([bad], [bad], USAGE, "WRONG in both"), ([bad], [good], USAGE, "WRONG in A")]:
            r = self.compare(a, b)
            self.assertEqual(r.returncode, status)
            self.assertIn(words, r.stdout)

    def test_terminal_is_safe(self):
        esc = "\u001b[31m\u009b2J\u007f\r\n\u00e9"
        a = {"rows": [row([1, 2, 3], title=esc, subject=esc)], "machine": {"cpu": esc}}
        r = self.compare(a, {**a, "machine": {"cpu": "x"}})
        self.assertEqual((r.returncode, r.stderr), (OK, ""))
        self.assertEqual(r.stdout.count("?[31m?2J"), 3, r.stdout)
        self.assertNotRegex(r.stdout, "[\x00-\x09\x0b-\x1f\x7f-\x9f]")

    def test_not_a_report(self):
        good = [row([1, 2])]
        for text in ["", "{", "[]", "null", '{"format": "rijn-bench", "version": 3, "rows": []}', '{"rows": []}', "[" * 100000,
                     '{"format": "rijn-bench", "version": 2, "rows": {}}', "\x00", '{"format": 1}',
                     '{"format": "rijn-bench", "version": 2, "rows": [{}]}', '{"format": "rijn-bench", "version": 2, "rows": [1]}']:
            with self.subTest(text=text[:40]):
                r = self.compare(text, good)
                self.assertEqual((r.returncode, r.stdout), (USAGE, ""), r.stderr)
                self.assertRegex(r.stderr, r"\Abench-report: .*a\.json.*\n\Z")
        self.assertIn("no row in common", self.compare(good, [row([1, 2], key=256)]).stderr)
        self.assertIn("in common was measured in both", self.compare([row([])], [row([])]).stderr)

    def test_files(self):
        with tempfile.TemporaryDirectory() as d:
            for names, word in (((os.path.join(d, "none"), d), "none: No such file"), ((d, d), ": Is a directory")):
                r = in_process("compare", *names)  # 3: a file that the system refuses
                self.assertEqual((r.returncode, r.stdout), (SYSTEM, ""))
                self.assertIn(word, r.stderr)
        self.assertEqual(in_process("compare", "a").returncode, USAGE)
        self.assertIn("bench/report versus OLD NEW", report_tool("--help").stdout)

    def test_own_reports(self):
        """What --json writes, compare reads; and versus starts both programs in turn."""
        small = ["gcm", "--impl", "portable", "--peers", "none", "--sizes", "16", "--key", "128", "--rounds", "4", "--sample-us",
                 "2", "--cpu", "none"]
        with tempfile.TemporaryDirectory() as d:
            name = os.path.join(d, "a.json")
            self.assertEqual(bench(*small, "--launches", "3", "--json", name).returncode, OK)
            r = report_tool("compare", name, name)
            self.assertEqual((r.returncode, r.stderr), (OK, ""))
            self.assertIn("2 rows: 0 faster, 0 slower, 2 without", r.stdout)
            program = os.environ["RIJN_PROGRAM"]
            r = report_tool("versus", program, program, "--launches", "3", "--keep", os.path.join(d, "kept"), "--min-effect", "1000",
                            "--", *small)
            self.assertEqual((r.returncode, r.stderr), (OK, ""))
            self.assertIn("2 rows: ", r.stdout)
            self.assertEqual(len(os.listdir(os.path.join(d, "kept"))), 6)
            r = report_tool("versus", program, program, "--launches", "3", "--", "--nonsense")
            self.assertEqual(r.returncode, FAIL)
            self.assertIn("exit status 2", r.stderr)


if __name__ == "__main__":
    unittest.main()
