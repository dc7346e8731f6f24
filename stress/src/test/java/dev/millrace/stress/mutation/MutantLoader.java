package dev.millrace.stress.mutation;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;

/** Loads mutants, and the library's classes around them anew, as if there were no others. */
final class MutantLoader extends ClassLoader {
  private final Map<String, byte[]> mutants;

  MutantLoader(Map<String, byte[]> mutants) {
    super(MutantLoader.class.getClassLoader());
    this.mutants = Map.copyOf(mutants);
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (!name.startsWith("dev.millrace.")) {
      return super.loadClass(name, resolve);
    }
    synchronized (getClassLoadingLock(name)) {
      Class<?> loaded = findLoadedClass(name);
      if (loaded == null) {
        byte[] bytes = mutants.containsKey(name) ? mutants.get(name) : bytesOf(name);
        loaded = defineClass(name, bytes, 0, bytes.length);
      }
      return loaded;
    }
  }

  /** The class file of a class on the class path. */
  static byte[] bytesOf(String name) throws ClassNotFoundException {
    String file = name.replace('.', '/') + ".class";
    try (InputStream in = MutantLoader.class.getClassLoader().getResourceAsStream(file)) {
      if (in == null) {
        throw new ClassNotFoundException(name);
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException("class must be readable: class=" + name, e);
    }
  }
}
