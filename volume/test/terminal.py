# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""A program at a terminal."""
import os
import pty
import signal
import termios
import time


def wait_for_silence(master, said):
    """WHY: some ask before they turn off the echo, and forget then what was typed already."""
    for _ in range(3000):
        if b"assphrase" not in said.splitlines()[-1] or not termios.tcgetattr(master)[3] & termios.ECHO:
            return
        time.sleep(0.01)


def talk(command, answers, folder):
    """The command's status and what it said, with a line for each question."""
    pid, master = pty.fork()
    if pid == 0:
        os.chdir(folder)
        os.execvp(command[0], command)
    said, left = b"", list(answers)
    signal.alarm(300)
    while True:
        try:
            piece = os.read(master, 4096)
        except OSError:
            break
        if not piece:
            break
        said += piece
        if said.endswith(b" ") and said.rstrip(b" ").endswith((b":", b"(y/n)")) and left:
            wait_for_silence(master, said)
            os.write(master, left.pop(0) + b"\n")
    signal.alarm(0)
    os.close(master)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), said
