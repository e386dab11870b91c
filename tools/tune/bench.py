# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""What is measured, and the runner's processes."""
import concurrent.futures
import statistics
import subprocess

from build import Failed
import search

# Groups of cells, each with what all of it weighs: OP-DIRECTION-BITS-SIZE-AAD-KEYS.
GCM = (16, 64, 200, 512, 1420, 2048, 4096, 16384, 65536)
GROUPS = [
    (0.50, [f"gcm-{way}-{bits}-{n}-16-1" for bits in (128, 256) for way in ("enc", "dec") for n in GCM]),
    (0.12, [f"gcm-{way}-128-{n}-{aad}-1" for way in ("enc", "dec")
            for n, aad in ((64, 0), (64, 28), (200, 20), (200, 64), (1420, 28))]),
    (0.12, [f"gcm-enc-{bits}-{n}-13-{keys}" for bits in (128, 256) for n in (64, 1420) for keys in (1024, 4096)]),
    (0.05, [f"batch-enc-128-{n}-13-1" for n in (64, 256, 1420)]),
    (0.10, [f"xts-{way}-{bits}-{n}-0-1" for bits in (128, 256) for way in ("enc", "dec") for n in (512, 4096, 65536)]),
    (0.05, [f"ctr-enc-{bits}-{n}-0-1" for bits in (128, 256) for n in (64, 1420, 65536)]),
    (0.02, ["cbc-dec-128-4096-0-1"]),
    (0.04, ["key-enc-128-0-0-1", "key-enc-256-0-0-1"]),
]  # fmt: skip
WEIGHTS = {cell: weight / len(cells) for weight, cells in GROUPS for cell in cells}
CLOSE = search.MARGIN  # so near to the margin, a candidate has a third run


class Runner:
    """prefix: an emulator and its options, or nothing."""

    def __init__(self, path, prefix, clock, cpu, rounds, us):
        self.path, self.prefix, self.clock, self.cpu, self.rounds, self.us = path, prefix, clock, cpu, rounds, us
        self.runs = 0

    def _run(self, arguments, seconds):
        command = [*self.prefix, self.path, *arguments]
        try:
            done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=seconds, check=False)
        except subprocess.TimeoutExpired:
            raise Failed(f"does not end within {seconds} s") from None
        if done.returncode:
            lines = done.stderr.strip().splitlines() or [f"ends with status {done.returncode}"]
            raise Failed(lines[0])
        return done.stdout

    def sets(self, library):
        """The sets that this machine runs, the chosen one first."""
        return self._run(["sets", library], 60).split()

    def check(self, good, library, name):
        """What is wrong with the answers of a set of a library; "": nothing."""
        try:
            self._run(["check", good, library, name], 3600 if self.prefix else 600)
        except Failed as error:
            return str(error)
        return ""

    def measure(self, libraries, more=1, cells=tuple(WEIGHTS)):
        """libraries: [(path, set)]. Of each cell a list, for each library, of all rounds' cycles."""
        self.runs += 1
        rounds = 3 if self.clock == "stub" else self.rounds * more
        named = [f"{path}={name}" for path, name in libraries]
        settings = [str(x) for x in (self.cpu, self.clock, rounds, self.us, self.runs)]
        out = self._run(["measure", *settings, ",".join(cells), *named], 3600)
        samples = {cell: [[] for _ in libraries] for cell in cells}
        for line in out.splitlines():
            cell, library, _, cycles = line.split()
            samples[cells[int(cell)]][int(library)].append(float(cycles))
        return samples


def ratios(samples, i):
    """Of each cell: the median of the ratios of library i to library 0, each of one round."""
    return {cell: statistics.median(a / b for a, b in zip(rows[i], rows[0])) for cell, rows in samples.items()}


class Trials:
    """Compiles, checks and measures candidates beside the best: search.Search's trial."""

    def __init__(self, tree, row, runner, good, jobs):
        self.tree, self.row, self.runner, self.good, self.jobs = tree, row, runner, good, jobs
        self.text = tree.text(row)
        self.checked = {good: ""}

    def _variant(self, values):
        """The library's path, or a Verdict that says why there is none."""
        try:
            path = self.tree.variant(self.row, self.tree.changed(self.text, values))
        except Failed as error:
            return search.Verdict("refused", why=f"does not compile: {error}")
        if path not in self.checked:
            self.checked[path] = self.runner.check(self.good, path, self.row.name)
        return search.Verdict("wrong", why=self.checked[path]) if self.checked[path] else path

    def trial(self, best, candidates):
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            paths = list(pool.map(self._variant, [best] + [{**best, **c} for c in candidates]))
        if isinstance(paths[0], search.Verdict):
            raise Failed(f"the values to begin with: {paths[0].why}")
        runnable = list(dict.fromkeys(path for path in paths[1:] if not isinstance(path, search.Verdict)))
        verdicts = self._measured(paths[0], runnable)
        return [path if isinstance(path, search.Verdict) else verdicts[path] for path in paths[1:]]

    def _measured(self, best, paths):
        """Two runs of those that may win after one, and a third of those that are close."""
        runs, open_ = {path: [] for path in paths}, list(paths)
        for more in (1, 1, 3):
            if not open_:
                break
            samples = self.runner.measure([(path, self.row.name) for path in [best] + open_], more)
            for i, path in enumerate(open_):
                runs[path].append(ratios(samples, i + 1))
            now = {path: search.judge(runs[path], WEIGHTS) for path in open_}
            if more == 1 and len(runs[open_[0]]) == 1:
                open_ = [path for path in open_ if now[path].gain < 1 - search.MARGIN / 2]
            else:
                open_ = [path for path in open_ if abs(now[path].gain - (1 - search.MARGIN)) < CLOSE]
        verdicts = {path: search.judge(runs[path], WEIGHTS) for path in paths}
        for path, verdict in verdicts.items():
            if len(runs[path]) == 1 and verdict.word == "faster":
                verdict.word = "level"
        return verdicts
