// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
package org.rijn.jca;

import java.nio.ByteBuffer;

/**
 * The native library, call by call ({@code src/main/c}). A text is a {@code byte[]} or a direct {@link ByteBuffer};
 * {@code kinds} says which ({@link #IN_DIRECT}, {@link #OUT_DIRECT}). A {@code call} is what {@link Call} writes.
 * Results are 0 or a negative error.
 */
final class Native {
  /** Kinds of memory: the order is that of native.h. */
  static final int GCM_KEY = 0;
  static final int GCM_STREAM = 1;
  static final int AES_KEY = 2;
  static final int XTS_KEY = 3;
  static final int CTR_STATE = 4;
  static final int SIV_KEY = 5;

  static final int IN_DIRECT = 1;
  static final int OUT_DIRECT = 2;
  /** Arrays are copied, not held: as in text.h. */
  static final int COPY = 4;

  /** Functions for {@link #gcmFunction}: as in native.h. */
  static final int ENCRYPT = 0;
  static final int DECRYPT = 1;

  private static final int COPIES = "false".equals(System.getProperty("rijn.hold")) ? COPY : 0;

  /** The tag does not match; as in rijn.h. */
  static final int EAUTH = -1;
  /** Input and output overlap without being equal; as in rijn.h. */
  static final int EOVERLAP = -8;
  /** Both halves of an XTS key are equal; as in rijn.h. */
  static final int EWEAKKEY = -10;
  /** No memory; as in text.h. */
  static final int EMEMORY = -100;
  /** Another thread uses the same object; as in text.h. */
  static final int EBUSY = -102;

  private Native() {}

  static native long allocate(int kind);

  static native void free(long address, int kind);

  static native int makeKey(long address, int kind, byte[] raw, int tagLength);

  static native int gcmSeal(long key, byte[] call, int callLength, Object in, Object out, int kinds);

  static native int gcmOpen(long key, byte[] call, int callLength, Object in, Object out, int kinds);

  static native int gcmStart(long stream, long key, byte[] call, int callLength);

  static native int gcmAad(long stream, byte[] data, int offset, int length);

  static native int gcmUpdate(long stream, byte[] call, Object in, Object out, int kinds);

  static native int gcmFinish(long stream, byte[] out, int offset, int tagLength);

  static native int ctrStart(long state, byte[] iv);

  static native int ctrCrypt(long key, long state, byte[] call, Object in, Object out, int kinds);

  static native int xtsCrypt(long key, boolean encrypt, byte[] call, Object in, Object out, int kinds);

  static native int sivCrypt(
      long key, boolean encrypt, byte[] call, int callLength, Object in, Object out, int kinds);

  /** The address of rijn_gcm_encrypt or rijn_gcm_decrypt in this library, whatever other libraries are loaded; or 0. */
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
