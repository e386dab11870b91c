# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""Builds the fuzzers with clang, or with afl-clang-fast: the targets, the command's sources and the library's rules are
instrumented, with the address and undefined behaviour sanitizers; the instruction sets are the objects of the build as
they are."""
import argparse
import concurrent.futures
import glob
import os
import re
import subprocess
import sys

parser = argparse.ArgumentParser()
parser.add_argument("--source", required=True)
parser.add_argument("--build", required=True, help="the build folder, for sources.txt")
parser.add_argument("--out", required=True)
parser.add_argument("--cc", required=True)
parser.add_argument("--isa-objects", required=True, help="between bars")
parser.add_argument("--libs", required=True, help="between bars")
parser.add_argument("targets", nargs="+")
options = parser.parse_args()

SANITIZE = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
# The engine is linked in by -fsanitize=fuzzer; afl-clang-fast takes the same option.
CFLAGS = ["-std=c11", "-O1", "-g", "-w", "-D_GNU_SOURCE", "-D_FILE_OFFSET_BITS=64", "-DRIJN_REF_LIBCRYPTO=1", *SANITIZE,
          "-fsanitize=fuzzer-no-link"]
NEEDS = {"file": ["files"], "header": ["files"], "args": ["cmd", "files"]}
FILES = [os.path.basename(p)[:-2] for p in sorted(glob.glob(os.path.join(options.source, "file", "*.c")))]


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"FAIL: {' '.join(command)}\n{done.stderr[:4000]}")


def compile_c(source):
    target = os.path.join(options.out, source.replace("/", "_") + ".o")
    include = [f"-I{os.path.join(options.source, d)}" for d in ("include", "file/include", "file", "src", "test/lib", "cmd", "file/cmd")]
    run([options.cc, *CFLAGS, *include, "-c", os.path.join(options.source, source), "-o", target])
    return target


def words(pattern):
    text = ""
    for path in glob.glob(os.path.join(options.source, pattern)):
        with open(path, encoding="utf-8") as f:
            text += f.read()
    return set(re.findall(r"\brijn_[a-z0-9_]+\b", text))


# The version has no arguments, and the self-tests take as long as hundreds of inputs.
unseen = words("src/rijn.map") - words("test/fuzz/*.c") - {"rijn_version", "rijn_selftest", "rijn_selftest_mode"}
if unseen:
    sys.exit(f"FAIL: no fuzzer calls {' '.join(sorted(unseen))}")
os.makedirs(options.out, exist_ok=True)
with open(os.path.join(options.build, "sources.txt"), encoding="utf-8") as f:
    rules = ["src/" + line.split()[1] for line in f if line.split()[0] in ("core", "hook")]
groups = {
    "library": rules + [f"test/lib/{n}.c" for n in ("t", "ref", "model")],
    "cmd": [f"cmd/{n}.c" for n in ("args", "say", "io", "signals", "output", "progress")],
    "files": [f"file/{n}.c" for n in FILES],
    **{name: [f"test/fuzz/{name}.c"] for name in options.targets},
}
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    objects = {name: list(pool.map(compile_c, sources)) for name, sources in groups.items()}
    list(pool.map(run, ([options.cc, *SANITIZE, "-fsanitize=fuzzer", *objects[name],
                         *(o for more in NEEDS.get(name, []) for o in objects[more]), *objects["library"],
                         *options.isa_objects.split("|"), *options.libs.split("|"), "-lm", "-lpthread",
                         "-o", os.path.join(options.out, "fuzz_" + name)] for name in options.targets)))
