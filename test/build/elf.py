# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""The shared library as a file, and the provider's module: name, straight calls of its own functions, no executable stack,
marks for CET (x86-64) or BTI and PAC (AArch64), read-only relocations, no writable state. Then an object without marks
is linked to the library, and must be noticed."""
import os
import re

from common import Scratch, arguments, fail, run, soname

MARKS = {"x86_64": r"x86 feature:.*IBT.*SHSTK", "aarch64": r"AArch64 feature: BTI, PAC"}

args = arguments("arch", "provider")
marks = MARKS[args.arch]


def check(path):
    """Its dynamic section, and how many bytes of it stay writable."""
    dynamic = run(["readelf", "-dW", path])
    needed = set(re.findall(r"\(NEEDED\).*\[(.+)\]", dynamic))
    if needed - {"libc.so.6", "ld-linux-aarch64.so.1"}:
        fail(f"{path} needs {sorted(needed)}, and only libc is allowed")
    if "TEXTREL" in dynamic:
        fail(f"{path}: relocations in the text")
    if "BIND_NOW" not in dynamic and not re.search(r"FLAGS_1.*NOW", dynamic):
        fail(f"{path} is not linked with -z now")

    own = re.findall(r"JU?MP_SLOT.*\b(rijn_\w+)", run(["readelf", "-rW", path]))
    if own:
        fail(f"{path}: calls of its own functions through the loader's table: {sorted(own)}")

    segments = run(["readelf", "-lW", path])
    stack = re.search(r"GNU_STACK.*", segments)
    if not stack or " RWE " in stack.group(0) or not re.search(r" RW +0x", stack.group(0)):
        fail(f"{path}: stack: {stack.group(0) if stack else 'no GNU_STACK'}")
    for line in segments.splitlines():
        if re.search(r"LOAD.*\bRWE\b", line):
            fail(f"{path}: a segment is writable and executable: {line}")
    if "GNU_RELRO" not in segments:
        fail(f"{path}: no GNU_RELRO")

    if not re.search(marks, run(["readelf", "-nW", path])):
        fail(f"{path}: marks are missing: {marks}")

    # The one-time choice may keep a few words; a table that is written would be more.
    sizes = dict(re.findall(r"\] (\.data|\.bss) +\w+ +[0-9a-f]+ [0-9a-f]+ ([0-9a-f]+)", run(["readelf", "-SW", path])))
    state = sum(int(s, 16) for s in sizes.values())
    if not 4 <= state <= 256:
        fail(f"{path}: {state} bytes of writable state, and the choice alone is four: {sizes}")
    return dynamic, state


dynamic, state = check(os.path.join(args.build, "src/librijn.so"))
name = soname(args.root)
if f"soname: [{name}]" not in dynamic:
    fail(f"no SONAME {name}:\n{dynamic}")
if args.provider != "no":
    check(args.provider)

archive = os.path.join(args.build, "src/librijn.a")
objects = re.split(r"^File: ", run(["readelf", "-nW", archive]), flags=re.M)[1:]
for text in objects:
    if not re.search(marks, text):
        fail(f"marks are missing in {text.splitlines()[0]}: {marks}")
if len(objects) != len(run(["ar", "t", archive]).split()):
    fail(f"notes of {len(objects)} objects were read, and librijn.a has {run(['ar', 't', archive]).split()}")
with Scratch() as tmp:
    source = os.path.join(tmp, "unmarked.s")
    with open(source, "w", encoding="utf-8") as f:
        f.write(".text\nnop\n")
    run([args.cc, "-shared", "-nostartfiles", "-Wl,--whole-archive", archive, "-Wl,--no-whole-archive", source,
         "-o", os.path.join(tmp, "unmarked.so")])
    if re.search(marks, run(["readelf", "-nW", os.path.join(tmp, "unmarked.so")])):
        fail("an object without marks was linked to the library, and it kept its marks")

print(f"SONAME {name}, marked, no executable stack, {state} bytes of writable state")
