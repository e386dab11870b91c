# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""The command line of rijn bench: every option is taken, every mistake is named, and says what there is."""
import glob
import json
import os
import re
import resource
import signal
import subprocess
import tempfile
import time
import unittest

from common import OK, PROGRAM, QUICK, SYSTEM, USAGE, bench, rows

SMALL = ["gcm", "--impl", "portable", "--peers", "none", "--sizes", "16", "--key", "128", "--dir", "enc", *QUICK]


class Options(unittest.TestCase):
    def test_help_names_all(self):
        r = bench("--help")
        self.assertEqual((r.returncode, r.stderr), (OK, ""))
        for what in ["gcm", "many-keys", "gmac", "keys", "batch", "batch-keys", "gcm-siv", "xaes", "xts", "xts-run", "ctr", "cbc", "ecb",
                     "ghash", "latency", "bench/report", "exit status"]:
            self.assertIn(what, r.stdout)
        self.assertLessEqual(max(map(len, r.stdout.splitlines())), 80)

    def test_mistakes(self):
        for args, words in [
            (["frobnicate"], ["frobnicate", "gcm", "xts-run", "latency"]),
            (["--impl", "x86-nothing"], ["--impl", "x86-nothing", "portable"]),
            (["--impl", "portable", "--peers", "nobody"], ["--peers", "nobody", "libcrypto"]),
            (["--impl", ""], ['--impl: "" is not known', "portable"]),
            (["--peers", "libcrypto,"], ['--peers: "" is not known', "libcrypto"]),
            (["--impl", "portable,,portable", "--peers", "none"], ['--impl: "" is not known']),
            (["--impl", "none", "--peers", "none"], ["nothing to measure"]),
            (["gcm", "--impl", "portable", "--peers", "none", "--baseline", "who"], ["--baseline", "who", "portable"]),
            (["--sizes", "16,abc"], ["--sizes", "mix"]),
            (["--sizes", ""], ["--sizes"]),
            (["--sizes", "-1"], ["--sizes"]),
            (["--sizes", "1.5"], ["--sizes"]),
            (["--key", "64"], ["--key", "128, 192, 256"]),
            (["--dir", "up"], ["--dir", "enc, dec"]),
            (["--aad", "x"], ["--aad"]),
            (["--rounds", "0"], ["--rounds"]),
            (["--rounds", "2.5"], ["--rounds", "whole"]),
            (["--sample-us", "nan"], ["--sample-us"]),
            (["--launches", "0"], ["--launches"]),
            (["--misalign", "64"], ["--misalign", "63"]),
            (["--threads", "0"], ["--threads"]),
            (["--cpu", "x"], ["--cpu"]),
            (["--clock", "sundial"], ["--clock", "chain", "aes512"]),
            *((["-f", f], [f'-f: "{f}"', "2.6G"]) for f in ("1", "", "x", "-1e9", "2.6g", "2600m", "2.6GHz", "G", "2T", "1e13")),
            (["--unit", "furlongs"], ["--unit", "gbs", "cpb", "mbs"]),
            (["gcm", "--unit", "ns"], ["--unit is of the quick table"]),
            (["--rows", "--unit", "ns"], ["--unit is of the quick table"]),
            (["--impl", "all,x86-nothing"], ["--impl", "x86-nothing", "portable"]),
            (["--nonsense"], ["--nonsense", "--help"]),
            (["--rounds"], ['--rounds: its value is missing']),
            (["gcm", "--foo"], ['--foo: no such option']),
            (["gcm", "xts", "--foo", "ctr"], ['--foo: no such option']),
            (["gcm", "--c"], ['--c: can be --cold-key, --cpu, --clock, --check-choice']),
            (["gcm", "--json"], ['--json: its value is missing']),
            (["gcm", "--csv", "r"], ['--csv: no such option']),
            (["gcm", "--html", "r"], ['--html: no such option']),
            (["gcm", "--full=x"], ['--full=x: takes no value']),
            (["gcm", "-x"], ['-x: no such option']),
            (["gcm", "-xf"], ['-x: no such option']),
            (["--rounds=3", "-xf", "1e9"], ['-x: no such option']),
            (["--full", "-xf", "1e9"], ['-x: no such option']),
            (["--rounds=3", "-f"], ['-f: its value is missing']),
            (["--rounds=3", "--help=x"], ['--help=x: takes no value']),
            (["gcm", "-f"], ['-f: its value is missing']),
            (["compare", "a", "b"], ["bench/report compare A.json B.json"]),
            (["--rounds", "3", "compare", "a", "b"], ["bench/report compare A.json B.json"]),
            (["--in-place", "--threads", "2", "gcm"], ["--in-place", "--dir enc"]),
            (["xts", "--key", "192"], ["nothing to measure"]),
            (["xts", "--sizes", "16777217"], ["nothing to measure"]),  # more than 2^20 blocks
        ]:
            with self.subTest(args=args):
                r = bench(*args)
                self.assertEqual((r.returncode, r.stdout), (USAGE, ""), r.stderr)
                for w in words:
                    self.assertIn(w, r.stderr)

    def test_mistakes_do_no_harm(self):
        """Names and values come from elsewhere too: nothing in them ends a line or tells a terminal what to do."""
        odd = "a\x1b[2J\nb"
        for args in ([odd], ["--" + odd], ["-\x1b"], ["--list=" + odd], ["--impl", odd], ["--peers", odd], ["--sizes", odd],
                     ["--aad", odd], ["-f", odd], ["--unit", odd], ["--clock", odd], ["--json", odd + "/"],
                     ["--impl", "portable", "--baseline", odd]):
            with self.subTest(args=args):
                r = bench(*args)
                self.assertIn(r.returncode, (USAGE, SYSTEM))
                self.assertIn("\\x1b", r.stderr)
                self.assertNotRegex(r.stderr, "[\x00-\x09\x0b-\x1f\x7f]|\nb")

    def test_forms(self):
        for more in [[], ["--in-place"], ["--misalign", "1"], ["--serialize"], ["--threads", "2"], ["--launches", "2"],
                     ["-f", "2600e6"], ["--frequency", "3e9"], ["--aad", "0"], ["--aad", "1000"], ["--wide"], ["--rows"],
                     ["--sizes", "mix"], ["--sizes", "0"], ["--dir", "dec"], ["--dir", "dec", "--in-place"],
                     ["--key", "192,256"], ["--baseline", "portable"]]:
            with self.subTest(more=more):
                r = bench(*SMALL, *more)
                self.assertEqual((r.returncode, r.stderr), (OK, ""))
                self.assertRegex(r.stdout, r"(?m)^ *(\d+|mix) portable +\d")

    def test_named_twice(self):
        """A size or a key is measured once, however often it is named, by each of many subjects too."""
        r = bench("gcm", "--sizes", "16,16,mix,16,16,mix,16,16", "--key", "128,256,128,128,256", "--dir", "enc", *QUICK,
                  "--json", "-")
        self.assertEqual((r.returncode, r.stderr), (OK, ""))
        found = [(t["key"], t["size"], t["subject"]) for t in rows(r.stdout)]
        self.assertEqual(len(found), len(set(found)))
        self.assertEqual({key for key, _, subject in found if subject != "libsodium"}, {"128", "256"})
        # libsodium has keys of 256 bits alone
        self.assertEqual(len(found), sum(2 * (1 if s == "libsodium" else 2) for s in {subject for _, _, subject in found}))

    def test_lengths_a_mode_has_not(self):
        """Of a mode that was named this is said, once, and not of all modes."""
        few = ["--impl", "portable", "--peers", "none", "--key", "128", *QUICK]
        for what, sizes, said in (("cbc", "15,16", "cbc: 15"), ("cbc", "0,16,17,mix", "cbc: 0, 17, mix"), ("ctr", "0,16,mix", ""),
                                  ("xts", "15,16", "xts: 15"), ("xts-run", "512,513", "xts-run: 513"), ("keys", "15", "")):
            for more in ([], ["--launches", "2"]):
                r = bench(what, "--sizes", sizes, *few, *more)
                want = "rijn bench: {}: left out of --sizes, as it has no such length: {}\n"
                self.assertEqual((r.returncode, r.stderr), (OK, want.format(*said.split(": ")) if said else ""))
        for args in (["all", "--sizes", "16,17"], ["--full", "--sizes", "16,17"], ["--full"], ["cbc", "xts"]):
            r = bench(*args, *few, "--rounds", "1", "--dir", "enc")
            self.assertEqual((r.returncode, r.stderr), (OK, ""))

    def test_in_place_by_threads(self):
        for what in ("gmac", "keys", "ctr", "ghash", "latency"):
            r = bench(what, "--impl", "portable", "--peers", "none", "--key", "128", "--sizes", "16", *QUICK, "--in-place",
                      "--threads", "2")
            self.assertEqual((r.returncode, r.stderr), (OK, ""))

    def test_cold_key(self):
        r = bench(*SMALL, "--cold-key")
        self.assertEqual((r.returncode, r.stderr), (OK, ""))

    def test_keys_in_turn(self):
        for n in (1, 2, 65536):
            r = bench(*SMALL, "--keys", str(n), "--json", "-")
            self.assertEqual((r.returncode, r.stderr), (OK, ""))
            self.assertEqual(json.loads(r.stdout)["options"]["keys_in_turn"], n)
        for wrong in ("0", "3", "65537", "131072", "-2", "x", ""):
            r = bench(*SMALL, "--keys", wrong)
            self.assertEqual(r.returncode, USAGE)
            self.assertIn("--keys", r.stderr)

    def test_everything_there_is(self):
        for what in ["many-keys", "gmac", "keys", "batch", "batch-keys", "gcm-siv", "xaes", "xts", "xts-run", "ctr", "cbc", "ecb", "ghash", "latency"]:
            with self.subTest(what=what):
                # sizes that all modes have; keys and latency have their own
                key = "256" if what == "xaes" else "128"
                r = bench(what, "--impl", "portable", "--peers", "none", "--sizes", "512", "--key", key, *QUICK)
                self.assertEqual((r.returncode, r.stderr), (OK, ""))
                self.assertIn("portable", r.stdout)

    def test_quick_table_fits_80_columns(self):
        r = bench(*QUICK)
        self.assertEqual((r.returncode, r.stderr), (OK, ""))
        self.assertLessEqual(max(map(len, r.stdout.splitlines())), 80, r.stdout)
        self.assertIn("AES-256-GCM", r.stdout)
        self.assertRegex(r.stdout, r"(?m)^(Quiet|NOISY)")

    def test_last_sentence_fits_80_columns(self):
        """Where the name of a set or the length is long it goes on in a second line."""
        r = bench("gcm", "--impl", "portable", "--peers", "libcrypto", "--key", "256", "--dir", "enc", "--sizes", "1000001", *QUICK)
        self.assertEqual((r.returncode, r.stderr), (OK, ""))
        self.assertRegex(r.stdout, r"\nAES-256-GCM encrypt by portable,\n1000001 bytes: [\d.]+ GB/s, [\d.e-]+ times libcrypto\.\n$")

    def test_long_sizes_have_their_column(self):
        r = bench("ctr", "--impl", "portable", "--peers", "none", "--key", "128", "--sizes", "999999,1000448,1m", *QUICK)
        self.assertRegex(r.stdout, r"(?m)^999999 portable .*\n  977k portable .*\n    1m portable ")

    def test_quick_table_is_one(self):
        """Names of any length have their column, and the star means what is said of it."""
        few = ["--impl", "portable", "--peers", "libcrypto", *QUICK]
        r, other = bench(*QUICK), bench(*few, "--baseline", "libcrypto")
        self.assertEqual((r.returncode, other.returncode), (OK, OK))
        for line in re.findall(r"(?m)^[a-z][^\s,]* +\d.*$", r.stdout):
            self.assertRegex(line, r"^\S+ *(?<=^.{20})( [ 0-9.M]{7}){6}( \*)?$")
        self.assertIn("* what Rijn runs here by default", r.stdout)
        self.assertRegex(other.stdout, r"(?m)^libcrypto .*\*$")
        self.assertIn("* the baseline", other.stdout)
        self.assertNotIn("by default", other.stdout)
        forced = bench(*few, env={"RIJN_IMPL": "portable"})
        self.assertIn("* what RIJN_IMPL names", forced.stdout)
        self.assertNotIn("by default", forced.stdout)

    def test_times_libcrypto(self):
        """The table's last line and the last sentence are the quotients of its figures."""
        few = ["--impl", "portable", "--peers", "libcrypto", "--key", "256", "--unit", "ns", *QUICK]
        r = bench(*few, "--sizes", "64,4096")
        line = {name: [float(v) for v in re.search(rf"(?m)^{name} +([\d.]+) +([\d.]+)", r.stdout).groups()]
                for name in ("portable", "libcrypto", "times libcrypto")}
        for ours, theirs, times in zip(*line.values()):
            self.assertAlmostEqual(theirs / ours, times, delta=.06)
        said = re.search(r"(?m)^AES-256-GCM encrypt by portable, 4 KiB: ([\d.]+) GB/s, ([\d.e-]+) times libcrypto\.\n\Z", r.stdout)
        self.assertAlmostEqual(float(said.group(1)) * line["portable"][1] / 4096, 1, delta=.01)
        self.assertAlmostEqual(float(said.group(2)), line["libcrypto"][1] / line["portable"][1], delta=.01)
        alone = bench(*SMALL)
        self.assertNotIn("times", alone.stdout)
        self.assertRegex(alone.stdout, r"\nAES-128-GCM encrypt by portable, 16 bytes: [\d.]+ GB/s\.\n\Z")

    def test_peers_are_those_measured(self):
        """The head of a table, and of a report, has the versions of those in its rows, and of nobody else."""
        few = ["--impl", "portable", "--key", "128", "--sizes", "512", *QUICK]
        for args in (["gcm"], ["gcm", "--peers", "libcrypto"], ["gcm", "--peers", "none"], ["xts"], ["ghash"], ["xor"],
                     ["gcm", "--peers", "libcrypto", "--launches", "2"]):
            with self.subTest(args=args):
                report, table = bench(*args, *few, "--json", "-"), bench(*args, *few)
                self.assertEqual((report.returncode, table.returncode), (OK, OK), report.stderr + table.stderr)
                data = json.loads(report.stdout)
                peers = {row["subject"].split(":")[0] for row in data["rows"] if row["kind"] == "peer"}
                said = {name.removeprefix("lib") for name in re.findall(r"(?:^|, )(\S+)", data["peers"])}
                self.assertEqual(said, {name.removeprefix("lib") for name in peers})
                lines = re.findall(r"(?m)^peers: (.*(?:\n  \S.*)*)$", table.stdout)
                self.assertEqual([" ".join(line.split()) for line in lines], [data["peers"]] if peers else [])
                if "--peers" in args:
                    self.assertEqual(data["absent"], "")
                    self.assertNotIn("not here", table.stdout)

    def test_chosen(self):
        r = bench("--list", "--impl", "chosen", env={"RIJN_IMPL": "portable"})
        self.assertRegex(r.stdout, r"\Aimplementations:\n  portable\npeers")
        self.assertEqual(len(re.findall(r"(?m)^  x86|^  portable|^  arm|^  ppc", bench("--list", "--impl", "chosen").stdout)), 1)

    def test_progress(self):
        """A line on a terminal while it works, gone at the end; nothing of it in a file."""
        master, terminal = os.openpty()
        slow = [*SMALL, "--rounds", "600", "--sample-us", "3000"]
        p = subprocess.Popen([PROGRAM, "bench", *slow], stdout=subprocess.PIPE, stderr=terminal, encoding="utf-8")
        os.close(terminal)
        shown = b""
        try:
            while part := os.read(master, 4096):
                shown += part
        except OSError:  # its last writer is gone
            pass
        out, _ = p.communicate(timeout=900)
        os.close(master)
        self.assertEqual(p.returncode, OK)
        self.assertRegex(shown, rb"\A\r\x1b\[Krijn bench: row 0 of 1, about \d+ s left")
        self.assertTrue(shown.endswith(b"\r\x1b[K"))
        self.assertNotIn("about", out)

    def test_quick_table_has_all_sizes(self):
        """Six stand side by side. A message of no bytes has neither speed nor cost."""
        few = ["--impl", "portable", "--peers", "none", "--key", "128", *QUICK]
        sizes = ["0", *(str(16 * i) for i in range(1, 11)), "mix"]
        for unit in ("gbs", "cpb", "cycles", "ns", "mbs"):
            for n in (6, 7, 11, 12):
                r = bench(*few, "--sizes", ",".join(sizes[12 - n:]), "--unit", unit)
                self.assertEqual((r.returncode, r.stderr), (OK, ""))
                blocks = re.findall(r"(?m)^message of, bytes +(.*)\nportable +(.*?)(?: \*)?$", r.stdout)
                for title in ("AES-128-GCM encrypt, 16 bytes of associated data:", "AES-128-GCM encrypt, 1024 keys in turn:"):
                    self.assertEqual(r.stdout.count(title), 1)
                self.assertEqual([h.split() for h, _ in blocks], [sizes[12 - n:][:6], sizes[12 - n:][6:]][:1 + (n > 6)] * 2)
                for head, figures in blocks:
                    self.assertEqual(len(figures.split()), len(head.split()))
                self.assertNotRegex(r.stdout, r"\bnan\b")
                if n == 12:
                    self.assertEqual(blocks[0][1].split()[0] == "-", unit in ("cpb", "mbs", "gbs"))
        r = bench(*few, "--sizes", "0", "--rows", "--wide")
        self.assertRegex(r.stdout, r"(?m)^ +0 portable .* - .* - ")
        self.assertNotRegex(r.stdout, r"\bnan\b")
        self.assertRegex(bench(*few, "--sizes", "0").stdout, r"(?m)^portable +-( \*)?$")

    def test_noise(self):
        """The last line knows what it does not know."""
        self.assertIn("\nQuiet enough? Too few samples to tell.", bench(*SMALL, "--rounds", "1").stdout)
        one = str(min(os.sched_getaffinity(0)))
        r = subprocess.run(["taskset", "-c", one, PROGRAM, "bench", *SMALL, "--threads", "2", "--launches", "2"],
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
        self.assertEqual((r.returncode, r.stderr), (OK, ""))
        self.assertIn("\nNOISY: 2 threads share 1 processor:", r.stdout)

    def test_told_clock(self):
        """-f: cycles are nanoseconds times the told frequency."""
        for told, ghz in (("1000e6", 1), ("2600M", 2.6), ("2.6G", 2.6), ("1500000k", 1.5)):
            r = bench(*SMALL, "-f", told, "--json", "-")
            self.assertEqual(r.returncode, OK, r.stderr)
            (f,) = rows(r.stdout)
            self.assertAlmostEqual(f["low"] / f["ns_low"] / ghz, 1, delta=1e-5)

    def test_all_among_others(self):
        self.assertEqual(bench("--list", "--impl", "portable,all").stdout, bench("--list").stdout)

    def test_list(self):
        r = bench("--list")
        self.assertEqual((r.returncode, r.stderr), (OK, ""))
        self.assertRegex(r.stdout, r"(?m)^  portable$")
        self.assertNotRegex(r.stdout, r"cycles")

    def test_launches_end_with_their_program(self):
        def processes():
            found = {}
            for path in glob.glob("/proc/[0-9]*/stat"):
                try:
                    with open(path, encoding="utf-8", errors="replace") as f:
                        state, parent = f.read().rpartition(")")[2].split()[:2]
                except OSError:
                    continue
                if state != "Z":
                    found[int(path.split("/")[2])] = int(parent)
            return found

        for sig in (signal.SIGTERM, signal.SIGKILL):
            args = [*SMALL, "--rounds", "100000", "--sample-us", "100000", "--launches", "2"]  # hours of work
            p = subprocess.Popen([PROGRAM, "bench", *args], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
            end = time.monotonic() + 60
            while not (launched := [k for k, parent in processes().items() if parent == p.pid]):
                self.assertLess(time.monotonic(), end)
                time.sleep(0.01)
            time.sleep(0.2)  # it is another program only after a moment
            p.send_signal(sig)
            p.wait(60)
            while (left := launched[0] in processes()) and time.monotonic() < end:
                time.sleep(0.01)
            if left:
                os.kill(launched[0], signal.SIGKILL)
            self.assertFalse(left)

    def test_cannot_write(self):
        """Said before anything is measured; and files that could be written are not touched."""
        with tempfile.TemporaryDirectory(prefix="rijn-bench-") as d:
            kept = os.path.join(d, "kept.json")
            with open(kept, "w", encoding="utf-8") as f:
                f.write("kept")
            for path in ["/nonexistent/x", d, os.path.join(kept, "x"), "x" * 300, "/dev/fd/200",
                         os.path.join(d, "new", ""), ""]:
                # hours of work, if it were begun
                r = bench(*SMALL, "--rounds", "100000", "--sample-us", "1000000", "--json", path)
                none = path == "" or path.endswith("/")
                self.assertEqual((r.returncode, r.stdout), (USAGE if none else SYSTEM, ""))
                said = f"'{path}': is not the name of a file" if none else f"{path}: [^\n]*"
                self.assertRegex(r.stderr, rf"\Arijn: {said}\n\Z")
            self.assertEqual(bench(*SMALL, "--json", kept, "--baseline", "who").returncode, USAGE)
            self.assertEqual(os.listdir(d), ["kept.json"])
            with open(kept, encoding="utf-8") as f:
                self.assertEqual(f.read(), "kept")

    def test_report_on_standard_output(self):
        """By each of its names, in a file too, where the table may not be written over it."""
        for name in ("-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"):
            with tempfile.TemporaryFile("w+", encoding="utf-8") as f:
                r = subprocess.run([PROGRAM, "bench", *SMALL, "--json", name], stdout=f, stderr=subprocess.PIPE)
                self.assertEqual((r.returncode, r.stderr), (OK, b""))
                f.seek(0)
                self.assertEqual(len(rows(f.read())), 1)

    def test_report_to_a_descriptor(self):
        """What is in the file behind it already stays there."""
        for name in ("/dev/stderr", "/dev/fd/2", "/proc/self/fd/2", "/dev/fd/{}"):
            with tempfile.TemporaryFile("w+", encoding="utf-8") as f:
                f.write("before\n")
                f.flush()
                args = [PROGRAM, "bench", *SMALL, "--json", name.format(f.fileno())]
                err = subprocess.DEVNULL if "{" in name else f
                r = subprocess.run(args, stdout=subprocess.PIPE, stderr=err, pass_fds=[f.fileno()], encoding="utf-8")
                self.assertEqual(r.returncode, OK)
                self.assertIn("AES-128-GCM encrypt", r.stdout)
                f.seek(0)
                before, report = f.read().split("\n", 1)
                self.assertEqual((before, len(rows(report))), ("before", 1))

    def test_report_whole_or_not(self):
        """One that cannot be finished leaves the one before it; a link stays one, and permissions stay."""
        with tempfile.TemporaryDirectory(prefix="rijn-bench-") as d:
            name, link = os.path.join(d, "real"), os.path.join(d, "link")
            with open(name, "w", encoding="utf-8") as f:
                f.write("before")
            os.chmod(name, 0o600)
            os.symlink("real", link)

            def run(limit):
                return subprocess.run([PROGRAM, "bench", *SMALL, "--json", link], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                      encoding="utf-8", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
            r = run(1000)
            self.assertEqual((r.returncode, r.stderr), (SYSTEM, f"rijn bench: {link}: cannot write: File too large\n"))
            with open(name, encoding="utf-8") as f:
                self.assertEqual(f.read(), "before")
            self.assertEqual(run(-1).returncode, OK)
            with open(name, encoding="utf-8") as f:
                self.assertEqual(len(rows(f.read())), 1)
            self.assertEqual((os.readlink(link), os.stat(name).st_mode & 0o777), ("real", 0o600))
            self.assertEqual(sorted(os.listdir(d)), ["link", "real"])

    def test_full_disk(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            r = subprocess.run([PROGRAM, "bench", *SMALL, "--json", "-"], stdout=full, stderr=subprocess.PIPE, encoding="utf-8")
        self.assertEqual((r.returncode, r.stderr), (SYSTEM, "rijn bench: standard output: cannot write: No space left on device\n"))
        with open("/dev/full", "w", encoding="utf-8") as full:
            r = subprocess.run([PROGRAM, "bench", "--list"], stdout=full, stderr=subprocess.PIPE, encoding="utf-8")
        self.assertEqual((r.returncode, r.stderr), (SYSTEM, "rijn: standard output: cannot write: No space left on device\n"))


if __name__ == "__main__":
    unittest.main()
