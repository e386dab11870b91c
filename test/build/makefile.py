# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""make run takes any file name. make check runs the tests of all areas. make install and uninstall obey PREFIX and DESTDIR, and tell the
loader when it is root and the system is the real one. The Makefile, tools/run and tools/check are the real ones; cmake,
ldconfig and id, among others, only write down their calls."""
import os
import shutil

from common import Scratch, arguments, fail, run

NAMES = ["plain", "two words", 'a"b', "a'b", "a$b", "a$(b", "a${PATH}b", "a`id`b", "a\\b", "a#b", "a;b", "-dash", "-", "é"]
STUB = """#!/bin/sh
echo "${0##*/} $*" >>"$CALLS"
"""

args = arguments("rijn")

with Scratch() as tmp:
    # Not what a make above this test was told.
    clean = {name: "" for name in ("MAKEFLAGS", "MFLAGS", "MAKEOVERRIDES", "MAKELEVEL", "FILE", "PREFIX", "DESTDIR")}
    tools, bin_, calls = (os.path.join(tmp, name) for name in ("tools", "bin", "calls"))
    release = os.path.join(tmp, "build/release/bin")
    for folder in (tools, bin_, release):
        os.makedirs(folder)
    shutil.copy(os.path.join(args.root, "Makefile"), tmp)
    for name in ("run", "check"):
        shutil.copy(os.path.join(args.root, "tools", name), tools)
    os.symlink(args.rijn, os.path.join(release, "rijn"))
    # Of the table of files as little as there is, and that once.
    os.mkdir(os.path.join(tmp, "bench"))
    with open(os.path.join(tmp, "bench/files"), "w", encoding="utf-8") as f:
        f.write(f"""#!/bin/sh
echo "bench/files $*" >>"$CALLS"
[ -z "$TABLE" ] || exec "{args.root}/bench/files" "$1" --mib 1 --rounds 1
""")
    os.chmod(os.path.join(tmp, "bench/files"), 0o755)
    stubs = ("tools/uninstall", "tools/setup", "tools/fetch-vectors", "tools/require-impls", "bin/ctest", "bin/ldconfig")
    stubs = [*((path, "") for path in stubs), ("bin/id", "echo $USER_ID\n"), ("bin/cmake", "echo '[1/9] Building C object'\nsleep ${CMAKE_TAKES:-0}\n")]
    for path, more in stubs:
        with open(os.path.join(tmp, path), "w", encoding="utf-8") as f:
            f.write(STUB + more)
        os.chmod(os.path.join(tmp, path), 0o755)

    def make(*words, **env):
        """What make says, and the calls it led to."""
        open(calls, "w", encoding="utf-8").close()
        env = {**clean, "CALLS": calls, "PATH": bin_ + os.pathsep + os.environ["PATH"], "USER_ID": "0", **env}
        out = run(["make", *words], cwd=tmp, env=env)
        with open(calls, encoding="utf-8") as f:
            return out, f.read().splitlines()

    for name in NAMES:
        with open(os.path.join(tmp, name), "wb") as f:
            f.write(os.urandom(1000))
        for words, env in ((["FILE=" + name], {}), ([], {"FILE": name})):
            out, made = make("run", *words, **env, TABLE=name if name == NAMES[0] else "")
            table = out.rpartition("A file of 1 MiB on ")[2]
            ends = "\nrijn encrypt, 100 bytes " in table or name != NAMES[0]
            if " times libcrypto." not in out or not ends or "Building" in out:
                fail(f"make run does not end with the tables of the machine, or shows a build that went well: {out}")
            if "bench/files build/release/bin/rijn --mib 128 --rounds 3" not in made:
                fail(f"make run does not measure a file: {made}")
            if "1000 bytes" not in out or "the decrypted file equals the input" not in out:
                fail(f"make run with FILE={name}: {out}")

    prefix = os.path.join(tmp, 'own "prefix"')
    for words, user, want in (
        ([], "0", ["cmake --install build/release", "ldconfig"]),
        ([], "1000", ["cmake --install build/release"]),
        (["DESTDIR=" + tmp], "0", ["cmake --install build/release"]),
        (["PREFIX=" + prefix], "0", ["cmake --install build/release --prefix " + prefix, "ldconfig"]),
        (["PREFIX=a relative'one"], "1000", ["cmake --install build/release --prefix " + tmp + "/a relative'one"]),
        (["PREFIX=/usr", "DESTDIR=" + tmp], "0", ["cmake --install build/release --prefix /usr"]),
    ):
        _, made = make("install", *words, USER_ID=user)
        made = [call.strip() for call in made if call.startswith(("cmake --install", "ldconfig"))]
        if made != want:
            fail(f"make install {words} as user {user}: {made}, not {want}")

    for words, user, want in (
        ([], "0", ["uninstall /usr/local", "ldconfig"]),
        (["PREFIX=/a b"], "1000", ["uninstall /a b"]),
        (["PREFIX=/usr", "DESTDIR=" + tmp], "0", ["uninstall /usr " + tmp]),
    ):
        _, made = make("uninstall", *words, USER_ID=user)
        if [call.strip() for call in made if call.startswith(("uninstall", "ldconfig", "cmake"))] != want:
            fail(f"make uninstall {words} as user {user}: {made}, not {want}")

    _, made = make("-j2", "run", "install", FILE=NAMES[0], CMAKE_TAKES="1")
    made = [call.split()[1] for call in made if call.startswith(("cmake --preset", "cmake --build"))]
    if made != ["--preset", "--build"] * 2:
        fail(f"make -j2 run install: two builds in one folder at once: {made}")

    # The first time it says what is usual, then what it took; and it fails where a test does.
    for target, label in (("check", "core"), ("check-slow", "slow"), ("check-quick", "quick")):
        configure = "--preset quick" if label == "quick" else "--preset check -U RIJN_TEST_AREAS"
        for says in ("on two cores", "here the last time"):
            out, made = make(target)
            made = [call for call in made if call.startswith(("cmake --preset", "ctest", "fetch-vectors"))]
            want = [] if label == "quick" else ["fetch-vectors"]
            want += [f"cmake {configure}", f"ctest --preset {label} -j 2 --output-on-failure"]
            if [call.strip() for call in made] != want:
                fail(f"make {target}: {made}, not {want}")
            if says not in out.split("== packages")[0]:
                fail(f"make {target} does not say before it starts how long it takes: {out}")
    with open(os.path.join(tmp, "bin/ctest"), "a", encoding="utf-8") as f:
        f.write("exit 8\n")
    if run(["make", "check-quick"], cwd=tmp, env={**clean, "CALLS": calls, "PATH": bin_ + os.pathsep + os.environ["PATH"]}, ok=False).returncode == 0:
        fail("make check-quick succeeds where ctest fails")
    print(f"{len(NAMES)} names of files; install with PREFIX, DESTDIR, as root and not")
