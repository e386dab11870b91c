// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
package org.rijn.examples;

import java.util.Base64;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.crypto.keytools.KeyToolkit;
import org.apache.parquet.crypto.keytools.KmsClient;

/** Keys that everybody can read: for a demonstration, where a real one asks a key management service. */
public class DemoKms implements KmsClient {
  @Override
  public void initialize(Configuration configuration, String instance, String url, String token) {}

  private static byte[] master(String name) {
    return java.util.Arrays.copyOf(name.getBytes(java.nio.charset.StandardCharsets.UTF_8), 16);
  }

  @Override
  public String wrapKey(byte[] key, String name) {
    return KeyToolkit.encryptKeyLocally(key, master(name), name.getBytes(java.nio.charset.StandardCharsets.UTF_8));
  }

  @Override
  public byte[] unwrapKey(String wrapped, String name) {
    return KeyToolkit.decryptKeyLocally(wrapped, master(name), name.getBytes(java.nio.charset.StandardCharsets.UTF_8));
  }
}
