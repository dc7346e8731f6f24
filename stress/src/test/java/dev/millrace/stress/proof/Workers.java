package dev.millrace.stress.proof;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Does work side by side, in one thread for each processor. */
final class Workers {
  private Workers() {}

  /** Does all tasks, the first ones first; what one has thrown is thrown as it is. */
  static void run(List<? extends Callable<?>> tasks) throws Exception {
    run(tasks, Runtime.getRuntime().availableProcessors());
  }

  static void run(List<? extends Callable<?>> tasks, int threads) throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      for (Future<?> task : tasks.stream().map(pool::submit).toList()) {
        task.get();
      }
    } catch (ExecutionException e) {
      if (e.getCause() instanceof Error error) {
        throw error;
      }
      throw e.getCause() instanceof Exception cause ? cause : e;
    } finally {
      pool.shutdownNow();
    }
  }
}
