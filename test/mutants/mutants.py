# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""Planted faults: each one must make a named test fail.

A mutant is a copy of the sources, in a temporary folder, with one place changed. What depends on it is compiled and
linked in front of the library, with the source of a test that exists; the shipped sources are never touched. The same
test is linked without the fault first, and must pass.

A pattern that is not found exactly once is an error: the sources have moved on, and the list has to follow. So is a
mutant that does not compile, and a test that runs over its time."""
import argparse
import concurrent.futures
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading

from faults import FAULTS

parser = argparse.ArgumentParser()
parser.add_argument("--source", required=True, help="the project")
parser.add_argument("--build", required=True, help="its build folder, for sources.txt")
parser.add_argument("--cc", required=True)
parser.add_argument("--libs", required=True, help="libraries that a test is linked with, in this order, between bars")
parser.add_argument("--cmd-objects", default="", help="object files of the command, between bars")
parser.add_argument("--jobs", type=int, default=2)
parser.add_argument("--only", default="", help="faults whose name has this in it")
options = parser.parse_args()

CFLAGS = ["-std=c11", "-O1", "-w", "-DRIJN_TEST_HOOKS=1", "-DRIJN_REF_LIBCRYPTO=1"]
TIME = 240  # seconds for one test on a loaded machine; alone each takes less than one
libs = options.libs.split("|")


class Broken(Exception):
    """Something is wrong with the list or the tools, not with a test."""


def isa_flags():
    flags = {}
    with open(os.path.join(options.build, "sources.txt"), encoding="utf-8") as f:
        for line in f:
            words = line.split()
            if words[0] == "isa" and words[1] in ("x86_64", "other"):
                flags[words[2]] = words[3:]
    return flags


ISA_FLAGS = isa_flags()


def run(command, **more):
    return subprocess.run(command, capture_output=True, text=True, errors="replace", **more)


def compile_c(source, target, root, flags=()):
    include = ["-I" + os.path.join(root, d) for d in ("include", "src", "test/lib", "cmd")]
    command = [options.cc, *CFLAGS, *flags, *include, "-c", source, "-o", target]
    done = run(command)
    if done.returncode != 0:
        raise Broken(f"does not compile: {shlex.join(command)}\n{done.stderr[:2000]}")
    return target


def copy_tree(root):
    for d in ("include", "src", "cmd", "test/lib"):
        shutil.copytree(os.path.join(options.source, d), os.path.join(root, d))


def change(root, fault):
    path = os.path.join(root, fault.file)
    with open(path, encoding="utf-8") as f:
        text = f.read()
    found = text.count(fault.old)
    if found != 1:
        raise Broken(f"the pattern is {found} times in {fault.file}, not once; "
                     f"bring test/mutants/faults.py up to date:\n{fault.old}")
    with open(path, "w", encoding="utf-8") as f:
        f.write(text.replace(fault.old, fault.new))


def objects_of(root, fault, folder):
    made = []
    for source in fault.compiled:
        name = source.removeprefix("src/")
        flags = ISA_FLAGS.get(name, []) + (["-D_GNU_SOURCE"] if source.startswith("cmd/") else [])
        out = os.path.join(folder, os.path.basename(source) + ".o")
        made.append(compile_c(os.path.join(root, source), out, root, flags))
    return made


def test_source(test):
    area, name = test.split(".", 1)
    path = os.path.join(options.source, "test", area, name)
    for ending in (".c", ".py"):
        if os.path.exists(path + ending):
            return path + ending
    raise Broken(f"there is no test {test}: neither {path}.c nor .py")


made = {}
lock = threading.Lock()


def test_object(test, folder):
    with lock:
        if test not in made:
            source = test_source(test)
            made[test] = compile_c(source, os.path.join(folder, test + ".o"), options.source)
        return made[test]


def run_test(test, args, objects, folder, shared):
    """Exit status and output."""
    source = test_source(test)
    program = os.path.join(folder, "program")
    env = {**os.environ, "RIJN_REQUIRE_IMPLS": ""}
    if source.endswith(".py"):
        mutated = {os.path.basename(o) for o in objects}
        rest = [o for o in options.cmd_objects.split("|") if o and os.path.basename(o) not in mutated]
        if not rest:
            raise Broken("the command is not in this build")
        link = [options.cc, "-o", program, *objects, *rest, *libs, "-lm", "-ldl", "-lpthread"]
        command = [sys.executable, "-B", source]
        env["RIJN_PROGRAM"] = program
    else:
        extra = []
        if test == "rules.stream" and not any(o.endswith("gcm_stream.c.o") for o in objects):
            # As its CMakeLists.txt has it: with the hook of gcm_stream.c.
            hook = os.path.join(options.source, "src/gcm_stream.c")
            extra = [compile_c(hook, os.path.join(folder, "hook.o"), options.source)]
        link = [options.cc, "-o", program, test_object(test, shared), *objects, *extra, *libs, "-lpthread"]
        command = [program, *args]
    done = run(link)
    if done.returncode != 0:
        raise Broken(f"does not link: {done.stderr[:2000]}")
    try:
        done = run(command, env=env, timeout=TIME, cwd=folder)
    except subprocess.TimeoutExpired:
        raise Broken(f"{test} took more than {TIME} s") from None
    return done.returncode, done.stdout + done.stderr


def baseline(key, shared):
    test, args = key
    with tempfile.TemporaryDirectory() as folder:
        status, output = run_test(test, args, [], folder, shared)
    return None if status == 0 else f"{test} {' '.join(args)} fails without a fault, status {status}:\n{output[-1500:]}"


def try_fault(fault, shared):
    """None, or what is wrong."""
    try:
        with tempfile.TemporaryDirectory() as folder:
            root = os.path.join(folder, "tree")
            copy_tree(root)
            change(root, fault)
            objects = objects_of(root, fault, folder)
            status, output = run_test(fault.test, fault.args, objects, folder, shared)
    except Broken as e:
        return f"{fault.name}: {e}"
    if status == 0:
        return f"{fault.name}: NOT CAUGHT by {fault.test}"
    if status == 2 and "usage:" in output:
        return f"{fault.name}: {fault.test} did not run: {output[-500:]}"
    said = [l for l in output.splitlines() if "FAIL" in l or "fault at" in l or "illegal" in l]
    print(f"caught: {fault.name}: {fault.test}: {(said or ['status ' + str(status)])[0][:160]}", flush=True)
    return None


def main():
    names = [f.name for f in FAULTS]
    if len(set(names)) != len(names):
        sys.exit("FAIL: two faults have one name")
    chosen = [f for f in FAULTS if options.only in f.name]
    if not chosen:
        sys.exit(f"FAIL: no fault has {options.only!r} in its name")
    with tempfile.TemporaryDirectory() as shared, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        keys = sorted({(f.test, tuple(f.args)) for f in chosen})
        wrong = [w for w in pool.map(lambda k: baseline(k, shared), keys) if w]
        if wrong:
            sys.exit("FAIL: " + "\n".join(wrong))
        wrong = [w for w in pool.map(lambda f: try_fault(f, shared), chosen) if w]
    print(f"{len(chosen)} faults, {len(chosen) - len(wrong)} caught")
    if wrong:
        sys.exit("FAIL: " + "\n".join(wrong))


try:
    main()
except Broken as e:
    sys.exit(f"FAIL: {e}")
