# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
"""A core like Intel's Golden Cove, simulated: cycles that straight code takes there, NOT measured. For model-calls.

What is simulated: six operations a cycle go in program order to the schedulers, where each is bound to the one of its
ports that has the least to do; it starts when what it reads is there and its port is free, the oldest first; 512 are
under way at most. Push and pop move no stack pointer; moves between registers, and zeros, take no port. What is not:
caches (all is in the first), branches that are predicted wrong, loads that wait for stores.

WHY not llvm-mca: it binds no operation to a port before it starts, and so does not see that the products of a message
can keep the shuffles of the next one waiting, which was measured to cost 20 % (src/isa/ops_x86_512.h).
"""
import collections
import functools
import re

ALU, SHIFT, LOADS, STORES, DATA = (0, 1, 5, 6, 10), (0, 6), (2, 3, 11), (7, 8), (4, 9)
ANY, P01, P15 = (0, 1, 5), (0, 1), (1, 5)  # of vectors
WIDE = {ANY: (0, 5), P01: (0,), P15: (5,), LOADS: (2, 3), DATA: (4,)}  # the same for 512 bits
PREFERRED = (6, 10, 5, 1, 0, 11, 3, 2, 9, 4, 8, 7)  # of ports that have as little to do
UNDER_WAY, SCHEDULER, LOAD_SCHEDULER, STORE_SCHEDULER, QUEUE, WIDTH, FETCHED, RETIRED = 512, 97, 70, 38, 72, 6, 8, 8
Op = collections.namedtuple("Op", "ports latency reads writes")  # no ports: done without one
Instruction = collections.namedtuple("Instruction", "ops slots name")

OLD = "ax bx cx dx si di bp sp".split()
NAMES = {p + n: f"r{i}" for i, n in enumerate(OLD) for p in ("r", "e", "")}
NAMES.update({(n[0] if n[1] == "x" else n) + "l": f"r{i}" for i, n in enumerate(OLD)})
NAMES.update({f"r{i}{s}": f"r{i}" for i in range(8, 16) for s in ("", "d", "w", "b")})
STACK = NAMES["rsp"]
JUMP, FUSED = re.compile(r"j(?!mp)\w+$"), re.compile(r"(cmp|test|and|add|sub|inc|dec)[bwlq]?$")
MOVE = re.compile(r"v?(mov(dq[au]\d*|[au]p[sd]|[qd]|[lh]p[sd])|lddqu)$")
# Name, ports and latency; of those on vectors without the v, and a second time if it is another with an operand in
# memory. The first that fits.
INTEGER = [(re.compile(name), *rest) for name, *rest in [
    (r"i?mul|popcnt|[lt]zcnt|bs[fr]", (1,), 3), (r"s[ha][lr]|ro[lr]|bt[crs]?|adc|sbb", SHIFT, 1), (r"bswap", P15, 1),
    (r"add|sub|and|x?or|not|neg|inc|dec|cltq|cqto|bzhi", ALU, 1)]]
VECTOR = [(re.compile(name), *rest) for name, *rest in [
    (r"aes(enc|dec)", P01, 3), (r"pclmul", (5,), 3), (r"insert[if]|broadcast[if]", (5,), 3, ANY, 1),
    (r"extract[if]|shuf[if]|perm|align[dq]|p(compress|expand)|p?broadcast", (5,), 3),
    (r"p(shuf|align|slldq|srldq)|punpck|unpck|shufp", P15, 1), (r"ps[lr][la]|pro[lr]", P01, 1),
    (r"p?movmsk", (0,), 3), (r"p(ternlog|and|or|xor|add|sub|cmp|blend|abs|min|max)|and|or|xor|blend", ANY, 1)]]


def register(name):
    vector = re.match(r"[xyz]mm(\d+)$", name)
    return f"v{vector[1]}" if vector else name if re.match(r"k\d$", name) else NAMES.get(name)


class Text:
    """An instruction as objdump writes it, taken apart: sources before the destination."""

    def __init__(self, text):
        text = re.sub(r"\s+[<#].*", "", re.sub(r"^(bnd|notrack|data16|cs|repz?)\s+", "", text))
        self.name, _, rest = text.partition(" ")
        self.masks, self.zeroed = re.findall(r"\{%(k[1-7])\}", rest), "{z}" in rest
        rest = re.sub(r"\{[^}]*\}", "", rest)
        self.args = [o.strip() for o in re.findall(r"[^,(]*(?:\([^)]*\))?[^,(]*", rest) if o.strip()]
        self.regs = [register(a[1:]) if a.startswith("%") else None for a in self.args]
        memory = [i for i, a in enumerate(self.args) if "(" in a or re.match(r"-?0x[0-9a-f]+$", a) and text[0] != "j"]
        self.memory = bool(memory)
        self.stores = memory == [len(self.args) - 1] if memory else False
        self.at = [r for r in map(register, re.findall(r"%(\w+)", self.args[memory[0]])) if r] if memory else []
        self.vector, self.wide = "mm" in rest, "%zmm" in rest
        self.all = [r for r in self.regs if r]
        self.last = self.regs[-1] if self.regs else None
        self.others = [r for r in self.regs[:-1] if r]
        self.base = self.name[1:] if self.name.startswith("v") else self.name

    def ports(self, ports):
        return WIDE.get(ports, ports) if self.wide else ports

    def load(self, writes="memory"):
        return Op(self.ports(LOADS), 7 if self.vector else 5, self.at, writes)

    def store(self, reads):
        return [Op(STORES, 1, self.at, None), Op(self.ports(DATA), 1, reads, None)]

    def work(self, ports, latency, reads, writes, flags=False):
        """One operation, with what is loaded before it and stored behind it."""
        ops = [self.load()] if self.memory else []
        ops.append(Op(self.ports(ports), latency, [*reads, *(["memory"] if ops else [])],
                      "result" if self.stores else writes))
        ops += [Op((), 0, [ops[-1].writes], "flags")] if flags else []
        return Instruction(ops + (self.store(["result"]) if self.stores else []), 1 + self.stores, self.name)


@functools.lru_cache(None)
def parse(text):
    t = Text(text)
    for way in (parse_flow, parse_move, parse_vector if t.vector else parse_integer):
        found = way(t)
        if found:
            return found
    raise ValueError(f"unknown instruction: {text}")


def parse_flow(t):
    """What moves no data but the stack's."""
    moved = t.last == STACK and t.name[:3] in ("add", "sub", "and", "lea", "mov")
    if moved or t.name.startswith(("nop", "endbr", "xchg")):
        return Instruction([], 1, t.name)
    if t.name == "vzeroupper":
        return Instruction([], 4, t.name)
    if t.name.startswith(("push", "call")):
        jump = [Op((6,), 1, t.all + t.at, None)] if t.name[0] == "c" else []
        return Instruction([Op(STORES, 1, [], None), Op(DATA, 1, t.all, None), *jump], 1 + len(jump), t.name)
    if t.name.startswith("pop"):
        return Instruction([Op(LOADS, 5, [], t.last)], 1, t.name)
    if t.name.startswith("ret"):
        return Instruction([Op(LOADS, 5, [], "memory"), Op((6,), 1, ["memory"], None)], 2, t.name)
    if t.name.startswith("jmp"):
        to = ["memory"] if t.at else [register(a[2:]) for a in t.args if a.startswith("*%")]
        return Instruction([*([t.load()] if t.at else []), Op((6,), 1, to, None)], 1, t.name)
    if JUMP.match(t.name):
        return Instruction([Op(SHIFT, 1, ["flags"], None)], 1, t.name)
    return None


def parse_move(t):
    """Moves, and zeros: some take no port."""
    if re.match(r"p?xor", t.base) and not t.memory and len({*t.regs}) == 1:
        return Instruction([Op((), 0, [], t.last), Op((), 0, [], "flags")], 1, t.name)
    whole = t.memory and not t.stores and not t.masks
    if whole and re.match(r"p?broadcast", t.base):
        return Instruction([t.load(t.last)], 1, t.name)
    if not (MOVE.match(t.name) or t.name.startswith("mov") and not t.vector):
        return None
    kept = t.masks + ([t.last] if t.masks and not t.zeroed else [])
    if t.stores:
        return Instruction(t.store(t.others + t.masks), 1, t.name)
    if t.memory and not t.masks and not re.search(r"mov[lh]p", t.name):
        return Instruction([t.load(t.last)], 1, t.name)
    if t.memory:
        return t.work(ANY, 1, kept or [t.last], t.last)
    if not t.others or not t.vector and re.match(r"mov[zs]", t.name):
        return t.work(ALU, 1, t.others, t.last)
    if t.others[0][0] != t.last[0]:
        return t.work((5,) if t.last[0] == "v" else (0,), 3, t.others, t.last)
    if t.masks or t.others[0] == t.last or re.match(r"v?movq", t.name) and t.vector:
        return t.work(ANY if t.vector else ALU, 1, t.others + kept, t.last)
    return Instruction([Op((), 0, t.others, t.last)], 1, t.name)


def parse_integer(t):
    if re.match(r"(cmp|test|bt)[bwlq]?$", t.name):
        return t.work(ALU, 1, t.all, "flags")
    if t.name.startswith("lea"):
        return Instruction([Op(ALU if len(t.at) < 2 else P15, 1, t.at, t.last)], 1, t.name)
    if t.name.startswith(("cmov", "set")):
        return t.work(SHIFT, 1, t.all + ["flags"], t.last)
    if t.name.startswith("k"):
        move = "mov" in t.name
        return t.work((5,) if move or "sh" in t.name else (0,), 3 if move else 1, t.others, t.last)
    for name, ports, latency in INTEGER:
        if name.match(t.name):
            return t.work(ports, latency, t.all, t.last, flags=t.name != "bswap")
    return None


def parse_vector(t):
    reads = t.others + t.masks + ([t.last] if t.masks and not t.zeroed else [])
    if t.name[0] != "v" and not re.match("pshufd|pabs|pextr", t.name) and t.last:
        reads = reads + [t.last]
    two = {"aesi": (P01, P01, 3), "aesk": (P01, P01, 3), "pins": ((5,), P15, 1), "pext": (P15, (0,), 3),
           "ptes": ((0,), (5,), 3)}.get(t.base[:4])
    if two and t.base[:4] == "pins" and t.memory:
        return t.work(P15, 1, reads, t.last)
    if two:
        test = t.base == "ptest"
        ops = [Op(two[0], 3, reads + [t.last] * test, "result"),
               Op(two[1], two[2], ["result"], "flags" if test else "stored" if t.stores else t.last)]
        return Instruction(ops + (t.store(["stored"]) if t.stores else []), 2, t.name)
    if re.match(r"p(cmp|testn?m)", t.base) and t.last and t.last[0] == "k":
        return t.work((5,), 3, reads, t.last)
    for name, ports, latency, *memory in VECTOR:
        if name.match(t.base):
            return t.work(*(memory if memory and t.memory else (ports, latency)), reads, t.last)
    return None


def items(trace):
    """(operations, slots, ends a fetch, the last) for each instruction of the trace, which is (text, jumps) each. A
    comparison and the jump behind it are one."""
    parsed = [(*parse(text), jumps) for text, jumps in trace]
    found, skip = [], False
    for (ops, count, name, jumps), after in zip(parsed, [*parsed[1:], (None, 0, "", False)]):
        if skip:
            skip = False
        elif FUSED.match(name) and JUMP.match(after[2]) and STORES not in [o.ports for o in ops]:
            skip = True
            found.append(([o._replace(ports=SHIFT) if o.ports == ALU else o for o in ops], count, after[3]))
        else:
            found.append((ops, count, jumps))
    return [(*item, i == len(found) - 1) for i, item in enumerate(found)]


class Core:
    def __init__(self):
        self.now, self.under_way, self.ends = 0, 0, []
        self.queue, self.order = collections.deque(), collections.deque()
        self.schedulers = {"work": [], "load": [], "store": []}  # (when it is done, reads, port, latency)
        self.busy = [0] * 12
        self.made = {}  # register -> when it is there: a list of one, because that is not known at first

    def retire(self):
        for _ in range(RETIRED):
            if not self.order or any(t[0] > self.now for t in self.order[0][0]):
                break
            times, last = self.order.popleft()
            self.under_way -= max(1, len(times))
            if last:
                self.ends.append(self.now)

    def start(self):
        taken = set()
        for scheduler in self.schedulers.values():
            left = []
            for entry in scheduler:
                time, reads, port, latency = entry
                if port in taken or any(r[0] > self.now for r in reads):
                    left.append(entry)
                else:
                    taken.add(port)
                    time[0] = self.now + latency
                    self.busy[port] -= 1
            scheduler[:] = left

    def room(self, ops):
        s = self.schedulers
        need = {name: sum(kind(o.ports) == name for o in ops) for name in s}
        return (self.under_way + max(1, len(ops)) <= UNDER_WAY
                and all(len(s[name]) + need[name] <= most for name, most in
                        (("work", SCHEDULER), ("load", LOAD_SCHEDULER), ("store", STORE_SCHEDULER))))

    def bind(self):
        slots = 0
        while self.queue:
            ops, count, last = self.queue[0]
            if slots and slots + count > WIDTH or slots >= WIDTH or not self.room(ops):
                break
            self.queue.popleft()
            slots += count
            times = []
            for op in ops:
                reads = [self.made[r] for r in op.reads if r in self.made]
                if op.ports:
                    port = min(op.ports, key=lambda p: (self.busy[p], PREFERRED.index(p)))
                    time = [1 << 60]
                    times.append(time)
                    self.busy[port] += 1
                    self.schedulers[kind(op.ports)].append((time, reads, port, op.latency))
                else:
                    time = reads[0] if reads else [self.now]
                if op.writes:
                    self.made[op.writes] = time
            self.order.append((times, last))
            self.under_way += max(1, len(times))


def kind(ports):
    return "load" if 2 in ports else "store" if 7 in ports else "work" if ports else None


def cycles(trace, turns):
    """Of one turn, where the trace runs so many times; the first half is not counted."""
    code, core, fetched = items(trace), Core(), 0
    while len(core.ends) < turns:
        core.retire()
        core.start()
        core.bind()
        slots = 0
        while slots < FETCHED and len(core.queue) < QUEUE and fetched < turns * len(code):
            ops, count, jumps, last = code[fetched % len(code)]
            core.queue.append((ops, count, last))
            fetched += 1
            slots = FETCHED if jumps else slots + count
        core.now += 1
    return (core.ends[-1] - core.ends[turns // 2 - 1]) / (turns - turns // 2)
