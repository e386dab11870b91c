# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""What all harnesses share: a call of a kernel with unknowns for data, and the look at what it leaves.

A harness of a shape of kernels (src/kernels.def) lays out memory, calls the kernel, and compares what it wrote with
standard.py. Each is a class with a method a call (gcm.py, xts.py, modes.py)."""
import domain as d
import standard as s
from domain import Bits, Fault, concat, const, part
from machine import Region

STACK, STACK_SIZE = 0x7ff000000000, 1 << 17
TOP = STACK + STACK_SIZE - 4096
PLACES = {"key": 0x10000000000, "raw": 0x11000000000, "in": 0x12000000000, "out": 0x13000000000, "aad": 0x14000000000,
          "nonce": 0x15000000000, "tag": 0x16000000000, "other": 0x17000000000}
TOP_PLACE = 0x20000000000  # and what is above, for many messages


def data(name, n):
    """The first n bytes of an endless unknown: those of a shorter text are those of a longer one."""
    blocks = [d.unknown((name, i), 128) for i in range((n + 15) // 16)]
    return blocks if n % 16 == 0 else blocks[:-1] + [part(blocks[-1], 0, 8 * (n % 16))]


def put_data(region, parts, at=0):
    for p in parts:
        region.store(at, p.n // 8, p)
        at += p.n // 8


class Harness:
    """Calls of the kernels of one set."""

    def __init__(self, machine, set_):
        self.m, self.set = machine, set_

    # -- memory for a call

    def begin(self):
        m = self.m
        m.regions = [m.constants]
        m.stack_top, m.verdict = TOP, None
        self.stack = m.region("stack", STACK, STACK_SIZE, missing=m.unwritten)

    def region(self, name, size, write=False, at=0, **how):
        return self.m.region(name, PLACES[name] + at, size, write=write, **how)

    def take(self, name, region):
        """A region that was made before."""
        region.name, region.base = name, PLACES[name]
        self.m.regions.append(region)
        return region

    # -- the call, and what all calls owe

    def call(self, kernel, *args):
        """kernel: the name of one, or of a public call."""
        address = self.set.kernels.get(kernel) or self.m.library.exports[kernel]
        result = self.m.call(address, list(args))
        not_kept = self.m.not_kept()
        if not_kept:
            raise Fault(f"{kernel} does not keep {', '.join(not_kept)}")
        self.left = (kernel, self.m.residues(self.stack, self.m.sp))
        return result

    def end(self):
        """Of a call whose answer was right: nothing that is not public is left."""
        kernel, left = self.left
        if left:
            raise Fault(f"{kernel} leaves what is not public in {', '.join(left[:12])}" + (" .." if left[12:] else ""))

    def same(self, region, at, want, what):
        """The bytes of region from at on are those of want. what: names a byte of it by its number."""
        n = want.n // 8
        try:
            got = region.load(at, n)
        except Fault as e:
            raise Fault(f"{what(0)}: {e.args[0]}") from None
        got = const(8 * n, got) if isinstance(got, int) else got
        d.compared(max(got.deg, want.deg, 1))
        if got.v != want.v:
            raw, wanted = d.bytes_of(got), d.bytes_of(want)
            raise Fault(f"{what(next(i for i in range(n) if raw[i] != wanted[i]))} is wrong")

    def public(self, *values):
        for v in values:
            self.m.publish(v)


def status(value):
    """An int as a kernel returns it."""
    if not isinstance(value, int):
        raise Fault("the value it returns depends on data")
    return (value & 0xffffffff) - (1 << 32 if value >> 31 & 1 else 0)


def in_any_form(block):
    """A round key as a set may keep it: as the standard has it, or its bytes in reverse."""
    return {block.v, d.reverse_bytes(block).v}


class Key:
    """A raw key of so many bits: the standard's round keys, and their samples."""

    def __init__(self, name, n, raw=None):
        self.label, self.n = name, n
        self.raw = d.unknown((name, n), n) if raw is None else raw
        self.keys = s.key_expansion(self.raw)
        self.rounds = len(self.keys) - 1

    def check(self, region, at, keys, which="round key"):
        for i, key in enumerate(keys):
            got = region.load(at + 16 * i, 16)
            d.compared(1, 2)
            if not isinstance(got, Bits) or got.v not in in_any_form(key):
                raise Fault(f"{which} {i} of {len(keys) - 1} is wrong")

    def check_decryption(self, region, at):
        """In the order of use: of the equivalent inverse cipher, or plain."""
        for i, key in enumerate(s.decryption_keys(self.keys)):
            got = region.load(at + 16 * i, 16)
            d.compared(1, 4)
            if not isinstance(got, Bits) or got.v not in in_any_form(key) | in_any_form(self.keys[self.rounds - i]):
                raise Fault(f"round key {i} of {self.rounds} for decryption is wrong")


__all__ = ["Bits", "Fault", "Harness", "Key", "Region", "TOP_PLACE", "concat", "const", "data", "in_any_form", "part", "put_data",
           "status"]
