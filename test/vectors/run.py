#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""Runs vectors through the adapter, for every implementation that this machine has.

usage: run.py ADAPTER cavp|wycheproof FOLDER [N]   what tools/fetch-vectors brought
       run.py ADAPTER generated FILE [N]           what tools/gen-vectors wrote

N: every N-th record alone, and of each kind (one file, equal lengths of everything) the first and the last.

ADAPTER is a command: "qemu-aarch64-static -cpu max .../rijn-adapter" is one too.

Each record is asked for as it stands, and in one direction once more in a variant (misaligned, in place, in pieces).
The answers are never sent. Vectors that are missing are a failure, and so is a set of another size than it is known to have.
"""
import json
import os
import shlex
import subprocess
import sys
import tempfile

# How many records a source has that can be run: a parser that overlooks some must not pass.
SIZES = {
    "cavp aes-gcm": 47250,
    "cavp aes-gcm-siv": 92,
    "cavp aes-ccm": 2880,
    "cavp aes-cfb128": 2138,
    "cavp aes-ecb": 2138,
    "cavp aes-cbc": 2138,
    "cavp aes-ctr": 9,
    "cavp aes-xts": 2800,  # of 4000; the others have lengths that are no whole bytes
    "wycheproof aes-gcm": 316,
    "wycheproof aes-ccm": 552,
    "wycheproof aes-gmac": 414,
    "wycheproof aes-gcm-siv": 202,
    "wycheproof aes-xts": 123,
    "wycheproof aes-cbc-pkcs7": 216,
}


def die(text):
    sys.exit(f"run.py: {text}")


def record(source, mode, op, valid, **fields):
    fields.update(source=source, mode=mode, op=op, valid=valid)
    return fields


# ---- sources


def read_rsp(path):
    """The blocks of a CAVP file: (section or {name: value} of the head, {name: value})."""
    head, block = {}, {}
    with open(path, encoding="ascii") as f:
        for line in list(f) + [""]:
            line = line.strip()
            if line.startswith("#"):
                continue
            if line.startswith("["):
                for part in line[1:-1].split(","):
                    name, _, value = part.partition("=")
                    head = dict(head, **{name.strip().lower(): value.strip()})
                    if not value:
                        head["section"] = name.strip().lower()
            elif line:
                name, _, value = line.partition("=")
                block[name.strip().lower()] = value.strip()
            elif block:
                yield head, block
                block = {}


def cavp_gcm(path, name):
    for _, b in read_rsp(path):
        r = {"key": b["key"], "iv": b["iv"], "aad": b["aad"], "ct": b["ct"], "tag": b["tag"]}
        if "Encrypt" in name:
            yield record(name, "aes-gcm", "both", True, pt=b["pt"], **r)
        else:
            yield record(name, "aes-gcm", "both" if "fail" not in b else "dec", "fail" not in b, pt=b.get("pt"), **r)


def cavp_gcm_siv(path, name):
    for _, b in read_rsp(path):
        r = {"key": b["key"], "iv": b["iv"], "aad": b.get("aad", ""), "pt": b.get("plaintext", ""), "tag": b["tag"]}
        yield record(name, "aes-gcm-siv", "both", True, ct=b.get("ciphertext", ""), **r)


def cavp_ccm(path, name):
    """Lengths and keys stand ahead of the records, and hold until others do. What has no bytes is written as one."""
    known = {}
    for head, b in read_rsp(path):
        known.update(head, **b)
        if "ct" not in b:
            continue
        alen, plen = 2 * int(known["alen"]), 2 * int(known["plen"])
        valid = b.get("result", "Pass") == "Pass"
        r = {"key": known["key"], "iv": known["nonce"], "aad": b["adata"][:alen], "ct": b["ct"][:plen], "tag": b["ct"][plen:]}
        yield record(name, "aes-ccm", "both" if valid else "dec", valid, pt=b.get("payload", "")[:plen], **r)


def cavp_block(path, name, mode):
    for head, b in read_rsp(path):
        if head.get("section") not in ("encrypt", "decrypt"):
            die(f"{path}: neither [ENCRYPT] nor [DECRYPT]")
        yield record(name, mode, "both", True, key=b["key"], iv=b.get("iv", ""), pt=b["plaintext"], ct=b["ciphertext"])


def cavp_xts(path, name):
    for head, b in read_rsp(path):
        if int(b["dataunitlen"]) % 8:  # bits; Rijn takes bytes
            continue
        tweak = b["i"] if "i" in b else int(b["dataunitseqnumber"]).to_bytes(16, "little").hex()
        yield record(name, "aes-xts", head["section"][:3], True, key=b["key"], iv=tweak, pt=b["pt"], ct=b["ct"])


def cavp(folder):
    root = os.path.join(folder, "cavp", "AES")
    paths = sorted(os.path.join(d, f) for d, _, files in os.walk(root) for f in files)
    if not paths:
        die(f"{root} has no vectors: tools/fetch-vectors brings them")
    for path in paths:
        name = os.path.relpath(path, root)
        kind = name.split(os.sep)[0]
        if kind == "GCM":
            yield from cavp_gcm(path, name)
        elif kind == "GCM-SIV":
            yield from cavp_gcm_siv(path, name)
        elif kind == "XTS":
            yield from cavp_xts(path, name)
        elif kind == "CCM":
            yield from cavp_ccm(path, name)
        elif kind in ("ECB", "CBC", "CTR", "CFB"):
            yield from cavp_block(path, name, {"CFB": "aes-cfb128"}.get(kind, "aes-" + kind.lower()))
        else:
            die(f"{path}: no reader for it")


def wycheproof(folder):
    modes = {"gcm": "aes-gcm", "gmac": "aes-gmac", "xts": "aes-xts", "cbc_pkcs5": "aes-cbc-pkcs7"}
    modes.update(gcm_siv="aes-gcm-siv", ccm="aes-ccm")
    for short, mode in modes.items():
        path = os.path.join(folder, "wycheproof", f"aes_{short}_test.json")
        if not os.path.exists(path):
            die(f"{path} is missing: tools/fetch-vectors brings it")
        with open(path, encoding="utf-8") as f:
            data = json.load(f)
        for group in data["testGroups"]:
            for t in group["tests"]:
                r = {"key": t["key"], "iv": t["iv"]}
                if mode == "aes-gmac":
                    r.update(aad=t["msg"], tag=t["tag"])
                else:
                    r.update(pt=t["msg"], ct=t["ct"])
                if mode in ("aes-gcm", "aes-gcm-siv", "aes-ccm"):
                    r.update(aad=t["aad"], tag=t["tag"])
                if mode == "aes-xts":  # a data unit's number of 8 bytes; the tweak has 16
                    r["iv"] = t["iv"].ljust(32, "0")
                # An invalid record is one that must not open; whether it can be made is not said.
                valid = t["result"] != "invalid"
                op = "both" if valid else "dec"
                if mode == "aes-xts" and len(t["key"]) == 2 * 48:  # IEEE 1619 has no AES-192: refused, both ways
                    valid = False
                yield record(f"aes_{short}_test.json {t['tcId']}", mode, op, valid, **r)


def generated(path):
    if not os.path.exists(path):
        die(f"{path} is missing: tools/gen-vectors writes it")
    with open(path, encoding="ascii") as f:
        for n, line in enumerate(f, 1):
            r = json.loads(line)
            r["source"] = f"line {n}: {r.pop('note')}"
            r["valid"] = r.pop("result") == "valid"
            yield r


# ---- requests


WHOLE = ("aes-gcm-siv", "xaes-256-gcm", "aes-ccm")  # messages that cannot be had in pieces


def variants(i, n, mode):
    """As it stands, and another one: which, goes round."""
    yield None
    offs = {"in_off": i * 7 % 64, "out_off": i * 11 % 64}
    cuts, left = [], n
    while left and len(cuts) < 40:
        cuts.append(min(left, (0, 1, 15, 16, 17, 63, 64, 100)[(i + 3 * len(cuts)) % 8]))
        left -= cuts[-1]
    cuts.append(left)
    yield (
        offs,
        {"inplace": True},
        {"inplace": True, "in_off": offs["in_off"]},
        {"split": cuts},
        {"split": cuts, "inplace": True, "in_off": offs["in_off"]},
    )[i % (3 if mode in WHOLE else 5)]


class Asked:
    """A request's expected answer: the whole line if it must succeed."""

    def __init__(self, r, op, variant, n):
        self.r, self.op, self.variant, self.n = r, op, variant, n
        self.line = None
        if not r["valid"]:
            return
        out = (r.get("ct") if op == "enc" else r.get("pt")) or ""
        line = f'{{"id":{n},"ok":true,"out":"{out.lower()}"'
        if op == "enc" and "tag" in r:
            line += f',"tag":"{r["tag"].lower()}"'
        if r["mode"] == "aes-cbc":
            line += f',"nextiv":"{((r["iv"] + r["ct"])[-32:]).lower()}"'
        self.line = line + "}"

    def right(self, answer):
        if self.line is not None:
            return answer == self.line
        a = json.loads(answer)
        return a["id"] == self.n and a.get("ok") is False and not a.get("out", "").strip("0")

    def describe(self):
        r = self.r
        return f"{r['source']} ({r['mode']} {self.op}, variant {json.dumps(self.variant)}, key {r['key']})"


def requests(records, out):
    asked = []
    for i, r in enumerate(records):
        for op in ("enc", "dec") if r["op"] == "both" else (r["op"],):
            src = r.get("pt" if op == "enc" else "ct") or ""
            for v in variants(i, len(src) // 2, r["mode"]):
                if v and r["op"] == "both" and (op == "enc") != (i % 2 == 0):
                    continue
                q = {"id": len(asked), "mode": r["mode"], "op": op, "key": r["key"], "in": src}
                for f in ("iv", "salt", "aad"):
                    if r.get(f) is not None:
                        q[f] = r[f]
                if "tag" in r:
                    q["tag_len"] = len(r["tag"]) // 2
                    if op == "dec":
                        q["tag"] = r["tag"]
                if v:
                    q["variant"] = v
                asked.append(Asked(r, op, v, len(asked)))
                out.write(json.dumps(q) + "\n")
    out.flush()
    return asked


def run(adapter, impl, path, asked):
    """Feeds all requests to the adapter; returns the number of wrong answers."""
    wrong, n = 0, 0
    env = dict(os.environ, RIJN_IMPL=impl)
    with open(path, "rb") as f, subprocess.Popen(adapter, stdin=f, stdout=subprocess.PIPE, env=env, text=True) as p:
        for answer in p.stdout:
            answer = answer.rstrip("\n")
            if n == len(asked) or not asked[n].right(answer):
                wrong += 1
                if wrong <= 10:
                    what = asked[n].describe() if n < len(asked) else "more answers than requests"
                    want = (n < len(asked) and asked[n].line) or "a refusal, with zeros"
                    print(f"FAILED [{impl}] {what}\n  got  {answer[:300]}\n  want {want[:300]}", flush=True)
            n += 1
    if p.returncode or n != len(asked):
        at = asked[n].describe() if n < len(asked) else "the end"
        print(f"FAILED [{impl}] the adapter ended with status {p.returncode} at {at}", flush=True)
        wrong += 1
    return wrong


def kind_of(r):
    """Records of one kind lie together: of one file, with keys, nonces, data, texts and tags of the same lengths."""
    return [r["source"], *(len(r.get(f) or "") for f in ("key", "iv", "aad", "ct", "tag"))]


def every(records, step):
    """Every step-th, and the first and the last of each kind."""
    kinds = [None, *map(kind_of, records), None]
    return [r for i, r in enumerate(records)
            if i % step == 0 or kinds[i] != kinds[i + 1] or kinds[i + 1] != kinds[i + 2]]


def main(argv):
    step = int(argv.pop()) if len(argv) == 4 and argv[3].isdigit() and argv[3] != "0" else 1
    if len(argv) != 3 or argv[1] not in ("cavp", "wycheproof", "generated"):
        sys.exit(__doc__)
    adapter, kind, where = shlex.split(argv[0]), *argv[1:]
    records = list({"cavp": cavp, "wycheproof": wycheproof, "generated": generated}[kind](where))
    sizes = {}
    for r in records:
        sizes[r["mode"]] = sizes.get(r["mode"], 0) + 1
    for mode, n in sorted(sizes.items()):
        want = SIZES.get(f"{kind} {mode}", n)
        print(f"{kind} {mode}: {n} records")
        if n != want:
            die(f"{kind} {mode}: {n} records read, {want} expected")
    for key in SIZES:
        if key.split()[0] == kind and key.split()[1] not in sizes:
            die(f"{key}: no records at all")
    if not records:
        die("no records")
    if step > 1:
        total, records = len(records), every(records, step)
        print(f"of these {total}, {len(records)}")
    listed = subprocess.run([*adapter, "--list"], stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    if "portable" not in listed:
        die("the adapter lists no implementation")
    for name in os.environ.get("RIJN_REQUIRE_IMPLS", "").replace(",", " ").split():
        if name not in listed:
            die(f'RIJN_REQUIRE_IMPLS: "{name}" does not run here')
    wrong = 0
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as f:
        asked = requests(records, f)
        for impl in listed:
            bad = run(adapter, impl, f.name, asked)
            print(f"{impl}: {len(asked)} requests, {bad} wrong", flush=True)
            wrong += bad
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
