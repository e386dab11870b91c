# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""python -m rijn info | selftest | bench [options]."""
from __future__ import annotations

import argparse
import json
import os
import sys

from . import __version__, info, selftest


def tell(as_json: bool) -> None:
    told = info()
    if as_json:
        print(json.dumps(told, indent=2))
        return
    print(f"rijn {told['version']}, implementation {told['implementation'] or 'none: RIJN_IMPL names no usable one'}")
    print(f"processor: {told['cpu_features'] or 'nothing that is made use of'}")
    for one in told["implementations"]:
        mark = "*" if one["chosen"] else " "
        print(f" {mark} {one['name']:24} {one['why_not'] or ('runs here' if one['supported'] else 'does not run here')}")


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m rijn", description="AES at the speed of the machine.")
    parser.add_argument("--version", action="version", version=f"rijn {__version__}")
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("info", help="this processor, and which implementation is chosen")
    one.add_argument("--json", action="store_true", help="as JSON")
    commands.add_parser("selftest", help="known answers through every implementation that runs here")
    bench = commands.add_parser("bench", help="measures beside cryptography and PyCryptodome, if they are installed")
    bench.add_argument("--quick", action="store_true", help="a tenth of the time, for a first look")
    bench.add_argument("--json", metavar="FILE", help="writes the figures to FILE")
    bench.add_argument("--chart", metavar="FILE", help="draws them into FILE, as SVG")
    given = parser.parse_args(arguments)
    if given.command == "info":
        tell(given.json)
    elif given.command == "selftest":
        try:
            selftest()
        except RuntimeError as error:
            print(f"rijn: {error}", file=sys.stderr)
            return 1
        ran = [one["name"] for one in info()["implementations"] if one["supported"]]
        print(f"all known answers are right: {', '.join(ran)}")
    else:
        from . import _bench

        _bench.main(quick=given.quick, json_file=given.json, chart_file=given.chart)
    return 0


def program() -> int:
    """main(), for a reader that may have seen enough."""
    try:
        status = main()
        sys.stdout.flush()
    except BrokenPipeError:  # as head is
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is left to print at the end goes nowhere
        return 1
    return status


if __name__ == "__main__":
    sys.exit(program())
