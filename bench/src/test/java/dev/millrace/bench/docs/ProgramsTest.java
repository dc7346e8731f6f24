package dev.millrace.bench.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.jetbrains.kotlin.cli.jvm.K2JVMCompiler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every example in Java or Kotlin of the README and of the pages in {@code docs} is a program: it
 * compiles as printed, runs, and prints what its comments say. Finds pages that the code has left
 * behind.
 *
 * <pre>{@code
 * mvn verify -pl bench -am -Dproof.skip -Dtest=ProgramsTest \
 *     -Dsurefire.failIfNoSpecifiedTests=false
 * }</pre>
 */
@ResourceLock(Resources.SYSTEM_OUT)
class ProgramsTest {
  private static final Path ROOT = Path.of("..");

  /** Not a module's descriptor: .ci/check-release builds that. */
  private static final Pattern EXAMPLE =
      Pattern.compile("(?s)```(java|kotlin)\n(?!module )(.*?)```");

  private static final Pattern PROGRAM = Pattern.compile("public class (\\w+) ");
  private static final Pattern PRINTED = Pattern.compile("println\\(.*\\);?\\s*// (.*)");

  /** An example: the page that it stands on, its language, and its source. */
  record Example(String page, String language, String source) {
    boolean isKotlin() {
      return language.equals("kotlin");
    }

    /** The class that has its main method. */
    String name() {
      return isKotlin() ? "MainKt" : ofJava();
    }

    String file() {
      return isKotlin() ? "Main.kt" : name() + ".java";
    }

    private String ofJava() {
      return PROGRAM
          .matcher(source)
          .results()
          .findFirst()
          .map(found -> found.group(1))
          .orElse("no program");
    }

    List<String> expectedLines() {
      return PRINTED.matcher(source).results().map(found -> found.group(1)).toList();
    }

    @Override
    public String toString() {
      return page + ": " + name();
    }
  }

  static List<Example> examples() throws IOException {
    List<Path> pages = new ArrayList<>(List.of(ROOT.resolve("README.md")));
    try (Stream<Path> docs = Files.list(ROOT.resolve("docs"))) {
      docs.filter(page -> page.toString().endsWith(".md")).sorted().forEach(pages::add);
    }
    List<Example> examples = new ArrayList<>();
    for (Path page : pages) {
      for (MatchResult found : EXAMPLE.matcher(Files.readString(page)).results().toList()) {
        examples.add(new Example(page.getFileName().toString(), found.group(1), found.group(2)));
      }
    }
    return examples;
  }

  @ParameterizedTest
  @MethodSource("examples")
  void example_asPrinted_compilesAndPrintsWhatItSays(Example example, @TempDir Path folder)
      throws Exception {
    compile(folder, example);

    String printed = outputOf(folder, example.name());

    assertThat(printed.lines()).containsAll(example.expectedLines());
  }

  @Test
  void programsOfTheReadme_areTwo_theOneOfAQueueWithin22Lines() throws IOException {
    List<Example> programs =
        examples().stream().filter(example -> example.page().equals("README.md")).toList();
    assertThat(programs).extracting(Example::name).containsExactly("Orders", "Turnover");
    assertThat(programs.get(1).source().lines().filter(line -> !line.isBlank()))
        .hasSizeLessThanOrEqualTo(22);
  }

  @Test
  void programsThatPublishMetrics_haveAtMost25Lines() throws IOException {
    List<String> names = List.of("Scraped", "Exporter", "Beans");
    List<Example> programs =
        examples().stream().filter(example -> names.contains(example.name())).toList();
    assertThat(programs)
        .hasSameSizeAs(names)
        .allMatch(program -> program.source().lines().count() <= 25);
  }

  @Test
  void programThatTakesASocketToAFile_hasAtMost60Lines() throws IOException {
    List<Example> programs =
        examples().stream().filter(example -> example.name().equals("Recorder")).toList();
    assertThat(programs).hasSize(1);
    assertThat(programs.getFirst().source().lines()).hasSizeLessThanOrEqualTo(60);
  }

  private static void compile(Path folder, Example example) throws IOException {
    String file = Files.writeString(folder.resolve(example.file()), example.source()).toString();
    String classPath = System.getProperty("java.class.path");
    ByteArrayOutputStream messages = new ByteArrayOutputStream();
    int code =
        example.isKotlin()
            ? new K2JVMCompiler()
                .exec(
                    new PrintStream(messages, true, StandardCharsets.UTF_8),
                    "-Werror",
                    "-no-stdlib",
                    "-jvm-target",
                    "25",
                    "-cp",
                    classPath,
                    "-d",
                    folder.toString(),
                    file)
                .getCode()
            : ToolProvider.getSystemJavaCompiler()
                .run(null, messages, messages, "-Werror", "-proc:none", "-cp", classPath, file);
    assertThat(code).as(messages.toString(StandardCharsets.UTF_8)).isZero();
  }

  private static String outputOf(Path folder, String name) throws Exception {
    PrintStream before = System.out;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    try (URLClassLoader loader = new URLClassLoader(new URL[] {folder.toUri().toURL()})) {
      System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
      Method main = loader.loadClass(name).getMethod("main", String[].class);
      main.invoke(null, (Object) new String[0]);
    } finally {
      System.setOut(before);
    }
    return printed.toString(StandardCharsets.UTF_8).lines().collect(Collectors.joining("\n"));
  }
}
