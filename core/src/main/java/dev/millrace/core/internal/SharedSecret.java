package dev.millrace.core.internal;

import java.util.ArrayList;
import java.util.List;

/**
 * What a public class keeps to itself, shared with the proofs of this library: an object that calls
 * its private parts, as {@code SharedSecrets} has them in the JDK. The class shares it when it is
 * initialized. Its type is in an internal package, so users cannot name it.
 */
public final class SharedSecret<T> {
  private final Class<?> owner;
  private final List<T> shared = new ArrayList<>(1); // filled once, by the owner's initializer

  /** Makes a secret that the owner's initializer will share. */
  public SharedSecret(Class<?> owner) {
    this.owner = owner;
  }

  /** Shares the object; called once, by the owner's initializer. */
  public void share(T secret) {
    shared.add(secret);
  }

  /**
   * Returns what the owner has shared. Initializes the owner, whose initializer happens before the
   * return.
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
