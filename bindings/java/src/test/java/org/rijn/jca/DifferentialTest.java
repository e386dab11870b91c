// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
package org.rijn.jca;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.amazon.corretto.crypto.provider.AmazonCorrettoCryptoProvider;
import java.security.GeneralSecurityException;
import java.security.Provider;
import java.security.Security;
import java.util.List;
import java.util.Random;
import javax.crypto.Cipher;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;

/** Random lives of cipher objects: Rijn does what the JDK's own provider and ACCP do. -Drijn.rounds, -Drijn.seed. */
class DifferentialTest {
  private static final int ROUNDS = Integer.getInteger("rijn.rounds", 4000);
  private static final long SEED = Long.getLong("rijn.seed", 1);
  private static final Provider RIJN = new RijnProvider();
  private static final AmazonCorrettoCryptoProvider ACCP = AmazonCorrettoCryptoProvider.INSTANCE;

  /** Where the other one differs, the JDK must agree with Rijn: ACCP has faults of its own. Says how often. */
  private static int compare(String transformation, Provider other, boolean misuse, int rounds)
      throws GeneralSecurityException {
    int compared = 0;
    int alone = 0;
    for (int i = 0; i < rounds; i++) {
      Script script = new Script(SEED + i, transformation, misuse);
      List<String> ours = script.play(Cipher.getInstance(transformation, RIJN));
      List<String> theirs = script.play(Cipher.getInstance(transformation, other));
      if (!theirs.equals(ours)) {
        int seed = i;
        List<String> judge = script.play(Cipher.getInstance(transformation, "SunJCE"));
        assertEquals(judge, ours, () -> "seed " + (SEED + seed) + "\n" + script);
        alone++;
      }
      compared += ours.size();
    }
    System.out.println(transformation + " and " + other.getName() + ": " + rounds + " lives, " + compared
        + " outcomes; in " + alone + " lives it differs from Rijn and the JDK");
    return alone;
  }

  @Test
  void gcmLikeTheJdk() throws GeneralSecurityException {
    compare("AES/GCM/NoPadding", Security.getProvider("SunJCE"), true, ROUNDS);
  }

  @Test
  void ctrLikeTheJdk() throws GeneralSecurityException {
    compare("AES/CTR/NoPadding", Security.getProvider("SunJCE"), true, ROUNDS / 2);
  }

  @Test
  void gcmLikeAccp() throws GeneralSecurityException {
    ACCP.assertHealthy();
    int alone = compare("AES/GCM/NoPadding", ACCP, false, ROUNDS / 2);
    assertTrue(alone <= ROUNDS / 100, alone + " lives differ");
  }

  @Test
  void xtsLikeAccp() throws GeneralSecurityException {
    ACCP.assertHealthy();
    Random random = new Random(SEED);
    Cipher ours = Cipher.getInstance("AES/XTS/NoPadding", RIJN);
    Cipher theirs = Cipher.getInstance("AES/XTS/NoPadding", ACCP);
    for (int i = 0; i < ROUNDS / 4; i++) {
      byte[] raw = new byte[64];
      byte[] tweak = new byte[16];
      byte[] data = new byte[16 + random.nextInt(i % 50 == 0 ? 2_000_000 : 5000)];
      random.nextBytes(raw);
      random.nextBytes(tweak);
      random.nextBytes(data);
      int mode = random.nextBoolean() ? Cipher.ENCRYPT_MODE : Cipher.DECRYPT_MODE;
      for (Cipher cipher : List.of(ours, theirs)) {
        cipher.init(mode, new SecretKeySpec(raw, "AES"), new IvParameterSpec(tweak));
      }
      Texts form = Texts.values()[random.nextInt(Texts.values().length)];
      byte[] want = theirs.doFinal(data);
      assertArrayEquals(want, form.run(ours, data, random.nextInt(20), true));
    }
  }
}
