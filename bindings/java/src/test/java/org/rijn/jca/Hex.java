// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
package org.rijn.jca;

/** Bytes from hexadecimal digits. */
final class Hex {
  private Hex() {}

  static byte[] bytes(String digits) {
    byte[] b = new byte[digits.length() / 2];
    for (int i = 0; i < b.length; i++) {
      b[i] = (byte) Integer.parseInt(digits.substring(2 * i, 2 * i + 2), 16);
    }
    return b;
  }
}
