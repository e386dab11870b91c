# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""One page of a report: what was measured and on what, a chart of each mode, and every figure."""
import html

from . import charts
from .reports import flat

CHARTED = ("gcm", "many-keys", "batch", "batch-keys", "gcm-siv", "xaes", "xts", "xts-run", "ctr", "cbc")
STYLE = """
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.1rem; margin: 2.5rem 0 .5rem; }
p.sum { font-size: 1.2rem; } nav { display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; } dt, dd { margin: 0; overflow-wrap: anywhere; }
div.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; }
th, td { padding: .15rem .45rem; text-align: right; white-space: nowrap; border-bottom: 1px solid #8884; }
th:first-child, td:first-child { text-align: left; position: sticky; left: 0; background: Canvas; }
tr.best td { font-weight: 600; } td.wrong { color: #c00; }
svg { width: 100%; max-width: 44rem; height: auto; }
"""


def escape(v):
    return html.escape(str(v))


def number(v, digits=3):
    if not isinstance(v, float):
        return "–"
    return f"{v:,.0f}" if v >= 1000 else f"{v:.{digits}g}"


def chosen(rows, baseline):
    """Rijn's subject that people would use here: the report's baseline or, if that is a peer, the fastest at the last size."""
    ours = [r for r in rows if r["kind"] == "rijn" and isinstance(r["ns"], float)]
    if any(r["subject"] == baseline for r in ours):
        return baseline
    return min(ours, key=lambda r: (-len(r["size"]), -int(r["size"] if r["size"].isdigit() else 0), r["ns"]))["subject"] \
        if ours else None


def apart(sizes):
    """Those that a chart has room for: of 63 and 64, or 200, 208 and 216, one."""
    kept = [0]
    for n in sorted(sizes):
        if n + 1 not in sizes and n > 1.2 * kept[-1]:
            kept.append(n)
    return set(kept[1:])


def curves(rows, baseline):
    """name -> [(bytes, GB/s)]: Rijn's chosen one and the best of each peer."""
    mine = chosen(rows, baseline)
    shown = apart({int(r["size"]) for r in rows if r["size"].isdigit()})
    found = {}
    for r in rows:
        if not r["size"].isdigit() or not isinstance(r["mbyte_per_s"], float) or int(r["size"]) not in shown:
            continue
        if r["kind"] == "rijn" and r["subject"] != mine:
            continue
        name = "Rijn, " + r["subject"] if r["kind"] == "rijn" else r["subject"].split(":")[0]
        best = found.setdefault(name, {})
        size = int(r["size"])
        best[size] = max(best.get(size, 0), r["mbyte_per_s"] / 1e3)
    ordered = sorted(found, key=lambda n: (not n.startswith("Rijn"), -max(found[n].values())))
    return {n: list(found[n].items()) for n in ordered}


def table(rows, baseline):
    sizes = list(dict.fromkeys(r["size"] for r in rows))
    cells = {(r["subject"], r["size"]): r for r in rows}
    mine = chosen(rows, baseline)
    longest = max(sizes, key=lambda s: int(s) if s.isdigit() else -1)
    no_text = sizes == ["0"]  # a key set up has neither length nor GB/s
    yield f"<div class=wide><table><thead><tr><th>{'' if no_text else 'cycles, by bytes'}</th>"
    yield "<th>cycles</th>" if no_text else f"<th>GB/s at {escape(longest)}</th>" + "".join(f"<th>{escape(s)}</th>" for s in sizes)
    yield "</tr></thead><tbody>"
    for subject in dict.fromkeys(r["subject"] for r in rows):
        last = cells.get((subject, longest))
        speed = last["mbyte_per_s"] / 1e3 if last and isinstance(last["mbyte_per_s"], float) else None
        yield f"<tr{' class=best' if subject == mine else ''}><td>{escape(subject)}</td>"
        yield "" if no_text else f"<td>{number(speed)}</td>"
        for s in sizes:
            r = cells.get((subject, s))
            if r and r["error"]:
                yield f"<td class=wrong title=\"{escape(r['error'])}\">WRONG</td>"
            else:
                yield f"<td>{number(r['cycles']) if r else '–'}</td>"
        yield "</tr>"
    yield "</tbody></table></div>"


def sentence(rows):
    """What a person wants to know first: the longest GCM message, beside libcrypto."""
    of = [r for r in rows if (r["what"], r["key"], r["direction"]) == ("gcm", 256, "encrypt") and r["size"].isdigit()
          and isinstance(r["ns"], float) and isinstance(r["mbyte_per_s"], float)]
    if not of:
        return
    longest = [r for r in of if int(r["size"]) == max(int(r["size"]) for r in of)]
    ours, peer = (min((r for r in longest if test(r)), key=lambda r: r["ns"], default=None)
                  for test in (lambda r: r["kind"] == "rijn", lambda r: r["subject"] == "libcrypto"))
    if ours:
        size = int(ours["size"])
        told = f"{size >> 10} KiB" if size >= 1024 and size % 1024 == 0 else f"{size} bytes"
        told = f"AES-256-GCM, {told}: {ours['mbyte_per_s'] / 1e3:.2f} GB/s"
        if peer:
            told += f", {peer['ns'] / ours['ns']:.2f} times libcrypto"
        yield f"<p class=sum>{told}.</p>"


def contents(titles):
    """A link to the first table of each mode."""
    modes = {}
    for i, of in enumerate(titles.values()):
        modes.setdefault(of[0]["what"], i)
    if len(modes) > 1:
        yield "<nav>"
        yield from (f"<a href=\"#s{i}\">{escape(mode)}</a>" for mode, i in modes.items())
        yield "</nav>"


def make(data):
    head, rows = flat(data)
    titles = {}
    for r in rows:
        titles.setdefault(r["title"], []).append(r)
    out = ["<!doctype html>\n<html lang=en><head><meta charset=utf-8><meta name=viewport content=\"width=device-width\">",
           f"<title>rijn bench: {escape(head['cpu'])}</title><style>{STYLE}</style></head><body>",
           f"<h1>rijn bench: {escape(head['cpu'])}</h1>", *sentence(rows), "<dl>"]
    head = {**head, "hz": f"{float(head['hz']) / 1e9:.2f} GHz"}
    names = {"command": "command", "hz": "core clock", "version": "Rijn", "commit": "commit", "compiler": "compiler",
             "peers": "peers", "noise": "machine"}
    out += [f"<dt>{names[k]}</dt><dd>{escape(head[k])}</dd>" for k in names]
    baseline = head.get("baseline", "")
    bold = "that is the baseline: the one used here by default, unless the command names another" \
        if any(r["subject"] == baseline and r["kind"] == "rijn" for r in rows) else "that is fastest at the longest message"
    out.append("</dl><p>Figures are the lowest tenth of the samples: what the code costs when little disturbs it. "
               f"In bold, and in the charts, is the implementation of Rijn {bold}.</p>")
    out += contents(titles)
    for i, (title, of) in enumerate(titles.items()):
        out.append(f"<h2 id=s{i}>{escape(title)}</h2>")
        lines = curves(of, baseline)
        if of[0]["what"] in CHARTED and any(len(points) > 1 for points in lines.values()):
            out.append(charts.curves_chart(lines))
        out += table(of, baseline)
    out.append("</body></html>\n")
    return "\n".join(out)
