# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""Public calls that rest on kernels of GCM: streams, ESP, XAES-256-GCM. The key object is as the kernel for keys has
made it (gcm.py), because the calls that make one ask the processor what it can do."""
import domain as d
import standard as s
from gcm import Gcm, GcmKey
from kernels import Fault, Key, concat, const, part, put_data, status
from siv import aes_keys

STREAM = 256                        # RIJN_GCM_STREAM_SIZE
ESP, SALT, KIND = 2000, 1984, 1988  # struct esp of ipsec.c
XAES, K1 = 272, 256                 # struct rijn_xaes of impl.h


class Calls(Gcm):
    """route: which call a message takes."""

    def by(self, route, way, n, cuts=(), **more):
        self.route, self.cuts, self.in_pieces = route, cuts, route == "stream"
        self.message(way, n, **more)

    def invoke(self, kernel, memory, stream, places):
        return getattr(self, self.route)(kernel[4:], memory, stream, places)

    def step(self, name, *args):
        """A call of several: what it leaves is looked at before the next."""
        result = status(self.call(name, *args))
        if result:
            raise Fault(f"{name} returns {result}")
        self.end()

    def pieces(self, at, n, first):
        """A buffer in pieces of these lengths, the last one again and again."""
        cuts = list(self.cuts[first:]) or [n or 1]
        while n:
            count = min(n, cuts[0])
            yield at, count
            at, n = at + count, n - count
            cuts = cuts[1:] or cuts

    def stream(self, way, memory, _, places):
        out, text, n, aad, aad_len, nonce, nonce_len, tag = places
        t = self.region("other", STREAM, write=True)
        self.step(f"rijn_gcm_{way}_start", t.base, memory.base, nonce, nonce_len)
        for at, count in self.pieces(aad, aad_len, 1):
            self.step("rijn_gcm_aad", t.base, at, count)
        for at, count in self.pieces(text, n, 0):
            self.step("rijn_gcm_update", t.base, at - text + out, at, count)
        result = status(self.call(f"rijn_gcm_{way}_finish", t.base, tag))
        for off, (size, value) in sorted(t.chunks.items()):
            if not self.m.is_public(value):
                raise Fault(f"the stream is not wiped: {size} bytes at {off}")
        return result

    def esp_key(self, memory, stream, kind):
        memory.own.extend([-1] * (ESP - memory.size))
        memory.size = ESP
        memory.store(SALT, 4, part(stream.nonce, 0, 32))
        memory.store(KIND, 1, kind)
        nonce = self.region("raw", 8)
        nonce.store(0, 8, part(stream.nonce, 32, 64))
        return nonce.base

    def rfc4106(self, way, memory, stream, places):
        nonce = self.esp_key(memory, stream, 1)
        return status(self.call(f"rijn_rfc4106_{way}", memory.base, *places[:5], nonce, places[7]))

    def rfc4543(self, way, memory, stream, places):
        nonce = self.esp_key(memory, stream, 2)
        name = "rijn_rfc4543_" + ("tag" if way == "encrypt" else "verify")
        return status(self.call(name, memory.base, places[3], places[4], nonce, places[7]))


class Xaes(Gcm):
    """C2SP, XAES-256-GCM: CMAC's subkey K1 and the first half of the nonce make the message's key."""

    def set_up(self, bits):
        master = Key("master key", bits)
        d.names.clear()
        self.begin()
        made = aes_keys(self, master)
        k1 = s.cmac_subkey(master.keys)
        self.first = d.unknown("first half of the nonce", 96)
        halves = [s.encrypt(d.xor(concat([const(32, 0x00580000 | i << 8), self.first]), k1), master.keys) for i in (1, 2)]
        self.key = GcmKey(bits, concat(halves))
        self.memory = self.region("key", XAES, write=True)
        self.memory.store(1, 1, master.rounds)
        for i in range(master.rounds + 1):
            self.memory.store(16 + 16 * i, 16, made.load(16 + 16 * i, 16))
        self.memory.store(K1, 16, k1)
        return self.key

    def invoke(self, kernel, memory, stream, places):
        nonce = self.region("raw", 24)
        self.public(self.first)
        put_data(nonce, [self.first, stream.nonce])
        return status(self.call("rijn_xaes_" + kernel[4:], memory.base, *places[:5], nonce.base, places[7]))
