# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""The commands of the pages do what they say: each block of shell commands is run as it is printed, in a folder that has
the files it is about, or this test says who else runs it, or why nobody can. A block that it does not know is an error.
So are the bindings' pages read, with their programs and settings; commands within their sentences name what is there.
Each `rijn bench` within a sentence has options that the command takes, and each block of C compiles."""
import glob
import os
import re
import tomllib

from common import SETS, Scratch, arguments, fail, run

args = arguments("rijn")
# What is measured is not looked at, so little of it is measured. Keys of passphrases are cheap, and asked for nowhere.
SHORT = f"""
rijn() {{
  case "$*" in
    "bench --full"*) command rijn "$@" gcm xts keys --impl chosen --peers none --rounds 1 --sample-us 1 ;;
    bench*) command rijn "$@" --rounds 1 --sample-us 1 ;;
    "volume create"*--memory*) command rijn "$@" --passphrase-file pass --rounds 4 ;;
    "volume create"*) command rijn "$@" --passphrase-file pass --memory 32 --rounds 4 ;;
    "volume open"*) command rijn "$@" --passphrase-file pass --plugin {args.build}/volume/nbdkit/nbdkit-rijn-plugin.so ;;
    "volume read"* | "volume write"*) command rijn "$@" --passphrase-file pass ;;
    *) command rijn "$@" ;;
  esac
}}
# Counters are in few virtual machines: what is to be measured is run.
perf() {{
  [ "$1" != annotate ] || return 0
  while [ "$1" != -- ]; do shift; done
  shift
  "$@"
}}
nbdkit() {{
  shift
  command nbdkit -U - {args.build}/volume/nbdkit/nbdkit-rijn-plugin.so "$@" --run true
}}
"""
VOLUME = "echo pw >pass; chmod 600 pass; command rijn volume create disk.img --format luks2 --size 32M " \
         "--passphrase-file pass --memory 32 --rounds 4\n"
REPORTS = "mkdir build OLD NEW; for f in build/bench before after; do command rijn bench gcm --rounds 9 --impl chosen --sizes 64 --json $f.json; " \
          "done; ln -s $(type -P rijn) OLD/rijn; ln -s $(type -P rijn) NEW/rijn\n"
ELSEWHERE = {
    # page, how its block begins: who runs it, or why nobody does
    ("README.md", "make run"): "build.makefile",
    ("README.md", "rijn keygen"): "build.documents, which compares the files",
    ("README.md", "export OPENSSL_CONF="): "provider.check, as installed",
    ("doc/openssl-provider.md", "cmake -B build"): "build.install",
    ("doc/openssl-provider.md", "OPENSSL_CONF=/usr/share/rijn/rijn-openssl.cnf curl"): "provider.programs; and a server is needed",
    ("doc/openssl-provider.md", "OPENSSL_CONF=/usr/share/rijn/rijn-openssl.cnf rijn"): "provider.check, as installed",
    ("doc/openssl-provider.md", "sudo rijn openssl-check --enable\n"): "provider.switch, and debian/tests/provider in a system of its own",
    ("doc/openssl-provider.md", "sudo rijn openssl-check --enable --service"): "provider.service",
    ("doc/openssl-provider.md", "sudo cp /etc/ssl/openssl.cnf"): "provider.service",
    ("doc/openssl-provider.md", "sudo rijn openssl-check --pid"): "provider.process",
    ("doc/arm-power.md", "tools/setup build"): "on such a machine; make check is of the same parts",
    ("tuning/cycles.md", "cmake --preset release -B build/ablate"): "bench.ablate",
    ("doc/proofs.md", "make prove"): "proof.answers",
    ("doc/proofs.md", "proof/setup"): "proof.all and proof.faults (slow)",
    ("doc/kernel.md", "tar -xzf rijn-dkms"): "root of a machine whose Linux may change; kernel.* builds and boots the module",
    ("doc/kernel.md", "echo rijn > /etc/modules-load.d"): "the same",
    ("doc/kernel.md", "echo rijn >> /etc/initramfs-tools"): "the same",
    ("doc/kernel.md", "rijn info  "): "the same",
    ("doc/kernel.md", "rmmod rijn"): "the same",
    ("doc/kernel.md", "rijn bench kernel"): "kernel.bench, in a kernel that has the module",
    ("doc/volumes.md", "rijn volume info /dev/sdb\n"): "volume.*, with partitions in files",
    ("doc/volumes.md", "rijn volume info /dev/sdb3"): "volume.foreign, with images in files",
    ("doc/volumes.md", "rijn volume open vault.hc"): "volume.foreign, with images of that kind",
    ("doc/volumes.md", "chrt -r 1 python3 volume/test/bench_foreign.py"): "volume.bench_foreign (slow)",
    ("doc/volumes.md", "chrt -r 1 python3 volume/test/bench.py"): "volume.bench, smaller",
    ("bindings/go/README.md", "make go"): "go.tests",
    ("bindings/java/README.md", "make java"): "java.build",
    ("bindings/java/README.md", "security.provider.1=Rijn"): "java.contract: LoadTest",
    ("bindings/node/README.md", "make node"): "node.build",
    ("bindings/node/README.md", "import { randomBytes }"): "node.build",
    ("bindings/python/README.md", "git clone"): "python.clone",
    ("bindings/python/README.md", "import os\nfrom rijn import AESGCM"): "python.documents",
    ("bindings/python/README.md", "from rijn import AESGCM, InvalidTag"): "python.documents",
    ("bindings/python/README.md", "import numpy\nfrom rijn import AESGCM\n\npackets"): "python.documents",
    ("bindings/python/README.md", "import numpy\nfrom rijn import AESGCM\n\noffsets"): "python.documents",
    ("bindings/python/README.md", "from rijn import XTS"): "python.documents",
    ("bindings/python/README.md", "from rijn.cobblestone"): "python.files",
    ("bindings/python/README.md", "python3 -m rijn info"): "python.documents",
    ("bindings/rust/README.md", "make rust"): "rust.packages",
    ("bindings/rust/rijn/README.md", "use rijn::Aes256Gcm"): "rust.tests: the page is the crate's documentation",
    ("bindings/rust/rijn/README.md", "# #[cfg(all("): "rust.tests: the page is the crate's documentation",
    ("bindings/rust/rustls-rijn/README.md", "let base"): "rust.tests: the page is the crate's documentation",
}
RUN = {
    # page, how its block begins: what has to be there; (pattern, what stands in its place) for what takes long or needs a network
    ("doc/benchmarks.md", "rijn bench  "): (REPORTS, [("make bench .*", ""), ("(bench/report compare .*)", r"\1|| [ $? = 1 ]")]),
    ("doc/benchmarks.md", "# charts"): (REPORTS, [
        ("(bench/report compare .*)", r"\1 || [ $? = 1 ]"),
        ("(bench/report versus .*)", r"\1 --launches 3 -- gcm --impl chosen --sizes 64 --rounds 9 || [ $? = 1 ]")]),
    ("doc/speed.md", "build/release/bin/rijn bench"): ("", [("make bench .*", ""), ("build/release/bin/", "")]),
    ("tuning/cycles.md", "perf stat"): ("", [("--impl x86-vaes-avx2", "--impl chosen")]),
    ("tuning/cycles.md", "RIJN_IMPL=x86-aesni-avx valgrind"): ("", [("callgrind_annotate (.*)", r"callgrind_annotate \1 >/dev/null")]),
    ("doc/volumes.md", "rijn volume info disk.img"): (VOLUME, [("(rijn volume open [^#\n]*).*", r"\1; rijn volume close disk.img"),
                                                               ("--size 1G", "--size 32M")]),
    ("doc/volumes.md", "rijn volume create rootfs.luks"): (
        "echo pw >pass; chmod 600 pass; mkdir tree; echo text >tree/file\n",
        [("--size 2G", "--size 64M"), ("1900M", "40M"), ("mke2fs", "PATH=$PATH:/sbin:/usr/sbin mke2fs"),
         (r"--passphrase-file pass\b", "")]),
    ("doc/volumes.md", "nbdkit rijn file=disk.img"): (VOLUME, [("nbdkit rijn file=/dev/sdb.*", ""), ("nbdkit -f --filter.*", ""),
                                                               (r"\+pass", "+$PWD/pass")]),
}


def read(name):
    with open(os.path.join(args.root, name), encoding="utf-8") as f:
        return f.read()


def trial(name, block, before, instead):
    for pattern, text in instead:
        block, n = re.subn(pattern, text, block)
        if n == 0:
            fail(f"{name}: there is no {pattern!r} in\n{block}")
    with Scratch() as tmp:
        os.mkdir(os.path.join(tmp, "bin"))
        for program in ("rijn", "rijn-bench"):
            os.symlink(os.path.join(os.path.dirname(args.rijn), program), os.path.join(tmp, "bin", program))
        os.mkdir(os.path.join(tmp, "bench"))
        with open(os.path.join(tmp, "bench/report"), "w", encoding="utf-8") as f:
            f.write(f'#!/bin/sh\nexec "{args.root}/bench/report" "$@"\n')
        os.chmod(f.name, 0o755)
        env = {"PATH": os.path.join(tmp, "bin") + os.pathsep + os.environ["PATH"]}
        done = run(["bash", "-exuo", "pipefail", "-c", SHORT + before + block], cwd=tmp, env=env, ok=False)
        if done.returncode != 0:
            fail(f"{name}: these commands, as printed: {done.stdout}{done.stderr}")


def options(name, command):
    """A command of the bench within a sentence: --list has it read its options, and measure nothing."""
    words = re.sub(r"^.*?rijn ", "", " ".join(command.split())).split()
    if "--ablate" in words or "..." in words:
        return  # in a build of its own, whose commands have a block; or no command but its beginning
    if "--impl" in words:
        at = words.index("--impl") + 1
        known = [row.name for row in SETS.sets] + ["portable", "all", "none", "chosen"]
        if strange := set(words[at].split(",")) - set(known):
            fail(f"{name}: `{command}`: there is no {strange}")
        words[at] = "portable"
    if words[-1] == "--json":
        words.append("a-report.json")  # the name is the reader's
    # Drivers of Linux are in no list. The help comes after the options before it were read.
    done = run([args.rijn, *words, "--help"] if words[1:2] == ["kernel"] else [args.rijn, "bench", "--list", *words[1:]], ok=False)
    if done.returncode != 0:
        fail(f"{name}: `{command}`: {done.stderr}")


def compiles(name, block):
    """A block of C is a program, or statements after declarations."""
    includes = "".join(f"#include <{h}>\n" for h in ("rijn.h", "rijn-file.h", "rijn-volume.h"))
    text = block if "int main(" in block else f"{includes}void f(char *buf);\nvoid f(char *buf) {{\n{block}}}\n"
    text = text.replace("sizeof buf", "16")
    with Scratch() as tmp:
        path = os.path.join(tmp, "block.c")
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        folders = [f"-I{args.root}/{d}" for d in ("include", "file/include", "volume")]
        done = run([args.cc, "-std=c11", "-D_GNU_SOURCE", "-Wall", "-Werror", "-fsyntax-only", *folders, path], ok=False)
        if done.returncode != 0:
            fail(f"{name}: this C does not compile: {done.stderr}")


def same_as_the_crate(name, block):
    """A program whose lines stand in this order in the first one of the crate's page, which is a test of the crate."""
    crate = read("bindings/rust/rijn/README.md")
    program = iter(re.sub(r" *//.*", "", re.search(r"(?s)```rust\n(.*?)```", crate).group(1)).splitlines())
    for line in re.sub(r" *//.*", "", block).splitlines():
        if line not in program:
            fail(f"{name}: {line!r} is not, in this order, in the first program of bindings/rust/rijn/README.md")


def path_of_the_crate(name, block):
    """A dependency on a folder, in a clone that is called rijn and lies beside the reader's crate."""
    for crate, wanted in tomllib.loads(block).items():
        folder = wanted["path"].removeprefix("../rijn/")
        if tomllib.loads(read(os.path.join(folder, "Cargo.toml")))["package"]["name"] != crate:
            fail(f"{name}: {folder} is not the crate {crate}")


def programs(name, text):
    """Programs of the repository within a sentence: they are there, and each of their long options stands in them."""
    for command in re.findall(r"`(bindings/[^`]+|cargo bench[^`]*)`", text):
        words = command.split()
        at = [words[0], os.path.join(os.path.dirname(words[0]), "common.py")]
        if words[0] == "cargo":
            at = [f"bindings/rust/bench/benches/{words[words.index('--bench') + 1]}.rs"]
            words = words[words.index("--") + 1:] if "--" in words else []
        if not os.path.exists(os.path.join(args.root, at[0])):
            fail(f"{name}: `{command}`: {at[0]} is not there")
        counted["programs"] += 1
        code = "".join(read(path) for path in at if os.path.isfile(os.path.join(args.root, path)))
        for option in words:
            if option.startswith("--") and f'"{option}"' not in code:
                fail(f"{name}: `{command}`: {at[0]} has no option {option}")


CHECKED = {
    ("bindings/rust/README.md", "use rijn::Aes256Gcm"): same_as_the_crate,
    ("bindings/rust/README.md", "rijn = {"): path_of_the_crate,
}
PROGRAMS = ("sh", "console", "bash", "python", "rust", "toml", "properties", "js")
names = ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "SECURITY.md", "tuning/cycles.md"]
bindings = ["bindings/*/README.md", "bindings/rust/*/README.md"]
names += sorted(os.path.relpath(p, args.root) for g in ["doc/*.md", *bindings] for p in glob.glob(os.path.join(args.root, g)))
left = {**ELSEWHERE, **RUN, **CHECKED}
counted = {"run": 0, "elsewhere": 0, "checked": 0, "bench": 0, "C": 0, "programs": 0}
for name in names + [os.path.relpath(p, args.root) for p in glob.glob(os.path.join(args.root, "tuning/*.md"))]:
    for command in re.findall(r"`(?:[\w/]*/)?(rijn bench[^`]*)`", read(name)):
        options(name, command)
        counted["bench"] += 1
for name in names:
    programs(name, read(name))
    for language, block in re.findall(r"^```(\w+)\n(.*?)^```", read(name), re.S | re.M):
        if language == "c":
            compiles(name, block)
            counted["C"] += 1
        if language not in PROGRAMS:
            continue
        found = [key for key in left if key[0] == name and block.startswith(key[1])]
        if len(found) != 1:
            fail(f"{name}: this block is not run, or {__file__} knows it twice: {found}\n{block}")
        recipe = left.pop(found[0])
        counted["elsewhere" if isinstance(recipe, str) else "checked" if callable(recipe) else "run"] += 1
        if callable(recipe):
            recipe(name, block)
        elif not isinstance(recipe, str):
            trial(name, block, *recipe)
if left:
    fail(f"these blocks are on no page any more: {sorted(left)}")
if min(counted.values()) < 2:
    fail(f"hardly anything was found: {counted}")
print(counted)
