# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""The JDK's own regression tests of AES-GCM and AES-CTR, with Rijn's ciphers where they ask for the JDK's.

usage: jdk.py SOURCE OUT

They come from the source package of Debian's OpenJDK 17, which apt brings, and nothing of it stays in the repository. They
ask for the provider "SunJCE" by name or for none, so a provider of that name answers both (JdkProvider.java). A test may
fail that fails with the JDK's provider too. Another one has to be in DIFFERENCES, and fail as it is said there."""
import glob
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../test/lib"))
import debian  # noqa: E402

SUITE, PACKAGE = "bookworm", "openjdk-17"
AREAS = ("jdk/com/sun/crypto/provider/", "jdk/javax/crypto/")
ABOUT = re.compile(r"\bGCM|\bCTR\b|TestAESWith")
# Runs that asked Rijn for a cipher when this was written: 38. A few fewer may be Debian's choice, many fewer are not.
LEAST = 34
# Those that fail, why, what they say, and what is another text in a test that passes then.
DIFFERENCES = {
    "jdk/com/sun/crypto/provider/Cipher/AEAD/GCMBufferTest.java": (
        "`update` of an encryption gives every byte back at once. The JDK's keeps back what is no whole block, and the"
        " test counts the bytes.",
        "Wrong update return len",
        ("theoreticalCheck = true", "theoreticalCheck = false"),
    ),
}


def fail(text):
    sys.exit("java: " + text)


def wanted(path):
    path = path[len("test/"):] if path.startswith("test/") else ""
    return path.startswith((*AREAS, "lib/"))


def tags(text, name):
    """What a test's header says of @name, once for each."""
    found = re.findall(rf"^ \* @{name}\b(.*(?:\n \* {{5,}}[^@\s].*)*)", text, re.M)
    return [re.sub(r"\n \*", " ", value).split() for value in found]


class Test:
    """A test, and how its header wants to be run."""

    def __init__(self, root, path):
        self.path, self.name = path, os.path.relpath(path, root)
        self.folder = os.path.dirname(path)
        with open(path, encoding="utf-8", errors="replace") as f:
            self.text = f.read()
        self.about = "@test" in self.text and bool(ABOUT.search(self.text))
        own = os.path.splitext(os.path.basename(path))[0]
        runs = tags(self.text, "run") or [["main", own]]
        # "manual" ones take hours. Those of other kinds are not programs.
        self.runs = [words[1:] for words in runs if words[0].split("/")[0] == "main" and "manual" not in words[0]]
        self.libraries = [self.found_at(root, word) for words in tags(self.text, "library") for word in words]
        self.exports, self.opens = [], []
        for module in (word for words in tags(self.text, "modules") for word in words if "/" in word):
            package, _, kind = module.partition(":")
            self.exports += ["--add-exports", package + "=ALL-UNNAMED"]
            self.opens += ["--add-opens", package + "=ALL-UNNAMED"] if kind else []

    def found_at(self, root, word):
        return os.path.join(root, "lib") if word == "/test/lib" else os.path.normpath(os.path.join(self.folder, word))

    def compile(self, classes, change=None):
        """change: a text in it that is to be another one."""
        path = self.path
        os.makedirs(classes)
        if change:
            path = os.path.join(classes, os.path.basename(self.path))
            if self.text.count(change[0]) != 1:
                fail(f"{self.name} was to have {change[0]} once")
            with open(path, "w", encoding="utf-8") as f:
                f.write(self.text.replace(*change))
        debian.run(["javac", "-nowarn", "-proc:none", "-J-XX:TieredStopAtLevel=1", *self.exports, "-sourcepath",
                    os.pathsep.join([self.folder, *self.libraries]), "-d", classes, path])  # fmt: skip

    def run(self, words, classes, scratch, options, path=()):
        """Its exit status, and what it said."""
        shutil.rmtree(scratch, ignore_errors=True)
        os.makedirs(scratch)
        at = [i for i, word in enumerate(words) if not word.startswith("-")][0]
        command = ["java", *self.exports, *self.opens, f"-Dtest.src={self.folder}", f"-Dtest.classes={classes}", *options, *words[:at]]
        done = subprocess.run([*command, "-cp", os.pathsep.join([classes, *path]), *words[at:]], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace", cwd=scratch, timeout=1200)  # fmt: skip
        return done.returncode, done.stdout


def providers(out):
    """A file for -Djava.security.properties: the JDK's own list, with JdkProvider in SunJCE's place."""
    (home,) = re.findall(r"java\.home = (.*)", debian.run(["java", "-XshowSettings:properties", "-version"]))
    with open(os.path.join(home.strip(), "conf/security/java.security"), encoding="utf-8") as f:
        names = re.findall(r"^security\.provider\.\d+=(.*)$", f.read(), re.M)
    names[names.index("SunJCE")] = "org.rijn.jca.JdkProvider"
    path = os.path.join(out, "jdk/providers.security")
    with open(path, "w", encoding="utf-8") as f:
        f.writelines(f"security.provider.{i}={name}\n" for i, name in enumerate(names, 1))
    return path


class Runner:
    def __init__(self, out):
        self.out, self.asked = out, 0
        (jar,) = [jar for jar in glob.glob(out + "/target/rijn-jca-*.jar") if not re.search(r"-(sources|javadoc)\.jar$", jar)]
        self.path = [jar, os.path.join(out, "target/test-classes")]
        self.made = os.path.join(out, "jdk/made")
        self.scratch = os.path.join(out, "jdk/scratch")
        self.rijn = ["--add-exports", "java.base/com.sun.crypto.provider=ALL-UNNAMED", f"-Drijn.made={self.made}",
                     "-Djava.security.properties=" + providers(out)]  # fmt: skip

    def one(self, test, words, classes):
        """Whether it passes with Rijn, what it said, and whether it asked for Rijn at all."""
        if os.path.exists(self.made):
            os.remove(self.made)
        status, said = test.run(words, classes, self.scratch, self.rijn, self.path)
        if not os.path.exists(self.made):  # it asked for no provider
            return status == 0, said, False
        with open(self.made, encoding="utf-8") as f:
            return status == 0, said, int(f.read()) > 0

    def test(self, test):
        classes = os.path.join(self.out, "jdk/classes", test.name)
        test.compile(classes)
        for words in test.runs:
            passed, said, asked = self.one(test, words, classes)
            self.asked += asked
            print("pass" if passed else "FAIL", "Rijn" if asked else "JDK ", test.name, *words[1:], flush=True)
            if test.name in DIFFERENCES:
                self.different(test, words, passed, said)
            elif not passed and test.run(words, classes, self.scratch, [])[0] == 0:
                fail(f"{test.name} passes with the JDK's provider, and not with Rijn\n{said[-4000:]}")

    def different(self, test, words, passed, said):
        """As it is said in DIFFERENCES, and with the other text it passes."""
        reason, message, change = DIFFERENCES[test.name]
        if passed or message not in said:
            fail(f"{test.name} was to fail with “{message}”: {reason}\n{said[-4000:]}")
        classes = os.path.join(self.out, "jdk/classes", test.name + ".changed")
        test.compile(classes, change)
        passed, said, asked = self.one(test, words, classes)
        if not passed or not asked:
            fail(f"{test.name} was to pass with “{change[1]}”\n{said[-4000:]}")
        print(f"     but for this: {reason}")


def main():
    source, out = (os.path.abspath(path) for path in sys.argv[1:3])
    root = os.path.join(source, "build/java-jdk")
    debian.source(root, SUITE, PACKAGE, wanted)
    root = os.path.join(root, "test")
    shutil.rmtree(os.path.join(out, "jdk"), ignore_errors=True)
    os.makedirs(os.path.join(out, "jdk"))
    runner = Runner(out)
    paths = sorted(path for area in AREAS for path in glob.glob(os.path.join(root, area, "**/*.java"), recursive=True))
    tests = [test for test in (Test(root, path) for path in paths) if test.about and test.runs]
    missing = set(DIFFERENCES) - {test.name for test in tests}
    if missing:
        fail(f"these are not there any more: {missing}")
    for test in tests:
        runner.test(test)
    print(f"{len(tests)} tests, {runner.asked} runs of them asked Rijn, {len(DIFFERENCES)} differ as it is written down")
    if runner.asked < LEAST:
        fail(f"only {runner.asked} runs asked Rijn, {LEAST} were to")


main()
