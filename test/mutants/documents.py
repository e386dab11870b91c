# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""Every test that doc/faults.md and doc/trust.md name exists; the number of planted faults is the one they state, and
each method has one. The line that a fault changes is in the sources once: mutants.all asks for that too, but is slow."""
import glob
import os
import re
import subprocess
import sys

from faults import FAULTS, METHODS, method

source, build = sys.argv[1:3]
listed = subprocess.run(["ctest", "--test-dir", build, "-N"], capture_output=True, text=True, check=True).stdout
known = set(re.findall(r"Test +#\d+: (\S+)", listed))
areas = {name.split(".")[0] for name in known}


def exists(name):
    if name in known:
        return True
    # Not in this build, perhaps, as the provider's are not everywhere: then its folder must know it.
    area = name.split(".")[0]
    for place in glob.glob(f"{source}/**/{area}/CMakeLists.txt", recursive=True) + glob.glob(f"{source}/**/{area}/test/CMakeLists.txt", recursive=True):
        with open(place, encoding="utf-8") as f:
            if re.search(rf"\b{re.escape(name)}\b", f.read()):
                return True
    return False


count = 0
wrong = []
for page in ("doc/faults.md", "doc/trust.md"):
    with open(os.path.join(source, page), encoding="utf-8") as f:
        text = f.read()
    for name in re.findall(r"`([a-z]+\.[a-z][a-z0-9_-]*)`", text):
        if name.split(".")[0] in areas:
            count += 1
            if not exists(name):
                wrong.append(f"{page}: there is no test {name}")
    for number in re.findall(r"^(\d+) faults are put", text, re.M):
        if int(number) != len(FAULTS):
            wrong.append(f"{page}: {number} planted faults are stated, and there are {len(FAULTS)}")
by_method = {name: [f.name for f in FAULTS if method(f) == name] for name in METHODS}
for name, names in by_method.items():
    print(f"{name}: {len(names)} planted faults")
    if not names:
        wrong.append(f"no fault is planted for the method: {name}")
for fault in FAULTS:
    with open(os.path.join(source, fault.file), encoding="utf-8") as f:
        there = f.read().count(fault.old)
    if there != 1:
        wrong.append(f"{fault.file}: what the fault \"{fault.name}\" changes is there {there} times")
if wrong or count < 60:
    sys.exit("FAIL: " + "\n".join(wrong or [f"only {count} names were found"]))
if exists("gcm.no_such_test"):
    sys.exit("FAIL: it finds any name")
print(f"{count} names of tests, all there")
