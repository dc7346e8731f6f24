package dev.millrace.micrometer;

import dev.millrace.core.Measured;
import dev.millrace.core.internal.Metrics;
import dev.millrace.flyweight.internal.Checks;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Publishes the metrics of a queue, a log, a ring, a pipeline, a cache or any other {@link
 * Measured} object to Micrometer.
 *
 * {@snippet file="Examples.java" region="measured"}
 *
 * <p><b>Names.</b> The metric {@code highWater} of an {@code SpscQueue} becomes {@code
 * millrace.queue.high.water}: the second word is the last one of the type's name. Each meter has
 * three tags. {@code name} is the name that was given here. {@code kind} is the type, such as
 * {@code SpscQueue}. {@code part} is the shard or the stage, or {@code none}. Counters become
 * function counters, and gauges become gauges. A name that ends in {@code Bytes} gets bytes as its
 * base unit, one that ends in {@code Nanos} becomes a time gauge, and one that ends in {@code
 * Thousandths} becomes a gauge with a fraction. The meter's name does not repeat that word.
 *
 * <p><b>Roles.</b> Any thread may call any method. The object is read by the threads that read the
 * registry, one at a time.
 *
 * <p><b>Lifetime.</b> Neither this binder nor its meters keep the object from being
 * garbage-collected. Once it is collected, its gauges are {@code NaN}, and its counters keep their
 * last value. A closed object that is still reachable reports what its type documents: for queues
 * the final counts, and a size of zero. Counters never fall, even if records that were committed
 * are lost when a queue is closed. In both cases the meters stay in the registry until {@link
 * #close()} removes them.
 *
 * <p><b>Failure.</b> If the object throws while it is read, its gauges are {@code NaN}, its
 * counters keep their last value, and Micrometer logs the exception.
 *
 * <p><b>Cost.</b> The object is read once each time that a registry reads all of its meters. Values
 * may be up to a second old if a registry reads them at different times.
 *
 * @since 0.1.0
 */
public final class MeasuredMetrics implements MeterBinder, AutoCloseable {
  private final String name;
  private final String kind;
  private final Tags tags;
  private final WeakReference<Measured> measured;
  private final List<String> counters;
  private final List<String> gauges;
  private final Reading reading;

  private final List<BoundMeter> bound = new ArrayList<>(); // guarded by this

  private MeasuredMetrics(String name, Measured measured, Iterable<Tag> tags) {
    this.name = name;
    this.kind = Metrics.kindOf(measured);
    this.tags = Tags.of(tags).and("name", name, "kind", kind);
    this.measured = new WeakReference<>(measured);
    this.counters = List.copyOf(measured.counters());
    this.gauges = List.copyOf(measured.gauges());
    this.reading = new Reading(counters.size(), gauges.size());
  }

  /**
   * Makes a binder for an object's metrics.
   *
   * @param name the value of the tag {@code name}. It distinguishes this object from others of the
   *     same kind
   * @param measured the object. Keep a reference to it, because this binder does not
   * @return the binder
   */
  public static MeasuredMetrics of(String name, Measured measured) {
    return of(name, measured, Tags.empty());
  }

  /**
   * Makes a binder for an object's metrics, with more tags.
   *
   * @param name the value of the tag {@code name}. It distinguishes this object from others of the
   *     same kind
   * @param measured the object. Keep a reference to it, because this binder does not
   * @param tags tags for all meters. Prometheus requires meters of one name to have the same tag
   *     keys
   * @return the binder
   */
  public static MeasuredMetrics of(String name, Measured measured, Iterable<Tag> tags) {
    Checks.notNull("name", name);
    Checks.notNull("measured", measured);
    Checks.notNull("tags", tags);
    return new MeasuredMetrics(name, measured, tags);
  }

  /**
   * Adds the object's meters to a registry.
   *
   * @param registry the registry
   * @throws IllegalArgumentException if the registry already has meters with these tags, for
   *     example of another queue of the same name and kind
   * @throws IllegalStateException if the object has been garbage-collected
   */
  @Override
  public synchronized void bindTo(MeterRegistry registry) {
    Checks.notNull("registry", registry);
    Measured source = measured.get();
    if (source == null) {
      throw new IllegalStateException(
          "measured object was garbage-collected, keep a reference to it: " + this);
    }
    for (int i = 0; i < counters.size() + gauges.size(); i++) {
      add(registry, source, i);
    }
  }

  private void add(MeterRegistry registry, Measured source, int index) {
    boolean isCounter = index < counters.size();
    String metric = isCounter ? counters.get(index) : gauges.get(index - counters.size());
    int dot = metric.lastIndexOf('.');
    MeterName meter = MeterName.of(prefix(), metric.substring(dot + 1));
    Tags all = tags.and("part", dot < 0 ? "none" : metric.substring(0, dot));
    if (index == 0 && registry.find(meter.name()).tags(all).meter() != null) {
      throw new IllegalArgumentException(
          "name is taken: the registry has a meter %s already, %s".formatted(meter.name(), this));
    }
    // a function without the source, to which meters may refer only weakly
    Reading its = reading;
    bound.add(
        new BoundMeter(
            registry,
            meter.register(
                registry,
                all,
                metric,
                isCounter,
                source,
                isCounter ? one -> its.counter(one, index) : one -> its.gauge(one, index))));
  }

  /** Returns the beginning of all names: the last word of the type's name says what it is. */
  private String prefix() {
    int word = kind.length() - 1;
    while (word > 0 && !Character.isUpperCase(kind.charAt(word))) {
      word--;
    }
    return "millrace." + kind.substring(word).toLowerCase(Locale.ROOT);
  }

  /** Removes the meters from all registries. Repeated calls are allowed. */
  @Override
  public synchronized void close() {
    bound.forEach(BoundMeter::remove);
    bound.clear();
  }

  /** Returns the name and the kind, for debugging. */
  @Override
  public String toString() {
    return "MeasuredMetrics[name=%s, kind=%s]".formatted(Checks.shown(name), kind);
  }
}
