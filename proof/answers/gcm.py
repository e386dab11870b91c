# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""AES-GCM: key set-up, and whole messages with a nonce of any length."""
import counters
import domain as d
import standard as s
from anyof import bits_of
from kernels import Fault, Harness, Key, const, concat, data, part, put_data, status

KEY_SIZE, RK, H = 1968, 16, 256  # struct rijn_gcm (src/impl.h): impl, rounds, tag_len; rk; h
NAMES = d.names


class Stream:
    """The text of a nonce under a key, encrypted: block after block, as far as it is wanted."""

    def __init__(self, key, label, nonce_len=12):
        self.key, self.label, self.blocks = key, label, []
        self.nonce = concat(data("nonce" + label, nonce_len))
        self.j0 = s.counter_block(self.nonce, 1) if nonce_len == 12 else self.hashed(nonce_len)
        self.e_j0 = s.encrypt(self.j0, key.keys)

    def hashed(self, n):
        """SP 800-38D 7.1, step 2, for other lengths than 12 bytes: J0 is a hash, and data."""
        bases = self.key.name("N" + self.label, s.parts(self.nonce), lambda p: None)
        NAMES.lengths(("L", 0, n), s.lengths(0, n), s.poly(s.number_block(s.lengths(0, n))))
        return s.of_poly(NAMES.total(s.ghash_meaning(bases + [("L", 0, n)])))

    def counter(self, i):
        return s.counter_block(self.nonce, i + 2) if self.nonce.n == 96 else counters.plus_32(self.j0, i + 1)

    def plain(self, n):
        return data("text" + self.label, n)

    def cipher(self, n):
        """The first n bytes."""
        while 16 * len(self.blocks) < n:
            i = len(self.blocks)
            stream = s.encrypt(self.counter(i), self.key.keys)
            self.blocks.append(d.xor(d.unknown(("text" + self.label, i), 128), stream))
        blocks = self.blocks[:(n + 15) // 16]
        return blocks if n % 16 == 0 else blocks[:-1] + [part(blocks[-1], 0, 8 * (n % 16))]


class GcmKey(Key):
    """A key, H and its powers, and the texts of its messages so far: those of one length serve the next, too."""

    def __init__(self, n, raw=None):
        super().__init__("key", n, raw)
        NAMES.clear()
        NAMES.power(1, s.poly(s.encrypt(const(128, 0), self.keys)))
        self.streams, self.named = {}, {}

    def stream(self, label="", nonce_len=12):
        if nonce_len != 12:
            label += f" nonce {nonce_len} "
        if label not in self.streams:
            self.streams[label] = Stream(self, label, nonce_len)
        elif nonce_len != 12:
            self.streams[label].hashed(nonce_len)
        return self.streams[label]

    def name(self, letter, parts, publish, poly=s.poly):
        """Names of blocks of data, which are padded: C1 .. or A1 .., with their bytes where they are not whole. Half of
        such a one may be that of others: its hints go with the message, and the whole block's come again."""
        bases = []
        for i, p in enumerate(parts):
            base = whole = letter, i + 1
            if p.n < 128:
                base += (p.n // 8,)
                self.named.pop(whole, None)
            if base not in self.named:
                NAMES.block(base, poly(s.padded(p)[0]), passing=p.n < 128)
                publish(p)
            if p.n == 128:
                self.named[base] = True
            bases.append(base)
        return bases


class Gcm(Harness):
    in_pieces = False   # any block may be cut

    def set_up(self, bits):
        """gcm_init of an unknown key. Returns it with the memory of the key object."""
        key = GcmKey(bits)
        self.key = key
        self.begin()
        raw = self.region("raw", bits // 8)
        put_data(raw, [key.raw])
        k = self.region("key", KEY_SIZE, write=True)
        k.store(1, 1, key.rounds)
        try:
            self.call("gcm_init", k.base, raw.base)
        except Fault:
            key.check(k, RK, key.keys)  # a round key that is wrong is the reason
            raise
        key.check(k, RK, key.keys)
        self.check_powers(k)
        self.end()
        self.memory = k.copy(write=False)
        self.memory.missing = lambda off, n: concat([d.unknown(("key memory", i), 8) for i in range(off, off + n)])
        return key

    @staticmethod
    def check_powers(k, start=H, end=KEY_SIZE):
        """What lies in the place of the powers: halves of powers of H, or the sums of two halves; and no other."""
        known = {0}
        for e, p in NAMES.powers.items():
            for form in d.forms(NAMES.shifted(p, -1))[:2]:
                lo, hi = form & ((1 << 64 * d.SAMPLES) - 1), form >> 64 * d.SAMPLES
                known |= {lo, hi, lo ^ hi}
        for off in range(start, end - 7, 8):
            if k.own[off] < 0:
                continue
            half = k.load(off, 8)
            if isinstance(half, int):
                half = const(64, half)
            d.compared(max(half.deg, 1), len(known))
            if half.v not in known:
                raise Fault(f"h+{off - start} of the key is no power of H: " +
                            (NAMES.why_not(half) if half.hint else "it was made of nothing that is known"))
        most = max(NAMES.powers)
        missing = [e for e in range(1, most + 1) if e not in NAMES.powers]
        if missing:
            raise Fault(f"H^{missing[0]} is missing in a key that has H^{most}")

    def message(self, way, n, aad_len=13, tag_len=16, forged=False, in_place=False, misaligned=0, checked=False,
                nonce_len=12):
        """A message of n bytes. way: encrypt or decrypt. forged: the tag given is any; else it is the right one."""
        m = self.m
        NAMES.message()
        self.begin()
        memory = self.take("key", self.memory.copy(write=False))
        memory.store(0, 1, self.set.index + 1)
        memory.store(2, 1, tag_len)
        stream = self.key.stream("", nonce_len)
        plain, cipher, aad = stream.plain(n), stream.cipher(n), data("aad" + stream.label, aad_len)
        tag = self.tag_of(stream, cipher, aad, n, aad_len, tag_len)
        given = part(d.unknown("forged tag", 128), 0, 8 * tag_len) if forged else tag
        encrypts = way == "encrypt"

        at = misaligned
        text = self.region("in", n, write=in_place, at=at)
        put_data(text, plain if encrypts else cipher)
        out = text if in_place else self.region("out", n, write=True, at=(3 * at) % 16)
        associated = self.region("aad", aad_len, at=at)
        put_data(associated, aad)
        nonce = self.region("nonce", nonce_len, at=at)
        put_data(nonce, s.parts(stream.nonce))
        tag_at = self.region("tag", tag_len, write=encrypts, at=at)
        if not encrypts:
            tag_at.store(0, tag_len, given)
        self.public(stream.nonce, tag if encrypts else given)
        self.asked = 0
        if forged:
            m.verdict = lambda b: self.judge(b, d.xor(given, tag))
        kernel = f"gcm_{way}" + ("_checked" if checked else "")
        wiped = forged and not self.in_pieces  # what a stream has given out it cannot take back
        wanted = [const(p.n, 0) for p in plain] if wiped else cipher if encrypts else plain
        try:
            result = self.invoke(kernel, memory, stream, (out.base, text.base, n, associated.base, aad_len, nonce.base,
                                                          nonce_len, tag_at.base))
        except Fault:
            if not in_place and not forged:  # a block that is wrong already is the reason
                self.text(out, n, wanted, so_far=True)
            raise
        want = -1 if forged else 0
        if forged and not self.asked:
            raise Fault("the verdict asks for nothing of the tag")
        if result != want:
            raise Fault(f"it returns {result}, not {want}")
        self.text(out, n, wanted)
        if encrypts:
            try:
                self.same(tag_at, 0, tag, lambda i: f"byte {i} of the tag")
            except Fault as e:
                raise Fault(e.args[0] + self.tag_text(tag_at)) from None
        self.end()

    def invoke(self, kernel, memory, _, places):
        return status(self.call(kernel, memory.base, *places))

    def tag_of(self, stream, cipher, aad, n, aad_len, tag_len):
        """The standard's tag of a message, whose blocks get their names."""
        key, label = self.key, stream.label
        bases = key.name("A" + label, aad, self.m.publish) + key.name("C" + label, cipher, self.m.publish)
        for base in bases:  # the rules of the mode add parts of blocks to the hash
            if self.in_pieces or stream.nonce.n != 96 and len(base) == 3:
                NAMES.partner(base)
        lengths = s.lengths(aad_len, n)
        if lengths:
            NAMES.lengths(("L", aad_len, n), lengths, s.poly(s.number_block(lengths)))
            bases.append(("L", aad_len, n))
        self.meaning, self.e_j0 = s.ghash_meaning(bases), stream.e_j0
        total = NAMES.total(self.meaning) if bases else 0
        NAMES.addend(stream.e_j0)
        return part(d.xor(s.of_poly(total), stream.e_j0), 0, 8 * tag_len)

    def text(self, out, n, parts, so_far=False):
        at = 0
        for i, p in enumerate(parts):
            if so_far and min(out.own[at:at + p.n // 8]) < 0:
                return
            self.same(out, at, p, lambda j: f"byte {at + j} of the text (block {i}, counter {i + 2})")
            at += p.n // 8

    def tag_text(self, tag_at):
        return self.hash_text(tag_at.load(0, tag_at.size))

    def hash_text(self, value):
        """What a hash, or a tag, was made of, where that is not what it should be made of."""
        if isinstance(value, int) or value.n != 128:
            return ""
        hint = value.hint and (value.hint[0] or value.hint[1])
        if not hint:
            hint = NAMES.hints.get((128, d.xor(value, self.e_j0).v))
            hint = hint and hint[0]
        if not hint:
            return ": it is not made of sums that are known"
        return ": " + self.difference(NAMES.expand(hint[1]))

    def difference(self, got):
        extra, missing = got - self.meaning, self.meaning - got
        if not extra and not missing:
            return "each block meets its power of H, but the products or their reduction are wrong"
        return f"it has {NAMES.text(extra) or 'nothing'} instead of {NAMES.text(missing) or 'nothing'}"

    def judge(self, b, difference):
        """The verdict may ask one question: is the given tag the right one? All bits of the difference, in any order;
        here it is not."""
        self.asked += 1
        raw, wanted = d.raw_of(b), d.raw_of(difference)
        nil = bytes(d.F)
        asked = frozenset().union(*(bits_of(raw[i:i + d.F]) for i in range(0, len(raw), d.F))) - {nil}
        want = {wanted[i:i + d.F] for i in range(0, len(wanted), d.F)}
        d.compared(max(b.deg, 1), len(want))
        if asked != want:
            lost = [i // 8 for i in range(difference.n) if wanted[i * d.F:(i + 1) * d.F] not in asked]
            if lost:
                raise Fault(f"the verdict is not whether the tags are equal: byte {lost[0]} does not count, or is wrong")
            raise Fault("the verdict is not whether the tags are equal: it looks at more")
        return False
