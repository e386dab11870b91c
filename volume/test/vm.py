# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""Linux is the judge: Debian's kernel, in a virtual machine, opens our LUKS2 by dm-crypt, reads it and writes it, and we read what
it has written; and it makes volumes that we read and write. The machine's disks are files here.

usage: vm.py SOURCE    RIJN_PROGRAM: the command"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../kernel/test"))
import kernels  # noqa: E402

HERE, MIB = os.path.dirname(os.path.abspath(__file__)), 1 << 20
PROGRAM = os.environ["RIJN_PROGRAM"]
MODULES = ["virtio_pci", "virtio_blk", "dm-crypt", "algif_skcipher", "xts", "cbc", "ecb", "essiv", "sha256_generic", "cryptomgr"]
OURS = {"vda": ("--sector-size", "4096", "--memory", "32", "--rounds", "4"),
        "vdb": ("--sector-size", "512", "--key-bits", "128", "--kdf", "pbkdf2", "--rounds", "1000")}  # fmt: skip
THEIRS = {"vdc": "LUKS version 2", "vdd": "LUKS version 2", "vde": "LUKS version 1", "vdf": "aes-cbc-essiv:sha256"}
TEXT = b"".join(i.to_bytes(8, "little") * 64 for i in range(MIB // 512))
OTHER = bytes(byte ^ 0xFF for byte in TEXT)


def rijn(*words, data=None, status=0):
    done = subprocess.run([PROGRAM, "volume", *map(str, words)], input=data, capture_output=True, timeout=900)
    if done.returncode != status:
        sys.exit(f"vm: rijn volume {words}: status {done.returncode}: {done.stderr.decode()}")
    return done.stdout


def guest(folder, source, disks):
    """Boots with these disks; what it printed."""
    kernel = kernels.Kernel(source, "6.1")
    drives = [word for disk in disks for word in ("-drive", f"file={folder}/{disk},format=raw,if=virtio")]
    kernel.emulated.command = [*kernel.emulated.command, *drives, "-smp", "2"]
    files = kernels.program(shutil.which("cryptsetup", path="/usr/sbin:/sbin:/usr/bin"))
    # WHY: libpthread loads it when a thread of Argon2 ends.
    files.update(kernels.program(kernels.kit.run(["gcc", "-print-file-name=libgcc_s.so.1"]).strip()))
    files.update({"text": TEXT, "other": OTHER, "pass": b"correct horse"})
    return kernels.boot(kernel, MODULES, files, script=os.path.join(HERE, "guest"), timeout=900)


def check(folder):
    """What is wrong outside with what was written inside."""
    wrong, line = [], ("--passphrase-file", os.path.join(folder, "line"))
    for disk in OURS:
        if rijn("read", f"{folder}/{disk}", *line, "--length", 2 * MIB) != TEXT + OTHER:
            wrong.append(f"{disk}: not what Linux has written")
    for disk, fact in THEIRS.items():
        name = f"{folder}/{disk}"
        if rijn("read", name, *line, "--length", MIB) != TEXT:
            wrong.append(f"{disk}: not what Linux has written into a volume of its own")
        if fact not in rijn("info", name).decode():
            wrong.append(f"{disk}: rijn volume info does not say {fact}")
    return wrong


def main():
    with tempfile.TemporaryDirectory(prefix="rijn-vm-") as folder:
        line = os.path.join(folder, "line")
        with open(line, "w", encoding="ascii", opener=lambda path, flags: os.open(path, flags, 0o600)) as f:
            f.write("correct horse\n")
        for disk, options in OURS.items():
            rijn("create", f"{folder}/{disk}", "--format", "luks2", "--size", 20 * MIB, "--passphrase-file", line, *options)
            rijn("write", f"{folder}/{disk}", "--passphrase-file", line, data=TEXT)
        for disk in THEIRS:
            with open(f"{folder}/{disk}", "wb") as f:
                f.truncate(20 * MIB)
        said = guest(folder, sys.argv[1], [*OURS, *THEIRS])
        passed = set(re.findall(r"^RIJN user (\S+) passed", said, re.M))
        wanted = {f"{disk}-{what}" for disk in OURS for what in ("read", "written")} | {f"{disk}-made" for disk in THEIRS}
        wrong = sorted(f"{what} did not pass" for what in wanted - passed) or check(folder)
        if wrong or "RIJN end" not in said:
            print(said[-8000:])
            sys.exit("vm: " + "\nvm: ".join(wrong or ["the guest did not come to its end"]))
        print(f"vm: {len(passed)} steps in the guest, and all that it wrote is read here")


if __name__ == "__main__":
    main()
