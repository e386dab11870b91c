# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""Output files appear whole or not at all; what exists is kept; errors of the system are told plainly."""
import os
import signal
import stat
import subprocess
import time

from common import BATCH, CHUNK, FAILED, FAULTS, OK, PROGRAM, USAGE, Case, main, run, text_of


class Files(Case):
    def path(self, name):
        return os.path.join(self.box, name)

    def test_overwrite(self):
        plain = self.put("box/m", b"text")
        for target, args in (("m.rijn", []), ("other", ["-o", self.path("other")])):
            self.put("box/" + target, b"old")
            self.expect(run("encrypt", "-k", self.key, *args, plain), FAILED, target, "exists already", "--force")
            self.assertEqual(self.get(self.path(target)), b"old")
            self.expect(run("encrypt", "-k", self.key, "--force", *args, plain), OK)
            self.assertEqual(len(self.get(self.path(target))), 56 + 4 + 16)
        self.expect(run("decrypt", "-k", self.key, plain + ".rijn"), FAILED, plain, "exists already")
        os.remove(plain)
        self.expect(run("decrypt", "-k", self.key, plain + ".rijn"), OK)
        self.assertEqual(self.left(), ["m", "m.rijn", "other"])

    def test_came_up_meanwhile(self):
        """A target that somebody makes while the work goes on is not replaced either."""
        for faults in ("", "tmpfile", "norename", "tmpfile,norename", "tmpfile,norename,nolink"):
            with self.subTest(faults=faults):
                p = self.start("encrypt", "-k", self.key, "-o", self.path("out"), faults=faults)
                p.stdin.write(text_of(2 * BATCH))
                p.stdin.flush()
                self.wait_for_temp(p, faults)
                self.put("box/out", b"somebody's")
                err = p.communicate()[1].decode()
                self.assertEqual(p.returncode, FAILED, err)
                self.assertIn("File exists", err)
                self.assertEqual((self.get(self.path("out")), self.left()), (b"somebody's", ["out"]))
                os.remove(self.path("out"))

    def test_same_file(self):
        plain = self.put("box/m", b"text" * 1000)
        os.link(plain, self.path("hard"))
        os.symlink(plain, self.path("soft"))
        for target in ("m", "hard", "soft"):
            r = run("encrypt", "-f", "-k", self.key, "-o", self.path(target), plain)
            self.expect(r, USAGE, "is the input and the output at once")
        with open(plain, "r+b") as f:
            r = run("encrypt", "-k", self.key, plain, "-o", "-", stdout=f)
        self.expect(r, USAGE, "is the input and the output at once")
        self.expect(run("encrypt", "-f", "-k", plain, "-o", plain, self.key), FAILED, "this has 4000")
        self.expect(run("encrypt", "-f", "-k", self.key, "-o", self.key, plain), USAGE, "is the key and the output")
        self.assertEqual(self.get(plain), b"text" * 1000)
        context = self.put("box/context", b"what it is about")
        os.link(context, self.path("linked"))
        for command, text in (("encrypt", b"x"), ("decrypt", self.seal(b"x", None, "--context-file", context))):
            for target in ("context", "linked"):
                r = run(command, "-f", "-k", self.key, "--context-file", context, "-o", self.path(target), data=text)
                self.expect(r, USAGE, "is the context and the output at once")
        self.assertEqual(self.get(context), b"what it is about")

    def test_links(self):
        """--force through a symbolic link replaces what it points to; a dangling one is refused before the work."""
        self.put("real", b"old")
        os.symlink(os.path.join(self.dir, "real"), self.path("link"))
        self.expect(run("encrypt", "-k", self.key, "-o", self.path("link"), data=b"x"), FAILED, "exists already")
        self.expect(run("encrypt", "-f", "-k", self.key, "-o", self.path("link"), data=b"x"), OK)
        self.assertTrue(os.path.islink(self.path("link")))
        self.assertEqual(len(self.get(os.path.join(self.dir, "real"))), 56 + 17)
        os.symlink(os.path.join(self.dir, "nowhere"), self.path("dangling"))
        for force in ([], ["-f"]):
            for faults in ("", "getrandom"):  # a fault of the work that would come first otherwise
                r = run("encrypt", *force, "-k", self.key, "-o", self.path("dangling"), data=b"x", faults=faults)
                self.expect(r, FAILED, "dangling: is a symbolic link to a file that is not there")
        self.assertFalse(os.path.exists(os.path.join(self.dir, "nowhere")))
        self.assertTrue(os.path.islink(self.path("dangling")))

    def mode(self, path):
        return stat.S_IMODE(os.stat(path).st_mode)

    def test_mode(self):
        """The input's permissions, less the umask's."""
        for mask in (0o000, 0o022, 0o077):
            for mode in (0o600, 0o644, 0o440, 0o666, 0o4755):
                plain = self.put("box/m", b"text")
                os.chmod(plain, mode)
                want = mode & 0o777 & ~mask
                self.expect(run("encrypt", "-k", self.key, plain, preexec=lambda m=mask: os.umask(m)), OK)
                self.assertEqual(self.mode(plain + ".rijn"), want)
                os.remove(plain)
                os.chmod(plain + ".rijn", mode)
                self.expect(run("decrypt", "-k", self.key, plain + ".rijn", preexec=lambda m=mask: os.umask(m)), OK)
                self.assertEqual(self.mode(plain), want)
                os.remove(plain + ".rijn")
                os.remove(plain)
        r = run("encrypt", "-k", self.key, "-o", self.path("p"), data=b"x", preexec=lambda: os.umask(0o027))
        self.expect(r, OK)
        self.assertEqual(self.mode(self.path("p")), 0o640)

    def test_mode_of_what_is_replaced(self):
        """A file that was private stays so, whatever the input; one that was open does not open the new one."""
        plain = self.put("m", b"text")
        for faults in ("", "tmpfile"):
            for ours, old, want in ((0o644, 0o600, 0o600), (0o600, 0o644, 0o600), (0o664, 0o646, 0o644)):
                out = self.put("box/out", b"old")
                os.chmod(plain, ours)
                os.chmod(out, old)
                r = run("encrypt", "-f", "-k", self.key, "-o", out, plain, faults=faults,
                        preexec=lambda: os.umask(0))
                self.expect(r, OK)
                self.assertEqual(self.mode(out), want)
            out = self.put("box/out", b"old")
            os.chmod(out, 0o600)
            r = run("encrypt", "-f", "-k", self.key, "-o", out, data=b"x", faults=faults, preexec=lambda: os.umask(0))
            self.expect(r, OK)
            self.assertEqual(self.mode(out), 0o600)

    def test_mode_with_access_list(self):
        """Then the group's bits are what anyone in the list may have, and the group itself perhaps nothing."""
        plain = self.put("m", b"text")
        for faults in ("acl", "acl,tmpfile"):
            for mode, want in ((0o640, 0o600), (0o664, 0o644), (0o755, 0o755)):
                os.chmod(plain, mode)
                out = self.path("out")
                r = run("encrypt", "-k", self.key, "-o", out, plain, faults=faults, preexec=lambda: os.umask(0))
                self.expect(r, OK)
                self.assertEqual(self.mode(out), want)
                os.chmod(out, mode)  # and now as the file that is replaced
                r = run("encrypt", "-f", "-k", self.key, "-o", out, data=b"x", faults=faults,
                        preexec=lambda: os.umask(0))
                self.expect(r, OK)
                self.assertEqual(self.mode(out), want & 0o666)
                os.remove(out)

    def test_mode_of_another_group(self):
        """What a file gave to its group is not for the group of the new one. The new one's is the folder's here, whose
        setgid bit is set. Only root and members of a second group can make such a folder; for others it is one group."""
        others = [0x5A5A] if os.geteuid() == 0 else [g for g in os.getgroups() if g != os.getegid()]
        for group, differs in ((os.getegid(), False), *((g, True) for g in others[:1])):
            os.chown(self.box, -1, group)
            os.chmod(self.box, 0o2755)
            plain = self.put("m", b"text")
            for mode, narrowed in ((0o640, 0o600), (0o664, 0o644), (0o650, 0o600), (0o666, 0o666)):
                want = narrowed if differs else mode
                os.chmod(plain, mode)
                out = self.path("out")
                r = run("encrypt", "-k", self.key, "-o", out, plain, preexec=lambda: os.umask(0))
                self.expect(r, OK)
                self.assertEqual((self.mode(out), os.stat(out).st_gid), (want, group))
                os.chmod(plain, 0o777)
                os.chmod(out, mode)  # and now as the file that is replaced
                os.chown(out, -1, os.getegid())
                r = run("encrypt", "-f", "-k", self.key, "-o", out, plain, preexec=lambda: os.umask(0))
                self.expect(r, OK)
                self.assertEqual((self.mode(out), os.stat(out).st_gid), (want, group))
                os.remove(out)

    def test_names(self):
        plain = self.put("box/m", b"text")
        self.expect(run("decrypt", "-k", self.key, plain), USAGE, "does not end in .rijn", "-o")
        self.put("box/.rijn", b"text")
        for name in (self.path(".rijn"), ".rijn"):
            r = run("decrypt", "-k", self.key, name, preexec=lambda: os.chdir(self.box))
            self.expect(r, USAGE, name + ": nothing is left of the name without .rijn", "-o")
        for name in ("rijn", ".rij", self.path("x.rijn/y")):
            self.expect(run("decrypt", "-k", self.key, name), USAGE, name + ": does not end in .rijn", "-o")
        self.expect(run("encrypt", "-k", self.key, self.path("none")), FAILED, "none: No such file or directory")
        self.expect(run("encrypt", "-k", self.key, self.box), FAILED, f"is a directory; pack it: tar c {self.box} | rijn")
        self.expect(run("decrypt", "-k", self.key, "-o", self.path("x"), self.box), FAILED, "is a directory")
        self.expect(run("encrypt", "-k", self.key, "-o", self.box, plain), FAILED, "is a directory")
        self.expect(run("encrypt", "-k", self.key, "-o", self.box + "/", plain), USAGE, "not the name of a file")
        self.expect(run("encrypt", "-k", self.key, "-o", "", plain), USAGE, "not the name of a file")
        self.expect(run("encrypt", "-k", self.key, "-o", self.path("no/out"), plain), FAILED, "No such file")
        self.expect(run("encrypt", "-k", self.key, "-o", plain + "/out", plain), FAILED, "Not a directory")
        self.expect(run("encrypt", "-k", self.key, "-o", self.path("x" * 300), plain), FAILED, "File name too long")
        for args, name in ((["-k", self.key, ""], "FILE"), (["-k", "", plain], "--key-file"),
                           (["-k", self.key, "--context-file", "", plain], "--context-file")):
            self.expect(run("encrypt", *args), USAGE, f"rijn encrypt: {name}: '' is not the name of a file")
        self.expect(run("encrypt", "-k", self.key, "-o", self.path("x"), plain, plain), USAGE, "one name for 2 files")
        self.put("box/-dash", b"text")
        # It neither ends the line nor tells a terminal what to do, in seven bits or in eight.
        odd = self.path("a\n\x1b[2J\x7f\u009b2J\u00e9\u00c2\u00a0")
        said = self.path("a\\x0a\\x1b[2J\\x7f\\xc2\\x9b2J\u00e9\u00c2\u00a0")
        r = self.expect(run("encrypt", "-k", self.key, odd), FAILED)
        self.assertEqual(r.stderr, f"rijn: {said}: No such file or directory\n")
        r = self.expect(run("decrypt", "-k", self.key, odd), USAGE)
        self.assertTrue(r.stderr.startswith(f"rijn decrypt: {said}: does not end in .rijn"), r.stderr)
        self.put(odd, b"")
        self.expect(run("encrypt", "-k", self.key, "-o", odd, plain), FAILED, f"rijn: {said}: exists already")
        self.expect(run("encrypt", "-k", self.key, odd), OK)
        os.remove(odd)
        self.expect(run("decrypt", "-k", self.key, odd + ".rijn"), OK)
        os.remove(odd)
        os.remove(odd + ".rijn")
        r = subprocess.run([PROGRAM, "encrypt", "-k", self.key, "--", "-dash"], cwd=self.box, capture_output=True)
        self.assertEqual(r.returncode, OK, r.stderr)
        self.assertEqual(self.left(), ["-dash", "-dash.rijn", ".rijn", "m"])

    def test_full_disk(self):
        text = text_of(3 * BATCH)
        sealed = self.seal(text)
        for args, data in ((["encrypt"], text), (["decrypt"], sealed), (["encrypt"], b"")):
            args += ["-k", self.key]
            r = run(*args, "-o", "/dev/full", data=data or sealed)
            self.expect(r, FAILED, "/dev/full: cannot write: No space left on device")
            with open("/dev/full", "wb") as full:
                r = run(*args, data=data or sealed, stdout=full)
            self.expect(r, FAILED, "standard output: cannot write: No space left on device")
        for faults in (None, "tmpfile"):
            for limit in (0, 10, 100, BATCH, 2 * BATCH + 1, 3 * BATCH):
                for command, data in (("encrypt", text), ("decrypt", sealed + sealed)):
                    r = run(command, "-k", self.key, "-o", self.path("out"), data=data, fsize=limit, faults=faults)
                    if command == "decrypt" and limit == 3 * BATCH:
                        self.expect(r, FAILED, f"chunk {3 * BATCH // CHUNK} ")  # all of it fits: it is the damage that counts
                    else:
                        self.expect(r, FAILED, "cannot write: File too large")
                    self.assertEqual(self.left(), [])
        for command in ("--version", "help", "info", "selftest"):
            with open("/dev/full", "wb") as full:
                self.expect(run(command, stdout=full), FAILED, "standard output: cannot write")

    def test_faults(self):
        """Without O_TMPFILE, RENAME_NOREPLACE, hard links, and with errors at the end."""
        text = text_of(BATCH + 5)
        for faults in ("tmpfile", "norename", "tmpfile,norename", "tmpfile,norename,nolink"):
            self.expect(run("encrypt", "-k", self.key, "-o", self.path("s"), data=text, faults=faults), OK)
            self.expect(run("decrypt", "-k", self.key, "-o", self.path("t"), self.path("s"), faults=faults), OK)
            self.assertEqual((self.get(self.path("t")), self.left()), (text, ["s", "t"]))
            self.expect(run("decrypt", "-f", "-k", self.key, "-o", self.path("t"), self.path("s"), faults=faults), OK)
            self.assertEqual((self.get(self.path("t")), self.left()), (text, ["s", "t"]))
            bad = bytearray(self.get(self.path("s")))
            bad[-1] ^= 1
            r = run("decrypt", "-k", self.key, "-o", self.path("u"), self.put("bad", bytes(bad)), faults=faults)
            self.expect(r, FAILED, f"chunk {BATCH // CHUNK} ")
            self.assertEqual(self.left(), ["s", "t"])
            os.remove(self.path("s"))
            os.remove(self.path("t"))
        folder = "cannot create a file in this directory: Permission denied"
        write, name = "cannot write: Input/output error", "cannot give the finished file its name: Input/output error"
        for faults, said in (("fsync", write), ("tmpfile,fsync", write), ("zero", write), ("rename", name),
                             ("tmpfile,rename", name), ("tmpfile,norename,nolink,rename", name),
                             ("close", name), ("tmpfile,close", name), ("tmpfile,create", folder),
                             ("getrandom", "no random bytes")):
            said = said if faults == "getrandom" else f"{self.path('s')}: {said}"
            self.expect(run("encrypt", "-k", self.key, "-o", self.path("s"), data=text, faults=faults), FAILED, said)
            self.assertEqual(self.left(), [])
            self.put("box/s", b"old")
            r = run("encrypt", "-f", "-k", self.key, "-o", self.path("s"), data=text, faults=faults)
            self.expect(r, FAILED, said)
            self.assertEqual(r.stderr.count("\n"), 1, r.stderr)
            self.assertEqual((self.get(self.path("s")), self.left()), (b"old", ["s"]))
            os.remove(self.path("s"))
        with open(self.path("s"), "wb") as f:
            r = run("encrypt", "-k", self.key, data=text, faults="close", stdout=f)
        self.expect(r, FAILED, "standard output: cannot write: Input/output error")

    def test_disk(self):
        """What is written to a disk itself has to arrive there; on other devices there is nothing to wait for."""
        sealed = self.seal(b"text")
        for command, data in (("encrypt", b"text"), ("decrypt", sealed)):
            for faults, status in (("fsync", OK), ("block,fsync", FAILED)):
                r = run(command, "-k", self.key, "-o", "/dev/null", data=data, faults=faults)
                self.expect(r, status, *["/dev/null: cannot write: Input/output error"] * status)
                with open("/dev/null", "wb") as null:
                    r = run(command, "-k", self.key, data=data, faults=faults, stdout=null)
                self.expect(r, status, *["standard output: cannot write: Input/output error"] * status)

    def test_read_error(self):
        """A disk that fails in the middle of the input: an error, and no output."""
        text = text_of(2 * BATCH)
        for command, data in (("encrypt", text), ("decrypt", self.seal(text))):
            r = run(command, "-k", self.key, "-o", self.path("out"), data=data, faults="read")
            self.expect(r, FAILED, "standard input: cannot read: Input/output error")
            self.assertEqual(self.left(), [])
        self.expect(run("encrypt", "-k", self.key, "--context-file", self.box, data=b""), FAILED,
                    f"context: {self.box}: Is a directory")

    def test_pieces(self):
        """Calls that take or give less than was asked, or are interrupted, change nothing."""
        text = text_of(BATCH + 5)
        r = run("encrypt", "-k", self.key, data=text, faults="short")
        self.expect(r, OK)
        self.assertEqual(r.stdout[:24], bytes(range(24)))  # the salt
        self.assertEqual(run("decrypt", "-k", self.key, data=r.stdout).stdout, text)
        r = run("decrypt", "-k", self.key, "-o", self.path("out"), data=r.stdout, faults="short")
        self.expect(r, OK)
        self.assertEqual(self.get(self.path("out")), text)
        self.expect(run("keygen", "--raw", "-o", self.path("key"), faults="short"), OK)
        self.assertEqual(self.get(self.path("key")), bytes(range(32)))

    def test_odd_targets(self):
        """A FIFO and a device are written straight, without --force; a closed standard descriptor is an error."""
        sealed = self.seal(b"text")
        self.expect(run("decrypt", "-k", self.key, "-o", "/dev/null", data=sealed), OK)
        fifo = self.path("fifo")
        os.mkfifo(fifo)
        p = subprocess.Popen([PROGRAM, "decrypt", "-k", self.key, "-o", fifo], stdin=subprocess.PIPE)
        p.stdin.write(sealed)
        p.stdin.close()
        self.assertEqual(self.get(fifo), b"text")
        self.assertEqual(p.wait(60), OK)
        self.assertEqual(self.left(), ["fifo"])
        plain = self.put("m", b"text")
        self.expect(run("encrypt", "-k", self.key, "-o", "-", plain, preexec=lambda: os.close(1)), FAILED,
                    "standard output: cannot write: Bad file descriptor")
        self.expect(run("encrypt", "-k", self.key, preexec=lambda: os.close(0)), FAILED, "standard input: cannot read")
        r = run("encrypt", "-k", self.key, "-o", self.path("out"), plain, preexec=lambda: os.closerange(0, 3))
        self.assertEqual(r.returncode, OK)
        self.assertEqual(run("decrypt", "-k", self.key, data=self.get(self.path("out"))).stdout, b"text")

    def test_standard_by_name(self):
        """The standard output is one by its names too: a file there is added to, neither refused nor replaced. And the
        standard input is read on, not from its beginning."""
        plain, sealed = self.put("m", b"text"), self.put("s", self.seal(b"text"))
        for name in ("-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"):
            for force in ([], ["-f"]):
                with open(self.path("out"), "wb") as f:
                    f.write(b"before ")
                    f.flush()
                    self.expect(run("decrypt", *force, "-k", self.key, "-o", name, sealed, stdout=f), OK)
                    os.write(f.fileno(), b" after")
                self.assertEqual(self.get(self.path("out")), b"before text after")
                self.assertEqual(self.left(), ["out"])
            with open(plain, "r+b") as f:
                r = run("encrypt", "-k", self.key, plain, "-o", name, stdout=f)
            self.expect(r, USAGE, "standard output: is the input and the output at once")
        for name in ("/dev/stderr", "/dev/fd/2", "/proc/self/fd/2"):  # so is the standard error, and any other descriptor
            with open(self.path("out"), "wb") as f:
                f.write(b"before ")
                f.flush()
                r = subprocess.run([PROGRAM, "decrypt", "-k", self.key, "-o", name, sealed], stderr=f)
                self.assertEqual(r.returncode, OK)
            self.assertEqual(self.get(self.path("out")), b"before text")
        for name in ("-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"):
            with open(self.put("in", b"taken" + self.get(sealed)), "rb", buffering=0) as f:
                f.read(5)
                r = subprocess.run([PROGRAM, "decrypt", "-k", self.key, name], stdin=f, capture_output=True)
            self.assertEqual((r.returncode, r.stdout, r.stderr), (OK, b"text", b""))

    def test_broken_pipe(self):
        r, w = os.pipe()
        os.close(r)
        with os.fdopen(w, "wb") as f:
            p = run("encrypt", "-k", self.key, data=text_of(BATCH), stdout=f)
        self.expect(p, FAILED, "standard output: cannot write: Broken pipe")

    # ------------------------------------------------------------ signals

    def start(self, *args, faults=""):
        env = dict(os.environ, LD_PRELOAD=FAULTS, RIJN_FAULT=faults)

        def defaults():  # a shell starts what runs in the background with some of these ignored
            for sig in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
                signal.signal(sig, signal.SIG_DFL)
        return subprocess.Popen([PROGRAM, *args], stdin=subprocess.PIPE, stderr=subprocess.PIPE, env=env,
                                preexec_fn=defaults)

    def wait_for_temp(self, p, faults):
        """Until the command has its temporary file: with a name in the folder, or without one. Which, and its path."""
        end = time.monotonic() + 30
        while time.monotonic() < end:
            for n in self.left():
                if n.startswith(".rijn-"):
                    return "named", self.path(n)
            if "tmpfile" not in faults:
                for fd in os.listdir(f"/proc/{p.pid}/fd"):
                    try:
                        if "(deleted)" in os.readlink(f"/proc/{p.pid}/fd/{fd}"):
                            return "unnamed", f"/proc/{p.pid}/fd/{fd}"
                    except FileNotFoundError:
                        pass
            time.sleep(0.01)
        p.kill()
        self.fail("no temporary file within 30 s")

    def test_signals(self):
        text = text_of(BATCH)
        for faults in ("", "tmpfile"):
            for sig in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGKILL):
                with self.subTest(faults=faults, sig=sig):
                    p = self.start("encrypt", "-k", self.key, "-o", self.path("out"), faults=faults)
                    p.stdin.write(text)
                    p.stdin.flush()
                    kind, _ = self.wait_for_temp(p, faults)
                    p.send_signal(sig)
                    p.wait(60)
                    p.stdin.close()
                    p.stderr.close()
                    self.assertEqual(p.returncode, -sig)
                    if sig == signal.SIGKILL and kind == "named":
                        for n in self.left():  # nobody can tidy up here; not one byte has the target's name
                            self.assertTrue(n.startswith(".rijn-"))
                            os.remove(self.path(n))
                    self.assertEqual(self.left(), [])

    def test_mode_before_the_end(self):
        """Until it is finished the file is its owner's alone, whatever it is to become."""
        mask = os.umask(0)
        self.addCleanup(os.umask, mask)
        for faults in ("", "tmpfile"):
            p = self.start("encrypt", "-k", self.key, "-o", self.path("out"), faults=faults)
            p.stdin.write(text_of(BATCH))
            p.stdin.flush()
            self.assertEqual(self.mode(self.wait_for_temp(p, faults)[1]), 0o600)
            with open(f"/proc/{p.pid}/limits", encoding="utf-8") as f:  # nor is there a core file for others
                self.assertRegex(f.read(), r"(?m)^Max core file size +0 +0 ")
            p.communicate()
            self.assertEqual((p.returncode, self.mode(self.path("out"))), (OK, 0o666))
            os.remove(self.path("out"))

    def test_ignored_signal_stays_ignored(self):
        p = subprocess.Popen([PROGRAM, "encrypt", "-k", self.key, "-o", self.path("out")], stdin=subprocess.PIPE,
                             env=dict(os.environ, LD_PRELOAD=FAULTS, RIJN_FAULT="tmpfile"),
                             preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        p.stdin.write(text_of(BATCH))
        p.stdin.flush()
        self.wait_for_temp(p, "tmpfile")
        p.send_signal(signal.SIGHUP)
        p.stdin.close()
        self.assertEqual(p.wait(60), OK)
        self.assertEqual(self.left(), ["out"])


if __name__ == "__main__":
    main()
