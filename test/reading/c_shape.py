# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""The shape of C source, read from its tokens: functions, macros, statements, conditionals. No compiler: what a preprocessor
would leave out is read too, and macros count as they are written."""
import re
from collections import namedtuple

from c_source import Token, lex

Function = namedtuple("Function", "name line lines parameters body")  # parameters: of tokens; body: tokens
Macro = namedtuple("Macro", "name line lines parameters body")  # parameters: None where it is like an object

TYPES = set(
    "const static struct union enum unsigned signed int char long short void bool float double register extern volatile "
    "_Alignas typedef _Static_assert _Bool inline _Atomic _Thread_local _Noreturn".split()
)
CONTROL = {"if", "while", "for", "switch"}
KEYWORDS = TYPES | CONTROL | set("else do return break continue goto case default sizeof __asm__ asm __attribute__".split())
OPEN, CLOSE = {"(": ")", "[": "]", "{": "}"}, {")", "]", "}"}


def closing(tokens, at):
    """Where the bracket at `at` is closed."""
    depth = 0
    for i in range(at, len(tokens)):
        if tokens[i].text in OPEN and tokens[i].kind == "mark":
            depth += 1
        elif tokens[i].text in CLOSE and tokens[i].kind == "mark":
            depth -= 1
            if depth == 0:
                return i
    return len(tokens)


def split(tokens, mark):
    """Parts between marks of that kind that stand in no bracket."""
    parts, part, depth = [], [], 0
    for token in tokens:
        if token.kind == "mark":
            depth += (token.text in OPEN) - (token.text in CLOSE)
        if depth == 0 and token.text == mark and token.kind == "mark":
            parts.append(part)
            part = []
        else:
            part.append(token)
    return parts + [part]


def is_type(token):
    return token.kind == "name" and (token.text in TYPES or token.text.endswith("_t") or token.text == "FILE")


def is_declaration(statement):
    """A type and a name, or a type's own words; `a b` is nothing else in C than a declaration."""
    if not statement or statement[0].kind != "name" or statement[0].text in KEYWORDS - TYPES:
        return False
    if statement[0].text in TYPES:
        return True
    following = [t.text for t in statement[1:3]]
    if statement[1:] and statement[1].kind == "name":
        return True
    return is_type(statement[0]) and (following[:1] == ["*"] or following == ["(", "*"])


def functions(tokens):
    """Definitions of functions. Those of a macro's body are found if that is handed in."""
    at, begin = 0, 0
    while at < len(tokens):
        text = tokens[at].text if tokens[at].kind == "mark" else ""
        if text == ";" or text == "}":
            at, begin = at + 1, at + 1
        elif text == "{":
            head = tokens[begin:at]
            if [t.text for t in head] == ["extern", '"C"']:
                at, begin = at + 1, at + 1
                continue
            end = closing(tokens, at)
            found = signature(head)
            if found:
                name, parameters = found
                yield Function(name, head[0].line, (head[0].line, tokens[min(end, len(tokens) - 1)].line), parameters,
                               tokens[at + 1 : end])
                begin = end + 1
            at = end + 1
        elif text in OPEN:
            at = closing(tokens, at) + 1
        else:
            at += 1


def signature(head):
    """(name, tokens of the parameters) if this is what stands before a function's body."""
    if not head or head[-1].text != ")" or len(split(head, "=")) > 1 or head[0].text == "typedef":
        return None
    at, depth = len(head) - 1, 0
    while at >= 0:
        if head[at].kind == "mark":
            depth += (head[at].text in CLOSE) - (head[at].text in OPEN)
        if depth == 0:
            break
        at -= 1
    if at < 1:
        return None
    before = head[:at]
    if before[-1].text == ")":  # a name that a macro makes
        start = len(before) - 1
        while start > 0 and before[start].text != "(":
            start -= 1
        name = "".join(t.text for t in before[start - 1 :])
    elif before[-1].kind == "name" and before[-1].text not in CONTROL:
        name = before[-1].text
    else:
        return None
    if len(before) < 2:
        return None
    return name, head[at + 1 : -1]


def macros(source):
    for directive in source.directives:
        found = re.match(r"# define (\w+)(.*)$", directive.text, re.S)
        if not found:
            continue
        name, rest = found.groups()
        parameters = None
        # Between a name and its parameters there is no blank, but a directive's tokens are joined by one.
        if rest.startswith(" (") and directive.like_function:
            inside, _, rest = rest[2:].partition(")")
            parameters = [p.strip() for p in inside.split(",") if p.strip()]
        yield Macro(name, directive.line, directive.lines, parameters, list(lex(rest, directive.line)))


def blocks_and_statements(tokens):
    """Simple statements of a body, those of blocks inside too, wherever these stand; and the headers of loops."""
    statements, loops = [], []
    walk(tokens, statements, loops)
    return statements, loops


def walk(tokens, statements, loops):
    tokens = fold(tokens, statements, loops)
    statement, at = [], 0
    while at < len(tokens):
        token = tokens[at]
        if not statement and token.kind == "name" and token.text in CONTROL and at + 1 < len(tokens):
            end = closing(tokens, at + 1)
            header = tokens[at + 2 : end]
            if token.text == "for":
                loops.append(header)
            else:
                statements.append(header)
            at = end + 1
        elif not statement and token.text in ("else", "do"):
            at += 1
        elif not statement and token.text in ("case", "default"):
            while at < len(tokens) and tokens[at].text != ":":
                at += 1
            at += 1
        elif token.kind == "block" and not statement:
            at += 1
        elif token.text == ";" and token.kind == "mark":
            statements.append(statement)
            statement, at = [], at + 1
        else:
            if token.text in OPEN and token.kind == "mark":
                end = closing(tokens, at)
                statement += tokens[at : end + 1]
                at = end + 1
            else:
                statement.append(token)
                at += 1
    if statement:
        statements.append(statement)


def fold(tokens, statements, loops):
    """Puts a token in the place of each pair of braces; those that hold statements are walked through."""
    out, at = [], 0
    while at < len(tokens):
        token = tokens[at]
        if token.text == "{" and token.kind == "mark":
            end = closing(tokens, at)
            inside = tokens[at + 1 : end]
            before = out[-1].text if out else ";"
            if len(split(inside, ";")) > 1 or (before in (";", "{}", "else", "do") or before == ")" and not inside):
                walk(inside, statements, loops)
                out.append(Token("block", "{}", token.line))
            else:
                out.append(Token("name", "initialiser", token.line))
            at = end + 1
        else:
            out.append(token)
            at += 1
    return out


def nested_conditional(statement):
    """The line of a ?: that has another in it, or None. Parts that commas separate are apart."""
    for part in (p for q in split(statement, ";") for p in split(q, ",")):
        here, inner, at = [], [], 0
        while at < len(part):
            token = part[at]
            if token.kind == "mark" and token.text in OPEN:
                end = closing(part, at)
                inner.append(part[at + 1 : end])
                at = end + 1
                continue
            if token.text == "?" and token.kind == "mark":
                here.append(token.line)
            at += 1
        if len(here) > 1:
            return here[0]
        for group in inner:
            if here and any(t.text == "?" and t.kind == "mark" for t in group):
                return here[0]
            found = nested_conditional(group)
            if found:
                return found
    return None

