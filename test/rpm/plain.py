# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""packaging/rijn.spec fits what the project is, without a build: rpm can read it, its version is the project's, each file that
is installed is of one package, and what it wants for a build is what pkg-config knows here. What the packages do when they
are installed is rpm.packages (slow).

usage: plain.py ROOT BUILD"""

import fnmatch
import os
import re
import subprocess
import sys
import tempfile

ROOT, BUILD = sys.argv[1:]
SPEC = os.path.join(ROOT, "packaging/rijn.spec")
SITE = "/usr/lib64/python3/site-packages"
# Made in a build of the packages only; and the list for make uninstall, which the spec removes.
BESIDES = ("/usr/src/", SITE)
REMOVED = {"/usr/share/rijn/installed", "/usr/share/rijn/installed.sums"}


def fail(text):
    sys.exit("FAIL: " + text)


def run(*command, **more):
    done = subprocess.run(command, capture_output=True, text=True, **more)
    if done.returncode != 0:
        fail(f"{' '.join(command)}: {done.stdout}{done.stderr}")
    return done.stdout


def rows(expanded):
    """Package and pattern, of the lists of files. What comes from the source, %doc and %license, has to be there."""
    package, found = None, []
    for line in expanded.splitlines():
        if line.startswith("%"):
            head = re.match(r"%files(?: -n (\S+)| (\S+))?$", line)
            if head:
                package = head.group(1) or ("rijn-" + head.group(2) if head.group(2) else "rijn")
                continue
            words = line.split()
            if words[0] in ("%license", "%doc"):
                missing = [w for w in words[1:] if not os.path.exists(os.path.join(ROOT, w))]
                if missing:
                    fail(f"{package}: {missing} is not in the source")
            elif words[0] != "%dir":
                package = None
        elif package and line.strip():
            found.append((package, line.strip()))
    return found


def complaints(spec, files):
    expanded = run("rpmspec", "-P", "--define", "_lib lib64", "--define", "python3_sitearch " + SITE, spec)
    taken, wrong = {}, []
    for package, pattern in rows(expanded):
        if pattern.startswith(BESIDES):
            continue
        hits = {f for f in files if fnmatch.fnmatch(f, pattern) or pattern.endswith("/") and f.startswith(pattern)}
        wrong += [] if hits else [f"{package}: nothing is installed as {pattern}"]
        wrong += [f"{f}: of {taken[f]} and of {package}" for f in sorted(hits & set(taken))]
        taken.update((f, package) for f in hits)
    wrong += [f"of no package: {f}" for f in sorted(files - set(taken) - REMOVED)]
    with open(os.path.join(ROOT, "include/rijn.h"), encoding="utf-8") as f:
        version = re.search(r'RIJN_VERSION_STRING "([^"]+)"', f.read()).group(1)
    said = run("rpmspec", "-q", "--qf", "%{NAME} %{VERSION}\n", spec).splitlines()
    wrong += [f"{line}: rijn.h is of version {version}" for line in said if line.split()[1] != version]
    changes = re.search(r"^%changelog\n\* .* - ([\d.]+)-\d+$", expanded, re.M)
    wrong += [] if changes and changes.group(1) == version else [f"%changelog does not begin with {version}"]
    for name in re.findall(r"^BuildRequires:\s+pkgconfig\((\S+)\)", expanded, re.M):
        if subprocess.run(["pkg-config", "--exists", name], check=False).returncode != 0:
            wrong.append(f"pkg-config knows no {name}")
    return wrong, len(said)


with tempfile.TemporaryDirectory() as tmp:
    stage = os.path.join(tmp, "stage")
    run("cmake", "--install", BUILD, "--prefix", "/usr", env={**os.environ, "DESTDIR": stage})
    installed = {"/" + os.path.relpath(os.path.join(at, n), stage) for at, _, names in os.walk(stage) for n in names}
    # The build's own folders of libraries and of documents, as the spec has them.
    installed = {
        re.sub(r"^/usr/lib/(?=librijn|cmake/|pkgconfig/|nbdkit/|ossl-modules/)", "/usr/lib64/", f) for f in installed
    }
    installed = {f.replace("/usr/share/doc/rijn/", "/usr/share/doc/librijn-devel/") for f in installed}
    faults, count = complaints(SPEC, installed)
    if faults:
        fail("\n".join(faults))
    # Faults that must be found: a file that no package has, a package that lost one, one in two packages, versions.
    with open(SPEC, encoding="utf-8") as f:
        text = f.read()
    planted = os.path.join(tmp, "planted.spec")
    for old, new, said in ((None, None, "of no package: /usr/share/rijn/more"),
                           ("%{_mandir}/man1/rijn.1*\n", "", "of no package: /usr/share/man/man1/rijn.1"),
                           ("%{_libdir}/librijn.a\n", "%{_libdir}/librijn.a\n%{_libdir}/librijn.so\n", "of librijn-devel and of"),
                           ("%{_includedir}/rijn.h", "%{_includedir}/rijm.h", "nothing is installed as /usr/include/rijm.h"),
                           ("\nVersion:        ", "\nVersion:        7.", "rijn.h is of version"),
                           ("pkgconfig(json-c)", "pkgconfig(jason-c)", "knows no jason-c")):  # fmt: skip
        if old is not None and text.count(old) != 1:
            fail(f"the spec has {text.count(old)} times {old!r}")
        with open(planted, "w", encoding="utf-8") as f:
            f.write(text if old is None else text.replace(old, new))
        found = complaints(planted, installed | ({"/usr/share/rijn/more"} if old is None else set()))[0]
        if not any(said in fault for fault in found):
            fail(f"{new!r} in place of {old!r} was planted, and nobody said {said!r}: {found}")
print(f"{count} packages, {len(installed)} files; six faults were found")
