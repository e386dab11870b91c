// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
package org.rijn.jca;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.InvalidAlgorithmParameterException;
import java.security.InvalidKeyException;
import java.security.Key;
import java.security.spec.AlgorithmParameterSpec;
import java.util.Arrays;
import java.util.List;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;

/** An init that is refused: no key is in use afterwards, not even the former one. */
class InitTest {
  private static final RijnProvider RIJN = new RijnProvider();
  private static final List<String> MODES = List.of("GCM", "GCM-SIV", "CTR", "XTS");
  private static final Key SHORT = new SecretKeySpec(new byte[17], "AES");

  /** A SecretKeySpec is never empty; another class of keys may be. */
  private static final Key EMPTY =
      new SecretKey() {
        @Override
        public String getAlgorithm() {
          return "AES";
        }

        @Override
        public String getFormat() {
          return "RAW";
        }

        @Override
        public byte[] getEncoded() {
          return new byte[0];
        }
      };

  private static Key key(String mode) {
    byte[] raw = new byte[mode.equals("XTS") ? 64 : 32];
    raw[0] = 1;
    return new SecretKeySpec(raw, "AES");
  }

  private static AlgorithmParameterSpec spec(String mode) {
    return mode.startsWith("GCM") ? new GCMParameterSpec(128, new byte[12]) : new IvParameterSpec(new byte[16]);
  }

  private static BaseCipher cipher(String mode) {
    switch (mode) {
      case "GCM":
        return new AesGcmCipher(-1);
      case "GCM-SIV":
        return new AesGcmSivCipher(-1);
      case "CTR":
        return new AesCtrCipher(-1);
      default:
        return new AesXtsCipher(-1);
    }
  }

  @Test
  void emptyKeysAreRefused() throws GeneralSecurityException {
    for (String mode : MODES) {
      Cipher cipher = Cipher.getInstance("AES/" + mode + "/NoPadding", RIJN);
      assertThrows(
          InvalidKeyException.class, () -> cipher.init(Cipher.ENCRYPT_MODE, EMPTY, spec(mode)), mode + ", the first");
      assertThrows(IllegalStateException.class, () -> cipher.doFinal(new byte[32]), mode);
      cipher.init(Cipher.ENCRYPT_MODE, key(mode), spec(mode));
      assertThrows(InvalidKeyException.class, () -> cipher.init(Cipher.ENCRYPT_MODE, SHORT, spec(mode)), mode);
      assertThrows(
          InvalidKeyException.class, () -> cipher.init(Cipher.ENCRYPT_MODE, EMPTY, spec(mode)), mode + ", a later one");
      assertThrows(IllegalStateException.class, () -> cipher.doFinal(new byte[32]), mode);
      assertThrows(InvalidKeyException.class, () -> cipher(mode).engineGetKeySize(EMPTY), mode);
    }
    Mac mac = Mac.getInstance("AESGMAC", RIJN);
    assertThrows(InvalidKeyException.class, () -> mac.init(EMPTY, spec("GCM")));
    assertThrows(IllegalStateException.class, () -> mac.doFinal(new byte[32]));
  }

  /** Whatever its caller lets through, an array without a key is not taken for an empty key's. */
  @Test
  void emptyBytesAreNoKeyThatIsThere() throws GeneralSecurityException {
    for (int kind : new int[] {Native.GCM_KEY, Native.AES_KEY, Native.SIV_KEY, Native.XTS_KEY}) {
      CipherKey key = new CipherKey(kind);
      assertThrows(InvalidKeyException.class, () -> key.set(new byte[0], 0), "the first, kind " + kind);
      key.set(key(kind == Native.XTS_KEY ? "XTS" : "CTR").getEncoded(), 0);
      assertThrows(InvalidKeyException.class, () -> key.set(new byte[17], 0));
      assertThrows(InvalidKeyException.class, () -> key.set(new byte[0], 0), "a later one, kind " + kind);
    }
  }

  private interface Init {
    void run(BaseCipher cipher) throws GeneralSecurityException;
  }

  /** Cipher itself refuses texts after a refused init. Here its provider alone is asked. */
  @Test
  void aRefusedInitLeavesNoKeyInUse() throws GeneralSecurityException {
    for (String mode : MODES) {
      AlgorithmParameterSpec alien = spec(mode.startsWith("GCM") ? "CTR" : "GCM");
      AlgorithmParameters alienParameters = AlgorithmParameters.getInstance(mode.startsWith("GCM") ? "AES" : "GCM");
      alienParameters.init(alien);
      List<Init> refused =
          Arrays.asList(
              cipher -> cipher.engineInit(Cipher.ENCRYPT_MODE, null, spec(mode), null),
              cipher -> cipher.engineInit(Cipher.ENCRYPT_MODE, EMPTY, spec(mode), null),
              cipher -> cipher.engineInit(Cipher.ENCRYPT_MODE, SHORT, spec(mode), null),
              cipher -> cipher.engineInit(Cipher.ENCRYPT_MODE, key(mode), alien, null),
              cipher -> cipher.engineInit(Cipher.ENCRYPT_MODE, key(mode), alienParameters, null),
              cipher -> cipher.engineInit(Cipher.DECRYPT_MODE, key(mode), (AlgorithmParameterSpec) null, null),
              cipher -> cipher.engineInit(Cipher.DECRYPT_MODE, key(mode), null));
      for (Init init : refused) {
        String what = mode + ", init " + refused.indexOf(init);
        BaseCipher cipher = cipher(mode);
        cipher.engineInit(Cipher.ENCRYPT_MODE, key(mode), spec(mode), null);
        cipher.engineUpdate(new byte[16], 0, 16);
        assertThrows(GeneralSecurityException.class, () -> init.run(cipher), what);
        assertThrows(IllegalStateException.class, () -> cipher.engineDoFinal(new byte[32], 0, 32), what);
        assertThrows(IllegalStateException.class, () -> cipher.engineUpdate(new byte[32], 0, 32), what);
      }
    }
  }

  /** A key that is refused does not make GMAC forget the nonce that it has had. */
  @Test
  void aRefusedKeyDoesNotAllowANonceAgain() throws GeneralSecurityException {
    Mac mac = Mac.getInstance("AESGMAC", RIJN);
    mac.init(key("GCM"), spec("GCM"));
    assertEquals(16, mac.doFinal(new byte[32]).length);
    assertThrows(InvalidKeyException.class, () -> mac.init(SHORT, spec("GCM")));
    assertThrows(InvalidAlgorithmParameterException.class, () -> mac.init(key("GCM"), spec("GCM")));
    assertThrows(IllegalStateException.class, () -> mac.doFinal(new byte[32]));
  }
}
