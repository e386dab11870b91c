# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""bench/files: a table with the programs that are in PATH, those that are not are named, and nothing is left, also after a
signal."""
import glob
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from common import PROGRAM

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../files")
NEEDED = ("cp", "cat", "sh", "rm", "cmp", "hyperfine")


class Files(unittest.TestCase):
    def test_beside_others(self):
        with tempfile.TemporaryDirectory(prefix="rijn-bench-") as d:
            tools, where = os.path.join(d, "bin"), os.path.join(d, "where")
            os.mkdir(tools)
            os.mkdir(where)
            for name in NEEDED:
                os.symlink(shutil.which(name), os.path.join(tools, name))
            with open(os.path.join(tools, "openssl"), "w", encoding="utf-8") as f:
                f.write("#!/bin/sh\nexit 1\n")  # a peer that fails
            os.chmod(os.path.join(tools, "openssl"), 0o755)
            command = [SCRIPT, PROGRAM, "--folder", where]
            env = {**os.environ, "PATH": tools}
            r = subprocess.run([sys.executable, *command, "--mib", "1", "--rounds", "2"], env=env, capture_output=True, text=True)
            self.assertEqual((r.returncode, r.stderr), (0, ""))
            for line in ("rijn encrypt", "rijn verify", "cat | rijn encrypt | cat", "rijn encrypt, 100 bytes"):
                self.assertRegex(r.stdout, rf"(?m)^{re.escape(line)} +\d+\.\d+ +\d")
            for name in ("age", "gpg --symmetric", "PyPI cryptography", "openssl enc, which cannot verify (it failed)"):
                self.assertIn(name, r.stdout.split("not measured: ")[1])
            self.assertEqual(os.listdir(where), [])
            p = subprocess.Popen([sys.executable, *command, "--mib", "64"], env=env, stdout=subprocess.DEVNULL)
            end = time.monotonic() + 60
            while not glob.glob(os.path.join(where, "*", "sealed")):
                self.assertIsNone(p.poll())
                self.assertLess(time.monotonic(), end)
                time.sleep(0.01)
            p.send_signal(signal.SIGTERM)
            self.assertEqual((p.wait(60), os.listdir(where)), (143, []))


if __name__ == "__main__":
    unittest.main()
