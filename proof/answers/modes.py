# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""The kernels under the modes: AES keys, ECB, CTR, CBC; keys and blocks of GHASH; GCM in pieces."""
import counters
import domain as d
import standard as s
from domain import const
from kernels import Harness, Key, data, put_data

AES_SIZE, RK, DK = 496, 16, 256  # struct rijn_aes


class Aes(Harness):
    """SP 800-38A. Texts and counters are unknowns; CTR's counters are secret."""

    def set_up(self, bits):
        self.key = Key("key", bits)
        d.names.clear()
        self.begin()
        raw = self.region("raw", bits // 8)
        put_data(raw, [self.key.raw])
        k = self.region("key", AES_SIZE, write=True)
        k.store(1, 1, self.key.rounds)
        self.call("aes_init", k.base, raw.base)
        self.key.check(k, RK, self.key.keys)
        self.key.check_decryption(k, DK)
        self.end()
        self.memory = k
        return self.key

    def lay_out(self, text, at, in_place, misaligned):
        """Round keys from offset `at` of the key on, the text, and the place of what comes out."""
        rounds = self.region("key", 240)
        for i in range(self.key.rounds + 1):
            rounds.store(16 * i, 16, self.memory.load(at + 16 * i, 16))
        n = 16 * len(text)
        given = self.region("in", n, write=in_place, at=misaligned)
        put_data(given, text)
        out = given if in_place else self.region("out", n, write=True, at=3 * misaligned % 16)
        return rounds, given, out

    def text(self, out, blocks):
        for i, b in enumerate(blocks):
            self.same(out, 16 * i, b, lambda j, i=i: f"byte {16 * i + j} of the text (block {i})")

    def ecb(self, way, n, in_place=False, misaligned=0):
        self.begin()
        plain = data("text", 16 * n)
        cipher = [s.encrypt(b, self.key.keys) for b in plain]
        self.public(*cipher)
        text, want = (plain, cipher) if way == "encrypt" else (cipher, [s.decrypt(b, self.key.keys) for b in cipher])
        keys, given, out = self.lay_out(text, RK if way == "encrypt" else DK, in_place, misaligned)
        self.call(f"ecb_{way[:3]}", keys.base, self.key.rounds, out.base, given.base, n)
        self.text(out, want)
        self.end()

    def ctr(self, kernel, n, start=None, wide=None, low=None, in_place=False, misaligned=0):
        """low: the counter's lowest five bits, if they are a number: from some length on code treats them by cases.
        kernel: ctr_blocks, ctr32_blocks or ctr_public. start: a number, the lower half of the counter
        (ctr_public); else all of it is data.
        wide: of ctr_public, whether 16 bytes of it count or 4."""
        self.begin()
        plus = counters.plus_32 if kernel == "ctr32_blocks" or wide == 0 else counters.plus_128
        if start is None:
            first = d.unknown("counter", 128)
            if low is not None:
                first = d.concat([d.part(first, 0, 120), const(5, low), d.part(first, 125, 3)])
            later = [plus(first, i) for i in range(n + 1)]
        else:
            first = d.concat([d.unknown("counter high", 64), d.part(s.number_block(start), 64, 64)])
            later = [plus(first, i) for i in range(n + 1)]
        text = data("text", 16 * n)
        want = [d.xor(p, s.encrypt(c, self.key.keys)) for p, c in zip(text, later)]
        self.public(*want)
        keys, given, out = self.lay_out(text, RK, in_place, misaligned)
        ctr = self.region("nonce", 16, write=True, at=misaligned)
        put_data(ctr, [later[0]] if start is None else [d.part(later[0], 0, 64), d.part(later[0], 64, 64)])
        if start is not None:
            self.public(*later)
        more = [] if wide is None else [wide]
        self.call(kernel, keys.base, self.key.rounds, out.base, given.base, n, ctr.base, *more)
        self.text(out, want)
        self.same(ctr, 0, later[n], lambda j: f"byte {j} of the counter behind {n} blocks")
        self.end()

    def cbc(self, way, n, in_place=False, misaligned=0):
        self.begin()
        iv = before = d.unknown("iv", 128)
        plain, cipher = data("text", 16 * n), []
        for p in plain:
            before = s.encrypt(d.xor(p, before), self.key.keys)
            cipher.append(before)
        self.public(iv, *cipher)
        if way == "encrypt":
            text, want = plain, cipher
        else:
            text = cipher
            want = [d.xor(s.decrypt(c, self.key.keys), b) for c, b in zip(cipher, [iv] + cipher)]
        keys, given, out = self.lay_out(text, RK if way == "encrypt" else DK, in_place, misaligned)
        chain = self.region("nonce", 16, write=True, at=misaligned)
        chain.store(0, 16, iv)
        self.call(f"cbc_{way[:3]}", keys.base, self.key.rounds, out.base, given.base, n, chain.base)
        self.text(out, want)
        self.same(chain, 0, before, lambda j: f"byte {j} of the iv behind {n} blocks")
        self.end()


__all__ = ["Aes", "const"]
