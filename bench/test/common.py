# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""What the tests of rijn bench share. ctest sets RIJN_PROGRAM."""
import contextlib
import importlib.machinery
import importlib.util
import io
import json
import os
import subprocess
import sys

PROGRAM = os.environ["RIJN_PROGRAM"]
OK, FAIL, USAGE, SYSTEM = 0, 1, 2, 3
# Short samples: these tests look at form, never at speed.
QUICK = ["--rounds", "3", "--sample-us", "2", "--cpu", "none"]


def bench(*args, env=None, timeout=900):
    e = dict(os.environ)
    e.pop("RIJN_IMPL", None)
    e.update(env or {})
    return subprocess.run([PROGRAM, "bench", *map(str, args)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, env=e, timeout=timeout, encoding="utf-8")


TOOL = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../report"))


def in_process(*args):
    """The same without the second that its libraries take to load each time: (status, standard output and error)."""
    tool = sys.modules.get("bench_report_tool")
    if tool is None:
        loader = importlib.machinery.SourceFileLoader("bench_report_tool", TOOL)
        tool = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
        loader.exec_module(tool)
        sys.modules[loader.name] = tool
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status = tool.entry([str(a) for a in args])
        except SystemExit as e:
            status = e.code
    return subprocess.CompletedProcess(args, status or 0, out.getvalue(), err.getvalue())


def report_tool(*args, timeout=900):
    return subprocess.run([TOOL, *map(str, args)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=timeout, encoding="utf-8", check=False)


def rows(text):
    """Of a report in JSON: what the tests look at, as text."""
    return [{**r, "size": "mix" if r["mix"] else str(r["size"]), "key": str(r["key"]), "error": r["error"] or ""}
            for r in json.loads(text)["rows"]]
