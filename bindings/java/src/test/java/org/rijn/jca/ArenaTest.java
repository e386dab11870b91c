// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
package org.rijn.jca;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.spec.AlgorithmParameterSpec;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

/**
 * Buffers of an Arena (java.lang.foreign): native code must not touch them where Java may not. WHY by reflection: JDK 17
 * compiles it. The test java.newest runs it, and counts what ran.
 */
@EnabledForJreRange(min = JRE.JAVA_22)
class ArenaTest {
  private static final RijnProvider RIJN = new RijnProvider();
  private static final List<String> MODES = List.of("GCM", "GCM-SIV", "CTR", "XTS");
  private static final int LENGTH = 1000;

  /** One call of a cipher with these two buffers. */
  private interface Use {
    void run(Cipher cipher, ByteBuffer in, ByteBuffer out) throws GeneralSecurityException;
  }

  private static final List<Use> USES = List.of((cipher, in, out) -> cipher.doFinal(in, out),
      (cipher, in, out) -> cipher.update(in, out));

  private static Object arena(String kind) throws ReflectiveOperationException {
    return Class.forName("java.lang.foreign.Arena").getMethod(kind).invoke(null);
  }

  private static ByteBuffer buffer(Object arena) throws ReflectiveOperationException {
    Object segment =
        Class.forName("java.lang.foreign.Arena").getMethod("allocate", long.class).invoke(arena, (long) LENGTH + 16);
    return (ByteBuffer) Class.forName("java.lang.foreign.MemorySegment").getMethod("asByteBuffer").invoke(segment);
  }

  private static void close(Object arena) throws ReflectiveOperationException {
    Class.forName("java.lang.foreign.Arena").getMethod("close").invoke(arena);
  }

  /** A new buffer of a new Arena that is closed. */
  private static ByteBuffer closed(String kind) throws ReflectiveOperationException {
    Object arena = arena(kind);
    ByteBuffer buffer = buffer(arena);
    close(arena);
    return buffer;
  }

  private static Cipher cipher(String mode) throws GeneralSecurityException {
    byte[] raw = new byte[mode.equals("XTS") ? 64 : 32];
    raw[0] = 1;
    Key key = new SecretKeySpec(raw, "AES");
    AlgorithmParameterSpec spec =
        mode.startsWith("GCM") ? new GCMParameterSpec(128, new byte[12]) : new IvParameterSpec(new byte[16]);
    Cipher cipher = Cipher.getInstance("AES/" + mode + "/NoPadding", RIJN);
    cipher.init(Cipher.ENCRYPT_MODE, key, spec);
    return cipher;
  }

  /** The output of a good call with buffers; the input is zeros. */
  private static byte[] output(Cipher cipher, ByteBuffer in, ByteBuffer out) throws GeneralSecurityException {
    in.clear().limit(LENGTH);
    byte[] got = new byte[cipher.doFinal(in, out.clear())];
    out.flip();
    out.get(got);
    return got;
  }

  /** The call throws that, wherever the bad buffer is; and the cipher is as it was, so that a good call is right. */
  private static void refused(String thrown, String mode, ByteBuffer bad) throws GeneralSecurityException {
    byte[] want = cipher(mode).doFinal(new byte[LENGTH]);
    for (Use use : USES) {
      for (boolean isInput : new boolean[] {true, false}) {
        ByteBuffer in = isInput ? bad.duplicate() : ByteBuffer.allocateDirect(LENGTH);
        ByteBuffer out = isInput ? ByteBuffer.allocateDirect(2 * LENGTH) : bad.duplicate();
        String what = mode + (isInput ? ", input" : ", output") + ", use " + USES.indexOf(use);
        Cipher cipher = cipher(mode);
        RuntimeException e = assertThrows(RuntimeException.class, () -> use.run(cipher, in, out), what);
        assertEquals(thrown, e.getClass().getName(), what);
        assertEquals(0, in.position(), what);
        assertEquals(0, out.position(), what);
        byte[] got = output(cipher, ByteBuffer.allocate(LENGTH), ByteBuffer.allocate(2 * LENGTH));
        assertArrayEquals(want, got, what);
      }
    }
  }

  @Test
  void closedArenas() throws ReflectiveOperationException, GeneralSecurityException {
    for (String kind : new String[] {"ofConfined", "ofShared"}) {
      ByteBuffer bad = closed(kind);
      for (String mode : MODES) {
        refused("java.lang.IllegalStateException", mode, bad);
      }
      assertThrows(IllegalStateException.class, () -> cipher("GCM").updateAAD(bad.duplicate()));
      Mac mac = Mac.getInstance("AESGMAC", RIJN);
      mac.init(new SecretKeySpec(new byte[16], "AES"), new IvParameterSpec(new byte[12]));
      assertThrows(IllegalStateException.class, () -> mac.update(bad.duplicate()));
    }
  }

  @Test
  void arenasOfOtherThreads() throws Exception {
    Object arena = arena("ofConfined");
    ByteBuffer bad = buffer(arena);
    FutureTask<Void> task =
        new FutureTask<>(
            () -> {
              for (String mode : MODES) {
                refused("java.lang.WrongThreadException", mode, bad);
              }
              return null;
            });
    Thread other = new Thread(task);
    other.start();
    other.join();
    try {
      task.get();
    } catch (ExecutionException e) {
      throw new AssertionError(e.getCause().getMessage(), e.getCause());
    }
    close(arena);
  }

  @Test
  void openArenas() throws ReflectiveOperationException, GeneralSecurityException {
    for (String kind : new String[] {"ofConfined", "ofShared"}) {
      Object arena = arena(kind);
      for (String mode : MODES) {
        byte[] want = cipher(mode).doFinal(new byte[LENGTH]);
        assertArrayEquals(want, output(cipher(mode), buffer(arena), buffer(arena)), kind + ", " + mode);
      }
      close(arena);
    }
  }

  /** Nothing is read of an empty buffer. */
  @Test
  void emptyBuffersOfClosedArenas() throws ReflectiveOperationException, GeneralSecurityException {
    ByteBuffer in = closed("ofShared").limit(0);
    ByteBuffer out = ByteBuffer.allocateDirect(16);
    assertEquals(16, cipher("GCM").doFinal(in, out));
    out.flip();
    byte[] tag = new byte[16];
    out.get(tag);
    assertArrayEquals(cipher("GCM").doFinal(), tag, Arrays.toString(tag));
  }
}
