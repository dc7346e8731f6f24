package dev.millrace.ohlcv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.ohlcv.output.OutputTarget;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** Runs the program as a user would, without a process. */
record Cli(int exitCode, String out, String err) {
  static final List<String> ENGINES = List.of("", "--engine pipeline", "--shards 5");

  /** Runs a command line of words without spaces. */
  static Cli run(String line) {
    return run("", line);
  }

  static Cli run(String input, String line) {
    return run(input.getBytes(StandardCharsets.UTF_8), line);
  }

  static Cli run(byte[] input, String line) {
    return run(new ByteArrayInputStream(input), 0, line);
  }

  /** Runs on a terminal of so many columns; 0 for none. */
  static Cli run(InputStream in, int columns, String line) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    Environment environment =
        new Environment(
            in, () -> OutputTarget.of(out), new PrintWriter(err, true), 0, columns, 0, false);
    String[] words = line.isBlank() ? new String[0] : line.strip().split(" +", -1);
    return new Cli(Ohlcv.run(environment, words), out.toString(), err.toString());
  }

  /** Makes CSV of the standard input with all engines. */
  static Cli csv(String input, String options) {
    return csv(input.getBytes(StandardCharsets.UTF_8), options);
  }

  static Cli csv(byte[] input, String options) {
    return all(input, "candles --input - --format csv " + options);
  }

  /** Runs with each engine; what is written and said must be the same. */
  static Cli all(byte[] input, String line) {
    Cli first = run(input, line);
    for (String engine : ENGINES.subList(1, ENGINES.size())) {
      Cli next = run(input, line + " " + engine);
      // The texts may be long: they are compared before they are described.
      boolean same = next.out.equals(first.out) && next.exitCode == first.exitCode;
      assertThat(same).as("%s %s: %s", line, engine, next.err).isTrue();
      assertThat(next.err).as(engine).isEqualTo(first.err);
    }
    return first;
  }

  /** A file of real market data, which is not part of the repository. */
  static Path data(String file) {
    String folder = System.getProperty("millrace.data", "");
    assumeTrue(!folder.isBlank(), "no market data: give its folder by -Dmillrace.data=FOLDER");
    return Path.of(folder, file);
  }

  Cli exits(int expected) {
    assertThat(exitCode).as(err).isEqualTo(expected);
    return this;
  }

  List<String> lines() {
    return out.lines().toList();
  }
}
