package dev.millrace.disruptor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.testkit.Throws;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Finds an order of claims, polls, misuse and the end after which a sequencer or a consumer behind
 * others does what the model of both does not: a random graph of consumers, alone and in groups,
 * claims that end in any order, runs of any length, misuse, and the end. On one thread, so that
 * each call has one right answer.
 */
@ParameterizedClass
@EnumSource(Producers.class)
class SequencerModelTest extends SequencerFixture {
  private static final int SEEDS = 24;
  private static final int STEPS = 2_000;
  private static final byte PUBLISHED = 1; // 0 of what is open or not claimed
  private static final byte ABORTED = 2;

  @Parameter Producers producers;

  private record Claim(long first, int count) {}

  private Random random;
  private int capacity;
  private final List<Node> nodes = new ArrayList<>();
  private final List<Claim> claims = new ArrayList<>();
  private byte[] states;
  private long claimedEnd;
  private long aborted;
  private boolean isCompleted;

  /** A consumer, or a group of workers that share what those upstream have released. */
  private final class Node {
    final List<Node> upstream = nodes.stream().filter(_ -> random.nextInt(3) == 0).toList();
    final List<SequenceConsumer> members =
        newConsumers(
            random.nextInt(4),
            YIELDS,
            upstream.stream()
                .flatMap(one -> Stream.of(one.anyMember(), one.anyMember()))
                .toArray(SequenceConsumer[]::new));
    final Claim[] inHand = new Claim[members.size()];
    long next;

    SequenceConsumer anyMember() {
      return members.get(random.nextInt(members.size()));
    }

    /** Everything before it is done with. */
    long progress() {
      return Math.min(next, firstOf(Stream.of(inHand).filter(Objects::nonNull).toList(), next));
    }

    void consume() {
      int index = random.nextInt(members.size());
      SequenceConsumer member = members.get(index);
      if (inHand[index] == null) {
        poll(index, 1 + random.nextInt(capacity));
      } else if (random.nextInt(8) == 0) {
        Throws.illegalState(
            "a poll is already open, release it first: " + member,
            () -> member.tryPoll(1),
            () -> member.poll(1),
            () -> member.poll(1, Duration.ofDays(1)));
      } else {
        member.release();
        inHand[index] = null;
      }
    }

    private void poll(int index, int limit) {
      long end = upstream.stream().mapToLong(Node::progress).min().orElse(claimedEnd);
      SequenceConsumer member = members.get(index);
      Throws.illegalState("nothing to release: no open poll, " + member, member::release);
      int polled = random.nextBoolean() ? member.tryPoll(limit) : pollNow(member, limit);
      while (next < end && states[(int) next] == ABORTED) {
        next++;
      }
      int ready = 0;
      while (ready < limit && next + ready < end && states[(int) next + ready] == PUBLISHED) {
        ready++;
      }
      int share = (ready + members.size() - 1) / members.size();
      assertThat(polled).isEqualTo(share);
      if (share > 0) {
        assertThat(member.sequence()).isEqualTo(next);
        inHand[index] = new Claim(next, share);
        next += share;
      }
    }

    private static int pollNow(SequenceConsumer member, int limit) {
      try {
        return member.poll(limit, Duration.ZERO);
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }

    void assertAsItShouldBe() {
      for (int index = 0; index < inHand.length; index++) {
        SequenceConsumer member = members.get(index);
        assertThat(member.progress()).isEqualTo(progress());
        assertThat(member.isAtWork()).isEqualTo(inHand[index] != null);
        long taken = member instanceof SoleConsumer ? progress() : next;
        assertThat(member.isDrained()).isEqualTo(isCompleted && taken == claimedEnd);
      }
    }
  }

  private static long firstOf(List<Claim> claims, long otherwise) {
    return claims.stream().mapToLong(Claim::first).min().orElse(otherwise);
  }

  private long consumed() {
    return nodes.stream().mapToLong(Node::progress).min().orElseThrow();
  }

  private void claim() {
    if (producers == Producers.ONE && !claims.isEmpty()) {
      String message = "a claim is already open, commit or abort it first: " + sequencer;
      Throws.illegalState(message, sequencer::tryClaim);
      return;
    }
    int count = 1 + random.nextInt(random.nextBoolean() ? 1 : capacity);
    boolean fits = claimedEnd + count <= consumed() + capacity;
    long expected = isCompleted ? Sequencer.CLOSED : fits ? claimedEnd : Sequencer.FULL;
    assertThat(tryClaim(count, fits || isCompleted)).isEqualTo(expected);
    if (expected >= 0) {
      claims.add(new Claim(claimedEnd, count));
      claimedEnd += count;
    }
  }

  /** In one of the forms, as none has to wait. */
  private long tryClaim(int count, boolean mayWait) {
    try {
      return switch (random.nextInt(mayWait ? 3 : 2)) {
        case 0 -> count == 1 ? sequencer.tryClaim() : sequencer.tryClaim(count);
        case 1 -> sequencer.claim(count, Duration.ZERO);
        default -> count == 1 ? sequencer.claim() : sequencer.claim(count);
      };
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private void end() {
    if (claims.isEmpty()) {
      return;
    }
    Claim claim = claims.remove(random.nextInt(claims.size()));
    byte state = random.nextInt(3) == 0 ? ABORTED : PUBLISHED;
    if (state == PUBLISHED) {
      sequencer.commit(claim.first, claim.count);
    } else {
      sequencer.abort(claim.first, claim.count);
      if (producers == Producers.ONE) { // its slots are claimed again
        claimedEnd -= claim.count;
        return;
      }
      aborted += claim.count;
    }
    for (int i = 0; i < claim.count; i++) {
      states[(int) claim.first + i] = state;
    }
  }

  /** Ends what is no claim: of another sequence, turn or count, ended before, or not claimed. */
  private void misuse() {
    Claim open = claims.isEmpty() ? new Claim(claimedEnd, 1) : claims.getFirst();
    long[] sequences = {
      open.first,
      open.first,
      open.first + 1,
      open.first - capacity,
      open.first + capacity,
      claimedEnd,
      claimedEnd - 1,
      Sequencer.FULL,
      Sequencer.CLOSED,
      Long.MIN_VALUE,
      Long.MAX_VALUE
    };
    int[] counts = {
      open.count, open.count, open.count + 1, 1, 0, -1, Integer.MIN_VALUE, Integer.MAX_VALUE
    };
    long first = sequences[random.nextInt(sequences.length)];
    int count = counts[random.nextInt(counts.length)];
    if (claims.contains(new Claim(first, count))) {
      return;
    }
    String which = "sequence=" + first + ", count=" + count;
    if (producers == Producers.MANY) {
      which = "no open claim of " + which;
    } else if (!claims.isEmpty()) {
      int more = open.count - 1;
      which = "claim must be that of " + open.first + " and " + more + " more: " + which;
    } else {
      which = "no open claim: " + sequencer;
    }
    Throws.a(
        producers == Producers.ONE && claims.isEmpty()
            ? IllegalStateException.class
            : IllegalArgumentException.class,
        which,
        () -> sequencer.commit(first, count),
        () -> sequencer.abort(first, count));
  }

  private void assertAsItShouldBe() {
    assertThat(sequencer.claimedEnd()).isEqualTo(claimedEnd);
    assertThat(sequencer.publishedEnd()).isEqualTo(firstOf(claims, claimedEnd));
    assertThat(sequencer.remainingCapacity()).isEqualTo((int) (consumed() + capacity - claimedEnd));
    assertThat(Counters.of(sequencer)).isEqualTo(new Counters(claimedEnd, aborted, 0, 0, 0, 0, 0));
    assertThat(sequencer.isCompleted()).isEqualTo(isCompleted);
    assertThat(sequencer.isStopped()).isFalse();
    assertThat(sequencer.isCongested()).isFalse();
    nodes.forEach(Node::assertAsItShouldBe);
  }

  private void open() {
    capacity = 2 << random.nextInt(5);
    states = new byte[STEPS * capacity + 1];
    nodes.clear();
    claims.clear();
    claimedEnd = 0;
    aborted = 0;
    isCompleted = false;
    RingOptions options = producers.options(capacity);
    boolean isLimited = producers == Producers.MANY && random.nextBoolean();
    open(isLimited ? options.withStallLimit(Duration.ofDays(1)) : options);
    for (int count = 1 + random.nextInt(4); count > 0; count--) {
      nodes.add(new Node());
    }
  }

  private void step() {
    switch (random.nextInt(5 + nodes.size())) {
      case 0, 1 -> claim();
      case 2, 3 -> end();
      case 4 -> misuse();
      default -> nodes.get(random.nextInt(nodes.size())).consume();
    }
    assertAsItShouldBe();
  }

  @Test
  void randomOperations_agreeWithTheModel() {
    long laps = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
      random = new Random(seed);
      open();
      try {
        IntStream.range(0, STEPS).forEach(_ -> step());
        laps += claimedEnd / capacity;
        while (producers == Producers.ONE && !claims.isEmpty()) {
          end();
        }
        sequencer.complete();
        sequencer.complete();
        isCompleted = true;
        while (consumed() < claimedEnd || !claims.isEmpty()) {
          step();
        }
      } catch (AssertionError e) {
        throw new AssertionError("seed " + seed + ": " + sequencer, e);
      }
    }
    assertThat(laps).isGreaterThan(10L * SEEDS);
  }
}
