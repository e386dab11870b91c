# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""Packages of a release of Debian that this machine need not be of, for any architecture, by an apt of their own: with the
machine's mirror and keys, and nothing of its state."""
import glob
import os
import shutil
import subprocess
import tarfile

KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg"


class Failed(Exception):
    """A command did, and this is what it said."""


def run(command, **more):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", **more)
    if done.returncode != 0:
        raise Failed(f"{' '.join(command)}\n{done.stdout[-6000:]}\nexit status {done.returncode}")
    return done.stdout


def mirror():
    """Of Debian's main archive, as this machine's own apt has it."""
    for _ in range(2):
        command = ["apt-get", "indextargets", "--format", "$(REPO_URI) $(LABEL)", "Created-By: Packages"]
        for line in run(command).splitlines():
            uri, label = line.split(" ", 1)
            if label == "Debian":
                return uri
        subprocess.run(["apt-get", "-qq", "update"])  # apt names only what it has fetched once
    raise Failed("apt knows no mirror of Debian; does apt-get update work?")


def apt(folder, kind, suite, arch):
    """The command apt-get for packages of that kind (deb or deb-src), updated; folder becomes its own. suite: several with a
    blank between, and the last one's packages are preferred."""
    shutil.rmtree(folder, ignore_errors=True)
    for part in ("lists/partial", "archives/partial", "empty", "got"):
        os.makedirs(os.path.join(folder, part))
    open(os.path.join(folder, "status"), "w").close()
    with open(os.path.join(folder, "sources.list"), "w", encoding="utf-8") as f:
        f.writelines(f"{kind} [signed-by={KEYS}] {mirror()} {name} main\n" for name in suite.split())
    options = {"APT::Architecture": arch, "APT::Architectures": arch, "Dir::State": folder, "Dir::State::lists": folder + "/lists",
               "Dir::State::status": folder + "/status", "Dir::Cache": folder, "Dir::Cache::archives": folder + "/archives",
               "Dir::Etc::sourcelist": folder + "/sources.list", "Dir::Etc::sourceparts": folder + "/empty",
               "Dir::Etc::preferencesparts": folder + "/empty", "Acquire::Retries": "3", "Acquire::Languages": "none",
               "Acquire::IndexTargets::deb::DEP-11::DefaultEnabled": "false", "APT::Sandbox::User": "root"}  # fmt: skip
    command = ["apt-get", "-q", *(word for name, value in options.items() for word in ("-o", f"{name}={value}"))]
    run([*command, "update"])
    return command


def source(folder, suite, package, wanted):
    """Unpacks, of the sources that the package is made of, the files whose path under their folder `wanted` takes."""
    if os.path.exists(folder):
        return
    own = folder + ".apt"
    command = apt(own, "deb-src", suite, "amd64")
    run([*command, "source", "--download-only", package], cwd=own + "/got")
    (archive,) = glob.glob(own + "/got/*.orig.tar.[xg]z")
    with tarfile.open(archive) as tar:
        for member in tar:
            if "/" in member.name and wanted(member.name.split("/", 1)[1]):
                tar.extract(member, own + "/new")
    (new,) = glob.glob(own + "/new/*")
    os.rename(new, folder)
    shutil.rmtree(own)


def system(folder, suite, names):
    """Unpacks these packages and all that they depend on into the folder, which chroot may go to then. No package is
    configured there."""
    if os.path.exists(folder):
        return
    own = folder + ".apt"
    command = apt(own, "deb", suite, "amd64")
    run([*command, "-y", "--no-install-recommends", "--download-only", "-t", suite.split()[-1], "install", "base-files", *names])
    packages = glob.glob(own + "/archives/*.deb")
    for package in sorted(packages, key=lambda path: not os.path.basename(path).startswith("base-files_")):  # its links first
        run(["dpkg-deb", "-x", package, own + "/new"])
    os.rename(own + "/new", folder)
    shutil.rmtree(own)


def binaries(folder, suite, arch, names):
    """Unpacks these packages into the folder."""
    if os.path.exists(folder):
        return
    own = folder + ".apt"
    command = apt(own, "deb", suite, arch)
    run([*command, "download", *names], cwd=own + "/got")
    for package in glob.glob(own + "/got/*.deb"):
        run(["dpkg-deb", "-x", package, own + "/new"])
    os.rename(own + "/new", folder)
    shutil.rmtree(own)
