package dev.millrace.stress.spec;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * What a k-FIFO queue promises: each record once, at most k-1 places out of order; "full", "empty",
 * "completed" and the end only when they are true.
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
    /** It was told that the queue is completed. */
    COMPLETED,
    /** It took a record. */
    POLL,
    /** It gave a record's cell back. */
    RELEASE,
    /** It found no record. */
    EMPTY,
    /** It completed the queue. */
    COMPLETE,
    /** It was told that nothing will come any more. */
    END
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
  private final Map<Kind, List<Event>> events = new EnumMap<>(Kind.class);

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
    events.putAll(
        logs.stream()
            .flatMap(log -> log.events.stream())
            .collect(Collectors.groupingBy(Event::kind)));
    int mostOvertakes = checkOrder(trips());
    checkCompleted();
    checkEnd();
    checkFull();
    checkEmpty();
    return new Counts()
        .add("full", of(Kind.FULL).count())
        .add("empty", of(Kind.EMPTY).count())
        .add("most overtakes", mostOvertakes);
  }

  private Stream<Event> of(Kind... kinds) {
    return Arrays.stream(kinds).flatMap(kind -> events.getOrDefault(kind, List.of()).stream());
  }

  private LongStream times(ToLongFunction<Event> time, Kind... kinds) {
    return of(kinds).mapToLong(time);
  }

  /** Throws if there is such an event. */
  private void checkNone(Stream<Event> wrong, String rule) {
    wrong.findAny().ifPresent(event -> fail(rule + ": " + event));
  }

  private void fail(String what) {
    throw new AssertionError(what + ", k=" + k + ", capacity=" + capacity);
  }

  /** Pairs what was put with what was taken. */
  private List<Trip> trips() {
    Map<Long, Event> commits =
        of(Kind.COMMIT).collect(Collectors.toMap(Event::number, commit -> commit));
    Map<Long, Trip> trips = new HashMap<>();
    for (Event poll : of(Kind.POLL).toList()) {
      Event commit = commits.get(poll.number);
      if (commit == null || poll.isBefore(commit)) {
        fail("record must be put before it is taken: " + poll);
      }
      if (trips.put(poll.number, new Trip(commit, poll)) != null) {
        fail("record must be taken only once: " + poll);
      }
    }
    checkNone(
        of(Kind.COMMIT).filter(commit -> !trips.containsKey(commit.number)),
        "record must be taken");
    return List.copyOf(trips.values());
  }

  private int checkOrder(List<Trip> trips) {
    Trip last = mostOvertaken(trips, k);
    List<Trip> first = trips.stream().filter(trip -> trip.overtook(last)).toList();
    if (first.size() >= k) {
      fail(
          "records that overtake one must be fewer than k: %d have overtaken %s: %s"
              .formatted(first.size(), last, first));
    }
    return first.size();
  }

  /** A claim may find the queue full only if at some moment of it all cells can be out. */
  private void checkFull() {
    Level cellsOut =
        new Level(times(Event::begin, Kind.CLAIM), times(Event::end, Kind.RELEASE, Kind.ABORT));
    checkNone(
        of(Kind.FULL).filter(claim -> cellsOut.most(claim) < capacity),
        "queue must be full for a claim to find it so");
  }

  /** A poll may find no record only if at some moment of it none need be there. */
  private void checkEmpty() {
    Level missing = new Level(times(Event::begin, Kind.POLL), times(Event::end, Kind.COMMIT));
    checkNone(
        of(Kind.EMPTY).filter(poll -> missing.most(poll) < 0),
        "queue must be empty for a poll to find it so");
  }

  /** Claims are refused for good after the completion, and not before it. */
  private void checkCompleted() {
    Event never = new Event(Kind.COMPLETE, -1, Long.MAX_VALUE, Long.MAX_VALUE);
    Event completion = of(Kind.COMPLETE).findAny().orElse(never);
    checkNone(
        of(Kind.COMPLETED).filter(claim -> claim.isBefore(completion)),
        "queue must be completed for a claim to find it so");
    checkNone(
        of(Kind.CLAIM, Kind.FULL).filter(completion::isBefore),
        "claims of a completed queue must throw");
  }

  /** No thread may be told of the end before all cells are back. */
  private void checkEnd() {
    long told = times(Event::begin, Kind.END).min().orElse(Long.MAX_VALUE);
    checkNone(
        of(Kind.RELEASE).filter(release -> release.begin > told),
        "records must be released before the end is told");
    checkNone(
        of(Kind.ABORT).filter(abort -> abort.begin > told),
        "claims must be over before the end is told");
  }

  /** A number that some calls raise by one, and others lower. */
  private static final class Level {
    private final long[] raises;
    private final long[] lowers;

    /** Raised at the earliest, lowered at the latest time that each call allows. */
    Level(LongStream raises, LongStream lowers) {
      this.raises = raises.sorted().toArray();
      this.lowers = lowers.sorted().toArray();
    }

    /** The most that it can have been at any moment of a call. */
    int most(Event call) {
      int raised = countBefore(raises, call.begin + 1);
      int most = raised - countBefore(lowers, call.begin + 1);
      // a thread's calls do not overlap, so that all this together looks once for each thread
      for (; raised < raises.length && raises[raised] < call.end; raised++) {
        most = Math.max(most, raised + 1 - countBefore(lowers, raises[raised]));
      }
      return most;
    }

    /** How many of some different, sorted times are before a time. */
    private static int countBefore(long[] times, long time) {
      int place = Arrays.binarySearch(times, time);
      return place < 0 ? -place - 1 : place;
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
    List<Trip> byPollBegin =
        trips.stream().sorted(Comparator.comparingLong(trip -> trip.poll.begin)).toList();
    List<Trip> byPollEnd =
        trips.stream().sorted(Comparator.comparingLong(trip -> trip.poll.end)).toList();
    TreeSet<Trip> latest =
        new TreeSet<>(
            Comparator.<Trip>comparingLong(trip -> trip.commit.begin)
                .thenComparingLong(trip -> trip.commit.number));
    int polled = 0;
    Trip most = null;
    long mostCount = -1;
    for (Trip trip : byPollBegin) {
      while (byPollEnd.get(polled).poll.isBefore(trip.poll)) {
        latest.add(byPollEnd.get(polled++));
        if (latest.size() > limit) {
          latest.removeFirst();
        }
      }
      long count =
          latest.descendingSet().stream()
              .takeWhile(later -> trip.commit.isBefore(later.commit))
              .count();
      if (count > mostCount) {
        most = trip;
        mostCount = count;
      }
    }
    return most;
  }
}
