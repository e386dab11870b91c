# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""The Debian packages as users have them: made twice, equal both times; lintian has nothing to say; in a system of their own
(debootstrap) older ones are installed and upgraded, their tests run (debian/tests), they are removed and purged; then
every file there is as it was before. Root is needed, and the mirror that the system's own apt has.

usage: chroot.py ROOT FOLDER [DEBS]   DEBS: packages that tools/deb has made before; not made again, nor twice"""
import filecmp
import glob
import hashlib
import os
import re
import shutil
import subprocess
import sys

ROOT, FOLDER = (os.path.abspath(path) for path in sys.argv[1:3])
# About a place in Debian's archive, which Rijn has not: an address, a bug number of the wish for a package, a homepage.
NO_PLACE = "bogus-mail-host,bogus-mail-host-in-debian-changelog,initial-upload-closes-no-bugs,no-homepage-field"


def fail(text):
    sys.exit("FAIL: " + text)


def run(*command, ok=True, **more):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", **more)
    if ok and done.returncode != 0:
        fail(f"{' '.join(command)}: status {done.returncode}\n{done.stdout[-6000:]}")
    return done.stdout if ok else done


def debs(folder):
    return sorted(n for n in os.listdir(folder) if n.endswith(".deb") and "dbgsym" not in n)


def made():
    if len(sys.argv) > 3:
        return os.path.abspath(sys.argv[3])
    one, two = os.path.join(FOLDER, "one"), os.path.join(FOLDER, "two")
    for folder in (one, two):
        run(os.path.join(ROOT, "tools/deb"), folder)
    wrong = [n for n in debs(one) if not filecmp.cmp(os.path.join(one, n), os.path.join(two, n), shallow=False)]
    if wrong or debs(one) != debs(two):
        fail(f"two builds differ: {wrong}")
    return one


class System:
    """A Debian of its own."""

    def __init__(self, path):
        self.path = path
        codename = re.search(r"^VERSION_CODENAME=(\w+)$", open("/etc/os-release", encoding="utf-8").read(), re.M).group(1)
        sites = run("apt-get", "indextargets", "--format", "$(SITE) $(RELEASE)", "Created-By: Packages").splitlines()
        site = next((s.split()[0] for s in sites if s.split()[1:] == [codename]), None)
        if site is None:
            fail(f"apt knows no mirror of {codename}")
        run("debootstrap", "--variant=minbase", "--include=ca-certificates", codename, path, site)
        for name in ("sources.list", "sources.list.d", "apt.conf.d", "auth.conf.d"):
            source, to = os.path.join("/etc/apt", name), os.path.join(path, "etc/apt", name)
            if os.path.isdir(source):
                shutil.copytree(source, to, dirs_exist_ok=True)
            elif os.path.exists(source):
                shutil.copy(source, to)
        for name in ("resolv.conf", "hosts", "ssl/certs/ca-certificates.crt"):
            shutil.copy(os.path.join("/etc", name), os.path.join(path, "etc", name))
        with open(os.path.join(path, "usr/sbin/policy-rc.d"), "w", encoding="utf-8") as f:
            f.write("#!/bin/sh\nexit 101\n")
        os.chmod(os.path.join(path, "usr/sbin/policy-rc.d"), 0o755)

    def run(self, *command, **more):
        env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8", "HOME": "/root", "RIJN_IMPL": "", "PYTHONDONTWRITEBYTECODE": "1",
               "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}
        del env["RIJN_IMPL"]
        return run("chroot", self.path, *command, env=env, **more)

    def apt(self, *words):
        self.run("apt-get", "-y", "-qq", "--no-install-recommends", *words)

    def files(self):
        """What there is, and what is in it; but for records of what was done."""
        found = {}
        for at, folders, names in os.walk(self.path):
            inside = "/" + os.path.relpath(at, self.path)
            if inside.startswith(("/proc", "/sys", "/dev", "/tmp", "/debs", "/older", "/tests", "/var/cache", "/var/log",
                                  "/var/lib/apt", "/var/lib/dpkg")):
                folders.clear()
                continue
            for name in names + folders:
                path = os.path.join(at, name)
                if os.path.islink(path):
                    found[f"{inside}/{name}"] = os.readlink(path)
                elif os.path.isfile(path):
                    with open(path, "rb") as f:
                        found[f"{inside}/{name}"] = hashlib.sha256(f.read()).hexdigest()
                else:
                    found[f"{inside}/{name}"] = "folder"
        found.pop("/etc/ld.so.cache", None)
        found.pop("/var/cache/ldconfig/aux-cache", None)
        for name in "mok.key", "mok.pub":  # DKMS keeps them for itself from its first module on
            found.pop("/var/lib/dkms/" + name, None)
        return found


# The older packages: what this version's are, under the number and the names that 0.1.0 had. WHY not 0.1.0 itself: it was
# never published. So this is a test of the change from one to the other, not of what 0.1.0 did. OLD_SO has the length of
# today's number, or less: in programs and libraries it is put over that.
OLD, OLD_SO = "0.1.0", "0.1"
# What they have and the new ones do not: it has to go. The module for Linux has its version in its paths.
GONE = "usr/share/rijn/of-an-older-version"


def renamed(library, so, content):
    """What is in a file, with the name that a library had."""
    for form in (b"%s.so.%s", b"%s%s"):
        now, then = (form % (library.encode(), number.encode()) for number in (so, OLD_SO))
        if content[:4] == b"\x7fELF":
            content = content.replace(now + b"\0", then.ljust(len(now), b"\0") + b"\0")
        else:
            content = re.sub(re.escape(now) + rb"(?![0-9.]*[0-9])", then, content)
    return content


def older_tree(tree, name, so):
    """One package's files, as they were."""
    control = os.path.join(tree, "DEBIAN/control")
    with open(control, encoding="utf-8") as f:
        version = re.search(r"^Version: (.*)$", f.read(), re.M).group(1)
    upstream = version.split("-")[0]
    libraries = ("librijn-file", "librijn-volume", "librijn")
    for at, folders, names in os.walk(tree, topdown=False):
        for each in names + folders:
            path, new = os.path.join(at, each), each.replace("rijn-" + upstream, "rijn-" + OLD)
            for library in libraries:
                new = re.sub(rf"^({library}(\.so\.)?){re.escape(so)}(?=$|\.)", rf"\g<1>{OLD_SO}", new)
            new = new.replace(f".so.{upstream}", f".so.{OLD}")
            if os.path.islink(path):
                target = os.readlink(path)
                os.remove(path)
                os.symlink(target.replace(f".so.{so}", f".so.{OLD_SO}"), path)
            elif os.path.isfile(path):
                with open(path, "rb") as f:
                    content = before = f.read()
                for library in libraries:
                    content = renamed(library, so, content)
                if "DEBIAN" in at or each == "dkms.conf":
                    content = content.replace(version.encode(), (OLD + "-1").encode())
                    content = content if path == control and "dkms" not in name else content.replace(upstream.encode(), OLD.encode())
                    content = re.sub(rb" \(>= [^)]*\)", b"", content) if path == control else content
                if content != before:
                    with open(path, "wb") as f:
                        f.write(content)
            os.rename(path, os.path.join(at, new))


def older(where, to, so):
    os.makedirs(to)
    for name in debs(where):
        tree = os.path.join(to, "tree")
        run("dpkg-deb", "-R", os.path.join(where, name), tree)
        older_tree(tree, name, so)
        if name.startswith("rijn_"):
            os.makedirs(os.path.join(tree, os.path.dirname(GONE)), exist_ok=True)
            with open(os.path.join(tree, GONE), "w", encoding="utf-8") as f:
                f.write("gone\n")
        run("dpkg-deb", "--root-owner-group", "-Znone", "-b", tree, to)
        shutil.rmtree(tree)


def release(proc):
    """WHY it may not fail: what is removed next would be the processes' own folders."""
    if os.path.ismount(proc):
        subprocess.run(["umount", proc], check=True)


def main():
    release(os.path.join(FOLDER, "system/proc"))  # a run that was killed has left it
    shutil.rmtree(FOLDER, ignore_errors=True)
    os.makedirs(FOLDER)
    where = made()
    changes = [os.path.join(where, n) for n in os.listdir(where) if n.endswith(".changes")]
    if not changes:
        fail("there are no packages for lintian")
    done = run("lintian", "--pedantic", "--info", "--allow-root", "--suppress-tags", NO_PLACE, *changes, ok=False)
    if done.returncode not in (0, 2) or re.search(r"^[EWIP]: ", done.stdout, re.M):
        fail(f"lintian, status {done.returncode}: {done.stdout}")
    system = System(os.path.join(FOLDER, "system"))
    try:
        check(system, where)
    finally:
        release(os.path.join(system.path, "proc"))
    shutil.rmtree(FOLDER)


def check(system, where):
    run("mount", "-t", "proc", "proc", os.path.join(system.path, "proc"))
    control = open(os.path.join(ROOT, "debian/tests/control"), encoding="utf-8").read()
    own = [n.split("_")[0] for n in debs(where)]
    needed = {n for line in re.findall(r"^Depends: (.*)$", control, re.M) for n in line.split(", ")} - set(own)
    library = next(n for n in own if re.fullmatch(r"librijn[0-9.]+", n))
    so = library.replace("librijn", "")
    older(where, os.path.join(system.path, "older"), so)
    own_before = [n.split("_")[0] for n in debs(os.path.join(system.path, "older"))]
    os.mkdir(os.path.join(system.path, "debs"))
    for name in debs(where):
        shutil.copy(os.path.join(where, name), os.path.join(system.path, "debs"))
    shutil.copytree(os.path.join(ROOT, "debian/tests"), os.path.join(system.path, "tests"))
    system.apt("update")
    # What Rijn's packages need of others comes first, so that it is there before and after.
    paths = ["/debs/" + name for name in debs(where)]
    plan = system.run("apt-get", "-s", "--no-install-recommends", "install", *paths)
    others = sorted({m for m in re.findall(r"^Inst (\S+) ", plan, re.M)} - set(own) | needed)
    system.apt("install", *others)
    # What depmod keeps for itself from its first run on.
    for kernel in os.listdir(os.path.join(system.path, "lib/modules")):
        system.run("depmod", kernel)
    before = system.files()
    system.apt("install", *["/older/" + name for name in os.listdir(os.path.join(system.path, "older"))])
    if not os.path.exists(os.path.join(system.path, GONE)) or not os.path.isdir(os.path.join(system.path, "usr/src/rijn-" + OLD)):
        fail("the older packages are not what they should be")
    # A program of someone else, which an upgrade must not break.
    example = "cc /usr/share/doc/librijn-dev/examples/records.c $(pkg-config --cflags --libs rijn) -o /tmp/records"
    system.run("sh", "-c", example + " && /tmp/records && readelf -d /tmp/records | grep -F librijn.so." + OLD_SO)
    config = os.path.join(system.path, "etc/ssl/openssl.cnf")
    with open(config, "a", encoding="utf-8") as f:
        f.write("# the administrator's\n")
    changed = open(config, encoding="utf-8").read()
    system.apt("install", *paths)
    if os.path.exists(os.path.join(system.path, GONE)) or glob.glob(os.path.join(system.path, "usr/src/rijn-" + OLD)):
        fail("an upgrade left files of the older version")
    said = system.run("dpkg-query", "-W", "-f", "${Package} ${Version} ${db:Status-Status}\n", *own)
    if OLD in said or said.count(" installed\n") != len(own) or OLD in system.run("dkms", "status"):
        fail(f"not upgraded: {said}")
    # The older library has another name: it stays for that program, and is removed where nobody wants it any more.
    system.run("/tmp/records")
    kept = sorted(set(own_before) - set(own))
    if kept != sorted(n.replace(so, OLD_SO) for n in own if n.endswith(so)) or len(kept) != 3:
        fail(f"beside {own} there are {kept}")
    system.apt("remove", *kept)
    system.run("dpkg", "--purge", *kept)
    if system.run("/tmp/records", ok=False).returncode == 0:
        fail("the older library is not what the older program took")
    if open(config, encoding="utf-8").read() != changed:
        fail("an upgrade changed what the administrator wrote")
    with open(config, "w", encoding="utf-8") as f:
        f.write(changed.replace("# the administrator's\n", ""))
    new = {n for n in system.files() if n not in before}
    multiarch = run("dpkg-architecture", "-q", "DEB_HOST_MULTIARCH").strip()
    library = library.replace("librijn", "librijn.so.")
    if not [n for n in new if re.fullmatch("(/usr)?/lib/modules/.*/rijn[.]ko.*", n)]:
        fail("DKMS built no module")
    for name in ("/usr/bin/rijn", f"/usr/lib/{multiarch}/{library}", f"/usr/lib/{multiarch}/ossl-modules/rijn.so"):
        if name not in new:
            fail(f"not installed: {name}")
    for name in sorted(os.listdir(os.path.join(system.path, "tests"))):
        if name != "control":
            system.run("/tests/" + name)
            print(f"debian/tests/{name}: passed", flush=True)
    system.apt("install", "--reinstall", *paths)
    system.apt("remove", *own)
    system.run("dpkg", "--purge", *own)  # apt does not know them any more
    after = system.files()
    wrong = sorted(n for n in set(before) | set(after) if before.get(n) != after.get(n))
    if wrong:
        fail(f"removed and purged, and yet not as before: {wrong}")
    print(f"{len(own)} packages installed, {len(new)} files; removed and purged: {len(after)} files as before")


main()
