# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""The crate rijn over a library that is written in Rust (bindings/rust/test/stub): every call that reaches the library, under
memcheck, and under AddressSanitizer with the compiler's checks of undefined behaviour and with structs laid out at
random. Then with faults in the unsafe module, so that it is known what each sees.

The sanitizer and the checks are unstable options, which RUSTC_BOOTSTRAP=1 allows in a stable Rust."""
import glob
import os
import subprocess
import sys

import apart

# WHY clang's: not every Rust has the sanitizer's own runtime.
CLANG = "-Zexternal-clangrt -Clinker=clang-14 -Clink-arg=-fsanitize=address"
CHECKS = "-Zrandomize-layout -Zub-checks=yes -Zextra-const-ub-checks -Cdebug-assertions=yes"
TRIPLE = "x86_64-unknown-linux-gnu"
MEMCHECK = ["valgrind", "-q", "--error-exitcode=9", "--leak-check=full", "--show-leak-kinds=definite",
            "--errors-for-leak-kinds=definite"]  # fmt: skip
# A text one byte too long, and a slice that is not aligned.
LONGER = ("raw.rs", "output: output.as_mut_ptr(), len: input.len(),",
          "output: output.as_mut_ptr(), len: input.len() + input.len().min(1),")  # fmt: skip
ASKEW = ("raw/many.rs", "from_raw_parts_mut(messages.as_mut_ptr().cast(),",
         "from_raw_parts_mut(messages.as_mut_ptr().byte_add(1).cast(),")  # fmt: skip
PLANTED = [
    ("memcheck", LONGER, "Invalid read of size 1"),
    ("sanitized", LONGER, "AddressSanitizer: heap-buffer-overflow"),
    ("sanitized", ASKEW, "unsafe precondition(s) violated: slice::from_raw_parts_mut"),
]


class Stub:
    def __init__(self, rust):
        self.rust, self.folder = rust, os.path.join(rust.out, "stub")
        self.env = {"RUSTC_BOOTSTRAP": "1", "RUST_BACKTRACE": "0"}
        apart.copy(os.path.join(rust.source, "bindings/rust"), self.folder, ["rijn-sys", "rijn"],
                   stub=os.path.join(rust.source, "bindings/rust/test/stub"))  # fmt: skip

    def build(self):
        """The program of the tests."""
        target = os.path.join(self.rust.out, "stub-target")
        command = ["cargo", "test", "--offline", "-p", "rijn-stub", "--no-run"]
        self.rust.run(command, env={**self.env, "CARGO_TARGET_DIR": target}, cwd=self.folder)
        found = glob.glob(target + "/debug/deps/calls-*")
        return max((path for path in found if "." not in os.path.basename(path)), key=os.path.getmtime)

    def memcheck(self):
        return self.said([*MEMCHECK, self.build()])

    def sanitized(self):
        flags = f"-Zsanitizer=address {CLANG} {CHECKS}"
        env = {"RUSTFLAGS": flags, "CARGO_TARGET_DIR": os.path.join(self.rust.out, "stub-sanitized")}
        return self.said(["cargo", "test", "--offline", "-p", "rijn-stub", "--test", "calls", "--target", TRIPLE], env)

    def said(self, command, env=None):
        done = subprocess.run(command, cwd=self.folder, env={**os.environ, **self.env, **(env or {})}, text=True,
                              errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT)  # fmt: skip
        return done.returncode, done.stdout


def stub(rust):
    rust.fetch()
    here = Stub(rust)
    for way in (here.memcheck, here.sanitized):
        code, said = way()
        print(said[-1500:])
        if code != 0 or "test result: ok. 10 passed; 0 failed; 0 ignored" not in said:
            sys.exit(f"rust: {said[-8000:]}\nrust: {way.__name__}: exit status {code}")
    for way, (name, old, new), found in PLANTED:
        path = os.path.join(here.folder, "rijn/src", name)
        apart.change(path, old, new)
        code, said = getattr(here, way)()
        if code == 0 or found not in said:
            sys.exit(f"rust: {way} does not find {new}:\n{said[-6000:]}")
        apart.change(path, new, old)
        print(f"{way} finds what was planted in {name}: {found}")
