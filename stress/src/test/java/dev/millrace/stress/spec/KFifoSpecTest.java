package dev.millrace.stress.spec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.stress.spec.KFifoSpec.Event;
import dev.millrace.stress.spec.KFifoSpec.Kind;
import dev.millrace.stress.spec.KFifoSpec.Log;
import dev.millrace.stress.spec.KFifoSpec.Trip;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whether what is wrong with a k-FIFO queue of k 4 and capacity 8 is noticed. */
class KFifoSpecTest {
  private static final Map<String, List<Kind>> CALLS =
      Map.of(
          "put", List.of(Kind.CLAIM, Kind.COMMIT),
          "take", List.of(Kind.POLL, Kind.RELEASE),
          "claim", List.of(Kind.CLAIM),
          "abort", List.of(Kind.ABORT),
          "full", List.of(Kind.FULL),
          "empty", List.of(Kind.EMPTY));
  private static final Pattern CALL = Pattern.compile("([\\[\\]]?)([a-z]*)(\\d*)-?(\\d*)");

  private final KFifoSpec spec = new KFifoSpec(4, 8);
  private final Log log = spec.newLog();
  private long opened;

  /**
   * Makes calls, one after the other, with a record's number or all from one number to another. A
   * call behind a closing bracket began at the opening one.
   */
  private Counts balance(String calls) {
    for (MatchResult call : CALL.matcher(calls).results().toList()) {
      if (call.group(1).equals("[")) {
        opened = log.now();
      } else if (!call.group(2).isEmpty()) {
        int from = call.group(3).isEmpty() ? -1 : Integer.parseInt(call.group(3));
        int to = call.group(4).isEmpty() ? from : Integer.parseInt(call.group(4));
        for (int number = from; number != to; number += Integer.signum(to - from)) {
          add(call, number);
        }
        add(call, to);
      }
    }
    return spec.balance();
  }

  private void add(MatchResult call, int number) {
    for (Kind kind : CALLS.get(call.group(2))) {
      boolean isLong = call.group(1).equals("]") && kind != Kind.RELEASE;
      log.add(kind, number, isLong ? opened : log.now());
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "put0-3 take3-0 | full=0, empty=0, most overtakes=3",
        "[ put1 take1 put2 take2 put3 take3 put4 take4 ]put0 take0 | most overtakes=0",
        "put0 [ put1 take1 put2 take2 put3 take3 put4 take4 ]take0 | most overtakes=0",
        "put0-7 full take0-7 | full=1",
        "put0-6 [ claim abort ]full take0-6 | full=1",
        "put0 [ take0 put1 ]empty take1 | empty=1"
      })
  void balance_whenQueueKeepsItsWord_passes(String calls, String counts) {
    assertThat(balance(calls).toString()).contains(counts);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "put0-4 take4-0 | 4 records have overtaken",
        "put0 put1 take0 | record must be taken: Event[kind=COMMIT, number=1",
        "put0 take0 take0 | record must be taken only once",
        "take0 | record must be put before it is taken",
        "take0 put0 | record must be put before it is taken",
        "put0-6 full take0-6 | queue must be full for a claim to find it so",
        "put0-7 take0 full take1-7 | queue must be full for a claim to find it so",
        "put0 empty take0 | queue must be empty for a poll to find it so"
      })
  void balance_whenQueueBreaksItsWord_fails(String calls, String message) {
    assertThatThrownBy(() -> balance(calls))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining(message)
        .hasMessageContaining("k=4, capacity=8");
  }

  @Test
  void mostOvertaken_whenTripsAreRandom_agreesWithCountingAll() {
    SplittableRandom random = new SplittableRandom(1);
    for (int round = 0; round < 200; round++) {
      List<Trip> trips = new ArrayList<>();
      int count = 1 + random.nextInt(60);
      for (int i = 0; i < count; i++) {
        trips.add(new Trip(event(i, random), event(i, random)));
      }
      int most = trips.stream().mapToInt(trip -> overtakes(trips, trip)).max().orElse(0);
      int limit = 1 + random.nextInt(60);
      int found = overtakes(trips, KFifoSpec.mostOvertaken(trips, limit));
      assertThat(found).isBetween(Math.min(limit, most), most);
    }
  }

  private static int overtakes(List<Trip> trips, Trip trip) {
    return (int) trips.stream().filter(later -> later.overtook(trip)).count();
  }

  /** With ties, which a clock other than the specification's might have. */
  private static Event event(int number, SplittableRandom random) {
    long begin = random.nextLong(100);
    return new Event(Kind.POLL, number, begin, begin + random.nextLong(20));
  }
}
