# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""poison.c under valgrind: no complaint; and a complaint of each fault it can plant."""
import os
import re
import subprocess
import sys

program = sys.argv[1]
# valgrind says what the processor has: what it cannot emulate is hidden, and is not required here.
env = {**os.environ, "RIJN_REQUIRE_IMPLS": ""}


def valgrind(*args):
    command = ["valgrind", "-q", "--error-exitcode=9", "--exit-on-first-error=no", program, *args]
    return subprocess.run(command, env=env, capture_output=True, text=True)


done = valgrind()
print(done.stdout, end="")
if done.returncode != 0:
    sys.exit(f"FAIL: exit status {done.returncode}\n{done.stderr[:6000]}")
# What it must be able to run on any x86-64 that valgrind knows.
if "portable" not in done.stdout + done.stderr and not re.search(r"\d+ checks", done.stdout):
    sys.exit(f"FAIL: it printed {done.stdout!r} {done.stderr!r}")
COMPLAINTS = {"--planted": "jump or move depends on uninitialised", "--planted-table": "Use of uninitialised"}
for fault, complaint in COMPLAINTS.items():
    done = valgrind(fault)
    if done.returncode != 9 or complaint not in done.stderr:
        sys.exit(f"FAIL: {fault} was not found: exit status {done.returncode}\n{done.stderr}")
done = valgrind("--planted-known")
if done.returncode == 0 or "not made of secrets" not in done.stderr:
    sys.exit(f"FAIL: --planted-known was not found: exit status {done.returncode}\n{done.stderr}")
print("the planted faults were found")
