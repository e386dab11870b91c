# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""make tune: looks for better values of a set's choices (src/mode/tune.def) on the machine where it runs.

It compiles the library with other values, loads all variants into one process, checks the answers of each, and measures
them in turn. It needs a C compiler and Python. What it has compiled and tried stays in the folder: started again, it goes
on. It changes no source: it leaves a patch, a record and a page there, and says what to do with them.

usage: make tune [ARGS="--minutes 20 --set NAME ..."], or python3 -B tools/tune --help
"""
import argparse
import json
import os
import shlex
import statistics
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(1, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import bench  # noqa: E402
import build  # noqa: E402
import record  # noqa: E402
import rijn_sets  # noqa: E402
import search  # noqa: E402


def say(text):
    print(text, flush=True)


def arguments():
    p = argparse.ArgumentParser(prog="tools/tune", description=__doc__.split("\n\n")[0])
    p.add_argument("--minutes", type=float, default=20, help="when to end at the latest (20)")
    p.add_argument("--set", dest="set_", metavar="NAME", help="the set to begin with (the fastest that runs here)")
    p.add_argument("--only", metavar="NAME,...", help="try these choices alone")
    p.add_argument("--from", dest="from_", metavar="NAME=VALUE,...", help="begin with other values than the set's")
    p.add_argument("--cc", default=os.environ.get("CC", "cc"), help="the compiler (cc)")
    p.add_argument("--folder", default=os.path.join(build.ROOT, "build", "tune"), help="where results go (build/tune)")
    p.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="compilers at once (all processors)")
    p.add_argument("--cpu", type=int, default=-1, help="measure on this processor (the last)")
    p.add_argument("--rounds", type=int, default=15, help="rounds of a run (15)")
    p.add_argument("--us", type=float, default=50, help="microseconds of work in a sample (50)")
    p.add_argument("--clock", choices=("chain", "fixed", "stub"), help="chain: cycles; fixed: nanoseconds; stub: for tests")
    p.add_argument("--emulator", default="", help="what runs the compiler's programs: qemu-aarch64 -L FOLDER")
    p.add_argument("--anew", action="store_true", help="forget what was tried before")
    return p.parse_args()


class Journal:
    """What was tried, in a file: the same question has the same answer when the tuner is started again."""

    def __init__(self, path, anew):
        self.path, self.known = path, {}
        if os.path.exists(path) and not anew:
            with open(path, encoding="utf-8") as f:
                for line in f:
                    if line.endswith("\n"):  # else it was interrupted there
                        key, verdict = json.loads(line)
                        self.known[key] = search.Verdict(**verdict)
        elif anew and os.path.exists(path):
            os.remove(path)

    def trial(self, trial):
        """The same function, which asks only for what is not known."""

        def known(best, candidates):
            keys = [json.dumps([best, candidate], sort_keys=True) for candidate in candidates]
            new = [i for i, key in enumerate(keys) if key not in self.known]
            verdicts = trial(best, [candidates[i] for i in new]) if new else []
            with open(self.path, "a", encoding="utf-8") as f:
                for i, verdict in zip(new, verdicts):
                    self.known[keys[i]] = verdict
                    f.write(json.dumps([keys[i], verdict.__dict__]) + "\n")
            return [self.known[key] for key in keys]

        return known


def compare_sets(runner, library, names):
    """Mean ratios of the sets that run here to the first, the chosen one; the fastest first."""
    samples = runner.measure([(library, name) for name in names])
    means = [(name, search.mean(bench.ratios(samples, i), bench.WEIGHTS)) for i, name in enumerate(names)]
    return sorted(means, key=lambda pair: pair[1])


def choices_of(tree, values, only):
    """The values that are tried, of each choice; of NARROW's alone where there is one."""
    wide, out = rijn_sets.tried(), {}
    for row in rijn_sets.parameters():
        if row.kind != "choice" or (only and row.name not in only):
            continue
        tried = set(wide.get(row.name, range(row.least, row.most + 1))) | {values[row.name]}
        if row.name.startswith("NARROW") and not values["NARROW_ENCRYPT"]:
            continue
        out[row.name] = sorted(tried)
    return out


def known_set(name, names, what):
    if name not in names:
        sys.exit(f"tools/tune: {what}: {name} is not among these: {', '.join(names)}")
    return name


def start_values(tree, row, option):
    """The set's own values, and those that --from gives."""
    values = tree.values(tree.text(row))
    for part in option.split(",") if option else []:
        name, _, value = part.partition("=")
        known_set(name, values, "--from")
        values[name] = tree.compiler.value(value)
    if rijn_sets.invalid(values):
        sys.exit(f"tools/tune: --from: {rijn_sets.invalid(values)}")
    return values


class Clock:
    """The time that is left, and how long what is left will take."""

    def __init__(self, minutes):
        self.begin, self.end = time.monotonic(), time.monotonic() + 60 * minutes
        self.tried, self.open = 0, 0

    def late(self):
        return time.monotonic() > self.end

    def told(self, text):
        passed = time.monotonic() - self.begin
        left = self.end - time.monotonic()
        if self.tried:
            left = min(left, passed / self.tried * self.open)
        say(f"{passed / 60:5.1f} min, about {max(left, 0) / 60:.0f} more: {text}")


def searched(args, tree, row, runner, good, clock):
    """The search, done."""
    trials = bench.Trials(tree, row, runner, good, args.jobs)
    journal = Journal(os.path.join(args.folder, f"journal-{row.file}-{tree.digest}.txt"), args.anew)
    values = start_values(tree, row, args.from_)
    choices = choices_of(tree, values, args.only and args.only.split(","))

    def trial(best, candidates):
        verdicts = journal.trial(trials.trial)(best, candidates)
        clock.tried += len(candidates)
        for candidate, verdict in zip(candidates, verdicts):
            if verdict.why:
                say(f"thrown out: {', '.join(f'{k} {v}' for k, v in candidate.items())}: {verdict.why}")
        return verdicts

    def left(n):
        clock.open = n

    found = search.Search(values, choices, rijn_sets.pairs(), rijn_sets.invalid, trial, clock.told, clock.late)
    say(f"{row.name}: {found.left(found.turns())} candidates in the first turn")
    done = found.run(left)
    say("nothing wins any more" if done else "the time is over; started again, it goes on")
    return found, trials


def before_after(runner, trials, old, new, name):
    """Of each cell the lowest tenths before and after, and the median ratio; the mean ratio; the unit."""
    first, last = (trials.tree.variant(trials.row, trials.tree.changed(trials.text, values)) for values in (old, new))
    samples = runner.measure([(first, name), (last, name)], 3)
    ratios = bench.ratios(samples, 1)
    tenth = lambda rows: statistics.quantiles(rows, n=10)[0]  # noqa: E731
    cells = {cell: (tenth(samples[cell][0]), tenth(samples[cell][1]), ratios[cell]) for cell in samples}
    return cells, search.mean(ratios, bench.WEIGHTS), "cycles" if runner.clock == "chain" else "nanoseconds"


def leave(args, tree, row, found, trials, sets, runner):
    """Patch, record and page; what to do with them."""
    old = tree.values(trials.text)
    cells = before_after(runner, trials, old, found.best, row.name)
    command = shlex.join(["tools/tune", *sys.argv[1:]])
    rec = record.make(tree, row, found.best, found.tried, sets, cells, command)
    stem = os.path.join(args.folder, f"{rec['processor']['id']}-{row.file}")
    record.dump(rec, stem + ".json")
    record.page(rec, stem + ".html")
    where = os.path.relpath(stem)
    if rec["change"]:
        with open(stem + ".patch", "w", encoding="utf-8") as f:
            f.write(record.patch(row, trials.text, tree.changed(trials.text, found.best)))
        changed = ", ".join(f"{k} {old[k]} -> {v}" for k, v in rec["change"].items())
        say(f"\n{row.name} takes {rec['mean']:.3f} of the time with {changed}")
        say(f"  git apply {where}.patch     then: make check (stack and registers are cleared elsewhere now)")
    else:
        say(f"\n{row.name} is best as it is.")
    say(f"  {where}.html     each cell before and after")
    say(f"Please send {where}.json to the project, as tuning/machines/{rec['processor']['id']}.json\n"
        "in a patch or attached to an issue: it has no name of this machine, its user or its files.")  # fmt: skip


def main():
    args = arguments()
    clock = Clock(args.minutes)
    compiler = build.Compiler(args.cc)
    tree = build.Tree(compiler, args.folder, args.jobs)
    if not tree.mine:
        sys.exit(f"tools/tune: there is no set for what {args.cc} makes code for")
    say(f"{compiler.version}; compiling the library")
    good = tree.base()
    kind = args.clock or ("fixed" if compiler.machine == "ppc64le" else "chain")
    runner = bench.Runner(tree.runner(), shlex.split(args.emulator), kind, args.cpu, args.rounds, args.us)
    names = [name for name in runner.sets(good) if name != "portable"]
    if not names:
        sys.exit("tools/tune: this machine runs portable alone, which has no parameters")
    sets = compare_sets(runner, good, names)
    for name, ratio in sets:
        say(f"  {name:22} {ratio:.3f}{' (chosen here)' if name == names[0] else ''}")
    row = tree.row(known_set(args.set_, names, "--set") if args.set_ else sets[0][0])
    found, trials = searched(args, tree, row, runner, good, clock)
    leave(args, tree, row, found, trials, sets, runner)


if __name__ == "__main__":
    try:
        main()
    except build.Failed as error:
        sys.exit(f"tools/tune: {error}")
    except KeyboardInterrupt:
        sys.exit("tools/tune: stopped; started again, it goes on")
