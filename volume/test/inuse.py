# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""Disks that somebody uses: mounted, served, locked by cryptsetup or QEMU. And servers: how they begin and how they end."""
import contextlib
import fcntl
import os
import re
import signal
import socket
import subprocess
import time
import unittest

from common import ENVIRONMENT, MIB, PROGRAM, Case

CHEAP = ("--kdf", "pbkdf2", "--rounds", "1000")


class InUse(Case):
    def setUp(self):
        super().setUp()
        self.new = self.put("new", b"battery staple\n")

    def open(self, name, *more):
        """Serves it: the socket's path, and the number of the process."""
        said = self.rijn("open", name, "--passphrase-file", self.passphrase, *more).stdout.decode()
        path = re.search(r"^rijn volume close (\S+)$", said, re.M)[1]
        self.addCleanup(self.rijn, "close", "--force", path, ok=False)
        with open(path + ".pid", encoding="ascii") as f:
            return path, int(f.read())

    def writers(self, name):
        """Each command that writes."""
        key = ("--passphrase-file", self.passphrase)
        yield "create", name, "--force", "--format", "luks2", *key, *CHEAP
        yield "create", name, "--force", "--format", "geli", "--backup", self.path("backup"), *key, *CHEAP
        yield "write", name, *key, "--input", self.new
        yield "add-key", name, *key, "--new-passphrase-file", self.new, *CHEAP
        yield "passwd", name, *key, "--new-passphrase-file", self.new, *CHEAP
        yield "remove-key", name, "--slot", "0", "--last", *key
        yield "open", name, *key, "--socket", self.path("second")

    def refused(self, name, *words):
        before = self.get(name)
        for command in self.writers(name):
            r = self.rijn(*command, ok=False)
            self.assertEqual(r.returncode, 1, command)
            for word in (b"is in use", *words):
                self.assertIn(word, r.stderr, command)
        self.assertEqual(self.get(name) == before, True)
        self.assertFalse(os.path.exists(self.path("second")))

    def test_served(self):
        """Nothing else writes to an image that is served, QEMU neither. It is read, by a second server too."""
        name = self.make("disk", "luks2", 20 * MIB)
        path, pid = self.open(name)
        self.refused(name, f"process {pid} (".encode())
        r = self.run_("qemu-io", "-f", "raw", "-c", "write 0 512", name, ok=False)
        self.assertIn(b"lock", r.stdout + r.stderr)
        self.rijn("read", name, "--length", 1, "--passphrase-file", self.passphrase)
        reader, _ = self.open(name, "--read-only", "--socket", "reader")
        self.rijn("close", reader)
        self.rijn("close", path)
        self.rijn("write", name, "--passphrase-file", self.passphrase, "--input", self.new)

    def test_used_by_qemu(self):
        name = self.make("disk", "luks2", 20 * MIB)
        with subprocess.Popen(["qemu-io", "-f", "raw", name], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as qemu:
            try:
                self.assertEqual(qemu.stdout.read(7), b"qemu-io")  # its prompt: the image is open
                self.refused(name, f"process {qemu.pid} (qemu-io)".encode())
            finally:
                qemu.communicate(b"quit\n")
        self.rijn("write", name, "--passphrase-file", self.passphrase, "--input", self.new)

    def test_two_partitions(self):
        """Each is served on its own; the disk as a whole is not written meanwhile."""
        with open(self.sparse("whole", 42 * MIB), "r+b") as f:
            subprocess.run(["sfdisk", "-q", self.path("whole")], input=b"label: gpt\nsize=20M\nsize=18M\n", check=True,
                           env=ENVIRONMENT, stdout=subprocess.DEVNULL)
            f.flush()
        name = self.path("whole")
        for number in (1, 2):
            self.rijn("create", name, "--partition", number, "--format", "luks2", "--passphrase-file", self.passphrase, *CHEAP)
            self.open(name, "--partition", number, "--socket", f"part{number}")
        for more in (("--partition", 1), ("--partition", 2), ()):
            r = self.rijn("create", name, *more, "--force", "--format", "luks2", "--passphrase-file", self.passphrase, *CHEAP, ok=False)
            self.assertEqual((r.returncode, b"is in use" in r.stderr), (1, True))

    @contextlib.contextmanager
    def loop(self, name):
        device = self.run_("losetup", "-f", "--show", name).stdout.decode().strip()
        try:
            yield device
        finally:
            self.run_("losetup", "-d", device)

    def test_mounted(self):
        """A device with a file system that is mounted, and the image that it shows."""
        name = self.sparse("disk", 20 * MIB)
        self.run_("mke2fs", "-q", "-F", "-t", "ext4", name)
        os.mkdir(self.path("mnt"))
        before = self.get(name)
        with self.loop(name) as device:
            for command in self.writers(name):
                if command[0] in ("create", "open"):
                    continue
                self.assertIn(b"is in use: " + device.encode() + b" shows it", self.rijn(*command, ok=False).stderr)
            self.run_("mount", "-o", "ro", device, "mnt")
            try:
                for command in self.writers(device):
                    r = self.rijn(*command, ok=False)
                    self.assertEqual(r.returncode, 1)
                    self.assertIn(f"is in use: it is mounted on {self.path('mnt')}".encode(), r.stderr)
                self.assertIn(b"shows it", self.rijn(*next(self.writers(name)), ok=False).stderr)
            finally:
                self.run_("umount", "mnt")
        self.assertEqual(self.get(name) == before, True)

    def test_lock_of_a_device(self):
        """cryptsetup's lock of a device's header is waited for; afterwards its file is gone. Nothing is lost by both at once."""
        name = self.make("disk", "luks2", 20 * MIB)
        with self.loop(name) as device:
            self.run_("cryptsetup", "config", "--label", "theirs", device)  # makes the folder
            number = os.stat(device).st_rdev
            path = f"/run/cryptsetup/L_{os.major(number)}:{os.minor(number)}"
            add = ("add-key", device, "--passphrase-file", self.passphrase, "--new-passphrase-file", self.new, *CHEAP)
            with open(path, "w", encoding="ascii") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                p = subprocess.Popen([PROGRAM, "volume", *add], stdout=subprocess.PIPE)
                time.sleep(0.5)
                self.assertIsNone(p.poll())
                self.assertIn(b"key slot 0", self.run_("env", "LC_ALL=C", PROGRAM, "volume", "info", name).stdout.replace(b"key slot          ", b"key slot "))
                os.unlink(path)
            self.assertEqual((p.communicate()[0], p.returncode), (b"key slot 1\n", 0))
            self.assertFalse(os.path.exists(path))
            self.run_("cryptsetup", "open", "--test-passphrase", device, data=b"battery staple")
            theirs = subprocess.Popen(["cryptsetup", "luksAddKey", "-q", "--pbkdf", "pbkdf2", "--pbkdf-force-iterations", "1000",
                                       "--key-file", self.bare, device, self.put("third", b"third")], env=ENVIRONMENT)
            ours = self.rijn("passwd", device, "--passphrase-file", self.new, "--new-passphrase-file", self.put("fourth", b"fourth"),
                             *CHEAP, ok=False).returncode
            for word, there in ((b"third", theirs.wait(60) == 0), (b"fourth", ours == 0), (b"battery staple", ours != 0), (b"correct horse", True)):
                r = self.run_("cryptsetup", "open", "--test-passphrase", device, data=word, ok=False)
                self.assertEqual(r.returncode == 0, there, word)


class Servers(InUse):
    """How a server begins, and how it ends."""
    test_served = test_used_by_qemu = test_two_partitions = test_mounted = test_lock_of_a_device = None

    def processes(self):
        """Of nbdkit, with this test's folder among their words."""
        found = []
        for number in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError), open(f"/proc/{number}/cmdline", "rb") as f:
                words = f.read()
                if b"nbdkit" in words and self.dir.encode() in words:
                    found.append(int(number))
        return found

    def test_killed(self):
        """What a server that was killed has left does not stop the next one; what is no socket does."""
        name = self.make("disk", "luks2", 20 * MIB)
        path, pid = self.open(name)
        os.kill(pid, signal.SIGKILL)
        while pid in self.processes():
            time.sleep(0.01)
        self.assertTrue(os.path.exists(path))
        path, second = self.open(name)
        self.assertNotEqual(pid, second)
        self.assertIn(f"process {second} serves there".encode(), self.rijn("open", name, "--read-only", "--passphrase-file",
                                                                           self.passphrase, ok=False).stderr)
        self.rijn("close", name)  # by the disk's name
        self.assertEqual((self.processes(), [os.path.exists(path + end) for end in ("", ".pid")]), ([], [False, False]))
        self.put("disk.sock", b"mine")
        r = self.rijn("open", name, "--passphrase-file", self.passphrase, ok=False)
        self.assertEqual((r.returncode, self.get("disk.sock")), (1, b"mine"))
        r = self.rijn("close", name, ok=False)
        self.assertEqual((r.returncode, self.get("disk.sock")), (1, b"mine"))

    def test_a_client(self):
        """close does not take the disk from under a client, unless it is told."""
        name = self.make("disk", "luks2", 20 * MIB)
        path, pid = self.open(name)
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(path)
            self.assertEqual(client.recv(8), b"NBDMAGIC")
            r = self.rijn("close", path, ok=False)
            self.assertEqual((r.returncode, b"in use by 1 connection:" in r.stderr, self.processes()), (1, True, [pid]))
            self.rijn("close", "--force", path)
        self.assertEqual(self.processes(), [])

    def test_nobody_is_told(self):
        """Without a place for the lines of open no server is left; and with two disks both or none are served."""
        name, other = self.make("disk", "luks2", 20 * MIB), self.make("other", "luks2", 20 * MIB)
        for out in ("/dev/full", None):
            words = [PROGRAM, "volume", "open", name, other, "--passphrase-file", self.passphrase]
            command = ["sh", "-c", '"$@" >/dev/full' if out else '"$@" >&-', "sh", *words]
            r = subprocess.run(command, cwd=self.dir, stderr=subprocess.PIPE, check=False)
            self.assertEqual((r.returncode, self.processes()), (1, []), r.stderr)
            self.assertIn(b"standard output: cannot write", r.stderr)
            self.assertFalse(os.path.exists(self.path("disk.sock")))
        self.put("other.sock", b"mine")
        r = self.rijn("open", name, other, "--passphrase-file", self.passphrase, ok=False)
        self.assertEqual((r.returncode, self.processes()), (1, []), r.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
