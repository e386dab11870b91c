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
    "SET": namedtuple("Set", "name file where level"),
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


def _rows(kind, path=TUNING):
    """The text between the parentheses of each row of a kind of src/mode/tune.def."""
    with open(path, encoding="utf-8") as f:
        rows = [re.fullmatch(kind + r"\((.*)\)\n", line) for line in f]
    return [row[1] for row in rows if row]


def parameters(path=TUNING):
    """The parameters of the templates, as src/mode/tune.def has them."""
    rows = [re.fullmatch(r'(fact|choice), (\w+), (\d+), (\d+), "(.*)"', row) for row in _rows("TUNED", path)]
    return [PARAMETER(row[1], row[2], int(row[3]), int(row[4]), row[5]) for row in rows]


def tried(path=TUNING):
    """The values that the tuner tries, of the choices that have a row for it."""
    rows = (row.split(", ") for row in _rows("TRY", path))
    return {name: [int(value) for value in values] for name, *values in rows}


def pairs(path=TUNING):
    """The choices that the tuner changes together."""
    return [tuple(row.split(", ")[:2]) for row in _rows("PAIR", path)]


def _constants():
    """The numbers that conditions name: those of impl.h, and the values of MIDDLE_TERM."""
    with open(os.path.join(os.path.dirname(LIST), "..", "impl.h"), encoding="utf-8") as f:
        numbers = {name: int(value) for name, value in re.findall(r"#define (RIJN_\w+) (\d+)\b", f.read())}
        f.seek(0)
        numbers.update((name, int(value)) for name, value in re.findall(r"enum \{ (RIJN_\w+) = (\d+) \};", f.read()))
    with open(os.path.join(os.path.dirname(TUNING), "tune.h"), encoding="utf-8") as f:
        terms = re.search(r"enum \{ (FOUR_MULS.*?) \};", f.read())[1]
    return {**numbers, **{name: i for i, name in enumerate(terms.split(", "))}}


CONSTANTS = _constants()


def invalid(values, path=TUNING):
    """What is wrong with these values of all parameters (numbers by name), as tune.h would say; "": nothing."""
    known = {**CONSTANTS, **values}
    for row in parameters(path):
        if not row.least <= values[row.name] <= row.most:
            return f"{row.name} is out of range: {row.least} to {row.most}"
    for row in _rows("VALID", path):
        condition, why = re.fullmatch(r'(.*), "(.*)"', row).groups()
        python = condition.replace("&&", " and ").replace("||", " or ").replace("/", "//")
        if not eval(re.sub(r"!(?!=)", " not ", python), {"__builtins__": {}}, known):
            return why
    return ""


def tuning(file, folder=os.path.dirname(LIST)):
    """What a set's file gives for each parameter, as it stands there; ValueError if a name is none of a parameter."""
    with open(os.path.join(folder, file + ".c"), encoding="utf-8") as f:
        values = dict(re.findall(r"^#define (\w+) (\w+(?:\([^)]*\))?)", f.read(), re.MULTILINE))
    values.pop("ISA")
    values.pop("NARROW", None)
    unknown = set(values) - {row.name for row in parameters()}
    if unknown:
        raise ValueError(f"{file}.c defines what tune.def has not: {', '.join(sorted(unknown))}")
    return values
