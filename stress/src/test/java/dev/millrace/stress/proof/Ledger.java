package dev.millrace.stress.proof;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.SequenceWriter;
import com.fasterxml.jackson.dataformat.csv.CsvGenerator;
import com.fasterxml.jackson.dataformat.csv.CsvMapper;
import com.fasterxml.jackson.dataformat.csv.CsvParser;
import com.fasterxml.jackson.dataformat.csv.CsvSchema;
import dev.millrace.stress.report.Results;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

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

    Run run();
  }

  /**
   * The run that a row tells of.
   *
   * @param digest of the code that it ran
   * @param jdk the Java runtime's version
   * @param date the day
   * @param seconds how long it took
   */
  record Run(String digest, String jdk, String date, double seconds) {
    /** A run that has just ended. */
    static Run ended(String digest, double seconds) {
      Runtime.Version version = Runtime.version();
      return new Run(
          digest,
          version.feature() + "." + version.interim() + "." + version.update(),
          LocalDate.now(ZoneOffset.UTC).toString(),
          Math.round(seconds * 100) / 100.0);
    }

    /** The run, for the report. */
    Results.Depth depth(State state) {
      return new Results.Depth(date, jdk, state.doubt);
    }
  }

  /** What a row is worth. */
  enum State {
    /** It tells of this code. */
    CURRENT(null),
    /** It tells of other code, or there is none. */
    STALE("of other code"),
    /** It was written under another release of the JDK, whose compiler makes other instructions. */
    OTHER_COMPILER("of another JDK");

    /** Why it is not of this code, in the words of the report; null if it is. */
    final String doubt;

    State(String doubt) {
      this.doubt = doubt;
    }

    /** That of a row, or of none, if the code has a digest now. */
    static State of(Row row, String digest) {
      if (row == null) {
        return STALE;
      }
      if (Runtime.Version.parse(row.run().jdk()).feature() != Runtime.version().feature()) {
        return OTHER_COMPILER;
      }
      return row.run().digest().equals(digest) ? CURRENT : STALE;
    }
  }

  /**
   * A planted bug.
   *
   * @param key its name, see {@link Exemptions#keys}
   * @param scenario what caught it; empty if it is exempt
   * @param seed the execution that caught it; seeds are tried from 1 on, so it also tells how many
   *     it took. Of a bug that is exempt, the last that was tried of each scenario
   */
  record Bug(String key, String scenario, long seed, @JsonUnwrapped Run run) implements Row {}

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
  record Scenario(
      String key,
      long executions,
      long exhaustive,
      boolean complete,
      String at1,
      String at10,
      String at100,
      @JsonUnwrapped Run run)
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
  record Test(
      String key,
      String type,
      String about,
      String mode,
      long times,
      long each,
      String outcome,
      @JsonUnwrapped Run run)
      implements Row {}

  private static final CsvMapper CSV =
      CsvMapper.builder()
          .disable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
          .enable(CsvGenerator.Feature.STRICT_CHECK_FOR_QUOTING)
          .enable(CsvParser.Feature.FAIL_ON_MISSING_COLUMNS)
          .build();

  final Rows<Bug> bugs;
  final Rows<Scenario> scenarios;
  final Rows<Test> tests;

  private Ledger(Path folder) throws IOException {
    this.bugs = new Rows<>(Bug.class, folder.resolve("mutants.csv"));
    this.scenarios = new Rows<>(Scenario.class, folder.resolve("scenarios.csv"));
    this.tests = new Rows<>(Test.class, folder.resolve("tests.csv"));
  }

  /** Reads the ledger of a folder; a file that is not there has no rows. */
  static Ledger read(Path folder) throws IOException {
    return new Ledger(folder);
  }

  /** Writes all rows, in the order of their keys. */
  synchronized void write() {
    bugs.write();
    scenarios.write();
    tests.write();
  }

  /** The rows of a kind. */
  static final class Rows<R extends Row> {
    private final Class<R> type;
    private final Path file;
    private final SortedMap<String, R> byKey = new TreeMap<>();

    private Rows(Class<R> type, Path file) throws IOException {
      this.type = type;
      this.file = file;
      if (Files.exists(file)) {
        CsvSchema schema = CsvSchema.emptySchema().withHeader();
        try (MappingIterator<R> read = CSV.readerFor(type).with(schema).readValues(file.toFile())) {
          while (read.hasNext()) {
            R row = read.next();
            if (byKey.put(row.key(), row) != null) {
              throw new IllegalArgumentException(file + " has two rows of " + row.key());
            }
          }
        }
      }
    }

    /** The row of a key; null if there is none. */
    synchronized R get(String key) {
      return byKey.get(key);
    }

    synchronized void put(R row) {
      byKey.put(row.key(), row);
    }

    synchronized void remove(String key) {
      byKey.remove(key);
    }

    synchronized SortedSet<String> keys() {
      return new TreeSet<>(byKey.keySet());
    }

    /** Replaces the file as a whole, so that a run that is cut off leaves no half of one. */
    private synchronized void write() {
      Path next = file.resolveSibling(file.getFileName() + ".tmp");
      try {
        Files.createDirectories(file.getParent());
        CsvSchema schema = CSV.schemaFor(type).withHeader();
        try (SequenceWriter writer = CSV.writer(schema).writeValues(next.toFile())) {
          writer.writeAll(byKey.values());
        }
        Files.move(next, file, StandardCopyOption.REPLACE_EXISTING);
      } catch (IOException e) {
        throw new UncheckedIOException("ledger must be writable: file=" + file, e);
      }
    }
  }
}
