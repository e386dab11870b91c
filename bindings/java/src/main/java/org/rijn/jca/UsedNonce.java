// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
package org.rijn.jca;

import java.lang.ref.Cleaner;
import java.security.MessageDigest;
import java.util.Arrays;

/** The key and the nonce of a cipher's last encryption, which may not come together again. */
final class UsedNonce {
  private final Secret key;
  private byte[] nonce = new byte[0];

  private static final class Secret implements Runnable {
    private byte[] bytes = new byte[0];

    @Override
    public void run() {
      Arrays.fill(bytes, (byte) 0);
    }
  }

  UsedNonce(Cleaner cleaner) {
    key = new Secret();
    cleaner.register(this, key);
  }

  /** CT: the keys are compared in a time that depends on their lengths alone; nonces are public. */
  boolean is(byte[] raw, byte[] itsNonce) {
    return MessageDigest.isEqual(raw, key.bytes) & Arrays.equals(itsNonce, nonce);
  }

  void set(byte[] raw, byte[] itsNonce) {
    nonce = itsNonce;
    if (raw.length == key.bytes.length) {
      System.arraycopy(raw, 0, key.bytes, 0, raw.length);
    } else {
      Arrays.fill(key.bytes, (byte) 0);
      key.bytes = raw.clone();
    }
  }
}
