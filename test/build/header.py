# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""Each header is C99 and C++98 and all that came after, alone, twice included, without a warning, those that hosts like to ask for
among them."""
import os

from common import WARNINGS, Scratch, arguments, run

PROGRAM = """#include <rijn.h>
#include <rijn.h>
#include <rijn-file.h>
#include <rijn-volume.h>
#include <rijn-file.h>
#include <rijn-volume.h>
struct held { char c; rijn_gcm_key k; rijn_xts_key x; };
int use(rijn_gcm_key *k, const rijn_iov *v);
int use(rijn_gcm_key *k, const rijn_iov *v) {
  return rijn_gcm_init(k, v->base, v->len) == RIJN_OK && sizeof(struct held) > RIJN_GCM_KEY_SIZE;
}
"""

MORE = ["-Wpedantic", "-Wundef", "-Wcast-align", "-Wcast-qual"]

args = arguments()
count = 0
with Scratch() as tmp:
    for compilers, name, standards in (
        (("gcc", "clang-14"), "use.c", ("c99", "gnu99", "c11", "c17", "gnu11")),
        (("g++", "clang++-14"), "use.cc", ("c++98", "gnu++98", "c++11", "c++14", "c++17", "c++20")),
    ):
        path = os.path.join(tmp, name)
        with open(path, "w", encoding="utf-8") as f:
            f.write(PROGRAM)
        for compiler in compilers:
            for standard in standards:
                include = [f"-I{args.root}/{folder}" for folder in ("include", "file/include", "volume")]
                run([compiler, "-std=" + standard, *WARNINGS, *MORE, *include, "-fsyntax-only", path])
                count += 1
print(f"{count} compilations")
