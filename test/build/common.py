# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""What the tests of builds share: where things are, running programs, compiling the library's sources in other ways."""
import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tools"))
import rijn_sets

SETS = rijn_sets.Sets()
WARNINGS = ["-Werror", "-Wall", "-Wextra", "-Wconversion", "-Wshadow"]


def arguments(*more):
    """--root, --build, --cc (the compiler of the build) and any more that a test takes."""
    parser = argparse.ArgumentParser()
    for name in ("root", "build", "cc") + more:
        parser.add_argument("--" + name, required=True)
    return parser.parse_args()


def fail(text):
    sys.exit("FAIL: " + text)


def need(program):
    """A missing tool is a failure, not a skip."""
    if not shutil.which(program):
        fail(f"{program} is not installed (tools/setup test brings it)")
    return program


def run(command, cwd=None, env=None, ok=True, quiet=False):
    """Output of a command; a failure unless ok is False, in which case the finished process is returned."""
    command = [str(c) for c in command]
    need(command[0])
    done = subprocess.run(
        command, cwd=cwd, env={**os.environ, **(env or {})}, capture_output=True, text=True, errors="replace"
    )
    if not ok:
        return done
    if done.returncode != 0:
        out = (done.stdout + done.stderr).strip().splitlines()
        fail(f"{shlex.join(command)}\nexit status {done.returncode}\n" + "\n".join(out[:60]))
    return done.stdout


class Scratch:
    """A folder that is gone at the end."""

    def __enter__(self):
        self.path = tempfile.mkdtemp(prefix="rijn-build-")
        return self.path

    def __exit__(self, *_):
        shutil.rmtree(self.path, ignore_errors=True)


class Sources:
    """The library's sources as src/CMakeLists.txt lists them."""

    def __init__(self, args):
        self.root = args.root
        self.core, self.hook, self.isa = [], [], {}
        with open(os.path.join(args.build, "sources.txt"), encoding="utf-8") as f:
            for line in f:
                kind, *words = line.split()
                if kind == "isa":
                    self.isa.setdefault(words[0], []).append((words[1], words[2:]))
                else:
                    (self.core if kind == "core" else self.hook).append(words[0])
        if not self.core or not self.hook or not self.isa:
            fail("sources.txt of the build is incomplete")

    def path(self, name):
        return os.path.join(self.root, "src", name)

    def compile(self, command, name, out):
        """Compiles src/name with command into the folder out; returns the object."""
        obj = os.path.join(out, name.replace("/", "_") + ".o")
        include = ["-I", os.path.join(self.root, "include"), "-I", os.path.join(self.root, "src")]
        if command[0].startswith(("clang", "gcc-11")):  # as src/CMakeLists.txt does
            command = [c for c in command if not c.startswith(("-mmove-max=", "-mstore-max="))]
        run([*command, "-std=c11", *include, "-c", self.path(name), "-o", obj])
        return obj


# Prefix of the binutils that read an architecture's objects.
TOOLS = {arch.name: arch.tools + "-" if arch.tools else "" for arch in SETS.archs}


def check_isa(args, arch, objects):
    """Holds objects, pairs of path and source, against their sets: an instruction set's file against that of its name."""
    base = SETS.arch(arch).base
    pairs = []
    for path, name in objects:
        folder, stem = os.path.split(name)
        own = folder == "isa" and stem != "portable.c"
        pairs.append(path + "=" + (stem[:-2].replace("_", "-") if own else base))
    print(run([os.path.join(args.root, "tools/isa-check"), "--objdump", TOOLS[arch] + "objdump", *pairs]), end="")


def symbols(nm, objects, defined):
    """Names of global symbols that the objects define, or want."""
    flag = "--defined-only" if defined else "--undefined-only"
    names = set()
    for line in run([nm, "-g", flag, *objects]).splitlines():
        cells = line.split()
        if len(cells) >= 2 and not line.endswith(":"):
            names.add(cells[-1])
    return names


def soname(root):
    """librijn.so.MAJOR, and with major version 0 the minor one too: the binary interface may change with it."""
    with open(os.path.join(root, "include/rijn.h"), encoding="utf-8") as f:
        major, minor = re.search(r'RIJN_VERSION_STRING "(\d+)\.(\d+)', f.read()).groups()
    return "librijn.so." + (f"0.{minor}" if major == "0" else major)


def api(root):
    """Names of the calls that rijn.h declares."""
    with open(os.path.join(root, "include/rijn.h"), encoding="utf-8") as f:
        text = re.sub(r"/\*.*?\*/", " ", f.read(), flags=re.S)
    names = re.findall(r"\bRIJN_API\b[^;(]*?\b(rijn_\w+)\s*\(", text)
    if len(names) < 10 or len(set(names)) != len(names):
        fail(f"rijn.h: {len(names)} declarations, {len(set(names))} of them different")
    return set(names)
