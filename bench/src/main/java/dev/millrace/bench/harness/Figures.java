package dev.millrace.bench.harness;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What contenders have found, by the names of the figures, in the order in which they came.
 *
 * @param <C> what a contender is
 */
public final class Figures<C> {
  private final Map<String, Map<C, List<Double>>> values = new LinkedHashMap<>();

  /** Adds the figures of one JVM. */
  public void add(C contender, Map<String, Double> figures) {
    figures.forEach(
        (name, value) ->
            values
                .computeIfAbsent(name, _ -> new LinkedHashMap<>())
                .computeIfAbsent(contender, _ -> new ArrayList<>())
                .add(value));
  }

  /** Medians, with a row for each figure and a column for each contender that has one. */
  public Table medians(List<C> contenders, String format) {
    Map<String, Map<String, String>> rows = new LinkedHashMap<>();
    for (C contender : contenders) {
      for (String name : values.keySet()) {
        double[] of = of(name, contender);
        if (of.length > 0) {
          rows.computeIfAbsent(name, _ -> new LinkedHashMap<>())
              .put(contender.toString(), Table.format(format, Samples.median(of)));
        }
      }
    }
    return Table.ofCells("medians", rows);
  }

  /** Adds a row that compares a figure of two contenders, if both have it. */
  public void addRatio(
      List<List<String>> rows, String name, C ours, C other, Better better, String format) {
    double[] our = of(name, ours);
    double[] their = of(name, other);
    if (our.length > 0 && their.length > 0) {
      List<String> row = new ArrayList<>(List.of(name, other.toString()));
      row.addAll(better.cells(format, our, their));
      rows.add(row);
    }
  }

  /** The table of such rows. */
  public Table ratios(C ours, List<List<String>> rows) {
    return Table.of("ratios", ";against;#%s;#the other;#ratio;#95 %%".formatted(ours), rows);
  }

  private double[] of(String name, C contender) {
    return values.getOrDefault(name, Map.of()).getOrDefault(contender, List.of()).stream()
        .mapToDouble(Double::doubleValue)
        .toArray();
  }
}
