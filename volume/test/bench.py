# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""Volumes beside their peers, in one run.

usage: bench.py BUILD [--mib N] [--rounds N] [--no-crate]

BUILD: the folder of a build with the command and the plugin. Images lie in memory (/dev/shm). All peers read the same
image, in turn; the tables have medians. The crate luks-core is built by cargo first (volume/test/luks-core); --no-crate
leaves it out. What a server takes is its own CPU time, so other programs on the machine hardly change that column."""
import argparse
import hashlib
import json
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
MIB, PASSPHRASE = 1 << 20, "correct horse"


def run(*command, **more):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, timeout=900, **more)
    if done.returncode != 0:
        sys.exit(f"bench: {' '.join(map(str, command))}: status {done.returncode}")
    return done.stdout


class Server:
    """An NBD server in the foreground, and what it has taken of the CPUs."""

    def __init__(self, folder, name, command):
        self.name, self.samples = name, {}
        self.socket = os.path.join(folder, name.split()[0] + str(time.monotonic_ns()))
        self.uri = f"nbd+unix:///?socket={self.socket}"
        self.process = subprocess.Popen([str(word).replace("SOCKET", self.socket) for word in command])
        for _ in range(600):
            if os.path.exists(self.socket):
                return
            if self.process.poll() is not None:
                sys.exit(f"bench: {name} ended")
            time.sleep(0.05)
        sys.exit(f"bench: {name} has no socket")

    def cpu(self):
        """Seconds of all its threads, those that have ended too. The clock of another process, as clock_getcpuclockid makes it."""
        return time.clock_gettime((~self.process.pid << 3) | 2)

    def target(self):
        return ["--ioengine=nbd", f"--uri={self.uri}"]

    def range(self, first, length):
        return [f"--offset={first}M", f"--size={length}M"]

    def fio(self, row, *options):
        """One run: (bytes a second, requests a second, CPU seconds a GiB, CPUs that the server used)."""
        before, start = self.cpu(), time.monotonic()
        said = run("fio", "--name=bench", "--output-format=json", *self.target(), *options, stderr=subprocess.DEVNULL)
        wall, cpu = time.monotonic() - start, self.cpu() - before
        job = json.loads(said[said.index(b"{"):])["jobs"][0]
        done = job["read"] if job["read"]["io_bytes"] else job["write"]
        self.samples.setdefault(row, []).append((done["bw_bytes"], done["iops"], cpu * (1 << 30) / done["io_bytes"], cpu / wall))

    def median(self, row):
        return [statistics.median(column) for column in zip(*self.samples[row])]

    def end(self):
        self.process.terminate()
        self.process.wait()


def servers_of(folder, build, image):
    plugin = os.path.join(build, "volume/nbdkit/nbdkit-rijn-plugin.so")
    secret = f"secret,id=s,file={folder}/bare"
    nbdkit = ["nbdkit", "-f", "-U", "SOCKET"]
    return {
        "rijn": [*nbdkit, plugin, f"file={image}", f"passphrase=+{folder}/line"],
        "nbdkit's luks filter": [*nbdkit, "--filter=luks", "file", image, f"passphrase=+{folder}/bare"],
        "qemu-nbd": ["qemu-nbd", "-t", "-k", "SOCKET", "-e", "16", "--object", secret, "--image-opts",
                     f"driver=luks,key-secret=s,file.driver=file,file.locking=off,file.filename={image}"],
        "no cipher (nbdkit file)": [*nbdkit, "file", image],
    }  # fmt: skip


class Images:
    def __init__(self, folder, build, mib):
        self.folder, self.rijn, self.mib = folder, os.path.join(build, "bin/rijn"), mib
        for name, text in (("line", PASSPHRASE + "\n"), ("bare", PASSPHRASE)):
            with open(os.path.join(folder, name), "w", encoding="ascii", opener=lambda p, f: os.open(p, f, 0o600)) as f:
                f.write(text)

    def fill(self, image, offset):
        """Ciphertext of noise: whatever it is, all read the same of it."""
        with open(image, "r+b") as f:
            f.seek(offset)
            for _ in range(self.mib):
                f.write(os.urandom(MIB))

    def luks1(self):
        image = os.path.join(self.folder, "luks1")
        with open(image, "wb") as f:
            f.truncate((self.mib + 2) * MIB)
        cost = ["--pbkdf-force-iterations", "1000", "--cipher", "aes-xts-plain64", "--key-size", "512"]
        run("cryptsetup", "luksFormat", "--type", "luks1", "-q", *cost, "--key-file", self.folder + "/bare", image)
        self.fill(image, 2 * MIB)
        return image

    def luks2(self, sector):
        image = os.path.join(self.folder, f"luks2-{sector}")
        run(self.rijn, "volume", "create", image, "--format", "luks2", "--size", (self.mib + 16) * MIB, "--sector-size", sector,
            "--kdf", "pbkdf2", "--rounds", 1000, "--passphrase-file", self.folder + "/line")  # fmt: skip
        self.fill(image, 16 * MIB)
        return image


# What fio asks for: a row's name, its options.
ROWS = [
    ("1 MiB, one after the other", ["--rw=read", "--bs=1M", "--iodepth=1"]),
    ("1 MiB, 8 at a time", ["--rw=read", "--bs=1M", "--iodepth=8"]),
    ("1 MiB, 8 at a time on each of 4 connections", ["--rw=read", "--bs=1M", "--iodepth=8", "--numjobs=4", "--group_reporting"]),
    ("4 KiB, anywhere", ["--rw=randread", "--bs=4k", "--iodepth=1", "--randseed=7"]),
]


def same_bytes(servers, image):
    """All that decipher say the same."""
    digests = {}
    for server in servers:
        if not server.name.startswith("no cipher"):
            with tempfile.NamedTemporaryFile(dir=os.path.dirname(image)) as f:
                run("nbdcopy", server.uri, f.name)
                digests[server.name] = hashlib.sha256(f.read()).hexdigest()
    if len(set(digests.values())) != 1:
        sys.exit(f"bench: not the same bytes: {digests}")


def bench_nbd(images, build, rounds):
    image = images.luks1()
    servers = [Server(images.folder, name, command) for name, command in servers_of(images.folder, build, image).items()]
    try:
        same_bytes(servers, image)
        for _ in range(rounds):
            for row, options in ROWS:
                size = min(images.mib, 16) if "4k" in " ".join(options) else images.mib
                for server in servers:
                    server.fio(row, *options, f"--size={images.mib}M", f"--io_size={size}M")
    finally:
        for server in servers:
            server.end()
    for row, _ in ROWS:
        print(f"\nLUKS1, aes-xts-plain64, key of 512 bits, by NBD: {row}")
        print(f"{'':24} {'MB/s':>8} {'requests/s':>11} {'CPU s/GiB':>10} {'CPUs used':>10} {'times rijn, CPU':>16}")
        ours = servers[0].median(row)[2]
        for server in servers:
            rate, requests, cpu, used = server.median(row)
            print(f"{server.name:24} {rate / 1e6:8.0f} {requests:11.0f} {cpu:10.3f} {used:10.2f} {cpu / ours:16.1f}")


def child_cpu(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdout=subprocess.DEVNULL, check=False, timeout=900)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(f"bench: {command[0]}: status {done.returncode}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def bench_read(images, build, rounds):
    # WHY not in memory: the next run need not build it.
    target = os.path.join(os.path.abspath(build), "luks-core")
    run("cargo", "build", "-q", "--release", "--locked", "--manifest-path", os.path.join(HERE, "luks-core/Cargo.toml"),
        "--target-dir", target)  # fmt: skip
    for sector in (512, 4096):
        image = images.luks2(sector)
        commands = {"rijn volume read": [images.rijn, "volume", "read", image, "--passphrase-file", images.folder + "/line"],
                    "luks-core 0.1.8": [os.path.join(target, "release/luks-core-read"), image, PASSPHRASE]}  # fmt: skip
        if len({hashlib.sha256(run(*command)).digest() for command in commands.values()}) != 1:
            sys.exit("bench: not the same bytes")
        samples = {name: [] for name in commands}
        for _ in range(rounds):
            for name, command in commands.items():
                samples[name].append(child_cpu(command) * 1024 / images.mib)
        print(f"\nLUKS2, sectors of {sector} bytes, the whole volume to /dev/null")
        ours = statistics.median(samples["rijn volume read"])
        for name, all_of in samples.items():
            print(f"{name:24} {statistics.median(all_of):10.3f} CPU s/GiB {statistics.median(all_of) / ours:6.1f} times rijn")
        os.unlink(image)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("build")
    parser.add_argument("--mib", type=int, default=512)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--no-crate", action="store_true")
    args = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="rijn-bench-", dir="/dev/shm")
    try:
        images = Images(folder, args.build, args.mib)
        with open("/proc/cpuinfo", encoding="utf-8") as f:
            model = next((line.split(":", 1)[1].strip() for line in f if line.startswith("model name")), "unknown")
        print(f"{model}, {os.cpu_count()} CPUs; {args.mib} MiB, {args.rounds} rounds")
        bench_nbd(images, args.build, args.rounds)
        if not args.no_crate:
            bench_read(images, args.build, args.rounds)
        own = run(images.rijn, "volume", "bench").decode()
        if len(re.findall(r"(?m)^(?:LUKS2|GELI).* [1-9]\d*\.\d MiB/s +\d+ % +[1-9]\d*\.\d MiB/s +\d+ %$", own)) != 12:
            sys.exit("bench: rijn volume bench has not its twelve rows:\n" + own)
        print("\nrijn volume bench\n" + own)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
