#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""blob.py ARCH OUT WORK    the files of package core that hold Rijn's machine code, for amd64 or arm64, in the folder OUT

Compiles the kernels of src/isa and the rules of src, links them to one run of bytes that lies anywhere and that no
loader has to change, and prints it as a Go assembly file (blob_ARCH.s), with what Go has to know of it beside
(blob_ARCH.go): where each kernel and each call begins, how deep its stack is at most, which features each set needs.
WORK is the folder of the objects. The same sources and compiler give the same bytes.
"""
import glob
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "../../.."))
sys.path.insert(0, os.path.join(ROOT, "tools"))
import rijn_sets  # noqa: E402

SPDX = "// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause\n"
LINE = 64  # what constants of the kernels are aligned to, and loads of them want
RULES = ["gcm", "gcm_stream", "gcm_batch", "gcm_rows", "gcm_siv", "xaes", "ghash", "xts", "ctr", "cbc", "ecb"]
CALLS = """gcm_init_impl gcm_encrypt_start gcm_decrypt_start gcm_aad gcm_update gcm_encrypt_finish gcm_decrypt_finish
gcm_encrypt_batch gcm_decrypt_batch gcm_encrypt_rows gcm_decrypt_rows gcm_siv_init_impl gcm_siv_encrypt gcm_siv_decrypt
xaes_init_impl xaes_encrypt xaes_decrypt ghash_init_impl ghash_update xts_init_impl xts_encrypt xts_decrypt
xts_encrypt_sectors xts_decrypt_sectors aes_init_impl ecb_encrypt ecb_decrypt cbc_encrypt cbc_decrypt ctr_crypt""".split()
KERNELS = ["gcm_encrypt", "gcm_decrypt", "xts_enc_part", "xts_dec_part"]  # Go calls them themselves
SIZES = {"gcm": "GCM", "gcm_siv": "GCM_SIV", "xaes": "XAES", "ghash": "GHASH", "xts": "XTS", "aes": "AES"}
COMMON = """-std=gnu11 -O2 -ffreestanding -fpic -fvisibility=hidden -fno-stack-protector -fno-asynchronous-unwind-tables
-fno-jump-tables -ffunction-sections -fdata-sections -fcallgraph-info=su -Wall -Wextra -Wconversion -Wshadow
-Werror""".split()


class Arch:
    """go: Go's name of it · cross: prefix of the tools · flags: WHY no red zone: Windows knows none. WHY two registers are
    left alone: x18 is the system's on Windows and macOS, and in x28 a signal's handler looks for its goroutine · and why the tiny model: the others
    add up a page and a place in it, and the blob may lie anywhere · modes: of
    which set a set takes the kernels that do not use GCM's key. Round keys are the same, and the blob has less · without: sets
    that are left out: src/policy.c chooses the first for nobody; a processor that runs none but the second has no AVX,
    and takes Go's own code."""

    def __init__(self, go, name, cross, flags, modes, without, word):
        self.go, self.name, self.cross, self.flags, self.modes, self.word = go, name, cross, flags.split(), modes, word
        self.sets = [s for s in rijn_sets.Sets().of(name) if s.file not in without]


ARCHS = {
    "amd64": lambda: Arch("amd64", "x86_64", "", "-mno-red-zone -fcf-protection=none",
                          {"x86_vaes_avx512_zen4": "x86_vaes_avx512", "x86_vaes_avx512_256": "x86_vaes_avx2"},
                          ["x86_vaes_avx512_zen", "x86_aesni"], "QUAD"),
    "arm64": lambda: Arch("arm64", "aarch64", "aarch64-linux-gnu-",
                          "-mcmodel=tiny -mbranch-protection=none -ffixed-x18 -ffixed-x28 -mno-outline-atomics", {}, [], "DWORD"),
}  # fmt: skip


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit(f"blob.py: {' '.join(command)}\n{done.stdout}")
    return done.stdout


def kernels():
    with open(os.path.join(ROOT, "src/kernels.def"), encoding="utf-8") as f:
        return re.findall(r"^KERNEL\((\w+), ", f.read(), re.M)


def named():
    """What the rules name of a set. Of ctr.c, Go has no call that comes to the last."""
    texts = []
    for name in RULES:
        with open(os.path.join(ROOT, f"src/{name}.c"), encoding="utf-8") as f:
            texts.append(f.read())
    return set(re.findall(r"->(\w+)", "".join(texts))) - {"ctr32_blocks"}


WANTED = named() | set(KERNELS)  # kernels that neither the rules nor Go calls are left out


# ---------------------------------------------------------------- objects


def compile_all(arch, work):
    """The object of each file, by its name."""
    lists = rijn_sets.Sets()
    gcc = arch.cross + "gcc"
    version = run(gcc, "-dumpversion").split(".")[0].strip()
    common = [*COMMON, *arch.flags, f"-I{ROOT}/include", f"-I{ROOT}/src", "-DRIJN_STATIC_ONLY", f"-DRIJN_GO_SETS={len(arch.sets)}",
              "-include", os.path.join(HERE, "table.h"), f"-ffile-prefix-map={ROOT}/="]  # fmt: skip
    for row in lists.defines:
        if (row.where, row.compiler, row.version) == (arch.name, "gcc", version):
            common.append(f"-D{row.name}")
    jobs = [(s.file, f"{ROOT}/src/isa/{s.file}.c", lists.flags(s) + lists.compiler_flags(s, arch.name, "gcc")) for s in arch.sets]
    rules = lists.arch(arch.name).rules.split()
    jobs += [(f, f"{ROOT}/src/{f}.c", rules) for f in RULES] + [("get", f"{HERE}/get.c", rules), ("mem", f"{HERE}/mem.c", rules), ("stub", f"{HERE}/stub.S", [])]
    os.makedirs(work, exist_ok=True)
    objects = {}
    for name, source, flags in jobs:
        objects[name] = os.path.join(work, name + ".o")
        run(gcc, *([] if source.endswith(".S") else common), *flags, "-c", source, "-o", objects[name])
    return objects


def table_of(arch, path, file):
    """The section of each kernel of a set, by the kernel's name, as its struct rijn_impl has it."""
    text = run(arch.cross + "readelf", "-rW", path)
    part = re.search(rf"section '\.rela\.data\.rel\.ro\.local\.rijn_impl_{file}'(.*?)(\n\n|\Z)", text, re.S)[1]
    slots = {int(at, 16): section for at, section in re.findall(r"^([0-9a-f]+) .* (\.text\.\S+) \+ 0$", part, re.M)}
    return {name: slots[16 + 8 * i] for i, name in enumerate(kernels()) if 16 + 8 * i in slots and name in WANTED}


def tables(arch, objects):
    """(set, kernel): (object, section); a set may have the kernels of another."""
    own = {s.file: table_of(arch, objects[s.file], s.file) for s in arch.sets}
    found = {}
    for s in arch.sets:
        for kernel in filter(WANTED.__contains__, kernels()):
            source = s.file if kernel.startswith(("gcm_", "ghash_")) else arch.modes.get(s.file, s.file)
            if kernel in own[source]:
                found[s.file, kernel] = (os.path.basename(objects[source]), own[source][kernel])
    return found


def link(arch, objects, table, work):
    """The bytes, and where each section lies: (object, section): offset."""
    keep = {f"KEEP(*{o}({section}))" for o, section in table.values()} | {f"KEEP(*(.text.rijn_{call}))" for call in CALLS}
    with open(os.path.join(HERE, "blob.ld"), encoding="utf-8") as f:
        script = f.read().replace("@KEEP@", "\n    ".join(sorted(keep)))
    elf, ld = os.path.join(work, "blob.elf"), os.path.join(work, "blob.ld")
    with open(ld, "w", encoding="utf-8") as f:
        f.write(script)
    order = [objects[s.file] for s in arch.sets] + [objects[f] for f in [*RULES, "get", "mem", "stub"]]
    run(arch.cross + "ld", "-static", "--gc-sections", "--emit-relocs", "--no-relax", "-z", "noexecstack", "-T", ld,
        "-Map", elf + ".map", "-o", elf, *order)  # fmt: skip
    refuse_relocations(arch, elf)
    run(arch.cross + "objcopy", "-O", "binary", "-j", ".blob", elf, elf + ".bin")
    with open(elf + ".map", encoding="utf-8") as f:
        text = f.read().split("Linker script and memory map")[1]
    places = {}
    for section, at, size, path in re.findall(r"^ (\.\S+)\s+0x([0-9a-f]+)\s+0x([0-9a-f]+) (\S+\.o)$", text, re.M):
        if int(size, 16):
            places.setdefault((os.path.basename(path), section), int(at, 16))
    with open(elf + ".bin", "rb") as f:
        return f.read(), places


def refuse_relocations(arch, elf):
    """Those that the linker has applied name only a distance: no address is among them, no page, and nothing outside."""
    far = re.compile(r"R_X86_64_(PC32|PLT32)|R_AARCH64_(CALL26|JUMP26|ADR_PREL_LO21|LD_PREL_LO19|PREL32|CONDBR19|"
                     r"TSTBR14)")  # fmt: skip
    for row in re.findall(r"^[0-9a-f]{16} .*$", run(arch.cross + "readelf", "-rW", elf), re.M):
        kind, target = row.split()[2], row.split()[4] if len(row.split()) > 4 else "?"
        if not far.fullmatch(kind):
            sys.exit(f"blob.py: a relocation of the kind {kind}, to {target}: the blob would need a loader")
    sections = re.findall(r"^  \[ *\d+\] (\S+) +(?:PROGBITS|NOBITS) +\S+ +\S+ +([0-9a-f]+)", run(arch.cross + "readelf", "-SW", elf), re.M)
    more = [name for name, size in sections if int(size, 16) and name != ".blob"]
    if more:
        sys.exit(f"blob.py: sections beside the blob: {' '.join(more)}")
    undefined = run(arch.cross + "nm", "-u", elf).split()
    if undefined:
        sys.exit(f"blob.py: calls of what the blob has not: {' '.join(undefined)}")


# ---------------------------------------------------------------- how deep the stack is


class Stack:
    """Depth in bytes of each function and all that it calls, by the compiler's own account (-fcallgraph-info). Without
    some functions: those that a call does not come to."""

    def __init__(self, arch, work, table):
        self.own, self.calls, self.table = {}, {}, table
        for file in [s.file for s in arch.sets] + RULES + ["get", "mem"]:
            with open(os.path.join(work, file + ".ci"), encoding="utf-8") as f:
                text = f.read()
            for title, size, kind in re.findall(r'^node: \{ title: "(\S+)" label: "\S+?\\n\S+?\\n(\d+) bytes \(([\w,]+)\)"', text, re.M):
                if kind not in ("static", "dynamic,bounded"):
                    sys.exit(f"blob.py: {title} has a stack of unknown depth")
                # WHY more: an aligned frame moves by what it is aligned to, and a call pushes its return address.
                self.own[self.name(file, title)] = int(size) + (LINE if kind != "static" else 0) + 16
            for source, target, place in re.findall(r'^edge: \{ sourcename: "(\S+)" targetname: "(\S+)"(?: label: "(\S+)")?', text, re.M):
                targets = self.kernels_at(place) if target == "__indirect_call" else {self.name(file, target)}
                self.calls.setdefault(self.name(file, source), set()).update(targets)

    def name(self, file, title):
        return title if ":" not in title else f"{file}:{title.rsplit(':', 1)[1]}"

    def kernels_at(self, place):
        """The kernels, of all sets, that the line of a call through the table names; or one line further up."""
        path, line, _ = place.rsplit(":", 2)
        with open(path if os.path.isabs(path) else os.path.join(ROOT, path), encoding="utf-8") as f:
            lines = f.read().split("\n")
        for text in (lines[int(line) - 1], lines[int(line) - 2]):
            named = set(re.findall(r"->(\w+)\b", text)) & set(kernels())
            if named:
                return {f"{o[:-2]}:{section[6:]}" for (_, kernel), (o, section) in self.table.items() if kernel in named}
        sys.exit(f"blob.py: {place}: which kernel is called there?")

    def depth(self, function, without=(), above=()):
        # A kernel hands a doubtful call to the rules, and these hand it to another kernel once.
        if function in above or function in without or function == "rijn_table":
            return 0
        if function not in self.own:
            sys.exit(f"blob.py: nobody knows how deep the stack of {function} is")
        each = (self.depth(target, without, (*above, function)) for target in self.calls.get(function, ()))
        return self.own[function] + max(each, default=0)


# ---------------------------------------------------------------- what Go reads


def go_name(name):
    return "".join(part.capitalize() for part in name.split("_"))


def assembly(arch, code, stub):
    """The blob, 32 bytes a line, and Go's own instructions where the table is asked for."""
    assert len(code) % LINE == 0 and stub % 16 == 0
    words = [int.from_bytes(code[i : i + 8], "little") for i in range(0, len(code), 8)]
    room = 1 if arch.go == "amd64" else 2
    address = "LEAQ ·table(SB), AX" if arch.go == "amd64" else "MOVD $·table(SB), R0"
    pad = "" if arch.go == "amd64" else "\n\tWORD $0"
    out = ["// Code generated by bindings/go/blob/blob.py. DO NOT EDIT.\n", SPDX, f"\n//go:build !purego && {unsupported()}\n",
           '\n#include "textflag.h"\n\n// TOPFRAME: a profiler ends its walk here, because the C code\'s frames are not Go\'s.\n',
           "TEXT ·kernels(SB), NOSPLIT|NOFRAME|TOPFRAME, $0-0\n", f"\tPCALIGN ${LINE}\n"]  # fmt: skip
    at = 0
    while at < len(words):
        if at == stub // 8:
            out.append(f"\t{address}\n\tRET{pad}\n")
            at += room
            continue
        end = min(at + 4, len(words), stub // 8 if at < stub // 8 else len(words))
        out.append("\t" + "; ".join(f"{arch.word} $0x{w:x}" for w in words[at:end]) + "\n")
        at = end
    return "".join(out)


def unsupported():
    """WHY not there: the first does not let programs read their code, and constants lie in it; the second's signals take
    registers as they like."""
    return "!openbsd && !plan9"


def features(arch, lists):
    rows = [f for f in lists.features if f.family == lists.arch(arch.name).family]
    number = {f.bit: i for i, f in enumerate(rows)}
    mask = lambda text: " | ".join(f"1<<{number[b]}" for b in re.findall(r"HAS\((\w+)\)", text)) or "0"  # noqa: E731
    word = {"LEAF1_C": 0, "LEAF7_B": 1, "LEAF7_C": 2, "AT_HWCAP": 0}
    state = {"STATE_AVX": "0x06", "STATE_AVX512": "0xe6"}
    yield "var features = [...]feature{\n"
    for f in rows:
        yield f'\t{{"{f.name}", {word[f.word]}, {f.n}, {state.get(f.state, "0")}, {mask(f.bases)}}},\n'
    yield "}\n\n"
    yield "// Best first.\nvar sets = [numSets]set{\n"
    for s in arch.sets:
        needs = " ".join(level.needs for level in lists.level(s.level))
        yield f'\t{{"{s.name}", {mask(needs)}}},\n'
    yield "}\n\n"


def go_file(arch, table, places, stack, size):
    lists = rijn_sets.Sets()
    with open(os.path.join(ROOT, "include/rijn.h"), encoding="utf-8") as f:
        header = f.read()
    names = kernels()
    yield "// Code generated by bindings/go/blob/blob.py. DO NOT EDIT.\n" + SPDX
    yield f"\n//go:build !purego && {unsupported()}\n\npackage core\n\n"
    yield f"const (\n\tnumSets = {len(arch.sets)}\n\tnumKernels = {len(names)}\n\tblobSize = {size}\n\n"
    yield "\t// Where the kernels of a message stand in a row of table.\n"
    for name in KERNELS:
        yield f"\tkernel{go_name(name)} = {names.index(name)}\n"
    yield ")\n\n// Bytes of the key objects.\nconst (\n"
    for name, macro in SIZES.items():
        size = re.search(rf"#define RIJN_{macro}_KEY_SIZE (\d+|\(.*\))", header)[1]
        yield f"\tsize{go_name(name)} = {size}\n"
    yield ")\n\n// The calls of rijn.h: where they begin.\nconst (\n"
    for call in CALLS:
        yield f"\tcall{go_name(call)} = {next(at for (o, s), at in places.items() if s == '.text.rijn_' + call)}\n"
    yield ")\n\n" + "".join(features(arch, lists))
    yield "// Where the kernels of each set begin. 0: it has none.\nvar offsets = [numSets][numKernels]uint32{\n"
    for s in arch.sets:
        yield "\t{" + ", ".join(str(places[table[s.file, k]] if (s.file, k) in table else 0) for k in names) + "},\n"
    yield "}\n\n" + "".join(depths(arch, table, stack))


def depths(arch, table, stack):
    """How deep the stack of a call is, of all sets the deepest. Short: of less text than has a table of counters."""
    kernel = lambda name: {f"{o[:-2]}:{s[6:]}" for (_, k), (o, s) in table.items() if k == name}  # noqa: E731
    tabled = [f"{s.file}:gcm_tabled_message" for s in arch.sets]
    others = ["gcm_siv:by_others", "gcm_siv:burn"] if all((s.file, "siv_encrypt") in table for s in arch.sets) else []
    deepest = {}
    for call in CALLS:
        without = others if call.startswith("gcm_siv") else tabled
        deepest[call] = stack.depth("rijn_" + call, without)
    for name in KERNELS:
        deepest["kernel_" + name] = max(stack.depth(k, tabled) for k in kernel(name))
    deepest["long_gcm"] = max(stack.depth(k) for k in kernel("gcm_encrypt") | kernel("gcm_decrypt"))
    yield "// How many bytes of stack a call takes at most. But for LongGcm: with texts below tableFrom.\nconst (\n"
    yield f"\ttableFrom = {min(int(t) for t in (rijn_sets.tuning(s.file)['TABLE_FROM'] for s in arch.sets) if int(t)) if tabled_sets(arch) else '1 << 62'}\n"
    for name, depth in deepest.items():
        yield f"\tdepth{go_name(name)} = {depth}\n"
    yield ")\n"


def tabled_sets(arch):
    return [s for s in arch.sets if int(rijn_sets.tuning(s.file)["TABLE_FROM"])]


ROOMY = {"numKernels": len(kernels()), "tableFrom": 1 << 14}  # sizes of arrays and of sections


def none_file(text):
    """The same names for builds without machine code: no sets, nothing begins anywhere."""
    text = re.sub(r"//go:build .*", f"//go:build (!amd64 && !arm64) || purego || !({unsupported()})", text)
    text = re.sub(r"(\tnumKernels|\ttableFrom|\t(?:call|depth|kernel|size|blobSize|numSets)\w*) += \d+", lambda m: f"{m[1]} = {ROOMY.get(m[1].strip(), 0)}", text)
    text = re.sub(r"\n// Best first.*?\n}\n", "\nvar sets = [numSets]set{}\n", text, flags=re.S)
    text = re.sub(r"var features = .*?\n}\n", "var features = [...]feature{}\n", text, flags=re.S)
    return re.sub(r"var offsets = .*?\n}\n", "var offsets = [numSets][numKernels]uint32{}\n", text, flags=re.S)


def main():
    if len(sys.argv) != 4 or sys.argv[1] not in ARCHS:
        sys.exit(__doc__)
    arch, out, work = ARCHS[sys.argv[1]](), sys.argv[2], sys.argv[3]
    objects = compile_all(arch, work)
    table = tables(arch, objects)
    code, places = link(arch, objects, table, work)
    stack = Stack(arch, work, table)
    with open(os.path.join(out, f"blob_{arch.go}.s"), "w", encoding="utf-8") as f:
        f.write(assembly(arch, code, places["stub.o", ".text.rijn_table"]))
    text = "".join(go_file(arch, table, places, stack, len(code)))
    for name, content in ((f"blob_{arch.go}.go", text), ("blob_none.go", none_file(text))):
        path = os.path.join(out, name)
        with open(path, "w", encoding="utf-8") as f:
            f.write(content)
        run("gofmt", "-w", path)
    print(f"{arch.go}: {len(arch.sets)} sets, {len(code)} bytes")


if __name__ == "__main__":
    main()
