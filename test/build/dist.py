# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""make dist: the tarball of a commit has one content, whatever the umask, the time zone and the age of the files; its
checksum is right; what is in it can be configured, and is all that is committed. What is not committed is refused. The
bill of materials is the same twice, too, keeps to CycloneDX, and says what the built files say of what they need."""
import hashlib
import json
import os
import re
import tarfile

from common import Scratch, arguments, fail, run

args = arguments("python")
# What a built file loads, by the parts of the bill. libc and its like are everybody's.
BUILT = {"librijn": "src/librijn.so", "librijn-file": "file/librijn-file.so", "librijn-volume": "volume/librijn-volume.so",
         "rijn-command": "bin/rijn", "rijn-volume-command": "bin/rijn-volume",
         "rijn-bench": "bin/rijn-bench", "rijn-openssl-check": "bin/rijn-openssl-check", "nbdkit-plugin-rijn": "volume/nbdkit/nbdkit-rijn-plugin.so"}
LOADED = {"libcrypto": "openssl", "libargon2": "argon2", "libsodium": "sodium", "libjson-c": "json-c", "librijn": "librijn", "libcurl": "curl"}


def git(folder, *words):
    return run(["git", "-c", "safe.directory=*", "-c", "user.name=a", "-c", "user.email=a@b", *words], cwd=folder)


def content(path):
    with open(path, "rb") as f:
        return f.read()


def bill(path, tarball, version):
    """What is wrong with a bill of materials."""
    with open(path, encoding="utf-8") as f:
        read = json.load(f)
    wrong = []
    if run([args.python, "-B", os.path.join(args.root, "tools/sbom"), "--check", path], ok=False).returncode != 0:
        wrong.append("not CycloneDX 1.6")
    about = read["metadata"]["component"]
    if about["version"] != version:
        wrong.append(f"version {about['version']}")
    if about["externalReferences"][0]["hashes"][0]["content"] != hashlib.sha256(content(tarball)).hexdigest():
        wrong.append("another tarball's hash")
    needs = {d["ref"]: set(d.get("dependsOn", [])) for d in read["dependencies"]}
    names = {c["bom-ref"] for c in read["components"]} | {about["bom-ref"]}
    wrong += [f"{ref} needs {sorted(needs[ref] - names)}" for ref in needs if needs[ref] - names]
    for part, file in BUILT.items():
        found = re.findall(r"\(NEEDED\).*\[(\w[\w-]*)\.so", run(["readelf", "-dW", os.path.join(args.build, file)]))
        loaded = {LOADED[n] for n in found if n not in ("libc", "libm", "libpthread", "libdl")}
        # Programs have libraries of the project in themselves, and loads libcurl later; nbdkit loads its plugin.
        listed = {n for n in needs[part] if n not in ("curl", "nbdkit") and (n == "librijn" or not n.startswith("librijn"))}
        if file.startswith("bin/") or part == "nbdkit-plugin-rijn":
            listed -= {"librijn"}
        if loaded != listed:
            wrong.append(f"{part} loads {sorted(loaded)}, and is said to need {sorted(listed)}")
    return wrong


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
        run(["sh", "-c", f"umask {'022' if folder == one else '077'} && exec tools/dist"], cwd=folder,
            env={"TZ": zone, "RIJN_VENV_PYTHON": args.python})
    (ball,) = [n for n in os.listdir(os.path.join(one, "build/dist")) if n.endswith(".tar.gz")]
    paths = [os.path.join(folder, "build/dist", ball) for folder in (one, two)]
    if content(paths[0]) != content(paths[1]):
        fail("two tarballs of one commit differ")
    with open(paths[0] + ".sha256", encoding="utf-8") as f:
        if f.read() != f"{hashlib.sha256(content(paths[0])).hexdigest()}  {ball}\n":
            fail("the checksum is not the tarball's")
    bills = [p[: -len(".tar.gz")] + ".cdx.json" for p in paths]
    if content(bills[0]) != content(bills[1]):
        fail("two bills of materials of one commit differ")
    with open(bills[0] + ".sha256", encoding="utf-8") as f:
        if f.read().split()[0] != hashlib.sha256(content(bills[0])).hexdigest():
            fail("the checksum is not the bill's")
    version = ball[len("rijn-") : -len(".tar.gz")]
    if wrong := bill(bills[0], paths[0], version):
        fail("the bill of materials: " + "; ".join(wrong))
    for old, new in (('"bomFormat": "CycloneDX"', '"bomFormat": "Cyclone"'), ('        "json-c",\n', ""),
                     (f'"{version}"', '"7.0.1"')):
        text = content(bills[0]).decode()
        with open(bills[1], "w", encoding="utf-8") as f:
            f.write(text.replace(old, new))
        if old not in text or not bill(bills[1], paths[0], version):
            fail(f"{new!r} in place of {old!r} was planted in the bill, and nobody noticed")
    with tarfile.open(paths[0]) as f:
        inside = {m.name.split("/", 1)[1] for m in f if not m.isdir()}
        if inside != set(names):
            fail(f"not what is committed: {sorted(inside ^ set(names))[:20]}")
    run(["tar", "-xf", paths[0]], cwd=tmp)
    tree = os.path.join(tmp, ball[: -len(".tar.gz")])
    run(["cmake", "-S", tree, "-B", os.path.join(tmp, "out"), "-DRIJN_BUILD_TESTS=OFF"])
    with open(os.path.join(one, "README.md"), "a", encoding="utf-8") as f:
        f.write("more\n")
    if run([os.path.join(one, "tools/dist")], cwd=one, env={"RIJN_VENV_PYTHON": args.python}, ok=False).returncode == 0:
        fail("a tarball of what is not committed")
    print(f"{ball}: {len(inside)} files")
