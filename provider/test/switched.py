# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""What the tests of rijn openssl-check --enable, --disable, --service and --pid share: a folder of their own, and the
command."""
import importlib.machinery
import importlib.util
import os
import pty
import select
import shutil
import subprocess
import sys
import tempfile
import termios
import time
import unittest
import unittest.mock

PROGRAM = os.environ["RIJN_PROGRAM"]
MODULE = os.path.join(os.environ["RIJN_MODULES"], "rijn.so")
NOBODY = 65534
# As Debian has it: a section that is named, and one that is not.
DEBIAN = "openssl_conf = openssl_init\n\n[ CA_default ]\ndir = ./demoCA\n\n[openssl_init]\nssl_conf = ssl_sect\n\n" \
         "[ssl_sect]\nsystem_default = s\n\n[s]\nCipherString = DEFAULT:@SECLEVEL=2\n"
PROVIDERS = "openssl_conf = i\n[i]\nproviders = p\n[p]\ndefault = d\n[d]\n"
# What is understood, and which line comes in that another file does not need.
FILES = {
    "debian": (DEBIAN, "[openssl_init]"), "empty": ("", "openssl_conf = rijn_init"),
    "no init": ("HOME = .\n[ req ]\nbits = 2048\n", "openssl_conf = rijn_init"),
    "default named": (PROVIDERS + "# activate = 1\n", "[d]"), "default active": (PROVIDERS + "activate = 1\n", "[p]"),
    "algorithms": (PROVIDERS.replace("[p]", "alg_section = a\n[p]") + "[a]\n", "[a]"),
    "another": (PROVIDERS.replace("[d]", "legacy = l\n[l]\nactivate = 1\n[d]") + "activate = 1\n", "[p]"),
    "other lines ends": (DEBIAN.replace("\n", "\r\n"), "[openssl_init]"),
}


def marked(text):
    return [line for line in text.splitlines() if line.startswith("+ ")]


def load_script():
    """As a module, for what comes between two of its steps."""
    loader = importlib.machinery.SourceFileLoader("switch", os.path.join(os.path.dirname(PROGRAM), "rijn-openssl-switch"))
    script = importlib.util.module_from_spec(importlib.util.spec_from_loader("switch", loader))
    with unittest.mock.patch.object(sys, "argv", [""]):
        loader.exec_module(script)
    return script


def until_it_waits(pid):
    """WHY: Python looks for signals before it reads, not when it begins to; one in between has to wait for the next."""
    state = ""
    while state != "S":
        time.sleep(0.01)
        with open(f"/proc/{pid}/stat", encoding="utf-8") as f:
            state = f.read().rsplit(")", 1)[1].split()[0]


class Base(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="rijn-switch-")
        self.addCleanup(shutil.rmtree, self.dir)
        self.conf = self.put("openssl.cnf", DEBIAN)

    def put(self, name, text, mode=0o644):
        path = os.path.join(self.dir, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8", newline="") as f:
            f.write(text)
        os.chmod(path, mode)
        return path

    def program(self, path):
        """A copy of the command there, with its script beside it."""
        os.makedirs(os.path.dirname(path), exist_ok=True)
        shutil.copy(PROGRAM, path)
        shutil.copy(os.path.join(os.path.dirname(PROGRAM), "rijn-openssl-switch"), os.path.dirname(path))
        return path

    def get(self, path):
        with open(path, encoding="utf-8", newline="") as f:
            return f.read()

    def env(self, **more):
        return {**{k: v for k, v in os.environ.items() if not k.startswith(("OPENSSL_", "RIJN_IMPL", "RIJN_HIDE"))}, **more}

    def rijn(self, status, *args, module=True, program=PROGRAM, env=None, **more):
        words = ["--module", MODULE] if module and "--enable" in args and "--service" not in args else []
        r = subprocess.run([program, *args, *words], capture_output=True, text=True, stdin=subprocess.DEVNULL,
                           env=self.env(**(env or {})), timeout=900, **more)
        self.assertEqual(r.returncode, status, r.stdout + r.stderr)
        return r

    def system(self, status, action, *args, **more):
        return self.rijn(status, action, "--config", self.conf, *args, **more)

    def asked(self, words, answer, status, meanwhile=None):
        """The question on a terminal."""
        pid, fd = pty.fork()
        if pid == 0:
            os.execve(PROGRAM, [PROGRAM, *words], self.env())
        mode = termios.tcgetattr(fd)
        mode[3] |= termios.NOFLSH  # WHY: with Ctrl-C a terminal may drop what the program says of it
        termios.tcsetattr(fd, termios.TCSANOW, mode)
        said = b""
        while b"[y/N]" not in said:
            if not select.select([fd], [], [], 60)[0]:
                self.fail(said)
            said += os.read(fd, 4096)
        until_it_waits(pid)
        if meanwhile:
            meanwhile()
        os.write(fd, answer)
        try:
            while more := os.read(fd, 4096):
                said += more
        except OSError:
            pass
        os.close(fd)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), status, said)
        return said.decode()
