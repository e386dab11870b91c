# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""The crates copied elsewhere, with a rijn-sys that compiles no C: for tools that read Rust alone, and to plant
faults."""
import os
import shutil
import sys

NO_C = '//! Compiles nothing.\nfn main() {\n    println!("cargo:rustc-check-cfg=cfg(rijn_system)");\n}\n'


def write(path, text):
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def change(path, old, new):
    """Of a file: one text that it has once is another."""
    with open(path, encoding="utf-8") as f:
        text = f.read()
    if text.count(old) != 1:
        sys.exit(f"rust: {path} was to have {old} once")
    write(path, text.replace(old, new))


def copy(source, folder, crates, **more):
    """A workspace of crates of `source`, a folder like bindings/rust. more: crates that are somewhere else."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    places = {**{crate: os.path.join(source, crate) for crate in crates}, **more}
    for crate, place in places.items():
        shutil.copytree(place, os.path.join(folder, crate))
    build = os.path.join(folder, "rijn-sys/build.rs")
    write(build, NO_C)
    lock = os.path.join(source, "Cargo.lock")
    if os.path.exists(lock):
        shutil.copy(lock, folder)
    with open(os.path.join(source, "Cargo.toml"), encoding="utf-8") as f:
        lines = f.read().splitlines()
    members = ", ".join(f'"{crate}"' for crate in places)
    lines = [line for line in lines if not line.startswith("exclude")]
    kept = [f"members = [{members}]" if line.startswith("members") else line for line in lines]
    write(os.path.join(folder, "Cargo.toml"), "\n".join(kept) + "\n")
