# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""Reads a public header: its sections, its groups of calls, and the comments that describe them. The manual pages
(tools/man3) and the site's reference (site/reference.py) are made of what is found here.

What it relies on: the opening comment tells what all calls share. A comment that begins with dashes opens a section. A
blank line ends a group. A comment stands before what it is about, or behind it on its line."""
import os
import re
import textwrap

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))


def _of_file(name, pattern):
    with open(os.path.join(ROOT, name), encoding="utf-8") as f:
        return re.search(pattern, f.read(), re.M).group(1)


VERSION = _of_file("include/rijn.h", r'RIJN_VERSION_STRING "([^"]+)"')
DATE = _of_file("doc/rijn.1", r"^\.TH RIJN 1 (\S+)")
COLUMNS = 110  # a line that is longer is full: the next one goes on with it
# (file, library, the macro before its functions, name of the page about all of it)
HEADERS = (
    ("include/rijn.h", "librijn", "RIJN_API", "rijn"),
    ("file/include/rijn-file.h", "librijn-file", "RIJN_FILE_API", "rijn-file"),
    ("volume/rijn-volume.h", "librijn-volume", "RIJN_VOLUME_API", "rijn-volume"),
)

# What a page is about, by its first call: the line that apropos shows.
SUMMARIES = {
    "rijn": "AES at the speed of the machine",
    "rijn_version": "version of the library",
    "rijn_strerror": "what an error code means",
    "rijn_impl_count": "implementations of AES, and which one is chosen",
    "rijn_selftest": "compute known answers",
    "rijn_selftest_mode": "compute the known answers of one mode",
    "rijn_gcm_init": "make and wipe keys of AES-GCM",
    "rijn_gcm_encrypt": "AES-GCM in one call",
    "rijn_gcm_seal": "AES-GCM with the tag behind the text",
    "rijn_gcm_nonce": "the nonce of a numbered record",
    "rijn_gmac": "GMAC: a tag over data alone",
    "rijn_gcm_encrypt_iov": "AES-GCM over lists of buffers",
    "rijn_gcm_encrypt_start": "AES-GCM as a stream",
    "rijn_gcm_encrypt_batch": "AES-GCM for many messages in one call",
    "rijn_gcm_encrypt_rows": "AES-GCM for many messages of equal length",
    "rijn_rfc4106_init": "AES-GCM and GMAC in ESP",
    "rijn_ghash_init": "raw GHASH",
    "rijn_gcm_siv_init": "AES-GCM-SIV, for nonces that may come twice",
    "rijn_xaes_init": "XAES-256-GCM, for random nonces",
    "rijn_ccm_init": "AES-CCM",
    "rijn_xts_init": "AES-XTS, for sectors of disks",
    "rijn_aes_init": "make and wipe keys of ECB, CBC, CFB and CTR",
    "rijn_ecb_encrypt": "raw blocks of AES",
    "rijn_cbc_encrypt": "AES-CBC, with or without padding",
    "rijn_cbc_encrypt_many": "AES-CBC, many texts in one call",
    "rijn_cfb_encrypt": "AES-CFB",
    "rijn_ctr_crypt": "AES-CTR",
    "rijn_gcm_key_size": "sizes of objects, for bindings",
    "rijn-file": "encrypted files, read and written in parallel",
    "rijn_file_strerror": "what an error code means, and the version",
    "rijn_file_sealed_len": "lengths of texts and of encrypted files",
    "rijn_file_encrypt_fd": "encrypt and decrypt whole files",
    "rijn_file_writer_new": "write an encrypted file piece by piece",
    "rijn_file_open": "read any range of an encrypted file",
    "rijn_file_key_write": "keys as text",
    "rijn_file_header_make": "make a header of keys",
    "rijn_file_header_len": "length of a header of keys",
    "rijn_file_header_read": "what a header of keys says without a key",
    "rijn_file_header_open": "the key of a file from its header",
    "rijn-volume": "LUKS and GELI volumes without root",
    "rijn_volume_error_name": "a word for an error code",
    "rijn_volume_disk_open": "disks: files and block devices",
    "rijn_volume_partitions": "partitions of a disk",
    "rijn_volume_load": "load a volume, and what its header says",
    "rijn_volume_key_file": "key files, and what opens a volume",
    "rijn_volume_unlock": "unlock a volume",
    "rijn_volume_pread": "read and write an unlocked volume",
    "rijn_volume_create_on": "make a volume",
    "rijn_volume_add_key": "key slots of LUKS2",
}


class Item:
    """A declaration: kind is func, type, enum or define. note is what a comment behind it says."""

    def __init__(self, kind, name, code):
        self.kind, self.name, self.code, self.note = kind, name, code, ""


class Part:
    """Declarations, and the comment before them."""

    def __init__(self, lines):
        self.lines, self.items = lines, []

    def functions(self):
        return [i for i in self.items if i.kind == "func"]


class Group:
    """A manual page: what stands between two blank lines, with the types that stand before it."""

    def __init__(self, parts):
        self.parts = parts

    def items(self):
        return [i for p in self.parts for i in p.items]

    def functions(self):
        return [i for i in self.items() if i.kind == "func"]


class Section:
    def __init__(self, title, lines):
        self.title, self.lines, self.groups = title, lines, []


def comment_lines(text):
    """The lines of a comment without its stars."""
    text = re.sub(r"^/\*+ ?|\s*\*/$", "", text)
    lines = [re.sub(r"^ \* ?", "", line).rstrip() for line in text.split("\n")]
    while lines and not lines[0]:
        lines.pop(0)
    return lines


def tokens(text):
    """(kind, text, begins its line) of blank lines, comments, lines of the preprocessor, and declarations."""
    at = 0
    while at < len(text):
        if match := re.compile(r"\s*\n[ \t]*\n\s*").match(text, at):
            yield "blank", "", True
        elif match := re.compile(r"\s+").match(text, at):
            pass
        elif match := re.compile(r"/\*.*?\*/", re.S).match(text, at):
            yield "comment", match.group(), text[:at].rstrip(" ").endswith("\n") or at == 0
        elif match := re.compile(r"#(?:.*\\\n)*.*").match(text, at):
            line = match.group()
            cut = line.find("/*")
            if cut > 0:  # the comment behind it is the next token
                match = re.compile(re.escape(line[:cut])).match(text, at)
            yield "define", match.group().rstrip(), True
        else:
            match = re.compile(r"(?:/\*.*?\*/|\{(?:/\*.*?\*/|[^{}])*\}|[^;{])*;", re.S).match(text, at)
            yield "code", match.group(), True
        at = match.end()


def declaration(kind, code, macro):
    if kind == "define":
        return Item("define", code.split()[1].split("(")[0], code)
    if macro in code:
        code = " ".join(code.replace(macro, "").split())
        return Item("func", re.search(r"\b(\w+)\s*\(", code).group(1), code)
    if code.startswith("enum"):
        return Item("enum", "", code)
    bare = re.sub(r"/\*.*?\*/|\{.*\}", "", code, flags=re.S)
    return Item("type", re.search(r"(\w+)\s*(?:\(.*\))?;$", bare).group(1), code)


class Header:
    def __init__(self, path, macro):
        with open(os.path.join(ROOT, path), encoding="utf-8") as f:
            text = re.sub(r" {2,}\\\n", r" \\\n", f.read())  # clang-format lines up what goes on in the next line
        self.name, self.macro = os.path.basename(path), macro
        opening = re.search(r"/\*\n \* .*?\*/", text, re.S)
        self.lines = comment_lines(opening.group())
        begin = text.index('extern "C" {\n#endif', opening.end()) + len('extern "C" {\n#endif')
        self.errors, self.sections = None, [Section("", [])]
        self._read(text[begin : text.rindex("#ifdef __cplusplus")])
        self._join()

    def _read(self, body):
        parts, last = [], None
        for kind, text, begins in [*tokens(body), ("blank", "", True)]:
            if kind == "comment" and not begins and last:
                last.note = " ".join(comment_lines(text))
            elif kind == "comment" and (banner := re.match(r"/\* -{10,} (.*)", text)):
                lines = comment_lines(text)[1:]
                while lines and not lines[0]:
                    lines.pop(0)
                self.sections.append(Section(banner.group(1).removesuffix("*/").strip(), lines))
            elif kind == "comment":
                parts.append(Part(comment_lines(text)))
            elif kind != "blank":
                last = declaration(kind, text, self.macro)
                if last.kind == "enum" and self.errors is None:
                    self.errors = last  # the first one; rijn(3) and its like show it
                else:
                    if not parts:
                        parts.append(Part([]))
                    parts[-1].items.append(last)
            elif parts:
                self.sections[-1].groups.append(Group(parts))
                parts = []

    def _join(self):
        """Groups without a function go to the next one that has any, else to the one before."""
        for section in self.sections:
            groups, waiting = [], []
            for group in section.groups:
                if group.functions():
                    groups.append(Group(waiting + group.parts))
                    waiting = []
                else:
                    waiting += group.parts
            if groups:
                groups[-1].parts += waiting
            section.groups = groups
        self.sections = [s for s in self.sections if s.groups]

    def groups(self):
        return [g for s in self.sections for g in s.groups]


def headers():
    return [(Header(path, macro), library, page) for path, library, macro, page in HEADERS]


def blocks(lines, indent=3):
    """What a comment says, as ("text", words) and ("term", term, words). A line that has room for the first word of the
    next one ends a paragraph. `indent`: columns that the comment's lines begin with in the header."""
    found, before = [], ""
    for number, line in enumerate(lines):
        term = re.match(r"( *)(\S.*?)(?: {2,}|(?<=\)) {2,})(\S.*)$", line)
        starts = line[:1] != " "
        if not line or set(line) == {"-"}:  # the line under a heading
            if line and found:
                found[-1] = ["head", found[-1][1]]
            before = ""
            continue
        end = 3 if number == len(lines) - 1 and len(line.split()) == 1 else 0  # the end of the comment stood there too
        fitted = before and indent + len(before) + 1 + len(line.split()[0]) + end > COLUMNS
        if term and (starts or len(term.group(1)) <= 2 or not before) and len(term.group(2)) < 40:
            found.append(["term", term.group(2), term.group(3)])
        elif before and found and (not starts or fitted):
            found[-1][-1] += " " + line.strip()
        else:
            found.append(["text", line.strip()])
        before = line
    return [tuple(b) for b in found]


def prototype(item, width=73):
    """A function's declaration, in lines of at most width columns."""
    head, rest = item.code.split("(", 1)
    return wrapped(f"{head}({rest}", width)


def wrapped(code, width, space=""):
    """One line of code in lines of at most width columns, cut behind commas."""
    held = re.sub(r"(?<!,) ", "\0", code.strip())
    lines = textwrap.wrap(held, width, initial_indent=space, subsequent_indent=space + "    ", break_long_words=False,
                          break_on_hyphens=False)
    return [line.replace("\0", " ") for line in lines]


def declared(item, width=73):
    """A type's or a macro's declaration as it stands; a comment that makes a line too long goes above that line."""
    lines = []
    code = item.code
    if item.kind == "define" and item.note:
        code = f"{code} /* {item.note} */"
    for line in code.replace("RIJN_ALIGN16 ", "").split("\n"):
        hit = re.fullmatch(r"( *)(.*?)( *)/\* ?(.*?) ?\*/", line)
        if hit and len(line) > width and hit.group(2):
            space = hit.group(1)
            words = textwrap.wrap(hit.group(4), width - len(space) - 6)
            lines += [f"{space}/* {words[0]}", *(f"{space} * {w}" for w in words[1:])]
            lines[-1] += " */"
            lines += wrapped(hit.group(2), width, space)
        elif len(line) > width:
            lines += wrapped(line, width)
        else:
            lines.append(line)
    return lines
