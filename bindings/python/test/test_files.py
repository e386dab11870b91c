# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""Cobblestone over librijn-file: whole files, bytes, ranges, and damage, beside the command."""
import array
import ctypes
import os
import pickle
import random
import re
import subprocess
import sys
import threading

import pytest
from rijn import InvalidTag
from rijn import cobblestone as module
from rijn.cobblestone import Cobblestone

KEY = bytes(range(32))
COMMAND = os.environ["RIJN_PROGRAM"]
TEXT = random.Random(7).randbytes(300_000)


def test_bytes():
    for key in (KEY, KEY[:16]):
        mine = Cobblestone(key, b"context")
        for n in (0, 1, 16367, 16368, 16369, 40000, len(TEXT)):
            sealed = mine.encrypt(TEXT[:n])
            assert mine.decrypt(sealed) == TEXT[:n]
            assert mine.decrypt(bytearray(sealed)) == TEXT[:n]
            for other in (Cobblestone(key, b"another"), Cobblestone(bytes(len(key)), b"context")):
                with pytest.raises(InvalidTag):
                    other.decrypt(sealed)


def test_only_bytes_are_bytes():
    """An array of objects would be encrypted as the addresses in it."""
    mine = Cobblestone(KEY)
    for wrong in (array.array("I", range(8)), (ctypes.py_object * 4)(*"abcd"), memoryview(KEY).cast("Q")):
        for call in (Cobblestone, mine.encrypt, mine.decrypt, lambda x: Cobblestone(KEY, x)):
            with pytest.raises(TypeError, match="items must be bytes"):
                call(wrong)
    with pytest.raises(ValueError, match="128 or 256, not 192"):
        Cobblestone.generate_key(192)


def test_files_and_the_command(tmp_path):
    plain, sealed, back, key = (tmp_path / name for name in ("plain", "sealed", "back", "key"))
    plain.write_bytes(TEXT)
    key.write_bytes(KEY)
    key.chmod(0o600)
    assert Cobblestone(KEY).encrypt_file(plain, sealed) == len(TEXT)
    subprocess.run([COMMAND, "decrypt", "-k", str(key), "-o", str(back), str(sealed)], check=True)
    assert back.read_bytes() == TEXT
    sealed.unlink()
    subprocess.run([COMMAND, "encrypt", "-k", str(key), "-o", str(sealed), str(plain)], check=True)
    assert Cobblestone(KEY).decrypt_file(str(sealed), str(back)) == len(TEXT)
    assert back.read_bytes() == TEXT and sorted(os.listdir(tmp_path)) == ["back", "key", "plain", "sealed"]


def test_ranges(tmp_path):
    sealed = tmp_path / "sealed"
    sealed.write_bytes(Cobblestone(KEY).encrypt(TEXT))
    with Cobblestone(KEY).open(sealed) as file:
        assert len(file) == len(TEXT) and file.readable() and file.seekable()
        for _ in range(200):
            at, size = random.randrange(len(TEXT) + 10), random.randrange(40000)
            assert file.pread(size, at) == TEXT[at : at + size]
            assert file.seek(at) == at and file.read(size) == TEXT[at : at + size]
        assert file.seek(-7, os.SEEK_END) == len(TEXT) - 7 and file.read() == TEXT[-7:] and file.read(1) == b""
        buffer = bytearray(100)
        file.seek(5)
        assert file.readinto(buffer) == 100 and buffer == TEXT[5:105] and file.tell() == 105
        with pytest.raises(ValueError):
            file.seek(-1)
    with pytest.raises(ValueError, match="closed"):
        file.pread(1, 0)


def test_damage(tmp_path):
    sealed, back = tmp_path / "sealed", tmp_path / "back"
    whole = Cobblestone(KEY).encrypt(TEXT)
    damaged = bytearray(whole)
    damaged[100_000] ^= 1
    sealed.write_bytes(damaged)
    back.write_bytes(b"as it was")
    with pytest.raises(InvalidTag, match=r"sealed: .*chunk 6, bytes 98"):
        Cobblestone(KEY).decrypt_file(sealed, back)
    assert back.read_bytes() == b"as it was" and sorted(os.listdir(tmp_path)) == ["back", "sealed"]
    with Cobblestone(KEY).open(sealed) as file:
        assert file.pread(1000, 0) == TEXT[:1000] and file.pread(1000, 200_000) == TEXT[200_000:201_000]
        with pytest.raises(InvalidTag, match="chunk 6"):
            file.pread(1, 100_000)
    for cut in (0, 5, len(whole) - 1, len(whole) - 20000, 16384 * 3 + len(whole) % 16384):
        with pytest.raises(InvalidTag):
            Cobblestone(KEY).decrypt(whole[:cut])
    with pytest.raises(InvalidTag):
        Cobblestone(KEY).decrypt(whole + b"!")


def test_forged_ends(tmp_path):
    """Cut where a chunk ends and closed by other bytes: of these, 16 are as long as a last chunk without text."""
    whole, path = Cobblestone(KEY).encrypt(TEXT), tmp_path / "sealed"
    for chunks in (0, 1, 2, 18):
        cut, end = whole[: 56 + chunks * 16400], chunks * 16384
        for junk in range(16, 32):
            with pytest.raises(InvalidTag):
                Cobblestone(KEY).decrypt(cut + bytes(junk))
            path.write_bytes(cut + bytes(junk))
            with Cobblestone(KEY).open(path) as file:
                for size in (-1, end + junk - 16, end + 100):
                    file.seek(0)
                    with pytest.raises(InvalidTag):
                        file.read(size)
                file.seek(end)
                with pytest.raises(InvalidTag):
                    file.readinto(bytearray(100))
                for at in (end + junk - 16, end + 1000):
                    file.seek(at)
                    for size in (0, 5):
                        with pytest.raises(InvalidTag):
                            file.pread(size, at)
                    with pytest.raises(InvalidTag):
                        file.read(1)
                if end:
                    assert file.pread(end - 1, 0) == TEXT[: end - 1]


def test_threads(tmp_path):
    path, wrong = tmp_path / "sealed", []
    path.write_bytes(Cobblestone(KEY).encrypt(TEXT))
    file = Cobblestone(KEY, threads=2).open(path)
    started = threading.Barrier(5)

    def work(seed):
        mine = random.Random(seed)
        started.wait()
        try:
            while True:
                at = mine.randrange(len(TEXT))
                if file.pread(40000, at) != TEXT[at : at + 40000]:
                    wrong.append(at)
        except ValueError as error:
            if "closed" not in str(error):
                wrong.append(error)
        except Exception as error:
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for one in threads:
        one.start()
    started.wait()
    threads[0].join(0.3)
    file.close()
    for one in threads:
        one.join()
    assert wrong == []


def test_an_exception_in_a_callback(monkeypatch):
    sealed = Cobblestone(KEY).encrypt(TEXT)
    left = [0]

    def fails(real):
        def call(*given):
            left[0] -= 1
            if left[0] < 0:
                raise MemoryError("none left")
            return real(*given)

        return call

    monkeypatch.setattr(module.ctypes, "string_at", fails(ctypes.string_at))
    monkeypatch.setattr(module.ctypes, "memmove", fails(ctypes.memmove))
    for calls in (0, 1):
        for work, data in ((Cobblestone(KEY).encrypt, TEXT), (Cobblestone(KEY).decrypt, sealed)):
            left[0] = calls
            with pytest.raises(MemoryError, match="none left"):
                work(data)


def test_a_buffer_that_cannot_be_written(tmp_path):
    path = tmp_path / "sealed"
    path.write_bytes(Cobblestone(KEY).encrypt(TEXT))
    with Cobblestone(KEY).open(path) as file:
        for buffer in (bytes(100), memoryview(bytearray(100)).toreadonly()):
            with pytest.raises(TypeError, match="readinto: buffer must be writable"):
                file.readinto(buffer)
        assert file.tell() == 0


def test_no_descriptor_is_left(tmp_path):
    sealed = tmp_path / "sealed"
    sealed.write_bytes(Cobblestone(KEY).encrypt(TEXT))
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(20):
        Cobblestone(KEY).open(sealed).close()
        with pytest.raises(InvalidTag):
            Cobblestone(bytes(32)).open(sealed)
        with pytest.raises(InvalidTag):
            Cobblestone(bytes(32)).decrypt_file(sealed, tmp_path / "back")
    assert len(os.listdir("/proc/self/fd")) == before


def test_refused(tmp_path):
    with pytest.raises(ValueError, match="^Cobblestone: key must be 16 or 32 bytes, not 31"):
        Cobblestone(bytes(31))
    with pytest.raises(ValueError, match="^Cobblestone: context must be at most 16384 bytes, not 16385"):
        Cobblestone(KEY, bytes(16385))
    with pytest.raises(FileNotFoundError):
        Cobblestone(KEY).encrypt_file(tmp_path / "none", tmp_path / "out")
    with pytest.raises(FileNotFoundError):
        Cobblestone(KEY).open(tmp_path / "none")
    with pytest.raises(TypeError, match="not pickled"):
        pickle.dumps(Cobblestone(KEY))
    assert repr(Cobblestone(KEY)) == "<rijn.Cobblestone-256>" and os.listdir(tmp_path) == []


def test_the_program_in_the_readme(tmp_path):
    with open(os.path.join(os.environ["RIJN_SOURCE"], "bindings/python/README.md"), encoding="utf-8") as f:
        (program,) = re.findall(r"^```python\n(from rijn.cobblestone .*?)^```", f.read(), re.M | re.S)
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path, check=True)


SIZES = """
#include <rijn-file.h>
#include <stdio.h>
#define O(s, f) printf(" %zu", offsetof(s, f))
int main(void) {
  printf("%zu %zu %zu", sizeof(rijn_file_error), sizeof(rijn_file_params), sizeof(rijn_file_job));
  O(rijn_file_error, to); O(rijn_file_params, threads); O(rijn_file_params, context_len); O(rijn_file_params, start);
  O(rijn_file_job, flags); O(rijn_file_job, damage); O(rijn_file_job, chunks_bad);
  printf(" %d %d %d %d %d\\n", RIJN_FILE_EKEY, RIJN_FILE_EHEADER, RIJN_FILE_ETAG, RIJN_FILE_EARGUMENT, RIJN_FILE_ERANGE);
  return 0;
}
"""


def test_the_header_says_the_same(tmp_path):
    """The structures are written down twice: in C and in Python."""
    source, program, root = tmp_path / "sizes.c", tmp_path / "sizes", os.environ["RIJN_SOURCE"]
    source.write_text(SIZES)
    folders = [f"-I{root}/include", f"-I{root}/file/include"]
    subprocess.run(["gcc", "-std=c11", *folders, "-include", "stddef.h", str(source), "-o", str(program)], check=True)
    said = subprocess.run([str(program)], capture_output=True, text=True, check=True).stdout.split()
    mine = [ctypes.sizeof(one) for one in (module._Error, module._Params, module._Job)]
    mine += [module._Error.to.offset, module._Params.threads.offset, module._Params.context_len.offset]
    mine += [module._Params.start.offset, module._Job.flags.offset, module._Job.damage.offset, module._Job.chunks_bad.offset]
    mine += [module.KEY, module.HEADER, module.FORGED[0], *sorted(module.ARGUMENTS, reverse=True)]
    assert [int(one) for one in said] == mine


def test_without_the_library():
    env = {k: v for k, v in os.environ.items() if k != "LD_LIBRARY_PATH"}
    code = "from rijn.cobblestone import Cobblestone\nCobblestone(bytes(32))"
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
    assert done.returncode == 1 and f"ImportError: encrypted files need {module.LIBRARY}" in done.stderr
