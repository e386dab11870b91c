# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""The kernels that test the module: how the module is built for each, and how each is booted with it."""
import glob
import gzip
import lzma
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile

import kit

# What the tests compare with is made of these.
MODULES = ["cryptomgr", "aead", "crypto_null", "ecb", "cbc", "ctr", "xts", "gf128mul", "ghash-generic", "gcm", "seqiv"]
ITERATIONS = {"um": 1000, "6.1": 100, "6.12": 100, "arm64": 100, "ppc64le": 100, "newest": 0, "debug": 0}


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
    "newest": Emulated("amd64", "[0-9]+", *X86),
    # Built here (debug.py), and with two processors.
    "debug": Emulated("amd64", "6.1", X86[0], [*X86[1], "-smp", "2"]),
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


# A command in a system of its own, $1, that has the folder $2 where it is here. objtool reads /proc, and all write to /dev/null.
INSIDE = """set -e
mkdir -p "$1$2" && mount --bind "$2" "$1$2" && mount --rbind /dev "$1/dev" && mount -t proc proc "$1/proc"
root=$1 && shift 2
exec chroot "$root" "$@"
"""


class Kernel:
    def __init__(self, source, name):
        source = os.path.realpath(source)
        self.name, self.own = name, os.path.realpath(os.path.join(source, "build/kernel", kit.OWN))
        self.emulated = EMULATED.get(name)
        self.root = os.path.join(os.path.dirname(self.own), self.emulated.debian if self.emulated else kit.OWN)
        self.source, self.um, self.fuzzed = source, name == "um", name not in ("debug", "newest")
        if name == "newest":
            self.root = kit.newest(os.path.join(source, "build/kernel"))
        self.folder = os.path.join(source, "build/kernel/built", name)
        self.busybox = "/bin/busybox" if not (self.emulated and self.emulated.prefix) else os.path.join(self.root, "bin/busybox")
        if name == "debug":
            self.headers = os.path.join(source, "build/kernel/debug")
            self.make, self.modules = ["make", "-C", self.headers, "CC=gcc-12"], os.path.join(self.headers, "none")
            self.image = os.path.join(self.headers, "arch/x86/boot/bzImage")
        elif self.um:
            self.headers = os.path.join(self.root, "source")
            self.make = ["make", "-C", self.headers, "ARCH=um", "CC=gcc-12", "KBUILD_MODPOST_WARN=1"]
            self.modules = os.path.join(self.root, "usr/lib/uml/modules")
        else:
            release = self.emulated.release.replace("6.", r"6\.") + r"\.[0-9]"
            found = [f for f in os.listdir(os.path.join(self.root, "lib/modules")) if re.match(release, f)]
            self.headers = os.path.join(self.root, "usr/src/linux-headers-" + found[0])
            cross = [f"CROSS_COMPILE={self.emulated.prefix}"] if self.emulated.prefix else []
            self.make = ["make", "-C", self.headers, *self.emulated.make, *cross]
            if name == "newest":
                self.headers = "/usr/src/" + os.path.basename(self.headers)
                self.make = ["unshare", "--mount", "sh", "-c", INSIDE, "sh", self.root, self.folder, "make", "-C", self.headers]
            self.modules = os.path.join(self.root, "lib/modules", found[0])
            images = ("boot/vmlinu[xz]-" + found[0], f"lib/modules/{found[0]}/vmlinuz")
            (self.image,) = [path for image in images for path in glob.glob(os.path.join(self.root, image))]

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
                if file.removesuffix(".xz").replace("-", "_") == name.replace("-", "_") + ".ko":
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


RTEST = ["main.c", "subject.c", "empty.c", "refused.c", "long.c", "sections.c", "watch.c", "taken.c", "rtest.h"]


def build_rtest(kernel):
    """Linux's tests as a module, of the kernel's sources."""
    folder = kernel.path("rtest")
    os.makedirs(folder, exist_ok=True)
    source = kit.newer_source(os.path.dirname(kernel.own)) if kernel.name == "6.12" else os.path.join(kernel.own, "source")
    files = {name: os.path.join(source, "crypto", name) for name in ("testmgr.c", "testmgr.h", "internal.h")}
    files.update({name: os.path.join(kit.HERE, "rtest", name) for name in RTEST})
    for name, path in files.items():
        shutil.copyfile(path, os.path.join(folder, name))
    with open(os.path.join(folder, "tests.h"), "w", encoding="utf-8") as f:
        f.write("#undef CONFIG_CRYPTO_MANAGER_DISABLE_TESTS\n#define CONFIG_CRYPTO_MANAGER_EXTRA_TESTS 1\n")
    with open(os.path.join(folder, "Kbuild"), "w", encoding="utf-8") as f:
        f.write(f"obj-m := rtest.o\nrtest-y := testmgr.o {' '.join(name.replace('.c', '.o') for name in RTEST[:-1])}\n")
        f.write("ccflags-y := -Dalg_test=rijn_alg_test -include $(src)/tests.h\n")
        f.write("CFLAGS_watch.o := -I$(src)/../module -I$(src)/../module/include -I$(src)/../module/kernel/shim -DRIJN_IN_KERNEL\n")
    kernel.module(folder)
    return os.path.join(folder, "Module.symvers")


def build_test_module(kernel):
    said = kernel.module(kernel.path("module"), "RIJN_TEST=1", f"KBUILD_EXTRA_SYMBOLS={kernel.path('rtest/Module.symvers')}")
    shutil.copyfile(kernel.path("module/rijn.ko"), kernel.path("rijn-test.ko"))
    return said


# All that the module wants of Linux. What is more is a decision: it ties the module to more of Linux.
WANTED = """__crypto_memneq __kmalloc __stack_chk_fail _printk _raw_spin_lock_irqsave _raw_spin_unlock_irqrestore
crypto_register_aead crypto_register_alg crypto_register_skcipher
crypto_unregister_aead crypto_unregister_alg crypto_unregister_skcipher fips_enabled free_percpu kfree memset memcpy
param_ops_charp param_ops_int sg_nents_for_len sg_zero_buffer snprintf __fortify_panic
__kmalloc_noprof __ref_stack_chk_guard __ubsan_handle_out_of_bounds __ubsan_handle_shift_out_of_bounds""".split()
WANTED_BY = {
    "amd64": """__alloc_percpu __fentry__ __x86_return_thunk boot_cpu_data cpu_has_xfeatures irq_fpu_usable kernel_fpu_begin_mask
    kernel_fpu_end page_offset_base vmemmap_base __SCT__cond_resched this_cpu_off pcpu_alloc_noprof""".split(),
    "arm64": """__cond_resched alt_cb_patch_nops cpu_have_feature cpu_hwcaps flush_dcache_page fpsimd_context_busy
    gic_nonsecure_priorities kernel_neon_begin kernel_neon_end queued_spin_lock_slowpath""".split(),
    "ppc64el": """.TOC. __cond_resched __msr_check_and_clear _mcount cur_cpu_spec enable_kernel_vsx strict_msr_control
    vmemmap""".split(),
}


def too_much(kernel):
    wanted = {line.split()[1] for line in kit.run(["nm", "-u", kernel.path("rijn.ko")]).splitlines()}
    known = WANTED + WANTED_BY[kernel.emulated.debian]
    return sorted(name for name in wanted - set(known) if not name.startswith("__x86_indirect_thunk_"))


def check_instructions(kernel):
    """That the sets' objects have only their own. (Those for x86 are looked at by `objects` in run.py.)"""
    items = [kernel.path(f"module/src/isa/{name.replace('-', '_')}.o") + "=" + name for name in kernel.emulated.sets]
    kit.run([os.path.join(kernel.source, "tools/isa-check"), "--objdump", kernel.emulated.prefix + "objdump", *items])


def build(kernel):
    pack(kernel)
    said = ""
    if kernel.fuzzed:
        build_rtest(kernel)
        said = build_test_module(kernel)
    said += kernel.module(kernel.path("module"))
    for name in ("rijn.ko", "rijn-bench.ko"):
        shutil.copyfile(kernel.path(f"module/{name}"), kernel.path(name))
    if unusual(said, kernel.um):
        sys.exit("kernel: the build said:\n" + "\n".join(unusual(said, kernel.um)[:60]))
    if not kernel.um and too_much(kernel):
        sys.exit(f"kernel: the module wants of Linux, and is not known to: {too_much(kernel)}")
    if kernel.emulated and kernel.emulated.prefix:
        check_instructions(kernel)


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
    """A module without its debugging information, not compressed."""
    with tempfile.NamedTemporaryFile() as plain, tempfile.NamedTemporaryFile() as f:
        if path.endswith(".xz"):
            with lzma.open(path) as packed:
                shutil.copyfileobj(packed, plain)
            plain.flush()
            path = plain.name
        kit.run([(kernel.emulated.prefix if kernel.emulated else "") + "strip", "--strip-debug", "-o", f.name, path])
        return f.read()


def linked(name, path, root="/", machine="x86_64-linux-gnu"):
    """A program for the guest, as /NAME there, and the libraries that it is linked with, which are below root."""
    folders = [os.path.join(root, folder, machine) for folder in ("lib", "usr/lib")]
    files, left = {}, [(name, [path])]
    while left:
        to, places = left.pop()
        if to in files:
            continue
        found = [place for place in places if os.path.exists(place)]
        if not found:
            sys.exit(f"kernel: {to}, which {name} needs, is not among {places}")
        with open(found[0], "rb") as f:
            files[to] = f.read()
        said = kit.run(["readelf", "-W", "-d", "-l", found[0]])
        for loader in re.findall(r"interpreter: /(\S+)\]", said):
            left.append((loader, [os.path.join(folder, os.path.basename(loader)) for folder in (os.path.join(root, os.path.dirname(loader)), *folders)]))
        for library in re.findall(r"\(NEEDED\).*\[(.*)\]", said):
            left.append((f"lib/{machine}/{library}", [os.path.join(folder, library) for folder in folders]))
    return files


def program(kernel, name):
    """A program of Debian's for that kernel's guest."""
    root = kernel.root if kernel.emulated and kernel.emulated.prefix else "/"
    return linked(name, os.path.join(root, "bin", name), root, kernel.emulated.prefix[:-1] or "x86_64-linux-gnu")


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


def initramfs(kernel, to, parameters, modules, files):
    """modules: of the kernel's, by name, which are loaded first, each behind those that it needs. files: more, {path: bytes}."""
    files = {"init": open(os.path.join(kit.HERE, "init"), "rb").read(), "bin/busybox": open(kernel.busybox, "rb").read(), **files}
    for name in ("rijn.ko", "rijn-test.ko", "rijn-bench.ko", "rtest/rtest.ko"):
        if os.path.exists(kernel.path(name)):
            files[os.path.basename(name)] = strip(kernel, kernel.path(name))
    present = with_needed(kernel, modules)
    for name in present:
        files[f"modules/{name}.ko"] = strip(kernel, kernel.find_module(name))
    lines = [f"modules='{' '.join(present)}'", f"iterations={ITERATIONS[kernel.name]}"]
    lines += [f"{name}='{value}'" for name, value in parameters.items()]
    files["parameters"] = "".join(line + "\n" for line in lines).encode()
    with open(to, "wb") as f:
        f.write(archive(files))


def boot(kernel, modules=MODULES, files=None, line="", timeout=900, **parameters):
    """What the kernel printed. line: more for its command line. Parameters are init's: only=SET, that is tested, beside portable;
    script=FILE, of this folder: it runs, and no test of Linux's; fips=yes."""
    files = dict(files or {})
    if "script" in parameters:
        files["script"] = open(os.path.join(kit.HERE, parameters["script"]), "rb").read()
    with tempfile.TemporaryDirectory(prefix="rijn-kernel-") as tmp:
        initramfs(kernel, os.path.join(tmp, "initramfs"), parameters, modules, files)
        if kernel.um:
            command = [os.path.join(kernel.root, "usr/bin/linux.uml"), "mem=512M", f"initrd={tmp}/initramfs", f"uml_dir={tmp}/",
                       "con=null", "con0=null,fd:1", "ssl=null", "quiet", "panic=-1"]  # fmt: skip
        else:
            own = [word + line if word.startswith("console=") else word for word in kernel.emulated.command]
            command = [*own, "-accel", "tcg", "-m", "1024", "-kernel", kernel.image,
                       "-initrd", f"{tmp}/initramfs", "-nographic", "-no-reboot", "-nic", "none"]  # fmt: skip
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  timeout=timeout, env={**os.environ, "TMPDIR": tmp, "HOME": tmp})  # fmt: skip
            said = done.stdout
        except subprocess.TimeoutExpired as late:
            said = (late.stdout or b"") + b"\nkernel: it did not end\n"
    return said.decode(errors="replace").replace("\r", "")
