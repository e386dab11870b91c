# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""The binary interface is the one that is written down in test/build/abi, and nothing that the last tag had has gone or
changed: functions and structs by abidiff, constants of rijn.h (which no debug information has) by their values. A
removed function, a changed struct and a changed error code are planted first, and must be found.

With --write, after something was added:
  python3 -B test/build/abi.py --root . --build build/check --cc gcc --name x86_64 --write yes
What is removed or changed after a tag needs another SONAME."""
import os
import re
import shutil
import sys

from common import Scratch, arguments, fail, run

NOT_NUMBERS = {"RIJN_H", "RIJN_API", "RIJN_ALIGN16", "RIJN_VERSION_STRING", "RIJN_GCM_MSG_INIT", "RIJN_GCM_ROWS_INIT",
               "RIJN_GCM_SIV_MSG_INIT"}
PARTS = ["CMakeLists.txt", "cmake", "include", "src"]
OPTIONS = ["--no-corpus-path", "--no-comp-dir-path", "--no-show-locs", "--no-elf-needed", "--exported-interfaces-only"]
LICENSE = "SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause"

write = "--write" in sys.argv
args = arguments("name", *(["write"] if write else []))
folder = os.path.join(args.root, "test/build/abi")
kept = os.path.join(folder, args.name)


def library(root, build):
    """The shared library of a source tree, with debug information."""
    run(["cmake", "-G", "Ninja", "-S", root, "-B", build, "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_C_FLAGS=-g",
         "-DCMAKE_C_COMPILER=" + args.cc,
         *(f"-DRIJN_BUILD_{part}=OFF" for part in ("TESTS", "COMMAND", "PROVIDER", "MAN3"))])
    run(["cmake", "--build", build, "--target", "rijn_shared"])
    return os.path.join(build, "src/librijn.so")


def soname(path):
    if path.endswith(".abi"):
        with open(path, encoding="utf-8") as f:
            return re.search(r"soname='([^']+)'", f.readline()).group(1)
    return re.search(r"soname: \[(.+)\]", run(["readelf", "-dW", path])).group(1)


def constants(root, folder):
    """NAME=VALUE of each macro that is a number, and of each enumerator, of rijn.h."""
    header = os.path.join(root, "include/rijn.h")
    macros = re.findall(r"^#define (RIJN_\w+) ", run([args.cc, "-E", "-dM", header]), re.M)
    with open(header, encoding="utf-8") as f:
        text = re.sub(r"/\*.*?\*/", " ", f.read(), flags=re.S)
    enumerators = [n for body in re.findall(r"enum[^;{]*\{(.*?)\}", text, re.S) for n in re.findall(r"\bRIJN_\w+", body)]
    names = sorted((set(macros) | set(enumerators)) - NOT_NUMBERS)
    names = [n for n in names if not n.startswith("RIJN_VERSION_")]
    source, program = os.path.join(folder, "constants.c"), os.path.join(folder, "constants")
    with open(source, "w", encoding="utf-8") as f:
        f.write('#include <rijn.h>\n#include <stdio.h>\nint main(void) {\n')
        f.writelines(f'  printf("{n}=%lld\\n", (long long)({n}));\n' for n in names)
        f.write("}\n")
    run([args.cc, "-I", os.path.join(root, "include"), source, "-o", program])
    return set(run([program]).split())


def same_numbers(old, new, what):
    """Complaints: what was there has gone or has another value."""
    return [f"{what}: {sorted(old - new)} of rijn.h are not as they were"] if old - new else []


def same_binary(old, new, what, additions=True):
    done = run(["abidiff", *(["--no-added-syms"] if additions else []), old, new], ok=False)
    if done.returncode & 3:
        fail(f"abidiff {old} {new}: {done.stdout}{done.stderr}")
    return [f"{what}:\n{done.stdout}"] if done.returncode else []


def record(path, binary):
    """What abidw says of a library; a comment with the licence behind the first line."""
    first, rest = run(["abidw", *OPTIONS, binary]).split("\n", 1)
    with open(path, "w", encoding="utf-8") as f:
        f.write(f"{first}\n<!-- {LICENSE} -->\n{rest}")


def record_numbers(path, numbers):
    with open(path, "w", encoding="utf-8") as f:
        f.write(f"# {LICENSE}\n" + "".join(n + "\n" for n in sorted(numbers)))


def numbers_of(path):
    with open(path, encoding="utf-8") as f:
        return {line.strip() for line in f if not line.startswith("#")}


with Scratch() as scratch:
    ours, built = os.path.join(scratch, "ours"), os.path.join(scratch, "build")
    os.mkdir(ours)
    for part in PARTS:
        where = os.path.join(args.root, part)
        (shutil.copytree if os.path.isdir(where) else shutil.copy)(where, os.path.join(ours, part))
    library(ours, built)
    now = os.path.join(scratch, "librijn.so")
    shutil.copy(os.path.join(built, "src/librijn.so"), now)
    numbers = constants(ours, scratch)

    if write:
        record(kept + ".abi", now)
        record_numbers(kept + ".constants", numbers)
        print(f"{kept}.abi and {kept}.constants are written")
        sys.exit(0)

    kept_numbers = numbers_of(kept + ".constants")
    if len(kept_numbers) < 20:
        fail("where are the constants?")

    # The instruments. Each fault is put into the copy, found, and taken back.
    def plant(name, old, new, find):
        path = os.path.join(ours, name)
        with open(path, encoding="utf-8") as f:
            text = f.read()
        if text.count(old) != 1:
            fail(f"{old!r} is {text.count(old)} times in {name}")
        with open(path, "w", encoding="utf-8") as f:
            f.write(text.replace(old, new))
        if not find():
            fail(f"{name}: {old!r} was made {new!r}, and nobody noticed")
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)

    def binary():
        return same_binary(kept + ".abi", library(ours, built), "planted")

    plant("src/rijn.map", "  rijn_ghash_wipe;\n", "", binary)
    plant("include/rijn.h", "  uint8_t ks[16];\n  uint32_t used;\n", "  uint8_t ks[16];\n  uint64_t used;\n", binary)
    plant("include/rijn.h", "RIJN_ELEN = -6,", "RIJN_ELEN = -60,",
          lambda: same_numbers(kept_numbers, constants(ours, scratch), "planted"))

    wrong = same_numbers(kept_numbers, numbers, "test/build/abi")
    wrong += same_binary(kept + ".abi", now, "test/build/abi")
    if not wrong and (numbers - kept_numbers or same_binary(kept + ".abi", now, "", additions=False)):
        wrong.append("something was added, and is not written down: abi.py --write (its first lines say how)")

    # Tags that this commit comes from; a source archive knows of none, and those of a repository around it are others'.
    tag = ""
    if os.path.exists(os.path.join(args.root, ".git")):
        done = run(["git", "-C", args.root, "describe", "--tags", "--abbrev=0"], ok=False)
        tag = done.stdout.strip() if done.returncode == 0 else ""
    if tag:
        theirs = os.path.join(scratch, "tag")
        os.mkdir(theirs)
        run(["git", "-C", args.root, "archive", "-o", os.path.join(scratch, "tag.tar"), tag, *PARTS])
        run(["tar", "-C", theirs, "-xf", os.path.join(scratch, "tag.tar")])
        old = library(theirs, os.path.join(scratch, "tag-build"))
        if soname(old) == soname(now):
            wrong += same_binary(old, now, tag)
            wrong += same_numbers(constants(theirs, scratch), numbers, tag)
        else:
            print(f"{tag} has the SONAME {soname(old)}: another interface")
    if wrong:
        fail("\n".join(wrong))
    print(f"as written down: {len(numbers)} constants; the last tag: {tag or 'there is none'}; three faults were found")
