# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""The manual pages of the calls: `man 3 NAME` finds one for each function of the three public headers, and one for each
library, where cmake --install puts them. Each page names the function in its NAME line, shows its prototype and says
something. man, groff and mandoc have no complaint, and no line is wider than a terminal of 80 columns. A call that has no
page, a macro of roff that is none and a line that is too wide are planted first."""
import os
import re
import shutil

from common import Scratch, arguments, fail, need, run

HEADERS = {"include/rijn.h": "RIJN_API", "file/include/rijn-file.h": "RIJN_FILE_API", "volume/rijn-volume.h": "RIJN_VOLUME_API"}
args = arguments("command")
need("mandoc")
if args.command == "no":
    del HEADERS["file/include/rijn-file.h"], HEADERS["volume/rijn-volume.h"]


def functions(root):
    found = []
    for header, mark in HEADERS.items():
        with open(os.path.join(root, header), encoding="utf-8") as f:
            text = re.sub(r"/\*.*?\*/|^#.*?$", " ", f.read(), flags=re.S | re.M)
        names = re.findall(mark + r"\b[^;(]*?\b(rijn_\w+)\s*\(", text)
        if len(names) < 20:
            fail(f"{header}: where are the functions?")
        found += names
    return found


def faults(name, path):
    """What is wrong with a page."""
    wrong = []
    with open(path, encoding="utf-8") as f:
        source = f.read()
    if link := re.fullmatch(r"\.so (man3/(\w+)\.3)\n", source):
        path = os.path.join(os.path.dirname(os.path.dirname(path)), link.group(1))
        if not os.path.exists(path):
            return [f"{name}: leads to {link.group(1)}, which is not there"]
    else:
        done = run(["mandoc", "-Tlint", "-Wwarning", path], ok=False)
        wrong += [f"{name}: {line}" for line in done.stdout.splitlines()]
        done = run(["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", path], env={"LC_ALL": "C.UTF-8"}, ok=False)
        wrong += [f"{name}: {line}" for line in done.stderr.splitlines()]
    shown = run(["mandoc", "-Tascii", "-Owidth=78", path])
    shown = re.sub(".\b", "", shown)
    wrong += [f"{name}: wider than 80 columns: {line}" for line in shown.splitlines() if len(line) > 80]
    top = " ".join(re.search(r"^NAME\n(.*?)^SYNOPSIS", shown, re.S | re.M).group(1).split()).replace("- ", "-", 1)
    if not re.search(rf"\b{re.escape(name)}\b", top):
        wrong.append(f"{name}: its page is called {top}")
    if name.startswith("rijn_") and not re.search(rf"\b{name}\(", shown):
        wrong.append(f"{name}: no prototype")
    described = re.search(r"^DESCRIPTION\n(.*?)^(?:ERRORS|RETURN VALUE)", shown, re.S | re.M).group(1)
    if len(described.split()) < 5:
        wrong.append(f"{name}: says nothing")
    return wrong


with Scratch() as tmp:
    run(["cmake", "--install", args.build, "--prefix", "/usr"], env={"DESTDIR": tmp})
    man = os.path.join(tmp, "usr/share/man")
    names = functions(args.root) + [os.path.basename(h)[:-2] for h in HEADERS]
    wrong = []
    for name in names:
        done = run(["man", "-M", man, "-w", "3", name], ok=False)
        if done.returncode != 0:
            wrong.append(f"man 3 {name}: {done.stderr.strip()}")
        else:
            wrong += faults(name, os.path.join(man, "man3", name + ".3"))
    there = {n[:-2] for n in os.listdir(os.path.join(man, "man3"))}
    if there != set(names):
        wrong.append(f"not functions: {sorted(there - set(names))}; without a file: {sorted(set(names) - there)}")
    if wrong:
        fail("\n".join(wrong))

    # What has to be found.
    page = os.path.join(man, "man3/rijn_gcm_nonce.3")
    for old, new in ((".SH DESCRIPTION", ".QQ\n.SH DESCRIPTION"), (".nf\n", ".nf\n" + "wide " * 20 + "\n")):
        with open(page, encoding="utf-8") as f:
            text = f.read()
        with open(page, "w", encoding="utf-8") as f:
            f.write(text.replace(old, new, 1))
        if not faults("rijn_gcm_nonce", page):
            fail(f"{new!r} was planted, and nobody noticed")
        with open(page, "w", encoding="utf-8") as f:
            f.write(text)
    copy = os.path.join(tmp, "copy")
    for part in ("tools", "include", "file/include", "volume", "doc"):
        shutil.copytree(os.path.join(args.root, part), os.path.join(copy, part))
    header = os.path.join(copy, "include/rijn.h")
    with open(header, encoding="utf-8") as f:
        text = f.read()
    with open(header, "w", encoding="utf-8") as f:
        f.write(text.replace("/* GMAC: the tag", "RIJN_API int rijn_more(void);\n\n/* GMAC: the tag", 1))
    if run(["python3", "-B", os.path.join(copy, "tools/man3"), os.path.join(tmp, "new")], ok=False).returncode == 0:
        fail("a call without a page was planted, and nobody noticed")
    print(f"{len(names)} pages")
