// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
package org.rijn.jca;

import java.nio.ByteBuffer;
import java.security.AlgorithmParameters;
import java.security.InvalidAlgorithmParameterException;
import java.security.InvalidKeyException;
import java.security.Key;
import java.security.KeyFactory;
import java.security.NoSuchAlgorithmException;
import java.security.ProviderException;
import java.security.SecureRandom;
import java.security.spec.AlgorithmParameterSpec;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.InvalidParameterSpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;
import java.util.ConcurrentModificationException;
import javax.crypto.AEADBadTagException;
import javax.crypto.BadPaddingException;
import javax.crypto.Cipher;
import javax.crypto.CipherSpi;
import javax.crypto.IllegalBlockSizeException;
import javax.crypto.NoSuchPaddingException;
import javax.crypto.ShortBufferException;
import javax.crypto.spec.SecretKeySpec;

/**
 * What the ciphers share: the many forms in which JCA hands a text over become one, {@link #crypt}. There a text is a
 * {@code byte[]} or a direct buffer, with an offset from its beginning.
 */
abstract class BaseCipher extends CipherSpi {
  static final byte[] NOTHING = new byte[0];

  /** Length that a key must have; -1 where the mode's own rule is all. */
  private final int keyLength;

  boolean encrypting;

  BaseCipher(int keyLength) {
    this.keyLength = keyLength;
  }

  /** The mode's name, as in the transformation. */
  abstract String mode();

  /** Bytes that {@link #crypt} will write for so many bytes of input. */
  abstract int outputSize(int length, boolean last);

  /** Throws an IllegalStateException where the cipher can take no text now: before anything is said of its room. */
  abstract void requireMessage();

  /** Called before {@link #outputSize} and {@link #crypt} of a piece that is not the last. */
  void preparePiece() {}

  /**
   * Takes a piece of the text, or the last one.
   *
   * @return bytes written
   */
  abstract int crypt(Object in, int inOffset, int length, Object out, int outOffset, boolean last)
      throws AEADBadTagException, IllegalBlockSizeException;

  /** The cipher takes no text until {@link #begin} is over: a failed init does not leave the former key in use. */
  abstract void end();

  /** Begins with a key of raw bytes, which are wiped afterwards; spec is null when the caller gave none. */
  abstract void begin(byte[] raw, AlgorithmParameterSpec spec, SecureRandom random)
      throws InvalidKeyException, InvalidAlgorithmParameterException;

  /** Kind of parameters that {@link #begin} wants. */
  abstract Class<? extends AlgorithmParameterSpec> specClass();

  // ---- init

  @Override
  protected void engineSetMode(String name) throws NoSuchAlgorithmException {
    if (!name.equalsIgnoreCase(mode())) {
      throw new NoSuchAlgorithmException("mode " + name + ": this is " + mode());
    }
  }

  @Override
  protected void engineSetPadding(String name) throws NoSuchPaddingException {
    if (!name.equalsIgnoreCase("NoPadding")) {
      throw new NoSuchPaddingException("padding " + name + ": " + mode() + " has none");
    }
  }

  @Override
  protected int engineGetBlockSize() {
    return 16;
  }

  @Override
  protected int engineGetOutputSize(int length) {
    return outputSize(length, true);
  }

  @Override
  protected int engineGetKeySize(Key key) throws InvalidKeyException {
    byte[] raw = rawKey(key, keyLength);
    int bits = 8 * raw.length;
    Arrays.fill(raw, (byte) 0);
    return bits;
  }

  @Override
  protected void engineInit(int opmode, Key key, SecureRandom random) throws InvalidKeyException {
    try {
      init(opmode, key, null, random);
    } catch (InvalidAlgorithmParameterException e) {
      throw new InvalidKeyException(e.getMessage(), e);
    }
  }

  @Override
  protected void engineInit(int opmode, Key key, AlgorithmParameterSpec spec, SecureRandom random)
      throws InvalidKeyException, InvalidAlgorithmParameterException {
    init(opmode, key, spec, random);
  }

  @Override
  protected void engineInit(int opmode, Key key, AlgorithmParameters parameters, SecureRandom random)
      throws InvalidKeyException, InvalidAlgorithmParameterException {
    end();
    AlgorithmParameterSpec spec = null;
    if (parameters != null) {
      try {
        spec = parameters.getParameterSpec(specClass());
      } catch (InvalidParameterSpecException e) {
        throw new InvalidAlgorithmParameterException("parameters are not " + specClass().getSimpleName(), e);
      }
    }
    init(opmode, key, spec, random);
  }

  private void init(int opmode, Key key, AlgorithmParameterSpec spec, SecureRandom random)
      throws InvalidKeyException, InvalidAlgorithmParameterException {
    end();
    boolean encrypt = opmode == Cipher.ENCRYPT_MODE || opmode == Cipher.WRAP_MODE;
    if (spec == null && !encrypt) {
      throw new InvalidAlgorithmParameterException("decryption needs " + specClass().getSimpleName());
    }
    if (spec != null && !specClass().isInstance(spec)) {
      throw new InvalidAlgorithmParameterException("parameters must be a " + specClass().getSimpleName());
    }
    byte[] raw = rawKey(key, keyLength);
    encrypting = encrypt;
    try {
      begin(raw, spec, random);
    } finally {
      Arrays.fill(raw, (byte) 0);
    }
  }

  /** A copy of the key's bytes; keyLength is -1 where any length will do. */
  static byte[] rawKey(Key key, int keyLength) throws InvalidKeyException {
    if (key == null) {
      throw new InvalidKeyException("the key is null");
    }
    String algorithm = key.getAlgorithm();
    if (!"AES".equalsIgnoreCase(algorithm) && !"Rijndael".equalsIgnoreCase(algorithm)) {
      throw new InvalidKeyException("the key is for " + algorithm + ", not for AES");
    }
    byte[] raw = "RAW".equalsIgnoreCase(key.getFormat()) ? key.getEncoded() : null;
    if (raw == null || raw.length == 0) {
      throw new InvalidKeyException("the key gives no raw bytes");
    }
    if (keyLength >= 0 && raw.length != keyLength) {
      Arrays.fill(raw, (byte) 0);
      throw new InvalidKeyException("the key has " + raw.length + " bytes, not " + keyLength);
    }
    return raw;
  }

  static byte[] randomBytes(int count, SecureRandom random) {
    byte[] bytes = new byte[count];
    (random != null ? random : new SecureRandom()).nextBytes(bytes);
    return bytes;
  }

  static AlgorithmParameters parameters(String name, AlgorithmParameterSpec spec) {
    try {
      AlgorithmParameters parameters = AlgorithmParameters.getInstance(name);
      parameters.init(spec);
      return parameters;
    } catch (NoSuchAlgorithmException | InvalidParameterSpecException e) {
      throw new ProviderException("no provider has parameters of " + name, e);
    }
  }

  // ---- text in arrays

  @Override
  protected byte[] engineUpdate(byte[] in, int offset, int length) {
    requireMessage();
    preparePiece();
    byte[] out = new byte[outputSize(length, false)];
    piece(in, offset, length, out, 0);
    return out;
  }

  @Override
  protected int engineUpdate(byte[] in, int offset, int length, byte[] out, int outOffset)
      throws ShortBufferException {
    requireMessage();
    preparePiece();
    room(outputSize(length, false), out.length - outOffset);
    return piece(in, offset, length, out, outOffset);
  }

  @Override
  protected byte[] engineDoFinal(byte[] in, int offset, int length)
      throws IllegalBlockSizeException, BadPaddingException {
    requireMessage();
    byte[] out = new byte[outputSize(length, true)];
    crypt(in == null ? NOTHING : in, offset, length, out, 0, true);
    return out;
  }

  @Override
  protected int engineDoFinal(byte[] in, int offset, int length, byte[] out, int outOffset)
      throws ShortBufferException, IllegalBlockSizeException, BadPaddingException {
    requireMessage();
    room(outputSize(length, true), out.length - outOffset);
    return crypt(in == null ? NOTHING : in, offset, length, out, outOffset, true);
  }

  private int piece(Object in, int offset, int length, Object out, int outOffset) {
    try {
      return crypt(in, offset, length, out, outOffset, false);
    } catch (AEADBadTagException | IllegalBlockSizeException e) {
      throw new ProviderException(e); // no piece but the last is checked
    }
  }

  static void room(int needed, int there) throws ShortBufferException {
    if (there < needed) {
      throw new ShortBufferException("output needs " + needed + " bytes, there is room for " + Math.max(there, 0));
    }
  }

  // ---- text in buffers

  @Override
  protected int engineUpdate(ByteBuffer in, ByteBuffer out) throws ShortBufferException {
    int length = in.remaining();
    requireMessage();
    preparePiece();
    room(outputSize(length, false), out.remaining());
    int written = piece(base(in), start(in), length, outBase(out), outStart(out));
    in.position(in.limit());
    out.position(out.position() + written);
    return written;
  }

  @Override
  protected int engineDoFinal(ByteBuffer in, ByteBuffer out)
      throws ShortBufferException, IllegalBlockSizeException, BadPaddingException {
    int length = in.remaining();
    requireMessage();
    room(outputSize(length, true), out.remaining());
    int written = crypt(base(in), start(in), length, outBase(out), outStart(out), true);
    in.position(in.limit());
    out.position(out.position() + written);
    return written;
  }

  /**
   * Throws what Java throws for a buffer of an Arena that is closed, or that belongs to another thread: native code
   * would read and write there all the same. One byte answers for all, since they have one Arena.
   */
  private static void requireAccess(ByteBuffer direct) {
    if (direct.hasRemaining()) {
      direct.get(direct.position());
    }
  }

  /** A read-only buffer of the heap lends nobody its array: its bytes are copied. */
  private static Object base(ByteBuffer in) {
    if (in.hasArray()) {
      return in.array();
    }
    if (in.isDirect()) {
      requireAccess(in);
      return in;
    }
    byte[] copy = new byte[in.remaining()];
    in.duplicate().get(copy);
    return copy;
  }

  private static int start(ByteBuffer in) {
    if (in.hasArray()) {
      return in.arrayOffset() + in.position();
    }
    return in.isDirect() ? in.position() : 0;
  }

  private static Object outBase(ByteBuffer out) {
    if (out.hasArray()) {
      return out.array();
    }
    requireAccess(out);
    return out;
  }

  private static int outStart(ByteBuffer out) {
    return out.hasArray() ? out.arrayOffset() + out.position() : out.position();
  }

  /** Whether a text of an array would be overwritten before it is read. Direct buffers are native code's to compare. */
  static boolean overlaps(Object in, int inOffset, Object out, int outOffset, int length) {
    return in == out
        && in instanceof byte[]
        && inOffset != outOffset
        && Math.abs((long) inOffset - outOffset) < length;
  }

  static byte[] copy(Object in, int offset, int length) {
    byte[] copy = new byte[length];
    read(in, offset, copy, 0, length);
    return copy;
  }

  static void read(Object in, int offset, byte[] to, int at, int length) {
    if (in instanceof byte[]) {
      System.arraycopy((byte[]) in, offset, to, at, length);
    } else {
      ByteBuffer view = ((ByteBuffer) in).duplicate();
      view.clear().position(offset).limit(offset + length);
      view.get(to, at, length);
    }
  }

  /** Puts bytes into an output. */
  static void write(byte[] from, int count, Object out, int offset) {
    if (out instanceof byte[]) {
      System.arraycopy(from, 0, out, offset, count);
    } else {
      ByteBuffer view = ((ByteBuffer) out).duplicate();
      view.clear().position(offset);
      view.put(from, 0, count);
    }
  }

  /** Errors other than a tag that does not match. */
  static void check(int error) {
    if (error == Native.EBUSY) {
      throw new ConcurrentModificationException("another thread uses this object now: each needs one of its own");
    }
    if (error != 0) {
      throw new ProviderException(
          error == Native.EMEMORY ? "no memory for a text of this length" : Native.reason(error) + " (" + error + ")");
    }
  }

  // ---- keys as texts

  @Override
  protected byte[] engineWrap(Key key) throws IllegalBlockSizeException, InvalidKeyException {
    byte[] encoded = key == null ? null : key.getEncoded();
    if (encoded == null || encoded.length == 0) {
      throw new InvalidKeyException("the key to wrap has no encoding");
    }
    try {
      return engineDoFinal(encoded, 0, encoded.length);
    } catch (BadPaddingException e) {
      throw new ProviderException(e); // nothing is padded
    } finally {
      Arrays.fill(encoded, (byte) 0);
    }
  }

  @Override
  protected Key engineUnwrap(byte[] wrapped, String algorithm, int type)
      throws InvalidKeyException, NoSuchAlgorithmException {
    byte[] encoded = NOTHING;
    try {
      encoded = engineDoFinal(wrapped, 0, wrapped.length);
      switch (type) {
        case Cipher.SECRET_KEY:
          return new SecretKeySpec(encoded, algorithm);
        case Cipher.PRIVATE_KEY:
          return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(encoded));
        case Cipher.PUBLIC_KEY:
          return KeyFactory.getInstance(algorithm).generatePublic(new X509EncodedKeySpec(encoded));
        default:
          throw new InvalidKeyException("no such type of key: " + type);
      }
    } catch (BadPaddingException | IllegalBlockSizeException | InvalidKeySpecException | IllegalArgumentException e) {
      throw new InvalidKeyException("the wrapped key does not open: " + e.getMessage(), e);
    } finally {
      Arrays.fill(encoded, (byte) 0);
    }
  }
}
