# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""All that has a version has that of include/rijn.h, and tools/version can put another one into every place: what it lists
is found once each, in a copy of the repository, before and after. Two places that were forgotten are planted."""
import os
import re

from common import Scratch, arguments, fail, run

KEPT = ["CHANGELOG.md", "CONTACT", "CONTRIBUTING.md", "README.md", "bindings", "debian", "doc", "include", "packaging", "bindings/rust/test", "tools"]
args = arguments()

with Scratch() as copy:
    # WHY by tar: what a build left in the bindings' folders is large.
    run(["tar", "-cf", os.path.join(copy, "all.tar"), "--exclude=target", "--exclude=build", *KEPT], cwd=args.root)
    run(["tar", "-xf", os.path.join(copy, "all.tar")], cwd=copy)

    def version(*words):
        return run(["python3", "-B", os.path.join(copy, "tools/version"), *words], ok=False)

    done = version()
    if done.returncode != 0:
        fail("tools/version 0.3.0, say, puts a version into all places. These do not have rijn.h's:\n" + done.stderr)

    def plant(name, old, new):
        path = os.path.join(copy, name)
        with open(path, encoding="utf-8") as f:
            text = f.read()
        changed = re.sub(old, new, text, count=1, flags=re.M)
        if changed == text:
            fail(f"{name} has no {old}")
        with open(path, "w", encoding="utf-8") as f:
            f.write(changed)
        if version().returncode == 0:
            fail(f"{name} has another version, and nobody noticed")
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)

    plant("bindings/python/pyproject.toml", r'^version = "[\d.]+"$', 'version = "7.0.1"')
    plant("doc/kernel.md", r"^# ", "See rijn-dkms-7.0.1.tar.gz.\n# ")  # a place that is not in the list
    plant("CONTACT", "^.*$", "Another <security@rijn.invalid>")
    with open(os.path.join(copy, "CONTACT"), "w", encoding="utf-8") as f:
        f.write("Another <security@rijn.invalid>\n")
    if version("contact").returncode != 0:
        fail("tools/version contact does not put the address into all packages")
    for other in ("7.1.0", "7.1.1", "0.99.0"):
        done = version(other)
        if done.returncode == 0 or "no section" not in done.stderr:
            fail(f"tools/version {other} was content with a CHANGELOG.md that does not have it")
        with open(os.path.join(copy, "CHANGELOG.md"), encoding="utf-8") as f:
            before = f.read()
        with open(os.path.join(copy, "CHANGELOG.md"), "w", encoding="utf-8") as f:
            f.write(before.replace("\n## ", f"\n## {other}\n\nNew.\n\n## ", 1))
        done = version(other)
        if done.returncode != 0 or not done.stdout.startswith(other):
            fail(f"tools/version {other}:\n{done.stdout}{done.stderr}")
    if version(other).returncode == 0:
        fail(f"tools/version {other} was put twice")
    if version("1.2").returncode == 0:
        fail("tools/version took 1.2 for a version")
    print(run(["python3", "-B", os.path.join(args.root, "tools/version")]).strip())
