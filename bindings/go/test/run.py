# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""Builds the Go module and tests it.

usage: run.py SOURCE BUILD tests      the module, its tests on this machine, vet, gofmt; then it is cross-built
       run.py SOURCE BUILD again      the module made a second time has the same bytes; a program gets it from a folder
       run.py SOURCE BUILD arm64      the tests of arm64, under qemu
       run.py SOURCE BUILD tls        the standard library's tests of TLS with the overlay
       run.py SOURCE BUILD race       the tests by the race detector, and built for AddressSanitizer
       run.py SOURCE BUILD fuzz       Go's fuzzing against crypto/cipher, for a minute
"""
import hashlib
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../test/lib"))
import debian  # noqa: E402

# Debian 12 has Go 1.19. This is of the release behind it, unpacked and not installed.
SUITE, GO = "trixie-backports", "1.26"
SYSTEMS = ["windows/amd64", "darwin/amd64", "darwin/arm64", "freebsd/amd64", "windows/arm64", "openbsd/amd64", "linux/386",
           "linux/ppc64le", "linux/s390x"]  # fmt: skip


class Go:
    def __init__(self, source, build):
        self.source = os.path.abspath(source)
        self.work = os.path.join(os.path.abspath(build), "go-tests")
        self.module = os.path.join(self.source, "build/go/module")
        os.makedirs(self.work, exist_ok=True)
        self.env = {**os.environ, "GOFLAGS": "", "GOTOOLCHAIN": "local", "GOWORK": "off", "PATH": self.path(),
                    "RIJN_VECTORS": os.path.join(self.source, "build/vectors"),
                    "RIJN_BLOB": os.path.join(self.source, "build/go/amd64/blob.elf.bin"),
                    "RIJN_POLICY": os.path.join(self.work, "policy.txt")}  # fmt: skip

    def path(self):
        """With a Go that is new enough: the machine's own, or Debian's."""
        own = shutil.which("go")
        if own:
            said = subprocess.run([own, "version"], capture_output=True, text=True, env={**os.environ, "GOTOOLCHAIN": "local"}).stdout
            number = re.search(r"go1\.(\d+)", said)
            if number and int(number[1]) >= 25:
                return os.environ["PATH"]
        folder = os.path.join(self.source, "build/go/debian")
        debian.binaries(folder, SUITE, "amd64", [f"golang-{GO}-go", f"golang-{GO}-src"])
        return os.path.join(folder, f"usr/lib/go-{GO}/bin") + ":" + os.environ["PATH"]

    def run(self, *command, cwd=None, **env):
        done = subprocess.run(command, cwd=cwd or self.module, env={**self.env, **env}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, errors="replace")  # fmt: skip
        if done.returncode != 0:
            sys.exit(f"go: {' '.join(command)}\n{done.stdout[-8000:]}\ngo: exit status {done.returncode}")
        return done.stdout

    def test(self, *more, least=1, **env):
        said = self.run("go", "test", "-count=1", "-v", "-tags=vectors", *more, "./...", **env)
        passed = len(re.findall(r"^--- PASS", said, re.M))
        print(f"{passed} tests passed ({' '.join(more)})")
        if passed < least or "--- SKIP" in said:
            sys.exit(f"go: {passed} tests passed, at least {least} were to, and none may be skipped")


def build(go, out):
    """WHY emptied: a module of another path or version may lie there."""
    shutil.rmtree(out, ignore_errors=True)
    print(go.run(os.path.join(go.source, "bindings/go/build"), out, cwd=go.source), end="")


def tests(go):
    build(go, os.path.join(go.source, "build/dist/go"))
    unformatted = go.run("gofmt", "-l", ".")
    if unformatted:
        sys.exit(f"go: gofmt has another opinion of {unformatted}")
    go.run("go", "vet", "-tags=vectors", "./...")
    policy = os.path.join(go.work, "policy")
    go.run("gcc", "-I", os.path.join(go.source, "src"), os.path.join(go.source, "bindings/go/test/policy.c"),
           os.path.join(go.source, "src/policy.c"), "-o", policy)  # fmt: skip
    with open(policy + ".txt", "w", encoding="utf-8") as f:
        f.write(go.run(policy))
    go.test("-short", least=18)
    go.test("-short", "-tags=vectors,purego", least=16)
    overlay(go)
    for system in SYSTEMS:
        goos, arch = system.split("/")
        go.run("go", "vet", "./...", GOOS=goos, GOARCH=arch, CGO_ENABLED="0")
    print("vet: " + " ".join(SYSTEMS))


def overlay(go):
    """The standard library's own tests, with Rijn's kernels in it, which are in the program then."""
    folder = os.path.join(go.work, "overlay")
    go.run("go", "run", "./overlay", folder)
    print(go.run("go", "test", "-short", "-overlay", folder + "/overlay.json", "crypto/aes", "crypto/cipher"), end="")
    go.run("go", "test", "-c", "-o", folder + "/test", "-overlay", folder + "/overlay.json", "crypto/cipher")
    if "crypto/internal.kernels" not in go.run("go", "tool", "nm", folder + "/test"):
        sys.exit("go: the overlay left Rijn out")


def tls(go):
    """WHY not in the module: its go.mod would ask for an older Go's defaults (GODEBUG), which the tests do not expect."""
    folder = os.path.join(go.work, "overlay")
    go.run("go", "run", "./overlay", folder)
    print(go.run("go", "test", "-short", "-overlay", folder + "/overlay.json", "crypto/tls", cwd=folder), end="")


def digest(folder):
    found = {}
    for at, _, files in os.walk(folder):
        for name in files:
            with open(os.path.join(at, name), "rb") as f:
                found[os.path.relpath(os.path.join(at, name), folder)] = hashlib.sha256(f.read()).hexdigest()
    return found


def again(go):
    """WHY another folder: nothing of a build's place may be in what it makes."""
    first = os.path.join(go.source, "build/dist/go")
    if not os.path.exists(first):
        build(go, first)
    copy = os.path.join(go.work, "copy")
    shutil.rmtree(copy, ignore_errors=True)
    os.makedirs(os.path.join(copy, "bindings"))
    for part in ("src", "include", "tools", "bindings/go"):
        shutil.copytree(os.path.join(go.source, part), os.path.join(copy, part))
    for name in ("LICENSE", "LICENSE-APACHE", "LICENSE-BSD"):
        shutil.copy(os.path.join(go.source, name), copy)
    go.run(os.path.join(copy, "bindings/go/build"), os.path.join(copy, "out"), cwd=copy)
    if digest(first) != digest(os.path.join(copy, "out")):
        sys.exit("go: the module has other bytes when it is made elsewhere")
    use(go, first)


PROGRAM = """package main
import ("crypto/cipher"; "fmt"; rijn "rijn.example/rijn-go")
func main() {
	b, err := rijn.NewCipher(make([]byte, 32))
	if err != nil { panic(err) }
	g, _ := cipher.NewGCM(b)
	fmt.Printf("%x %v\\n", g.Seal(nil, make([]byte, 12), nil, nil), rijn.Implementation() != "")
}
"""
STANDARD = PROGRAM.replace('rijn "rijn.example/rijn-go"', '"crypto/aes"').replace("rijn.NewCipher", "aes.NewCipher").replace(
    'rijn.Implementation() != ""', "true")  # fmt: skip


def use(go, proxy):
    """Without a C compiler: go get, build, run. What a binary grows by is said, and has a limit."""
    sizes = []
    for name, text in (("standard", STANDARD), ("program", PROGRAM)):
        folder = os.path.join(go.work, name)
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        with open(os.path.join(folder, "main.go"), "w", encoding="utf-8") as f:
            f.write(text)
        env = {"GOPROXY": "file://" + proxy, "GOFLAGS": "-mod=mod -modcacherw",
               "GOSUMDB": "off", "CGO_ENABLED": "0", "CC": "/nonexistent", "GOMODCACHE": os.path.join(go.work, "mod")}  # fmt: skip
        go.run("go", "mod", "init", "example.org/" + name, cwd=folder, **env)
        if name == "program":
            go.run("go", "get", "rijn.example/rijn-go", cwd=folder, **env)
        go.run("go", "build", "-trimpath", "-o", "out", ".", cwd=folder, **env)
        said = go.run(os.path.join(folder, "out"), cwd=folder).split()
        if said != ["530f8afbc74536b9a963b4f1c4cb738b", "true"]:
            sys.exit(f"go: {name} says {said}")
        sizes.append(os.path.getsize(os.path.join(folder, "out")))
    grown = sizes[1] - sizes[0]
    print(f"a program grows by {grown} bytes")
    if grown > 400 * 1024:
        sys.exit("go: that is more than 400 KB")
    shutil.rmtree(os.path.join(go.work, "mod"))


def arm64(go):
    if not os.path.exists(go.module):
        build(go, os.path.join(go.source, "build/dist/go"))
    qemu = shutil.which("qemu-aarch64-static") or shutil.which("qemu-aarch64")
    said = go.run("go", "test", "-count=1", "-short", "-v", "-exec", qemu, "-tags=vectors", "-skip", "TestProfile|TestEnvironment", "./...",
                  GOARCH="arm64", CGO_ENABLED="0")  # fmt: skip  (the emulator has no timer of profiles, and starts no program)
    for name in ("arm-ce-sha3", "arm-ce"):
        if f"--- PASS: TestGCM/{name} " not in said:
            sys.exit(f"go: {name} was not tested")
    print(len(re.findall(r"^--- PASS", said, re.M)), "tests passed")


def race(go):
    go.test("-short", "-race", least=18)
    go.test("-short", "-asan", "-run=TestGCM|TestRows|TestBatch|TestStreams", least=3)


def fuzz(go):
    print(go.run("go", "test", "-fuzz=FuzzGCM", "-fuzztime=60s", "-run=FuzzGCM", "."))


def main():
    steps = {"tests": tests, "again": again, "arm64": arm64, "tls": tls, "race": race, "fuzz": fuzz}
    if len(sys.argv) != 4 or sys.argv[3] not in steps:
        sys.exit(__doc__)
    steps[sys.argv[3]](Go(sys.argv[1], sys.argv[2]))


if __name__ == "__main__":
    main()
