// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
package org.rijn.jca;

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
final class AesGcmSivCipher extends AeadCipher {
  AesGcmSivCipher(int keyLength) {
    super(keyLength, Native.SIV_KEY);
  }

  @Override
  String mode() {
    return "GCM-SIV";
  }

  @Override
  String wanted() {
    return "each message wants an init";
  }

  @Override
  void begin(byte[] raw, AlgorithmParameterSpec spec, SecureRandom random)
      throws InvalidKeyException, InvalidAlgorithmParameterException {
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
    key.set(raw, 0);
    nonce = newNonce;
    call.begin(nonce, TAG_LENGTH);
    state = State.READY;
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
    return hold(in, inOffset, length, out, outOffset, last);
  }

  @Override
  int whole(Object in, int inOffset, int length, Object out, int outOffset) throws AEADBadTagException {
    int textLength = encrypting ? length : length - TAG_LENGTH;
    if (textLength < 0) {
      throw new AEADBadTagException("the input has " + length + " bytes, its tag alone " + TAG_LENGTH);
    }
    long address = key.address();
    int error = Native.EOVERLAP;
    if (!overlaps(in, inOffset, out, outOffset, textLength)) {
      byte[] told = call.text(inOffset, textLength, outOffset);
      error = Native.sivCrypt(address, key.raw(), encrypting, told, call.length, in, out, Native.kinds(in, out));
    }
    if (error == Native.EOVERLAP) {
      byte[] copy = copy(in, inOffset, length);
      byte[] told = call.text(0, textLength, outOffset);
      error = Native.sivCrypt(address, key.raw(), encrypting, told, call.length, copy, out, Native.kinds(copy, out));
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
