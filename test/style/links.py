# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""The record of trials (tuning/) and the comments of src/ and provider/ hold together: each number that a comment names
is an entry, each entry that is kept is named by a comment, each entry has all its lines, and no comment has a figure of
speed.

usage: links.py ROOT
"""
import glob
import os
import re
import sys

from c_source import comments

LINES = ["verdict", "tried", "CPU", "compiler", "command", "figures", "look again"]
# Until here entries come from a time before the record, when not all of this was written down.
OLD = 279
MEASURED_WITH = ["CPU", "compiler", "command"]
NUMBER = re.compile(r"\bT-(\d+)(?:\s+to\s+T-(\d+))?")
SPEED = re.compile(
    r"\bPERF\b|\bREJECTED\b|\bcycles\b|\d\s*%(?!\s*\d)|\d\s*(?:ns|us|ms)\b|\b(?:[KMG]B|[KMG]iB|bytes)\s+a\s+second\b"
    r"|\bper\s*cent\b|\b(?:times|twice) (?:as fast|faster|slower)\b|\binstructions? (?:more|less|fewer)\b"
)


def entries(root, problems):
    """number -> (file, verdict)"""
    found = {}
    for path in sorted(glob.glob(os.path.join(root, "tuning", "*.md"))):
        name = os.path.relpath(path, root)
        if os.path.basename(path) in ("README.md", "cycles.md"):
            continue
        with open(path, encoding="utf-8") as f:
            _, *parts = re.split(r"^## ", f.read(), flags=re.M)
        if not parts:
            problems.append(f"{name}: has no entry")
        last = 0
        for part in parts:
            head, _, body = part.partition("\n")
            if head == "Before the record":
                for n, verdict, more in re.findall(r"^- T-(\d{3}) (kept|rejected): (\S.*(?:\n  \S.*)*)$", body, re.M):
                    if int(n) in found or int(n) > OLD:
                        problems.append(f"{name}: T-{n}: is used already, or of the time of the record")
                    found[int(n)] = name, verdict, more
                if re.search(r"^- (?!T-\d{3} (kept|rejected): \S)", body, re.M):
                    problems.append(f"{name}: a line before the record is not 'T-nnn verdict: subject'")
                continue
            title = re.fullmatch(r"T-(\d{3,}) \S.*", head)
            if not title:
                problems.append(f"{name}: the title '{head}' is not 'T-nnn subject'")
                continue
            number = int(title.group(1))
            where = f"{name}: T-{number:03d}"
            if number in found:
                problems.append(f"{where}: the number is used in {found[number][0]} already")
            if number <= last:
                problems.append(f"{where}: stands behind T-{last:03d}")
            last = number
            fields = re.findall(r"^- ([A-Za-z ]+): (\S.*(?:\n  \S.*)*)$", body, re.M)
            if [key for key, _ in fields] != LINES:
                problems.append(f"{where}: its lines are not {', '.join(LINES)}, but {', '.join(k for k, _ in fields)}")
                continue
            fields = dict(fields)
            if fields["verdict"] not in ("kept", "rejected"):
                problems.append(f"{where}: the verdict is '{fields['verdict']}', neither kept nor rejected")
            if number > OLD:
                problems += [
                    f"{where}: the {key} is not recorded" for key in MEASURED_WITH if "not recorded" in fields[key]
                ]
            found[number] = name, fields["verdict"], body
    return found


def numbers(text):
    """All numbers in a text; 'T-003 to T-005' is three."""
    for first, last in NUMBER.findall(text):
        yield from range(int(first), int(last or first) + 1)


def sources(root):
    for pattern in ("src/*.[ch]", "src/*.def", "src/*/*.[ch]", "src/*/*.def", "src/CMakeLists.txt", "provider/*.[ch]"):
        yield from sorted(os.path.relpath(p, root) for p in glob.glob(os.path.join(root, pattern)))


def main():
    root = sys.argv[1]
    problems, named = [], set()
    record = entries(root, problems)
    for number, (name, _, body) in record.items():
        problems += [
            f"{name}: T-{number:03d} speaks of T-{n:03d}, which is no entry" for n in numbers(body) if n not in record
        ]
    for name in sources(root):
        for line, text in comments(os.path.join(root, name)):
            flat = re.sub(r"\s*\n\s*\*?\s*", " ", text)
            for n in numbers(flat):
                named.add(n)
                if n not in record:
                    problems.append(f"{name}:{line}: names T-{n:03d}, which is no entry of tuning/")
            speed = SPEED.search(flat)
            if speed:
                problems.append(f"{name}:{line}: '{speed.group(0)}' is a figure of speed; it belongs into tuning/")
    for number, (name, verdict, _) in sorted(record.items()):
        if verdict == "kept" and number not in named:
            problems.append(f"{name}: T-{number:03d} is kept, and no comment of src/ or provider/ names it")
    if problems:
        sys.exit("\n".join("FAIL: " + p for p in problems))
    kept = sum(verdict == "kept" for _, verdict, _ in record.values())
    print(f"{len(record)} entries, {kept} kept; comments name {len(named)}")


main()
