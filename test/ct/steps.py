# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""No branch and no address depends on a secret, in arm-ce-sha3, whose instructions valgrind does not know: steps.c runs under
an emulator that writes down each instruction's address and all general registers. For other secrets the addresses must be
the same; and the registers, hence all addresses of data, where the secrets are in vector registers.

usage: steps.py PROGRAM IMPL"""
import hashlib
import os
import shutil
import subprocess
import sys

program, impl = sys.argv[1:3]
SECRETS = 3
QEMU = shutil.which("qemu-aarch64-static") or shutil.which("qemu-aarch64")
if not QEMU:
    sys.exit("FAIL: qemu for aarch64 is missing: tools/setup test brings it")


def symbols():
    done = subprocess.run(["aarch64-linux-gnu-nm", program], capture_output=True, text=True, check=True)
    return {f[2]: f[0].encode() for f in (line.split() for line in done.stdout.splitlines()) if len(f) == 3}


AT = symbols()
BEGIN, END = AT["steps_begin"], AT["steps_end"]


def cases(what, secret, registers):
    """Of each case: what the program said of it, how many instructions it had, and the hash of what must not differ."""
    read, write = os.pipe()
    command = [QEMU, "-cpu", "max", "-seed", "1", "-singlestep", "-d", "cpu,nochain", "-D", f"/dev/fd/{write}"]
    # The environment lies on the stack: none, so that it is always the same.
    child = subprocess.Popen([*command, program, what, impl, str(secret)], stdout=subprocess.PIPE, pass_fds=[write], env={})
    os.close(write)
    found, steps, digest, rest = [], None, None, b""
    with os.fdopen(read, "rb") as log:
        while True:
            chunk = log.read(1 << 20)
            *records, rest = (rest + chunk).split(b" PC=")
            for record in records:
                at = record[:16]
                if at == BEGIN:
                    steps, digest = 0, hashlib.blake2b()
                elif at == END and steps is not None:
                    found.append((steps, digest.hexdigest()))
                    steps = None
                elif steps is not None:
                    steps += 1
                    digest.update(record if registers else at)
            if not chunk:
                break
    lines = child.communicate()[0].decode().splitlines()
    if child.returncode != 0 or len(lines) != len(found) or not lines:
        sys.exit(f"FAIL: {what}: exit status {child.returncode}, {len(lines)} cases, {len(found)} traces")
    return [(line, *trace) for line, trace in zip(lines, found)]


def differences(what, registers):
    first, total, wrong = None, 0, []
    for secret in range(1, SECRETS + 1):
        now = cases(what, secret, registers)
        first = first or now
        total += sum(steps for _, steps, _ in now)
        wrong += [f"{what}: {a[0]}, {a[1]} steps, and {b[0]}, {b[1]} steps" for a, b in zip(first, now) if a != b]
        if min(steps for _, steps, _ in now) < 20:
            sys.exit(f"FAIL: {what}: a trace of no length")
    print(f"{impl}, {what}: {len(first)} cases, {total} steps, {len(wrong)} differences", flush=True)
    return wrong


wrong = differences("all", registers=False) + differences("vectors", registers=True)
if wrong:
    sys.exit("FAIL: other steps for other secrets:\n" + "\n".join(wrong[:20]))
if not differences("branch", registers=False) or not differences("table", registers=True):
    sys.exit("FAIL: a planted fault was not found")
if differences("table", registers=False):
    sys.exit("FAIL: the planted table has branches")
