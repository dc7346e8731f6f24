package dev.millrace.stress;

import dev.millrace.core.OnFull;
import dev.millrace.core.internal.history.HistoryCursor;
import dev.millrace.core.internal.history.HistoryRecordProducer;
import dev.millrace.queues.history.HistoryReader;
import dev.millrace.queues.history.HistoryRing;
import dev.millrace.stress.spec.Counts;
import dev.millrace.stress.spec.FifoSpec.Received;
import dev.millrace.stress.spec.FifoSpec.Sent;
import dev.millrace.stress.spec.HistorySpec;
import dev.millrace.telemetry.Telemetry;
import dev.millrace.telemetry.TelemetryReader;
import dev.millrace.telemetry.TraceReader;
import dev.millrace.telemetry.TraceWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Writers that never wait, on a structure that keeps the newest records, and readers, of which all
 * but the first rest after each record: on a {@link HistoryRing}, or on a trace log, whose file the
 * readers open.
 */
final class HistoryRound extends Round {
  private static final int TRACE_BYTES = 96;
  private static final long REST_NANOS = 1_000_000;

  private final boolean isTrace;
  private final int capacity;
  private final int window; // how many of the newest records are read at once
  private final List<AutoCloseable> opened = new ArrayList<>();
  private final List<HistoryCursor> readers = new ArrayList<>();
  private volatile boolean isOver; // for writers

  HistoryRound(Load load, boolean isTrace, int capacity, long seed) {
    super(load, seed);
    this.isTrace = isTrace;
    this.capacity = capacity;
    this.name = (isTrace ? "TraceLog(" : "HistoryRing(") + capacity + ")";
    this.state = () -> "read " + readers.stream().map(HistoryCursor::readCount).toList();
    this.close = this::closeAll;
    this.abandon = () -> {}; // no call waits
    this.window = Math.min(capacity, 64);
    this.onFull = OnFull.DROP_NEWEST; // claims are refused while an older record is written
  }

  private <T extends AutoCloseable> T open(T one) {
    opened.add(one);
    return one;
  }

  private void closeAll() {
    try {
      for (AutoCloseable one : opened.reversed()) {
        one.close();
      }
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
    opened.clear();
  }

  @Override
  Counts run() throws Exception {
    return isTrace ? runTrace(Files.createTempDirectory("millrace")) : runRing();
  }

  private Counts runRing() throws Exception {
    HistoryRing<Entry> ring = open(HistoryRing.multi(Entry.TYPE, capacity));
    for (int i = 0; i < load.producers; i++) {
      addWriter(i, ring.newProducer());
    }
    for (int i = 0; i < load.consumers; i++) {
      HistoryReader<Entry> reader = open(ring.newReader(window));
      addReader(
          reader,
          () -> reader.tryPoll() != null,
          () -> reader.at(0).wholeNumber(),
          () -> checkNewest(reader));
    }
    return run(ring::claimedCount, ring::refusedCount);
  }

  /** Checks the newest records, whatever was read before. */
  private void checkNewest(HistoryReader<Entry> reader) {
    Received received = new Received(load.producers, true);
    int count = reader.latest(window);
    for (int i = 0; i < count; i++) {
      received.take(reader.at(i).wholeNumber());
    }
  }

  private Counts runTrace(Path folder) throws Exception {
    Path file = folder.resolve("soak.telemetry");
    Telemetry.Options options = Telemetry.Options.defaults().withTrace(capacity, TRACE_BYTES);
    try {
      Telemetry telemetry = open(Telemetry.create(file, options));
      for (int i = 0; i < load.producers; i++) {
        addWriter(i, telemetry.newTraceWriter("" + i, "entry", Entry.TYPE));
      }
      for (int i = 0; i < load.consumers; i++) {
        TraceReader reader = open(open(TelemetryReader.open(file)).newTraceReader());
        Entry entry = reader.newView(Entry.TYPE);
        addReader(reader, reader::tryPoll, () -> numberOf(reader, entry), () -> {});
      }
      TelemetryReader log = open(telemetry.newReader());
      return run(log::traceClaimedCount, log::traceRefusedCount);
    } finally {
      Files.deleteIfExists(file);
      Files.delete(folder);
    }
  }

  /** The number of a record, whose text is its writer's name. */
  private long numberOf(TraceReader reader, Entry entry) {
    String said = reader.writer() + ", " + reader.text();
    String writer = "" + entry.wholeNumber() % load.producers;
    Counts.check(said.equals(writer + ", " + writer), "writer and text must agree", said);
    return entry.wholeNumber();
  }

  private void addWriter(int index, HistoryRecordProducer<Entry> end) {
    addSender(new In(end, "" + index), null, new Sent(index, load.producers, false));
  }

  /** Adds a reader, which reads the newest records besides in the form {@link Form#HAND}. */
  private void addReader(
      HistoryCursor reader, BooleanSupplier poll, LongSupplier number, Runnable newest) {
    readers.add(reader);
    boolean rests = readers.size() > 1;
    Source source =
        (form, limit, handler) -> {
          boolean wasOver = isOver;
          if (rests && !wasOver) {
            LockSupport.parkNanos(REST_NANOS);
          }
          if (form == Form.HAND) {
            newest.run();
          }
          if (!poll.getAsBoolean()) {
            return wasOver ? Source.DRAINED : 0;
          }
          handler.accept(number.getAsLong());
          return 1;
        };
    addReceiver(source, new Received(load.producers, true));
  }

  private Counts run(LongSupplier claimed, LongSupplier refused) throws Exception {
    startEnds();
    awaitSent();
    stop("producer");
    isOver = true;
    join();
    HistorySpec spec = new HistorySpec(claimed.getAsLong(), refused.getAsLong());
    Counts counts = spec.balance(senders.stream().map(sender -> sender.sent).toList());
    for (int i = 0; i < readers.size(); i++) {
      HistoryCursor its = readers.get(i);
      Received received = receivers.get(i).received;
      spec.check(received, its.readCount(), its.lostCount(), its.refusedCount());
      counts.add("read", its.readCount()).add("lost", its.lostCount());
    }
    return counts;
  }

  /** A writer. */
  private static final class In extends Sink.Of {
    private final HistoryRecordProducer<Entry> end;
    private final String name;

    In(HistoryRecordProducer<Entry> end, String name) {
      super(end);
      this.end = end;
      this.name = name;
    }

    /** Writes a record, and in a trace log the writer's name as text. */
    @Override
    public void write(int its, long number) {
      super.write(its, number);
      if (end instanceof TraceWriter<Entry> trace) {
        trace.text(name);
      }
    }

    @Override
    public boolean end(boolean commits, Fault fault) {
      long refused = end.refusedCount();
      return super.end(commits, fault) && end.refusedCount() == refused;
    }
  }
}
