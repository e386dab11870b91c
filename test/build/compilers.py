# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""The library's sources without a warning: gcc and clang 14, 64 and 32 bits, and Debian's cross compilers for the other
architectures; and in what they make no instruction outside its set, because compilers choose differently. Where the
build itself is not, on i386 and under emulation, the result is also linked and runs the self-test."""
import os
import shutil

from common import SETS, WARNINGS, Scratch, Sources, arguments, check_isa, run

MAIN = """#include <rijn.h>
#include <stdio.h>
int main(void) {
  char why[200];
  for (int i = 0; i < rijn_impl_count(); i++) {
    int ran = rijn_selftest(i);
    if (ran != (rijn_impl_supported(i) ? RIJN_OK : RIJN_EIMPL)) return 1;
    printf("  %s: %s\\n", rijn_impl_name(i), ran ? rijn_impl_why(i, why, sizeof why) : "self-test passed");
  }
  return rijn_selftest(-1);
}
"""

args = arguments()
sources = Sources(args)


def build(what, command, arch, runner=None):
    with Scratch() as tmp:
        base = [*command, "-O2", "-fPIC", "-fvisibility=hidden", *WARNINGS]
        names = sources.core + sources.hook + [name for name, _ in sources.isa[arch]]
        flags = dict(sources.isa[arch])
        objects = [sources.compile(base + flags.get(name, []), name, tmp) for name in names]
        for name in sources.hook:
            os.mkdir(os.path.join(tmp, name))
            sources.compile([*base, "-DRIJN_TEST_HOOKS=1"], name, os.path.join(tmp, name))
        print(f"{what}: {len(objects)} files")
        check_isa(args, arch, list(zip(objects, names)))
        if runner is not None:
            path = os.path.join(tmp, "main.c")
            with open(path, "w", encoding="utf-8") as f:
                f.write(MAIN)
            program = os.path.join(tmp, "main")
            run([*command, "-std=c11", "-I", os.path.join(args.root, "include"), path, *objects, "-o", program])
            print(run([*runner, program]), end="")


build("gcc x86_64", ["gcc"], "x86_64")
build("clang-14 x86_64", ["clang-14"], "x86_64")
build("gcc i386", ["gcc", "-m32"], "i386", [])
build("clang-14 i386", ["clang-14", "-m32"], "i386", [])
# Flags of a whole build that have more than the file asks for.
for march in ("x86-64-v3", "x86-64-v4"):
    for command in ("gcc", "clang-14"):
        run([command, "-m32", "-march=" + march, "-maes", "-mpclmul", "-O2", "-std=c11", "-c", os.path.join(args.root, "src/isa/x86_aesni.c"),
             "-I", os.path.join(args.root, "include"), "-o", os.devnull])
for arch, target in ((arch.name, arch.tools) for arch in SETS.archs if arch.tools):
    qemu = f"qemu-{arch}-static" if shutil.which(f"qemu-{arch}-static") else f"qemu-{arch}"
    build(f"gcc {arch}", [target + "-gcc"], arch, [qemu, "-L", "/usr/" + target])

# Systems whose own headers are not here: what of these the two files that ask the system may count on there.
HEADERS = {
    "stdlib.h": """#include <stddef.h>
char *getenv(const char *name);
_Noreturn void abort(void);
#ifdef __FreeBSD__
char *secure_getenv(const char *name);
#endif
""",
    "string.h": """#include <stddef.h>
void *memset(void *p, int c, size_t n);
size_t strlen(const char *s);
""",
    "stdio.h": "",
    "unistd.h": "int issetugid(void);\n",
}
for system in ("apple-darwin", "unknown-freebsd", "unknown-netbsd", "unknown-openbsd", "unknown-dragonfly"):
    for cpu in ("x86_64",) if "dragonfly" in system else ("x86_64", "aarch64"):
        with Scratch() as tmp:
            for name, text in HEADERS.items():
                with open(os.path.join(tmp, name), "w", encoding="utf-8") as f:
                    f.write(text)
            command = ["clang-14", f"--target={cpu}-{system}", "-nostdlibinc", "-isystem", tmp, "-O2", *WARNINGS]
            for name in ("cpu.c", "env.c"):
                sources.compile(command, name, tmp)
    print(f"clang-14 {system}: the files that ask the system compile")
