package dev.millrace.telemetry;

import dev.millrace.core.Measured;
import dev.millrace.flyweight.FlyweightType;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;

/** The examples of the Javadoc, compiled. */
final class Snippets {
  interface RejectedTrade {
    double price();

    RejectedTrade price(double value);

    double volume();

    RejectedTrade volume(double value);
  }

  void create(Measured queue) throws IOException {
    // @start region="create"
    try (Telemetry telemetry =
        Telemetry.create(Path.of("service.telemetry"), Telemetry.Options.defaults())) {
      Counter orders = telemetry.counter("orders");
      telemetry.report("orders.queue", queue); // one line, and it reports itself
      orders.increment();
    }
    // @end
  }

  void counters(Telemetry telemetry) {
    // @start region="counters"
    Counter orders = telemetry.counter("orders"); // any thread adds
    Counter hits = telemetry.counter("hits", 8); // many threads add at once
    Counter polls = telemetry.soleWriterCounter("polls"); // one thread adds
    // @end
    orders.increment();
    hits.increment();
    polls.increment();
  }

  void gauge(Telemetry telemetry, long size) {
    // @start region="gauge"
    Gauge depth = telemetry.gauge("depth");
    depth.set(size);
    // @end
  }

  void read() throws IOException {
    // @start region="read"
    try (TelemetryReader reader = TelemetryReader.open(Path.of("service.telemetry"))) {
      reader.counters().forEach((label, value) -> System.out.println(label + " " + value));
      System.out.println(reader.gauges().get("depth"));
    }
    // @end
  }

  void write(Telemetry telemetry, double price, double volume) {
    // @start region="write"
    TraceWriter<RejectedTrade> rejected = // one for each thread and type
        telemetry.newTraceWriter("feed-1", "rejected", FlyweightType.of(RejectedTrade.class));

    RejectedTrade record = rejected.tryClaim();
    if (record != null) { // else refused or left out, and counted
      record.price(price).volume(volume);
      rejected.text("no such symbol");
      rejected.commit();
    }
    rejected.close(); // when the thread is done
    // @end
  }

  void readTrace(TraceReader reader, Instant from, Instant to) {
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
