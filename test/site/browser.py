# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""browser.py ROOT: the site as a reader sees it, in headless Chromium, opened as files, 500 and 1280 pixels wide. No page is
wider than its window, no image is missing, no script fails and nothing is asked of the network; a search finds a page.
Faults of each kind are planted."""

import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.abspath(sys.argv[1])
WIDTHS = (500, 1280)
DEADLINE = 120  # seconds for one answer: a machine may be busy
OPTIONS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-sync",
    "--disable-extensions",
    "--disable-background-networking",
    "--disable-component-update",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--remote-debugging-pipe",
]
# What a page has to say of itself. An element that is too wide is all right in one that scrolls.
LOOK = """(async () => {
  await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
  const room = document.documentElement.clientWidth, wrong = [], article = document.querySelector("article") || document.body;
  for (let e = article; e; e = e.parentElement) // one that shows what sticks out of it is no matter: where it ends up is
    if (e.scrollWidth > e.clientWidth && getComputedStyle(e).overflowX !== "visible")
      wrong.push(`the page is ${e.scrollWidth} wide in a ${e.tagName} of ${e.clientWidth}`);
  const scrolls = e => e !== article && e !== document.body && (/auto|scroll|hidden/.test(getComputedStyle(e).overflowX) || scrolls(e.parentElement));
  for (const e of article.querySelectorAll("*"))
    if (e.getBoundingClientRect().right > room + 1 && e.getClientRects().length && !scrolls(e.parentElement))
      wrong.push(`${e.tagName} reaches to ${e.getBoundingClientRect().right}: ${e.textContent.slice(0, 60)}`);
  for (const image of document.images)
    if (!image.complete || image.naturalWidth === 0) wrong.push(`no image ${image.getAttribute("src")}`);
  return JSON.stringify({wrong: wrong.slice(0, 5), title: document.title, images: document.images.length, width: innerWidth});
})()"""
FOUND = """(async () => {
  const over = () => (document.querySelector("#search-results .search-summary") || {}).textContent || "";
  for (let i = 0; i < 600 && !over().startsWith("Search finished"); i++) await new Promise(done => setTimeout(done, 100));
  return [...document.querySelectorAll("#search-results li a")].map(a => a.getAttribute("href")).join(" ");
})()"""


class Browser:
    """Chromium by its DevTools protocol, over two pipes: nothing listens."""

    def __init__(self, folder):
        program = shutil.which("chromium")
        if program is None:
            sys.exit("browser: chromium is missing (tools/setup test installs it; test/site/packages.txt)")
        theirs_in, self.to = os.pipe()
        self.of, theirs_out = os.pipe()

        def descriptors():
            # WHY by way of high numbers: either end may be 3 or 4 itself.
            os.dup2(theirs_in, 203)
            os.dup2(theirs_out, 204)
            os.dup2(203, 3)
            os.dup2(204, 4)

        self.log = open(os.path.join(folder, "log"), "w+", encoding="utf-8", errors="replace")
        self.process = subprocess.Popen(
            [program, *OPTIONS, "--user-data-dir=" + os.path.join(folder, "profile")],
            preexec_fn=descriptors,
            close_fds=False,
            stdin=subprocess.DEVNULL,
            stdout=self.log,
            stderr=self.log,
            env={**os.environ, "HOME": folder},
        )
        os.close(theirs_in)
        os.close(theirs_out)
        self.buffer, self.count, self.events, self.session = b"", 0, [], None
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(domain + ".enable")

    def close(self):
        try:
            self.session = None
            self.ask("Browser.close")
            self.process.wait(timeout=DEADLINE)
        finally:
            if self.process.poll() is None:
                self.process.kill()
                self.process.wait()

    def message(self):
        """The next one."""
        until = time.monotonic() + DEADLINE
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.of], [], [], max(0, until - time.monotonic()))
            more = os.read(self.of, 1 << 20) if ready else b""
            if not more:
                self.log.seek(0)
                sys.exit("browser: chromium does not answer: " + self.log.read()[-2000:])
            self.buffer += more
        one, _, self.buffer = self.buffer.partition(b"\0")
        return json.loads(one)

    def ask(self, method, **words):
        self.count += 1
        request = {"id": self.count, "method": method, "params": words}
        if self.session:
            request["sessionId"] = self.session
        os.write(self.to, json.dumps(request).encode() + b"\0")
        while True:
            got = self.message()
            if got.get("id") == self.count:
                if "error" in got:
                    sys.exit(f"browser: {method}: {got['error']}")
                return got["result"]
            self.events.append(got)

    def value(self, expression):
        result = self.ask("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            sys.exit(f"browser: {result['exceptionDetails']}")
        return result["result"]["value"]

    def open(self, url):
        # WHY first a blank page: what the page before still had to say is not of this one.
        for where in ("about:blank", url):
            self.events = []
            error = self.ask("Page.navigate", url=where).get("errorText")
            if error:
                sys.exit(f"browser: {where}: {error}")
            while not any(e.get("method") == "Page.loadEventFired" for e in self.events):
                self.events.append(self.message())

    def complaints(self):
        wrong = []
        for event in self.events:
            method, words = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                details = words["exceptionDetails"]
                wrong.append("a script fails: " + details.get("exception", {}).get("description", details["text"]))
            elif method == "Runtime.consoleAPICalled" and words["type"] in ("error", "assert"):
                wrong.append(f"the console says: {[a.get('value', a.get('description')) for a in words['args']]}")
            elif method == "Log.entryAdded" and words["entry"]["level"] == "error":
                wrong.append(f"the browser says: {words['entry']['text']} {words['entry'].get('url', '')}")
            elif method == "Network.requestWillBeSent":
                url = words["request"]["url"]
                if not url.startswith(("file:", "data:", "about:", "blob:")):
                    wrong.append(f"{url} is asked for")
            elif method == "Network.loadingFailed" and not words.get("canceled"):
                wrong.append(f"a {words['type']} is not loaded: {words['errorText']}")
        return wrong


def look(browser, folder, name, width):
    """What is wrong with a page; and how many images it has."""
    browser.ask("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
    browser.open("file://" + os.path.join(folder, name))
    said = json.loads(browser.value(LOOK))
    wrong = said["wrong"] + browser.complaints()
    if not said["title"] or said["width"] != width:
        wrong.append(f"its title is {said['title']!r}, its window {said['width']} wide")
    return [f"{name}, {width} pixels: {w}" for w in wrong], said["images"]


def search(browser, folder, word, page):
    browser.open(f"file://{folder}/search.html?q={word}")
    found = browser.value(FOUND)
    return (
        [] if page in found and not browser.complaints() else [f"a search for {word}: {found!r} {browser.complaints()}"]
    )


def plant(browser, folder, old, new, said, width):
    path = os.path.join(folder, "which-mode.html")
    with open(path, encoding="utf-8") as f:
        text = f.read()
    if text.count(old) != 1:
        sys.exit(f"browser: {path} has {text.count(old)} times {old}")
    with open(path, "w", encoding="utf-8") as f:
        f.write(text.replace(old, new + old))
    wrong = look(browser, folder, "which-mode.html", width)[0]
    if not any(said in w for w in wrong):
        sys.exit(f"browser: {new!r} was planted, and nobody said {said!r}: {wrong}")
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def check(browser, folder):
    pages = [
        os.path.relpath(os.path.join(at, n), folder) for at, _, ns in os.walk(folder) for n in ns if n.endswith(".html")
    ]
    wrong, images = [], 0
    for width in WIDTHS:
        for name in sorted(pages):
            more, n = look(browser, folder, name, width)
            wrong, images = wrong + more, images + n
        wrong += search(browser, folder, "argon2id", "file-format")
    if wrong:
        sys.exit("\n".join(wrong))
    if len(pages) < 40 or images < 6:
        sys.exit(f"browser: only {len(pages)} pages, {images} images")
    for width in WIDTHS:
        plant(browser, folder, "</article>", f'<p style="width: {width + 200}px">wide</p>', "the page is", width)
        plant(browser, folder, "</article>", '<img src="nothing.png">', "no image nothing.png", width)
    plant(browser, folder, "</body>", "<script>console.error('planted')</script>", "the console says", 500)
    plant(browser, folder, "</body>", "<script>nobody.knows()</script>", "a script fails", 500)
    plant(browser, folder, "</head>", '<link rel="stylesheet" href="nothing.css">', "is not loaded", 500)
    plant(
        browser,
        folder,
        "</body>",
        '<script src="https://example.org/a.js"></script>',
        "example.org/a.js is asked for",
        500,
    )
    index = os.path.join(folder, "searchindex.js")
    os.rename(index, index + ".away")
    if not any("searchindex.js" in c for c in search(browser, folder, "argon2id", "file-format")):
        sys.exit("browser: the index of the search was taken away, and nobody noticed")
    print(f"{len(pages)} pages, {images // len(WIDTHS)} images, each at {WIDTHS}; eight faults were found")


with tempfile.TemporaryDirectory(prefix="rijn-site-") as tmp:
    done = subprocess.run(
        [sys.executable, "-B", os.path.join(ROOT, "tools/site"), tmp], cwd=tmp, capture_output=True, text=True
    )
    if done.returncode != 0:
        sys.exit(f"tools/site: {done.stdout}{done.stderr}")
    os.mkdir(os.path.join(tmp, "browser"))
    one = Browser(os.path.join(tmp, "browser"))
    try:
        check(one, os.path.join(tmp, "html"))
    finally:
        one.close()
