package dev.millrace.bench.telemetry;

import static org.apache.logging.log4j.util.Unbox.box;

import dev.millrace.bench.Tick;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.telemetry.Counter;
import dev.millrace.telemetry.Telemetry;
import dev.millrace.telemetry.TraceWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.LongConsumer;
import jdk.jfr.Event;
import jdk.jfr.Name;
import jdk.jfr.Recording;
import jdk.jfr.StackTrace;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.broadcast.BroadcastBufferDescriptor;
import org.agrona.concurrent.broadcast.BroadcastTransmitter;
import org.agrona.concurrent.status.AtomicCounter;
import org.agrona.concurrent.status.CountersManager;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;
import org.apache.logging.log4j.core.async.AsyncLogger;
import org.apache.logging.log4j.core.config.Configurator;
import org.apache.logging.log4j.core.config.builder.api.ConfigurationBuilder;
import org.apache.logging.log4j.core.config.builder.api.ConfigurationBuilderFactory;
import org.apache.logging.log4j.core.config.builder.impl.BuiltConfiguration;

/**
 * What a number is told to, whether or not anybody listens. Records are of three numbers; a counter
 * adds one. Each JVM makes one recorder, so that calls are direct.
 *
 * @param numbers takes the number
 * @param closing frees what was made
 */
record Recorder(LongConsumer numbers, AutoCloseable closing) {
  private static final int RECORDS = 1 << 12;
  private static final int RECORD_BYTES = 16 + 24;
  private static final int BYTES = 1 << 18; // as many records of Agrona's, each with its header

  static Recorder of(String name) throws IOException {
    return switch (name) {
      case "millrace" -> trace(Telemetry.inMemory(sole()), true);
      case "millrace-file" -> trace(Telemetry.create(file(".telemetry"), sole()), true);
      case "millrace-time-given" -> trace(Telemetry.inMemory(sole()), false);
      case "millrace-many" -> trace(Telemetry.inMemory(many()), true);
      case "millrace-many-time-given" -> trace(Telemetry.inMemory(many()), false);
      case "agrona-broadcast" -> broadcast(true);
      case "agrona-broadcast-no-time" -> broadcast(false);
      case "log4j-async" -> log4j();
      case "jfr" -> flightRecorder();
      case "millrace-counter" -> counter(false);
      case "millrace-sole-counter" -> counter(true);
      case "agrona-counter" -> {
        AtomicCounter counter = agronaCounter();
        yield new Recorder(_ -> counter.increment(), counter);
      }
      case "agrona-sole-counter" -> {
        AtomicCounter counter = agronaCounter();
        yield new Recorder(_ -> counter.incrementRelease(), counter);
      }
      default -> throw new IllegalArgumentException("recorder must be one of them: name=" + name);
    };
  }

  /** A file that does not exist, and is gone once the JVM has ended. */
  private static Path file(String suffix) throws IOException {
    Path file = Files.createTempDirectory("millrace").resolve("benchmark" + suffix);
    file.toFile().deleteOnExit();
    return file;
  }

  // ---- ours ----

  private static Telemetry.Options sole() {
    return Telemetry.Options.defaults().withTraceOfOneWriter(RECORDS, RECORD_BYTES);
  }

  private static Telemetry.Options many() {
    return Telemetry.Options.defaults().withTrace(RECORDS, RECORD_BYTES);
  }

  private static Recorder trace(Telemetry telemetry, boolean readsClock) {
    TraceWriter<Tick> writer =
        telemetry.newTraceWriter("benchmark", "tick", FlyweightType.of(Tick::new));
    return new Recorder(
        readsClock
            ? number -> commit(writer, writer.tryClaim(), number)
            : number -> commit(writer, writer.tryClaimAt(number), number),
        telemetry);
  }

  private static void commit(TraceWriter<Tick> writer, Tick claimed, long number) {
    if (claimed != null) {
      claimed.set(number);
      writer.commit();
    }
  }

  private static Recorder counter(boolean isOfSoleWriter) {
    Telemetry telemetry = Telemetry.inMemory(Telemetry.Options.defaults());
    Counter counter =
        isOfSoleWriter ? telemetry.soleWriterCounter("benchmark") : telemetry.counter("benchmark");
    return new Recorder(_ -> counter.increment(), telemetry);
  }

  // ---- Agrona's ----

  /** Copies a record that is written elsewhere first, as its users must. */
  private static Recorder broadcast(boolean readsClock) {
    BroadcastTransmitter transmitter =
        new BroadcastTransmitter(
            new UnsafeBuffer(
                ByteBuffer.allocateDirect(BYTES + BroadcastBufferDescriptor.TRAILER_LENGTH)));
    UnsafeBuffer tick = new UnsafeBuffer(ByteBuffer.allocateDirect(readsClock ? 32 : 24));
    return new Recorder(
        number -> {
          tick.putLong(0, number);
          tick.putLong(8, number + 1);
          tick.putLong(16, number + 2);
          if (readsClock) {
            tick.putLong(24, System.nanoTime());
          }
          transmitter.transmit(1, tick, 0, tick.capacity());
        },
        () -> {});
  }

  private static AtomicCounter agronaCounter() {
    return new CountersManager(
            new UnsafeBuffer(ByteBuffer.allocateDirect(1 << 16)),
            new UnsafeBuffer(ByteBuffer.allocateDirect(1 << 14)))
        .newCounter("benchmark");
  }

  // ---- the JDK's and Log4j's ----

  @Name("dev.millrace.Tick")
  @StackTrace(false)
  static final class TickEvent extends Event {
    long time;
    long price;
    long volume;
  }

  /** An event of the JDK's flight recorder, without a stack trace, in a recording that runs. */
  private static Recorder flightRecorder() {
    Recording recording = new Recording();
    recording.enable(TickEvent.class).withoutThreshold();
    recording.setMaxSize(1 << 26);
    recording.start();
    return new Recorder(
        number -> {
          TickEvent event = new TickEvent();
          event.time = number;
          event.price = number + 1;
          event.volume = number + 2;
          event.commit();
        },
        recording);
  }

  /**
   * Log4j 2 with all loggers asynchronous, into a file, numbers without boxing. Its context
   * selector is chosen by a property of the JVM.
   */
  private static Recorder log4j() throws IOException {
    ConfigurationBuilder<BuiltConfiguration> builder =
        ConfigurationBuilderFactory.newConfigurationBuilder();
    builder.add(
        builder
            .newAppender("file", "RandomAccessFile")
            .addAttribute("fileName", file(".log").toString())
            .addAttribute("immediateFlush", false)
            .add(
                builder
                    .newLayout("PatternLayout")
                    .addAttribute("pattern", "%d{UNIX_MILLIS} %m%n")));
    builder.add(builder.newRootLogger(Level.INFO).add(builder.newAppenderRef("file")));
    Configurator.reconfigure(builder.build());
    Logger logger = LogManager.getLogger("benchmark");
    if (!(logger instanceof AsyncLogger)) {
      throw new IllegalStateException(
          "loggers must be asynchronous, see log4j2.contextSelector: logger=" + logger.getClass());
    }
    return new Recorder(
        number -> logger.info("{} {} {}", box(number), box(number + 1), box(number + 2)),
        LogManager::shutdown);
  }
}
