# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""Measures Rijn beside PyPI's cryptography and PyCryptodome, in one run, and prints tables.

A figure is CPU time of this thread, and the least of many rounds in which all libraries take turns, so that a busy machine
disturbs all of them alike.
"""
from __future__ import annotations

import importlib
import json
import platform
import time
from collections.abc import Callable
from typing import Any

from . import AESGCM, XTS, __version__, info
from ._rijn import GIL_FROM

LENGTHS = (16, 64, 1420, 16384, 1 << 20)
WIDTHS = (16, 64, 256, 1420)
MESSAGES = 10000
KEY, NONCE, AAD = bytes(range(32)), bytes(12), bytes(16)
XTS_KEY = bytes(range(64))
Job = Callable[[], object]
# A table: its name, its unit, its columns, and a list of (row, figures by column).
Table = dict[str, Any]


def peer(name: str) -> Any:
    """A module, or None where it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def ns_a_call(job: Job, calls: int) -> float:
    turns = range(calls)
    start = time.thread_time_ns()
    for _ in turns:
        job()
    return (time.thread_time_ns() - start) / calls


def least(jobs: dict[str, Job], budget_ms: float) -> dict[str, float]:
    """ns a call of each, all in turn."""
    found: dict[str, float] = {}
    rounds = 10
    calls: dict[str, int] = {}
    for name, job in jobs.items():
        job()
        calls[name] = max(1, int(budget_ms * 1e6 / rounds / max(ns_a_call(job, 1), 50)))
    for _ in range(rounds):
        for name, job in jobs.items():
            now = ns_a_call(job, calls[name])
            found[name] = min(now, found.get(name, now))
    return found


def gcm_jobs(text: bytes) -> tuple[dict[str, Job], dict[str, Job]]:
    """Encryption and decryption of one message, by each library."""
    mine = AESGCM(KEY)
    sealed = mine.encrypt(NONCE, text, AAD)
    seal: dict[str, Job] = {"rijn": lambda: mine.encrypt(NONCE, text, AAD)}
    unseal: dict[str, Job] = {"rijn": lambda: mine.decrypt(NONCE, sealed, AAD)}
    if aead := peer("cryptography.hazmat.primitives.ciphers.aead"):
        theirs = aead.AESGCM(KEY)
        seal["cryptography"] = lambda: theirs.encrypt(NONCE, text, AAD)
        unseal["cryptography"] = lambda: theirs.decrypt(NONCE, sealed, AAD)
    if aes := peer("Crypto.Cipher.AES"):

        def cipher() -> Any:
            one = aes.new(KEY, aes.MODE_GCM, NONCE)
            one.update(AAD)
            return one

        seal["PyCryptodome"] = lambda: cipher().encrypt_and_digest(text)
        unseal["PyCryptodome"] = lambda: cipher().decrypt_and_verify(sealed[:-16], sealed[-16:])
    return seal, unseal


def messages(budget_ms: float) -> list[Table]:
    tables: list[Table] = []
    for at, name in enumerate(("encrypt", "decrypt")):
        rows = [(str(n), least(gcm_jobs(bytes(n))[at], budget_ms)) for n in LENGTHS]
        tables.append({"name": f"AESGCM.{name}, 256-bit key, 16 bytes of associated data", "unit": "ns a call", "rows": rows})
    return tables


def gil(budget_ms: float) -> Table:
    """From GIL_FROM bytes on a call releases the interpreter's lock: what that costs is the step of this one byte."""
    mine = AESGCM(KEY)

    def job(length: int) -> Job:
        text = bytes(length - len(AAD))
        return lambda: mine.encrypt(NONCE, text, AAD)

    jobs = {f"lock kept, {GIL_FROM - 1} bytes": job(GIL_FROM - 1), f"released, {GIL_FROM}": job(GIL_FROM)}
    name = "Where a call begins to release the interpreter's lock (text and associated data)"
    return {"name": name, "unit": "ns a call", "rows": [(str(GIL_FROM), least(jobs, 3 * budget_ms))]}


def keys(budget_ms: float) -> Table:
    jobs: dict[str, Job] = {"rijn": lambda: AESGCM(KEY)}
    if aead := peer("cryptography.hazmat.primitives.ciphers.aead"):
        jobs["cryptography"] = lambda: aead.AESGCM(KEY)
    return {"name": "A new key object", "unit": "ns", "rows": [("key", least(jobs, budget_ms))]}


def batch_jobs(width: int) -> dict[str, Job]:
    nonces = [i.to_bytes(12, "big") for i in range(MESSAGES)]
    texts = [bytes(width)] * MESSAGES
    mine = AESGCM(KEY)
    flat_nonces = memoryview(b"".join(nonces)).cast("B", (MESSAGES, 12))
    flat = memoryview(b"".join(texts)).cast("B", (MESSAGES, width))
    out = memoryview(bytearray(MESSAGES * (width + 16))).cast("B", (MESSAGES, width + 16))
    jobs: dict[str, Job] = {
        "rijn rows": lambda: mine.encrypt_rows(flat_nonces, flat, out=out),
        "rijn lists": lambda: mine.encrypt_many(nonces, texts),
        "rijn loop": lambda: [mine.encrypt(n, t, None) for n, t in zip(nonces, texts)],
    }
    if aead := peer("cryptography.hazmat.primitives.ciphers.aead"):
        theirs = aead.AESGCM(KEY)
        jobs["cryptography"] = lambda: [theirs.encrypt(n, t, None) for n, t in zip(nonces, texts)]
    return jobs


def batches(budget_ms: float) -> Table:
    rows = []
    for width in WIDTHS:
        found = least(batch_jobs(width), budget_ms)
        rows.append((str(width), {name: ns / MESSAGES for name, ns in found.items()}))
    return {"name": f"{MESSAGES} messages, no associated data", "unit": "ns a message", "rows": rows}


def sector_jobs(data: bytearray, size: int) -> dict[str, Job]:
    mine = XTS(XTS_KEY)
    jobs: dict[str, Job] = {
        "rijn": lambda: mine.encrypt_sectors(data, 0, size),
        "rijn in place": lambda: mine.encrypt_sectors(data, 0, size, out=data),
    }
    if ciphers := peer("cryptography.hazmat.primitives.ciphers"):
        algorithm, xts = ciphers.algorithms.AES(XTS_KEY), ciphers.modes.XTS

        def theirs() -> None:
            for i in range(0, len(data), size):
                one = ciphers.Cipher(algorithm, xts((i // size).to_bytes(16, "little"))).encryptor()
                one.update(data[i : i + size]) + one.finalize()

        jobs["cryptography"] = theirs
    return jobs


def sectors(budget_ms: float) -> Table:
    rows = []
    for size in (512, 4096):
        data = bytearray(1 << 20)
        found = least(sector_jobs(data, size), budget_ms)
        rows.append((str(size), {name: len(data) / ns for name, ns in found.items()}))
    return {"name": "XTS, AES-256, sectors of 1 MiB of data", "unit": "GB/s", "rows": rows}


def printed(table: Table) -> str:
    columns = list(table["rows"][0][1])
    digits = 2 if table["unit"] == "GB/s" else 0 if "message" not in table["unit"] else 1
    lines = [f"{table['name']}: {table['unit']}", ""]
    lines += ["| bytes | " + " | ".join(columns) + " |", "|---|" + "---:|" * len(columns)]
    for row, figures in table["rows"]:
        lines.append(f"| {row} | " + " | ".join(f"{figures[c]:.{digits}f}" for c in columns) + " |")
    return "\n".join(lines)


def verdict(table: Table) -> str:
    """The first row in a sentence."""
    row, figures = table["rows"][0]
    theirs = figures.get("cryptography")
    if theirs is None:
        return "cryptography is not installed: nothing to compare with (pip install cryptography)."
    return f"At {row} bytes encrypt() takes {figures['rijn'] / theirs:.2f} of the time that cryptography's takes."


def chart(table: Table) -> str:
    """Bars, one group a length, each as a part of the slowest: SVG by hand, because it is a dozen rectangles."""
    colours = ("#1b5e9b", "#d1791c", "#5d8a3a", "#8a4f9e")
    names, rows = list(table["rows"][0][1]), table["rows"]
    height = 40 + len(rows) * (len(names) * 18 + 14)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="720" height="{height}" font-family="sans-serif" font-size="12">']
    out.append('<rect width="100%" height="100%" fill="white"/>')
    out.append(f'<text x="10" y="20" font-size="14">{table["name"]} ({table["unit"]}, shorter is faster)</text>')
    y = 36
    for row, figures in rows:
        slowest = max(figures.values())
        for name, colour in zip(names, colours):
            width = max(1.0, 380 * figures[name] / slowest)
            out.append(f'<text x="10" y="{y + 12}">{row} bytes, {name}</text>')
            out.append(f'<rect x="200" y="{y}" width="{width:.1f}" height="14" fill="{colour}"/>')
            out.append(f'<text x="{206 + width:.1f}" y="{y + 12}">{figures[name]:.0f}</text>')
            y += 18
        y += 14
    return "\n".join([*out, "</svg>", ""])


def versions() -> str:
    found = [f"Python {platform.python_version()}", f"rijn {__version__} ({info()['implementation']})"]
    for name, label in (("cryptography", "cryptography"), ("Crypto", "PyCryptodome")):
        module = peer(name)
        found.append(f"{label} {module.__version__}" if module else f"{label} is not installed")
    return ", ".join(found)


def main(quick: bool = False, json_file: str | None = None, chart_file: str | None = None) -> None:
    budget_ms = 30 if quick else 300
    print(versions() + ". CPU time, least of 10 rounds in turn.\n")
    tables: list[Table] = []
    for make in (messages, gil, keys, batches, sectors):
        made = make(budget_ms)
        for table in made if isinstance(made, list) else [made]:
            print(printed(table) + "\n", flush=True)
            tables.append(table)
    print(verdict(tables[0]))
    if json_file:
        with open(json_file, "w", encoding="utf-8") as f:
            json.dump({"versions": versions(), "tables": tables}, f, indent=1)
    if chart_file:
        with open(chart_file, "w", encoding="utf-8") as f:
            f.write(chart(tables[0]))
