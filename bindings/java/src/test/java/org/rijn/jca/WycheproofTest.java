// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
package org.rijn.jca;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.Key;
import java.util.Arrays;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;

/** C2SP Wycheproof through JCA (tools/fetch-vectors brings it). */
class WycheproofTest {
  private static final RijnProvider RIJN = new RijnProvider();

  private interface Vector {
    void check(JsonObject group, JsonObject vector) throws GeneralSecurityException;
  }

  private static int each(String file, Vector check) throws IOException, GeneralSecurityException {
    int count = 0;
    Path path = Path.of(System.getProperty("rijn.vectors"), "wycheproof", file);
    try (Reader reader = Files.newBufferedReader(path)) {
      for (JsonElement group : JsonParser.parseReader(reader).getAsJsonObject().getAsJsonArray("testGroups")) {
        for (JsonElement vector : group.getAsJsonObject().getAsJsonArray("tests")) {
          try {
            check.check(group.getAsJsonObject(), vector.getAsJsonObject());
          } catch (GeneralSecurityException | AssertionError | RuntimeException e) {
            throw new AssertionError(file + ", " + vector, e);
          }
          count++;
        }
      }
    }
    return count;
  }

  private static byte[] hex(JsonObject vector, String name) {
    return Hex.bytes(vector.get(name).getAsString());
  }

  private static Key key(JsonObject vector) {
    return new SecretKeySpec(hex(vector, "key"), "AES");
  }

  static byte[] join(byte[] a, byte[] b) {
    byte[] both = Arrays.copyOf(a, a.length + b.length);
    System.arraycopy(b, 0, both, a.length, b.length);
    return both;
  }

  @Test
  void gcm() throws Exception {
    int[] results = new int[2];
    int count = each("aes_gcm_test.json", (group, v) -> results[gcmVector(group, v) ? 0 : 1]++);
    assertTrue(count > 300 && results[0] > 100 && results[1] > 50, count + " vectors " + Arrays.toString(results));
  }

  /** Whether it is valid. */
  private static boolean gcmVector(JsonObject group, JsonObject v) throws GeneralSecurityException {
    boolean valid = v.get("result").getAsString().equals("valid");
    byte[] iv = hex(v, "iv");
    byte[] aad = hex(v, "aad");
    byte[] sealed = join(hex(v, "ct"), hex(v, "tag"));
    int tagBits = group.get("tagSize").getAsInt();
    for (Texts form : Texts.values()) {
      Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding", RIJN);
      if (iv.length == 0) {
        assertThrows(
            GeneralSecurityException.class,
            () -> cipher.init(Cipher.DECRYPT_MODE, key(v), new GCMParameterSpec(tagBits, iv)));
        continue;
      }
      cipher.init(Cipher.DECRYPT_MODE, key(v), new GCMParameterSpec(tagBits, iv));
      cipher.updateAAD(aad);
      if (!valid) {
        assertThrows(GeneralSecurityException.class, () -> form.run(cipher, sealed, 1, true));
        continue;
      }
      assertArrayEquals(hex(v, "msg"), form.run(cipher, sealed, 1, true));
      cipher.init(Cipher.ENCRYPT_MODE, key(v), new GCMParameterSpec(tagBits, iv));
      cipher.updateAAD(aad);
      assertArrayEquals(sealed, form.run(cipher, hex(v, "msg"), 1, true));
    }
    return valid;
  }

  @Test
  void gcmSiv() throws Exception {
    int[] results = new int[2];
    int count = each("aes_gcm_siv_test.json", (group, v) -> results[sivVector(v) ? 0 : 1]++);
    assertTrue(count > 200 && results[0] > 100 && results[1] > 50, count + " vectors " + Arrays.toString(results));
  }

  /** Whether it is valid. */
  private static boolean sivVector(JsonObject v) throws GeneralSecurityException {
    boolean valid = v.get("result").getAsString().equals("valid");
    byte[] sealed = join(hex(v, "ct"), hex(v, "tag"));
    for (Texts form : Texts.values()) {
      Cipher cipher = Cipher.getInstance("AES/GCM-SIV/NoPadding", RIJN);
      cipher.init(Cipher.DECRYPT_MODE, key(v), new GCMParameterSpec(128, hex(v, "iv")));
      cipher.updateAAD(hex(v, "aad"));
      if (!valid) {
        assertThrows(AEADBadTagException.class, () -> form.run(cipher, sealed, 1, true));
        continue;
      }
      assertArrayEquals(hex(v, "msg"), form.run(cipher, sealed, 1, true));
      cipher.init(Cipher.ENCRYPT_MODE, key(v), new GCMParameterSpec(128, hex(v, "iv")));
      cipher.updateAAD(hex(v, "aad"));
      assertArrayEquals(sealed, form.run(cipher, hex(v, "msg"), 1, true));
    }
    return valid;
  }

  @Test
  void gmac() throws Exception {
    int count =
        each(
            "aes_gmac_test.json",
            (group, v) -> {
              int bits = group.get("tagSize").getAsInt();
              byte[] iv = hex(v, "iv");
              if (bits < 96 || iv.length == 0) {
                return;
              }
              Mac mac = Mac.getInstance("AES-GMAC", RIJN);
              mac.init(key(v), new GCMParameterSpec(bits, iv));
              boolean same = Arrays.equals(hex(v, "tag"), mac.doFinal(hex(v, "msg")));
              assertEquals(v.get("result").getAsString().equals("valid"), same);
            });
    assertTrue(count > 300, count + " vectors");
  }

  @Test
  void xts() throws Exception {
    int[] checked = new int[1];
    each(
        "aes_xts_test.json",
        (group, v) -> {
          byte[] data = hex(v, "msg");
          byte[] tweak = Arrays.copyOf(hex(v, "iv"), 16);
          if (key(v).getEncoded().length == 48) { // AES-192, which neither IEEE 1619 nor SP 800-38E has
            Cipher cipher = Cipher.getInstance("AES/XTS/NoPadding", RIJN);
            IvParameterSpec spec = new IvParameterSpec(tweak);
            assertThrows(InvalidKeyException.class, () -> cipher.init(Cipher.ENCRYPT_MODE, key(v), spec));
            return;
          }
          if (data.length < 16 || !v.get("result").getAsString().equals("valid")) {
            return;
          }
          Cipher cipher = Cipher.getInstance("AES/XTS/NoPadding", RIJN);
          cipher.init(Cipher.ENCRYPT_MODE, key(v), new IvParameterSpec(tweak));
          assertArrayEquals(hex(v, "ct"), cipher.doFinal(data));
          cipher.init(Cipher.DECRYPT_MODE, key(v), new IvParameterSpec(tweak));
          assertArrayEquals(data, cipher.doFinal(hex(v, "ct")));
          checked[0]++;
        });
    assertTrue(checked[0] > 50, checked[0] + " vectors");
  }
}
