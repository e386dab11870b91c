// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
package org.rijn.jca;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.security.AlgorithmParametersSpi;
import java.security.InvalidAlgorithmParameterException;
import java.security.spec.AlgorithmParameterSpec;
import java.security.spec.InvalidParameterSpecException;
import java.util.Arrays;
import javax.crypto.spec.GCMParameterSpec;

/**
 * AlgorithmParameters "GCM": GCMParameters of RFC 5084, section 3.2, in DER. It is a sequence of the nonce, an octet
 * string, and the bytes of the tag, an integer that is left out where it is 12.
 */
final class GcmParameters extends AlgorithmParametersSpi {
  private static final int SEQUENCE = 0x30;
  private static final int OCTETS = 0x04;
  private static final int INTEGER = 0x02;
  private static final int USUAL_TAG = 12;

  private byte[] nonce;
  private int tagLength;

  private static boolean isOurs(String format) {
    return format == null || format.equalsIgnoreCase("ASN.1");
  }

  @Override
  protected void engineInit(AlgorithmParameterSpec spec) throws InvalidParameterSpecException {
    if (!(spec instanceof GCMParameterSpec)) {
      throw new InvalidParameterSpecException("parameters of GCM are made of a GCMParameterSpec");
    }
    try {
      tagLength = AesGcmCipher.tagBytes(((GCMParameterSpec) spec).getTLen());
    } catch (InvalidAlgorithmParameterException e) {
      throw new InvalidParameterSpecException(e.getMessage());
    }
    nonce = ((GCMParameterSpec) spec).getIV();
  }

  @Override
  protected void engineInit(byte[] encoded) throws IOException {
    Reader whole = new Reader(encoded, 0, encoded.length);
    Reader parts = whole.next(SEQUENCE);
    byte[] newNonce = parts.next(OCTETS).rest();
    int newTag = parts.left() == 0 ? USUAL_TAG : parts.number();
    if (parts.left() != 0 || whole.left() != 0) {
      throw new IOException("parameters of GCM: bytes are left over");
    }
    if (newTag < 12 || newTag > 16) {
      throw new IOException("parameters of GCM: a tag of " + newTag + " bytes: it has 12 to 16");
    }
    nonce = newNonce;
    tagLength = newTag;
  }

  @Override
  protected void engineInit(byte[] encoded, String format) throws IOException {
    if (!isOurs(format)) {
      throw new IOException("parameters of GCM are in ASN.1, not in " + format);
    }
    engineInit(encoded);
  }

  @Override
  protected <T extends AlgorithmParameterSpec> T engineGetParameterSpec(Class<T> wanted)
      throws InvalidParameterSpecException {
    if (!wanted.isAssignableFrom(GCMParameterSpec.class)) {
      throw new InvalidParameterSpecException("parameters of GCM give a GCMParameterSpec, not a " + wanted.getName());
    }
    return wanted.cast(new GCMParameterSpec(8 * tagLength, nonce));
  }

  @Override
  protected byte[] engineGetEncoded() {
    byte[] tag = tagLength == USUAL_TAG ? BaseCipher.NOTHING : element(INTEGER, new byte[] {(byte) tagLength});
    byte[] octets = element(OCTETS, nonce);
    byte[] both = Arrays.copyOf(octets, octets.length + tag.length);
    System.arraycopy(tag, 0, both, octets.length, tag.length);
    return element(SEQUENCE, both);
  }

  @Override
  protected byte[] engineGetEncoded(String format) throws IOException {
    if (!isOurs(format)) {
      throw new IOException("parameters of GCM are in ASN.1, not in " + format);
    }
    return engineGetEncoded();
  }

  @Override
  protected String engineToString() {
    return "GCM: nonce " + new BigInteger(1, nonce).toString(16) + " of " + nonce.length + " bytes, tag of "
        + 8 * tagLength + " bits";
  }

  private static byte[] element(int type, byte[] content) {
    ByteArrayOutputStream made = new ByteArrayOutputStream();
    int n = content.length;
    int lengthBytes = n < 0x80 ? 0 : (39 - Integer.numberOfLeadingZeros(n)) / 8;
    made.write(type);
    made.write(n < 0x80 ? n : 0x80 | lengthBytes);
    for (int shift = 8 * (lengthBytes - 1); shift >= 0; shift -= 8) {
      made.write(n >> shift);
    }
    made.write(content, 0, n);
    return made.toByteArray();
  }

  /** Elements of DER, one after the other. */
  private static final class Reader {
    private final byte[] bytes;
    private final int end;
    private int at;

    Reader(byte[] bytes, int from, int end) {
      this.bytes = bytes;
      this.at = from;
      this.end = end;
    }

    int left() {
      return end - at;
    }

    byte[] rest() {
      return Arrays.copyOfRange(bytes, at, end);
    }

    /** A small integer. */
    int number() throws IOException {
      Reader digits = next(INTEGER);
      if (digits.left() != 1) {
        throw new IOException("parameters of GCM: an integer of " + digits.left() + " bytes");
      }
      return digits.one();
    }

    private int one() throws IOException {
      if (at >= end) {
        throw new IOException("parameters of GCM: they are cut short");
      }
      return bytes[at++] & 0xff;
    }

    Reader next(int type) throws IOException {
      int found = one();
      if (found != type) {
        throw new IOException("parameters of GCM: an element of type " + found + " where " + type + " was to be");
      }
      long length = one();
      int more = length < 0x80 ? 0 : (int) length - 0x80;
      if (more > 4) {
        throw new IOException("parameters of GCM: an element is longer than they are");
      }
      for (length = more == 0 ? length : 0; more > 0; more--) {
        length = length << 8 | one();
      }
      if (length > left()) {
        throw new IOException("parameters of GCM: an element is longer than they are");
      }
      at += (int) length;
      return new Reader(bytes, at - (int) length, at);
    }
  }
}
