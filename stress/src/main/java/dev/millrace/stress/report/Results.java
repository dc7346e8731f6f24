package dev.millrace.stress.report;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * What the proofs find, a record for each kind. Those of tests that run in a JVM of their own are
 * passed on in a JSON file.
 */
public final class Results {
  /** The directory, unless the system property {@code millrace.proof} names another. */
  private static final Path DIRECTORY =
      Path.of(System.getProperty("millrace.proof", "target/proof"));

  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  private Results() {}

  /**
   * A run in depth, by an earlier build, that a result is taken from.
   *
   * @param date the day
   * @param jdk the Java runtime's version
   * @param doubt why it may not hold for the code as it is, such as {@code of other code}; null if
   *     it does
   */
  public record Depth(String date, String jdk, String doubt) {}

  /**
   * A scenario run by the ordering simulator.
   *
   * @param type the type under test, by simple name
   * @param name the scenario
   * @param about what it checks, in a sentence
   * @param executions how many random executions this build has run
   * @param failure what was found, or null
   * @param deepExecutions how many were run in depth; 0 if it never was
   * @param depthFirst how many more were then run depth first
   * @param complete whether those are all within the bounds
   * @param depth when it was run in depth; null if by this build, or never
   */
  public record Scenario(
      String type,
      String name,
      String about,
      long executions,
      String failure,
      long deepExecutions,
      long depthFirst,
      boolean complete,
      Depth depth) {}

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
      String note) {}

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
   * @param by the scenario that caught it, or why it is exempt
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
      Depth depth) {}

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
      Depth depth) {}

  /**
   * A jcstress test.
   *
   * @param type the type under test, by simple name
   * @param test the test's class
   * @param about its description
   * @param samples how many samples were taken
   * @param outcomes each with its count and expectation; empty if not found by this build
   * @param depth when that was found; null if by this build
   */
  public record Jcstress(
      String type, String test, String about, long samples, List<Outcome> outcomes, Depth depth) {
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
   * Writes the results of one kind, replacing those of an earlier run.
   *
   * @param kind the file's name without its ending, such as {@code lincheck}
   * @param results what was found
   */
  public static void write(String kind, List<?> results) {
    Path file = file(DIRECTORY, kind);
    try {
      Files.createDirectories(DIRECTORY);
      JSON.writeValue(file.toFile(), results);
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
    Path file = file(directory, kind);
    try {
      return !Files.exists(file) || Files.size(file) == 0
          ? List.of()
          : JSON.readerForListOf(type).readValue(file.toFile());
    } catch (IOException e) {
      throw new UncheckedIOException("results must be readable: file=" + file, e);
    }
  }

  private static Path file(Path directory, String kind) {
    return directory.resolve(kind + ".json");
  }
}
