# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""Published vectors of what the header of keys is made of, as lines for vectors.c: X25519 and HKDF of Wycheproof, HPKE
of RFC 9180 (base mode, X25519, HKDF-SHA256, both keys of AES-GCM; first messages, as a header has no others)."""
import json
import os
import subprocess
import sys

program, folder = sys.argv[1:]


def load(*name):
    with open(os.path.join(folder, *name), encoding="utf-8") as f:
        return json.load(f)


def wycheproof(name):
    data = load("wycheproof", name)
    tests = [(group, t) for group in data["testGroups"] for t in group["tests"]]
    assert len(tests) == data["numberOfTests"]
    return tests


lines = {"x25519": [], "hkdf": [], "hpke": []}
for _, t in wycheproof("x25519_test.json"):
    # RFC 9180, section 7.1.4: a shared secret of zeros is refused. All others come out as they stand there.
    shared = "refused" if "ZeroSharedSecret" in t["flags"] else t["shared"]
    lines["x25519"].append((t["private"], t["public"], shared))
for digest in ("SHA256", "SHA512"):
    for _, t in wycheproof(f"hkdf_{digest.lower()}_test.json"):
        if t["result"] == "valid":
            lines["hkdf"].append((digest.encode().hex(), t["ikm"], t["salt"], t["info"], t["okm"]))
for v in load("hpke", "test-vectors.json"):
    if (v["mode"], v["kem_id"], v["kdf_id"]) == (0, 0x20, 1) and v["aead_id"] in (1, 2):
        first = v["encryptions"][0]
        lines["hpke"].append((v["skEm"], v["skRm"], v["pkRm"], v["info"], first["aad"], first["pt"], v["enc"],
                              first["ct"], {1: "10", 2: "20"}[v["aead_id"]]))
if len(lines["x25519"]) < 500 or len(lines["hkdf"]) < 150 or len(lines["hpke"]) != 2:
    sys.exit("FAIL: vectors are missing: " + str({name: len(rows) for name, rows in lines.items()}))
text = "".join(f"{name} {' '.join(field or '-' for field in row)}\n" for name, rows in lines.items() for row in rows)
text += "count " + " ".join(str(len(rows)) for rows in lines.values()) + "\n"
sys.exit(subprocess.run([program], input=text, text=True, check=False).returncode)
