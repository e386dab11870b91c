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
    siv(rijn);
    System.out.println("all known answers: " + ++checked);
  }

  /** The JDK has no AES-GCM-SIV: a vector of RFC 8452 (C.2), and a long message there and back. */
  private static void siv(RijnProvider rijn) throws Exception {
    byte[] raw = new byte[32];
    byte[] iv = new byte[12];
    byte[] text = new byte[8];
    raw[0] = 1;
    iv[0] = 3;
    text[0] = 1;
    Cipher cipher = Cipher.getInstance("AES/GCM-SIV/NoPadding", rijn);
    cipher.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(raw, "AES"), new GCMParameterSpec(128, iv));
    byte[] want = Hex.bytes("c2ef328e5c71c83b843122130f7364b761e0b97427e3df28");
    if (!Arrays.equals(want, cipher.doFinal(text))) {
      throw new AssertionError("AES-GCM-SIV, RFC 8452");
    }
    cipher.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(raw, "AES"), new GCMParameterSpec(128, iv));
    byte[] sealed = cipher.doFinal(new byte[5000]);
    cipher.init(Cipher.DECRYPT_MODE, new SecretKeySpec(raw, "AES"), new GCMParameterSpec(128, iv));
    if (!Arrays.equals(new byte[5000], cipher.doFinal(sealed))) {
      throw new AssertionError("AES-GCM-SIV of 5000 bytes");
    }
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
