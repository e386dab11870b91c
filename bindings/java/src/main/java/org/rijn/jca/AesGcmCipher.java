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
  private final UsedNonce used = new UsedNonce();
  private final byte[] tag = new byte[TAG_LENGTH];
  /** Whether the key is that of the last encryption. */
  private boolean usedIsKey;
  /** Null until a message comes in pieces. */
  private GcmStream stream;
  /** Pieces of an encryption are held, because there is no memory for a stream. */
  private boolean holding;

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
    boolean same = key.set(raw, newTag);
    usedIsKey &= same;
    if (!same && stream != null) {
      stream.free();
    }
    holding = false;
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
    if (!last) {
      return holding ? 0 : length;
    }
    return Math.addExact(Math.addExact(held.length(), length), tagLength);
  }

  @Override
  void preparePiece() {
    if (encrypting && state == State.READY) {
      stream = stream == null ? new GcmStream() : stream;
      holding |= !stream.reserve();
    }
  }

  @Override
  int crypt(Object in, int inOffset, int length, Object out, int outOffset, boolean last) throws AEADBadTagException {
    if (!encrypting || holding) {
      return hold(in, inOffset, length, out, outOffset, last);
    }
    if (!last) {
      return encryptPiece(in, inOffset, length, out, outOffset);
    }
    if (state == State.READY) {
      state = State.SPENT;
      return encryptWhole(in, inOffset, length, out, outOffset);
    }
    return encryptLast(in, inOffset, length, out, outOffset);
  }

  private int encryptWhole(Object in, int inOffset, int length, Object out, int outOffset) {
    int error = Native.EOVERLAP;
    if (!overlaps(in, inOffset, out, outOffset, length)) {
      error = seal(in, inOffset, length, out, outOffset);
    }
    if (error == Native.EOVERLAP) {
      byte[] copy = copy(in, inOffset, length);
      error = seal(copy, 0, length, out, outOffset);
      Arrays.fill(copy, (byte) 0);
    }
    check(error);
    return length + tagLength;
  }

  private int seal(Object in, int inOffset, int length, Object out, int outOffset) {
    int error;
    long address = key.address();
    if (Ffm.takes(call, in, out, length)) {
      error = Ffm.message(true, address, key, call, in, inOffset, length, out, outOffset, tag);
      if (error == 0) {
        write(tag, tagLength, out, outOffset + length);
      }
    } else {
      byte[] told = call.text(inOffset, length, outOffset);
      error = Native.gcmSeal(address, key.raw(), told, call.length, in, out, Native.kinds(in, out));
    }
    key.keep();
    return error;
  }

  private int open(Object in, int inOffset, int length, Object out, int outOffset) {
    int error;
    long address = key.address();
    if (Ffm.takes(call, in, out, length)) {
      read(in, inOffset + length, tag, 0, tagLength);
      error = Ffm.message(false, address, key, call, in, inOffset, length, out, outOffset, tag);
    } else {
      byte[] told = call.text(inOffset, length, outOffset);
      error = Native.gcmOpen(address, key.raw(), told, call.length, in, out, Native.kinds(in, out));
    }
    key.keep();
    return error;
  }

  private int encryptPiece(Object in, int inOffset, int length, Object out, int outOffset) {
    if (state == State.READY) {
      check(stream.start(key, call));
      state = State.TEXT;
    }
    int error = Native.EOVERLAP;
    if (!overlaps(in, inOffset, out, outOffset, length)) {
      error = stream.update(call.text(inOffset, length, outOffset), in, out);
    }
    if (error == Native.EOVERLAP) {
      byte[] copy = copy(in, inOffset, length);
      error = stream.update(call.text(0, length, outOffset), copy, out);
      Arrays.fill(copy, (byte) 0);
    }
    check(error);
    return length;
  }

  private int encryptLast(Object in, int inOffset, int length, Object out, int outOffset) {
    encryptPiece(in, inOffset, length, out, outOffset);
    state = State.SPENT;
    check(stream.finish(tag, tagLength));
    if (!key.often()) {
      stream.free();
    }
    write(tag, tagLength, out, outOffset + length);
    return length + tagLength;
  }

  @Override
  int whole(Object in, int inOffset, int length, Object out, int outOffset) throws AEADBadTagException {
    if (encrypting) {
      return encryptWhole(in, inOffset, length, out, outOffset);
    }
    int textLength = length - tagLength;
    if (textLength < 0) {
      throw new AEADBadTagException("the input has " + length + " bytes, its tag alone " + tagLength);
    }
    int error = Native.EOVERLAP;
    if (!overlaps(in, inOffset, out, outOffset, textLength)) {
      error = open(in, inOffset, textLength, out, outOffset);
    }
    if (error == Native.EOVERLAP) {
      error = open(copy(in, inOffset, length), 0, textLength, out, outOffset);
    }
    if (error == Native.EAUTH) {
      throw new AEADBadTagException("Tag mismatch");
    }
    check(error);
    return textLength;
  }
}
