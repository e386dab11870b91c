# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""The records of tuning/machines and the rows of src/policy.c say the same: a row names a record that is there, of that
processor, and the set that it found fastest; and no record is without a row."""
import json
import os
import re

from common import ROOT
import rijn_sets
import search

FIELDS = ("format processor system version commit date command compiler flags set values change mean margin unit sets cells "
          "tried").split()  # fmt: skip
FOLDER = os.path.join(ROOT, "tuning", "machines")
with open(os.path.join(ROOT, "src", "policy.c"), encoding="utf-8") as f:
    text = f.read()
SETS = dict(re.findall(r'#define (\w+) "(x86-[^"]+)"', text))
VENDORS = {"INTEL": "intel", "AMD": "amd"}
rows = re.findall(r'\{(\w+), (\w+), (\w+), (\w+), (\w+), \w+,\s*\{"([^"]+)", (\w+), (NULL|"[^"]+"),', text)
if len(rows) < 8:
    raise SystemExit(f"src/policy.c: {len(rows)} rows were read; bring the test up to date")
number = lambda word: 255 if word == "LAST" else int(word, 0)  # noqa: E731
named = set()
for vendor, family, family_last, model, model_last, processor, set_, record in rows:
    if record == "NULL":
        continue
    named.add(record.strip('"'))
    with open(os.path.join(FOLDER, record.strip('"') + ".json"), encoding="utf-8") as f:
        found = json.load(f)
    who = found["processor"]
    if list(found) != FIELDS or who["id"] != record.strip('"'):
        raise SystemExit(f"{record}: not a record of that processor: {list(found)}")
    if who["vendor"] != VENDORS[vendor] or not number(family) <= who["family"] <= number(family_last):
        raise SystemExit(f"{record}: its processor is {who}, not of the row {processor}")
    fastest = min(found["sets"], key=lambda row: row["mean"])["set"]
    if found["set"] != SETS[set_] or fastest != SETS[set_]:
        raise SystemExit(f"{record}: {fastest} is fastest there, and {SETS[set_]} is chosen")
    names = {row.name for row in rijn_sets.parameters()}
    if set(found["values"]) != names or rijn_sets.invalid(found["values"]):
        raise SystemExit(f"{record}: its values are not valid: {rijn_sets.invalid(found['values'])}")
    if found["margin"] != search.MARGIN or len(found["cells"]) < 50 or len(found["tried"]) < 10:
        raise SystemExit(f"{record}: {len(found['cells'])} cells, {len(found['tried'])} trials")
there = {name[: -len(".json")] for name in os.listdir(FOLDER) if name.endswith(".json")}
if there != named:
    raise SystemExit(f"records without a row, or rows without a record: {sorted(there ^ named)}")
print(f"{len(rows)} rows, {len(named)} with a record")
