# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""tools/uninstall takes away what an installation put there, and no more: not another's file in the same folders, nor one
that another put in the place of an installed one, not an installation under another prefix or outside the DESTDIR. It
removes what an older version left, and refuses a list that leads elsewhere."""
import os
import shutil

from common import Scratch, arguments, fail, run

args = arguments("command")
TOOL = os.path.join(args.root, "tools/uninstall")


def install(stage, prefix, *more):
    run(["cmake", "--install", args.build, "--prefix", prefix, *more], env={"DESTDIR": stage})


def files(folder):
    return {os.path.relpath(os.path.join(at, name), folder) for at, _, names in os.walk(folder) for name in names}


def put(*path):
    path = os.path.join(*path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as f:
        f.write("another's\n")


def refused(*words):
    done = run([TOOL, *words], ok=False)
    if done.returncode == 0:
        fail(f"uninstall {words}: {done.stdout}")
    return done.stderr


with Scratch() as tmp:
    stage, real = os.path.join(tmp, "a stage"), os.path.join(tmp, "real")
    install("", real)
    install(stage, real)  # for a package, as it were, from the same build folder
    install(stage, "/usr")
    whole = files(real)
    if not {"include/rijn.h", "lib/librijn.so", "share/rijn/installed", "share/doc/rijn/LICENSE-BSD", "share/doc/rijn/README.md",
            "share/doc/rijn/doc/trust.md", "share/doc/rijn/examples/records.c"} <= whole:
        fail(f"not installed: {sorted(whole)}")
    with open(os.path.join(real, "share/rijn/installed"), encoding="utf-8") as f:
        listed = f.read().splitlines()
    if set(listed) != whole or listed != sorted(listed):
        fail(f"the list is not what was installed: {sorted(set(listed) ^ whole)}")

    # The stage goes; what is installed stays, and so does the other prefix of the stage.
    run([TOOL, real, stage])
    if files(real) != whole:
        fail(f"uninstall under DESTDIR took {sorted(whole - files(real))} from the real one")
    if files(os.path.join(stage, "usr")) != whole or files(stage + real):
        fail("uninstall took from another prefix, or left something")

    # Others' files in all folders, and what an older version had.
    old = "lib/librijn.so.0.0.9"
    others = {"include/other.h", "share/rijn/other", "lib/cmake/rijn/other.cmake", "share/doc/rijn/examples/mine.c"}
    for name in others:
        put(real, name)
    put(real, old)
    with open(os.path.join(real, "share/rijn/installed"), "a", encoding="utf-8") as f:
        f.write(old + "\nlib/gone\n")
    install("", real)
    with open(os.path.join(real, "share/rijn/installed"), encoding="utf-8") as f:
        listed = f.read().split()
    if old not in listed or "lib/gone" in listed or "include/other.h" in listed:
        fail("an installation over an older one: its list has what is not there, or lacks what is")
    said = run([TOOL, real])
    if files(real) != others:
        fail(f"uninstall left or took too much: {sorted(files(real) ^ others)}")
    if f"{len(whole) + 1} files" not in said:
        fail(f"uninstall says {said!r}")
    if os.path.exists(os.path.join(real, "share/doc/rijn/doc")):
        fail("uninstall left an empty folder of its own")
    for name in others:
        os.remove(os.path.join(real, name))

    # A moved prefix takes its list along. A component alone.
    moved = os.path.join(tmp, "moved")
    shutil.copytree(os.path.join(stage, "usr"), moved, symlinks=True)
    run([TOOL, moved])
    if files(moved) or files(os.path.join(stage, "usr")) != whole:
        fail("uninstall of a prefix that was moved")
    if args.command == "yes":
        part = os.path.join(tmp, "part")
        install("", part, "--component", "provider")
        if len(files(part)) != 4:
            fail(f"the provider alone: {sorted(files(part))}")
        run([TOOL, part])
        if files(part):
            fail("uninstall of the provider alone left something")

    # A file that cannot be removed: the list stays for another try.
    install("", real)
    tools = os.path.join(tmp, "tools")
    os.mkdir(tools)
    with open(os.path.join(tools, "rm"), "w", encoding="utf-8") as f:
        f.write('#!/bin/sh\ncase "$*" in *rijn.h) exit 1 ;; esac\nexec /bin/rm "$@"\n')
    os.chmod(os.path.join(tools, "rm"), 0o755)
    done = run([TOOL, real], env={"PATH": f"{tools}:{os.environ['PATH']}"}, ok=False)
    if done.returncode == 0 or "could not be removed" not in done.stderr:
        fail("uninstall of what cannot be removed")
    if files(real) != {"include/rijn.h", "share/rijn/installed", "share/rijn/installed.sums"}:
        fail(f"uninstall of what cannot be removed left {sorted(files(real))}")
    run([TOOL, real])
    if files(real):
        fail("uninstall at the second try")

    # Files that another has put in the place of those that were installed, once more installed over: they stay; without
    # sums, as an older version left it, everything in the list goes.
    for sums in True, False:
        install("", real)
        replaced = {"include/rijn.h", "lib/librijn.so"}
        os.remove(os.path.join(real, "lib/librijn.so"))
        os.symlink("another.so", os.path.join(real, "lib/librijn.so"))
        put(real, "include/rijn.h")
        if not sums:
            os.remove(os.path.join(real, "share/rijn/installed.sums"))
            run([TOOL, real])
            if files(real):
                fail(f"uninstall without sums left {sorted(files(real))}")
            continue
        for _ in range(2):
            said = refused(real)
            if not all(os.path.join(real, name) in said for name in replaced) or said.count(real) != 3:
                fail(f"uninstall of files that another has replaced: {said}")
            if files(real) != replaced | {"share/rijn/installed", "share/rijn/installed.sums"}:
                fail(f"uninstall of files that another has replaced: {sorted(files(real))}")
        run([TOOL, "--changed", real])
        if files(real):
            fail(f"uninstall --changed left {sorted(files(real))}")

    if "no Rijn is installed" not in refused(real):
        fail("uninstall where nothing is")
    put(tmp, "precious")
    for name in ("../precious", "share/../../precious", "/../precious"):
        put(real, "share/rijn/installed")
        with open(os.path.join(real, "share/rijn/installed"), "w", encoding="utf-8") as f:
            f.write(f"include/x\n{name}\n")
        put(real, "include/x")
        if "nothing was removed" not in refused(real) or "include/x" not in files(real):
            fail(f"uninstall of a list with {name}")
    print(f"{len(whole)} files")
