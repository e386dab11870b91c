# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""The number of planted faults is the one that doc/trust.md states, and each method has
one. The line that a fault changes is in the sources once: mutants.all asks for that too, but is slow."""
import os
import re
import sys

from faults import FAULTS, METHODS, method

source = sys.argv[1]
wrong, stated = [], 0
with open(os.path.join(source, "doc/trust.md"), encoding="utf-8") as f:
    for number in re.findall(r"^(\d+) faults are put", f.read(), re.M):
        stated += 1
        if int(number) != len(FAULTS):
            wrong.append(f"doc/trust.md: {number} planted faults are stated, and there are {len(FAULTS)}")
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
if wrong or stated != 1:
    sys.exit("FAIL: " + "\n".join(wrong or ["doc/trust.md does not say how many faults are planted"]))
