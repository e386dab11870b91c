// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
package org.rijn.jca;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.rijn.jca.bench.Gcm;

/**
 * The way into native code: JNI, as the provider has it, beside FFM. AES-256-GCM, 16 bytes of associated data, a key that
 * is there already. Nonce and associated data are copied anew for each message, as a Cipher has to.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class Ways {
  private static final int KEY_SIZE = 1984;
  private static final MethodHandle INIT = handle("rijn_gcm_init", false, 3);
  private static final MethodHandle PLAIN = handle("rijn_gcm_encrypt", false, 9);
  private static final MethodHandle CRITICAL = handle("rijn_gcm_encrypt", true, 9);

  @Param({"16", "64", "1420", "16384", "1048576"})
  public int length;

  private final byte[] raw = new byte[32];
  private final byte[] nonce = new byte[12];
  private final byte[] aad = new byte[16];
  private final Call call = new Call();
  private Memory jniKey;
  private MemorySegment ffmKey;
  private MemorySegment scratch;
  private byte[] text;
  private byte[] out;
  private ByteBuffer directText;
  private ByteBuffer directOut;

  private static MethodHandle handle(String name, boolean critical, int arguments) {
    System.load(System.getProperty("rijn.shared"));
    SymbolLookup library = SymbolLookup.loaderLookup();
    FunctionDescriptor descriptor =
        arguments == 3
            ? FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS, ValueLayout.JAVA_LONG)
            : FunctionDescriptor.of(
                ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS, ValueLayout.ADDRESS,
                ValueLayout.JAVA_LONG, ValueLayout.ADDRESS, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS,
                ValueLayout.JAVA_LONG, ValueLayout.ADDRESS);
    Linker.Option[] options = critical ? new Linker.Option[] {Linker.Option.critical(true)} : new Linker.Option[0];
    return Linker.nativeLinker().downcallHandle(library.find(name).orElseThrow(), descriptor, options);
  }

  @Setup
  public void setup() throws Throwable {
    RijnProvider.assertHealthy();
    jniKey = new Memory(Native.GCM_KEY);
    jniKey.makeKey(raw, 16);
    ffmKey = Arena.global().allocate(KEY_SIZE, 64);
    scratch = Arena.global().allocate(64, 64);
    int made = (int) INIT.invokeExact(ffmKey, scratch.asSlice(0, 32), 32L);
    text = new byte[length];
    out = new byte[length + 16];
    directText = ByteBuffer.allocateDirect(length);
    directOut = ByteBuffer.allocateDirect(length + 16);
    int wrong = made | jniHeap(new Gcm.Cpu());
    byte[] want = out.clone();
    Arrays.fill(out, (byte) 1);
    wrong |= ffmHeap(new Gcm.Cpu()) | (Arrays.equals(want, out) ? 0 : 1);
    wrong |= jniDirect(new Gcm.Cpu()) | different(want);
    wrong |= ffmDirect(new Gcm.Cpu()) | different(want);
    wrong |= ffmDirectCritical(new Gcm.Cpu()) | different(want);
    if (wrong != 0) {
      throw new IllegalStateException("the ways differ");
    }
  }

  private int different(byte[] want) {
    int result = directOut.equals(ByteBuffer.wrap(want)) ? 0 : 1;
    directOut.put(0, new byte[length + 16]);
    return result;
  }

  private byte[] told() {
    call.begin(nonce, 16);
    call.aad(aad, 0, aad.length);
    return call.text(0, length, 0);
  }

  @Benchmark
  public int jniHeap(Gcm.Cpu cpu) {
    cpu.calls++;
    return Native.gcmSeal(jniKey.address, told(), call.length, text, out, 0);
  }

  @Benchmark
  public int jniDirect(Gcm.Cpu cpu) {
    cpu.calls++;
    int kinds = Native.IN_DIRECT | Native.OUT_DIRECT;
    return Native.gcmSeal(jniKey.address, told(), call.length, directText, directOut, kinds);
  }

  /** Heap arrays in place: the thread takes no part in safepoints meanwhile. */
  @Benchmark
  public int ffmHeap(Gcm.Cpu cpu) throws Throwable {
    cpu.calls++;
    MemorySegment result = MemorySegment.ofArray(out);
    return (int)
        CRITICAL.invokeExact(
            ffmKey, result, MemorySegment.ofArray(text), (long) length, MemorySegment.ofArray(aad), 16L,
            MemorySegment.ofArray(nonce), 12L, result.asSlice(length));
  }

  /** An ordinary call: whatever is in the heap is copied into native memory first. */
  @Benchmark
  public int ffmDirect(Gcm.Cpu cpu) throws Throwable {
    cpu.calls++;
    MemorySegment.copy(nonce, 0, scratch, ValueLayout.JAVA_BYTE, 32, 12);
    MemorySegment.copy(aad, 0, scratch, ValueLayout.JAVA_BYTE, 48, 16);
    MemorySegment result = MemorySegment.ofBuffer(directOut);
    return (int)
        PLAIN.invokeExact(
            ffmKey, result, MemorySegment.ofBuffer(directText), (long) length, scratch.asSlice(48), 16L,
            scratch.asSlice(32), 12L, result.asSlice(length));
  }

  @Benchmark
  public int ffmDirectCritical(Gcm.Cpu cpu) throws Throwable {
    cpu.calls++;
    MemorySegment result = MemorySegment.ofBuffer(directOut);
    return (int)
        CRITICAL.invokeExact(
            ffmKey, result, MemorySegment.ofBuffer(directText), (long) length, MemorySegment.ofArray(aad), 16L,
            MemorySegment.ofArray(nonce), 12L, result.asSlice(length));
  }
}
