# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""poison.c under valgrind: all its checks pass; and one fails for each fault it can plant. And ops.c leaves no call out.

usage: poison.py PROGRAM                            under the machine's own valgrind
       poison.py PROGRAM BUILD CPU IMPLS            of another architecture, under emulation (valgrind.py); IMPLS must run"""
import os
import re
import sys

import valgrind

# What sees no secret; and inits, which hand all to the init that names an implementation.
LEFT_OUT = r"rijn_(version|strerror|impl_\w+|cpu_features|selftest(_mode)?|gcm_key_impl|rfc4106_gcm_key|(gcm|ccm)_(tag_len|init_taglen)|\w+_(wipe|size)|([a-z0-9]+|gcm_siv)_init)"
HERE = os.path.dirname(os.path.abspath(__file__))


def words(path):
    with open(os.path.join(HERE, path), encoding="utf-8") as f:
        return set(re.findall(r"\brijn_[a-z0-9_]+\b", f.read()))


unseen = sorted(w for w in words("../../src/rijn.map") - words("ops.c") if not re.fullmatch(LEFT_OUT, w))
if unseen:
    sys.exit(f"FAIL: ops.c does not call {' '.join(unseen)}")

program = sys.argv[1]
if len(sys.argv) > 2:
    command, env = valgrind.foreign(sys.argv[2], sys.argv[3])
    env["RIJN_REQUIRE_IMPLS"] = sys.argv[4]
else:
    # valgrind says what the processor has: what it cannot emulate is hidden, and is not required here.
    command, env = ["valgrind"], {**os.environ, "RIJN_REQUIRE_IMPLS": ""}
command += ["-q", "--error-limit=no", program]

done = valgrind.run(command, env)
print(done.stdout, end="")
if done.returncode != 0 or " 0 failures" not in done.stdout:
    sys.exit(f"FAIL: exit status {done.returncode}\n{valgrind.said(done)}")
FAULTS = {
    "--planted": "complaints, 0 allowed",
    "--planted-table": "complaints, 0 allowed",
    "--planted-compare": "complaints, 1 allowed",
    "--planted-known": "not made of secrets",
}
if len(sys.argv) == 2:  # elsewhere CTR has no table
    FAULTS["--planted-counter"] = "complaints, 0 allowed"
for fault, failure in FAULTS.items():
    done = valgrind.run([*command, fault], env)
    if done.returncode != 1 or failure not in done.stderr:
        sys.exit(f"FAIL: {fault} was not found: exit status {done.returncode}\n{valgrind.said(done)}")
print(f"found: {' '.join(FAULTS)}")
