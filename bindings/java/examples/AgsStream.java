// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
package org.rijn.examples;

import java.io.File;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.util.zip.CRC32;
import javax.crypto.Cipher;
import org.apache.iceberg.Files;
import org.apache.iceberg.encryption.AesGcmInputFile;
import org.apache.iceberg.encryption.AesGcmOutputFile;

/** Iceberg's encrypted streams (AGS1): writes a file and reads it, again and again in one virtual machine. */
public final class AgsStream {
  private AgsStream() {}

  public static void main(String[] args) throws Exception {
    File file = new File(args[0]);
    long mib = Long.parseLong(args[1]);
    int rounds = Integer.parseInt(args[2]);
    byte[] key = new byte[16];
    byte[] aad = new byte[16];
    byte[] block = new byte[1 << 20];
    for (int i = 0; i < block.length; i++) {
      block[i] = (byte) (i * 31 + i / 251);
    }
    System.out.print(Cipher.getInstance("AES/GCM/NoPadding").getProvider().getName());
    for (int round = 0; round < rounds; round++) {
      if (file.exists() && !file.delete()) {
        throw new java.io.IOException("cannot delete " + file);
      }
      long began = cpu();
      try (OutputStream out = new AesGcmOutputFile(Files.localOutput(file), key, aad).create()) {
        for (long i = 0; i < mib; i++) {
          out.write(block);
        }
      }
      long written = cpu();
      CRC32 crc = new CRC32();
      try (InputStream in = new AesGcmInputFile(Files.localInput(file), key, aad, file.length()).newStream()) {
        byte[] piece = new byte[1 << 20];
        for (int n; (n = in.read(piece)) > 0; ) {
          crc.update(piece, 0, n);
        }
      }
      System.out.printf("  %.2f/%.2f", (written - began) / 1e9, (cpu() - written) / 1e9);
      if (round == rounds - 1) {
        System.out.printf("  %08x%n", crc.getValue());
      }
    }
    file.delete();
  }

  /** CPU time of the whole process: the compiler's and the collector's threads are part of the price. */
  private static long cpu() {
    return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
  }
}
