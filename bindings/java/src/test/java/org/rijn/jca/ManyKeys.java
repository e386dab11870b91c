// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
package org.rijn.jca;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * A program whose ciphers are dropped: fresh, in the middle of a message, and after so many messages that their key has
 * native memory. With the argument "collect" it calls the collector at the end.
 */
final class ManyKeys {
  private ManyKeys() {}

  public static void main(String[] args) throws GeneralSecurityException {
    RijnProvider rijn = new RijnProvider();
    byte[] raw = new byte[16];
    int most = 0;
    for (int i = 0; i < 60_000; i++) {
      ByteBuffer.wrap(raw).putInt(i);
      Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding", rijn);
      for (int message = 0; message < (i % 3 == 0 ? 12 : 1); message++) {
        byte[] iv = ByteBuffer.allocate(12).putInt(message).array();
        cipher.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(raw, "AES"), new GCMParameterSpec(128, iv));
        if (i % 3 == 0) {
          cipher.doFinal(raw);
        } else if (i % 3 == 1) {
          cipher.update(raw);
        }
      }
      most = Math.max(most, Memory.live());
    }
    if (args.length > 0) {
      System.gc();
    }
    System.out.println(most + " in native memory at once");
  }
}
