package dev.millrace.stress.jcstress;

import dev.millrace.queues.messages.Message;
import dev.millrace.stress.trial.Numbered;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIII_Result;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * A {@link dev.millrace.queues.log.MessageLog} between its producer, a reader and who asks how far
 * it is. Its files are in memory, so the trials say nothing of file systems.
 */
public final class MessageLogStress {
  /** Messages of a segment of which most trials end one and begin the next. */
  private static final int FEW = 3;

  private static final int MANY = 16;

  private MessageLogStress() {}

  /**
   * Hazard: a message's word is seen before its bytes; its checksum does not fit then, or the bytes
   * are zeros.
   *
   * <p>Known to fail: a commit that publishes the word and then writes the number and the time.
   *
   * <p>{@code stress/prove --all MessageLog_MessageIsWhole}
   */
  @JCStressTest
  @State
  @Description("A message that is polled has all its bytes.")
  @JCStressMeta(Grades.RecordIsWhole.class)
  public static class MessageLog_MessageIsWhole {
    private static final Pool<LogTrial> POOL = LogTrial.pool(MANY, false);

    private final LogTrial trial = LogTrial.of(POOL);

    @Actor
    public void producer() {
      trial.append();
    }

    @Actor
    public void reader(IIII_Result r) {
      Message message = trial.reader.tryPoll();
      if (message != null) {
        Numbered record = message.as(Numbered.TYPE);
        r.r1 = 1;
        r.r2 = record.first(trial.base);
        r.r3 = record.second(trial.base);
        r.r4 = record.third(trial.base);
        trial.reader.release();
      }
    }

    @Arbiter
    public void owner() {
      trial.takeRest();
    }
  }

  /**
   * Hazard: a reader leaves a segment that has one more message, or does not find the next segment;
   * it takes a claim that was given up, or what is behind a claim that was shortened, for a
   * message.
   *
   * <p>Known to fail: an abort, or a commit of a shorter message, that clears nothing.
   *
   * <p>{@code stress/prove --all MessageLog_RollKeepsOrder}
   */
  @JCStressTest
  @State
  @Description("Two polls get the next messages in order, across segments and over gaps.")
  @Outcome(id = "0, 0, 12", expect = Expect.ACCEPTABLE, desc = "Polled before the first commit.")
  @Outcome(
      id = {"0, 1, 2", "1, 0, 2"},
      expect = Expect.ACCEPTABLE,
      desc = "Only the first was there.")
  @Outcome(id = "1, 2, 0", expect = Expect.ACCEPTABLE, desc = "Both were there.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "A message is lost, torn, or out of order.")
  public static class MessageLog_RollKeepsOrder {
    private static final Pool<LogTrial> POOL = LogTrial.pool(FEW, false);

    private final LogTrial trial = LogTrial.of(POOL);

    @Actor
    public void producer() {
      trial.appendShortened();
      trial.abort();
      trial.append();
    }

    @Actor
    public void reader(III_Result r) {
      r.r1 = trial.take();
      r.r2 = trial.take();
    }

    @Arbiter
    public void owner(III_Result r) {
      r.r3 = trial.takeRest();
    }
  }

  /**
   * Hazard: a number is told before the messages below it can be read.
   *
   * <p>Known to fail: a commit that raises the end and then publishes the word.
   *
   * <p>{@code stress/prove --all MessageLog_EndIsThere}
   */
  @JCStressTest
  @State
  @Description("What is durable is below the end, and all below the end can be read.")
  @Outcome(
      id = {
        "0, 0, 0, [012]",
        "0, 0, 1, [12]",
        "0, 0, 2, 2",
        "[01], 1, 1, [12]",
        "[01], 1, 2, 2",
        "[01], 2, 2, 2"
      },
      expect = Expect.ACCEPTABLE,
      desc = "Each asked later is no less: durable, end, end as the files have it, found.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "A number is ahead of what is there.")
  public static class MessageLog_EndIsThere {
    private static final Pool<LogTrial> POOL = LogTrial.pool(FEW, false);

    private final LogTrial trial = LogTrial.of(POOL);

    @Actor
    public void producer() {
      trial.append();
      trial.producer.sync();
      trial.append();
    }

    @Actor
    public void reader(IIII_Result r) {
      long before = trial.base + 1;
      r.r1 = (int) (trial.log.durableNumber() - before);
      r.r2 = (int) (trial.log.endNumber() - before);
      r.r3 = (int) (trial.reader.endNumber() - before);
      r.r4 = trial.count(trial.reader, 0);
    }

    @Arbiter
    public void owner() {
      trial.takeRest();
    }
  }

  /**
   * Hazard: a message is called durable that was not forced: it was appended meanwhile, is in the
   * next segment, or in one of which the name was not forced.
   *
   * <p>Known to fail: a sync that reads the end after it has forced; a commit that raises the end
   * and then publishes the word.
   *
   * <p>{@code stress/prove --all MessageLog_DurableIsForced}
   */
  @JCStressTest
  @State
  @Description("What a sync beside the producer calls durable is in what was forced.")
  @Outcome(id = "0, [012]", expect = Expect.ACCEPTABLE, desc = "Synced before the first commit.")
  @Outcome(id = "1, [12]", expect = Expect.ACCEPTABLE, desc = "Synced between the commits.")
  @Outcome(id = "2, 2", expect = Expect.ACCEPTABLE, desc = "Synced after both commits.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "A durable message would be lost in a crash.")
  public static class MessageLog_DurableIsForced {
    private static final Pool<LogTrial> POOL = LogTrial.pool(FEW, true);

    private final LogTrial trial = LogTrial.of(POOL);

    @Actor
    public void producer() {
      trial.append();
      trial.append();
    }

    @Actor
    public void syncer(II_Result r) {
      trial.log.sync();
      r.r1 = (int) (trial.log.durableNumber() - trial.base - 1);
      r.r2 = trial.count(trial.ofForced, 0);
    }

    @Arbiter
    public void owner(II_Result r) {
      trial.log.sync();
      if (trial.count(trial.ofForced, r.r2) != 2) {
        r.r2 = Numbered.TORN;
      }
      trial.takeRest();
    }
  }

  /**
   * Hazard: a reader is told of the end while there is a message that it has not taken, or never.
   *
   * <p>Known to fail: a reader that is drained when the log is closed, whatever is there.
   *
   * <p>{@code stress/prove --all MessageLog_CloseIsExact}
   */
  @JCStressTest
  @State
  @Description("A reader gets all messages that were committed, and then the end.")
  @Outcome(id = "[012], 2", expect = Expect.ACCEPTABLE, desc = "All, however many at first.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "A message is lost.")
  public static class MessageLog_CloseIsExact {
    private static final Pool<LogTrial> POOL = LogTrial.pool(FEW, false);

    private final LogTrial trial = LogTrial.of(POOL);

    @Actor
    public void producer() {
      trial.append();
      trial.append();
      trial.log.close();
    }

    @Actor
    public void reader(II_Result r) {
      r.r1 = trial.count(trial.reader, 0);
      r.r2 = r.r1;
      while (!trial.reader.isDrained()) {
        r.r2 = trial.count(trial.reader, r.r2);
      }
    }

    @Arbiter
    public void owner() {
      trial.reopen();
      trial.giveBack();
    }
  }

  /**
   * Hazard: a reader whose next segment is removed reads another file under its name, counts too
   * few as lost or too many, or takes it for damage.
   *
   * <p>Known to fail: a reader that goes on with the first message kept and counts nothing.
   *
   * <p>{@code stress/prove --all MessageLog_RemovedAreCounted}
   */
  @JCStressTest
  @State
  @Description("Messages that are removed before a reader comes are lost to it, and counted.")
  @Outcome(
      id = {"4, 0", "3, 1", "2, 2", "1, 3"},
      expect = Expect.ACCEPTABLE,
      desc = "Each was read or is lost; never those of the last segment.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "Read and lost do not make up what was appended.")
  public static class MessageLog_RemovedAreCounted {
    private static final Pool<LogTrial> POOL = LogTrial.pool(FEW, false);

    private final LogTrial trial = LogTrial.of(POOL);

    public MessageLog_RemovedAreCounted() {
      for (int i = 0; i < 4; i++) {
        trial.append();
      }
    }

    @Actor
    public void owner() {
      trial.log.removeBefore(trial.log.endNumber());
    }

    @Actor
    public void reader(II_Result r) {
      long lost = trial.reader.lostCount();
      for (int place = trial.take(); place != 0; place = trial.take()) {
        r.r1++;
        if (place != r.r1 + trial.reader.lostCount() - lost) {
          r.r1 = Numbered.TORN;
        }
      }
      r.r2 = (int) (trial.reader.lostCount() - lost);
    }

    @Arbiter
    public void end() {
      trial.takeRest();
    }
  }
}
