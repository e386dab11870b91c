// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
package org.rijn.jca;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import javax.crypto.Cipher;

/** The ways in which a program can hand a text to a cipher. */
enum Texts {
  RETURNED,
  ARRAYS,
  IN_PLACE,
  HEAP_BUFFERS,
  DIRECT_BUFFERS,
  HEAP_TO_DIRECT,
  DIRECT_TO_HEAP,
  READ_ONLY,
  /** In place for a whole message only: the output begins a few bytes before or behind the input. */
  OVERLAPPING,
  DIRECT_OVERLAPPING;

  private static final int MARGIN = 40;
  private static final byte POISON = 0x5a;

  /** Output of one update or doFinal; everything around it is checked to be untouched. */
  byte[] run(Cipher cipher, byte[] data, int shift, boolean last) throws GeneralSecurityException {
    int size = cipher.getOutputSize(data.length);
    switch (this) {
      case RETURNED:
        byte[] got = last ? cipher.doFinal(data) : cipher.update(data);
        return got == null ? new byte[0] : got;
      case ARRAYS:
        return arrays(cipher, data, new byte[data.length + MARGIN], 7, size, 3 + shift, last);
      case IN_PLACE:
        return inPlace(cipher, data, size, MARGIN, last);
      case OVERLAPPING:
        return inPlace(cipher, data, size, MARGIN + shift, last);
      case DIRECT_OVERLAPPING:
        return directOverlapping(cipher, data, size, MARGIN + shift, last);
      default:
        return buffers(cipher, data, size, shift, last);
    }
  }

  private static byte[] arrays(
      Cipher cipher, byte[] data, byte[] in, int inOffset, int size, int outOffset, boolean last)
      throws GeneralSecurityException {
    System.arraycopy(data, 0, in, inOffset, data.length);
    byte[] out = new byte[Math.max(outOffset, 0) + size + MARGIN];
    Arrays.fill(out, POISON);
    int at = Math.max(outOffset, 0);
    int n = last ? cipher.doFinal(in, inOffset, data.length, out, at) : cipher.update(in, inOffset, data.length, out, at);
    untouched(out, 0, at);
    untouched(out, at + n, out.length);
    return Arrays.copyOfRange(out, at, at + n);
  }

  private static byte[] inPlace(Cipher cipher, byte[] data, int size, int outOffset, boolean last)
      throws GeneralSecurityException {
    byte[] both = new byte[Math.max(data.length, size) + 3 * MARGIN];
    Arrays.fill(both, POISON);
    System.arraycopy(data, 0, both, MARGIN, data.length);
    int n =
        last
            ? cipher.doFinal(both, MARGIN, data.length, both, outOffset)
            : cipher.update(both, MARGIN, data.length, both, outOffset);
    untouched(both, 0, Math.min(MARGIN, outOffset));
    untouched(both, Math.max(MARGIN + data.length, outOffset + n), both.length);
    return Arrays.copyOfRange(both, outOffset, outOffset + n);
  }

  private static byte[] directOverlapping(Cipher cipher, byte[] data, int size, int outOffset, boolean last)
      throws GeneralSecurityException {
    ByteBuffer both = ByteBuffer.allocateDirect(Math.max(data.length, size) + 3 * MARGIN);
    ByteBuffer in = both.duplicate();
    in.position(MARGIN);
    in.put(data).flip().position(MARGIN);
    ByteBuffer out = both.duplicate();
    out.position(outOffset);
    return through(cipher, in, out, last);
  }

  private byte[] buffers(Cipher cipher, byte[] data, int size, int shift, boolean last)
      throws GeneralSecurityException {
    boolean inDirect = this == DIRECT_BUFFERS || this == DIRECT_TO_HEAP;
    boolean outDirect = this == DIRECT_BUFFERS || this == HEAP_TO_DIRECT;
    ByteBuffer in = allocate(inDirect, data.length + MARGIN);
    in.position(5);
    in = in.slice();
    in.position(2);
    in.put(data).flip().position(2);
    ByteBuffer out = allocate(outDirect, size + 2 * MARGIN);
    out.position(3 + Math.abs(shift));
    return through(cipher, this == READ_ONLY ? in.asReadOnlyBuffer() : in, out, last);
  }

  private static byte[] through(Cipher cipher, ByteBuffer in, ByteBuffer out, boolean last)
      throws GeneralSecurityException {
    int at = out.position();
    int n = last ? cipher.doFinal(in, out) : cipher.update(in, out);
    if (in.hasRemaining() || out.position() != at + n) {
      throw new AssertionError("positions: " + in + ", " + out + " after " + n + " bytes from " + at);
    }
    byte[] got = new byte[n];
    ByteBuffer view = out.duplicate();
    view.position(at);
    view.get(got);
    return got;
  }

  private static ByteBuffer allocate(boolean direct, int size) {
    return direct ? ByteBuffer.allocateDirect(size) : ByteBuffer.allocate(size);
  }

  private static void untouched(byte[] bytes, int from, int to) {
    for (int i = from; i < to; i++) {
      if (bytes[i] != POISON) {
        throw new AssertionError("byte " + i + " outside of the output was written");
      }
    }
  }
}
