package dev.millrace.bench.memory;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.millrace.report.Machine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * What the benchmarks of memory access have found: JMH's JSON, as it is or with what JMH does not
 * tell around it.
 *
 * @param facts where they are from, by name
 * @param cells one for each combination
 */
record MemoryResults(Map<String, String> facts, List<Cell> cells) {
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);
  private static final String BENCHMARK = MemoryBenchmark.class.getName() + ".";

  /** Reads either form; entries of other benchmarks are passed over. */
  static MemoryResults read(Path file) throws IOException {
    if (!Files.isReadable(file)) {
      throw new IOException("file must be readable: file=" + file);
    }
    JsonNode root = JSON.readTree(file.toFile());
    Map<String, String> facts = new LinkedHashMap<>();
    root.path("facts")
        .properties()
        .forEach(one -> facts.put(one.getKey(), one.getValue().asText()));
    List<JsonNode> entries = new ArrayList<>();
    for (JsonNode entry : root.isArray() ? root : root.path("results")) {
      if (entry.path("benchmark").asText().startsWith(BENCHMARK)) {
        entries.add(entry);
      }
    }
    if (entries.isEmpty()) {
      throw new IOException("file must hold results of MemoryBenchmark: file=" + file);
    }
    addFacts(facts, entries);
    return new MemoryResults(facts, cells(entries));
  }

  /** Puts around JMH's results what it does not tell; leaves out where its JVM was installed. */
  static void wrap(Path jmh, String started, String command, Path file) throws IOException {
    ObjectNode root = JSON.createObjectNode();
    ObjectNode facts = root.putObject("facts");
    facts.put("started", started);
    facts.put("command", command);
    Machine.here().facts().forEach(facts::put);
    JsonNode results = JSON.readTree(jmh.toFile());
    results.forEach(entry -> ((ObjectNode) entry).remove("jvm"));
    root.set("results", results);
    JSON.writeValue(file.toFile(), root);
  }

  private static List<Cell> cells(List<JsonNode> entries) throws IOException {
    List<Cell> cells = new ArrayList<>();
    Set<Cell.Key> seen = new LinkedHashSet<>();
    for (JsonNode entry : entries) {
      Cell cell = Cell.of(entry);
      if (!seen.add(cell.key())) {
        throw new IOException("results must be of one run: twice " + cell.key());
      }
      cells.add(cell);
    }
    return cells;
  }

  private static void addFacts(Map<String, String> facts, List<JsonNode> entries) {
    facts.put("JDK", all(entries, "/jdkVersion"));
    facts.put("JMH", all(entries, "/jmhVersion"));
    facts.put("options", all(entries, "/jvmArgs"));
    facts.put("forks", all(entries, "/forks"));
    facts.put("warm-up", iterations(entries, "warmup"));
    facts.put("measured", iterations(entries, "measurement"));
  }

  private static String iterations(List<JsonNode> entries, String name) {
    return all(entries, "/" + name + "Iterations") + " of " + all(entries, "/" + name + "Time");
  }

  /** What entries say, each value once. */
  private static String all(List<JsonNode> entries, String path) {
    Set<String> values = new TreeSet<>();
    for (JsonNode entry : entries) {
      JsonNode value = entry.at(path);
      List<String> parts = new ArrayList<>();
      value.forEach(part -> parts.add(part.asText()));
      values.add(value.isArray() ? String.join(" ", parts) : value.asText());
    }
    return String.join(", ", values);
  }
}
