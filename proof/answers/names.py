# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""The blocks of a message and the powers of H by name, and the sums of products that were found to be what they should
be. A hint (domain.py) is (steps of the reduction, terms); a term is (base, e, k), for base * H^e * x^k."""
import domain as d

ONE = ("1",)  # the base of a power of H


class Names:
    """The blocks of a message and the powers of H, by name, and the sums that were found to be what they should.

    bases: base -> its polynomial. meaning: base -> the set of (block, power) that it stands for, None if itself."""

    multiply = multiply_x = None  # standard.py's

    def __init__(self):
        self.clear()

    def clear(self):
        self.hints, self.halves, self.bases, self.meaning = {}, {}, {}, {}
        self.powers, self.terms, self.sums, self.by_meaning, self.addends, self.constants = {}, {}, {}, {}, {}, {}
        self.partners = []
        self.passing = {}  # base -> the keys of its hints, which go with the message

    # -- what a harness tells

    def block(self, base, poly, passing=False):
        """A block of the message: its name and its polynomial."""
        if base not in self.bases:
            self.bases[base] = poly
            self.meaning[base] = frozenset([(base, 0)])
        self._hint(base, 0, 0, poly, passing)

    def _hint(self, base, e, k, poly, passing=False, halves=True):
        """Hints for whoever loads the block, or half of it, from where it was not seen to go. Halves of a constant would
        be those of many others."""
        if base in self.passing:
            return
        keys = self.passing.setdefault(base, []) if passing else []
        hint = (0, frozenset([(base, e, k)]))
        for f in d.forms(poly):
            for v in (f & ((1 << 64 * d.SAMPLES) - 1), f >> 64 * d.SAMPLES):
                if v and halves:
                    self.halves[v] = hint
                    self.hints[64, v] = (hint,)
                    keys.append((64, v))
            self.hints[128, f] = (hint, hint)
            keys.append((128, f))

    def power(self, e, poly):
        """H^e; the machine has it times x^-1, because its products have one x more."""
        if e not in self.powers:
            self.powers[e] = poly
            self._hint(ONE, e, -1, self.shifted(poly, -1))
        return self.powers[e]

    def lengths(self, base, value, poly):
        """The block of the lengths, a constant: value is its integer."""
        self.bases[base] = poly
        self.meaning[base] = frozenset([(base, 0)])
        lo, hi = value & (1 << 64) - 1, value >> 64
        for x in {lo, hi, lo ^ hi} - {0}:  # halves of several messages may be the same: settle tries one after the other
            self.constants.setdefault(x, set()).add((base, 0, 0))
        if value:
            self._hint(base, 0, 0, poly, True, False)

    def message(self):
        """A new message: what was named for the last one and is not of use again goes."""
        self.constants, self.addends, self.partners = {}, {}, []
        for keys in self.passing.values():
            for n, v in keys:
                self.hints.pop((n, v), None)
                self.halves.pop(v, None)
        self.passing = {}
        if len(self.sums) > 4000:
            self.sums.clear()
        if len(self.terms) > 12000:
            self.terms.clear()

    def partner(self, base):
        """A block that may be added to a sum byte by byte, where no hint goes along."""
        self.partners.append(base)

    def addend(self, b):
        """A block that may be added to a sum before it is done: E(J0)."""
        for v in (b.v, d.reverse_bytes(b).v):
            self.addends[v] = True

    def total(self, meaning, poly=None):
        """The sum of that meaning: a set of (block, power). Its polynomial, an unknown if it is not known yet."""
        base = self.by_meaning.get(meaning)
        if base is None:
            base = self.by_meaning[meaning] = ("S", len(self.by_meaning))
            self.bases[base] = d.fresh(128).v if poly is None else poly
            self.meaning[base] = meaning
        if base not in self.passing:
            self._hint(base, 0, 0, self.bases[base], True)
            for other in self.partners:
                hint = (0, frozenset([(base, 0, 0), (other, 0, 0)]))
                for f in d.forms(self.bases[base] ^ self.bases[other]):
                    self.hints[128, f] = (hint, hint)
                    self.passing[base].append((128, f))
        return self.bases[base]

    # -- what the domain asks

    def constant(self, value):
        bases = self.constants.get(value)
        return bases and ((0, frozenset(bases)),)

    def shifted(self, poly, k):
        return poly if k == 0 else self.multiply_x(poly, k)

    def term(self, term):
        """base * H^e * x^k, a polynomial, by the standard's multiplication."""
        value = self.terms.get(term)
        if value is None:
            base, e, k = term
            if base[0] == "H":
                value = self.multiply(self.powers[base[1]], self.powers[base[2]])
            else:
                value = self.bases[base]
            if e:
                value = self.multiply(value, self.powers[e])
            value = self.terms[term] = self.shifted(value, k)
        return value

    def expected(self, terms):
        """The forms of the sum of the terms; None if one is not known."""
        found = self.sums.get(terms)
        if found is None:
            total = 0
            for t in terms:
                if (t[1] and t[1] not in self.powers) or (t[0][0] != "H" and t[0] not in self.bases):
                    return None
                total ^= self.term(t)
            found = self.sums[terms] = d.forms(total)
        return found

    @staticmethod
    def choices(terms):
        """The terms; and where the lengths of several messages are among them, with each of these alone."""
        lengths = [t for t in terms if t[0][0] == "L"]
        if len(lengths) < 2:
            return [terms]
        others = terms - frozenset(lengths)
        return [others | {one} for one in lengths]

    def name_of(self, terms):
        """The name that the sum of the terms gets, as (base, e, k), and its polynomial."""
        if len({t[2] for t in terms}) != 1:
            return None
        k = next(iter(terms))[2]
        if len(terms) == 1:
            base = next(iter(terms))[0]
            if base[0] == "H":
                e = base[1] + base[2]
                if e not in self.powers:
                    self.power(e, d.fresh(128).v)
                return (ONE, e, k), self.shifted(self.powers[e], k)
        meaning = set()
        for base, e, _ in terms:
            if base not in self.meaning:
                return None
            for block, power in self.meaning[base]:
                meaning ^= {(block, power + e)}
        meaning = frozenset(meaning)
        poly = self.total(meaning)
        return (self.by_meaning[meaning], 0, k), self.shifted(poly, k)

    def why_not(self, b):
        """Why is b, a sum of products, no sum that the standard knows? The terms that its hint has: where one of them
        is missing in it, or is there with another power, that is said."""
        h = b.hint[0] if b.hint else None
        if not h:
            return "a product of data with a product of data, neither of which is a sum that GHASH has"
        return f"the sum {self.text(self.expand(h[1]))} is used before it is one: its products or their reduction are " \
               "wrong"

    def expand(self, terms):
        out = set()
        for base, e, _ in terms:
            if base[0] == "H":
                out ^= {(ONE, base[1] + base[2])}
            else:
                for block, power in self.meaning.get(base, [(base, 0)]):
                    out ^= {(block, power + e)}
        return frozenset(out)

    @staticmethod
    def text(meaning, most=8):
        def one(t):
            name = "" if t[0] == ONE else "".join(map(str, t[0][:2]))
            return (name + (f" H^{t[1]}" if t[1] else "")).strip()
        listed = sorted(meaning, key=lambda t: (-t[1], str(t[0])))
        return ", ".join(one(t) for t in listed[:most]) + (" .." if len(listed) > most else "")
