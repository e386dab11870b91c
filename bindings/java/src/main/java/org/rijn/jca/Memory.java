// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
package org.rijn.jca;

import java.lang.ref.Cleaner;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Native memory with a key in it. It is wiped and given back by {@link #free}, or when its owner is unreachable. Whoever
 * hands {@link #address} to a native call keeps the owner reachable until the call is over.
 *
 * <p>There are only so many, and who gets none does without. WHY: the collector sees a small object where 2 KiB hang,
 * and may leave a million of them uncollected for minutes. To call it would stop the whole virtual machine.
 */
final class Memory {
  private static final Cleaner CLEANER = Cleaner.create();
  private static final int MOST = Integer.getInteger("rijn.manyKeys", 16384);
  private static final AtomicInteger LIVE = new AtomicInteger();

  final long address;
  private final Block block;
  private final Cleaner.Cleanable cleanable;

  /** What the cleaner knows: no reference to the memory's owner. */
  private static final class Block implements Runnable {
    private final long address;
    private final int kind;
    private byte[] raw = BaseCipher.NOTHING;

    Block(long address, int kind) {
      this.address = address;
      this.kind = kind;
    }

    @Override
    public void run() {
      Arrays.fill(raw, (byte) 0);
      Native.free(address, kind);
      LIVE.decrementAndGet();
    }
  }

  private Memory(long address, int kind) {
    this.address = address;
    block = new Block(address, kind);
    cleanable = CLEANER.register(this, block);
  }

  /** Memory of zeros; null where there is none, or as much as there may be. */
  static Memory of(int kind) {
    long address = LIVE.incrementAndGet() > MOST ? 0 : Native.allocate(kind);
    if (address == 0) {
      LIVE.decrementAndGet();
      return null;
    }
    return new Memory(address, kind);
  }

  /** Blocks that are not given back yet, those of unreachable objects among them. */
  static int live() {
    return LIVE.get();
  }

  /** These bytes are wiped with it. */
  void holds(byte[] raw) {
    block.raw = raw;
  }

  /** Nobody may be in a call with the address. */
  void free() {
    cleanable.clean();
  }
}
