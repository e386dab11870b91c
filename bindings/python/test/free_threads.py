# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""Without the interpreter's lock: threads at once on one key, on one stream, on one buffer. Needs nothing but rijn.

usage: free_threads.py [ROUNDS [PART ...]]
"""
import _interpreters
import sys
import threading

import rijn
from rijn import AESGCM, AESGCMSIV, XAES256GCM, XTS, InvalidTag

ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 100
KEY, NONCE = bytes(range(32)), b"n" * 12
LENGTHS = (0, 1, 16, 64, 1420, 2047, 2048, 70000)


def at_once(work, count=4):
    """Runs work(0), work(1), ... in threads that begin together; what one raises is raised."""
    barrier, failed = threading.Barrier(count), []

    def run(i):
        barrier.wait()
        try:
            work(i)
        except BaseException as error:  # noqa: B902 (it is raised below)
            failed.append(error)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]


def refused(call, error):
    try:
        call()
    except error:
        return
    raise AssertionError(f"no {error.__name__}")


def one_key():
    keys = {"GCM": AESGCM(KEY), "GCM-SIV": AESGCMSIV(KEY)}
    texts = [bytes([i]) * n for i, n in enumerate(LENGTHS)]
    want = {name: [key.encrypt(NONCE, text, b"aad") for text in texts] for name, key in keys.items()}

    def work(i):
        for turn in range(ROUNDS):
            at = (turn + i) % len(texts)
            for name, key in keys.items():
                sealed = want[name][at]
                assert key.encrypt(NONCE, texts[at], b"aad") == sealed
                assert key.decrypt(NONCE, sealed, b"aad") == texts[at]
                refused(lambda: key.decrypt(NONCE, sealed[:-1] + b"?", b"aad" * 2), InvalidTag)
            AESGCM(KEY).encrypt(NONCE, b"")

    at_once(work)


def random_nonces():
    key, seen = XAES256GCM(KEY), [[], [], [], []]

    def work(i):
        for _ in range(ROUNDS):
            sealed = key.seal(b"text", b"aad")
            assert key.open(sealed, b"aad") == b"text"
            seen[i].append(sealed[:24])

    at_once(work)
    assert len(set(sum(seen, []))) == 4 * ROUNDS


def batches():
    key, width, count = AESGCM(KEY), 64, 50
    nonces = [i.to_bytes(12, "big") for i in range(count)]
    texts = [bytes([i]) * width for i in range(count)]
    want = [key.encrypt(n, t) for n, t in zip(nonces, texts)]
    rows = memoryview(b"".join(nonces)).cast("B", (count, 12)), memoryview(b"".join(texts)).cast("B", (count, width))

    def work(i):
        for _ in range(ROUNDS // 10 + 1):
            assert key.encrypt_many(nonces, texts) == want
            assert key.decrypt_many(nonces, want) == texts
            out = memoryview(bytearray(count * (width + 16))).cast("B", (count, width + 16))
            assert bytes(key.encrypt_rows(*rows, out=out)) == b"".join(want)

    at_once(work)


def a_list_that_changes():
    """A list of messages may change while it is read: the call has taken what was in it."""
    key, nonces, texts = AESGCM(KEY), [NONCE] * 40, [b"x" * 100] * 40
    whole = key.encrypt(NONCE, b"x" * 100)

    def work(i):
        for _ in range(ROUNDS):
            if i == 0:
                texts.append(b"x" * 100)
                texts.pop()
                continue
            try:
                assert set(key.encrypt_many(nonces, texts)) == {whole}
            except ValueError as error:
                assert "need as many" in str(error)

    at_once(work)


def one_stream():
    """Either a call is refused as a whole, or it is one piece of the text."""
    text = bytes(100000)
    for _ in range(ROUNDS // 10 + 1):
        sealer, got = AESGCM(KEY).encryptor(NONCE), []

        def work(i):
            try:
                got.append(sealer.update(text))
            except RuntimeError as error:
                assert "another thread" in str(error)

        at_once(work)
        sealer.finalize()
        want = AESGCM(KEY).encrypt(NONCE, text * len(got), None)
        assert got and sealer.tag == want[-16:] and sorted(got) == sorted(
            want[i * len(text) : (i + 1) * len(text)] for i in range(len(got))
        )


def one_tag():
    """Threads that ask for the tag get the whole tag, or are told that there is none yet."""
    want = AESGCM(KEY).encrypt(NONCE, b"")
    for _ in range(ROUNDS):
        sealer = AESGCM(KEY).encryptor(NONCE)

        def work(i):
            if i == 0:
                sealer.finalize()
                return
            for _ in range(1000):
                try:
                    assert sealer.tag == want
                    return
                except ValueError as error:
                    assert "before finalize" in str(error)

        at_once(work)


INSIDE = """
import rijn
mine = rijn.AESGCM(bytes(32))
for i in range(20):
    sealed = mine.encrypt(bytes(12), b"x" * (i * 400), None)
    assert mine.decrypt(bytes(12), sealed, None) == b"x" * (i * 400)
try:
    mine.decrypt(bytes(12), bytes(40), None)
except rijn.InvalidTag:
    pass
else:
    raise SystemExit("no InvalidTag")
sealer = mine.encryptor(bytes(12))
sealer.update(bytes(5000))
sealer.finalize()
"""


def interpreters_at_once():
    """Each has a module of its own. They begin and end one after the other: in 3.13 they change common types then."""
    one_by_one, path = threading.Lock(), f"import sys; sys.path[:] = {sys.path!r}\n"

    def run(one, code):
        error = _interpreters.exec(one, code)
        assert error is None, error

    def work(i):
        for _ in range(ROUNDS // 50 + 1):
            with one_by_one:
                one = _interpreters.create("isolated")
                run(one, path + "import rijn")
            run(one, INSIDE)
            with one_by_one:
                _interpreters.destroy(one)

    at_once(work)


def a_buffer_in_use():
    """It is not resized while a call has it."""
    data, key = bytearray(1 << 16), AESGCM(KEY)

    def work(i):
        for _ in range(ROUNDS):
            if i == 0:
                try:
                    data.append(0)
                except BufferError:
                    pass
            else:
                key.encrypt(NONCE, memoryview(data))

    at_once(work)


def sectors():
    key, plain = XTS(bytes(range(64))), bytes(1 << 16)
    want = bytes(key.encrypt_sectors(plain, 0, 512))

    def work(i):
        for _ in range(ROUNDS // 10 + 1):
            own = bytearray(plain)
            key.encrypt_sectors(own, 0, 512, out=own)
            assert own == want

    at_once(work)


PARTS = (one_key, random_nonces, batches, a_list_that_changes, one_stream, one_tag, a_buffer_in_use, sectors,
         interpreters_at_once)  # fmt: skip


def main():
    if sys._is_gil_enabled():
        sys.exit("the interpreter has its lock: this is no free-threaded build, or the module switched it on")
    rijn.selftest()
    wanted = sys.argv[2:] or [part.__name__ for part in PARTS]
    for part in PARTS:
        if part.__name__ in wanted:
            part()
            print(part.__name__, flush=True)
    if sys._is_gil_enabled():
        sys.exit("the lock came back")
    print("free-threaded: all parts" if len(wanted) == len(PARTS) else "free-threaded")


main()
