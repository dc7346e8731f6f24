package dev.millrace.stress.spec;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToLongFunction;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * What a k-FIFO queue promises: each record once, at most k-1 places out of order; "full" and
 * "empty" only when they are true.
 *
 * <p>The clock is a count that each reading advances. So a call that returned at a lower tick than
 * another began at was over before; two calls whose ticks overlap are in no order.
 */
public final class KFifoSpec {
  /** What a call did. */
  public enum Kind {
    /** It claimed a record. */
    CLAIM,
    /** It committed a record. */
    COMMIT,
    /** It gave a claim back. */
    ABORT,
    /** It found no free cell. */
    FULL,
    /** It took a record. */
    POLL,
    /** It gave a record's cell back. */
    RELEASE,
    /** It found no record. */
    EMPTY
  }

  /**
   * A call.
   *
   * @param kind what it did
   * @param number the record's; -1 if there is none
   * @param begin a tick before it began
   * @param end a tick after it returned
   */
  public record Event(Kind kind, long number, long begin, long end) {
    boolean isBefore(Event other) {
      return end < other.begin;
    }
  }

  /** What one thread did. */
  public static final class Log {
    private final AtomicLong clock; // null if nothing is kept
    private final List<Event> events = new ArrayList<>();

    private Log(AtomicLong clock) {
      this.clock = clock;
    }

    /**
     * Makes a log that keeps nothing and costs nothing.
     *
     * @return the log
     */
    public static Log none() {
      return new Log(null);
    }

    /**
     * Reads the clock.
     *
     * @return the time, which no other reading returns
     */
    public long now() {
      return clock == null ? 0 : clock.getAndIncrement();
    }

    /**
     * Adds a call that has just returned.
     *
     * @param kind what it did
     * @param number the record's; -1 if there is none
     * @param begin the time before it began
     */
    public void add(Kind kind, long number, long begin) {
      if (clock != null) {
        events.add(new Event(kind, number, begin, now()));
      }
    }
  }

  private final int k;
  private final int capacity;
  private final AtomicLong clock = new AtomicLong();
  private final List<Log> logs = new ArrayList<>();

  /**
   * Specifies a queue.
   *
   * @param k how many places records may be out of order, plus one
   * @param capacity how many records fit
   */
  public KFifoSpec(int k, int capacity) {
    this.k = k;
    this.capacity = capacity;
  }

  /**
   * Makes a thread's log.
   *
   * @return an empty log
   */
  public Log newLog() {
    Log log = new Log(clock);
    logs.add(log);
    return log;
  }

  /**
   * Judges the logs, after all threads have ended.
   *
   * @return full, empty, and the most places that a record was out of order
   * @throws AssertionError if the queue broke a promise
   */
  public Counts balance() {
    List<Trip> trips = trips();
    Trip last = mostOvertaken(trips, k);
    List<Trip> first = trips.stream().filter(trip -> trip.overtook(last)).toList();
    if (first.size() >= k) {
      fail(first.size() + " records have overtaken " + last + ", at least k: " + first);
    }
    // all cells can be out, at some moment of the call
    LongStream claims = of(Kind.CLAIM).mapToLong(Event::begin);
    LongStream freed = of(Kind.RELEASE, Kind.ABORT).mapToLong(Event::end);
    checkLevel(claims, freed, Kind.FULL, capacity, "queue must be full for a claim to find it so");
    // none need be there, at some moment of the call
    LongStream polls = of(Kind.POLL).mapToLong(Event::begin);
    LongStream commits = of(Kind.COMMIT).mapToLong(Event::end);
    checkLevel(polls, commits, Kind.EMPTY, 0, "queue must be empty for a poll to find it so");
    return new Counts()
        .add("full", of(Kind.FULL).count())
        .add("empty", of(Kind.EMPTY).count())
        .add("most overtakes", first.size());
  }

  private Stream<Event> of(Kind... kinds) {
    List<Kind> all = List.of(kinds);
    return logs.stream().flatMap(log -> log.events.stream()).filter(its -> all.contains(its.kind));
  }

  private void fail(String what) {
    throw new AssertionError(what + ", k=" + k + ", capacity=" + capacity);
  }

  private void check(boolean holds, String rule, Event event) {
    if (!holds) {
      fail(rule + ": " + event);
    }
  }

  /** Pairs what was put with what was taken. */
  private List<Trip> trips() {
    Map<Long, Event> commits = new HashMap<>();
    of(Kind.COMMIT).forEach(commit -> commits.put(commit.number, commit));
    Map<Long, Trip> trips = new HashMap<>();
    for (Event poll : of(Kind.POLL).toList()) {
      Event commit = commits.get(poll.number);
      boolean wasPut = commit != null && !poll.isBefore(commit);
      check(wasPut, "record must be put before it is taken", poll);
      Trip before = trips.put(poll.number, new Trip(commit, poll));
      check(before == null, "record must be taken only once", poll);
    }
    commits.forEach((number, its) -> check(trips.containsKey(number), "record must be taken", its));
    return List.copyOf(trips.values());
  }

  /** Checks that a level, which is raised and lowered, was high enough at a moment of each call. */
  private void checkLevel(LongStream raises, LongStream lowers, Kind kind, int least, String rule) {
    TreeMap<Long, Integer> level = new TreeMap<>(Map.of(-1L, 0));
    raises.forEach(time -> level.put(time, 1));
    lowers.forEach(time -> level.put(time, -1));
    int sum = 0;
    for (Map.Entry<Long, Integer> change : level.entrySet()) {
      sum += change.getValue();
      change.setValue(sum);
    }
    for (Event call : of(kind).toList()) {
      // calls of one thread do not overlap, so each thread's calls cost one pass in all
      var during = level.subMap(level.floorKey(call.begin), call.end).values();
      check(Collections.max(during) >= least, rule, call);
    }
  }

  // ---- order ----

  /**
   * A record's way through the queue. It is overtaken by each record whose commit began after its
   * own commit had returned, and whose poll had returned before its own poll began.
   */
  record Trip(Event commit, Event poll) {
    boolean overtook(Trip other) {
      return other.commit.isBefore(commit) && poll.isBefore(other.poll);
    }
  }

  /**
   * Finds the record that was overtaken most, or by as many as a limit; null if there is none at
   * all. Of the records polled before one, only those with the latest commits matter.
   */
  static Trip mostOvertaken(List<Trip> trips, int limit) {
    Comparator<Trip> byCommit = Comparator.comparingLong(trip -> trip.commit.begin);
    TreeSet<Trip> latest = new TreeSet<>(byCommit.thenComparingLong(trip -> trip.commit.number));
    Iterator<Trip> byPollEnd = sorted(trips, trip -> trip.poll.end).iterator();
    Trip next = byPollEnd.hasNext() ? byPollEnd.next() : null;
    Trip most = null;
    long mostCount = -1;
    for (Trip trip : sorted(trips, trip -> trip.poll.begin)) {
      for (; next.poll.isBefore(trip.poll); next = byPollEnd.next()) {
        latest.add(next);
        if (latest.size() > limit) {
          latest.removeFirst();
        }
      }
      long count = latest.stream().filter(later -> trip.commit.isBefore(later.commit)).count();
      if (count > mostCount) {
        most = trip;
        mostCount = count;
      }
    }
    return most;
  }

  private static List<Trip> sorted(List<Trip> trips, ToLongFunction<Trip> by) {
    return trips.stream().sorted(Comparator.comparingLong(by)).toList();
  }
}
