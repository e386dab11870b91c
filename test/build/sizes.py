# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""tools/sizes reports each instruction set, each route of the sets that run here, and each folder's lines, and the numbers
are what they say: a route is a part of the set's code, longer messages go through other code, and a set that is not there
is not reported."""
import os
import platform
import re

from common import arguments, fail, run

args = arguments()
printed = run([os.path.join(args.root, "tools/sizes"), "--files", "--cc", args.cc, args.build])

with open(os.path.join(args.build, "sources.txt"), encoding="utf-8") as f:
    arch = {"AMD64": "x86_64"}.get(platform.machine(), platform.machine())
    names = {m.replace("_", "-") for m in re.findall(rf"^isa {arch} isa/(\w+)\.c", f.read(), re.M)}
sets = {name: tuple(map(int, row)) for name, *row in re.findall(r"^([\w-]+) +(\d+) +(\d+) +(\d+)$", printed, re.M)}
if set(sets) != names or not names:
    fail(f"sets reported: {sorted(sets)}; built: {sorted(names)}\n{printed}")
for name, (code, message, batches) in sets.items():
    if not 0 < message < code or message + batches > code:
        fail(f"{name}: {code} bytes of code, of which {message} for a message and {batches} for batches")

lengths = re.search(r"^bytes of a route +text +(.*)$", printed, re.M).group(1).split()
routes = re.findall(r"^([\w-]+) +(encrypt|decrypt) +(.*)$", printed, re.M)
if {name for name, *_ in routes} - names or ("portable", "encrypt") not in {route[:2] for route in routes}:
    fail(f"routes reported: {routes}")
for name, direction, row in routes:
    route = dict(zip(lengths, map(int, row.split())))
    code, message, _ = sets[name]
    # Beside the kernels a call goes through the rules, and a line of the cache may have code of others.
    if len(row.split()) != len(lengths) or not all(256 <= n < message + 1024 for n in route.values()):
        fail(f"{name}, {direction}: {route}, and the kernels have {message} bytes")
    if name != "portable" and not route["16"] < route["4096"]:
        fail(f"{name}, {direction}: 16 bytes of text go through as much code as 4096: {route}")

for file in ("src/gcm.c", "include/rijn.h"):
    (code, comments) = map(int, re.search(rf"^ *{re.escape(file)} +(\d+) +(\d+)$", printed, re.M).groups())
    with open(os.path.join(args.root, file), encoding="utf-8") as f:
        lines = sum(1 for line in f if line.strip())
    if code + comments != lines or 0 in (code, comments):
        fail(f"{file}: {code} lines of code and {comments} of comments, of {lines}")
print(f"{len(sets)} sets, {len(routes)} routes")
