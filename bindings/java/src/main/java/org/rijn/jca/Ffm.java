// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
package org.rijn.jca;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Array;
import java.lang.reflect.InvocationTargetException;
import java.math.BigInteger;
import java.security.InvalidKeyException;
import java.util.Arrays;
import java.util.stream.Stream;

/**
 * A whole message by the foreign function API of Java 22 and newer, which takes about half of JNI's time for short ones
 * (README.md). WHY by reflection: one class file serves Java 11 too, and JDK 17 can compile it.
 *
 * <p>Arrays are handed over in place. A collection cannot begin before such a call is over, so longer texts and longer
 * associated data go by JNI, which cuts or copies them.
 */
final class Ffm {
  /** Bytes of text, and of nonce and associated data. WHY not more: from here on it is no faster than JNI. */
  static final int MOST = 16 << 10;

  /** AES-128-GCM of 4 5 6 7 8 with the key 1 0 0..., the nonce 0 1 2... and associated data 1 2 3, by the JDK. */
  private static final BigInteger KNOWN_TEXT = new BigInteger("470e0dd033", 16);
  private static final BigInteger KNOWN_TAG = new BigInteger("8c98b59e123b354e74cd4e8fd7adc91b", 16);

  private static final String API = "java.lang.foreign.";

  /** Null where the virtual machine has no such way. */
  private static final MethodHandle SEAL;

  private static final MethodHandle OPEN;

  /** With a key of raw bytes, in both directions. */
  private static final MethodHandle ONCE;

  /** Why no message goes this way; null where they do. */
  private static final String OBSTACLE;

  static {
    MethodHandle seal = null;
    MethodHandle open = null;
    MethodHandle once = null;
    String obstacle = unwanted();
    if (obstacle == null) {
      try {
        Ffm ffm = new Ffm();
        seal = ffm.handle(Native.gcmFunction(Native.ENCRYPT), false);
        open = ffm.handle(Native.gcmFunction(Native.DECRYPT), false);
        once = ffm.handle(Native.gcmFunction(Native.ONCE), true);
      } catch (Throwable t) {
        // WHY every Throwable: a virtual machine that forbids the API has JNI.
        obstacle = "FFM: " + (t instanceof InvocationTargetException ? t.getCause() : t);
      }
    }
    SEAL = seal;
    OPEN = open;
    ONCE = once;
    OBSTACLE = obstacle == null ? wrong() : obstacle;
  }

  private final Class<?> segment = Class.forName(API + "MemorySegment");

  private Ffm() throws ClassNotFoundException {}

  /** Why it is not even tried, or null. Java 22 and 23 warn of this way, and not of JNI, unless access is allowed. */
  private static String unwanted() {
    for (String property : new String[] {"rijn.ffm", "rijn.hold"}) {
      if ("false".equals(System.getProperty(property))) {
        return property + "=false";
      }
    }
    int version = Runtime.version().feature();
    if (version < 22) {
      return "Java " + version;
    }
    try {
      boolean allowed =
          version >= 24 || (boolean) Module.class.getMethod("isNativeAccessEnabled").invoke(Ffm.class.getModule());
      return allowed ? null : "Java " + version + " without --enable-native-access";
    } catch (ReflectiveOperationException e) {
      return e.toString();
    }
  }

  /** One known answer, there and back, by both ways, before any message goes this way: what is wrong, or null. */
  private static String wrong() {
    byte[] raw = Arrays.copyOf(new byte[] {1}, 16);
    Memory memory = Memory.of(Native.GCM_KEY);
    try {
      CipherKey key = new CipherKey(Native.GCM_KEY);
      key.set(raw, 16);
      boolean right = answers(0, key);
      if (memory != null) {
        right &= Native.makeKey(memory.address, Native.GCM_KEY, raw, 16) == 0 && answers(memory.address, key);
      }
      return right ? null : "FFM: a known answer is wrong";
    } catch (InvalidKeyException | RuntimeException | Error e) {
      return "FFM: " + e;
    } finally {
      if (memory != null) {
        memory.free();
      }
    }
  }

  private static boolean answers(long address, CipherKey key) {
    Call call = new Call();
    call.begin(new byte[] {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, 16);
    call.aad(new byte[] {1, 2, 3}, 0, 3);
    byte[] text = {0, 4, 5, 6, 7, 8};
    byte[] out = new byte[7];
    byte[] tag = new byte[16];
    byte[] back = new byte[6];
    int error = message(true, address, key, call, text, 1, 5, out, 2, tag);
    boolean same = new BigInteger(1, out).equals(KNOWN_TEXT) && new BigInteger(1, tag).equals(KNOWN_TAG);
    error |= message(false, address, key, call, out, 2, 5, back, 1, tag);
    return error == 0 && same && Arrays.equals(text, back);
  }

  /** Whether messages in arrays go this way. */
  static boolean inUse() {
    return OBSTACLE == null;
  }

  /** The way of short messages in arrays, and why it is JNI. */
  static String description() {
    return OBSTACLE == null ? "FFM" : "JNI (" + OBSTACLE + ")";
  }

  /** WHY not direct buffers: they gain nothing. */
  static boolean takes(Call call, Object in, Object out, int length) {
    return OBSTACLE == null && length <= MOST && call.length - Call.HEADER <= MOST && in instanceof byte[]
        && out instanceof byte[];
  }

  /**
   * A call of rijn_gcm_encrypt or rijn_gcm_decrypt with the key at that address, or of gcm_once where it is 0. The tag is
   * 16 bytes of the caller's own, because the library's rules say nothing of a tag inside of a text.
   */
  static int message(boolean encrypt, long address, CipherKey key, Call call, Object in, int inOffset, int length,
      Object out, int outOffset, byte[] tag) {
    byte[] told = call.bytes;
    long n = length;
    long nonce = call.nonceLength();
    long aad = call.aadLength();
    long nonceAt = Call.HEADER;
    try {
      if (address == 0) {
        byte[] raw = key.raw();
        int lengths = raw.length | key.tagLength() << 8 | (encrypt ? 1 << 16 : 0);
        return (int) ONCE.invokeExact(raw, lengths, (byte[]) out, (long) outOffset, n, (byte[]) in, (long) inOffset, n,
            n, told, nonceAt + nonce, aad, aad, told, nonceAt, nonce, nonce, tag);
      }
      MethodHandle handle = encrypt ? SEAL : OPEN;
      return (int) handle.invokeExact(address, (byte[]) out, (long) outOffset, n, (byte[]) in, (long) inOffset, n, n,
          told, nonceAt + nonce, aad, aad, told, nonceAt, nonce, nonce, tag);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable t) {
      throw new AssertionError(t);
    }
  }

  // ---- the handles

  /**
   * (key, out, in, length, aad, its length, nonce, its length, tag): addresses are segments, but for the key's. For
   * gcm_once the key is two: raw bytes, and lengths.
   */
  private MethodHandle function(long at, boolean once) throws ReflectiveOperationException {
    Class<?> linkerType = Class.forName(API + "Linker");
    Class<?> layoutType = Class.forName(API + "MemoryLayout");
    Class<?> optionType = Class.forName(API + "Linker$Option");
    Class<?> values = Class.forName(API + "ValueLayout");
    Object integer = values.getField("JAVA_INT").get(null);
    Object number = values.getField("JAVA_LONG").get(null);
    Object address = values.getField("ADDRESS").get(null);
    Object[] message = {address, address, number, address, number, address, number, address};
    Object[] key = once ? new Object[] {address, integer} : new Object[] {number};
    Object layouts = array(layoutType, Stream.of(key, message).flatMap(Stream::of).toArray());
    Class<?> descriptorType = Class.forName(API + "FunctionDescriptor");
    Object descriptor =
        descriptorType.getMethod("of", layoutType, layouts.getClass()).invoke(null, integer, layouts);
    Object options = array(optionType, optionType.getMethod("critical", boolean.class).invoke(null, true));
    // WHY no look-up by name: another library with the same names could answer.
    Object code = segment.getMethod("ofAddress", long.class).invoke(null, at);
    Object linker = linkerType.getMethod("nativeLinker").invoke(null);
    return (MethodHandle)
        linkerType
            .getMethod("downcallHandle", segment, descriptorType, options.getClass())
            .invoke(linker, code, descriptor, options);
  }

  private static Object array(Class<?> type, Object... elements) {
    Object made = Array.newInstance(type, elements.length);
    for (int i = 0; i < elements.length; i++) {
      Array.set(made, i, elements[i]);
    }
    return made;
  }

  /** The function for arrays. Each text is cut out by offset and length, which checks its bounds. */
  private MethodHandle handle(long at, boolean once) throws ReflectiveOperationException {
    MethodHandles.Lookup lookup = MethodHandles.lookup();
    MethodHandle ofArray = lookup.findStatic(segment, "ofArray", MethodType.methodType(segment, byte[].class));
    MethodHandle slice =
        lookup.findVirtual(segment, "asSlice", MethodType.methodType(segment, long.class, long.class));
    MethodHandle ofPart = MethodHandles.filterArguments(slice, 0, ofArray);
    int first = once ? 2 : 1;
    MethodHandle handle = MethodHandles.filterArguments(function(at, once), first + 7, ofArray);
    for (int text : new int[] {5, 3, 1, 0}) {
      handle = MethodHandles.collectArguments(handle, first + text, ofPart);
    }
    return once ? MethodHandles.filterArguments(handle, 0, ofArray) : handle;
  }
}
