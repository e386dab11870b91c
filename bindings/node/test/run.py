# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""Builds the npm package as it is handed out, and tests it as npm installs it.

usage: run.py SOURCE OUT build          the package; what it asks of a C library; installed in an empty folder, no compiler near
       run.py SOURCE OUT tests          all tests in Node 24
       run.py SOURCE OUT types          TypeScript: what is right compiles, and what is wrong does not
       run.py SOURCE OUT in RUNTIME...  the tests in others: node20, node22, musl, arm64, arm64-musl, bun, deno, debian12
       run.py SOURCE OUT keys           a million keys of each way to lose one
       run.py SOURCE OUT own            Node's own tests of authenticated ciphers, with AES-GCM by Rijn
       run.py SOURCE OUT again          the same bytes, made elsewhere
"""
import glob
import hashlib
import os
import re
import shutil
import subprocess
import sys
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import runtimes  # noqa: E402

TYPESCRIPT = ["typescript@5.9.3", "@types/node@24.10.1"]
# What both glibc and musl have, and no version of it is asked for.
OF_LIBC = {"__stack_chk_fail", "__stack_chk_guard", "calloc", "free", "getauxval", "malloc", "memcpy", "memmove", "memset", "memcmp",
           "strcmp", "strlen", "secure_getenv", "snprintf"}  # fmt: skip


class Place:
    def __init__(self, source, out):
        self.source, self.out = os.path.abspath(source), os.path.abspath(out)
        self.dist, self.folder = os.path.join(self.out, "dist"), os.path.join(self.out, "installed")
        self.runtimes = os.path.join(self.source, "build/node/runtimes")
        self.env = {**os.environ, "RIJN_VECTORS": os.environ.get("RIJN_VECTORS", os.path.join(self.source, "build/vectors"))}
        for name in ("NODE_OPTIONS", "NODE_PATH", "RIJN_IMPL"):
            self.env.pop(name, None)

    def package(self):
        (path,) = glob.glob(self.dist + "/*.tgz")
        return path


def run(command, **more):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", **more)
    if done.returncode != 0:
        sys.exit(f"node: {' '.join(command)}\n{done.stdout[-8000:]}\nnode: exit status {done.returncode}")
    return done.stdout


def npm(place, folder, *arguments, tries=1, **env):
    """npm of Node 24, with nothing in its way but Node: no compiler, no Python. WHY tries: networks fail now and then."""
    (node,), _ = runtimes.command(place.runtimes, "node24")
    cli = os.path.join(os.path.dirname(node), "../lib/node_modules/npm/bin/npm-cli.js")
    path = os.path.join(place.out, "bin")
    os.makedirs(path, exist_ok=True)
    for name, target in (("node", node), ("sh", "/bin/sh")):
        if not os.path.exists(os.path.join(path, name)):
            os.symlink(target, os.path.join(path, name))
    whole = [node, cli, *arguments, "--no-audit", "--no-fund", "--no-update-notifier"]
    for left in range(tries - 1, -1, -1):
        done = subprocess.run(whole, cwd=folder, env={**place.env, "PATH": path, **env}, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)  # fmt: skip
        if done.returncode == 0:
            return done.stdout
        time.sleep(3 if left else 0)
    sys.exit(f"node: {' '.join(whole)}\n{done.stdout[-4000:]}")


def install(place, folder):
    """Into an empty folder. --offline: whatever it wanted besides would be an error."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    with open(os.path.join(folder, "package.json"), "w", encoding="utf-8") as f:
        f.write('{ "private": true }\n')
    npm(place, folder, "install", "--offline", "--cache", os.path.join(place.out, "cache"), place.package())
    for name in glob.glob(HERE + "/*.mjs") + glob.glob(HERE + "/*.cjs"):
        shutil.copy(name, folder)


def build(place):
    print(run([os.path.join(place.source, "bindings/node/build"), place.dist]), end="")
    stage = os.path.join(place.source, "build/node/package")
    for name in glob.glob(stage + "/linux-*/rijn.node"):
        wanted = set(run(["nm", "-D", "--undefined-only", "--format=posix", name]).replace(" U ", " ").split())
        strange = {w for w in wanted if not w.startswith(("napi_", "node_api_"))} - OF_LIBC
        needed = re.findall(r"\(NEEDED\).*", run(["readelf", "-dW", name]))
        outside = [w for w in wanted if "external_buffer" in w or "external_arraybuffer" in w]  # Electron has none
        if strange or needed or outside:
            sys.exit(f"node: {name} asks for {strange} {needed} {outside}")
    packed = npm(place, stage, "pack", "--dry-run", "--json", "--cache", os.path.join(place.out, "cache"))
    theirs = set(re.findall(r'"path": "([^"]+)"', packed))
    ours = {os.path.relpath(os.path.join(at, n), stage) for at, _, names in os.walk(stage) for n in names}
    if theirs != ours:
        sys.exit(f"node: npm would pack other files: {theirs ^ ours}")
    install(place, place.folder)
    (node,), _ = runtimes.command(place.runtimes, "node24")
    for flags, text in (
        (["--input-type=module"], "import { Gcm, seal } from '@rijn/rijn'; import all from '@rijn/rijn'; if (all.Gcm !== Gcm) throw 1;"),
        (["--input-type=commonjs"], "const { Gcm, seal } = require('@rijn/rijn');"),
    ):
        more = "if (!new Gcm(Buffer.alloc(16)).seal(Buffer.alloc(12), Buffer.alloc(0)).equals(seal(Buffer.alloc(16), Buffer.alloc(12), " \
               "Buffer.alloc(0)))) throw 2; console.log('loaded');"  # fmt: skip
        print(run([node, *flags, "-e", text + more], cwd=place.folder, env=place.env), end="")
    with open(os.path.join(place.source, "bindings/node/README.md"), encoding="utf-8") as f:
        (program,) = re.findall(r"^```js\n(.*?)^```", f.read(), re.M | re.S)
    run([node, "--input-type=module", "-e", program], cwd=place.folder, env=place.env)


def rooted(place, root):
    """What a runtime in a root of its own needs there: the installed package with the tests, and the vectors."""
    folder = root + "/rijn"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(place.folder, folder)
    for part in ("wycheproof", "cavp/AES/GCM", "cavp/AES/XTS"):
        shutil.copytree(os.path.join(place.env["RIJN_VECTORS"], part), os.path.join(folder, "vectors", part))
    return "/rijn", {"RIJN_VECTORS": "/rijn/vectors"}


def in_runtime(place, name, files):
    command, env = runtimes.command(place.runtimes, name)
    folder = place.folder
    if command[0] == "chroot":
        folder, env = rooted(place, command[1])
    for file in files:
        said = run([*command, os.path.join(folder, file[0]), *file[1:]], cwd=place.folder, env={**place.env, **env})
        print(f"== {name}: {' '.join(file)}\n{said}", end="")
        tests, passed = re.findall(r"^ok ", said, re.M), re.search(r"^(\d+) tests passed$", said, re.M)
        if not passed or len(tests) != int(passed[1]) or len(tests) < 5:
            sys.exit(f"node: {name}: {file[0]} said how many tests passed in another way")


ALL = [["rules.mjs"], ["vectors.mjs"], ["keys.mjs"]]
EMULATED = [["rules.mjs"], ["vectors.mjs"], ["keys.mjs", "12000"]]


def types(place):
    folder = os.path.join(place.out, "types")
    install(place, folder)
    npm(place, folder, "install", "--ignore-scripts", "--prefer-offline", *TYPESCRIPT, "--cache", os.path.join(place.out, "cache"), tries=3)
    (node,), _ = runtimes.command(place.runtimes, "node24")
    tsc = [node, os.path.join(folder, "node_modules/typescript/bin/tsc"), "--noEmit", "--strict", "--exactOptionalPropertyTypes", "--lib",
           "es2022,esnext.disposable", "--types", "node", "--module", "nodenext", "--moduleResolution", "nodenext"]  # fmt: skip
    for name in ("right.mts", "right.cts", "wrong.mts"):
        shutil.copy(os.path.join(HERE, name), folder)
    run([*tsc, "right.mts", "right.cts"], cwd=folder)
    done = subprocess.run([*tsc, "wrong.mts"], cwd=folder, stdout=subprocess.PIPE, text=True)
    with open(os.path.join(folder, "wrong.mts"), encoding="utf-8") as f:
        wanted = {i for i, line in enumerate(f, 1) if line.rstrip().endswith("// wrong")}
    found = {int(n) for n in re.findall(r"^wrong\.mts\((\d+),", done.stdout, re.M)}
    if found != wanted or len(wanted) < 10:
        sys.exit(f"node: tsc finds fault with lines {sorted(found)}, and was to with {sorted(wanted)}\n{done.stdout}")
    print(f"{len(wanted)} wrong lines refused")


def own(place):
    """The tests of Debian 12's Node, in it."""
    folder = os.path.join(place.source, "build/node/source")
    names = ("test/parallel/test-crypto-authenticated.js", "test/fixtures/aead-vectors.js")
    runtimes.debian.source(folder, "bookworm", "nodejs", lambda path: path in names or path.startswith("test/common/"))
    command, _ = runtimes.command(place.runtimes, "debian12")
    to, _ = rooted(place, command[1])
    shutil.copytree(folder, command[1] + to + "/source")
    test = f"{command[1]}{to}/source/{names[0]}"
    with open(test, encoding="utf-8") as f:
        text = f.read()
    # WHY: Rijn hands out no text before its tag was checked.
    early = "  assert.strictEqual(decrypt.update('807022', 'hex', 'hex'), 'abcdef');\n  assert.strictEqual(decrypt.final('hex'), '');\n"
    if text.count(early) != 1:
        sys.exit("node: the tests of Node are others than they were")
    with open(test, "w", encoding="utf-8") as f:
        f.write(text.replace(early, "assert.strictEqual(decrypt.update('807022', 'hex', 'hex') + decrypt.final('hex'), 'abcdef');\n"))
    said = run([*command, "--no-warnings", "-r", to + "/own.cjs", f"{to}/source/{names[0]}"], env=place.env)
    count = re.search(r"^(\d+) messages by Rijn$", said, re.M)
    if not count or int(count[1]) < 50:
        sys.exit(f"node: so few messages went to Rijn: {said}")
    print(said)


def again(place):
    """WHY another folder: nothing of a build's place may be in what it makes."""
    copy = os.path.join(place.out, "copy")
    shutil.rmtree(copy, ignore_errors=True)
    os.makedirs(os.path.join(copy, "bindings"))
    for part in ("src", "include", "cmake", "test/lib", "bindings/node", "file/include"):
        shutil.copytree(os.path.join(place.source, part), os.path.join(copy, part))
    for name in ("CMakeLists.txt", "LICENSE", "LICENSE-APACHE", "LICENSE-BSD", "README.md"):
        shutil.copy(os.path.join(place.source, name), copy)
    run([os.path.join(copy, "bindings/node/build"), os.path.join(copy, "out")])
    (other,) = glob.glob(copy + "/out/*.tgz")
    digests = [hashlib.sha256(open(path, "rb").read()).hexdigest() for path in (place.package(), other)]
    print("\n".join(digests))
    if digests[0] != digests[1]:
        sys.exit("node: the package has other bytes when it is made elsewhere")


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    place, step, rest = Place(sys.argv[1], sys.argv[2]), sys.argv[3], sys.argv[4:]
    if step == "tests":
        in_runtime(place, "node24", ALL)
    elif step == "keys":
        in_runtime(place, "node24", [["keys.mjs", "1000000"]])
    elif step == "in" and rest:
        for name in rest:
            in_runtime(place, name, EMULATED if name.startswith("arm64") else ALL)
    elif step in ("build", "types", "own", "again"):
        globals()[step](place)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
