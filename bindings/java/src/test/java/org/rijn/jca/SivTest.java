// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
package org.rijn.jca;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.InvalidAlgorithmParameterException;
import java.security.InvalidKeyException;
import java.security.Key;
import java.security.Provider;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.CipherInputStream;
import javax.crypto.CipherOutputStream;
import javax.crypto.ShortBufferException;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.bouncycastle.jce.provider.BouncyCastleProvider;
import org.junit.jupiter.api.Test;

/** AES-GCM-SIV: RFC 8452's vectors, JCA's contract, and random messages as Bouncy Castle encrypts them. */
class SivTest {
  private static final RijnProvider RIJN = new RijnProvider();
  private static final Provider OTHER = new BouncyCastleProvider();
  private static final int ROUNDS = Integer.getInteger("rijn.rounds", 4000);
  private static final long SEED = Long.getLong("rijn.seed", 1);
  private static final String SIV = "AES/GCM-SIV/NoPadding";
  private static final Key KEY = new SecretKeySpec(new byte[32], "AES");

  private static GCMParameterSpec spec(int number) {
    return new GCMParameterSpec(128, ByteBuffer.allocate(12).putInt(number).array());
  }

  private static Cipher cipher(Provider provider, int mode, Key key, GCMParameterSpec spec)
      throws GeneralSecurityException {
    Cipher cipher = Cipher.getInstance(SIV, provider);
    cipher.init(mode, key, spec);
    return cipher;
  }

  private static Cipher seal(int number) throws GeneralSecurityException {
    return cipher(RIJN, Cipher.ENCRYPT_MODE, KEY, spec(number));
  }

  private static Cipher open(int number) throws GeneralSecurityException {
    return cipher(RIJN, Cipher.DECRYPT_MODE, KEY, spec(number));
  }

  private static byte[] random(int n) {
    byte[] bytes = new byte[n];
    new Random(n).nextBytes(bytes);
    return bytes;
  }

  // ---- known answers

  /** Appendix C of RFC 8452, and for AES-192 what OpenSSL adds to it. */
  @Test
  void vectorsOfTheRfc() throws Exception {
    assertTrue(vectors("openssl.txt") >= 40);
    assertTrue(vectors("aes-192-gcm-siv.txt") >= 10);
  }

  private static int vectors(String file) throws Exception {
    Path path = Path.of(System.getProperty("rijn.vectors"), "cavp/AES/GCM-SIV", file);
    Map<String, byte[]> vector = new HashMap<>();
    int count = 0;
    List<String> lines = Files.readAllLines(path);
    lines.add("COUNT = end");
    for (String line : lines) {
      String[] pair = line.split(" *= *", 2);
      if (pair[0].equals("COUNT") && !vector.isEmpty()) {
        check(vector);
        vector.clear();
        count++;
      } else if (pair.length == 2 && !pair[0].startsWith("#") && !pair[0].equals("COUNT")) {
        vector.put(pair[0], Hex.bytes(pair[1].trim()));
      }
    }
    return count;
  }

  private static void check(Map<String, byte[]> vector) throws GeneralSecurityException {
    Key key = new SecretKeySpec(vector.get("Key"), "AES");
    GCMParameterSpec spec = new GCMParameterSpec(128, vector.get("IV"));
    byte[] text = vector.getOrDefault("Plaintext", new byte[0]);
    byte[] sealed = WycheproofTest.join(vector.getOrDefault("Ciphertext", new byte[0]), vector.get("Tag"));
    for (Texts form : Texts.values()) {
      Cipher cipher = cipher(RIJN, Cipher.ENCRYPT_MODE, key, spec);
      cipher.updateAAD(vector.getOrDefault("AAD", new byte[0]));
      assertArrayEquals(sealed, form.run(cipher, text, 2, true));
      cipher = cipher(RIJN, Cipher.DECRYPT_MODE, key, spec);
      cipher.updateAAD(vector.getOrDefault("AAD", new byte[0]));
      assertArrayEquals(text, form.run(cipher, sealed, 2, true));
    }
  }

  // ---- Bouncy Castle's

  @Test
  void likeBouncyCastle() throws GeneralSecurityException {
    Random random = new Random(SEED);
    for (int round = 0; round < ROUNDS / 2; round++) {
      byte[] raw = new byte[random.nextBoolean() ? 16 : 32];
      byte[] iv = new byte[12];
      byte[] aad = new byte[random.nextInt(random.nextInt(8) == 0 ? 3000 : 40)];
      byte[] text = new byte[random.nextInt(random.nextInt(20) == 0 ? 40_000 : 500)];
      for (byte[] bytes : List.of(raw, iv, aad, text)) {
        random.nextBytes(bytes);
      }
      Key key = new SecretKeySpec(raw, "AES");
      GCMParameterSpec spec = new GCMParameterSpec(128, iv);
      Cipher other = cipher(OTHER, Cipher.ENCRYPT_MODE, key, spec);
      other.updateAAD(aad);
      byte[] sealed = other.doFinal(text);
      int seed = round;
      assertArrayEquals(sealed, pieces(random, Cipher.ENCRYPT_MODE, key, spec, aad, text), () -> "round " + seed);
      assertArrayEquals(text, pieces(random, Cipher.DECRYPT_MODE, key, spec, aad, sealed), () -> "round " + seed);
      sealed[random.nextInt(sealed.length)] ^= (byte) (1 << random.nextInt(8));
      assertThrows(
          AEADBadTagException.class, () -> pieces(random, Cipher.DECRYPT_MODE, key, spec, aad, sealed), "a forgery");
    }
  }

  private static byte[] pieces(Random random, int mode, Key key, GCMParameterSpec spec, byte[] aad, byte[] data)
      throws GeneralSecurityException {
    Cipher cipher = cipher(RIJN, mode, key, spec);
    int cut = random.nextInt(aad.length + 1);
    cipher.updateAAD(aad, 0, cut);
    cipher.updateAAD(ByteBuffer.wrap(aad, cut, aad.length - cut));
    int at = 0;
    for (int left = random.nextInt(3); left > 0; left--) {
      int n = random.nextInt(data.length - at + 1);
      Texts form = Texts.values()[random.nextInt(Texts.OVERLAPPING.ordinal())];
      assertEquals(0, form.run(cipher, Arrays.copyOfRange(data, at, at + n), 1, false).length, "nothing comes early");
      at += n;
    }
    Texts form = Texts.values()[random.nextInt(at == 0 ? Texts.values().length : Texts.OVERLAPPING.ordinal())];
    if (at > 0 && form == Texts.IN_PLACE) {
      form = Texts.ARRAYS; // what was held is longer than the piece in whose place it would go
    }
    return form.run(cipher, Arrays.copyOfRange(data, at, data.length), random.nextInt(20), true);
  }

  @Test
  void lengthsAroundTheLimitsOfCopiesAndSlices() throws GeneralSecurityException {
    int slice = 1 << 20;
    for (int length : new int[] {0, 1, 1023, 1024, 1025, slice - 1, slice, slice + 1, 2 * slice + 17}) {
      byte[] text = random(length);
      byte[] sealed = cipher(OTHER, Cipher.ENCRYPT_MODE, KEY, spec(5)).doFinal(text);
      for (Texts form : Texts.values()) {
        assertArrayEquals(sealed, form.run(seal(5), text, 16, true), form + " " + length);
        assertArrayEquals(text, form.run(open(5), sealed, 16, true), form + " " + length);
      }
    }
  }

  // ---- the contract

  @Test
  void whatIsRefused() throws GeneralSecurityException {
    Cipher cipher = Cipher.getInstance(SIV, RIJN);
    for (int bits : new int[] {96, 104, 120, 127, 136}) {
      GCMParameterSpec bad = new GCMParameterSpec(bits, new byte[12]);
      assertThrows(InvalidAlgorithmParameterException.class, () -> cipher.init(Cipher.ENCRYPT_MODE, KEY, bad));
    }
    for (int length : new int[] {0, 8, 11, 13, 16}) {
      GCMParameterSpec bad = new GCMParameterSpec(128, new byte[length]);
      assertThrows(InvalidAlgorithmParameterException.class, () -> cipher.init(Cipher.DECRYPT_MODE, KEY, bad));
    }
    IvParameterSpec other = new IvParameterSpec(new byte[12]);
    assertThrows(InvalidAlgorithmParameterException.class, () -> cipher.init(Cipher.ENCRYPT_MODE, KEY, other));
    assertThrows(InvalidKeyException.class, () -> cipher.init(Cipher.DECRYPT_MODE, KEY));
    Key small = new SecretKeySpec(new byte[15], "AES");
    assertThrows(InvalidKeyException.class, () -> cipher.init(Cipher.ENCRYPT_MODE, small, spec(0)));
    assertThrows(IllegalStateException.class, () -> cipher.doFinal(new byte[1]), "a refused init leaves nothing usable");
    assertThrows(
        InvalidKeyException.class,
        () -> Cipher.getInstance("AES_128/GCM-SIV/NoPadding", RIJN).init(Cipher.ENCRYPT_MODE, KEY, spec(0)));
    Cipher named = Cipher.getInstance("AES_256/GCM-SIV/NoPadding", RIJN);
    named.init(Cipher.ENCRYPT_MODE, KEY, spec(0));
    assertArrayEquals(seal(0).doFinal(random(9)), named.doFinal(random(9)));
  }

  /** The mode forgives an IV that comes again, but not one call of doFinal too many. */
  @Test
  void anIvMayComeAgainByInit() throws GeneralSecurityException {
    Cipher cipher = seal(1);
    cipher.updateAAD(random(9));
    byte[] once = cipher.doFinal(random(50));
    assertThrows(IllegalStateException.class, () -> cipher.doFinal(random(50)));
    assertThrows(IllegalStateException.class, () -> cipher.update(random(50)));
    assertThrows(IllegalStateException.class, () -> cipher.updateAAD(random(50)));
    cipher.init(Cipher.ENCRYPT_MODE, KEY, spec(1));
    cipher.updateAAD(random(9));
    assertArrayEquals(once, cipher.doFinal(random(50)));
    Cipher opener = open(1);
    for (int message = 0; message < 2; message++) { // decryption goes on without init, with associated data of its own
      opener.updateAAD(random(9));
      assertArrayEquals(random(50), opener.doFinal(once));
    }
  }

  @Test
  void associatedDataComesFirst() throws GeneralSecurityException {
    Cipher cipher = seal(2);
    cipher.update(new byte[1]);
    assertThrows(IllegalStateException.class, () -> cipher.updateAAD(new byte[1]));
  }

  @Test
  void aShortBufferChangesNothing() throws GeneralSecurityException {
    Cipher cipher = seal(3);
    cipher.update(random(100), 0, 40);
    assertEquals(116, cipher.getOutputSize(60));
    assertThrows(ShortBufferException.class, () -> cipher.doFinal(random(100), 40, 60, new byte[115], 0));
    assertArrayEquals(seal(3).doFinal(random(100)), cipher.doFinal(random(100), 40, 60));
  }

  @Test
  void forgeriesGiveNothing() throws GeneralSecurityException {
    for (int length : new int[] {1, 16, 1024, 1025, 70_000, 1 << 20, 3_000_000}) {
      byte[] sealed = seal(4).doFinal(random(length));
      sealed[length + 15] ^= 1;
      byte[] out = new byte[length + 1];
      Arrays.fill(out, (byte) 0x77);
      Cipher cipher = open(4);
      assertThrows(AEADBadTagException.class, () -> cipher.doFinal(sealed, 0, sealed.length, out, 0));
      byte[] zeros = new byte[length + 1];
      zeros[length] = 0x77;
      assertArrayEquals(zeros, out);
    }
    assertThrows(AEADBadTagException.class, () -> open(4).doFinal(new byte[15]));
  }

  @Test
  void streamsAndKeysAndParameters() throws GeneralSecurityException, IOException {
    ByteArrayOutputStream sealed = new ByteArrayOutputStream();
    try (CipherOutputStream out = new CipherOutputStream(sealed, seal(6))) {
      out.write(random(10_000), 0, 7000);
      out.write(random(10_000), 7000, 3000);
    }
    assertArrayEquals(seal(6).doFinal(random(10_000)), sealed.toByteArray());
    try (CipherInputStream in = new CipherInputStream(new ByteArrayInputStream(sealed.toByteArray()), open(6))) {
      assertArrayEquals(random(10_000), in.readAllBytes());
    }
    Key secret = new SecretKeySpec(random(24), "AES");
    byte[] wrapped = cipher(RIJN, Cipher.WRAP_MODE, KEY, spec(7)).wrap(secret);
    Cipher unwrap = cipher(RIJN, Cipher.UNWRAP_MODE, KEY, spec(7));
    assertEquals(secret, unwrap.unwrap(wrapped, "AES", Cipher.SECRET_KEY));
    Cipher first = Cipher.getInstance(SIV, RIJN);
    first.init(Cipher.ENCRYPT_MODE, KEY);
    assertEquals(12, first.getIV().length);
    byte[] text = first.doFinal(random(50));
    Cipher second = Cipher.getInstance(SIV, RIJN);
    second.init(Cipher.DECRYPT_MODE, KEY, first.getParameters());
    assertArrayEquals(random(50), second.doFinal(text));
  }
}
