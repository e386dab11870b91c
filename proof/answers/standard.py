# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""What the standards say, in the values of domain.py. All proofs compare with this file: it is short so that it can be
believed by reading it, and known_answers.py holds it against the standards' own examples.

A block is Bits(128), byte 0 lowest. A polynomial of SP 800-38D is an integer of fields, that of x^i at place i."""
import aes
import domain as d
from domain import Bits, const, concat, part, xor

# ---------------------------------------------------------------- FIPS 197


def key_expansion(key):
    """Section 5.2. key: Bits of 128, 192 or 256. The round keys, as blocks."""
    nk = key.n // 32
    w = [part(key, 32 * i, 32) for i in range(nk)]
    rcon = 1
    for i in range(nk, 4 * (nk + 7)):
        t = w[i - 1]
        if i % nk == 0:
            t = d.shuffle([t], (1, 2, 3, 0))  # RotWord
            t = xor(aes.sub_bytes(t), const(32, rcon))
            rcon = rcon << 1 ^ (0x11b if rcon & 0x80 else 0)
        elif nk > 6 and i % nk == 4:
            t = aes.sub_bytes(t)
        w.append(xor(w[i - nk], t))
    return [concat(w[i:i + 4]) for i in range(0, len(w), 4)]


def encrypt(block, keys):
    """Section 5.1."""
    state = xor(block, keys[0])
    for key in keys[1:-1]:
        state = xor(aes.middle(state), key)
    return xor(aes.last(state), keys[-1])


def decrypt(block, keys):
    """Section 5.3, step by step."""
    state = xor(block, keys[-1])
    for key in keys[-2:0:-1]:
        state = aes.inv_mix_columns(xor(aes.inv_last(state), key))
    return xor(aes.inv_last(state), keys[0])


def decryption_keys(keys):
    """Section 5.3.5: the keys of the equivalent inverse cipher, in the order of use."""
    return [keys[-1]] + [aes.inv_mix_columns(k) for k in keys[-2:0:-1]] + [keys[0]]


# ---------------------------------------------------------------- SP 800-38D

def poly(block):
    """Section 6.3: the first bit of a block, the highest of byte 0, is the coefficient of x^0."""
    return d.reversed_fields(d.reverse_bytes(block).v)


def of_poly(p):
    return d.reverse_bytes(Bits(128, d.reversed_fields(p)))


def _reduce(p):
    """Modulo x^128 + x^7 + x^2 + x + 1."""
    s = d.SAMPLES
    while p >> 128 * s:
        high = p >> 128 * s
        p = (p & ((1 << 128 * s) - 1)) ^ high ^ high << s ^ high << 2 * s ^ high << 7 * s
    return p


def multiply(x, y):
    """Section 6.3: the product of two polynomials."""
    return _reduce(d.product(x, y, 128))


def multiply_x(p, k):
    """p times x^k; x^-1 = x^127 + x^6 + x + 1."""
    s = d.SAMPLES
    while k > 0:
        p, k = _reduce(p << s), k - 1
    while k < 0:
        low = p & d.ONES
        p, k = (p >> s) ^ low << 127 * s ^ low << 6 * s ^ low << s ^ low, k + 1
    return p


def counter_block(nonce, n):
    """Section 7.1, steps 2 and 3, for a nonce of 12 bytes: J0 is that of 1, the text's begin with 2."""
    return concat([nonce, const(32, int.from_bytes((n % 2**32).to_bytes(4, "big"), "little"))])


def number_block(n):
    """A number as a block, the highest byte first."""
    return const(128, int.from_bytes((n % 2**128).to_bytes(16, "big"), "little"))


def parts(data):
    """Blocks of data; the last one may be shorter."""
    return [part(data, i, min(128, data.n - i)) for i in range(0, data.n, 128)]


def padded(data):
    """Blocks of data, the last one with zeros behind it."""
    blocks = parts(data)
    return [concat([b, const(128 - b.n, 0)]) if b.n < 128 else b for b in blocks]


def lengths(aad_len, text_len):
    """Section 7.1, step 5: both in bits, as an integer of 128 bits whose first byte is the highest."""
    return 8 * aad_len << 64 | 8 * text_len


def ghash_meaning(bases):
    """Section 6.4: GHASH of the blocks X1 .. Xm is X1 H^m + X2 H^(m-1) + .. + Xm H."""
    return frozenset((base, len(bases) - i) for i, base in enumerate(bases))


# ---------------------------------------------------------------- SP 800-38B, as XAES-256-GCM has it

def cmac_subkey(keys):
    """6.1: K1, the block of zeros encrypted, times x; the first bit is the highest."""
    return d.reverse_bytes(times_alpha(d.reverse_bytes(encrypt(const(128, 0), keys))))


# ---------------------------------------------------------------- RFC 8452

def siv_keys(key, nonce):
    """Section 4: the key of POLYVAL, and the round keys of the message."""
    halves = [part(encrypt(concat([const(32, i), nonce]), key.keys), 0, 64) for i in range(2 + key.n // 64)]
    return concat(halves[:2]), key_expansion(concat(halves[2:]))


def siv_subkey(h):
    """Appendix A: POLYVAL is GHASH of blocks with their bytes reversed, under H with its bytes reversed times x, and
    its result reversed."""
    return multiply_x(poly_reversed(h), 1)


def poly_reversed(block):
    return poly(d.reverse_bytes(block))


# ---------------------------------------------------------------- SP 800-38E, IEEE 1619

def times_alpha(tweak):
    """IEEE 1619 5.2: byte 0 is the lowest; x^128 = x^7 + x^2 + x + 1."""
    top = d.repeat_bit(tweak, 127, 1)
    shifted = d.shift_left(tweak, 1)
    return xor(shifted, concat([_where(top, 0x87), const(120, 0)]))


def _where(bit, byte):
    return concat([bit if byte >> i & 1 else const(1, 0) for i in range(8)])


def xts(data, tweak, keys, tweak_keys, way):
    """5.3.2, 5.4.2 of IEEE 1619, with ciphertext stealing. way: encrypt or decrypt. Returns the text, and the encrypted
    tweak of the block behind the whole ones."""
    t = encrypt(tweak, tweak_keys)
    return xts_blocks(data, t, keys, way)


def xts_blocks(data, t, keys, way):
    blocks = [part(data, i, min(128, data.n - i)) for i in range(0, data.n, 128)]
    out = []
    whole = len(blocks) - (2 if data.n % 128 else 0)

    def one(block, t):
        return xor(way(xor(block, t), keys), t)
    for block in blocks[:whole]:
        out.append(one(block, t))
        t = times_alpha(t)
    if whole < len(blocks):
        last, rest = blocks[whole:]
        after = times_alpha(t)
        first, second = (t, after) if way is encrypt else (after, t)
        cc = one(last, first)
        out.append(one(concat([rest, part(cc, rest.n, 128 - rest.n)]), second))
        out.append(part(cc, 0, rest.n))
        t = times_alpha(after)
    return concat(out), t


d.names.multiply, d.names.multiply_x = multiply, multiply_x
