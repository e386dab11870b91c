# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""make dist: the tarball of a commit has one content, whatever the umask, the time zone and the age of the files; its
checksum is right; what is in it can be configured, and is all that is committed. What is not committed is refused."""
import hashlib
import os
import tarfile

from frame import Scratch, arguments, fail, run

args = arguments()


def git(folder, *words):
    return run(["git", "-c", "safe.directory=*", "-c", "user.name=a", "-c", "user.email=a@b", *words], cwd=folder)


def content(path):
    with open(path, "rb") as f:
        return f.read()


def committed():
    """What git knows here; without a repository, all but what is built."""
    if os.path.exists(os.path.join(args.root, ".git")):
        names = git(args.root, "ls-files", "-z").split("\0")
        return [n for n in names if n and os.path.exists(os.path.join(args.root, n))]
    found = (os.path.relpath(os.path.join(at, name), args.root) for at, _, files in os.walk(args.root) for name in files)
    return [name for name in found if not name.startswith("build/") and "__pycache__" not in name]


with Scratch() as tmp:
    # Two repositories of one commit each, of the files as they lie here.
    names = committed()
    one, two = os.path.join(tmp, "one"), os.path.join(tmp, "another place")
    os.mkdir(one)
    run(["tar", "-cf", os.path.join(tmp, "all.tar"), "--", *names], cwd=args.root)
    run(["tar", "-xf", os.path.join(tmp, "all.tar")], cwd=one)
    git(one, "init", "-q")
    git(one, "add", "-f", ".")
    git(one, "commit", "-qm", "all")
    run(["sh", "-c", 'umask 077 && exec git -c safe.directory="*" clone -q "$1" "$2"', "sh", one, two])
    for folder, zone in ((one, "UTC"), (two, "Pacific/Auckland")):
        run(["sh", "-c", f"umask {'022' if folder == one else '077'} && exec tools/dist"], cwd=folder, env={"TZ": zone})
    (ball,) = [n for n in os.listdir(os.path.join(one, "build/dist")) if n.endswith(".tar.gz")]
    paths = [os.path.join(folder, "build/dist", ball) for folder in (one, two)]
    if content(paths[0]) != content(paths[1]):
        fail("two tarballs of one commit differ")
    with open(paths[0] + ".sha256", encoding="utf-8") as f:
        if f.read() != f"{hashlib.sha256(content(paths[0])).hexdigest()}  {ball}\n":
            fail("the checksum is not the tarball's")
    with tarfile.open(paths[0]) as f:
        inside = {m.name.split("/", 1)[1] for m in f if not m.isdir()}
        if inside != set(names):
            fail(f"not what is committed: {sorted(inside ^ set(names))[:20]}")
    run(["tar", "-xf", paths[0]], cwd=tmp)
    tree = os.path.join(tmp, ball[: -len(".tar.gz")])
    run(["cmake", "-S", tree, "-B", os.path.join(tmp, "out"), "-DRIJN_BUILD_TESTS=OFF"])
    with open(os.path.join(one, "README.md"), "a", encoding="utf-8") as f:
        f.write("more\n")
    if run([os.path.join(one, "tools/dist")], cwd=one, ok=False).returncode == 0:
        fail("a tarball of what is not committed")
    print(f"{ball}: {len(inside)} files")
