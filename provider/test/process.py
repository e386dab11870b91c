#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""rijn openssl-check --pid: which libcrypto and which module a running process has."""
import json
import os
import shutil
import subprocess
import sys
import unittest

from switched import DEBIAN, MODULE, NOBODY, PROGRAM, Base


class Process(Base):
    def start(self, conf=None):
        """A program that loads libcrypto and waits."""
        code = "import hashlib, ssl, sys; ssl.create_default_context(); print('ready', flush=True); sys.stdin.read()"
        env = self.env(OPENSSL_CONF=conf) if conf else self.env()
        p = subprocess.Popen(["/usr/bin/python3", "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env)
        self.addCleanup(p.communicate)
        self.assertEqual(p.stdout.readline(), "ready\n")
        return str(p.pid)

    def test_pid(self):
        module = os.path.join(self.dir, "rijn.so")
        shutil.copy(MODULE, module)
        self.system(0, "--enable", "--yes", "--module", module, module=False)
        pid = self.start(self.conf)
        said = self.rijn(0, "--pid", pid).stdout
        for word in ("/libcrypto.so", module, self.conf, "has loaded Rijn"):
            self.assertIn(word, said)
        self.assertNotIn("replaced", said)
        j = json.loads(self.rijn(0, "--pid", pid, "--json").stdout)
        self.assertEqual((j["pid"], j["rijn"], j["loaded"], j["openssl_conf"]),
                         (int(pid), [{"file": module, "deleted": False}], True, self.conf))
        self.assertEqual(len(j["libcrypto"]), 1)
        os.remove(module)
        self.assertIn(f"{module}, which was replaced or deleted since", self.rijn(0, "--pid", pid).stdout)
        j = json.loads(self.rijn(0, "--pid", pid, "--json").stdout)
        self.assertEqual(j["rijn"], [{"file": module, "deleted": True}])
        pid = self.start()
        said = self.rijn(1, "--pid", pid).stdout
        self.assertIn("NOT loaded", said)
        self.assertIn("/libcrypto.so", said)
        j = json.loads(self.rijn(1, "--pid", pid, "--json").stdout)
        self.assertEqual((j["rijn"], j["loaded"], j["openssl_conf"]), ([], False, None))
        sleeper = subprocess.Popen(["sleep", "100"])
        self.addCleanup(sleeper.wait)
        self.addCleanup(sleeper.kill)
        self.assertIn("libcrypto:      none", self.rijn(1, "--pid", str(sleeper.pid)).stdout)

    def test_bytes(self):
        """Names that are not UTF-8 make JSON that is."""
        folder = os.path.join(self.dir, os.fsdecode(b"m\xff\xc3\xa4"))
        shown = os.path.join(self.dir, "m\ufffd\u00e4")
        os.mkdir(folder)
        module = os.path.join(folder, "rijn.so")
        shutil.copy(MODULE, module)
        self.conf = os.path.join(folder, "openssl.cnf")
        shutil.copy(self.put("openssl.cnf", DEBIAN), self.conf)
        j = json.loads(self.system(0, "--enable", "--yes", "--json", "--module", module, module=False).stdout)
        self.assertEqual(j["file"], shown + "/openssl.cnf")
        self.assertIn(f"module = {shown}/rijn.so", [row["line"] for row in j["lines"]])
        j = json.loads(self.rijn(0, "--pid", self.start(self.conf), "--json").stdout)
        self.assertEqual((j["rijn"], j["openssl_conf"]), ([{"file": shown + "/rijn.so", "deleted": False}], shown + "/openssl.cnf"))

    def test_cannot(self):
        gone = subprocess.Popen(["true"])
        gone.wait()
        self.assertIn("no such process", self.rijn(1, "--pid", str(gone.pid)).stderr)
        zombie = subprocess.Popen(["true"], stdout=subprocess.PIPE)
        zombie.stdout.read()
        os.waitid(os.P_PID, zombie.pid, os.WEXITED | os.WNOWAIT)
        self.assertIn("it has ended", self.rijn(1, "--pid", str(zombie.pid)).stderr)
        zombie.communicate()
        # Another's process, as who may not look.
        program, other, as_who = PROGRAM, "1", {}
        if os.getuid() == 0:
            os.chmod(self.dir, 0o755)
            program = self.program(os.path.join(self.dir, "rijn"))
            other, as_who = str(os.getpid()), {"user": NOBODY, "group": NOBODY, "extra_groups": [], "cwd": "/"}
        r = self.rijn(1, "--pid", other, program=program, **as_who)
        self.assertIn("cannot be read (root may, and who started it): Permission denied", r.stderr)
        r = self.rijn(1, "--pid", other, "--json", program=program, **as_who)
        self.assertIn("Permission denied", json.loads(r.stdout)["error"])


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=2))
