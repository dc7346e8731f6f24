package dev.millrace.queues.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.millrace.queues.internal.LogWords;
import dev.millrace.queues.messages.Message;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Finds a recovery that loses what was durable or reads what was never appended. The crash model is
 * a log at work, of which at any moment the machine stops. What is left is the disk as of the last
 * force, and any subset of the pages (or sectors) and of the names that were written since. It is
 * recovered and compared with a list of what was appended and what was forced: all that was durable
 * is read, what is read is what was appended first, and appending goes on. Now and then a force
 * fails and drops what it should have written; then the log is opened again.
 *
 * <p>{@code -Dlog.states=} says how many states; 10,000 take some ten seconds. Each planted fault
 * shows within the first hundred.
 */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LogCrashTest {
  private static final int STATES = Integer.getInteger("log.states", 3_000);
  private static final int SEGMENT = 1 << 16;
  private static final int LONGEST = SEGMENT / 2 - LogSegment.MESSAGE_BYTES;

  /** A message that was committed: what is in it follows from its id, which no other has. */
  private record Committed(long id, int length, long time) {}

  /** A log at work, and what it was told. */
  private static final class Machine {
    private final Random random;
    private final SegmentScanner scanner;
    private final MemoryFiles files;
    private final int depth; // of crashes before
    private final List<Committed> committed;
    private long durable;
    private long removedBelow;
    private long nextId;
    private long clock;
    private long age; // of the messages to keep
    private MessageLog log;
    private LogProducer producer;
    private boolean isGrouped; // a thread that waits forces
    private int statesLeft;
    private boolean isInCrash;

    Machine(Random random, SegmentScanner scanner, MemoryFiles files, Machine before, int states) {
      this.random = random;
      this.scanner = scanner;
      this.files = files;
      this.depth = before == null ? 0 : before.depth + 1;
      this.committed = before == null ? new ArrayList<>() : new ArrayList<>(before.committed);
      this.durable = before == null ? 0 : before.durable;
      this.removedBelow = before == null ? 0 : before.removedBelow;
      this.nextId = before == null ? 1 : before.nextId + 1_000_000; // no id comes twice
      this.clock = before == null ? 1_000 : before.clock;
      this.statesLeft = states;
    }

    /** Opens the log, and does some work; crashes at any moment of both. */
    int run(int operations) throws IOException {
      int states = statesLeft;
      files.observer = this::mayCrash;
      open();
      for (int i = 0; i < operations && statesLeft > 0; i++) {
        operate();
        mayCrash();
      }
      files.observer = () -> {};
      checkAll();
      return states - statesLeft;
    }

    private void open() throws IOException {
      boolean syncs = random.nextBoolean();
      age = random.nextBoolean() ? Long.MAX_VALUE : 1 + random.nextInt(50);
      LogOptions options =
          LogOptions.ofSegmentBytes(SEGMENT).withClock(() -> clock).withRetainAge(age);
      isGrouped = syncs && random.nextBoolean();
      Duration interval = isGrouped ? Duration.ZERO : Duration.ofDays(1);
      log =
          MessageLog.open(
              files, syncs ? options.withSync(interval) : options, scanner, new LogWords());
      assertThat(log.endNumber()).isBetween(durable, (long) committed.size());
      assertThat(log.recovery().damages()).allMatch(damage -> damage.count() == 0);
      committed.subList((int) log.endNumber(), committed.size()).clear();
      long known = log.durableNumber();
      if (syncs) {
        assertThat(known).as("what was recovered is forced").isEqualTo(committed.size());
      }
      durable = Math.max(durable, known); // what says how much is on the disk may be lost
      producer = log.newProducer();
      checkAll();
    }

    private void operate() throws IOException {
      clock += random.nextInt(4);
      switch (random.nextInt(12)) {
        case 0 -> {
          if (isGrouped && producer.number() >= 0) {
            assertThat(isDurable(producer.number())).isTrue();
          } else {
            producer.sync();
          }
          durable = log.durableNumber();
          assertThat(durable).isEqualTo(committed.size());
        }
        case 1 -> {
          removedBelow = Math.max(removedBelow, numberOfAge());
          log.work();
          durable = Math.max(durable, log.durableNumber());
        }
        case 2 -> {
          if (random.nextInt(3) == 0) {
            failForce();
          } else {
            files.writeBack(random);
            files.evict(random);
          }
        }
        case 3 -> {
          int length = LogMessages.length(random, LONGEST);
          claimRun(length);
          mayCrash();
          producer.abort();
        }
        case 4 -> {
          if (random.nextInt(4) == 0) {
            long below = (long) (random.nextDouble() * committed.size());
            removedBelow = Math.max(removedBelow, below); // some are, at any moment of the removal
            log.removeBefore(below);
          }
        }
        case 5 -> {
          int length = LogMessages.length(random, LONGEST);
          int count = claimRun(length);
          mayCrash();
          committed.addAll(Collections.nCopies(count, new Committed(nextId, length, clock)));
          nextId++;
          producer.commit();
        }
        default -> {
          int claimed = LogMessages.length(random, LONGEST);
          int length = random.nextInt(4) == 0 ? random.nextInt(claimed + 1) : claimed;
          claim(claimed);
          mayCrash();
          committed.add(
              new Committed(nextId, length, clock)); // in a crash before the end it may be there
          nextId++;
          producer.commit(length);
        }
      }
    }

    /** Opens the log again after a force of it has failed: all is there, if not on the disk. */
    private void failForce() throws IOException {
      files.forcesLeft = random.nextInt(4);
      try {
        log.sync();
      } catch (UncheckedIOException e) {
        // so that claims which need a segment fail too
      }
      files.forcesLeft = Integer.MAX_VALUE;
      try {
        log.close();
      } catch (UncheckedIOException e) {
        // not all is on the disk
      }
      int end = committed.size();
      files.evictsLate = random.nextInt(3) == 0; // then it is as after a crash
      boolean isAllThere = !files.evictsLate;
      open();
      files.evictsLate = false;
      if (isAllThere) {
        assertThat(log.recovery().damages()).isEmpty();
        assertThat(log.endNumber()).isEqualTo(end);
      }
    }

    /** The number behind those that are so old that they need not be kept. */
    private long numberOfAge() {
      int number = 0;
      while (number < committed.size() && clock - committed.get(number).time > age) {
        number++;
      }
      return number;
    }

    private boolean isDurable(long number) {
      try {
        return log.awaitDurable(number, Duration.ofDays(1));
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }

    private int claimRun(int length) {
      int count = producer.claim((int) nextId, length, 1 + random.nextInt(5));
      for (int i = 0; i < count; i++) {
        LogMessages.write(producer.at(i), nextId, length);
      }
      return count;
    }

    private void claim(int length) {
      Message message = producer.claim((int) nextId, length);
      LogMessages.write(message, nextId, length);
    }

    // ---- crashing ----

    private void mayCrash() throws IOException {
      if (isInCrash || statesLeft <= 0 || random.nextInt(depth == 0 ? 6 : 40) != 0) {
        return;
      }
      statesLeft--;
      isInCrash = true;
      try {
        MemoryFiles left = files.crash(random);
        int states = depth < 2 ? 2 : 0;
        new Machine(random, scanner, left, this, states).run(3);
      } catch (IOException | RuntimeException | AssertionError e) {
        throw new AssertionError("after a crash, committed=" + committed.size(), e);
      } finally {
        isInCrash = false;
      }
    }

    // ---- checking ----

    private void checkAll() throws IOException {
      try (LogReader reader = log.newReader()) {
        assertThat(reader.number()).isLessThanOrEqualTo(removedBelow);
        long number = reader.number();
        for (Message message; (message = reader.tryPoll()) != null; reader.release()) {
          assertThat(reader.number()).isEqualTo(number);
          Committed expected = committed.get((int) number);
          check(message, expected);
          number++;
        }
        assertThat(number).isEqualTo(committed.size());
      }
      LogMessages.checkZerosBehind(files, log);
      assertThat(MessageLog.verify(files).damages()).isEmpty();
    }

    private static void check(Message message, Committed expected) {
      if (message.type() != (int) expected.id
          || message.length() != expected.length
          || message.time() != expected.time) {
        throw new AssertionError("must be " + expected + ": " + message);
      }
      for (int i = 0; i < expected.length; i++) {
        if (message.getByte(i) != LogMessages.byteOf(expected.id, i)) {
          throw new AssertionError("byte " + i + " of " + expected);
        }
      }
    }
  }

  private interface Fault {
    void plant(MemoryFiles files);
  }

  /** Draws states; each failure says from which seed. */
  private static int crash(int states, Fault fault, SegmentScanner scanner) {
    int crashed = 0;
    for (long seed = 0; crashed < states; seed++) {
      Random random = new Random(seed);
      MemoryFiles files = new MemoryFiles(seed % 2 == 0 ? 4096 : 512);
      fault.plant(files);
      try {
        crashed += new Machine(random, scanner, files, null, 20).run(100);
      } catch (Throwable e) {
        throw new AssertionError("seed=" + seed + ", states before=" + crashed, e);
      }
    }
    return crashed;
  }

  @Test
  void recovery_ofAnyState_losesNothingDurableAndInventsNothing() {
    assertThat(crash(STATES, _ -> {}, new SegmentScanner(true))).isGreaterThanOrEqualTo(STATES);
  }

  /** Faults that the model must find. */
  enum Planted {
    DOES_NOT_FORCE,
    BELIEVES_A_FORCE_AFTER_ONE_THAT_FAILED,
    FORCES_THE_INDEX_FIRST_AND_TRUSTS_IT,
    TRUSTS_A_LENGTH
  }

  @ParameterizedTest
  @EnumSource
  void plantedFault_isFound(Planted planted) {
    Throwable found =
        catchThrowable(
            () -> {
              switch (planted) {
                case DOES_NOT_FORCE ->
                    crash(STATES, files -> files.forcesBytes = false, new SegmentScanner(true));
                case BELIEVES_A_FORCE_AFTER_ONE_THAT_FAILED ->
                    crash(STATES, files -> files.touches = false, new SegmentScanner(true));
                case FORCES_THE_INDEX_FIRST_AND_TRUSTS_IT ->
                    crash(STATES, files -> files.forcesIndexFirst = true, new TrustsIndex());
                case TRUSTS_A_LENGTH -> crash(STATES, _ -> {}, new TrustsLengths());
              }
            });

    assertThat(found).isInstanceOf(AssertionError.class).hasStackTraceContaining("after a crash");
  }

  private static final class TrustsIndex extends SegmentScanner {
    TrustsIndex() {
      super(true);
    }

    @Override
    Scan scan(LogSegment segment, boolean wasDurable) {
      long number = segment.first();
      long position = SegmentHeader.BYTES;
      for (long next; (next = segment.index().position(number)) != 0; number++) {
        position = segment.behind(next);
      }
      return new Scan(
          position, number, segment.header().created(), number - segment.first(), List.of());
    }
  }

  private static final class TrustsLengths extends SegmentScanner {
    TrustsLengths() {
      super(true);
    }

    @Override
    boolean isWhole(LogSegment segment, long position, long word, long number) {
      return LogSegment.length(word) >= 0;
    }
  }
}
