# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""cmake --install with DESTDIR; then a program of someone else is compiled against what lies there: with pkg-config and
with CMake's find_package, shared and static, and shared where the static library was left out. And a project that has
Rijn's source as a folder of its own: add_subdirectory leaves its asserts on, and out of what it installs."""
import os
import re

from common import Scratch, arguments, fail, run, soname

PROGRAM = """#include <rijn.h>
#include <stdio.h>
#include <string.h>
int main(void) {
  rijn_gcm_key k;
  unsigned char raw[16] = {0}, nonce[12] = {0}, text[5] = "rijn", tag[16];
  if (rijn_gcm_init(&k, raw, sizeof raw)) return 1;
  if (rijn_gcm_encrypt(&k, text, text, 5, NULL, 0, nonce, 12, tag)) return 2;
  if (rijn_gcm_decrypt(&k, text, text, 5, NULL, 0, nonce, 12, tag)) return 3;
  if (memcmp(text, "rijn", 5) || strcmp(rijn_version(), RIJN_VERSION_STRING)) return 4;
  rijn_gcm_wipe(&k);
  printf("%s", rijn_version());
  return 0;
}
"""
PROJECT = """cmake_minimum_required(VERSION 3.25)
project(consumer C)
find_package(rijn {version} REQUIRED)
add_executable(with_shared main.c)
target_link_libraries(with_shared PRIVATE rijn::rijn)
add_executable(with_static main.c)
target_link_libraries(with_static PRIVATE rijn::static)
"""
SHARED_ALONE = """cmake_minimum_required(VERSION 3.25)
project(consumer C)
find_package(rijn REQUIRED)
add_executable(with_shared main.c)
target_link_libraries(with_shared PRIVATE rijn::rijn)
"""
HOST = """cmake_minimum_required(VERSION 3.25)
project(host C)
add_subdirectory({root} rijn)
add_executable(app main.c)
target_link_libraries(app PRIVATE rijn::rijn)
add_executable(app_static main.c)
target_link_libraries(app_static PRIVATE rijn::static)
install(TARGETS app)
"""
ASSERTS = """#include <assert.h>
#ifdef NDEBUG
#error the host's assert is off
#endif
"""

args = arguments("version", "command")


def must_be(path):
    if not os.path.exists(path):
        fail(f"not installed: {path}")
    return path


def runs(program, libdir, shared):
    env = {"LD_LIBRARY_PATH": libdir if shared else "", "RIJN_IMPL": ""}
    env = {k: v for k, v in env.items() if v}
    out = run([program], env=env)
    if out != args.version:
        fail(f"{program} says version {out}, not {args.version}")
    uses = f"[{soname(args.root)}]" in run(["readelf", "-dW", program])
    if uses != shared:
        fail(f"{program} is {'shared' if uses else 'static'}, and should not be")


with Scratch() as tmp:
    stage = os.path.join(tmp, "stage")
    run(["cmake", "--install", args.build, "--prefix", "/usr"], env={"DESTDIR": stage})
    if os.listdir(stage) != ["usr"]:
        fail(f"installed outside the prefix: {os.listdir(stage)}")
    prefix = os.path.join(stage, "usr")
    header = must_be(os.path.join(prefix, "include/rijn.h"))
    if args.command == "yes":
        must_be(os.path.join(prefix, "include/rijn-file.h"))
    (libdir,) = [d for d, _, files in os.walk(prefix) if "librijn.a" in files]
    for name in ("librijn.so", soname(args.root), "librijn.so." + args.version, "pkgconfig/rijn.pc"):
        must_be(os.path.join(libdir, name))
    if b"RIJN_HIDE" in open(os.path.join(libdir, "librijn.so"), "rb").read():
        fail("the installed library has the hooks of the tests")
    if args.command == "yes":
        must_be(os.path.join(prefix, "share/man/man1/rijn.1"))
        must_be(os.path.join(prefix, "share/bash-completion/completions/rijn"))
        must_be(os.path.join(prefix, "share/fish/vendor_completions.d/rijn.fish"))
        out = run([must_be(os.path.join(prefix, "bin/rijn")), "--version"], env={"LD_LIBRARY_PATH": libdir})
        if args.version not in out:
            fail(f"the installed command says {out!r} to --version")
    for folder, _, files in os.walk(libdir):
        for name in files:
            if name.endswith((".cmake", ".pc")):
                text = open(os.path.join(folder, name), encoding="utf-8").read()
                if args.build in text or args.root in text or stage in text:
                    fail(f"{name} names a folder of the build")

    source = os.path.join(tmp, "main.c")
    with open(source, "w", encoding="utf-8") as f:
        f.write(PROGRAM)

    # As for a cross build.
    env = {"PKG_CONFIG_LIBDIR": os.path.join(libdir, "pkgconfig"), "PKG_CONFIG_SYSROOT_DIR": stage, "PKG_CONFIG_PATH": ""}
    if run(["pkg-config", "--modversion", "rijn"], env=env).strip() != args.version:
        fail("pkg-config says another version")
    flags = run(["pkg-config", "--cflags", "--libs", "rijn"], env=env).split()
    if not any(f.startswith("-I" + stage) for f in flags):
        fail(f"pkg-config: {flags}")
    program = os.path.join(tmp, "pc-shared")
    run([args.cc, "-std=c11", source, *flags, "-o", program])
    runs(program, libdir, True)
    program = os.path.join(tmp, "pc-static")
    static = ["-l:librijn.a" if f == "-lrijn" else f for f in flags]
    run([args.cc, "-std=c11", source, *static, "-o", program])
    runs(program, libdir, False)
    program = os.path.join(tmp, "all-static")
    run([args.cc, "-std=c11", "-static", source, *run(["pkg-config", "--static", "--cflags", "--libs", "rijn"], env=env).split(), "-o", program])
    runs(program, libdir, False)

    with open(os.path.join(tmp, "CMakeLists.txt"), "w", encoding="utf-8") as f:
        f.write(PROJECT.format(version=re.sub(r"\.\d+$", "", args.version)))
    out = os.path.join(tmp, "out")
    run(["cmake", "-S", tmp, "-B", out, "-DCMAKE_PREFIX_PATH=" + prefix, "-DCMAKE_C_COMPILER=" + args.cc])
    run(["cmake", "--build", out])
    runs(os.path.join(out, "with_shared"), libdir, True)
    runs(os.path.join(out, "with_static"), libdir, False)
    if args.command == "yes":
        examples = must_be(os.path.join(prefix, "share/doc/rijn/examples"))
        built = os.path.join(tmp, "examples")
        run(["cmake", "-S", examples, "-B", built, "-DCMAKE_PREFIX_PATH=" + prefix, "-DMODULES=" + os.path.join(libdir, "ossl-modules")])
        run(["cmake", "--build", built, "-j2"])
        out_of = run(["ctest", "--test-dir", built, "--no-tests=error"], env={"OPENSSL_MODULES": ""})
        if "100% tests passed, 0 tests failed out of 10" not in out_of:
            fail(f"the installed examples: {out_of}")
    with open(os.path.join(tmp, "CMakeLists.txt"), "a", encoding="utf-8") as f:
        f.write("find_package(rijn REQUIRED COMPONENTS nonsense)\n")
    if run(["cmake", "-S", tmp, "-B", out], ok=False).returncode == 0:
        fail("find_package finds a component that does not exist")
    early = PROJECT.format(version=args.version).replace("project(consumer C)\n", "") + "project(consumer C)\n"
    with open(os.path.join(tmp, "CMakeLists.txt"), "w", encoding="utf-8") as f:
        f.write(early)
    done = run(["cmake", "-S", tmp, "-B", os.path.join(tmp, "early"), "-DCMAKE_PREFIX_PATH=" + prefix], ok=False)
    if done.returncode == 0 or "behind project()" not in done.stderr or "ADD_LIBRARY" in done.stderr:
        fail(f"find_package before project() says {done.stderr}")
    for name in ("librijn.a", "cmake/rijn/rijn-static-targets.cmake"):
        os.remove(must_be(os.path.join(libdir, name)))
    with open(os.path.join(tmp, "CMakeLists.txt"), "w", encoding="utf-8") as f:
        f.write(SHARED_ALONE)
    run(["cmake", "-S", tmp, "-B", out])
    run(["cmake", "--build", out])
    runs(os.path.join(out, "with_shared"), libdir, True)

    host = os.path.join(tmp, "host")
    os.mkdir(host)
    with open(os.path.join(host, "CMakeLists.txt"), "w", encoding="utf-8") as f:
        f.write(HOST.format(root=args.root))
    with open(os.path.join(host, "main.c"), "w", encoding="utf-8") as f:
        f.write(ASSERTS + PROGRAM)
    out = os.path.join(tmp, "host-build")
    for option, own_only in ((), True), (["-DRIJN_INSTALL=ON"], False):
        run(["cmake", "-S", host, "-B", out, "-G", "Ninja", "-DCMAKE_C_COMPILER=" + args.cc, *option])
        run(["cmake", "--build", out])
        runs(os.path.join(out, "app"), os.path.join(out, "rijn/src"), True)
        runs(os.path.join(out, "app_static"), "", False)
        ours = [line for line in run(["ninja", "-C", out, "-t", "compdb"]).splitlines() if '"command"' in line and "/src/gcm.c\"" in line]
        if not ours or any(" -O2 " not in line for line in ours):
            fail(f"in another project the library is not optimised: {ours}")
        stage = os.path.join(tmp, "host-stage" + "".join(option))
        run(["cmake", "--install", out, "--prefix", "/usr"], env={"DESTDIR": stage})
        files = sorted(name for _, _, names in os.walk(stage) for name in names)
        if own_only != (files == ["app"]) or own_only == ("rijn.h" in files):
            fail(f"another project, configured with {option}, installs {files}")
    # Optimised less by a host's own options, which come last, frames are larger, and more is cleared.
    with open(os.path.join(host, "CMakeLists.txt"), "w", encoding="utf-8") as f:
        f.write(HOST.format(root=args.root).replace("add_subdirectory", "add_compile_options(-O1)\nadd_subdirectory"))
    run(["cmake", "-S", host, "-B", out + "-O1", "-G", "Ninja", "-DCMAKE_C_COMPILER=" + args.cc])
    ours = [line for line in run(["ninja", "-C", out + "-O1", "-t", "compdb"]).splitlines()
            if '"command"' in line and "rijn_core.dir/isa/x86_aesni.c.o -c" in line]
    if len(ours) != 1 or "-DSTACK_LARGE" not in ours[0] or not re.search(r" -O2 .* -O1 ", ours[0]):
        fail(f"a host's -O1 is not seen: {ours}")
    print(f"version {args.version}; pkg-config and CMake, shared and static; {header[len(stage):]}")
