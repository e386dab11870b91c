# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""What free_threads.py does, under ThreadSanitizer: interpreter, module and library are all compiled with it. Then with
modules that have a race, so that it is known to see one.

usage: tsan.py SOURCE OUT

The interpreter is compiled as free_threading.py does it. What is suppressed is CPython's own list, and tsan.txt.
"""
import os
import re
import sys

import free_threading as ft

CC, FLAGS = "clang-14", "-fsanitize=thread"
SYMBOLIZER = "/usr/lib/llvm-14/bin/llvm-symbolizer"  # what is suppressed has names
ROUNDS = "40"
# A stream that two threads may be in, and a tag that is read before it is there as a whole.
PLANTED = {
    "one_stream": ("stream.c", "atomic_exchange_explicit(&s->busy, true, memory_order_acquire)", "false"),
    "one_tag": ("stream.c", "atomic_load_explicit(&s->has_tag, memory_order_acquire)",
                "atomic_load_explicit(&s->has_tag, memory_order_relaxed)"),
}  # fmt: skip


def main():
    root, out = (os.path.abspath(path) for path in sys.argv[1:3])
    folder = os.path.join(out, "free-threading")
    os.makedirs(folder, exist_ok=True)
    archive = ft.compiled(root, folder + "/core-tsan", f"-DCMAKE_C_COMPILER={CC}", f"-DCMAKE_C_FLAGS={FLAGS} -g1")
    build = ft.interpreter(folder, "python-tsan", ("--with-thread-sanitizer", f"CC={CC}", "CFLAGS=-O1 -g1"))
    suppressed = os.path.join(folder, "suppressed.txt")
    with open(suppressed, "w", encoding="utf-8") as f:
        for name in (os.path.join(ft.source(folder), "Tools/tsan/suppressions_free_threading.txt"), os.path.join(ft.HERE, "tsan.txt")):
            with open(name, encoding="utf-8") as part:
                f.write(part.read() + "\n")
    if not os.path.exists(SYMBOLIZER):
        sys.exit(f"python: {SYMBOLIZER} is missing (tools/setup test installs it)")
    env = {"TSAN_OPTIONS": f"suppressions={suppressed} external_symbolizer_path={SYMBOLIZER} history_size=5 exitcode=66"}

    def threads(name, *arguments, change=None):
        package = ft.module(root, os.path.join(folder, name), archive, build, (CC, FLAGS, "-g1"), change)
        return ft.threads(build, package, ROUNDS, *arguments, env=env)

    done = threads("package-tsan")
    races = re.findall(r"^SUMMARY: ThreadSanitizer: .*$", done.stdout, re.M)
    if done.returncode != 0 or races or "free-threaded: all parts" not in done.stdout:
        sys.exit("\n".join([done.stdout[:20000], *sorted(set(races)), f"python: exit status {done.returncode}"]))
    print(done.stdout)
    for part, change in PLANTED.items():
        done = threads("planted-tsan", part, change=change)
        if not re.search(r"^SUMMARY: ThreadSanitizer: data race", done.stdout, re.M):
            sys.exit(f"python: ThreadSanitizer finds no race in {part} without {change[1]}:\n{done.stdout[-6000:]}")
        print(f"{part}: the planted race is found")


main()
