// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.security.Provider;
import java.security.Security;
import java.util.Arrays;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * A cipher and a key for each message, beside live objects of the program's own.
 *
 * <p>usage: Fresh PROVIDER,PROVIDER... BYTES LIVE MESSAGES ROUNDS [drop]     drop: the ciphers are never finished
 */
final class Fresh {
  private static Object[] live;
  private static int number;
  private static int sink;

  private Fresh() {}

  private static Provider provider(String name) throws ReflectiveOperationException {
    switch (name) {
      case "ACCP":
        return made("com.amazon.corretto.crypto.provider.AmazonCorrettoCryptoProvider");
      case "Conscrypt":
        return made("org.conscrypt.OpenSSLProvider");
      case "Rijn":
        return made("org.rijn.jca.RijnProvider");
      default:
        return Security.getProvider(name);
    }
  }

  private static Provider made(String name) throws ReflectiveOperationException {
    return (Provider) Class.forName(name).getDeclaredConstructor().newInstance();
  }

  private static void fill(int objects) {
    live = new Object[objects];
    for (int i = 0; i < objects; i++) {
      live[i] = new Object[] {live[i / 2]};
    }
  }

  private static long resident() throws Exception {
    String[] words = new String(java.nio.file.Files.readAllBytes(java.nio.file.Path.of("/proc/self/statm"))).split(" ");
    return Long.parseLong(words[1]) * 4 >> 10;
  }

  private static long collections() {
    return ManagementFactory.getGarbageCollectorMXBeans().stream()
        .mapToLong(GarbageCollectorMXBean::getCollectionCount)
        .sum();
  }

  /** One round: seconds of the clock and of the thread's CPU, and the longest call in nanoseconds. */
  private static double[] round(Provider provider, byte[] text, int messages, boolean drop) throws Exception {
    byte[] raw = new byte[32];
    byte[] iv = new byte[12];
    long longest = 0;
    long cpu = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    long began = System.nanoTime();
    for (int i = 0; i < messages; i++) {
      long at = System.nanoTime();
      ByteBuffer.wrap(raw).putInt(number++);
      Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding", provider);
      cipher.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(raw, "AES"), new GCMParameterSpec(128, iv));
      sink += drop ? i : cipher.doFinal(text).length;
      longest = Math.max(longest, System.nanoTime() - at);
    }
    long own = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - cpu;
    return new double[] {(System.nanoTime() - began) / 1e9, own / 1e9, longest};
  }

  public static void main(String[] args) throws Exception {
    String[] names = args[0].split(",");
    byte[] text = new byte[Integer.parseInt(args[1])];
    int messages = Integer.parseInt(args[3]);
    boolean drop = args.length > 5;
    fill(Integer.parseInt(args[2]));
    double[] least = new double[names.length];
    double[] calm = new double[names.length]; // the longest call, in the round where it was shortest
    Arrays.fill(least, Double.MAX_VALUE);
    Arrays.fill(calm, Double.MAX_VALUE);
    for (int round = 0; round < Integer.parseInt(args[4]); round++) {
      for (int i = 0; i < names.length; i++) {
        long before = collections();
        double[] took = round(provider(names[i]), text, messages, drop);
        least[i] = Math.min(least[i], took[1]);
        calm[i] = Math.min(calm[i], took[2] / 1e6);
        System.out.printf(
            "%-9s %d bytes: %.3f s, %.3f of its thread, %d collections, longest call %.2f ms, resident %d MB%n",
            names[i], text.length, took[0], took[1], collections() - before, took[2] / 1e6, resident());
      }
    }
    for (int i = 0; i < names.length; i++) {
      System.out.printf(
          "%-9s least: %.0f ns of CPU a message, longest call %.2f ms%n", names[i], least[i] * 1e9 / messages, calm[i]);
    }
  }
}
