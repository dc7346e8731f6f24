package dev.millrace.queues.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.WaitStrategy;
import dev.millrace.queues.internal.LogWords;
import dev.millrace.queues.messages.Message;
import dev.millrace.testkit.TestCall;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Finds a message that is lost, repeated or torn because two roles of a log get in each other's
 * way. They meet at each step of one of them: before each operation on a file, and before and after
 * each access of the words that say how far the log is. There a thread does all that the other role
 * has to do, or as much of it as locks let it, and a machine stops: what was durable is found
 * again. At the end all that was committed is read.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LogMeetingTest {
  private static final int SEGMENT = 1 << 16;

  /** A length of which ten messages fit a segment. */
  private static final int TENTH = (SEGMENT - SegmentHeader.BYTES) / 10 - 50;

  private static final long AGE = 120; // of messages that are 10 apart

  /** What a role does. */
  enum Act {
    APPEND,
    ROLL,
    ROLL_AHEAD, // into a segment that is there
    APPEND_RUN,
    ABORT_RUN,
    SYNC,
    WORK,
    REMOVE,
    READ,
    READ_FILES,
    SEEK;

    /** Whether they are of roles that one thread has at a time. */
    boolean canMeet(Act other) {
      return role() != other.role() || role() == Role.ANY;
    }

    private Role role() {
      return switch (this) {
        case APPEND, ROLL, ROLL_AHEAD, APPEND_RUN, ABORT_RUN -> Role.PRODUCER;
        case WORK -> Role.KEEPER;
        case READ -> Role.READER;
        case READ_FILES, SEEK -> Role.READER_OF_FILES;
        case SYNC, REMOVE -> Role.ANY;
      };
    }
  }

  private enum Role {
    PRODUCER,
    KEEPER,
    READER,
    READER_OF_FILES,
    ANY
  }

  /**
   * A log, and what its roles have done; each of these has one thread that changes it at a time.
   */
  @SuppressWarnings("NonAtomicVolatileUpdate")
  private static final class Trial {
    private final MemoryFiles files = new MemoryFiles(4096);
    private final Thread acting = Thread.currentThread();
    private volatile long clock;
    private volatile long committed;
    private volatile long removedBelow;
    private final MessageLog log;
    private final LogProducer producer;
    private final LogReader ofLog;
    private final LogReader ofFiles;
    private final Act other;
    private final int at;
    private boolean isSetUp;
    private int steps;
    private TestCall<Boolean> met;

    /** Makes a log of a full segment and one that is not, the last messages not on the disk. */
    Trial(Act act, Act other, int at) throws Exception {
      this.other = other;
      this.at = at;
      LogOptions options =
          LogOptions.ofSegmentBytes(SEGMENT).withClock(() -> clock).withRetainAge(AGE);
      log = MessageLog.open(files, options, new SegmentScanner(true), new Words());
      producer = log.newProducer();
      append(16);
      log.work();
      log.sync();
      append(1);
      if (act == Act.ROLL || other == Act.ROLL) {
        append(10); // and into one more segment, so that there is none ahead
      }
      ofLog = log.newReader();
      ofFiles = new LogReader(files, WaitStrategy.busySpin(), null);
      files.observer = this::step;
      files.mapping = this::step;
      isSetUp = true;
    }

    /** Makes the accesses of the words on the heap steps. */
    private final class Words extends LogWords {
      @Override
      public void markWritten(long end) {
        step();
        super.markWritten(end);
        step();
      }

      @Override
      public long written() {
        step();
        long end = super.written();
        step();
        return end;
      }

      @Override
      public void markDurable(long end) {
        step();
        super.markDurable(end);
        step();
      }

      @Override
      public long durable() {
        step();
        long end = super.durable();
        step();
        return end;
      }
    }

    @SuppressWarnings("ReferenceEquality") // this very thread
    private void step() {
      if (isSetUp && Thread.currentThread() == acting && met == null && steps++ == at) {
        met = TestCall.run(() -> act(other));
        TestCall.await(
            () ->
                met.isOver()
                    || TestCall.isResting(met.thread())
                    || met.thread().getState() == Thread.State.BLOCKED);
        checkCrash(0);
      }
    }

    /** Does one thing while the other is done at a step of it; returns whether it has that step. */
    boolean meet(Act act) throws Exception {
      act(act);
      if (met == null) {
        return false;
      }
      met.result();
      files.observer = () -> {};
      files.mapping = () -> {};
      checkCrash(0);
      checkCrash(2);
      check();
      return true;
    }

    // ---- roles ----

    private void act(Act act) throws Exception {
      switch (act) {
        case APPEND -> append(1);
        case ROLL, ROLL_AHEAD -> append(9);
        case APPEND_RUN -> {
          clock += 10;
          int count = producer.claim(LogMessages.type(0), 9, 5);
          for (int i = 0; i < count; i++) {
            LogMessages.write(producer.at(i), committed + i, 9);
          }
          producer.commit();
          committed += count;
        }
        case ABORT_RUN -> {
          int count = producer.claim(1, TENTH, 3);
          for (int i = 0; i < count; i++) {
            LogMessages.write(producer.at(i), 1, TENTH);
          }
          producer.abort();
        }
        case SYNC -> {
          long end = committed;
          log.sync();
          assertThat(log.durableNumber()).isGreaterThanOrEqualTo(end);
        }
        case WORK -> log.work();
        case REMOVE -> {
          removedBelow = Math.max(removedBelow, 12);
          log.removeBefore(12);
        }
        case READ -> read(ofLog);
        case READ_FILES -> read(ofFiles);
        case SEEK -> {
          long end = log.endNumber();
          assertThat(ofFiles.endNumber()).isGreaterThanOrEqualTo(end);
          ofFiles.seekToEnd();
          assertThat(ofFiles.number()).isGreaterThanOrEqualTo(end);
          ofFiles.seekTime(160);
          assertThat(ofFiles.number()).isEqualTo(15);
        }
      }
    }

    private void append(int count) {
      for (int i = 0; i < count; i++) {
        clock += 10;
        LogMessages.write(producer.claim(LogMessages.type(0), TENTH), committed, TENTH);
        producer.commit();
        committed = producer.number() + 1;
      }
    }

    private static void read(LogReader reader) {
      long time = Long.MIN_VALUE;
      for (int count; (count = reader.tryPoll(7)) > 0; reader.release()) {
        for (int i = 0; i < count; i++) {
          Message message = reader.at(i);
          LogMessages.checkBytes(message, reader.number());
          assertThat(message.time()).isGreaterThanOrEqualTo(time);
          time = message.time();
        }
      }
    }

    // ---- checking ----

    /** Stops the machine: what was not forced is lost, but for some quarters of it. */
    private void checkCrash(int quarters) {
      long durable = log.durableNumber();
      try (MessageLog again = reopen(files.crash(new Random(at), quarters))) {
        assertThat(again.recovery().damages()).allMatch(damage -> damage.count() == 0);
        assertThat(again.endNumber()).isGreaterThanOrEqualTo(durable);
        checkAll(again);
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }

    private static MessageLog reopen(MemoryFiles files) throws IOException {
      LogOptions options = LogOptions.ofSegmentBytes(SEGMENT).withClock(() -> 0);
      return MessageLog.open(files, options);
    }

    /** All that is there is read without a gap; what is not there need not be kept. */
    private void checkAll(MessageLog log) {
      long tooOld = clock - AGE;
      assertThat((log.firstNumber() - 1) * 10 + 10)
          .as("time of the last message removed")
          .satisfiesAnyOf(
              time -> assertThat(time).isLessThan(tooOld),
              _ -> assertThat(log.firstNumber()).isLessThanOrEqualTo(removedBelow));
      try (LogReader reader = log.newReader()) {
        read(reader);
        assertThat(reader.number()).isEqualTo(log.endNumber());
        assertThat(reader.lostCount()).isZero();
      }
    }

    private void check() throws IOException {
      assertThat(log.endNumber()).isEqualTo(committed);
      checkAll(log);
      for (LogReader reader : List.of(ofLog, ofFiles)) {
        read(reader);
        assertThat(reader.number()).isEqualTo(committed);
        reader.close();
      }
      LogMessages.checkZerosBehind(files, log);
      assertThat(MessageLog.verify(files).damages()).isEmpty();
      log.sync();
      assertThat(log.durableNumber()).isEqualTo(committed);
      checkCrash(0);
      log.close();
      assertThat(files.mapped).isZero();
      try (MessageLog again = reopen(files)) {
        assertThat(again.recovery().damages()).isEmpty();
        assertThat(again.endNumber()).isEqualTo(committed);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {"ABORT_RUN", "READ"}) // which have no steps
  void act_whereAnotherRoleMeetsAnyStepOfIt_losesNothing(Act act) throws Exception {
    for (Act other : Arrays.stream(Act.values()).filter(act::canMeet).toList()) {
      int at = 0;
      try {
        while (new Trial(act, other, at).meet(act)) {
          at++;
        }
      } catch (Throwable e) {
        throw new AssertionError(act + " meets " + other + " at step " + at, e);
      }
      assertThat(at).as("steps").isPositive();
    }
  }
}
