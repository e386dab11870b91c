# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""Builds the command and librijn-file with a sanitizer of clang, over the library as it is, and runs tests with it.
Arguments: the source, the build folder, the static library, the sanitizer, names of tests."""
import concurrent.futures
import glob
import os
import subprocess
import sys

source, build, library, sanitizer, *tests = sys.argv[1:]
FLAGS = {"address": ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"],
         "thread": ["-fsanitize=thread"]}[sanitizer]
out = os.path.join(build, "test", "cmd", sanitizer)
os.makedirs(out, exist_ok=True)


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"FAIL: {' '.join(command)}\n{done.stderr[:4000]}")
    return done.stdout.split()


packages = ("json-c", "libcurl", "libsodium", "libargon2")
flags = ["-std=gnu11", "-O1", "-g", "-w", "-fno-omit-frame-pointer", "-D_GNU_SOURCE", "-D_FILE_OFFSET_BITS=64", *FLAGS]
flags += [f"-I{os.path.join(source, d)}" for d in ("include", "file/include", "file", "cmd", "file/cmd")]
flags += run("pkg-config", "--cflags", *packages)


def compile_c(path):
    target = os.path.join(out, os.path.basename(path) + ".o")
    run("clang-14", *flags, "-c", path, "-o", target)
    return target


sources = sorted(name for folder in ("file", "file/cmd", "cmd") for name in glob.glob(os.path.join(source, folder, "*.c")))
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    objects = list(pool.map(compile_c, sources))
program = os.path.join(out, "rijn")
libraries = run("pkg-config", "--libs", "json-c", "libsodium", "libargon2")
run("clang-14", *FLAGS, *objects, library, *libraries, "-lm", "-ldl", "-lpthread", "-o", program)
failed = []
for test in tests:
    path = os.path.join(source, "file/cmd/test", test + ".py")
    done = subprocess.run([sys.executable, "-B", path], env={**os.environ, "RIJN_PROGRAM": program}, text=True,
                          capture_output=True, check=False)
    print(test, done.stderr.rstrip().splitlines()[-1])
    if done.returncode != 0:
        failed.append(test)
        print(done.stderr)
sys.exit(f"FAIL: {', '.join(failed)}" if failed else 0)
