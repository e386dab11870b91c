# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""clang-tidy finds nothing in the C files that are not tests (.clang-tidy has the checks, and why others are off). A file
with what it is there to find is looked at first.

usage: tidy.py ROOT BUILD"""
import concurrent.futures
import json
import os
import shlex
import subprocess
import sys
import tempfile

TIDY = "clang-tidy-19"
PLANTED = "int f(int a);\nint f(int a) { return a ? 1 : a > 2 ? 3 : 4; }\nint g(void) {\n" + "  f(1);\n" * 60 + "  return 0;\n}\n"
FOUND = ("avoid-nested-conditional-operator", "function-size")


def commands(root, build):
    """Each file once, with what clang needs of its command: the flags of gcc's optimiser are none of its."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as f:
        rows = json.load(f)
    seen = {}
    for row in rows:
        name = os.path.relpath(row["file"], root)
        if name.startswith(("build/", "..")) or "test/" in name or name in seen:
            continue
        words = shlex.split(row["command"])
        flags = [w for w in words if w.startswith(("-D", "-I", "-std", "-m")) and not w.startswith(("-mmove", "-mstore", "-mprefer"))]
        flags += [w for at, word in enumerate(words) if word == "-isystem" for w in words[at : at + 2]]
        seen[name] = [row["file"], "--", *flags, "-Wcomma"]
    return seen


def tidy(root, arguments):
    command = [TIDY, "--quiet", f"--config-file={root}/.clang-tidy", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def main():
    root, build = (os.path.abspath(path) for path in sys.argv[1:])
    with tempfile.NamedTemporaryFile("w", suffix=".c") as f:
        f.write(PLANTED)
        f.flush()
        said = tidy(root, [f.name, "--", "-std=c11"]).stdout
    missed = [check for check in FOUND if check not in said]
    if missed:
        sys.exit(f"FAIL: {TIDY} does not find {missed}\n{said}")
    files = commands(root, build)
    if len(files) < 100:
        sys.exit(f"FAIL: only {len(files)} files are in {build}/compile_commands.json")
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        done = list(pool.map(lambda name: tidy(root, files[name]), files))
    wrong = [d.stdout + d.stderr for d in done if d.returncode != 0]
    if wrong:
        sys.exit("FAIL:\n" + "\n".join(wrong))
    print(f"{len(files)} files")


main()
