# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""The tuner's search, on a machine that is made up: what each choice costs there is known. Nothing is compiled or measured."""
import math
import random
import unittest

import common  # noqa: F401
import search

CELLS = ["short", "long", "keys", "key"]
WEIGHTS = dict(zip(CELLS, (0.5, 0.3, 0.15, 0.05)))
CHOICES = {"PASS": [4, 6, 8], "MASK": [0, 1], "TABLE": [0, 1024, 65536], "AHEAD": [0, 1], "A": [0, 1], "B": [0, 1], "C": [0, 1]}
BEST = {"PASS": 8, "MASK": 1, "TABLE": 65536, "AHEAD": 0, "A": 1, "B": 1, "C": 0}


def cost(values):
    """Of a message, by cell. A alone and B alone cost; together they gain. AHEAD gains in all cells but one. C does nothing."""
    own = {"short": 100.0, "long": 1000.0, "keys": 300.0, "key": 300.0}
    own["long"] *= {4: 1.06, 6: 1.02, 8: 1.0}[values["PASS"]]
    own["short"] *= 1 if values["MASK"] else 1.03
    own["long"] *= {0: 1.02, 1024: 1.1, 65536: 1.0}[values["TABLE"]]
    if values["A"] != values["B"]:
        own["short"] *= 1.04
    elif values["A"]:
        own["short"] *= 0.97
    if values["AHEAD"]:
        own = {cell: c * (1.3 if cell == "keys" else 0.9) for cell, c in own.items()}
    return own


class Machine:
    """A trial on the machine that is made up, with the noise of a busy one: 2 % on each median."""

    def __init__(self, seed):
        self.random, self.trials, self.wrong = random.Random(seed), 0, None

    def trial(self, best, candidates):
        verdicts = []
        for candidate in candidates:
            self.trials += 1
            values = {**best, **candidate}
            if self.wrong and self.wrong(values):
                verdicts.append(search.Verdict("wrong", why="GCM, tag: wrong answer"))
                continue
            runs = [{cell: cost(values)[cell] / cost(best)[cell] * math.exp(self.random.gauss(0, 0.004)) for cell in CELLS}
                    for _ in range(3)]  # fmt: skip
            verdicts.append(search.judge(runs, WEIGHTS))
        return verdicts


def run(start, machine, late=lambda: False, invalid=lambda values: ""):
    found = search.Search(start, CHOICES, [("A", "B")], invalid, machine.trial, lambda text: None, late)
    return found, found.run()


class Found(unittest.TestCase):
    def test_three_bad_values(self):
        """From three bad values to the best ones, past a pair that gains together alone, and not to what costs a cell."""
        for seed in range(20):
            start = {**BEST, "PASS": 4, "MASK": 0, "TABLE": 1024, "A": 0, "B": 0}
            found, done = run(start, Machine(seed))
            self.assertTrue(done)
            self.assertEqual({**found.best, "C": 0}, BEST, seed)
            self.assertEqual({v.word for _, c, v in found.tried if c == {"AHEAD": 1}}, {"lossy"})

    def test_noise_wins_nothing(self):
        """From the best values nothing but C, which does nothing, may change, and that seldom."""
        changed = 0
        for seed in range(40):
            found, _ = run(BEST, Machine(seed))
            self.assertEqual({**found.best, "C": 0}, BEST)
            changed += found.best["C"]
        self.assertLessEqual(changed, 4)

    def test_wrong_is_thrown_out(self):
        machine = Machine(1)
        machine.wrong = lambda values: values["PASS"] == 8
        found, _ = run({**BEST, "PASS": 4}, machine)
        self.assertEqual(found.best["PASS"], 6)
        self.assertIn(({"PASS": 8}, "wrong", "GCM, tag: wrong answer"), [(c, v.word, v.why) for _, c, v in found.tried])

    def test_invalid_is_not_tried(self):
        found, _ = run({**BEST, "PASS": 4}, Machine(2), invalid=lambda values: "no" if values["PASS"] == 8 else "")
        self.assertEqual(found.best["PASS"], 6)
        self.assertFalse([c for _, c, _ in found.tried if c.get("PASS") == 8])

    def test_time_is_over(self):
        machine = Machine(3)
        found, done = run({**BEST, "PASS": 4}, machine, late=lambda: machine.trials >= 2)
        self.assertFalse(done)
        self.assertLess(machine.trials, 6)

    def test_agreed(self):
        runs = [{"a": 0.9, "b": 1.2, "c": 0.9}, {"a": 0.95, "b": 1.1, "c": 1.1}]
        self.assertEqual(search.agreed(runs), {"a": 0.95, "b": 1.1, "c": 1.0})


if __name__ == "__main__":
    unittest.main()
