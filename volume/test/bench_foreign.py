# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""Volumes of VeraCrypt and BitLocker beside LUKS and dislocker, in one run; as root, for a loop device and FUSE.

usage: bench_foreign.py BUILD IMAGES [--rounds N]

IMAGES: a folder with the images that archive.py fetches, as build/volume-images. All lies in memory and has about 98 MiB;
all are asked for 1 MiB at a time, 8 requests at once: by NBD, or of dislocker by 8 threads that read its file."""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time

from archive import copy, fetch
from bench import MIB, Images, Server, run
from terminal import talk

# Of each volume, in MiB: the first one, and how many. Behind 60 BitLocker has no metadata, which are not written.
RANGES = {"read": (0, 96), "write": (60, 32)}
PASSWORD = "anaconda"


class Dislocker(Server):
    """A file by FUSE, with the same figures."""

    def __init__(self, folder, image):  # pylint: disable=super-init-not-called
        self.name, self.samples, self.mount = "dislocker", {}, os.path.join(folder, "mount")
        os.mkdir(self.mount)
        self.process = subprocess.Popen(["dislocker-fuse", "-V", image, "-u" + PASSWORD, "--", self.mount, "-f"])
        self.file = os.path.join(self.mount, "dislocker-file")
        for _ in range(600):
            if os.path.exists(self.file):
                return
            time.sleep(0.05)
        sys.exit("bench: dislocker shows no file")

    def target(self):
        return ["--ioengine=psync", f"--filename={self.file}", "--numjobs=8", "--thread", "--group_reporting", "--invalidate=1"]

    def range(self, first, length):
        return [f"--offset={first}M", f"--size={length // 8}M", f"--offset_increment={length // 8}M"]

    def end(self):
        subprocess.run(["fusermount3", "-u", self.mount], check=True)
        self.process.wait()


def truecrypt(folder):
    """By tcplay, which asks at a terminal."""
    image = os.path.join(folder, "truecrypt")
    with open(image, "wb") as f:
        f.truncate(100 * MIB)
    loop = run("losetup", "-f", "--show", image).decode().strip()
    status, said = talk(["tcplay", "-c", "-d", loop, "-a", "SHA512", "-b", "AES-256-XTS", "-zw"], [PASSWORD.encode()] * 2 + [b"y"], folder)
    run("losetup", "-d", loop)
    return image if status == 0 else sys.exit(f"bench: tcplay: {said}")


def rijn(folder, build, name, image, *more):
    plugin = os.path.join(build, "volume/nbdkit/nbdkit-rijn-plugin.so")
    return Server(folder, name, ["nbdkit", "-f", "-U", "SOCKET", plugin, f"file={image}", *more])


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("build")
    parser.add_argument("images")
    parser.add_argument("--rounds", type=int, default=7)
    args = parser.parse_args()
    fetch(args.images)
    folder = tempfile.mkdtemp(prefix="rijn-bench-", dir="/dev/shm")
    servers = []
    try:
        images = Images(folder, args.build, 100)
        word = os.path.join(folder, "word")
        with open(word, "w", encoding="ascii", opener=lambda p, f: os.open(p, f, 0o600)) as f:
            f.write(PASSWORD + "\n")
        password = f"passphrase=+{word}"
        servers.append(rijn(folder, args.build, "LUKS2, XTS 512", images.luks2(512), f"passphrase=+{folder}/line"))
        servers.append(rijn(folder, args.build, "TrueCrypt, XTS 512", truecrypt(folder), password, "format=veracrypt", "no-hidden=true"))
        for kind in ("xts-128", "xts-256", "cbc-128"):
            image = os.path.join(folder, kind)
            copy(os.path.join(args.images, f"bitlk/bitlk-aes-{kind}.img"), image)
            servers.append(rijn(folder, args.build, f"BitLocker, {kind}", image, password))
            if kind == "xts-128":  # of a copy: two are not to write one
                servers.append(Dislocker(folder, shutil.copy(image, image + "-2")))
        for i in range(-1, args.rounds):
            for row, (first, length) in RANGES.items():
                for server in servers:
                    server.fio(row, f"--rw={row}", "--bs=1M", "--iodepth=8", *server.range(first, length))
                    if i < 0:  # for warmth
                        server.samples.clear()
        for row in RANGES:
            print(f"\n{row}, 1 MiB, 8 at a time\n{'':24} {'MB/s':>8} {'of LUKS2':>9} {'CPU s/GiB':>10}")
            luks = servers[0].median(row)
            for server in servers:
                rate, _, cpu, _ = server.median(row)
                print(f"{server.name:24} {rate / 1e6:8.0f} {100 * rate / luks[0]:8.0f} % {cpu:9.3f}")
    finally:
        for server in servers:
            server.end()
        shutil.rmtree(folder)


main()
