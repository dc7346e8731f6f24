package dev.millrace.stress.jcstress;

import dev.millrace.cache.internal.Probe;
import dev.millrace.queues.history.HistoryProducer;
import dev.millrace.queues.history.HistoryReader;
import dev.millrace.queues.history.HistoryRing;
import dev.millrace.queues.log.LogProducer;
import dev.millrace.queues.log.LogReader;
import dev.millrace.queues.log.MessageLog;
import dev.millrace.queues.messages.Message;
import dev.millrace.stress.trial.Numbered;
import dev.millrace.stress.trial.SmallLog;
import dev.millrace.stress.trial.SmallShard;
import java.lang.foreign.Arena;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIII_Result;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * The patterns of structures whose readers never delay a writer: a validated copy of a slot, one of
 * memory whose writers take a lock, and a log of which a part is on the disk.
 */
public final class ReaderStress {
  private ReaderStress() {}

  /**
   * Hazard: a reader copies a record while a writer overwrites it, and takes the mixture for whole.
   *
   * <p>Known to fail: {@code HistoryCursor.copy} that returns the stamp that it read first.
   *
   * <p>{@code stress/prove --all HistoryRing_NoTornRead}
   */
  @JCStressTest
  @State
  @Description("A record that is read while its slot is overwritten is whole, or not read at all.")
  @Outcome(id = "0, 0, 0, 0", expect = Expect.ACCEPTABLE, desc = "None: it was being overwritten.")
  @Outcome(id = "1, 0, 0, 0", expect = Expect.ACCEPTABLE, desc = "The record of the former trial.")
  @Outcome(id = "1, 1, 1, 1", expect = Expect.ACCEPTABLE, desc = "The first record.")
  @Outcome(id = "1, 2, 2, 2", expect = Expect.ACCEPTABLE, desc = "The second record.")
  @Outcome(id = "1, .*", expect = Expect.FORBIDDEN, desc = "Torn: fields of several records.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "Nothing else can be.")
  public static class HistoryRing_NoTornRead {
    private static final Pool<History> POOL = new Pool<>(History::new);

    private final History trial = POOL.take();
    private final long base = trial.history.claimedCount();

    private static final class History extends Pool.Item {
      final HistoryRing<Numbered> history = HistoryRing.multi(Numbered.TYPE, 1);
      final HistoryProducer<Numbered> producer = history.newProducer();
      final HistoryReader<Numbered> reader = history.newReader(1);
    }

    @Actor
    public void writer() {
      for (int place = 1; place <= 2; place++) {
        trial.producer.tryClaim().write(base + place);
        trial.producer.commit();
      }
    }

    @Actor
    public void reader(IIII_Result r) {
      r.r1 = trial.reader.latest(1);
      if (r.r1 > 0) {
        r.r2 = trial.reader.at(0).first(base);
        r.r3 = trial.reader.at(0).second(base);
        r.r4 = trial.reader.at(0).third(base);
      }
    }

    @Arbiter
    public void owner() {
      trial.giveBack();
    }
  }

  /**
   * Hazard: a reader takes words of two entries for a value, or the value of the key that now has
   * the memory; or it finds an entry that it has already missed.
   *
   * <p>Known to fail: {@code EntryTable.isValid} that always returns true.
   *
   * <p>{@code stress/prove --all Shard_NoTornRead}
   */
  @JCStressTest
  @State
  @Description(
      "A reader of a key whose memory is used for another gets its value, nothing, or the new one.")
  @Outcome(id = "1, [012]", expect = Expect.ACCEPTABLE, desc = "Found at first.")
  @Outcome(
      id = "0, [02]",
      expect = Expect.ACCEPTABLE,
      desc = "Had been evicted; may have returned.")
  @Outcome(id = "2, 2", expect = Expect.ACCEPTABLE, desc = "Had been stored again.")
  @Outcome(id = ".*-99.*", expect = Expect.FORBIDDEN, desc = "Torn.")
  @Outcome(id = "0, 1", expect = Expect.FORBIDDEN, desc = "Was gone, and came back.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "An older value, or another key's.")
  public static class Shard_NoTornRead {
    private static final long[] KEYS = {1, 2, 3}; // the oldest leaves first
    private static final Pool<Shared> POOL = new Pool<>(Shared::new);

    private final Shared trial = POOL.take();

    private static final class Shared extends Pool.Item {
      final SmallShard shard = new SmallShard(Arena.global());
      final Probe writing = SmallShard.newProbe(Arena.global());
      final Probe reading = SmallShard.newProbe(Arena.global());

      Shared() {
        begin();
      }

      /** Leaves nothing but the keys, stored in order with 1 as their number. */
      void begin() {
        shard.clear();
        for (long key : KEYS) {
          shard.put(writing, key, 1);
        }
      }

      int read() {
        return (int) shard.get(reading, 1);
      }
    }

    @Actor
    public void writer() {
      trial.shard.put(trial.writing, 4, 4);
      trial.shard.put(trial.writing, 5, 5);
      trial.shard.put(trial.writing, 1, 2);
    }

    /** Reads, and then several times more, up to the first that is torn. */
    @Actor
    public void reader(II_Result r) {
      r.r1 = trial.read();
      for (int i = 0; i < 5 && r.r2 != SmallShard.TORN; i++) {
        r.r2 = trial.read();
      }
    }

    @Arbiter
    public void owner() {
      trial.begin();
      trial.giveBack();
    }
  }

  /**
   * Hazard: a message counts as durable though it was not forced: it was appended meanwhile, is in
   * the next segment, or in one of which the name was not forced.
   *
   * <p>Known to fail: a sync that reads the end after it has forced; a commit that raises the end
   * and then publishes the word.
   *
   * <p>{@code stress/prove --all MessageLog_DurableIsForced}
   */
  @JCStressTest
  @State
  @Description("What a concurrent sync reports as durable has been forced.")
  @Outcome(id = "0, [012]", expect = Expect.ACCEPTABLE, desc = "Synced before the first commit.")
  @Outcome(id = "1, [12]", expect = Expect.ACCEPTABLE, desc = "Synced between the commits.")
  @Outcome(id = "2, 2", expect = Expect.ACCEPTABLE, desc = "Synced after both commits.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "A durable message would be lost in a crash.")
  public static class MessageLog_DurableIsForced {
    private static final int LENGTH = (int) Numbered.TYPE.layout().sizeBytes();
    private static final int TYPE = 7;
    private static final Pool<Logged> POOL = new Pool<>(Logged::new);

    private final Logged trial = POOL.take();
    private final long base = trial.log.endNumber() - 1;

    /** A log of segments for three messages, so that most trials end one and begin the next. */
    private static final class Logged extends Pool.Item {
      final SmallLog files = new SmallLog(3, LENGTH, true, Arena.global());
      final MessageLog log = files.log();
      final LogProducer producer = log.newProducer();
      final LogReader ofForced = files.newReaderOfForced();
    }

    @Actor
    public void producer() {
      for (int i = 0; i < 2; i++) {
        Message message = trial.producer.claim(TYPE, LENGTH);
        message.as(Numbered.TYPE).write(trial.producer.number() + 1);
        trial.producer.commit();
      }
    }

    @Actor
    public void syncer(II_Result r) {
      trial.log.sync();
      r.r1 = (int) (trial.log.durableNumber() - base - 1);
      r.r2 = count(0);
    }

    /** Takes all that was forced; returns how many messages there are, if they are the next. */
    private int count(int before) {
      int count = before;
      for (Message message = trial.ofForced.tryPoll();
          message != null;
          message = trial.ofForced.tryPoll()) {
        int place = message.as(Numbered.TYPE).whole(base);
        boolean isNext = place == count + 1 && trial.ofForced.number() == base + place;
        trial.ofForced.release();
        if (!isNext) {
          return Numbered.TORN;
        }
        count++;
      }
      return count;
    }

    @Arbiter
    public void owner(II_Result r) {
      trial.log.sync();
      if (count(r.r2) != 2) {
        r.r2 = Numbered.TORN;
      }
      trial.files.tidy();
      trial.giveBack();
    }
  }
}
