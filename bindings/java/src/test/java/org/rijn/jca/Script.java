// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
package org.rijn.jca;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.ProviderException;
import java.security.spec.AlgorithmParameterSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import javax.crypto.Cipher;
import javax.crypto.ShortBufferException;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/** A random life of a cipher object, written down first, so that it can be played to several providers. */
final class Script {
  /** What a step does; its outcome goes into the record. */
  interface Step {
    void play(Cipher cipher, Record record) throws GeneralSecurityException;
  }

  /** What came out: bytes of a message are joined, because providers give out pieces of different lengths. */
  static final class Record {
    final List<String> lines = new ArrayList<>();
    /** Behind a refused init nobody says which IV getIV gives. */
    boolean ready;
    private final ByteArrayOutputStream message = new ByteArrayOutputStream();

    void bytes(byte[] out) {
      message.write(out, 0, out.length);
    }

    void end(String what) {
      byte[] all = message.toByteArray();
      try {
        byte[] hash = MessageDigest.getInstance("SHA-256").digest(all);
        lines.add(what + " of " + all.length + " bytes: " + Arrays.hashCode(hash));
      } catch (NoSuchAlgorithmException e) {
        throw new AssertionError(e);
      }
      message.reset();
    }

    void drop(String what) {
      message.reset();
      lines.add(what);
    }
  }

  private final Random random;
  private final boolean gcm;
  private final boolean misuse;
  private boolean forged;
  private final List<Step> steps = new ArrayList<>();
  private final StringBuilder text = new StringBuilder();

  /** misuse: also calls in the wrong order, which providers answer alike only where JCA's text leaves no choice. */
  Script(long seed, String transformation, boolean misuse) {
    random = new Random(seed);
    gcm = transformation.contains("GCM");
    this.misuse = misuse;
    int messages = 1 + random.nextInt(6);
    Key key = key();
    for (int i = 0; i < messages; i++) {
      if (random.nextInt(3) == 0) {
        key = key();
      }
      message(key, spec());
    }
  }

  List<String> play(Cipher cipher) {
    Record record = new Record();
    for (Step step : steps) {
      try {
        step.play(cipher, record);
      } catch (GeneralSecurityException | IllegalStateException e) {
        record.drop(e.getClass().getSimpleName());
      }
    }
    return record.lines;
  }

  @Override
  public String toString() {
    return text.toString();
  }

  private Key key() {
    return new SecretKeySpec(bytes(16 + 8 * random.nextInt(3)), "AES");
  }

  private AlgorithmParameterSpec spec() {
    if (!gcm) {
      return new IvParameterSpec(bytes(16));
    }
    int[] lengths = {12, 12, 12, 1, 8, 16, 60};
    int length = misuse ? lengths[random.nextInt(lengths.length)] : 12;
    return new GCMParameterSpec(96 + 8 * random.nextInt(5), bytes(length));
  }

  private byte[] bytes(int n) {
    byte[] b = new byte[n];
    random.nextBytes(b);
    return b;
  }

  private int length() {
    switch (random.nextInt(12)) {
      case 0:
        return 0;
      case 1:
        return 16 * random.nextInt(20);
      case 2:
        return 1000 + random.nextInt(60); // around what is copied
      case 3:
        return random.nextInt(40000);
      default:
        return random.nextInt(300);
    }
  }

  private void add(String what, Step step) {
    text.append(what).append('\n');
    steps.add(step);
  }

  private void message(Key key, AlgorithmParameterSpec spec) {
    boolean decrypt = random.nextInt(3) == 0;
    int pieces = random.nextInt(4);
    List<byte[]> aad = new ArrayList<>();
    for (int n = gcm ? random.nextInt(3) : 0; n > 0; n--) {
      aad.add(bytes(random.nextInt(8) == 0 ? random.nextInt(3000) : random.nextInt(40)));
    }
    byte[] data = bytes(length());
    forged = false;
    if (decrypt) {
      data = encrypted(key, spec, aad, data);
      if (gcm && random.nextInt(4) == 0) {
        forged = true;
        data[random.nextInt(data.length)] ^= (byte) (1 << random.nextInt(8));
      }
      if (gcm && random.nextInt(12) == 0) {
        forged = true;
        data = Arrays.copyOf(data, random.nextInt(data.length));
      }
    }
    int mode = decrypt ? Cipher.DECRYPT_MODE : Cipher.ENCRYPT_MODE;
    add("init " + (decrypt ? "decrypt" : "encrypt"), (c, r) -> {
      r.ready = false;
      c.init(mode, key, spec);
      r.ready = true;
    });
    body(aad, data, pieces);
    if (misuse && !forged) { // behind a forgery JCA promises nothing before the next init
      after(decrypt, key, spec, aad, data);
    }
  }

  private byte[] encrypted(Key key, AlgorithmParameterSpec spec, List<byte[]> aad, byte[] data) {
    try {
      Cipher cipher = Cipher.getInstance(gcm ? "AES/GCM/NoPadding" : "AES/CTR/NoPadding", "SunJCE");
      cipher.init(Cipher.ENCRYPT_MODE, key, spec);
      for (byte[] a : aad) {
        cipher.updateAAD(a);
      }
      return cipher.doFinal(data);
    } catch (GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }

  private void body(List<byte[]> aad, byte[] data, int pieces) {
    for (byte[] a : aad) {
      int form = random.nextInt(4);
      add("updateAAD " + a.length + " as " + form, (c, r) -> aad(c, a, form));
    }
    int at = 0;
    for (int i = 0; i < pieces && at < data.length; i++) {
      int n = random.nextInt(data.length - at + 1);
      byte[] piece = Arrays.copyOfRange(data, at, at + n);
      Texts form = piece();
      int shift = random.nextInt(20);
      add("update " + n + " " + form, (c, r) -> r.bytes(form.run(c, piece, shift, false)));
      at += n;
    }
    if (misuse && gcm && at > 0 && random.nextInt(10) == 0) {
      add("updateAAD too late", (c, r) -> tooLate(c, r));
    }
    byte[] rest = Arrays.copyOfRange(data, at, data.length);
    if (misuse && random.nextInt(10) == 0) {
      add("doFinal without room", (c, r) -> noRoom(c, r, rest));
    }
    last(rest, at == 0);
  }

  /** WHY not in place: the JDK and ACCP keep bytes back, and then overwrite input that they have not read. */
  private Texts piece() {
    Texts form = Texts.values()[random.nextInt(Texts.OVERLAPPING.ordinal())];
    return form == Texts.IN_PLACE ? Texts.ARRAYS : form;
  }

  private void last(byte[] rest, boolean whole) {
    Texts form = whole ? Texts.values()[random.nextInt(Texts.values().length)] : piece();
    int shift = random.nextInt(35) - 17;
    int used = form == Texts.OVERLAPPING || form == Texts.DIRECT_OVERLAPPING ? shift : Math.abs(shift);
    boolean bad = forged;
    add(
        "doFinal " + rest.length + " " + form + " " + used,
        (c, r) -> {
          try {
            r.bytes(form.run(c, rest, used, true));
            r.end("message");
          } catch (GeneralSecurityException | ProviderException e) {
            if (!bad) {
              throw e;
            }
            r.drop("refused"); // of less than a tag the JDK says several things
          }
        });
  }

  private static void aad(Cipher cipher, byte[] data, int form) {
    switch (form) {
      case 0:
        cipher.updateAAD(data);
        break;
      case 1:
        byte[] larger = new byte[data.length + 9];
        System.arraycopy(data, 0, larger, 4, data.length);
        cipher.updateAAD(larger, 4, data.length);
        break;
      case 2:
        cipher.updateAAD(ByteBuffer.wrap(data).asReadOnlyBuffer());
        break;
      default:
        ByteBuffer direct = ByteBuffer.allocateDirect(data.length);
        direct.put(data).flip();
        cipher.updateAAD(direct);
        break;
    }
  }

  private static void tooLate(Cipher cipher, Record record) {
    try {
      cipher.updateAAD(new byte[1]);
      record.lines.add("updateAAD too late: taken");
    } catch (IllegalStateException e) {
      record.lines.add("updateAAD too late: refused");
    }
  }

  /** A call that is refused for want of room can be made again. */
  private static void noRoom(Cipher cipher, Record record, byte[] rest) throws GeneralSecurityException {
    int size = cipher.getOutputSize(rest.length);
    if (size == 0) {
      return;
    }
    try {
      cipher.doFinal(rest, 0, rest.length, new byte[size - 1], 0);
      record.lines.add("no room: taken");
    } catch (ShortBufferException e) {
      record.lines.add("no room: refused");
    }
  }

  private void after(boolean decrypt, Key key, AlgorithmParameterSpec spec, List<byte[]> aad, byte[] data) {
    switch (random.nextInt(5)) {
      case 0: // the same again: decryption may, encryption may not
        body(aad, data, 0);
        break;
      case 1:
        if (!decrypt) {
          add("init with the same", (c, r) -> c.init(Cipher.ENCRYPT_MODE, key, spec));
        }
        break;
      case 2:
        add("getIV", (c, r) -> {
          if (r.ready) {
            r.bytes(c.getIV());
            r.end("IV");
          }
        });
        break;
      default:
        break;
    }
  }
}
