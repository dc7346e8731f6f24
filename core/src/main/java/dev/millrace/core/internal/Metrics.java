package dev.millrace.core.internal;

import dev.millrace.core.Measured;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.ToLongFunction;

/**
 * The metrics of one kind of structure: each name with the function that reads its value.
 * Immutable. All structures of a kind share one such table and implement {@link Measured} with it.
 *
 * <p>Values are read from the last to the first. So if the second of two counts never exceeds the
 * first, as {@code taken} never exceeds {@code put}, the values read do not contradict that.
 */
public final class Metrics<T> {
  private final List<String> counters;
  private final List<String> gauges;
  private final List<ToLongFunction<? super T>> counterReaders;
  private final List<ToLongFunction<? super T>> gaugeReaders;

  private Metrics(
      List<String> counters,
      List<String> gauges,
      List<ToLongFunction<? super T>> counterReaders,
      List<ToLongFunction<? super T>> gaugeReaders) {
    this.counters = counters;
    this.gauges = gauges;
    this.counterReaders = counterReaders;
    this.gaugeReaders = gaugeReaders;
  }

  /** Makes a table without metrics, to which {@link #counter} and {@link #gauge} add. */
  public static <T> Metrics<T> none() {
    return new Metrics<>(List.of(), List.of(), List.of(), List.of());
  }

  /**
   * Makes a table that begins with the metrics of {@code general}, a more general kind of
   * structure.
   */
  public static <T> Metrics<T> of(Metrics<? super T> general) {
    return new Metrics<>(
        general.counters,
        general.gauges,
        List.copyOf(general.counterReaders),
        List.copyOf(general.gaugeReaders));
  }

  /** Returns a table with one more counter, a number that only rises. */
  public Metrics<T> counter(String name, ToLongFunction<? super T> reader) {
    return new Metrics<>(with(counters, name), gauges, with(counterReaders, reader), gaugeReaders);
  }

  /** Returns a table with one more gauge, a number that rises and falls. */
  public Metrics<T> gauge(String name, ToLongFunction<? super T> reader) {
    return new Metrics<>(counters, with(gauges, name), counterReaders, with(gaugeReaders, reader));
  }

  /**
   * Returns the kind of a structure, for systems that show its metrics: the simple name of its
   * public class, such as {@code RecordQueue} for a class that was generated for one type of
   * records, or {@code Measured} if it has none.
   */
  public static String kindOf(Measured structure) {
    Class<?> type = structure.getClass();
    while (!Modifier.isPublic(type.getModifiers())) {
      type = type.getSuperclass();
    }
    return type == Object.class ? "Measured" : type.getSimpleName();
  }

  private static <E> List<E> with(List<E> some, E one) {
    List<E> all = new ArrayList<>(some);
    all.add(one);
    return List.copyOf(all);
  }

  /** Returns the names of the counters in the order in which they were added. */
  public List<String> counters() {
    return counters;
  }

  /** Returns the names of the gauges in the order in which they were added. */
  public List<String> gauges() {
    return gauges;
  }

  /**
   * Reads all values into {@code values} as {@link Measured#readMetrics} specifies: the counters,
   * then the gauges. Allocates nothing. Throws {@link IndexOutOfBoundsException} if the array is
   * too short.
   */
  public void read(T structure, long[] values) {
    Objects.checkFromIndexSize(counters.size(), gauges.size(), values.length);
    Arrays.fill(values, 0, counters.size() + gauges.size(), 0);
    addTo(structure, values, 0, counters.size());
  }

  /**
   * Adds each value to an element of {@code values}: the counters from index {@code counter} on,
   * the gauges from index {@code gauge} on.
   */
  public void addTo(T structure, long[] values, int counter, int gauge) {
    for (int i = gauges.size() - 1; i >= 0; i--) {
      values[gauge + i] += gaugeReaders.get(i).applyAsLong(structure);
    }
    for (int i = counters.size() - 1; i >= 0; i--) {
      values[counter + i] += counterReaders.get(i).applyAsLong(structure);
    }
  }
}
