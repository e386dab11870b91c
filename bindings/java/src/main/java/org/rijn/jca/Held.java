// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
package org.rijn.jca;

import java.security.ProviderException;
import java.util.Arrays;

/** Input that waits for the end of its message. */
final class Held {
  /** More is refused. */
  private static final int MOST =
      Math.max(0, Math.min(Integer.getInteger("rijn.gcm.buffer", Integer.MAX_VALUE), Integer.MAX_VALUE - 8));

  private byte[] bytes = BaseCipher.NOTHING;
  private int length;

  int length() {
    return length;
  }

  byte[] bytes() {
    return bytes;
  }

  void add(Object in, int offset, int count) {
    if (count > MOST - length) {
      throw new ProviderException(
          "a message that is not whole is held, up to " + MOST + " bytes (rijn.gcm.buffer), and this one is longer:"
              + " encrypt long data as many messages");
    }
    if (count > bytes.length - length) {
      int grown = (int) Math.min(MOST, Math.max(2L * bytes.length, (long) length + count));
      byte[] old = bytes;
      bytes = Arrays.copyOf(old, grown);
      Arrays.fill(old, (byte) 0);
    }
    BaseCipher.read(in, offset, bytes, length, count);
    length += count;
  }

  /** Wiped, since with XTS and in place it may be text. Small room is kept for the next message. */
  void clear() {
    // Threads that misuse one object may leave a length that is another array's.
    byte[] old = bytes;
    Arrays.fill(old, 0, Math.min(length, old.length), (byte) 0);
    length = 0;
    if (old.length > 1 << 16) {
      bytes = BaseCipher.NOTHING;
    }
  }
}
