# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""One page of a report: what was measured and on what, a chart of each mode, and every figure."""
import html

from . import charts
from .reports import flat

CHARTED = ("gcm", "xts", "ctr", "cbc")
STYLE = """
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.1rem; margin: 2.5rem 0 .5rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; } dt { color: GrayText; } dd { margin: 0; }
div.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .15rem .7rem; text-align: right; border-bottom: 1px solid color-mix(in srgb, GrayText 30%, transparent); }
th:first-child, td:first-child { text-align: left; white-space: nowrap; }
tr.best td { font-weight: 600; } td.wrong { color: #c00; }
svg { width: 100%; height: auto; }
"""


def escape(v):
    return html.escape(str(v))


def number(v, digits=3):
    if not isinstance(v, float):
        return "–"
    return f"{v:,.0f}" if v >= 1000 else f"{v:.{digits}g}"


def chosen(rows):
    """Rijn's subject that people would use here: the fastest at the last size."""
    ours = [r for r in rows if r["kind"] == "rijn" and isinstance(r["ns"], float)]
    return min(ours, key=lambda r: (-len(r["size"]), -int(r["size"] if r["size"].isdigit() else 0), r["ns"]))["subject"] \
        if ours else None


def curves(rows):
    """name -> [(bytes, GB/s)]: Rijn's chosen one and the best of each peer."""
    mine = chosen(rows)
    found = {}
    for r in rows:
        if not r["size"].isdigit() or not isinstance(r["mbyte_per_s"], float) or int(r["size"]) == 0:
            continue
        if r["kind"] == "rijn" and r["subject"] != mine:
            continue
        name = "Rijn, " + r["subject"] if r["kind"] == "rijn" else r["subject"].split(":")[0]
        best = found.setdefault(name, {})
        size = int(r["size"])
        best[size] = max(best.get(size, 0), r["mbyte_per_s"] / 1e3)
    ordered = sorted(found, key=lambda n: (not n.startswith("Rijn"), -max(found[n].values())))
    return {n: list(found[n].items()) for n in ordered}


def table(rows):
    sizes = list(dict.fromkeys(r["size"] for r in rows))
    cells = {(r["subject"], r["size"]): r for r in rows}
    mine = chosen(rows)
    yield "<div class=wide><table><thead><tr><th>cycles a message, of bytes</th>"
    yield "".join(f"<th>{escape(s)}</th>" for s in sizes) + "<th>GB/s at the last</th></tr></thead><tbody>"
    for subject in dict.fromkeys(r["subject"] for r in rows):
        yield f"<tr{' class=best' if subject == mine else ''}><td>{escape(subject)}</td>"
        for s in sizes:
            r = cells.get((subject, s))
            if r and r["error"]:
                yield f"<td class=wrong title=\"{escape(r['error'])}\">WRONG</td>"
            else:
                yield f"<td>{number(r['cycles']) if r else '–'}</td>"
        last = cells.get((subject, sizes[-1]))
        speed = last["mbyte_per_s"] / 1e3 if last and isinstance(last["mbyte_per_s"], float) else None
        yield f"<td>{number(speed)}</td></tr>"
    yield "</tbody></table></div>"


def make(data):
    head, rows = flat(data)
    titles = {}
    for r in rows:
        titles.setdefault(r["title"], []).append(r)
    out = ["<!doctype html>\n<html lang=en><head><meta charset=utf-8><meta name=viewport content=\"width=device-width\">",
           f"<title>rijn bench: {escape(head['cpu'])}</title><style>{STYLE}</style></head><body>",
           f"<h1>rijn bench: {escape(head['cpu'])}</h1><dl>"]
    names = {"command": "command", "hz": "core clock, Hz", "version": "Rijn", "commit": "commit", "compiler": "compiler",
             "peers": "peers", "noise": "machine"}
    out += [f"<dt>{names[k]}</dt><dd>{escape(head[k])}</dd>" for k in names]
    out.append("</dl><p>Figures are the lowest tenth of the samples: what the code costs when little disturbs it. "
               "The implementation of Rijn in bold is the fastest of its own at the last size.</p>")
    for title, of in titles.items():
        out.append(f"<h2>{escape(title)}</h2>")
        lines = curves(of)
        if of[0]["what"] in CHARTED and any(len(points) > 1 for points in lines.values()):
            out.append(charts.curves_chart(lines, ""))
        out += table(of)
    out.append("</body></html>\n")
    return "\n".join(out)
