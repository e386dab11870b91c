# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""limits.py, links.py and words.py find what they are there to find: each offence is planted in a small tree, by itself, and each clean
neighbour of it passes.

usage: planted.py
"""
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
LONG = "int f(int a) {\n" + "  a++;\n" * 57 + "  return a;\n}\n"
ENTRY = (
    "## T-001 A thing\n\n- verdict: kept\n- tried: it.\n- CPU: Zen 3\n- compiler: gcc 12.2\n- command: `rijn bench`\n"
    "- figures: 2 % fewer.\n- look again: no reason known\n"
)
# What is planted, the rule that finds it (None: clean).
SHAPES = [
    (LONG, None),
    (LONG.replace("{\n", "{\n  a--;\n", 1), "function-lines"),
    (LONG.replace("{\n", "{\n\n  /* more\n   * and more */\n", 1), None),
    ("int f(int a, int b, int c, int d, int e, int g, int h) { return a; }\n", None),
    ("int f(int p, int q, int r, int s, int t, int u, int v, int w) { return p; }\n", "parameters"),
    ("#define TWO int a, int b\nint f(TWO, int c, int d, int e, int g, int h) { return a; }\n", None),
    ("#define TWO int p, int q\nint f(TWO, int r, int s, int t, int u, int v, int w) { return p; }\n", "parameters"),
    ("int rijn_f(int *k, int a, int b, int c, int d, int e, int g, int h) { return a; }\n", None),
    ("#define M(a) \\\n  do { \\\n    a++; \\\n    a++; \\\n    a++; \\\n  } while (0)\n", None),
    ("#define M(a) \\\n  do { \\\n    a++; \\\n    a++; \\\n    a++; \\\n    a++; \\\n  } while (0)\n", "macro-lines"),
    ("#define M(a) ((a) + local)\nint f(void) {\n  int local = 1;\n  return M(2);\n}\n", "macro-captures"),
    ("#define M(a) ((a) + f())\nint f(void) { return M(2); }\n", None),
    ("#define M(a) do { int local = a; g(local); } while (0)\nint f(void) {\n  int local;\n  M(local);\n}\n", None),
    ("int f(int a, int b) {\n  a = 1, b = 2;\n  return g(a, b);\n}\n", "comma-statement"),
    ("int f(int a) {\n  int b = 1, c[2] = {1, 2};\n  return g(a, b, c);\n}\n", None),
    ("int f(int a) { return (void)a, 1; }\n", "comma-statement"),
    ("int f(int a) {\n  EACH(i, 2, {\n    a = 1, a = 2;\n  });\n  return a;\n}\n", "comma-statement"),
    ("int f(int a, int b) {\n  for (; a; a--, b++, g())\n    b++;\n  return b;\n}\n", None),
    ("int f(int a, int b) {\n  for (; a; a--, b++, g(), b++)\n    b++;\n  return b;\n}\n", "comma-statement"),
    ("int f(int a) { return a ? 1 : a > 2 ? 3 : 4; }\n", "nested-conditional"),
    ("int f(int a) { return a ? g(a ? 1 : 2) : 4; }\n", "nested-conditional"),
    ("int f(int a) { return g(a ? 1 : 2, a ? 3 : 4); }\n", None),
    ("int f(int a) {\n  if (a)\n    goto out;\n  if (a > 1)\n    goto out;\n  a = 1;\nout:\n  return a;\n}\n", None),
    ("int f(int a) {\n  if (a)\n    goto one;\n  goto two;\none:\n  a = 1;\ntwo:\n  return a;\n}\n", "goto"),
    ("int f(int a) {\nagain:\n  if (--a)\n    goto again;\n  return a;\n}\n", "goto"),
    ("int f(int enc) { return enc; }\n", "direction"),
    ("int f(enum direction enc) { return enc; }\n", None),
    ("enum { NAME = 1 };\n#define NAME(a) (a)\n", "one-name"),
]
# Changes to a tree that is clean: file, text, what the complaint has in it (None: clean).
LINKS = [
    ("src/a.c", "/* why (T-001) */\n", None),
    ("src/a.c", "/* nothing */\n", "T-001 is kept, and no comment"),
    ("src/a.c", "/* why (T-001), and T-002 */\n", "names T-002"),
    ("src/a.c", "/* why (T-001 to\n * T-003) */\n", "names T-003"),
    ("src/a.c", '/* why (T-001) */\nchar *a = "T-002 /* cycles";\n', None),
    ("src/a.c", "/* why (T-001): 3 % fewer */\n", "figure of speed"),
    ("src/a.c", "/* why (T-001): 3 cycles */\n", "figure of speed"),
    ("src/a.c", "#define A /* PERF: why (T-001) */ 1\n", "figure of speed"),
    ("provider/a.c", "/* takes 3 cycles */\n", "figure of speed"),
    ("src/CMakeLists.txt", "# takes 3 cycles\n", "figure of speed"),
    ("tuning/a.md", "# A\n\n" + ENTRY.replace("kept", "maybe"), "the verdict is"),
    ("tuning/a.md", "# A\n\n" + ENTRY.replace("- CPU: Zen 3\n", ""), "its lines are not"),
    ("tuning/a.md", "# A\n\n" + ENTRY.replace("T-001", "T-301").replace("Zen 3", "not recorded"), "the CPU is not"),
    ("tuning/b.md", "# B\n\n" + ENTRY, "is used in"),
    ("tuning/b.md", "# B\n\n" + ENTRY.replace("T-001", "T-004").replace("kept", "rejected"), None),
    ("tuning/b.md", "# B\n\n" + ENTRY.replace("T-001", "T-004").replace("it.", "as T-009."), "speaks of T-009"),
    ("test/reading/offenders/links.txt", "src/a.c\n", "take it out"),
]
WORD_LIST = "/*\n * Words:\n" + "".join(f" *   {w}{w}  what it is\n" for w in "abcdefghijkl") + " */\n"
GLOSSARY = "| word | what it is | not called |\n|---|---|---|\n" + "".join(
    f"| {w}{w} | a thing | not-{w} |\n" for w in "abcdefghijkl"
)
WORDS = [
    ("src/b.c", "/* aa */\n", None),
    ("src/b.c", "/* a not-a\n * thing */\n", "says 'not-a'"),
    ("src/b.c", 'char *a = "not-a";\n', None),
    ("src/b.c", WORD_LIST, "'aa' is defined in"),
    ("doc/glossary.md", GLOSSARY + "| aa | again | no-a |\n", "'aa' stands there twice"),
    ("doc/glossary.md", GLOSSARY + "| zz | unused | no-z |\n", "nothing in src/ or include/ says 'zz'"),
]


def write(root, name, text):
    path = os.path.join(root, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def run(tool, root, *more):
    command = [sys.executable, "-B", os.path.join(HERE, tool), root, *more]
    return subprocess.run(command, capture_output=True, text=True)


def check(root, what, done, complaint):
    if complaint is None and done.returncode != 0:
        sys.exit(f"FAIL: this is clean:\n{what}\n{done.stderr}")
    if complaint is not None and (done.returncode == 0 or complaint not in done.stderr):
        sys.exit(f"FAIL: '{complaint}' is not found:\n{what}\n{done.stdout}{done.stderr}")
    shutil.rmtree(root)


def main():
    for text, rule in SHAPES:
        root = tempfile.mkdtemp(prefix="rijn-reading-")
        write(root, "src/a.c", text)
        write(root, "include/rijn.h", "int rijn_f(int *k, int a, int b, int c, int d, int e, int g, int h);\n")
        write(root, "test/reading/offenders/src.txt", "# none\n")
        check(root, text, run("limits.py", root, "src"), rule and f": {rule},")
    # A list that says too much, and one that says too little of what has grown.
    for listed, complaint in (("direction src/a.c enc 1", "no direction any more"), ("function-lines src/a.c f 61", "has grown")):
        root = tempfile.mkdtemp(prefix="rijn-reading-")
        write(root, "src/a.c", LONG.replace("{\n", "{\n  a--;\n  a--;\n", 1))
        write(root, "test/reading/offenders/src.txt", listed + "\n")
        check(root, listed, run("limits.py", root, "src"), complaint)
    for name, text, complaint in LINKS:
        root = tempfile.mkdtemp(prefix="rijn-reading-")
        write(root, "src/a.c", "/* why (T-001) */\n")
        write(root, "tuning/a.md", "# A\n\n" + ENTRY)
        write(root, "test/reading/offenders/links.txt", "# none\n")
        write(root, name, text)
        check(root, text, run("links.py", root), complaint)
    for name, text, complaint in WORDS:
        root = tempfile.mkdtemp(prefix="rijn-reading-")
        write(root, "src/a.c", WORD_LIST)
        write(root, "doc/glossary.md", GLOSSARY)
        write(root, name, text)
        check(root, text, run("words.py", root), complaint)
    print(f"{len(SHAPES) + 2} shapes, {len(LINKS)} links, {len(WORDS)} words")


main()
