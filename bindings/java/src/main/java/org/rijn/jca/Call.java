// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
package org.rijn.jca;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * What a native call is told beside its texts: {@code struct call} of text.h, then the nonce (or the tweak), then the
 * associated data. One array, because every further argument of a native call costs time of its own.
 */
final class Call {
  private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.nativeOrder());
  private static final int IN_OFFSET = 0;
  private static final int LENGTH = 4;
  private static final int OUT_OFFSET = 8;
  private static final int NONCE_LENGTH = 12;
  private static final int AAD_LENGTH = 16;
  private static final int TAG_LENGTH = 20;
  static final int HEADER = 24;
  /** As much as arrays can have everywhere. */
  private static final int MOST = Integer.MAX_VALUE - 8;

  byte[] bytes = new byte[HEADER + 40];
  int length = HEADER;
  private int aadLength;
  private int nonceLength;

  int aadLength() {
    return aadLength;
  }

  int nonceLength() {
    return nonceLength;
  }

  /** Begins a message; what was there is gone. */
  void begin(byte[] nonce, int tagLength) {
    length = HEADER;
    aadLength = 0;
    nonceLength = nonce.length;
    append(nonce, 0, nonce.length);
    INT.set(bytes, NONCE_LENGTH, nonce.length);
    INT.set(bytes, AAD_LENGTH, 0);
    INT.set(bytes, TAG_LENGTH, tagLength);
  }

  /** More associated data. */
  void aad(byte[] data, int offset, int count) {
    append(data, offset, count);
    aadLength += count;
    INT.set(bytes, AAD_LENGTH, aadLength);
  }

  /** More associated data: what remains of the buffer. */
  void aad(ByteBuffer data) {
    int count = data.remaining();
    room(count);
    data.get(bytes, length, count);
    length += count;
    aadLength += count;
    INT.set(bytes, AAD_LENGTH, aadLength);
  }

  /** Where the text of the next native call lies. */
  byte[] text(int inOffset, int count, int outOffset) {
    INT.set(bytes, IN_OFFSET, inOffset);
    INT.set(bytes, LENGTH, count);
    INT.set(bytes, OUT_OFFSET, outOffset);
    return bytes;
  }

  private void append(byte[] data, int offset, int count) {
    room(count);
    System.arraycopy(data, offset, bytes, length, count);
    length += count;
  }

  private void room(int count) {
    if (count > MOST - length) {
      throw new IllegalStateException("more than " + (MOST - HEADER) + " bytes of associated data");
    }
    if (count > bytes.length - length) {
      int doubled = (int) Math.min(MOST, 2L * bytes.length);
      bytes = Arrays.copyOf(bytes, Math.max(doubled, length + count));
    }
  }
}
