# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""The shared library exports exactly what rijn.h declares, and wants of libc only what it may. In the static library
every global name begins with rijn_, and is hidden."""
import os
import re

from common import api, arguments, fail, run, symbols

# CPU detection, the one file that reads the environment, and the four of the core.
LIBC = {"memcpy", "memmove", "memset", "memcmp", "strcmp", "secure_getenv", "getauxval"}
# Weak, of the compiler's start files.
START = {"__cxa_finalize", "_ITM_deregisterTMCloneTable", "_ITM_registerTMCloneTable", "__gmon_start__"}

args = arguments()
want = api(args.root)

with open(os.path.join(args.root, "src/rijn.map"), encoding="utf-8") as f:
    mapped = {line.strip().rstrip(";") for line in f if line.strip().startswith("rijn_")}
if mapped != want:
    fail(f"src/rijn.map: only there {sorted(mapped - want)}, only in rijn.h {sorted(want - mapped)}")

shared = os.path.join(args.build, "src/librijn.so")
exported = set()
for line in run(["nm", "-D", "--defined-only", shared]).splitlines():
    name, _, version = line.split()[-1].partition("@@")
    if name == "RIJN_0":
        continue
    if version != "RIJN_0":
        fail(f"{name} is exported without the version RIJN_0")
    exported.add(name)
if exported != want:
    fail(f"librijn.so: only there {sorted(exported - want)}, only in rijn.h {sorted(want - exported)}")

wanted = {line.split()[-1].partition("@")[0] for line in run(["nm", "-D", "--undefined-only", shared]).splitlines()}
if wanted - LIBC - START:
    fail(f"librijn.so wants of libc: {sorted(wanted - LIBC - START)}")

static = os.path.join(args.build, "src/librijn.a")
foreign = {n for n in symbols("nm", [static], True) if not n.startswith("rijn_")}
if foreign:
    fail(f"librijn.a: global names without the prefix: {sorted(foreign)}")
visible = re.findall(r"GLOBAL +DEFAULT +(?!UND)\S+ (\S+)", run(["readelf", "-sW", static]))
if visible:
    fail(f"librijn.a: what it is linked into would export {sorted(visible)}")
missing = want - symbols("nm", [static], True)
if missing:
    fail(f"librijn.a lacks {sorted(missing)}")
print(f"{len(want)} calls; wants {', '.join(sorted(wanted - START))}")
