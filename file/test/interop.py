# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""Both ways against PyPI's cryptography (Cobblestone; HPKE and Argon2id of the header of keys, by doc/file-format.md) and
against PyPI's tink, through librijn-file.so by ctypes."""
import ctypes as c
import hashlib
import hmac
import io
import random
import sys

from cryptography import cobblestone
from cryptography.hazmat.primitives import hpke
from cryptography.hazmat.primitives.asymmetric import x25519
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA512
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand
import tink
from tink import cleartext_keyset_handle, streaming_aead
from tink.proto import aes_gcm_hkdf_streaming_pb2, common_pb2, tink_pb2

lib = c.CDLL(sys.argv[1])
COBBLESTONE, TINK_4KB, TINK_1MB = range(3)
EKEY, EUNLOCK = -104, -122
random.seed(20261125)


class Params(c.Structure):
    _fields_ = [("size", c.c_size_t), ("format", c.c_int), ("key", c.c_char_p), ("key_len", c.c_size_t),
                ("context", c.c_char_p), ("context_len", c.c_size_t), ("start", c.c_uint64), ("threads", c.c_uint)]


class Cost(c.Structure):
    _fields_ = [("memory_kib", c.c_uint32), ("passes", c.c_uint32), ("lanes", c.c_uint32)]


class Lock(c.Structure):
    _fields_ = [("size", c.c_size_t), ("passphrase", c.c_char_p), ("passphrase_len", c.c_size_t), ("cost", Cost),
                ("public_keys", c.c_char_p), ("public_keys_n", c.c_size_t)]


class Unlock(c.Structure):
    _fields_ = [("size", c.c_size_t), ("passphrase", c.c_char_p), ("passphrase_len", c.c_size_t),
                ("secret_key", c.c_char_p), ("limit", Cost)]


Sink = c.CFUNCTYPE(c.c_int, c.c_void_p, c.c_void_p, c.c_size_t)
Source = c.CFUNCTYPE(c.c_int, c.c_void_p, c.c_void_p, c.c_size_t, c.c_uint64)


def params(form, key, context, threads):
    return Params(c.sizeof(Params), form, key, len(key), context, len(context), 0, threads)


def seal(form, key, context, text, threads=1):
    """By the writer, in pieces of random length."""
    out, w = bytearray(), c.c_void_p()

    @Sink
    def sink(_, p, n):
        out.extend(c.string_at(p, n))
        return 0
    p = params(form, key, context, threads)
    assert lib.rijn_file_writer_new(c.byref(w), c.byref(p), sink, None, None) == 0
    at = 0
    while at < len(text):
        n = random.randrange(1, 70000)
        assert lib.rijn_file_write(w, text[at:at + n], c.c_size_t(len(text[at:at + n])), None) == 0
        at += n
    assert lib.rijn_file_finish(w, None) == 0
    lib.rijn_file_writer_free(w)
    return bytes(out)


def unseal(form, key, context, sealed, threads=1):
    """By the reader: text, or a code."""
    r = c.c_void_p()

    @Source
    def source(_, p, n, at):
        c.memmove(p, sealed[at:at + n], n)
        return 0
    p = params(form, key, context, threads)
    code = lib.rijn_file_open(c.byref(r), c.byref(p), source, None, c.c_uint64(len(sealed)), None)
    if code != 0:
        return code
    lib.rijn_file_length.restype = c.c_uint64
    n = lib.rijn_file_length(r)
    text = c.create_string_buffer(n + 1)
    code = lib.rijn_file_verify(r, None, None, None) or lib.rijn_file_pread(r, text, c.c_size_t(n), c.c_uint64(0), None)
    lib.rijn_file_close(r)
    return code or text.raw[:n]


def bytes_of(n):
    return random.randbytes(n)


def check_cobblestone():
    kinds = {16: (cobblestone.Cobblestone128Encryptor, cobblestone.Cobblestone128Decryptor),
             32: (cobblestone.Cobblestone256Encryptor, cobblestone.Cobblestone256Decryptor)}
    sizes = [0, 1, 16383, 16384, 16385, 131071, 131072, 131073]
    sizes += [random.choice((random.randrange(100), random.randrange(70000))) for _ in range(1000)]
    for i, n in enumerate(sizes):
        key, context, text = bytes_of(random.choice((16, 32))), bytes_of(random.choice((0, 5, 300))), bytes_of(n)
        encryptor, decryptor = kinds[len(key)]
        e = encryptor(key, context)
        theirs = e.update(text) + e.finalize()
        assert unseal(COBBLESTONE, key, context, theirs, 1 + i % 2) == text, n
        ours = seal(COBBLESTONE, key, context, text, 1 + i % 2)
        assert len(ours) == len(theirs)
        d = decryptor(key, context)
        assert d.update(ours) + d.finalize() == text, n
    assert unseal(COBBLESTONE, bytes_of(32), context, theirs) == EKEY
    return len(sizes)


def tink_primitive(key, segment):
    """Of a keyset that has this key."""
    p = aes_gcm_hkdf_streaming_pb2.AesGcmHkdfStreamingKey(version=0, key_value=key)
    p.params.ciphertext_segment_size = segment
    p.params.derived_key_size = len(key)
    p.params.hkdf_hash_type = common_pb2.SHA256
    keyset = tink_pb2.Keyset(primary_key_id=1)
    k = keyset.key.add(status=tink_pb2.ENABLED, key_id=1, output_prefix_type=tink_pb2.RAW)
    k.key_data.type_url = "type.googleapis.com/google.crypto.tink.AesGcmHkdfStreamingKey"
    k.key_data.value = p.SerializeToString()
    k.key_data.key_material_type = tink_pb2.KeyData.SYMMETRIC
    handle = cleartext_keyset_handle.from_keyset(keyset)
    return handle.primitive(streaming_aead.StreamingAead)


class Kept(io.BytesIO):
    def close(self):
        self.kept = self.getvalue()
        super().close()


def check_tink():
    streaming_aead.register()
    count = 0
    for form, segment in ((TINK_4KB, 4096), (TINK_1MB, 1 << 20)):
        for bits in (16, 32):
            full, first = segment - 16, segment - 16 - (bits + 8)
            for n in (0, 1, 100, first - 1, first, first + 1, first + full, first + full + 1, first + 2 * full - 1, 300000):
                key, context, text = bytes_of(bits), bytes_of(7), bytes_of(n)
                aead = tink_primitive(key, segment)
                out = Kept()
                with aead.new_encrypting_stream(out, context) as s:
                    s.write(text)
                assert unseal(form, key, context, out.kept, 2) == text, (form, bits, n)
                assert isinstance(unseal(form, key, b"other", out.kept), int)
                ours = seal(form, key, context, text, 2)
                assert len(ours) == len(out.kept)
                with aead.new_decrypting_stream(io.BytesIO(ours), context) as s:
                    assert s.read() == text, (form, bits, n)
                count += 1
    return count


# ---------------------------------------------------------------- the header of keys, as doc/file-format.md says

SUITE = hpke.Suite(hpke.KEM.X25519, hpke.KDF.HKDF_SHA256, hpke.AEAD.AES_256_GCM)
MAGIC = b"\x89RIJN\r\n\x1a"


def code_of(key, head):
    k = HKDFExpand(SHA512(), 32, b"rijn-file v1 header").derive(key)
    return hmac.new(k, head, hashlib.sha256).digest()


def stretch(passphrase, memory, passes, lanes, salt):
    both = Argon2id(salt=salt, length=64, iterations=passes, lanes=lanes, memory_cost=memory).derive(passphrase)
    return both[:32], both[32:]


def make_header(key, passphrase, publics):
    slots = []
    if passphrase:
        head = (64).to_bytes(4, "big") + (2).to_bytes(4, "big") + (1).to_bytes(4, "big") + bytes_of(16)
        k, commitment = stretch(passphrase, 64, 2, 1, head[12:])
        head += commitment
        slots.append(b"\x01\0\0\x6c" + head + AESGCM(k).encrypt(bytes(12), key, head))
    for p in publics:
        slots.append(b"\x02\0\0\x50" + SUITE.encrypt(key, p, info=b"rijn-file v1 recipient"))
    body = b"".join(slots)
    head = MAGIC + b"\x01" + bytes([len(slots)]) + (12 + len(body) + 32).to_bytes(2, "big") + body
    return head + code_of(key, head)


def read_header(header, passphrase=None, secret=None):
    assert header[:9] == MAGIC + b"\x01" and int.from_bytes(header[10:12], "big") == len(header)
    at, keys = 12, []
    for _ in range(header[9]):
        kind, n = header[at], int.from_bytes(header[at + 2:at + 4], "big")
        rest = header[at + 4:at + 4 + n]
        at += 4 + n
        if kind == 1 and passphrase:
            costs = [int.from_bytes(rest[i:i + 4], "big") for i in (0, 4, 8)]
            k, commitment = stretch(passphrase, *costs, rest[12:28])
            assert commitment == rest[28:60]
            keys.append(AESGCM(k).decrypt(bytes(12), rest[60:], rest[:60]))
        if kind == 2 and secret:
            try:
                keys.append(SUITE.decrypt(rest, secret, info=b"rijn-file v1 recipient"))
            except Exception:  # it is another's
                pass
    assert at == len(header) - 32
    (key,) = keys
    assert code_of(key, header[:-32]) == header[-32:]
    return key


def check_header():
    secrets = [x25519.X25519PrivateKey.generate() for _ in range(3)]
    publics = [s.public_key() for s in secrets]
    raw = [s.private_bytes_raw() for s in secrets]
    for passphrase in (b"horse", b"\xc3\xa4 battery", None):
        # theirs to ours
        key = bytes_of(32)
        header = make_header(key, passphrase, publics[:2])
        for secret, phrase, want in ((raw[0], None, 0), (raw[1], None, 0), (raw[2], None, EUNLOCK),
                                     (None, passphrase, 0), (None, b"wrong", EUNLOCK)):
            if secret is None and passphrase is None:
                continue
            got = c.create_string_buffer(32)
            u = Unlock(c.sizeof(Unlock), phrase, len(phrase or b""), secret)
            code = lib.rijn_file_header_open(header, c.c_size_t(len(header)), c.byref(u), got, None)
            assert code == want and got.raw == (key if want == 0 else bytes(32)), (code, want)
        # ours to theirs
        out, n, key = c.create_string_buffer(8192), c.c_size_t(), c.create_string_buffer(32)
        lock = Lock(c.sizeof(Lock), passphrase, len(passphrase or b""), Cost(64, 1, 2),
                    b"".join(p.public_bytes_raw() for p in publics[:2]), 2)
        assert lib.rijn_file_header_make(c.byref(lock), out, c.byref(n), key, None) == 0
        header = out.raw[:n.value]
        assert read_header(header, secret=secrets[0]) == read_header(header, secret=secrets[1]) == key.raw
        if passphrase:
            assert read_header(header, passphrase=passphrase) == key.raw


done = check_cobblestone()
tinks = check_tink()
check_header()
print(f"cobblestone {done} sizes, tink {tinks}; header of keys both ways")
