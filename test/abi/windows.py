# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""mingw-w64's compiler, and wine."""
import contextlib
import os
import shutil
import subprocess
import sys

CC = "x86_64-w64-mingw32-gcc"


def run(command, **more):
    if not shutil.which(command[0]):
        sys.exit(f"FAIL: {command[0]} is missing (tools/setup test installs it; test/abi/packages.txt)")
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", **more)
    if done.returncode != 0:
        sys.exit(f"FAIL: {' '.join(command)}\n{done.stdout[-4000:]}\nexit status {done.returncode}")
    return done.stdout


@contextlib.contextmanager
def wine(folder):
    """What runs a program, and its environment; its server ends with the block. All that wine writes goes into the
    folder."""
    found = [p for p in ("/usr/lib/wine/wine64", "/usr/bin/wine64") if os.path.exists(p)]
    if not found:
        sys.exit("FAIL: wine64 is missing (tools/setup test installs it; test/abi/packages.txt)")
    server = "/usr/lib/wine/wineserver64"
    server = server if os.path.exists(server) else "wineserver"
    # WHY: no window, no browser, no .NET: only what runs a program.
    env = dict(os.environ, WINEPREFIX=os.path.join(folder, "wine"), WINEDEBUG="-all", HOME=folder,
               WINEDLLOVERRIDES="mscoree,mshtml,winemenubuilder.exe=", DISPLAY="")
    try:
        yield found[0], env
    finally:
        subprocess.run([server, "-k"], env=env, check=False)
        subprocess.run([server, "-w"], env=env, check=False, timeout=900)
