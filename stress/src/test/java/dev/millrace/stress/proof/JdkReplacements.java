package dev.millrace.stress.proof;

import dev.millrace.simulator.Replaces;
import java.util.concurrent.CompletableFuture;

/**
 * What scenarios call instead of methods of the JDK that would start threads: what such a thread
 * would do is done at once.
 */
public final class JdkReplacements {
  private JdkReplacements() {}

  /**
   * Runs an action.
   *
   * @param action what another thread would run
   * @return that it is done
   */
  @Replaces(CompletableFuture.class)
  public static CompletableFuture<Void> runAsync(Runnable action) {
    action.run();
    return CompletableFuture.completedFuture(null);
  }

  /**
   * A future that has a value.
   *
   * @param value the value
   * @return the future
   * @param <T> of the value
   */
  @Replaces(CompletableFuture.class)
  public static <T> CompletableFuture<T> completedFuture(T value) {
    return CompletableFuture.completedFuture(value);
  }

  /**
   * The value of a future, which has one already.
   *
   * @param future the future
   * @return its value
   * @param <T> of the value
   */
  @Replaces(value = CompletableFuture.class, isStatic = false)
  public static <T> T join(CompletableFuture<T> future) {
    return future.getNow(null);
  }
}
