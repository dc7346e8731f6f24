package dev.millrace.bench.charts;

import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.NamedCsvRecord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A published CSV file, as {@code bench/compare figures} writes it.
 *
 * @param file where it is
 * @param facts the command, the date and the machine, from its first line
 * @param lines by the names of the columns
 */
record Figures(Path file, Map<String, String> facts, List<Map<String, String>> lines) {
  private static final String DATE = "\\d{4}-\\d\\d-\\d\\d";
  private static final Pattern COMMENT = Pattern.compile("# (.*)\\R");

  /** What the command adds to a call that does not set them. */
  private static final Pattern DEFAULTS =
      Pattern.compile(" --(warmup-ms 1000|measure-ms 1000|seed 1)(?= |$)");

  /**
   * The newest figures of a name: {@code 2026-11-25-quick.csv}, and {@code 2026-11-25-quick-2.csv}
   * if there were two runs on that day.
   *
   * @return none if the folder has no such file
   */
  static List<Figures> newest(Path folder, String name) throws IOException {
    Pattern named = Pattern.compile("(" + DATE + ")-" + Pattern.quote(name) + "(-\\d+)?\\.csv");
    Map<Path, String> dates = new LinkedHashMap<>();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.sorted().toList()) {
        Matcher matcher = named.matcher(file.getFileName().toString());
        if (matcher.matches()) {
          dates.put(file, matcher.group(1));
        }
      }
    }
    String last = dates.values().stream().max(String::compareTo).orElse("");
    dates.values().removeIf(date -> !date.equals(last));
    List<Figures> newest = new ArrayList<>();
    for (Path file : dates.keySet()) {
      newest.add(read(file));
    }
    return newest;
  }

  static Figures read(Path file) throws IOException {
    String text = Files.readString(file);
    Map<String, String> facts = new LinkedHashMap<>();
    Matcher comment = COMMENT.matcher(text);
    if (comment.lookingAt()) {
      for (String fact : comment.group(1).split("; ", -1)) {
        String[] parts = fact.split(": ", 2);
        facts.put(parts[0], parts[1]);
      }
      text = text.substring(comment.end());
    }
    List<Map<String, String>> lines;
    try (CsvReader<NamedCsvRecord> csv = CsvReader.builder().ofNamedCsvRecord(text)) {
      lines = csv.stream().map(NamedCsvRecord::getFieldsAsMap).toList();
    }
    return new Figures(file, facts, lines);
  }

  /** When and on what it was run. */
  String machine() {
    return "%s, %s, %s cores, JDK %s"
        .formatted(
            facts.get("started").substring(0, "2026-11-25".length()),
            facts.get("processor").replaceAll("\\(R\\)| Processor", ""),
            facts.get("processors"),
            facts.getOrDefault("jvm", facts.get("JVM")).replaceFirst(".* (.*)\\+.*", "$1"));
  }

  /** The command that made it, with a link to the file. */
  String command() {
    return "[`%s`](figures/%s)"
        .formatted(DEFAULTS.matcher(facts.get("command")).replaceAll(""), file.getFileName());
  }
}
