# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""What CMake is told, and what it finds out, reaches the compiler; nothing is built. A header of a peer of rijn bench that is
installed, or removed, between two runs of CMake is noticed. The pkg-config file names the folders of the installation. A
repository that the source lies in, and that is not its own, is not asked."""
import json
import os
import re
import shutil

from common import Scratch, arguments, fail, run

args = arguments()
LIBRARY = ("-DRIJN_BUILD_COMMAND=OFF", "-DRIJN_BUILD_PROVIDER=OFF")


def configure(build, *options, source=args.root):
    """Runs CMake, and gives the command that compiles a source, by the end of its name."""
    run(["cmake", "-S", source, "-B", build, "-G", "Ninja", "-DCMAKE_C_COMPILER=" + args.cc, "-DRIJN_BUILD_TESTS=OFF", *options])
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as f:
        commands = json.load(f)

    def command(name):
        for c in commands:
            if c["file"].endswith(name):
                return c["command"]
        return fail(f"{name} is not compiled by itself, configured with {options}")

    return command


with Scratch() as tmp:
    # A header that cannot be compiled hides one that the system may have.
    headers = os.path.join(tmp, "headers")
    os.makedirs(os.path.join(headers, "nettle"))
    for text, there in (("#error not here", False), ("", True), ("#error not here", False)):
        with open(os.path.join(headers, "nettle/xts.h"), "w", encoding="utf-8") as f:
            f.write(text + "\n")
        command = configure(os.path.join(tmp, "peers"), "-DRIJN_BUILD_PROVIDER=OFF", "-DCMAKE_C_FLAGS=-I" + headers)
        if there != ("RIJN_BENCH_HAVE_NETTLE" in command("/bench/peer_nettle.c")):
            fail(f"nettle's header is {'there' if there else 'not there'}, and CMake has not noticed")
    print("headers of peers are looked for anew")

    # As its folder is named by Debian, by Fedora, and by those who give full paths.
    for number, (libdir, prefix) in enumerate((("lib/x86_64-linux-gnu", ""), ("lib64", ""), ("/usr/lib64", "/usr"))):
        build = os.path.join(tmp, f"pc{number}")
        configure(build, *LIBRARY, "-DCMAKE_INSTALL_PREFIX=/usr", "-DCMAKE_INSTALL_LIBDIR=" + libdir)
        folder = os.path.join(tmp, "root/usr", libdir.removeprefix("/usr/"), "pkgconfig")
        os.makedirs(folder, exist_ok=True)
        os.replace(os.path.join(build, "src/rijn.pc"), os.path.join(folder, "rijn.pc"))
        for name, want in (("libdir", libdir.removeprefix("/usr/")), ("includedir", "include")):
            got = run(["pkg-config", "--variable=" + name, "rijn"], env={"PKG_CONFIG_LIBDIR": folder, "PKG_CONFIG_PATH": ""})
            want = os.path.join(prefix or os.path.join(tmp, "root/usr"), want)
            if os.path.normpath(got.strip()) != want:
                fail(f"with the library in {libdir} rijn.pc says {name}={got.strip()}, not {want}")
    print("folders in rijn.pc")

    for option, want in ((), "-O2"), (("-DCMAKE_C_FLAGS_RELEASE=-O1 -g",), "-O1"), (("-DCMAKE_BUILD_TYPE=Debug",), "-O0"):
        levels = re.findall(r" (-O\w)", configure(os.path.join(tmp, "levels" + want), *LIBRARY, *option)("/src/gcm.c"))
        if levels != [want]:
            fail(f"configured with {option} the library is compiled with {levels}, not {want}")
    print("flags of the build types")
    configure(os.path.join(tmp, "unity"), "-DRIJN_BUILD_PROVIDER=OFF", "-DCMAKE_UNITY_BUILD=ON")("/src/gcm.c")
    print("no file is joined with others")

    # Some areas alone: mutants' faults need programs of others, and it does without itself where they are not.
    run(["cmake", "--preset", "check", "-B", os.path.join(tmp, "areas"), "-DRIJN_TEST_AREAS=mutants;fuzz;foreign"], cwd=args.root)
    print("a part of the tests is configured")

    # An unpacked archive in another project's repository.
    other = os.path.join(tmp, "other")
    copy = os.path.join(other, "rijn")
    for name in ("bench", "cmake", "cmd", "doc", "file", "include", "provider", "src", "test/style", "tools", "tuning",
                 "volume"):
        shutil.copytree(os.path.join(args.root, name), os.path.join(copy, name))
    for name in ("CMakeLists.txt", ".clang-format"):
        shutil.copy(os.path.join(args.root, name), copy)
    git = ["git", "-C", other, "-c", "user.name=test", "-c", "user.email=test@localhost", "-c", "commit.gpgsign=false"]
    run(["git", "init", "-q", other])
    run([*git, "commit", "-q", "--allow-empty", "-m", "another"])
    command = configure(os.path.join(tmp, "archive"), "-DRIJN_BUILD_PROVIDER=OFF", source=copy)("/bench/json.c")
    if run([*git, "rev-parse", "--short", "HEAD"]).strip() in command:
        fail("rijn bench takes another project's commit for its own")
    run([os.path.join(copy, "tools/format"), "--check"])
    print("another repository around the source is let alone")
