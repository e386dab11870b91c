// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
package org.rijn.jca;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;

/** Finds the native library of this machine, loads it once, and asks it for its known answers. */
final class NativeLibrary {
  private static final Map<String, String> ARCHITECTURES =
      Map.of("amd64", "x86_64", "x86_64", "x86_64", "aarch64", "aarch64", "ppc64le", "ppc64le");
  private static final String NAME = "librijnjni.so";

  /** What went wrong; null when all is well. */
  private static final Throwable FAILURE = load();

  private NativeLibrary() {}

  static Throwable failure() {
    return FAILURE;
  }

  /** Throws where there is no library. WHY an error: JCA takes exceptions as a reason to ask the next provider. */
  static void require() {
    if (FAILURE != null) {
      UnsatisfiedLinkError error =
          new UnsatisfiedLinkError(
              "the provider Rijn has no native library: "
                  + FAILURE.getMessage()
                  + " (-Drijn.fallback=true lets the other providers answer instead)");
      error.initCause(FAILURE);
      throw error;
    }
  }

  // WHY every Throwable: a missing, broken or foreign library is an Error, and all of them are kept to be told later.
  private static Throwable load() {
    try {
      String own = System.getProperty("rijn.native");
      if (own != null) {
        System.load(new File(own).getAbsolutePath());
      } else {
        loadFromJar();
      }
      int error = Native.selftest();
      return error == 0 ? null : new IllegalStateException("its self-test failed: " + Native.reason(error));
    } catch (Throwable t) {
      return t;
    }
  }

  private static void loadFromJar() throws IOException {
    String system = System.getProperty("os.name");
    String machine = System.getProperty("os.arch");
    String architecture = "Linux".equals(system) ? ARCHITECTURES.get(machine) : null;
    String resource = "/META-INF/native/linux-" + architecture + "/" + NAME;
    try (InputStream library = architecture == null ? null : NativeLibrary.class.getResourceAsStream(resource)) {
      if (library == null) {
        throw new IOException("none in the jar for " + system + " on " + machine);
      }
      loadCopy(library);
    }
  }

  /**
   * A new folder that is this user's alone. WHY not createTempDirectory: it wants random numbers, hence the list of
   * providers, hence this one; who makes a temporary file first would be within it already. The name need not be secret,
   * because a folder that exists is not taken.
   */
  private static Path privateFolder(Path folder) throws IOException {
    FileAttribute<?> mine = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
    for (int attempt = 0; ; attempt++) {
      Path own = folder.resolve("rijn-" + ProcessHandle.current().pid() + "-" + System.nanoTime());
      try {
        return Files.createDirectory(own, mine);
      } catch (FileAlreadyExistsException e) {
        if (attempt == 100) {
          throw e;
        }
      }
    }
  }

  /** Loads it from a folder that nobody else may write, and takes the file away again: Linux keeps what is mapped. */
  private static void loadCopy(InputStream library) throws IOException {
    String folder = System.getProperty("rijn.tmpdir", System.getProperty("java.io.tmpdir"));
    Path own = privateFolder(Path.of(folder));
    Path file = own.resolve(NAME);
    try {
      Files.copy(library, file);
      System.load(file.toAbsolutePath().toString());
    } finally {
      Files.deleteIfExists(file);
      Files.deleteIfExists(own);
    }
  }
}
