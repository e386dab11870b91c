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
  /** Bytes that are gathered for one call. More go through a stream, if there is memory for one. */
  private static final int GATHERED = 16 << 10;

  private final CipherKey key = new CipherKey(Native.GCM_KEY);
  private final GcmStream stream = new GcmStream();
  private final UsedNonce used = new UsedNonce();
  private final Call call = new Call();
  private byte[] nonce;
  private int tagLength = 16;
  private boolean ready;
  private boolean streaming;

  @Override
  protected int engineGetMacLength() {
    return tagLength;
  }

  @Override
  protected void engineInit(Key secret, AlgorithmParameterSpec spec)
      throws InvalidKeyException, InvalidAlgorithmParameterException {
    ready = false;
    byte[] newNonce;
    int tag = 16;
    if (spec instanceof IvParameterSpec) {
      newNonce = ((IvParameterSpec) spec).getIV();
    } else if (spec instanceof GCMParameterSpec) {
      newNonce = ((GCMParameterSpec) spec).getIV();
      tag = AesGcmCipher.tagBytes(((GCMParameterSpec) spec).getTLen());
    } else {
      throw new InvalidAlgorithmParameterException("GMAC needs a nonce: IvParameterSpec or GCMParameterSpec");
    }
    if (newNonce.length == 0) {
      throw new InvalidAlgorithmParameterException("the nonce is empty");
    }
    byte[] raw = BaseCipher.rawKey(secret, -1);
    try {
      if (!key.set(raw, tag)) {
        stream.free();
      }
      if (used.is(raw, false, newNonce)) {
        throw new InvalidAlgorithmParameterException("this key has had this nonce");
      }
      used.set(raw, false, newNonce);
    } finally {
      Arrays.fill(raw, (byte) 0);
    }
    tagLength = tag;
    nonce = newNonce;
    ready = true;
    engineReset();
  }

  // WHY a reset may go back to the start, and doFinal may not: no tag was given out.
  @Override
  protected void engineReset() {
    streaming = false;
    if (nonce != null) {
      call.begin(nonce, tagLength);
    }
  }

  private void requireReady() {
    if (!ready) {
      throw new IllegalStateException("GMAC needs another init with another nonce after doFinal");
    }
  }

  @Override
  protected void engineUpdate(byte input) {
    engineUpdate(new byte[] {input}, 0, 1);
  }

  @Override
  protected void engineUpdate(byte[] input, int offset, int length) {
    requireReady();
    if (!streaming && length > GATHERED - call.aadLength() && stream.reserve()) {
      BaseCipher.check(stream.start(key, call));
      streaming = true;
    }
    if (streaming) {
      BaseCipher.check(stream.aad(input, offset, length));
    } else {
      call.aad(input, offset, length);
    }
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
    requireReady();
    ready = false;
    byte[] tag = new byte[tagLength];
    int error;
    if (streaming) {
      error = stream.finish(tag, tagLength);
      if (!key.often()) {
        stream.free();
      }
    } else {
      long address = key.address();
      byte[] told = call.text(0, 0, 0);
      error = Native.gcmSeal(address, key.raw(), told, call.length, BaseCipher.NOTHING, tag, Native.kinds(tag, tag));
      key.keep();
    }
    BaseCipher.check(error);
    return tag;
  }
}
