# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""The kernels under the modes: AES keys, ECB, CTR, CBC, CFB, CCM."""
import counters
import domain as d
import standard as s
from domain import const
from kernels import TOP_PLACE, Fault, Harness, Key, data, put_data

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
        n = sum(b.n for b in text) // 8
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

    def chained(self, mode, iv, plain):
        """Sections 6.2 and 6.3: CBC, and CFB in segments of a block. The ciphertext."""
        cipher, before = [], iv
        for p in plain:
            before = s.encrypt(d.xor(p, before), self.key.keys) if mode == "cbc" else \
                d.xor(p, s.encrypt(before, self.key.keys))
            cipher.append(before)
        return cipher

    def chain(self, mode, way, n, in_place=False, misaligned=0):
        self.begin()
        iv = d.unknown("iv", 128)
        plain = data("text", 16 * n)
        cipher = self.chained(mode, iv, plain)
        self.public(iv, *cipher)
        back = way == "decrypt" and mode == "cbc"
        if back:
            plain = [d.xor(s.decrypt(c, self.key.keys), b) for c, b in zip(cipher, [iv] + cipher)]
        text, want = (plain, cipher) if way == "encrypt" else (cipher, plain)
        keys, given, out = self.lay_out(text, DK if back else RK, in_place, misaligned)
        chain = self.region("nonce", 16, write=True, at=misaligned)
        chain.store(0, 16, iv)
        self.call(f"{mode}_{way[:3]}", keys.base, self.key.rounds, out.base, given.base, n, chain.base)
        self.text(out, want)
        self.same(chain, 0, ([iv] + cipher)[-1], lambda j: f"byte {j} of the iv behind {n} blocks")
        self.end()

    def cbc_many(self, count, n):
        """n blocks of each of so many texts."""
        self.begin()
        keys, _, _ = self.lay_out([], RK, False, 0)
        runs, texts = self.region("other", 8 * 24, write=True), []
        for i in range(count):
            iv, plain = d.unknown(f"iv of text {i}", 128), data(f"text {i} ", 16 * n)
            cipher = self.chained("cbc", iv, plain)
            self.public(iv, *cipher)
            given, out, chain = (self.m.region(f"{what} of text {i}", TOP_PLACE + i * 0x1000000 + 0x100000 * j, size,
                                               write=j > 0)
                                 for j, (what, size) in enumerate((("in", 16 * n), ("out", 16 * n), ("iv", 16))))
            put_data(given, plain)
            chain.store(0, 16, iv)
            for j, r in enumerate((out, given, chain)):
                runs.store(24 * i + 8 * j, 8, r.base)
            texts.append((out, chain, cipher))
        self.call("cbc_enc_many", keys.base, self.key.rounds, runs.base, count, n)
        for i, (out, chain, cipher) in enumerate(texts):
            try:
                self.text(out, cipher)
                self.same(chain, 0, cipher[-1], lambda j: f"byte {j} of the iv behind {n} blocks")
            except Fault as e:
                raise Fault(f"text {i}: {e.args[0]}") from None
        self.end()

    def ccm(self, way, n, nonce_len=12, in_place=False, misaligned=0):
        """SP 800-38C 6: the text of a message, behind whatever came before it. Of the counter block 15 - nonce_len bytes
        count, from 0 on; it is public."""
        self.begin()
        counter = d.concat([d.part(d.unknown("ctr0", 128), 0, 8 * (nonce_len + 1)), const(8 * (15 - nonce_len), 0)])
        mac, plain = d.unknown("mac", 128), data("text", n)
        stream = [s.encrypt(counters.plus_128(counter, i), self.key.keys) for i in range(len(plain) + 1)]
        cipher = [d.xor(p, d.part(k, 0, p.n)) for p, k in zip(plain, stream[1:])]
        want = mac
        for p in plain:
            want = d.xor(s.encrypt(want, self.key.keys), s.padded(p)[0])
        want = d.xor(s.encrypt(want, self.key.keys), stream[0])
        self.public(*cipher, *(counters.plus_128(counter, i) for i in range(len(plain) + 2)))
        text, made = (plain, cipher) if way == "encrypt" else (cipher, plain)
        keys, given, out = self.lay_out(text, RK, in_place, misaligned)
        chain = self.region("other", 48, write=True, at=misaligned)
        put_data(chain, [counter, mac, d.unknown("chain keystream", 128)])
        self.public(want)
        self.call(f"ccm_{way[:3]}", keys.base, self.key.rounds, out.base, given.base, n, chain.base)
        self.text(out, made)
        self.same(chain, 16, want, lambda j: f"byte {j} of the tag")
        self.end()


__all__ = ["Aes", "const"]
