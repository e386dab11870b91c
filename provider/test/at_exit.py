#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""How programs end with the provider: as they do without it. With the system's libcrypto and with a newer one.

at_exit.cc has the cases. It is built here, because it is C++ and a library besides.
"""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import newer

MODULES = os.environ["RIJN_MODULES"]
HERE = os.path.dirname(os.path.abspath(__file__))
CASES = ["static", "static, long message", "static, own context", "static in a function",
         "atexit before libcrypto", "atexit after libcrypto", "atexit before and after", "cleanup by hand",
         "error left", "fork", "fork before libcrypto", "plugin", "plugin, unloaded", "plugin, libcrypto in use"]


class AtExit(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.dir = tempfile.mkdtemp(prefix="rijn-exit-")
        cls.addClassCleanup(shutil.rmtree, cls.dir)
        source = os.path.join(HERE, "at_exit.cc")
        cls.program, cls.plugin = (os.path.join(cls.dir, name) for name in ("at_exit", "plugin.so"))
        flags = ["-std=c++17", "-Wall", "-Wextra", "-O1"]
        subprocess.run(["g++", *flags, source, "-o", cls.program, "-lssl", "-lcrypto"], check=True, timeout=900)
        subprocess.run(["g++", *flags, "-DPLUGIN", "-fPIC", "-shared", source, "-o", cls.plugin, "-lssl", "-lcrypto"],
                       check=True, timeout=900)

    def conf(self, rijn):
        path = os.path.join(self.dir, "rijn.cnf" if rijn else "plain.cnf")
        with open(path, "w", encoding="utf-8") as f:
            f.write("\n".join((
                "openssl_conf = init", "[init]", "providers = providers", "alg_section = properties", "[properties]",
                "default_properties = ?provider=rijn" if rijn else "", "[providers]", "default = default_sect",
                "rijn = rijn_sect" if rijn else "", "[default_sect]", "activate = 1", "[rijn_sect]",
                f"module = {MODULES}/rijn.so", "activate = 1", "algorithms = gcm,ctr,cbc,xts,ecb", "")))
        return path

    def cases(self, libraries):
        for rijn in False, True:
            env = {k: v for k, v in os.environ.items() if not k.startswith(("OPENSSL_", "LD_"))}
            env.update(OPENSSL_CONF=self.conf(rijn), **libraries)
            for case in CASES:
                with self.subTest(case=case, rijn=rijn):
                    r = subprocess.run([self.program, case, self.plugin], env=env, capture_output=True, text=True,
                                       timeout=900)
                    self.assertEqual((r.returncode, r.stdout), (0, "reached the end\n"), r.stderr)

    def test_system(self):
        self.cases({})

    def test_newer(self):
        with newer.libraries() as libraries:
            self.cases(libraries)


if __name__ == "__main__":
    unittest.main(verbosity=2, argv=[sys.argv[0], *sys.argv[1:]])
