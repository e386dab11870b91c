# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""x86-64: the rows of instructions with vectors and masks, of SSE, AVX, AVX2, AVX-512, AES and carry-less products."""
import aes
import domain as d
from domain import Fault, Missing, const
from values import bits, elements, equal, greater, minus, number, plus, same_is_zero, shift_elements
from x86 import Gpr, Imm, Mem, Vec, row

ZERO = lambda: const(128, 0)  # noqa: E731


def get(m, o, lanes):
    """The lanes of an operand."""
    if isinstance(o, Vec):
        return m.z[o.i][:lanes]
    a = o.address(m)
    if o.broadcast:
        return [d.concat([m.load_bits(a, o.n // 8)] * (128 // o.n))] * lanes
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


@row("movss", "movsd", "vmovss", "vmovsd")
def _scalar(m, name, text, at, after):
    """A load clears what is above; a store has the lowest part alone."""
    *ops, = m.operands(text, after)
    n = 32 if name[-2:] == "ss" else 64
    if len(ops) == 3 or all(isinstance(o, Vec) for o in ops):
        to, high, low = ops[0], ops[-2], ops[-1]
        return lambda m: put(m, to, [d.concat([d.part(m.z[low.i][0], 0, n), d.part(m.z[high.i][0], n, 128 - n)])], name, n)
    to, source = ops
    if isinstance(to, Vec):
        return lambda m: put(m, to, [d.extend(m.load_bits(source.address(m), n // 8), 128)], name, n)
    return lambda m: m.store(to.address(m), n // 8, d.part(m.z[source.i][0], 0, n))


def _widen(name, signed, small, big):
    @row(name, "v" + name)
    def make(m, name, text, at, after):
        to, source = m.operands(text, after)
        count = to.n // big

        def step(m):
            if isinstance(source, Vec):
                v = d.concat(m.z[source.i][:(count * small + 127) // 128])
            else:
                v = m.load_bits(source.address(m), count * small // 8)
            parts = []
            for i in range(count):
                x = d.part(v, small * i, small)
                above = d.repeat_bit(x, small - 1, big - small) if signed else const(big - small, 0)
                parts.append(d.concat([x, above]))
            each = 128 // big
            put(m, to, [d.concat(parts[i:i + each]) for i in range(0, count, each)], name, big)
        return step


for _s, _kind in ((True, "s"), (False, "z")):
    for _a, _small in (("b", 8), ("w", 16), ("d", 32)):
        for _b, _big in (("w", 16), ("d", 32), ("q", 64)):
            if _small < _big:
                _widen(f"pmov{_kind}x{_a}{_b}", _s, _small, _big)


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
    n = {"vbroadcastss": 32, "vbroadcastsd": 64, "vmovddup": 64}.get(name) or element_of(name)

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
