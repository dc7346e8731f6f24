package dev.millrace.ohlcv;

import dev.millrace.ohlcv.output.OutputTarget;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Runs the program as a user would, without a process. */
record Cli(int exitCode, String out, String err) {
  static Cli run(String... arguments) {
    return runWithInput("", arguments);
  }

  static Cli runWithInput(String input, String... arguments) {
    return runWithInput(input.getBytes(StandardCharsets.UTF_8), arguments);
  }

  static Cli runWithInput(byte[] input, String... arguments) {
    InputStream in = new ByteArrayInputStream(input);
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    Environment environment =
        new Environment(in, () -> OutputTarget.of(out), new PrintWriter(err, true), 0, 0, false);
    int exitCode = Ohlcv.run(environment, arguments);
    return new Cli(exitCode, out.toString(), err.toString());
  }

  List<String> lines() {
    return out.lines().toList();
  }
}
