# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""rijn bench file: as one of the modes, and alone, the table of a file beside other programs."""
import glob
import os
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from common import OK, PROGRAM, QUICK, SYSTEM, USAGE, bench, rows


class Files(unittest.TestCase):
    def test_file_is_the_whole_command(self):
        r = bench("file", "--impl", "portable", "--key", "128", "--rounds", "1", "--json", "-")
        self.assertEqual((r.returncode, r.stderr), (OK, ""))
        found = [(t["what"], t["direction"], t["subject"], len(t["cycles"])) for t in rows(r.stdout)]
        self.assertEqual(sorted(found), sorted(2 * [("file", d, "portable", 1) for d in ("encrypt", "decrypt")]))

    def test_sizes_of_files(self):
        few = ["--impl", "portable", "--peers", "none", "--key", "128", "--dir", "enc", "--json", "-", *QUICK]
        for what, args, files in (
            (["file"], ["--sizes", "0,20k"], ["0", "20480"]),
            (["file"], ["--sizes", "512,mix"], ["512"]),
            (["file", "ctr"], ["--sizes", "512"], ["65536", "16777216"]),  # these are of CTR
        ):
            r = bench(*what, *args, *few)
            left = "rijn bench: file: left out of --sizes, as it has no such length: mix\n"
            self.assertEqual((r.returncode, r.stderr), (OK, left if "512,mix" in args else ""))
            self.assertEqual([t["size"] for t in rows(r.stdout) if t["what"] == "file" and t["cycles"]], files)
        r = bench("file", "--sizes", "mix", *few)
        self.assertEqual((r.returncode, r.stdout), (USAGE, ""))
        self.assertIn("nothing to measure", r.stderr)

    def test_file_leaves_nothing(self):
        """Its folder is gone at the end, and when a signal ends the program, in whichever part of the work."""
        args = [PROGRAM, "bench", "file", "--sizes", "64m", "--impl", "portable", "--peers", "none", "--key", "128",
                "--cpu", "none"]
        with tempfile.TemporaryDirectory(prefix="rijn-bench-") as d:
            env = {**os.environ, "TMPDIR": d}
            self.assertEqual(bench("file", "--sizes", "1k", *args[5:], *QUICK, env={"TMPDIR": d}).returncode, OK)
            self.assertEqual(os.listdir(d), [])
            for sig in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
                for sign in ("key", "text", "sealed"):
                    with self.subTest(sig=sig, sign=sign):
                        p = subprocess.Popen(args, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                             preexec_fn=lambda s=sig: signal.signal(s, signal.SIG_DFL))
                        end = time.monotonic() + 60
                        while not glob.glob(os.path.join(d, "*", sign)):
                            self.assertIsNone(p.poll())
                            self.assertLess(time.monotonic(), end)
                            time.sleep(0.01)
                        p.send_signal(sig)
                        self.assertEqual(p.wait(60), -sig)
                        self.assertEqual(os.listdir(d), [])

    def test_file_beside_others(self):
        """file alone: a table with the programs that are in PATH, those that are not are named; nothing is left, also after
        a signal."""
        with tempfile.TemporaryDirectory(prefix="rijn-bench-") as d:
            tools = os.path.join(d, "bin")
            os.mkdir(tools)
            for name in ("cp", "cat", "sh", "gpgconf"):
                if shutil.which(name):
                    os.symlink(shutil.which(name), os.path.join(tools, name))
            with open(os.path.join(tools, "openssl"), "w", encoding="utf-8") as f:
                f.write("#!/bin/sh\nexit 1\n")  # a peer that fails
            os.chmod(os.path.join(tools, "openssl"), 0o755)
            where = os.path.join(d, "where")
            os.mkdir(where)
            r = bench("file", "--mib", "1", "--rounds", "3", "--folder", where, env={"PATH": tools})
            self.assertEqual(r.returncode, OK, r.stderr)
            self.assertIn("A file of 1 MiB on ", r.stdout)
            for line in ("rijn encrypt", "rijn verify", "cat | rijn encrypt | cat", "rijn encrypt, 100 bytes"):
                self.assertRegex(r.stdout, rf"(?m)^{re.escape(line)} +\d+\.\d+ +\d")
            self.assertIn("not measured: cp, then sync, age, openssl enc, which cannot verify, gpg --symmetric, PyPI "
                          "cryptography\n", r.stdout)
            self.assertEqual(r.stderr, "rijn bench: file: openssl enc, which cannot verify: could not do its work\n")
            self.assertEqual(os.listdir(where), [])
            p = subprocess.Popen([PROGRAM, "bench", "file", "--mib", "64", "--folder", where], stdout=subprocess.DEVNULL,
                                 preexec_fn=lambda: signal.signal(signal.SIGTERM, signal.SIG_DFL))
            end = time.monotonic() + 60
            while not glob.glob(os.path.join(where, "*", "sealed")):
                self.assertIsNone(p.poll())
                self.assertLess(time.monotonic(), end)
                time.sleep(0.01)
            p.send_signal(signal.SIGTERM)
            self.assertEqual((p.wait(60), os.listdir(where)), (-signal.SIGTERM, []))
            r = bench("file", "--folder", os.path.join(d, "none"))
            self.assertEqual((r.returncode, r.stdout), (SYSTEM, ""))
            self.assertIn("cannot make a folder in ", r.stderr)
            for args in (["gcm", "--mib", "1"], ["file", "--mib", "1", "--impl", "portable"], ["--folder", d],
                         ["file", "--mib", "1", "--cpu", "none"], ["file", "--mib", "1", "--aad", "32"]):
                r = bench(*args)
                self.assertEqual((r.returncode, r.stdout), (USAGE, ""))
                self.assertIn("--mib and --folder are of the table", r.stderr)

    def test_file_without_room(self):
        """That is the system's (3), nothing is wrong then, and what else was measured is not lost."""
        few = [PROGRAM, "bench", "gcm", "file", "--impl", "portable", "--peers", "none", "--key", "128", "--dir", "enc",
               "--sizes", "16", *QUICK]
        measured = re.compile(r"(?m)^ +16 portable +\d")
        with tempfile.TemporaryDirectory(prefix="rijn-bench-") as d:
            for limit, tmp, said in ((65536, d, "65536 portable +not measured\n"), (1000, d, "65536 portable +not measured\n"),
                                     (-1, os.path.join(d, "none"), "not measured\n"), (-1, "x" * 5000, "not measured\n")):
                for more in ([], ["--launches", "2"]):
                    r = subprocess.run([*few, *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
                                       env={**os.environ, "TMPDIR": tmp},
                                       preexec_fn=lambda n=limit: resource.setrlimit(resource.RLIMIT_FSIZE, (n, n)))
                    self.assertEqual(r.returncode, SYSTEM, r.stderr)
                    self.assertRegex(r.stdout, measured)
                    self.assertRegex(r.stdout, said)
                    self.assertNotIn("WRONG", r.stdout)
                    self.assertIn("rijn bench: file: ", r.stderr)
                    self.assertEqual(os.listdir(d), [])
            long = os.path.join(d, *["x" * 100] * 4)
            os.makedirs(long)
            r = bench("file", "--sizes", "1k", *few[4:8], *QUICK, env={"TMPDIR": long})
            self.assertEqual((r.returncode, r.stderr, os.listdir(long)), (OK, "", []))


if __name__ == "__main__":
    unittest.main()
