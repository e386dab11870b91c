// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
package org.rijn.jca;

import java.security.InvalidParameterException;
import java.security.Key;
import java.security.Provider;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The JCA provider "Rijn": AES-GCM, AES-GCM-SIV, AES-CTR, AES-XTS and GMAC by the native library Rijn.
 *
 * <p>Put it first in {@code java.security} ({@code security.provider.1=Rijn}), or call {@code
 * Security.insertProviderAt(new RijnProvider(), 1)}. Where the native library cannot be loaded, or fails its self-test,
 * {@code Cipher.getInstance} throws an {@link UnsatisfiedLinkError} that says why; with {@code -Drijn.fallback=true} the
 * provider offers nothing there, and the other providers answer.
 *
 * <p>System properties, read once: {@code rijn.native} (a file to load instead of the jar's), {@code rijn.tmpdir}
 * (where the jar's library is unpacked; else {@code java.io.tmpdir}), {@code rijn.fallback}, {@code rijn.gcm.buffer}
 * (bytes that the decryption of a message in pieces holds at most), {@code rijn.hold} (false: arrays of every length are
 * copied, by JNI), {@code rijn.ffm} (false: JNI for all messages), {@code rijn.manyKeys} (keys in native memory at
 * most; the others do without).
 */
public final class RijnProvider extends Provider {
  private static final long serialVersionUID = 1L;

  /** The provider's name. */
  public static final String NAME = "Rijn";

  private static final Map<String, String> CIPHER_ATTRIBUTES = Map.of("SupportedKeyFormats", "RAW");

  /** Makes the provider, and loads the native library if nobody has yet. */
  public RijnProvider() {
    super(NAME, "0.2", "AES-GCM, AES-GCM-SIV, AES-CTR, AES-XTS and GMAC by Rijn");
    if (NativeLibrary.failure() == null || !Boolean.getBoolean("rijn.fallback")) {
      putServices();
    }
  }

  private void putServices() {
    cipher("AES/GCM/NoPadding", () -> new AesGcmCipher(-1));
    cipher("AES_128/GCM/NoPadding", () -> new AesGcmCipher(16), "2.16.840.1.101.3.4.1.6");
    cipher("AES_192/GCM/NoPadding", () -> new AesGcmCipher(24), "2.16.840.1.101.3.4.1.26");
    cipher("AES_256/GCM/NoPadding", () -> new AesGcmCipher(32), "2.16.840.1.101.3.4.1.46");
    cipher("AES/GCM-SIV/NoPadding", () -> new AesGcmSivCipher(-1));
    cipher("AES_128/GCM-SIV/NoPadding", () -> new AesGcmSivCipher(16));
    cipher("AES_256/GCM-SIV/NoPadding", () -> new AesGcmSivCipher(32));
    cipher("AES/CTR/NoPadding", () -> new AesCtrCipher(-1));
    cipher("AES_128/CTR/NoPadding", () -> new AesCtrCipher(16));
    cipher("AES_192/CTR/NoPadding", () -> new AesCtrCipher(24));
    cipher("AES_256/CTR/NoPadding", () -> new AesCtrCipher(32));
    cipher("AES/XTS/NoPadding", () -> new AesXtsCipher(-1));
    putService(new Maker("Mac", "AES-GMAC", "GmacMac", List.of("AESGMAC"), GmacMac::new));
    putService(new Maker("AlgorithmParameters", "GCM", "GcmParameters", List.of(), GcmParameters::new));
  }

  private void cipher(String name, Supplier<Object> make, String... oids) {
    List<String> aliases = oids.length == 0 ? List.of() : List.of(oids[0], "OID." + oids[0]);
    putService(new Maker("Cipher", name, "BaseCipher", aliases, make));
  }

  /**
   * Throws an {@link UnsatisfiedLinkError} that says what is wrong, if the native library is not in use.
   */
  public static void assertHealthy() {
    NativeLibrary.require();
  }

  /**
   * What computes: for a line of a log.
   *
   * @return the native library's version, the implementation that it chose for this processor, and the way to it: FFM,
   *     or JNI and, in brackets, why
   */
  public static String description() {
    NativeLibrary.require();
    return "Rijn " + Native.version() + ", " + Native.implementation() + ", " + Ffm.description();
  }

  /** A service that is made without reflection. */
  private final class Maker extends Service {
    private final Supplier<Object> make;

    Maker(String type, String algorithm, String simpleName, List<String> aliases, Supplier<Object> make) {
      super(RijnProvider.this, type, algorithm, "org.rijn.jca." + simpleName, aliases, CIPHER_ATTRIBUTES);
      this.make = make;
    }

    @Override
    public Object newInstance(Object parameter) {
      if (parameter != null) {
        throw new InvalidParameterException(getType() + " takes no parameter");
      }
      NativeLibrary.require();
      return make.get();
    }

    // WHY: a key inside a device has no raw bytes; with this answer JCA asks the device's own provider.
    @Override
    public boolean supportsParameter(Object parameter) {
      return parameter instanceof Key && "RAW".equalsIgnoreCase(((Key) parameter).getFormat());
    }
  }
}
