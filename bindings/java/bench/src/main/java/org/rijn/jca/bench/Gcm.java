// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
package org.rijn.jca.bench;

import com.amazon.corretto.crypto.provider.AmazonCorrettoCryptoProvider;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.Provider;
import java.security.Security;
import java.util.concurrent.TimeUnit;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.rijn.jca.RijnProvider;

/** AES-256-GCM as programs use it: init with a new IV, 16 bytes of associated data, doFinal into an output of one's own. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class Gcm {
  @Param({"SunJCE", "ACCP", "Rijn"})
  public String provider;

  @Param({"16", "64", "1420", "16384", "1048576"})
  public int length;

  private final Key key = new SecretKeySpec(new byte[32], "AES");
  private final byte[] aad = new byte[16];
  private final byte[] iv = new byte[12];
  private Provider found;
  private long message;
  private Cipher seal;
  private Cipher open;
  private byte[] text;
  private byte[] sealed;
  private byte[] out;
  private ByteBuffer directIn;
  private ByteBuffer directOut;
  private GCMParameterSpec openSpec;

  @Setup
  public void setup() throws GeneralSecurityException {
    found = find();
    seal = cipher();
    open = cipher();
    text = new byte[length];
    out = new byte[length + 16];
    directIn = ByteBuffer.allocateDirect(length);
    directOut = ByteBuffer.allocateDirect(length + 16);
    openSpec = new GCMParameterSpec(128, iv.clone());
    seal.init(Cipher.ENCRYPT_MODE, key, openSpec);
    seal.updateAAD(aad);
    sealed = seal.doFinal(text);
  }

  private Provider find() {
    switch (provider) {
      case "ACCP":
        AmazonCorrettoCryptoProvider.INSTANCE.assertHealthy();
        return AmazonCorrettoCryptoProvider.INSTANCE;
      case "Rijn":
        RijnProvider.assertHealthy();
        return new RijnProvider();
      default:
        return Security.getProvider(provider);
    }
  }

  private Cipher cipher() throws GeneralSecurityException {
    return Cipher.getInstance("AES/GCM/NoPadding", found);
  }

  private GCMParameterSpec next() {
    long n = ++message;
    for (int i = 11; i > 3; i--) {
      iv[i] = (byte) n;
      n >>= 8;
    }
    return new GCMParameterSpec(128, iv);
  }

  @Benchmark
  public int encryptHeap(Cpu cpu) throws GeneralSecurityException {
    cpu.calls++;
    seal.init(Cipher.ENCRYPT_MODE, key, next());
    seal.updateAAD(aad);
    return seal.doFinal(text, 0, length, out, 0);
  }

  @Benchmark
  public int decryptHeap(Cpu cpu) throws GeneralSecurityException {
    cpu.calls++;
    open.init(Cipher.DECRYPT_MODE, key, openSpec);
    open.updateAAD(aad);
    return open.doFinal(sealed, 0, length + 16, out, 0);
  }

  @Benchmark
  public int encryptDirect(Cpu cpu) throws GeneralSecurityException {
    cpu.calls++;
    seal.init(Cipher.ENCRYPT_MODE, key, next());
    seal.updateAAD(aad);
    directIn.clear();
    directOut.clear();
    return seal.doFinal(directIn, directOut);
  }

  /** CPU time of the thread, for machines where others work too: JMH's own score is time by the clock. */
  @State(Scope.Thread)
  @AuxCounters(AuxCounters.Type.EVENTS)
  public static class Cpu {
    public long nanos;
    public long calls;
    private long began;

    @Setup(Level.Iteration)
    public void begin() {
      calls = 0;
      began = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    @TearDown(Level.Iteration)
    public void end() {
      nanos = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - began;
    }
  }

  /** A cipher object and a key for each message, as many programs have it. */
  @Benchmark
  public int encryptNewCipher(Cpu cpu) throws GeneralSecurityException {
    cpu.calls++;
    Cipher cipher = cipher();
    cipher.init(Cipher.ENCRYPT_MODE, key, next());
    cipher.updateAAD(aad);
    return cipher.doFinal(text, 0, length, out, 0);
  }
}
