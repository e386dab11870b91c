# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""GCM in pieces, keys for one message, batches, and the keys and blocks of GHASH by itself."""
import counters
import domain as d
import standard as s
from gcm import KEY_SIZE, NAMES, Gcm, GcmKey
from kernels import TOP_PLACE, Fault, Harness, const, data, put_data, status

PENDING, AHEAD = 1, 2       # src/impl.h
GHASH_SIZE, GHASH_H = 1728, 16
MSG, ROWS = 88, 128         # struct rijn_gcm_msg, rijn_gcm_rows of rijn.h


class Pieces(Gcm):
    """The chain has a counter and a hash that are data, and secret."""

    def chain(self):
        NAMES.message()
        self.begin()
        memory = self.take("key", self.memory.copy(write=False))
        acc = d.unknown("chain hash", 128)
        NAMES.block(("Y",), s.poly(acc))
        chain = self.region("other", 48, write=True)
        ctr = d.unknown("chain counter", 128)
        put_data(chain, [ctr, acc, d.unknown("chain keystream", 128)])
        return memory, chain, ctr, acc

    def blocks(self, way, n, ends=0, in_place=False, misaligned=0):
        """n whole blocks. ends: PENDING: the hash has to be multiplied first; AHEAD: the keystream behind them, too."""
        memory, chain, ctr, acc = self.chain()
        pending, ahead = ends & PENDING, ends >> 1
        later = [counters.plus_32(ctr, i) for i in range(n + 2)]
        stream = [s.encrypt(c, self.key.keys) for c in later[:n + ahead]]
        plain = data("text", 16 * n)
        cipher = [d.xor(p, k) for p, k in zip(plain, stream)]
        bases = self.key.name("B", cipher, self.m.publish)
        self.meaning = frozenset([(("Y",), n + pending)]) | s.ghash_meaning(bases)
        total = NAMES.total(self.meaning) if n + pending else s.poly(acc)
        text, want = (plain, cipher) if way == "encrypt" else (cipher, plain)
        given = self.region("in", 16 * n, write=in_place, at=misaligned)
        put_data(given, text)
        out = given if in_place else self.region("out", 16 * n, write=True, at=3 * misaligned % 16)
        self.call(f"gcm_{way[:3]}_blocks", memory.base, out.base, given.base, n, chain.base, ends)
        self.text(out, 16 * n, want)
        self.same(chain, 0, later[n + ahead], lambda j: f"byte {j} of the counter behind {n} blocks")
        self.hash(chain, 16, s.of_poly(total), "the hash")
        self.same(chain, 32, stream[n] if ahead else d.unknown("chain keystream", 128),
                  lambda j: f"byte {j} of the keystream ahead")
        self.end()

    def hash(self, region, at, want, what):
        self.e_j0 = const(128, 0)
        try:
            self.same(region, at, want, lambda j: f"byte {j} of {what}")
        except Fault as e:
            raise Fault(e.args[0] + self.hash_text(region.load(at, 16))) from None

    def tag(self, aad_len, n, ends=0):
        """The end of a message in pieces."""
        memory, chain, _, _ = self.chain()
        j0 = d.unknown("j0", 128)
        e_j0 = s.encrypt(j0, self.key.keys)
        lengths = s.lengths(aad_len, n)
        meaning = {(("Y",), 1 + ends)}
        if lengths:
            NAMES.lengths(("L", aad_len, n), lengths, s.poly(s.number_block(lengths)))
            meaning.add((("L", aad_len, n), 1))
        self.meaning = frozenset(meaning)
        NAMES.addend(e_j0)
        want = d.xor(s.of_poly(NAMES.total(self.meaning)), e_j0)
        self.public(want)
        j0_at = self.region("nonce", 16)
        j0_at.store(0, 16, j0)
        self.call("gcm_blocks_tag", memory.base, chain.base, j0_at.base, aad_len, n, ends)
        self.same(chain, 16, want, lambda j: f"byte {j} of the tag")
        self.end()

    def once(self, n, aad_len=13, way="encrypt"):
        """A key for one message: made, used, wiped."""
        whole = self.memory
        self.begin()
        raw = self.region("raw", self.key.n // 8)
        put_data(raw, [self.key.raw])
        k = self.region("key", KEY_SIZE, write=True)
        k.store(1, 1, self.key.rounds)
        self.call("gcm_init_once", k.base, raw.base, aad_len, n)
        self.end()
        try:
            self.memory = k.copy(write=False)
            self.message(way, n, aad_len=aad_len, checked=True)
        finally:
            self.memory = whole
        self.begin()
        self.m.regions.append(k)
        self.call("gcm_wipe_once", k.base, aad_len, n)
        for off, (size, value) in sorted(k.chunks.items()):
            if not self.m.is_public(value):
                raise Fault(f"gcm_wipe_once leaves {size} bytes at {off} of the key")
        self.end()

    def batch(self, way, lengths, aad_lens=(13,), forged=(), call="kernel"):
        """Messages under one key, each with its nonce; forged: the numbers of those whose tags are any. call: that of the
        kernel; or the public one, for batches or rows, which have equal lengths."""
        m = self.m
        NAMES.message()
        self.begin()
        memory = self.take("key", self.memory.copy(write=False))
        memory.store(0, 1, self.set.index + 1)
        memory.store(2, 1, 16)
        encrypts, count = way == "encrypt", len(lengths)
        messages = self.region("other", MSG * count, write=True)
        failed = self.region("raw", 8, write=True)
        failed.store(0, 8, 0)
        checks, self.differences, self.asked = [], [], 0
        for i, n in enumerate(lengths):
            aad_len, stream = aad_lens[i % len(aad_lens)], self.key.stream(f"#{i} ")
            plain, cipher, aad = stream.plain(n), stream.cipher(n), data(f"aad#{i} ", aad_len)
            tag = self.tag_of(stream, cipher, aad, n, aad_len, 16)
            given = d.unknown(("forged tag", i), 128) if i in forged else tag
            at = TOP_PLACE + i * 0x1000000
            places = [m.region(f"{what} of message {i}", at + 0x100000 * j, size, write=write)
                      for j, (what, size, write) in enumerate((("in", n, False), ("out", n, True), ("aad", aad_len, False),
                                                               ("nonce", 12, False), ("tag", 16, encrypts)))]
            put_data(places[0], plain if encrypts else cipher)
            put_data(places[2], aad)
            places[3].store(0, 12, stream.nonce)
            if not encrypts:
                places[4].store(0, 16, given)
            self.public(stream.nonce, tag if encrypts else given)
            fields = (MSG, memory.base, places[1].base, places[0].base, n, places[2].base, aad_len, places[3].base, 12,
                      places[4].base)
            for j, value in enumerate(fields):
                messages.store(MSG * i + 8 * j, 8, value)
            messages.store(MSG * i + 80, 8, 0)
            if i in forged:
                self.differences.append(d.xor(given, tag))
            checks.append((i, places, [const(p.n, 0) for p in plain] if i in forged else cipher if encrypts else plain, tag))
        m.verdict = self.judge_any if forged else None
        if call == "kernel":
            taken = status(self.call(f"gcm_{way}_batch", messages.base, count, failed.base))
        else:
            taken = count
            failed.store(0, 8, self.public_batch(call, way, messages, checks, forged))
        for i, places, want, tag in checks[:taken]:
            try:
                self.text(places[1], lengths[i], want)
                if encrypts:
                    self.same(places[4], 0, tag, lambda j: f"byte {j} of the tag")
                if call != "rows" and status(messages.load(MSG * i + 80, 4)) != (-1 if i in forged else 0):
                    raise Fault("its result is wrong")
            except Fault as e:
                raise Fault(f"message {i}: {e.args[0]}") from None
        if failed.load(0, 8) != sum(i in forged for i in range(taken)):
            raise Fault("the number of those that failed is wrong")
        if taken == 0:
            raise Fault("it takes no message")
        self.end()

    def public_batch(self, call, way, messages, checks, forged):
        """How many failed, as the call says."""
        if call == "batch":
            return status(self.call(f"rijn_gcm_{way}_batch", messages.base, len(checks)))
        key, out, text, n, aad, aad_len, nonce, _, tag = (messages.load(8 + 8 * j, 8) for j in range(9))
        flags = self.region("aad", len(checks), write=True)
        rows = self.region("nonce", ROWS, write=True)
        step = 0x1000000
        for i, value in enumerate((ROWS, key, len(checks), n, aad_len, out, text, aad, nonce, tag, step,
                                   step, step, step, step, flags.base)):
            rows.store(8 * i, 8, value)
        result = status(self.call(f"rijn_gcm_{way}_rows", rows.base))
        if [flags.load(i, 1) for i in range(len(checks))] != [int(i in forged) for i in range(len(checks))]:
            raise Fault("the rows that are said to be forged are not those that are")
        return result

    def judge_any(self, b):
        for difference in self.differences:
            try:
                return self.judge(b, difference)
            except Fault as e:
                last = e
        raise last


class Ghash(Harness):
    """GHASH by itself: H is data, and so are the blocks."""
    hash_text, difference = Gcm.hash_text, Gcm.difference

    def set_up(self, _):
        NAMES.clear()
        h = d.unknown("h", 128)
        NAMES.power(1, s.poly(h))
        self.named = {}
        self.begin()
        given = self.region("raw", 16)
        given.store(0, 16, h)
        k = self.region("key", GHASH_SIZE, write=True)
        self.call("ghash_init", k.base, given.base)
        Gcm.check_powers(k, GHASH_H, GHASH_SIZE)
        self.end()
        self.memory = k.copy(write=False)
        self.memory.missing = self.m.unwritten

    name = GcmKey.name
    hash = Pieces.hash

    def blocks(self, n, misaligned=0):
        NAMES.message()
        self.begin()
        memory = self.take("key", self.memory.copy(write=False))
        acc = d.unknown("acc", 128)
        NAMES.block(("Y",), s.poly(acc))
        blocks = data("text", 16 * n)
        bases = self.name("X", blocks, lambda p: None)
        self.meaning = frozenset([(("Y",), n)]) | s.ghash_meaning(bases)
        total = NAMES.total(self.meaning) if n else s.poly(acc)
        acc_at, given = self.region("other", 16, write=True, at=misaligned), self.region("in", 16 * n, at=misaligned)
        acc_at.store(0, 16, acc)
        put_data(given, blocks)
        self.call("ghash_blocks", memory.base + GHASH_H, acc_at.base, given.base, n)
        self.hash(acc_at, 0, s.of_poly(total), "the hash")
        self.end()
