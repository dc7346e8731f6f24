package dev.millrace.ohlcv;

import dev.millrace.ohlcv.input.TradeSource;
import dev.millrace.ohlcv.output.OutputTarget;
import dev.millrace.telemetry.tool.TelemetryTool;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command line of {@code ohlcv sample}: the trades that come with the example, as a file. */
@Command(
    name = "sample",
    description = {
      "Writes the trades that ohlcv candles reads if it is given no input: 100,000 on Bitstamp,"
          + " 25 November to 1 December 2013, in columns timestamp, price, amount."
    },
    footer = {"", "Exit codes: 0 done, 1 the output cannot be written, 2 wrong usage."},
    mixinStandardHelpOptions = true,
    versionProvider = Ohlcv.Version.class,
    sortOptions = false)
final class SampleCommand implements Callable<Integer> {
  private final Environment environment;

  @Spec private CommandSpec spec;

  @Option(names = "--count", paramLabel = "N", description = "How many trades. Default: all.")
  private Long count;

  @Option(
      names = "--skip",
      paramLabel = "N",
      defaultValue = "0",
      description = "How many of the first trades to leave out. Default: ${DEFAULT-VALUE}.")
  private long skip;

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      description = "${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}.")
  private Format format = Format.CSV;

  @Option(
      names = "--output",
      paramLabel = "FILE",
      description = "Where to write; it appears when it is whole. Default: standard output.")
  private Path output;

  /** How trades are written. */
  enum Format {
    CSV,
    JSON;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  SampleCommand(Environment environment) {
    this.environment = environment;
  }

  @Override
  public Integer call() {
    requireNotNegative("--count", count == null ? 0 : count);
    requireNotNegative("--skip", skip);
    try (OutputTarget target = OutputTarget.of(output, environment.out())) {
      write(target.writer());
      target.complete();
      return Ohlcv.OK;
    } catch (IOException e) {
      if (output == null && TelemetryTool.isClosedPipe(e)) {
        return Ohlcv.OK; // as head closes it
      }
      String name = output == null ? "stdout" : output.toString();
      environment.err().println(name + ": output must be writable: " + e.getMessage());
      environment.err().flush();
      return Ohlcv.BAD_INPUT;
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }

  private void write(Writer writer) throws IOException {
    try (BufferedReader sample =
        new BufferedReader(
            new InputStreamReader(TradeSource.openSample(), StandardCharsets.UTF_8))) {
      String[] names = sample.readLine().split(",", -1);
      long left = count == null ? Long.MAX_VALUE : count;
      long toSkip = skip;
      String before = "";
      writer.write(format == Format.CSV ? String.join(",", names) + "\n" : "[\n");
      for (String line; left > 0 && (line = sample.readLine()) != null; ) {
        if (toSkip > 0) {
          toSkip--;
        } else if (format == Format.CSV) {
          writer.write(line + "\n");
          left--;
        } else {
          writer.write(before + json(names, line.split(",", -1)));
          before = ",\n";
          left--;
        }
      }
      writer.write(format == Format.CSV ? "" : "\n]\n");
    }
  }

  private static String json(String[] names, String[] numbers) {
    StringBuilder object = new StringBuilder();
    for (int i = 0; i < names.length; i++) {
      object.append(i == 0 ? "{\"" : ",\"").append(names[i]).append("\":").append(numbers[i]);
    }
    return object.append('}').toString();
  }

  private void requireNotNegative(String option, long value) {
    if (value < 0) {
      throw new ParameterException(
          spec.commandLine(), option + " must not be below 0: " + option + "=" + value);
    }
  }
}
