# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""src/isa/sets.def as tools and tests read it; its head says what a row means."""
import os
import re
from collections import namedtuple

LIST = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "src", "isa", "sets.def")
KINDS = {
    "ARCH": namedtuple("Arch", "name family base tools rules"),
    "FEATURE": namedtuple("Feature", "family bit name word n state bases"),
    "CPUINFO": namedtuple("Cpuinfo", "bit name"),
    "LEVEL": namedtuple("Level", "name below flags needs"),
    "SET": namedtuple("Set", "name file where level policy"),
    "OPTION": namedtuple("Option", "where compiler flags"),
    "DEFINE": namedtuple("Define", "name where compiler version"),
    "SOURCE": namedtuple("Source", "kind file"),
}
TUNING = os.path.join(os.path.dirname(LIST), "..", "mode", "tune.def")
PARAMETER = namedtuple("Parameter", "kind name least most meaning")
MACHINES = {"AMD64": "x86_64", "i686": "i386", "arm64": "aarch64"}


class Sets:
    """archs, features, cpuinfos, levels, sets, options, defines, sources: the rows of each kind, in order."""

    def __init__(self, path=LIST):
        found = {kind: [] for kind in KINDS}
        with open(path, encoding="utf-8") as f:
            for line in f:
                row = re.fullmatch(r"([A-Z]+)\((.*)\)\n", line)
                if row:
                    fields = [field.strip('"') for field in row[2].split(", ")]
                    found[row[1]].append(KINDS[row[1]](*fields))
        self.archs, self.features, self.cpuinfos, self.levels, self.sets, self.options, *rest = found.values()
        self.defines, self.sources = rest

    def arch(self, machine):
        """The architecture of that name, or that uname calls so; None: there is none."""
        name = MACHINES.get(machine, machine)
        return next((a for a in self.archs if a.name == name), None)

    def of(self, machine):
        """The sets of an architecture, best first, without portable."""
        arch = self.arch(machine)
        return [s for s in self.sets if arch and s.where in (arch.name, arch.family)]

    def level(self, name):
        """A level, and all below it, the lowest first."""
        row = next((level for level in self.levels if level.name == name), None)
        return self.level(row.below) + [row] if row else []

    def flags(self, row):
        """What a set's file is compiled with, by any compiler."""
        return [flag for level in self.level(row.level) for flag in level.flags.split()]

    def compiler_flags(self, row, machine, compiler):
        """... and by that one besides."""
        return [flag for where in (self.arch(machine).name, row.file) for option in self.options
                if (option.where, option.compiler) == (where, compiler) for flag in option.flags.split()]  # fmt: skip

    def needs(self, row):
        """The features that a set needs, by name."""
        names = {feature.bit: feature.name for feature in self.features}
        return {names[bit] for level in self.level(row.level) for bit in re.findall(r"HAS\((\w+)\)", level.needs)}

    def run_with(self, machine, features):
        """Names of the sets that a processor with these features runs, best first; portable is the last."""
        return [row.name for row in self.of(machine) if self.needs(row) <= set(features)] + ["portable"]


def parameters(path=TUNING):
    """The parameters of the templates, as src/mode/tune.def has them."""
    with open(path, encoding="utf-8") as f:
        rows = [re.fullmatch(r'TUNED\((fact|choice), (\w+), (\d+), (\d+), "(.*)"\)\n', line) for line in f]
    return [PARAMETER(row[1], row[2], int(row[3]), int(row[4]), row[5]) for row in rows if row]


def tuning(file, folder=os.path.dirname(LIST)):
    """What a set's file gives for each parameter, as it stands there."""
    with open(os.path.join(folder, file + ".c"), encoding="utf-8") as f:
        return dict(re.findall(r"\bTUNE\((\w+), (\w+(?:\([^)]*\))?)\)", f.read()))
