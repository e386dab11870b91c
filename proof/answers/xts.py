# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""XTS-AES: key set-up, data units with ciphertext stealing, parts of a unit, and runs of sectors."""
import domain as d
import standard as s
from kernels import Fault, Harness, Key, concat, const, data, part, put_data

KEY_SIZE, RK, DK, TK = 736, 16, 256, 496  # struct rijn_xts


class Xts(Harness):
    def set_up(self, bits):
        """xts_init of two unknown keys of so many bits."""
        self.key, self.tweak_key = Key("data key", bits), Key("tweak key", bits)
        d.names.clear()
        self.begin()
        raw = self.region("raw", bits // 4)
        put_data(raw, [self.key.raw, self.tweak_key.raw])
        k = self.region("key", KEY_SIZE, write=True)
        k.store(1, 1, self.key.rounds)
        self.call("xts_init", k.base, raw.base)
        self.key.check(k, RK, self.key.keys)
        self.key.check_decryption(k, DK)
        self.tweak_key.check(k, TK, self.tweak_key.keys, "round key of the tweak")
        self.end()
        self.memory = k.copy(write=False)
        self.published = {}
        return self.key

    def expected(self, n, t, way):
        """(input, output) of a unit whose first block has the encrypted tweak t, and the tweak behind it. All texts are
        in either: decryption is given what encryption makes of any."""
        plain = concat(data("text", n))
        cipher, after = s.xts_blocks(plain, t, self.key.keys, s.encrypt)
        self.public(cipher)
        if way == "encrypt":
            return plain, cipher, after
        back, _ = s.xts_blocks(cipher, t, self.key.keys, s.decrypt)
        if back.v != plain.v:
            raise Fault("the standard's decryption does not undo its encryption")
        return cipher, plain, after

    def lay_out(self, text, in_place, misaligned):
        self.take("key", self.memory.copy(write=False)).store(0, 1, self.set.index + 1)
        n = text.n // 8
        given = self.region("in", n, write=in_place, at=misaligned)
        put_blocks(given, text)
        out = given if in_place else self.region("out", n, write=True, at=3 * misaligned % 16)
        return given, out

    def unit(self, way, n, in_place=False, misaligned=0):
        self.begin()
        tweak = d.unknown("tweak", 128)
        self.public(tweak)
        text, want, _ = self.expected(n, s.encrypt(tweak, self.tweak_key.keys), way)
        given, out = self.lay_out(text, in_place, misaligned)
        t = self.region("other", 16, at=misaligned)
        t.store(0, 16, tweak)
        self.call(f"xts_{way[:3]}", PLACE_KEY, out.base, given.base, n, t.base)
        self.text(out, want)
        self.end()

    def part(self, way, n, first=True, in_place=False, misaligned=0):
        """A part: the unit's first, or one behind another. next is where tweak is, if in_place."""
        self.begin()
        tweak = d.unknown("tweak" if first else "encrypted tweak", 128)
        if first:
            self.public(tweak)
        t = s.encrypt(tweak, self.tweak_key.keys) if first else tweak
        text, want, after = self.expected(n, t, way)
        given, out = self.lay_out(text, in_place, misaligned)
        at = self.region("other", 16, write=in_place)
        at.store(0, 16, tweak)
        after_at = at if in_place else self.region("tag", 16, write=True)
        self.call(f"xts_{way[:3]}_part", PLACE_KEY, out.base, given.base, n, at.base, after_at.base, int(first))
        self.text(out, want)
        if n % 16 == 0:
            self.same(after_at, 0, after, lambda i: f"byte {i} of the tweak for the next part")
        self.end()

    def sectors(self, way, size, count, tweaks=False, in_place=False, first=2**32 - 1, step=1):
        """tweaks: they are given as blocks; else they are numbers."""
        self.begin()
        texts, wants = [], []
        given_tweaks = []
        for i in range(count):
            if tweaks:
                tweak = d.unknown(("tweak", i), 128)
                self.public(tweak)
            else:
                tweak = const(128, (first + i * step) % 2**64)
            given_tweaks.append(tweak)
            plain = concat(data(f"sector {i}", size))
            t = s.encrypt(tweak, self.tweak_key.keys)
            cipher, _ = s.xts_blocks(plain, t, self.key.keys, s.encrypt)
            self.public(cipher)
            texts.append(plain if way == "encrypt" else cipher)
            wants.append(cipher if way == "encrypt" else plain)
        given, out = self.lay_out(concat(texts), in_place, 0)
        place = self.region("other", 16 * count) if tweaks else None
        if tweaks:
            put_data(place, given_tweaks)
        run = self.region("raw", 40)
        for i, value in enumerate((size, count, first, step, place.base if tweaks else 0)):
            run.store(8 * i, 8, value)
        self.call(f"xts_{way[:3]}_sectors", PLACE_KEY, out.base, given.base, run.base)
        self.text(out, concat(wants))
        self.end()

    def text(self, out, want):
        n = want.n // 8
        for at in range(0, n, 16):
            self.same(out, at, part(want, 8 * at, 8 * min(16, n - at)),
                      lambda j, at=at: f"byte {at + j} of the text (block {at // 16})")


PLACE_KEY = 0x10000000000


def put_blocks(region, text):
    for at in range(0, text.n // 8, 16):
        n = min(16, text.n // 8 - at)
        region.store(at, n, part(text, 8 * at, 8 * n))
