package dev.millrace.ohlcv;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.ohlcv.output.OutputTarget;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Runs the program as a user would, without a process. */
record Cli(int exitCode, String out, String err) {
  static final List<String> ENGINES =
      List.of(
          "", "--engine naive", "--engine pipeline", "--engine pipeline --parsers 3 --shards 3");

  static Cli run(String... arguments) {
    return runWithInput("", arguments);
  }

  static Cli runWithInput(String input, String... arguments) {
    return runWithInput(input.getBytes(StandardCharsets.UTF_8), arguments);
  }

  static Cli runWithInput(byte[] input, String... arguments) {
    return runWithInput(new ByteArrayInputStream(input), arguments);
  }

  static Cli runWithInput(InputStream in, String... arguments) {
    return run(in, 0, arguments);
  }

  static Cli runOnTerminal(String... arguments) {
    return run(InputStream.nullInputStream(), 120, arguments);
  }

  private static Cli run(InputStream in, int columns, String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    Environment environment =
        new Environment(
            in, () -> OutputTarget.of(out), new PrintWriter(err, true), 0, columns, 0, false);
    int exitCode = Ohlcv.run(environment, arguments);
    return new Cli(exitCode, out.toString(), err.toString());
  }

  /** Makes CSV of the standard input with all engines. */
  static Cli csv(String input, String... options) {
    List<String> arguments = new ArrayList<>(List.of("candles", "--input", "-", "--format", "csv"));
    arguments.addAll(List.of(options));
    return runWithAllEngines(input, ENGINES, arguments.toArray(String[]::new));
  }

  /**
   * Runs with each engine; what is written and said must be the same, but for the lines that show
   * what shards and stages have done.
   *
   * @return what came of the first
   */
  static Cli runWithAllEngines(String input, List<String> engines, String... arguments) {
    Cli first = null;
    for (String engine : engines) {
      String[] options = engine.isEmpty() ? new String[0] : engine.split(" ", -1);
      String[] all = Arrays.copyOf(arguments, arguments.length + options.length);
      System.arraycopy(options, 0, all, arguments.length, options.length);
      Cli next = runWithInput(input, all);
      if (first == null) {
        first = next;
      }
      assertThat(next.exitCode).as("%s: %s", engine, next.err).isEqualTo(first.exitCode);
      assertSame(next.out, first.out, engine);
      assertSame(next.err, first.err, engine);
    }
    return first;
  }

  /** The line that says how rows are spread over shards or stages; null if there is none. */
  static String spread(String text, String over) {
    return text.lines().filter(line -> line.startsWith("rows by " + over)).findAny().orElse(null);
  }

  /** The texts may be long: only the first difference is of interest. */
  private static void assertSame(String text, String first, String engine) {
    if (text.equals(first)) {
      return; // a million assertions on lines take seconds
    }
    List<String> expected = comparable(first);
    List<String> actual = comparable(text);
    for (int i = 0; i < Math.min(expected.size(), actual.size()); i++) {
      assertThat(actual.get(i)).as("line %d with %s", i, engine).isEqualTo(expected.get(i));
    }
    assertThat(actual.size()).as("lines with %s", engine).isEqualTo(expected.size());
    assertThat(text.endsWith("\n")).isEqualTo(first.endsWith("\n"));
  }

  private static List<String> comparable(String text) {
    return text.lines().filter(line -> !line.startsWith("rows by ")).toList();
  }

  List<String> lines() {
    return out.lines().toList();
  }
}
