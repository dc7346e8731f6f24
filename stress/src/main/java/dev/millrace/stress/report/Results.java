package dev.millrace.stress.report;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * What each proof found: a JSON file of its own for each kind, in one directory, from which the
 * report is made.
 */
public final class Results {
  /** The directory, unless the system property {@code millrace.proof} names another. */
  private static final Path DIRECTORY =
      Path.of(System.getProperty("millrace.proof", "target/proof"));

  /** Ends the name of the file that tells when and on what the results beside it were found. */
  private static final String RUN = ".run";

  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  private Results() {}

  /**
   * The run in depth that a verdict rests on besides what this build has repeated of it.
   *
   * @param how how far it went
   * @param date the day
   * @param jdk the Java runtime's version
   * @param isCurrent whether the code is still the same
   */
  public record Depth(String how, String date, String jdk, boolean isCurrent) {}

  /**
   * What is to be said of the proof as a whole.
   *
   * @param isError whether it is wrong; otherwise it is a row of the ledger that is stale
   * @param text in a sentence
   */
  public record Note(boolean isError, String text) {}

  /** What a test, or a planted bug, came to. */
  public sealed interface Result {
    /**
     * The type under test.
     *
     * @return its simple name, or null
     */
    String type();

    /**
     * What was tried.
     *
     * @return it, for readers
     */
    String what();
  }

  /**
   * A scenario run by the ordering simulator.
   *
   * @param type the type under test, by simple name
   * @param name the scenario
   * @param about what it checks, in a sentence
   * @param executions how many executions this build has run
   * @param seconds how long they took
   * @param failure what was found, or null
   * @param hardestMutant the planted bug that took the most executions, or null
   * @param hardestExecutions how many it took
   * @param deepExecutions how many were run in depth
   * @param depth when and how; null if never
   */
  public record Scenario(
      String type,
      String name,
      String about,
      long executions,
      double seconds,
      String failure,
      String hardestMutant,
      long hardestExecutions,
      long deepExecutions,
      Depth depth)
      implements Result {
    @Override
    public String what() {
      return name;
    }
  }

  /**
   * One outcome of a litmus test.
   *
   * @param test the litmus test, such as {@code MP+release+acquire}
   * @param about its program, a line a thread
   * @param outcome the values read
   * @param allowed whether it counts as allowed
   * @param jam21 whether the model of Java's access modes allows it
   * @param rc11 whether that of C and C++ does
   * @param source who says so
   * @param seen in how many executions it was seen
   * @param executions of how many
   * @param note why an allowed outcome is never shown, or null
   */
  public record Litmus(
      String test,
      String about,
      String outcome,
      boolean allowed,
      boolean jam21,
      boolean rc11,
      String source,
      long seen,
      long executions,
      String note)
      implements Result {
    @Override
    public String type() {
      return null;
    }

    @Override
    public String what() {
      return test + ", outcome " + outcome;
    }
  }

  /**
   * A planted bug.
   *
   * @param type the class it is planted in, by simple name
   * @param method the method
   * @param line the source line
   * @param access what stands there, such as {@code STAMP.setRelease}
   * @param operator what was done to it, such as {@code weaken to opaque}
   * @param ordering whether it weakens an ordering, rather than the logic
   * @param verdict {@code caught}, {@code exempt} or {@code survived}
   * @param by what caught it, or why it is exempt
   * @param executions after how many executions
   * @param depth when that was found; null if by this build
   */
  public record Mutant(
      String type,
      String method,
      int line,
      String access,
      String operator,
      boolean ordering,
      String verdict,
      String by,
      long executions,
      Depth depth)
      implements Result {
    @Override
    public String what() {
      return access + " in " + method + ", line " + line + ": " + operator;
    }
  }

  /**
   * A Lincheck test.
   *
   * @param type the type under test, by simple name
   * @param test the test's class and method
   * @param about what it checks, in a sentence
   * @param mode {@code model checking} or {@code stress}
   * @param iterations how many scenarios were generated
   * @param invocations how often each was run
   * @param seconds how long it took
   * @param outcome {@code passed}, or for a planted bug {@code caught}
   * @param depth when that was found; null if by this build
   */
  public record Lincheck(
      String type,
      String test,
      String about,
      String mode,
      long iterations,
      long invocations,
      double seconds,
      String outcome,
      Depth depth)
      implements Result {
    @Override
    public String what() {
      return test;
    }
  }

  /**
   * A jcstress test.
   *
   * @param type the type under test, by simple name
   * @param test the test's class
   * @param about its description
   * @param page its page, relative to jcstress's report
   * @param samples how many samples were taken
   * @param outcomes each with its count and expectation; empty if not found by this build
   * @param depth when that was found; null if by this build
   */
  public record Jcstress(
      String type,
      String test,
      String about,
      String page,
      long samples,
      List<Outcome> outcomes,
      Depth depth)
      implements Result {
    @Override
    public String what() {
      return test;
    }

    /**
     * One outcome of a jcstress test.
     *
     * @param id the values observed
     * @param expectation {@code ACCEPTABLE}, {@code ACCEPTABLE_INTERESTING} or {@code FORBIDDEN}
     * @param count how often
     * @param about what it means
     */
    public record Outcome(String id, String expectation, long count, String about) {}
  }

  /**
   * Writes the results of one kind, replacing those of a former run.
   *
   * @param kind the file's name without its ending, such as {@code scenarios}
   * @param results what was found
   */
  public static void write(String kind, List<?> results) {
    write(DIRECTORY, kind, results, Run.endingNow(null));
  }

  /**
   * Writes the results of one kind and how long it took to find them.
   *
   * @param kind the file's name without its ending
   * @param results what was found
   * @param seconds how long the whole run took
   */
  public static void write(String kind, List<?> results, double seconds) {
    write(DIRECTORY, kind, results, Run.endingNow(seconds));
  }

  /**
   * Writes the results of one kind to a directory.
   *
   * @param directory where to
   * @param kind the file's name without its ending
   * @param results what was found
   * @param run when and on what
   */
  public static void write(Path directory, String kind, List<?> results, Run run) {
    Path file = file(directory, kind);
    try {
      Files.createDirectories(directory);
      JSON.writeValue(file.toFile(), results);
      JSON.writeValue(file(directory, kind + RUN).toFile(), run);
    } catch (IOException e) {
      throw new UncheckedIOException("results must be writable: file=" + file, e);
    }
  }

  /**
   * Reads the results of one kind from a directory.
   *
   * @param <T> their type
   * @param directory where from
   * @param kind the file's name without its ending
   * @param type their type
   * @return what was found; empty if there is no such file, or nothing in it
   */
  public static <T> List<T> read(Path directory, String kind, Class<T> type) {
    return read(file(directory, kind), JSON.readerForListOf(type), List.of());
  }

  /**
   * Reads when and on what the results of one kind were found.
   *
   * @param directory where they are
   * @param kind their file's name without its ending
   * @return the run, or null if it was not recorded
   */
  public static Run run(Path directory, String kind) {
    return read(file(directory, kind + RUN), JSON.readerFor(Run.class), null);
  }

  private static <T> T read(Path file, ObjectReader reader, T otherwise) {
    try {
      return !Files.exists(file) || Files.size(file) == 0
          ? otherwise
          : reader.readValue(file.toFile());
    } catch (IOException e) {
      throw new UncheckedIOException("results must be readable: file=" + file, e);
    }
  }

  private static Path file(Path directory, String kind) {
    return directory.resolve(kind + ".json");
  }
}
