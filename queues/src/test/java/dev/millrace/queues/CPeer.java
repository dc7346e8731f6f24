package dev.millrace.queues;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A process written in C that takes part in rings as a test tells it, line by line: {@code
 * src/test/c/peer.c} has the commands.
 */
public final class CPeer implements AutoCloseable {
  private static final Path SOURCES = Path.of("src", "test", "c");
  private static final Path HEADERS = Path.of("src", "main", "c");
  private static final String STRICT = "-std=c11 -O2 -Wall -Wextra -Wpedantic -Werror";
  private static final Path PROGRAMS = Path.of("target", "c");
  private static final Map<String, Path> COMPILED = new HashMap<>(); // guarded by itself

  private final Process process;
  private final BufferedWriter commands;
  private final BufferedReader answers;

  private CPeer(Process process) {
    this.process = process;
    this.commands = process.outputWriter();
    this.answers = process.inputReader();
  }

  /**
   * Compiles a program of the tests, once; aborts the test if there is no C compiler.
   *
   * @param options more options of the compiler
   */
  public static Path compile(String name, String... options)
      throws IOException, InterruptedException {
    synchronized (COMPILED) {
      Path program = COMPILED.get(name);
      if (program == null) {
        Files.createDirectories(PROGRAMS);
        program = Files.createTempDirectory(PROGRAMS, name).resolve(name).toAbsolutePath();
        compile(SOURCES.resolve(name + ".c"), program, options);
        COMPILED.put(name, program);
      }
      return program;
    }
  }

  /** Compiles a program; any warning is an error. */
  public static void compile(Path source, Path program, String... options)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(System.getenv().getOrDefault("CC", "cc"));
    command.addAll(List.of(STRICT.split(" ")));
    command.addAll(List.of(options));
    command.addAll(List.of("-I" + HEADERS, "-o", program.toString(), source.toString()));
    Process process;
    try {
      process = new ProcessBuilder(command).redirectErrorStream(true).start();
    } catch (IOException e) {
      abort("no C compiler, so nothing in C is tested: " + e.getMessage());
      return;
    }
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
  }

  /** Starts a process that does nothing yet. */
  public static CPeer start() throws IOException, InterruptedException {
    ProcessBuilder program = new ProcessBuilder(compile("peer").toString());
    return new CPeer(program.redirectError(ProcessBuilder.Redirect.INHERIT).start());
  }

  /** Sends a command without waiting for its answer. */
  public void tell(String command) throws IOException {
    commands.write(command + "\n");
    commands.flush();
  }

  /** Returns the answer to the command that was sent last. */
  public String answer() throws IOException {
    return answers.readLine();
  }

  /** Returns whether the answer is there, or the process has ended. */
  public boolean hasAnswered() throws IOException {
    return answers.ready() || !process.isAlive();
  }

  /** Sends a command and returns the answer. */
  public String ask(String command) throws IOException {
    tell(command);
    return answer();
  }

  /** Sends commands that must succeed. */
  public void does(String... commands) throws IOException {
    for (String command : commands) {
      assertThat(ask(command)).as(command).isEqualTo("0");
    }
  }

  /** Returns its process id. */
  public long pid() {
    return process.pid();
  }

  /** Kills it, by {@code SIGKILL}, and waits until it has ended. */
  public void kill() throws InterruptedException {
    process.destroyForcibly();
    assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
