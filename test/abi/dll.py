# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""The DLL as CMake makes it by mingw-w64: what it exports and needs; and the examples of the library alone, linked with
the installed one and run by wine. Each example checks its results. usage: dll.py SOURCE BUILD"""
import os
import re
import sys
import tempfile

from windows import CC, run, wine

source, build = sys.argv[1:3]
EXAMPLES = ("batch", "records", "sectors", "siv", "stream", "xaes")
OWN = {"librijn.dll"}


def wanted():
    with open(os.path.join(source, "src", "rijn.map"), encoding="utf-8") as f:
        return set(re.findall(r"^  (rijn_\w+);$", f.read(), re.M))


def tables(name):
    """What a file of Windows exports, and of which files it needs something."""
    said = run(["x86_64-w64-mingw32-objdump", "-p", name])
    exports = said.partition("[Ordinal/Name Pointer] Table")[2]
    return set(re.findall(r"^\s+\[ *\d+\].*?(\w+)$", exports, re.M)), set(re.findall(r"DLL Name: (\S+)", said))


def system(names):
    """Only what every Windows has: the kernel's calls, and the C library that mingw-w64 takes."""
    return {n.lower() for n in names} <= {"kernel32.dll", "msvcrt.dll"}


with tempfile.TemporaryDirectory(dir=build, ignore_cleanup_errors=True) as folder:
    made, at = os.path.join(folder, "build"), os.path.join(folder, "at")
    run(["cmake", "-S", source, "-B", made, "-G", "Ninja", "-DCMAKE_SYSTEM_NAME=Windows", "-DCMAKE_C_COMPILER=" + CC,
         "-DRIJN_BUILD_SHARED=ON", "-DCMAKE_INSTALL_PREFIX=" + at, "-DCMAKE_INSTALL_LIBDIR=lib"])
    run(["cmake", "--build", made, "--parallel", "2"])
    run(["cmake", "--install", made])
    dll = os.path.join(at, "bin", "librijn.dll")
    exports, needs = tables(dll)
    if exports != wanted() or len(exports) < 50:
        sys.exit(f"FAIL: exported and not promised, or the other way: {sorted(exports ^ wanted())}")
    if not system(needs):
        sys.exit(f"FAIL: the DLL needs {needs}")
    print(f"librijn.dll exports the {len(exports)} calls of rijn.h")
    with wine(folder) as (wine64, env):
        for name in EXAMPLES:
            program = os.path.join(at, "bin", name + ".exe")
            run([CC, "-std=c11", "-O2", "-D__USE_MINGW_ANSI_STDIO=1", "-I" + os.path.join(at, "include"),
                 os.path.join(source, "examples", name + ".c"), "-L" + os.path.join(at, "lib"), "-lrijn", "-o", program])
            needs = tables(program)[1]
            if not OWN <= needs or not system(needs - OWN):
                sys.exit(f"FAIL: {name} needs {needs}")
            print(f"{name}: {run([wine64, program], env=env, cwd=folder, timeout=900).strip().splitlines()[-1]}")
