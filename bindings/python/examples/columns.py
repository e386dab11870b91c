# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""Columns of binary values, encrypted as they lie in memory: pyarrow, Parquet, polars, pandas and DuckDB.

usage: python columns.py            needs pyarrow; the others are tried where they are installed
       python columns.py measure    nanoseconds a value, of 300,000 values of 5 to 59 bytes

A null is a row like any other, and stays one: its bitmap is handed on as it is. A file may drop the bytes behind a null;
it does not verify then, which `ok` says, and it is a null anyway.
"""
import importlib.util
import os
import sys
import tempfile
import time

import numpy
import pyarrow as pa
import pyarrow.parquet
from rijn import AESGCM


def parts(column):
    """Bitmap, offsets and data of an array of (large) binary values that begins anywhere."""
    validity, offsets, data = column.buffers()
    width = numpy.int64 if pa.types.is_large_binary(column.type) else numpy.int32
    if column.offset != 0 and validity is not None:  # a slice: its bits begin within a byte
        return parts(pa.concat_arrays([column]))
    return validity, numpy.frombuffer(offsets, width)[column.offset :][: len(column) + 1], data or b""


def made(column, validity, offsets, data):
    buffers = [validity, pa.py_buffer(offsets), pa.py_buffer(data)]
    return pa.Array.from_buffers(column.type, len(column), buffers, column.null_count)


def encrypt(cipher, prefix, first, column):
    """The column, encrypted: row i has the nonce prefix || first + i, which must not come twice under one key."""
    validity, offsets, data = parts(column)
    return made(column, validity, *cipher.encrypt_column((prefix, first), offsets, data))


def decrypt(cipher, prefix, first, column):
    """The reverse. Raises an error for a value that is not authentic."""
    validity, offsets, data = parts(column)
    ok = numpy.zeros(len(column), bool)
    plain = made(column, validity, *cipher.decrypt_column((prefix, first), offsets, data, ok=ok))
    bad = numpy.flatnonzero(~ok & column.is_valid().to_numpy(zero_copy_only=False))
    if len(bad):
        raise ValueError(f"{len(bad)} values are not authentic, the first is row {bad[0]}")
    return plain


def parquet(cipher, prefix, column, path):
    """A column encrypted, written, and read back. Each chunk begins with the number of its first row."""
    sealed = encrypt(cipher, prefix, 0, column)
    pa.parquet.write_table(pa.table({"secret": sealed}), path, compression="none", row_group_size=len(column) // 3 + 1)
    first, chunks = 0, []
    for chunk in pa.parquet.read_table(path)["secret"].chunks:
        chunks.append(decrypt(cipher, prefix, first, chunk))
        first += len(chunk)
    return pa.concat_arrays(chunks)


def from_polars(cipher, prefix, values):
    import polars

    frame = polars.DataFrame({"secret": values})
    sealed = encrypt(cipher, prefix, 0, frame["secret"].to_arrow())
    frame = frame.with_columns(polars.Series("secret", polars.from_arrow(sealed)))
    return decrypt(cipher, prefix, 0, frame["secret"].to_arrow()).to_pylist()


def from_pandas(cipher, prefix, values):
    import pandas

    frame = pandas.DataFrame({"secret": values})
    sealed = encrypt(cipher, prefix, 0, pa.array(frame["secret"], pa.binary()))
    frame["secret"] = pandas.Series(sealed, dtype=pandas.ArrowDtype(pa.binary()))
    return decrypt(cipher, prefix, 0, pa.array(frame["secret"])).to_pylist()


def from_duckdb(cipher, prefix, values):
    import duckdb

    base = duckdb.connect()
    clear = pa.table({"id": range(len(values)), "secret": pa.array(values, pa.binary())})
    sealed = clear.set_column(1, "secret", encrypt(cipher, prefix, 0, clear["secret"].combine_chunks()))
    base.register("sealed", sealed)
    base.sql("create table kept as select * from sealed")
    back = base.sql("select secret from kept order by id").to_arrow_table()["secret"].combine_chunks()
    return decrypt(cipher, prefix, 0, back).to_pylist()


def measure(count=300_000):
    cipher, prefix = AESGCM(AESGCM.generate_key(256)), b"table 12"
    _, offsets, data = parts(pa.array([os.urandom(5 + i % 55) for i in range(count)], pa.binary()))
    least = float("inf")
    for _ in range(10):
        began = time.process_time_ns()
        cipher.encrypt_column((prefix, 0), offsets, data)
        least = min(least, time.process_time_ns() - began)
    print(f"{least / count:.0f} ns of CPU time a value")


def main():
    values = [os.urandom(5 + i % 55) if i % 7 else None for i in range(10_000)]
    prefix = b"table 12"  # another one for each column under one key
    for kind in (pa.binary(), pa.large_binary()):
        cipher, column = AESGCM(AESGCM.generate_key(256)), pa.array(values, kind)
        assert decrypt(cipher, prefix, 0, encrypt(cipher, prefix, 0, column)).equals(column)
        part = column.slice(1003, 500)
        assert decrypt(cipher, prefix, 50_000, encrypt(cipher, prefix, 50_000, part)).equals(part)
        with tempfile.TemporaryDirectory() as folder:
            assert parquet(cipher, prefix, column, os.path.join(folder, "sealed.parquet")).equals(column)
    print("pyarrow, Parquet: as it was")
    for name, way in (("polars", from_polars), ("pandas", from_pandas), ("duckdb", from_duckdb)):
        if importlib.util.find_spec(name) is None:
            print(f"{name}: not installed")
        else:
            assert way(AESGCM(AESGCM.generate_key(256)), prefix, values) == values
            print(f"{name}: as it was")


if __name__ == "__main__":
    measure() if sys.argv[1:] == ["measure"] else main()
