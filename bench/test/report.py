# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""The JSON and CSV reports: form, and that the figures in them agree with each other."""
import csv
import json
import os
import tempfile
import unittest

from common import OK, QUICK, bench, report_tool

NUMBER, OPTIONAL = (int, float), (int, float, type(None))
SHAPE = {
    "format": str, "version": int, "peers": str, "absent": str, "baseline": str, "noisy": bool, "noise": str, "rows": list,
    "machine": {"cpu": str, "architecture": str, "system": str, "kernel": str, "features": str, "processors": int,
                "tick_hz": NUMBER, "core_hz_low": NUMBER, "core_hz_median": NUMBER, "core_hz_high": NUMBER},
    "build": {"version": str, "compiler": str, "flags": str, "commit": str},
    "options": {"command": str, "rounds": int, "launches": int, "threads": int, "misalign": int, "sample_us": NUMBER,
                "in_place": bool, "cold_key": bool, "keys_in_turn": int, "serialize": bool, "clock": str},
    "rulers": {"aes": list, "multiply": list, "load": list, "xor_16k_aligned": list, "xor_16k_misaligned": list,
               "aes_latency": NUMBER, "aes_block_round": NUMBER},
}
ROW = {"what": str, "title": str, "key": int, "direction": str, "mix": bool, "size": int, "count": int, "aad": int,
       "subject": str, "kind": str, "error": (str, type(None)), "bytes": NUMBER, "per_sample": int, "launches": int, "dropped": int,
       "low": OPTIONAL, "median": OPTIONAL, "high": OPTIONAL, "ns_low": OPTIONAL, "limit_cycles": OPTIONAL,
       "ratio": OPTIONAL, "cycles": list, "ns": list}


def quantile(values, q):
    s = sorted(v for v in values if v is not None)
    at = q * (len(s) - 1)
    i = int(at)
    return s[i] + (at - i) * (s[min(i + 1, len(s) - 1)] - s[i])


class Report(unittest.TestCase):
    def shape(self, value, shape, where):
        self.assertEqual(set(value), set(shape), where)
        for name, kind in shape.items():
            if isinstance(kind, dict):
                self.shape(value[name], kind, name)
            else:
                self.assertIsInstance(value[name], kind, f"{where}.{name}")

    def report(self, *args, rounds=5):
        with tempfile.TemporaryDirectory() as d:
            j = os.path.join(d, "a.json")
            r = bench(*args, *QUICK, "--rounds", rounds, "--json", j)
            self.assertEqual((r.returncode, r.stderr), (OK, ""))
            r = report_tool("csv", j)
            self.assertEqual((r.returncode, r.stderr), (OK, ""))
            with open(j, encoding="utf-8") as f:
                data = json.load(f)
            return data, list(csv.DictReader(line for line in r.stdout.splitlines() if not line.startswith("# ")))

    def test_form_and_figures(self):
        data, table = self.report("gcm", "--sizes", "16,100,mix", "--key", "128,256", "--baseline", "portable")
        self.shape(data, SHAPE, "report")
        self.assertEqual((data["format"], data["version"], data["baseline"]), ("rijn-bench", 2, "portable"))
        self.assertIn("gcm --sizes 16,100,mix", data["options"]["command"])
        self.assertEqual(len(table), len(data["rows"]))
        subjects = {r["subject"] for r in data["rows"]}
        self.assertIn("portable", subjects)
        keys = {s: 1 if s == "libsodium" else 2 for s in subjects}  # it has keys of 256 bits alone
        self.assertEqual(len(data["rows"]), sum(keys.values()) * 3 * 2)
        base = {}
        for r in data["rows"]:
            self.shape(r, ROW, "row")
            self.assertIsNone(r["error"])
            self.assertEqual((len(r["cycles"]), len(r["ns"]), r["launches"]), (5, 5, 1))
            self.assertTrue(all(x is None or x > 0 for x in r["cycles"] + r["ns"]))
            self.assertEqual((r["cycles"].count(None), r["ns"].count(None)), (r["dropped"], r["dropped"]))
            self.assertLess(2 * r["dropped"], 5)
            for name, q in [("low", .1), ("median", .5), ("high", .9)]:
                self.assertAlmostEqual(r[name] / quantile(r["cycles"], q), 1, delta=1e-4)
            if r["subject"] == "portable":
                base[r["key"], r["direction"], r["size"]] = r["cycles"]
        for r in data["rows"]:
            rounds = zip(r["cycles"], base[r["key"], r["direction"], r["size"]])
            self.assertAlmostEqual(r["ratio"] / quantile([a / b for a, b in rounds if a and b], .5), 1, delta=1e-4)
        for r, t in zip(data["rows"], table):
            self.assertEqual((r["what"], r["subject"], str(r["key"]), r["direction"], "mix" if r["mix"] else str(r["size"])),
                             (t["what"], t["subject"], t["key"], t["direction"], t["size"]))
            self.assertAlmostEqual(float(t["cycles_per_byte"]) * r["bytes"] / r["low"], 1, delta=1e-4)
            self.assertAlmostEqual(float(t["mbyte_per_s"]) * r["ns_low"] / r["bytes"] / 1e3, 1, delta=1e-4)
            self.assertAlmostEqual(float(t["ratio"]) / r["ratio"], 1, delta=1e-4)
            self.assertEqual(t["error"], "")

    def test_names_that_are_no_text(self):
        """The command is in the report, and a name in it can be any bytes; the report is UTF-8 all the same."""
        odd = [b"\xff", b"\xc3", b"\xc0\xaf", b"\xe0\x80\xaf", b"\xed\xa0\x80", b"\xf0\x80\x80\xaf", b"\xf4\x90\x80\x80",
               b"\xf5", b"\x80", b'"', b"\\", b"\n", b"<"]
        kept = "\u00e9\u20ac\U0001f600\ud7ff\ue000\U0010ffff\x7f"
        with tempfile.TemporaryDirectory() as d:
            name = kept.encode() + b"|" + b"|".join(odd)
            r = bench("gcm", "--impl", "portable", "--peers", "none", "--sizes", "16", "--key", "128", "--dir", "enc",
                      *QUICK, "--json", os.path.join(d, os.fsdecode(name)))
            self.assertEqual((r.returncode, r.stderr), (OK, ""))
            with open(os.path.join(os.fsencode(d), name), encoding="utf-8") as f:
                said = json.load(f)["options"]["command"]
        got, *rest = said[said.index(kept):].split("|")
        self.assertEqual(got, kept)
        for want, s in zip(odd, rest):
            self.assertEqual(s, want.decode() if len(want) == 1 and want < b"\x80" else "\ufffd" * len(want))
        self.assertEqual(len(rest), len(odd))

    def test_long_command_is_whole(self):
        data, _ = self.report("gcm", "--impl", "portable", "--peers", "none", "--sizes", "16," * 400 + "32", "--key", "128",
                              "--dir", "enc")
        self.assertIn("16,16,32 --key 128 --dir enc", data["options"]["command"])

    def test_launches_lie_side_by_side(self):
        data, _ = self.report("gcm", "--impl", "portable", "--peers", "none", "--sizes", "16", "--key", "128", "--dir",
                              "enc", "--launches", "3", rounds=4)
        (row,) = data["rows"]
        self.assertEqual((row["launches"], len(row["cycles"]), len(row["ns"])), (3, 12, 12))

    def test_limits(self):
        """The share of the AES limit is counted in blocks: 16 KiB and the tag's block for GCM."""
        data, table = self.report("gcm", "ctr", "--impl", "portable", "--peers", "none", "--sizes", "16384", "--key",
                                  "128,192,256", "--dir", "enc", rounds=3)
        per = data["rulers"]["aes_block_round"]
        for r, t in zip(data["rows"], table):
            rounds = {128: 10, 192: 12, 256: 14}[r["key"]]
            blocks = 1024 + (r["what"] == "gcm")
            if per > 0:
                self.assertAlmostEqual(r["limit_cycles"] / (rounds * blocks * per), 1, delta=1e-4)
                self.assertAlmostEqual(float(t["limit_percent"]) * r["low"] / r["limit_cycles"], 100, delta=.1)
            else:
                self.assertIsNone(r["limit_cycles"])

    def test_lengths_of_the_mix(self):
        data, _ = self.report("gcm", "--impl", "portable", "--peers", "none", "--sizes", "mix", "--key", "128", "--dir", "enc",
                              rounds=2)
        (row,) = data["rows"]
        self.assertTrue(row["mix"])
        self.assertEqual(row["per_sample"] % 256, 0)
        self.assertTrue(64 < row["bytes"] < 1500)


if __name__ == "__main__":
    unittest.main()
