# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""What goes to a terminal and what does not: ciphertext, the text, the line that shows progress, messages."""
import fcntl
import os
import pty
import signal
import subprocess
import termios
import threading
import time

from common import BATCH, CHUNK, FAILED, OK, PROGRAM, TAG, USAGE, Case, main, run, sealed_size, text_of


class Terminal(Case):
    def on_terminal(self, args, *, stdin=None, stdout=None, stderr=None, feed=()):
        """Runs with the named streams on a terminal of its own: status and what stood on the terminal."""
        master, slave = os.openpty()

        def control():  # of this terminal: its /dev/tty
            fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
        pick = {"tty": slave, None: subprocess.DEVNULL}
        p = subprocess.Popen([PROGRAM, *args], stdin=pick.get(stdin, stdin), stdout=pick.get(stdout, stdout),
                             stderr=pick.get(stderr, stderr), start_new_session=True,
                             preexec_fn=control)
        os.close(slave)

        def write():
            for data, pause in feed:
                p.stdin.write(data)
                p.stdin.flush()
                time.sleep(pause)
            if p.stdin:
                p.stdin.close()
        writer = threading.Thread(target=write)  # a terminal takes a few KiB until somebody reads
        writer.start()
        seen = b""
        while True:
            try:
                part = os.read(master, 65536)
            except OSError:
                break
            if not part:
                break
            seen += part
        writer.join()
        status = p.wait(60)
        os.close(master)  # not before: a terminal that goes away is a SIGHUP
        return status, seen.decode()

    def test_terminal(self):
        plain = self.put("m", b"text")
        for name in ("-", "/dev/stdout", "/dev/tty"):
            for force in ([], ["-f"]):
                args = ["encrypt", *force, "-k", self.key, "-o", name, plain]
                status, seen = self.on_terminal(args, stdout="tty", stderr="tty")
                self.assertEqual(status, USAGE, name)
                self.assertRegex(seen, r"^rijn encrypt: ciphertext does not go to a terminal")
        status, seen = self.on_terminal(["decrypt", "-k", self.key, "-o", os.path.join(self.box, "x")], stdin="tty", stderr="tty")
        self.assertEqual(status, USAGE)
        self.assertIn("the standard input is a terminal", seen)
        self.expect(run("encrypt", "-k", self.key, plain), OK)
        for name in ("-", "/dev/stdout", "/dev/tty"):
            status, seen = self.on_terminal(["decrypt", "-k", self.key, "-o", name, plain + ".rijn"], stdout="tty")
            self.assertEqual((status, seen), (OK, "text"))

    @staticmethod
    def shell(args, stops, goes):
        """What a shell does with a job, in the session of its own terminal. WHY it is needed: a process whose parent is in
        another session is not stopped by Ctrl-Z. Writes the job's number, and a byte each time that it has stopped."""
        signal.signal(signal.SIGTTOU, signal.SIG_IGN)
        job = os.fork()
        if job == 0:
            os.setpgid(0, 0)
            os.tcsetpgrp(0, os.getpid())
            signal.signal(signal.SIGTTOU, signal.SIG_DFL)
            os.execv(PROGRAM, [PROGRAM, *args])
        os.write(stops, job.to_bytes(8, "little"))
        while True:
            status = os.waitpid(job, os.WUNTRACED)[1]
            if not os.WIFSTOPPED(status):
                os._exit(os.waitstatus_to_exitcode(status) & 255)
            os.tcsetpgrp(0, os.getpid())
            mode = termios.tcgetattr(0)
            mode[3] |= termios.ECHO
            termios.tcsetattr(0, termios.TCSANOW, mode)
            os.write(stops, b"s")
            os.read(goes, 1)
            os.tcsetpgrp(0, job)
            os.kill(-job, signal.SIGCONT)

    def stopped(self, args, answer, questions):
        """Stopped at each question, by Ctrl-Z and by a SIGSTOP, with some letters typed, and continued while the terminal
        shows what is typed, as shells leave it: status and what stood on the terminal."""
        (stops, stops_in), (goes_out, goes) = os.pipe(), os.pipe()
        pid, master = pty.fork()
        if pid == 0:
            self.shell(args, stops_in, goes_out)
        job, seen, asked = int.from_bytes(os.read(stops, 8), "little"), b"", 0
        for _ in range(questions):
            for stop in (lambda: os.write(master, b"\x1a"), lambda: os.kill(job, signal.SIGSTOP), None):
                asked += 1
                while seen.count(b": ") < asked:
                    seen += os.read(master, 4096)
                self.assertFalse(termios.tcgetattr(master)[3] & termios.ECHO)
                os.write(master, b"lost" if stop else answer + b"\n")
                if stop:
                    stop()
                    os.read(stops, 1)
                    os.write(goes, b"g")
        while True:
            try:
                piece = os.read(master, 4096)
            except OSError:
                break
            seen += piece
            if not piece:
                break
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        for fd in (stops, stops_in, goes_out, goes, master):
            os.close(fd)
        return status, seen

    def test_stopped(self):
        """A passphrase is asked for again, and not shown."""
        plain, out = self.put("m", b"text"), os.path.join(self.box, "x")
        for args, questions in ((["encrypt", "-p", "--passphrase-cost", "1,1,1", "-o", out, plain], 2),
                                (["decrypt", "-o", out + ".back", out], 1)):
            status, seen = self.stopped(args, b"one two", questions)
            self.assertEqual((status, b"one two" in seen, seen.count(b"Passphrase for ")), (OK, False, 3), seen)
        self.assertEqual(self.get(out + ".back"), b"text")

    def test_progress(self):
        """Only on a terminal, only after a second, gone at the end and before a message, and never in a shown text."""
        slow = ((text_of(BATCH), 1.3), (text_of(BATCH), 0), (text_of(CHUNK), 0))
        args = ["encrypt", "-k", self.key, "-o", "/dev/null"]
        status, seen = self.on_terminal(args, stdin=subprocess.PIPE, stderr="tty", feed=slow)
        self.assertEqual(status, OK)
        self.assertRegex(seen, r"^\r\x1b\[Krijn: 0\.[123] MB, \d+ MB/s")
        self.assertTrue(seen.endswith("\r\x1b[K"), repr(seen))
        quick = ((text_of(BATCH), 0.5), (text_of(CHUNK), 0))
        for _ in range(10):  # a busy machine can make a second of it
            status, seen = self.on_terminal(args, stdin=subprocess.PIPE, stderr="tty", feed=quick)
            self.assertEqual(status, OK)
            if seen == "":
                break
        self.assertEqual(seen, "")
        p = subprocess.Popen([PROGRAM, *args], stdin=subprocess.PIPE, stderr=subprocess.PIPE)
        for data, pause in slow:
            p.stdin.write(data)
            p.stdin.flush()
            time.sleep(pause)
        self.assertEqual(p.communicate()[1], b"")
        text = b"verified" * (2 * BATCH // 8)
        sealed, half = self.seal(text), sealed_size(BATCH) - TAG
        slow = ((sealed[:half], 1.3), (sealed[half:-1], 0))
        args = ["decrypt", "-k", self.key, "-o"]
        status, seen = self.on_terminal([*args, "/dev/null"], stdin=subprocess.PIPE, stderr="tty", feed=slow)
        self.assertEqual(status, FAILED)
        self.assertRegex(seen, r"^\r\x1b\[Krijn: 0\.[123] MB, \d+ MB/s\r\x1b\[Krijn: standard input: chunk 16 [^\x1b]*\n$")
        status, seen = self.on_terminal([*args, "/dev/null"], stdin=subprocess.PIPE, stderr="tty",
                                        feed=((sealed[:half], 1.3), (b"x" + sealed[half + 1:], 0)))
        self.assertEqual(status, FAILED)
        # Of the batch before the damaged one the progress may have been shown, and is gone then.
        self.assertRegex(seen, r"^(\r\x1b\[Krijn: 0\.1 MB, \d+ MB/s\r\x1b\[K)?rijn: standard input: chunk 8 [^\x1b]*\n$")
        status, seen = self.on_terminal([*args, "-"], stdin=subprocess.PIPE, stdout="tty", stderr="tty", feed=slow)
        self.assertEqual(status, FAILED)
        self.assertTrue(seen.startswith(text.decode()))
        self.assertNotIn("MB/s", seen)


if __name__ == "__main__":
    main()
