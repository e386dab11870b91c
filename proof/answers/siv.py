# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""AES-GCM-SIV (RFC 8452): whole messages. Keys, nonce and texts are unknowns; H and the message key come of the nonce."""
import counters
import domain as d
import standard as s
from gcm import NAMES, Gcm, GcmKey
from kernels import Fault, Key, concat, const, data, part, put_data, status

KEY_SIZE, RK = 256, 16  # struct rijn_enc


def aes_keys(harness, key):
    """The memory that aes_init makes of a key."""
    raw = harness.region("raw", key.n // 8)
    put_data(raw, [key.raw])
    made = harness.region("other", 496, write=True)
    made.store(1, 1, key.rounds)
    harness.call("aes_init", made.base, raw.base)
    return made


class Siv(Gcm):
    def set_up(self, bits):
        """The key is the standard's: rijn_gcm_siv_init takes it from aes_init, which is proved by itself."""
        key = self.key = Key("key", bits)
        NAMES.clear()
        self.named, self.nonce = {}, d.unknown("nonce", 96)
        h, self.message_key = s.siv_keys(key, self.nonce)
        NAMES.power(1, s.siv_subkey(h))
        self.begin()
        made = aes_keys(self, key)
        self.memory = self.region("key", KEY_SIZE, write=True)
        self.memory.store(1, 1, key.rounds)
        for i in range(key.rounds + 1):
            self.memory.store(RK + 16 * i, 16, made.load(RK + 16 * i, 16))
        return key

    name = GcmKey.name

    def hash(self, letter, text, aad, n, aad_len):
        """POLYVAL of the associated data, the text and the lengths. letter: names the text's blocks."""
        kept = lambda p: None  # noqa: E731  (the plaintext is hashed: it is not public)
        bases = self.name("A", aad, self.m.publish, s.poly_reversed)
        bases += self.name(letter, text, kept, s.poly_reversed)
        value = 8 * n << 64 | 8 * aad_len
        if value:
            NAMES.lengths(("L", aad_len, n), value, s.poly(s.number_block(value)))
            bases.append(("L", aad_len, n))
        self.meaning, self.e_j0 = s.ghash_meaning(bases), const(128, 0)
        total = NAMES.total(self.meaning) if bases else 0
        nonce = concat([self.nonce, const(32, 0)])
        NAMES.addend(nonce)
        return d.xor(d.reverse_bytes(s.of_poly(total)), nonce)

    def message(self, way, n, aad_len=13, forged=False, in_place=False, misaligned=0):
        m, encrypts = self.m, way == "encrypt"
        NAMES.message()
        self.begin()
        memory = self.take("key", self.memory.copy(write=False))
        memory.store(0, 1, self.set.index + 1)
        plain, aad = data("text", n), data("aad", aad_len)
        if forged:  # any ciphertext and tag: the text that they decrypt to is hashed
            given = d.unknown("forged tag", 128)
            cipher = data("forged text", n)
            text = self.crypt(cipher, given)
        else:
            text = plain
        hashed = self.hash("Q" if forged else "P", text, aad, n, aad_len)
        mine = s.encrypt(d.and_(hashed, const(128, (1 << 127) - 1)), self.message_key)
        if not forged:
            given, cipher = mine, self.crypt(plain, mine)
        at = misaligned
        place = self.region("in", n, write=in_place, at=at)
        put_data(place, plain if encrypts else cipher)
        out = place if in_place else self.region("out", n, write=True, at=3 * at % 16)
        associated, nonce = self.region("aad", aad_len, at=at), self.region("nonce", 12, at=at)
        put_data(associated, aad)
        nonce.store(0, 12, self.nonce)
        tag_at = self.region("tag", 16, write=encrypts, at=at)
        if not encrypts:
            tag_at.store(0, 16, given)
        self.public(self.nonce, given, *cipher, *aad)
        for i in range((n + 15) // 16 + 40):  # the tag is public, and so are the counters that begin with it
            self.public(counters.plus_32_low(part(given, 0, 128), i))
        self.public(d.or_(given, const(128, 1 << 127)))
        self.asked = 0
        if forged:
            m.verdict = lambda b: self.judge(b, d.xor(given, mine))
        result = status(self.call(f"siv_{way}", memory.base, out.base, place.base, n, associated.base, aad_len, nonce.base,
                                  tag_at.base))
        if result != (-1 if forged else 0):
            raise Fault(f"it returns {result}")
        if forged and not self.asked:
            raise Fault("the verdict asks for nothing of the tag")
        self.text(out, n, [const(p.n, 0) for p in plain] if forged else cipher if encrypts else plain)
        if encrypts:
            self.same(tag_at, 0, mine, lambda i: f"byte {i} of the tag")
        self.end()

    def crypt(self, text, tag):
        """RFC 8452 section 4: the counter is the tag with its top bit set."""
        first = d.concat([part(tag, 0, 127), const(1, 1)])
        return [d.xor(p, part(s.encrypt(counters.plus_32_low(first, i), self.message_key), 0, p.n))
                for i, p in enumerate(text)]
