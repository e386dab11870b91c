# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""Every option of the build compiles: each is turned to what it is not in a build of the developers, and what the compiler is told
then and not otherwise is compiled, as far as its syntax and warnings go. An option that this test has not heard of is a failure."""
import concurrent.futures
import json
import os
import re
import shlex
import subprocess

from common import Scratch, arguments, fail, run

# How they are turned, some at a time, beside the usual build; RIJN_BUILD_TESTS is on in the build that this test is of.
USUAL = {"RIJN_BUILD_TESTS": "OFF"}
TURNED = [
    {"RIJN_BENCH_ABLATE": "ON", "RIJN_WERROR": "ON"},
    {"RIJN_BUILD_COMMAND": "OFF", "RIJN_BUILD_PROVIDER": "OFF", "RIJN_BUILD_FILE": "OFF", "RIJN_BUILD_VOLUME": "OFF", "RIJN_BUILD_NBDKIT": "OFF",
     "RIJN_BUILD_MAN3": "OFF", "RIJN_BUILD_SHARED": "OFF", "RIJN_EMULATED": "ON", "RIJN_INSTALL": "OFF", "RIJN_TEST_HOOKS": "ON"},
]
# What each has to change: the end of a source that is compiled in another way.
SEEN = {"RIJN_BENCH_ABLATE": "/ablate/src/isa/x86_vaes_avx2.c", "RIJN_WERROR": "/src/gcm.c", "RIJN_TEST_HOOKS": "/src/env.c",
        "RIJN_EMULATED": "/src/isa/x86_vaes_avx512.c"}
# Planted in a copy of the compiler's command for one source: must be found.
FAULT = "-DPIN(v)=no_such_thing"

args = arguments()


def declared():
    names = set()
    for folder, _, files in os.walk(args.root):
        if "/build" in folder or "/.git" in folder or "/bindings/" in folder + "/":  # a project of its own
            continue
        for name in files:
            if name == "CMakeLists.txt" or name.endswith(".cmake"):
                with open(os.path.join(folder, name), encoding="utf-8") as f:
                    names |= set(re.findall(r"^\s*option\((\w+)", f.read(), re.M))
    return names


def commands(folder, **options):
    """What the compiler is told: words without the folders of the build, and where."""
    run(["cmake", "-S", args.root, "-B", folder, "-G", "Ninja", "-DCMAKE_C_COMPILER=" + args.cc, "-DCMAKE_C_COMPILER_LAUNCHER=",
         *(f"-D{k}={v}" for k, v in {**USUAL, **options}.items())])
    with open(os.path.join(folder, "compile_commands.json"), encoding="utf-8") as f:
        rows = json.load(f)
    found = {}
    for row in rows:
        words = shlex.split(row["command"])
        at = words.index("-o")
        words = words[:at] + words[at + 2:]
        if "-ffreestanding" in words:  # not in `all`; build.freestanding compiles them
            continue
        found[" ".join(words).replace(folder, "BUILD")] = (words, row["directory"], row["file"])
    return found


def compiles(job):
    words, folder, _ = job
    done = subprocess.run([*words, "-fsyntax-only"], cwd=folder, capture_output=True, text=True, errors="replace")
    return None if done.returncode == 0 else f"{shlex.join(words)}\n{done.stderr[:2000]}"


known = set(USUAL).union(*TURNED)
if declared() != known:
    fail(f"options that CMake has and this test has not, or the other way round: {sorted(declared() ^ known)}")
with Scratch() as tmp, concurrent.futures.ThreadPoolExecutor(2) as pool:
    usual = commands(os.path.join(tmp, "usual"))
    for number, options in enumerate(TURNED):
        named = " ".join(f"{k}={v}" for k, v in options.items())
        jobs = [job for key, job in commands(os.path.join(tmp, str(number)), **options).items() if key not in usual]
        for name in set(SEEN) & set(options):
            if not any(source.endswith(SEEN[name]) for _, _, source in jobs):
                fail(f"{named}: {SEEN[name]} is compiled as without")
        for wrong in filter(None, pool.map(compiles, jobs)):
            fail(f"{named}: {wrong}")
        print(f"{named}: {len(jobs)} sources are compiled in another way, or only then", flush=True)
        if "RIJN_BENCH_ABLATE" in options:
            words, folder, source = next(j for j in jobs if j[2].endswith(SEEN["RIJN_BENCH_ABLATE"]))
            if compiles((words[:1] + [FAULT] + words[1:], folder, source)) is None:
                fail("a planted fault was not found")
