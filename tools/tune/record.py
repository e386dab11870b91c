# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""What the tuner leaves: a patch, a record, and a page."""
import difflib
import html
import json
import os
import platform
import re
import subprocess

from build import ROOT
import search

FORMAT = 1


def _read(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as f:
            return f.read()
    except OSError:
        return ""


def processor(machine):
    """What names the processor, for machines and for people; id: a file's name."""
    info = _read("/proc/cpuinfo")
    fields = {k.strip(): v.strip() for k, _, v in (line.partition(":") for line in reversed(info.splitlines()))}
    if machine in ("x86_64", "i386"):
        vendor = {"GenuineIntel": "intel", "AuthenticAMD": "amd"}.get(fields.get("vendor_id"), "other")
        family, model = fields.get("cpu family", "0"), fields.get("model", "0")
        return {"id": f"x86-{vendor}-{family}-{model}", "name": fields.get("model name", ""), "vendor": vendor,
                "family": int(family), "model": int(model), "stepping": fields.get("stepping", "")}  # fmt: skip
    if machine == "aarch64":
        midr = _read("/sys/devices/system/cpu/cpu0/regs/identification/midr_el1").strip()
        if not midr and "CPU implementer" in fields:
            parts = [int(fields[k], 0) for k in ("CPU implementer", "CPU variant", "CPU part", "CPU revision")]
            midr = f"0x{parts[0] << 24 | parts[1] << 20 | 0xF << 16 | parts[2] << 4 | parts[3]:016x}"
        return {"id": f"arm-{midr or 'unknown'}", "name": fields.get("model name", ""), "midr": midr}
    revision = re.search(r"pvr ([0-9a-f ]+)", fields.get("revision", ""))
    pvr = "0x" + revision[1].replace(" ", "") if revision else ""
    return {"id": f"ppc-{pvr or 'unknown'}", "name": fields.get("cpu", ""), "pvr": pvr}


def commit():
    done = subprocess.run(["git", "-C", ROOT, "describe", "--always", "--dirty", "--abbrev=12"], capture_output=True,
                          text=True, check=False)  # fmt: skip
    return done.stdout.strip() or "unknown"


def version():
    return re.search(r'RIJN_VERSION_STRING "([^"]+)"', _read(os.path.join(ROOT, "include", "rijn.h")))[1]


def patch(row, old, new):
    """How a set's file becomes the better one."""
    name = f"src/isa/{row.file}.c"
    lines = difflib.unified_diff(old.splitlines(True), new.splitlines(True), "a/" + name, "b/" + name)
    return "".join(lines)


def tried(results):
    """All trials, as the record has them."""
    rows = []
    for before, candidate, verdict in results:
        row = {"from": {name: before[name] for name in candidate}, "to": candidate, "verdict": verdict.word}
        if verdict.why:
            row["why"] = verdict.why
        else:
            row.update(mean=round(verdict.gain, 4), worst=[verdict.worst[0], round(verdict.worst[1], 4)])
        rows.append(row)
    return rows


def dump(record, path):
    """A record, a cell and a trial a line."""
    text = json.dumps(record, indent=1, ensure_ascii=False)
    text = re.sub(r"\n {3,}(?=[^ ])", " ", text)  # deeper than a list's entries: on one line
    text = re.sub(r"\n  ([}\]])", r" \1", text)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text + "\n")


STYLE = """body{font:15px/1.4 sans-serif;margin:2em auto;max-width:60em;padding:0 1em}table{border-collapse:collapse}
td,th{padding:.15em .8em;text-align:right;border-bottom:1px solid #ccc}td:first-child,th:first-child{text-align:left}
.faster{background:#d9f2d9}.slower{background:#f7d9d9}code{background:#eee}@media(prefers-color-scheme:dark){
body{background:#1b1b1b;color:#ddd}.faster{background:#1f4a1f}.slower{background:#5a2424}code{background:#333}}"""


def _table(heads, rows):
    cell = "".join(f"<th>{html.escape(h)}</th>" for h in heads)
    out = [f"<table><tr>{cell}</tr>"]
    for css, values in rows:
        out.append(f'<tr class="{css}">' + "".join(f"<td>{html.escape(str(v))}</td>" for v in values) + "</tr>")
    return "\n".join(out + ["</table>"])


def page(record, path):
    """The record, for a person: what changed, each cell before and after, what was tried."""
    cells = []
    for row in record["cells"]:
        css = "faster" if row["ratio"] < 0.985 else "slower" if row["ratio"] > 1.015 else ""
        cells.append((css, (row["cell"], f"{row['old']:.0f}", f"{row['new']:.0f}", f"{row['ratio']:.3f}")))
    trials = [("", (", ".join(f"{k} {row['from'][k]} → {v}" for k, v in row["to"].items()), row["verdict"],
                    row.get("mean", ""), row.get("why", ""))) for row in record["tried"]]  # fmt: skip
    sets = [("", (row["set"], f"{row['mean']:.3f}")) for row in record["sets"]]
    changes = ", ".join(f"<code>{k} {v}</code>" for k, v in record["change"].items()) or "nothing"
    who = html.escape(f"{record['processor']['name']} ({record['processor']['id']})")
    unit = html.escape(record["unit"])
    body = f"""<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>Rijn, tuned: {who}</title>
<style>{STYLE}</style><h1>{html.escape(record["set"])} on {who}</h1>
<p>Changed: {changes}. All in all it takes {record["mean"]:.3f} of the time.</p>
<p>{html.escape(record["compiler"])}, commit {html.escape(record["commit"])}, {record["date"]},
<code>{html.escape(record["command"])}</code></p>
<h2>Before and after</h2><p>{unit} of a message. A cell is what, direction, bits of the key, bytes of text, bytes of
associated data, keys in turn. Both were measured in turn; the ratio is the median of the rounds' ratios.</p>
{_table(("cell", "before", "after", "ratio"), cells)}
<h2>The sets as they are</h2><p>Mean of the cells' ratios to the one that is chosen here.</p>
{_table(("set", "ratio"), sets)}
<h2>What was tried</h2>{_table(("change", "verdict", "mean", "why"), trials)}</html>
"""
    with open(path, "w", encoding="utf-8") as f:
        f.write(body)


def make(tree, row, best, results, sets, cells, command):
    """The record."""
    text = tree.text(row)
    old, date = tree.values(text), subprocess.run(["date", "-u", "+%Y-%m-%d"], capture_output=True, text=True, check=True)
    rows = [{"cell": cell, "old": round(a, 1), "new": round(b, 1), "ratio": round(r, 4)} for cell, (a, b, r) in cells[0].items()]
    return {
        "format": FORMAT,
        "processor": processor(tree.compiler.machine),
        "system": f"{platform.system()} {platform.release()}",
        "version": version(),
        "commit": commit(),
        "date": date.stdout.strip(),
        "command": command,
        "compiler": tree.compiler.version,
        "flags": " ".join(tree.flags(row)),
        "set": row.name,
        "values": {name: best[name] for name in old},
        "change": {name: best[name] for name in old if best[name] != old[name]},
        "mean": round(cells[1], 4),
        "margin": search.MARGIN,
        "unit": cells[2],
        "sets": [{"set": name, "mean": round(ratio, 4)} for name, ratio in sets],
        "cells": rows,
        "tried": tried(results),
    }
