# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""The page and the CSV file that bench/report makes: well formed, nothing loaded from anywhere, every figure there,
and a file that is there stays until the new one is whole."""
import html.parser
import importlib
import json
import os
import re
import sys
import tempfile
import unittest
import xml.etree.ElementTree

from common import OK, QUICK, SYSTEM, TOOL, USAGE, bench, in_process

ROOT = os.path.dirname(os.path.dirname(TOOL))


class Reader(html.parser.HTMLParser):
    """Tags that do not match, and what would be loaded."""
    VOID = {"meta", "br"}

    def __init__(self):
        super().__init__()
        self.open, self.bad, self.loaded, self.cells, self.heads = [], [], [], [], []

    def handle_starttag(self, tag, attrs):
        if tag not in self.VOID:
            self.open.append(tag)
        self.loaded += [v for k, v in attrs if k in ("src", "href", "xlink:href") and not v.startswith("#")]
        if tag == "script":
            self.bad.append("a script")

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.bad.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.loaded += [v for k, v in attrs if k in ("src", "href", "xlink:href") and not v.startswith("#")]

    def handle_data(self, data):
        if self.open and self.open[-1] == "td":
            self.cells.append(data)
        if self.open and self.open[-1] == "h2":
            self.heads.append(data)


class Page(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.report = os.path.join(self.folder.name, "a.json")
        r = bench("gcm", "keys", "xts", "--sizes", "16,512,4096,mix", "--key", "256", *QUICK, "--json", self.report)
        self.assertEqual(r.returncode, OK)

    def page(self, source):
        path = os.path.join(self.folder.name, "p.html")
        r = in_process("page", source, "-o", path)
        self.assertEqual((r.returncode, r.stdout, r.stderr), (OK, "", ""))
        with open(path, encoding="utf-8") as f:
            return f.read()

    def test_page(self):
        text = self.page(self.report)
        reader = Reader()
        reader.feed(text)
        self.assertEqual((reader.open, reader.bad, reader.loaded), ([], [], []))
        self.assertNotRegex(text, r"(?i)@import|url\((?!#)")
        with open(self.report, encoding="utf-8") as f:
            rows = json.load(f)["rows"]
        self.assertEqual(reader.heads, list(dict.fromkeys(r["title"] for r in rows)))
        for r in rows:
            self.assertIn(r["subject"], reader.cells)
            shown = f"{r['low']:,.0f}" if r["low"] >= 1000 else f"{r['low']:.3g}"
            self.assertIn(shown, reader.cells)
        pictures = re.findall(r"(?s)<svg .*?</svg>", text)
        self.assertEqual(len(pictures), 4)  # GCM and XTS, both ways; keys have no curve
        for p in pictures:
            names = "".join(xml.etree.ElementTree.fromstring(p).itertext())
            self.assertIn("Rijn, ", names)
            self.assertIn("libcrypto", names)
            self.assertIn("GB/s", names)
        self.assertEqual(text, self.page(self.report))  # the same bytes each time

    def test_charts_are_of_the_baseline(self):
        """What a chart calls Rijn is what people get, not what happened to be fastest at one length; keys have no GB/s."""
        with open(self.report, encoding="utf-8") as f:
            data = json.load(f)
        data["baseline"] = "portable"
        with open(self.report, "w", encoding="utf-8") as f:
            json.dump(data, f)
        text = self.page(self.report)
        self.assertEqual(set(re.findall(r"Rijn, [a-z0-9-]+", text)), {"Rijn, portable"})
        self.assertEqual(set(re.findall(r"<tr class=best><td>(.*?)</td>", text)), {"portable"})
        self.assertRegex(text, r"(?s)key set-up</h2>\s*<div class=wide><table><thead><tr><th></th>\s*<th>cycles</th>\s*</tr>")

    def test_colours_and_labels(self):
        """A library has its colour in each chart, whatever its place, and lengths that are far apart have their label."""
        in_process("--help")  # loads the tool
        charts = sys.modules["bench_report.charts"]

        def drawn(*names):
            _, axes = charts.pyplot.subplots()
            charts.lines(axes, {name: [(16, 1), (64, 2)] for name in names}, "GB/s")
            return {line.get_label(): line.get_color() for line in axes.get_lines()}
        one, other = drawn("Rijn, a", "ipsec-mb", "libcrypto", "new"), drawn("Rijn, b", "nettle", "libcrypto", "ipsec-mb", "newer")
        self.assertEqual([one[n] for n in ("ipsec-mb", "libcrypto")], [other[n] for n in ("ipsec-mb", "libcrypto")])
        self.assertEqual(one["Rijn, a"], other["Rijn, b"])
        self.assertEqual([len(set(d.values())) for d in (one, other)], [4, 5])
        self.assertEqual(charts.labelled([16, 64, 200, 300, 426, 512, 1420, 4096, 16384, 17000]),
                         [16, 64, 200, 300, 512, 1420, 4096, 17000])

    def test_pages_of_batches_and_runs(self):
        """What is one call for many has its chart too."""
        r = bench("batch", "xts-run", "--key", "256", "--dir", "enc", "--impl", "portable", "--peers", "none", *QUICK, "--json",
                  self.report)
        self.assertEqual(r.returncode, OK)
        text = self.page(self.report)
        parts = dict(re.findall(r"(?s)<h2 [^>]*>([^<]*)</h2>\s*(<svg|<div)", text))
        self.assertGreater(len(parts), 3)
        self.assertEqual(set(parts.values()), {"<svg"})

    def test_page_of_the_repository(self):
        """doc/speed.md and its pictures are what bench/report doc makes of doc/speed/*.csv."""
        in_process("--help")  # loads the tool
        doc = importlib.import_module("bench_report.doc")
        folder = os.path.join(ROOT, "doc")
        with open(os.path.join(folder, "speed.md"), encoding="utf-8") as f:
            text = f.read()
        for name, told, pictures in doc.generated(folder):
            self.assertEqual(doc.replace(text, name, told, "speed.md"), text)
            self.assertEqual(list(pictures), ["", "-many"])
            for suffix, picture in pictures.items():
                with open(os.path.join(folder, "speed", f"{name}{suffix}.svg"), encoding="utf-8") as f:
                    kept = f.read()
                words = ["".join(xml.etree.ElementTree.fromstring(p).itertext()).split() for p in (picture, kept)]
                self.assertEqual(*words, f"{name}{suffix}.svg")
                self.assertIn("libgcrypt", words[0])

    def test_of_csv(self):
        """A CSV file holds all that a page shows, and becomes itself again."""
        path = os.path.join(self.folder.name, "a.csv")
        self.assertEqual(in_process("csv", self.report, "-o", path).returncode, OK)
        with open(path, encoding="utf-8") as f:
            text = f.read()
        self.assertEqual(in_process("csv", path).stdout, text)
        reader, other = Reader(), Reader()
        reader.feed(self.page(path))
        other.feed(self.page(self.report))
        self.assertEqual((reader.cells, reader.heads), (other.cells, other.heads))
        r = in_process("compare", path, self.report)
        self.assertEqual(r.returncode, USAGE)
        self.assertIn("has no samples", r.stderr)

    def test_names_do_no_harm(self):
        with open(self.report, encoding="utf-8") as f:
            data = json.load(f)
        data["machine"]["cpu"] = data["rows"][0]["subject"] = data["rows"][0]["title"] = "</td><script>alert(1)</script>\x1b"
        data["rows"][1]["error"] = '"><b>'
        with open(self.report, "w", encoding="utf-8") as f:
            json.dump(data, f)
        reader = Reader()
        reader.feed(self.page(self.report))
        self.assertEqual((reader.open, reader.bad), ([], []))

    def test_whole_or_not(self):
        path = os.path.join(self.folder.name, "kept.csv")
        with open(path, "w", encoding="utf-8") as f:
            f.write("kept")
        bad = os.path.join(self.folder.name, "bad.csv")
        with open(bad, "w", encoding="utf-8") as f:
            f.write("what,is\nthis,file\n")
        self.assertEqual(in_process("csv", bad, "-o", path).returncode, USAGE)
        self.assertEqual(in_process("csv", path + "x", "-o", path).returncode, SYSTEM)
        self.assertEqual(in_process("csv", self.report, "-o", os.path.join(self.folder.name, "none", "x")).returncode, SYSTEM)
        with open(path, encoding="utf-8") as f:
            self.assertEqual(f.read(), "kept")
        self.assertEqual(sorted(os.listdir(self.folder.name)), ["a.json", "bad.csv", "kept.csv"])


if __name__ == "__main__":
    unittest.main()
