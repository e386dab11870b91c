// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
package org.rijn.jca;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.spec.AlgorithmParameterSpec;
import java.util.Random;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;

/** One object with one key, with many, and with few uses of each: it answers as a new object does. */
class KeysTest {
  private static final RijnProvider RIJN = new RijnProvider();
  private static final String GCM = "AES/GCM/NoPadding";

  private static byte[] random(int seed, int n) {
    byte[] bytes = new byte[n];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  private static AlgorithmParameterSpec spec(String mode, int number) {
    boolean gcm = mode.startsWith("GCM");
    byte[] iv = ByteBuffer.allocate(gcm ? 12 : 16).putInt(number).array();
    return gcm ? new GCMParameterSpec(128, iv) : new IvParameterSpec(iv);
  }

  private static int[] keyLengths(String mode) {
    return mode.equals("XTS") ? new int[] {32, 64} : new int[] {16, 24, 32};
  }

  private static Cipher cipher(String mode) throws GeneralSecurityException {
    return Cipher.getInstance("AES/" + mode + "/NoPadding", RIJN);
  }

  private static byte[] once(String mode, byte[] raw, int number, byte[] text) throws GeneralSecurityException {
    Cipher cipher = cipher(mode);
    cipher.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(raw, "AES"), spec(mode, number));
    return cipher.doFinal(text);
  }

  /** Keys of all pairs of lengths, one after the other in one object, each as seldom and as often as the counts say. */
  @Test
  void anObjectWithAnotherKeyIsAsANewOne() throws GeneralSecurityException {
    byte[] text = random(1, 99);
    for (String mode : new String[] {"GCM", "GCM-SIV", "CTR", "XTS"}) {
      Cipher reused = cipher(mode);
      int number = 0;
      for (int first : keyLengths(mode)) {
        for (int second : keyLengths(mode)) {
          for (int uses : new int[] {1, 2, 8, 9, 20, 3}) {
            for (int length : new int[] {first, second}) {
              byte[] raw = random(number, length);
              for (int use = 0; use < uses; use++, number++) {
                reused.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(raw, "AES"), spec(mode, number));
                byte[] sealed = reused.doFinal(text);
                assertArrayEquals(once(mode, raw, number, text), sealed, mode + " " + number);
                reused.init(Cipher.DECRYPT_MODE, new SecretKeySpec(raw, "AES"), spec(mode, number));
                assertArrayEquals(text, reused.doFinal(sealed), mode + " " + number);
              }
            }
          }
        }
      }
    }
  }

  @Test
  void piecesWithManyKeys() throws GeneralSecurityException {
    Cipher reused = cipher("GCM");
    for (int number = 0; number < 120; number++) {
      byte[] raw = random(number / 13, 16 + 8 * (number % 2));
      byte[] text = random(number, 20 * number);
      reused.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(raw, "AES"), spec("GCM", number));
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      for (int at = 0; at < text.length; at += 77) {
        byte[] piece = reused.update(text, at, Math.min(77, text.length - at));
        out.write(piece == null ? new byte[0] : piece, 0, piece == null ? 0 : piece.length);
      }
      byte[] last = reused.doFinal();
      out.write(last, 0, last.length);
      assertArrayEquals(once("GCM", raw, number, text), out.toByteArray());
    }
  }

  @Test
  void macsWithManyKeys() throws GeneralSecurityException {
    Mac reused = Mac.getInstance("AESGMAC", RIJN);
    for (int number = 0; number < 60; number++) {
      SecretKeySpec key = new SecretKeySpec(random(number / 13, 16 + 8 * (number % 2)), "AES");
      byte[] data = random(number, number * number * 10);
      Cipher jdk = Cipher.getInstance(GCM, "SunJCE");
      jdk.init(Cipher.ENCRYPT_MODE, key, spec("GCM", number));
      jdk.updateAAD(data);
      reused.init(key, spec("GCM", number));
      reused.update(data, 0, data.length / 2);
      if (number % 3 == 0) {
        reused.reset();
        reused.update(data, 0, data.length / 2);
      }
      reused.update(ByteBuffer.wrap(data, data.length / 2, data.length - data.length / 2));
      assertArrayEquals(jdk.doFinal(), reused.doFinal());
    }
  }

  /** A decryption goes on without init: it may be the use that makes the key's memory. */
  @Test
  void decryptionsWithoutInit() throws GeneralSecurityException {
    byte[] raw = random(5, 32);
    byte[] sealed = once("GCM", raw, 5, random(6, 300));
    Cipher cipher = cipher("GCM");
    cipher.init(Cipher.DECRYPT_MODE, new SecretKeySpec(raw, "AES"), spec("GCM", 5));
    for (int i = 0; i < 30; i++) {
      assertArrayEquals(random(6, 300), cipher.doFinal(sealed));
      assertThrows(AEADBadTagException.class, () -> cipher.doFinal(sealed, 0, 315));
    }
  }

  /** Nonces of other lengths with one key, in one object. */
  @Test
  void noncesOfManyLengths() throws GeneralSecurityException {
    SecretKeySpec key = new SecretKeySpec(random(7, 16), "AES");
    Cipher mine = cipher("GCM");
    Cipher open = cipher("GCM");
    int number = 0;
    for (int length : new int[] {12, 16, 12, 8, 12, 1, 128, 12, 13, 16, 8}) {
      byte[] iv = random(100 + number++, length);
      byte[] text = random(length, 60);
      Cipher jdk = Cipher.getInstance(GCM, "SunJCE");
      jdk.init(Cipher.ENCRYPT_MODE, key, new GCMParameterSpec(128, iv));
      byte[] want = jdk.doFinal(text);
      mine.init(Cipher.ENCRYPT_MODE, key, new GCMParameterSpec(128, iv));
      assertArrayEquals(iv, mine.getIV());
      assertArrayEquals(want, mine.doFinal(text), "IV of " + length + " bytes");
      open.init(Cipher.DECRYPT_MODE, key, new GCMParameterSpec(128, iv));
      assertArrayEquals(text, open.doFinal(want));
    }
  }

  /** Pieces whose sum passes the lengths at which kernels change by 0 to 17 bytes, then an end of 0 to 900. */
  @Test
  void endsBehindLongPieces() throws GeneralSecurityException {
    SecretKeySpec key = new SecretKeySpec(random(8, 32), "AES");
    byte[] text = random(9, 17_000 + 17 + 900);
    int number = 0;
    for (int sum : new int[] {512, 768, 1024, 2048, 4096, 16384}) {
      for (int past = 0; past <= 17; past++, number++) {
        int end = number * 53 % 901;
        Cipher jdk = Cipher.getInstance(GCM, "SunJCE");
        jdk.init(Cipher.ENCRYPT_MODE, key, spec("GCM", number));
        byte[] want = jdk.doFinal(text, 0, sum + past + end);
        byte[] out = new byte[want.length];
        Cipher mine = cipher("GCM");
        mine.init(Cipher.ENCRYPT_MODE, key, spec("GCM", number));
        int half = sum / 2 + past / 2;
        int done = mine.update(text, 0, half, out, 0);
        done += mine.update(text, half, sum + past - half, out, done);
        mine.doFinal(text, sum + past, end, out, done);
        assertArrayEquals(want, out, sum + " + " + past + " + " + end);
        mine.init(Cipher.DECRYPT_MODE, key, spec("GCM", number));
        mine.update(out, 0, sum + past);
        assertEquals(sum + past + end, mine.doFinal(out, sum + past, end + 16).length);
      }
    }
  }

  private static ByteBuffer buffer(int kind, byte[] bytes, int room) {
    ByteBuffer whole = kind % 2 == 0 ? ByteBuffer.allocate(room + 40) : ByteBuffer.allocateDirect(room + 40);
    whole.position(13);
    ByteBuffer slice = whole.slice();
    slice.position(3);
    slice.put(bytes).position(3);
    slice.limit(3 + room);
    return kind < 2 ? slice : slice.asReadOnlyBuffer();
  }

  /** After update and doFinal the input is used up, and the output stands behind what was written. */
  @Test
  void positionsAndLimitsOfBuffers() throws GeneralSecurityException {
    SecretKeySpec key = new SecretKeySpec(random(10, 16), "AES");
    for (int way : new int[] {Cipher.ENCRYPT_MODE, Cipher.DECRYPT_MODE}) {
      for (int kinds = 0; kinds < 8; kinds++) {
        for (int n : new int[] {0, 1, 16, 100, 2000}) {
          byte[] text = random(n, n);
          byte[] given = way == Cipher.ENCRYPT_MODE ? text : once("GCM", key.getEncoded(), 1, text);
          byte[] want = way == Cipher.ENCRYPT_MODE ? once("GCM", key.getEncoded(), 1, text) : text;
          Cipher cipher = cipher("GCM");
          cipher.init(way, key, spec("GCM", 1));
          int half = given.length / 2;
          ByteBuffer in = buffer(kinds / 2, given, given.length);
          ByteBuffer out = buffer(kinds % 2, new byte[0], want.length + 5);
          in.limit(3 + half);
          int written = cipher.update(in, out);
          assertEquals(3 + half, in.position());
          assertEquals(3 + half, in.limit());
          assertEquals(3 + written, out.position());
          in.limit(3 + given.length);
          written += cipher.doFinal(in, out);
          assertEquals(3 + given.length, in.position());
          assertEquals(3 + want.length, out.position());
          assertEquals(3 + want.length + 5, out.limit());
          assertEquals(want.length, written);
          out.flip().position(3);
          byte[] got = new byte[out.remaining()];
          out.get(got);
          assertArrayEquals(want, got);
          assertTrue(in.limit() == 3 + given.length);
        }
      }
    }
  }
}
