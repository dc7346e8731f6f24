package dev.millrace.bench.telemetry;

import dev.millrace.bench.Tick;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.telemetry.Counter;
import dev.millrace.telemetry.Telemetry;
import dev.millrace.telemetry.TraceWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Function;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.broadcast.BroadcastBufferDescriptor;
import org.agrona.concurrent.broadcast.BroadcastTransmitter;
import org.agrona.concurrent.status.AtomicCounter;
import org.agrona.concurrent.status.CountersManager;

/** Who tells, by name. Records are of three numbers; a counter adds one. */
final class Recorders {
  private static final int RECORDS = 1 << 12;
  private static final int RECORD_BYTES = 16 + 24;
  private static final int BYTES = 1 << 18; // as many records of Agrona's, each with its header

  private Recorders() {}

  static Recorder of(String name) {
    return switch (name) {
      case "millrace" -> trace(Telemetry.inMemory(sole()), true);
      case "millrace-file" -> trace(inFile(sole()), true);
      case "millrace-time-given" -> trace(Telemetry.inMemory(sole()), false);
      case "millrace-many" -> trace(Telemetry.inMemory(many()), true);
      case "millrace-many-time-given" -> trace(Telemetry.inMemory(many()), false);
      case "agrona-broadcast" -> new Broadcast(true);
      case "agrona-broadcast-no-time" -> new Broadcast(false);
      case "log4j-async" -> new Log4j();
      case "jfr" -> new FlightRecorder();
      case "millrace-counter" -> counter(telemetry -> telemetry.counter("benchmark"));
      case "millrace-sole-counter" ->
          counter(telemetry -> telemetry.soleWriterCounter("benchmark"));
      case "agrona-counter" -> agronaCounter(AtomicCounter::increment);
      case "agrona-sole-counter" -> agronaCounter(AtomicCounter::incrementRelease);
      default -> throw new IllegalArgumentException("recorder must be one of them: name=" + name);
    };
  }

  // ---- ours ----

  private static Telemetry.Options sole() {
    return Telemetry.Options.defaults().withTraceOfOneWriter(RECORDS, RECORD_BYTES);
  }

  private static Telemetry.Options many() {
    return Telemetry.Options.defaults().withTrace(RECORDS, RECORD_BYTES);
  }

  private static Telemetry inFile(Telemetry.Options options) {
    try {
      Path file = Files.createTempDirectory("millrace").resolve("benchmark.telemetry");
      file.toFile().deleteOnExit();
      return Telemetry.create(file, options);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Recorder trace(Telemetry telemetry, boolean readsClock) {
    TraceWriter<Tick> writer =
        telemetry.newTraceWriter("benchmark", "tick", FlyweightType.of(Tick::new));
    return readsClock ? new Trace(telemetry, writer) : new TraceAtGivenTime(telemetry, writer);
  }

  private record Trace(Telemetry telemetry, TraceWriter<Tick> writer) implements Recorder {
    @Override
    public void record(long number) {
      TraceWriter<Tick> local = writer; // or it is read, and checked, three times
      Tick record = local.tryClaim();
      if (record != null) {
        record.set(number);
        local.commit();
      }
    }

    @Override
    public void close() {
      telemetry.close();
    }
  }

  private record TraceAtGivenTime(Telemetry telemetry, TraceWriter<Tick> writer)
      implements Recorder {
    @Override
    public void record(long number) {
      TraceWriter<Tick> local = writer;
      Tick record = local.tryClaimAt(number);
      if (record != null) {
        record.set(number);
        local.commit();
      }
    }

    @Override
    public void close() {
      telemetry.close();
    }
  }

  private static Recorder counter(Function<Telemetry, Counter> counters) {
    Telemetry telemetry = Telemetry.inMemory(Telemetry.Options.defaults());
    return new Count(telemetry, counters.apply(telemetry));
  }

  private record Count(Telemetry telemetry, Counter counter) implements Recorder {
    @Override
    public void record(long number) {
      counter.increment();
    }

    @Override
    public void close() {
      telemetry.close();
    }
  }

  // ---- Agrona's ----

  /** Copies a record that is written elsewhere first, as its users must. */
  private static final class Broadcast implements Recorder {
    private static final int TICK = 1;

    private final boolean readsClock;
    private final BroadcastTransmitter transmitter =
        new BroadcastTransmitter(
            new UnsafeBuffer(
                ByteBuffer.allocateDirect(BYTES + BroadcastBufferDescriptor.TRAILER_LENGTH)));
    private final UnsafeBuffer tick;

    Broadcast(boolean readsClock) {
      this.readsClock = readsClock;
      this.tick = new UnsafeBuffer(ByteBuffer.allocateDirect(readsClock ? 32 : 24));
    }

    @Override
    public void record(long number) {
      tick.putLong(0, number);
      tick.putLong(8, number + 1);
      tick.putLong(16, number + 2);
      if (readsClock) {
        tick.putLong(24, System.nanoTime());
      }
      transmitter.transmit(TICK, tick, 0, tick.capacity());
    }

    @Override
    public void close() {
      // nothing
    }
  }

  /** A way to add one. */
  private interface Increment {
    void to(AtomicCounter counter);
  }

  private static Recorder agronaCounter(Increment increment) {
    CountersManager counters =
        new CountersManager(
            new UnsafeBuffer(ByteBuffer.allocateDirect(1 << 16)),
            new UnsafeBuffer(ByteBuffer.allocateDirect(1 << 14)));
    return new AgronaCount(counters.newCounter("benchmark"), increment);
  }

  private record AgronaCount(AtomicCounter counter, Increment increment) implements Recorder {
    @Override
    public void record(long number) {
      increment.to(counter);
    }

    @Override
    public void close() {
      counter.close();
    }
  }
}
