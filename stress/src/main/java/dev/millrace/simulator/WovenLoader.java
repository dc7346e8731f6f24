package dev.millrace.simulator;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.util.List;
import java.util.function.BiFunction;

/**
 * Loads the classes of some packages woven, each afresh, and all others as its parent does.
 *
 * <p>A scenario is loaded by the loader that also loads the code under test, so that both mean the
 * same classes. Assertions are off in them unless {@link #setDefaultAssertionStatus} says otherwise
 * before the first is loaded: what asserts, orders.
 */
public final class WovenLoader extends ClassLoader {
  static {
    registerAsParallelCapable();
  }

  private final List<String> packages;
  private final BiFunction<String, byte[], byte[]> change;
  private final Weaver weaver;

  /**
   * Makes a loader of production code as it is.
   *
   * @param parent finds the classes' bytes, and loads all others
   * @param packages the beginnings of names, as {@code "dev.millrace.core."}
   */
  public WovenLoader(ClassLoader parent, List<String> packages) {
    this(parent, packages, (name, bytes) -> bytes);
  }

  /**
   * Makes a loader of changed code.
   *
   * @param parent finds the classes' bytes, and loads all others
   * @param packages the beginnings of names, as {@code "dev.millrace.core."}
   * @param change is given each class's name and bytes, and returns what is to be woven instead
   */
  public WovenLoader(
      ClassLoader parent, List<String> packages, BiFunction<String, byte[], byte[]> change) {
    super(parent);
    this.packages = List.copyOf(packages);
    this.change = change;
    this.weaver = new Weaver(this::isWoven, this::bytes);
    setDefaultAssertionStatus(false);
  }

  /** Whether a class, by its name with dots, is one of those. */
  private boolean isWoven(String name) {
    for (String prefix : packages) {
      if (name.startsWith(prefix)) {
        return true;
      }
    }
    return false;
  }

  /** The bytes of a class as they are before weaving; null if there are none. */
  private byte[] bytes(String name) {
    try (InputStream in =
        getParent().getResourceAsStream(name.replace('.', '/').concat(".class"))) {
      return in == null ? null : in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException("class must be readable: class=" + name, e);
    }
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (!isWoven(name)) {
      return super.loadClass(name, resolve);
    }
    synchronized (getClassLoadingLock(name)) {
      Class<?> loaded = findLoadedClass(name);
      if (loaded == null) {
        byte[] bytes = bytes(name);
        if (bytes == null) {
          throw new ClassNotFoundException(name);
        }
        byte[] woven = weaver.weave(change.apply(name, bytes));
        loaded = defineClass(name, woven, 0, woven.length);
      }
      if (resolve) {
        resolveClass(loaded);
      }
      return loaded;
    }
  }

  /** Weaves a class that woven code is about to define. */
  static byte[] weave(MethodHandles.Lookup lookup, byte[] bytes) {
    return lookup.lookupClass().getClassLoader() instanceof WovenLoader loader
        ? loader.weaver.weave(bytes)
        : bytes;
  }
}
