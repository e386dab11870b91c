#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""rijn openssl-check --service: a drop-in of systemd, made and taken out, inside the root that was named; and what is
refused."""
import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import unittest
import unittest.mock

from switched import DEBIAN, FILES, PROGRAM, PROVIDERS, Base, load_script, marked, until_it_waits


class Service(Base):
    def setUp(self):
        super().setUp()
        self.root = os.path.join(self.dir, "root")
        self.put("root/usr/lib/systemd/system/web.service", "[Service]\nExecStart=/bin/true\n")
        self.put("root/usr/lib/systemd/system/many@.service", "[Service]\nExecStart=/bin/true\n")
        self.put("root/usr/share/rijn/rijn-openssl.cnf", DEBIAN)

    def service(self, status, action, name, *args, **more):
        return self.rijn(status, action, "--service", name, "--root", self.root, *args,
                         *(["--config", "/usr/share/rijn/rijn-openssl.cnf"] if action == "--enable" else []), **more)

    def tree(self):
        return sorted(os.path.join(at, n) for at, _, names in os.walk(self.root) for n in names)

    def test_there_and_back(self):
        before = self.tree()
        for name, unit in (("web", "web.service"), ("web.service", "web.service"), ("many@one", "many@one.service")):
            drop_in = os.path.join(self.root, "etc/systemd/system", unit + ".d", "rijn-openssl.conf")
            said = self.service(0, "--enable", name, "--dry-run").stdout
            self.assertEqual(self.tree(), before)
            self.service(1, "--enable", name)
            self.assertEqual(self.tree(), before)
            said = self.service(0, "--enable", name, "--yes").stdout
            self.assertIn(f"systemctl restart {unit}", said)
            self.assertEqual(marked(said), ["+ " + line for line in self.get(drop_in).splitlines()])
            self.assertIn("[Service]\nEnvironment=OPENSSL_CONF=/usr/share/rijn/rijn-openssl.cnf\n", self.get(drop_in))
            self.assertEqual(stat.S_IMODE(os.stat(drop_in).st_mode), 0o644)
            self.assertIn("nothing to do", self.service(0, "--enable", name, "--yes").stdout)
            self.service(0, "--disable", name, "--dry-run")
            self.assertTrue(os.path.exists(drop_in))
            j = json.loads(self.service(0, "--disable", name, "--yes", "--json").stdout)
            self.assertEqual((j["written"], j["file"]), (True, drop_in))
            self.assertEqual(self.tree(), before)
            self.assertFalse(os.path.exists(os.path.dirname(drop_in)))
            self.assertIn("nothing to do", self.service(0, "--disable", name, "--yes").stdout)

    def test_refused(self):
        self.assertIn("no unit nonesuch.service", self.service(1, "--enable", "nonesuch", "--yes").stderr)
        own = "root/etc/systemd/system/web.service.d/rijn-openssl.conf"
        path = self.put(own, "[Service]\nEnvironment=OPENSSL_CONF=/mine\n")
        for action in "--enable", "--disable":
            self.assertIn("did not write it", self.service(1, action, "web", "--yes").stderr)
        self.assertIn("/mine", self.get(path))
        os.remove(path)
        # One that was written so, and edited since.
        self.service(0, "--enable", "web", "--yes")
        written = self.get(path)
        for text in (written + "Nice=5\n", written.replace("[Service]\n", "[Service]\nNice=5\n"), written.rstrip("\n"),
                     written.splitlines(True)[0]):
            self.put(own, text)
            for action in "--enable", "--disable":
                self.assertIn("did not write it", self.service(1, action, "web", "--yes").stderr)
            self.assertEqual(self.get(path), text)
        os.remove(path)
        # One that cannot be read is not one that is not there.
        for what in ("a\0b", None):
            if what is None:
                os.mkdir(path)
            else:
                self.put(own, what)
            for action in "--enable", "--disable":
                r = self.service(1, action, "web", "--yes")
                self.assertIn("no text file" if what else "cannot read", r.stderr)
                self.assertEqual(r.stdout, "")
            if what is None:
                os.rmdir(path)
            else:
                os.remove(path)
        folders = ("etc/systemd/system.control", "run/systemd/system.control", "run/systemd/transient", "run/systemd/generator.early",
                   "etc/systemd/system.attached", "run/systemd/generator", "run/systemd/generator.late")
        for other in ("etc/systemd/system/web.service.d/10-mine.conf", "run/systemd/system/web.service.d/x.conf",
                      "etc/systemd/system/web.service", *(f"{at}/web.service.d/x.conf" for at in folders)):
            path = self.put("root/" + other, '[Service]\nEnvironment="OPENSSL_CONF=/mine"\n')
            self.assertIn(f"{path}: sets OPENSSL_CONF already", self.service(1, "--enable", "web", "--yes").stderr)
            os.remove(path)
        path = self.put("root/etc/systemd/system/many@.service.d/x.conf", "[Service]\nEnvironment=OPENSSL_CONF=/mine\n")
        self.assertIn("sets OPENSSL_CONF already", self.service(1, "--enable", "many@one", "--yes").stderr)
        os.remove(path)
        files = self.put("root/etc/default/web", "A=1\n OPENSSL_CONF=/mine\n")
        for other in ('Environment=A=1 \\\n  "OPENSSL_CONF=/mine"\n', "EnvironmentFile=-/etc/default/web\n",
                      "EnvironmentFile = /etc/default/*\nNice=5\n"):
            for at in "web.service.d/x.conf", "service.d/x.conf":
                path = self.put("root/etc/systemd/system/" + at, "[Service]\n" + other)
                self.assertIn(f"{path}: sets OPENSSL_CONF already", self.service(1, "--enable", "web", "--yes").stderr)
                os.remove(path)
        for other, what in (("PassEnvironment=A OPENSSL_CONF\n", "passes OPENSSL_CONF"),
                            ('PassEnvironment = A \\\n "OPENSSL_CONF"\n', "passes OPENSSL_CONF"),
                            ("UnsetEnvironment=OPENSSL_CONF B\n", "takes OPENSSL_CONF away")):
            path = self.put("root/etc/systemd/system/web.service.d/x.conf", "[Service]\n" + other)
            self.assertIn(f"{path}: {what}", self.service(1, "--enable", "web", "--yes").stderr)
            os.remove(path)
        path = self.put("root/etc/systemd/system/web.service.d/x.conf", "[Service]\nEnvironmentFile=-/etc/%N.env\n")
        self.assertIn(f"{path}: names a file of variables, /etc/%N.env, ", self.service(1, "--enable", "web", "--yes").stderr)
        os.remove(path)
        for other in "PassEnvironment=OPENSSL_CONF_INCLUDE MY_OPENSSL_CONF\n", "UnsetEnvironment=OPENSSL_CONFIG\n":
            path = self.put("root/etc/systemd/system/web.service.d/x.conf", "[Service]\n" + other)
            self.service(0, "--enable", "web", "--dry-run")
            os.remove(path)
        # An empty one takes back what came before, and drop-ins come in the order of their names.
        for other, refused in (("zz.conf", True), ("rijn-z.conf", True), ("10-mine.conf", False)):
            path = self.put("root/etc/systemd/system/service.d/" + other, "[Service]\nEnvironment = \nEnvironment=A=1\n")
            r = self.service(1 if refused else 0, "--enable", "web", "--dry-run")
            self.assertEqual(f"{path}: comes after ours, and takes OPENSSL_CONF away" in r.stderr, refused, other)
            os.remove(path)
        # Drop-ins of a part of the name, up to a dash.
        for unit in "my-web-app.service", "my-web-app@.service":
            self.put("root/usr/lib/systemd/system/" + unit, "[Service]\nExecStart=/bin/true\n")
        for name, refused, taken in (
                ("my-web-app", ("my-.service.d", "my-web-.service.d"), ("my-web.service.d", "m-.service.d")),
                ("my-web-app@a-b", ("my-@a-b.service.d", "my-web-@.service.d", "my-web-.service.d", "my-.service.d"),
                 ("my-web-app@a-.service.d", "my-.d", "my-web-app.service.d", "my-web-app@a-.service.d"))):
            for folder in refused + taken:
                path = self.put(f"root/etc/systemd/system/{folder}/x.conf", "[Service]\nEnvironment=OPENSSL_CONF=/mine\n")
                r = self.service(0 if folder in taken else 1, "--enable", name, "--yes", "--dry-run")
                self.assertEqual(f"{path}: sets OPENSSL_CONF already" in r.stderr, folder in refused, folder)
                os.remove(path)
        self.put("root/etc/default/web", "A=1\n# OPENSSL_CONF=/mine\nOPENSSL_CONFIG=1\n")
        path = self.put("root/etc/systemd/system/web.service.d/x.conf", "[Service]\nEnvironmentFile=-/etc/default/web\n")
        self.service(0, "--enable", "web", "--dry-run")
        os.remove(path)
        os.remove(files)
        # Another's file in the folder of the drop-in stays, and so does the folder.
        self.put("root/etc/systemd/system/web.service.d/10-mine.conf", "[Service]\nNice=5\n")
        before = self.tree()
        self.service(0, "--enable", "web", "--yes")
        self.service(0, "--disable", "web", "--yes")
        self.assertEqual(self.tree(), before)
        os.remove(os.path.join(self.root, "usr/share/rijn/rijn-openssl.cnf"))
        self.service(1, "--enable", "web", "--yes")

    def test_edited_meanwhile(self):
        """Into the file itself, while the question stands: what another wrote stays."""
        self.service(0, "--enable", "web", "--yes")
        own = "root/etc/systemd/system/web.service.d/rijn-openssl.conf"
        edited = self.get(os.path.join(self.dir, own)) + "Nice=5\n"
        words = ["--disable", "--service", "web", "--root", self.root]
        self.assertIn("changed meanwhile", self.asked(words, b"y\n", 1, lambda: self.put(own, edited)))
        self.assertEqual(self.get(os.path.join(self.dir, own)), edited)

    def test_lines_as_systemd_reads_them(self):
        """Comments go before lines are joined; two backslashes are a letter; an empty line ends a line that goes on."""
        x = "root/etc/systemd/system/web.service.d/x.conf"
        for text, refused in (("# see \\\nEnvironment=OPENSSL_CONF=/mine\n", True),
                              (" ; see \\\nEnvironment=OPENSSL_CONF=/mine\n", True),
                              ("Environment=A=1 \\\n# note\n OPENSSL_CONF=/mine\n", True),
                              ("Environment=A=1 \\\n; note \\\n# more\n OPENSSL_CONF=/mine", True),
                              ("Environment=A=1 \\\r\n OPENSSL_CONF=/mine\r\n", True),
                              ("Description=x\\\\\nEnvironment=OPENSSL_CONF=/mine\n", True),
                              ("Description=x \\\nEnvironment=OPENSSL_CONF=/mine\n", False),
                              ("Environment=A=1 \\\n\nOPENSSL_CONF=/mine\n", False),
                              ("Environment=A=1 \\\n# OPENSSL_CONF=/mine\n", False), ("Environment=A=1 \\", False)):
            path = self.put(x, "[Service]\n" + text)
            r = self.service(1 if refused else 0, "--enable", "web", "--dry-run")
            self.assertEqual(f"{path}: sets OPENSSL_CONF already" in r.stderr, refused, text)
        # A name with a backslash, as systemd-escape makes them.
        self.put("root/usr/lib/systemd/system/my\\x2dapp.service", "[Service]\nExecStart=/bin/true\n")
        self.put("root/etc/systemd/system/my\\x2dapp.service.d/x.conf", "[Service]\nEnvironment=OPENSSL_CONF=/mine\n")
        self.assertIn("sets OPENSSL_CONF already", self.service(1, "--enable", "my\\x2dapp", "--dry-run").stderr)

    def test_what_cannot_be_read(self):
        """Nobody knows what it sets: refused, with its name. Links that lead in a circle: no rights of root help."""
        for name in ("etc/systemd/system/web.service.d/x.conf", "etc/systemd/system/web.service", "run/systemd/system/web.service.d"):
            path = os.path.join(self.root, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            os.symlink(os.path.basename(path), path)
            said = self.service(1, "--enable", "web", "--yes").stderr
            self.assertIn(path, said)
            self.assertIn("cannot be read, and may set OPENSSL_CONF", said)
            os.remove(path)
        path = os.path.join(self.root, "etc/systemd/system/web.service.d/x.conf")
        os.mkdir(path)
        self.assertIn(f"{path}: cannot be read", self.service(1, "--enable", "web", "--yes").stderr)
        os.rmdir(path)
        os.symlink("nonesuch", path)  # which systemd passes over
        self.service(0, "--enable", "web", "--dry-run")
        os.remove(path)
        self.put("root/etc/systemd/system/web.service.d/x.conf", "[Service]\nEnvironmentFile=-/etc/default/web\n")
        os.makedirs(self.root + "/etc/default")
        os.symlink("web", self.root + "/etc/default/web")
        self.assertIn(f"{path}: names a file of variables that cannot be read", self.service(1, "--enable", "web", "--yes").stderr)

    def test_inside_root(self):
        """A link on the way to the drop-in that leads out of the folder of --root."""
        outside = self.put("outside/web.service.d/rijn-openssl.conf", "x")
        os.makedirs(self.root + "/etc/systemd")
        for to in (self.dir + "/outside", "../../../outside", "/nonesuch"):
            os.symlink(to, self.root + "/etc/systemd/system")
            for action in "--enable", "--disable":
                for name in ("web", "many@one"):
                    self.assertIn("leads out of the folder of --root", self.service(1, action, name, "--yes").stderr)
            os.remove(self.root + "/etc/systemd/system")
        self.assertEqual((self.get(outside), os.listdir(self.dir + "/outside")), ("x", ["web.service.d"]))
        os.makedirs(self.root + "/etc/systemd/system/web.service.d")
        os.symlink(outside, self.root + "/etc/systemd/system/web.service.d/rijn-openssl.conf")
        self.assertIn("leads out of", self.service(1, "--enable", "web", "--yes").stderr)
        self.assertEqual(self.get(outside), "x")

    def test_link_meanwhile(self):
        """One that comes while the question stands: the drop-in is made or removed in the folder of --root, or nowhere."""
        folder, outside = self.root + "/etc/systemd/system/web.service.d", self.dir + "/outside"
        os.mkdir(outside)

        def link():
            if os.path.isdir(folder):
                os.rename(folder, self.dir + "/moved")
                shutil.copy(self.dir + "/moved/rijn-openssl.conf", outside)
            os.makedirs(os.path.dirname(folder), exist_ok=True)
            os.symlink(outside, folder)
        words = ["--service", "web", "--root", self.root]
        said = self.asked(["--enable", *words, "--config", "/usr/share/rijn/rijn-openssl.cnf"], b"y\n", 1, link)
        self.assertIn("leads out of the folder of --root", said)
        self.assertEqual(os.listdir(outside), [])
        os.remove(folder)
        self.service(0, "--enable", "web", "--yes")
        self.assertIn("leads out of the folder of --root", self.asked(["--disable", *words], b"y\n", 1, link))
        self.assertEqual(os.listdir(outside), ["rijn-openssl.conf"])
        # One that comes after that was looked at.
        script = load_script()
        os.remove(folder)
        os.rename(self.dir + "/moved", folder)
        look = os.path.commonpath

        def late(paths):
            link()
            return look(paths)
        with unittest.mock.patch.dict(script.O, root=self.root), unittest.mock.patch("os.path.commonpath", late):
            with self.assertRaisesRegex(script.Refused, "cannot write"):
                script.replace(folder + "/new", "x", None)
        self.assertEqual(os.listdir(outside), ["rijn-openssl.conf"])

    def test_would_lose(self):
        """With the installed configuration the service reads nothing of the system's: what that has more is not lost silently."""
        shown = subprocess.run(["openssl", "version", "-d"], capture_output=True, text=True, check=True).stdout
        system = "root" + shown.split('"')[1] + "/openssl.cnf"
        program = self.program(os.path.join(self.dir, "inst/bin/rijn"))
        for name in ("inst/share/rijn/rijn-openssl.cnf", "root" + self.dir + "/inst/share/rijn/rijn-openssl.cnf"):
            self.put(name, "")
        own, active = PROVIDERS.replace("[p]", "alg_section = a\n[p]"), "activate = 1\n"
        for text, what in ((None, None), ("", None), (PROVIDERS + active, None),
                           (own + "[a]\ndefault_properties = ?provider=rijn\n", None), (DEBIAN, "ssl_conf = ssl_sect"),
                           (FILES["another"][0], "another provider"), (own + "[a]\nfips_mode = yes\n", "fips_mode = yes"),
                           (own + "[a]\ndefault_properties = ?provider=tpm2\n", "?provider=tpm2"), ("[oops\n", "cannot read")):
            if text is not None:
                self.put(system, text)
            words = ["--enable", "--service", "web", "--root", self.root, "--dry-run", "--json"]
            r = self.rijn(1 if what else 0, *words, program=program)
            j = json.loads(r.stdout)
            if what:
                self.assertIn(what, j["error"])
                if what != "cannot read":
                    self.assertIn("which the service would lose", j["error"])
                self.assertFalse(j["to_change"])
            else:
                self.assertTrue(j["to_change"], text)
        # The way out: a copy, with Rijn in it.
        copy = self.put("root/etc/ssl/web.cnf", DEBIAN)
        self.put("root/m/rijn.so", "")
        own = ["--enable", "--yes", "--root", self.root, "--config", "/etc/ssl/web.cnf"]
        self.rijn(0, *own, "--module", "/m/rijn.so", module=False, program=program)
        self.assertIn("module = /m/rijn.so", self.get(copy))
        self.rijn(0, *own, "--service", "web", program=program)

    def test_signal(self):
        """While it reads a file that does not end: as with any error there is JSON, and the status tells which signal."""
        unit = os.path.join(self.root, "usr/lib/systemd/system/slow.service")
        os.mkfifo(unit)
        words = ["--enable", "--service", "slow", "--root", self.root, "--config", "/usr/share/rijn/rijn-openssl.cnf"]
        for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
            with subprocess.Popen([PROGRAM, *words, "--json", "--yes"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  text=True, env=self.env()) as process:
                with open(unit, "w", encoding="utf-8"):  # it is reading now
                    until_it_waits(process.pid)
                    process.send_signal(number)
                    said, error = process.communicate(timeout=900)
            text = f"interrupted ({number.name}). Nothing was written"
            self.assertEqual((process.returncode, error), (128 + number, f"rijn: {text}\n"))
            j = json.loads(said)
            self.assertEqual((j["error"], j["status"], j["written"]), (text, "failed", False))

    def test_umask(self):
        self.service(0, "--enable", "web", "--yes", preexec_fn=lambda: os.umask(0o077))
        for name in ("etc", "etc/systemd/system", "etc/systemd/system/web.service.d"):
            self.assertEqual(stat.S_IMODE(os.stat(os.path.join(self.root, name)).st_mode), 0o755)


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=2))
