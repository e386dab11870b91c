// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
package org.rijn.jca;

import java.nio.file.Files;
import java.security.Security;
import javax.crypto.Cipher;

/** The main class of LoadTest's own virtual machines: says who encrypts. */
final class Probe {
  private Probe() {}

  public static void main(String[] args) throws Exception {
    if (args.length > 0) { // what makes the first temporary file asks for the list of providers from within
      Files.delete(Files.createTempFile("probe", null));
    }
    if (Security.getProvider(RijnProvider.NAME) == null) {
      Security.insertProviderAt(new RijnProvider(), 1);
    }
    try {
      Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
      boolean ours = cipher.getProvider().getName().equals(RijnProvider.NAME);
      System.out.println("by " + cipher.getProvider().getName() + (ours ? ", " + RijnProvider.description() : ""));
    } catch (UnsatisfiedLinkError e) {
      System.out.println("refused: " + e.getMessage());
    }
  }
}
