# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""Crates that others wrote over aes-gcm 0.10, unchanged, with the tests that they have: `aes-gcm` is Rijn's module there
(test/ported/shim), by [patch.crates-io]. The versions are pinned here, and those of all that they need in Cargo.lock."""
import glob
import os
import re
import shutil

# crate, version, features besides its own, tests that it has at least
CRATES = [("cookie", "0.18.1", "private,key-expansion", 28), ("snow", "0.10.0", "", 50), ("hpke", "0.13.0", "", 20),
          ("cocoon", "0.5.0", "", 40)]  # fmt: skip


def bring(rust, folder, name, version):
    """cargo info downloads the crate alone, and compares it with the registry's digest. WHY in another folder: it would write
    to this Cargo.lock. Its benchmarks, and what they need, stay out."""
    rust.run(["cargo", "info", "--quiet", f"{name}@{version}"], cwd=rust.out)
    home = os.environ.get("CARGO_HOME", os.path.expanduser("~/.cargo"))
    (source,) = glob.glob(f"{home}/registry/src/*/{name}-{version}")
    to = os.path.join(folder, "crates", name)
    shutil.copytree(source, to, ignore=shutil.ignore_patterns("Cargo.lock", "Cargo.toml.orig", ".cargo*", "benches"))
    manifest = os.path.join(to, "Cargo.toml")
    with open(manifest, encoding="utf-8") as f:
        blocks = re.split(r"(?m)^(?=\[)", f.read())
    with open(manifest, "w", encoding="utf-8") as f:
        f.write("".join(b for b in blocks if not b.startswith(("[[bench]]", "[dev-dependencies.criterion]"))))


def ported(rust):
    folder = os.path.join(rust.out, "ported")
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(os.path.join(rust.source, "bindings/rust/test/ported"), folder)
    for name, version, _, _ in CRATES:
        bring(rust, folder, name, version)
    rust.fetch(cwd=folder)
    env = {"CARGO_TARGET_DIR": os.path.join(rust.out, "ported-target")}
    tree = rust.run(["cargo", "tree", "--offline", "--locked", "--features", "cookie/private", "--invert", "aes-gcm"], cwd=folder)
    for name, _, features, least in CRATES:
        if f"{name} v" not in tree:
            raise SystemExit(f"rust: {name} is not built over the shim\n{tree}")
        said = rust.cargo_test("-p", name, "--lib", "--tests", "--features", features, env=env, cwd=folder, least=0)
        count = sum(int(n) for n in re.findall(r"^test result: ok\. (\d+) passed", said, re.M))
        print(f"{name} {count} tests")
        if count < least:
            raise SystemExit(f"rust: {count} tests of {name} passed, at least {least} were to")
