// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
package org.rijn.jca;

import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.security.InvalidKeyException;
import java.security.MessageDigest;
import java.security.ProviderException;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A key or a state in native memory. It belongs to one cipher object and is wiped and freed when that one is
 * unreachable, never before: no call can meet memory that is gone. Whoever hands {@link #address} to a native call
 * calls {@link #keep} behind it.
 */
final class Memory {
  private static final Cleaner CLEANER = Cleaner.create();

  /**
   * The collector sees a small object where 2 KiB hang, so from this number of blocks on it is called by hand, as the
   * JDK does for direct buffers.
   */
  private static final int MANY = Integer.getInteger("rijn.manyKeys", 16384);

  private static final AtomicInteger LIVE = new AtomicInteger();
  private static volatile int collectAbove = MANY;

  final long address;
  private final Block block;

  /** What the cleaner knows: no reference to the memory's owner. */
  private static final class Block implements Runnable {
    private final long address;
    private final int kind;
    /** Null where the native memory has no key, or what a failed call left of one. */
    private byte[] raw;
    private int tagLength;

    Block(long address, int kind) {
      this.address = address;
      this.kind = kind;
    }

    void forget() {
      byte[] old = raw;
      if (old != null) {
        Arrays.fill(old, (byte) 0);
      }
      raw = null;
      tagLength = 0;
    }

    @Override
    public void run() {
      forget();
      Native.free(address, kind);
      LIVE.decrementAndGet();
    }
  }

  Memory(int kind) {
    if (LIVE.incrementAndGet() > collectAbove) {
      collect();
    }
    address = Native.allocate(kind);
    if (address == 0) {
      LIVE.decrementAndGet();
      throw new ProviderException("no native memory for a key");
    }
    block = new Block(address, kind);
    CLEANER.register(this, block);
  }

  static UsedNonce usedNonce() {
    return new UsedNonce(CLEANER);
  }

  /** Blocks that are not freed yet, those of unreachable objects among them. */
  static int live() {
    return LIVE.get();
  }

  private static synchronized void collect() {
    if (LIVE.get() <= collectAbove) {
      return;
    }
    System.gc();
    for (int wait = 0; wait < 20 && LIVE.get() > MANY; wait++) {
      try {
        Thread.sleep(5);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        break;
      }
    }
    collectAbove = Math.max(MANY, LIVE.get() > Integer.MAX_VALUE / 2 ? Integer.MAX_VALUE : 2 * LIVE.get());
  }

  /**
   * Makes the key of these raw bytes, unless it is there already.
   *
   * @return whether the raw bytes are those of the key before
   */
  boolean makeKey(byte[] raw, int tagLength) throws InvalidKeyException {
    // CT: the time depends on the length alone
    boolean same = MessageDigest.isEqual(raw, block.raw);
    if (same && tagLength == block.tagLength) {
      return true;
    }
    block.forget();
    int error = Native.makeKey(address, block.kind, raw, tagLength);
    keep();
    if (error != 0) {
      throw new InvalidKeyException(Native.reason(error));
    }
    block.raw = raw.clone();
    block.tagLength = tagLength;
    return same;
  }

  /** The object is reachable up to here. */
  void keep() {
    Reference.reachabilityFence(this);
  }
}
