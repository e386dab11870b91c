# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""x86-64: the rows of instructions with vectors and masks, of SSE, AVX, AVX2, AVX-512, AES and carry-less products."""
import aes
import domain as d
from domain import Fault, Missing, const
from values import bits, elements, equal, greater, minus, number, plus, same_is_zero, shift_elements
from x86 import Gpr, Imm, Mask, Mem, Vec, row

ZERO = lambda: const(128, 0)  # noqa: E731


def get(m, o, lanes):
    """The lanes of an operand."""
    if isinstance(o, Vec):
        return m.z[o.i][:lanes]
    a = o.address(m)
    return [m.load_bits(a + 16 * i, 16) for i in range(lanes)]


def put(m, o, values, name, element=None):
    """Into a register; VEX and EVEX clear what is above, SSE leaves it."""
    old = m.z[o.i]
    if o.mask is not None:
        values = blend(m, o, old, values, element)
    if name[0] == "v":
        m.z[o.i] = values + [ZERO()] * (4 - len(values))
    else:
        m.z[o.i] = values + old[len(values):]


def blend(m, o, old, values, element):
    """The lanes of values where the mask has ones, elements of so many bits; else the old ones, or zeros."""
    if element is None:
        raise Missing("the element of this mask")
    mask, out, each = m.plain(m.k[o.mask]), [], 128 // element
    for i, value in enumerate(values):
        here = mask >> i * each & ((1 << each) - 1)
        ones = sum(((1 << element) - 1) << element * j for j in range(each) if here >> j & 1)
        kept = ZERO() if o.zeroing else d.and_(old[i], const(128, ones ^ ((1 << 128) - 1)))
        out.append(d.or_(d.and_(value, const(128, ones)), kept))
    return out


def element_of(name):
    return {"b": 8, "w": 16, "d": 32, "q": 64}.get(name[-1])


# ---------------------------------------------------------------- moves

@row("vmovdqu", "vmovdqu8", "vmovdqu16", "vmovdqu32", "vmovdqu64", "vmovdqa", "vmovdqa32", "vmovdqa64", "movdqu",
     "movdqa", "movups", "movaps", "movupd", "movapd", "vmovups", "vmovaps", "vmovapd", "vmovupd", "lddqu", "vlddqu")
def _move(m, name, text, at, after):
    to, source = m.operands(text, after)
    lanes = (to if isinstance(to, Vec) else source).n // 128
    aligned = "movdqa" in name or "movap" in name
    element = {"8": 8, "16": 16, "32": 32, "64": 64}.get(name.split("movdqu")[-1].split("movdqa")[-1], 32)

    def check(address):
        if aligned and address % (16 * lanes):
            raise Fault(f"an aligned access at {address:#x}")
        return address
    if isinstance(to, Vec) and isinstance(source, Vec):
        return lambda m: put(m, to, m.z[source.i][:lanes], name, element)
    if isinstance(to, Vec):
        if to.mask is not None:
            return lambda m: _load_masked(m, to, source, lanes, element)

        def load(m):
            a = check(source.address(m))
            put(m, to, [m.load_bits(a + 16 * i, 16) for i in range(lanes)], name)
        return load
    if to.mask is not None:
        return lambda m: _store_masked(m, to, source, lanes, element)

    def store(m):
        a = check(to.address(m))
        for i in range(lanes):
            m.store(a + 16 * i, 16, m.z[source.i][i])
    return store


def _runs(mask, lanes, element):
    """(byte, bytes) of runs of ones, none over a lane's end."""
    size, out = element // 8, []
    for i in range(lanes * 128 // element):
        if mask >> i & 1:
            at = i * size
            if out and sum(out[-1]) == at and at % 16:
                out[-1] = (out[-1][0], out[-1][1] + size)
            else:
                out.append((at, size))
    return out


def _load_masked(m, to, source, lanes, element):
    """Where the mask has zeros memory is not touched."""
    a, loaded = source.address(m), [[] for _ in range(lanes)]
    for at, n in _runs(m.plain(m.k[to.mask]), lanes, element):
        loaded[at // 16].append((at % 16, n, m.load_bits(a + at, n)))
    old, values = m.z[to.i], []
    for i, parts in enumerate(loaded):
        out, at = [], 0
        for start, n, value in parts + [(16, 0, None)]:
            if start > at:
                out.append(const(8 * (start - at), 0) if to.zeroing else d.part(old[i], 8 * at, 8 * (start - at)))
            if n:
                out.append(value)
            at = start + n
        values.append(d.concat(out))
    m.z[to.i] = values + [ZERO()] * (4 - lanes)


def _store_masked(m, to, source, lanes, element):
    a = to.address(m)
    for at, n in _runs(m.plain(m.k[to.mask]), lanes, element):
        m.store(a + at, n, d.part(m.z[source.i][at // 16], at % 16 * 8, 8 * n))


@row("movd", "movq", "vmovd", "vmovq")
def _movd(m, name, text, at, after):
    to, source = m.operands(text, after)
    n = 32 if name.endswith("d") else 64
    if isinstance(to, Vec):
        def load(m):
            v = d.part(m.z[source.i][0], 0, n) if isinstance(source, Vec) else bits(source.get(m), n)
            put(m, to, [d.concat([v, const(128 - n, 0)])], name)
        return load
    return lambda m: to.set(m, number(d.part(m.z[source.i][0], 0, n)))


def _insert(n):
    def make(m, name, text, at, after):
        ops = m.operands(text, after)
        to, base, source, imm = ops[0], ops[-3], ops[-2], ops[-1].value % (128 // n)

        def step(m):
            old, v = m.z[base.i][0], source.get(m)
            v = bits(v, source.n)
            v = d.part(v, 0, n)
            parts = [d.part(old, 0, imm * n)] if imm else []
            parts.append(v)
            if (imm + 1) * n < 128:
                parts.append(d.part(old, (imm + 1) * n, 128 - (imm + 1) * n))
            put(m, to, [d.concat(parts)], name)
        return step
    return make


for _n, _c in ((8, "b"), (16, "w"), (32, "d"), (64, "q")):
    row("pinsr" + _c, "vpinsr" + _c)(_insert(_n))


@row("pextrb", "vpextrb", "pextrd", "vpextrd", "pextrq", "vpextrq", "pextrw", "vpextrw")
def _extract(m, name, text, at, after):
    to, source, imm = m.operands(text, after)
    n = element_of(name)
    i = imm.value % (128 // n)

    def step(m):
        v = number(d.part(m.z[source.i][0], i * n, n))
        if isinstance(to, Gpr) and to.n > n and not isinstance(v, int):
            v = d.extend(v, to.n)
        to.set(m, v)
    return step


@row("vbroadcasti128", "vbroadcasti32x4", "vbroadcasti64x2", "vbroadcastf128")
def _broadcast_lane(m, name, text, at, after):
    to, source = m.operands(text, after)
    return lambda m: put(m, to, [m.load_bits(source.address(m), 16)] * to.lanes, name)


@row("vpbroadcastd", "vpbroadcastq", "vpbroadcastb", "vpbroadcastw", "vbroadcastss", "vbroadcastsd", "vmovddup")
def _broadcast(m, name, text, at, after):
    to, source = m.operands(text, after)
    n = {"vbroadcastss": 32, "vbroadcastsd": 64}.get(name) or element_of(name)

    def step(m):
        if isinstance(source, Vec):
            v = d.part(m.z[source.i][0], 0, n)
        elif isinstance(source, Gpr):
            v = d.part(bits(source.get(m), source.n), 0, n)
        else:
            v = m.load_bits(source.address(m), n // 8)
        put(m, to, [d.concat([v] * (128 // n))] * to.lanes, name)
    return step


@row("vzeroupper")
def _vzeroupper(m, *_):
    def step(m):
        for i in range(16):
            m.z[i] = [m.z[i][0]] + [ZERO()] * 3
    return step


@row("vzeroall")
def _vzeroall(m, *_):
    def step(m):
        for i in range(16):
            m.z[i] = [ZERO()] * 4
    return step


# ---------------------------------------------------------------- lane by lane

def lanewise(*names, element=None):
    """Instructions that do f to each lane of two operands; SSE's first is the target, too."""
    def add(f):
        @row(*names)
        def make(m, name, text, at, after):
            ops = m.operands(text, after)
            to, a, b = ops[0], ops[-2] if len(ops) > 2 else ops[0], ops[-1]
            lanes = to.lanes
            if len(ops) > 3:
                raise Missing(f"{name} with four operands")
            each = element or element_of(name)
            if name[0] != "v" and isinstance(b, Mem):
                def checked(m):
                    if b.address(m) % 16:
                        raise Fault("an aligned access")
                    put(m, to, [f(m.z[a.i][0], m.load_bits(b.address(m), 16))], name)
                return checked

            def step(m):
                x, y = get(m, a, lanes), get(m, b, lanes)
                put(m, to, [f(p, q) for p, q in zip(x, y)], name, each)
            return step
        return f
    return add


lanewise("pxor", "vpxor", "vpxord", "vpxorq", "xorps", "xorpd", "vxorps", "vxorpd")(same_is_zero(d.xor))
lanewise("pand", "vpand", "vpandd", "vpandq", "andps", "andpd", "vandps", "vandpd")(d.and_)
lanewise("por", "vpor", "vpord", "vporq", "orps", "orpd", "vorps", "vorpd")(d.or_)
lanewise("pandn", "vpandn", "vpandnd", "vpandnq", "andnps", "andnpd", "vandnps", "vandnpd")(
    lambda a, b: d.and_(d.invert(a), b))
lanewise("aesenc", "vaesenc")(lambda a, k: d.xor(aes.middle(a), k))
lanewise("aesenclast", "vaesenclast")(lambda a, k: d.xor(aes.last(a), k))
lanewise("aesdec", "vaesdec")(lambda a, k: d.xor(aes.inv_middle(a), k))
lanewise("aesdeclast", "vaesdeclast")(lambda a, k: d.xor(aes.inv_last(a), k))


@row("aesimc", "vaesimc")
def _aesimc(m, name, text, at, after):
    to, source = m.operands(text, after)
    return lambda m: put(m, to, [aes.inv_mix_columns(get(m, source, 1)[0])], name)


@row("aeskeygenassist", "vaeskeygenassist")
def _aeskeygenassist(m, name, text, at, after):
    to, source, imm = m.operands(text, after)
    rcon = const(128, imm.value << 32 | imm.value << 96)

    def step(m):
        s = aes.sub_bytes(get(m, source, 1)[0])
        r = d.shuffle([s], (4, 5, 6, 7, 5, 6, 7, 4, 12, 13, 14, 15, 13, 14, 15, 12))
        put(m, to, [d.xor(r, rcon)], name)
    return step


def _halves(code):
    i, j = 64 * (code & 1), 64 * (code >> 4 & 1)
    return lambda a, b: d.clmul(d.part(a, i, 64), d.part(b, j, 64))


for _text, _code in (("lqlq", 0x00), ("hqlq", 0x01), ("lqhq", 0x10), ("hqhq", 0x11)):
    lanewise(f"pclmul{_text}dq", f"vpclmul{_text}dq")(_halves(_code))


for _n, _c in ((8, "b"), (16, "w"), (32, "d"), (64, "q")):
    lanewise("padd" + _c, "vpadd" + _c)(elements(plus(_n), _n))
    lanewise("psub" + _c, "vpsub" + _c)(same_is_zero(elements(minus, _n)))
    lanewise("pcmpgt" + _c, "vpcmpgt" + _c)(elements(greater(_n), _n))
    _eq = elements(equal, _n)
    lanewise("pcmpeq" + _c, "vpcmpeq" + _c)(lambda a, b, f=_eq: const(128, (1 << 128) - 1) if a.v == b.v else f(a, b))


def _shifts(kind, n):
    def make(m, name, text, at, after):
        ops = m.operands(text, after)
        to, source, count = ops[0], ops[-2] if len(ops) > 2 else ops[0], ops[-1]

        def step(m):
            if isinstance(count, Imm):
                k = count.value
            else:
                k = m.plain(number(d.part(get(m, count, 1)[0], 0, 64)))
            put(m, to, [shift_elements(v, min(k, n), n, kind) for v in get(m, source, to.lanes)], name)
        return step
    return make


for _kind in ("sll", "srl", "sra"):
    for _n, _c in ((16, "w"), (32, "d"), (64, "q")):
        row(f"p{_kind}{_c}", f"vp{_kind}{_c}")(_shifts(_kind, _n))


def _variable(kind, n):
    def lane(a, b):
        counts = d.as_int(b)
        if counts is None:
            raise Fault("a shift by data")
        out = []
        for i in range(0, 128, n):
            k = counts >> i & ((1 << n) - 1)
            e = d.part(a, i, n)
            if k >= n:
                out.append(const(n, 0))
            elif kind == "sll":
                out.append(d.shift_left(e, k))
            else:
                out.append(d.shift_right(e, k))
        return d.concat(out)
    return lane


for _n, _c in ((32, "d"), (64, "q")):
    for _kind in ("sll", "srl"):
        lanewise(f"vp{_kind}v{_c}")(_variable(_kind, _n))


@row("vpternlogd", "vpternlogq")
def _ternary(m, name, text, at, after):
    to, b, c, imm = m.operands(text, after)
    table = [imm.value >> i & 1 for i in range(8)]  # by a << 2 | b << 1 | c
    form = list(table)                               # its algebraic normal form
    for bit in (1, 2, 4):
        for i in range(8):
            if i & bit:
                form[i] ^= form[i ^ bit]
    terms = [[k for k, bit in enumerate((4, 2, 1)) if i & bit] for i in range(8) if form[i]]

    def lane(*x):
        total = None
        for term in terms:
            if not term:
                value = const(128, (1 << 128) - 1)
            else:
                value = x[term[0]]
                for k in term[1:]:
                    value = d.and_(value, x[k])
            total = value if total is None else d.xor(total, value)
        return ZERO() if total is None else total

    def step(m):
        put(m, to, [lane(*v) for v in zip(get(m, to, to.lanes), get(m, b, to.lanes), get(m, c, to.lanes))], name,
            element_of(name))
    return step


# ---------------------------------------------------------------- shuffles: a table of bytes, by lane

def _shuffles(names, table):
    """table(imm): source bytes of one lane. Operands: target, source, imm."""
    @row(*names)
    def make(m, name, text, at, after):
        to, source, imm = m.operands(text, after)
        t = tuple(table(imm.value))
        return lambda m: put(m, to, [d.shuffle([v], t) for v in get(m, source, to.lanes)], name, 32)


_shuffles(("pshufd", "vpshufd"), lambda i: [4 * (i >> 2 * k & 3) + j for k in range(4) for j in range(4)])
_shuffles(("pshuflw", "vpshuflw"), lambda i: [2 * (i >> 2 * k & 3) + j for k in range(4) for j in range(2)] +
          list(range(8, 16)))
_shuffles(("pshufhw", "vpshufhw"), lambda i: list(range(8)) +
          [8 + 2 * (i >> 2 * k & 3) + j for k in range(4) for j in range(2)])


@row("pslldq", "vpslldq", "psrldq", "vpsrldq")
def _shift_bytes(m, name, text, at, after):
    ops = m.operands(text, after)
    to, source, k = ops[0], ops[-2], min(ops[-1].value, 16)
    if "sll" in name:
        t = tuple([-1] * k + list(range(16 - k)))
    else:
        t = tuple(list(range(k, 16)) + [-1] * k)
    return lambda m: put(m, to, [d.shuffle([v], t) for v in get(m, source, to.lanes)], name)


def two(*names, element=None):
    """table(imm) of the bytes of two lanes, the first operand's and the second's."""
    def add(table):
        @row(*names)
        def make(m, name, text, at, after):
            ops = m.operands(text, after)
            imm = ops.pop().value if isinstance(ops[-1], Imm) else 0
            to, a, b = ops[0], ops[-2] if len(ops) > 2 else ops[0], ops[-1]
            t = tuple(table(imm))
            each = element or element_of(name)

            def step(m):
                x, y = get(m, a, to.lanes), get(m, b, to.lanes)
                put(m, to, [d.shuffle([p, q], t) for p, q in zip(x, y)], name, each)
            return step
    return add


for _n, _c in ((1, "bw"), (2, "wd"), (4, "dq"), (8, "qdq")):
    for _at, _where in ((0, "l"), (8, "h")):
        two(f"punpck{_where}{_c}", f"vpunpck{_where}{_c}")(
            lambda imm, n=_n, at=_at: [x + i + j for i in range(at, at + 8, n) for x in (0, 16) for j in range(n)])
two("unpcklpd", "vunpcklpd", "movlhps", "vmovlhps")(lambda imm: list(range(8)) + list(range(16, 24)))
two("unpckhpd", "vunpckhpd")(lambda imm: list(range(8, 16)) + list(range(24, 32)))
two("movhlps", "vmovhlps")(lambda imm: list(range(24, 32)) + list(range(8, 16)))
two("palignr", "vpalignr")(lambda imm: [(x + 16 if x < 16 else x - 16) if x < 32 else -1
                                       for x in range(imm, imm + 16)])
two("vpblendd", element=32)(lambda imm: [i + (16 if imm >> i // 4 & 1 else 0) for i in range(16)])
two("pblendw", "vpblendw", element=16)(lambda imm: [i + (16 if imm >> i // 2 & 1 else 0) for i in range(16)])
two("shufps", "vshufps", element=32)(
    lambda imm: [4 * (imm >> 2 * k & 3) + j + (16 if k > 1 else 0) for k in range(4) for j in range(4)])


@row("shufpd", "vshufpd")
def _shufpd(m, name, text, at, after):
    ops = m.operands(text, after)
    imm = ops.pop().value
    to, a, b = ops[0], ops[-2] if len(ops) > 2 else ops[0], ops[-1]
    tables = [tuple(8 * (imm >> 2 * i & 1) + j for j in range(8)) +
              tuple(16 + 8 * (imm >> 2 * i + 1 & 1) + j for j in range(8)) for i in range(to.lanes)]

    def step(m):
        x, y = get(m, a, to.lanes), get(m, b, to.lanes)
        put(m, to, [d.shuffle([p, q], t) for p, q, t in zip(x, y, tables)], name, 64)
    return step


@row("pshufb", "vpshufb")
def _pshufb(m, name, text, at, after):
    ops = m.operands(text, after)
    to, a, b = ops[0], ops[-2] if len(ops) > 2 else ops[0], ops[-1]

    def lane(v, by):
        mask = d.as_int(by)
        if mask is None:
            raise Fault("a shuffle by data")
        t = tuple(-1 if x & 0x80 else x & 15 for x in mask.to_bytes(16, "little"))
        return d.shuffle([v], t)
    return lambda m: put(m, to, [lane(v, by) for v, by in zip(get(m, a, to.lanes), get(m, b, to.lanes))], name, 8)


# ---------------------------------------------------------------- lanes and quarters

@row("vinserti128", "vinserti32x4", "vinserti64x2", "vinsertf128", "vinserti64x4")
def _insert_lane(m, name, text, at, after):
    to, a, b, imm = m.operands(text, after)
    n = 2 if name.endswith("64x4") else 1

    def step(m):
        lanes = get(m, a, to.lanes)
        i = imm.value % (to.lanes // n) * n
        lanes[i:i + n] = get(m, b, n)
        put(m, to, lanes, name)
    return step


@row("vextracti128", "vextracti32x4", "vextracti64x2", "vextractf128", "vextracti64x4")
def _extract_lane(m, name, text, at, after):
    to, source, imm = m.operands(text, after)
    n = 2 if name.endswith("64x4") else 1

    def step(m):
        i = imm.value % (source.lanes // n) * n
        lanes = m.z[source.i][i:i + n]
        if isinstance(to, Vec):
            put(m, to, lanes, name)
        else:
            for k, v in enumerate(lanes):
                m.store(to.address(m) + 16 * k, 16, v)
    return step


@row("vshufi32x4", "vshufi64x2")
def _shuffle_lanes(m, name, text, at, after):
    to, a, b, imm = m.operands(text, after)
    n, each = to.lanes, 2 if to.lanes == 4 else 1

    def step(m):
        x, y = get(m, a, n), get(m, b, n)
        put(m, to, [(x if i < n // 2 else y)[imm.value >> each * i & (n - 1)] for i in range(n)], name)
    return step


@row("vperm2i128", "vperm2f128")
def _perm2(m, name, text, at, after):
    to, a, b, imm = m.operands(text, after)

    def step(m):
        lanes = get(m, a, 2) + get(m, b, 2)
        put(m, to, [ZERO() if imm.value >> 4 * i & 8 else lanes[imm.value >> 4 * i & 3] for i in range(2)], name)
    return step


def quarters(lanes):
    return [d.part(v, at, 64) for v in lanes for at in (0, 64)]


def from_quarters(q):
    return [d.concat(q[i:i + 2]) for i in range(0, len(q), 2)]


@row("valignq")
def _valignq(m, name, text, at, after):
    to, a, b, imm = m.operands(text, after)

    def step(m):
        q = quarters(get(m, b, to.lanes)) + quarters(get(m, a, to.lanes))
        i = imm.value % (2 * to.lanes)
        put(m, to, from_quarters(q[i:i + 2 * to.lanes]), name)
    return step


@row("vpermq")
def _vpermq(m, name, text, at, after):
    to, source, imm = m.operands(text, after)
    if not isinstance(imm, Imm):
        raise Missing("vpermq by a register")

    def step(m):
        q = quarters(get(m, source, to.lanes))
        put(m, to, from_quarters([q[i // 4 * 4 + (imm.value >> i % 4 * 2 & 3)] for i in range(len(q))]), name)
    return step


@row("vpermt2q", "vpermi2q")
def _permute2(m, name, text, at, after):
    to, a, b = m.operands(text, after)

    def step(m):
        old, x, y = get(m, to, to.lanes), get(m, a, to.lanes), get(m, b, to.lanes)
        first, index = (old, x) if name == "vpermt2q" else (x, old)
        q = quarters(first) + quarters(y)
        which = [d.as_int(i) for i in quarters(index)]
        if None in which:
            raise Fault("a permutation by data")
        put(m, to, from_quarters([q[i % len(q)] for i in which]), name)
    return step


# ---------------------------------------------------------------- tests and masks

@row("ptest", "vptest")
def _ptest(m, name, text, at, after):
    a, b = m.operands(text, after)

    def step(m):
        x, y = get(m, a, a.lanes), get(m, b, a.lanes)
        both = d.concat([d.and_(p, q) for p, q in zip(x, y)])
        other = d.concat([ZERO() if p.v == q.v else d.and_(d.invert(p), q) for p, q in zip(x, y)])
        m.flags = ("test", 0, both, other, 0, 0)
    return step


@row("kmovb", "kmovw", "kmovd", "kmovq")
def _kmov(m, name, text, at, after):
    to, source = m.operands(text, after)
    n = {"b": 8, "w": 16, "d": 32, "q": 64}[name[-1]]

    def step(m):
        if isinstance(source, Mask):
            v = m.k[source.i]
        elif isinstance(source, Mem):
            v = m.plain(m.load(source.address(m), n // 8))
        else:
            v = m.plain(source.get(m))
        v &= (1 << n) - 1
        if isinstance(to, Mask):
            m.k[to.i] = v
        elif isinstance(to, Mem):
            m.store(to.address(m), n // 8, v)
        else:
            to.set(m, v)
    return step


def _mask_logic(op, f):
    for c, n in (("b", 8), ("w", 16), ("d", 32), ("q", 64)):
        @row(f"k{op}{c}")
        def make(m, name, text, at, after, n=n):
            to, a, b = m.operands(text, after)

            def step(m):
                m.k[to.i] = f(m.k[a.i], m.k[b.i]) & ((1 << n) - 1)
            return step


_mask_logic("xor", lambda a, b: a ^ b)
_mask_logic("xnor", lambda a, b: ~(a ^ b))
_mask_logic("and", lambda a, b: a & b)
_mask_logic("or", lambda a, b: a | b)
_mask_logic("andn", lambda a, b: ~a & b)


@row("knotb", "knotw", "knotd", "knotq")
def _knot(m, name, text, at, after):
    to, a = m.operands(text, after)
    n = {"b": 8, "w": 16, "d": 32, "q": 64}[name[-1]]

    def step(m):
        m.k[to.i] = ~m.k[a.i] & ((1 << n) - 1)
    return step


@row("kortestb", "kortestw", "kortestd", "kortestq")
def _kortest(m, name, text, at, after):
    a, b = m.operands(text, after)
    n = {"b": 8, "w": 16, "d": 32, "q": 64}[name[-1]]

    def step(m):
        if isinstance(m.k[a.i], Differ) and a.i == b.i:
            m.flags = ("test", 0, m.k[a.i].bits, const(8, 1), 0, 0)
            return
        r = (m.k[a.i] | m.k[b.i]) & ((1 << n) - 1)
        m.flags = ("zero", int(r == 0), 0, 0, n, int(r == (1 << n) - 1))
    return step


@row("vpmovm2b")
def _movm2b(m, name, text, at, after):
    to, source = m.operands(text, after)

    def step(m):
        k = m.k[source.i]
        put(m, to, [const(128, sum(255 << 8 * i for i in range(16) if k >> 16 * lane + i & 1))
                    for lane in range(to.lanes)], name)
    return step


class Differ:
    """A mask of which it is only known what it was made of: its bits are whether elements of this are not 0."""

    def __init__(self, bits_):
        self.bits = bits_


def _compare(name, f, n):
    @row(name)
    def make(m, _, text, at, after):
        to, a, b = m.operands(text, after)

        def step(m):
            x, y = get(m, a, a.lanes), get(m, b, a.lanes)
            r, i = 0, 0
            if "neq" in name and to.mask is None:
                difference = d.concat([d.xor(p, q) for p, q in zip(x, y)])
                if d.as_int(difference) is None:
                    m.k[to.i] = Differ(difference)
                    return
                x, y = [difference], [const(difference.n, 0)]
            for p, q in zip(x, y):
                p, q = d.as_int(p), d.as_int(q)
                if p is None or q is None:
                    raise Fault("a comparison of data")
                for at_ in range(0, 128 * a.lanes // len(x), n):
                    u, v = p >> at_ & ((1 << n) - 1), q >> at_ & ((1 << n) - 1)
                    r |= int(f(u, v)) << i
                    i += 1
            m.k[to.i] = r & (m.k[to.mask] if to.mask is not None else r)
        return step


for _n, _c in ((8, "b"), (16, "w"), (32, "d"), (64, "q")):
    for _name, _f in (("leu", lambda u, v: u <= v), ("ltu", lambda u, v: u < v), ("neq", lambda u, v: u != v),
                      ("nleu", lambda u, v: u > v), ("nltu", lambda u, v: u >= v)):
        _compare(f"vpcmp{_name}{_c}", _f, _n)
    _compare(f"vptestm{_c}", lambda u, v: u & v != 0, _n)
    _compare(f"vptestnm{_c}", lambda u, v: u & v == 0, _n)
