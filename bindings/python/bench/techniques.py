# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""One call, encrypt(nonce, data, aad) -> bytes, by each way from Python into C, beside the package itself and PyPI's
cryptography: what the way costs. It compiles what it needs in a folder that it deletes.

usage: techniques.py FOLDER [--quick]      FOLDER has librijn.so and librijn.a: build/release/src after `make`

Needs: rijn, cffi, nanobind and cryptography from PyPI in this Python's environment, Python's headers, cc and c++.
"""
import ctypes
import importlib.util
import os
import subprocess
import sys
import sysconfig
import tempfile

from rijn import AESGCM, _bench

HERE = os.path.dirname(os.path.abspath(__file__))
INCLUDE = os.path.join(HERE, "../../../include")
KEY, NONCE, AAD = _bench.KEY, _bench.NONCE, _bench.AAD
LENGTHS = (16, 64, 1420, 16384)
KEY_SIZE = 4096  # a key object and its alignment fit

# What Python hands over by arguments that are parsed, and the lock released always.
VARARGS = """
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <rijn.h>
static rijn_gcm_key key;
static PyObject *begin(PyObject *m, PyObject *raw) {
  return PyLong_FromLong(rijn_gcm_init(&key, PyBytes_AsString(raw), PyBytes_Size(raw)));
}
static PyObject *encrypt(PyObject *m, PyObject *args) {
  Py_buffer nonce, data, aad;
  if (!PyArg_ParseTuple(args, "y*y*y*", &nonce, &data, &aad)) return NULL;
  PyObject *out = PyBytes_FromStringAndSize(NULL, data.len + 16);
  char *to = PyBytes_AsString(out);
  Py_BEGIN_ALLOW_THREADS
  rijn_gcm_encrypt(&key, to, data.buf, data.len, aad.buf, aad.len, nonce.buf, nonce.len, to + data.len);
  Py_END_ALLOW_THREADS
  PyBuffer_Release(&nonce); PyBuffer_Release(&data); PyBuffer_Release(&aad);
  return out;
}
static PyMethodDef methods[] = {{"begin", begin, METH_O, 0}, {"encrypt", encrypt, METH_VARARGS, 0}, {0, 0, 0, 0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "varargs", 0, -1, methods, 0, 0, 0, 0};
PyMODINIT_FUNC PyInit_varargs(void) { return PyModule_Create(&module); }
"""

NANOBIND = """
#include <nanobind/nanobind.h>
#include <rijn.h>
namespace nb = nanobind;
static rijn_gcm_key key;
NB_MODULE(by_nanobind, m) {
  m.def("begin", [](nb::bytes raw) { return rijn_gcm_init(&key, raw.c_str(), raw.size()); });
  m.def("encrypt", [](nb::bytes nonce, nb::bytes data, nb::bytes aad) {
    PyObject *out = PyBytes_FromStringAndSize(nullptr, data.size() + 16);
    char *to = PyBytes_AsString(out);
    rijn_gcm_encrypt(&key, to, data.c_str(), data.size(), aad.c_str(), aad.size(), nonce.c_str(), nonce.size(),
                     to + data.size());
    return nb::steal<nb::bytes>(out);
  });
}
"""

CFFI = """
int rijn_gcm_init(void *key, const void *raw, size_t len);
int rijn_gcm_encrypt(const void *key, void *out, const void *in, size_t len, const void *aad, size_t aad_len,
                     const void *nonce, size_t nonce_len, void *tag);
"""


def run(*command):
    subprocess.run(command, check=True)


def loaded(name, path):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def extension(folder, library, name, source, kind="c", more=()):
    """A module of one source, with the library in it."""
    path, out = os.path.join(folder, f"{name}.{kind}"), os.path.join(folder, f"{name}.so")
    with open(path, "w", encoding="utf-8") as f:
        f.write(source)
    compiler = ["cc"] if kind == "c" else ["c++", "-std=c++17", "-fno-strict-aliasing"]
    run(*compiler, "-O2", "-w", "-fPIC", "-shared", "-fvisibility=hidden", "-I", INCLUDE, "-I", sysconfig.get_path("include"),
        path, *more, os.path.join(library, "librijn.a"), "-o", out)  # fmt: skip
    module = loaded(name, out)
    assert module.begin(KEY) == 0
    return module.encrypt


def by_nanobind(folder, library):
    import nanobind

    root = os.path.dirname(nanobind.__file__)
    headers = ["-I", os.path.join(root, "include"), "-I", os.path.join(root, "ext/robin_map/include")]
    return extension(folder, library, "by_nanobind", NANOBIND, "cc", [*headers, "-DNDEBUG", os.path.join(root, "src/nb_combined.cpp")])


def by_cffi(folder, library):
    import cffi

    maker = cffi.FFI()
    maker.cdef(CFFI)
    maker.set_source("by_cffi", "#include <rijn.h>", include_dirs=[INCLUDE], extra_objects=[os.path.join(library, "librijn.a")],
                     extra_compile_args=["-O2", "-w"])  # fmt: skip
    module = loaded("by_cffi", maker.compile(tmpdir=folder))
    ffi, lib = module.ffi, module.lib
    key = ffi.new("char[]", KEY_SIZE)
    assert lib.rijn_gcm_init(key, KEY, len(KEY)) == 0

    def encrypt(nonce, data, aad):
        out = ffi.new("char[]", len(data) + 16)
        lib.rijn_gcm_encrypt(key, out, data, len(data), aad, len(aad), nonce, len(nonce), out + len(data))
        return ffi.buffer(out, len(data) + 16)[:]

    return encrypt


def by_ctypes(folder, library):
    lib = ctypes.CDLL(os.path.join(library, "librijn.so"))
    size = ctypes.c_size_t
    key = ctypes.create_string_buffer(KEY_SIZE)
    assert lib.rijn_gcm_init(key, KEY, size(len(KEY))) == 0
    call = lib.rijn_gcm_seal
    call.argtypes = [ctypes.c_void_p, ctypes.c_void_p] + 3 * [ctypes.c_char_p, size]

    def encrypt(nonce, data, aad):
        out = ctypes.create_string_buffer(len(data) + 16)
        call(key, out, data, len(data), aad, len(aad), nonce, len(nonce))
        return out.raw

    return encrypt


def ways(folder, library):
    made = {
        "rijn (C, abi3, METH_FASTCALL)": AESGCM(KEY).encrypt,
        "C, METH_VARARGS, y*": extension(folder, library, "varargs", VARARGS),
        "nanobind": by_nanobind(folder, library),
        "cffi, API mode": by_cffi(folder, library),
        "ctypes": by_ctypes(folder, library),
    }
    if aead := _bench.peer("cryptography.hazmat.primitives.ciphers.aead"):
        made["cryptography (Rust, PyO3)"] = aead.AESGCM(KEY).encrypt
    return made


def main():
    library, quick = os.path.abspath(sys.argv[1]), "--quick" in sys.argv
    with tempfile.TemporaryDirectory(prefix="rijn-techniques-") as folder:
        calls, found = ways(folder, library), {}
        for length in LENGTHS:
            data = bytes(range(256)) * (length // 256 + 1)
            data = data[:length]
            if {call(NONCE, data, AAD) for call in calls.values()} != {AESGCM(KEY).encrypt(NONCE, data, AAD)}:
                sys.exit("techniques: they do not agree")
            jobs = {name: (lambda call=call: call(NONCE, data, AAD)) for name, call in calls.items()}
            found[length] = _bench.least(jobs, 30 if quick else 300)
    print(f"{_bench.versions()}: ns a call, CPU time, least of 10 rounds in turn\n")
    print("| bytes | " + " | ".join(map(str, LENGTHS)) + " |\n|---" + "|---:" * len(LENGTHS) + "|")
    for name in calls:
        print(f"| {name} | " + " | ".join(f"{found[length][name]:.0f}" for length in LENGTHS) + " |")


main()
