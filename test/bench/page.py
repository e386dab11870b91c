# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""The page of rijn bench --html in headless chromium: no message on the console, every line drawn, each can be hidden
and shown again, every choice works in both colour schemes, nothing is loaded from anywhere."""
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest

from common import OK, QUICK, bench

# Runs behind the page's own script. What it finds goes into the title, which --dump-dom shows.
PROBE = r"""
<script>
(function () {
  const errors = [];
  window.addEventListener("error", (e) => errors.push(String(e.message)));
  const wrong = (what) => errors.push(what);
  const app = window.rijnBench;
  /* Pixels of a chart's canvas that are not background: a line that goes away takes some along. */
  const inked = (c) => {
    const canvas = c.root.querySelector("canvas"), g = canvas.getContext("2d");
    const d = g.getImageData(0, 0, canvas.width, canvas.height).data;
    let sum = 0;
    for (let i = 0; i < d.length; i += 4)
      sum += d[i + 3] ? (d[i] * 3 + d[i + 1] * 5 + d[i + 2] * 7) & 0xffff : 0;
    return sum;
  };
  const tick = () => new Promise((done) => setTimeout(done, 30));
  /* Until two looks agree: drawing is not done at once. */
  const settled = async (c) => {
    let last = null;
    for (let i = 0; i < 20; i++) {
      await tick();
      const now = inked(c);
      if (now === last)
        break;
      last = now;
    }
    return last;
  };
  const result = { series: 0, toggles: 0, views: 0, charts: 0 };
  async function look(scheme) {
    const wanted = new Set(app.data.rows.filter((r) => r.title === document.getElementById("title").textContent && !r.error)
      .map((r) => r.subject));
    if (document.getElementById("charts").hidden)
      return;
    if (app.charts.length !== 2)
      wrong("charts: " + app.charts.length);
    for (const c of app.charts) {
      result.charts++;
      const labels = c.series.slice(1).map((s) => s.label);
      for (const s of wanted)
        if (!labels.includes(s))
          wrong("not shown: " + s);
      if (!c.data.slice(1).every((column) => column.some((v) => v > 0)))
        wrong("a line without a value");
      const legend = [...c.root.querySelectorAll(".u-legend .u-series")].slice(1);
      if (legend.length !== labels.length)
        wrong("legend: " + legend.length);
      if (new Set(legend.map((row) => getComputedStyle(row.querySelector(".u-marker")).borderColor)).size !== labels.length)
        wrong("two lines of one colour");
      const ticks = c.axes[1]._splits.filter((v) => v >= c.scales.y.min && v <= c.scales.y.max);
      if (ticks.length < 4 || ticks.length > 14)
        wrong("marks on the axis: " + ticks);
      /* By the keyboard as by the pointer. */
      for (const key of ["Enter", " "]) {
        const name = legend[0].querySelector("th"), was = c.series[1].show;
        name.dispatchEvent(new KeyboardEvent("keydown", { key: key, bubbles: true }));
        if (name.tabIndex !== 0 || c.series[1].show === was || name.getAttribute("aria-pressed") !== String(!was))
          wrong("no key hides " + labels[0]);
      }
      for (let i = 0; i < labels.length; i++) {
        result.series++;
        const mark = legend[i].querySelector("th"), before = await settled(c), top = c.scales.y.max;
        mark.click();
        const without = await settled(c);
        if (c.series[i + 1].show || !legend[i].classList.contains("u-off"))
          wrong(labels[i] + " stays");
        if (without === before)
          wrong(labels[i] + " leaves no gap");
        if (app.charts.some((o) => o.series.some((s) => s.label === labels[i] && s.show)))
          wrong(labels[i] + " stays in the other chart");
        mark.click();
        const again = await settled(c);
        if (!c.series[i + 1].show || again === without || c.scales.y.max !== top)
          wrong(labels[i] + " does not come back");
        result.toggles++;
      }
      /* Hover: the legend shows the values at the cursor. */
      c.setCursor({ left: c.over.clientWidth - 1, top: 10 });
      await tick();
      if (![...c.root.querySelectorAll(".u-legend .u-value")].slice(1).every((e) => /\d/.test(e.textContent)))
        wrong("no value under the cursor");
    }
  }
  async function all() {
    const grounds = new Set();
    for (let scheme = 0; scheme < 2; scheme++) {
      grounds.add(getComputedStyle(document.body).backgroundColor);
      for (const box of ["modes", "keys", "directions", "units"])
        for (let i = 0; i < document.querySelectorAll("#" + box + " input").length; i++) {
          document.querySelectorAll("#" + box + " input")[i].click();
          await tick();
          result.views++;
          const rows = document.querySelectorAll("#table tbody tr").length, title = document.getElementById("title").textContent;
          if (rows !== app.data.rows.filter((r) => r.title === title).length)
            wrong("table of " + rows + " rows for " + title);
          if (scheme === 0 || box === "modes")
            await look(scheme);
        }
      document.getElementById("scheme").click();
      await tick();
    }
    document.documentElement.dataset.scheme = "dark";
    window.dispatchEvent(new Event("beforeprint"));
    if (document.documentElement.dataset.scheme !== "light")
      wrong("dark on paper");
    window.dispatchEvent(new Event("afterprint"));
    if (document.documentElement.dataset.scheme !== "dark")
      wrong("light after printing");
    if (grounds.size !== 2)
      wrong("one colour scheme only");
    if (document.querySelectorAll("#facts dd").length < 10)
      wrong("facts are missing");
  }
  all().catch((e) => wrong(String(e))).then(() => {
    const pre = document.createElement("pre");
    pre.id = "probe";
    pre.textContent = JSON.stringify(Object.assign(result, { errors: errors }));
    document.body.append(pre);
  });
})();
</script>
</body>"""


class Page(unittest.TestCase):
    def chromium(self, page, *args):
        program = shutil.which("chromium") or shutil.which("chromium-browser")
        self.assertIsNotNone(program, "this test needs chromium: apt-get install chromium")
        with tempfile.TemporaryDirectory() as profile:
            return subprocess.run([program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                                   "--user-data-dir=" + profile, "--window-size=1300,1200", "--enable-logging=stderr",
                                   "--virtual-time-budget=120000", *args, "file://" + page], stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=200, encoding="utf-8")

    def test_page(self):
        with tempfile.TemporaryDirectory() as d:
            page = os.path.join(d, "bench.html")
            r = bench("gcm", "keys", "xts", "--sizes", "16,512,mix,4096", "--key", "128,256", *QUICK, "--html", page)
            left = "rijn bench: xts: left out of --sizes, for it has no such length: mix\n"
            self.assertEqual((r.returncode, r.stderr), (OK, left))
            with open(page, encoding="utf-8") as f:
                text = f.read()
            self.assertNotIn("@{", text)
            outside = re.sub(r"(?s)<script.*?</script>|<!--.*?-->", "", text)
            self.assertNotRegex(outside, r"(?i)(src|href)\s*=|url\(|@import")
            self.assertIn("MIT License", text)
            probed = os.path.join(d, "probed.html")
            with open(probed, "w", encoding="utf-8") as f:
                f.write(text.replace("</body>", PROBE))
            for name in [page, probed]:
                r = self.chromium(name, "--dump-dom")
                self.assertEqual(r.returncode, 0, r.stderr)
                # The probe reads pixels back often, which chromium thinks could be faster; the page itself does not.
                said = [line for line in r.stderr.splitlines() if "CONSOLE" in line and
                        not (name == probed and "Canvas2D: Multiple readback" in line)]
                self.assertEqual(said, [])
            found = re.search(r'<pre id="probe">(.*?)</pre>', r.stdout, re.S)
            self.assertIsNotNone(found, "the probe did not come to its end")
            result = json.loads(found.group(1).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))
            self.assertEqual(result["errors"], [])
            self.assertGreater(result["toggles"], 20)
            self.assertEqual(result["toggles"], result["series"])


if __name__ == "__main__":
    unittest.main()
