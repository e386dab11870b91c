# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""One program, two plugins, and in each a version of Rijn of its own, from a static library: neither calls the other's.

The second library is made of the same sources with another version and a larger GCM key, as a later version may have. The
plugins are loaded so that all their names are seen by all (RTLD_GLOBAL), and are compiled as plugins commonly are: every
name that is not hidden is exported. With gcc, with clang, and with the plugin optimised as it is linked."""
import os
import re

from common import Scratch, Sources, arguments, fail, run

PLUGIN = r"""
#include <rijn.h>
#include <stddef.h>
#include <string.h>
/* The version and the key's size as the library has them; 0 if the library is another than the header. */
size_t NAME(const char **version);
size_t NAME(const char **version) {
  static struct { rijn_gcm_key key; unsigned char behind[512]; } k;
  const unsigned char raw[16] = {1}, nonce[12] = {2};
  unsigned char text[100] = {3}, tag[16];
  memset(&k, 0x5a, sizeof k);
  *version = rijn_version();
  if (strcmp(*version, RIJN_VERSION_STRING) != 0 || rijn_gcm_key_size() != sizeof(rijn_gcm_key))
    return 0;
  if (rijn_gcm_init(&k.key, raw, 16) != 0 || rijn_gcm_encrypt(&k.key, text, text, 100, NULL, 0, nonce, 12, tag) != 0)
    return 0;
  if (k.key.opaque[sizeof k.key - 1] != 0) /* an init writes the object to its end ... */
    return 0;
  for (size_t i = 0; i < sizeof k.behind; i++) /* ... and no further */
    if (k.behind[i] != 0x5a)
      return 0;
  return rijn_gcm_decrypt(&k.key, text, text, 100, NULL, 0, nonce, 12, tag) == 0 && text[0] == 3 ? sizeof k.key : 0;
}
"""

PROGRAM = r"""
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv) {
  void *open[2];
  for (int i = 0; i < 2; i++)
    if (argc != 3 || (open[i] = dlopen(argv[1 + i], RTLD_NOW | RTLD_GLOBAL)) == NULL)
      return fprintf(stderr, "%s\n", dlerror()), 2;
  for (int i = 0; i < 2; i++) {
    size_t (*plugin)(const char **) = (size_t (*)(const char **))dlsym(open[i], i == 0 ? "first" : "second");
    const char *version = "";
    size_t size = plugin != NULL ? plugin(&version) : 0;
    printf("%s %zu\n", version, size);
  }
  return 0;
}
"""

# The compiler, the options of the plugins.
WAYS = [("gcc", []), ("clang-14", []), ("gcc", ["-flto"]), ("clang-14", ["-flto"])]

args = arguments()
sources = Sources(args)
installed = os.path.join(args.build, "src/librijn.a")


def other_header(tmp):
    """A header with another version and a GCM key of 256 bytes more."""
    with open(os.path.join(args.root, "include/rijn.h"), encoding="utf-8") as f:
        text = f.read()
    version = re.search(r'RIJN_VERSION_STRING "([0-9.]+)"', text)[1]
    size = int(re.search(r"#define RIJN_GCM_KEY_SIZE ([0-9]+)", text)[1])
    text = text.replace(f'"{version}"', '"7.7.7"').replace(f"_KEY_SIZE {size}\n", f"_KEY_SIZE {size + 256}\n")
    os.makedirs(os.path.join(tmp, "include"))
    with open(os.path.join(tmp, "include/rijn.h"), "w", encoding="utf-8") as f:
        f.write(text)
    return version, size


def other_library(tmp, compiler):
    """The rules, which are all that knows the header, compiled with it, beside the kernels of the build."""
    folder = os.path.join(tmp, compiler)
    os.makedirs(folder)
    kernels = [n for n in run(["ar", "t", installed]).split() if n[:-2] in {os.path.basename(n) for n, _ in isa}]
    run(["ar", "x", installed, *kernels], cwd=folder)
    rules = [os.path.join(args.root, "src", n) for n in sources.core + sources.hook]
    run([compiler, "-O2", "-fPIC", "-fvisibility=hidden", "-DRIJN_STATIC_ONLY", f"-I{tmp}/include",
         f"-I{args.root}/src", "-c", *rules], cwd=folder)
    run(["ar", "rcs", "librijn.a", *sorted(n for n in os.listdir(folder) if n.endswith(".o"))], cwd=folder)
    return os.path.join(folder, "librijn.a")


isa = sources.isa["x86_64"]
def exported(plugin):
    lines = run(["nm", "-D", "--defined-only", plugin]).split("\n")
    return sorted(line.split()[-1] for line in lines if " rijn_" in line)


with Scratch() as tmp:
    version, size = other_header(tmp)
    for name, text in (("plugin.c", PLUGIN), ("program.c", PROGRAM)):
        with open(os.path.join(tmp, name), "w", encoding="utf-8") as f:
            f.write(text)
    run([args.cc, "-O1", f"{tmp}/program.c", "-o", f"{tmp}/program", "-ldl"])
    made = {compiler: other_library(tmp, compiler) for compiler in ("gcc", "clang-14")}
    for compiler, options in WAYS:
        plugins = []
        for name, include, library in (("first", args.root, installed), ("second", tmp, made[compiler])):
            plugins.append(os.path.join(tmp, f"{name}.so"))
            run([compiler, "-O2", "-fPIC", "-shared", *options, f"-DNAME={name}", f"-I{include}/include",
                 f"{tmp}/plugin.c", library, "-o", plugins[-1]])
            if exported(plugins[-1]):
                fail(f"{compiler} {options}: a plugin exports {exported(plugins[-1])}")
        got = run([f"{tmp}/program", *plugins]).split("\n")[:2]
        want = [f"{version} {size}", f"7.7.7 {size + 256}"]
        if got != want:
            fail(f"{compiler} {options}: the plugins have {got}, and should have {want}")
        print(compiler, *options, "-", ", ".join(got))
