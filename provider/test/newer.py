#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""A newer libcrypto and libssl than the system's: those that PyPI's psycopg-binary brings, put there by tools/setup.

As a program:  newer.py PROGRAM [ARGUMENT...]   runs the program with them.
"""
import contextlib
import glob
import os
import subprocess
import sys
import tempfile

OLDEST = 0x30500000
VERSION = "import ctypes; f = ctypes.CDLL('libcrypto.so.3').OpenSSL_version_num; f.restype = ctypes.c_ulong; print(f())"


@contextlib.contextmanager
def libraries():
    """What to put into a program's environment, as a dictionary."""
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    python = os.environ.get("RIJN_VENV_PYTHON", os.path.join(root, "build", "venv", "bin", "python"))
    (folder,) = glob.glob(os.path.join(os.path.dirname(os.path.dirname(python)), "lib", "python3*", "site-packages",
                                       "psycopg_binary.libs"))
    with tempfile.TemporaryDirectory(prefix="rijn-newer-") as links:
        for name in "libcrypto", "libssl":
            (real,) = glob.glob(os.path.join(folder, name + "-*.so.3"))
            os.symlink(real, os.path.join(links, name + ".so.3"))
        env = {"LD_LIBRARY_PATH": f"{links}:{folder}"}
        version = int(subprocess.run([sys.executable, "-c", VERSION], env={**os.environ, **env}, check=True,
                                     capture_output=True, text=True, timeout=900).stdout)
        if version < OLDEST:
            raise RuntimeError(f"{folder} has OpenSSL {version:#x}, older than {OLDEST:#x}")
        yield env


def main():
    with libraries() as env:
        return subprocess.run(sys.argv[1:], env={**os.environ, **env}, check=False).returncode


if __name__ == "__main__":
    code = main()
    sys.exit(code if code >= 0 else 128 - code)
