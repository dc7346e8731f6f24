package dev.millrace.micrometer;

import dev.millrace.flyweight.internal.Checks;
import dev.millrace.telemetry.TelemetryReader;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Publishes the counters and gauges of telemetry to Micrometer: those of this process, or those in
 * the file of another process.
 *
 * {@snippet file="Examples.java" region="telemetry"}
 *
 * <p><b>Names.</b> The label {@code trades.highWater} becomes {@code
 * millrace.telemetry.trades.high.water}, with the tag {@code name}. Units are treated as in {@link
 * MeasuredMetrics}. If two labels have the same name in Micrometer, only the first one is
 * published. The gauge {@code millrace.telemetry.process.running} is 1 while the process that
 * writes the telemetry is running and its memory can be read, and otherwise 0.
 *
 * <p><b>Changes.</b> Counters and gauges that are made later are added when the registry reads any
 * of the meters, and those that were closed are removed. If a restarted service has replaced the
 * file, the meters of the old file are removed too.
 *
 * <p><b>Roles.</b> Any thread may call any method.
 *
 * <p><b>Lifetime.</b> The registry keeps this binder and the open file, until {@link #close()}
 * removes the meters and closes the file.
 *
 * <p><b>Failure.</b> A file that is missing, incomplete or damaged is tried again with each reading
 * of the registry. While nothing can be read, the meters keep their last values.
 *
 * <p><b>Cost.</b> The memory is read once each time that a registry reads all meters, in time
 * proportional to its capacity. Values may be up to a second old if a registry reads them at
 * different times.
 *
 * @since 0.1.0
 */
public final class TelemetryMetrics implements MeterBinder, AutoCloseable {
  private static final String PREFIX = "millrace.telemetry";
  private static final String RUNNING = "process.running";

  /** The values of one moment, and which of them a registry has already got. */
  private record Snapshot(long nanoTime, TelemetrySource.Values values, Set<String> served) {
    Snapshot(TelemetrySource.Values values) {
      this(System.nanoTime(), values, ConcurrentHashMap.newKeySet());
    }
  }

  /** A counter or gauge that is published. */
  private final class Series {
    private final String label;
    private final boolean isCounter;
    private final MeterName meter;
    private final List<BoundMeter> bound = new ArrayList<>(); // guarded by the lock
    private volatile long last;
    private volatile boolean isRemoved; // a registry may still be reading it

    Series(String label, boolean isCounter, MeterName meter) {
      this.label = label;
      this.isCounter = isCounter;
      this.meter = meter;
    }

    /** Returns the value, or the last one if there is none. */
    double value() {
      Long value = in(latest(label).values);
      if (value != null && !isRemoved) {
        last = value;
      }
      return last;
    }

    private @Nullable Long in(TelemetrySource.Values values) {
      return (isCounter ? values.counters() : values.gauges()).get(label);
    }

    /** Whether values are of this series. A counter that fell was closed, and this is a new one. */
    boolean isIn(TelemetrySource.Values values) {
      Long value = in(values);
      return value != null && (!isCounter || value >= last);
    }

    void remove() {
      isRemoved = true;
      bound.forEach(BoundMeter::remove);
    }

    void bindTo(MeterRegistry registry) {
      // the function refers to this object, so that the registry keeps it
      bound.add(
          new BoundMeter(
              registry, meter.register(registry, tags, label, isCounter, this, _ -> this.value())));
    }
  }

  private final String name;
  private final Tags tags;

  /**
   * Held by the thread that reads the source. A thread that reads meters never waits for it, since
   * it may hold locks of a registry, which the thread that adds meters needs.
   */
  private final ReentrantLock lock = new ReentrantLock();

  // guarded by the lock
  private final TelemetrySource source;
  private final List<MeterRegistry> registries = new ArrayList<>();
  private final Map<String, Series> series = new HashMap<>(); // by name in Micrometer
  private final List<BoundMeter> running = new ArrayList<>();
  private boolean isClosed;

  private volatile Snapshot snapshot =
      new Snapshot(new TelemetrySource.Values(0, Map.of(), Map.of(), false));

  private TelemetryMetrics(String name, TelemetrySource source) {
    this.name = name;
    this.tags = Tags.of("name", name);
    this.source = source;
  }

  /**
   * Makes a binder for the telemetry that a reader reads. To publish what this process counts
   * itself, pass {@code telemetry.newReader()}.
   *
   * @param name the value of the tag {@code name}
   * @param reader the reader, which {@link #close()} does not close
   * @return the binder
   */
  public static TelemetryMetrics of(String name, TelemetryReader reader) {
    Checks.notNull("name", name);
    return new TelemetryMetrics(name, new TelemetrySource(null, Checks.notNull("reader", reader)));
  }

  /**
   * Makes a binder for a telemetry file.
   *
   * @param name the value of the tag {@code name}
   * @param file the path. There need not be a file yet, and another file may replace it later
   * @return the binder
   */
  public static TelemetryMetrics ofFile(String name, Path file) {
    Checks.notNull("name", name);
    return new TelemetryMetrics(name, new TelemetrySource(Checks.notNull("file", file), null));
  }

  /**
   * Adds the meters to a registry.
   *
   * @param registry the registry
   * @throws IllegalArgumentException if the registry already has telemetry of this name
   * @throws IllegalStateException if the binder is closed
   */
  @Override
  public void bindTo(MeterRegistry registry) {
    Checks.notNull("registry", registry);
    lock.lock();
    try {
      if (isClosed) {
        throw new IllegalStateException("telemetry metrics are closed: " + this);
      }
      String meter = PREFIX + "." + RUNNING;
      if (registry.find(meter).tags(tags).meter() != null) {
        throw new IllegalArgumentException(
            "name is taken: the registry has a meter %s already, %s".formatted(meter, this));
      }
      Meter added =
          Gauge.builder(meter, this, _ -> this.running())
              .tags(tags)
              .description("Whether the process that writes the telemetry is running")
              .register(registry);
      running.add(new BoundMeter(registry, added));
      series.values().forEach(one -> one.bindTo(registry));
      registries.add(registry);
      refresh();
    } finally {
      lock.unlock();
    }
  }

  private double running() {
    return latest(RUNNING).values.isRunning() ? 1 : 0;
  }

  /**
   * Returns values that were not used for the same label before and are not too old, unless another
   * thread is reading them at the moment.
   */
  private Snapshot latest(String label) {
    Snapshot seen = snapshot;
    boolean isFresh =
        seen.served.add(label) && System.nanoTime() - seen.nanoTime <= Reading.MAX_AGE_NANOS;
    if (isFresh || lock.isHeldByCurrentThread() || !lock.tryLock()) {
      return seen;
    }
    try {
      if (!isClosed) {
        refresh();
      }
      boolean _ = snapshot.served.add(label);
      return snapshot;
    } finally {
      lock.unlock();
    }
  }

  /** Reads the source, adds meters for new labels and removes those of labels that are gone. */
  private void refresh() {
    TelemetrySource.Values before = snapshot.values;
    TelemetrySource.Values values = source.read();
    if (values == null) {
      snapshot =
          new Snapshot(
              new TelemetrySource.Values(
                  before.files(), before.counters(), before.gauges(), false));
      return;
    }
    boolean isOther = values.files() != before.files();
    Iterator<Series> all = series.values().iterator();
    while (all.hasNext()) {
      Series one = all.next();
      if (isOther || !one.isIn(values)) {
        one.remove();
        all.remove();
      }
    }
    snapshot = new Snapshot(values);
    addNew(values.counters(), true);
    addNew(values.gauges(), false);
  }

  private void addNew(Map<String, Long> values, boolean isCounter) {
    for (String label : values.keySet()) {
      MeterName meter = MeterName.of(PREFIX, label);
      boolean isFree = !meter.name().equals(PREFIX + "." + RUNNING);
      if (isFree && !series.containsKey(meter.name())) {
        Series one = new Series(label, isCounter, meter);
        series.put(meter.name(), one);
        registries.forEach(one::bindTo);
      }
    }
  }

  /** Removes the meters from all registries and closes the file. Repeated calls are allowed. */
  @Override
  public void close() {
    lock.lock();
    try {
      isClosed = true;
      running.forEach(BoundMeter::remove);
      series.values().forEach(Series::remove);
      running.clear();
      series.clear();
      registries.clear();
      source.close();
    } finally {
      lock.unlock();
    }
  }

  /** Returns the name, for debugging. */
  @Override
  public String toString() {
    return "TelemetryMetrics[name=%s]".formatted(Checks.shown(name));
  }
}
