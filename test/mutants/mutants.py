# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""Planted faults: each one must make a named test fail.

A mutant is a copy of the sources, in a temporary folder, with one place changed. What depends on it is compiled and
linked in front of the library, with the source of a test that exists; the shipped sources are never touched. The same
test is linked without the fault first, and must pass.

A fault may be for another build: "aarch64" and "ppc64le" link with what test/foreign has built and run under its
emulators; "asan" and "tsan" compile the rules with clang's sanitizers. Tests of fuzz are built by test/fuzz/build.py,
those of vectors are the adapter, and those of provider have a module built from the changed sources of provider.

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
from typing import NamedTuple

from faults import FAULTS

parser = argparse.ArgumentParser()
parser.add_argument("--source", required=True, help="the project")
parser.add_argument("--build", required=True, help="its build folder, for sources.txt")
parser.add_argument("--cc", required=True)
parser.add_argument("--libs", required=True, help="libraries that a test is linked with, in this order, between bars")
parser.add_argument("--cmd-objects", default="", help="object files of the command, between bars")
parser.add_argument("--cmd-libs", default="", help="what the command is linked with beside them, between bars")
parser.add_argument("--isa-objects", default="", help="object files of the instruction sets, between bars")
parser.add_argument("--vectors", default="", help="where the published vectors are")
parser.add_argument("--jobs", type=int, default=2)
parser.add_argument("--only", default="", help="faults whose name has this in it")
parser.add_argument("--links", action="store_true", help="runs nothing: does one fault of each kind compile and link?")
options = parser.parse_args()

TIME = 1800  # seconds for one test on a loaded machine; alone most take less than one


class Machine(NamedTuple):
    """What a test is compiled for, and with."""
    cc: str
    cflags: tuple
    libs: tuple
    arch: str = "x86_64"
    run: tuple = ()
    all_rules: bool = False  # compiles all of the library's rules, not only what a fault touches


CFLAGS = ("-std=c11", "-O1", "-w", "-DRIJN_TEST_HOOKS=1")
NATIVE = (*CFLAGS, "-DRIJN_REF_LIBCRYPTO=1")
LIBS, CMD_LIBS = (tuple(libs.split("|")) for libs in (options.libs, options.cmd_libs))


def foreign(arch, cc, cpu):
    root = os.path.join(options.build, "test/foreign", arch)
    libs = tuple(os.path.join(root, lib) for lib in ("test/lib/librijn_testlib.a", "src/librijn_hooked.a"))
    return Machine(cc, CFLAGS, (*libs, "-static"), arch, (f"qemu-{arch}-static", "-cpu", cpu))


MACHINES = {
    "": Machine(options.cc, NATIVE, LIBS),
    "asan": Machine("clang-14", (*NATIVE, "-fsanitize=address,undefined", "-fno-sanitize-recover=all"), LIBS,
                    all_rules=True),
    "tsan": Machine("clang-14", (*NATIVE, "-fsanitize=thread"), LIBS, all_rules=True),
    "aarch64": foreign("aarch64", "aarch64-linux-gnu-gcc", "max"),
    "ppc64le": foreign("ppc64le", "powerpc64le-linux-gnu-gcc", "power9"),
}


class Broken(Exception):
    """Something is wrong with the list or the tools, not with a test."""


def listing():
    with open(os.path.join(options.build, "sources.txt"), encoding="utf-8") as f:
        return [line.split() for line in f]


RULES = ["src/" + words[1] for words in listing() if words[0] in ("core", "hook")]
ISA_FLAGS = {(words[1], words[2]): words[3:] for words in listing() if words[0] == "isa"}


def run(command, **more):
    return subprocess.run(command, capture_output=True, text=True, errors="replace", **more)


def compile_c(source, target, root, machine, flags=()):
    include = ["-I" + os.path.join(root, d) for d in ("include", "file/include", "src", "test/lib", "cmd", "file", "file/cmd")]
    command = [machine.cc, *machine.cflags, *flags, *include, "-c", os.path.join(root, source), "-o", target]
    done = run(command)
    if done.returncode != 0:
        raise Broken(f"does not compile: {shlex.join(command)}\n{done.stderr[:2000]}")
    return target


def copy_tree(root):
    for d in ("include", "src", "cmd", "file", "test", "provider"):
        shutil.copytree(os.path.join(options.source, d), os.path.join(root, d))


def change(root, fault):
    path = os.path.join(root, fault.file)
    if not os.path.exists(path):
        raise Broken(f"there is no {fault.file}; bring test/mutants/faults.py up to date")
    with open(path, encoding="utf-8") as f:
        text = f.read()
    found = text.count(fault.old)
    if found != 1:
        raise Broken(f"the pattern is {found} times in {fault.file}, not once; "
                     f"bring test/mutants/faults.py up to date:\n{fault.old}")
    with open(path, "w", encoding="utf-8") as f:
        f.write(text.replace(fault.old, fault.new))


def objects_of(root, compiled, folder, machine):
    """Object files, by name of source."""
    made = {}
    for source in (*(RULES if machine.all_rules else ()), *compiled):
        flags = ISA_FLAGS.get((machine.arch, source.removeprefix("src/")), [])
        flags = [*flags, *(["-D_GNU_SOURCE"] if source.startswith(("cmd/", "file/")) else [])]
        made[source] = compile_c(source, os.path.join(folder, source.replace("/", "_") + ".o"), root, machine, flags)
    return made


def test_source(test):
    area, name = test.split(".", 1)
    for folder in (f"test/{area}", f"{area}/test", f"file/{area}/test"):
        for ending in (".py", ".c"):  # a program may be the other's tool
            path = f"{folder}/{name}{ending}"
            if os.path.exists(os.path.join(options.source, path)):
                return path
    raise Broken(f"there is no test {test}: no {name}.py or .c in the folders of {area}")


shared_objects = {}
lock = threading.Lock()


def shared_object(source, folder, machine):
    """Of a file that no fault touches: compiled once."""
    with lock:
        if (source, machine) not in shared_objects:
            target = os.path.join(folder, f"{len(shared_objects)}.o")
            shared_objects[source, machine] = compile_c(source, target, options.source, machine)
        return shared_objects[source, machine]


def build_fuzzer(root, test, folder):
    """The command that runs it."""
    name = test.split(".")[1]
    target, cc, runner = ("file", "afl-clang-fast", ["afl.py", shutil.which("afl-fuzz")]) if name == "afl" else \
        (name, "clang-14", ["fuzz.py"])
    done = run([sys.executable, "-B", os.path.join(root, "test/fuzz/build.py"), "--source", root, "--build", options.build,
                "--out", folder, "--cc", cc, "--isa-objects", options.isa_objects, "--libs", "|".join([LIBS[-1], *CMD_LIBS]), target])
    if done.returncode != 0:
        raise Broken(f"does not build: {done.stdout[-1000:]}{done.stderr[-2000:]}")
    return [sys.executable, "-B", os.path.join(root, "test/fuzz", runner[0]), *runner[1:],
            os.path.join(folder, "fuzz_" + target), os.path.join(root, "test/fuzz/corpus", target)]


# What provider/test/CMakeLists.txt calls them, where the name of the test is not that of its source.
PROVIDER_SOURCES = {"gcm": "diff_gcm", "modes": "diff_modes", "tls": "diff_tls"}


def build_provider(root, name, folder, machine):
    """The modules, installed and counting, and the flags and sources of the test, which finds them in the folder."""
    sources = [os.path.join(root, "provider", f) for f in sorted(os.listdir(os.path.join(root, "provider"))) if f.endswith(".c")]
    flags = ["-O2", "-fPIC", "-shared", "-nostartfiles", "-fvisibility=hidden", "-D_GNU_SOURCE", "-DRIJN_STATIC_ONLY",
             "-I" + os.path.join(root, "include"), "-I" + os.path.join(root, "provider"),
             "-Wl,-z,now,--version-script=" + os.path.join(root, "provider/provider.map")]
    count = ["-DRIJN_PROVIDER_COUNT=1", os.path.join(root, "provider/test/count.c")]
    where = []
    for variant, more in (("plain", []), ("counted", count)):
        made = os.path.join(folder, variant)
        os.mkdir(made)
        done = run([machine.cc, *machine.cflags, *flags, *more, *sources, "-o", os.path.join(made, "rijn.so"), LIBS[1]])
        if done.returncode != 0:
            raise Broken(f"the module does not build: {done.stderr[:2000]}")
        where.append(made)
    cnf = os.path.join(options.build, "test/provider/all_modes.cnf")
    defines = [f'-DRIJN_MODULES="{where[0]}"', f'-DRIJN_MODULES_COUNTED="{where[1]}"', f'-DRIJN_ALL_MODES_CNF="{cnf}"',
               "-I" + os.path.join(root, "include"), "-I" + os.path.join(root, "test/lib")]
    tests = [os.path.join(root, "provider/test", n + ".c") for n in (PROVIDER_SOURCES.get(name, name), "pair")]
    return [*defines, *tests]


def build_test(root, test, objects, folder, shared, machine):
    """The command that runs it, and what the environment has besides. What objects has is not taken from elsewhere."""
    if test.startswith("fuzz."):
        return build_fuzzer(root, test, folder), {}
    program, files, environment = os.path.join(folder, "program"), list(objects.values()), {}
    flags, libs = [], []
    if test.startswith("provider."):
        sources, command = [], [program]
        flags = [*build_provider(root, test.split(".")[1], folder, machine), "-Wl,-z,now"]  # as for the command
    elif test.startswith("vectors."):
        sources = [f"test/adapter/{n}.c" for n in ("rijn-adapter", "modes", "json")]
        runner = os.path.join(root, "test/vectors/run.py")
        command = [sys.executable, "-B", runner, program, test.split(".")[1], options.vectors]
    else:
        source = test_source(test)
        if source.endswith(".c"):
            command = [*machine.run, program]
            # As its CMakeLists.txt has it: with the hook of gcm_stream.c.
            sources = [source, *(["src/gcm_stream.c"] if test == "rules.stream" else [])]
        else:
            sources = []
            own = {os.path.basename(s) + ".o" for s in objects}
            files += [o for o in options.cmd_objects.split("|") if o and os.path.basename(o) not in own]
            if not options.cmd_objects:
                raise Broken("the command is not in this build")
            command = [sys.executable, "-B", os.path.join(root, source)]
            environment["RIJN_PROGRAM"] = program
            libs = CMD_LIBS
            flags = ["-Wl,-z,now"]  # as the command is linked: a lazy linker saves registers on the stack
    files += [shared_object(s, shared, machine) for s in sources if s not in objects]
    done = run([machine.cc, *machine.cflags, *flags, "-o", program, *files, *libs, *machine.libs, "-lm", "-ldl", "-lpthread"])
    if done.returncode != 0:
        raise Broken(f"does not link: {done.stderr[:2000]}")
    return command, environment


def run_test(key, root, compiled, folder, shared):
    """Exit status, None if only the linking was asked for, and output."""
    test, args, name = key
    machine = MACHINES[name]
    objects = {} if test.startswith("fuzz.") else objects_of(root, compiled, folder, machine)
    command, environment = build_test(root, test, objects, folder, shared, machine)
    if options.links:
        return None, ""
    try:
        environment = {**os.environ, "RIJN_REQUIRE_IMPLS": "", **environment}
        done = run([*command, *args], env=environment, timeout=TIME, cwd=folder)
    except subprocess.TimeoutExpired:
        raise Broken(f"{test} took more than {TIME} s") from None
    return done.returncode, done.stdout + done.stderr


def baseline(key, shared):
    with tempfile.TemporaryDirectory() as folder:
        status, output = run_test(key, options.source, (), folder, shared)
    return None if not status else f"{key} fails without a fault, status {status}:\n{output[-1500:]}"


def key_of(fault):
    return fault.test, fault.args, fault.machine


def try_fault(fault, shared):
    """None, or what is wrong."""
    try:
        with tempfile.TemporaryDirectory() as folder:
            root = os.path.join(folder, "tree")
            copy_tree(root)
            change(root, fault)
            status, output = run_test(key_of(fault), root, fault.compiled, folder, shared)
    except Broken as e:
        return f"{fault.name}: {e}"
    if options.links:
        return None
    if status == 0:
        return f"{fault.name}: NOT CAUGHT by {fault.test}"
    if status == 2 and "usage:" in output:
        return f"{fault.name}: {fault.test} did not run: {output[-500:]}"
    marks = ("FAIL", "fault at", "illegal", "ERROR:", "WARNING: ")
    said = [l for l in output.splitlines() if any(m in l for m in marks)]
    print(f"caught: {fault.name}: {fault.test}: {(said or ['status ' + str(status)])[0][:160]}", flush=True)
    return None


def main():
    names = [f.name for f in FAULTS]
    if len(set(names)) != len(names):
        sys.exit("FAIL: two faults have one name")
    chosen = [f for f in FAULTS if options.only in f.name]
    if not chosen:
        sys.exit(f"FAIL: no fault has {options.only!r} in its name")
    with open("/proc/cpuinfo", encoding="utf-8") as f:
        features = set(f.read().split())
    if options.links:  # one of each way in which a test is built
        chosen = list({(f.test.split(".")[0], f.machine): f for f in chosen}.values())
    for fault in [f for f in chosen if not features.issuperset(f.needs)]:
        print(f"not tried, because this processor has not all of {', '.join(fault.needs)}: {fault.name}")
        chosen.remove(fault)
    with tempfile.TemporaryDirectory() as shared, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        keys = sorted({key_of(f) for f in chosen})
        wrong = [w for w in pool.map(lambda k: baseline(k, shared), keys) if w]
        if wrong:
            sys.exit("FAIL: " + "\n".join(wrong))
        wrong = [w for w in pool.map(lambda f: try_fault(f, shared), chosen) if w]
    print(f"{len(chosen)} faults, {len(chosen) - len(wrong)} {'compiled and linked' if options.links else 'caught'}")
    if wrong:
        sys.exit("FAIL: " + "\n".join(wrong))


try:
    main()
except Broken as e:
    sys.exit(f"FAIL: {e}")
