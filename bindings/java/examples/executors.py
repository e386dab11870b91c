# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""CPU time of Spark's executors on this machine, for the jobs."""
import glob
import os


def cpu_seconds(application):
    """User and system seconds of the executors of that application."""
    total = 0
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        try:
            with open(path, "rb") as f:
                command = f.read()
            if b"CoarseGrainedExecutorBackend" not in command or application.encode() not in command:
                continue
            with open(os.path.join(os.path.dirname(path), "stat"), encoding="utf-8") as f:
                fields = f.read().rsplit(")", 1)[1].split()
            total += int(fields[11]) + int(fields[12])
        except OSError:  # a process that has just ended
            continue
    return total / os.sysconf("SC_CLK_TCK")
