# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""librijn-file.so exports exactly what rijn-file.h declares, under one version, and rijn-file.map says the same."""
import re
import subprocess
import sys

source, library = sys.argv[1:]
with open(source + "/file/include/rijn-file.h", encoding="utf-8") as f:
    text = re.sub(r"/\*.*?\*/", "", f.read(), flags=re.S)
declared = set(re.findall(r"RIJN_FILE_API[^;(]*?\b(rijn_file_[a-z_]+)\(", text))
with open(source + "/file/rijn-file.map", encoding="utf-8") as f:
    mapped = set(re.findall(r"\b(rijn_file_[a-z_]+);", f.read()))
out = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
exported = {line.split()[-1] for line in out.splitlines()} - {"RIJN_FILE_0", "RIJN_FILE_0@@RIJN_FILE_0"}
if len(declared) < 25 or declared != mapped or exported != {name + "@@RIJN_FILE_0" for name in declared}:
    sys.exit(f"FAIL: the header has {sorted(declared)}\nthe map {sorted(mapped ^ declared)} more or less\n"
             f"the library {sorted(exported)}")
print(f"{len(declared)} calls")
