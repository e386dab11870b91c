# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""Limits that help reading, over the C sources of a folder: functions of at most 60 lines and 7 parameters
(calls of the public interface, and what is handed their arguments as they are, may have as many as those); macros that take
arguments of at most 6 lines, which name nothing that is not theirs; no comma statement, no ?: in another; goto to one exit,
forwards; a direction is an enum; a name is one thing.

usage: limits.py ROOT FOLDER [--shrink]

The list offenders/FOLDER.txt beside this file has today's offenders, one a line: the rule, the file, the name, and how long
or how many. It may only shrink: what is not in it is a failure, so is what has grown, and so is a line that is true no
longer. --shrink takes those out of it.
"""
import glob
import os
import sys
from collections import defaultdict, namedtuple

from c_shape import CLOSE, KEYWORDS, OPEN, blocks_and_statements, closing, functions, is_declaration, is_type
from c_shape import macros, nested_conditional, split
from c_source import Source

LINES, PARAMETERS, MACRO_LINES = 60, 7, 6
Offence = namedtuple("Offence", "rule file name much")  # much: how long, or how many; 1 where that is all that counts
DIRECTIONS = set("enc dec encrypt decrypt encrypting decrypting direction dir way".split())
NUMBERS = set("int bool _Bool unsigned char short long uintptr_t size_t uint8_t uint32_t uint64_t".split())
ASSIGN = set("= += -= *= /= %= &= |= ^= <<= >>= ++ --".split())


class File:
    def __init__(self, root, name):
        self.name = name
        source = Source(os.path.join(root, name))
        self.tokens, self.lines = source.tokens, {t.line for t in source.tokens}
        self.macros = list(macros(source))
        self.functions = list(functions(source.tokens))
        for macro in self.macros:
            self.lines.update(range(macro.line, macro.line + macro.lines))
            self.functions += functions(macro.body)


def expand(tokens, known, depth=0):
    """Parameters with the macros in them written out, because those may stand for several."""
    out, at = [], 0
    while at < len(tokens):
        macro = known.get(tokens[at].text) if tokens[at].kind == "name" else None
        at += 1
        if macro is None or depth > 6:
            out.append(tokens[at - 1])
            continue
        if macro.parameters is not None and at < len(tokens) and tokens[at].text == "(":
            while tokens[at].text != ")":
                at += 1
            at += 1
        out += expand(macro.body, known, depth + 1)
    return out


def parameter_names(tokens):
    parts = [p for p in split(tokens, ",") if p and [t.text for t in p] != ["void"]]
    names = []
    for part in parts:
        words = [t.text for t in part if t.kind == "name" and t.text not in KEYWORDS]
        names.append(words[-1] if words else "?")
    return names


def public_arguments(root):
    """Names of the arguments that follow the object's, of each call of include/rijn.h."""
    found = set()
    for path in glob.glob(os.path.join(root, "include", "*.h")):
        tokens = Source(path).tokens
        for at, token in enumerate(tokens):
            if token.text == "(" and at and tokens[at - 1].kind == "name" and tokens[at - 1].text.startswith("rijn_"):
                found.add(tuple(parameter_names(tokens[at + 1 : closing(tokens, at)])[1:]))
    return found


def declared(tokens):
    """Names that declarations in these tokens give to variables."""
    names = set()
    statements, loops = blocks_and_statements(tokens)
    for statement in statements + [split(header, ";")[0] for header in loops]:
        if not is_declaration(statement):
            continue
        for part in split(statement, ","):
            words = [t.text for t in split(split(part, "=")[0], "[")[0] if t.kind == "name" and t.text not in KEYWORDS]
            names |= set(words[-1:])
    return names


def file_scope(files):
    """Names that are known everywhere: not what a macro would catch of the function around it."""
    names = set()
    for file in files:
        names |= {m.name for m in file.macros} | {f.name for f in file.functions}
        inside = []  # of which brackets: is it an enum's?
        for i, token in enumerate(file.tokens):
            if token.kind == "mark" and token.text in OPEN:
                inside.append(token.text == "{" and "enum" in [t.text for t in file.tokens[max(0, i - 2) : i]])
            elif token.kind == "mark" and token.text in CLOSE:
                inside.pop()
            elif token.kind == "name" and (not inside or inside[-1]):
                names.add(token.text)
    return names


def captures(macro, locals_, scope):
    """Names in a macro's body that belong to the function that uses it."""
    own = set(macro.parameters) | declared(macro.body)
    for function in functions(macro.body):
        own |= set(parameter_names(function.parameters))
    found = set()
    for i, token in enumerate(macro.body):
        before = macro.body[i - 1].text if i else ""
        if token.kind != "name" or token.text in own or token.text in KEYWORDS or before in (".", "->", "#", "goto"):
            continue
        if token.text.endswith("_") or token.text == "__VA_ARGS__":
            continue
        if before == "(" and i > 1 and macro.body[i - 2].text == "EACH":
            own.add(token.text)  # which EACH declares
            continue
        if token.text in locals_ and token.text not in scope:
            found.add(token.text)
    return found


def comma_statements(body, of_macro):
    statements, loops = blocks_and_statements(body)
    count = 0
    for statement in statements:
        parts = split(statement, ",")
        if len(parts) < 2 or is_declaration(statement) or statement[0].text in (".", ","):
            continue  # several of one declaration, or a part of an initialiser or of a list
        if of_macro and not any(t.text in ASSIGN and t.kind == "mark" for p in parts for t in split(p, ";")[0]):
            continue  # a list of arguments
        count += 1
    # out, in and what is left may go on together; more than that is a body.
    count += sum(1 for header in loops for part in split(header, ";")[2:] if len(split(part, ",")) > 3)
    return count


def gotos(function):
    targets, labels = defaultdict(list), {}
    for i, token in enumerate(function.body):
        if token.text == "goto" and token.kind == "name":
            targets[function.body[i + 1].text].append(i)
        elif (token.kind == "name" and i + 1 < len(function.body) and function.body[i + 1].text == ":"
              and (i == 0 or function.body[i - 1].text in (";", "{", "}", ":", ")"))):  # fmt: skip
            labels[token.text] = i
    backwards = any(at > labels.get(name, 0) for name, places in targets.items() for at in places if name in labels)
    return len(targets) > 1 or backwards


def directions(tokens):
    return sorted({
        token.text for before, token in zip(tokens, tokens[1:])
        if token.kind == "name" and token.text in DIRECTIONS and before.text in NUMBERS
    })  # fmt: skip


def kinds(files):
    """name -> what it is, for what is known in more than a function."""
    found = defaultdict(lambda: defaultdict(set))
    for file in files:
        for macro in file.macros:
            how = "macro" if macro.parameters is None else f"macro of {len(macro.parameters)}"
            found[macro.name][how].add(file.name)
        for function in file.functions:
            found[function.name]["function"].add(file.name)
        depth = []
        for i, token in enumerate(file.tokens):
            if token.kind == "mark" and token.text == "{":
                depth.append("enum" in [t.text for t in file.tokens[max(0, i - 2) : i]])
            elif token.kind == "mark" and token.text == "}":
                depth.pop()
            elif depth and depth[-1] and token.kind == "name" and file.tokens[i - 1].text in ("{", ","):
                found[token.text]["constant"].add(file.name)
    return found


def offences(root, names):
    files = [File(root, name) for name in names]
    known = {m.name: m for f in files for m in f.macros if m.parameters is not None or len(m.body) > 1}
    scope = file_scope(files)
    public = {arguments for arguments in public_arguments(root) if len(arguments) >= PARAMETERS}
    locals_ = set()
    for file in files:
        for function in file.functions:
            locals_ |= set(parameter_names(expand(function.parameters, known))) | declared(function.body)
    for file in files:
        for function in file.functions:
            first, last = function.lines
            lines = sum(1 for line in range(first, last + 1) if line in file.lines)
            if lines > LINES:
                yield Offence("function-lines", file.name, function.name, lines)
            parameters = parameter_names(expand(function.parameters, known))
            as_given = {tuple(parameters), tuple(parameters[1:]), tuple(parameters[:-1]), tuple(parameters[1:-1])}
            if len(parameters) > PARAMETERS and not as_given & public:
                yield Offence("parameters", file.name, function.name, len(parameters))
            commas = comma_statements(function.body, False)
            if commas:
                yield Offence("comma-statement", file.name, function.name, commas)
            if any(nested_conditional(s) for part in blocks_and_statements(function.body) for s in part):
                yield Offence("nested-conditional", file.name, function.name, 1)
            if gotos(function):
                yield Offence("goto", file.name, function.name, 1)
        for macro in file.macros:
            if macro.parameters is not None and macro.lines > MACRO_LINES:
                yield Offence("macro-lines", file.name, macro.name, macro.lines)
            caught = captures(macro, locals_, scope) if macro.parameters is not None else ()
            if caught:
                yield Offence("macro-captures", file.name, macro.name, len(caught))
            if any(functions(macro.body)):
                continue
            commas = comma_statements(macro.body, True)
            if commas:
                yield Offence("comma-statement", file.name, macro.name, commas)
            if any(nested_conditional(s) for part in blocks_and_statements(macro.body) for s in part):
                yield Offence("nested-conditional", file.name, macro.name, 1)
            if any(t.text == "goto" for t in macro.body):
                yield Offence("goto", file.name, macro.name, 1)
        for name in directions(file.tokens + [t for m in file.macros for t in m.body]):
            yield Offence("direction", file.name, name, 1)
    # What a .c file defines is its own, beside what all headers do.
    headers = [f for f in files if f.name.endswith(".h")]
    twice = {}
    for own in [[]] + [[f] for f in files if f.name.endswith(".c")]:
        for name, what in kinds(headers + own).items():
            places = sorted(place for some in what.values() for place in some)
            # An operation of an instruction set is whatever that set can make it.
            if len(what) > 1 and not all("/isa/" in place for place in places):
                twice.setdefault(name, Offence("one-name", places[0], name, len(what)))
    yield from (twice[name] for name in sorted(twice))


def read_list(path):
    listed = {}
    with open(path, encoding="utf-8") as f:
        for line in f:
            if line.strip() and not line.startswith("#"):
                rule, file, name, much = line.split()
                listed[rule, file, name] = int(much)
    return listed


def main():
    root, folder = (a for a in sys.argv[1:] if a != "--shrink")
    path = os.path.join(root, "test", "reading", "offenders", folder + ".txt")
    files = glob.glob(os.path.join(root, folder, "**", "*.[ch]"), recursive=True)
    names = sorted(os.path.relpath(file, root) for file in files)
    if not names:
        sys.exit(f"FAIL: no C file is below {folder}")
    found = {}
    for offence in offences(root, names):
        key = offence[:3]
        found[key] = max(found.get(key, 0), offence.much)
    listed = read_list(path)
    if "--shrink" in sys.argv:
        left = {key: min(much, found[key]) for key, much in listed.items() if key in found}
        with open(path, encoding="utf-8") as f:
            head = [line for line in f if line.startswith("#")]
        with open(path, "w", encoding="utf-8") as f:
            f.writelines(head + [f"{' '.join(key)} {much}\n" for key, much in sorted(left.items())])
        listed = left
    problems = []
    for key, much in sorted(found.items()):
        if key not in listed:
            problems.append(f"{key[1]}: {key[2]}: {key[0]}, {much}")
        elif much > listed[key]:
            problems.append(f"{key[1]}: {key[2]}: {key[0]} has grown from {listed[key]} to {much}")
    problems += [f"{key[1]}: {key[2]}: no {key[0]} any more: limits.py {root} {folder} --shrink" for key in listed if key not in found]
    if problems:
        sys.exit("\n".join("FAIL: " + p for p in problems))
    print(f"{len(names)} files, {len(found)} offenders left")


if __name__ == "__main__":
    main()
