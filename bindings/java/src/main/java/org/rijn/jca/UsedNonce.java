// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
package org.rijn.jca;

import java.security.MessageDigest;
import java.util.Arrays;

/** The key and the nonce of a cipher's last encryption, which may not come together again. */
final class UsedNonce {
  private byte[] key = BaseCipher.NOTHING;
  private byte[] nonce = BaseCipher.NOTHING;

  /**
   * Whether this nonce has encrypted with the key of these raw bytes. same: they are those of the last {@link #set}.
   * CT: keys are compared in a time that depends on their lengths alone; nonces are public.
   */
  boolean is(byte[] raw, boolean same, byte[] itsNonce) {
    return Arrays.equals(itsNonce, nonce) && (same || MessageDigest.isEqual(raw, key));
  }

  void set(byte[] raw, boolean same, byte[] itsNonce) {
    nonce = itsNonce;
    if (!same) {
      Arrays.fill(key, (byte) 0);
      key = raw.clone();
    }
  }
}
