package dev.millrace.stress;

import java.util.Comparator;
import java.util.List;

/**
 * How far out of order records left a queue: a record is overtaken by each that was committed by a
 * call that began after its own commit had returned, and was taken by a poll that had returned
 * before its own poll began.
 */
final class Overtakes {
  private Overtakes() {}

  /**
   * When a call began and when it had returned, in ticks of a clock that says of two calls that one
   * was before the other only if it was.
   */
  record Span(long begin, long end) {
    boolean isBefore(Span other) {
      return end < other.begin;
    }
  }

  /** A record's way through a queue. */
  record Trip(long number, Span commit, Span poll) {
    boolean overtook(Trip other) {
      return other.commit.isBefore(commit) && poll.isBefore(other.poll);
    }
  }

  /**
   * The record that was overtaken most.
   *
   * @param trip the record; null if there was none at all
   * @param count by how many
   */
  record Most(Trip trip, int count) {}

  /** Finds the record that was overtaken most, in n log n steps. */
  static Most most(List<Trip> trips) {
    long[] commitBegins = trips.stream().mapToLong(trip -> trip.commit.begin).sorted().toArray();
    List<Trip> byPollBegin = sorted(trips, Comparator.comparingLong(trip -> trip.poll.begin));
    List<Trip> byPollEnd = sorted(trips, Comparator.comparingLong(trip -> trip.poll.end));
    Tally taken = new Tally(trips.size()); // by the rank of the beginning of the commit
    int takenCount = 0;
    Most most = new Most(null, 0);
    for (Trip trip : byPollBegin) {
      while (byPollEnd.get(takenCount).poll.isBefore(trip.poll)) {
        taken.add(countUpTo(commitBegins, byPollEnd.get(takenCount).commit.begin) - 1);
        takenCount++;
      }
      int notLater = taken.countBelow(countUpTo(commitBegins, trip.commit.end));
      if (most.trip == null || takenCount - notLater > most.count) {
        most = new Most(trip, takenCount - notLater);
      }
    }
    return most;
  }

  private static List<Trip> sorted(List<Trip> trips, Comparator<Trip> order) {
    return trips.stream().sorted(order).toList();
  }

  /** How many of some sorted times are at or before a time. */
  static int countUpTo(long[] times, long time) {
    int least = 0;
    int most = times.length;
    while (least < most) {
      int middle = (least + most) >>> 1;
      if (times[middle] <= time) {
        least = middle + 1;
      } else {
        most = middle;
      }
    }
    return least;
  }

  /**
   * Counts of indices, and their sums: a binary indexed tree (Fenwick, "A New Data Structure for
   * Cumulative Frequency Tables", 1994).
   */
  private static final class Tally {
    private final int[] sums;

    Tally(int size) {
      sums = new int[size + 1];
    }

    void add(int index) {
      for (int i = index + 1; i < sums.length; i += i & -i) {
        sums[i]++;
      }
    }

    int countBelow(int index) {
      int count = 0;
      for (int i = index; i > 0; i -= i & -i) {
        count += sums[i];
      }
      return count;
    }
  }
}
