# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""What the tests of volumes with programs share. ctest sets RIJN_PROGRAM, RIJN_PLUGIN, RIJN_FILTER."""
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest

from terminal import talk

PROGRAM, PLUGIN, FILTER = (os.environ[name] for name in ("RIJN_PROGRAM", "RIJN_PLUGIN", "RIJN_FILTER"))
MIB = 1 << 20
# Where the system keeps mke2fs and sfdisk is not on every user's path.
ENVIRONMENT = {**os.environ, "PATH": os.environ["PATH"] + ":/usr/sbin:/sbin"}


def text_of(n):
    """n bytes in which no two sectors are equal."""
    return b"".join(i.to_bytes(8, "little") * 64 for i in range(n // 512 + 1))[:n]


def listens(path):
    """WHY not whether it exists: a filter opens its volume after the socket has a name."""
    with socket.socket(socket.AF_UNIX) as s:
        return s.connect_ex(path) == 0


class Case(unittest.TestCase):
    """A test in a folder of its own, with a passphrase in a file. Servers it starts end with it."""

    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="rijn-vol-")
        self.addCleanup(shutil.rmtree, self.dir)
        self.passphrase = self.put("pass", b"correct horse\n")
        self.bare = self.put("bare", b"correct horse")  # for programs that take all bytes of a file

    def path(self, name):
        return os.path.join(self.dir, name)

    def put(self, name, data):
        with open(self.path(name), "wb") as f:
            f.write(data)
        os.chmod(self.path(name), 0o600)
        return self.path(name)

    def get(self, name):
        with open(self.path(name), "rb") as f:
            return f.read()

    def sparse(self, name, size):
        with open(self.path(name), "wb") as f:
            f.truncate(size)
        return self.path(name)

    def run_(self, *command, data=None, ok=True):
        r = subprocess.run([str(c) for c in command], input=data, capture_output=True, cwd=self.dir, timeout=900, env=ENVIRONMENT)
        if ok and r.returncode != 0:
            self.fail(f"{' '.join(map(str, command))}: status {r.returncode}: {r.stdout[-500:]!r} {r.stderr[-800:]!r}")
        return r

    def rijn(self, *args, data=None, ok=True):
        return self.run_(PROGRAM, "volume", *args, data=data, ok=ok)

    def talk(self, command, answers):
        return talk(command, answers, self.dir)

    def make(self, name, fmt, size, *more):
        cheap = ("--kdf", "pbkdf2", "--rounds", "1000")
        self.rijn("create", self.path(name), "--format", fmt, "--size", size, "--passphrase-file", self.passphrase, *cheap, *more)
        return self.path(name)

    def serve(self, *args):
        """nbdkit in the foreground with these arguments: the URI of its socket."""
        path = self.path(f"s{time.monotonic_ns()}")
        server = subprocess.Popen(["nbdkit", "-f", "-U", path, *map(str, args)], cwd=self.dir, stderr=subprocess.PIPE)
        self.addCleanup(self.end, server)
        for _ in range(600):
            if listens(path):
                break
            if server.poll() is not None:
                self.fail(f"nbdkit ended: {server.stderr.read()!r}")
            time.sleep(0.05)
        self.server = server
        return f"nbd+unix:///?socket={path}"

    @staticmethod
    def end(server):
        if server.poll() is None:
            server.send_signal(signal.SIGTERM)
            server.wait(timeout=900)
        server.stderr.close()
