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

  /**
   * Whether this nonce has encrypted with the key of these raw bytes. same: they are those of the last {@link #set}.
   * CT: keys are compared in a time that depends on their lengths alone; nonces are public.
   */
  boolean is(byte[] raw, boolean same, byte[] itsNonce) {
    return Arrays.equals(itsNonce, nonce) && (same || MessageDigest.isEqual(raw, key.bytes));
  }

  void set(byte[] raw, boolean same, byte[] itsNonce) {
    nonce = itsNonce;
    if (!same) {
      Arrays.fill(key.bytes, (byte) 0);
      key.bytes = raw.clone();
    }
  }
}
