// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
package org.rijn.jca;

import java.lang.ref.Reference;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * AES-GCM encryption in pieces: the library's stream, with a key of its own, in native memory. WHY turns: the memory is
 * given back at the end of a message, when no other thread that misuses the object may be in a call with it. Results are
 * 0 or a negative error.
 */
final class GcmStream {
  private final AtomicBoolean taken = new AtomicBoolean();
  private Memory memory;

  private interface Work {
    int on(long address);
  }

  private int turn(Work work) {
    if (!taken.compareAndSet(false, true)) {
      return Native.EBUSY;
    }
    try {
      return memory == null ? Native.EBUSY : work.on(memory.address);
    } finally {
      Reference.reachabilityFence(this);
      taken.set(false);
    }
  }

  /** Whether there is memory for a stream now. */
  boolean reserve() {
    if (taken.compareAndSet(false, true)) {
      memory = memory != null ? memory : Memory.of(Native.GCM_STREAM);
      taken.set(false);
    }
    return memory != null;
  }

  /** Begins a message, with the nonce and the associated data of the call. */
  int start(CipherKey key, Call call) {
    key.count();
    return turn(address -> Native.gcmStart(address, key.raw(), call.bytes, call.length));
  }

  int update(byte[] told, Object in, Object out) {
    return turn(address -> Native.gcmUpdate(address, told, in, out, Native.kinds(in, out)));
  }

  /** More associated data. */
  int aad(byte[] data, int offset, int length) {
    return turn(address -> Native.gcmAad(address, data, offset, length));
  }

  int finish(byte[] tag, int tagLength) {
    return turn(address -> Native.gcmFinish(address, tag, tagLength));
  }

  /** Gives the memory back, unless another thread is in a call. */
  void free() {
    if (memory != null && taken.compareAndSet(false, true)) {
      Memory own = memory;
      memory = null;
      if (own != null) {
        own.free();
      }
      taken.set(false);
    }
  }
}
