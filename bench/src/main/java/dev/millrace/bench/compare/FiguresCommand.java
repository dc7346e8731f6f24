package dev.millrace.bench.compare;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import de.siegmar.fastcsv.writer.CsvWriter;
import de.siegmar.fastcsv.writer.LineDelimiter;
import dev.millrace.bench.compare.Sample.Placement;
import dev.millrace.bench.harness.Latencies;
import dev.millrace.bench.harness.RoundsCommand;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * The command that condenses raw results, of any of these commands or of JMH, to the small table in
 * CSV that a document cites: a line for all samples of the same settings.
 */
@Command(
    name = "figures",
    description =
        "Condenses raw results, or what JMH wrote by -rf json, to CSV: the median, least and most"
            + " of all samples with the same settings.",
    mixinStandardHelpOptions = true)
final class FiguresCommand implements Callable<Integer> {
  private static final List<String> SAMPLES = List.of("samples", "footprints", "runs", "results");
  private static final String CORES = "cores";
  private static final int DATE_LENGTH = 10;

  /** Whole samples, what does not differ between settings, and what no document cites. */
  private static final Pattern LEFT_OUT =
      Pattern.compile(
          "(?!job\\.)(.*\\.)?(round|times|pauses|failed(Sends|Receives)|stolen|cutShort|example"
              + "|wrong|flags|forks|j(vm|dk|mh)\\w*|vm\\w*|(warmup|measurement)\\w+|gc\\.(count|alloc\\.rate|time)"
              + "|score(Confidence|Percentiles\\.(?!(50|99)\\.0).*)|p[01]\\.\\d+|rawDataHistogram)"
              + "|secondaryMetrics\\..*\\.(scorePercentiles|rawData)");

  /** Numbers that are settings. */
  private static final Pattern SETTING =
      Pattern.compile(
          "(.*\\.)?(idle|threads|publishers|perSecondWanted|capacity|(params|settings|job|trial)\\..*)");

  /** Times of candles, which are kept as histograms alone. */
  private static final Pattern HISTOGRAM =
      Pattern.compile("result\\.((writes|queries)\\.times|behind)");

  private static final List<Double> RANKS = List.of(50.0, 90.0, 99.0, 99.9, 99.99, 100.0);

  @Spec private CommandSpec spec;

  @Option(names = "--to", description = "the tables' folder, by default among the results")
  private Path folder = RoundsCommand.TARGET.resolve("figures");

  @Option(
      names = "--as",
      description =
          "names the table by the day of the run and by this, instead of by the raw file: --as"
              + " quick makes 2026-11-25-quick.csv")
  private String name;

  @Parameters(arity = "1..*", paramLabel = "FILE", description = "raw results")
  private List<Path> files;

  @Override
  public Integer call() throws IOException {
    Files.createDirectories(folder);
    if (name != null && files.size() > 1) {
      throw new ParameterException(
          spec.commandLine(),
          "--as names one table, and there are %d files".formatted(files.size()));
    }
    for (Path file : files) {
      JsonNode all = new ObjectMapper().readTree(file.toFile());
      JsonNode samples = samples(file, all);
      Path table = folder.resolve(name(file, all) + ".csv");
      write(table, facts(all), groups(samples));
      spec.commandLine().getOut().println("figures: " + table.toAbsolutePath().normalize());
    }
    return 0;
  }

  private String name(Path file, JsonNode all) {
    if (name == null) {
      return file.getFileName().toString().replaceFirst("\\.json$", "");
    }
    String started = all.path("started").asText();
    if (started.length() < DATE_LENGTH) {
      throw new ParameterException(
          spec.commandLine(), "--as needs the day of the run, which is not in this file: " + file);
    }
    return started.substring(0, DATE_LENGTH) + "-" + name;
  }

  private JsonNode samples(Path file, JsonNode all) {
    if (all.isArray()) {
      return all;
    }
    return SAMPLES.stream()
        .map(all::path)
        .filter(some -> some.isArray() && !some.isEmpty())
        .findFirst()
        .orElseThrow(
            () -> new ParameterException(spec.commandLine(), "no samples in this file: " + file));
  }

  /** What a run says of itself: its command, its date, its machine. */
  private static String facts(JsonNode all) {
    Map<String, String> facts = new LinkedHashMap<>();
    for (String name : List.of("command", "started", "machine", "facts", "versions")) {
      JsonNode fact = all.path(name);
      if (fact.isValueNode()) {
        facts.put(name, fact.asText());
      }
      fact.properties().forEach(one -> facts.put(one.getKey(), one.getValue().asText()));
    }
    return facts.entrySet().stream()
        .map(fact -> fact.getKey() + ": " + fact.getValue())
        .collect(Collectors.joining("; "));
  }

  /** The measures of all samples by their settings, both by name. */
  private static Map<Map<String, String>, List<Map<String, Double>>> groups(JsonNode samples) {
    Map<Map<String, String>, List<Map<String, Double>>> groups = new LinkedHashMap<>();
    for (JsonNode sample : samples) {
      Map<String, String> settings = new LinkedHashMap<>();
      Map<String, Double> measures = new LinkedHashMap<>();
      flatten("", sample, settings, measures);
      Double before = measures.remove("probeBefore");
      Double after = measures.remove("probeAfter");
      if (before != null && after != null) {
        boolean hasMoved = measures.remove("slices") < Sample.LEAST_SLICES;
        settings.put(CORES, (hasMoved ? Placement.MOVED : Placement.of(before, after)).text());
        measures.put("round trip, ns", (before + after) / 2);
      }
      groups.computeIfAbsent(settings, _ -> new ArrayList<>()).add(measures);
    }
    return groups;
  }

  private static void flatten(
      String name, JsonNode node, Map<String, String> settings, Map<String, Double> measures) {
    if (HISTOGRAM.matcher(name).matches() && node.isTextual()) {
      percentiles(name, node.asText(), measures);
      return;
    }
    if (LEFT_OUT.matcher(name).matches()) {
      return;
    }
    if (node.isObject()) {
      String prefix = name.isEmpty() ? "" : name + ".";
      node.properties()
          .forEach(one -> flatten(prefix + one.getKey(), one.getValue(), settings, measures));
    } else if (node.isArray()) { // the iterations of each fork
      var all =
          StreamSupport.stream(node.spliterator(), false)
              .flatMap(fork -> StreamSupport.stream(fork.spliterator(), false))
              .mapToDouble(JsonNode::asDouble)
              .summaryStatistics();
      measures.put("mean of iterations", all.getAverage());
      measures.put("least", all.getMin());
      measures.put("most", all.getMax());
    } else if (node.isNumber() && !SETTING.matcher(name).matches()) {
      measures.put(shortened(name), node.asDouble());
    } else if (node.isValueNode() && !node.isNull()) {
      settings.put(shortened(name), node.asText().replaceFirst("^dev\\.millrace\\.bench\\.", ""));
    }
  }

  private static void percentiles(String name, String histogram, Map<String, Double> measures) {
    String what = name.replaceFirst("^result\\.", "").replaceFirst("\\.times$", "");
    String unit = what.equals("behind") ? "" : ", ns";
    Histogram times = Latencies.decode(histogram);
    for (double rank : RANKS) {
      measures.put(
          what + ": " + Latencies.percentile(rank) + unit,
          (double) times.getValueAtPercentile(rank));
    }
  }

  /** A name without the objects that only hold others. */
  private static String shortened(String name) {
    return name.replaceFirst(
        "^(measured|found\\.figures|figures|params|result(\\.(settings|trial(\\.load)?))?|primaryMetric"
            + "|secondaryMetrics)\\.",
        "");
  }

  private static void write(
      Path table, String facts, Map<Map<String, String>, List<Map<String, Double>>> groups)
      throws IOException {
    Set<String> settings = new LinkedHashSet<>();
    Set<String> measures = new LinkedHashSet<>();
    groups.keySet().forEach(one -> settings.addAll(one.keySet()));
    groups.values().stream()
        .flatMap(List::stream)
        .flatMap(one -> one.entrySet().stream())
        .filter(one -> one.getValue() != 0)
        .forEach(one -> measures.add(one.getKey()));
    boolean isRepeated = groups.values().stream().anyMatch(one -> one.size() > 1);
    try (CsvWriter csv = CsvWriter.builder().lineDelimiter(LineDelimiter.LF).build(table)) {
      if (!facts.isEmpty()) {
        csv.writeComment(" " + facts);
      }
      List<String> head = new ArrayList<>(settings);
      if (isRepeated) {
        head.add("samples");
      }
      for (String one : measures) {
        head.addAll(isRepeated ? List.of(one, one + " least", one + " most") : List.of(one));
      }
      csv.writeRecord(head);
      Map<String, List<String>> lines = new TreeMap<>();
      groups.forEach(
          (key, samples) -> {
            List<String> line = new ArrayList<>();
            settings.forEach(one -> line.add(key.getOrDefault(one, "")));
            String sortedBy = String.join(",", line);
            if (isRepeated) {
              line.add(String.valueOf(samples.size()));
            }
            measures.forEach(one -> line.addAll(summary(one, samples, isRepeated)));
            lines.put(sortedBy, line);
          });
      lines.values().forEach(csv::writeRecord);
    }
  }

  /** The median, the least and the most of a measure; empty where it was not measured. */
  private static List<String> summary(
      String measure, List<Map<String, Double>> samples, boolean isRepeated) {
    double[] values =
        samples.stream()
            .filter(one -> one.containsKey(measure))
            .mapToDouble(one -> one.get(measure))
            .sorted()
            .toArray();
    if (values.length == 0) {
      return isRepeated ? List.of("", "", "") : List.of("");
    }
    int half = values.length / 2;
    double median = values.length % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
    double[] cells =
        isRepeated
            ? new double[] {median, values[0], values[values.length - 1]}
            : new double[] {median};
    return Arrays.stream(cells).mapToObj(FiguresCommand::digits).toList();
  }

  private static String digits(double value) {
    return Double.isFinite(value)
        ? new BigDecimal(value).round(new MathContext(4)).stripTrailingZeros().toPlainString()
        : "";
  }
}
