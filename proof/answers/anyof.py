# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""The OR of many bits of data, which is how code looks whether any of them is 1, as in a comparison of tags.

The OR of a set of bits is an unknown of its own, the same for the same set: what holds for any value holds for this. So
no degree grows. bits_of() says of which set a bit is the OR: a verdict has to be that of all bits of a difference, and of
no other."""
import domain as d

_members = d.memory()   # field -> the fields that it is the OR of
_fields = d.memory()    # those -> field
ask = None              # is this 0? the machine's answer, where a verdict is made


def bits_of(field):
    return _members.get(field, frozenset([field]))


def known(b):
    """Is a bit of it an OR?"""
    raw = d.raw_of(b)
    return any(raw[i:i + d.F] in _members for i in range(0, len(raw), d.F))


def _either(x, y, nil, one):
    if x in (nil, y) or y == one:
        return y
    if y == nil or x == one:
        return x
    members = bits_of(x) | bits_of(y)
    if members not in _fields:
        field = _fields[members] = d.random_bits()
        _members[field] = members
    return _fields[members]


def any_of(a, b):
    if a.deg == 0 or b.deg == 0 or not d.overlap(a, b):
        return d.or_(a, b)
    ra, rb, nil, one = d.raw_of(a), d.raw_of(b), bytes(d.F), b"\xff" * d.F
    d.compared(max(a.deg, b.deg), a.n)
    return d.of_raw(b"".join(_either(ra[i:i + d.F], rb[i:i + d.F], nil, one) for i in range(0, len(ra), d.F)))


def less_one(a):
    """a - 1 where a is an OR with zeros above it: these become the answer to whether a is 0, for that is the borrow. None
    if it is not so."""
    top = a.n
    while top and not a.v >> (top - 1) * d.SAMPLES:
        top -= 1
    if top == a.n or ask is None or not known(a):
        return None
    return d.concat([d.fresh(top), d.const(a.n - top, (1 << a.n - top) - 1 if ask(a) else 0)])
