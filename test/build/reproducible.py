# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""Two builds of what is installed are equal byte by byte: in different folders, at different times, from files of
different age, by one job and by two, in different locales and time zones. Then the path of a folder and the date are
put into the sources, and must be noticed."""
import filecmp
import os
import shutil
import time

from common import Scratch, arguments, fail, run

LEFT = [".git", "bindings", "build", "test"]  # of which nothing is installed
PLANTED = "src/error.c"

args = arguments()


def copy(root):
    shutil.copytree(args.root, root, ignore=lambda folder, _: LEFT if folder == args.root else [])


def build(root, jobs, ok=True, **env):
    """The installed files by name. A date in the sources is an error, because two builds of one day would agree on
    it."""
    flags = "-Werror=date-time -g"
    if " " not in root:
        flags += f" -ffile-prefix-map={root}=."  # Debian's packages are built with this, and it names the folder
    env = {"CFLAGS": flags, "DESTDIR": os.path.join(root, "out"), **env}
    run(["cmake", "--preset", "release"], cwd=root, env=env)
    done = run(["cmake", "--build", "--preset", "release", "-j", jobs], cwd=root, env=env, ok=ok)
    if not ok:
        return done
    # WHY: CMake takes a file that is less than a second older than the one installed for the same, and leaves that.
    shutil.rmtree(env["DESTDIR"], ignore_errors=True)
    run(["cmake", "--install", "build/release"], cwd=root, env=env)
    found = {}
    for folder, _, names in os.walk(env["DESTDIR"]):
        for name in names:
            path = os.path.join(folder, name)
            found[os.path.relpath(path, env["DESTDIR"])] = path
    return found


def differ(a, b):
    if set(a) != set(b):
        fail(f"not the same files: {sorted(set(a) ^ set(b))}")
    return [name for name in sorted(a) if not filecmp.cmp(a[name], b[name], shallow=False)]


with Scratch() as scratch:
    one, two = os.path.join(scratch, "a"), os.path.join(scratch, "another place")
    copy(one)
    first = build(one, 2, TZ="UTC", LC_ALL="C")
    copy(two)
    for folder, _, names in os.walk(two):
        for name in names:
            os.utime(os.path.join(folder, name), (time.time() - 86400 * 400,) * 2)
    second = build(two, 1, TZ="Pacific/Auckland", LC_ALL="C.UTF-8")
    wrong = differ(first, second)
    if wrong:
        fail(f"two builds differ: {wrong}")
    names = [os.path.basename(name) for name in first]
    for name in ("librijn.a", "rijn"):
        if name not in names:
            fail(f"{name} is not among what is installed")
    with open(os.path.join(args.root, PLANTED), encoding="utf-8") as f:
        text = f.read()

    def plant(line):
        with open(os.path.join(two, PLANTED), "w", encoding="utf-8") as f:
            f.write(f"{text}\n{line}\n")

    plant(f'extern const char rijn_planted[];\nconst char rijn_planted[] = "{two}";')
    found = [os.path.basename(name) for name in differ(first, build(two, 1))]
    if "librijn.a" not in found or "rijn" not in found or not any(name.startswith("librijn.so") for name in found):
        fail(f"a path was put into {PLANTED}, and what differs is {found}")
    plant("extern const char rijn_planted[];\nconst char rijn_planted[] = __DATE__;")
    done = build(two, 1, ok=False)
    if done.returncode == 0 or "date-time" not in done.stdout + done.stderr:
        fail(f"a date was put into {PLANTED}, and it was compiled:\n{done.stdout}")
    print(f"{len(first)} files are equal in two builds; a path and a date were noticed")
