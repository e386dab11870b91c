# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""Debian's kernels, their headers and their sources, unpacked and not installed.

usage: kit.py fetch FOLDER      what the tests need, by apt from where this machine has its own packages; idempotent

WHY not installed: a machine that runs tests is not to boot another kernel for it."""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../test/lib"))
import debian  # noqa: E402

FOLDER = os.path.join(HERE, "../../build/kernel")
# The program ip, which makes the tunnels of IPsec, and what it is linked with.
IP = ["iproute2", "libbpf1", "libbsd0", "libc6", "libcap2", "libelf1", "libmd0", "libmnl0", "zlib1g"]
# Of each architecture: the packages, whose dependencies of these kinds come with them.
WANTED = {
    "amd64": ["linux-image-cloud-amd64", "linux-headers-cloud-amd64", "linux-image-6.12-cloud-amd64",
              "linux-headers-6.12-cloud-amd64", "user-mode-linux", "linux-source-6.1"],
    "arm64": ["linux-image-cloud-arm64", "linux-headers-cloud-arm64", "busybox-static", *IP],
    "ppc64el": ["linux-image-powerpc64le", "linux-headers-powerpc64le", "busybox-static", *IP],
}  # fmt: skip
KINDS = re.compile(r"linux-(image|headers|kbuild)-[^ ]+$")
# The newest kernel that Debian has for a release, and what builds modules for it: programs that want a newer C library.
NEWEST = ("trixie trixie-backports", ["linux-image-cloud-amd64", "linux-headers-cloud-amd64", "bash", "binutils", "coreutils", "dash", "findutils",
                                      "gcc-14", "grep", "make", "mawk", "sed"])  # fmt: skip
OWN = "amd64"  # whose programs build the modules of all


def run(command, **more):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", **more)
    if done.returncode != 0:
        sys.exit(f"kernel: {' '.join(command)}\n{done.stdout[-6000:]}\nkernel: exit status {done.returncode}")
    return done.stdout


class Apt:
    """apt with the machine's own sources, keys and proxies, but another architecture and nothing of its state."""

    def __init__(self, arch, folder):
        self.folder = folder
        for part in ("state/lists/partial", "cache/archives/partial"):
            os.makedirs(os.path.join(folder, part))
        status = os.path.join(folder, "status")
        with open(status, "w", encoding="utf-8"):
            pass
        self.options = ["-o", f"APT::Architecture={arch}", "-o", f"APT::Architectures={arch}", "-o", f"Dir::State={folder}/state",
                        "-o", f"Dir::State::status={status}", "-o", f"Dir::Cache={folder}/cache",
                        "-o", "Acquire::Languages=none", "-o", "Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false",
                        "-o", "APT::Sandbox::User=root", "-o", "Acquire::Retries=3"]  # fmt: skip

    def get(self, *words, cwd=None):
        return run(["apt-get", "-q", *self.options, *words], cwd=cwd)

    def field(self, package, name):
        """A field of a package, of the newest version."""
        said = run(["apt-cache", *self.options, "--no-all-versions", "show", package])
        found = re.search(rf"^{name}: (.*)$", said, re.M)
        return found[1] if found else ""

    def closure(self, names):
        """Those packages, and what they depend on of KINDS; the source is that which user-mode-linux was made of."""
        done, left = [], list(names)
        while left:
            name = left.pop(0)
            if name in done:
                continue
            done.append(name)
            for alternatives in self.field(name, "Depends").split(", "):
                words = [re.sub(r" \(.*", "", word) for word in alternatives.split(" | ")]
                left += [word for word in words[:1] if KINDS.match(word) and not word.endswith("-unsigned")]
            if name == "user-mode-linux":
                version = re.search(r"linux \(= ([^)]+)\)", self.field(name, "Built-Using"))[1]
                done = [word for word in done if word != "linux-source-6.1"] + ["linux-source-6.1"]
                self.source = "linux-source-6.1=" + version
        return [self.source if name == "linux-source-6.1" else name for name in done]


def mend(root):
    """The headers of the Debian packages name each other by where they would be installed."""
    for path in glob.glob(os.path.join(root, "usr/src/linux-headers-*/Makefile")):
        with open(path, encoding="utf-8") as f:
            text = f.read()
        if text.startswith("include /usr/src/"):
            with open(path, "w", encoding="utf-8") as f:
                f.write(text.replace("include /usr/src/", f"include {os.path.realpath(root)}/usr/src/"))


# Of the sources: what modules_prepare reads, not what the kernel itself is compiled of.
LEFT_OUT = ["drivers/*.[ch]", "fs/*.[ch]", "net/*.[ch]", "arch/[!ux]*/*.[chS]", "tools/testing", "tools/perf", "*.dts", "*.dtsi"]


def source(root):
    """Unpacks the kernel's sources and makes them what user-mode-linux was made of, so that modules fit it."""
    tree = os.path.join(root, "source")
    shutil.rmtree(tree, ignore_errors=True)
    os.makedirs(tree)
    skip = [f"--exclude=linux-source-*/{what}" for what in LEFT_OUT]
    run(["tar", "-xJf", os.path.join(root, "usr/src/linux-source-6.1.tar.xz"), "-C", tree, "--strip-components=1", *skip])
    config = run(["zcat", os.path.join(root, "usr/share/doc/user-mode-linux/config.gz")])
    with open(os.path.join(tree, ".config"), "w", encoding="utf-8") as f:
        f.write(config)
    run(["make", "-s", "-C", tree, "ARCH=um", "CC=gcc-12", "olddefconfig", "modules_prepare"])


def fetch_arch(folder, arch):
    stamp, wanted = os.path.join(folder, arch, "packages.txt"), " ".join(WANTED[arch])
    if os.path.exists(stamp):
        with open(stamp, encoding="utf-8") as f:
            if f.readline().strip() == wanted:
                return
    new = os.path.join(folder, arch + ".new")
    shutil.rmtree(new, ignore_errors=True)
    os.makedirs(new)
    apt = Apt(arch, os.path.join(new, "apt"))
    # WHY whatever it says: a mirror that is being filled lacks a list for a while. What is missing then is missed below.
    subprocess.run(["apt-get", "-q", *apt.options, "update"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    names = apt.closure(WANTED[arch])
    apt.get("download", *names, cwd=new)
    packages = glob.glob(os.path.join(new, "*.deb"))
    for package in packages:
        run(["dpkg-deb", "-x", package, new])
        os.remove(package)
    shutil.rmtree(os.path.join(new, "apt"))
    shutil.rmtree(os.path.join(folder, arch), ignore_errors=True)
    os.rename(new, os.path.join(folder, arch))
    mend(os.path.join(folder, arch))
    if arch == OWN:
        source(os.path.join(folder, arch))
    else:
        for name in os.listdir(os.path.join(folder, arch, "usr/lib")):
            if name.startswith("linux-kbuild-"):
                shutil.rmtree(os.path.join(folder, arch, "usr/lib", name))
                os.symlink(os.path.join("../../../", OWN, "usr/lib", name), os.path.join(folder, arch, "usr/lib", name))
    with open(stamp, "w", encoding="utf-8") as f:
        f.write(wanted + "\n" + "\n".join(names) + "\n")


def newer_source(folder):
    """The sources of Linux 6.12 that bench.py and kernels.py build, and nothing else of it; fetched when they are first
    asked for."""
    tree = os.path.join(folder, "source-6.12")
    if os.path.exists(os.path.join(tree, "crypto/testmgr.c")):
        return tree
    shutil.rmtree(tree, ignore_errors=True)
    with tempfile.TemporaryDirectory(dir=folder) as new:
        apt = Apt(OWN, os.path.join(new, "apt"))
        subprocess.run(["apt-get", "-q", *apt.options, "update"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        apt.get("download", "linux-source-6.12", cwd=new)
        run(["dpkg-deb", "-x", *glob.glob(os.path.join(new, "*.deb")), new])
        os.mkdir(os.path.join(new, "tree"))
        run(["tar", "-xJf", os.path.join(new, "usr/src/linux-source-6.12.tar.xz"), "-C", os.path.join(new, "tree"),
             "--strip-components=1", "--wildcards", "*/arch/x86/crypto", "*/crypto/simd.c", "*/crypto/testmgr.[ch]",
             "linux-source-*/crypto/internal.h"])  # fmt: skip
        os.rename(os.path.join(new, "tree"), tree)
    return tree


def newest(folder):
    """The folder of a system with NEWEST, made when it is first asked for."""
    root = os.path.join(folder, "newest")
    debian.system(root, *NEWEST)
    if not os.path.exists(os.path.join(root, "usr/bin/awk")):
        os.symlink("mawk", os.path.join(root, "usr/bin/awk"))
    return root


def fetch(folder):
    for arch in WANTED:
        for wait in (0, 3, 10):
            time.sleep(wait)
            try:
                fetch_arch(folder, arch)
                break
            except SystemExit:
                if wait == 10:
                    raise


if __name__ == "__main__":
    if sys.argv[1:2] != ["fetch"] or len(sys.argv) != 3:
        sys.exit(__doc__)
    fetch(os.path.abspath(sys.argv[2]))
