# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""The kernel module, as it is handed out, against kernels of Debian's.

usage: run.py SOURCE build KERNEL     packs the module's sources and builds them by that kernel's headers: no warning
       run.py SOURCE boot KERNEL      boots that kernel and has it test all algorithms of all sets
       run.py SOURCE dkms             DKMS builds what `make dkms` packs (6.1)
       run.py SOURCE fips             with fips=1 a module without a signature is refused, and Linux goes on (6.1)
       run.py SOURCE users            dm-crypt, IPsec and TLS in the kernel work with Rijn's drivers and with Linux's (6.1)
       run.py SOURCE objects BUILD    the sets' objects, as Linux's build made them for 6.1, linked into programs: what they
                                      take of the stack, and what they leave there and in registers; their instructions
       run.py SOURCE faults           the tests of `boot` find planted faults (um)

KERNEL: um (user-mode Linux 6.1: all sets of this machine, natively); under qemu 6.1, 6.12 (x86-64), arm64, ppc64le (6.1)."""
import glob
import gzip
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile

import kit

sys.path.insert(0, os.path.join(kit.HERE, "../../tools"))
import rijn_sets  # noqa: E402

ALGORITHMS = {"gcm-aes": "gcm(aes)", "rfc4106-gcm-aes": "rfc4106(gcm(aes))", "xts-aes": "xts(aes)", "ctr-aes": "ctr(aes)",
              "cbc-aes": "cbc(aes)", "ecb-aes": "ecb(aes)", "aes": "aes"}  # fmt: skip
PRIORITIES = {"ppc64le": 2100}  # of the chosen set; 1000 elsewhere
# What the tests compare with is made of these.
MODULES = ["cryptomgr", "aead", "crypto_null", "ecb", "cbc", "ctr", "xts", "gf128mul", "ghash-generic", "gcm", "seqiv"]
ITERATIONS = {"um": 1000, "6.1": 100, "6.12": 0, "arm64": 100, "ppc64le": 100}


class Emulated:
    """A kernel under qemu: Debian's architecture and release, the sets that qemu's processor runs, the command, and what
    builds for it."""

    def __init__(self, debian, release, sets, command, prefix="", make=()):
        self.debian, self.release, self.sets, self.command = debian, release, sets, command
        self.prefix, self.make = prefix, list(make)


# WHY no more sets of x86: this processor of qemu's has no VPCLMULQDQ, and no AVX-512.
X86 = (["x86-aesni-avx", "x86-aesni"], ["qemu-system-x86_64", "-cpu", "max", "-append", "console=ttyS0 quiet panic=-1"])
EMULATED = {
    "6.1": Emulated("amd64", "6.1", *X86),
    "6.12": Emulated("amd64", "6.12", *X86),
    # WHY pauth-impdef: the architecture's own way takes most of the time.
    "arm64": Emulated("arm64", "6.1", ["arm-ce-sha3", "arm-ce"],
                      ["qemu-system-aarch64", "-M", "virt", "-cpu", "max,pauth-impdef=on", "-append", "console=ttyAMA0 quiet panic=-1"],
                      "aarch64-linux-gnu-", ["ARCH=arm64"]),
    # WHY the capabilities: without acceleration qemu has none of these.
    "ppc64le": Emulated("ppc64el", "6.1", ["ppc-p9", "ppc-p8"],
                        ["qemu-system-ppc64", "-M", "pseries,cap-cfpc=broken,cap-sbbc=broken,cap-ibs=broken,cap-ccf-assist=off",
                         "-cpu", "power9", "-vga", "none", "-append", "console=hvc0 quiet panic=-1"],
                        "powerpc64le-linux-gnu-", ["ARCH=powerpc"]),
}  # fmt: skip


class Kernel:
    def __init__(self, source, name):
        self.name, self.own = name, os.path.realpath(os.path.join(source, "build/kernel", kit.OWN))
        self.emulated = EMULATED.get(name)
        self.root = os.path.join(os.path.dirname(self.own), self.emulated.debian if self.emulated else kit.OWN)
        self.source, self.um, self.fuzzed = source, name == "um", name != "6.12"
        self.folder = os.path.join(source, "build/kernel/built", name)
        self.busybox = "/bin/busybox" if self.root == self.own else os.path.join(self.root, "bin/busybox")
        if self.um:
            self.headers = os.path.join(self.root, "source")
            self.make = ["make", "-C", self.headers, "ARCH=um", "CC=gcc-12", "KBUILD_MODPOST_WARN=1"]
            self.modules = os.path.join(self.root, "usr/lib/uml/modules")
        else:
            release = re.escape(self.emulated.release) + r"\.[0-9]"
            found = [f for f in os.listdir(os.path.join(self.root, "lib/modules")) if re.match(release, f)]
            self.headers = os.path.join(self.root, "usr/src/linux-headers-" + found[0])
            cross = [f"CROSS_COMPILE={self.emulated.prefix}"] if self.emulated.prefix else []
            self.make = ["make", "-C", self.headers, *self.emulated.make, *cross]
            self.modules = os.path.join(self.root, "lib/modules", found[0])
            (self.image,) = glob.glob(os.path.join(self.root, "boot/vmlinu[xz]-" + found[0]))

    def module(self, folder, *more):
        """Builds in that folder; says what make said."""
        env = {key: value for key, value in os.environ.items() if not key.startswith(("MAKE", "RIJN"))}
        return kit.run([*self.make, f"M={folder}", f"-j{os.cpu_count()}", *more, "modules"], env=env)

    def path(self, name):
        return os.path.join(self.folder, name)

    def find_module(self, name):
        """A module of the kernel's by name, or None: it is no module there."""
        for folder, _, files in os.walk(self.modules):
            for file in files:
                if file.replace("-", "_") == name.replace("-", "_") + ".ko":
                    return os.path.join(folder, file)
        return None


# ---------------------------------------------------------------- build

# Linux's build says these of any module that is built outside of it, and of Debian's user-mode Linux, whose symbols no
# package has.
USUAL = re.compile(r"make(\[\d\])?: |  (CC|LD|BTF|MODPOST|GEN) |Skipping BTF|warning: the compiler differs|  The kernel was built|"
                   r"  You are using|$")  # fmt: skip
USUAL_UM = re.compile(r"WARNING: modpost: |WARNING: Module.symvers is missing|  *Modules may not have|  *You may get many")


def unusual(said, um):
    return [line for line in said.splitlines() if not USUAL.match(line) and not (um and USUAL_UM.match(line))]


def pack(kernel):
    """The sources as `make dkms` packs them, unpacked. Files that are the same keep their time, for make."""
    with tempfile.TemporaryDirectory(prefix="rijn-kernel-") as tmp:
        kit.run([os.path.join(kernel.source, "kernel/pack"), tmp])
        kit.run(["tar", "-xzf", *[os.path.join(tmp, f) for f in os.listdir(tmp)], "-C", tmp])
        packed = next(os.path.join(tmp, f) for f in os.listdir(tmp) if os.path.isdir(os.path.join(tmp, f)))
        for folder, _, files in os.walk(packed):
            to = os.path.join(kernel.path("module"), os.path.relpath(folder, packed))
            os.makedirs(to, exist_ok=True)
            for file in files:
                one, two = os.path.join(folder, file), os.path.join(to, file)
                if not os.path.exists(two) or open(one, "rb").read() != open(two, "rb").read():
                    shutil.copyfile(one, two)


def build_rtest(kernel):
    """Linux's tests as a module, of the kernel's sources."""
    folder = kernel.path("rtest")
    os.makedirs(folder, exist_ok=True)
    files = {name: os.path.join(kernel.own, "source/crypto", name) for name in ("testmgr.c", "testmgr.h", "internal.h")}
    files["main.c"] = os.path.join(kit.HERE, "rtest/main.c")
    for name, path in files.items():
        shutil.copyfile(path, os.path.join(folder, name))
    with open(os.path.join(folder, "tests.h"), "w", encoding="utf-8") as f:
        f.write("#undef CONFIG_CRYPTO_MANAGER_DISABLE_TESTS\n#define CONFIG_CRYPTO_MANAGER_EXTRA_TESTS 1\n")
    with open(os.path.join(folder, "Kbuild"), "w", encoding="utf-8") as f:
        f.write("obj-m := rtest.o\nrtest-y := testmgr.o main.o\nccflags-y := -Dalg_test=rijn_alg_test -include $(src)/tests.h\n")
    kernel.module(folder)
    return os.path.join(folder, "Module.symvers")


def build_test_module(kernel):
    said = kernel.module(kernel.path("module"), "RIJN_TEST=1", f"KBUILD_EXTRA_SYMBOLS={kernel.path('rtest/Module.symvers')}")
    shutil.copyfile(kernel.path("module/rijn.ko"), kernel.path("rijn-test.ko"))
    return said


# All that the module wants of Linux, on x86. What is more is a decision: it ties the module to more of Linux.
WANTED = """__crypto_memneq __crypto_xor __fentry__ __kmalloc __stack_chk_fail __x86_return_thunk _printk boot_cpu_data
cpu_has_xfeatures crypto_register_aead crypto_register_alg crypto_register_skcipher crypto_unregister_aead crypto_unregister_alg
crypto_unregister_skcipher fips_enabled irq_fpu_usable kernel_fpu_begin_mask kernel_fpu_end kfree memset memcpy page_offset_base
param_ops_charp param_ops_int scatterwalk_map_and_copy sg_miter_next sg_miter_start sg_miter_stop sg_nents_for_len sg_next
sg_zero_buffer skcipher_walk_aead_decrypt skcipher_walk_aead_encrypt skcipher_walk_done skcipher_walk_virt snprintf vmemmap_base
__fortify_panic __kmalloc_noprof""".split()


def too_much(path):
    wanted = {line.split()[1] for line in kit.run(["nm", "-u", path]).splitlines()}
    return sorted(name for name in wanted - set(WANTED) if not name.startswith("__x86_indirect_thunk_"))


def build(kernel):
    pack(kernel)
    said = ""
    if kernel.fuzzed:
        build_rtest(kernel)
        said = build_test_module(kernel)
    said += kernel.module(kernel.path("module"))
    shutil.copyfile(kernel.path("module/rijn.ko"), kernel.path("rijn.ko"))
    if unusual(said, kernel.um):
        sys.exit("kernel: the build said:\n" + "\n".join(unusual(said, kernel.um)[:60]))
    if kernel.root == kernel.own and not kernel.um and too_much(kernel.path("rijn.ko")):
        sys.exit(f"kernel: the module wants of Linux, and is not known to: {too_much(kernel.path('rijn.ko'))}")


# ---------------------------------------------------------------- boot


def archive(files):
    """An initramfs: {path: bytes, or (mode, bytes)}, in the format newc."""
    out = bytearray()

    def entry(name, mode, data=b"", rdev=(0, 0)):
        nonlocal out
        fields = [1, mode, 0, 0, 1, 0, len(data), 0, 0, *rdev, len(name) + 1, 0]
        out += b"070701" + b"".join(b"%08X" % field for field in fields) + name.encode() + b"\0"
        out += b"\0" * (-len(out) % 4) + data
        out += b"\0" * (-len(out) % 4)

    folders = {"dev", "proc", "sys", "tmp", "modules"}
    for name in files:
        parts = os.path.dirname(name).split("/")
        folders |= {"/".join(parts[:i]) for i in range(1, len(parts) + 1)} - {""}
    for folder in sorted(folders):
        entry(folder, stat.S_IFDIR | 0o755)
    entry("dev/console", stat.S_IFCHR | 0o600, rdev=(5, 1))
    for name, data in files.items():
        entry(name, stat.S_IFREG | 0o755, data)
    entry("TRAILER!!!", 0)
    return gzip.compress(bytes(out), 1)


def strip(kernel, path):
    """A module without its debugging information."""
    with tempfile.NamedTemporaryFile() as f:
        kit.run([(kernel.emulated.prefix if kernel.emulated else "") + "strip", "--strip-debug", "-o", f.name, path])
        return f.read()


def program(path):
    """A program of this machine, and the libraries that it is linked with, by where they lie."""
    found = [path, *re.findall(r"(/\S+) \(0x", kit.run(["ldd", path]))]
    return {name.lstrip("/"): open(name, "rb").read() for name in found}


USER_MODULES = ["loop", "dm-crypt", "tls", "veth", "xfrm_user", "esp4", "sha3_generic", "jitterentropy_rng", "sha512_generic", "hmac", "drbg",
                "echainiv"]  # fmt: skip


def users_files(kernel):
    """What the guest needs for `users`, and the modules of its kernel, each behind those that it needs."""
    with tempfile.NamedTemporaryFile() as f:
        kit.run(["gcc", "-O2", "-static", os.path.join(kit.HERE, "ktls.c"), "-o", f.name])
        files = {"ktls": open(f.name, "rb").read(), "users": open(os.path.join(kit.HERE, "users"), "rb").read()}
    for name in ("dmsetup", "ip"):
        found = shutil.which(name, path="/usr/sbin:/sbin")
        files.update(program(found))
    return files


def with_needed(kernel, names):
    order = []

    def add(name):
        path = kernel.find_module(name)
        if path is None or name in order:
            return
        for needed in kit.run(["/sbin/modinfo", "-F", "depends", path]).strip().split(","):
            add(needed)
        order.append(name)

    for name in names:
        add(name)
    return order


def initramfs(kernel, to, only, users, fips):
    files = {"init": open(os.path.join(kit.HERE, "init"), "rb").read(), "bin/busybox": open(kernel.busybox, "rb").read()}
    for name in ("rijn.ko", "rijn-test.ko", "rtest/rtest.ko"):
        if os.path.exists(kernel.path(name)):
            files[os.path.basename(name)] = strip(kernel, kernel.path(name))
    present = [] if fips else with_needed(kernel, MODULES + (USER_MODULES if users else []))
    if users:
        files.update(users_files(kernel))
    for name in present:
        files[f"modules/{name}.ko"] = strip(kernel, kernel.find_module(name))
    lines = [f"modules='{' '.join(present)}'", f"iterations={ITERATIONS[kernel.name]}", f"only={only}", f"users={users}", f"fips={fips}"]
    files["parameters"] = "".join(line + "\n" for line in lines).encode()
    with open(to, "wb") as f:
        f.write(archive(files))


def boot(kernel, only="", users="", fips="", timeout=500):
    """What the kernel printed. only: the set that is tested, beside portable. users: `users` runs, and no test of Linux's.
    fips: with fips=1, and no module but ours."""
    with tempfile.TemporaryDirectory(prefix="rijn-kernel-") as tmp:
        initramfs(kernel, os.path.join(tmp, "initramfs"), only, users, fips)
        if kernel.um:
            command = [os.path.join(kernel.root, "usr/bin/linux.uml"), "mem=512M", f"initrd={tmp}/initramfs", f"uml_dir={tmp}/",
                       "con=null", "con0=null,fd:1", "ssl=null", "quiet", "panic=-1"]  # fmt: skip
        else:
            own = [word + " fips=1" if fips and word.startswith("console=") else word for word in kernel.emulated.command]
            command = [*own, "-accel", "tcg", "-m", "1024", "-kernel", kernel.image,
                       "-initrd", f"{tmp}/initramfs", "-nographic", "-no-reboot", "-nic", "none"]  # fmt: skip
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  timeout=timeout, env={**os.environ, "TMPDIR": tmp, "HOME": tmp})  # fmt: skip
            said = done.stdout
        except subprocess.TimeoutExpired as late:
            said = (late.stdout or b"") + b"\nkernel: it did not end\n"
    return said.decode(errors="replace").replace("\r", "")


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
    said = boot(Kernel(source, "6.1"), fips="yes")
    rows = [line for line in said.splitlines() if line.startswith("RIJN ")]
    if rows != ["RIJN fips 1", "RIJN end"] or "rijn: with fips=1" not in said or "Kernel panic" in said:
        print(said[-6000:])
        sys.exit("kernel: with fips=1 the module without a signature was not refused as it is to be")
    print("kernel: with fips=1 the module without a signature is refused, and Linux goes on")


# ---------------------------------------------------------------- users

USERS = ["ktls-received", "ktls-sent", "gcm-driver", "xts-driver-512", "xts-driver-4096"]
USERS += ["esp-driver", "esp-56", "esp-1400", "esp-20000"]
USERS += [f"disk-{way}-{size}" for way in ("linux", "rijn") for size in (512, 4096)]


def users(source):
    said = boot(Kernel(source, "6.1"), users="yes")
    rows = [line.split()[2:] for line in said.splitlines() if line.startswith("RIJN user ")]
    passed = {row[0] for row in rows if row[-1] == "passed"}
    wrong = [f"{name} did not pass" for name in USERS if name not in passed]
    wrong += [" ".join(row) for row in rows if row[-1] != "passed"]
    wrong += [line for line in said.splitlines() if re.search(r"RIJN (?!user|end)|BUG:|WARNING:|Oops|Call Trace|Kernel panic", line)]
    if wrong or "RIJN end" not in said:
        print(said[-12000:])
        sys.exit("kernel: " + "\nkernel: ".join(wrong))
    print("kernel users:", ", ".join(sorted(passed)))


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
        built = glob.glob(os.path.join(tmp, "tree/rijn", version, release, "x86_64/module/rijn.ko*"))
        if len(built) != 1:
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


def objects(source, build):
    kernel = Kernel(source, "6.1")
    sets = rijn_sets.Sets()
    files = [os.path.join(kernel.path("module/src/isa"), row.file + ".o") for row in sets.of("x86_64")]
    levels = [f"{file}={row.name}" for file, row in zip(files, sets.of("x86_64"))]
    rules = [os.path.join(kernel.path("module/src"), name + ".o") for name in ("impl", "policy", "gcm", "gcm_stream", "isa/portable")]
    rules += [os.path.join(kernel.path("module/kernel"), name + ".o") for name in ("main", "gcm", "xts", "modes", "cpu")]
    print(kit.run([os.path.join(source, "tools/isa-check"), *levels, *(f"{file}=x86-kernel" for file in rules)]), end="")
    archives = [os.path.join(build, "test/lib/librijn_testlib.a"), os.path.join(build, "src/librijn_hooked.a")]
    with tempfile.TemporaryDirectory(prefix="rijn-kernel-") as tmp:
        with open(os.path.join(tmp, "stubs.S"), "w", encoding="utf-8") as f:
            f.write(STUBS)
        for name, flags in (("test/kernel/stack.c", []), ("test/portable/residue.c", ["-DAAD_IS_PUBLIC"])):
            program = os.path.join(tmp, os.path.basename(name)[:-2])
            # WHY before the archives: these objects take the place of the library's.
            kit.run(["gcc", "-O2", "-no-pie", "-fno-pie", *flags, *(f"-I{os.path.join(source, d)}" for d in ("include", "src", "test/lib")),
                     os.path.join(source, name), os.path.join(tmp, "stubs.S"), *files, kernel.path("module/src/isa/portable.o"),
                     *archives, "-pthread", "-o", program])  # fmt: skip
            print(kit.run([program]), end="")


# ---------------------------------------------------------------- planted faults

# File, what stands there, what is put in its place. Linux's registration tests alone do not find six of these.
FAULTS = {
    "a forgery is accepted": ("gcm", "    return -EBADMSG;\n  return err == 0 ? 0 : -EINVAL;", "    return 0;\n  return 0;"),
    "of associated data in pieces the first counts": ("gcm", "while (left != 0 && sg_miter_next", "if (left != 0 && sg_miter_next"),
    "the tag's length is ignored": ("gcm", "c->key.tag_len = len;", "c->key.tag_len = 16;"),
    "the fallback's key is wrong": ("gcm", "&c->key, sizeof c->plain)", "&c->key, sizeof c->plain - 16)"),
    "RFC 4106 with 20 bytes of associated data": ("gcm", "memcpy(c.nonce + SALT, req->iv,",
                                                  "memcpy(c.nonce + SALT, req->iv + (req->assoclen == 20),"),
    "CTR loses a block in the middle": ("modes", "if (rest != 0 && walk.nbytes == walk.total)", "if (rest != 0 && part)"),
    "XTS steals in the wrong order": ("xts", "c->to == ENCRYPT ? first : second", "first"),
    "XTS with keys of 192 bits": ("xts", "    way.impl->xts_init(&c->key, raw);",
                                  "    c->key.rounds -= 2 * (c->key.rounds == 12);\n    way.impl->xts_init(&c->key, raw);"),
    "a forgery in pieces leaves its text": ("gcm", "if (err != 0 && c->to == DECRYPT)", "if (err > 0)"),
}  # fmt: skip
FAULT_SET = "x86-aesni"


def faults(source):
    kernel, missed = Kernel(source, "um"), []
    pack(kernel)
    for name, (file, old, new) in FAULTS.items():
        path = kernel.path(f"module/kernel/{file}.c")
        with open(path, encoding="utf-8") as f:
            text = f.read()
        if text.count(old) != 1:
            sys.exit(f"kernel: {name}: what the fault replaces is not there once in {file}.c")
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
    elif len(sys.argv) == 4 and sys.argv[2] == "objects":
        objects(sys.argv[1], sys.argv[3])
    elif sys.argv[2:] == ["dkms"]:
        dkms(sys.argv[1])
    elif sys.argv[2:] == ["fips"]:
        fips_test(sys.argv[1])
    elif sys.argv[2:] == ["users"]:
        users(sys.argv[1])
    elif sys.argv[2:] == ["faults"]:
        faults(sys.argv[1])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
