# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""The examples of bindings/java, small: each provider encrypts, and all results are equal (the examples fail otherwise).

usage: examples.py SOURCE"""
import os
import shutil
import subprocess
import sys

source = sys.argv[1]
folder = os.path.join(source, "bindings/java/examples")
subprocess.run([os.path.join(source, "bindings/java/build")], check=True)
subprocess.run([os.path.join(folder, "setup")], check=True)
data = os.path.join(source, "build/java/examples/data")
shutil.rmtree(data, ignore_errors=True)
if os.path.exists(data + "-ags1"):
    os.remove(data + "-ags1")
# What was there before an example is not deleted.
kept = os.path.join(data, "kept")
os.makedirs(data)
open(kept, "w", encoding="utf-8").close()
for command in (["iceberg", "--file", kept], ["kafka", "--folder", data], ["parquet", "--folder", data],
                ["tables", "--folder", data]):
    done = subprocess.run([os.path.join(folder, command[0]), *command[1:]], stderr=subprocess.PIPE, text=True)
    if done.returncode == 0 or "is there already" not in done.stderr or not os.path.exists(kept):
        sys.exit(f"java: {' '.join(command)} was not refused: {done.stderr}")
shutil.rmtree(data)
for command in (["iceberg", "--mib", "8", "--rounds", "2", "--file", data + "-ags1"], ["shuffle", "--mib", "16", "--rounds", "1"],
                ["kafka", "--mib", "16", "--rounds", "1", "--folder", data],
                ["parquet", "--mib", "32", "--reads", "1", "--folder", data],
                ["tables", "--mib", "32", "--reads", "1", "--folder", data]):
    done = subprocess.run([os.path.join(folder, command[0]), *command[1:]], stdout=subprocess.PIPE, text=True)
    print(done.stdout, end="")
    if done.returncode != 0:
        sys.exit(f"java: {' '.join(command)}: exit status {done.returncode}")
