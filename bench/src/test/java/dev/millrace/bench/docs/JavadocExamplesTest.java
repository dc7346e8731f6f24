package dev.millrace.bench.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Finds examples in the Javadoc of the published modules that do not compile, fail, or have a line
 * that does not run: see {@link JavadocExamples}.
 */
@ResourceLock(Resources.SYSTEM_OUT)
class JavadocExamplesTest {
  private static final List<String> MODULES =
      List.of(
          "flyweight",
          "core",
          "queues",
          "queues/cache",
          "disruptor",
          "telemetry",
          "telemetry/micrometer");

  private static final String DOCUMENTED =
      """
      package planted;

      /** {@snippet file="Examples.java" region="sum"} */
      class Documented {}
      """;
  private static final String EXAMPLES =
      """
      class Examples {
        int sum;

        void sum() {
          // @start region="sum"
          for (int i = 0; i < 3; i++) {
            sum += i;
          }
          // @end
          assert sum == 3;
        }
      }
      """;

  @TempDir Path folder;
  private final PrintStream out = System.out;

  @BeforeEach
  void silence() {
    System.setOut(new PrintStream(OutputStream.nullOutputStream(), true, StandardCharsets.UTF_8));
  }

  @AfterEach
  void restore() {
    System.setOut(out);
  }

  static List<Path> packages() throws IOException {
    List<Path> packages = new ArrayList<>();
    for (String module : MODULES) {
      packages.addAll(JavadocExamples.packages(Path.of("..", module, "src", "main", "java")));
    }
    return packages;
  }

  @ParameterizedTest
  @MethodSource("packages")
  void examples_ofPackage_runEveryLine(Path sources) throws Exception {
    assertThat(JavadocExamples.faults(sources, folder)).isEmpty();
  }

  @Test
  void packages_withExamples_areAllExportedOnes() throws IOException {
    assertThat(packages())
        .filteredOn(sources -> Files.exists(sources.resolve("snippet-files")))
        .hasSize(10);
  }

  @Test
  void faults_ofAGoodExample_areNone() throws Exception {
    assertThat(planted(DOCUMENTED, EXAMPLES)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "assert sum == 3;, assert sum == 4;, sum failed: java.lang.AssertionError",
    "i < 3;, i < 0;, not run: Examples.java:7",
    "void sum(), private void sum(), not run: Examples.java:6",
    "sum += i;, sum += j;, does not compile",
    "'region=\"sum\"', 'region=\"other\"', no such region: Examples.java#sum",
  })
  void faults_plantedInAnExample_areFound(String good, String bad, String fault) throws Exception {
    assertThat(planted(DOCUMENTED, EXAMPLES.replace(good, bad)))
        .anyMatch(found -> found.startsWith(fault));
  }

  @ParameterizedTest
  @CsvSource({
    "'file=\"Examples.java\" region', 'class=Other region', Documented.java: not a region",
    "'file=\"Examples.java\" region=\"sum\"', ': a + b', Documented.java: not a region",
    "'{@snippet file=\"Examples.java\" region=\"sum\"}', Text., shown nowhere: Examples.java#sum",
  })
  void faults_plantedInATag_areFound(String good, String bad, String fault) throws Exception {
    assertThat(planted(DOCUMENTED.replace(good, bad), EXAMPLES))
        .anyMatch(found -> found.startsWith(fault));
  }

  private List<String> planted(String documented, String examples) throws Exception {
    Path sources = Files.createDirectories(folder.resolve("planted"));
    Files.writeString(sources.resolve("Documented.java"), documented);
    Path files = Files.createDirectories(sources.resolve("snippet-files"));
    Files.writeString(files.resolve("Examples.java"), examples);
    return JavadocExamples.faults(sources, Files.createDirectories(folder.resolve("classes")));
  }
}
