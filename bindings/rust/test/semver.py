# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""Semantic versioning of the crates: cargo semver-checks compares them with those of the last tag, as test/build/abi.py
does with the C library. Nothing public may be gone or changed unless the version says so; while the major number is 0,
that is the minor one. While there is no tag, the crates are compared with themselves. In both cases an item of each
crate that is gone is planted, and must be found, unless the version is the next.

The tool comes from the registry, by cargo, and is compiled: some minutes, once."""
import os
import re
import shutil
import subprocess
import sys

import apart

TOOL, VERSION = "cargo-semver-checks", "0.51.0"
CRATES = ["rijn-sys", "rijn", "rustls-rijn"]
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


def last_tag(source):
    """The last tag that this commit comes from, or None."""
    if not os.path.exists(os.path.join(source, ".git")):
        return None
    done = subprocess.run(["git", "-C", source, "describe", "--tags", "--abbrev=0"], capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else None


def crates_of(rust, tag):
    """A folder with the crates of a tag; None: as they are."""
    if tag is None:
        return os.path.join(rust.source, "bindings/rust")
    tree = os.path.join(rust.out, "semver/tag")
    shutil.rmtree(tree, ignore_errors=True)
    os.makedirs(tree)
    archive = subprocess.run(["git", "-C", rust.source, "archive", tag, "bindings/rust"], check=True, capture_output=True)
    subprocess.run(["tar", "-C", tree, "-xf", "-"], check=True, input=archive.stdout)
    return os.path.join(tree, "bindings/rust")


def semver(rust):
    rust.fetch()
    tag = last_tag(rust.source)
    program = tool(rust)
    baseline, folder = os.path.join(rust.out, "semver/last"), os.path.join(rust.out, "semver/now")
    apart.copy(crates_of(rust, tag), baseline, CRATES)
    apart.copy(os.path.join(rust.source, "bindings/rust"), folder, CRATES)
    code, said = compare(rust, program, folder, baseline)
    print(said)
    if code != 0 or len(re.findall(r"Finished .* (?:rijn|rijn-sys|rustls-rijn)$", said, re.M)) != len(CRATES):
        sys.exit(f"rust: the crates do not keep to {tag or 'themselves'}")
    planted(rust, program, folder, baseline)
