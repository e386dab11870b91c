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
 * AES/GCM/NoPadding. A message that comes whole is one native call. Encryption of one that comes in pieces gives each
 * piece back at once; decryption holds all of it until the tag is checked.
 */
final class AesGcmCipher extends AeadCipher {
  private final UsedNonce used = Memory.usedNonce();
  private final byte[] tag = new byte[TAG_LENGTH];
  /** Whether the key is that of the last encryption. */
  private boolean usedIsKey;
  private Memory stream;

  AesGcmCipher(int keyLength) {
    super(keyLength, Native.GCM_KEY);
  }

  @Override
  String mode() {
    return "GCM";
  }

  @Override
  String wanted() {
    return "init must give another key or iv for GCM encryption";
  }

  @Override
  void begin(byte[] raw, AlgorithmParameterSpec spec, SecureRandom random)
      throws InvalidKeyException, InvalidAlgorithmParameterException {
    int newTag = TAG_LENGTH;
    byte[] newNonce;
    if (spec == null) {
      newNonce = randomBytes(NONCE_LENGTH, random);
    } else {
      newTag = tagBytes(((GCMParameterSpec) spec).getTLen());
      newNonce = ((GCMParameterSpec) spec).getIV();
    }
    if (newNonce.length == 0) {
      throw new InvalidAlgorithmParameterException("the IV is empty");
    }
    boolean same = key.makeKey(raw, newTag);
    usedIsKey &= same;
    if (encrypting) {
      if (used.is(raw, usedIsKey, newNonce)) {
        throw new InvalidAlgorithmParameterException("Cannot reuse iv for GCM encryption: this key has had this one");
      }
      used.set(raw, usedIsKey, newNonce);
      usedIsKey = true;
    }
    nonce = newNonce;
    tagLength = newTag;
    call.begin(nonce, tagLength);
    state = State.READY;
  }

  static int tagBytes(int bits) throws InvalidAlgorithmParameterException {
    if (bits < 96 || bits > 128 || bits % 8 != 0) {
      throw new InvalidAlgorithmParameterException("a tag of " + bits + " bits: it has 96, 104, 112, 120 or 128");
    }
    return bits / 8;
  }

  @Override
  int outputSize(int length, boolean last) {
    if (!encrypting) {
      return last ? Math.max(0, Math.addExact(held.length(), length) - tagLength) : 0;
    }
    return last ? Math.addExact(length, tagLength) : length;
  }

  @Override
  int crypt(Object in, int inOffset, int length, Object out, int outOffset, boolean last) throws AEADBadTagException {
    if (!encrypting) {
      return hold(in, inOffset, length, out, outOffset, last);
    }
    if (!last) {
      return encryptPiece(in, inOffset, length, out, outOffset);
    }
    return state == State.READY
        ? encryptWhole(in, inOffset, length, out, outOffset)
        : encryptLast(in, inOffset, length, out, outOffset);
  }

  private int encryptWhole(Object in, int inOffset, int length, Object out, int outOffset) {
    state = State.SPENT;
    int error = Native.EOVERLAP;
    if (!overlaps(in, inOffset, out, outOffset, length)) {
      error = seal(in, inOffset, length, out, outOffset);
    }
    if (error == Native.EOVERLAP) {
      byte[] copy = copy(in, inOffset, length);
      byte[] told = call.text(0, length, outOffset);
      error = Native.gcmSeal(key.address, told, call.length, copy, out, Native.kinds(copy, out));
      Arrays.fill(copy, (byte) 0);
    }
    key.keep();
    check(error);
    return length + tagLength;
  }

  private int seal(Object in, int inOffset, int length, Object out, int outOffset) {
    if (Ffm.takes(call, in, out, length)) {
      int error = Ffm.message(true, key.address, call, in, inOffset, length, out, outOffset, tag);
      if (error == 0) {
        write(tag, tagLength, out, outOffset + length);
      }
      return error;
    }
    byte[] told = call.text(inOffset, length, outOffset);
    return Native.gcmSeal(key.address, told, call.length, in, out, Native.kinds(in, out));
  }

  private int open(Object in, int inOffset, int length, Object out, int outOffset) {
    if (Ffm.takes(call, in, out, length)) {
      read(in, inOffset + length, tag, 0, tagLength);
      return Ffm.message(false, key.address, call, in, inOffset, length, out, outOffset, tag);
    }
    byte[] told = call.text(inOffset, length, outOffset);
    return Native.gcmOpen(key.address, told, call.length, in, out, Native.kinds(in, out));
  }

  /** WHY in a variable: the field is another one's as soon as two threads misuse this object. */
  private Memory started() {
    Memory own = stream;
    if (own == null) {
      own = new Memory(Native.GCM_STREAM);
      stream = own;
    }
    if (state == State.READY) {
      int error = Native.gcmStart(own.address, key.address, call.bytes, call.length);
      own.keep();
      check(error);
      state = State.TEXT;
    }
    return own;
  }

  private int encryptPiece(Object in, int inOffset, int length, Object out, int outOffset) {
    Memory own = started();
    int error = Native.EOVERLAP;
    if (!overlaps(in, inOffset, out, outOffset, length)) {
      byte[] told = call.text(inOffset, length, outOffset);
      error = Native.gcmUpdate(own.address, told, in, out, Native.kinds(in, out));
    }
    if (error == Native.EOVERLAP) {
      byte[] copy = copy(in, inOffset, length);
      byte[] told = call.text(0, length, outOffset);
      error = Native.gcmUpdate(own.address, told, copy, out, Native.kinds(copy, out));
      Arrays.fill(copy, (byte) 0);
    }
    own.keep();
    key.keep();
    check(error);
    return length;
  }

  private int encryptLast(Object in, int inOffset, int length, Object out, int outOffset) {
    encryptPiece(in, inOffset, length, out, outOffset);
    state = State.SPENT;
    Memory own = stream;
    int error = Native.gcmFinish(own.address, tag, 0, tagLength);
    own.keep();
    key.keep();
    check(error);
    write(tag, tagLength, out, outOffset + length);
    return length + tagLength;
  }

  /** Of a decryption. */
  @Override
  int whole(Object in, int inOffset, int length, Object out, int outOffset) throws AEADBadTagException {
    int textLength = length - tagLength;
    if (textLength < 0) {
      throw new AEADBadTagException("the input has " + length + " bytes, its tag alone " + tagLength);
    }
    int error = Native.EOVERLAP;
    if (!overlaps(in, inOffset, out, outOffset, textLength)) {
      error = open(in, inOffset, textLength, out, outOffset);
    }
    if (error == Native.EOVERLAP) {
      byte[] copy = copy(in, inOffset, length);
      byte[] told = call.text(0, textLength, outOffset);
      error = Native.gcmOpen(key.address, told, call.length, copy, out, Native.kinds(copy, out));
    }
    key.keep();
    if (error == Native.EAUTH) {
      throw new AEADBadTagException("Tag mismatch");
    }
    check(error);
    return textLength;
  }
}
