import dev.millrace.core.Measured;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.telemetry.Counter;
import dev.millrace.telemetry.Gauge;
import dev.millrace.telemetry.MeasuredBean;
import dev.millrace.telemetry.Telemetry;
import dev.millrace.telemetry.TelemetryReader;
import dev.millrace.telemetry.TraceReader;
import dev.millrace.telemetry.TraceWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;

/** The examples in this package's documentation. The build runs every line of them. */
final class Examples {
  interface RejectedTrade {
    double price();

    RejectedTrade price(double value);

    double volume();

    RejectedTrade volume(double value);
  }

  /** Stands in for a queue. */
  private static final class Source implements Measured {
    @Override
    public List<String> counters() {
      return List.of("consumed");
    }

    @Override
    public List<String> gauges() {
      return List.of("size");
    }

    @Override
    public void readMetrics(long[] values) {
      values[0] = 7;
      values[1] = 3;
    }
  }

  void createAndRead() throws IOException {
    Path directory = Files.createTempDirectory("millrace-telemetry");
    Path file = directory.resolve("service.telemetry");
    Measured queue = new Source();
    // @start region="create"
    try (Telemetry telemetry = Telemetry.create(file, Telemetry.Options.defaults())) {
      Counter orders = telemetry.counter("orders");
      telemetry.report("orders.queue", queue); // samples the queue from now on
      orders.increment();
    }
    // @end
    read(file);
    Files.delete(file);
    Files.delete(directory);
  }

  private static void read(Path file) throws IOException {
    // @start region="read"
    try (TelemetryReader reader = TelemetryReader.open(file)) {
      reader.counters().forEach((label, value) -> System.out.println(label + " " + value));
      System.out.println(reader.gauges().get("orders.queue.size"));
    }
    // @end
  }

  void counters() {
    try (Telemetry telemetry = Telemetry.inMemory(Telemetry.Options.defaults())) {
      // @start region="counters"
      Counter orders = telemetry.counter("orders"); // any thread adds
      Counter hits = telemetry.counter("hits", 8); // many threads add at once
      Counter polls = telemetry.soleWriterCounter("polls"); // one thread adds
      // @end
      orders.increment();
      hits.increment();
      polls.increment();
    }
  }

  void gauge() {
    try (Telemetry telemetry = Telemetry.inMemory(Telemetry.Options.defaults())) {
      // @start region="gauge"
      Gauge depth = telemetry.gauge("depth");
      depth.set(42);
      // @end
      assert telemetry.newReader().gauges().get("depth") == 42;
    }
  }

  void bean() {
    Measured queue = new Source();
    // @start region="bean"
    MeasuredBean bean = MeasuredBean.register("orders", queue);
    System.out.println(bean.objectName()); // until bean.close()
    // @end
    bean.close();
  }

  void writeAndReadTrace() {
    Instant from = Instant.now().minusSeconds(60);
    Telemetry.Options options = Telemetry.Options.defaults().withTrace(1_000, 256);
    try (Telemetry telemetry = Telemetry.inMemory(options)) {
      write(telemetry, 100.25, 2);
      readTrace(telemetry.newReader().newTraceReader(), from, from.plusSeconds(3_600));
    }
  }

  private static void write(Telemetry telemetry, double price, double volume) {
    // @start region="write"
    TraceWriter<RejectedTrade> rejected = // one for each thread and type
        telemetry.newTraceWriter("feed-1", "rejected", FlyweightType.of(RejectedTrade.class));

    RejectedTrade record = rejected.tryClaim();
    if (record != null) { // otherwise it was refused or left out, and counted
      record.price(price).volume(volume);
      rejected.text("no such symbol");
      rejected.commit();
    }
    rejected.close(); // when the thread is done
    // @end
  }

  private static void readTrace(TraceReader reader, Instant from, Instant to) {
    // @start region="read-trace"
    RejectedTrade rejected = reader.newView(FlyweightType.of(RejectedTrade.class));
    while (reader.tryPoll()) { // in order, each record once
      if (reader.type().equals("rejected")) {
        System.out.println(reader.time() + " " + rejected.price() + " " + reader.text());
      }
    }

    reader.seek(from); // between two times
    while (reader.tryPoll() && reader.time().isBefore(to)) {
      System.out.println(reader.writer() + " " + reader.text());
    }
    // @end
  }
}
