# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""Runs AFL++ over the corpus of a target, and then on from there. No crash and no hang is the verdict.

--runs: about so many inputs from a fixed seed. --seconds: as long as that, from a seed of its own. --planted: the target
has a fault, and AFL++ must find it."""
import argparse
import os
import random
import re
import subprocess
import sys
import tempfile

parser = argparse.ArgumentParser()
parser.add_argument("engine")
parser.add_argument("program")
parser.add_argument("corpus")
parser.add_argument("--runs", type=int)
parser.add_argument("--seconds", type=int)
parser.add_argument("--planted", action="store_true")
options = parser.parse_args()
if (options.runs is None) == (options.seconds is None):
    sys.exit("give --runs or --seconds")

# It needs no rights: neither the clock of the processor nor where the kernel puts cores matters to what it finds. A
# hang is a minute: a loaded machine has none.
ENV = {**os.environ, "AFL_NO_UI": "1", "AFL_SKIP_CPUFREQ": "1", "AFL_NO_AFFINITY": "1", "AFL_FAST_CAL": "1",
       "AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES": "1"}
ENV.pop("ASAN_OPTIONS", None)  # AFL++ has its own, and refuses others


def inputs(folder):
    return [os.path.join(folder, n) for n in sorted(os.listdir(folder)) if n.startswith("id:")]


with tempfile.TemporaryDirectory() as folder:
    out = os.path.join(folder, "out")
    seed = 20260101 if options.runs else random.randrange(1, 2**31)
    command = [options.engine, "-i", options.corpus, "-o", out, "-s", str(seed), "-m", "none", "-t", "60000", "-D"]
    command += ["-E", str(options.runs), "-V", "240"] if options.runs else ["-V", str(options.seconds)]
    if options.planted:
        ENV.update(RIJN_FUZZ_PLANTED="1", AFL_BENCH_UNTIL_CRASH="1")
    done = subprocess.run([*command, "--", options.program], env=ENV, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace")
    try:
        with open(os.path.join(out, "default", "fuzzer_stats"), encoding="utf-8") as f:
            stats = dict(re.findall(r"(\w+)\s*: (.*)", f.read()))
    except FileNotFoundError:
        sys.exit(f"FAIL: AFL++ did not start, status {done.returncode}\n{done.stdout[-4000:]}")
    print(f"seed {seed}: {stats['execs_done']} inputs, {stats['edges_found']} edges, {stats['corpus_count']} kept")
    crashes, hangs = (inputs(os.path.join(out, "default", d)) for d in ("crashes", "hangs"))
    if options.planted:
        if not crashes:
            sys.exit(f"FAIL: the planted fault was not found\n{done.stdout[-2000:]}")
        print("the planted fault was found")
        sys.exit(0)
    for path in crashes + hangs:
        with open(path, "rb") as f:
            data = f.read()
        print(f"{os.path.basename(path)}: {data.hex()}")
        again = subprocess.run([options.program], input=data, env=ENV, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        print(again.stdout.decode(errors="replace")[-4000:])
    if crashes or hangs or done.returncode != 0:
        sys.exit(f"FAIL: {len(crashes)} crashes, {len(hangs)} hangs, exit status {done.returncode}\n{done.stdout[-2000:]}")
    if int(stats["edges_found"]) < 100 or int(stats["execs_done"]) < 1000:
        sys.exit(f"FAIL: {stats['execs_done']} inputs, {stats['edges_found']} edges: too few\n{done.stdout[-2000:]}")
