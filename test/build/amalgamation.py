# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""The library in few files (tools/amalgamate), compiled as those do who have no CMake.

core: one plain line of gcc, for x86-64; CMake refuses Meson's cmake.subproject. slow: clang, i386, AArch64 and POWER; the
flags of flags.txt, with which the code of each set is the one that CMake makes; Meson, with a host project.
What is made passes the self-test and the published answers with each set by name, exports nothing, and has no instruction
outside its set: the rules of the modes have none with vectors."""
import concurrent.futures
import json
import os
import re
import shutil

from common import SETS, TOOLS, Scratch, Sources, arguments, check_isa, fail, need, run

MAIN = """#include "rijn.h"
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv) {
  if (argc == 1)
    for (int i = 0; i < rijn_impl_count(); i++) printf("%s %d\\n", rijn_impl_name(i), rijn_impl_supported(i));
  else {
    rijn_gcm_key key;
    const unsigned char raw[16] = {0}, nonce[12] = {0}, want[] = "\\x03\\x88\\xda\\xce\\x60\\xb6\\xa3\\x92\\xf3\\x28\\xc2\\xb9\\x71\\xb2\\xfe\\x78";
    unsigned char text[16] = {0}, tag[16];
    int i = rijn_impl_find(argv[1]);
    if (rijn_selftest(i) || rijn_gcm_init_impl(&key, raw, 16, 16, i)) return 1;
    if (rijn_gcm_encrypt(&key, text, text, 16, NULL, 0, nonce, 12, tag)) return 2;
    return memcmp(text, want, 16) || memcmp(tag, "\\xab\\x6e\\x47\\xd4\\x2c\\xec\\x13\\xbd", 8) ? 3 : 0;
  }
  return 0;
}
"""
HOST = """project('host', 'c')
executable('host', 'main.c', dependencies : subproject('rijn').get_variable('rijn_dep'))
"""
CMAKE_HOST = """project('host', 'c')
rijn = import('cmake').subproject('rijn')
"""

args = arguments("part")


def write(path, text):
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


class Amalgamation:
    def __init__(self, folder):
        self.folder = os.path.join(folder, "rijn")
        run([os.path.join(args.root, "tools/amalgamate"), self.folder])
        self.files = sorted(n for n in os.listdir(self.folder) if n.endswith(".c"))
        write(os.path.join(folder, "main.c"), MAIN)
        self.main = os.path.join(folder, "main.c")
        self.flags = {}
        with open(os.path.join(self.folder, "flags.txt"), encoding="utf-8") as f:
            for line in f:
                arch, compiler, file, *flags = line.replace(":", " ", 1).split()
                self.flags.setdefault((arch, compiler), {})[file] = flags

    def compile(self, out, command, flags=None):
        """Objects of all files, by the file's name; with flags, of those alone that have any."""
        os.makedirs(out)

        def one(name):
            obj = os.path.join(out, name[:-2] + ".o")
            run([*command, "-Wall", "-Wextra", "-Werror", *(flags[name] if flags else ["-O2"]), "-c", os.path.join(self.folder, name), "-o", obj])
            return name, obj

        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            return dict(pool.map(one, flags or self.files))

    def try_objects(self, what, command, arch, objects, runner=(), listed=False):
        """Nothing is exported, no instruction is outside its set; linked, each set passes by name."""
        symbols = run(["readelf", "-sW", *objects.values()])
        open_ones = re.findall(r"(?:FUNC|OBJECT) +(?:GLOBAL|WEAK) +DEFAULT +(?:\[.*?\] +)?\d+ (\w+)", symbols)
        if open_ones or len(re.findall(r"GLOBAL +HIDDEN +(?:\[.*?\] +)?\d+ rijn_", symbols)) < 50:
            fail(f"{what}: these are not hidden: {open_ones}")
        own = {f"rijn_{s.file}.c": f"isa/{s.file}.c" for s in SETS.of(arch)}
        if what.startswith("clang") and arch == "x86_64" and not listed:  # WHY: it has no pragma for the width of a copy, and so clears by 512 bits
            own["rijn_x86_vaes_avx512_256.c"] = "isa/x86_vaes_avx512.c"
        check_isa(args, arch, [(obj, own.get(name, name)) for name, obj in objects.items()
                               if name in own or name == "rijn.c"])
        program = os.path.join(os.path.dirname(objects["rijn.c"]), "main")
        linker = [SETS.arch(arch).tools + "-gcc"] if runner else command
        run([*linker, "-I", self.folder, self.main, *objects.values(), "-o", program])
        self.try_program(what, program, arch, runner)
        if arch == "i386":  # by a caller that aligns its stack to 4 bytes
            align = "-mstack-alignment=4" if what.startswith("clang") else "-mpreferred-stack-boundary=2"
            lib = [os.path.join(args.root, "test", name) for name in ("portable/stack4.c", "lib/t.c")]
            run([*command, "-w", "-O2", align, "-I", self.folder, "-I", os.path.join(args.root, "test/lib"), *lib, *objects.values(),
                 "-o", program])
            run([program])

    def try_program(self, what, program, arch, runner=()):
        rows = [line.split() for line in run([*runner, program]).splitlines()]
        if [name for name, _ in rows] != [s.name for s in SETS.of(arch)] + ["portable"]:
            fail(f"{what} has the sets {rows}")
        can = [name for name, there in rows if there == "1"]
        if not runner and arch == "x86_64" and len(can) < 2:
            fail(f"{what}: of the sets only {can} run")
        for name in can:
            run([*runner, program, name])
        print(f"{what}: {', '.join(can)}")


def code(objdump, path):
    return run([objdump, "-dr", "--no-show-raw-insn", path]).split("\n", 3)[3]


def refuses_meson(tmp):
    done = run(["cmake", "-S", args.root, "-B", os.path.join(tmp, "meson-cmake"), "-DMESON_PRELOAD_FILE=x"], ok=False)
    if done.returncode == 0 or "amalgamat" not in done.stderr:
        fail(f"CMake under Meson's cmake.subproject says {done.stderr}")


def same_code(made, tmp, arch, command, compiler):
    """The flags of flags.txt: each set's code is what src's own file has with the flags of CMake's build."""
    sources = Sources(args)
    common = [*command, "-fPIC", *(["-fcf-protection"] if arch == "x86_64" else [])]
    objects = made.compile(os.path.join(tmp, f"listed-{arch}-{compiler}"), common, made.flags[arch, compiler])
    defines = [f"-D{row.name}" for row in SETS.defines if (row.where, row.compiler) == (arch, compiler)]
    rows = [(f"rijn_{s.file}.c", f"isa/{s.file}.c", SETS.flags(s) + SETS.compiler_flags(s, arch, compiler)) for s in SETS.of(arch)]
    for name, source, flags in [*rows, ("rijn_portable.c", "isa/portable.c", [])]:
        want = sources.compile([*common, "-O2", "-fno-lto", "-fvisibility=hidden", "-DRIJN_STATIC_ONLY", *defines, *flags], source, tmp)
        if code(TOOLS[arch] + "objdump", want) != code(TOOLS[arch] + "objdump", objects[name]):
            fail(f"{name}, {arch}, by {compiler} with its flags is not what CMake makes of it")
    made.try_objects(f"{compiler}, {arch}, with flags.txt", command, arch, objects, RUNNERS.get(arch, ()), True)


def by_meson(made, tmp):
    """As a subproject of a host, whose own flags are others: each set's file has its flags and no other's."""
    host = os.path.join(tmp, "host")
    shutil.copytree(made.folder, os.path.join(host, "subprojects/rijn"))
    write(os.path.join(host, "meson.build"), HOST)
    shutil.copy(made.main, host)
    build = os.path.join(host, "b")
    run([need("meson"), "setup", "--buildtype=debug", build], cwd=host)
    run(["ninja", "-C", build, "-j2"])
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as f:
        rows = json.load(f)
    for row in rows:
        name = os.path.basename(row["file"])
        if name != "main.c":
            given = [w for w in row["command"].split() if w.startswith("-m")]
            if given != [w for w in made.flags["x86_64", "gcc"][name] if w.startswith("-m")]:
                fail(f"Meson compiles {name} with {given}")
    if len(rows) != len(made.flags["x86_64", "gcc"]) + 1:
        fail(f"Meson compiles {len(rows)} files")
    made.try_program("Meson", os.path.join(build, "host"), "x86_64")

    joined = os.path.join(tmp, "joined")
    os.makedirs(os.path.join(joined, "subprojects"))
    os.symlink(args.root, os.path.join(joined, "subprojects/rijn"))
    write(os.path.join(joined, "meson.build"), CMAKE_HOST)
    done = run(["meson", "setup", os.path.join(joined, "b")], cwd=joined, ok=False)
    if done.returncode == 0 or "amalgamat" not in done.stdout + done.stderr:
        fail(f"Meson's cmake.subproject says {done.stdout}{done.stderr}")


def runner(arch):
    row = SETS.arch(arch)
    qemu = f"qemu-{arch}-static" if shutil.which(f"qemu-{arch}-static") else f"qemu-{arch}"
    return [qemu, "-L", "/usr/" + row.tools]


RUNNERS = {row.name: runner(row.name) for row in SETS.archs if row.tools}
with Scratch() as tmp:
    made = Amalgamation(tmp)
    if args.part == "core":
        refuses_meson(tmp)
        made.try_objects("gcc -O2", ["gcc"], "x86_64", made.compile(os.path.join(tmp, "o"), ["gcc"]))
    else:
        plain = [("clang-14", ["clang-14"], "x86_64"), ("gcc -m32", ["gcc", "-m32"], "i386"),
                 ("clang-14 -m32", ["clang-14", "-m32"], "i386")]
        plain += [(f"gcc, {arch}", [SETS.arch(arch).tools + "-gcc"], arch) for arch in RUNNERS]
        clang_arm = ["clang-14", "--target=aarch64-linux-gnu", "--sysroot=/usr/aarch64-linux-gnu"]
        plain.append(("clang-14, aarch64", clang_arm, "aarch64"))
        for what, command, arch in plain:
            made.try_objects(what, command, arch, made.compile(os.path.join(tmp, what), command), RUNNERS.get(arch, ()))
        same_code(made, tmp, "x86_64", ["gcc"], "gcc")
        same_code(made, tmp, "aarch64", ["aarch64-linux-gnu-gcc"], "gcc")
        by_meson(made, tmp)
