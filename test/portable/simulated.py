# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""The implementations with wide vectors, on a processor that has no AVX-512 or no VAES: their sources, with the instructions that it lacks
made of others (simulated/avx512.h). What this says is whether they compute the right thing, all of it: kernels, batches, lengths,
counters; what they leave behind, and whether their time depends on a secret, says the machine that has them.
usage: simulated.py SOURCE BUILD CC"""
import concurrent.futures
import os
import sys
import tempfile

source, build, cc = sys.argv[1:4]
sys.path.insert(0, os.path.join(source, "test/lib"))
sys.path.insert(0, os.path.join(source, "tools"))
import rijn_sets
from rebuilt import change, copy, must, run, sources

FLAGS = ["-std=gnu11", "-O1", "-w", "-Wno-psabi", "-D_GNU_SOURCE", "-DRIJN_REF_LIBCRYPTO=1"]
HAVE = ["-mavx2", "-mbmi2", "-maes", "-mpclmul"]
# Registers that the processor has not need not be cleared, and are no place for anything; a step cannot be pinned in one.
CHANGES = [
    ("src/isa/ops_x86_128.h", "#if defined(__AVX512F__) && defined(__x86_64__)\n#define HOLD_VAR", "#if 0\n#define HOLD_VAR"),
    ("src/isa/ops_x86_clear.h", "#elif defined(__AVX512F__)\n#define CLEAR_TEXT", "#elif 0\n#define CLEAR_TEXT"),
    ("src/isa/ops_x86_clear.h", "#ifdef __AVX512F__\n#define CLEAR_MASKS", "#if 0\n#define CLEAR_MASKS"),
    ("src/isa/sets.def", " HAS(VAES) HAS(VPCLMUL))", ")"),
    ("src/isa/sets.def", "HAS(AVX512F) HAS(AVX512VL) HAS(AVX512BW) HAS(AVX512DQ))", ")"),
]
TESTS = ["portable/kernels.c", "modes/ctr_pages.c", "gcm/batch.c", "gcm/lengths.c"]
SETS = rijn_sets.Sets()
WIDE = [row.name for row in SETS.of("x86_64") if "vaes" in SETS.needs(row)]
# Planted, and must be found by the first test.
FAULT = ("src/isa/ops_x86_512.h", "_mm512_set_epi32(0, 0, 0, i + 3,", "_mm512_set_epi32(0, 0, 0, i + 2,")


def compile_c(root, path, target, flags=()):
    include = ["-I" + os.path.join(root, d) for d in ("include", "src", "test/lib")]
    must([cc, *FLAGS, *flags, *include, "-c", os.path.join(root, path), "-o", target])
    return target


def flags_of(flags):
    if "-mvaes" not in flags:
        return flags
    simulated = ["-include", os.path.join(source, "test/portable/simulated/avx512.h"), "-DPIN(v)=((void)0)"]
    return [*HAVE, *simulated, *(["-DSIMULATED_512"] if "-mavx512f" in flags else [])]


files = {path: flags_of(flags) for path, flags in sources(build).items()}
library = list(files)
files.update({"test/" + t: [] for t in ["lib/t.c", "lib/ref.c", "lib/model.c", *TESTS]})

with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
    root = os.path.join(folder, "copy")
    copy(source, root, "include", "src", "test")
    for c in CHANGES:
        change(root, *c)

    def compiled(file):
        return compile_c(root, file, os.path.join(folder, file.replace("/", "_") + ".o"), files[file])

    # The widest sources take longest.
    order = sorted(files, key=lambda f: ("512" not in f, f))
    objects = dict(zip(order, pool.map(compiled, order)))

    def tested(test, *args):
        program = os.path.join(folder, test.replace("/", "_") + ".exe")
        shared = [objects[f] for f in [*library, "test/lib/t.c", "test/lib/ref.c", "test/lib/model.c"]]
        must([cc, objects["test/" + test], *shared, "-lcrypto", "-o", program])
        # Not RIJN_REQUIRE_IMPLS, which names what the processor has: here all have to run, and below that is asked.
        return test, run([program, *args], env={k: v for k, v in os.environ.items() if k != "RIJN_REQUIRE_IMPLS"})

    for test, done in pool.map(tested, TESTS):
        print(done.stdout, end="")
        if done.returncode != 0:
            sys.exit(f"FAIL: {test}: exit status {done.returncode}\n{(done.stdout + done.stderr)[:6000]}")
        missing = [name for name in WIDE if f": {name}\n" not in done.stdout]
        if missing:
            sys.exit(f"FAIL: {test} has not run {missing}: this processor has no AVX2, no AES-NI or no BMI2")

    change(root, *FAULT)
    objects["src/isa/x86_vaes_avx512.c"] = compiled("src/isa/x86_vaes_avx512.c")
    test, done = tested(TESTS[0], "--impl", "x86-vaes-avx512")
    if done.returncode == 0 or "FAILED [x86-vaes-avx512]" not in done.stdout + done.stderr:
        sys.exit(f"FAIL: a planted fault was not found: exit status {done.returncode}\n{(done.stdout + done.stderr)[:3000]}")
    print("found: a planted fault")
