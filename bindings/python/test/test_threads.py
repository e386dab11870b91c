# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""Threads, forks, interpreters within one process."""
import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy
import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM as Reference
from rijn import AESGCM, XTS, InvalidTag

KEY, NONCE = bytes(range(32)), b"n" * 12


def test_threads_share_a_key():
    mine, texts = AESGCM(KEY), [bytes([i]) * n for i, n in enumerate((0, 16, 1420, 3000, 70000))]
    want = [Reference(KEY).encrypt(NONCE, text, b"aad") for text in texts]
    bad = want[3][:-1] + b"?"

    def work(seed):
        for i in range(150):
            at = (i + seed) % len(texts)
            assert mine.encrypt(NONCE, texts[at], b"aad") == want[at]
            assert mine.decrypt(NONCE, want[at], b"aad") == texts[at]
            with pytest.raises(InvalidTag):
                mine.decrypt(NONCE, bad, b"aad")
            AESGCM(KEY).encrypt(NONCE, b"")
        return True

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(8)))


LONG = {
    "sectors": lambda data: XTS(bytes(range(64))).encrypt_sectors(data, 0, 4096, out=data),
    "associated data of lists": lambda data: AESGCM(bytes(32)).encrypt_many([bytes(12)], [b""], data),
    "associated data of rows": lambda data: AESGCM(bytes(32)).encrypt_rows(
        numpy.zeros((1, 12), "u1"), numpy.zeros((1, 0), "u1"), data
    ),
}


@pytest.mark.parametrize("work", LONG)
def test_long_work_lets_other_threads_run(work):
    """With this interval nobody is made to give up the interpreter's lock, so the other thread runs only if a call releases it.
    On a busy machine no core may be free for that thread while one call lasts. So the call is made again until it has run."""
    data, turns, go = numpy.zeros(1 << 27, "u1"), [], threading.Event()

    def note():
        go.wait()
        turns.append(1)

    other = threading.Thread(target=note)
    other.start()
    interval = sys.getswitchinterval()
    sys.setswitchinterval(100)
    try:
        go.set()
        until = time.monotonic() + 30
        while not turns and time.monotonic() < until:
            LONG[work](data)
        ran = len(turns)
    finally:
        sys.setswitchinterval(interval)
    other.join()
    assert ran == 1


def test_a_stream_is_for_one_thread():
    """Either a call is refused as a whole, or it is one piece of the text."""
    text = bytes(1 << 20)
    for _ in range(20):
        sealer, got, refused = AESGCM(KEY).encryptor(NONCE), [], []

        def work():
            try:
                got.append(sealer.update(text))
            except RuntimeError as error:
                refused.append(str(error))

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        sealer.finalize()
        assert len(got) + len(refused) == 4 and got
        assert all("another thread" in one for one in refused)
        want = Reference(KEY).encrypt(NONCE, text * len(got), None)
        assert sealer.tag == want[-16:]
        assert sorted(got) == sorted(want[i << 20 : (i + 1) << 20] for i in range(len(got)))


def test_a_buffer_in_use_is_not_resized():
    data, stop = bytearray(1 << 22), threading.Event()
    mine = AESGCM(KEY)

    def work():
        while not stop.is_set():
            mine.encrypt(NONCE, data)

    thread = threading.Thread(target=work)
    thread.start()
    refused = 0
    for _ in range(300):
        try:
            data.append(0)
        except BufferError:
            refused += 1
    stop.set()
    thread.join()
    data.append(0)
    assert refused > 0 or len(data) == (1 << 22) + 301


def test_fork():
    mine = AESGCM(KEY)
    want = Reference(KEY).encrypt(NONCE, b"text" * 1000, None)
    child = os.fork()
    if child == 0:
        ok = mine.encrypt(NONCE, b"text" * 1000) == want and AESGCM.generate_key(128) != bytes(16)
        os._exit(0 if ok else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert mine.encrypt(NONCE, b"text" * 1000) == want


# In an interpreter: argv[2] is what each of the others runs.
INTERPRETERS = """
import sys, threading, rijn
if sys.version_info >= (3, 14):
    from concurrent import interpreters
    make, run, end = interpreters.create, lambda one, code: one.exec(code), lambda one: one.close()
elif sys.version_info >= (3, 13):
    import _interpreters
    make, end = lambda: _interpreters.create("isolated"), _interpreters.destroy
    def run(one, code):
        error = _interpreters.exec(one, code)
        assert error is None, error
else:
    import _xxsubinterpreters as old
    own = {} if sys.version_info >= (3, 12) else {"isolated": False}
    make, run, end = lambda: old.create(**own), old.run_string, old.destroy
ended = []
def work():
    for _ in range(3):
        one = make()
        run(one, f"import sys; sys.path[:] = {sys.path!r}\\n" + sys.argv[1])
        end(one)
        ended.append(1)
threads = [threading.Thread(target=work) for _ in range(4 if sys.version_info >= (3, 12) else 1)]
for thread in threads: thread.start()
for thread in threads: thread.join()
rijn.AESGCM(bytes(32)).encrypt(bytes(12), b"")
print("ended:", len(ended), "of", 3 * len(threads))
"""
INSIDE = """
import rijn
mine = rijn.AESGCM(bytes(32))
for i in range(200):
    sealed = mine.encrypt(bytes(12), b"x" * (i * 40), None)
    assert mine.decrypt(bytes(12), sealed, None) == b"x" * (i * 40)
try:
    mine.decrypt(bytes(12), bytes(40), None)
except rijn.InvalidTag:
    pass
else:
    raise SystemExit("no InvalidTag")
sealer = mine.encryptor(bytes(12))
sealer.update(bytes(5000)); sealer.finalize()
"""


def test_interpreters():
    """Each has a module of its own. From Python 3.12 on they have locks of their own, too, and threads use them at once."""
    done = subprocess.run([sys.executable, "-c", INTERPRETERS, INSIDE], capture_output=True, text=True)
    assert done.returncode == 0 and "Traceback" not in done.stderr, done.stderr
    assert done.stdout in ("ended: 3 of 3\n", "ended: 12 of 12\n")
