package dev.millrace.bench.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.function.Supplier;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import picocli.CommandLine;

/** Calls of a command as from a command line, for the tests that extend it. */
// picocli drops the writer of setOut if System.out is another one when the command runs.
@ResourceLock(value = Resources.SYSTEM_OUT, mode = ResourceAccessMode.READ)
@Execution(CONCURRENT)
public abstract class CommandCalls {
  /** What the command has printed. */
  protected final StringWriter out = new StringWriter();

  /** What it has printed as an error. */
  protected final StringWriter err = new StringWriter();

  private final Supplier<?> commands;

  /** Calls a new command each time. */
  protected CommandCalls(Supplier<?> commands) {
    this.commands = commands;
  }

  /** Returns the exit code. */
  protected final int execute(String... arguments) {
    return new CommandLine(commands.get())
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(arguments);
  }

  /** The command must refuse arguments, with a message, and print nothing else. */
  protected final void assertRefused(String arguments, String message) {
    assertThat(execute(arguments.split(" ", -1))).isEqualTo(2);
    assertThat(err.toString()).contains(message);
    assertThat(out.toString()).isEmpty();
  }
}
