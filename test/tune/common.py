# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""What the tests of the tuner share: its modules, and a run of it."""
import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "tools", "tune"), os.path.join(ROOT, "tools")]


def tune(folder, *args):
    """A run of the tuner that has to succeed: what it prints, and its record."""
    command = [sys.executable, "-B", os.path.join(ROOT, "tools", "tune"), "--folder", folder, *map(str, args)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise AssertionError(f"{command}: status {done.returncode}\n{done.stdout}{done.stderr}")
    (name,) = [name for name in os.listdir(folder) if name.endswith(".json")]
    with open(os.path.join(folder, name), encoding="utf-8") as f:
        return done.stdout, json.load(f)
