// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
package org.rijn.jca;

import java.nio.ByteBuffer;
import java.security.AlgorithmParameters;
import java.security.InvalidAlgorithmParameterException;
import java.security.InvalidKeyException;
import java.security.SecureRandom;
import java.security.spec.AlgorithmParameterSpec;
import java.util.Arrays;
import javax.crypto.AEADBadTagException;
import javax.crypto.spec.GCMParameterSpec;

/**
 * AES/GCM-SIV/NoPadding (RFC 8452): an IV of 12 bytes, a tag of 128 bits. The tag comes of the whole text and the
 * ciphertext comes of the tag, so a message in pieces is held until doFinal, encryption too. An IV may come again,
 * because the mode forgives that; but each encryption wants an init, as with GCM, so that nobody repeats one unawares.
 */
final class AesGcmSivCipher extends BaseCipher {
  private static final int NONCE_LENGTH = 12;
  private static final int TAG_LENGTH = 16;

  private enum State {
    /** Not initialized. */
    NEW,
    /** Takes associated data. */
    READY,
    /** Has taken text. */
    TEXT,
    /** Encryption is over. */
    SPENT
  }

  private final Memory key = new Memory(Native.SIV_KEY);
  private final Call call = new Call();
  private final Held held = new Held();
  private State state = State.NEW;
  private byte[] nonce;

  AesGcmSivCipher(int keyLength) {
    super(keyLength);
  }

  @Override
  String mode() {
    return "GCM-SIV";
  }

  @Override
  Class<? extends AlgorithmParameterSpec> specClass() {
    return GCMParameterSpec.class;
  }

  @Override
  void begin(byte[] raw, AlgorithmParameterSpec spec, SecureRandom random)
      throws InvalidKeyException, InvalidAlgorithmParameterException {
    state = State.NEW;
    held.clear();
    byte[] newNonce;
    if (spec == null) {
      newNonce = randomBytes(NONCE_LENGTH, random);
    } else {
      int bits = ((GCMParameterSpec) spec).getTLen();
      if (bits != 8 * TAG_LENGTH) {
        throw new InvalidAlgorithmParameterException("a tag of " + bits + " bits: it has " + 8 * TAG_LENGTH);
      }
      newNonce = ((GCMParameterSpec) spec).getIV();
    }
    if (newNonce.length != NONCE_LENGTH) {
      throw new InvalidAlgorithmParameterException("the IV has " + newNonce.length + " bytes, not " + NONCE_LENGTH);
    }
    key.makeKey(raw, 0);
    nonce = newNonce;
    call.begin(nonce, TAG_LENGTH);
    state = State.READY;
  }

  @Override
  protected byte[] engineGetIV() {
    return nonce == null ? null : nonce.clone();
  }

  @Override
  protected AlgorithmParameters engineGetParameters() {
    byte[] iv = nonce == null ? randomBytes(NONCE_LENGTH, null) : nonce;
    return parameters("GCM", new GCMParameterSpec(8 * TAG_LENGTH, iv));
  }

  @Override
  protected void engineUpdateAAD(byte[] data, int offset, int length) {
    requireReady();
    call.aad(data, offset, length);
  }

  @Override
  protected void engineUpdateAAD(ByteBuffer data) {
    requireReady();
    call.aad(data);
  }

  private void requireReady() {
    requireMessage();
    if (state != State.READY) {
      throw new IllegalStateException("associated data comes before the text, and the text has begun");
    }
  }

  @Override
  void requireMessage() {
    if (state == State.NEW) {
      throw new IllegalStateException("the cipher is not initialized");
    }
    if (state == State.SPENT) {
      throw new IllegalStateException("encryption is over: each message wants an init");
    }
  }

  @Override
  int outputSize(int length, boolean last) {
    if (!last) {
      return 0;
    }
    int all = Math.addExact(held.length(), length);
    return encrypting ? Math.addExact(all, TAG_LENGTH) : Math.max(0, all - TAG_LENGTH);
  }

  @Override
  int crypt(Object in, int inOffset, int length, Object out, int outOffset, boolean last) throws AEADBadTagException {
    if (!last) {
      state = State.TEXT;
      held.add(in, inOffset, length);
      return 0;
    }
    try {
      if (held.length() == 0) {
        return whole(in, inOffset, length, out, outOffset);
      }
      held.add(in, inOffset, length);
      return whole(held.bytes(), 0, held.length(), out, outOffset);
    } finally {
      held.clear();
      call.begin(nonce, TAG_LENGTH);
      state = encrypting ? State.SPENT : State.READY;
    }
  }

  private int whole(Object in, int inOffset, int length, Object out, int outOffset) throws AEADBadTagException {
    int textLength = encrypting ? length : length - TAG_LENGTH;
    if (textLength < 0) {
      throw new AEADBadTagException("the input has " + length + " bytes, its tag alone " + TAG_LENGTH);
    }
    int error = Native.EOVERLAP;
    if (!overlaps(in, inOffset, out, outOffset, textLength)) {
      byte[] told = call.text(inOffset, textLength, outOffset);
      error = Native.sivCrypt(key.address, encrypting, told, call.length, in, out, Native.kinds(in, out));
    }
    if (error == Native.EOVERLAP) {
      byte[] copy = copy(in, inOffset, length);
      byte[] told = call.text(0, textLength, outOffset);
      error = Native.sivCrypt(key.address, encrypting, told, call.length, copy, out, Native.kinds(copy, out));
      Arrays.fill(copy, (byte) 0);
    }
    key.keep();
    if (error == Native.EAUTH) {
      throw new AEADBadTagException("Tag mismatch");
    }
    check(error);
    return encrypting ? textLength + TAG_LENGTH : textLength;
  }
}
