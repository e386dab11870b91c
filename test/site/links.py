# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""links.py ROOT: tools/site makes the site without a warning, from any folder. Each link within it leads to a file and an
anchor that are there; nothing is loaded from elsewhere; each page can be reached from the first one; each document of the
repository is a page; each call of the public headers has an anchor; the index of the search has words of the text. The
places where the site was made are not named in it. Faults of each kind are planted."""
import html.parser
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.parse

ROOT = os.path.abspath(sys.argv[1])
LOADED = {"link": "href", "script": "src", "img": "src", "source": "src", "iframe": "src"}
HEADERS = {"rijn": "include/rijn.h", "rijn-file": "file/include/rijn-file.h", "rijn-volume": "volume/rijn-volume.h"}


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.ids, self.links, self.loaded = set(), [], []
        with open(path, encoding="utf-8") as f:
            self.text = f.read()
        self.feed(self.text)

    def handle_starttag(self, tag, attrs):
        named = dict(attrs)
        self.ids |= {named[k] for k in ("id", "name") if named.get(k)}
        if tag == "a" and named.get("href") is not None:
            self.links.append(named["href"])
        if tag in LOADED and named.get(LOADED[tag]):
            self.loaded.append(named[LOADED[tag]])


def outside(target):
    return re.match(r"[a-z]+:|//", target) is not None


def read_pages(folder):
    pages = {}
    for at, _, names in os.walk(folder):
        for name in names:
            if name.endswith(".html"):
                path = os.path.join(at, name)
                pages[os.path.relpath(path, folder)] = Page(path)
    return pages


def faults(folder, documents, calls):
    pages, wrong, reached = read_pages(folder), [], {}
    for name, page in pages.items():
        reached[name] = set()
        for target in page.links + page.loaded:
            if outside(target):
                if target in page.loaded and not target.startswith("data:"):
                    wrong.append(f"{name} loads {target}")
                continue
            path, _, anchor = target.partition("#")
            path = urllib.parse.unquote(path.partition("?")[0])
            path = os.path.normpath(os.path.join(os.path.dirname(name), path)) if path else name
            if not os.path.isfile(os.path.join(folder, path)):
                wrong.append(f"{name}: no {target}")
            elif path in pages:
                reached[name].add(path)
                if anchor and urllib.parse.unquote(anchor) not in pages[path].ids:
                    wrong.append(f"{name}: no anchor {target}")
        if ROOT in page.text:
            wrong.append(f"{name}: names {ROOT}")
    seen, todo = set(), ["index.html"]
    while todo:
        name = todo.pop()
        if name not in seen:
            seen.add(name)
            todo += reached.get(name, set())
    wrong += [f"{name} cannot be reached" for name in sorted(set(pages) - seen - {"search.html"})]
    wrong += [f"{d} has no page" for d in documents if d not in pages]
    wrong += [f"{page} has no {call}" for page, names in calls.items() for call in names if "c." + call not in pages[page].ids]
    for at, _, names in os.walk(folder):
        for css in (os.path.join(at, n) for n in names if n.endswith(".css")):
            with open(css, encoding="utf-8") as f:
                wrong += [f"{css} loads {u}" for u in re.findall(r"url\(['\"]?((?:https?:)?//[^)'\"]+)", f.read())]
    with open(os.path.join(folder, "searchindex.js"), encoding="utf-8") as f:
        index = json.loads(re.fullmatch(r"Search\.setIndex\((.*)\)\s*", f.read(), re.S).group(1))
    wrong += [f"a search does not find {word}" for word in ("argon2id", "xae", "dkms", "rustl") if word not in index["terms"]]
    return wrong, len(pages), sum(len(p.links) for p in pages.values())


def expected():
    """Pages for the documents that are there, and names of calls a page of the reference."""
    found = subprocess.run(["git", "-c", "safe.directory=*", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True)
    names = found.stdout.split()
    if found.returncode != 0:  # a source archive
        names = [os.path.relpath(os.path.join(at, n), ROOT) for at, _, ns in os.walk(ROOT) for n in ns if n.endswith(".md")]
        names = [n for n in names if not re.search(r"(^|/)(build|target|node_modules)/", n)]
    calls = {}
    for page, header in HEADERS.items():
        with open(os.path.join(ROOT, header), encoding="utf-8") as f:
            text = re.sub(r"/\*.*?\*/|^#.*?$", " ", f.read(), flags=re.S | re.M)
        calls[f"reference/{page}.html"] = re.findall(r"_API\b[^;(]*?\b(rijn_\w+)\s*\(", text)
    if len(names) < 40 or min(map(len, calls.values())) < 20:
        sys.exit(f"links: only {len(names)} documents, {[len(c) for c in calls.values()]} calls")
    # No page of the project: that of the site itself.
    names = [n for n in names if n != "site/README.md"]
    return [{"README.md": "index.html"}.get(n, n[:-3] + ".html") for n in names], calls


def plant(folder, name, old, new, found):
    path = os.path.join(folder, name)
    with open(path, encoding="utf-8") as f:
        text = f.read()
    if old not in text:
        sys.exit(f"links: {name} has no {old}")
    with open(path, "w", encoding="utf-8") as f:
        f.write(text.replace(old, new, 1))
    if not any(found in fault for fault in faults(folder, *expected())[0]):
        sys.exit(f"links: {new!r} was planted in {name}, and nobody said {found!r}")
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


with tempfile.TemporaryDirectory(prefix="rijn-site-") as tmp:
    done = subprocess.run([sys.executable, "-B", os.path.join(ROOT, "tools/site"), tmp], cwd=tmp, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"tools/site: {done.stdout}{done.stderr}")
    html_folder = os.path.join(tmp, "html")
    complaints, count, links = faults(html_folder, *expected())
    if complaints:
        sys.exit("\n".join(complaints))

    plant(html_folder, "which-mode.html", 'href="reference/rijn.html"', 'href="reference/rijm.html"', "no reference/rijm.html")
    plant(html_folder, "index.html", 'href="#speed"', 'href="#sped"', "no anchor #sped")
    plant(html_folder, "index.html", "<head>", '<head><script src="https://example.org/a.js"></script>', "loads https")
    plant(html_folder, "reference/rijn.html", 'id="c.rijn_gmac"', 'id="c.rijn_gmax"', "has no rijn_gmac")
    shutil.copy(os.path.join(html_folder, "index.html"), os.path.join(html_folder, "alone.html"))
    if not any("alone.html cannot be reached" in fault for fault in faults(html_folder, *expected())[0]):
        sys.exit("links: a page that no other leads to was planted, and nobody noticed")
    # A document that has no place in the contents, and a link to a file that is not there.
    copy = os.path.join(tmp, "copy")
    shutil.copytree(ROOT, copy, symlinks=True, ignore=shutil.ignore_patterns("build", "target", "node_modules", ".git"))
    for extra, content, said in (("doc/zzz.md", "# More\n", "zzz"), ("doc/why.md", "# Why\n[gone](gone.md)\n", "gone.md")):
        with open(os.path.join(copy, extra), "w", encoding="utf-8") as f:
            f.write(content)
        done = subprocess.run([sys.executable, "-B", os.path.join(copy, "tools/site"), os.path.join(tmp, "out")],
                              capture_output=True, text=True)
        if done.returncode == 0 or said not in done.stderr:
            sys.exit(f"links: {content!r} was planted: {done.stderr}")
        os.remove(os.path.join(copy, extra))
    print(f"{count} pages, {links} links")
