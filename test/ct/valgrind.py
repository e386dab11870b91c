# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""valgrind of another architecture, run by qemu's user emulation as any program of it.

usage: valgrind.py fetch FOLDER      the packages, by apt from where this machine has its own; idempotent

WHY no emulated machine: valgrind needs nothing of a kernel that qemu's user emulation does not give, as long as the
program is static. WHY the tool itself and not the command valgrind: that one looks for the tool and replaces itself."""
import glob
import os
import shutil
import subprocess
import sys
import time

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../build/valgrind")
DEBIAN = {"aarch64": "arm64", "ppc64le": "ppc64el"}


def run(command, env=None):
    return subprocess.run(command, env=env, capture_output=True, text=True, errors="replace")


def said(done):
    """What the program said, and the end of what valgrind said."""
    lines = done.stderr.splitlines()
    own = [line for line in lines if not line.startswith("==")]
    return "\n".join(own[:30] + lines[-60:])


def tool(folder, arch):
    """memcheck for programs of arch, and what it says that it is called in Debian's package."""
    found = glob.glob(os.path.join(folder, arch, "usr/lib*/valgrind/memcheck-*-linux"))
    found += glob.glob(os.path.join(folder, arch, "usr/lib/*/valgrind/memcheck-*-linux"))
    return found[0] if found else None


def fetch_packages(folder, arch, names):
    """Unpacks Debian's packages of another architecture into FOLDER/ARCH; gives back what apt said. apt has the machine's
    own sources, keys and proxies, but another architecture and nothing of its state."""
    debian, new = DEBIAN.get(arch, arch), os.path.join(folder, arch + ".new")
    shutil.rmtree(new, ignore_errors=True)
    for part in ("state/lists/partial", "cache/archives/partial"):
        os.makedirs(os.path.join(new, "apt", part))
    status = os.path.join(new, "apt/status")
    with open(status, "w", encoding="utf-8"):
        pass
    apt = ["apt-get", "-q", "-o", f"APT::Architecture={debian}", "-o", f"APT::Architectures={debian}"]
    apt += ["-o", f"Dir::State={new}/apt/state", "-o", f"Dir::State::status={status}", "-o", f"Dir::Cache={new}/apt/cache"]
    apt += ["-o", "Acquire::Languages=none", "-o", "Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false"]
    apt += ["-o", "APT::Sandbox::User=root"]  # who may write here is who runs this
    output = ""
    for command in ([*apt, "update"], [*apt, "download", *names]):
        done = subprocess.run(command, cwd=new, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        output += done.stdout
    packages = glob.glob(os.path.join(new, "*.deb"))
    if len(packages) != len(names):
        return output
    for package in packages:
        done = run(["dpkg-deb", "-x", package, new])
        if done.returncode != 0:
            return output + done.stderr
        os.remove(package)
    shutil.rmtree(os.path.join(new, "apt"))
    shutil.rmtree(os.path.join(folder, arch), ignore_errors=True)
    os.rename(new, os.path.join(folder, arch))
    return output


def fetch(folder):
    for arch in DEBIAN:
        for wait in (0, 3, 10):
            if tool(folder, arch):
                break
            time.sleep(wait)
            output = fetch_packages(folder, arch, ["valgrind"])
        if not tool(folder, arch):
            sys.exit(f"valgrind of {DEBIAN[arch]} could not be fetched:\n{output[-3000:]}")


def foreign(arch, cpu, env=os.environ):
    """The command to put before a static program, and its environment."""
    path = tool(FOLDER, arch)
    qemu = shutil.which(f"qemu-{arch}-static") or shutil.which(f"qemu-{arch}")
    if not path or not qemu:
        sys.exit(f"valgrind or qemu for {arch} is missing: tools/setup test brings both")
    return [qemu, "-cpu", cpu, path], {**env, "VALGRIND_LIB": os.path.dirname(path), "VALGRIND_LAUNCHER": path}


if __name__ == "__main__":
    if sys.argv[1:2] != ["fetch"] or len(sys.argv) != 3:
        sys.exit(__doc__)
    fetch(os.path.abspath(sys.argv[2]))
