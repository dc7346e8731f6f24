package dev.millrace.bench.compare;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.millrace.bench.harness.Table;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.DoubleStream;
import java.util.stream.StreamSupport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command that makes a table in Markdown of what JMH has measured. */
@Command(
    name = "table",
    description =
        "Makes a table of what JMH wrote by -rf json: the mean of all iterations, and the least and"
            + " the most.",
    mixinStandardHelpOptions = true)
final class TableCommand implements Callable<Integer> {
  private static final String THREADS = "threads";
  private static final double NANOS_PER_MICRO = 1e3;

  @Spec private CommandSpec spec;

  @Option(
      names = "--columns",
      split = ",",
      description = "the parameters to make columns of, or threads")
  private List<String> columns = List.of(THREADS);

  @Option(names = "--metric", description = "a secondary metric instead of the score")
  private String metric;

  @Option(names = "--nanos", description = "the time of one, where JMH has how many in a us")
  private boolean isInverted;

  @Parameters(arity = "1..*", paramLabel = "FILE", description = "what JMH wrote")
  private List<Path> files;

  private final Map<String, Map<String, String>> rows = new LinkedHashMap<>();

  @Override
  public Integer call() throws IOException {
    for (Path file : files) {
      for (JsonNode entry : new ObjectMapper().readTree(file.toFile())) {
        add(file, entry);
      }
    }
    spec.commandLine().getOut().print(Table.ofCells("", rows).markdown());
    spec.commandLine().getOut().flush();
    return 0;
  }

  private void add(Path file, JsonNode entry) {
    String benchmark = entry.path("benchmark").asText();
    Map<String, String> values = new LinkedHashMap<>();
    values.put("benchmark", benchmark.substring(benchmark.lastIndexOf('.') + 1));
    entry
        .path("params")
        .properties()
        .forEach(one -> values.put(one.getKey(), one.getValue().asText()));
    if (columns.contains(THREADS)) {
      values.put(THREADS, entry.path(THREADS).asText());
    }
    List<String> heads = columns.stream().map(values::remove).toList();
    JsonNode figures =
        metric == null ? entry.path("primaryMetric") : entry.path("secondaryMetrics").path(metric);
    if (heads.stream().anyMatch(Objects::isNull) || figures.isMissingNode()) {
      throw new ParameterException(
          spec.commandLine(),
          "--columns and --metric must be of the benchmark: %s, columns=%s, metric=%s, file=%s"
              .formatted(benchmark, String.join(",", columns), metric, file));
    }
    String unit = isInverted ? "ns" : figures.path("scoreUnit").asText();
    rows.computeIfAbsent(
            String.join(", ", values.values()) + ", " + unit, _ -> new LinkedHashMap<>())
        .put(String.join(", ", heads), text(iterations(figures)));
  }

  /** Of all forks. */
  private double[] iterations(JsonNode figures) {
    return StreamSupport.stream(figures.path("rawData").spliterator(), false)
        .flatMap(fork -> StreamSupport.stream(fork.spliterator(), false))
        .mapToDouble(JsonNode::asDouble)
        .map(one -> isInverted ? NANOS_PER_MICRO / one : one)
        .toArray();
  }

  private static String text(double... figures) {
    var all = DoubleStream.of(figures).summaryStatistics();
    return "%s (%s..%s)"
        .formatted(digits(all.getAverage()), digits(all.getMin()), digits(all.getMax()));
  }

  private static String digits(double figure) {
    return Table.format(figure < 1 ? "%.3f" : figure < 10 ? "%.2f" : "%,.1f", figure);
  }
}
