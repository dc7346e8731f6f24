package dev.millrace.core.internal;

import java.util.ArrayList;
import java.util.List;

/**
 * Gives the proofs of this library access to the private parts of a public class, as {@code
 * SharedSecrets} does in the JDK. When the class is initialized, it shares an object that calls
 * those parts. The type of the object is in an internal package, so users cannot name it.
 */
public final class SharedSecret<T> {
  private final Class<?> owner;
  private final List<T> shared = new ArrayList<>(1); // filled once, by the owner's initializer

  /** Makes a secret that the initializer of {@code owner} will share. */
  public SharedSecret(Class<?> owner) {
    this.owner = owner;
  }

  /** Shares {@code secret}. The owner's initializer calls this once. */
  public void share(T secret) {
    shared.add(secret);
  }

  /**
   * Returns the object that the owner shared. Initializes the owner first if necessary. Its
   * initializer happens before the return.
   */
  public T get() {
    try {
      Class.forName(owner.getName(), true, owner.getClassLoader());
    } catch (ClassNotFoundException e) {
      throw new LinkageError("owner must be loadable", e); // it is loaded
    }
    return shared.getFirst();
  }
}
