# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""The documents say what is there: the README's C example compiles as printed and runs, so do the commands in its section
of the command and in the manual page's examples; every make target, tool, subcommand, test and file that a document
names exists; the README's figures are those of the tables in doc."""
import csv
import fnmatch
import glob
import os
import re

from common import SETS, WARNINGS, Scratch, arguments, fail, run

args = arguments("rijn")


def read(name):
    with open(os.path.join(args.root, name), encoding="utf-8") as f:
        return f.read()


# 1. The example.
(example,) = re.findall(r"```c\n(.*?)```", read("README.md"), re.S)
lines = [line for line in example.splitlines() if line.strip()]
if len(lines) > 20:
    fail(f"README.md: the C example has {len(lines)} lines, more than a first example should have")
with Scratch() as tmp:
    source = os.path.join(tmp, "example.c")
    with open(source, "w", encoding="utf-8") as f:
        f.write(example)
    for compiler in ("gcc", "clang-14"):
        for library in ("librijn.so", "librijn.a"):
            program = os.path.join(tmp, "example")
            library = os.path.join(args.build, "src", library)
            run([compiler, "-std=c11", *WARNINGS, "-I", os.path.join(args.root, "include"), source, library, "-o", program])
            out = run([program], env={"LD_LIBRARY_PATH": os.path.join(args.build, "src")})
            if "authentic" not in out:
                fail(f"README.md: the C example printed {out!r}")


# 2. The commands, in a folder that has the files they are about.
def runs(name, commands, given, equal):
    """Runs the commands as they are printed, all but those that measure; then each pair of files in equal is equal."""
    kept = [line for line in commands.splitlines() if not line.startswith("rijn bench")]
    if sum(line.startswith("rijn ") for line in kept) < 3:
        fail(f"{name}: where are the commands?\n{commands}")
    with Scratch() as tmp:
        os.mkdir(os.path.join(tmp, "bin"))
        os.symlink(args.rijn, os.path.join(tmp, "bin", "rijn"))
        for file in given:
            path = os.path.join(tmp, file)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as f:
                f.write(bytes(range(256)) * 257)
        env = {"PATH": os.path.join(tmp, "bin") + os.pathsep + os.environ["PATH"]}
        done = run(["bash", "-exuo", "pipefail", "-c", "\n".join(kept)], cwd=tmp, env=env, ok=False)
        if done.returncode != 0:
            fail(f"{name}: the commands, as printed: {done.stdout}{done.stderr}")
        for pair in equal:
            one, other = (open(os.path.join(tmp, file), "rb").read() for file in pair)
            if one != other:
                fail(f"{name}: {pair[0]} and {pair[1]} differ")
    return len(kept)


commands = 0
if args.rijn:
    (block,) = re.findall(r"^## The command\n+```sh\n(.*?)```", read("README.md"), re.S | re.M)
    commands += runs("README.md", block, ["report.pdf"], [("report.pdf", "copy.pdf")])
    (block,) = re.findall(r"^\.SH EXAMPLES\n\.nf\n(.*?)^\.fi", read("doc/rijn.1"), re.S | re.M)
    commands += runs("doc/rijn.1", block.replace("\\-", "-"), ["backup.tar", "photos/1.jpg"],
                     [("backup.tar", "restored.tar")])

# 3. What the documents name. Where their links lead is site.links' question.
documents = ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "SECURITY.md", "CHANGELOG.md", "tuning/README.md"]
documents += ["test/README.md"]
documents += [os.path.relpath(p, args.root) for g in ("doc/*.md", "bindings/*/README.md", "bindings/rust/*/README.md")
              for p in glob.glob(os.path.join(args.root, g))]
targets = set(re.findall(r"^([a-z][a-z-]*):", read("Makefile"), re.M))
# ... and check-PRODUCT, of which tools/check knows the names.
targets |= {"check-" + word for word in re.search(r"no product .* \((.*)\)", read("tools/check"))[1].split(", ")}
counted = {"make": 0, "rijn": 0, "file": 0, "test": 0}
# Those of this build, and those that a build for another processor has besides.
tests = re.findall(r"^ *Test +#\d+: (\S+)$", run(["ctest", "--test-dir", args.build, "-N"]), re.M)
areas = "|".join(sorted({name.split(".")[0] for name in tests}))
tests += [n for p in glob.glob(os.path.join(args.root, "test/*/CMakeLists.txt")) for n in re.findall(r"rijn_test\(([\w.]+)", read(p))]


def unknown_tests(text):
    """Names of tests, with * for several, that no test has."""
    named = re.findall(rf"`((?:{areas})\.(?!json`|html`|py`|c`|h`|rs`)[a-z0-9_*+-]+)`", text)
    counted["test"] += len(named)
    return [name for name in named if not fnmatch.filter(tests, name)]


if args.rijn and unknown_tests("`build.documents`, `build.doc*`, `build.documentz`, `buil.*`") != ["build.documentz"]:
    fail("the test for names of tests does not see what is planted")
usage = ""
if args.rijn:
    usage = run([args.rijn, "--help"])
for name in documents:
    text = read(name)
    if args.rijn and (unknown := unknown_tests(text)):
        fail(f"{name}: no test is called {', '.join(unknown)}")
    code = re.findall(r"`([^`\n]+)`", text) + [
        line for block in re.findall(r"```(?:sh|console)?\n(.*?)```", text, re.S) for line in block.splitlines()
    ]
    for command in code:
        words = command.strip().removeprefix("$ ").split()
        if not words:
            continue
        if words[0] == "make":
            for target in words[1:]:
                if re.fullmatch(r"[a-z][a-z-]*", target):
                    counted["make"] += 1
                    if target not in targets:
                        fail(f"{name}: `{command}`: the Makefile has no target {target}")
                else:
                    break
        elif words[0] == "rijn" and len(words) > 1 and re.fullmatch(r"[a-z][a-z-]*", words[1]) and usage:
            counted["rijn"] += 1
            if not re.search(rf"\b{re.escape(words[1])}\b", usage):
                fail(f"{name}: `{command}`: rijn --help does not know {words[1]}")
        # A path in this repository: with a known first folder, and no pattern in it.
        path = words[0].removeprefix("./")
        if re.fullmatch(r"(src|include|test|tools|cmake|cmd|provider|doc|completions|bindings)/[\w./-]*\w", path):
            counted["file"] += 1
            if not os.path.exists(os.path.join(args.root, path)):
                fail(f"{name}: `{command}`: {path} does not exist")
# 4. The table of implementations names none that is not there.
named = re.findall(r"^\| `([a-z0-9-]+)` \|", read("doc/platforms.md").split("## Implementations")[1].split("\n## ")[0], re.M)
known = [row.name for row in SETS.sets] + ["portable"]
if named != known or len(known) < 6:
    fail(f"doc/platforms.md: the table of implementations has {named}, and src/isa/sets.def {known}")
# Each folder of tests is in the table of test/README.md, or said to be of all.
folders = sorted(name for name in os.listdir(os.path.join(args.root, "test")) if os.path.isdir(os.path.join(args.root, "test", name)))
if missing := [name for name in folders if f"`{name}`" not in read("test/README.md") and not name.startswith("__")]:
    fail(f"test/README.md does not say what is in {missing}")
# 5. The README's figures are those of doc/speed, and doc/speed.md has all its marks.
SUBJECTS = {"libipsec-mb": "ipsec-mb", "OpenSSL": "libcrypto", "Nettle": "nettle"}


def gigabytes(machine):
    """(subject, size) -> GB/s of AES-256-GCM encryption, of the best of those with one name; and Rijn's chosen one."""
    lines = read(f"doc/speed/{machine}.csv").splitlines()
    chosen = next(line.split(": ")[1] for line in lines if line.startswith("# chosen: "))
    found = {}
    for r in csv.DictReader(line for line in lines if not line.startswith("# ")):
        if r["title"] == "AES-256-GCM encrypt, 16 bytes of associated data" and r["mbyte_per_s"] and not r["subject"].endswith(":rekey"):
            key = r["subject"].split(":")[0], r["size"]
            found[key] = max(found.get(key, 0), float(r["mbyte_per_s"]) / 1e3)
    return found, chosen


def table(text):
    lines = re.search(r"(?:^\|.*\n)+", text, re.M).group(0).splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [(row[0], dict(zip(rows[0][1:], row[1:]))) for row in rows[2:]]


figures = 0
theirs, chosen = gigabytes("zen4")
for name, row in table(read("README.md").split("## Speed")[1]):
    subject = {**SUBJECTS, "**Rijn**": chosen}.get(name.split()[0], name.split()[0])
    for size, figure in row.items():
        figures += 1
        if figure != f"{theirs[subject, size]:.2f}":
            fail(f"README.md: {name}, {size} bytes: {figure}, and doc/speed has {theirs[subject, size]:.2f} for {subject}")
cycles = {}
for r in csv.DictReader(line for line in read("doc/speed/zen4.csv").splitlines() if not line.startswith("# ")):
    if r["title"] == "AES-256-GCM encrypt, 16 bytes of associated data" and r["cycles"]:
        key = r["subject"].split(":")[0], r["size"]
        cycles[key] = min(cycles.get(key, float("inf")), float(r["cycles"]))
for name, row in table(read("doc/why.md").split("## Speed")[1]):
    subject = {**SUBJECTS, "**Rijn**": chosen}.get(name.split()[0], name.split()[0])
    for size, figure in row.items():
        figures += 1
        found = cycles[subject, size]
        if figure != (f"{found:.0f}" if found >= 100 else f"{found:.1f}"):
            fail(f"doc/why.md: {name}, {size} bytes: {figure}, and doc/speed/zen4.csv has {found} for {subject}")
version = re.search(r'RIJN_VERSION_STRING "([^"]+)"', read("include/rijn.h")).group(1)
for path in glob.glob(os.path.join(args.root, "doc/speed/*.csv")):
    if f"# version: {version}\n" not in read(path):
        fail(f"{path}: its figures are not of {version}: measure again, or move it to tuning/")
    name = os.path.basename(path).removesuffix(".csv")
    made = [f"<!-- {name}: begin -->\n![", f"(speed/{name}.svg)", f"(speed/{name}-many.svg)"]
    if not all(part in read("doc/speed.md") for part in made):
        fail(f"doc/speed.md lacks the figures of {name}: bench/report doc")
if figures < 20:
    fail(f"README.md: the table of figures has only {figures}")
if counted["make"] < 2 or counted["file"] < 5 or (args.rijn and counted["test"] < 50):
    fail(f"hardly anything was found to check: {counted}")
print(f"example of {len(lines)} lines; {commands} lines of commands; {counted} in {len(documents)} documents; {figures} figures")
