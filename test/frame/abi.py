# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""The binary interface is the one that is written down in test/frame/abi, and nothing that the last tag had has gone or
changed: functions and structs by abidiff, constants of rijn.h (which no debug information has) by their values. A
removed function, a changed struct and a changed error code are planted first, and must be found.

Semantic versioning: beside the last version's interface, in abi/releases/VERSION, nothing of librijn, librijn-file and
librijn-volume is removed or changed unless their SONAME is another one. What changed is printed.

With --write, after something was added:
  python3 -B test/frame/abi.py --root . --build build/check --cc gcc --name x86_64 --write yes
What is removed or changed needs another SONAME. With `--write release` a version that is published is recorded."""
import os
import re
import shutil
import sys

from frame import Scratch, arguments, fail, run

NOT_NUMBERS = {"RIJN_H", "RIJN_API", "RIJN_ALIGN16", "RIJN_VERSION_STRING", "RIJN_GCM_MSG_INIT", "RIJN_GCM_ROWS_INIT",
               "RIJN_GCM_SIV_MSG_INIT"}
PARTS = ["CMakeLists.txt", "cmake", "include", "src", "file", "volume"]
LIBRARIES = {"librijn": "src", "librijn-file": "file", "librijn-volume": "volume"}
# The types of these headers alone are an interface; what else a library's structs have is its own.
PUBLIC = ("include/rijn.h", "file/include/rijn-file.h", "volume/rijn-volume.h")
OPTIONS = ["--no-corpus-path", "--no-comp-dir-path", "--no-show-locs", "--no-elf-needed", "--exported-interfaces-only"]
LICENSE = "SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause"

write = "--write" in sys.argv
args = arguments("name", *(["write"] if write else []))
folder = os.path.join(args.root, "test/frame/abi")
kept = os.path.join(folder, args.name)


def library(root, build, *more):
    """The shared library of a source tree, with debug information; with more targets, those libraries beside it."""
    run(["cmake", "-G", "Ninja", "-S", root, "-B", build, "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_C_FLAGS=-g",
         "-DCMAKE_C_COMPILER=" + args.cc, "-DRIJN_BUILD_FILE=ON", "-DRIJN_BUILD_VOLUME=ON",
         *(f"-DRIJN_BUILD_{part}=OFF" for part in ("TESTS", "COMMAND", "PROVIDER", "NBDKIT", "MAN3"))])
    run(["cmake", "--build", build, "--target", "rijn_shared", *more])
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


def record(path, binary, *more):
    """What abidw says of a library; a comment with the licence behind the first line."""
    first, rest = run(["abidw", *OPTIONS, *more, binary]).split("\n", 1)
    with open(path, "w", encoding="utf-8") as f:
        f.write(f"{first}\n<!-- {LICENSE} -->\n{rest}")


def record_numbers(path, numbers):
    with open(path, "w", encoding="utf-8") as f:
        f.write(f"# {LICENSE}\n" + "".join(n + "\n" for n in sorted(numbers)))


def numbers_of(path):
    with open(path, encoding="utf-8") as f:
        return {line.strip() for line in f if not line.startswith("#")}


def beside_release(records, libraries, numbers):
    """Complaints about what changed since a recorded version while the SONAME stayed; and a report of all that changed."""
    wrong, said = [], []
    for name, binary in libraries.items():
        old = os.path.join(records, name + ".abi")
        if not os.path.exists(old):
            continue
        changed = same_binary(old, binary, f"{name} since {os.path.basename(records)}")
        if name == "librijn":
            changed += same_numbers(numbers_of(os.path.join(records, "constants")), numbers, os.path.basename(records))
        (wrong if soname(old) == soname(binary) else said).extend(changed)
        if soname(old) == soname(binary):
            said += same_binary(old, binary, f"added to {name}", additions=False)
        else:
            said.append(f"{name}: {soname(old)} has become {soname(binary)}")
    return wrong, said


with Scratch() as scratch:
    ours, built = os.path.join(scratch, "ours"), os.path.join(scratch, "build")
    os.mkdir(ours)
    for part in PARTS:
        where = os.path.join(args.root, part)
        (shutil.copytree if os.path.isdir(where) else shutil.copy)(where, os.path.join(ours, part))
    library(ours, built, "rijn_file_shared", "rijn_volume_shared")
    libraries = {name: os.path.join(scratch, name + ".abi") for name in LIBRARIES}
    public = os.path.join(scratch, "public")
    os.mkdir(public)
    for name in PUBLIC:
        shutil.copy(os.path.join(ours, name), public)
    for name, interface in libraries.items():
        record(interface, os.path.join(built, LIBRARIES[name], name + ".so"), "--headers-dir", public, "--drop-private-types")
    now = os.path.join(scratch, "librijn.so")
    shutil.copy(os.path.join(built, "src/librijn.so"), now)
    numbers = constants(ours, scratch)

    with open(os.path.join(ours, "include/rijn.h"), encoding="utf-8") as f:
        version = re.search(r'RIJN_VERSION_STRING "([^"]+)"', f.read()).group(1)
    if write and args.write == "release":
        where = os.path.join(folder, "releases", version)
        os.makedirs(where, exist_ok=True)
        for name, interface in libraries.items():
            shutil.copy(interface, os.path.join(where, name + ".abi"))
        record_numbers(os.path.join(where, "constants"), numbers)
        print(f"{where} is written")
        sys.exit(0)
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
    plant("include/rijn.h", "  uint32_t used;\n", "  uint64_t used;\n", binary)
    plant("include/rijn.h", "RIJN_ELEN = -6,", "RIJN_ELEN = -60,",
          lambda: same_numbers(kept_numbers, constants(ours, scratch), "planted"))

    wrong = same_numbers(kept_numbers, numbers, "test/frame/abi")
    wrong += same_binary(kept + ".abi", now, "test/frame/abi")
    if not wrong and (numbers - kept_numbers or same_binary(kept + ".abi", now, "", additions=False)):
        wrong.append("something was added, and is not written down: abi.py --write (its first lines say how)")

    # The last version that is recorded. Its record under today's SONAME must be refused if it differs.
    last = max(os.listdir(os.path.join(folder, "releases")), key=lambda v: [int(n) for n in v.split(".")])
    records = os.path.join(folder, "releases", last)
    broken, said = beside_release(records, libraries, numbers)
    wrong += broken
    print("\n".join(said))
    # As if today's interface had been published with a member elsewhere, and with a function more.
    alike = os.path.join(scratch, "alike")
    for name, old, new in (("librijn", r"(<data-member .*layout-offset-in-bits=')128'", r"\g<1>136'"),
                           ("librijn-file", r"(<data-member .*layout-offset-in-bits=')64'", r"\g<1>65'"),
                           ("librijn-volume", r"(<elf-symbol name='rijn_volume_)trim'", r"\g<1>trin'")):
        os.mkdir(alike)
        with open(libraries[name], encoding="utf-8") as f:
            text, times = re.subn(old, new, f.read(), count=1)
        if times != 1:
            fail(f"the interface of {name} has no {old}")
        with open(os.path.join(alike, name + ".abi"), "w", encoding="utf-8") as f:
            f.write(text)
        record_numbers(os.path.join(alike, "constants"), numbers)
        if not beside_release(alike, libraries, numbers)[0]:
            fail(f"{name}: {new} was planted in a recorded version, and nobody noticed")
        shutil.rmtree(alike)

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
