// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.Arrays;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * The way into native code: the provider's JNI beside the foreign function interface (Linker.Option.critical), which Java
 * 22 and newer have. Median nanoseconds of CPU time a message, heap arrays, 16 bytes of associated data.
 *
 * <p>java --enable-native-access=ALL-UNNAMED -cp build/java/target/rijn-jca-0.1.0.jar bindings/java/bench/NativeWays.java
 * build/release/src/librijn.so
 */
public final class NativeWays {
  private static final int ROUNDS = 15;

  interface Message {
    void run(int number) throws Throwable;
  }

  public static void main(String[] args) throws Throwable {
    System.out.println("bytes  JNI, whole Cipher  FFM, bare call");
    for (int length : new int[] {16, 64, 256, 1024, 1420, 16384, 1 << 20}) {
      byte[] text = new byte[length];
      byte[] out = new byte[length + 16];
      System.out.printf("%7d %10.0f %10.0f%n", length, measure(length, jni(text, out)), measure(length, ffm(args[0], text, out)));
    }
  }

  private static Message jni(byte[] text, byte[] out) throws Exception {
    Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding", new org.rijn.jca.RijnProvider());
    SecretKeySpec key = new SecretKeySpec(new byte[32], "AES");
    byte[] iv = new byte[12];
    byte[] aad = new byte[16];
    return number -> {
      count(iv, number);
      cipher.init(Cipher.ENCRYPT_MODE, key, new GCMParameterSpec(128, iv));
      cipher.updateAAD(aad);
      cipher.doFinal(text, 0, text.length, out, 0);
    };
  }

  private static Message ffm(String library, byte[] text, byte[] out) throws Throwable {
    Linker linker = Linker.nativeLinker();
    SymbolLookup symbols = SymbolLookup.libraryLookup(Path.of(library), Arena.global());
    MemorySegment key = Arena.global().allocate(4160, 64);
    var address = ValueLayout.ADDRESS;
    var size = ValueLayout.JAVA_LONG;
    MethodHandle init = linker.downcallHandle(symbols.find("rijn_gcm_init").orElseThrow(),
        FunctionDescriptor.of(ValueLayout.JAVA_INT, address, address, size), Linker.Option.critical(true));
    MethodHandle encrypt = linker.downcallHandle(symbols.find("rijn_gcm_encrypt").orElseThrow(),
        FunctionDescriptor.of(ValueLayout.JAVA_INT, address, address, address, size, address, size, address, size, address),
        Linker.Option.critical(true));
    check((int) init.invokeExact(key, MemorySegment.ofArray(new byte[32]), 32L));
    byte[] iv = new byte[12];
    byte[] aad = new byte[16];
    return number -> {
      count(iv, number);
      MemorySegment to = MemorySegment.ofArray(out);
      check((int) encrypt.invokeExact(key, to, MemorySegment.ofArray(text), (long) text.length,
          MemorySegment.ofArray(aad), 16L, MemorySegment.ofArray(iv), 12L, to.asSlice(text.length)));
    };
  }

  private static void check(int error) {
    if (error != 0) {
      throw new IllegalStateException("error " + error);
    }
  }

  private static void count(byte[] iv, int number) {
    iv[8] = (byte) (number >> 24);
    iv[9] = (byte) (number >> 16);
    iv[10] = (byte) (number >> 8);
    iv[11] = (byte) number;
  }

  private static double measure(int length, Message message) throws Throwable {
    int calls = Math.max(200, 8_000_000 / (length + 400));
    double[] rounds = new double[ROUNDS];
    int number = 1;
    for (int round = 0; round < ROUNDS; round++) {
      long began = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
      for (int i = 0; i < calls; i++) {
        message.run(number++);
      }
      rounds[round] = (double) (ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - began) / calls;
    }
    Arrays.sort(rounds);
    return rounds[ROUNDS / 2];
  }
}
