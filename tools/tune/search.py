# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""The search: one choice after the other, from the best values so far; then pairs; again, until nothing wins.

Nothing here measures: whoever calls has a function for that. A candidate is a change of the best: {name: value}.
"""
import itertools
import math
from dataclasses import dataclass, field

MARGIN = 0.0015  # by so much the mean has to win
LOSS = 0.04  # and no cell may lose more
TOGETHER = 6  # so many candidates go to a trial
NEAR = 2  # a pair has so many values of a choice, those next to the best


@dataclass
class Verdict:
    """What became of a candidate beside the best."""

    word: str  # faster, slower, level, lossy (it wins, but loses too much in a cell); or wrong, refused
    gain: float = 1.0  # mean of the cells' ratios: under 1 it is faster
    worst: tuple = ("", 1.0)
    why: str = ""
    ratios: dict = field(default_factory=dict)


def agreed(runs):
    """What several runs say of a cell together: the ratio that is nearest to 1, or 1 if they differ about the sign."""
    cells = {}
    for cell in runs[0]:
        ratios = [run[cell] for run in runs]
        if all(r < 1 for r in ratios):
            cells[cell] = max(ratios)
        else:
            cells[cell] = min(ratios) if all(r > 1 for r in ratios) else 1.0
    return cells


def mean(ratios, weights):
    total = sum(weights[cell] for cell in ratios)
    return math.exp(sum(weights[cell] * math.log(r) for cell, r in ratios.items()) / total)


def judge(runs, weights):
    """A candidate wins by the mean of what its runs agree about, and if no cell loses much."""
    ratios = agreed(runs)
    gain, worst = mean(ratios, weights), max(ratios.items(), key=lambda item: item[1])
    if gain < 1 - MARGIN:
        word = "faster" if worst[1] <= 1 + LOSS else "lossy"
    else:
        word = "slower" if gain > 1 + MARGIN else "level"
    return Verdict(word, gain, worst, ratios=ratios)


class Search:
    """best: values by name. choices: the values that are tried, by name. invalid(values): why not, or "". trial(best,
    candidates): a Verdict for each. told(text, left): progress, and how many candidates are left in this turn. late():
    is the time over?"""

    def __init__(self, best, choices, pairs, invalid, trial, told, late):
        self.best, self.choices, self.pairs = dict(best), choices, pairs
        self.invalid, self.trial, self.told, self.late = invalid, trial, told, late
        self.tried = []  # (best before, candidate, verdict)
        self.seen = set()

    def _fresh(self, candidates):
        """Those that are valid, and were not tried beside this best."""
        out = []
        for candidate in candidates:
            values = {**self.best, **candidate}
            key = (tuple(sorted(self.best.items())), tuple(sorted(values.items())))
            if values != self.best and key not in self.seen and not self.invalid(values):
                self.seen.add(key)
                out.append(candidate)
        return out

    def singles(self, name):
        return [{name: value} for value in self.choices[name] if value != self.best[name]]

    def doubles(self, names):
        def near(name):
            others = [value for value in self.choices[name] if value != self.best[name]]
            return sorted(others, key=lambda value: abs(value - self.best[name]))[: 2 * NEAR]

        if not all(name in self.choices for name in names):
            return []
        one, other = names
        out = [{one: a, other: b} for a, b in itertools.product(near(one), near(other))]
        if self.choices[one] == self.choices[other]:  # a change of both to one value may be the only valid one
            out += [{one: a, other: a} for a in self.choices[one]]
        return out

    def step(self, what, candidates):
        """Tries candidates; the best of those that win becomes the best. Did one?"""
        candidates = self._fresh(candidates)
        if not candidates or self.late():
            return False
        verdicts = []
        while len(verdicts) < len(candidates) and not (verdicts and self.late()):
            verdicts += self.trial(self.best, candidates[len(verdicts) : len(verdicts) + TOGETHER])
        self.tried += [(dict(self.best), c, v) for c, v in zip(candidates, verdicts)]
        winners = [(v.gain, i) for i, v in enumerate(verdicts) if v.word == "faster"]
        if not winners:
            self.told(f"{what}: stays ({len(candidates)} tried)")
            return False
        gain, i = min(winners)
        self.best.update(candidates[i])
        self.told(f"{what}: {', '.join(f'{k} {v}' for k, v in candidates[i].items())} takes {gain:.3f} of the time")
        return True

    def turns(self):
        """All steps of a turn, as (what, function that makes the candidates)."""
        one = [(name, lambda name=name: self.singles(name)) for name in self.choices]
        return one + [(" and ".join(pair), lambda pair=pair: self.doubles(pair)) for pair in self.pairs]

    def left(self, steps):
        """How many candidates these steps have, as things stand."""
        return sum(not self.invalid({**self.best, **c}) for _, make in steps for c in make())

    def run(self, turn_begins=lambda left: None):
        """Turns until one changes nothing, or the time is over. Was it finished?"""
        while not self.late():
            steps, won = self.turns(), False
            for i, (what, make) in enumerate(steps):
                turn_begins(self.left(steps[i:]))
                won |= self.step(what, make())
            if not won and not self.late():
                return True
        return False
