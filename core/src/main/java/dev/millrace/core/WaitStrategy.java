package dev.millrace.core;

import dev.millrace.flyweight.internal.Checks;
import java.time.Duration;

/**
 * Says how a thread waits. A strategy is immutable and consists of phases. Each side of a structure
 * has one strategy, which never changes.
 *
 * <p>A thread that has to wait goes through the phases in order. First come {@code spins} tries,
 * each after a call to {@link Thread#onSpinWait()}. Next come {@code yields} tries, each after a
 * call to {@link Thread#yield()}, and then {@code sleeps} tries, each after a sleep of {@code
 * sleepNanos}. If all tries fail, the thread parks until the other side wakes it. The factories
 * return the usual strategies, and the constructors make any other strategy. On a machine with a
 * single processor, the awaited thread cannot run during a spin. The waiting thread therefore skips
 * the spins, unless its strategy spins forever.
 *
 * <table>
 * <caption>Which strategy to use</caption>
 * <tr><th>strategy</th><th>reaction</th><th>costs</th><th>for</th></tr>
 * <tr><td>{@link #busySpin()}</td><td>tens of nanoseconds</td><td>a core each</td>
 *     <td>threads with a core of their own</td></tr>
 * <tr><td>{@link #yielding()}</td><td>below a microsecond while cores are free</td>
 *     <td>a core while no other thread wants it</td><td>more threads than cores</td></tr>
 * <tr><td>{@link #sleeping(Duration)}</td><td>the sleep, plus the timer's slack of some 50
 *     microseconds</td><td>little</td><td>background consumers of busy
 *     producers, which then pay nothing</td></tr>
 * <tr><td>{@link #parking()}</td><td>some 5 to 50 microseconds</td><td>nothing while idle; the
 *     other side pays for each wake-up, and for a full fence with each publication while threads
 *     park often</td><td>mostly idle consumers, virtual threads</td></tr>
 * <tr><td>{@link #sleepingThenParking()}</td><td>as sleeping, then as parking</td><td>nothing while
 * idle</td><td>a queue in a library that knows nothing about the threads using it</td></tr>
 * </table>
 *
 * <p>If the strategy ever parks, a virtual thread skips the other phases and parks at once. If the
 * strategy sleeps but never parks, the thread sleeps from the start. If the strategy neither parks
 * nor sleeps, the thread yields. A waiting virtual thread therefore never occupies a carrier that
 * the awaited thread may need.
 *
 * <p>While a worker of a {@link java.util.concurrent.ForkJoinPool} sleeps or parks, its pool can
 * run another thread in the worker's place, just as for a worker that waits in a JDK queue. Tasks
 * of one pool, including the common pool, may therefore wait for each other. If the pool has no
 * spare thread and cannot start one, the worker waits anyway. The pool cannot replace a worker
 * whose strategy spins or yields forever. Do not use a strategy that spins or yields forever in a
 * pool's tasks, because it may hang the pool.
 *
 * <p>A wait ends early if the structure is closed. If the thread is interrupted, the call throws
 * {@link InterruptedException}. A strategy has no time limit. To limit a wait, pass a timeout to
 * the call that waits.
 *
 * @param spins tries before yielding, with a spin-wait hint before each; {@link #FOREVER} for no
 *     limit
 * @param yields tries after the spins, with a yield before each; {@link #FOREVER} for no limit
 * @param sleepNanos nanoseconds to sleep between later tries, or {@link #FOREVER} to park at once
 * @param sleeps tries after the yields, with a sleep before each; {@link #FOREVER} for no limit;
 *     always 0 if {@code sleepNanos} is {@link #FOREVER}
 * @since 0.1.0
 */
public record WaitStrategy(long spins, long yields, long sleepNanos, long sleeps) {
  /**
   * As a number of tries, this value means no limit. As the length of a sleep, it means that the
   * thread parks instead of sleeping.
   */
  public static final long FOREVER = Long.MAX_VALUE;

  /**
   * Makes a strategy with the given phases. {@code sleeps} becomes 0 if {@code sleepNanos} is
   * {@link #FOREVER}.
   *
   * @throws IllegalArgumentException if a number is negative, or {@code sleepNanos} is 0
   */
  public WaitStrategy {
    Checks.inRange("spins", spins, 0, FOREVER);
    Checks.inRange("yields", yields, 0, FOREVER);
    Checks.inRange("sleepNanos", sleepNanos, 1, FOREVER);
    Checks.inRange("sleeps", sleeps, 0, FOREVER);
    if (sleepNanos == FOREVER) {
      sleeps = 0;
    }
  }

  /**
   * Makes a strategy that spins and yields, and then sleeps between all later tries. If {@code
   * sleepNanos} is {@link #FOREVER}, the strategy parks instead of sleeping; with any other value,
   * the strategy never parks.
   *
   * @param spins tries before yielding
   * @param yields tries after the spins
   * @param sleepNanos nanoseconds to sleep between all later tries, or {@link #FOREVER} to park
   *     until woken
   * @throws IllegalArgumentException if a number is negative, or {@code sleepNanos} is 0
   */
  public WaitStrategy(long spins, long yields, long sleepNanos) {
    this(spins, yields, sleepNanos, FOREVER);
  }

  /**
   * Returns a strategy that spins forever. This strategy reacts faster than any other. It suits
   * threads that have a core of their own.
   *
   * @return the strategy
   */
  public static WaitStrategy busySpin() {
    return new WaitStrategy(FOREVER, 0, FOREVER);
  }

  /**
   * Returns a strategy that spins 30 times, then yields forever.
   *
   * @return the strategy
   */
  public static WaitStrategy yielding() {
    return new WaitStrategy(30, FOREVER, FOREVER);
  }

  /**
   * Returns a strategy that spins 100 times, yields 100 times, then sleeps between tries. The other
   * side never has to wake the thread.
   *
   * @param sleep how long to sleep between tries, at least 1 ns; the system adds its timer slack
   * @return the strategy
   */
  public static WaitStrategy sleeping(Duration sleep) {
    return new WaitStrategy(100, 100, Checks.nanos("sleep", sleep));
  }

  /**
   * Returns a strategy that spins 100 times, yields 10 times, then parks until the other side wakes
   * the thread.
   *
   * @return the strategy
   */
  public static WaitStrategy parking() {
    return new WaitStrategy(100, 10, FOREVER);
  }

  /**
   * Returns a strategy that spins 1,000 times, yields 10 times, sleeps 20 times for 50
   * microseconds, then parks. This strategy is the default for queues. During the first millisecond
   * or so of a wait, the thread notices new records by itself, so the other side need not wake the
   * thread for each record. In a longer wait, the thread parks and uses no processor time.
   *
   * @return the strategy
   */
  public static WaitStrategy sleepingThenParking() {
    return new WaitStrategy(1_000, 10, 50_000, 20);
  }

  /**
   * Makes an idler, which lets a loop of your own wait with this strategy.
   *
   * @return the idler, for one thread
   */
  public Idler newIdler() {
    return new Idler(this);
  }

  /**
   * Returns whether a waiting thread may park, so that the other side must wake it.
   *
   * @return true if the strategy ever parks
   */
  public boolean canPark() {
    return spins != FOREVER && yields != FOREVER && sleeps != FOREVER;
  }
}
