# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""Two at once on one LUKS2 volume: each pair of commands of rijn volume and cryptsetup. Afterwards every passphrase that was
promised opens the volume, none that was removed does, and whoever came second has said so.

together.py N: each pair N times, from moments that differ."""
import itertools
import random
import shutil
import subprocess
import sys
import unittest

from common import ENVIRONMENT, MIB, PROGRAM, Case

TIMES = int(sys.argv.pop(1)) if len(sys.argv) > 1 and sys.argv[1].isdigit() else 1
COST = ("-q", "--pbkdf", "pbkdf2", "--pbkdf-force-iterations", "1000")
CHEAP = ("--kdf", "pbkdf2", "--rounds", "1000")
SLOTS = ("base", "spare", "other", "mine")  # passphrases of key slots 0 to 3
WHY = b"in use|changed the header meanwhile|opens no key slot|is not in use|has the new key"


class Together(Case):
    def setUp(self):
        super().setUp()
        for word in (*SLOTS, "added0", "added1", "new0", "new1", "fresh0", "fresh1"):
            self.put(word, word.encode())
        self.text = self.put("text", bytes(range(256)) * 16)
        self.sparse("first", 17 * MIB)
        self.run_("cryptsetup", "luksFormat", "--type", "luks2", *COST, "--key-file", "base", "first")
        for word in SLOTS[1:]:
            self.run_("cryptsetup", "luksAddKey", *COST, "--key-file", "base", "first", word)

    def command(self, name, who):
        """Of party who, 0 or 1: its words."""
        rijn = {"passwd": ("passwd", "disk", "--passphrase-file", "mine", "--new-passphrase-file", f"new{who}", *CHEAP),
                "add-key": ("add-key", "disk", "--passphrase-file", "base", "--new-passphrase-file", f"added{who}", *CHEAP),
                "remove-key": ("remove-key", "disk", "--slot", "1", "--passphrase-file", "base"),
                "create": ("create", "disk", "--force", "--format", "luks2", "--passphrase-file", f"fresh{who}", *CHEAP),
                "write": ("write", "disk", "--passphrase-file", "base", "--input", self.text),
                "open": ("open", "disk", "--passphrase-file", "base", "--socket", f"s{who}")}
        if name in rijn:
            return [PROGRAM, "volume", *rijn[name]]
        if name == "luksAddKey":
            return ["cryptsetup", name, *COST, "--key-file", "base", "disk", f"added{who}"]
        return ["cryptsetup", name, "-q", "--key-file", "base", "disk", "2"]

    def opens(self, word):
        return self.rijn("read", "disk", "--length", 1, "--passphrase-file", word, ok=False).returncode == 0

    def run_pair(self, names, pause):
        """Both at once; of each whether it said success."""
        shutil.copyfile(self.path("first"), self.path("disk"))
        parties = []
        for who, name in enumerate(names):
            words = self.command(name, who)
            if who == 1:
                words = ["sh", "-c", f"sleep {pause:.3f}; exec \"$@\"", "sh", *words]
            # WHY files: a server has the pipe too, and its end would be waited for.
            said = open(self.path(f"said{who}"), "w+b")
            self.addCleanup(said.close)
            parties.append((subprocess.Popen(words, cwd=self.dir, env=ENVIRONMENT, stdout=said, stderr=said), said))
        good = []
        for party, said in parties:
            status = party.wait(200)
            said.seek(0)
            text = said.read()
            good.append(status == 0)
            if status != 0 and "cryptsetup" not in party.args:  # which can be silent
                self.assertRegex(text, WHY)
        for who, name in enumerate(names):
            if name == "open" and good[who]:
                self.rijn("close", self.path(f"s{who}"))
        return good

    def check(self, names, good):
        done = [name for name, ok in zip(names, good) if ok]
        self.assertTrue(done, "neither of the two did anything")
        if "create" in done:
            self.assertIn(True, [self.opens(f"fresh{who}") for who, name in enumerate(names) if name == "create" and good[who]])
            return
        self.assertTrue(self.opens("base"))
        self.assertEqual(self.opens("spare"), "remove-key" not in done)
        self.assertEqual(self.opens("other"), "luksKillSlot" not in done)
        self.assertEqual(self.opens("mine"), "passwd" not in done)
        for who, name in enumerate(names):
            if good[who] and name in ("passwd", "add-key", "luksAddKey"):
                self.assertTrue(self.opens(f"new{who}" if name == "passwd" else f"added{who}"))
        if "write" in done:
            read = self.rijn("read", "disk", "--length", 4096, "--passphrase-file", "base")
            self.assertEqual(read.stdout, bytes(range(256)) * 16)
        if names == ("open", "open"):
            self.assertEqual(len(done), 1)

    def test_pairs(self):
        names = ("passwd", "add-key", "remove-key", "create", "write", "open", "luksAddKey", "luksKillSlot")
        pause = random.Random(1)
        for n in range(TIMES):
            for pair in itertools.combinations_with_replacement(names, 2):
                if pair[0].startswith("luks"):
                    continue  # cryptsetup alone
                with self.subTest(pair=pair, n=n):
                    self.check(pair, self.run_pair(pair, pause.random() * 0.06 if n > 0 else 0))


if __name__ == "__main__":
    unittest.main(verbosity=2)
