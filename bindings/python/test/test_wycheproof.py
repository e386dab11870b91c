# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""C2SP Wycheproof's vectors (tools/fetch-vectors)."""
import json
import os

import pytest
from rijn import AESGCM, XTS, InvalidTag

FOLDER = os.path.join(os.environ["RIJN_VECTORS"], "wycheproof")


def cases(name):
    with open(os.path.join(FOLDER, name), encoding="utf-8") as f:
        for group in json.load(f)["testGroups"]:
            for test in group["tests"]:
                yield group, {k: bytes.fromhex(v) for k, v in test.items() if k not in ("comment", "flags", "result", "tcId")}, test


def test_gcm():
    done = refused = 0
    for group, t, test in cases("aes_gcm_test.json"):
        mine = AESGCM(t["key"], tag_length=group["tagSize"] // 8)
        if not 8 <= len(t["iv"]) <= 128:  # as PyPI's cryptography
            refused += 1
            with pytest.raises(ValueError):
                mine.decrypt(t["iv"], t["ct"] + t["tag"], t["aad"])
        elif test["result"] == "valid":
            done += 1
            assert mine.encrypt(t["iv"], t["msg"], t["aad"]) == t["ct"] + t["tag"], test["tcId"]
            assert mine.decrypt(t["iv"], t["ct"] + t["tag"], t["aad"]) == t["msg"], test["tcId"]
        else:
            done += 1
            with pytest.raises(InvalidTag):
                mine.decrypt(t["iv"], t["ct"] + t["tag"], t["aad"])
    assert done > 200 and refused > 10


def test_xts():
    done = 0
    for _, t, test in cases("aes_xts_test.json"):
        if len(t["key"]) not in (32, 64) or test["result"] != "valid":
            continue
        done += 1
        tweak = t["iv"].ljust(16, b"\0")
        assert XTS(t["key"]).encrypt(t["msg"], tweak) == t["ct"], test["tcId"]
        assert XTS(t["key"]).decrypt(t["ct"], tweak) == t["msg"], test["tcId"]
    assert done > 30
