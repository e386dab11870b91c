// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
package org.rijn.jca;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.Provider;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;

/** Many threads, many objects, little memory, and a collector that never rests. -Drijn.stress multiplies the work. */
class StressTest {
  private static final int THREADS = 32;
  private static final int ROUNDS = 40 * Integer.getInteger("rijn.stress", 1);
  private static final int[] LENGTHS = {16, 1000, 1025, 20_000, 200_000};
  private static final int MANY = Integer.getInteger("rijn.manyKeys", 16384);
  private static final String GCM = "AES/GCM/NoPadding";
  private static final RijnProvider RIJN = new RijnProvider();

  private static void all(int threads, Callable<Void> work) throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    List<Future<Void>> results = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      results.add(pool.submit(work));
    }
    for (Future<Void> result : results) {
      result.get();
    }
    pool.shutdown();
  }

  private static GCMParameterSpec spec(int number) {
    return new GCMParameterSpec(128, ByteBuffer.allocate(12).putInt(number).array());
  }

  @Test
  void threadsUnderACollectorThatNeverRests() throws Exception {
    byte[][] sealed = new byte[LENGTHS.length][];
    Key key = new SecretKeySpec(new byte[32], "AES");
    for (int i = 0; i < LENGTHS.length; i++) {
      Cipher jdk = Cipher.getInstance(GCM, "SunJCE");
      jdk.init(Cipher.ENCRYPT_MODE, key, spec(i));
      sealed[i] = jdk.doFinal(new byte[LENGTHS[i]]);
    }
    AtomicBoolean over = new AtomicBoolean();
    Thread collector = new Thread(() -> collect(over));
    collector.start();
    try {
      all(THREADS, () -> roundTrips(key, sealed));
    } finally {
      over.set(true);
      collector.join();
    }
  }

  private static void collect(AtomicBoolean over) {
    while (!over.get()) {
      System.gc();
      Thread.yield();
    }
  }

  private static Void roundTrips(Key key, byte[][] sealed) throws GeneralSecurityException {
    Cipher open = Cipher.getInstance(GCM, RIJN);
    for (int round = 0; round < ROUNDS; round++) {
      int i = round % LENGTHS.length;
      Cipher seal = Cipher.getInstance(GCM, RIJN);
      seal.init(Cipher.ENCRYPT_MODE, key, spec(i));
      assertArrayEquals(sealed[i], seal.doFinal(new byte[LENGTHS[i]]));
      open.init(Cipher.DECRYPT_MODE, key, spec(i));
      assertArrayEquals(new byte[LENGTHS[i]], open.doFinal(sealed[i]));
    }
    return null;
  }

  /** Against JCA's rules: nobody promises a result, but the virtual machine lives, and all stays within bounds. */
  @Test
  void oneCipherInManyThreads() throws Exception {
    Cipher shared = Cipher.getInstance(GCM, RIJN);
    byte[] key = new byte[32];
    Random seeds = new Random(1);
    all(
        4,
        () -> {
          Random random = new Random(seeds.nextLong());
          for (int i = 0; i < 50 * ROUNDS; i++) {
            misuse(shared, key, random);
          }
          return null;
        });
    shared.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(key, "AES"), new GCMParameterSpec(128, new byte[13]));
    assertEquals(17, shared.doFinal(new byte[1]).length);
  }

  private static void misuse(Cipher shared, byte[] key, Random random) {
    byte[] iv = new byte[12];
    random.nextBytes(iv);
    byte[] guarded = new byte[3000];
    try {
      int mode = random.nextBoolean() ? Cipher.ENCRYPT_MODE : Cipher.DECRYPT_MODE;
      shared.init(mode, new SecretKeySpec(key, "AES"), new GCMParameterSpec(96 + 8 * random.nextInt(5), iv));
      shared.updateAAD(new byte[random.nextInt(100)]);
      if (random.nextBoolean()) { // else a whole message, which goes by one call
        shared.update(guarded, 0, random.nextInt(100));
      }
      shared.doFinal(guarded, 0, random.nextInt(2000), guarded, random.nextInt(900));
    } catch (GeneralSecurityException | RuntimeException e) {
      Thread.yield(); // whatever the race made of it
    }
  }

  /** A key for one message takes no native memory, whole or in pieces, and what is dropped unfinished takes a part. */
  @Test
  void manyShortLives() throws GeneralSecurityException {
    int before = Memory.live();
    byte[] raw = new byte[16];
    for (int i = 0; i < 50_000; i++) {
      Cipher cipher = fresh(raw, i);
      cipher.doFinal(raw);
      assertTrue(Memory.live() <= before, "a whole message");
      cipher = fresh(raw, i);
      cipher.update(raw);
      cipher.doFinal(raw);
      assertTrue(Memory.live() <= before, "a message in pieces");
      fresh(raw, i);
      fresh(raw, i).updateAAD(raw);
      assertTrue(Memory.live() <= before, "a message without its text");
    }
    for (int i = 0; i < 50_000; i++) {
      byte[] out = fresh(raw, i).update(new byte[5]);
      assertTrue(out.length == 5 || out.length == 0, "given out or held");
      assertTrue(Memory.live() <= MANY, Memory.live() + " at once");
    }
  }

  private static Cipher fresh(byte[] raw, int number) throws GeneralSecurityException {
    ByteBuffer.wrap(raw).putInt(number);
    Cipher cipher = Cipher.getInstance(GCM, RIJN);
    cipher.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(raw, "AES"), spec(0));
    return cipher;
  }

  /** What a dead cipher held is wiped and freed. */
  @Test
  void deadCiphersGiveTheirMemoryBack() throws Exception {
    int before = settled(0);
    List<Cipher> ciphers = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      Cipher cipher = Cipher.getInstance("AES/CTR/NoPadding", RIJN);
      cipher.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(new byte[16], "AES"));
      for (int message = 0; message < 20; message++) {
        cipher.doFinal(new byte[5]);
      }
      ciphers.add(cipher);
    }
    assertTrue(Memory.live() >= Math.min(MANY, before + 100));
    ciphers.clear();
    assertTrue(settled(before) <= before, Memory.live() + " blocks live, " + before + " before");
  }

  private static int settled(int wanted) throws InterruptedException {
    for (int i = 0; i < 100 && Memory.live() > wanted; i++) {
      System.gc();
      Thread.sleep(10);
    }
    return Memory.live();
  }

  /** A class loader that is dropped takes classes and native library with it: as in an application server. */
  @Test
  void aClassLoaderUnloads() throws Exception {
    for (int i = 0; i < 3; i++) {
      WeakReference<ClassLoader> loader = useAndDrop();
      for (int wait = 0; wait < 300 && loader.get() != null; wait++) {
        System.gc();
        Thread.sleep(10);
      }
      assertNull(loader.get(), "the class loader is still there");
    }
  }

  private static WeakReference<ClassLoader> useAndDrop() throws Exception {
    URL home = RijnProvider.class.getProtectionDomain().getCodeSource().getLocation();
    URLClassLoader loader = new URLClassLoader(new URL[] {home}, ClassLoader.getPlatformClassLoader());
    Provider provider =
        (Provider) loader.loadClass(RijnProvider.class.getName()).getDeclaredConstructor().newInstance();
    Cipher cipher = Cipher.getInstance(GCM, provider);
    cipher.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(new byte[16], "AES"), spec(1));
    byte[] sealed = cipher.doFinal(new byte[3]);
    assertEquals(19, sealed.length);
    assertTrue(provider.getClass() != RijnProvider.class);
    loader.close();
    return new WeakReference<>(loader);
  }
}
