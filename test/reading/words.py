# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""One word, one thing: doc/glossary.md has each word once, and each is used in src/ or include/; comments there have none of
the words that the glossary rules out; and no word is defined in two of the lists of words that comments have.

usage: words.py ROOT
"""
import glob
import os
import re
import sys
from collections import defaultdict

from c_source import Source


def glossary(path, problems):
    """(words, words ruled out -> the word to use)"""
    words, instead = [], {}
    with open(path, encoding="utf-8") as f:
        for line in f:
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            if len(cells) != 3 or cells[0] in ("word", "---"):
                continue
            if not cells[1] or not cells[2]:
                problems.append(f"glossary: '{cells[0]}' has an empty cell")
            for word in cells[0].split(", "):
                if word in words:
                    problems.append(f"glossary: '{word}' stands there twice")
                words.append(word)
            for other in cells[2].split(", "):
                instead[other] = cells[0]
    problems += [f"glossary: '{word}' is ruled out, and is a word" for word in words if word in instead]
    return words, instead


def lists(text):
    """Words that a comment defines: the lines of a list under a line that ends in 'Words:' or '.. uses:'."""
    found = re.search(r"^ \* Words(?: that all of src uses)?:\n((?: \* {3}.*\n| \*\n(?= \* {3}))+)", text, re.M)
    if found:
        for line in found.group(1).splitlines():
            entry = re.match(r" \* {3}(\S.*?)  +\S", line)
            if entry:
                yield from entry.group(1).split(", ")


def main():
    root = sys.argv[1]
    problems = []
    words, instead = glossary(os.path.join(root, "doc", "glossary.md"), problems)
    if len(words) < 10:
        sys.exit("FAIL: doc/glossary.md has no table of words")
    used, defined = set(), defaultdict(list)
    ruled_out = re.compile(r"\b(?:" + "|".join(map(re.escape, instead)) + r")\b", re.I)
    for pattern in ("src/**/*.[ch]", "include/*.h"):
        for path in sorted(glob.glob(os.path.join(root, pattern), recursive=True)):
            name = os.path.relpath(path, root)
            for line, text in Source(path).comments:
                flat = re.sub(r"\s*\n\s*\*?\s*", " ", text)
                used |= {word for word in words if re.search(rf"\b{re.escape(word)}(?:s|es)?\b", flat, re.I)}
                for found in ruled_out.finditer(flat):
                    right = next(v for k, v in instead.items() if k.lower() == found.group(0).lower())
                    problems.append(f"{name}:{line}: says '{found.group(0)}'; doc/glossary.md says '{right}'")
                for word in lists(text):
                    defined[word].append(name)
    problems += [f"glossary: nothing in src/ or include/ says '{word}'" for word in words if word not in used]
    problems += [f"'{word}' is defined in {' and in '.join(files)}" for word, files in defined.items() if len(files) > 1]
    if len(defined) < 5:
        problems.append("the lists of words in src/ are not found")
    if problems:
        sys.exit("\n".join("FAIL: " + p for p in problems))
    print(f"{len(words)} words, {len(instead)} ruled out; {len(defined)} defined in comments")


main()
