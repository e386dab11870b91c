# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""As a part of others, and for others: a host project with strict warnings, without a shared library, in folders with odd names;
bare metal; Windows. What matters is what the compiler and the linker are told, so most of it is the syntax alone, and what is
built is built for i386, which has two sets."""
import concurrent.futures
import json
import os
import shlex
import shutil
import subprocess

from common import Scratch, arguments, fail, need, run

HOST = """cmake_minimum_required(VERSION 3.22)
project(host C)
set(CMAKE_C_STANDARD 99)
set(CMAKE_C_EXTENSIONS OFF)
add_compile_options({flags})
{more}
add_subdirectory("${{CMAKE_CURRENT_SOURCE_DIR}}/rijn" rijn)
add_executable(host main.c)
target_link_libraries(host PRIVATE rijn::rijn)
"""
MAIN = """#include <rijn.h>
int main(void) {
  static rijn_gcm_key key;
  static const unsigned char raw[16] = {1};
  return rijn_gcm_init(&key, raw, sizeof raw) != RIJN_OK || rijn_selftest(-1) != RIJN_OK;
}
"""
STRICT = "-Wall -Wextra -Wpedantic -Wundef -Wcast-align -Wcast-qual -Wmissing-prototypes -Werror -pedantic-errors"
ODD = "a b, #d 'e'"

args = arguments()


def syntax(build, count, ok=None):
    """The sources of a build, as its compiler is told, as far as their syntax."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as f:
        rows = [r for r in json.load(f) if "-ffreestanding" not in r["command"] and (ok is None or ok(r["file"]))]
    if len(rows) < count:
        fail(f"{build}: {len(rows)} sources")

    def one(row):
        words = shlex.split(row["command"])
        at = words.index("-o")
        done = subprocess.run([*words[:at], *words[at + 2:], "-fsyntax-only"], cwd=row["directory"], capture_output=True, text=True,
                              errors="replace")
        return (done.stderr or "failed") if done.returncode else ""

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for wrong in filter(None, pool.map(one, rows)):
            fail(f"{build}: {wrong[:3000]}")
    return len(rows)


def host(folder, flags, more=""):
    os.makedirs(folder)
    shutil.copytree(args.root, os.path.join(folder, "rijn"), ignore=lambda d, names: [
        n for n in names if d == args.root and n not in ("CMakeLists.txt", "cmake", "include", "src")])
    for name, text in (("CMakeLists.txt", HOST.format(flags=flags, more=more)), ("main.c", MAIN)):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
            f.write(text)
    return folder


def configure(source, build, *options):
    run(["cmake", "-S", source, "-B", build, "-G", "Ninja", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", *options])
    return build


with Scratch() as tmp:
    source = host(os.path.join(tmp, "strict"), STRICT)
    for cc in ("gcc", "clang-14"):
        build = configure(source, os.path.join(tmp, "strict-" + cc), "-DCMAKE_C_COMPILER=" + need(cc))
        print(f"a strict host, {cc}: {syntax(build, 20)} sources")

    # A host whose folders have names that a shell and ninja read otherwise.
    # CMake's own checks break at a quotation mark in the build folder.
    source = host(os.path.join(tmp, ODD + ' "f"'), "-Wall")
    build = configure(source, os.path.join(tmp, "build " + ODD), "-DCMAKE_C_FLAGS=-m32",
                      "-DCMAKE_SKIP_RPATH=ON")  # WHY: CMake hands it to the linker with its commas bare
    run(["cmake", "--build", build, "-j2"])
    run(["env", "LD_LIBRARY_PATH=" + os.path.join(build, "rijn", "src"), os.path.join(build, "host")])
    if not os.path.exists(os.path.join(build, "rijn/src/librijn.so")):
        fail("odd names: no shared library")
    print("odd names: built, and runs")
    # Rijn by itself in such a folder, with the manual pages, which a host does not make.
    build = configure(args.root, os.path.join(tmp, "alone " + ODD), "-DRIJN_BUILD_TESTS=OFF", "-DRIJN_BUILD_PROVIDER=OFF",
                      "-DCMAKE_SKIP_RPATH=ON")
    run(["cmake", "--build", build, "--target", "help"])  # ninja can read what was made
    if not os.path.exists(os.path.join(build, "man3/rijn_gcm_encrypt.3")):
        fail("odd names: no manual pages")

    source = host(os.path.join(tmp, "static"), "-Wall", "set(BUILD_SHARED_LIBS OFF)")
    build = configure(source, os.path.join(tmp, "build-static"), "-DCMAKE_C_FLAGS=-m32")
    if "rijn_shared" in run(["cmake", "--build", build, "--target", "help"]):
        fail("a host that wants static libraries gets a shared one")
    print("a host that wants static libraries gets no shared one")

    build = configure(args.root, os.path.join(tmp, "bare"), "-DCMAKE_SYSTEM_NAME=Generic", "-DCMAKE_C_COMPILER=gcc", "-DCMAKE_C_FLAGS=-m32",
                      "-DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY", "-DRIJN_BUILD_COMMAND=OFF", "-DRIJN_BUILD_PROVIDER=OFF",
                      "-DRIJN_BUILD_TESTS=OFF")
    run(["cmake", "--build", build, "-j2"])
    run(["cmake", "--install", build, "--prefix", os.path.join(tmp, "bare-root")])
    if not os.path.exists(os.path.join(tmp, "bare-root/lib/librijn.a")):
        fail("bare metal: no librijn.a is installed")
    print("bare metal: builds, and installs librijn.a")

    build = configure(args.root, os.path.join(tmp, "windows"), "-DCMAKE_SYSTEM_NAME=Windows",
                      "-DCMAKE_C_COMPILER=" + need("x86_64-w64-mingw32-gcc"))
    with open(os.path.join(build, "build.ninja"), encoding="utf-8") as f:
        for option in ("--version-script", "-Wl,-z,", "librijn.so"):
            if option in f.read():
                fail(f"Windows: the linker is given {option}")
            f.seek(0)
    print(f"Windows: {syntax(build, 20)} sources")
