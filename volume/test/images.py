# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""images.py RIJN FOLDER...: every image of a folder (manifest.json and the unpacked images), as the manifest says: bytes,
facts, refusals, passphrases that must not open. Not a part of make check: the images are not the project's."""
import hashlib
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile

# What a refusal must be about, by the word that rijn volume info --json gives.
REASONS = {
    "not-geli": {"format"}, "bad-checksum": {"damaged"}, "unsupported-version": {"version"},
    "unsupported-cipher": {"cipher"}, "authenticated": {"integrity"}, "bad-keylen": {"keylen"},
    "bad-sector-size": {"sector"}, "bad-iterations": {"rounds"}, "cost-limit": {"cost"}, "no-keys": {"keyslot"},
    "wrong-key": {"key"}, "size-mismatch": {"size"}, "unsupported-flags": {"flags"}, "ambiguous": {"ambiguous"},
    "integrity": {"integrity"}, "segment-type": {"segment"}, "cipher": {"cipher"}, "segments": {"segment"},
    "requirement": {"requirement"}, "keyslot": {"keyslot"}, "reencryption": {"reencryption"}, "iv-tweak": {"iv-tweak"},
}
PROGRAM = os.path.abspath(sys.argv[1])
counts = {"opened": 0, "written": 0, "refused": 0, "wrong": 0, "facts": 0}
failures = []


def rijn(*args, data=None, timeout=900):
    return subprocess.run([PROGRAM, "volume", *map(str, args)], input=data, capture_output=True, timeout=timeout)


def fail(image, text):
    failures.append(f"{image['file']}: {text}")


class Secrets:
    """The command line and the files of one way to unlock."""

    def __init__(self, folder, unlock):
        self.args = []
        hexes = unlock.get("keyfiles") or ([unlock["key_hex"]] if unlock.get("key_hex") else [])
        for i, digits in enumerate(hexes):
            self.args += ["--key-file", self.put(folder, f"key{i}", bytes.fromhex(digits))]
        if unlock.get("passphrase") is not None:
            line = self.put(folder, "pass", unlock["passphrase"].encode() + b"\n")
            self.args += ["--passphrase-file", line]
        for name, option in (("keyfile_offset", "--keyfile-offset"), ("keyfile_size", "--keyfile-size"),
                             ("provider_sector", "--provider-sector")):
            if name in unlock:
                self.args += [option, str(unlock[name])]
        if unlock.get("only_when_named"):
            self.args += ["--slot", str(unlock["slot"])]

    @staticmethod
    def put(folder, name, data):
        path = os.path.join(folder, name)
        with open(path, "wb") as f:
            f.write(data)
        return path


def disk_args(folder, image):
    args = [os.path.join(folder, image["file"])]
    if image.get("header"):
        args += ["--header", os.path.join(folder, image["header"])]
    if image.get("metadata_file"):
        args += ["--metadata", os.path.join(folder, image["metadata_file"])]
    return args


def check_bytes(image, disk, secrets):
    """Does the whole (or what the manifest knows of it) come out right? None: it was refused."""
    big = image.get("mediasize", 0) > 100 << 20
    if image.get("payload_bytes"):
        r = rijn("read", *disk, *secrets, "--length", image["payload_bytes"])
    elif not big:
        r = rijn("read", *disk, *secrets)
    else:
        r = rijn("read", *disk, *secrets, "--length", 0)
    if r.returncode != 0:
        return r.stderr.decode()
    want = image.get("payload_sha256")
    if want and not big and hashlib.sha256(r.stdout).hexdigest() != want:
        fail(image, "WRONG BYTES")
    if image.get("mediasize") and not big and len(r.stdout) != image["mediasize"]:
        fail(image, f"{len(r.stdout)} bytes, not {image['mediasize']}")
    size = image.get("metadata", {}).get("sectorsize", 512)
    for number, digest in image.get("sectors", {}).items():
        at = int(number) * size
        sector = r.stdout[at:at + size] if not big else rijn("read", *disk, *secrets, "--offset", at, "--length", size).stdout
        if hashlib.sha256(sector).hexdigest() != digest:
            fail(image, f"WRONG BYTES in sector {number}")
    if big:  # the border of two keys in one run
        border = size << 20
        run = rijn("read", *disk, *secrets, "--offset", border - 3 * size, "--length", 6 * size).stdout
        for i in range(6):
            digest = image["sectors"].get(str((1 << 20) - 3 + i))
            if digest and hashlib.sha256(run[i * size:(i + 1) * size]).hexdigest() != digest:
                fail(image, f"WRONG BYTES at the border, sector {i}")
    counts["opened"] += 1
    return None


def check_write(image, folder, tmp, secrets, may):
    """Writes at odd offsets into a copy, and what is around stays as it was."""
    copy = {**image, "file": "copy"}
    subprocess.run(["cp", "--sparse=always", os.path.join(folder, image["file"]), os.path.join(tmp, "copy")], check=True)
    os.chmod(os.path.join(tmp, "copy"), 0o600)
    for name in ("header", "metadata_file"):
        if image.get(name):
            shutil.copy(os.path.join(folder, image[name]), tmp)
    disk = disk_args(tmp, copy)
    length = min(image.get("payload_bytes") or image["mediasize"], 16384)
    before = bytearray(rijn("read", *disk, *secrets, "--length", length).stdout)
    for at, data in ((0, b"x" * 1), (511, b"y" * 700), (length - 513, b"z" * 513), (length - 1, b"w")):
        r = rijn("write", *disk, *secrets, "--offset", at, data=data)
        if not may:
            if r.returncode == 0:
                fail(image, "was written, and is read only")
            return
        if r.returncode != 0:
            fail(image, f"cannot be written: {r.stderr.decode()}")
            return
        before[at:at + len(data)] = data
    if rijn("read", *disk, *secrets, "--length", length).stdout != bytes(before):
        fail(image, "WRONG BYTES after writes")
    counts["written"] += 1


def check_facts(image, info):
    volume = info.get("volume", {})
    want = {**image.get("header_facts", {})}
    slots = {str(s["slot"]): s["kdf"] for s in volume.get("slots", [])}
    if "keyslots" in want:
        keyslots = want.pop("keyslots")
        listed = keyslots if isinstance(keyslots, dict) else {str(i): "pbkdf2" for i in keyslots}
        if slots != listed:
            fail(image, f"key slots {slots}, not {listed}")
    dynamic = want.pop("segment_size", "dynamic") == "dynamic"
    if volume.get("fixed_size", False) == dynamic:
        fail(image, "fixed_size")
    metadata = image.get("metadata", {})
    for ours, theirs in (("version", "version"), ("flags", "flags"), ("key_bits", "keylen"), ("sector_size", "sectorsize"),
                         ("provider_size", "provsize"), ("rounds", "iterations")):
        if theirs in metadata:
            want[ours] = metadata[theirs]
    for key, value in want.items():
        got = volume.get(key)
        if str(got) != str(value) and not (key == "tokens" and got == value):
            fail(image, f"{key} is {got!r}, not {value!r}")
    counts["facts"] += 1


def refused_as(image, disk, secrets):
    """The word of the refusal: the header's, or else what unlocking says."""
    info = json.loads(rijn("info", "--json", *disk).stdout or b"{}")
    refused = info.get("refused") or info.get("volume", {}).get("refused")
    if refused:
        return refused["name"]
    text = rijn("read", *disk, *secrets).stderr.decode()
    return "cost" if "limit" in text else "key" if "opens no key slot" in text else text


def cpu_of_children():
    """Seconds of the processor: those of the clock depend on what else runs."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def check_image(folder, image, tmp):
    disk = disk_args(folder, image)
    unlocks = image.get("unlock", [])
    expect = image["expect"]
    started = cpu_of_children()
    info = rijn("info", "--json", *disk)
    if expect.startswith("open") and image.get("header_facts") and info.returncode == 0:
        check_facts(image, json.loads(info.stdout))
    elif expect == "open" and info.returncode == 0 and "metadata" in image:
        check_facts(image, json.loads(info.stdout))
    if expect == "refuse":
        secrets = Secrets(tmp, unlocks[0]).args if unlocks else Secrets(tmp, {"passphrase": "x"}).args
        r = rijn("read", *disk, *secrets)
        if r.returncode != 1 or r.stdout:
            fail(image, f"not refused: status {r.returncode}, {len(r.stdout)} bytes")
        if image.get("reason"):
            word = refused_as(image, disk, secrets)
            if word not in REASONS[image["reason"]]:
                fail(image, f"refused as {word}, not for {image['reason']}")
            took = cpu_of_children() - started
            if image["reason"] not in ("wrong-key",) and took > 5:
                fail(image, f"refused after {took:.1f} s")
        counts["refused"] += 1
        return
    for unlock in unlocks:
        secrets = Secrets(tmp, unlock).args
        why = check_bytes(image, disk, secrets)
        if why and expect == "open-or-refuse":
            counts["refused"] += 1
        elif why:
            fail(image, f"does not open: {why}")
    if expect != "open-or-refuse" and unlocks and image.get("mediasize", 0) < 100 << 20:
        cbc = "cbc" in (image.get("header_facts", {}).get("cipher", "") + image["file"])
        may = expect != "open-readonly" and not cbc and image.get("write", True)
        check_write(image, folder, tmp, Secrets(tmp, unlocks[0]).args, may)
    for wrong in image.get("wrong", []):
        r = rijn("read", *disk, *Secrets(tmp, wrong).args)
        if r.returncode != 1 or r.stdout:
            fail(image, "a wrong secret opens it")
        counts["wrong"] += 1


for folder in sys.argv[2:]:
    with open(os.path.join(folder, "manifest.json"), encoding="utf-8") as f:
        manifest = json.load(f)
    for image in manifest:
        with tempfile.TemporaryDirectory() as tmp:
            check_image(folder, image, tmp)
print(counts)
for text in failures:
    print("FAIL", text)
sys.exit(1 if failures or counts["opened"] == 0 else 0)
