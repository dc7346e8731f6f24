package dev.millrace.stress;

import dev.millrace.stress.Overtakes.Span;
import dev.millrace.stress.Overtakes.Trip;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * What threads did with a {@link dev.millrace.queues.KFifoQueue}, and when, and whether it keeps
 * its word: each record exactly once, at most k-1 places out of order, "full", "empty", "completed"
 * and the end only when they are true.
 *
 * <p>The clock is a count that each look moves on. So a call that returned at a lower tick than
 * another began at was over before; of two calls whose ticks overlap nothing is claimed.
 */
final class KFifoLedger {
  /** A record that was put: when its claim began, and when it was committed. */
  private record Put(long number, long claimBegin, Span commit) {}

  /** A record that was taken, and given back. */
  private record Take(long number, Span poll, Span release) {}

  /** A claim that was given back. */
  private record Abort(long claimBegin, Span abort) {}

  private final int k;
  private final int capacity;
  private final AtomicLong clock = new AtomicLong();
  private final List<Log> logs = new ArrayList<>();
  private Span completion = new Span(Long.MAX_VALUE, Long.MAX_VALUE);

  /** For a queue of such a k and capacity. */
  KFifoLedger(int k, int capacity) {
    this.k = k;
    this.capacity = capacity;
  }

  /** Makes a thread's part. */
  Log newLog() {
    Log log = new Log(clock);
    logs.add(log);
    return log;
  }

  /** Completes the queue. */
  void complete(Runnable queue) {
    long begin = clock.getAndIncrement();
    queue.run();
    completion = new Span(begin, clock.getAndIncrement());
  }

  /** One thread's part. */
  static final class Log {
    private static final long NEVER = Long.MAX_VALUE;

    private final AtomicLong clock;
    private final List<Put> puts = new ArrayList<>();
    private final List<Take> takes = new ArrayList<>();
    private final List<Abort> aborts = new ArrayList<>();
    private final List<Span> full = new ArrayList<>();
    private final List<Span> empty = new ArrayList<>();
    private final List<Span> completed = new ArrayList<>();
    private long endTold = NEVER;

    private Log(AtomicLong clock) {
      this.clock = clock;
    }

    /** The time; no two looks get the same. */
    long now() {
      return clock.getAndIncrement();
    }

    /** A call that began at a time and has returned. */
    Span since(long begin) {
      return new Span(begin, now());
    }

    void committed(long number, long claimBegin, Span commit) {
      puts.add(new Put(number, claimBegin, commit));
    }

    void taken(long number, Span poll, Span release) {
      takes.add(new Take(number, poll, release));
    }

    void aborted(long claimBegin, Span abort) {
      aborts.add(new Abort(claimBegin, abort));
    }

    /** A call that found no free cell. */
    void foundFull(Span claim) {
      full.add(claim);
    }

    /** A call that found no record. */
    void foundEmpty(Span poll) {
      empty.add(poll);
    }

    /** A claim that was told that the queue is completed. */
    void foundCompleted(Span claim) {
      completed.add(claim);
    }

    /** The queue has told its end. */
    void toldEnd() {
      endTold = now();
    }
  }

  /**
   * What was seen.
   *
   * @param records that were put and taken
   * @param aborted claims given back
   * @param full claims that found no free cell
   * @param empty polls that found no record
   * @param mostOvertakes how many records at the most left before one that had been put before them
   */
  record Totals(long records, long aborted, long full, long empty, int mostOvertakes) {
    Totals and(Totals other) {
      return new Totals(
          records + other.records,
          aborted + other.aborted,
          full + other.full,
          empty + other.empty,
          Math.max(mostOvertakes, other.mostOvertakes));
    }
  }

  /** Closes the ledger, after all threads have ended; throws if the queue did not keep its word. */
  Totals balance() {
    List<Trip> trips = trips();
    int mostOvertakes = checkOrder(trips);
    checkCompleted();
    checkEnd();
    return new Totals(
        trips.size(),
        all().mapToLong(log -> log.aborts.size()).sum(),
        checkFull(),
        checkEmpty(),
        mostOvertakes);
  }

  private Stream<Log> all() {
    return logs.stream();
  }

  private Stream<Put> puts() {
    return all().flatMap(log -> log.puts.stream());
  }

  private Stream<Take> takes() {
    return all().flatMap(log -> log.takes.stream());
  }

  private Stream<Abort> aborts() {
    return all().flatMap(log -> log.aborts.stream());
  }

  /** Of the claims that succeeded. */
  private LongStream claimBegins() {
    return LongStream.concat(
        puts().mapToLong(Put::claimBegin), aborts().mapToLong(Abort::claimBegin));
  }

  /** Brings together what was put and what was taken. */
  private List<Trip> trips() {
    Map<Long, Put> puts = new HashMap<>();
    puts().forEach(put -> puts.put(put.number, put));
    Map<Long, Trip> trips = new HashMap<>();
    takes()
        .forEach(
            take -> {
              Put put = puts.get(take.number);
              if (put == null || take.poll.isBefore(put.commit)) {
                throw failure("record must be put before it is taken: " + take);
              }
              Trip trip = new Trip(take.number, put.commit, take.poll);
              Trip other = trips.put(take.number, trip);
              if (other != null) {
                throw failure("record must be taken only once: " + other + ", " + trip);
              }
            });
    puts.forEach(
        (number, put) -> {
          if (!trips.containsKey(number)) {
            throw failure("record must be taken: " + put);
          }
        });
    return List.copyOf(trips.values());
  }

  private int checkOrder(List<Trip> trips) {
    Overtakes.Most most = Overtakes.most(trips);
    if (most.count() >= k) {
      List<Trip> first = trips.stream().filter(trip -> trip.overtook(most.trip())).toList();
      throw failure(
          "records that overtake one must be fewer than k: "
              + most.count()
              + " have overtaken "
              + most.trip()
              + ": "
              + first);
    }
    return most.count();
  }

  /** A claim may find the queue full only if at some moment of it all cells can be out. */
  private long checkFull() {
    LongStream givenBack =
        LongStream.concat(
            takes().mapToLong(take -> take.release.end()),
            aborts().mapToLong(abort -> abort.abort.end()));
    Level cellsOut = new Level(claimBegins(), givenBack);
    List<Span> full = all().flatMap(log -> log.full.stream()).toList();
    for (Span claim : full) {
      int most = cellsOut.most(claim);
      if (most < capacity) {
        throw failure("queue must be full for a claim to find it so: " + claim + ", out=" + most);
      }
    }
    return full.size();
  }

  /** A poll may find no record only if at some moment of it none need be there. */
  private long checkEmpty() {
    Level missing =
        new Level(
            takes().mapToLong(take -> take.poll.begin()),
            puts().mapToLong(put -> put.commit.end()));
    List<Span> empty = all().flatMap(log -> log.empty.stream()).toList();
    for (Span poll : empty) {
      int most = missing.most(poll);
      if (most < 0) {
        throw failure("queue must be empty for a poll to find it so: " + poll + ", in=" + -most);
      }
    }
    return empty.size();
  }

  /** Claims are refused for good behind the completion, and not before it. */
  private void checkCompleted() {
    all()
        .flatMap(log -> log.completed.stream())
        .filter(claim -> claim.isBefore(completion))
        .findAny()
        .ifPresent(
            claim -> {
              throw failure("queue must be completed for a claim to find it so: " + claim);
            });
    LongStream.concat(claimBegins(), all().flatMap(log -> log.full.stream()).mapToLong(Span::begin))
        .filter(begin -> begin > completion.end())
        .findAny()
        .ifPresent(
            begin -> {
              throw failure("claims of a completed queue must throw: begin=" + begin);
            });
  }

  /** Nobody may be told of the end before all cells are back. */
  private void checkEnd() {
    long told = all().mapToLong(log -> log.endTold).min().orElse(Log.NEVER);
    takes()
        .filter(take -> take.release.begin() > told)
        .findAny()
        .ifPresent(
            take -> {
              throw failure("records must be released before the end is told: " + take);
            });
    aborts()
        .filter(abort -> abort.abort.begin() > told)
        .findAny()
        .ifPresent(
            abort -> {
              throw failure("claims must be over before the end is told: " + abort);
            });
  }

  private AssertionError failure(String what) {
    return new AssertionError(what + ", k=" + k + ", capacity=" + capacity);
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
    int most(Span call) {
      int raised = Overtakes.countUpTo(raises, call.begin());
      int lowered = Overtakes.countUpTo(lowers, call.begin());
      int most = raised - lowered;
      // a thread's calls do not overlap, so that all this together looks once for each thread
      for (; raised < raises.length && raises[raised] < call.end(); raised++) {
        while (lowered < lowers.length && lowers[lowered] < raises[raised]) {
          lowered++;
        }
        most = Math.max(most, raised + 1 - lowered);
      }
      return most;
    }
  }
}
