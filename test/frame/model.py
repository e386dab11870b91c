# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""doc/arm.md and doc/power.md have the tables that tools/model prints, row for row. Of cortex-a72 they say that it is as
cortex-a57: in the tables of loops its rows have to be that one's."""
import os
import re

from frame import arguments, fail, run

args = arguments()
ROW = re.compile(r"\| (?:arm-|ppc-|portable|thunderx2|cortex-|neoverse-|pwr)")


def rows(text):
    return [line for line in text.splitlines() if ROW.match(line)]


printed = {o: rows(run([os.path.join(args.root, "tools/model"), *([o] if o else [])]))
           for o in ("", "--flight", "--check", "--executed", "--count")}
written = []
for name in ("arm", "power"):
    with open(os.path.join(args.root, f"doc/{name}.md"), encoding="utf-8") as f:
        written += rows(f.read())
for option, lines in printed.items():
    if not lines:
        fail(f"tools/model {option} prints no row")
    for row in lines:
        if option in ("", "--executed") and "| cortex-a72 |" in row:
            if row.replace("cortex-a72", "cortex-a57") not in lines:
                fail(f"tools/model {option}: cortex-a72 is not as cortex-a57, as doc/arm.md says: {row}")
        elif row not in written:
            fail(f"tools/model {option} prints what doc/arm.md and doc/power.md have not: {row}")
everything = [row for lines in printed.values() for row in lines]
for row in written:
    if row not in everything:
        fail(f"doc/arm.md or doc/power.md has what tools/model does not print: {row}")
print(f"{len(written)} rows")
