# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""The generated parts of doc/speed.md: a dozen rows and a chart for each processor, from doc/speed/*.csv."""
import glob
import os
import re
import textwrap

from . import charts
from .page import curves
from .reports import Bad, flat, load

# what, key, direction, size, count: how a row calls it
ROWS = [(("gcm", 128, "encrypt", "64", 1), "AES-128-GCM, 64 bytes"),
        (("gcm", 128, "encrypt", "1420", 1), "AES-128-GCM, 1420 bytes"),
        (("gcm", 128, "encrypt", "16384", 1), "AES-128-GCM, 16 KiB"),
        (("gcm", 256, "encrypt", "64", 1), "AES-256-GCM, 64 bytes"),
        (("gcm", 256, "encrypt", "1420", 1), "AES-256-GCM, 1420 bytes"),
        (("gcm", 256, "encrypt", "16384", 1), "AES-256-GCM, 16 KiB"),
        (("gcm", 256, "decrypt", "1420", 1), "AES-256-GCM opened, 1420 bytes"),
        (("batch", 256, "encrypt", "64", 32), "AES-256-GCM, batch of 32, each of 64 bytes"),
        (("xts", 256, "encrypt", "4096", 1), "AES-256-XTS, 4 KiB"),
        (("xts-run", 256, "encrypt", "512", 64), "AES-256-XTS, run of 64 sectors, each of 512 bytes"),
        (("keys", 128, "encrypt", "0", 1), "AES-128-GCM key set-up"),
        (("keys", 256, "encrypt", "0", 1), "AES-256-GCM key set-up")]
CHARTED = ("16", "64", "200", "512", "1420", "4096", "16384")
# title -> what is one call for many, and the same one by one; the lengths
MANY = {"AES-256-GCM, 32 messages of one key": (("batch", "32"), ("gcm", "1"), {"64": "64 bytes", "1420": "1420 bytes"}),
        "AES-256-XTS, 64 sectors": (("xts-run", "64"), ("xts", "1"), {"512": "512 bytes", "4096": "4096 bytes"})}
PEERS = ("libcrypto", "ipsec-mb", "nettle", "libgcrypt")
FASTEST_FIRST = ("ipsec-mb", "libgcrypt", "libcrypto", "nettle")
BEGIN, END = "<!-- {}: begin -->", "<!-- {}: end -->"


def number(v):
    return "–" if v is None else f"{v:.0f}" if v >= 100 else f"{v:.1f}"


def identity(r):
    return r["what"], r["key"], r["direction"], r["size"], int(r["count"])


def best(rows, name):
    """The fewest cycles of a subject or, for one with several (ipsec-mb:avx2), of its best."""
    found = [r["cycles"] for r in rows if r["subject"].split(":")[0] == name and r["subject"] != "libcrypto:rekey"
             and isinstance(r["cycles"], float)]
    return min(found, default=None)


def of_processor(head, rows):
    """[(name, Rijn's cycles, ns, {peer: cycles})] of the implementation that Rijn chooses there."""
    found = []
    for key, name in ROWS:
        of = [r for r in rows if identity(r) == key]
        ours = best(of, head["chosen"])
        if ours is not None:
            found.append((name, ours, 1e9 * ours / float(head["hz"]), {p: best(of, p) for p in PEERS}))
    return found


def table(found):
    yield "| cycles | Rijn | ns | " + " | ".join(PEERS) + " |"
    yield "|---|---:|---:|" + "---:|" * len(PEERS)
    for name, ours, ns, peers in found:
        figures = [number(peers[p]) for p in PEERS]
        least = min([ours] + [v for v in peers.values() if v is not None])
        cells = [f"**{number(ours)}**" if ours == least else number(ours), f"{ns:.0f}" if ns >= 100 else f"{ns:.1f}"]
        cells += [f"**{f}**" if peers[p] == least else f for p, f in zip(PEERS, figures)]
        yield f"| {name} | " + " | ".join(cells) + " |"


def chart(head, rows, found):
    of = [{**r, "mbyte_per_s": float(r["size"]) / r["cycles"] * float(head["hz"]) / 1e6} for r in rows
          if (r["what"], r["key"], r["direction"]) == ("gcm", 256, "encrypt") and r["size"] in CHARTED
          and r["subject"] not in ("portable", "libcrypto:rekey") and (r["kind"] != "rijn" or r["subject"] == head["chosen"])]
    times = [(name.replace(", each of", " x"), peers["libcrypto"] / ours) for name, ours, _, peers in found if peers["libcrypto"]]
    return charts.processor_chart(curves(of, head["chosen"]), f"AES-256-GCM encryption, {head['processor']}", *zip(*times))


def many(head, rows):
    """The chart of what is one call for many messages or sectors. A peer without such a call makes one after the other."""
    def speeds(what, count, size, subjects):
        of = [r for r in rows if identity(r) == (what, 256, "encrypt", size, int(count))]
        found = {name: best(of, subject) for name, subject in subjects.items()}
        return {name: float(size) / cycles * float(head["hz"]) / 1e9 for name, cycles in found.items() if cycles}

    panels = {}
    for title, (together, singly, sizes) in MANY.items():
        ours = head["chosen"]
        panels[title] = {told: {**speeds(*together, size, {"Rijn, in one call": ours}),
                                **speeds(*singly, size, {"Rijn, one by one": ours}),
                                **speeds(*together, size, {p: p for p in FASTEST_FIRST})} for size, told in sizes.items()}
    return charts.many_chart(panels)


def replace(text, name, new, path):
    begin, end = BEGIN.format(name), END.format(name)
    if text.count(begin) != 1 or text.count(end) != 1:
        raise Bad(f"{path} has no place for {name}: {begin} and {end}")
    return text[:text.index(begin) + len(begin)] + "\n" + new + "\n" + text[text.index(end):]


def filled(head):
    """What was measured and how, in lines of a page."""
    told = (f"{head['processor']}, {float(head['hz']) / 1e9:.2f} GHz; `{head['chosen']}`; Rijn {head['version']} "
            f"({head['commit']}), {head['compiler']}; {head['peers']}.")
    return textwrap.fill(told, 120, break_on_hyphens=False, break_long_words=False) + f"\n`{head['command']}`"


def generated(folder):
    """(name, lines of Markdown, {suffix: chart}) of each processor."""
    for path in sorted(glob.glob(os.path.join(folder, "speed", "*.csv"))):
        data = load(path)
        head, rows = flat(data)
        if "chosen" not in head or "processor" not in head:
            raise Bad(f"{path} lacks the lines \"# processor:\" and \"# chosen:\"")
        found = of_processor(head, rows)
        name = os.path.basename(path).removesuffix(".csv")
        told = (f"![GB/s by the length of a message, and times libcrypto](speed/{name}.svg)\n\n" + "\n".join(table(found)) +
                f"\n\n![GB/s of batches and of runs of sectors](speed/{name}-many.svg)\n\n{filled(head)}")
        yield name, re.sub(r"(?m) +$", "", told), {"": chart(head, rows, found), "-many": many(head, rows)}


def make(folder, write):
    path = os.path.join(folder, "speed.md")
    with open(path, encoding="utf-8") as f:
        text = f.read()
    for name, told, pictures in generated(folder):
        text = replace(text, name, told, path)
        for suffix, picture in pictures.items():
            write(os.path.join(folder, "speed", f"{name}{suffix}.svg"), picture)
    write(path, text)
