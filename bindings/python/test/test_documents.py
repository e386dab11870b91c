# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""The programs in the README run, and the commands say what they should."""
import json
import os
import re
import subprocess
import sys

import pytest

README = os.path.join(os.environ["RIJN_SOURCE"], "bindings/python/README.md")
with open(README, encoding="utf-8") as readme:
    PROGRAMS = re.findall(r"^```python\n(.*?)^```", readme.read(), re.M | re.S)
PROGRAMS = [one for one in PROGRAMS if "cobblestone" not in one]  # that one is run by test_files.py, over librijn-file


def rijn(*arguments, **more):
    return subprocess.run([sys.executable, "-m", "rijn", *arguments], capture_output=True, text=True, **more)


@pytest.mark.parametrize("at", range(len(PROGRAMS)))
def test_program(at, tmp_path):
    done = subprocess.run([sys.executable, "-c", PROGRAMS[at]], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    if at == 0:
        assert done.stdout == "this is not what was encrypted\n"


def test_there_are_programs():
    assert len(PROGRAMS) >= 4 and len(PROGRAMS[0].splitlines()) <= 11


def test_info():
    told = json.loads(rijn("info", "--json").stdout)
    chosen = told["implementation"]
    assert f"implementation {chosen}" in rijn("info").stdout
    forced = rijn("info", "--json", env={**os.environ, "RIJN_IMPL": "portable"})
    assert json.loads(forced.stdout)["implementation"] == "portable"


def test_an_implementation_that_is_none():
    wrong = {**os.environ, "RIJN_IMPL": "nonsense"}
    assert "RIJN_IMPL names no usable one" in rijn("info", env=wrong).stdout
    done = subprocess.run([sys.executable, "-c", "import rijn; rijn.AESGCM(bytes(32))"], env=wrong, capture_output=True, text=True)
    assert "RuntimeError: AESGCM: implementation unknown" in done.stderr and "RIJN_IMPL" in done.stderr


def test_selftest():
    done = rijn("selftest")
    assert done.returncode == 0 and "all known answers are right" in done.stdout and "portable" in done.stdout


BLOCKED = """
import sys
for name in ("cryptography", "Crypto", "numpy"):
    sys.modules[name] = None  # as if it were not installed
from rijn.__main__ import main
main(sys.argv[1:])
"""


def test_bench(tmp_path):
    figures, chart = tmp_path / "bench.json", tmp_path / "bench.svg"
    done = rijn("bench", "--quick", "--json", str(figures), "--chart", str(chart))
    assert done.returncode == 0, done.stderr
    assert "| bytes | rijn | cryptography | PyCryptodome |" in done.stdout
    assert "of the time that cryptography's takes" in done.stdout
    tables = json.loads(figures.read_text())["tables"]
    assert len(tables) == 6 and all(ns > 0 for table in tables for _, row in table["rows"] for ns in row.values())
    assert chart.read_text().count("<rect") == 1 + 5 * 3


def test_bench_without_the_others():
    done = subprocess.run([sys.executable, "-c", BLOCKED, "bench", "--quick"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "cryptography is not installed" in done.stdout and "| bytes | rijn |" in done.stdout


def test_a_reader_that_has_seen_enough():
    """As head, which ends before the last line is written."""
    late = f"{{ sleep 0.5; {sys.executable} -m rijn info; }} | true"
    done = subprocess.run(["sh", "-c", late], capture_output=True, text=True)
    assert done.stderr == ""


def test_a_command_that_is_none():
    assert rijn("nonsense").returncode == 2 and rijn().returncode == 2
