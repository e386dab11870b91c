// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
package org.rijn.jca;

import java.security.AlgorithmParameters;
import java.security.InvalidAlgorithmParameterException;
import java.security.InvalidKeyException;
import java.security.SecureRandom;
import java.security.spec.AlgorithmParameterSpec;
import java.util.Arrays;
import javax.crypto.IllegalBlockSizeException;
import javax.crypto.spec.IvParameterSpec;

/**
 * AES/XTS/NoPadding: one data unit of 16 bytes to 16 MiB a message, the IV is its tweak, the key has 32 or 64 bytes. A
 * unit in pieces is held until doFinal.
 */
final class AesXtsCipher extends BaseCipher {
  private static final int TWEAK_LENGTH = 16;
  private static final int LEAST = 16;
  private static final int MOST = 16 << 20;

  private final CipherKey key = new CipherKey(Native.XTS_KEY);
  private final Call call = new Call();
  private final Held held = new Held();
  private byte[] tweak;
  private boolean ready;

  AesXtsCipher(int keyLength) {
    super(keyLength);
  }

  @Override
  String mode() {
    return "XTS";
  }

  @Override
  Class<? extends AlgorithmParameterSpec> specClass() {
    return IvParameterSpec.class;
  }

  @Override
  void end() {
    ready = false;
    held.clear();
  }

  @Override
  void begin(byte[] raw, AlgorithmParameterSpec spec, SecureRandom random)
      throws InvalidKeyException, InvalidAlgorithmParameterException {
    byte[] newTweak = spec == null ? randomBytes(TWEAK_LENGTH, random) : ((IvParameterSpec) spec).getIV();
    if (newTweak.length != TWEAK_LENGTH) {
      throw new InvalidAlgorithmParameterException("the tweak has " + newTweak.length + " bytes, not " + TWEAK_LENGTH);
    }
    key.set(raw, 0);
    tweak = newTweak;
    call.begin(tweak, 0);
    ready = true;
  }

  @Override
  protected byte[] engineGetIV() {
    return tweak == null ? null : tweak.clone();
  }

  @Override
  protected AlgorithmParameters engineGetParameters() {
    return parameters("AES", new IvParameterSpec(tweak == null ? randomBytes(TWEAK_LENGTH, null) : tweak));
  }

  @Override
  int outputSize(int length, boolean last) {
    return last ? Math.addExact(held.length(), length) : 0;
  }

  @Override
  void requireMessage() {
    if (!ready) {
      throw new IllegalStateException("the cipher is not initialized");
    }
  }

  @Override
  int crypt(Object in, int inOffset, int length, Object out, int outOffset, boolean last)
      throws IllegalBlockSizeException {
    if (!last) {
      held.add(in, inOffset, length);
      return 0;
    }
    try {
      if (held.length() == 0) {
        return unit(in, inOffset, length, out, outOffset);
      }
      held.add(in, inOffset, length);
      return unit(held.bytes(), 0, held.length(), out, outOffset);
    } finally {
      held.clear();
    }
  }

  private int unit(Object in, int inOffset, int length, Object out, int outOffset) throws IllegalBlockSizeException {
    if (length < LEAST || length > MOST) {
      throw new IllegalBlockSizeException("a data unit has " + LEAST + " to " + MOST + " bytes, not " + length);
    }
    long address = key.address();
    int error = Native.EOVERLAP;
    if (!overlaps(in, inOffset, out, outOffset, length)) {
      byte[] told = call.text(inOffset, length, outOffset);
      error = Native.xtsCrypt(address, key.raw(), encrypting, told, in, out, Native.kinds(in, out));
    }
    if (error == Native.EOVERLAP) {
      byte[] copy = copy(in, inOffset, length);
      byte[] told = call.text(0, length, outOffset);
      error = Native.xtsCrypt(address, key.raw(), encrypting, told, copy, out, Native.kinds(copy, out));
      Arrays.fill(copy, (byte) 0);
    }
    key.keep();
    check(error);
    return length;
  }
}
