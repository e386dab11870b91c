# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""Reports of rijn bench: read, checked, merged, and written as CSV."""
import csv
import io
import json
import math
import re

LARGEST = 1 << 29  # a report of everything has 10 MB a launch
KEYS = ("what", "key", "direction", "mix", "size", "count", "aad", "subject")  # what makes a row another row
COLUMNS = ("what", "title", "key", "direction", "size", "count", "aad", "subject", "kind", "cycles", "cycles_median",
           "cycles_high", "cycles_per_byte", "ns", "mbyte_per_s", "limit_percent", "ratio", "samples", "dropped", "error")
HEAD = ("command", "cpu", "hz", "version", "commit", "compiler", "peers", "noise")


class Bad(Exception):
    """What is no report, or not two that go together."""


def tame(text):
    """A report may be somebody else's, and a control character in it would tell the terminal what to do."""
    return re.sub("[\x00-\x1f\x7f-\x9f]", "?", text)


def tame_all(value):
    if isinstance(value, str):
        return tame(value)
    if isinstance(value, list):
        return [tame_all(v) for v in value]
    return {tame(k): tame_all(v) for k, v in value.items()} if isinstance(value, dict) else value


def load(path):
    with open(path, "rb") as f:
        content = f.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise Bad(f"{tame(path)}: no report has {LARGEST >> 20} MB")
    if path.endswith(".csv"):
        return from_csv(content.decode("utf-8", "replace"), path)
    try:
        data = json.loads(content)
    except (ValueError, RecursionError) as e:
        raise Bad(f"{tame(path)} is not JSON: {tame(str(e))}") from None
    rows = data.get("rows") if isinstance(data, dict) else None
    if not isinstance(rows, list) or data.get("format") != "rijn-bench" or data.get("version") not in (1, 2):
        raise Bad(f"{tame(path)} is not a report of rijn bench --json (version 1 or 2)")
    data["rows"] = [r for r in rows if isinstance(r, dict) and all(k in r for k in KEYS)]
    if len(data["rows"]) < len(rows):
        raise Bad(f"{tame(path)}: row {next(i for i, r in enumerate(rows) if r not in data['rows']) + 1} lacks a field of "
                  + ", ".join(KEYS))
    data["noise"] = str(data.get("noise", "")).replace("\n", " ")
    return tame_all(data)


def merge(launches):
    """Reports of single launches as one of many."""
    whole = launches[0]
    rest = [{identity(r): r for r in other["rows"]} for other in launches[1:]]
    for row in whole["rows"]:
        same = [row] + [rows[identity(row)] for rows in rest if identity(row) in rows]
        for samples in ("cycles", "ns"):
            row[samples] = [v for r in same for v in r[samples]]
        row["launches"] = len(same)
        row["error"] = next((r["error"] for r in same if r["error"]), None)
    whole["options"]["launches"] = len(launches)
    whole["noisy"] = any(r["noisy"] for r in launches)
    return whole


def identity(row):
    return tuple(row[k] for k in KEYS)


def size_name(row):
    return "mix" if row["mix"] else str(row["size"])


def quotient(a, b, scale=1):
    return a / b * scale if a is not None and b else None


def head(data):
    machine, build = data["machine"], data["build"]
    return {"command": data["options"]["command"], "cpu": machine["cpu"], "hz": f"{machine['core_hz_median']:.4g}",
            "version": build["version"], "commit": build["commit"], "compiler": f"{build['compiler']} {build['flags']}".strip(),
            "peers": data["peers"], "noise": data["noise"], "baseline": data.get("baseline", "")}


def figures(row):
    return {**{k: row[k] for k in COLUMNS if k in row}, "size": size_name(row), "cycles": row["low"],
            "cycles_median": row["median"], "cycles_high": row["high"], "ns": row["ns_low"],
            "cycles_per_byte": quotient(row["low"], row["bytes"]), "mbyte_per_s": quotient(row["bytes"], row["ns_low"], 1e3),
            "limit_percent": quotient(row["limit_cycles"], row["low"], 100), "samples": len(row["cycles"]),
            "dropped": row.get("dropped", 0)}


def cell(v):
    if v is None or (isinstance(v, float) and not math.isfinite(v)):
        return ""
    return f"{v:.9g}" if isinstance(v, float) else str(v)


def to_csv(data):
    """What the rows are of stands in comments before them."""
    f = io.StringIO()
    for name, value in (data["head"] if "head" in data else head(data)).items():
        f.write(f"# {name}: {value}\n")
    w = csv.writer(f, lineterminator="\n")
    w.writerow(COLUMNS)
    for r in data["rows"]:
        row = r if "head" in data else figures(r)
        w.writerow([cell(row.get(k)) for k in COLUMNS])
    return f.getvalue()


def from_csv(text, path):
    lines = text.splitlines()
    comments = [line for line in lines if line.startswith("# ")]
    found = dict(line[2:].split(": ", 1) for line in comments if ": " in line)
    rows = list(csv.DictReader(line for line in lines if not line.startswith("# ")))
    if any(k not in found for k in HEAD) or not rows or set(rows[0]) != set(COLUMNS):
        raise Bad(f"{tame(path)} is not a CSV file of bench/report")
    return {"head": tame_all(found), "rows": tame_all(rows)}


def flat(data):
    """The head, and the rows as figures, of either kind of report: numbers where they are."""
    def number(v):
        try:
            return float(v)
        except (TypeError, ValueError):
            return v
    rows = data["rows"] if "head" in data else [figures(r) for r in data["rows"]]
    keep = ("what", "title", "direction", "size", "subject", "kind", "error")
    rows = [{k: (v or "") if k in keep else number(v) for k, v in r.items()} for r in rows]
    for r in rows:
        r["size"], r["key"] = str(r["size"]), int(r["key"])
    return (data["head"] if "head" in data else head(data)), rows
