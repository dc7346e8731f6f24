package dev.millrace.disruptor;

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
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The programs in the README are programs: they compile as printed, and print what they say. */
class ReadmeTest {
  private static final Path README = Path.of("..", "README.md");
  private static final Pattern PROGRAM =
      Pattern.compile("```java\n(import [^`]*?public class (\\w+) [^`]*)```");
  private static final Pattern PRINTED = Pattern.compile("println\\(.*\\);\\s*// (.*)");

  static List<MatchResult> programs() throws IOException {
    return PROGRAM.matcher(Files.readString(README)).results().toList();
  }

  @ParameterizedTest
  @MethodSource("programs")
  void program_asPrinted_compilesAndPrintsWhatItSays(MatchResult program, @TempDir Path folder)
      throws Exception {
    String source = program.group(1);
    String name = program.group(2);
    String expected = PRINTED.matcher(source).results().findFirst().orElseThrow().group(1);

    compile(folder, name, source);

    assertThat(outputOf(folder, name)).isEqualTo(expected + System.lineSeparator());
  }

  @Test
  void programs_ofTheReadme_areThree() throws IOException {
    assertThat(programs())
        .extracting(program -> program.group(2))
        .containsExactly("Trades", "Turnover", "Fees");
  }

  @Test
  void programOfAQueueWithEnds_isShort() throws IOException {
    String program = programs().get(1).group(1);
    assertThat(program.lines().filter(line -> !line.isBlank())).hasSizeLessThanOrEqualTo(22);
  }

  private static void compile(Path folder, String name, String source) throws IOException {
    Path file = Files.writeString(folder.resolve(name + ".java"), source);
    ByteArrayOutputStream messages = new ByteArrayOutputStream();
    int code =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                messages,
                messages,
                "-Werror",
                "-cp",
                System.getProperty("java.class.path"),
                file.toString());
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
    return printed.toString(StandardCharsets.UTF_8);
  }
}
