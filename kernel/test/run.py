# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""The kernel module, as it is handed out, against kernels of Debian's.

usage: run.py SOURCE build KERNEL     packs the module's sources and builds them by that kernel's headers: no warning
       run.py SOURCE boot KERNEL      boots that kernel and has it test all algorithms of all sets
       run.py SOURCE dkms             DKMS builds what `make dkms` packs (6.1)
       run.py SOURCE fips             with fips=1 a module without a signature is refused, and Linux goes on (6.1)
       run.py SOURCE users KERNEL     dm-crypt, TLS in the kernel and IPsec work with Rijn's drivers and with Linux's
       run.py SOURCE cpu NAME         as boot, on another processor of qemu's: cortex-a72, power8
       run.py SOURCE objects KERNEL BUILD   the sets' objects, as Linux's build made them for that kernel (6.1, 6.12), linked
                                      into programs: what they take of the stack, and what they leave there and in
                                      registers; their instructions
       run.py SOURCE faults           the tests of `boot` find planted faults (um)

KERNEL: um (user-mode Linux 6.1: all sets of this machine, natively); under qemu 6.1, 6.12, newest (x86-64: of
Debian's backports), arm64, ppc64le (6.1)."""
import glob
import os
import re
import sys
import tempfile

import kit
from kernels import ITERATIONS, MODULES, Kernel, boot, build, build_test_module, pack, program

sys.path.insert(0, os.path.join(kit.HERE, "../../tools"))
import rijn_sets  # noqa: E402

ALGORITHMS = {"gcm-aes": "gcm(aes)", "rfc4106-gcm-aes": "rfc4106(gcm(aes))", "xts-aes": "xts(aes)", "ctr-aes": "ctr(aes)",
              "cbc-aes": "cbc(aes)", "ecb-aes": "ecb(aes)", "aes": "aes"}  # fmt: skip
PRIORITIES = {"ppc64le": 2100}  # of the chosen set; 1000 elsewhere


def expected(kernel):
    if not kernel.um:
        return kernel.emulated.sets
    with open("/proc/cpuinfo", encoding="utf-8") as f:
        flags = re.search(r"^flags\s*: (.*)$", f.read(), re.M)[1].split()
    return rijn_sets.Sets().run_with("x86_64", flags)[:-1]


def faults_of(kernel, said):
    """What is wrong with what a boot said; empty: nothing."""
    wrong, rows = [], [line.split()[1:] for line in said.splitlines() if line.startswith("RIJN ")]
    if ["end"] not in rows:
        wrong.append("the kernel did not come to its end")
    wrong += [" ".join(row) for row in rows if row[0] not in ("registered", "test", "fuzz", "end")]
    phases = [("registered", expected(kernel))] + ([("test", [*expected(kernel), "portable"])] if kernel.fuzzed else [])
    for phase, sets in phases:
        found = {row[1]: row[2:] for row in rows if row[0] == phase}
        wanted = {f"{driver}-rijn-{name}": algorithm for name in sets for driver, algorithm in ALGORITHMS.items()}
        wrong += [f"{phase}: {driver} is missing" for driver in wanted if driver not in found]
        wrong += [f"{phase}: {driver} is too much" for driver in found if driver not in wanted]
        for driver, (algorithm, _, test) in found.items():
            if wanted.get(driver, algorithm) != algorithm or test != "passed":
                wrong.append(f"{phase}: {driver} is {algorithm}, {test}")
        most = PRIORITIES.get(kernel.name, 1000)
        chosen = {driver.split("-rijn-")[1] for driver, row in found.items() if int(row[1]) == most}
        others = {int(row[1]) for row in found.values()} - {most}
        if len(chosen) != 1 or chosen == {"portable"} or others - {1}:
            wrong.append(f"{phase}: priority {most} have {sorted(chosen)}, the others have {sorted(others)}")
        if phase == "test":
            fuzzed = {row[1]: row[2] for row in rows if row[0] == "fuzz"}
            wrong += [f"fuzz: {driver} {fuzzed.get(driver, 'is missing')}" for driver in wanted if fuzzed.get(driver) != "passed"]
    wrong += [line for line in said.splitlines() if re.search(r"BUG:|WARNING:|Oops|Call Trace|Kernel panic", line)]
    return wrong


def boot_test(kernel):
    said = boot(kernel)
    wrong = faults_of(kernel, said)
    passed = [line for line in said.splitlines() if line.startswith("RIJN ") and line.endswith("passed")]
    if wrong:
        print(said[-12000:])
        sys.exit("kernel: " + "\nkernel: ".join(wrong[:40]))
    random = f", the tests with {ITERATIONS[kernel.name]} random cases of each kind among them" if kernel.fuzzed else ""
    print(f"kernel {kernel.name}: {len(passed)} times a driver passed Linux's tests{random}")


def fips_test(source):
    said = boot(Kernel(source, "6.1"), [], line=" fips=1", fips="yes")
    rows = [line for line in said.splitlines() if line.startswith("RIJN ")]
    if rows != ["RIJN fips 1", "RIJN end"] or "rijn: with fips=1" not in said or "Kernel panic" in said:
        print(said[-6000:])
        sys.exit("kernel: with fips=1 the module without a signature was not refused as it is to be")
    print("kernel: with fips=1 the module without a signature is refused, and Linux goes on")


# ---------------------------------------------------------------- users

USER_MODULES = ["loop", "dm-crypt", "tls", "veth", "xfrm_user", "esp4", "sha3_generic", "jitterentropy_rng", "sha512_generic", "hmac", "drbg",
                "echainiv"]  # fmt: skip
USERS = ["ktls-received", "ktls-sent", "gcm-driver", "xts-driver-512", "xts-driver-4096"]
USERS += [f"disk-{way}-{size}" for way in ("linux", "rijn") for size in (512, 4096)]
IPSEC = ["esp-driver", "esp-56", "esp-1400", "esp-20000"]


def users_files(kernel):
    """What the guest needs for `users`."""
    files = {}
    for name in ("ktls", "dm"):
        with tempfile.NamedTemporaryFile() as f:
            kit.run([kernel.emulated.prefix + "gcc", "-O2", "-static", os.path.join(kit.HERE, name + ".c"), "-o", f.name])
            files[name] = open(f.name, "rb").read()
    files.update(program(kernel, "ip"))
    files["ipsec"] = open(os.path.join(kit.HERE, "ipsec"), "rb").read()
    return files


def users(kernel):
    said = boot(kernel, MODULES + USER_MODULES, users_files(kernel), script="users")
    rows = [line.split()[2:] for line in said.splitlines() if line.startswith("RIJN user ")]
    passed = {row[0] for row in rows if row[-1] == "passed"}
    wrong = [f"{name} did not pass" for name in USERS + IPSEC if name not in passed]
    wrong += [" ".join(row) for row in rows if row[-1] != "passed"]
    wrong += [line for line in said.splitlines() if re.search(r"RIJN (?!user|end)|BUG:|WARNING:|Oops|Call Trace|Kernel panic", line)]
    if wrong or "RIJN end" not in said:
        print(said[-12000:])
        sys.exit("kernel: " + "\nkernel: ".join(wrong))
    print("kernel users:", ", ".join(sorted(passed)))


# ---------------------------------------------------------------- other processors

CPUS = {"cortex-a72": ("arm64", ["arm-ce"]), "power8": ("ppc64le", ["ppc-p8"])}  # the kernel, the sets that it runs


def other_cpu(source, name):
    kernel = Kernel(source, CPUS[name][0])
    words = list(kernel.emulated.command)
    words[words.index("-cpu") + 1] = name
    kernel.emulated.command, kernel.emulated.sets = words, CPUS[name][1]
    boot_test(kernel)


# ---------------------------------------------------------------- DKMS


def dkms(source):
    """In folders of its own: nothing is installed here."""
    kernel = Kernel(source, "6.1")
    release = os.path.basename(kernel.modules)
    with tempfile.TemporaryDirectory(prefix="rijn-kernel-") as tmp:
        kit.run([os.path.join(source, "kernel/pack"), tmp])
        for folder in ("src", "tree"):
            os.mkdir(os.path.join(tmp, folder))
        (packed,) = glob.glob(os.path.join(tmp, "*.tar.gz"))
        kit.run(["tar", "-xzf", packed, "-C", os.path.join(tmp, "src")])
        (name,) = os.listdir(os.path.join(tmp, "src"))
        version = name.split("-")[1]
        where = ["--dkmstree", os.path.join(tmp, "tree"), "--sourcetree", os.path.join(tmp, "src")]
        kit.run(["dkms", "add", f"rijn/{version}", *where])
        kit.run(["dkms", "build", f"rijn/{version}", "-k", release, "--kernelsourcedir", kernel.headers, *where])
        built = sorted(glob.glob(os.path.join(tmp, "tree/rijn", version, release, "x86_64/module/*.ko*")), reverse=True)
        if [os.path.basename(name).split(".")[0] for name in built] != ["rijn", "rijn-bench"]:
            sys.exit(f"kernel: DKMS built {built}")
        said = kit.run(["/sbin/modinfo", built[0]])
        print(said[:2000])
        for wanted in (f"version:        {version}", "license:        Dual BSD/GPL", f"vermagic:       {release} ", "alias:          crypto-gcm(aes)"):
            if wanted not in said:
                sys.exit(f"kernel: the module that DKMS built does not say '{wanted}'")


# ---------------------------------------------------------------- objects

# What Linux has where a compiler calls it.
STUBS = """
.text
.globl __fentry__, __x86_return_thunk
__fentry__: ret
__x86_return_thunk: ret
.irp r, rax, rbx, rcx, rdx, rsi, rdi, rbp, r8, r9, r10, r11, r12, r13, r14, r15
.globl __x86_indirect_thunk_\\r
__x86_indirect_thunk_\\r: jmp *%\\r
.endr
.section .note.GNU-stack
"""


def objects(kernel, build):
    source = kernel.source
    sets = rijn_sets.Sets()
    files = [os.path.join(kernel.path("module/src/isa"), row.file + ".o") for row in sets.of("x86_64")]
    levels = [f"{file}={row.name}" for file, row in zip(files, sets.of("x86_64"))]
    rules = [os.path.join(kernel.path("module/src"), name + ".o") for name in ("impl", "policy", "gcm", "gcm_stream", "isa/portable")]
    rules += [os.path.join(kernel.path("module/kernel"), name + ".o") for name in ("main", "gcm", "xts", "modes", "scratch", "cpu")]
    print(kit.run([os.path.join(source, "tools/isa-check"), *levels, *(f"{file}=x86-kernel" for file in rules)]), end="")
    archives = [os.path.join(build, "test/lib/librijn_testlib.a"), os.path.join(build, "src/librijn_hooked.a")]
    with tempfile.TemporaryDirectory(prefix="rijn-kernel-") as tmp:
        with open(os.path.join(tmp, "stubs.S"), "w", encoding="utf-8") as f:
            f.write(STUBS)
        for name, flags in (("kernel/test/stack.c", []), ("test/portable/residue.c", ["-DOBJECTS_OF_LINUX"])):
            program = os.path.join(tmp, os.path.basename(name)[:-2])
            # WHY before the archives: these objects take the place of the library's.
            kit.run(["gcc", "-O2", "-no-pie", "-fno-pie", *flags, *(f"-I{os.path.join(source, d)}" for d in ("include", "src", "test/lib")),
                     os.path.join(source, name), os.path.join(source, "kernel/test/scratch.c"), os.path.join(tmp, "stubs.S"), *files, kernel.path("module/src/isa/portable.o"),
                     *archives, "-pthread", "-o", program])  # fmt: skip
            print(kit.run([program]), end="")


# ---------------------------------------------------------------- planted faults

# File, what stands there, what is put in its place. Linux's registration tests alone do not find eight of these.
FAULTS = {
    "a forgery is accepted": ("gcm.c", "    return -EBADMSG;\n  return err == 0 ? 0 : -EINVAL;", "    return 0;\n  return 0;"),
    "of associated data in pieces the first counts": ("gcm.c", "left != 0; left -= n", "left != 0; left = 0"),
    "the tag's length is ignored": ("gcm.c", "c->key.tag_len = len;", "c->key.tag_len = 16;"),
    "the fallback's key is wrong": ("gcm.c", "gcm_init(plain_of(c), c->raw)", "gcm_init(plain_of(c), c->raw + 1)"),
    "the fallback keeps the key before": ("gcm.c", "  c->plain_made = false;\n", ""),
    "RFC 4106 with 20 bytes of associated data": ("gcm.c", "memcpy(c.nonce + SALT, req->iv,",
                                                  "memcpy(c.nonce + SALT, req->iv + (req->assoclen == 20),"),
    "a block of CTR that lies in two pieces": ("modes.c", "min_t(unsigned int, left, BLOCK)", "min3(left, (unsigned int)BLOCK, c->in.left)"),
    "each part of an XTS unit begins with the unit's tweak": ("xts.c", "  p->tweak = next;\n", ""),
    "a block of XTS that lies in two pieces": ("xts.c", "memcpy(buf + at, p->in.at, here)", "memcpy(buf, p->in.at, here)"),
    "XTS with keys of 192 bits": ("xts.c", "    way.impl->xts_init(&c->key, raw);",
                                  "    c->key.rounds -= 2 * (c->key.rounds == 12);\n    way.impl->xts_init(&c->key, raw);"),
    "a block of associated data is not multiplied": ("gcm.c", "    r->pending = RIJN_HASH_PENDING;\n", ""),
    "a section of XTS begins with the unit's tweak": ("xts.c", "    rijn_may(&p.s, n);\n",
                                                      "    rijn_may(&p.s, n);\n    if (p.s.left == 0)\n      p.tweak = req->iv;\n"),
    "XTS in one piece and long may overlap itself": ("xts.c", "if (in != NULL && out != NULL && !rijn_alias_ok",
                                                     "if (req->cryptlen <= RIJN_ONE_CALL && in != NULL && out != NULL && !rijn_alias_ok"),
    "a forgery in pieces leaves its text": ("gcm.c", "  wipe_text(c);\n  return", "  return"),
    "sections of twice the length": ("glue.h", "s->left = RIJN_ONE_CALL;", "s->left = 2 * RIJN_ONE_CALL;"),
    "short pieces do not count": ("glue.h", "s->left -= n != 0 ? round_up(n, RIJN_PIECE) : RIJN_PIECE;", "s->left -= round_down(n, RIJN_PIECE);"),
    "a request yields while it has the vector unit": ("glue.h", "    rijn_end(s->way);\n", ""),
    "GCM in one piece is one call at any length": ("gcm.c", " && (u64)c->len + c->aad_len <= RIJN_ONE_CALL", ""),
    "a section of CBC is as long as the others": ("modes.c", "c->fn == cbc_enc ? SERIAL : 1", "1"),
    "a tag that lies in several pieces": ("glue.h", "n -= here, buf += here, rijn_skip", "n -= here, rijn_skip"),
    "a long request does not yield": ("glue.h", "if (s->flags & CRYPTO_TFM_REQ_MAY_SLEEP) {", "if (0) {"),
}  # fmt: skip
FAULT_SET = "x86-aesni"


def faults(source):
    kernel, missed = Kernel(source, "um"), []
    pack(kernel)
    for name, (file, old, new) in FAULTS.items():
        path = kernel.path(f"module/kernel/{file}")
        with open(path, encoding="utf-8") as f:
            text = f.read()
        if text.count(old) != 1:
            sys.exit(f"kernel: {name}: what the fault replaces is not there once in {file}")
        try:
            with open(path, "w", encoding="utf-8") as f:
                f.write(text.replace(old, new))
            build_test_module(kernel)
            said = boot(kernel, only=FAULT_SET)
        finally:
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
        failed = re.findall(r"^RIJN fuzz (\S+) failed", said, re.M)
        passed = re.findall(r"^RIJN fuzz (\S+) passed", said, re.M)
        print(f"{name}: {', '.join(failed) or 'not found'}")
        # WHY the others: a kernel that tests nothing finds nothing wrong, and one that fails in all finds no fault.
        if not failed or not passed or "RIJN end" not in said:
            missed.append(name)
            print(said[-3000:])
    build_test_module(kernel)
    if missed:
        sys.exit(f"kernel: not found: {', '.join(missed)}")


def main():
    if len(sys.argv) == 4 and sys.argv[2] in ("build", "boot") and sys.argv[3] in ITERATIONS:
        kernel = Kernel(sys.argv[1], sys.argv[3])
        build(kernel) if sys.argv[2] == "build" else boot_test(kernel)
    elif len(sys.argv) == 5 and sys.argv[2] == "objects" and sys.argv[3] in ("6.1", "6.12"):
        objects(Kernel(sys.argv[1], sys.argv[3]), sys.argv[4])
    elif sys.argv[2:] == ["dkms"]:
        dkms(sys.argv[1])
    elif sys.argv[2:] == ["fips"]:
        fips_test(sys.argv[1])
    elif len(sys.argv) == 4 and sys.argv[2] == "users" and sys.argv[3] in ITERATIONS:
        users(Kernel(sys.argv[1], sys.argv[3]))
    elif len(sys.argv) == 4 and sys.argv[2] == "cpu" and sys.argv[3] in CPUS:
        other_cpu(sys.argv[1], sys.argv[3])
    elif sys.argv[2:] == ["faults"]:
        faults(sys.argv[1])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
