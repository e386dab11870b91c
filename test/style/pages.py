# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""pages.py ROOT: each page of Markdown can be read at 80 columns. Viewers fill prose anew and break cells between words.
So no line of the source has more than 120 columns, no line of a block of code more than 80, and no table needs more than
80: its narrowest columns are their longest words."""
import glob
import os
import re
import sys

LINE, NEED = 120, 80


def pages(root):
    found = [os.path.relpath(p, root) for p in glob.glob(root + "/**/*.md", recursive=True)]
    return sorted(p for p in found if not re.match(r"build/|third_party/|.*/(?:target|node_modules)/", p))


def visible(cell):
    """A cell without what a viewer does not show."""
    cell = re.sub(r"!?\[([^]]*)\]\([^)]*\)", r"\1", cell)
    return re.sub(r"[`*]", "", cell).strip()


def need(rows):
    """Columns of text that a table takes when each of its columns is as narrow as it can be. A word may be broken
    behind a hyphen, a slash, a comma, an underscore or a dot, as an address or a name is."""
    cells = [[visible(c) for c in re.split(r"(?<!\\)\|", row.strip().strip("|"))] for row in rows]
    wide = [max((len(w) for r in cells if i < len(r) for w in re.split(r"\s|(?<=[-/,_.:=])", r[i])), default=0)
            for i in range(len(cells[0]))]
    return sum(wide) + 3 * len(wide) + 1


def faults(name, text):
    found, code, table = [], False, []
    for at, line in enumerate(text.splitlines() + [""], 1):
        if len(line) > LINE:
            found.append(f"{name}:{at}: {len(line)} columns, and a page has {LINE}")
        fence = line.lstrip().startswith("```")
        if (code or re.match(r" {4}[^\s*-]", line)) and not fence and len(line) > NEED:
            found.append(f"{name}:{at}: a line of code of {len(line)} columns, and {NEED} are to be enough")
        code ^= fence
        if line.startswith("|") and not code:
            table.append(line)
        elif table:
            if (wide := need(table)) > NEED:
                found.append(f"{name}:{at - len(table)}: a table that needs {wide} columns, and {NEED} are to be enough")
            table = []
    return found


def main(root):
    names = pages(root)
    found = [f for name in names for f in faults(name, open(os.path.join(root, name), encoding="utf-8").read())]
    # The rules see what they are to see.
    planted = "a" * 121 + "\n```\n" + "b" * 81 + "\n```\n|" + 9 * (12 * "c" + "|") + "\n"
    if len(faults("planted", planted)) != 3 or faults("planted", f"{'a ' * 60}\n```\n{'b' * 80}\n```\n| c | d |\n"):
        found.append(f"the rules do not see what is planted: {faults('planted', planted)}")
    if len(names) < 30:
        found.append(f"only {len(names)} pages were found in {root}")
    print("\n".join(found) or f"{len(names)} pages can be read at {NEED} columns")
    return len(found) > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
