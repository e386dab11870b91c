# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""The RPM packages as users have them: made twice, equal both times; rpmlint has nothing to say; in a root of their own, with
their dependencies checked, older ones are installed and upgraded, used, and removed: then every file there is as it was.
What packages of other projects would bring there is one package that this test makes. Root is needed, for the root.

usage: packages.py ROOT FOLDER [RPMS]   RPMS: packages that tools/rpm has made before; not made again, nor twice"""

import filecmp
import hashlib
import os
import re
import shutil
import subprocess
import sys

ROOT, FOLDER = (os.path.abspath(path) for path in sys.argv[1:3])
# What the packages may need of others, and what they must need: package, capability.
OUTSIDE = (
    r"rpmlib\(.*|rtld\(GNU_HASH\)|lib(c|m|crypto|argon2|json-c)\.so\.\d+(\(\w*\.?[\w.]*\))?\(64bit\)|/bin/sh|dkms|python\(abi\)"
    r"|/usr/bin/pkg-config|pkgconfig\((json-c|libargon2|libcrypto|libsodium)\)|(nbdkit-server|openssl-libs)\(x86-64\)"
)
NEEDED = [("rijn", "libsodium.so.23()(64bit)"), ("librijn-devel", "librijn(x86-64)"), ("librijn-static", "librijn-devel(x86-64)"),
          ("librijn-file", "librijn.so.{so}()(64bit)"), ("librijn-file-devel", "pkgconfig(rijn)"),
          ("librijn-volume-devel", "pkgconfig(json-c)"), ("python3-rijn", "librijn.so.{so}()(64bit)"),
          ("python3-rijn", "python(abi)"), ("rijn-openssl-provider", "openssl-libs(x86-64)"), ("rijn-dkms", "dkms"),
          ("nbdkit-rijn-plugin", "nbdkit-server(x86-64)")]  # fmt: skip
PROVIDED = [
    ("librijn", "librijn.so.{so}(RIJN_0)(64bit)"),
    ("librijn-devel", "pkgconfig(rijn)"),
    ("python3-rijn", "python3dist(rijn)"),
]
# Folders of Fedora's filesystem, man-db, cmake-filesystem, openssl-libs, nbdkit-server, python3-libs and kernels.
FOLDERS = """/usr/bin /usr/include /usr/lib /usr/lib/.build-id /usr/lib64/cmake /usr/lib64/nbdkit/filters /usr/lib64/nbdkit/plugins
/usr/lib64/ossl-modules /usr/lib64/pkgconfig {python} /usr/share/bash-completion/completions /usr/share/doc
/usr/share/fish/vendor_completions.d /usr/share/licenses /usr/share/man/man1 /usr/share/man/man3
/usr/share/zsh/site-functions /usr/src /var/lib/rpm /var/tmp /tmp""".split()
FILES = {
    "rijn": ["/usr/bin/rijn", "/usr/share/man/man1/rijn.1.gz", "/usr/share/bash-completion/completions/rijn"],
    "librijn": ["/usr/lib64/librijn.so.{so}"],
    "librijn-devel": [
        "/usr/include/rijn.h",
        "/usr/lib64/librijn.so",
        "/usr/share/man/man3/rijn_gcm_seal.3.gz",
        "/usr/share/doc/librijn-devel/examples/records.c",
        "/usr/share/doc/librijn-devel/doc/trust.md",
    ],
    "librijn-static": ["/usr/lib64/librijn.a"],
    "librijn-file": ["/usr/lib64/librijn-file.so.{so}"],
    "librijn-file-devel": ["/usr/include/rijn-file.h", "/usr/share/man/man3/rijn_file_pread.3.gz"],
    "librijn-volume": ["/usr/lib64/librijn-volume.so.{so}"],
    "librijn-volume-devel": ["/usr/include/rijn-volume.h", "/usr/share/man/man3/rijn_volume_unlock.3.gz"],
    "rijn-openssl-provider": ["/usr/lib64/ossl-modules/rijn.so", "/usr/share/rijn/rijn-openssl.cnf"],
    "nbdkit-rijn-plugin": [
        "/usr/lib64/nbdkit/plugins/nbdkit-rijn-plugin.so",
        "/usr/lib64/nbdkit/filters/nbdkit-rijn-filter.so",
    ],
    "python3-rijn": ["{python}/rijn/_rijn.abi3.so", "{python}/rijn-{v}.dist-info/METADATA"],
    "rijn-dkms": [
        "/usr/src/rijn-{v}/dkms.conf",
        "/usr/src/rijn-{v}/Kbuild",
        "/usr/share/licenses/rijn-dkms/LICENSE-GPL",
    ],
}
OLD, GONE = "0.1.0", "/usr/bin/rijn-of-an-older-version"


def fail(text):
    sys.exit("FAIL: " + text)


def run(*command, ok=True, env=None, **more):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                          env={**os.environ, "LC_ALL": "C.UTF-8", **(env or {})}, **more)  # fmt: skip
    if ok and done.returncode != 0:
        fail(f"{' '.join(command)}: status {done.returncode}\n{done.stdout[-6000:]}")
    return done.stdout if ok else done


def read(name):
    with open(os.path.join(ROOT, name), encoding="utf-8") as f:
        return f.read()


VERSION = re.search(r'RIJN_VERSION_STRING "([^"]+)"', read("include/rijn.h")).group(1)
WORDS = {
    "v": VERSION,
    "so": ".".join(VERSION.split(".")[:2]) if VERSION.startswith("0.") else VERSION.split(".")[0],
    "python": "/usr/lib64/python%s/site-packages"
    % run("/usr/bin/python3", "-c", "import sys; print('%d.%d' % sys.version_info[:2])").strip(),
}


def rpms(folder):
    """Name of a package, and its file."""
    paths = sorted(os.path.join(folder, n) for n in os.listdir(folder) if n.endswith(".rpm") and ".src." not in n)
    return {run("rpm", "-qp", "--qf", "%{NAME}", path): path for path in paths}


def same(one, two):
    """Byte by byte. Of a source package, what is in it: beside that, rpm writes down the folders of the build."""
    if ".src." not in one:
        return filecmp.cmp(one, two, shallow=False)
    sums = [run("sh", "-c", 'rpm2cpio "$1" | sha256sum', "sh", path) for path in (one, two)]
    return sums[0] == sums[1]


def made():
    if len(sys.argv) > 3:
        return os.path.abspath(sys.argv[3])
    one, two = os.path.join(FOLDER, "one"), os.path.join(FOLDER, "two")
    for folder in (one, two):
        run(os.path.join(ROOT, "tools/rpm"), folder)
    names = [sorted(n for n in os.listdir(folder) if n.endswith(".rpm")) for folder in (one, two)]
    wrong = [n for n in names[0] if not same(os.path.join(one, n), os.path.join(two, n))]
    if wrong or names[0] != names[1]:
        fail(f"two builds differ: {wrong}")
    return one


def lists(packages):
    """What is in which package, by rpm -qlp, and what it needs of whom."""
    owner, folders = {}, set()
    if set(packages) != set(FILES):
        fail(f"packages: {sorted(packages)}")
    for name, path in packages.items():
        listed = run(
            "rpm", "-qp", "--qf", "[%{FILEMODES:perms} %{FILEUSERNAME} %{FILEGROUPNAME} %{FILENAMES}\n]", path
        ).splitlines()
        for mode, user, group, file in (row.split(" ", 3) for row in listed):
            if (user, group) != ("root", "root") or mode[0] != "l" and "w" in mode[4:]:
                fail(f"{name}: {mode} {user} {group} {file}")
            if mode[0] == "d":
                folders.add(file)
            elif owner.setdefault(file, name) != name:
                fail(f"{file} is of {owner[file]} and of {name}")
        missing = [f for f in (f.format(**WORDS) for f in FILES[name]) if owner.get(f) != name]
        if missing:
            fail(f"{name} has not {missing}")
    wrong = [f for f in folders if "rijn" not in f and ".build-id" not in f]
    if wrong:
        fail(f"folders of others: {wrong}")

    def words(kind, name):
        return {line.split(" ")[0] for line in run("rpm", "-qp", kind, packages[name]).splitlines()}

    needs, gives = ({n: words(kind, n) for n in packages} for kind in ("--requires", "--provides"))
    for table, rows in ((needs, NEEDED), (gives, PROVIDED)):
        wrong = [row for row in rows if row[1].format(**WORDS) not in table[row[0]]]
        if wrong:
            fail(f"needed and provided: there is no {wrong}")
    outside = set().union(*needs.values()) - set().union(*gives.values())
    wrong = {n for n in outside if not re.fullmatch(OUTSIDE, n)}
    if wrong:
        fail(f"needed of others: {sorted(wrong)}")
    return owner, outside


def hardened(folder, owner):
    """Each program and library has what Fedora's flags ask for, and no path of where it was made."""
    count = 0
    for file in owner:
        path = folder + file
        if os.path.islink(path):
            continue
        with open(path, "rb") as f:
            content = f.read()
        if FOLDER.encode() in content or ROOT.encode() in content:
            fail(f"{file} has a path of where it was made")
        if content[:4] != b"\x7fELF":
            continue
        said, count = run("readelf", "-dlnW", path), count + 1
        # WHY not all of them: Debian's start files, which only these have not, carry no marks of CET.
        wanted = ["GNU_RELRO", "NOW", "PIE" if file == "/usr/bin/rijn" else "RELR"]
        if "librijn.so" in file or file.endswith("/ossl-modules/rijn.so"):
            wanted.append("IBT, SHSTK")
        for want in wanted:
            if want not in said:
                fail(f"{file} has no {want}")
        if re.search("RPATH|RUNPATH", said) or " .debug_info" in run("readelf", "-SW", path):
            fail(f"{file} has an RPATH, or is not stripped")
    if count < 8:
        fail(f"only {count} programs and libraries")


def rpmbuild(where, spec):
    """The packages of a spec, which builds nothing."""
    path = os.path.join(where, "made.spec")
    os.makedirs(where)
    with open(path, "w", encoding="utf-8") as f:
        f.write(spec)
    run("rpmbuild", "-bb", "--nodeps", "--define", f"_topdir {where}/topdir", "--define", f"_rpmdir {where}", "--define",
        "_build_name_fmt %%{NAME}.rpm", "--define", "_lib lib64", "--define", "__os_install_post %{nil}", "--define",
        "_docdir_fmt %%{NAME}", "--define", "python3_sitearch " + WORDS["python"], "--define", "_build_id_links none", path)  # fmt: skip
    return where


def outside_package(where, outside):
    """What other packages bring: capabilities, folders, a shell, and a dkms that writes down what it is asked."""
    provides = "".join(f"Provides: {n}{' = ' + WORDS['python'].split('python')[1].split('/')[0] if 'abi' in n else ''}\n"
                       for n in sorted(outside) if not n.startswith("rpmlib"))  # fmt: skip
    folders = [f.format(**WORDS) for f in FOLDERS]
    return rpmbuild(
        where,
        f"""Name: outside
Version: 1
Release: 1
Summary: Others
License: None
AutoReqProv: no
{provides}%description
%install
mkdir -p {" ".join("%{buildroot}" + f for f in folders)} %{{buildroot}}/bin
cp /bin/busybox %{{buildroot}}/bin/busybox
ln -s busybox %{{buildroot}}/bin/sh
printf '#!/bin/sh\\necho "$@" >>/tmp/dkms\\n' >%{{buildroot}}/usr/bin/dkms
chmod 755 %{{buildroot}}/usr/bin/dkms
%files
/bin/busybox
/bin/sh
/usr/bin/dkms
{chr(10).join("%dir " + f for f in folders)}
""",
    )


def older(where, packages):
    """The same files, under the number of an older version, and one file more. WHY not the older version itself: none was
    published."""
    tree = os.path.join(where, "tree")
    os.makedirs(tree)
    for path in packages.values():
        run("sh", "-c", 'rpm2cpio "$1" | cpio -idmu --quiet', "sh", path, cwd=tree)
    for name in (f"usr/src/rijn-{VERSION}", f"{WORDS['python'][1:]}/rijn-{VERSION}.dist-info"):
        os.rename(os.path.join(tree, name), os.path.join(tree, name.replace(VERSION, OLD)))
    with open(tree + GONE, "w", encoding="utf-8") as f:
        f.write("gone\n")
    shutil.rmtree(os.path.join(tree, "usr/lib"), ignore_errors=True)
    spec = read("packaging/rijn.spec").replace("\nVersion:        " + VERSION, "\nVersion:        " + OLD)
    # Licences and documents come from the tree, too.
    spec = re.sub(r"\n%prep\n.*?\n(%post dkms\n)", rf"\n%install\ncp -a {tree}/. %{{buildroot}}\n\1", spec, flags=re.S)
    spec = re.sub(r"^%(license|doc) .*\n", "", spec, flags=re.M)
    for package in (
        "rijn",
        "librijn",
        "librijn-file",
        "librijn-volume",
        "rijn-openssl-provider",
        "nbdkit-rijn-plugin",
        "python3-rijn",
        "rijn-dkms",
    ):
        head = (
            "%files"
            + {"rijn": "", "rijn-openssl-provider": " openssl-provider", "rijn-dkms": " dkms"}.get(
                package, " -n " + package
            )
            + "\n"
        )
        own = "".join(
            f"/usr/share/{kind}/{package}/\n"
            for kind in ("licenses", "doc")
            if os.path.isdir(f"{tree}/usr/share/{kind}/{package}")
        )
        spec = spec.replace(head, head + own)
    spec = spec.replace("%files\n", f"%files\n{GONE}\n")
    made_here = os.path.join(where, "made")
    rpmbuild(
        made_here,
        spec.replace(
            "* Thu", "* Thu Nov 26 2026 Rijn contributors <rijn@localhost.localdomain> - 0.1.0-1\n- Older.\n\n* Thu", 1
        ),
    )
    return rpms(made_here)


def state(folder):
    found = {}
    for at, folders, names in os.walk(folder):
        inside = "/" + os.path.relpath(at, folder)
        if inside == "/var/lib/rpm":
            continue
        for name in names + folders:
            path = os.path.join(at, name)
            if os.path.islink(path):
                found[os.path.join(inside, name)] = os.readlink(path)
            elif os.path.isfile(path):
                with open(path, "rb") as f:
                    found[os.path.join(inside, name)] = hashlib.sha256(f.read()).hexdigest()
            else:
                found[os.path.join(inside, name)] = "folder"
    found.pop("/tmp/dkms", None)
    return found


def asked(folder, want):
    """What dkms was asked since the last time."""
    path = os.path.join(folder, "tmp/dkms")
    with open(path, encoding="utf-8") as f:
        said = [line.split()[0] + " " + line.split()[4] for line in f]
    os.remove(path)
    if said != want:
        fail(f"dkms was asked {said}, not {want}")


def use(folder, scratch):
    """As a programmer and a user would: examples, command, Python module, provider, plugin."""
    lib, env = folder + "/usr/lib64", {
        "LD_LIBRARY_PATH": folder + "/usr/lib64",
        "PKG_CONFIG_PATH": folder + "/usr/lib64/pkgconfig",
    }
    examples, build = folder + "/usr/share/doc/librijn-devel/examples", os.path.join(scratch, "examples")
    run("cmake", "-S", examples, "-B", build, f"-Drijn_DIR={lib}/cmake/rijn", f"-DMODULES={lib}/ossl-modules")
    run("cmake", "--build", build)
    said = run("ctest", "--test-dir", build, "--no-tests=error", "--output-on-failure", env=env)
    if "100% tests passed, 0 tests failed out of 9" not in said:
        fail(said)
    for source, package, more in (("records", "rijn", ""), ("file", "rijn-file", ""), ("records", "rijn", "-static")):
        program = os.path.join(scratch, source + package + more)
        run("sh", "-c", f'cc {more} "$1" $(pkg-config {more.replace("-", "--")} --cflags --libs {package}) -o "$2" && "$2"', "sh",
            f"{examples}/{source}.c", program, env=env)  # fmt: skip
    rijn, key, text = folder + "/usr/bin/rijn", os.path.join(scratch, "key"), os.path.join(scratch, "text")
    shutil.copy(rijn, text)
    for words in (
        ["selftest"],
        ["keygen", "-o", key],
        ["encrypt", "-k", key, text],
        ["decrypt", "-k", key, "-o", text + ".back", text + ".rijn"],
    ):
        run(rijn, *words)
    if not filecmp.cmp(text, text + ".back", shallow=False):
        fail("rijn decrypt")
    python = "import importlib.metadata as m, rijn; from rijn import cobblestone; rijn.selftest(); print(rijn.__file__, m.version('rijn'))"
    said = run("/usr/bin/python3", "-B", "-c", python, env={**env, "PYTHONPATH": folder + WORDS["python"]})
    if not said.startswith(folder) or said.split()[1] != VERSION:
        fail(f"python3-rijn: {said}")
    said = run("openssl", "list", "-providers", "-provider-path", lib + "/ossl-modules", "-provider", "rijn")
    if "rijn" not in said or "status: active" not in said:
        fail(f"rijn-openssl-provider: {said}")
    with open(folder + "/usr/share/rijn/rijn-openssl.cnf", encoding="utf-8") as f:
        if "/usr/lib64/ossl-modules/rijn.so" not in f.read():
            fail("rijn-openssl.cnf has another path")
    if "name=rijn\n" not in run("nbdkit", "--dump-plugin", lib + "/nbdkit/plugins/nbdkit-rijn-plugin.so"):
        fail("nbdkit does not load the plugin")


def check(packages):
    owner, outside = lists(packages)
    conf = ["-c", os.path.join(ROOT, "packaging/rpmlint.toml")]
    done = run("rpmlint", *conf, *packages.values(), os.path.join(ROOT, "packaging/rijn.spec"), ok=False)
    if done.returncode != 0 or "0 errors, 0 warnings" not in done.stdout:
        fail(f"rpmlint, status {done.returncode}: {done.stdout[-6000:]}")
    root = os.path.join(FOLDER, "root")
    os.makedirs(root)

    def rpm(*words, ok=True):
        said = run("rpm", "--root", root, "--dbpath", "/var/lib/rpm", *words, ok=ok)
        return re.sub("^rpm: .*\n", "", said, flags=re.M) if ok else said  # Debian's would rather be called Alien

    if rpm("-i", *packages.values(), ok=False).returncode == 0:
        fail("installed, and nothing that they need is there")
    rpm("-i", os.path.join(outside_package(os.path.join(FOLDER, "outside"), outside), "outside.rpm"))
    before = state(root)
    rpm("-i", *older(os.path.join(FOLDER, "older"), packages).values())
    if not os.path.exists(root + GONE) or not os.path.isdir(f"{root}/usr/src/rijn-{OLD}"):
        fail("the older packages are not what they should be")
    asked(root, [f"{what} {OLD}" for what in ("add", "build", "install")])
    said = rpm("-U", *packages.values())
    if said.strip():
        fail(f"the upgrade said {said}")
    asked(root, [f"{what} {VERSION}" for what in ("add", "build", "install")] + [f"remove {OLD}"])
    if os.path.exists(root + GONE) or os.path.exists(f"{root}/usr/src/rijn-{OLD}"):
        fail("an upgrade left files of the older version")
    if rpm("-Va").strip():
        fail(f"not as packed: {rpm('-Va')}")
    new = set(state(root)) - set(before)
    if not set(owner) <= new:
        fail(f"not installed: {sorted(set(owner) - new)}")
    hardened(root, owner)
    os.makedirs(os.path.join(FOLDER, "scratch"))
    use(root, os.path.join(FOLDER, "scratch"))
    rpm("-e", *packages)
    asked(root, [f"remove {VERSION}"])
    after = state(root)
    wrong = sorted(n for n in set(before) | set(after) if before.get(n) != after.get(n))
    if wrong:
        fail(f"removed, and yet not as before: {wrong}")
    print(f"{len(packages)} packages installed, {len(new)} files; removed: {len(after)} files as before")


shutil.rmtree(FOLDER, ignore_errors=True)
os.makedirs(FOLDER)
check(rpms(made()))
shutil.rmtree(FOLDER)
