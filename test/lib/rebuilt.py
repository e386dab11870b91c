# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""For tests that compile the library in another way, from a copy of its sources with a few lines changed."""
import os
import shutil
import subprocess
import sys


def sources(build):
    """Each source of the library for x86-64, with the flags it alone is compiled with."""
    with open(os.path.join(build, "sources.txt"), encoding="utf-8") as f:
        rows = [line.split() for line in f]
    files = {"src/" + r[1]: [] for r in rows if r[0] in ("core", "hook")}
    files.update({"src/" + r[2]: r[3:] for r in rows if r[:2] == ["isa", "x86_64"]})
    return files


def copy(source, root, *parts):
    for part in parts:
        shutil.copytree(os.path.join(source, part), os.path.join(root, part))


def change(root, file, old, new):
    path = os.path.join(root, file)
    with open(path, encoding="utf-8") as f:
        text = f.read()
    if text.count(old) != 1:
        sys.exit(f"FAIL: {text.count(old)} times in {file}, expected once; bring the test up to date:\n{old}")
    with open(path, "w", encoding="utf-8") as f:
        f.write(text.replace(old, new))


def run(command, **more):
    return subprocess.run(command, capture_output=True, text=True, errors="replace", **more)


def must(command):
    done = run(command)
    if done.returncode != 0:
        sys.exit(f"FAIL: {' '.join(command)}\n{done.stderr[:3000]}")
