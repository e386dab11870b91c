# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""Encrypted files: C2SP chunked-encryption (Cobblestone-256 and -128), the format of the command `rijn encrypt`.

The work is done by librijn-file, which `make install` installs, and which is loaded when the first Cobblestone is made.
Files are encrypted and read in parallel, from anywhere in the middle too, and text that is not verified is handed to
nobody. doc/file-format.md describes the format.
"""
from __future__ import annotations

import ctypes
import errno
import functools
import io
import os
import tempfile
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ._rijn import AESGCM, __version__
from .exceptions import InvalidTag

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, StrPath, WriteableBuffer

__all__ = ["Cobblestone", "Reader"]

LIBRARY = "librijn-file.so." + ".".join(__version__.split(".")[:2])
OWN_OUTPUT = 1
# Codes of rijn-file.h: what is altered or belongs to another key, and what an argument says.
FORGED = range(-108, -102)
ARGUMENTS = {-114: "an argument that makes no sense", -115: "beyond the end of the text"}
KEY, HEADER = -104, -103


class _Error(ctypes.Structure):
    _fields_ = [
        ("code", ctypes.c_int),
        ("system", ctypes.c_int),
        ("chunk", ctypes.c_uint64),
        ("first", ctypes.c_uint64),
        ("to", ctypes.c_uint64),
    ]


class _Params(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("format", ctypes.c_int),
        ("key", ctypes.c_void_p),
        ("key_len", ctypes.c_size_t),
        ("context", ctypes.c_char_p),
        ("context_len", ctypes.c_size_t),
        ("start", ctypes.c_uint64),
        ("threads", ctypes.c_uint),
    ]


class _Job(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("input", ctypes.c_int),
        ("output", ctypes.c_int),
        ("head", ctypes.c_void_p),
        ("head_len", ctypes.c_size_t),
        ("flags", ctypes.c_uint),
        ("user", ctypes.c_void_p),
        ("progress", ctypes.c_void_p),
        ("damage", ctypes.c_void_p),
        ("text_bytes", ctypes.c_uint64),
        ("chunks_bad", ctypes.c_uint64),
    ]


_SINK = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
_SOURCE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_uint64)


@functools.cache
def _library() -> ctypes.CDLL:
    try:
        lib = ctypes.CDLL(LIBRARY)
    except OSError as error:
        raise ImportError(f"encrypted files need {LIBRARY}, which `make install` of Rijn installs: {error}") from None
    pointer, number, size = ctypes.c_void_p, ctypes.c_uint64, ctypes.c_size_t
    lib.rijn_file_strerror.restype = ctypes.c_char_p
    lib.rijn_file_encrypt_fd.argtypes = lib.rijn_file_decrypt_fd.argtypes = [pointer, pointer, pointer]
    lib.rijn_file_writer_new.argtypes = [pointer, pointer, _SINK, pointer, pointer]
    lib.rijn_file_write.argtypes = [pointer, pointer, size, pointer]
    lib.rijn_file_finish.argtypes = [pointer, pointer]
    lib.rijn_file_writer_free.argtypes, lib.rijn_file_writer_free.restype = [pointer], None
    lib.rijn_file_open.argtypes = [pointer, pointer, _SOURCE, pointer, number, pointer]
    lib.rijn_file_open_fd.argtypes = [pointer, pointer, ctypes.c_int, pointer]
    lib.rijn_file_length.argtypes, lib.rijn_file_length.restype = [pointer], number
    lib.rijn_file_complete.argtypes = [pointer]
    lib.rijn_file_pread.argtypes = [pointer, pointer, size, number, pointer]
    lib.rijn_file_close.argtypes, lib.rijn_file_close.restype = [pointer], None
    return lib


def _bytes(data: ReadableBuffer, what: str) -> memoryview:
    """Its bytes in a row. TypeError: its items are none."""
    view = memoryview(data)
    if view.itemsize != 1 or view.format.lstrip("@=<>!") not in ("B", "b", "c") or view.ndim == 0:
        raise TypeError(f"Cobblestone: {what}: items must be bytes, not of format '{view.format}'")
    return view.cast("B")


def _raise(code: int, error: _Error, name: str | None = None) -> None:
    text = _library().rijn_file_strerror(code).decode()
    if code in FORGED:
        where = "" if code in (KEY, HEADER) else f" (chunk {error.chunk}, bytes {error.first} to {error.to})"
        raise InvalidTag(f"{name + ': ' if name else ''}{text}{where}")
    if error.system:
        raise OSError(error.system, f"{text}: {os.strerror(error.system)}", name)
    if code in ARGUMENTS:
        raise ValueError(text)
    raise RuntimeError(f"{name + ': ' if name else ''}{text}")


def _address(view: memoryview) -> tuple[int, Any]:
    """Where a view's bytes lie, and what keeps them there. WHY a copy of what cannot be written: ctypes takes no other."""
    if view.nbytes == 0:
        return 0, None
    kept = (ctypes.c_char * view.nbytes)
    held = kept.from_buffer_copy(view) if view.readonly else kept.from_buffer(view)
    return ctypes.addressof(held), held


def _guarded(work: Callable[..., Any], raised: list[BaseException]) -> Callable[..., int]:
    """What the library may call. WHY caught: ctypes prints an exception of a callback and goes on, as if all were well."""

    def call(*given: int) -> int:
        try:
            work(*given)
        except BaseException as exception:
            raised.append(exception)
            return errno.EIO
        return 0

    return call


class Cobblestone:
    """Encrypts and decrypts files and bytes with one key.

    key: 32 bytes (Cobblestone-256) or 16 (-128), uniformly random; it serves as many files as you like. context: what the
    text is about, at most 16384 bytes; reading needs the same, and it is not stored. threads: at most so many; 0: one a
    processor, at most 8. ImportError: librijn-file is not installed. The copy of the key is wiped when the object dies.
    """

    def __init__(self, key: ReadableBuffer, context: bytes = b"", threads: int = 0) -> None:
        _library()
        self._key: ctypes.Array[ctypes.c_char] | None = None
        view = _bytes(key, "key")
        if len(view) not in (16, 32):
            raise ValueError(f"Cobblestone: key must be 16 or 32 bytes, not {len(view)}")
        if len(context) > 16384:
            raise ValueError(f"Cobblestone: context must be at most 16384 bytes, not {len(context)}")
        self._key = (ctypes.c_char * len(view)).from_buffer_copy(view)
        self._context, self._threads = bytes(_bytes(context, "context")), threads

    @staticmethod
    def generate_key(bit_length: int) -> bytes:
        """A random key from the operating system. bit_length: 128 or 256."""
        if bit_length == 192:
            raise ValueError("Cobblestone.generate_key: bit_length must be 128 or 256, not 192")
        return AESGCM.generate_key(bit_length)

    def __del__(self) -> None:
        if getattr(self, "_key", None) is not None:
            ctypes.memset(self._key, 0, ctypes.sizeof(self._key))  # type: ignore[arg-type]

    def __repr__(self) -> str:
        return f"<rijn.Cobblestone-{8 * ctypes.sizeof(self._key or 0)}>"  # type: ignore[arg-type]

    def __reduce__(self) -> Any:
        raise TypeError("Cobblestone: is not pickled, because it holds a key; hand on the raw key where that is meant")

    def _params(self) -> _Params:
        return _Params(
            size=ctypes.sizeof(_Params),
            key=ctypes.addressof(self._key) if self._key is not None else 0,
            key_len=ctypes.sizeof(self._key) if self._key is not None else 0,
            context=self._context,
            context_len=len(self._context),
            threads=self._threads,
        )

    def _file(self, work: Callable[..., int], source: StrPath, target: StrPath) -> int:
        """From file to file: the target appears when all of it is there and on the disk, or not at all."""
        folder = os.path.dirname(os.path.abspath(os.fspath(target)))
        params, error = self._params(), _Error()
        with open(source, "rb", buffering=0) as given:
            handle, temporary = tempfile.mkstemp(prefix=".rijn-", dir=folder)
            try:
                job = _Job(size=ctypes.sizeof(_Job), input=given.fileno(), output=handle, flags=OWN_OUTPUT)
                code = work(ctypes.byref(params), ctypes.byref(job), ctypes.byref(error))
                if code != 0:
                    _raise(code, error, os.fspath(source))
                os.fsync(handle)
                os.replace(temporary, target)
            except BaseException:
                os.unlink(temporary)
                raise
            finally:
                os.close(handle)
        return int(job.text_bytes)

    def encrypt_file(self, source: StrPath, target: StrPath) -> int:
        """Encrypts a file; gives back the bytes of text. target is replaced, readable by its owner alone."""
        return self._file(_library().rijn_file_encrypt_fd, source, target)

    def decrypt_file(self, source: StrPath, target: StrPath) -> int:
        """The reverse. InvalidTag names the chunk that is altered, and target stays as it was."""
        return self._file(_library().rijn_file_decrypt_fd, source, target)

    def encrypt(self, data: ReadableBuffer) -> bytes:
        """The encryption of data, of any length."""
        lib, params, error = _library(), self._params(), _Error()
        out, writer = io.BytesIO(), ctypes.c_void_p()
        raised: list[BaseException] = []
        held_sink = _SINK(_guarded(lambda _user, at, length: out.write(ctypes.string_at(at, length)), raised))
        view = _bytes(data, "data")
        address, held = _address(view)
        at = ctypes.byref(error)
        code = lib.rijn_file_writer_new(ctypes.byref(writer), ctypes.byref(params), held_sink, None, at)
        if code == 0:
            code = lib.rijn_file_write(writer, address, len(view), at) or lib.rijn_file_finish(writer, at)
            lib.rijn_file_writer_free(writer)
        del held
        if raised:
            raise raised[0]
        if code != 0:
            _raise(code, error)
        return out.getvalue()

    def decrypt(self, data: ReadableBuffer) -> bytes:
        """The text. InvalidTag: data is altered, cut short, or belongs to another key or context."""
        view = _bytes(data, "data")
        (address, held), length = _address(view), len(view)
        raised: list[BaseException] = []
        held_source = _SOURCE(_guarded(lambda _user, to, wanted, at: ctypes.memmove(to, address + at, wanted), raised))
        try:
            with Reader(self, lambda *p: _library().rijn_file_open(*p[:2], held_source, None, length, p[2])) as reader:
                reader._held = held, held_source
                return reader.readall()
        except OSError:
            if raised:
                raise raised[0] from None
            raise

    def open(self, path: StrPath) -> Reader:
        """A file of bytes, for reading at any place. Only the chunks that are read are verified."""
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            name = os.fspath(path)
            return Reader(self, lambda *p: _library().rijn_file_open_fd(*p[:2], descriptor, p[2]), name, descriptor)
        except BaseException:
            os.close(descriptor)
            raise


class Reader(io.RawIOBase):
    """The text of an encrypted file, as a binary file: read(), seek(), readinto(), and pread() for threads of one's own.

    Made by Cobblestone.open(). A call reads the chunks that hold what is asked for; if one does not verify, it raises
    InvalidTag and gives out nothing. What reaches the end of the text, also a read of no bytes there, verifies that it
    is the end; the length alone (len()) is not verified. Threads may call pread() and close(); one waits for the other.
    """

    def __init__(
        self, key: Cobblestone, opens: Callable[..., int], name: str | None = None, descriptor: int | None = None
    ) -> None:
        self._lib, self._key, self._name, self._descriptor = _library(), key, name, None
        self._at, self._reader = 0, ctypes.c_void_p()
        self._lock = threading.Lock()  # the library takes one call at a time
        self._held: Any = None
        self._params, error = key._params(), _Error()
        code = opens(ctypes.byref(self._reader), ctypes.byref(self._params), ctypes.byref(error))
        if code == 0:
            self._length = int(self._lib.rijn_file_length(self._reader))
            code = self._lib.rijn_file_complete(self._reader)
            if code != 0:
                self._lib.rijn_file_close(self._reader)
                self._reader = ctypes.c_void_p()
        if code != 0:
            _raise(code, error, name)
        self._descriptor = descriptor

    def __len__(self) -> int:
        return self._length

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._length}[whence]
        if base + offset < 0:
            raise ValueError(f"seek: {base + offset} is before the beginning")
        self._at = base + offset
        return self._at

    def pread(self, size: int, offset: int) -> bytes:
        """At most size bytes from offset; fewer at the end. The position stays."""
        size = max(0, min(size, self._length - offset))
        buffer = bytearray(size)
        self._into(memoryview(buffer), offset)
        return bytes(buffer)

    def readinto(self, buffer: WriteableBuffer) -> int:
        """As of any binary file: an array of numbers gets the bytes that its numbers lie in."""
        view = memoryview(buffer).cast("B")
        if view.readonly:
            raise TypeError("readinto: buffer must be writable")
        size = max(0, min(len(view), self._length - self._at))
        self._into(view[:size], self._at)
        self._at += size
        return size

    def readall(self) -> bytes:
        data = self.pread(self._length, self._at)
        self._at += len(data)
        return data

    def _into(self, view: memoryview, offset: int) -> None:
        if offset < 0:
            raise ValueError(f"pread: {offset} is before the beginning")
        error = _Error()
        address, _held = _address(view)
        with self._lock:
            if self._reader.value is None:
                raise ValueError("the file is closed")
            # WHY also without bytes: at the end, the library verifies that it is the end.
            at = min(offset, self._length)
            code = self._lib.rijn_file_pread(self._reader, address, len(view), at, ctypes.byref(error))
        if code != 0:
            _raise(code, error, self._name)

    def close(self) -> None:
        if not hasattr(self, "_lock"):  # __init__ did not come so far
            super().close()
            return
        with self._lock:
            if self._reader:
                self._lib.rijn_file_close(self._reader)
                self._reader = ctypes.c_void_p()
            if self._descriptor is not None:
                os.close(self._descriptor)
                self._descriptor = None
        super().close()
