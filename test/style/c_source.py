# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""C source as the tests of this area read it: tokens with their lines, comments, and preprocessor directives as a whole."""
import re
from collections import namedtuple

Token = namedtuple("Token", "kind text line")  # kind: name, number, string, mark
# text: one line, without comments; lines: how many it takes; like_function: defines a macro that takes arguments
Directive = namedtuple("Directive", "text line lines like_function")

LEXER = re.compile(
    r"(?P<comment>/\*.*?\*/|//[^\n]*)"
    r"|(?P<string>\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*')"
    r"|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)"
    r"|(?P<mark>\.\.\.|->|\+\+|--|<<=|>>=|<<|>>|[-+*/%&|^=!<>]=|&&|\|\||##|[^\s\w])"
    r"|(?P<space>\s+)",
    re.S,
)


def lex(text, line=1):
    """Tokens of a text, comments among them."""
    at = 0
    while at < len(text):
        found = LEXER.match(text, at)
        if found is None:
            raise ValueError(f"line {line}: no C token: {text[at:at + 20]!r}")
        if found.lastgroup != "space":
            yield Token(found.lastgroup, found.group(0), line)
        line += found.group(0).count("\n")
        at = found.end()


def directive_end(text, at):
    """Where the directive that begins at `at` ends: the first line end that is neither continued nor in a comment."""
    token = re.compile(r"/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|\\\n|\n|.", re.S)
    while at < len(text):
        found = token.match(text, at)
        if found.group(0) == "\n":
            return at
        at = found.end()
    return at


class Source:
    """A C file: .tokens (outside of directives), .directives, .comments as (line, text)."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as f:
            text = f.read()
        self.tokens, self.directives, self.comments = [], [], []
        at, line = 0, 1
        start = re.compile(r"^[ \t]*#", re.M)
        while at < len(text):
            begin = self.next_directive(start, text, at)
            self.plain(text[at:begin], line)
            line += text.count("\n", at, begin)
            end = directive_end(text, begin)
            if begin < len(text):
                self.directive(text[begin:end], line)
            line += text.count("\n", begin, end)
            at = end

    @staticmethod
    def next_directive(start, text, at):
        """The first # that begins a line outside of comments and strings."""
        token = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|.", re.S)
        while at < len(text):
            if (at == 0 or text[at - 1] == "\n") and start.match(text, at):
                return at
            at = token.match(text, at).end()
        return at

    def plain(self, text, line):
        for token in lex(text, line):
            if token.kind == "comment":
                self.comments.append((token.line, token.text))
            else:
                self.tokens.append(token)

    def directive(self, text, line):
        code = []
        for token in lex(text.replace("\\\n", " \n"), line):
            if token.kind == "comment":
                self.comments.append((token.line, token.text))
            else:
                code.append(token)
        words = " ".join(token.text for token in code)
        like_function = re.match(r"\s*#\s*define\s+\w+\(", text) is not None
        self.directives.append(Directive(words, line, text.count("\n") + 1, like_function))


def comments(path):
    """(line, text) of each comment. In a file of CMake's, of each run of lines that are comments."""
    if not path.endswith("CMakeLists.txt"):
        return Source(path).comments
    found = []
    with open(path, encoding="utf-8") as f:
        for line, text in enumerate(f, 1):
            text = text.lstrip()
            if not text.startswith("#"):
                continue
            if found and found[-1][0] + found[-1][1].count("\n") == line:
                found[-1] = found[-1][0], found[-1][1] + text[1:]
            else:
                found.append((line, text[1:]))
    return found
