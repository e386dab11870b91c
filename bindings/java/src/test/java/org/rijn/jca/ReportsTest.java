// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
package org.rijn.jca;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;

/** What was reported of other libraries. */
class ReportsTest {
  private static final int[] LENGTHS = {0, 1, 15, 16, 64, 100, 1420, 17000};
  private static final byte[] RAW = new byte[32];

  static {
    for (int i = 0; i < 32; i++) {
      RAW[i] = (byte) i;
    }
  }

  private static Cipher cipher(boolean ours, int mode, int tagBits, byte[] iv) throws GeneralSecurityException {
    Cipher cipher =
        ours
            ? Cipher.getInstance("AES/GCM/NoPadding", new RijnProvider())
            : Cipher.getInstance("AES/GCM/NoPadding", "SunJCE");
    cipher.init(mode, new SecretKeySpec(RAW, "AES"), new GCMParameterSpec(tagBits, iv));
    return cipher;
  }

  /** A tag shorter than 16 bytes is written to no more bytes than it has: of arrays, and of direct buffers. */
  @Test
  void aShortTagEndsWhereItEnds() throws GeneralSecurityException {
    for (int tagBits : new int[] {96, 104, 112, 120}) {
      for (int length : LENGTHS) {
        byte[] text = new byte[length];
        int whole = length + tagBits / 8;
        byte[] want = cipher(false, Cipher.ENCRYPT_MODE, tagBits, new byte[12]).doFinal(text);
        byte[] array = new byte[whole + 16];
        Arrays.fill(array, (byte) 0xa5);
        assertEquals(whole, cipher(true, Cipher.ENCRYPT_MODE, tagBits, new byte[12]).doFinal(text, 0, length, array));
        ByteBuffer direct = ByteBuffer.allocateDirect(whole + 16);
        for (int i = 0; i < whole + 16; i++) {
          direct.put(i, (byte) 0xa5);
        }
        direct.limit(whole);
        cipher(true, Cipher.ENCRYPT_MODE, tagBits, new byte[12]).doFinal(ByteBuffer.wrap(text), direct);
        direct.clear();
        for (int i = 0; i < whole + 16; i++) {
          assertEquals(i < whole ? want[i] : (byte) 0xa5, array[i]);
          assertEquals(array[i], direct.get(i));
        }
      }
    }
  }

  /** A tag that is shorter than the parameters say is refused, though it is the beginning of the right one. */
  @Test
  void aCutTagIsNone() throws GeneralSecurityException {
    byte[] sealed = cipher(true, Cipher.ENCRYPT_MODE, 128, new byte[12]).doFinal(new byte[20]);
    for (int length = 0; length < sealed.length; length++) {
      byte[] cut = Arrays.copyOf(sealed, length);
      assertThrows(AEADBadTagException.class, () -> cipher(true, Cipher.DECRYPT_MODE, 128, new byte[12]).doFinal(cut));
    }
    byte[] right = cipher(true, Cipher.DECRYPT_MODE, 128, new byte[12]).doFinal(sealed);
    assertArrayEquals(new byte[20], right);
  }

  /** IVs of 16 bytes whose counters begin with 2^32 - 1, - 2, - 16, - 64 and - 128. */
  @Test
  void countersWrap() throws GeneralSecurityException {
    for (String iv :
        new String[] {
          "15316b6dc8251865bf54f98a24e2eb9e",
          "8db93b7232bdcaee187da59ac570d0c2",
          "12ca5bcdf929b18af3c08d7f8c8d91ee",
          "614559cd03bec844647ece6da7e94fbb",
          "65515e33a58a6aadae29ca55c3679888"
        }) {
      for (int length : LENGTHS) {
        byte[] text = new byte[length];
        byte[] want = cipher(false, Cipher.ENCRYPT_MODE, 128, Hex.bytes(iv)).doFinal(text);
        assertArrayEquals(want, cipher(true, Cipher.ENCRYPT_MODE, 128, Hex.bytes(iv)).doFinal(text));
        assertArrayEquals(text, cipher(true, Cipher.DECRYPT_MODE, 128, Hex.bytes(iv)).doFinal(want));
      }
    }
  }
}
