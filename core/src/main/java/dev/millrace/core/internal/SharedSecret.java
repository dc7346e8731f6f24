package dev.millrace.core.internal;

import java.util.ArrayList;
import java.util.List;

/**
 * What a public class keeps to itself, shared with the proofs of this library: an object that calls
 * its private parts, as {@code SharedSecrets} has them in the JDK. The class shares it when it is
 * initialized. Its type is in an internal package, so users cannot name it.
 *
 * @param <T> what is shared
 */
public final class SharedSecret<T> {
  private final Class<?> owner;
  private final List<T> shared = new ArrayList<>(1); // filled once, by the owner's initializer

  /**
   * Makes one that is not shared yet.
   *
   * @param owner the class that will share it
   */
  public SharedSecret(Class<?> owner) {
    this.owner = owner;
  }

  /**
   * Shares it.
   *
   * @param secret what calls the owner's private parts
   */
  public void share(T secret) {
    shared.add(secret);
  }

  /**
   * What the owner has shared. Initializes the owner, whose initializer happens before the return.
   *
   * @return the object
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
