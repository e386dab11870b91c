# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""Python without the interpreter's lock, and the module in it: what free_threads.py does, and once more with a wrong module.

usage: free_threading.py SOURCE OUT

Debian has no package of such a Python and PyPI no wheel, so it is compiled of the source package of Debian 13, which apt
brings and checks: some minutes on two cores.
"""
import glob
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../test/lib"))
import debian  # noqa: E402

SUITE, PACKAGE = "trixie", "python3.13"
run = debian.run


def source(folder):
    """The unpacked source of the interpreter."""
    unpacked = os.path.join(folder, "source")
    debian.source(unpacked, SUITE, PACKAGE, lambda path: True)
    return unpacked


def interpreter(folder, name="python", options=("CFLAGS=-O1 -g0",)):
    """The folder where it was compiled, and where it can be run. options: of its configure."""
    build = os.path.join(folder, name)
    if not os.path.exists(os.path.join(build, "ready")):
        shutil.rmtree(build, ignore_errors=True)
        os.makedirs(build)
        run([os.path.join(source(folder), "configure"), "-q", "--disable-gil", *options], cwd=build)
        run(["make", "-s", "-j2", "python", "sharedmods"], cwd=build)
        open(os.path.join(build, "ready"), "w").close()
    return build


def compiled(root, core, *options):
    """The static library, built in a folder."""
    run(["cmake", "-G", "Ninja", "-S", root, "-B", core, "-DCMAKE_BUILD_TYPE=Release", "-DRIJN_BUILD_TESTS=OFF",
         "-DRIJN_BUILD_COMMAND=OFF", "-DRIJN_BUILD_PROVIDER=OFF", *options])  # fmt: skip
    run(["cmake", "--build", core, "--target", "rijn_static", "-j", "2"])
    (path,) = glob.glob(core + "/**/librijn.a", recursive=True)
    return path


def module(root, package, archive, build, cc=("cc",), change=None):
    """The package of the repository's sources, in a folder of its own, compiled for the interpreter that was built in
    `build`. change: a file of the module's, a text in it, and another text for that."""
    shutil.rmtree(package, ignore_errors=True)
    shutil.copytree(os.path.join(root, "bindings/python/src/rijn"), package + "/rijn", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(os.path.join(root, "bindings/python/c"), package + "/c")
    if change:
        path = os.path.join(package, "c", change[0])
        with open(path, encoding="utf-8") as f:
            text = f.read()
        if text.count(change[1]) != 1:
            sys.exit(f"python: {change[0]} was to have {change[1]} once")
        with open(path, "w", encoding="utf-8") as f:
            f.write(text.replace(*change[1:]))
    python = os.path.join(build, "python")
    suffix = run([python, "-c", "import sysconfig; print(sysconfig.get_config_var('EXT_SUFFIX'))"]).split()[-1]
    if "313t" not in suffix:
        sys.exit(f"python: {python} is no free-threaded one: {suffix}")
    run([*cc, "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-I", os.path.join(root, "include"),
         "-I", os.path.join(source(os.path.dirname(build)), "Include"), "-I", build, *sorted(glob.glob(package + "/c/*.c")), archive,
         f"-Wl,--version-script={package}/c/rijn.map", "-o", f"{package}/rijn/_rijn{suffix}"])  # fmt: skip
    return package


def threads(build, package, *arguments, env=None):
    """What free_threads.py says, and its exit status."""
    env = {**os.environ, "PYTHONPATH": package, "PYTHONDONTWRITEBYTECODE": "1", **(env or {})}
    env.pop("PYTHON_GIL", None)
    return subprocess.run([os.path.join(build, "python"), os.path.join(HERE, "free_threads.py"), *arguments], env=env,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")  # fmt: skip


def main():
    root, out = (os.path.abspath(path) for path in sys.argv[1:3])
    folder = os.path.join(out, "free-threading")
    os.makedirs(folder, exist_ok=True)
    archive, build = compiled(root, folder + "/core"), interpreter(folder)
    done = threads(build, module(root, folder + "/package", archive, build), "200")
    print(done.stdout[-6000:])
    if done.returncode != 0 or "free-threaded: all parts" not in done.stdout:
        sys.exit(f"python: exit status {done.returncode}")
    # A module that does not say that it needs no lock, so that it is known that the test sees it.
    change = ("module.c", "{4, (void *)1}, ", "")
    done = threads(build, module(root, folder + "/planted", archive, build, change=change), "200")
    if done.returncode == 0 or "the interpreter has its lock" not in done.stdout:
        sys.exit(f"python: a module that switches the lock on passes:\n{done.stdout}")


if __name__ == "__main__":
    main()
