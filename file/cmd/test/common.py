# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""What the tests of the command share. ctest sets RIJN_PROGRAM (the command) and RIJN_FAULTS (faults.c, built)."""
import os
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["RIJN_PROGRAM"]
FAULTS = os.environ["RIJN_FAULTS"]
SOURCE = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../.."))

HEADER, CHUNK, TAG = 56, 16384, 16
SEALED = CHUNK + TAG
BATCH = 8 * CHUNK  # what the command reads at once: sizes around it are tested too

OK, FAILED, USAGE = 0, 1, 2


def sealed_size(n):
    """Size of the encryption of n bytes: there is always one more chunk than full ones."""
    return HEADER + n + (n // CHUNK + 1) * TAG


def text_of(n):
    """n bytes in which no two chunks are equal and no byte is where it would be in another chunk."""
    block = bytes((i * 7 + (i >> 8)) & 255 for i in range(65521))
    return (block * (n // len(block) + 1))[:n]


def run(*args, data=None, env=None, faults=None, fsize=None, pass_fds=(), preexec=None, timeout=900, stdout=None):
    """Runs the command to its end: CompletedProcess with bytes of stdout, text of stderr."""
    e = dict(os.environ)
    e.pop("RIJN_IMPL", None)
    e.update(env or {})
    if faults:
        e.update(LD_PRELOAD=FAULTS, RIJN_FAULT=faults)

    def before():
        if fsize is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (fsize, fsize))
        if preexec:
            preexec()

    kind = {"input": data} if data is not None else {"stdin": subprocess.DEVNULL}
    r = subprocess.run([PROGRAM, *map(str, args)], stdout=subprocess.PIPE if stdout is None else stdout,
                       stderr=subprocess.PIPE, env=e, pass_fds=pass_fds, preexec_fn=before, timeout=timeout, **kind)
    r.stderr = r.stderr.decode()
    return r


class Case(unittest.TestCase):
    """A test in a folder of its own, with a key of 32 bytes and one of 16."""

    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="rijn-test-")
        self.addCleanup(shutil.rmtree, self.dir)
        self.keys = {}
        for n in (32, 16):
            self.keys[n] = self.key_file(f"key{n}", bytes(range(n)))
        self.key = self.keys[32]
        self.box = os.path.join(self.dir, "box")  # where outputs go: what is in it is all that was left
        os.mkdir(self.box)

    def put(self, name, data):
        path = os.path.join(self.dir, name)
        with open(path, "wb") as f:
            f.write(data)
        return path

    def key_file(self, name, data):
        path = self.put(name, data)
        os.chmod(path, 0o600)  # else a warning is said
        return path

    def get(self, name):
        with open(name, "rb") as f:
            return f.read()

    def left(self):
        return sorted(os.listdir(self.box))

    def seal(self, text, key=None, *more):
        r = run("encrypt", "-k", key or self.key, *more, data=text)
        self.assertEqual((r.returncode, r.stderr), (OK, ""))
        return r.stdout

    def expect(self, r, status, *words):
        """Status, and each word in what was said. A refusal says who speaks."""
        self.assertEqual(r.returncode, status, r.stderr)
        if status != OK:
            self.assertRegex(r.stderr, rf"\Arijn( {re.escape(r.args[1])})?: ")
        for w in words:
            self.assertIn(w, r.stderr)
        return r


def main(seconds=170):
    signal.alarm(seconds)  # a test that hangs is a failure with a name
    unittest.main(verbosity=2)
