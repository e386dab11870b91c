# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""Variants of a set: its file with other values, compiled, and linked with the rest of the library."""
import concurrent.futures
import hashlib
import os
import re
import subprocess

import rijn_sets

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SOURCES = os.path.join(ROOT, "src")
BENCH = os.path.join(ROOT, "bench")  # whose clock the runner has
HERE = os.path.dirname(os.path.abspath(__file__))
BY = re.compile(r"BY_(COMPILER|WIDTH)\((\w+), (\w+)\)")
FLAGS = ["-std=c11", "-O2", "-fPIC", "-fvisibility=hidden", "-w"]


class Failed(Exception):
    """A compiler, or the runner, says what is wrong."""


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode:
        said = [line for line in done.stderr.splitlines() if "error" in line] or done.stderr.splitlines() or [""]
        raise Failed(f"{said[0][:300]} (status {done.returncode})")
    return done.stdout


class Compiler:
    """A C compiler, and what it makes code for."""

    def __init__(self, cc):
        self.cc = cc.split()
        macros = run([*self.cc, "-dM", "-E", "-x", "c", os.devnull])
        self.kind = "clang" if "__clang__" in macros else "gcc"
        name = "__clang_major__" if self.kind == "clang" else "__GNUC__"
        self.major = int(re.search(rf"#define {name} (\d+)", macros)[1])
        self.bits = 8 * int(re.search(r"#define __SIZEOF_POINTER__ (\d+)", macros)[1])
        names = {"__x86_64__": "x86_64", "__i386__": "i386", "__aarch64__": "aarch64", "__powerpc64__": "ppc64le"}
        self.machine = next((names[m] for m in names if f"#define {m} " in macros), "other")
        self.version = run([*self.cc, "--version"]).splitlines()[0]

    def value(self, text):
        """A value of a set's file as this compiler has it."""
        by = BY.fullmatch(text)
        if by:
            text = by[2] if (self.kind == "gcc" if by[1] == "COMPILER" else self.bits == 32) else by[3]
        return rijn_sets.CONSTANTS[text] if text in rijn_sets.CONSTANTS else int(text)

    def written(self, text, name, value):
        """The text that takes the place of text, so that this compiler has that value, and others what they had."""
        terms = [n for n, v in rijn_sets.CONSTANTS.items() if n.isupper() and not n.startswith("RIJN") and v == value]
        new = terms[0] if name == "MIDDLE_TERM" else str(value)
        by = BY.fullmatch(text)
        if not by:
            return new
        first = self.kind == "gcc" if by[1] == "COMPILER" else self.bits == 32
        pair = (new, by[3]) if first else (by[2], new)
        return pair[0] if pair[0] == pair[1] else f"BY_{by[1]}({pair[0]}, {pair[1]})"


class Tree:
    """The sources, compiled by one compiler into a folder."""

    def __init__(self, compiler, folder, jobs):
        self.compiler, self.folder, self.jobs = compiler, folder, jobs
        self.sets = rijn_sets.Sets()
        self.mine = self.sets.of(compiler.machine)
        self.defines = ["-D" + row.name for row in self.sets.defines
                        if (row.where, row.compiler, row.version) == (compiler.machine, compiler.kind, str(compiler.major))]  # fmt: skip
        self.digest = self._digest()
        os.makedirs(folder, exist_ok=True)

    def _digest(self):
        digest = hashlib.sha256(repr((self.compiler.version, self.compiler.cc, FLAGS)).encode())
        for folder, _, files in sorted(os.walk(SOURCES)):
            for name in sorted(files):
                with open(os.path.join(folder, name), "rb") as f:
                    digest.update(name.encode() + f.read())
        return digest.hexdigest()[:16]

    def row(self, name):
        return next(row for row in self.mine if row.name == name)

    def text(self, row):
        with open(os.path.join(SOURCES, "isa", row.file + ".c"), encoding="utf-8") as f:
            return f.read()

    def values(self, text):
        """The values that a set's text has, as numbers."""
        found = re.findall(r"^#define (\w+) (\w+(?:\([^)]*\))?)", text, re.MULTILINE)
        names = {row.name for row in rijn_sets.parameters()}
        return {name: self.compiler.value(value) for name, value in found if name in names}

    def changed(self, text, change):
        """The text with other values."""
        for name, value in change.items():
            line = re.compile(rf"^(#define {name} )(\w+(?:\([^)]*\))?)", re.MULTILINE)
            old = line.search(text)[2]
            if self.compiler.value(old) != value:
                text = line.sub(lambda m: m[1] + self.compiler.written(m[2], name, value), text)
        return text

    def flags(self, row):
        flags = self.sets.flags(row) + self.sets.compiler_flags(row, self.compiler.machine, self.compiler.kind)
        if self.compiler.kind == "clang" or self.compiler.major < 12:
            flags = [flag for flag in flags if not flag.startswith(("-mmove-max", "-mstore-max"))]
        return flags

    def _compile(self, source, flags, out):
        where = ["-I", os.path.join(ROOT, "include"), "-I", SOURCES, "-I", os.path.join(SOURCES, "isa")]
        partial = f"{out}.{os.getpid()}.part"  # an interrupted run leaves nothing that looks whole
        run([*self.compiler.cc, *FLAGS, *self.defines, *where, *flags, "-c", "-o", partial, source])
        os.replace(partial, out)

    def base(self):
        """Compiles all of the library; the objects by name."""
        folder = os.path.join(self.folder, "base-" + self.digest)
        os.makedirs(folder, exist_ok=True)
        rules = self.sets.arch(self.compiler.machine).rules.split()
        todo = [(row.file, os.path.join(SOURCES, row.file + ".c"), rules) for row in self.sets.sources]
        todo += [(row.file, os.path.join(SOURCES, "isa", row.file + ".c"), self.flags(row)) for row in self.mine]
        todo.append(("portable", os.path.join(SOURCES, "isa", "portable.c"), []))
        self.objects = {name: os.path.join(folder, name + ".o") for name, _, _ in todo}
        jobs = [(source, flags, self.objects[name]) for name, source, flags in todo
                if not os.path.exists(self.objects[name])]  # fmt: skip
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            list(pool.map(lambda job: self._compile(*job), jobs))
        return self._link(self.objects, os.path.join(folder, "librijn.so"))

    def _link(self, objects, out):
        if not os.path.exists(out):
            partial = f"{out}.{os.getpid()}.part"
            script = "-Wl,--version-script=" + os.path.join(SOURCES, "rijn.map")
            run([*self.compiler.cc, "-shared", "-Wl,-Bsymbolic", script, "-o", partial, *objects.values()])
            os.replace(partial, out)
        return out

    def variant(self, row, text):
        """The library with that text for the set: the path of a shared object. Failed: it does not compile."""
        digest = hashlib.sha256(text.encode()).hexdigest()[:12]
        folder = os.path.join(self.folder, f"{row.file}-{self.digest}-{digest}")
        os.makedirs(folder, exist_ok=True)
        source, out = os.path.join(folder, row.file + ".c"), os.path.join(folder, row.file + ".o")
        if not os.path.exists(out):
            with open(source, "w", encoding="utf-8") as f:
                f.write(re.sub(r'#include "\.\./', f'#include "{SOURCES}/', text))
            self._compile(source, self.flags(row), out)
        return self._link({**self.objects, row.file: out}, os.path.join(folder, "librijn.so"))

    def runner(self):
        """The runner, compiled."""
        files = [os.path.join(HERE, name) for name in ("runner.c", "check.c")]
        files += [os.path.join(BENCH, name) for name in ("clock.c", "stats.c")]
        digest = hashlib.sha256(self.compiler.version.encode())
        for path in files:
            with open(path, "rb") as f:
                digest.update(f.read())
        out = os.path.join(self.folder, "runner-" + digest.hexdigest()[:12])
        if not os.path.exists(out):
            where = ["-I", os.path.join(ROOT, "include"), "-I", BENCH]
            run([*self.compiler.cc, "-std=gnu11", "-O2", "-w", "-D_GNU_SOURCE", *where, "-o", out, *files, "-ldl", "-lm"])
        return out
