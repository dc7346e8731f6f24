package dev.millrace.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Asserts that no method of an end lacks the check for overlapping calls. An end belongs to one
 * thread at a time. Two threads call each of its public methods at once, until an assertion error
 * of such a call says so.
 *
 * @param <E> the end
 */
public final class Overlaps<E> {
  private static final long LIMIT_NANOS = Duration.ofSeconds(10).toNanos(); // for each method
  private static final long ROUND_MILLIS = 50; // then its threads are interrupted
  private static final long LEAVE_MILLIS = 10; // then the structure is closed under them
  private static final int CALLS_PER_ROUND = 500; // of each thread
  private static final String CONTRACT = "allows one";

  private final Class<?> type;
  private final Callable<Opened<E>> structures;
  private final Map<String, String> exempt = new HashMap<>(); // by name: why
  private final Map<Class<?>, Object> arguments = new HashMap<>();
  private final Map<String, Call<E>> calls = new HashMap<>(); // by signature
  private final Set<String> idle = new HashSet<>(); // names
  private List<Call<E>> inTurn = List.of(_ -> {});

  /**
   * A structure, and an end of it.
   *
   * @param end to be called
   * @param structure closed afterwards
   */
  public record Opened<E>(E end, AutoCloseable structure) {}

  /** A call of an end. */
  public interface Call<E> {
    /** Makes it. */
    void of(E end) throws Exception;
  }

  private Overlaps(Class<?> type, Callable<Opened<E>> structures) {
    this.type = type;
    this.structures = structures;
    arguments.put(int.class, 1);
    arguments.put(long.class, 1L);
    arguments.put(Duration.class, Duration.ZERO);
    exempt("toString", "only answers");
  }

  /**
   * Begins a check.
   *
   * @param type whose public methods are called
   * @param structures makes a structure in which some hundred calls of each method do not wait;
   *     overlapping calls may damage it, so it is closed after that many
   */
  public static <E> Overlaps<E> of(Class<?> type, Callable<Opened<E>> structures) {
    return new Overlaps<>(type, structures);
  }

  /**
   * Makes every other call while something is in hand, and the rest while nothing is.
   *
   * @param take takes something in hand
   * @param end puts it down again
   */
  public Overlaps<E> withInHand(Call<E> take, Call<E> end) {
    inTurn = List.of(take, end);
    return this;
  }

  /**
   * Calls the methods of a name only while nothing is in hand: those that would otherwise make
   * another call, which has the check.
   */
  public Overlaps<E> withNothingInHand(String name) {
    idle.add(name);
    return this;
  }

  /** Sets what parameters of a type are given. */
  public Overlaps<E> withArgument(Class<?> parameter, Object value) {
    arguments.put(parameter, value);
    return this;
  }

  /** Sets how a method is called, such as {@code seek(long)}. */
  public Overlaps<E> withCall(String signature, Call<E> call) {
    calls.put(signature, call);
    return this;
  }

  /** Leaves out the methods of a name. */
  public Overlaps<E> exempt(String name, String why) {
    exempt.put(name, why);
    return this;
  }

  /** Calls all methods; fails if for one of them no error came. */
  public void areFound() throws Exception {
    assumeThat(type.desiredAssertionStatus()).as("runs with -ea").isTrue();
    List<Method> all = methodsOf(type);
    assertThat(all).extracting(Method::getName).containsAll(exempt.keySet());
    List<String> signatures = new ArrayList<>();
    List<String> missed = new ArrayList<>();
    for (Method method : all) {
      String signature = signatureOf(method);
      signatures.add(signature);
      if (!exempt.containsKey(method.getName())) {
        Call<E> given = calls.get(signature);
        Map<String, Integer> others = new TreeMap<>();
        if (!isFound(given == null ? callOf(method) : given, before(method.getName()), others)) {
          missed.add(signature + ", which threw " + others);
        }
      }
    }
    assertThat(signatures).containsAll(calls.keySet());
    assertThat(missed).as("methods of %s without a check", type.getSimpleName()).isEmpty();
  }

  private static List<Method> methodsOf(Class<?> type) {
    return Stream.of(type.getMethods())
        .filter(method -> method.getDeclaringClass() != Object.class)
        .filter(method -> !method.isBridge() && !Modifier.isStatic(method.getModifiers()))
        .toList();
  }

  private static String signatureOf(Method method) {
    return Stream.of(method.getParameterTypes())
        .map(Class::getSimpleName)
        .collect(Collectors.joining(", ", method.getName() + "(", ")"));
  }

  private List<Call<E>> before(String name) {
    return idle.contains(name) ? List.of(_ -> {}) : inTurn;
  }

  private Call<E> callOf(Method method) {
    assertThat(arguments.keySet()).containsAll(List.of(method.getParameterTypes()));
    Object[] values = Arrays.stream(method.getParameterTypes()).map(arguments::get).toArray();
    method.setAccessible(true); // its class may not be public
    return end -> {
      try {
        method.invoke(end, values);
      } catch (InvocationTargetException e) {
        if (e.getCause() instanceof Error error) {
          throw error;
        }
        throw (Exception) e.getCause();
      }
    };
  }

  /** Whether an overlap was found in time; if not, what was thrown instead, and how often. */
  private boolean isFound(Call<E> call, List<Call<E>> before, Map<String, Integer> others)
      throws Exception {
    long begin = System.nanoTime();
    while (System.nanoTime() - begin < LIMIT_NANOS) {
      Opened<E> opened = structures.call();
      Round<E> round = new Round<>(opened.end, before, call);
      try {
        round.run();
      } finally {
        opened.structure.close();
      }
      if (round.isFound) {
        return true;
      }
      round.others.forEach((what, count) -> others.merge(what, count, Integer::sum));
    }
    return false;
  }

  /** Calls of two threads, in one structure. */
  private static final class Round<E> {
    private final E end;
    private final List<Call<E>> before; // in turn
    private final Call<E> call;
    private final CountDownLatch begin = new CountDownLatch(2);
    private final CountDownLatch enough = new CountDownLatch(2);
    private final Map<String, Integer> others = new ConcurrentHashMap<>();
    private volatile boolean isFound;
    private volatile boolean isOver;

    Round(E end, List<Call<E>> before, Call<E> call) {
      this.end = end;
      this.before = before;
      this.call = call;
    }

    /** Calls, and returns even if a thread never does because the structure is damaged. */
    void run() throws InterruptedException {
      List<Thread> threads =
          TestCall.run(2, this::callOften).stream().map(TestCall::thread).toList();
      join(threads, ROUND_MILLIS);
      isOver = true;
      threads.forEach(Thread::interrupt);
      join(threads, LEAVE_MILLIS);
    }

    private static void join(List<Thread> threads, long millis) throws InterruptedException {
      for (Thread thread : threads) {
        thread.join(millis);
      }
    }

    /** Calls until both threads have called often enough, so that they do so at once. */
    private void callOften() throws InterruptedException {
      begin.countDown();
      begin.await();
      for (int i = 0; !isFound && !isOver && enough.getCount() > 0; i++) {
        boolean _ = isOverlap(before.get(i % before.size())); // tested by itself
        if (isOverlap(call)) {
          isFound = true;
        }
        if (i == CALLS_PER_ROUND) {
          enough.countDown();
        }
      }
    }

    private boolean isOverlap(Call<E> made) {
      try {
        made.of(end);
      } catch (Exception | AssertionError e) {
        if (e instanceof AssertionError && String.valueOf(e.getMessage()).contains(CONTRACT)) {
          return true;
        }
        others.merge(e.getClass().getSimpleName(), 1, Integer::sum);
      }
      return false;
    }
  }
}
