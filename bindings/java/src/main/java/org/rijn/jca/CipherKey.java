// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
package org.rijn.jca;

import java.lang.ref.Reference;
import java.security.InvalidKeyException;
import java.security.MessageDigest;
import java.util.Arrays;

/**
 * The key of a cipher object. Its raw bytes lie in an array, and each native call makes the key of them, which takes less
 * time than to give native memory back. Only a key that is used often is made once, in {@link Memory}. So a key for one
 * message leaves nothing for the collector but small arrays.
 *
 * <p>A native call is handed {@link #address} and {@link #raw}, in this order, and {@link #keep} stands behind it.
 */
final class CipherKey {
  /** Calls with a key until it gets memory: about as many as cost as much as the memory does. */
  private static final int OFTEN = 8;

  private final int kind;
  private byte[] raw = BaseCipher.NOTHING;
  private int tagLength;
  private int calls;
  private Memory memory;
  /** Whether the key is in the memory. */
  private boolean made;

  CipherKey(int kind) {
    this.kind = kind;
  }

  /**
   * From now on the key is of these raw bytes, of which it keeps a copy.
   *
   * @return whether they are those of the key before
   */
  boolean set(byte[] newRaw, int newTagLength) throws InvalidKeyException {
    int error = fault(newRaw);
    if (error != 0) {
      forget();
      throw new InvalidKeyException(Native.reason(error));
    }
    // CT: the time depends on the length alone
    boolean same = MessageDigest.isEqual(newRaw, raw);
    if (same && newTagLength == tagLength) {
      return true;
    }
    forget();
    raw = newRaw.clone();
    tagLength = newTagLength;
    return same;
  }

  /** What is wrong with a key, or 0. WHY here: the library is asked when the key is used, and init has to say it. */
  private int fault(byte[] bytes) {
    int n = bytes.length;
    if (kind != Native.XTS_KEY) {
      return n == 16 || n == 24 || n == 32 ? 0 : Native.EKEYLEN;
    }
    if (n != 32 && n != 64) {
      return Native.EKEYLEN;
    }
    byte[] one = Arrays.copyOf(bytes, n / 2);
    byte[] two = Arrays.copyOfRange(bytes, n / 2, n);
    boolean equal = MessageDigest.isEqual(one, two);
    Arrays.fill(one, (byte) 0);
    Arrays.fill(two, (byte) 0);
    return equal ? Native.EWEAKKEY : 0;
  }

  private void forget() {
    Arrays.fill(raw, (byte) 0);
    raw = BaseCipher.NOTHING;
    calls = 0;
    if (made) {
      made = false;
      Native.wipe(memory.address, kind);
    }
  }

  /** For a native call: where the key is, or 0. */
  long address() {
    count();
    if (!made && often()) {
      make();
    }
    return made ? memory.address : 0;
  }

  void count() {
    calls = Math.min(calls, OFTEN) + 1;
  }

  /** Whether more messages with this key are likely. */
  boolean often() {
    return calls > OFTEN;
  }

  private void make() {
    Memory own = memory != null ? memory : Memory.of(kind);
    if (own != null && Native.makeKey(own.address, kind, raw, tagLength) == 0) {
      own.holds(raw);
      memory = own;
      made = true;
    }
  }

  /** For a native call, and for a stream, which has a key of its own. */
  byte[] raw() {
    return raw;
  }

  int tagLength() {
    return tagLength;
  }

  /** The object is reachable up to here. */
  void keep() {
    Reference.reachabilityFence(this);
  }
}
