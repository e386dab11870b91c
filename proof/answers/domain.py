# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""Values of bits that depend on unknowns, under many random assignments of these at once.

A bit is a field: its value under SAMPLES random assignments of all unknowns, one after the other, as an integer. A value
of n bits is an integer of n such fields, the lowest bit first, a block as it lies in memory, byte 0 lowest. Two values
that differ as polynomials of degree d over GF(2) agree in one sample with a chance of at most 1 - 2^-d, whatever they
are (Schwartz and Zippel). So each value carries a bound of its degree, and each comparison that a proof rests on is
counted by degree: error_bits() is what all of them come to.

S-box      uninterpreted: a byte that has not been seen gets a random byte, the same one ever after. A constant byte has
           the S-box of FIPS 197.
Products   of two unknowns have degree 2, and no value may have more. So where the sum of products of GHASH is done, it
           gets a name, and its samples are drawn anew (settle).
Hints      say which named blocks and powers of H a half of a block was made of. They are never believed: they choose
           what a sum is compared with. A wrong one can make a proof fail, and can make none succeed.
"""
import math
import random
import secrets


class Fault(Exception):
    """What the library does is not what the standard says, or cannot be shown to be."""


class Missing(Exception):
    """The tool does not know this: an instruction without a row, most likely."""


class Bits:
    """n bits. deg: no bit has a higher degree. hint: None, or one hint (or None) for each 64 bits of it."""
    __slots__ = ("n", "v", "deg", "hint")

    def __init__(self, n, v, deg=1, hint=None):
        self.n, self.v, self.deg, self.hint = n, v, deg, hint


SAMPLES = F = ONES = 0      # F: bytes of a field
_rng = None
seed = None
_tables = []


def memory():
    """A table that begins anew with start()."""
    _tables.append({})
    return _tables[-1]


_counts = memory()          # comparisons by degree


def start(samples=320, seed_=None):
    """Begins anew. samples: a multiple of 8."""
    global SAMPLES, F, ONES, _rng, seed
    assert samples % 8 == 0
    SAMPLES, F, ONES = samples, samples // 8, (1 << samples) - 1
    seed = secrets.randbits(64) if seed_ is None else seed_
    _rng = random.Random(seed)
    for table in _tables:
        table.clear()
    names.clear()


def compared(deg, n=1):
    _counts[deg] = _counts.get(deg, 0) + n


def comparisons():
    return dict(_counts)


def error_bits(counts=None, samples=None):
    """The chance that any comparison was wrong is at most 2 to the minus this."""
    samples = samples or SAMPLES
    total = 0.0
    logs = [math.log2(n) + samples * math.log2(1 - 2.0 ** -int(d)) for d, n in (counts or _counts).items()
            if n and int(d) > 0]
    if not logs:
        return float("inf")
    most = max(logs)
    total = sum(2.0 ** (x - most) for x in logs)
    return -(most + math.log2(total))


# ---------------------------------------------------------------- constants and unknowns

_consts, _ints, _unknown = memory(), memory(), memory()


def _expand(n, value):
    one, zero = b"\xff" * F, bytes(F)
    return b"".join(one if value >> i & 1 else zero for i in range(n))


def const(n, value):
    c = _consts.get((n, value))
    if c is None:
        c = Bits(n, int.from_bytes(_expand(n, value), "little"), 0)
        _consts[n, value] = c
        _ints[n, c.v] = value
    return c


def zero(n=128):
    return const(n, 0)


def as_int(b):
    """Its value if it is a constant, else None."""
    if b.deg and b.v & ONES not in (0, ONES):
        return None
    value = _ints.get((b.n, b.v))
    if value is None:
        raw, one, nil = raw_of(b), b"\xff" * F, bytes(F)
        value = 0
        for i in range(b.n):
            field = raw[i * F:i * F + F]
            if field == one:
                value |= 1 << i
            elif field != nil:
                return None
        compared(b.deg, b.n)
        _ints[b.n, b.v] = value
    return value


def random_bytes():
    """The samples of an unknown byte."""
    return _rng.randbytes(SAMPLES)


def random_bits():
    """The samples of an unknown bit."""
    return _rng.randbytes(F)


def fresh(n):
    """An unknown of n bits."""
    return Bits(n, _rng.getrandbits(n * SAMPLES))


def unknown(name, n):
    """The unknown of that name; the same each time."""
    u = _unknown.get(name)
    if u is None:
        u = _unknown[name] = fresh(n)
    assert u.n == n
    return u


def raw_of(b):
    """Its fields as bytes: bit i at i * F, and so byte i at i * SAMPLES."""
    return b.v.to_bytes(b.n * F, "little")


def of_raw(raw, deg=1, hint=None):
    return Bits(len(raw) // F, int.from_bytes(raw, "little"), deg, hint)


def bytes_of(b):
    raw = raw_of(b)
    return [raw[i:i + SAMPLES] for i in range(0, len(raw), SAMPLES)]


def sample(b, i):
    """The value under assignment i."""
    return sum((b.v >> (k * SAMPLES + i) & 1) << k for k in range(b.n))


def from_samples(n, values):
    """What has these values under the assignments: for tests of the rows."""
    fields = [0] * n
    for i, value in enumerate(values):
        while value:
            low = value & -value
            fields[low.bit_length() - 1] |= 1 << i
            value ^= low
    return Bits(n, sum(f << (k * SAMPLES) for k, f in enumerate(fields)))


# ---------------------------------------------------------------- hints

def _join(a, b):
    """Of a sum: both."""
    if a is None or a == b:
        return b
    if b is None:
        return a
    return (max(a[0], b[0]), a[1] | b[1])


def join_hints(a, b):
    if a is None or a == b:
        return b
    if b is None:
        return a
    if len(a) != len(b):
        return None
    return tuple(map(_join, a, b))


def _times(a, b):
    """Of a product. A term is (base, e, k): base * H^e * x^k; the machine's product of two has one x more (Algorithm 1
    of SP 800-38D on bits in reverse)."""
    if a is None or b is None or len(a[1]) * len(b[1]) > 1024:
        return None
    terms = set()
    for base1, e1, k1 in a[1]:
        for base2, e2, k2 in b[1]:
            if base1 == ONE and base2 == ONE:
                terms.add((("H", min(e1, e2), max(e1, e2)), 0, k1 + k2 + 1))
            elif base1 == ONE:
                terms.add((base2, e1 + e2, k1 + k2 + 1))
            elif base2 == ONE:
                terms.add((base1, e1 + e2, k1 + k2 + 1))
            else:
                return None
    return (max(a[0], b[0]), frozenset(terms))


# ---------------------------------------------------------------- linear operations

def _found(b):
    """b, with the hints of named blocks where it has none, or two that differ (a half may be that of two blocks), and its
    halves are of such."""
    if b.deg <= 1 and (b.hint is None or None in b.hint or b.hint[0] != b.hint[-1]):
        hint = names.hints.get((b.n, b.v))
        if hint is None and b.n == 128 and names.halves:
            h, old = names.halves, b.hint or (None, None)
            hint = (old[0] or h.get(b.v & ((1 << 64 * SAMPLES) - 1)), old[1] or h.get(b.v >> 64 * SAMPLES))
            if hint == (None, None):
                hint = None
        b.hint = hint or b.hint
    return b


def xor(a, b):
    if a.v == 0 or b.v == 0:
        r = b if a.v == 0 else a
        return r if r.hint is not None else _found(Bits(r.n, r.v, r.deg))
    hint = a.hint
    if hint is not None or b.hint is not None:
        if a.hint is None:
            a = _found(Bits(a.n, a.v, a.deg))
        elif b.hint is None:
            b = _found(Bits(b.n, b.v, b.deg))
        r = Bits(a.n, a.v ^ b.v, a.deg if a.deg > b.deg else b.deg, join_hints(a.hint, b.hint))
        if r.deg <= 1:
            r.hint = names.hints.get((r.n, r.v), r.hint)
        return settle(r) if r.n == 128 and r.hint is not None and None not in r.hint else r
    r = Bits(a.n, a.v ^ b.v, a.deg if a.deg > b.deg else b.deg)
    if r.n == 128:
        r.hint = names.hints.get((128, r.v))
    return r


def invert(a):
    return xor(a, const(a.n, (1 << a.n) - 1))


def and_(a, b):
    if a.v == b.v:
        return a
    if a.deg and b.deg:
        return Bits(a.n, a.v & b.v, _allowed(a.deg + b.deg), None)
    r = Bits(a.n, a.v & b.v, a.deg or b.deg)
    hint = a.hint if a.deg else b.hint
    if hint is not None and r.v:
        keep = (1 << 64 * SAMPLES) - 1
        r.hint = tuple(h if r.v >> 64 * SAMPLES * i & keep else None for i, h in enumerate(hint))
    return _found(r)


def or_(a, b):
    """Of the same degree where in each bit one of the two is a constant, or both are the same."""
    if a.deg and b.deg and not _same_or_constant(a, b):
        return xor(xor(a, b), and_(a, b))
    return _found(Bits(a.n, a.v | b.v, max(a.deg, b.deg), join_hints(a.hint, b.hint)))


def _same_or_constant(a, b):
    ra, rb, known = raw_of(a), raw_of(b), (bytes(F), b"\xff" * F)
    for i in range(0, len(ra), F):
        x, y = ra[i:i + F], rb[i:i + F]
        if x != y and x not in known and y not in known:
            return False
    return True


def overlap(a, b):
    """May both be 1 in any bit? (None of the two is a constant 0 there.)"""
    if a.v & b.v:
        return True
    ra, rb, nil = raw_of(a), raw_of(b), bytes(F)
    for i in range(0, len(ra), F):
        if ra[i:i + F] != nil and rb[i:i + F] != nil:
            return True
    return False


def _allowed(deg):
    if deg > 2:
        raise Fault(f"a value of degree {deg}: products of data that no rule of the standard has")
    return deg


def shift_left(a, k):
    return Bits(a.n, (a.v << k * SAMPLES) & ((1 << a.n * SAMPLES) - 1), a.deg)


def shift_right(a, k):
    return Bits(a.n, a.v >> k * SAMPLES, a.deg)


def part(a, at, n):
    """n bits from bit `at` on."""
    if at == 0 and n == a.n:
        return a
    r = Bits(n, a.v >> at * SAMPLES & ((1 << n * SAMPLES) - 1), a.deg)
    if a.hint is not None and at % 64 == 0 and n % 64 == 0:
        r.hint = a.hint[at // 64:(at + n) // 64]
        if r.hint.count(None) == len(r.hint):
            r.hint = None
    return r


def concat(parts):
    """The first is the lowest."""
    if len(parts) == 1:
        return parts[0]
    v = at = 0
    for p in parts:
        v |= p.v << at * SAMPLES
        at += p.n
    r = Bits(at, v, max(p.deg for p in parts))
    if all(p.n % 64 == 0 for p in parts):
        hint = sum(((p.hint or (None,) * (p.n // 64)) for p in parts), ())
        if any(hint):
            r.hint = hint
    return _found(r)


def extend(a, n):
    """Zeros above."""
    return a if a.n == n else Bits(n, a.v, a.deg, None if a.hint is None else a.hint + (None,) * ((n - a.n) // 64))


_shuffled = memory()


def shuffle(sources, table):
    """Bytes of the sources, one after the other, by their number; -1: zeros. table: a tuple."""
    if len(sources) == 1:
        memo = _shuffled.setdefault(table, {})
        v = memo.get(sources[0].v)
        if v is None:
            if len(memo) > 4096:
                memo.clear()
            v = memo[sources[0].v] = _shuffle(sources, table)
    else:
        v = _shuffle(sources, table)
    r = Bits(8 * len(table), v, max(s.deg for s in sources))
    if any(s.hint for s in sources) and len(table) % 8 == 0:
        hints = sum(((s.hint or (None,) * (s.n // 64)) for s in sources), ())
        if len(hints) * 8 == sum(s.n // 8 for s in sources):
            halves = []
            for i in range(0, len(table), 8):
                h = None
                for word in {x >> 3 for x in table[i:i + 8] if x >= 0}:
                    h = _join(h, hints[word])
                halves.append(h)
            r.hint = tuple(halves) if any(halves) else None
    return _found(r)


def _shuffle(sources, table):
    raw = b"".join(map(raw_of, sources))
    nil, s = bytes(SAMPLES), SAMPLES
    return int.from_bytes(b"".join([raw[x * s:x * s + s] if x >= 0 else nil for x in table]), "little")


def repeat_bit(a, bit, n):
    """n times the bit."""
    field = (a.v >> bit * SAMPLES & ONES).to_bytes(F, "little")
    return Bits(n, int.from_bytes(field * n, "little"), a.deg)


# ---------------------------------------------------------------- carry-less products

_masks = memory()


def masks(v, n):
    """Of each field, the highest first, n times the field."""
    key = n, v
    m = _masks.get(key)
    if m is None:
        if len(_masks) > 600:
            for old in list(_masks)[:100]:
                del _masks[old]
        raw = v.to_bytes(n * F, "little")
        m = _masks[key] = [int.from_bytes(raw[i:i + F] * n, "little") for i in range((n - 1) * F, -1, -F)]
    return m


def product(a, b, n):
    """The carry-less product of two integers of n fields, 2n - 1 fields. b: the one that comes again."""
    r, s = 0, SAMPLES
    for m in masks(b, n):
        r = (r << s) ^ (a & m)
    return r


def _by_constant(a, c):
    v = 0
    while c:
        low = c & -c
        v ^= a.v << (low.bit_length() - 1) * SAMPLES
        c ^= low
    return v


def clmul(a, b):
    """The carry-less product of two halves: 128 bits."""
    if a.v == 0 or b.v == 0:
        return zero()
    a, b = (x if x.hint is not None else _found(Bits(64, x.v, x.deg)) for x in (a, b))
    ka, kb = as_int(a), as_int(b)
    if ka is not None or kb is not None:
        known, other = (a, b) if ka is not None else (b, a)
        value = ka if ka is not None else kb
        v = _by_constant(other, value)
        named = join_hints(known.hint, names.constant(value))  # lengths of several messages may be the same number
        hint = None
        if other.hint is not None and other.hint[0] is not None:
            if named is not None:
                hint = _times(named[0], other.hint[0])
            else:
                hint = (other.hint[0][0] + 1, other.hint[0][1])
        r = Bits(128, v, other.deg, (hint, hint) if hint else None)
        return r
    deg = a.deg + b.deg
    if deg > 2:
        raise Fault(names.why_not(a if a.deg > 1 else b))
    hint = None
    if a.hint is not None and b.hint is not None:
        hint = _times(a.hint[0], b.hint[0])
    fixed = a.hint is not None and a.hint[0] is not None and all(t[0] == ONE for t in a.hint[0][1])
    v = product(b.v, a.v, 64) if fixed else product(a.v, b.v, 64)
    return Bits(128, v, deg, (hint, hint) if hint else None)


# ---------------------------------------------------------------- names, and where sums get theirs

def reversed_fields(v, n=128):
    raw = v.to_bytes(n * F, "little")
    return int.from_bytes(b"".join([raw[i:i + F] for i in range((n - 1) * F, -1, -F)]), "little")


_SWAP_BYTES = tuple(range(15, -1, -1))


def reverse_bytes(b):
    return shuffle([b], _SWAP_BYTES)


def forms(poly):
    """The ways in which code has an element of the field in a register: as an integer, as a block, and both with their
    halves swapped. poly: field i is the coefficient of x^i."""
    integer = reversed_fields(poly)
    block = _shuffle([Bits(128, integer)], _SWAP_BYTES)
    s, low = 64 * SAMPLES, (1 << 64 * SAMPLES) - 1
    return [integer, block, integer >> s | (integer & low) << s, block >> s | (block & low) << s]


def settle(b):
    """b, which hints know. If it is a sum of products, and what its hints say by the standard's own multiplication, it
    gets a name and new samples, and is of degree 1 from here on. So is a sum of such sums."""
    h0, h1 = b.hint
    terms = h0[1] | h1[1]
    if b.deg > 1:
        if h0[0] == 0 and h1[0] == 0:  # no step of a reduction yet
            return b
    elif len(terms) < 2 or not all(t[1] or t[0][0] == "S" for t in terms):
        return b
    for choice in names.choices(terms):
        values = names.expected(choice)
        if values is None:
            continue
        for i, value in enumerate(values):
            rest = b.v ^ value
            if rest == 0 or rest in names.addends:
                compared(b.deg, 1 + len(names.addends))
                named = names.name_of(choice)
                if named is None:
                    return b
                term, poly = named
                hint = (0, frozenset([term]))
                return Bits(128, forms(poly)[i] ^ rest, 1, (hint, hint))
        compared(b.deg, len(values) * (1 + len(names.addends)))
    return b


from names import ONE, Names  # noqa: E402  (it has its place behind what it stands on)

names = Names()
