# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""The site's reference of the calls: a page a header, of what tools/rijn_header.py finds in it."""
import re

from rijn_header import SUMMARIES, blocks, declared, headers

NAMES = {f.name for header, _, _ in headers() for g in header.groups() for f in g.functions()}


def text(words):
    """Prose as reST: calls are links, constants are code, and nothing else means anything."""
    words = re.sub(r"([\\*`|_])", r"\\\1", words)

    def mark(hit):
        name = hit.group(1).replace("\\_", "_")
        return f"\\ :c:func:`{name}`\\ " if name in NAMES else f"\\ ``{name}``\\ "

    return re.sub(r"\b((?:rijn|RIJN)(?:\\_\w+?)+)\b(?:\(\))?", mark, words)


def heading(words, line):
    return [words, line * max(len(words), 4), ""]


def capital(words):
    return words[:1].upper() + words[1:]


def prose(lines, space=""):
    out = []
    for kind, *words in blocks(lines):
        if kind == "term":
            out += [f"{space}{text(words[0])}", f"{space}    {text(words[1])}", ""]
        elif kind == "text":
            out += [space + text(words[0]), ""]
        else:
            out += [f"{space}**{text(words[0])}**", ""]
    return out


def code(lines, space=""):
    return [f"{space}.. code-block:: c", "", *(f"{space}   {line}" for line in lines), ""]


def part(described):
    """A comment, and what it is about."""
    out = []
    lines = []
    for item in described.items:
        if item.kind != "func":
            lines += ([""] if lines and item.kind != "define" else []) + declared(item)
    out += code(lines) if lines else []
    functions = described.functions()
    if not functions:
        return prose(described.lines) + out
    signatures = [f.code.removesuffix(";") for f in functions]
    out += [f".. c:function:: {signatures[0]}", *(f"                 {s}" for s in signatures[1:]), ""]
    out += prose(described.lines, "   ")
    out += [line for f in functions if f.note for line in (f"   {text(f.name)}: {text(f.note)}", "")]
    return out


def page(header, library, overview):
    out = heading(f"{header.name}", "=")
    out += [f"Compile with ``cc file.c $(pkg-config --cflags --libs {library[3:]})``.", ""]
    out += [f"After ``make install``, ``man 3 {overview}`` shows what stands here.", ""]
    out += prose(header.lines)
    out += heading("Error codes", "-")
    for name, value, words in re.findall(r"(\w+) = (-?\d+),?(?: */\*(.*?)\*/)?", header.errors.code, re.S):
        out += [f"``{name}`` ({value})", f"    {text(' '.join(words.split()) or 'success')}", ""]
    for section in header.sections:
        out += heading(capital(section.title) or "Version and errors", "-") + prose(section.lines)
        for group in section.groups:
            out += heading(capital(SUMMARIES[group.functions()[0].name]), "~")
            for each in group.parts:
                out += part(each)
    return ".. SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause\n\n" + "\n".join(out)


def pages():
    return {f"reference/{overview}.rst": page(header, library, overview) for header, library, overview in headers()}
