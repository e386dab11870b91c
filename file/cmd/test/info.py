# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""info, selftest, version, help, RIJN_IMPL; and that help, man page and completions say the same."""
import json
import os
import re
import subprocess

from common import BATCH, OK, PROGRAM, SOURCE, USAGE, Case, main, run

OWN = ["encrypt", "decrypt", "verify", "cat", "keygen", "info", "selftest"]  # bench and openssl-check have tests of their own


def out(*args, **more):
    r = run(*args, **more)
    if r.returncode != OK or r.stderr:
        raise AssertionError(f"{args}: status {r.returncode}: {r.stderr}")
    return r.stdout.decode()


def options(text):
    """Long and short options in a text. An option starts after white space, a bracket or the like."""
    return set(re.findall(r"(?<![\w-])(--[a-z][a-z-]*|-[a-zA-Z])(?![\w-])", text))


def read(*path):
    with open(os.path.join(SOURCE, *path), encoding="utf-8") as f:
        return f.read()


class Info(Case):
    def test_json(self):
        j = json.loads(out("info", "--json"))
        version = re.search(r'RIJN_VERSION_STRING "([^"]+)"', read("include", "rijn.h")).group(1)
        self.assertEqual((j["version"], j["library"]), (version, version))
        self.assertEqual(out("--version"), f"rijn {version}\n")
        self.assertEqual(out("-V"), f"rijn {version}\n")
        impls = j["implementations"]
        self.assertEqual(impls[-1], dict(impls[-1], name="portable", supported=True))
        self.assertEqual(sum(i["chosen"] for i in impls), 1)
        for i in impls:
            self.assertTrue(i["supported"] or "missing" in i["why"], i)
            self.assertTrue(i["supported"] or not i["chosen"], i)
            self.assertTrue(not i["chosen"] or i["why"] == "", i)
        for kind in ("gcm", "gcm_siv", "xaes", "xts", "rfc4106", "rfc4543", "ctr", "cbc", "ecb"):
            self.assertIn(f"rijn_{kind}_", read("include", "rijn.h"))
            self.assertTrue(any(re.sub("[^a-z0-9]", "", kind) in re.sub("[^a-z0-9]", "", m.lower()) for m in j["modes"]), kind)
        self.assertIsNone(j["rijn_impl"])
        self.assertTrue(j["cpu"] and j["os_state"] and re.match(r"(gcc|clang) \d+\.", j["compiler"]), j)
        self.assertEqual(json.loads(out("info", "--json", env={"RIJN_IMPL": "portable"}))["rijn_impl"], "portable")

    def test_features(self):
        """The features are those the kernel lists, under its names; what the kernel has not, Rijn has not."""
        j = json.loads(out("info", "--json"))
        if j["architecture"] != "x86-64":
            self.assertIsInstance(j["features"], list)
            return
        with open("/proc/cpuinfo", encoding="utf-8") as f:
            text = f.read()
        flags = set(re.search(r"^flags\s*:(.*)$", text, re.M).group(1).split())
        ours = set(j["features"])
        self.assertEqual(ours - flags, set())
        known = set("ssse3 sse4_1 aes pclmulqdq avx avx2 bmi2 vaes vpclmulqdq".split())
        known |= {"avx512f", "avx512vl", "avx512bw", "avx512dq"}
        self.assertEqual(ours, known & flags)
        kernel = {k: " ".join(re.search(rf"^{k}\s*:(.*)$", text, re.M).group(1).split())
                  for k in ("model name", "cpu family", "model", "stepping")}
        name, numbers = j["cpu"].rsplit(" (", 1)
        self.assertIn(name, kernel["model name"])
        self.assertEqual(numbers, "family {cpu family}, model {model}, stepping {stepping})".format(**kernel))

    def test_columns(self):
        """No line is wider than a terminal, however many features are missing. The version of a compiler may be longer."""
        for env in ({}, {"RIJN_HIDE": "aes,vaes,vpclmulqdq,avx,avx2,avx512f,avx512vl,bmi2"}, {"RIJN_IMPL": "portable"}):
            lines = out("info", env=env).splitlines()
            self.assertGreater(len(lines), 9)
            self.assertEqual([line for line in lines[1:] if len(line) > 80 or line != line.rstrip()], [])

    def test_text(self):
        def unfolded(**more):
            return re.sub(r"\n {12,}", " ", out("info", **more))  # a line goes on where the facts or the reasons begin

        text = unfolded()
        j = json.loads(out("info", "--json"))
        for i in j["implementations"]:
            (line,) = [x for x in text.splitlines() if x.split()[:1] == [i["name"]]]
            self.assertEqual("not supported" not in line, i["supported"])
            self.assertEqual("supported, chosen" in line, i["chosen"])
            why = i["why"] or ("" if i["chosen"] else "a better one is chosen")
            self.assertTrue(line.endswith(": " + why if why else "supported, chosen"), line)
        forced = unfolded(env={"RIJN_IMPL": "portable"}).splitlines()
        self.assertEqual(forced[-1].split(), ["portable", "supported,", "chosen"])
        for line, i in zip(forced[-len(j["implementations"]):-1], j["implementations"]):
            self.assertTrue(line.endswith(": " + (i["why"] or "RIJN_IMPL names another")), line)
        for word in (j["cpu"], " ".join(j["features"]), ", ".join(j["modes"]), j["os_state"], j["compiler"],
                     "RIJN_IMPL:  not set"):
            self.assertIn(word, text)

    def test_module(self):
        """Whether the module for Linux is loaded, and chosen, by what /proc/crypto says."""
        def block(name, driver, module, priority):
            return f"name         : {name}\ndriver       : {driver}\nmodule       : {module}\npriority     : {priority}\nselftest     : passed\n\n"

        generic, aesni = block("gcm(aes)", "gcm-generic", "gcm", 100), block("gcm(aes)", "generic-gcm-aesni", "aesni_intel", 400)
        ours = block("gcm(aes)", "gcm-aes-rijn-x86-aesni", "rijn", 1000)
        others = block("xts(aes)", "xts-aes-rijn-x86-aesni", "rijn", 1000) + block("rfc4106(gcm(aes))", "other", "gcm", 2000)
        for text, loaded, driver in (("", False, ""), (generic + aesni, False, "generic-gcm-aesni"),
                                     (ours + generic + aesni + others, True, "gcm-aes-rijn-x86-aesni"),
                                     (aesni + others, True, "generic-gcm-aesni"), (others, True, ""),
                                     (block("gcm(aes)", "x", "rijn", 1) + aesni, True, "generic-gcm-aesni")):
            with open(os.path.join(self.dir, "crypto"), "w", encoding="utf-8") as f:
                f.write(text)
            env = {"RIJN_FAULT_CRYPTO": os.path.join(self.dir, "crypto")}
            j = json.loads(out("info", "--json", faults="crypto", env=env))
            self.assertEqual((j["module_loaded"], j["linux_gcm_driver"]), (loaded, driver))
            text = re.sub(r"\n {12,}", " ", out("info", faults="crypto", env=env))
            (line,) = [x for x in text.splitlines() if x.startswith("module:")]
            said = ("loaded" if loaded else "not loaded") + (f"; Linux takes {driver} for gcm(aes)" if driver else "")
            self.assertEqual(line.split(None, 1)[1], said)

    def test_selftest(self):
        lines = out("selftest").splitlines()
        impls = json.loads(out("info", "--json"))["implementations"]
        self.assertEqual([x.split()[0] for x in lines], [i["name"] for i in impls])
        for line, i in zip(lines, impls):
            self.assertEqual(line.split(None, 1)[1], "ok" if i["supported"] else "not supported: " + i["why"])

    def test_impl(self):
        impls = json.loads(out("info", "--json"))["implementations"]
        bad = ["", "nonsense", "x86", "portable ", "PORTABLE"] + [i["name"] for i in impls if not i["supported"]]
        for name in bad:
            for args in (["info"], ["info", "--json"], ["selftest"], ["encrypt", "-k", self.key],
                         ["decrypt", "-k", self.key]):
                r = run(*args, env={"RIJN_IMPL": name}, data=b"")
                self.expect(r, USAGE, f"RIJN_IMPL={name}: ", "there are:", *(i["name"] for i in impls))
                self.assertEqual(r.stdout, b"")
        self.assertIn("no implementation of that name", run("info", env={"RIJN_IMPL": "nonsense"}).stderr)
        self.assertIn("rijn encrypt", out("encrypt", "--help", env={"RIJN_IMPL": "nonsense"}))
        for i in impls:
            if i["supported"]:
                j = json.loads(out("info", "--json", env={"RIJN_IMPL": i["name"]}))
                self.assertEqual([x["name"] for x in j["implementations"] if x["chosen"]], [i["name"]])

    def test_setuid(self):
        """A setuid program ignores RIJN_IMPL, and says so: that it is not set, and nothing of another that it names."""
        for name in ("portable", "nonsense"):
            for args in (["info"], ["info", "--json"]):
                self.assertEqual(out(*args, env={"RIJN_IMPL": name}, faults="setuid"), out(*args))

    # ------------------------------------------------------------ help and its copies

    def test_help(self):
        text = out("help")
        self.assertEqual(text, out("--help"))
        self.assertEqual(text, out("-h"))
        self.assertEqual(text, out("help", "help"))
        self.assertEqual(text, out("help", "--help"))
        for c in OWN:
            self.assertRegex(text, rf"(?m)^  {c} ")
            own = out("help", c)
            self.assertTrue(own.startswith(f"Usage: rijn {c}"), own)
            for asked in ((c, "--help"), ("--help", c), ("-h", c)):
                self.assertEqual(own, out(*asked))
            self.assertEqual(own, out(c, "-h"))
        parts = re.findall(r"(?m)^  ([a-z-]+) ", out("help", "volume"))
        self.assertGreater(len(parts), 5)
        for one in (text, *(out("help", c) for c in (*OWN, "volume", "openssl-check")), *(out("volume", p, "--help") for p in parts)):
            self.assertEqual([line for line in one.splitlines() if len(line) > 80], [])
        for text in (out("help", "decrypt"), read("doc", "rijn.1")):
            self.assertRegex(text, rf"each run\s+of\s+chunks\s+\({BATCH // 1024} KiB\)")

    def test_usage(self):
        self.assertEqual(run().returncode, USAGE)
        for args, word in ((["nonsense"], "unknown command 'nonsense'"), (["--none"], "unknown option '--none'"),
                           (["help", "nonsense"], "unknown command"), (["help", "info", "x"], "one command"),
                           (["--help", "info", "x"], "one command"), (["-h", "nonsense"], "unknown command"),
                           (["--version", "x"], "unexpected 'x'"), (["-V", "x"], "unexpected 'x'"),
                           (["selftest", "x"], "unexpected 'x'")):
            self.assertIn(word, self.expect(run(*args), USAGE).stderr)
        for c in OWN:
            self.expect(run(c, "--nonsense"), USAGE, f"rijn {c}: ", "--nonsense", f"Try 'rijn {c} --help'")
        for c in (*OWN, "openssl-check"):  # nothing in a name tells a terminal what to do
            for option, said in (("--\x1b[2J", "--\\x1b[2J: no such option"),
                                 ("-\x1b", "-\\x1b: no such option"), ("--help=\x1b", "--help=\\x1b: takes no value")):
                r = self.expect(run(c, option), USAGE)
                self.assertEqual(r.stderr, f"rijn {c}: {said}\nTry 'rijn {c} --help'.\n")
        for o, value in (("--force=1", "takes no"), ("-k", "its value is missing"), ("--key-fd", "its value is missing")):
            self.expect(run("encrypt", o), USAGE, f"{o}: ", value)

    def test_man_page(self):
        """The man page has the options of every command, as their help has them, and a section for each command."""
        subprocess.run([os.path.join(SOURCE, "tools/manual"), "--check", PROGRAM], check=True)
        plain = re.sub(r"\\f[BIR]", "", read("doc", "rijn.1")).replace("\\-", "-")
        sections = re.findall(r"(?m)^\.SS (.*)", plain)
        self.assertLessEqual(set(re.findall(r"(?m)^  ([a-z][a-z-]+) ", out("help"))), set(sections))
        regions = [c for line in re.findall(r'(?m)^\.\\" options (.*)', plain) for c in line.split(", ")]
        parts = {f"volume {p}" for p in re.findall(r"(?m)^  ([a-z-]+) ", out("help", "volume"))}
        self.assertEqual(set(regions), set(OWN) - {"selftest"} | {"bench", "bench kernel", "openssl-check"} | parts)
        for word in ("RIJN_IMPL", "EXIT STATUS", out("--version").strip(), *options(out("help"))):
            self.assertIn(word, plain)

    def test_completions(self):
        """Three shells, each by its own script, complete what the programs say."""
        folder, env = os.path.join(SOURCE, "cmd/completions"), {**os.environ, "PATH": f"{os.path.dirname(PROGRAM)}:{os.environ['PATH']}"}

        def shell(*words):
            r = subprocess.run(words, capture_output=True, text=True, cwd=self.dir, env=env)
            self.assertEqual((r.returncode, r.stderr), (0, ""))
            return set(r.stdout.splitlines()) - {""}

        def complete(*words):
            return shell("bash", "-uc", 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _rijn; '
                         'printf "%s\n" "${COMPREPLY[@]}"', "-", f"{folder}/rijn.bash", PROGRAM, *words)

        def fish(line):
            return {w.split("\t")[0] for w in shell("fish", "--no-config", "-c", f"source {folder}/rijn.fish; complete -C '{line}'")}

        def zsh(*words):
            """zsh's own functions are for its editor: what the script hands them is shown."""
            return {w.split(":")[0] if w[0] != ":" else w for w in shell(
                "zsh", "-fc", '_describe() { print -rl -- $found; }; _files() { print -r -- ":files$*"; }; compset() { print -r -- ":$*"; }; '
                'script=$1; shift; words=("$@"); CURRENT=$#; source "$script"', "-", f"{folder}/_rijn", "rijn", *words)}

        self.put("a.json", b"")
        self.put("a.rijn", b"")
        commands = set(re.findall(r"(?m)^  ([a-z][a-z-]+) ", out("help")))
        self.assertLessEqual(set(OWN) | {"help"}, commands)
        for ask in (complete, zsh, lambda *words: fish(" ".join(["rijn", *words]))):
            self.assertEqual(ask("") - {"--help", "--version"}, commands)
            for asked in ("help", "--help", "-h"):
                self.assertEqual(ask(asked, ""), commands)
            parts = set(re.findall(r"(?m)^  ([a-z-]+) ", out("help", "volume")))
            self.assertEqual(ask("volume", "") - {"--help"}, parts)
            for c in (*((c,) for c in (*OWN, "openssl-check", "bench")), ("bench", "kernel"), *(("volume", p) for p in parts)):
                long = {o for o in options(out(*c, "--help")) if o.startswith("--")} - {"--ablate"}
                self.assertEqual(ask(*c, "--"), long, c)
            what = set(re.search(r"(?s)what: (.*?)\n +nothing", out("bench", "--help")).group(1).replace(",", "").split()) | {"kernel"}
            self.assertEqual(ask("bench", ""), what)
            self.assertEqual(ask("bench", "gcm", ""), what)
            self.assertLessEqual({"dec", "enc"}, ask("bench", "--dir", ""))
            self.assertEqual(ask("keygen", "--bits", ""), {"128", "256"})
        self.assertEqual((complete("enc"), fish("rijn enc")), ({"encrypt"},) * 2)
        self.assertEqual(complete("bench", "--json", "a"), {"a.json", "a.rijn"})
        self.assertEqual((complete("decrypt", "a"), fish("rijn decrypt a"), zsh("decrypt", "a")), ({"a.rijn"}, {"a.rijn"}, {":files-g *.rijn"}))
        self.assertEqual((complete("encrypt", "-k", "key"), fish("rijn encrypt -k key")), ({"key16", "key32"},) * 2)
        self.assertEqual(zsh("encrypt", "-k", "key"), {":files"})
        self.assertEqual(complete("decrypt", "--format", "tink-"), {"tink-4kb", "tink-1mb"})
        self.assertEqual(fish("rijn decrypt --format=tink-"), {"--format=tink-4kb", "--format=tink-1mb"})
        self.assertEqual(zsh("decrypt", "--format=ti"), {":-P *=", "cobblestone", "tink", "tink-4kb", "tink-1mb"})
        for words in (["--key-file"], ["--key-file", "="]):  # bash has three words for --key-file=key
            self.assertEqual(complete("decrypt", *words, "key"), {"key16", "key32"})
        self.assertEqual(complete("keygen", "--bits", "="), {"128", "256"})
        self.assertEqual(complete("decrypt", "--key-file", "=", "key16", "a"), {"a.rijn"})
        self.assertEqual(zsh("openssl-check", "--root", ""), {":files-/"})


if __name__ == "__main__":
    main()
