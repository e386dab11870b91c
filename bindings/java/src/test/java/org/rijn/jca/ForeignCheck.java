// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
package org.rijn.jca;

import java.security.Key;
import java.util.Arrays;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/** Known answers of the JDK's own provider, in a virtual machine of another architecture: a program, without JUnit. */
final class ForeignCheck {
  private ForeignCheck() {}

  public static void main(String[] args) throws Exception {
    RijnProvider rijn = new RijnProvider();
    System.out.println(System.getProperty("os.arch") + ": " + RijnProvider.description());
    int checked = 0;
    for (int length : new int[] {0, 1, 16, 100, 1420, 5000}) {
      byte[] text = new byte[length];
      Arrays.fill(text, (byte) length);
      for (int keyLength : new int[] {16, 32}) {
        Key key = new SecretKeySpec(Arrays.copyOf(new byte[] {1, 2, 3}, keyLength), "AES");
        for (Texts form : Texts.values()) {
          check(rijn, "AES/GCM/NoPadding", key, new GCMParameterSpec(128, new byte[12]), form, text);
          checked++;
        }
        check(rijn, "AES/CTR/NoPadding", key, new IvParameterSpec(new byte[16]), Texts.ARRAYS, text);
        checked++;
      }
    }
    System.out.println("all known answers: " + checked);
  }

  private static void check(
      RijnProvider rijn, String name, Key key, java.security.spec.AlgorithmParameterSpec spec, Texts form, byte[] text)
      throws Exception {
    Cipher jdk = Cipher.getInstance(name, "SunJCE");
    jdk.init(Cipher.ENCRYPT_MODE, key, spec);
    Cipher seal = Cipher.getInstance(name, rijn);
    seal.init(Cipher.ENCRYPT_MODE, key, spec);
    Cipher open = Cipher.getInstance(name, rijn);
    open.init(Cipher.DECRYPT_MODE, key, spec);
    byte[] want = jdk.doFinal(text);
    if (!Arrays.equals(want, form.run(seal, text, 3, true)) || !Arrays.equals(text, form.run(open, want, 3, true))) {
      throw new AssertionError(name + " of " + text.length + " bytes as " + form);
    }
  }
}
