#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""rijn openssl-check --enable and --disable: the lines that are shown are those that are written, they take effect, they
come out again without a trace, and what is not understood stays as it is."""
import json
import os
import shutil
import stat
import struct
import subprocess
import sys
import unittest
import unittest.mock

from switched import DEBIAN, FILES, MODULE, NOBODY, PROGRAM, PROVIDERS, Base, load_script, marked

# What is refused, and why.
REFUSED = {
    "fips_mode": (PROVIDERS.replace("[p]", "alg_section = a\n[p]") + "[a]\nfips_mode = yes\n", "fips_mode"),
    "preferred": (PROVIDERS.replace("[p]", "alg_section = a\n[p]") + "[a]\ndefault_properties = ?provider=tpm2\n", "by hand"),
    "by hand": (PROVIDERS.replace("default = d", "default = d\nrijn = r") + "activate = 1\n[r]\n", "did not write"),
    "by its module": (PROVIDERS.replace("default = d", "aes = r") + "[r]\nmodule = /x/rijn.so\nactivate = 1\n", "did not write"),
    "only another": (PROVIDERS.replace("default = d", "legacy = l\n[l]\nactivate = 1"), "for you to decide"),
    "missing": ("openssl_conf = nowhere\n", "named and not there"), "mistake": ("[oops\n", "cannot read"),
    # OpenSSL stops at the mistake, and does not come to the lines.
    "stops": (DEBIAN.replace("ssl_conf = ssl_sect", "ssl_conf = nowhere"), "no effect"), "binary": ("a\0b", "no text file"),
    "half a mark": (PROVIDERS + "# rijn: begin\n", "lost its other half"), "an end": (DEBIAN + "# rijn: end\n", "lost its other half"),
}


class System(Base):
    def test_there_and_back(self):
        for name, (text, line) in FILES.items():
            with self.subTest(name):
                self.conf = self.put("openssl.cnf", text)
                before = os.stat(self.conf)
                self.assertNotEqual(marked(self.system(0, "--enable", "--dry-run").stdout), [])
                self.assertEqual((self.get(self.conf), os.stat(self.conf).st_ino), (text, before.st_ino))
                said = self.system(0, "--enable", "--yes").stdout
                now = self.get(self.conf)
                self.assertIn(line, now)
                self.assertIn(text, now)
                self.assertEqual(marked(said), ["+ " + w for w in now.replace(text, "", 1).splitlines()] if text else
                                 ["+ " + w for w in now.splitlines()])
                self.assertIn(f"module = {MODULE}", now)
                self.assertIn("takes AES-GCM from Rijn.", self.rijn(0, env={"OPENSSL_CONF": self.conf}).stdout)
                j = json.loads(self.rijn(0, "--json", env={"OPENSSL_CONF": self.conf}).stdout)
                self.assertEqual((j["used"], j["why"], j["ciphers"]["AES-256-GCM"]), (True, None, "rijn"))
                if name == "another":
                    listed = subprocess.run(["openssl", "list", "-providers"], env=self.env(OPENSSL_CONF=self.conf),
                                            capture_output=True, text=True, check=True).stdout
                    self.assertIn("legacy", listed)
                # A second time changes nothing.
                self.assertIn("nothing to do", self.system(0, "--enable", "--yes").stdout)
                self.assertEqual(self.get(self.conf), now)
                self.system(0, "--disable", "--dry-run")
                self.assertEqual(self.get(self.conf), now)
                self.system(0, "--disable", "--yes")
                self.assertEqual(self.get(self.conf), text)
                self.assertIn("nothing to do", self.system(0, "--disable", "--yes").stdout)
                self.rijn(1, env={"OPENSSL_CONF": self.conf})

    def test_last_line_open(self):
        self.conf = self.put("openssl.cnf", DEBIAN.rstrip("\n"))
        self.system(0, "--enable", "--yes")
        self.rijn(0, env={"OPENSSL_CONF": self.conf})
        self.system(0, "--disable", "--yes")
        self.assertEqual(self.get(self.conf), DEBIAN)

    def test_refused(self):
        for name, (text, why) in REFUSED.items():
            with self.subTest(name):
                self.conf = self.put("openssl.cnf", text)
                self.assertIn(why, self.system(1, "--enable", "--yes").stderr)
                self.assertEqual(self.get(self.conf), text)
                if "rijn" in text:
                    self.system(1, "--disable", "--yes")
                    self.assertEqual(self.get(self.conf), text)
        self.conf = os.path.join(self.dir, "none")
        self.system(1, "--enable", "--yes")
        self.conf = self.dir
        self.system(1, "--enable", "--yes")
        self.system(1, "--disable", "--yes")

    def test_module(self):
        """A module that cannot be loaded is not named in any file."""
        for text in ("no module", None):
            bad = os.path.join(self.dir, "bad.so") if text is None else self.put("broken/rijn.so", text)
            if text is None:
                with open(MODULE, "rb") as f, open(bad, "wb") as g:
                    g.write(f.read(20000))
            self.assertIn("Nothing was written", self.system(1, "--enable", "--yes", "--module", bad, module=False).stderr)
            self.assertEqual(self.get(self.conf), DEBIAN)
        self.system(1, "--enable", "--yes", "--module", os.path.join(self.dir, "none.so"), module=False)
        # One that is gone later: OpenSSL goes on, the check says why, --enable does not call that done.
        gone = os.path.join(self.dir, "rijn.so")
        shutil.copy(MODULE, gone)
        self.system(0, "--enable", "--yes", "--module", gone, module=False)
        self.rijn(0, env={"OPENSSL_CONF": self.conf})
        os.remove(gone)
        openssl = subprocess.run(["openssl", "dgst", "-sha256", self.conf], env=self.env(OPENSSL_CONF=self.conf),
                                 capture_output=True, text=True, check=True)
        self.assertEqual(openssl.stderr, "")
        self.put("strict.cnf", "config_diagnostics = 1\n" + self.get(self.conf))  # any mistake ends the program
        subprocess.run(["openssl", "dgst", "-sha256", self.conf], env=self.env(OPENSSL_CONF=self.dir + "/strict.cnf"),
                       stdout=subprocess.DEVNULL, check=True)
        j = json.loads(self.rijn(1, "--json", env={"OPENSSL_CONF": self.conf}).stdout)
        self.assertIn(f"there is no {gone}", j["why"])
        self.assertFalse(j["used"] or j["provider_active"])
        self.assertIn("they have no effect", self.system(1, "--enable", "--yes").stderr)
        self.system(0, "--disable", "--yes")
        self.assertEqual(self.get(self.conf), DEBIAN)

    def test_written_whole(self):
        """Mode and owner stay, a symbolic link stays one, and where writing fails the file stays as it was."""
        os.chmod(self.conf, 0o664)
        link = os.path.join(self.dir, "link.cnf")
        os.symlink("openssl.cnf", link)
        real, self.conf = self.conf, link
        self.system(0, "--enable", "--yes", preexec_fn=lambda: os.umask(0o077))
        self.assertTrue(os.path.islink(link))
        self.assertEqual(stat.S_IMODE(os.stat(real).st_mode), 0o664)
        self.assertEqual(sorted(os.listdir(self.dir)), ["link.cnf", "openssl.cnf"])
        self.system(0, "--disable", "--yes")
        for fault in ("fsync", "close", "rename", "chmod", "tmpfile,create"):
            env = {"LD_PRELOAD": os.environ["RIJN_FAULTS"], "RIJN_FAULT": fault}
            self.assertIn("cannot", self.system(1, "--enable", "--yes", env=env).stderr)
            self.assertEqual(self.get(real), DEBIAN)
            self.assertEqual(sorted(os.listdir(self.dir)), ["link.cnf", "openssl.cnf"])
        if os.getuid() == 0:
            os.chown(real, NOBODY, NOBODY)
            self.system(0, "--enable", "--yes")
            self.assertEqual((os.stat(real).st_uid, os.stat(real).st_gid), (NOBODY, NOBODY))

    def answered(self, answer, status, meanwhile=None):
        return self.asked(["--enable", "--config", self.conf, "--module", MODULE], answer, status, meanwhile)

    def test_question(self):
        self.assertIn("--yes", self.system(1, "--enable").stderr)
        for no in (b"n\n", b"\n", b"yea\n", b"\x04"):
            self.answered(no, 1)
            self.assertEqual(self.get(self.conf), DEBIAN)
        # Ctrl-C: a line, and the status that a shell gives for it.
        said = self.answered(b"\x03", 130)
        self.assertTrue(said.endswith("\nrijn: interrupted (SIGINT). Nothing was written\r\n"), said)
        self.assertNotIn("Traceback", said)
        self.assertEqual((self.get(self.conf), os.listdir(self.dir)), (DEBIAN, ["openssl.cnf"]))
        changed = DEBIAN + "# another's\n"
        said = self.answered(b"y\n", 1, lambda: self.put("openssl.cnf", changed))
        self.assertIn("changed meanwhile", said)
        self.assertEqual(self.get(self.conf), changed)
        # Another file, of the same text: its owner and its permissions are others, too.
        self.assertIn("changed meanwhile", self.answered(b"y\n", 1, lambda: os.replace(self.put("new", changed), self.conf)))
        self.assertEqual(self.get(self.conf), changed)

        def link():
            os.rename(self.conf, self.dir + "/moved")
            os.symlink("moved", self.conf)
        self.assertIn("changed meanwhile", self.answered(b"y\n", 1, link))
        self.assertEqual(self.get(self.dir + "/moved"), changed)
        os.replace(self.dir + "/moved", self.conf)
        self.answered(b"y\n", 0)
        self.assertIn("# rijn: end\n", self.get(self.conf))

    def test_edited_meanwhile(self):
        """By an editor that writes into the file itself, while the new one is being written: what it wrote stays."""
        script = load_script()
        os.utime(self.conf, (0, 0))
        text, seen = script.read_file(self.conf)
        for edited in (DEBIAN + "# another's\n", DEBIAN.replace("SECLEVEL=2", "SECLEVEL=3")):
            with unittest.mock.patch("os.fsync", lambda fd, edited=edited: self.put("openssl.cnf", edited)):
                with self.assertRaisesRegex(script.Refused, "changed meanwhile"):
                    script.replace(self.conf, text + "# Rijn's\n", seen)
            self.assertEqual(self.get(self.conf), edited)
            self.assertEqual(os.listdir(self.dir), ["openssl.cnf"])

    def test_another_module(self):
        """--enable for another module than that in the file is not done, so it does not say so."""
        self.system(0, "--enable", "--yes")
        before = self.get(self.conf)
        other, link = os.path.join(self.dir, "rijn.so"), os.path.join(self.dir, "link.so")
        shutil.copy(MODULE, other)
        os.symlink(MODULE, link)
        r = self.system(1, "--enable", "--yes", "--module", other, module=False)
        self.assertIn(f"names {MODULE}, not {other}: --disable first", r.stderr)
        self.assertIn("nothing to do", self.system(0, "--enable", "--yes", "--module", link, module=False).stdout)
        self.assertEqual(self.get(self.conf), before)

    def test_access_list(self):
        """A file with an access list would lose it. SPEC: version 2; then tag, permissions and who, of each entry."""
        entries = ((1, 6, -1), (2, 4, NOBODY), (4, 4, -1), (16, 4, -1), (32, 4, -1))
        acl = struct.pack("<I", 2) + b"".join(struct.pack("<HHi", *e) for e in entries)
        self.system(0, "--enable", "--yes")
        before = self.get(self.conf)
        os.setxattr(self.conf, "system.posix_acl_access", acl)
        self.assertIn("has an access list", self.system(1, "--disable", "--yes").stderr)
        self.assertEqual(self.get(self.conf), before)
        self.conf = self.put("other.cnf", DEBIAN)
        os.setxattr(self.conf, "system.posix_acl_access", acl)
        self.assertIn("has an access list", self.system(1, "--enable", "--dry-run").stderr)

    def test_json(self):
        j = json.loads(self.system(0, "--enable", "--json", "--dry-run").stdout)
        self.assertEqual((j["to_change"], j["written"], j["status"], j["file"]), (True, False, "ok", self.conf))
        lines = [row["line"] for row in j["lines"]]
        j = json.loads(self.system(1, "--enable", "--json").stdout)
        self.assertEqual((j["written"], j["status"]), (False, "failed"))
        self.assertIn("--yes", j["error"])
        j = json.loads(self.system(0, "--enable", "--json", "--yes").stdout)
        self.assertEqual((j["written"], j["action"], {row["sign"] for row in j["lines"]}), (True, "enable", {"+"}))
        self.assertEqual(self.get(self.conf), DEBIAN + "".join(line + "\n" for line in lines))
        j = json.loads(self.system(0, "--disable", "--json", "--yes").stdout)
        self.assertEqual((j["written"], j["action"], [row["line"] for row in j["lines"]]), (True, "disable", lines))
        self.conf = self.put("openssl.cnf", "[oops\n")
        j = json.loads(self.system(1, "--enable", "--json", "--yes").stdout)
        self.assertIn("cannot read", j["error"])
        self.assertIn("has a mistake in line 1.", j["why"])
        self.conf = os.path.join(self.dir, "none.cnf")
        j = json.loads(self.system(1, "--enable", "--json", "--yes").stdout)
        self.assertEqual((j["file"], j["why"]), (self.conf, None))

    def test_root(self):
        """Of a system in a folder, whose file is a link as on Debian: /usr/lib/ssl/openssl.cnf to /etc/ssl/openssl.cnf."""
        shown = subprocess.run(["openssl", "version", "-d"], capture_output=True, text=True, check=True).stdout
        folder = shown.split('"')[1]
        conf, module = self.put("root/etc/ssl/openssl.cnf", DEBIAN), self.put("root/m/rijn.so", "of another machine")
        if folder != "/etc/ssl":
            os.makedirs(self.dir + "/root" + folder)
            os.symlink("/etc/ssl/openssl.cnf", f"{self.dir}/root{folder}/openssl.cnf")
        root = self.dir + "/root"
        self.rijn(1, "--enable", "--yes", "--root", root, "--module", "/m/none.so", module=False)
        self.rijn(0, "--enable", "--yes", "--root", root, "--module", "/m/rijn.so", module=False)
        self.assertIn("module = /m/rijn.so\n", self.get(conf))
        self.assertEqual(self.get(module), "of another machine")
        self.assertIn("nothing to do",
                      self.rijn(0, "--enable", "--yes", "--root", root, "--module", "/m/rijn.so", module=False).stdout)
        self.put("root/m/new.so", "")
        r = self.rijn(1, "--enable", "--yes", "--root", root, "--module", "/m/new.so", module=False)
        self.assertIn("names /m/rijn.so, not /m/new.so", r.stderr)
        self.rijn(0, "--disable", "--yes", "--root", root)
        self.assertEqual(self.get(conf), DEBIAN)
        # What OpenSSL could not read with the lines in it is not written. It takes a byte order mark at the start only.
        for text, why in (("\ufeffHOME = .\n", "a byte order mark"), ("\ufeff" + PROVIDERS, None)):
            self.put("root/etc/ssl/openssl.cnf", text)
            words = ["--enable", "--yes", "--root", root, "--module", "/m/rijn.so"]
            r = self.rijn(1 if why else 0, *words, module=False)
            self.assertIn(why or "written", r.stdout + r.stderr)
            if why:
                self.assertEqual(self.get(conf), text)
        # Links that lead out of the folder: of the file, by a link of a link, and of a folder.
        outside = self.put("outside/openssl.cnf", DEBIAN)
        for name, to in (("one", outside), ("two", "one"), ("up", "../../outside/openssl.cnf"), ("/folder", "../outside")):
            os.symlink(to, root + name if name[0] == "/" else f"{root}/m/{name}")
        for name in ("/m/one", "/m/two", "/m/up", "/folder/openssl.cnf"):
            for action in "--enable", "--disable":
                words = ["--module", "/m/rijn.so"] if action == "--enable" else []
                self.rijn(1, action, "--yes", "--root", root, "--config", name, *words, module=False)
            self.assertEqual(self.get(outside), DEBIAN)
        r = self.rijn(1, "--enable", "--yes", "--root", root, "--config", "/m/up", "--module", "/m/rijn.so", module=False)
        self.assertIn("leads out of the folder of --root", r.stderr)

    def build(self, name):
        """A folder like that of a build: the command, and the module beside it."""
        folder = os.path.join(self.dir, name)
        os.makedirs(os.path.join(folder, "provider"))
        shutil.copy(MODULE, os.path.join(folder, "provider"))
        return folder, self.program(os.path.join(folder, "bin", os.path.basename(PROGRAM)))

    def test_others_module(self):
        """A module that another user can change does not go into the system's file by itself."""
        folder, program = self.build("build")
        module = os.path.join(folder, "provider", "rijn.so")

        def said(*words):
            return subprocess.run([program, "--enable", "--dry-run", *words], capture_output=True, text=True,
                                  stdin=subprocess.DEVNULL, env=self.env(), timeout=900)
        self.assertNotIn("can be changed by others", said().stderr)
        changes = [(module, 0o666), (os.path.dirname(module), 0o777), (folder, 0o775)]
        for path, mode in changes:
            before = stat.S_IMODE(os.stat(path).st_mode)
            os.chmod(path, mode)
            r = said()
            self.assertEqual(r.returncode, 1)
            self.assertIn(f"{module}: can be changed by others: install it first, or name it with --module", r.stderr)
            self.assertNotIn("can be changed", said("--module", module).stderr)
            self.assertIn(f"module = {module}", said("--config", self.conf).stdout)
            os.chmod(path, before)
        os.chmod(folder, 0o1777)
        self.assertNotIn("can be changed by others", said().stderr)
        if os.getuid() == 0:
            for path in (module, folder):
                os.chown(path, NOBODY, NOBODY)
                self.assertIn("can be changed by others", said().stderr)
                os.chown(path, 0, 0)

    def test_found_path(self):
        """A path that is found has to be as plain as one that is given."""
        for name in ("with blank", "50%", "a;b"):
            program = self.build(name)[1]
            r = self.rijn(1, "--enable", "--yes", "--config", self.conf, module=False, program=program)
            self.assertIn("characters that mean something", r.stderr)
            self.assertEqual(self.get(self.conf), DEBIAN)

    def test_usage(self):
        for words in (["--enable", "--disable"], ["--enable", "--pid", "1"], ["--enable", "--enable"], ["--yes"], ["--dry-run"],
                      ["--service", "x"], ["--config", "/x"], ["--module", "/x"], ["--root", "/x"], ["--pid", "1", "--yes"],
                      ["--pid", ""], ["--pid", "0"], ["--pid", "-1"], ["--pid", "1x"], ["--pid", "99999999999"], ["--pid"],
                      ["--enable", "--config", "relative"], ["--enable", "--config", "/a\nb"], ["--enable", "--config", ""],
                      ["--enable", "--module", "/a;b"], ["--enable", "--service", "x", "--module", "/x"],
                      ["--enable", "--service", ""], ["--enable", "--service", "../x"], ["--enable", "--service", "a b"],
                      ["--enable", "--service", "-x"], ["--enable", "--service", "a\nb"], ["--enable", "x"]):
            r = self.rijn(2, *words, module=False)
            self.assertIn("Try 'rijn openssl-check --help'", r.stderr, words)
            self.assertEqual(r.stdout, "")


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=2))
