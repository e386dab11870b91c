# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""Runs one fuzzer over its corpus, and then on from there.

--runs: so many inputs from a fixed seed: the same ones in each run. --seconds: as long as that, from a seed of its own;
inputs that reach something new are added to --keep. --planted: the fuzzer is told to see a fault, and must find it."""
import argparse
import os
import random
import re
import subprocess
import sys
import tempfile

parser = argparse.ArgumentParser()
parser.add_argument("program")
parser.add_argument("corpus")
parser.add_argument("--runs", type=int)
parser.add_argument("--seconds", type=int)
parser.add_argument("--keep", help="folder for new inputs")
parser.add_argument("--planted", action="store_true")
parser.add_argument("--dictionary")
options = parser.parse_args()
if (options.runs is None) == (options.seconds is None):
    sys.exit("give --runs or --seconds")

seeds = sorted(os.listdir(options.corpus))
if not seeds:
    sys.exit(f"FAIL: no corpus in {options.corpus}")
with tempfile.TemporaryDirectory() as folder:
    found = os.path.join(folder, "found")
    os.mkdir(found)
    keep = options.keep or os.path.join(folder, "new")
    os.makedirs(keep, exist_ok=True)
    # 3: what the target says on its standard streams is for a failing input alone, which is run again below.
    seed = 20260101 if options.runs else random.randrange(1, 2**31)
    command = [options.program, keep, options.corpus, f"-artifact_prefix={found}/", f"-seed={seed}", "-timeout=900",
               "-max_len=4096", "-close_fd_mask=3", "-print_final_stats=1", "-rss_limit_mb=4096"]
    command += [f"-runs={options.runs}"] if options.runs else [f"-max_total_time={options.seconds}"]
    if options.dictionary:
        command.append(f"-dict={options.dictionary}")
    env = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}
    if options.planted:
        env["RIJN_FUZZ_PLANTED"] = "1"
    done = subprocess.run(command, env=env, capture_output=True, text=True, errors="replace")
    executed = re.search(r"number_of_executed_units:\s*(\d+)", done.stderr)
    covered = re.findall(r"cov: (\d+)", done.stderr)
    inputs = sorted(os.listdir(found))
    print(f"seed {seed}: {executed.group(1) if executed else '?'} inputs, {covered[-1] if covered else '?'} edges")
    if options.planted:
        if done.returncode == 0 or not inputs:
            sys.exit(f"FAIL: the planted fault was not found\n{done.stderr[-2000:]}")
        print("the planted fault was found")
        sys.exit(0)
    if done.returncode != 0:
        for name in inputs:
            path = os.path.join(found, name)
            with open(path, "rb") as f:
                print(f"{name}: {f.read().hex()}")
            again = subprocess.run([options.program, path], env=env, capture_output=True, text=True, errors="replace")
            print((again.stdout + again.stderr)[-4000:])
        sys.exit(f"FAIL: exit status {done.returncode}\n{done.stderr[-3000:] if not inputs else ''}")
    if not executed or not covered or int(covered[-1]) < 20:
        sys.exit(f"FAIL: it ran nothing\n{done.stderr[-2000:]}")
    if options.runs and int(executed.group(1)) < options.runs:
        sys.exit(f"FAIL: {executed.group(1)} inputs, not {options.runs}")
