// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
package org.rijn.jca;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.NoSuchAlgorithmException;
import java.security.Provider;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A provider with the name "SunJCE" for the JDK's own tests, which ask for that name: Rijn's services, and the JDK's
 * where Rijn has none. At the end it writes into the file {@code rijn.made} how many objects of Rijn it made.
 */
public final class JdkProvider extends Provider {
  private static final long serialVersionUID = 1L;

  private static final String[] ATTRIBUTES = {
    "SupportedKeyFormats", "SupportedKeyClasses", "SupportedModes", "SupportedPaddings"
  };

  private final transient AtomicLong made = new AtomicLong();

  /** Needs {@code --add-exports java.base/com.sun.crypto.provider=ALL-UNNAMED}. */
  public JdkProvider() throws ReflectiveOperationException {
    super("SunJCE", System.getProperty("java.specification.version"), "The JDK's provider with Rijn's ciphers");
    Provider jdk =
        (Provider) Class.forName("com.sun.crypto.provider.SunJCE").getDeclaredConstructor().newInstance();
    Provider rijn = new RijnProvider();
    for (Service service : jdk.getServices()) {
      if (rijn.getService(service.getType(), service.getAlgorithm()) == null) {
        putService(new Borrowed(service, false));
      }
    }
    rijn.getServices().forEach(service -> putService(new Borrowed(service, true)));
    Runtime.getRuntime().addShutdownHook(new Thread(this::report));
  }

  private void report() {
    try {
      Files.writeString(Path.of(System.getProperty("rijn.made")), made.toString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<String> aliases(Service service) {
    String prefix = "Alg.Alias." + service.getType() + ".";
    List<String> names = new ArrayList<>();
    for (Map.Entry<Object, Object> entry : service.getProvider().entrySet()) {
      String key = entry.getKey().toString();
      if (key.startsWith(prefix) && entry.getValue().equals(service.getAlgorithm())) {
        names.add(key.substring(prefix.length()));
      }
    }
    return names;
  }

  private static Map<String, String> attributes(Service service) {
    Map<String, String> values = new HashMap<>();
    for (String name : ATTRIBUTES) {
      if (service.getAttribute(name) != null) {
        values.put(name, service.getAttribute(name));
      }
    }
    return values;
  }

  private final class Borrowed extends Service {
    private final Service service;
    private final boolean counted;

    Borrowed(Service service, boolean counted) {
      super(JdkProvider.this, service.getType(), service.getAlgorithm(), service.getClassName(), aliases(service),
          attributes(service));
      this.service = service;
      this.counted = counted;
    }

    @Override
    public Object newInstance(Object parameter) throws NoSuchAlgorithmException {
      if (counted) {
        made.incrementAndGet();
      }
      return service.newInstance(parameter);
    }

    @Override
    public boolean supportsParameter(Object parameter) {
      return service.supportsParameter(parameter);
    }
  }
}
