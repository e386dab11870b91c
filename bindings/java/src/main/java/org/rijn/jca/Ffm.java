// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
package org.rijn.jca;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Array;
import java.util.Optional;

/**
 * A whole message by the foreign function API of Java 22 and newer, which takes a third of JNI's time for short ones
 * (bench/ffm). WHY by reflection: one class file serves Java 11 too, and JDK 17 can compile it.
 *
 * <p>Arrays are handed over in place. A collection cannot begin before such a call is over, so longer texts go by JNI,
 * which cuts them.
 */
final class Ffm {
  /** As TEXT_SLICE of text.h. */
  private static final int MOST = 1 << 20;

  private static final String API = "java.lang.foreign.";

  /** Null where the machine or the virtual machine has no such way. */
  private static final MethodHandle SEAL;

  private static final MethodHandle OPEN;

  static {
    MethodHandle seal = null;
    MethodHandle open = null;
    if (wanted()) {
      try {
        Ffm ffm = new Ffm();
        seal = ffm.handle("rijn_gcm_encrypt");
        open = ffm.handle("rijn_gcm_decrypt");
      } catch (Throwable t) {
        // WHY every Throwable: a virtual machine without the API, or one that forbids it, has JNI.
        seal = null;
      }
    }
    SEAL = seal;
    OPEN = open;
  }

  private final Class<?> segment = Class.forName(API + "MemorySegment");

  private Ffm() throws ClassNotFoundException {}

  /** Java 22 and 23 warn of this way, and not of JNI, unless native access is allowed. */
  private static boolean wanted() {
    int version = Runtime.version().feature();
    if ("false".equals(System.getProperty("rijn.ffm")) || version < 22) {
      return false;
    }
    try {
      return version >= 24 || (boolean) Module.class.getMethod("isNativeAccessEnabled").invoke(Ffm.class.getModule());
    } catch (ReflectiveOperationException e) {
      return false;
    }
  }

  /** Whether messages in arrays go this way. */
  static boolean inUse() {
    return SEAL != null;
  }

  /** WHY not direct buffers: they gain nothing. */
  static boolean takes(Object in, Object out, int length) {
    return SEAL != null && length <= MOST && in instanceof byte[] && out instanceof byte[];
  }

  /**
   * A call of rijn_gcm_encrypt or rijn_gcm_decrypt. The tag is 16 bytes of the caller's own, because the library's rules
   * say nothing of a tag inside of a text.
   */
  static int message(boolean encrypt, long key, Call call, Object in, int inOffset, int length, Object out,
      int outOffset, byte[] tag) {
    byte[] told = call.bytes;
    MethodHandle handle = encrypt ? SEAL : OPEN;
    long n = length;
    long nonce = call.nonceLength();
    long aad = call.aadLength();
    long nonceAt = Call.HEADER;
    try {
      return (int) handle.invokeExact(key, (byte[]) out, (long) outOffset, n, (byte[]) in, (long) inOffset, n, n,
          told, nonceAt + nonce, aad, aad, told, nonceAt, nonce, nonce, tag);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable t) {
      throw new AssertionError(t);
    }
  }

  // ---- the handles

  /** (key, out, in, length, aad, its length, nonce, its length, tag): addresses are segments, but for the key's. */
  private MethodHandle function(String name) throws ReflectiveOperationException {
    Class<?> linkerType = Class.forName(API + "Linker");
    Class<?> layoutType = Class.forName(API + "MemoryLayout");
    Class<?> optionType = Class.forName(API + "Linker$Option");
    Class<?> values = Class.forName(API + "ValueLayout");
    Object integer = values.getField("JAVA_INT").get(null);
    Object number = values.getField("JAVA_LONG").get(null);
    Object address = values.getField("ADDRESS").get(null);
    Object layouts = array(layoutType, number, address, address, number, address, number, address, number, address);
    Class<?> descriptorType = Class.forName(API + "FunctionDescriptor");
    Object descriptor =
        descriptorType.getMethod("of", layoutType, layouts.getClass()).invoke(null, integer, layouts);
    Object options = array(optionType, optionType.getMethod("critical", boolean.class).invoke(null, true));
    Object linker = linkerType.getMethod("nativeLinker").invoke(null);
    return (MethodHandle)
        linkerType
            .getMethod("downcallHandle", segment, descriptorType, options.getClass())
            .invoke(linker, find(name), descriptor, options);
  }

  /** An address in the library that this class loader has loaded. */
  private static Object find(String name) throws ReflectiveOperationException {
    Class<?> type = Class.forName(API + "SymbolLookup");
    Object symbols = type.getMethod("loaderLookup").invoke(null);
    Optional<?> found = (Optional<?>) type.getMethod("find", String.class).invoke(symbols, name);
    return found.orElseThrow(() -> new UnsatisfiedLinkError(name));
  }

  private static Object array(Class<?> type, Object... elements) {
    Object made = Array.newInstance(type, elements.length);
    for (int i = 0; i < elements.length; i++) {
      Array.set(made, i, elements[i]);
    }
    return made;
  }

  /** The function for arrays. Each text is cut out by offset and length, which checks its bounds. */
  private MethodHandle handle(String name) throws ReflectiveOperationException {
    MethodHandles.Lookup lookup = MethodHandles.lookup();
    MethodHandle ofArray = lookup.findStatic(segment, "ofArray", MethodType.methodType(segment, byte[].class));
    MethodHandle slice =
        lookup.findVirtual(segment, "asSlice", MethodType.methodType(segment, long.class, long.class));
    MethodHandle ofPart = MethodHandles.filterArguments(slice, 0, ofArray);
    MethodHandle handle = MethodHandles.filterArguments(function(name), 8, ofArray);
    for (int text : new int[] {6, 4, 2, 1}) {
      handle = MethodHandles.collectArguments(handle, text, ofPart);
    }
    return handle;
  }
}
