# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""debian/ fits what the project is, without a build: version, names of packages, symbols of the libraries, and a package for
each file that is installed. What the packages do when they are installed is deb.chroot (slow).

usage: plain.py ROOT BUILD"""
import fnmatch
import os
import re
import subprocess
import sys
import tempfile

ROOT, BUILD = sys.argv[1:]
MAPS = {"librijn": ("include/rijn.h", "RIJN_API"), "librijn-file": ("file/include/rijn-file.h", "RIJN_FILE_API"),
        "librijn-volume": ("volume/rijn-volume.h", "RIJN_VOLUME_API")}


def fail(text):
    sys.exit("FAIL: " + text)


def read(name):
    with open(os.path.join(ROOT, name), encoding="utf-8") as f:
        return f.read()


def rows(name):
    return [line.split() for line in read(name).splitlines() if line.strip() and not line.startswith("#")]


version = re.search(r'RIJN_VERSION_STRING "([^"]+)"', read("include/rijn.h")).group(1)
soversion = ".".join(version.split(".")[:2]) if version.startswith("0.") else version.split(".")[0]
packaged = re.match(r"rijn \(([^)]*)-\d+\) ", read("debian/changelog")).group(1)
if packaged != version:
    fail(f"debian/changelog is of version {packaged}, rijn.h of {version}")
packages = set(re.findall(r"^Package: (\S+)$", read("debian/control"), re.M))
for library, (header, mark) in MAPS.items():
    package = library + soversion
    if package not in packages:
        fail(f"debian/control has no {package}")
    text = re.sub(r"/\*.*?\*/", " ", read(header), flags=re.S)
    want = set(re.findall(mark + r"\b[^;(]*?\b(rijn_\w+)\s*\(", text))
    have = {row[0].split("@")[0] for row in rows(f"debian/{package}.symbols") if row[0].startswith("rijn_")}
    if want != have or len(want) < 10:
        fail(f"debian/{package}.symbols: only there {sorted(have - want)}, only in {header} {sorted(want - have)}")

if f'\nversion = "{version}"\n' not in read("bindings/python/pyproject.toml"):
    fail(f"pyproject.toml, from which python3-rijn is made, is not of version {version}")

# Each installed file belongs to one package, or is named in not-installed; each row names something. What debian/rules makes
# besides (the module for Linux, the Python module) is there in a build of the packages only: dh_install looks.
BESIDES = ("usr/src/", "usr/lib/python3/")
with tempfile.TemporaryDirectory() as stage:
    subprocess.run(["cmake", "--install", BUILD, "--prefix", "/usr"], env={**os.environ, "DESTDIR": stage}, check=True,
                   stdout=subprocess.DEVNULL)
    files = {os.path.relpath(os.path.join(at, name), stage) for at, _, names in os.walk(stage) for name in names}
patterns = []
for package in packages:
    name = f"debian/{package}.install"
    if os.path.exists(os.path.join(ROOT, name)):
        patterns += [(name, row[0]) for row in rows(name) if not row[0].startswith(BESIDES)]
patterns += [("debian/not-installed", row[0]) for row in rows("debian/not-installed")]
taken = {}
for name, pattern in patterns:
    here = pattern.replace("usr/lib/*/", "usr/lib/")  # the build's own folder of libraries
    found = {f for f in files if fnmatch.fnmatch(f, here) or f.startswith(here + "/")}
    if not found and not os.path.exists(os.path.join(ROOT, here)):  # of the source, as it is
        fail(f"{name}: nothing is installed as {pattern}")
    for f in found:
        if f in taken:
            fail(f"{f}: of {taken[f]} and of {name}")
        taken[f] = name
if files - set(taken):
    fail(f"of no package: {sorted(files - set(taken))}")

tests = re.findall(r"^Tests: (.*)$", read("debian/tests/control"), re.M)
tests = {name for line in tests for name in line.split()}
there = set(os.listdir(os.path.join(ROOT, "debian/tests"))) - {"control"}
if tests != there or not all(os.access(os.path.join(ROOT, "debian/tests", t), os.X_OK) for t in tests):
    fail(f"debian/tests: {sorted(there)}, its control: {sorted(tests)}, or one cannot be run")
for needed in re.findall(r"^Depends: (.*)$", read("debian/tests/control"), re.M):
    own = {n for n in needed.split(", ") if "rijn" in n}
    if own - packages:
        fail(f"debian/tests/control wants {sorted(own - packages)}")
print(f"{len(packages)} packages, {len(files)} files, {len(tests)} tests")
