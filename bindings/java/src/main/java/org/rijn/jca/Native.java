// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
package org.rijn.jca;

import java.nio.ByteBuffer;

/**
 * The native library, call by call ({@code src/main/c}). A text is a {@code byte[]} or a direct {@link ByteBuffer};
 * {@code kinds} says which ({@link #IN_DIRECT}, {@link #OUT_DIRECT}). A {@code call} is what {@link Call} writes. A
 * {@code key} is an address, or 0, and the key is made of {@code raw} then. Results are 0 or a negative error.
 */
final class Native {
  /** Kinds of memory: the order is that of native.h. */
  static final int GCM_KEY = 0;
  static final int GCM_STREAM = 1;
  static final int AES_KEY = 2;
  static final int XTS_KEY = 3;
  static final int SIV_KEY = 4;

  static final int IN_DIRECT = 1;
  static final int OUT_DIRECT = 2;
  /** Arrays are copied, not held: as in text.h. */
  static final int COPY = 4;

  /** Functions for {@link #gcmFunction}: as in native.h. */
  static final int ENCRYPT = 0;
  static final int DECRYPT = 1;
  static final int ONCE = 2;

  private static final int COPIES = "false".equals(System.getProperty("rijn.hold")) ? COPY : 0;

  /** The tag does not match; as in rijn.h. */
  static final int EAUTH = -1;
  /** The length of a key; as in rijn.h. */
  static final int EKEYLEN = -3;
  /** Input and output overlap without being equal; as in rijn.h. */
  static final int EOVERLAP = -8;
  /** Both halves of an XTS key are equal; as in rijn.h. */
  static final int EWEAKKEY = -10;
  /** No memory; as in text.h. */
  static final int EMEMORY = -100;
  /** Another thread uses the same object; of this side alone. */
  static final int EBUSY = -102;

  private Native() {}

  static native long allocate(int kind);

  static native void free(long address, int kind);

  static native void wipe(long address, int kind);

  static native int makeKey(long address, int kind, byte[] raw, int tagLength);

  static native int gcmSeal(long key, byte[] raw, byte[] call, int callLength, Object in, Object out, int kinds);

  static native int gcmOpen(long key, byte[] raw, byte[] call, int callLength, Object in, Object out, int kinds);

  static native int gcmStart(long stream, byte[] raw, byte[] call, int callLength);

  static native int gcmAad(long stream, byte[] data, int offset, int length);

  static native int gcmUpdate(long stream, byte[] call, Object in, Object out, int kinds);

  static native int gcmFinish(long stream, byte[] tag, int tagLength);

  /** The state begins as the counter, and zeros behind it. */
  static native int ctrCrypt(long key, byte[] raw, byte[] state, byte[] call, Object in, Object out, int kinds);

  static native int ctrStateSize();

  static native int xtsCrypt(long key, byte[] raw, boolean encrypt, byte[] call, Object in, Object out, int kinds);

  static native int sivCrypt(
      long key, byte[] raw, boolean encrypt, byte[] call, int callLength, Object in, Object out, int kinds);

  /** The address of rijn_gcm_encrypt, of rijn_gcm_decrypt or of gcm_once in this library; or 0. */
  static native long gcmFunction(int which);

  static native int selftest();

  static native String implementation();

  static native String version();

  static native String reason(int error);

  /** How the native side takes two texts. */
  static int kinds(Object in, Object out) {
    return (in instanceof byte[] ? 0 : IN_DIRECT) | (out instanceof byte[] ? 0 : OUT_DIRECT) | COPIES;
  }
}
