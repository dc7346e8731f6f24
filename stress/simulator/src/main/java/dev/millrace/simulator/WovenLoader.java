package dev.millrace.simulator;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Loads the classes of some packages woven, each afresh, and all others as its parent does.
 *
 * <p>The scenario and the code under test must be loaded by the same loader, or the scenario would
 * use other classes than the ones under test. Assertions are off in woven classes unless {@link
 * #setDefaultAssertionStatus} is called before the first is loaded, because the accesses of an
 * assertion may order what the code itself does not.
 *
 * <p>What the simulator does not support throws an {@link UnsupportedOperationException} that names
 * the instruction and the method, once an execution comes to it. A class whose initializer does it
 * fails to load.
 */
public final class WovenLoader extends ClassLoader {
  static {
    registerAsParallelCapable();
  }

  private final Weaving weaving;
  private final Weaver weaver;
  private final String changedName;
  private final byte[] changedBytes;

  /** Woven classes as they are, by name; shared by the loaders made of each other. */
  private final Map<String, byte[]> woven;

  private final Set<String> loadedNames = ConcurrentHashMap.newKeySet();

  /**
   * Makes a loader of the code under test as it is.
   *
   * @param parent finds the classes' bytes, and loads all classes that are not woven
   * @param weaving which are woven, and how
   */
  public WovenLoader(ClassLoader parent, Weaving weaving) {
    this(parent, weaving, new ConcurrentHashMap<>(), null, null);
  }

  private WovenLoader(
      ClassLoader parent,
      Weaving weaving,
      Map<String, byte[]> woven,
      String changedName,
      byte[] changedBytes) {
    super(parent);
    this.weaving = weaving;
    this.woven = woven;
    this.changedName = changedName;
    this.changedBytes = changedBytes;
    this.weaver = new Weaver(weaving, this::bytes);
    setDefaultAssertionStatus(false);
  }

  /**
   * Makes another loader of the same classes; what this one has woven is not woven again.
   *
   * @return the loader
   */
  public WovenLoader again() {
    return new WovenLoader(getParent(), weaving, woven, null, null);
  }

  /**
   * Makes another loader of the same classes, one of them changed.
   *
   * @param name the class's name
   * @param bytes the class as it shall be, not yet woven
   * @return the loader
   */
  public WovenLoader with(String name, byte[] bytes) {
    return new WovenLoader(getParent(), weaving, woven, name, bytes.clone());
  }

  /**
   * Which classes it has loaded itself.
   *
   * @return their names
   */
  public Set<String> loadedNames() {
    return Set.copyOf(loadedNames);
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

  private byte[] weaveByName(String name) {
    byte[] bytes = bytes(name);
    return bytes == null ? null : weaver.weave(bytes);
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (!weaving.isWoven(name)) {
      return super.loadClass(name, resolve);
    }
    synchronized (getClassLoadingLock(name)) {
      Class<?> loaded = findLoadedClass(name);
      if (loaded == null) {
        byte[] bytes =
            name.equals(changedName)
                ? weaver.weave(changedBytes)
                : woven.computeIfAbsent(name, this::weaveByName);
        if (bytes == null) {
          throw new ClassNotFoundException(name);
        }
        loaded = defineClass(name, bytes, 0, bytes.length);
        loadedNames.add(name);
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
