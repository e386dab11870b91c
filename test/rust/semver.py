# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""Semantic versioning of the crates: cargo semver-checks compares them with the last version that test/rust/releases
has, as test/frame/abi.py does with the C libraries. Nothing public may be gone or changed unless the version says so;
while the major number is 0, that is the minor one. An item of each crate that is gone is planted first, and must be
found, unless the version is the next.

When a version is published, record it:
  python3 -B test/rust/semver.py ROOT

The tool comes from the registry, by cargo, and is compiled: some minutes, once."""
import os
import re
import shutil
import subprocess
import sys

import apart

TOOL, VERSION = "cargo-semver-checks", "0.51.0"
CRATES = ["rijn-sys", "rijn", "rustls-rijn"]
KEPT = ["Cargo.toml", "README.md", "src"]
# What is gone, as the tool names it; the file, and a text that has it.
PLANTED = {
    "function rijn_sys::rijn_gcm_nonce,": ("rijn-sys/src/lib.rs", "    pub fn rijn_gcm_nonce("),
    "Gcm::gmac_verify,": ("rijn/src/gcm.rs", "    pub fn gmac_verify("),
    "function rustls_rijn::over,": ("rustls-rijn/src/lib.rs", "pub fn over("),
}


def parts(version):
    return tuple(int(n) for n in version.split("."))


def tool(rust):
    """The program, by `cargo install`."""
    root = os.path.join(rust.out, f"semver-{VERSION}")
    program = os.path.join(root, "bin", TOOL)
    if not os.path.exists(program):
        target = os.path.join(rust.out, "semver-build")
        command = ["cargo", "install", "-q", "--locked", TOOL, "--version", VERSION, "--root", root]
        # WHY not as its authors release it: linking all of it as one takes longer than all else.
        quick = {"LTO": "off", "CODEGEN_UNITS": "16", "OPT_LEVEL": "1"}
        env = {f"CARGO_PROFILE_RELEASE_{name}": value for name, value in quick.items()}
        rust.run([*command, "--target-dir", target], env=env)
        shutil.rmtree(target)
    return program


def version_of(folder):
    with open(os.path.join(folder, "Cargo.toml"), encoding="utf-8") as f:
        return re.search(r'^version = "(.*)"$', f.read(), re.M)[1]


def compare(rust, program, folder, baseline):
    """Of all crates; the exit status, and what was said."""
    # WHY by hand under one version: without it nothing but a bug fix would be allowed, as if the version were out.
    same = ["--release-type", "minor"] if version_of(folder) == version_of(baseline) else []
    command = [program, "semver-checks", "check-release", "--manifest-path", os.path.join(folder, "Cargo.toml"),
               "--baseline-root", baseline, "--workspace", "--all-features", *same]  # fmt: skip
    env = {**os.environ, "RUSTC_BOOTSTRAP": "1", "CARGO_NET_OFFLINE": "true",
           "CARGO_TARGET_DIR": os.path.join(rust.out, "semver-target")}  # fmt: skip
    done = subprocess.run(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    return done.returncode, done.stdout


def planted(rust, program, folder, baseline):
    """What is gone is found, and allowed under the next version."""
    for name, text in PLANTED.values():
        apart.change(os.path.join(folder, name), text, text.replace("fn ", "fn other_"))
    code, said = compare(rust, program, folder, baseline)
    missed = [gone for gone in PLANTED if gone not in said]
    if code == 0 or missed:
        sys.exit(f"rust: what was planted is not found: {missed}\n{said[-8000:]}")
    print("gone under the same version, and found:", *PLANTED)
    now = version_of(folder)
    after = "{}.{}.0".format(parts(now)[0], parts(now)[1] + 1)
    for name in ("Cargo.toml", *(f"{crate}/Cargo.toml" for crate in CRATES)):
        path = os.path.join(folder, name)
        with open(path, encoding="utf-8") as f:
            text = f.read()
        apart.write(path, text.replace(f'version = "{now}"', f'version = "{after}"').replace(f'"={now}"', f'"={after}"'))
    code, said = compare(rust, program, folder, baseline)
    if code != 0:
        sys.exit(f"rust: {after} may not leave out what {now} had:\n{said[-8000:]}")
    print("gone under the next version, and allowed")


def semver(rust):
    rust.fetch()
    releases = os.path.join(rust.source, "test/rust/releases")
    last = max(os.listdir(releases), key=parts)
    if parts(last) > parts(rust.version):
        sys.exit(f"rust: {last} is recorded, and this is {rust.version}")
    program, bindings = tool(rust), os.path.join(rust.source, "bindings/rust")
    baseline, folder = os.path.join(rust.out, "semver", last), os.path.join(rust.out, "semver/now")
    apart.copy(os.path.join(releases, last), baseline, CRATES)
    apart.copy(bindings, folder, CRATES)
    code, said = compare(rust, program, folder, baseline)
    print(said)
    if code != 0 or len(re.findall(r"Finished .* (?:rijn|rijn-sys|rustls-rijn)$", said, re.M)) != len(CRATES):
        sys.exit(f"rust: the crates do not keep to {last}, which test/rust/releases has")
    planted(rust, program, folder, baseline)


def record(root):
    """This version is the last one from now on."""
    bindings = os.path.join(root, "bindings/rust")
    folder = os.path.join(root, "test/rust/releases", version_of(bindings))
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    shutil.copy(os.path.join(bindings, "Cargo.toml"), folder)
    for crate in CRATES:
        for name in KEPT:
            place, to = os.path.join(bindings, crate, name), os.path.join(folder, crate, name)
            os.makedirs(os.path.dirname(to), exist_ok=True)
            (shutil.copytree if os.path.isdir(place) else shutil.copy)(place, to)
    print(folder)


if __name__ == "__main__":
    record(sys.argv[1])
