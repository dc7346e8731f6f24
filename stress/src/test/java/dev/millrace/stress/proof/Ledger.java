package dev.millrace.stress.proof;

import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.SequenceWriter;
import com.fasterxml.jackson.dataformat.csv.CsvGenerator;
import com.fasterxml.jackson.dataformat.csv.CsvMapper;
import com.fasterxml.jackson.dataformat.csv.CsvParser;
import com.fasterxml.jackson.dataformat.csv.CsvSchema;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.TreeMap;

/**
 * What was proven in depth, a row each, in the files of a folder that is part of the repository.
 *
 * <p>A row tells of a run that has happened: how far it went, on which JDK, when, how long it took,
 * and the digest of the code that it ran ({@link Digests}). Rows are written by {@code
 * stress/prove} and by nothing else.
 */
final class Ledger {
  /** What every row tells. */
  interface Row {
    String key();

    String digest();

    String jdk();

    double seconds();

    /** Whether the run was one of the code that has this digest now. */
    default State state(String digestNow) {
      if (Runtime.Version.parse(jdk()).feature() != Runtime.version().feature()) {
        return State.OTHER_COMPILER;
      }
      return digest().equals(digestNow) ? State.CURRENT : State.STALE;
    }
  }

  /** What a row is worth. */
  enum State {
    /** It tells of this code. */
    CURRENT,
    /** It tells of other code. */
    STALE,
    /** It was written under another release of the JDK, whose compiler makes other instructions. */
    OTHER_COMPILER
  }

  /**
   * A planted bug.
   *
   * @param key its name, see {@link Exemptions#keys}
   * @param scenario what caught it; empty if it is exempt
   * @param seed the execution that caught it; seeds are tried from 1 on, so it also tells how many
   *     it took. Of a bug that is exempt, the last that was tried of each scenario
   */
  @JsonPropertyOrder({"key", "scenario", "seed", "digest", "jdk", "date", "seconds"})
  record Bug(
      String key,
      String scenario,
      long seed,
      String digest,
      String jdk,
      String date,
      double seconds)
      implements Row {}

  /**
   * A scenario.
   *
   * @param key its id
   * @param executions how many were run by chance
   * @param exhaustive how many more, depth first within bounds
   * @param complete whether those are all within the bounds
   * @param at1 the checksum of the first hundredth of the executions by chance
   * @param at10 that of the first tenth
   * @param at100 that of all
   */
  @JsonPropertyOrder({
    "key",
    "executions",
    "exhaustive",
    "complete",
    "at1",
    "at10",
    "at100",
    "digest",
    "jdk",
    "date",
    "seconds"
  })
  record Scenario(
      String key,
      long executions,
      long exhaustive,
      boolean complete,
      String at1,
      String at10,
      String at100,
      String digest,
      String jdk,
      String date,
      double seconds)
      implements Row {}

  /**
   * A test of another tool.
   *
   * @param key the test's name
   * @param type the type under test
   * @param about what it checks, in a sentence
   * @param mode the tool, and how it went about it
   * @param times how much was run: scenarios of Lincheck, samples of jcstress
   * @param each how often each of Lincheck's scenarios was run, otherwise 1
   * @param outcome {@code passed}, or {@code caught} if it is broken on purpose
   */
  @JsonPropertyOrder({
    "key", "type", "about", "mode", "times", "each", "outcome", "digest", "jdk", "date", "seconds"
  })
  record Test(
      String key,
      String type,
      String about,
      String mode,
      long times,
      long each,
      String outcome,
      String digest,
      String jdk,
      String date,
      double seconds)
      implements Row {}

  private static final CsvMapper CSV =
      CsvMapper.builder()
          .enable(CsvGenerator.Feature.STRICT_CHECK_FOR_QUOTING)
          .enable(CsvParser.Feature.FAIL_ON_MISSING_COLUMNS)
          .build();

  private final Path folder;
  private final Map<String, Bug> bugs;
  private final Map<String, Scenario> scenarios;
  private final Map<String, Test> tests;

  private Ledger(Path folder) throws IOException {
    this.folder = folder;
    this.bugs = read(Bug.class, "mutants.csv");
    this.scenarios = read(Scenario.class, "scenarios.csv");
    this.tests = read(Test.class, "tests.csv");
  }

  /** Reads the ledger of a folder; a file that is not there has no rows. */
  static Ledger read(Path folder) throws IOException {
    return new Ledger(folder);
  }

  Map<String, Bug> bugs() {
    return bugs;
  }

  Map<String, Scenario> scenarios() {
    return scenarios;
  }

  Map<String, Test> tests() {
    return tests;
  }

  /** Writes all rows, in the order of their keys. */
  synchronized void write() {
    write(Bug.class, "mutants.csv", bugs);
    write(Scenario.class, "scenarios.csv", scenarios);
    write(Test.class, "tests.csv", tests);
  }

  synchronized void put(Bug row) {
    bugs.put(row.key(), row);
  }

  synchronized void put(Scenario row) {
    scenarios.put(row.key(), row);
  }

  synchronized void put(Test row) {
    tests.put(row.key(), row);
  }

  static String jdkNow() {
    Runtime.Version version = Runtime.version();
    return version.feature() + "." + version.interim() + "." + version.update();
  }

  static String today() {
    return LocalDate.now(ZoneOffset.UTC).toString();
  }

  static double seconds(double measured) {
    return Math.round(measured * 100) / 100.0;
  }

  private <T extends Row> Map<String, T> read(Class<T> type, String file) throws IOException {
    Map<String, T> rows = new TreeMap<>();
    Path path = folder.resolve(file);
    if (Files.exists(path)) {
      CsvSchema schema = CsvSchema.emptySchema().withHeader();
      try (MappingIterator<T> read = CSV.readerFor(type).with(schema).readValues(path.toFile())) {
        while (read.hasNext()) {
          T row = read.next();
          if (rows.put(row.key(), row) != null) {
            throw new IllegalArgumentException(path + " has two rows of " + row.key());
          }
        }
      }
    }
    return rows;
  }

  /** Replaces the file as a whole, so that a run that is cut off leaves no half of one. */
  private <T> void write(Class<T> type, String file, Map<String, T> rows) {
    Path path = folder.resolve(file);
    Path next = folder.resolve(file + ".tmp");
    try {
      Files.createDirectories(folder);
      CsvSchema schema = CSV.schemaFor(type).withHeader();
      try (SequenceWriter writer = CSV.writer(schema).writeValues(next.toFile())) {
        writer.writeAll(rows.values());
      }
      Files.move(next, path, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new UncheckedIOException("ledger must be writable: file=" + path, e);
    }
  }
}
