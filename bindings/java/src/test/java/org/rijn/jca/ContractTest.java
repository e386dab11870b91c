// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
package org.rijn.jca;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.InvalidAlgorithmParameterException;
import java.security.InvalidKeyException;
import java.security.Key;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Security;
import java.security.spec.InvalidParameterSpecException;
import java.util.Arrays;
import java.util.Random;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.CipherInputStream;
import javax.crypto.CipherOutputStream;
import javax.crypto.IllegalBlockSizeException;
import javax.crypto.Mac;
import javax.crypto.SealedObject;
import javax.crypto.ShortBufferException;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;

/** JCA's contract where the fuzzer does not go. */
class ContractTest {
  private static final RijnProvider RIJN = new RijnProvider();
  private static final String GCM = "AES/GCM/NoPadding";
  private static final Key KEY = new SecretKeySpec(new byte[32], "AES");

  private static GCMParameterSpec spec(int number) {
    return new GCMParameterSpec(128, ByteBuffer.allocate(12).putInt(number).array());
  }

  private static Cipher cipher(int mode, int number) throws GeneralSecurityException {
    Cipher cipher = Cipher.getInstance(GCM, RIJN);
    cipher.init(mode, KEY, spec(number));
    return cipher;
  }

  private static byte[] random(int n) {
    byte[] bytes = new byte[n];
    new Random(n).nextBytes(bytes);
    return bytes;
  }

  private static byte[] jdk(int mode, int number, byte[] data) throws GeneralSecurityException {
    Cipher cipher = Cipher.getInstance(GCM, "SunJCE");
    cipher.init(mode, KEY, spec(number));
    return cipher.doFinal(data);
  }

  @Test
  void namesOfOneKeyLength() throws GeneralSecurityException {
    for (int bits : new int[] {128, 192, 256}) {
      for (String mode : new String[] {"GCM", "CTR"}) {
        Cipher cipher = Cipher.getInstance("AES_" + bits + "/" + mode + "/NoPadding", RIJN);
        cipher.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(new byte[bits / 8], "AES"));
        assertEquals(mode.equals("GCM") ? 12 : 16, cipher.getIV().length);
        byte[] other = new byte[bits == 128 ? 32 : 16];
        assertThrows(
            InvalidKeyException.class, () -> cipher.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(other, "AES")));
      }
    }
    assertEquals(RIJN, Cipher.getInstance("2.16.840.1.101.3.4.1.46", RIJN).getProvider());
  }

  /** The other tests then go the way that they are meant to go: java.newest is the one in such a virtual machine. */
  @Test
  void newVirtualMachinesCallWithoutJni() {
    int version = Runtime.version().feature();
    String want = version >= 24 ? "FFM" : "JNI (Java " + version + ")";
    for (String property : new String[] {"rijn.hold", "rijn.ffm"}) {
      want = "false".equals(System.getProperty(property)) ? "JNI (" + property + "=false)" : want;
    }
    assertEquals(want, Ffm.description());
    assertEquals("FFM".equals(want), Ffm.inUse());
    assertTrue(RijnProvider.description().endsWith(", " + want), RijnProvider.description());
  }

  /** A collection waits for a call without JNI, so neither text nor associated data may be long there. */
  @Test
  void longMessagesGoByJni() {
    Call call = new Call();
    call.begin(new byte[12], 16);
    byte[] array = new byte[0];
    assertEquals(Ffm.inUse(), Ffm.takes(call, array, array, 16384));
    assertFalse(Ffm.takes(call, array, array, 16385));
    assertFalse(Ffm.takes(call, array, ByteBuffer.allocateDirect(0), 0));
    call.aad(new byte[16384 - 12], 0, 16384 - 12);
    assertEquals(Ffm.inUse(), Ffm.takes(call, array, array, 16384));
    call.aad(new byte[1], 0, 1);
    assertFalse(Ffm.takes(call, array, array, 0));
  }

  /** A native call that is refused before it has an output does not write its input there. */
  @Test
  void refusedTextsAreNotCopied() throws GeneralSecurityException {
    byte[] raw = random(64);
    Call call = new Call();
    call.begin(new byte[16], 16);
    byte[] out = new byte[15];
    for (boolean encrypt : new boolean[] {true, false}) {
      byte[] text = random(15);
      assertTrue(Native.xtsCrypt(0, raw, encrypt, call.text(0, 15, 0), text, out, 0) < 0);
      assertArrayEquals(new byte[15], out);
      assertTrue(Native.xtsCrypt(0, raw, encrypt, call.text(0, 15, 0), text, text, 0) < 0);
      assertArrayEquals(random(15), text);
    }
  }

  @Test
  void keysThatAreRefused() throws GeneralSecurityException {
    Cipher cipher = Cipher.getInstance(GCM, RIJN);
    for (int length : new int[] {1, 15, 17, 33, 64, 65}) {
      Key key = new SecretKeySpec(new byte[length], "AES");
      assertThrows(InvalidKeyException.class, () -> cipher.init(Cipher.ENCRYPT_MODE, key, spec(0)));
    }
    Key other = new SecretKeySpec(new byte[16], "DES");
    assertThrows(InvalidKeyException.class, () -> cipher.init(Cipher.ENCRYPT_MODE, other, spec(0)));
    assertThrows(InvalidKeyException.class, () -> cipher.init(Cipher.DECRYPT_MODE, KEY));
    Cipher xts = Cipher.getInstance("AES/XTS/NoPadding", RIJN);
    Key halves = new SecretKeySpec(new byte[64], "AES");
    assertThrows(
        InvalidKeyException.class, () -> xts.init(Cipher.ENCRYPT_MODE, halves, new IvParameterSpec(new byte[16])));
  }

  @Test
  void parametersThatAreRefused() throws GeneralSecurityException {
    Cipher cipher = Cipher.getInstance(GCM, RIJN);
    for (int bits : new int[] {0, 32, 64, 88, 95, 97, 129, 136, 256}) {
      GCMParameterSpec bad = new GCMParameterSpec(bits, new byte[12]);
      assertThrows(
          InvalidAlgorithmParameterException.class, () -> cipher.init(Cipher.ENCRYPT_MODE, KEY, bad), bits + " bits");
    }
    for (var bad : Arrays.asList(new IvParameterSpec(new byte[12]), new GCMParameterSpec(128, new byte[0]))) {
      assertThrows(InvalidAlgorithmParameterException.class, () -> cipher.init(Cipher.DECRYPT_MODE, KEY, bad));
    }
    assertThrows(IllegalStateException.class, () -> cipher.doFinal(new byte[1]), "a refused init leaves nothing usable");
  }

  @Test
  void anIvServesOneEncryption() throws GeneralSecurityException {
    Cipher cipher = cipher(Cipher.ENCRYPT_MODE, 1);
    cipher.doFinal(new byte[5]);
    assertThrows(IllegalStateException.class, () -> cipher.doFinal(new byte[5]));
    assertThrows(IllegalStateException.class, () -> cipher.update(new byte[5]));
    assertThrows(IllegalStateException.class, () -> cipher.updateAAD(new byte[5]));
    assertThrows(InvalidAlgorithmParameterException.class, () -> cipher.init(Cipher.ENCRYPT_MODE, KEY, spec(1)));
    cipher.init(Cipher.DECRYPT_MODE, KEY, spec(1));
    assertThrows(InvalidAlgorithmParameterException.class, () -> cipher.init(Cipher.ENCRYPT_MODE, KEY, spec(1)));
    byte[] another = new byte[32];
    another[0] = 1;
    cipher.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(another, "AES"), spec(1));
    cipher.init(Cipher.ENCRYPT_MODE, KEY, spec(2));
    assertEquals(21, cipher.doFinal(new byte[5]).length);
  }

  @Test
  void decryptionGoesOnWithoutInit() throws GeneralSecurityException {
    byte[] sealed = jdk(Cipher.ENCRYPT_MODE, 3, random(99));
    Cipher cipher = cipher(Cipher.DECRYPT_MODE, 3);
    assertArrayEquals(random(99), cipher.doFinal(sealed));
    sealed[4] ^= 1;
    assertThrows(AEADBadTagException.class, () -> cipher.doFinal(sealed));
    sealed[4] ^= 1;
    assertArrayEquals(random(99), cipher.doFinal(sealed));
  }

  /** Nothing of a text comes out before its tag is checked, and nothing of a forgery at all. */
  @Test
  void forgeriesGiveNothing() throws GeneralSecurityException {
    for (int length : new int[] {1, 16, 1000, 1024, 1025, 70_000, 1 << 20, (1 << 20) + 1, 3_000_000}) {
      byte[] sealed = jdk(Cipher.ENCRYPT_MODE, 4, random(length));
      sealed[length + 15] ^= 1;
      Cipher cipher = cipher(Cipher.DECRYPT_MODE, 4);
      byte[] out = new byte[length + 1];
      Arrays.fill(out, (byte) 0x77);
      assertThrows(AEADBadTagException.class, () -> cipher.doFinal(sealed, 0, sealed.length, out, 0));
      byte[] zeros = new byte[length + 1];
      zeros[length] = 0x77;
      assertArrayEquals(zeros, out);
      byte[] piece = cipher.update(sealed, 0, length);
      assertTrue(piece == null || piece.length == 0);
      assertThrows(AEADBadTagException.class, () -> cipher.doFinal(sealed, length, 16));
    }
  }

  @Test
  void lengthsAroundTheLimitsOfCopiesAndSlices() throws GeneralSecurityException {
    int slice = 1 << 20;
    for (int length : new int[] {0, 1, 1023, 1024, 1025, slice - 1, slice, slice + 1, 2 * slice, 2 * slice + 17}) {
      byte[] text = random(length);
      byte[] sealed = jdk(Cipher.ENCRYPT_MODE, 5, text);
      for (Texts form : Texts.values()) {
        for (int shift : new int[] {-17, -1, 1, 16}) {
          int used = form == Texts.OVERLAPPING || form == Texts.DIRECT_OVERLAPPING ? shift : Math.abs(shift);
          assertArrayEquals(sealed, form.run(cipher(Cipher.ENCRYPT_MODE, 5), text, used, true), form + " " + length);
          assertArrayEquals(text, form.run(cipher(Cipher.DECRYPT_MODE, 5), sealed, used, true), form + " " + length);
        }
      }
    }
  }

  @Test
  void piecesInPlaceAndOverlapping() throws GeneralSecurityException {
    byte[] text = random(5000);
    byte[] sealed = jdk(Cipher.ENCRYPT_MODE, 6, text);
    for (int shift = -20; shift <= 20; shift++) {
      Cipher cipher = cipher(Cipher.ENCRYPT_MODE, 6);
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      int at = 0;
      for (int n : new int[] {1, 15, 37, 1500, 2047, 1400}) {
        byte[] piece = Texts.OVERLAPPING.run(cipher, Arrays.copyOfRange(text, at, at + n), shift, at + n == 5000);
        out.write(piece, 0, piece.length);
        at += n;
      }
      assertArrayEquals(sealed, out.toByteArray());
    }
  }

  @Test
  void aShortBufferChangesNothing() throws GeneralSecurityException {
    Cipher cipher = cipher(Cipher.ENCRYPT_MODE, 7);
    byte[] text = random(100);
    assertEquals(116, cipher.getOutputSize(100));
    assertThrows(ShortBufferException.class, () -> cipher.doFinal(text, 0, 100, new byte[115], 0));
    assertThrows(ShortBufferException.class, () -> cipher.doFinal(ByteBuffer.wrap(text), ByteBuffer.allocate(115)));
    assertArrayEquals(jdk(Cipher.ENCRYPT_MODE, 7, text), cipher.doFinal(text));
  }

  @Test
  void streams() throws GeneralSecurityException, IOException {
    byte[] text = random(100_000);
    ByteArrayOutputStream sealed = new ByteArrayOutputStream();
    try (CipherOutputStream out = new CipherOutputStream(sealed, cipher(Cipher.ENCRYPT_MODE, 8))) {
      for (int at = 0; at < text.length; at += 777) {
        out.write(text, at, Math.min(777, text.length - at));
      }
    }
    byte[] bytes = sealed.toByteArray();
    assertArrayEquals(jdk(Cipher.ENCRYPT_MODE, 8, text), bytes);
    Cipher opener = cipher(Cipher.DECRYPT_MODE, 8);
    try (CipherInputStream in = new CipherInputStream(new ByteArrayInputStream(bytes), opener)) {
      assertArrayEquals(text, in.readAllBytes());
    }
    bytes[9] ^= 1;
    CipherInputStream in = new CipherInputStream(new ByteArrayInputStream(bytes), opener);
    IOException refused = assertThrows(IOException.class, in::readAllBytes);
    assertTrue(refused.getCause() instanceof AEADBadTagException);
  }

  @Test
  void wrapAndUnwrap() throws GeneralSecurityException {
    Key secret = new SecretKeySpec(random(24), "AES");
    byte[] wrapped = cipher(Cipher.WRAP_MODE, 9).wrap(secret);
    assertArrayEquals(jdk(Cipher.ENCRYPT_MODE, 9, random(24)), wrapped);
    assertEquals(secret, cipher(Cipher.UNWRAP_MODE, 9).unwrap(wrapped, "AES", Cipher.SECRET_KEY));
    KeyPair pair = KeyPairGenerator.getInstance("EC").generateKeyPair();
    byte[] wrappedPrivate = cipher(Cipher.WRAP_MODE, 10).wrap(pair.getPrivate());
    assertEquals(pair.getPrivate(), cipher(Cipher.UNWRAP_MODE, 10).unwrap(wrappedPrivate, "EC", Cipher.PRIVATE_KEY));
    byte[] wrappedPublic = cipher(Cipher.WRAP_MODE, 11).wrap(pair.getPublic());
    assertEquals(pair.getPublic(), cipher(Cipher.UNWRAP_MODE, 11).unwrap(wrappedPublic, "EC", Cipher.PUBLIC_KEY));
    wrapped[0] ^= 1;
    Cipher unwrap = cipher(Cipher.UNWRAP_MODE, 9);
    assertThrows(InvalidKeyException.class, () -> unwrap.unwrap(wrapped, "AES", Cipher.SECRET_KEY));
  }

  @Test
  void parametersComeBack() throws GeneralSecurityException {
    Cipher first = Cipher.getInstance(GCM, RIJN);
    first.init(Cipher.ENCRYPT_MODE, KEY);
    byte[] sealed = first.doFinal(random(50));
    AlgorithmParameters parameters = first.getParameters();
    assertEquals(128, parameters.getParameterSpec(GCMParameterSpec.class).getTLen());
    Cipher second = Cipher.getInstance(GCM, RIJN);
    second.init(Cipher.DECRYPT_MODE, KEY, parameters);
    assertArrayEquals(random(50), second.doFinal(sealed));
    Cipher ctr = Cipher.getInstance("AES/CTR/NoPadding", RIJN);
    ctr.init(Cipher.ENCRYPT_MODE, KEY);
    assertArrayEquals(ctr.getIV(), ctr.getParameters().getParameterSpec(IvParameterSpec.class).getIV());
    assertFalse(Arrays.equals(first.getIV(), cipherWithRandomIv().getIV()));
  }

  @Test
  void parametersOfGcm() throws GeneralSecurityException, IOException, ClassNotFoundException {
    for (int nonce : new int[] {1, 12, 16, 127, 128, 300, 70_000}) {
      for (int bits = 96; bits <= 128; bits += 8) {
        AlgorithmParameters mine = AlgorithmParameters.getInstance("GCM", RIJN);
        mine.init(new GCMParameterSpec(bits, random(nonce)));
        AlgorithmParameters theirs = AlgorithmParameters.getInstance("GCM", "SunJCE");
        theirs.init(new GCMParameterSpec(bits, random(nonce)));
        if (bits != 96) { // which DER leaves out: JDK 17 writes it all the same, JDK 25 does not
          assertArrayEquals(theirs.getEncoded(), mine.getEncoded());
        }
        AlgorithmParameters back = AlgorithmParameters.getInstance("GCM", "SunJCE");
        back.init(mine.getEncoded());
        assertEquals(bits, back.getParameterSpec(GCMParameterSpec.class).getTLen());
        assertArrayEquals(random(nonce), back.getParameterSpec(GCMParameterSpec.class).getIV());
        AlgorithmParameters again = AlgorithmParameters.getInstance("GCM", RIJN);
        again.init(theirs.getEncoded());
        assertEquals(bits, again.getParameterSpec(GCMParameterSpec.class).getTLen());
        assertArrayEquals(random(nonce), again.getParameterSpec(GCMParameterSpec.class).getIV());
      }
    }
    SealedObject sealed = new SealedObject("text", cipher(Cipher.ENCRYPT_MODE, 14));
    Security.addProvider(RIJN);
    try {
      assertEquals("text", sealed.getObject(KEY, "Rijn"));
    } finally {
      Security.removeProvider("Rijn");
    }
  }

  @Test
  void parametersOfGcmThatAreNone() throws GeneralSecurityException {
    AlgorithmParameters mine = AlgorithmParameters.getInstance("GCM", RIJN);
    assertThrows(InvalidParameterSpecException.class, () -> mine.init(new GCMParameterSpec(64, new byte[12])));
    assertThrows(InvalidParameterSpecException.class, () -> mine.init(new IvParameterSpec(new byte[12])));
    String[] wrong = {
      "", "30", "3004", "300404", "30040402aa", "0402aabb", "30040402aabb00", "30070402aabb020111", "30070402aabb020103",
      "30080402aabb0202000d", "30090402aabb02010d0500", "308504", "3084ffffffff0402aabb", "30060484ffffffff",
    };
    for (String bytes : wrong) {
      assertThrows(IOException.class, () -> mine.init(Hex.bytes(bytes)), bytes);
    }
  }

  private static Cipher cipherWithRandomIv() throws GeneralSecurityException {
    Cipher cipher = Cipher.getInstance(GCM, RIJN);
    cipher.init(Cipher.ENCRYPT_MODE, KEY);
    return cipher;
  }

  @Test
  void gmac() throws GeneralSecurityException {
    byte[] data = random(5000);
    Cipher jdk = Cipher.getInstance(GCM, "SunJCE");
    jdk.init(Cipher.ENCRYPT_MODE, KEY, spec(12));
    jdk.updateAAD(data);
    byte[] want = jdk.doFinal();
    Mac mac = Mac.getInstance("AESGMAC", RIJN);
    mac.init(KEY, spec(12));
    mac.update(data, 0, 4000);
    mac.update(data[4000]);
    mac.update(ByteBuffer.wrap(data, 4001, 999));
    assertArrayEquals(want, mac.doFinal());
    assertThrows(IllegalStateException.class, () -> mac.doFinal(data));
    assertThrows(InvalidAlgorithmParameterException.class, () -> mac.init(KEY, spec(12)));
    mac.init(KEY, new IvParameterSpec(spec(13).getIV()));
    mac.update(data);
    mac.reset();
    assertEquals(16, mac.doFinal(data).length);
  }

  @Test
  void dataUnitsOfXts() throws GeneralSecurityException {
    Cipher xts = Cipher.getInstance("AES/XTS/NoPadding", RIJN);
    xts.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(random(64), "AES"), new IvParameterSpec(new byte[16]));
    assertThrows(IllegalBlockSizeException.class, () -> xts.doFinal(new byte[15]));
    byte[] whole = xts.doFinal(random(4099));
    assertEquals(0, xts.update(random(4099), 0, 99).length);
    assertArrayEquals(whole, xts.doFinal(random(4099), 99, 4000), "a unit in pieces");
  }
}
