# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""The tuner on AArch64 and POWER, under emulation, up to the measuring: it compiles, checks and compares variants, with a
clock that counts bytes, and leaves its record and page. So the first person with such a machine has only to start it."""
import os
import tempfile

from common import tune

ROWS = [
    ("aarch64-linux-gnu", "qemu-aarch64-static", "max", "arm-ce-sha3", "midr", "KEEP_TEXT,MODE_VECTORS"),
    ("powerpc64le-linux-gnu", "qemu-ppc64le-static", "power9", "ppc-p9", "pvr", "STITCH_ROUNDS,STITCH_TABLED"),
]
for prefix, qemu, cpu, first, number, choices in ROWS:
    with tempfile.TemporaryDirectory() as folder:
        said, record = tune(folder, "--cc", prefix + "-gcc", "--emulator", f"{qemu} -L /usr/{prefix} -cpu {cpu}", "--clock", "stub",
                            "--set", first, "--only", choices, "--minutes", 50, "--jobs", 2)  # fmt: skip
        words = {trial["verdict"] for trial in record["tried"]}
        assert "nothing wins any more" in said and f"{first} is best as it is." in said, said
        assert words == {"level"} and len(record["tried"]) >= 2, record["tried"]
        assert record["set"] == first and record["change"] == {} and number in record["processor"], record
        assert {row["set"] for row in record["sets"]} == {first, first.split("-")[0] + {"arm": "-ce", "ppc": "-p8"}[first[:3]]}
        assert all(row["ratio"] == 1 for row in record["cells"]) and len(record["cells"]) > 50
        assert any(name.endswith(".html") for name in os.listdir(folder))
        print(f"{first}: {len(record['tried'])} variants compiled, checked and compared")
