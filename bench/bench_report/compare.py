# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""Is B another speed than A?

An observation is the lowest tenth of a launch: what the code costs when little disturbs it. A launch in which all was
disturbed, as by a neighbour on the same core, has no such moment. Where both reports have libcrypto in the same case, it
tells: launches in which its lowest tenth lies over the best of all by more than 5 % are left out. The logarithms of the
observations are compared by Welch's t test on trimmed means (Yuen's), at a level that keeps the chance of one false alarm
in the whole report at 5 % (Bonferroni). Samples of one launch share its placement of buffers, so fewer than three launches
prove nothing; the parts of a launch then stand for launches, and the answer is what it seems."""
import math

import numpy as np
from scipy import stats

from .reports import Bad, identity, size_name

CONTROL = "libcrypto"
FEWEST = 3      # launches
DISTURBED = 1.05  # times the best of the control
OPTIONS = ("threads", "misalign", "in_place", "cold_key", "keys_in_turn", "serialize", "clock")


def samples(row):
    """One line a launch; what is no positive number is no sample."""
    v = np.array([x if isinstance(x, (int, float)) and not isinstance(x, bool) else math.nan for x in row.get("cycles") or []],
                 dtype=float)
    v[~(np.isfinite(v) & (v > 0))] = math.nan
    launches = row.get("launches", 1)
    fits = isinstance(launches, int) and launches >= 1 and len(v) % launches == 0
    return v.reshape(launches if fits else 1, -1)


def lowest_tenth(v):
    """Of each line that has a sample; else NAN."""
    return np.array([np.nanquantile(x, 0.1) if np.any(np.isfinite(x)) else math.nan for x in v])


def parts(v):
    """Ten of each launch, one after the other, in place of launches; or its samples, where these are few."""
    n = 10 if v.shape[1] >= 50 else v.shape[1]
    return v[:, :v.shape[1] // n * n].reshape(v.shape[0] * n, -1) if n else v


def observations(rows, controls, few):
    """Of A and of B, without what was disturbed."""
    split = parts if few else lambda v: v
    found = [lowest_tenth(split(samples(r))) for r in rows]
    if controls[0] is not None:
        lows = [lowest_tenth(split(c)) for c in controls]
        best = np.nanmin(np.concatenate(lows), initial=math.inf)
        found = [v[~(low > DISTURBED * best)] for v, low in zip(found, lows)]
    return [v[np.isfinite(v)] for v in found]


def difference(a, b, level):
    """By how much B's logarithms lie over A's, and the interval in which that lies."""
    if np.ptp(a) == 0 and np.ptp(b) == 0:
        d = b[0] - a[0]
        return d, d, d
    trim = 0.2 if min(len(a), len(b)) >= 5 else 0
    t = stats.ttest_ind(b, a, equal_var=False, trim=trim)
    interval = t.confidence_interval(level)
    d = stats.trim_mean(b, trim) - stats.trim_mean(a, trim)
    return d, interval.low, interval.high


def controls(report):
    return {identity(r)[:-1]: samples(r) for r in report["rows"] if r["subject"] == CONTROL and not r.get("error")}


def control_of(a, b, controls_a, controls_b):
    """libcrypto's samples of the same rounds, of both, or of none."""
    key = identity(a)[:-1]
    pair = [controls_a.get(key), controls_b.get(key)]
    fits = all(c is not None and c.shape == samples(r).shape for c, r in zip(pair, (a, b)))
    return pair if fits else [None, None]


def notes(a, b):
    """A difference of what was measured is said, since it is not one of speed."""
    def told(name, x, y):
        if x is not None and y is not None and x != y:
            yield f"note: {name} differs: {x} | {y}"
    for part, name in (("machine", "cpu"), ("build", "compiler"), ("build", "flags")):
        yield from told(name, a.get(part, {}).get(name), b.get(part, {}).get(name))
    yield from told("peers", a.get("peers"), b.get("peers"))
    for name in OPTIONS:
        yield from told(name, a.get("options", {}).get(name), b.get("options", {}).get(name))
    hz = [r.get("machine", {}).get("core_hz_median") for r in (a, b)]
    if all(r.get("options", {}).get("clock") == "fixed" for r in (a, b)) and all(hz) and abs(hz[0] / hz[1] - 1) > 1e-4:
        yield f"note: the told clock differs: {hz[0]:.4g} | {hz[1]:.4g} Hz"


class Tally:
    def __init__(self, min_effect):
        self.min_effect = min_effect
        self.counts = dict.fromkeys(("faster", "slower", "same", "seems", "wrong", "failing", "disturbed"), 0)

    def __getitem__(self, name):
        return self.counts[name]

    def verdict(self, interval, few):
        low, high = (100 * math.expm1(min(x, 7)) for x in interval)
        if low <= 0 <= high:
            self.counts["same"] += 1
            return "no difference proven"
        word = "slower" if low > 0 else "faster"
        if few:
            self.counts["seems"] += 1
            return f"B seems {word}: too few launches to tell"
        self.counts[word] += 1
        self.counts["failing"] += low > self.min_effect
        return f"B is {word}"


def line(a, b, level, pair, tally):
    few = min(len(samples(r)) for r in (a, b)) < FEWEST
    found = observations((a, b), pair, few)
    shown = [f"{float(np.median(v)):9.1f}" if len(v) else f"{'-':>9}" for v in found]
    start = f"{size_name(a):>6} {a['subject'][:20]:20} {shown[0]} {shown[1]}"
    if min(map(len, found)) < FEWEST:
        if min(np.count_nonzero(np.isfinite(samples(r))) for r in (a, b)) < FEWEST:
            return None
        tally.counts["disturbed"] += 1
        return start + "  too few launches were undisturbed"
    d, low, high = difference(*map(np.log, found), level)
    half = min(50 * (math.expm1(min(high, 7)) - math.expm1(low)), 999)
    return f"{start} {100 * math.expm1(d):+7.2f}% +- {half:.2f}%  {tally.verdict((low, high), few)}"


def one_row(a, b, level, pair, tally):
    wrong = [bool(r.get("error")) for r in (a, b)]
    if not any(wrong):
        return line(a, b, level, pair, tally)
    tally.counts["wrong"] += wrong[1] and not wrong[0]
    return (f"{size_name(a):>6} {a['subject'][:20]:20} WRONG in {'both' if all(wrong) else 'B' if wrong[1] else 'A'}: "
            f"{(b if wrong[1] else a)['error']}")


def summary(a, b, pairs, tally):
    compared = tally["faster"] + tally["slower"] + tally["same"] + tally["seems"] + tally["disturbed"]
    print(f"\ncycles a message, the lowest tenth; {compared} rows: {tally['faster']} faster, {tally['slower']} slower, "
          f"{tally['same'] + tally['seems'] + tally['disturbed']} without a proven difference")
    if len(a["rows"]) > len(pairs) or len(b["rows"]) > len(pairs):
        print(f"not compared: {len(a['rows']) - len(pairs)} rows only in A, {len(b['rows']) - len(pairs)} only in B")
    if tally["seems"]:
        print(f"{tally['seems']} rows seem different in fewer than {FEWEST} launches: measure with --launches 7, or in turn with"
              "\nbench/report versus OLD NEW")
    if tally["disturbed"]:
        print(f"{tally['disturbed']} rows tell nothing: libcrypto says that other work disturbed all launches but a few. Take a"
              "\nquieter machine, or more --launches")
    noisy = [n for n, r in (("A", a), ("B", b)) if r.get("noisy")]
    if noisy:
        print(f"{' and '.join(noisy)} {'was' if len(noisy) == 1 else 'were'} measured on a noisy machine")
    if tally["failing"]:
        print(f"B is slower by more than {tally.min_effect:g} % in {tally['failing']} rows")
    if tally["wrong"]:
        print(f"B is wrong where A was right, in {tally['wrong']} rows")


def run(a, b, min_effect):
    """Prints what differs; 0, or 1 where B is proven slower or wrong."""
    if "head" in a or "head" in b:
        raise Bad("a CSV file has no samples: compare the JSON reports")
    others = {identity(r): r for r in b["rows"]}
    pairs = [(r, others[identity(r)]) for r in a["rows"] if identity(r) in others]
    if not pairs:
        raise Bad("the two reports have no row in common")
    for text in notes(a, b):
        print(text)
    tally, title, measured = Tally(min_effect), None, 0
    level = 1 - 0.05 / len(pairs)
    same_peers = a.get("peers") == b.get("peers")  # another libcrypto tells nothing of the machine
    of_a, of_b = (controls(r) if same_peers else {} for r in (a, b))
    for x, y in pairs:
        text = one_row(x, y, level, control_of(x, y, of_a, of_b), tally)
        measured += text is not None and "WRONG" not in text
        if x.get("title") != title:
            title = x.get("title")
            print(f"\n{title}\n bytes {'':20} {'A':>9} {'B':>9}  B - A")
        print(text or f"{size_name(x):>6} {x['subject'][:20]:20} no samples to compare")
    if not measured and not tally["wrong"]:
        raise Bad("no row that the two reports have in common was measured in both")
    summary(a, b, pairs, tally)
    return 1 if tally["failing"] or tally["wrong"] else 0
