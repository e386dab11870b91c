#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""rijn openssl-check: right when the provider is used, and the right reason when it is not. And the provider as it is
installed: `cmake --install` into a folder, its configuration file as it stands, nothing else."""
import os
import shutil
import stat
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["RIJN_PROGRAM"]
MODULES = os.environ["RIJN_MODULES"]
BUILD = os.environ["RIJN_BUILD"]
CMAKE = os.environ["RIJN_CMAKE"]
SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
USED = "OpenSSL takes AES-GCM from Rijn."
UNUSED = "OpenSSL does NOT take AES-GCM from Rijn."


class Check(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="rijn-check-")
        self.addCleanup(shutil.rmtree, self.dir)

    def env(self, **more):
        e = {k: v for k, v in os.environ.items() if not k.startswith(("OPENSSL_", "RIJN_IMPL", "RIJN_HIDE"))}
        e.update(more)
        return e

    def rijn(self, status, *args, **env):
        r = subprocess.run([PROGRAM, *args], capture_output=True, text=True, env=self.env(**env),
                           timeout=900)
        self.assertEqual(r.returncode, status, r.stdout + r.stderr)
        return r.stdout + r.stderr

    def conf(self, properties="default_properties = ?provider=rijn", rijn="rijn = rijn_sect", activate="activate = 1",
             module=None, algorithms="", default="activate = 1", first="openssl_conf = init",
             providers="providers = providers", alg="alg_section = properties"):
        path = os.path.join(self.dir, "openssl.cnf")
        with open(path, "w", encoding="utf-8") as f:
            f.write("\n".join((first, "[init]", providers, alg, "[properties]", properties,
                               "[providers]", "default = default_sect", rijn, "[default_sect]", default,
                               "[rijn_sect]", f"module = {module or MODULES}/rijn.so", activate, algorithms, "")))
        return path

    def unused(self, *words, conf=None, without=None, **env):
        out = self.rijn(1, OPENSSL_CONF=conf or self.conf(), **env)
        if without:
            self.assertNotIn(without, out)
        self.assertIn(UNUSED, out)
        self.assertNotIn(USED, out)
        for word in words:
            self.assertIn(word, out)

    def test_used(self):
        out = self.rijn(0, OPENSSL_CONF=self.conf())
        self.assertIn(USED, out)
        for bits in (128, 192, 256):
            self.assertIn(f"AES-{bits}-GCM:    from rijn", out)
        self.assertNotIn("CTR", out)
        self.assertIn("libcrypto.so.3", out)
        out = self.rijn(0, OPENSSL_CONF=self.conf(algorithms="algorithms = gcm,xts"))
        self.assertIn("AES-256-XTS:    from rijn", out)

    def test_another_name(self):
        """What the configuration calls the provider is its own affair."""
        out = self.rijn(0, OPENSSL_CONF=self.conf(rijn="aes = rijn_sect"))
        self.assertIn(USED, out)
        self.assertIn("AES-256-GCM:    from aes", out)
        self.assertIn("provider:       rijn ", out)

    def test_reasons(self):
        self.unused("nothing makes OpenSSL prefer it", "default_properties = ?provider=rijn",
                    conf=self.conf(properties=""))
        self.unused("nothing makes OpenSSL prefer it", "[init]", "alg_section = evp_properties", conf=self.conf(alg=""))
        for text in "provider=default", "?provider=default":
            self.unused("does not make OpenSSL prefer it", f"default_properties = {text}\n",
                        conf=self.conf(properties=f"default_properties = {text}"))
        # What asks for a property that Rijn has not: the word about "algorithms" would lead nowhere.
        self.unused("excludes Rijn", "default_properties = fips=yes,?provider=rijn\n", without="algorithms",
                    conf=self.conf(properties="default_properties = fips=yes,?provider=rijn"))
        self.unused("fips_mode = yes", "no FIPS module", without="algorithms",
                    conf=self.conf(properties="fips_mode = yes"))
        self.unused("fips_mode = yes", "no FIPS module", without="default_properties",
                    conf=self.conf(properties="default_properties = ?provider=rijn\nfips_mode = yes"))
        self.unused(f"{self.dir}, which is a folder, not a file", conf=self.dir)
        self.unused("offers no AES-GCM", conf=self.conf(algorithms="algorithms = xts"))
        self.unused("cannot be loaded", 'unknown word "gmc"', conf=self.conf(algorithms="algorithms = gmc"))
        self.unused("there is no /nowhere/rijn.so", conf=self.conf(module="/nowhere"))
        self.unused("[rijn_sect]", "lacks", conf=self.conf(activate=""))
        self.unused("names section [nowhere]", "none of that name", conf=self.conf(rijn="rijn = nowhere"))
        self.unused("names section [nowhere]", conf=self.conf(providers="providers = nowhere"))
        self.unused("names section [nowhere]", conf=self.conf(first="openssl_conf = nowhere"))
        self.unused("does not name rijn", conf=self.conf(rijn=""))
        self.unused("names no section of providers", conf=self.conf(providers=""))
        self.unused("no openssl_conf", conf=self.conf(first=""))
        self.unused("mistake in line", conf=self.conf(first="openssl_conf = init\n[oops"))
        self.unused("cannot be read", "WHICH CANNOT BE READ", conf=os.path.join(self.dir, "none"))
        # OpenSSL goes no further than the first mistake, in silence: what is right after it does not help.
        self.unused("stops at a mistake", "nowhere",
                    conf=self.conf(providers="ssl_conf = nowhere\nproviders = providers"))
        self.unused("stops at a mistake", "unknown option", "no-such",
                    conf=self.conf(properties="no-such = 1\ndefault_properties = ?provider=rijn"))
        # A misspelt option: the provider refuses what is near to its own, the check everything.
        self.unused("does not know: algoritms", conf=self.conf(algorithms="algoritms = gcm"))
        out = self.rijn(1, OPENSSL_CONF=self.conf(algorithms="ciphers = xts"))
        self.assertIn("AES-256-GCM:    from rijn", out)
        self.assertIn("does not know: ciphers", out)
        self.assertNotIn(USED, out)
        broken = os.path.join(self.dir, "broken")
        os.mkdir(broken)
        with open(os.path.join(broken, "rijn.so"), "w", encoding="utf-8") as f:
            f.write("no module")
        self.unused("cannot be loaded", "rijn.so", conf=self.conf(module=broken))
        # A relative path starts in the folder of modules.
        self.unused(f"activates {self.dir}/broken/rijn.so, but it cannot be loaded", OPENSSL_MODULES=self.dir,
                    conf=self.conf(module="broken"))
        self.unused(f"there is no {self.dir}/nowhere/rijn.so", OPENSSL_MODULES=self.dir,
                    conf=self.conf(module="nowhere"))

    def test_another_module(self):
        """A module that lies where Rijn's should, and is another's: named, not taken for one without AES-GCM."""
        folder = subprocess.run(["openssl", "version", "-m"], check=True, capture_output=True, text=True).stdout.split('"')[1]
        shutil.copy(os.path.join(folder, "legacy.so"), os.path.join(self.dir, "rijn.so"))
        self.unused("is not Rijn", "OpenSSL Legacy Provider", f"{self.dir}/rijn.so", without="algorithms",
                    conf=self.conf(module=self.dir))

    def script(self, name, action):
        """A script of the Debian package, in the folder of another system."""
        return subprocess.run(["sh", os.path.join(SOURCE, "debian", "rijn-openssl-provider." + name), action], check=True,
                              capture_output=True, text=True, env=self.env(DPKG_ROOT=self.dir), timeout=900).stdout

    def test_package_goes(self):
        """What Debian's package says when it is removed while a configuration names it, and what a purge leaves."""
        ssl, units = os.path.join(self.dir, "etc/ssl"), os.path.join(self.dir, "etc/systemd/system/nginx.service.d")
        os.makedirs(ssl)
        os.makedirs(units)
        conf, drop_in = os.path.join(ssl, "openssl.cnf"), os.path.join(units, "rijn-openssl.conf")
        plain = "openssl_conf = init\n[init]\nproviders = p\n[p]\ndefault = d\n[d]\nactivate = 1\n"

        def put(path, text):
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)

        put(conf, plain)
        os.chmod(conf, 0o640)
        self.assertEqual(self.script("prerm", "remove"), "")
        self.rijn(0, "--enable", "--yes", "--config", conf, "--module", os.path.join(MODULES, "rijn.so"))
        self.assertEqual(self.script("prerm", "upgrade"), "")
        put(drop_in, "[Service]\nEnvironment=OPENSSL_CONF=/usr/share/rijn/rijn-openssl.cnf\n")
        said = self.script("prerm", "remove")
        self.assertIn("/etc/ssl/openssl.cnf still names this provider", said)
        self.assertIn("rijn openssl-check --disable --service nginx", said)
        self.script("postrm", "remove")
        with open(conf, encoding="utf-8") as f:
            self.assertIn("rijn", f.read())
        self.script("postrm", "purge")
        with open(conf, encoding="utf-8") as f:
            self.assertEqual(f.read(), plain)
        self.assertEqual(stat.S_IMODE(os.stat(conf).st_mode), 0o640)
        self.assertEqual(os.listdir(ssl), ["openssl.cnf"])
        self.assertFalse(os.path.exists(units))
        self.assertEqual(self.script("postrm", "purge"), "")
        # By hand, and half of a mark: said, and left.
        put(conf, plain + "[r]\nmodule = /usr/lib/ossl-modules/rijn.so\n")
        self.assertIn("written by hand", self.script("prerm", "remove"))
        put(conf, plain + "# rijn: begin\n[r]\n")
        self.assertIn("lost its other half", self.script("postrm", "purge"))
        with open(conf, encoding="utf-8") as f:
            self.assertIn("[r]", f.read())

    def test_cut_short(self):
        """A module cut short, ours or another's, at any place: named, and no signal."""
        stripped = os.path.join(self.dir, "stripped.so")  # what is for a debugger, at its end, nobody would miss
        subprocess.run(["strip", "-g", "-o", stripped, os.path.join(MODULES, "rijn.so")], check=True)
        with open(stripped, "rb") as f:
            whole = f.read()
        for size in (4096, len(whole) // 3, len(whole) // 2):
            for name in ("rijn", "other"):
                cut = os.path.join(self.dir, f"{name}{size}.so")
                with open(cut, "wb") as f:
                    f.write(whole[:size])
                path = self.conf()
                with open(path, encoding="utf-8") as f:
                    text = f.read()
                if name == "rijn":
                    text = text.replace(f"module = {MODULES}/rijn.so", f"module = {cut}")
                else:
                    text = text.replace("[default_sect]", "other = o\n[o]\nactivate = 1\nmodule = " + cut +
                                        "\n[default_sect]")
                with open(path, "w", encoding="utf-8") as f:
                    f.write(text)
                out = self.rijn(1, OPENSSL_CONF=path)
                self.assertIn(f"the module {cut} is cut short: it has {size} bytes", out)
                self.assertNotIn(USED, out)
        # What the loader itself refuses has its own words.
        with open(os.path.join(self.dir, "rijn.so"), "wb") as f:
            f.write(whole[:30])
        self.unused("cannot be loaded", conf=self.conf(module=self.dir))

    def test_two_preferred(self):
        """Beside another preferred provider, by a property of Rijn's own."""
        text = "default_properties = ?provider=tpm2,?rijn.aes=yes"
        self.assertIn(USED, self.rijn(0, OPENSSL_CONF=self.conf(properties=text)))

    def test_nothing_else(self):
        """AES-GCM comes from Rijn, and nothing else from anybody: every other program would fail."""
        for word, change in (("?provider=rijn", {"properties": "default_properties = provider=rijn"}),
                             ("activate = 1", {"default": ""})):
            out = self.rijn(1, OPENSSL_CONF=self.conf(**change))
            self.assertIn("AES-256-GCM:    from rijn", out)
            self.assertIn("finds nothing else", out)
            self.assertIn(word, out)
            self.assertNotIn(USED, out)

    def test_usage(self):
        self.assertIn("Usage: rijn openssl-check", self.rijn(0, "--help"))
        self.assertIn("unexpected 'x'", self.rijn(2, "x"))
        self.assertIn("--help", self.rijn(2, "--nonsense"))

    def test_installed(self):
        for inner, root in ((os.path.join(self.dir, "a"), ""), ("/usr", os.path.join(self.dir, "b"))):
            subprocess.run([CMAKE, "--install", BUILD, "--component", "provider", "--prefix", inner], check=True,
                           env=self.env(DESTDIR=root), stdout=subprocess.DEVNULL, timeout=900)
            prefix = root + inner
            conf = os.path.join(prefix, "share", "rijn", "rijn-openssl.cnf")
            (module,) = (os.path.join(d, "rijn.so") for d, _, files in os.walk(prefix) if "rijn.so" in files)
            self.assertEqual(os.path.basename(os.path.dirname(module)), "ossl-modules")
            with open(conf, encoding="utf-8") as f:
                text = f.read()
            self.assertIn(f"module = {module[len(root):]}\n", text)
            self.assertNotIn("@", text)
            # What is installed has neither hooks nor another libcrypto, and exports one name.
            with open(module, "rb") as f:
                content = f.read()
            for hook in (b"RIJN_HIDE", b"RIJN_PROVIDER_COUNT", b"RIJN_PROVIDER_BREAK_SELFTEST"):
                self.assertNotIn(hook, content)
            self.assertNotIn("libcrypto", subprocess.run(["readelf", "-dW", module], check=True, capture_output=True,
                                                         text=True).stdout)
            names = subprocess.run(["nm", "-D", "--defined-only", module], check=True, capture_output=True,
                                   text=True).stdout
            self.assertEqual([line.split()[-1] for line in names.splitlines()], ["OSSL_provider_init"])
            if root:
                conf = os.path.join(self.dir, "moved.cnf")
                with open(conf, "w", encoding="utf-8") as f:
                    f.write(text.replace(module[len(root):], module))
            self.assertIn(USED, self.rijn(0, OPENSSL_CONF=conf))
            if not root:  # the same lines as Node.js looks for them
                with open(conf, encoding="utf-8") as f:
                    text = f.read().replace("\nopenssl_conf = ", "\nnobodys_conf = ")
                self.assertIn("nodejs_conf = ", text)
                with open(os.path.join(self.dir, "node.cnf"), "w", encoding="utf-8") as f:
                    f.write(text.replace("nodejs_conf = ", "openssl_conf = "))
                self.assertIn(USED, self.rijn(0, OPENSSL_CONF=os.path.join(self.dir, "node.cnf")))
            openssl = subprocess.run(["openssl", "list", "-providers"], check=True, capture_output=True, text=True,
                                     env=self.env(OPENSSL_CONF=conf), timeout=900).stdout
            self.assertIn("Rijn", openssl)

    def test_installed_elsewhere(self):
        """Absolute folders are taken as they are, under DESTDIR, and a source that only its owner may read changes
        nothing. The module is the one that was built: only where things go is tried here."""
        source, build, stage = (os.path.join(self.dir, name) for name in ("source", "build", "stage"))
        os.mkdir(source)
        for name in ("CMakeLists.txt", "cmake", "include", "src", "provider"):
            path = os.path.join(SOURCE, name)
            (shutil.copytree if os.path.isdir(path) else shutil.copy)(path, os.path.join(source, name))
        os.chmod(os.path.join(source, "provider", "rijn-openssl.cnf.in"), 0o600)
        options = {"RIJN_BUILD_COMMAND": "OFF", "RIJN_BUILD_TESTS": "OFF", "CMAKE_INSTALL_DATADIR": "/data",
                   "RIJN_OPENSSL_MODULESDIR": "/modules"}
        subprocess.run([CMAKE, "-G", "Ninja", "-S", source, "-B", build, *(f"-D{k}={v}" for k, v in options.items())],
                       check=True, env=self.env(), stdout=subprocess.DEVNULL, timeout=900)
        shutil.copy(os.path.join(MODULES, "rijn.so"), os.path.join(build, "provider"))
        subprocess.run([CMAKE, "--install", build, "--component", "provider"], check=True,
                       env=self.env(DESTDIR=stage), stdout=subprocess.DEVNULL, timeout=900)
        conf = os.path.join(stage, "data", "rijn", "rijn-openssl.cnf")
        with open(conf, encoding="utf-8") as f:
            self.assertIn("module = /modules/rijn.so\n", f.read())
        self.assertEqual(stat.S_IMODE(os.stat(conf).st_mode), 0o644)
        self.assertTrue(os.path.exists(os.path.join(stage, "modules", "rijn.so")))
        self.assertEqual(sorted(os.listdir(stage)), ["data", "modules"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
