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

  /** Starts tasks, the first ones first; returns what each will have found, in the same order. */
  static <T> List<Future<T>> start(List<Callable<T>> tasks) {
    ExecutorService pool = Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors());
    List<Future<T>> found = tasks.stream().map(pool::submit).toList();
    pool.shutdown(); // its threads end with the last task
    return found;
  }

  /** Awaits a task; what it has thrown is thrown as it is. */
  static <T> T await(Future<T> task) throws Exception {
    try {
      return task.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof Error error) {
        throw error;
      }
      throw e.getCause() instanceof Exception cause ? cause : e;
    }
  }
}
