// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
package org.rijn.examples;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import org.apache.iceberg.encryption.Ciphers;
import org.apache.iceberg.encryption.KeyManagementClient;

/** Iceberg's keys, wrapped by keys that everybody can read: a real one asks a key management service. */
public class IcebergKms implements KeyManagementClient {
  private static final long serialVersionUID = 1L;

  @Override
  public void initialize(Map<String, String> properties) {}

  private static byte[] master(String name) {
    return Arrays.copyOf(name.getBytes(StandardCharsets.UTF_8), 16);
  }

  private static byte[] bytes(ByteBuffer buffer) {
    byte[] copy = new byte[buffer.remaining()];
    buffer.duplicate().get(copy);
    return copy;
  }

  @Override
  public ByteBuffer wrapKey(ByteBuffer key, String name) {
    byte[] aad = name.getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.wrap(new Ciphers.AesGcmEncryptor(master(name)).encrypt(bytes(key), aad));
  }

  @Override
  public ByteBuffer unwrapKey(ByteBuffer wrapped, String name) {
    byte[] aad = name.getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.wrap(new Ciphers.AesGcmDecryptor(master(name)).decrypt(bytes(wrapped), aad));
  }
}
