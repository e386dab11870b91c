# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""The plugin and the filter in nbdkit, driven by nbdcopy, fio, qemu-io, nbdfuse; errors beneath, kill -9, partitions."""
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest

from common import ENVIRONMENT, FILTER, MIB, PLUGIN, PROGRAM, Case, text_of


class Plugin(Case):
    def open(self, name, *more):
        return self.serve(PLUGIN, f"file={name}", f"passphrase=+{self.passphrase}", *more)

    def io(self, uri, *commands, ok=True):
        args = [word for c in commands for word in ("-c", c)]
        return self.run_("qemu-io", "-f", "raw", *args, uri, ok=ok)

    def test_what_it_says(self):
        name = self.make("disk", "luks2", 24 * MIB)
        info = self.run_("nbdinfo", self.open(name)).stdout.decode()
        first = self.server
        for line in ("export-size: 8388608", "can_multi_conn: true", "can_flush: true", "can_fua: true", "can_trim: false",
                     "block_size_minimum: 1", "is_read_only: false"):
            self.assertIn(line, info)
        self.assertIn("is_read_only: true", self.run_("nbdinfo", self.open(name, "read-only=true")).stdout.decode())
        self.end(self.server)
        self.end(first)  # two that write are one too many
        self.assertIn("can_trim: true", self.run_("nbdinfo", self.open(name, "allow-discards=true")).stdout.decode())
        self.assertIn("\nthread_model=parallel\n", self.run_("nbdkit", PLUGIN, "--dump-plugin").stdout.decode())

    def test_copies(self):
        """All of it, in parallel and on four connections, there and back; no range is said to be zeros."""
        text = text_of(8 * MIB)
        for fmt, size in (("luks2", 24 * MIB), ("geli", 8 * MIB + 512)):
            uri = self.open(self.make(fmt, fmt, size))
            self.run_("nbdcopy", "-C", "4", "-R", "16", self.put("text", text), uri)
            self.run_("nbdcopy", "-C", "4", "-R", "16", uri, self.path("back"))
            self.assertEqual(self.get("back") == text, True)
            out = self.rijn("read", self.path(fmt), "--passphrase-file", self.passphrase).stdout
            self.assertEqual(out == text, True)
            extents = self.run_("nbdinfo", "--map", uri).stdout.decode()
            self.assertNotRegex(extents, "zero|hole")

    def test_verified_by_fio(self):
        uri = self.open(self.make("disk", "geli", 16 * MIB))
        self.run_("fio", "--name=v", "--ioengine=nbd", f"--uri={uri}", "--rw=randrw", "--bsrange=512-64k", "--bs_unaligned",
                  "--size=8M", "--verify=crc32c", "--iodepth=16", "--randseed=7", "--output=/dev/null")

    def test_flushed_survives_kill(self):
        name = self.make("disk", "luks2", 24 * MIB)
        uri = self.open(name)
        self.io(uri, "write -P 0x41 0 1M", "flush", "write -f -P 0x42 1M 64k", "write -P 0x43 2M 1M")
        writer = subprocess.Popen(["qemu-io", "-f", "raw", "-c", "write -P 0x44 3M 4M", uri], stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL)
        self.server.send_signal(signal.SIGKILL)
        self.server.wait()
        writer.wait(timeout=900)
        out = self.rijn("read", name, "--passphrase-file", self.passphrase, "--length", MIB + 65536).stdout
        self.assertEqual(out == b"\x41" * MIB + b"\x42" * 65536, True)

    def test_partition(self):
        """The second partition of a GPT disk, made by sfdisk."""
        self.sparse("disk", 64 * MIB)
        self.run_("sfdisk", "-q", self.path("disk"), data=b"label: gpt\nstart=2048,size=2048\nstart=8192,size=40960,name=pool\n")
        part = ("--partition", 2, "--passphrase-file", self.passphrase)
        self.rijn("create", "disk", *part, "--format", "geli", "--rounds", 1000, "--backup", self.path("b.eli"))
        text = text_of(MIB)
        self.rijn("write", "disk", *part, data=text)
        info = self.rijn("info", "disk").stdout.decode()
        self.assertRegex(info, r"(?s)partition 1: 1048576 bytes.*partition 2: 20971520 bytes.*name +pool.*GELI version 7")
        uri = self.serve(PLUGIN, "file=disk", "partition=2", f"passphrase=+{self.passphrase}")
        self.run_("nbdcopy", uri, self.path("out"))
        self.assertEqual(self.get("out")[:MIB] == text, True)
        r = self.rijn("read", "disk", "--partition", 3, "--passphrase-file", self.passphrase, ok=False)
        self.assertIn(b"no partition 3", r.stderr)
        number = (1 << 32) + 2  # which 32 bits take for 2
        r = self.rijn("read", "disk", "--partition", number, "--passphrase-file", self.passphrase, ok=False)
        self.assertEqual((r.returncode, r.stdout), (2, b""))
        options = ("file=disk", f"partition={number}", f"passphrase=+{self.passphrase}")
        r = self.run_("nbdkit", "-U", "-", PLUGIN, *options, "--run", "true", ok=False)
        self.assertIn(b"partition", r.stderr)

    def test_refusals_are_seen(self):
        name = self.make("disk", "luks2", 24 * MIB)
        wrong = self.put("wrong", b"wrong\n")
        for args, word in (((f"file={name}", f"passphrase=+{wrong}"), b"opens no key slot"), ((f"file={name}",), b"neither"),
                           ((f"file={self.bare}", f"passphrase=+{wrong}"), b"neither a LUKS or BitLocker header"),
                           ((f"file={name}", "nonsense=1"), b"unknown parameter"), ((), b"file=DISK is missing")):
            r = self.run_("nbdkit", "-f", "-U", self.path("no"), PLUGIN, *args, ok=False)
            self.assertNotEqual(r.returncode, 0)
            self.assertIn(word, r.stderr)


LATE = """#!{python}
import os, subprocess, sys, time
words = sys.argv[1:]
number = words[words.index("-P") + 1]
words[words.index("-P") + 1] = number + ".early"
status = subprocess.call(["{nbdkit}", *words], close_fds=False)
if status == 0 and os.fork() == 0:
    time.sleep(1)
    while not os.path.exists(number + ".early") or os.path.getsize(number + ".early") == 0:
        time.sleep(.01)
    os.rename(number + ".early", number)
    os._exit(0)
sys.exit(status)
"""


class Open(Case):
    """rijn volume open: two disks, one passphrase, and the lines that it prints."""

    def test_open(self):
        text = text_of(MIB)
        names = [self.make("a", "luks2", 24 * MIB), self.make("b", "geli", 8 * MIB)]
        for name in names:
            self.rijn("write", name, "--passphrase-file", self.passphrase, data=text)
        lines = self.rijn("open", *names, "--passphrase-file", self.passphrase).stdout.decode()
        sockets = re.findall(r"nbdcopy nbd\+unix:///\?socket=(\S+) FILE", lines)
        self.assertEqual([os.path.basename(s) for s in sockets], ["a.sock", "b.sock"])
        for socket in sockets:
            with open(socket + ".pid", encoding="ascii") as f:
                self.addCleanup(os.kill, int(f.read()), signal.SIGTERM)
            self.run_("nbdcopy", f"nbd+unix:///?socket={socket}", self.path("out"))
            self.assertEqual(self.get("out")[:MIB] == text, True)
        self.assertRegex(lines, r"nbdfuse FOLDER nbd\+unix:.*\nqemu-nbd -f raw -c /dev/nbd0 nbd\+unix:")

    def test_metadata(self):
        """A GELI disk that has lost its last sector, by the copy that create made."""
        text, name = text_of(MIB), self.make("disk", "geli", 8 * MIB)
        secret = ("--passphrase-file", self.passphrase)
        self.rijn("write", name, *secret, data=text)
        with open(name, "r+b") as f:
            f.seek(8 * MIB - 512)
            f.write(bytes(512))
        self.assertIn(b"GELI", self.rijn("open", name, *secret, ok=False).stderr)
        lines = self.rijn("open", name, "--metadata", "disk.eli", *secret).stdout.decode()
        socket = re.search(r"socket=(\S+) FILE", lines)[1]
        with open(socket + ".pid", encoding="ascii") as f:
            self.addCleanup(os.kill, int(f.read()), signal.SIGTERM)
        self.run_("nbdcopy", f"nbd+unix:///?socket={socket}", self.path("out"))
        self.assertEqual(self.get("out")[:MIB] == text, True)


    def test_late_number(self):
        """An nbdkit that has long been in the background before it writes its number: it is there when the command ends, and
        the number of one that was killed is not."""
        name = self.make("disk", "luks2", 24 * MIB)
        with open(self.path("disk.sock.pid"), "w", encoding="ascii") as f:
            f.write("0\n")
        os.mkdir(self.path("bin"))
        late = self.path("bin/nbdkit")
        with open(late, "w", encoding="ascii") as f:
            f.write(LATE.format(python=sys.executable, nbdkit=shutil.which("nbdkit")))
        os.chmod(late, 0o755)
        # WHY no pipe: who is late has it too, and its end would be waited for.
        subprocess.run([PROGRAM, "volume", "open", name, "--passphrase-file", self.passphrase], cwd=self.dir, check=True,
                       env=dict(ENVIRONMENT, PATH=f"{self.path('bin')}:{os.environ['PATH']}"), stdout=subprocess.DEVNULL)
        with open(self.path("disk.sock.pid"), encoding="ascii") as f:
            number = int(f.read())
        self.assertGreater(number, 0)
        self.addCleanup(os.kill, number, signal.SIGTERM)


class Fuse(Case):
    def test_ext4(self):
        """A file system made and checked through nbdfuse, and a write of six bytes."""
        name = self.make("disk", "luks2", 32 * MIB)
        uri = self.serve(PLUGIN, f"file={name}", f"passphrase=+{self.passphrase}")
        os.mkdir(self.path("mnt"))
        fuse = subprocess.Popen(["nbdfuse", self.path("mnt"), uri], cwd=self.dir)
        try:
            disk = self.path("mnt/nbd")
            for _ in range(600):
                if os.path.exists(disk):
                    break
                time.sleep(0.05)
            os.mkdir(self.path("tree"))
            self.put("tree/file", text_of(3 * MIB))
            self.run_("mke2fs", "-q", "-F", "-t", "ext4", "-d", self.path("tree"), disk)
            self.run_("e2fsck", "-f", "-n", disk)
            self.run_("debugfs", "-R", f"dump /file {self.path('out')}", disk)
            self.assertEqual(self.get("out") == text_of(3 * MIB), True)
            with open(disk, "r+b", buffering=0) as f:
                f.seek(15 * MIB + 5)
                self.assertEqual(f.write(b"sixsix"), 6)
                f.seek(15 * MIB)
                self.assertEqual(f.read(16)[5:11], b"sixsix")
        finally:
            self.run_("fusermount3", "-u", self.path("mnt"), ok=False)
            fuse.wait(timeout=900)


# A disk for nbdkit's sh plugin, with a note for each call that came while another was under way. WHY a pause: the next
# call then has the time to come.
TURNS = """#!/bin/sh
enter() {{ mkdir busy 2>/dev/null && mine=yes || echo $1 >>twice; sleep .03; }}
leave() {{ [ -z "$mine" ] || rmdir busy; }}
cd {dir} || exit 1
case "$1" in
  thread_model) echo {model} ;;
  get_size) stat -c %s disk ;;
  can_write|can_flush|can_trim) ;;
  pread) enter $1; dd if=disk iflag=skip_bytes,count_bytes skip=$4 count=$3 bs=64k status=none; leave ;;
  pwrite) enter $1; dd of=disk oflag=seek_bytes seek=$4 bs=64k conv=notrunc status=none; leave ;;
  flush|trim) enter $1; leave ;;
  *) exit 2 ;;
esac
"""


class Filter(Case):
    """Over another plugin. It runs in the nbdkit that it was compiled for, which is the one that is installed."""

    def test_reads_and_writes(self):
        name = self.make("disk", "geli", 8 * MIB + 512)
        uri = self.serve(f"--filter={FILTER}", "file", name, f"passphrase=+{self.passphrase}")
        text = text_of(8 * MIB)
        self.run_("nbdcopy", "-C", "4", self.put("text", text), uri)
        out = self.rijn("read", name, "--passphrase-file", self.passphrase).stdout
        self.assertEqual(out == text, True)

    def turns(self, model):
        """Four clients at once over a plugin of this thread model: the calls that came while another was under way."""
        name = self.make("disk", "geli", MIB + 4096, "--allow-discards")
        with open(self.path("plugin"), "w", encoding="ascii") as f:
            f.write(TURNS.format(dir=self.dir, model=model))
        os.chmod(self.path("plugin"), 0o755)
        uri = self.serve(f"--filter={FILTER}", "sh", self.path("plugin"), f"passphrase=+{self.passphrase}")
        clients = []
        for n in range(4):
            words = [word for i in range(n, 16, 4)
                     for word in ("-c", f"write -P {i + 1} {i * 64}k 64k", "-c", f"read -P {i + 1} {i * 64}k 64k", "-c", "flush",
                                  "-c", f"discard {i * 64 + 60}k 4k")]
            clients.append(subprocess.Popen(["qemu-io", "-f", "raw", *words, uri], stdout=subprocess.PIPE, stderr=subprocess.STDOUT))
        for client in clients:
            said = client.communicate(timeout=900)[0]
            self.assertEqual((client.returncode, b"failed" in said), (0, False), said)
        out = self.rijn("read", name, "--passphrase-file", self.passphrase).stdout
        for i in range(16):
            self.assertEqual(out[i * 65536:i * 65536 + 61440] == bytes([i + 1]) * 61440, True)
        return set(self.get("twice").decode().split()) if os.path.exists(self.path("twice")) else set()

    def test_one_call_at_a_time(self):
        self.assertEqual(self.turns("serialize_requests"), set())

    def test_parallel_calls(self):
        """A plugin that can take several calls at once gets them."""
        self.assertLessEqual({"pread", "pwrite"}, self.turns("parallel"))

    def test_errors_beneath(self):
        """EIO for the client, and the server lives: after the disk has recovered all can be read."""
        name = self.make("disk", "luks2", 24 * MIB)
        trigger = self.path("trigger")
        uri = self.serve(f"--filter={FILTER}", "--filter=error", "--filter=delay", "file", name, "rdelay=1ms",
                         f"passphrase=+{self.passphrase}", "error-rate=100%", f"error-file={trigger}", "error=EIO")
        self.run_("qemu-io", "-f", "raw", "-c", "read 0 1M", uri)
        self.put("trigger", b"")
        r = self.run_("qemu-io", "-f", "raw", "-c", "read 0 1M", "-c", "write 100 1000", uri, ok=False)
        self.assertIn(b"Input/output error", r.stdout + r.stderr)
        self.assertIsNone(self.server.poll())
        os.unlink(trigger)
        self.run_("qemu-io", "-f", "raw", "-c", "read 0 1M", uri)


if __name__ == "__main__":
    unittest.main(verbosity=2)
