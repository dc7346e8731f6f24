package dev.millrace.queues.internal.shared;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Runs operations on channels in a thread that is never interrupted. An interrupt closes the
 * channel that a thread uses, and with it go all locks that this process has on the file.
 */
final class Uninterrupted {
  private Uninterrupted() {}

  /** What is run. */
  interface Operation<T> {
    T run() throws IOException;
  }

  /** Runs an operation to its end; the caller's interrupt flag stays as it is. */
  static <T> T run(Operation<T> operation) throws IOException {
    CompletableFuture<T> result = new CompletableFuture<>();
    Thread.ofPlatform()
        .daemon()
        .name("millrace-file")
        .start(
            () -> {
              try {
                result.complete(operation.run());
              } catch (Throwable e) { // is thrown by the caller
                result.completeExceptionally(e);
              }
            });
    try {
      return result.join();
    } catch (CompletionException e) {
      switch (e.getCause()) {
        case IOException cause -> throw cause;
        case RuntimeException cause -> throw cause;
        case Error cause -> throw cause;
        default -> throw new IllegalStateException(e.getCause());
      }
    }
  }
}
