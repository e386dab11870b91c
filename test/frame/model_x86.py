# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""doc/x86.md has the table that tools/model-x86 prints, row for row."""
import os

from frame import arguments, fail, run

args = arguments()


def rows(text):
    return [line for line in text.splitlines() if line.startswith("| x86-")]


printed = rows(run([os.path.join(args.root, "tools/model-x86")]))
with open(os.path.join(args.root, "doc/x86.md"), encoding="utf-8") as f:
    written = rows(f.read())
if not printed:
    fail("tools/model-x86 prints no row")
for row in printed:
    if row not in written:
        fail(f"tools/model-x86 prints what doc/x86.md has not: {row}")
for row in written:
    if row not in printed:
        fail(f"doc/x86.md has what tools/model-x86 does not print: {row}")
