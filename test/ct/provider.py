# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""provider.c under valgrind: all its checks pass; and one fails for each fault it can plant.

usage: provider.py PROGRAM"""
import os
import sys

import valgrind

FAULTS = {
    "--planted-compare": "complaints, 1 allowed",
    "--planted-place": "complaints, 0 allowed",
    "--planted-length": "secret lengths, 1 allowed",
    "--planted-counter": "complaints, none allowed",
    "--planted-known": "not made of secrets",
    "--planted-known-counter": "counter: byte 0 of the result is known",
}
# valgrind says what the processor has: what it cannot emulate is hidden, and is not required here.
env = {**os.environ, "RIJN_REQUIRE_IMPLS": ""}
command = ["valgrind", "-q", "--error-limit=no", sys.argv[1]]

done = valgrind.run(command, env)
print(done.stdout, end="")
if done.returncode != 0 or " 0 failures" not in done.stdout:
    sys.exit(f"FAIL: exit status {done.returncode}\n{valgrind.said(done)}")
for fault, failure in FAULTS.items():
    done = valgrind.run([*command, fault], env)
    if done.returncode != 1 or failure not in done.stderr:
        sys.exit(f"FAIL: {fault} was not found: exit status {done.returncode}\n{valgrind.said(done)}")
print(f"found: {' '.join(FAULTS)}")
