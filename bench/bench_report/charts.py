# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""Charts as SVG, made with matplotlib. They have no background. Their ink is dark, and light where a reader has asked for
dark pages."""
import io
import re

import matplotlib
from matplotlib import pyplot, ticker

matplotlib.use("svg")
INK = "#222222"  # becomes the page's own colour of text
SCHEME = "<style>@media (prefers-color-scheme: dark) { svg { color: #dddddd; } }</style>"
# Told apart by the colour-blind too (Okabe and Ito); Rijn's own comes first.
RIJN = "#d55e00"
RIJN_SINGLE = "#efb48c"  # one call after the other, beside one call for many
# A library has one colour in all charts; what is not known here takes one of the others.
OF_PEERS = {"ipsec-mb": "#0072b2", "libgcrypt": "#009e73", "libcrypto": "#cc79a7", "nettle": "#e69f00",
            "libsodium": "#56b4e9"}
OTHERS = ("#8c6bb1", "#999999", "#b8860b")
STYLE = {"svg.fonttype": "none", "svg.hashsalt": "rijn", "font.size": 11, "font.family": "sans-serif", "text.color": INK,
         "axes.labelcolor": INK, "axes.edgecolor": INK, "xtick.color": INK, "ytick.color": INK, "axes.spines.top": False,
         "axes.spines.right": False, "axes.titlesize": 11, "legend.frameon": False, "savefig.transparent": True}


def svg(figure):
    """The picture, the same bytes each time it is made."""
    out = io.StringIO()
    figure.savefig(out, format="svg", bbox_inches="tight", metadata={"Date": None, "Creator": None})
    pyplot.close(figure)
    text = re.sub(r"(?m)[ \t]+$", "", re.sub(r"(?s)^.*?(?=<svg )", "", out.getvalue()))
    text = text.replace(INK, "currentColor").replace("<svg ", f'<svg color="{INK}" ', 1)
    return re.sub(r"(<svg [^>]*>)", r"\1" + SCHEME, text, count=1)


def bytes_name(v, _=None):
    return f"{v / 1024:g}K" if v >= 1024 and v % 1024 == 0 else f"{v:g}"


def labelled(lengths):
    """Those of sorted lengths whose names have room on the axis: the last one, and what is far enough from the one before."""
    shown = []
    for x in lengths:
        if not shown or x >= 1.5 * shown[-1]:
            shown.append(x)
    return shown if shown[-1] == lengths[-1] else shown[:-1] + lengths[-1:]


def colours(names):
    """One for each name; Rijn's is RIJN, and what is not known takes one of the others."""
    strangers = [n for n in names if not n.startswith("Rijn") and n not in OF_PEERS]
    return {n: RIJN if n.startswith("Rijn") else OF_PEERS.get(n) or OTHERS[strangers.index(n) % len(OTHERS)] for n in names}


def lines(axes, curves, unit):
    """curves: name -> [(bytes, value)], Rijn's first."""
    colour = colours(curves)
    for name, points in curves.items():
        x, y = zip(*sorted(points))
        width = 2.4 if name.startswith("Rijn") else 1.4
        axes.plot(x, y, marker="o", markersize=3, linewidth=width, color=colour[name], label=name)
    axes.set_xscale("log", base=2)
    shown = labelled(sorted({x for points in curves.values() for x, _ in points}))
    axes.xaxis.set_major_locator(ticker.FixedLocator(shown))
    axes.xaxis.set_major_formatter(ticker.FuncFormatter(bytes_name))
    axes.tick_params(axis="x", labelrotation=45)
    axes.set_ylim(bottom=0)
    axes.grid(axis="y", color=INK, alpha=0.2, linewidth=0.6)
    axes.set_xlabel("bytes of a message")
    axes.set_ylabel(unit)


def legend(axes):
    """Above the curves, where it hides none."""
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), fontsize=9, ncols=3, borderaxespad=0.2, columnspacing=1.2)


def bars(axes, names, values, colour=RIJN):
    places = range(len(names))[::-1]
    axes.barh(list(places), values, color=colour, height=0.62)
    axes.axvline(1, color=INK, linewidth=1)
    for place, value in zip(places, values):
        axes.annotate(f"{value:.1f}", (value, place), (4, 0), textcoords="offset points", va="center", color=INK)
    axes.set_yticks(list(places), names)
    axes.set_xlim(0, max(values) * 1.12)


def groups(axes, title, values):
    """values: group -> {name: GB/s}. A group lies over the next one, and so do its bars."""
    names = list(dict.fromkeys(n for of in values.values() for n in of))
    colour, step = colours(names), len(names) + 1.5
    for i, name in enumerate(names):
        own = {g: of[name] for g, of in enumerate(values.values()) if name in of}
        tint = RIJN_SINGLE if name == "Rijn, one by one" else colour[name]
        axes.barh([-g * step - i for g in own], list(own.values()), color=tint, height=0.86, label=name)
        for g, v in own.items():
            axes.annotate(f"{v:.1f}", (v, -g * step - i), (4, 0), textcoords="offset points", va="center", fontsize=9, color=INK)
    axes.set_yticks([-g * step - (len(names) - 1) / 2 for g in range(len(values))], list(values))
    axes.set_xlim(0, 1.1 * max(v for of in values.values() for v in of.values()))
    axes.set_xlabel("GB/s")
    axes.set_title(title, loc="left", pad=38)
    legend(axes)


def many_chart(panels):
    """panels: title -> groups, side by side."""
    with matplotlib.rc_context(STYLE):
        figure, places = pyplot.subplots(1, len(panels), figsize=(12, 4.1), layout="constrained", squeeze=False)
        for axes, (title, values) in zip(places[0], panels.items()):
            groups(axes, title, values)
        return svg(figure)


def curves_chart(curves):
    with matplotlib.rc_context(STYLE):
        figure, axes = pyplot.subplots(figsize=(6.4, 3.4))
        lines(axes, curves, "GB/s")
        legend(axes)
        return svg(figure)


def processor_chart(curves, title, names, times):
    with matplotlib.rc_context(STYLE):
        figure, (left, right) = pyplot.subplots(1, 2, figsize=(12, 3.9), width_ratios=[4, 3], layout="constrained")
        lines(left, curves, "GB/s")
        left.set_title(title, loc="left", pad=38)
        legend(left)
        bars(right, names, times)
        right.set_title("times as fast as libcrypto", loc="left")
        return svg(figure)
