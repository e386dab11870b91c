// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
package org.rijn.jca;

import java.nio.ByteBuffer;
import java.security.AlgorithmParameters;
import java.security.spec.AlgorithmParameterSpec;
import javax.crypto.AEADBadTagException;
import javax.crypto.spec.GCMParameterSpec;

/** What GCM and GCM-SIV share: an IV, associated data before the text, and a message that is held until its end. */
abstract class AeadCipher extends BaseCipher {
  static final int NONCE_LENGTH = 12;
  static final int TAG_LENGTH = 16;

  enum State {
    /** Not initialized. */
    NEW,
    /** Takes associated data. */
    READY,
    /** Has taken text. */
    TEXT,
    /** Encryption is over, and its IV is used up. */
    SPENT
  }

  final CipherKey key;
  final Call call = new Call();
  final Held held = new Held();
  State state = State.NEW;
  byte[] nonce;
  int tagLength = TAG_LENGTH;

  AeadCipher(int keyLength, int keyObject) {
    super(keyLength);
    key = new CipherKey(keyObject);
  }

  /** What init has to bring after an encryption. */
  abstract String wanted();

  /** A whole message, its tag included on decryption. */
  abstract int whole(Object in, int inOffset, int length, Object out, int outOffset) throws AEADBadTagException;

  @Override
  void end() {
    state = State.NEW;
    held.clear();
  }

  @Override
  Class<? extends AlgorithmParameterSpec> specClass() {
    return GCMParameterSpec.class;
  }

  @Override
  protected byte[] engineGetIV() {
    return nonce == null ? null : nonce.clone();
  }

  @Override
  protected AlgorithmParameters engineGetParameters() {
    byte[] iv = nonce == null ? randomBytes(NONCE_LENGTH, null) : nonce;
    return parameters("GCM", new GCMParameterSpec(8 * tagLength, iv));
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
      throw new IllegalStateException("encryption is over: " + wanted());
    }
  }

  /** A piece of a message that is held until its end, and the end. */
  int hold(Object in, int inOffset, int length, Object out, int outOffset, boolean last) throws AEADBadTagException {
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
      call.begin(nonce, tagLength);
      state = encrypting ? State.SPENT : State.READY;
    }
  }
}
