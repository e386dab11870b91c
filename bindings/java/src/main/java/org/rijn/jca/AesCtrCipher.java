// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
package org.rijn.jca;

import java.security.AlgorithmParameters;
import java.security.InvalidAlgorithmParameterException;
import java.security.InvalidKeyException;
import java.security.SecureRandom;
import java.security.spec.AlgorithmParameterSpec;
import java.util.Arrays;
import javax.crypto.spec.IvParameterSpec;

/** AES/CTR/NoPadding: a 128-bit big-endian counter that starts at the IV. doFinal goes back to the start. */
final class AesCtrCipher extends BaseCipher {
  private static final int IV_LENGTH = 16;

  private static final int STATE_LENGTH = Native.ctrStateSize();

  private final CipherKey key = new CipherKey(Native.AES_KEY);
  /** Its first bytes are the counter. */
  private final byte[] counter = new byte[STATE_LENGTH];
  private final Call call = new Call();
  private byte[] iv;
  private boolean ready;

  AesCtrCipher(int keyLength) {
    super(keyLength);
  }

  @Override
  String mode() {
    return "CTR";
  }

  @Override
  Class<? extends AlgorithmParameterSpec> specClass() {
    return IvParameterSpec.class;
  }

  @Override
  void end() {
    ready = false;
  }

  @Override
  void begin(byte[] raw, AlgorithmParameterSpec spec, SecureRandom random)
      throws InvalidKeyException, InvalidAlgorithmParameterException {
    byte[] newIv = spec == null ? randomBytes(IV_LENGTH, random) : ((IvParameterSpec) spec).getIV();
    if (newIv.length != IV_LENGTH) {
      throw new InvalidAlgorithmParameterException("the IV has " + newIv.length + " bytes, not " + IV_LENGTH);
    }
    key.set(raw, 0);
    iv = newIv;
    restart();
    ready = true;
  }

  private void restart() {
    Arrays.fill(counter, (byte) 0);
    System.arraycopy(iv, 0, counter, 0, IV_LENGTH);
  }

  @Override
  protected byte[] engineGetIV() {
    return iv == null ? null : iv.clone();
  }

  @Override
  protected AlgorithmParameters engineGetParameters() {
    return parameters("AES", new IvParameterSpec(iv == null ? randomBytes(IV_LENGTH, null) : iv));
  }

  @Override
  int outputSize(int length, boolean last) {
    return length;
  }

  @Override
  void requireMessage() {
    if (!ready) {
      throw new IllegalStateException("the cipher is not initialized");
    }
  }

  @Override
  int crypt(Object in, int inOffset, int length, Object out, int outOffset, boolean last) {
    long address = key.address();
    int error = Native.EOVERLAP;
    if (!overlaps(in, inOffset, out, outOffset, length)) {
      byte[] told = call.text(inOffset, length, outOffset);
      error = Native.ctrCrypt(address, key.raw(), counter, told, in, out, Native.kinds(in, out));
    }
    if (error == Native.EOVERLAP) {
      byte[] copy = copy(in, inOffset, length);
      byte[] told = call.text(0, length, outOffset);
      error = Native.ctrCrypt(address, key.raw(), counter, told, copy, out, Native.kinds(copy, out));
      Arrays.fill(copy, (byte) 0);
    }
    key.keep();
    check(error);
    if (last) {
      restart();
    }
    return length;
  }
}
