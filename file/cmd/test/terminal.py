# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""What goes to a terminal and what does not: ciphertext, the text, the line that shows progress, messages."""
import fcntl
import os
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
