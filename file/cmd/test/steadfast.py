# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""What happens beside the work: a disk that is full before the first byte, a file system without permissions, a folder that
cannot be listed, files that grow and shrink, a process killed anywhere, power that fails anywhere."""
import os
import random
import signal
import struct
import subprocess
import threading
import time

from common import BATCH, FAILED, FAULTS, OK, PROGRAM, Case, main, run, text_of


class Steadfast(Case):
    def path(self, name):
        return os.path.join(self.box, name)

    def test_space_is_reserved(self):
        """A full disk is known before the work; a file system that cannot reserve is none the worse for it."""
        text = text_of(5 * BATCH + 1)
        plain = self.put("m", text)
        sealed = self.put("s.rijn", self.seal(text))
        for command, source in (("encrypt", plain), ("decrypt", sealed)):
            for faults in ("reserve", "reserve,tmpfile"):
                r = run(command, "-k", self.key, "-o", self.path("out"), source, faults=faults)
                self.expect(r, FAILED, "out: cannot write: No space left on device")
                self.assertEqual((r.stderr.count("\n"), self.left()), (1, []))
            self.expect(run(command, "-k", self.key, "-o", self.path("out"), source, faults="noreserve"), OK)
            size = os.stat(self.path("out")).st_size
            self.assertEqual(size, len(self.get(sealed)) if command == "encrypt" else len(text))
            os.remove(self.path("out"))

    def test_disk_ends_in_the_work(self):
        """Where space cannot be reserved, a disk that is full, or fails, is met in the middle: no file, and the old one."""
        text = text_of(9 * BATCH)
        plain, sealed = self.put("m", text), self.put("s.rijn", self.seal(text))
        for command, source in (("encrypt", plain), ("decrypt", sealed)):
            for fault, said in (("space", "No space left on device"), ("broken", "Input/output error")):
                for more in ("noreserve", "noreserve,tmpfile"):
                    for jobs in ("1", "4"):
                        args = [command, "-j", jobs, "-k", self.key, "-o", self.path("out")]
                        r = run(*args, source, faults=f"{fault},{more}")
                        self.expect(r, FAILED, "out: cannot write: " + said)
                        self.assertEqual((r.stderr.count("\n"), self.left()), (1, []))
                        self.put("box/out", b"old")
                        self.expect(run(*args, "-f", source, faults=f"{fault},{more}"), FAILED, said)
                        self.assertEqual((self.get(self.path("out")), self.left()), (b"old", ["out"]))
                        os.remove(self.path("out"))

    def test_input_fails_in_the_work(self):
        """The same of a file that is read."""
        text = text_of(9 * BATCH)
        for command, source in (("encrypt", self.put("m", text)), ("decrypt", self.put("m.rijn", self.seal(text)))):
            for jobs in ("1", "4"):
                r = run(command, "-j", jobs, "-k", self.key, "-o", self.path("out"), source, faults="read")
                self.expect(r, FAILED, f"{source}: cannot read: Input/output error")
                self.assertEqual((r.stderr.count("\n"), self.left()), (1, []))

    def test_interrupted(self):
        """Calls that take a place, and are interrupted, or take less than was asked."""
        text = text_of(3 * BATCH + 5)
        plain = self.put("m", text)
        for jobs in ("1", "4"):
            for faults in ("short", "short,tmpfile,noreserve"):
                r = run("encrypt", "-f", "-j", jobs, "-k", self.key, "-o", self.path("s"), plain, faults=faults)
                self.expect(r, OK)
                r = run("decrypt", "-f", "-j", jobs, "-k", self.key, "-o", self.path("t"), self.path("s"), faults=faults)
                self.expect(r, OK)
                self.assertEqual(self.get(self.path("t")), text)

    # ------------------------------------------------------------ pipes

    def test_slow_pipes(self):
        """A pipe that gives little, and seldom, and one that takes so: nothing waits for more than there is."""
        text = text_of(2 * BATCH + 77)
        for command, data, want in (("encrypt", text, None), ("decrypt", self.seal(text), text)):
            p = subprocess.Popen([PROGRAM, command, "-j", "4", "-k", self.key], stdin=subprocess.PIPE,
                                 stdout=subprocess.PIPE)
            out = bytearray()

            def take():
                while part := os.read(p.stdout.fileno(), 5000):
                    out.extend(part)
                    time.sleep(0.002)
            reader = threading.Thread(target=take)
            reader.start()
            for i in range(0, len(data), 7001):
                p.stdin.write(data[i:i + 7001])
                p.stdin.flush()
                time.sleep(0.003)
            p.stdin.close()
            reader.join(100)
            p.stdout.close()
            self.assertEqual(p.wait(100), OK)
            back = bytes(out) if want else run("decrypt", "-k", self.key, data=bytes(out)).stdout
            self.assertEqual(back, text)

    def test_reader_goes_away(self):
        """In the middle of the work, as head does: said, and no signal ends the program."""
        text = text_of(60 * BATCH)
        for command, source in (("encrypt", self.put("m", text)), ("decrypt", self.put("m.rijn", self.seal(text)))):
            for jobs in ("1", "4"):
                p = subprocess.Popen([PROGRAM, command, "-j", jobs, "-k", self.key, "-o", "-", source],
                                     stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                self.assertEqual(len(p.stdout.read(100000)), 100000)
                p.stdout.close()
                err = p.stderr.read().decode()
                p.stderr.close()
                self.assertEqual((p.wait(100), err), (FAILED, "rijn: standard output: cannot write: Broken pipe\n"))

    def test_no_permissions(self):
        """A file system that refuses chmod: said before the work, and no error, as for cp."""
        text = text_of(BATCH + 3)
        plain = self.put("m", text)
        for mode, faults, warned in ((0o600, "chmod", False), (0o600, "chmod,tmpfile", False), (0o644, "chmod", True)):
            os.chmod(plain, mode)
            r = run("encrypt", "-k", self.key, "-o", self.path("s"), plain, faults=faults)
            self.expect(r, OK, *(["warning: ", "s: keeps the permissions that its file system gives it (0600)"] * warned))
            self.assertEqual(r.stderr.count("\n"), int(warned))
            r = run("decrypt", "-f", "-k", self.key, "-o", self.path("t"), self.path("s"), faults=faults)
            self.expect(r, OK)
            self.assertEqual(self.get(self.path("t")), text)
            os.remove(self.path("s"))
        r = run("encrypt", "-k", self.key, "-o", self.path("s"), plain, faults="chmod,getrandom")
        self.assertIn("keeps the permissions", r.stderr.splitlines()[0])  # before the work
        self.expect(run("keygen", "-o", self.path("key"), faults="chmod"), OK)
        self.assertEqual(len(self.get(self.path("key"))), 90)

    def test_folder_that_cannot_be_listed(self):
        """Mode 1733, another user: cp works, and so does this."""
        plain, shared = self.put("m", b"text"), self.path("shared")
        os.mkdir(shared)
        os.chmod(self.dir, 0o711)
        os.chmod(self.box, 0o711)
        os.chmod(plain, 0o644)
        os.chmod(self.key, 0o644)
        root = os.geteuid() == 0
        os.chmod(shared, 0o1733 if root else 0o333)

        def nobody():
            if root:
                os.setgroups([])
                os.setgid(65534)
                os.setuid(65534)
        for faults in ("", "tmpfile"):
            out = os.path.join(shared, "out" + faults)
            self.expect(run("encrypt", "-k", self.key, "-o", out, plain, preexec=nobody, faults=faults), OK)
            self.assertEqual(len(self.get(out)), 56 + 4 + 16)
        os.chmod(shared, 0o755)
        self.assertEqual(sorted(os.listdir(shared)), ["out", "outtmpfile"])

    def while_running(self, change, size):
        """Encrypts a file that change(path) changes when the second batch is about to be read."""
        path = self.put("m", text_of(size))
        mark = self.path("mark")
        faults = {"LD_PRELOAD": FAULTS, "RIJN_FAULT": "pause", "RIJN_FAULT_MARK": mark}
        p = subprocess.Popen([PROGRAM, "encrypt", "-j", "1", "-k", self.key, "-o", self.path("out"), path],
                             stderr=subprocess.PIPE, env=dict(os.environ, **faults))
        while not os.path.exists(mark):
            self.assertIsNone(p.poll(), "ended before its second read")
            time.sleep(0.001)
        change(path)
        os.remove(mark)
        err = p.communicate(timeout=900)[1].decode()
        return p.returncode, err

    def test_grows(self):
        """A file that grows is read to where it ends then, as cp does."""
        size = 20 * BATCH

        def grow(path):
            with open(path, "ab") as f:
                f.write(text_of(BATCH + 5))
        status, err = self.while_running(grow, size)
        self.assertEqual((status, err), (OK, ""))
        back = run("decrypt", "-k", self.key, "-o", "-", self.path("out")).stdout
        self.assertIn(back, (text_of(size) + text_of(BATCH + 5), text_of(size)))

    def test_shrinks(self):
        status, err = self.while_running(lambda path: os.truncate(path, BATCH), 20 * BATCH)
        self.assertIn("m: became shorter while it was read", err)
        self.assertEqual((status, self.left()), (FAILED, []))

    def test_killed(self):
        """At a hundred points, with a file that is replaced: the old one or the new one, whole."""
        random.seed(1)
        text = text_of(30 * BATCH)
        old, plain = self.seal(b"old"), self.put("m", text)
        kinds = {b"old": 0, text: 0}
        for i in range(100):
            faults = "tmpfile" if i % 2 else ""
            out = self.put("box/out", old)
            p = subprocess.Popen([PROGRAM, "encrypt", "-f", "-k", self.key, "-o", out, plain], stderr=subprocess.DEVNULL,
                                 env=dict(os.environ, LD_PRELOAD=FAULTS, RIJN_FAULT=faults))
            time.sleep(random.random() * 0.08)
            p.send_signal(signal.SIGKILL)
            p.wait(60)
            back = run("decrypt", "-k", self.key, "-o", "-", out)
            self.assertEqual(back.returncode, OK, back.stderr)
            kinds[back.stdout] += 1  # a KeyError: neither
            for n in self.left():
                self.assertTrue(n == "out" or n.startswith(".rijn-"))
                os.remove(self.path(n))
        self.assertGreater(kinds[b"old"], 0)

    # ------------------------------------------------------------ power

    def replay(self, log, text, old):
        """Every state that a power failure can leave: names change in the order of the log, at any time up to the next one
        of the folder's fsync; of data, what fsync has seen is there, and nothing else is sure. So a name may only point to
        data that was synchronised before it was given. The record: kind, descriptor's inode, position, length."""
        synced, states = {}, 0
        written = {}
        names = {"out": "old"}
        for kind, inode, at, length in log:
            if kind == "w":
                written.setdefault(inode, []).append((at, length))
            elif kind == "t":
                written.setdefault(inode, []).append(("cut", at))
            elif kind == "f":
                synced[inode] = list(written.get(inode, []))
            elif kind == "n":  # this inode gets the target's name
                self.assertEqual(synced.get(inode), written.get(inode), "named before all of it was synchronised")
                names["out"] = inode
            states += 1
            if names["out"] != "old":  # what is there after a failure now: all of the file
                end = 0
                for a, n in synced[names["out"]]:
                    end = n if a == "cut" else max(end, a + n)
                covered = sorted(x for x in synced[names["out"]] if x[0] != "cut")
                reach = 0
                for a, n in covered:
                    self.assertLessEqual(a, reach)
                    reach = max(reach, a + n)
                self.assertEqual((reach, end), (text, text))
        self.assertNotEqual(names["out"], "old")
        return states

    def test_power_cut(self):
        """The log of all that is written and synchronised, replayed to each point."""
        text = text_of(49 * BATCH + 11)
        plain = self.put("m", text)
        for faults in ("log", "log,tmpfile", "log,noreserve", "log,norename"):
            self.put("box/out", b"old")
            record = os.path.join(self.dir, "record")
            r = subprocess.run([PROGRAM, "encrypt", "-f", "-k", self.key, "-o", self.path("out"), plain],
                               env=dict(os.environ, LD_PRELOAD=FAULTS, RIJN_FAULT=faults, RIJN_FAULT_LOG=record))
            self.assertEqual(r.returncode, OK)
            entry = struct.Struct("<cxxxxxxxQQQ")
            data = self.get(record)
            log = [(k.decode(), i, a, n) for k, i, a, n in entry.iter_unpack(data)]
            self.assertGreater(self.replay(log, len(self.get(self.path("out"))), b"old"), 10)
            inode, folder = os.stat(self.path("out")).st_ino, os.stat(self.box).st_ino
            kinds = [(k, i) for k, i, _, _ in log if k in "fn"]
            # WHY the folder behind the name: else the name could be lost when rijn has said that all is well.
            self.assertEqual(kinds[-2:], [("n", inode), ("f", folder)])
            self.assertEqual([k for k, i, _, _ in log if i == inode and k in "fn"], ["f", "n"])  # one fsync, then the name
            self.assertIn(("e", inode), {(k, i) for k, i, _, _ in log})  # the disk worked before that
            os.remove(record)
        # and --sync=no synchronises nothing, as it says, nor hurries the disk
        self.put("box/out", b"old")
        subprocess.run([PROGRAM, "encrypt", "-f", "--sync=no", "-k", self.key, "-o", self.path("out"), plain], check=True,
                       env=dict(os.environ, LD_PRELOAD=FAULTS, RIJN_FAULT="log", RIJN_FAULT_LOG=record))
        kinds = [k.decode() for k, *_ in entry.iter_unpack(self.get(record))]
        self.assertIn("w", kinds)
        self.assertFalse({"e", "f"} & set(kinds))


if __name__ == "__main__":
    main()
