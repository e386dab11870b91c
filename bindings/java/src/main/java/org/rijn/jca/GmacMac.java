// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
package org.rijn.jca;

import java.nio.ByteBuffer;
import java.security.InvalidAlgorithmParameterException;
import java.security.InvalidKeyException;
import java.security.Key;
import java.security.spec.AlgorithmParameterSpec;
import java.util.Arrays;
import javax.crypto.MacSpi;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.IvParameterSpec;

/**
 * GMAC (SP 800-38D, section 3) by the name that Bouncy Castle gave it. The nonce is an {@link IvParameterSpec} or a
 * {@link GCMParameterSpec}, which has the length of the tag too. A second message wants another init with another nonce.
 */
final class GmacMac extends MacSpi {
  private final Memory key = new Memory(Native.GCM_KEY);
  private final Memory stream = new Memory(Native.GCM_STREAM);
  private final UsedNonce used = Memory.usedNonce();
  private final Call call = new Call();
  private int tagLength = 16;
  private boolean ready;
  private boolean begun;

  @Override
  protected int engineGetMacLength() {
    return tagLength;
  }

  @Override
  protected void engineInit(Key secret, AlgorithmParameterSpec spec)
      throws InvalidKeyException, InvalidAlgorithmParameterException {
    ready = false;
    byte[] nonce;
    int tag = 16;
    if (spec instanceof IvParameterSpec) {
      nonce = ((IvParameterSpec) spec).getIV();
    } else if (spec instanceof GCMParameterSpec) {
      nonce = ((GCMParameterSpec) spec).getIV();
      tag = AesGcmCipher.tagBytes(((GCMParameterSpec) spec).getTLen());
    } else {
      throw new InvalidAlgorithmParameterException("GMAC needs a nonce: IvParameterSpec or GCMParameterSpec");
    }
    if (nonce.length == 0) {
      throw new InvalidAlgorithmParameterException("the nonce is empty");
    }
    byte[] raw = BaseCipher.rawKey(secret, -1);
    try {
      key.makeKey(raw, tag);
      if (used.is(raw, false, nonce)) {
        throw new InvalidAlgorithmParameterException("this key has had this nonce");
      }
      used.set(raw, false, nonce);
    } finally {
      Arrays.fill(raw, (byte) 0);
    }
    tagLength = tag;
    call.begin(nonce, tag);
    ready = true;
    engineReset();
  }

  // WHY a reset may go back to the start, and doFinal may not: no tag was given out.
  @Override
  protected void engineReset() {
    begun = false;
  }

  private void start() {
    if (!ready) {
      throw new IllegalStateException("GMAC needs another init with another nonce after doFinal");
    }
    if (!begun) {
      BaseCipher.check(Native.gcmStart(stream.address, key.address, call.bytes, call.length));
      begun = true;
    }
  }

  @Override
  protected void engineUpdate(byte input) {
    engineUpdate(new byte[] {input}, 0, 1);
  }

  @Override
  protected void engineUpdate(byte[] input, int offset, int length) {
    start();
    int error = Native.gcmAad(stream.address, input, offset, length);
    stream.keep();
    key.keep();
    BaseCipher.check(error);
  }

  @Override
  protected void engineUpdate(ByteBuffer input) {
    byte[] piece = new byte[Math.min(input.remaining(), 8192)];
    while (input.hasRemaining()) {
      int count = Math.min(input.remaining(), piece.length);
      input.get(piece, 0, count);
      engineUpdate(piece, 0, count);
    }
  }

  @Override
  protected byte[] engineDoFinal() {
    start();
    ready = false;
    byte[] tag = new byte[tagLength];
    int error = Native.gcmFinish(stream.address, tag, 0, tagLength);
    stream.keep();
    key.keep();
    BaseCipher.check(error);
    return tag;
  }
}
