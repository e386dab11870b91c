# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""The library as other compilers, levels and ways to link make it: the tests of the kernels, every implementation,
against libcrypto; with musl, against the slow model. -O2 is not here: the suite itself is built so, by gcc and by clang
(presets.clang). The first build is then made wrong in one constant, which must be found.
--family: gcc, gcc-11, clang-14 or musl; gcc-more and clang-14-more are slow: the other levels, and -flto."""
import os
import shutil

from common import Scratch, Sources, arguments, check_isa, fail, run

# Compiler; ar (its plugin must know what -flto makes, for the index); options.
FAMILIES = {
    "gcc": ("gcc", "ar", [["-O3"]]),
    "gcc-more": ("gcc", "gcc-ar", [["-O0"], ["-O1"], ["-O2", "-flto"]]),
    "gcc-11": ("gcc-11", "ar", [["-O2"]]),
    "clang-14": ("clang-14", "ar", [["-O3"]]),
    "clang-14-more": ("clang-14", "ar", [["-O0"], ["-O1"], ["-O2", "-flto"]]),
    "musl": ("musl-gcc", "ar", [["-O2"]]),
}
SOME = ["gcm/known_answers", "modes/blocks", "modes/xts"]
PUBLIC = SOME + ["gcm/nonces", "gcm/guard", "modes/ctr", "modes/sectors"]
INTERNAL = ["portable/kernels", "rules/known"]  # they know src/impl.h, and see what the shared library hides
LENGTHS = "gcm/lengths"
# A bit of the polynomial of XTS, in the instruction sets of x86.
FAULT = ("src/isa/ops_x86_modes.h", "_mm_set_epi32(0, 1, 0, 0x87)", "_mm_set_epi32(0, 1, 0, 0x86)")


def tests(flags):
    """Of librijn.a, of librijn.so."""
    if "-flto" in flags:  # PERF: then each program makes all the library's code anew
        return ["modes/xts", LENGTHS], PUBLIC
    # PERF: some take long where the compiler does not optimise, or where the reference is slow.
    if musl:
        return [name for name in PUBLIC + INTERNAL if name != "gcm/guard"], SOME
    return PUBLIC + INTERNAL + ([] if flags == ["-O0"] else [LENGTHS]), SOME


args = arguments("family")
compiler, ar, variants = FAMILIES[args.family]
musl = args.family == "musl"
sources = Sources(args)
rows = [(name, []) for name in sources.core + sources.hook] + sources.isa["x86_64"]
ccflags = ["-std=c11", "-w", "-fPIC"]
libcrypto = [] if musl else ["-lcrypto"]
REF = [] if musl else ["-DRIJN_REF_LIBCRYPTO=1"]


def path(*names):
    return os.path.join(args.root, *names)


INCLUDE = [f"-I{path(d)}" for d in ("include", "src", "test/lib")]


def harness(folder):
    objects = []
    for name in ("t", "ref", "model"):
        objects.append(os.path.join(folder, name + ".o"))
        run([compiler, *ccflags, "-O2", *REF, *INCLUDE, "-c", path("test/lib", name + ".c"), "-o", objects[-1]])
    return objects


class Library:
    """Both libraries of one way to build."""

    def __init__(self, folder, flags):
        self.flags, self.folder = flags, folder
        os.mkdir(folder)
        self.objects = {n: sources.compile([compiler, *flags, "-w", "-fPIC", "-fvisibility=hidden", *isa], n, folder)
                        for n, isa in rows}
        self.link()

    def link(self):
        self.static = os.path.join(self.folder, "librijn.a")
        self.shared = os.path.join(self.folder, "librijn.so")
        if os.path.exists(self.static):
            os.remove(self.static)
        run([ar, "rcs", self.static, *self.objects.values()])
        run([compiler, *self.flags, "-shared", "-Wl,--version-script=" + path("src/rijn.map"), "-Wl,-z,defs",
             "-Wl,-soname,librijn.so", *self.objects.values(), "-o", self.shared])

    def spoil(self, src, name):
        """The same with src's version of a file."""
        flags = dict(rows)[name]
        run([compiler, *self.flags, *ccflags, "-fvisibility=hidden", *flags, *INCLUDE, "-c",
             os.path.join(src, name), "-o", self.objects[name]])
        self.link()

    def test(self, name, library, harness_objects, ok=True):
        program = os.path.join(self.folder, name.replace("/", "_") + ("_shared" if library == self.shared else ""))
        how = ["-Wl,-rpath," + self.folder, library] if library == self.shared else ["-static"] * musl + [library]
        run([compiler, *self.flags, *ccflags, *REF, *INCLUDE, path("test", name + ".c"), *harness_objects, *how,
             *libcrypto, "-o", program])
        done = run([program], ok=ok)
        os.remove(program)
        return done


def planted(folder):
    """A copy of the instruction sets' folder with one constant changed."""
    shutil.copytree(path("src"), os.path.join(folder, "src"))
    place = os.path.join(folder, FAULT[0])
    with open(place, encoding="utf-8") as f:
        text = f.read()
    if text.count(FAULT[1]) != 1:
        fail(f"{FAULT[1]}: {text.count(FAULT[1])} times in {FAULT[0]}")
    with open(place, "w", encoding="utf-8") as f:
        f.write(text.replace(FAULT[1], FAULT[2]))
    return os.path.join(folder, "src")


with Scratch() as scratch:
    os.mkdir(os.path.join(scratch, "h"))
    objects = harness(os.path.join(scratch, "h"))
    wrong = planted(scratch)
    for flags in variants:
        library = Library(os.path.join(scratch, "_".join(flags)), flags)
        static, shared = tests(flags)
        for name in static:
            library.test(name, library.static, objects)
        for name in shared:
            library.test(name, library.shared, objects)
        if "-flto" not in flags:
            check_isa(args, "x86_64", [(o, n) for n, o in library.objects.items()])
        print(f"{compiler} {' '.join(flags)}: {len(static)} tests with librijn.a, {len(shared)} with librijn.so", flush=True)
        if flags != variants[0]:
            continue
        library.spoil(wrong, "isa/x86_aesni.c")
        for which in (library.static, library.shared):
            done = library.test("modes/xts", which, objects, ok=False)
            if done.returncode == 0 or "FAILED [x86-aesni]" not in done.stderr:
                fail(f"{flags}: a fault in x86-aesni was not found in {which}:\n{done.stdout}{done.stderr[:2000]}")
