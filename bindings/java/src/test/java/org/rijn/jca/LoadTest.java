// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
package org.rijn.jca;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Provider;
import java.security.Security;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which native library is loaded, and what happens when none is; each case in a virtual machine of its own. */
class LoadTest {
  @TempDir Path folder;

  /** What {@link Probe} says; RIJN_IMPL is set to impl unless that is null; empty: a temporary file is made first. */
  private static String probe(String impl, String... options) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-XX:TieredStopAtLevel=1");
    command.addAll(List.of(options));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Probe.class.getName()));
    if (impl != null && impl.isEmpty()) {
      command.add("temporary file first");
    }
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().remove("RIJN_IMPL");
    if (impl != null && !impl.isEmpty()) {
      builder.environment().put("RIJN_IMPL", impl);
    }
    builder.redirectError(ProcessBuilder.Redirect.INHERIT);
    Process process = builder.start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).trim();
    assertEquals(0, process.waitFor(), said);
    return said;
  }

  private static void says(String want, String got) {
    assertTrue(got.contains(want), got);
  }

  @Test
  void fromTheJar() throws Exception {
    says("by Rijn, Rijn 0.", probe(null, "-Drijn.tmpdir=" + folder));
    try (var left = Files.list(folder)) {
      assertEquals(0, left.count(), "files are left in the folder");
    }
  }

  /** Whatever else were exported, another library that is loaded first could answer in its place. */
  @Test
  void onlyWhatJavaCallsIsExported() throws Exception {
    Set<String> want = new TreeSet<>();
    for (Method method : Native.class.getDeclaredMethods()) {
      if (Modifier.isNative(method.getModifiers())) {
        want.add("Java_org_rijn_jca_Native_" + method.getName());
      }
    }
    for (String architecture : List.of("x86_64", "aarch64", "ppc64le")) {
      Path file = folder.resolve(architecture + ".so");
      String resource = "/META-INF/native/linux-" + architecture + "/librijnjni.so";
      try (InputStream library = Native.class.getResourceAsStream(resource)) {
        Files.copy(library, file);
      }
      assertEquals(want, exported(file), architecture);
    }
  }

  /** The defined symbols that a dynamic linker sees. WHY readelf: it reads every architecture's files. */
  private static Set<String> exported(Path library) throws IOException, InterruptedException {
    Process process = new ProcessBuilder("readelf", "--dyn-syms", "--wide", library.toString()).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor());
    Set<String> names = new TreeSet<>();
    Matcher line = Pattern.compile("(?m)^ *\\d+: .* (GLOBAL|WEAK) .* (\\w+) +([^\\s@]+)").matcher(said);
    while (line.find()) {
      if (!line.group(2).equals("UND")) {
        names.add(line.group(3));
      }
    }
    return names;
  }

  @Test
  void byTheSecurityProperties() throws Exception {
    Path properties = folder.resolve("rijn.security");
    Files.writeString(properties, "security.provider.1=Rijn\nsecurity.provider.2=SUN\nsecurity.provider.3=SunJCE\n");
    says("by Rijn", probe(null, "-Djava.security.properties=" + properties));
    says("by Rijn", probe("", "-Djava.security.properties=" + properties));
  }

  /** The file that README.md prints is the JDK's own list, with Rijn before it. */
  @Test
  void byTheSecurityPropertiesOfTheReadme() throws Exception {
    String page = Files.readString(Path.of(System.getProperty("rijn.readme")));
    Matcher block = Pattern.compile("(?s)```properties\n(.*?)```").matcher(page);
    assertTrue(block.find());
    List<String> want = new ArrayList<>(List.of("security.provider.1=Rijn"));
    for (Provider provider : Security.getProviders()) {
      want.add("security.provider." + (want.size() + 1) + "=" + provider.getName());
    }
    assertEquals(want, block.group(1).lines().collect(Collectors.toList()));
    Path properties = Files.writeString(folder.resolve("rijn.security"), block.group(1));
    says("by Rijn", probe(null, "-Djava.security.properties=" + properties));
  }

  @Test
  void theChosenImplementation() throws Exception {
    says("portable", probe("portable"));
    says("refused: the provider Rijn has no native library: its self-test failed", probe("no-such"));
  }

  @Test
  void noneIsAnError() throws Exception {
    says("refused: the provider Rijn has no native library", probe(null, "-Drijn.native=/nonexistent.so"));
    says("none in the jar for Linux on s390x", probe(null, "-Dos.arch=s390x"));
    says("none in the jar for Windows", probe(null, "-Dos.name=Windows"));
    says("refused", probe(null, "-Drijn.tmpdir=" + folder.resolve("absent")));
    Path properties = folder.resolve("rijn.security");
    Files.writeString(properties, "security.provider.1=Rijn\nsecurity.provider.2=SUN\nsecurity.provider.3=SunJCE\n");
    says("refused", probe(null, "-Djava.security.properties=" + properties, "-Drijn.native=/nonexistent.so"));
  }

  @Test
  void unlessTheFallbackIsWanted() throws Exception {
    assertEquals("by SunJCE", probe(null, "-Dos.arch=s390x", "-Drijn.fallback=true"));
    assertEquals("by SunJCE", probe("no-such", "-Drijn.fallback=true"));
    says("by Rijn", probe(null, "-Drijn.fallback=true"));
  }

  @Test
  void whatDecryptionHoldsHasALimit() throws Exception {
    List<String> options = List.of("-Drijn.gcm.buffer=1000", "-cp", System.getProperty("java.class.path"));
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(options);
    command.add(LimitProbe.class.getName());
    Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).trim();
    assertEquals(0, process.waitFor());
    assertEquals("whole: 5000, pieces: refused", said);
  }

  /** The main class for that: a whole message is not held, one in pieces is. */
  static final class LimitProbe {
    public static void main(String[] args) throws Exception {
      var key = new javax.crypto.spec.SecretKeySpec(new byte[16], "AES");
      var spec = new javax.crypto.spec.GCMParameterSpec(128, new byte[12]);
      var cipher = javax.crypto.Cipher.getInstance("AES/GCM/NoPadding", new RijnProvider());
      cipher.init(javax.crypto.Cipher.ENCRYPT_MODE, key, spec);
      byte[] sealed = cipher.doFinal(new byte[5000]);
      cipher.init(javax.crypto.Cipher.DECRYPT_MODE, key, spec);
      String said = "whole: " + cipher.doFinal(sealed).length;
      try {
        cipher.update(sealed, 0, 600);
        cipher.update(sealed, 600, 600);
        said += ", pieces: taken";
      } catch (java.security.ProviderException e) {
        said += ", pieces: refused";
      }
      System.out.println(said);
    }
  }
}
