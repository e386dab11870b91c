# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""Opens a library: its architecture's tables, and the kernels in its table of implementations.

How the kernels are found, in a stripped library, too: rijn_impl_name(i), which every library exports, returns the name
in the i-th struct of the table. Run here, its last load is of that name, the struct's first member. So its address is
the struct's. The members behind are those of struct rijn_impl (src/impl.h), the kernels in the order of
src/kernels.def."""
import os
import re
import shutil

from domain import Missing
from machine import Library

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "src")


def architectures():
    """By name. An architecture that is added is added here."""
    from arm import Arm
    from ppc import Ppc
    from x86 import X86
    return {"x86_64": X86, "aarch64": Arm, "ppc64le": Ppc}


def kernel_rows():
    """(name, shape) of each kernel, in the order of the struct."""
    with open(os.path.join(SOURCE, "kernels.def"), encoding="utf-8") as f:
        return re.findall(r"^KERNEL\((\w+), (\w+), \w+\)$", f.read(), re.M)


def objdump_of(programs):
    for p in programs:
        if shutil.which(p):
            return p
    raise Missing(f"none of {', '.join(programs)} is installed")


def open_library(path, kept=None):
    """A machine that has loaded it, and its sets: name -> Set. kept: libraries that were read before, by path."""
    arch = architectures().get(Library.machine(path))
    if arch is None:
        raise Missing(f"{path}: no tables for {Library.machine(path)} yet")
    kept = {} if kept is None else kept
    if path not in kept:
        kept[path] = Library(path, objdump_of(arch.OBJDUMP), arch.OPTIONS)
    machine = arch(kept[path])
    return machine, sets_of(machine)


class Set:
    """An instruction set: its place in the table, and where its kernels begin."""

    def __init__(self, index, name, kernels):
        self.index, self.name, self.kernels = index, name, kernels


def sets_of(machine):
    library, rows = machine.library, kernel_rows()
    for name in ("rijn_impl_count", "rijn_impl_name"):
        if name not in library.exports:
            raise Missing(f"{library.path} has no {name}: no library of Rijn, or a static one")
    sets = {}
    machine.regions = [machine.constants]
    machine.region("stack", 0x7ff000000000, 4096, missing=machine.unwritten)
    machine.stack_top = 0x7ff000000000 + 2048
    for i in range(machine.call(library.exports["rijn_impl_count"], [])):
        loads = machine.loads = []
        name = machine.call(library.exports["rijn_impl_name"], [i])
        machine.loads = None
        struct = next(address for address, value in reversed(loads) if value == name)
        kernels = {k: library.number(struct + 16 + 8 * j) for j, (k, _) in enumerate(rows)}
        sets[library.text(name)] = Set(i, library.text(name), kernels)
        if any(a and a not in library.code for a in kernels.values()):
            raise Missing(f"{library.path}: its struct of kernels is not that of src/kernels.def")
    machine.met.clear()
    machine.jumps.clear()
    return sets
