package dev.millrace.stress.proof;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Runs a program in a JVM of its own; its output goes to a file. */
public final class Child {
  private static final long LIMIT_MINUTES = 60;

  private Child() {}

  /**
   * Runs a program of this JVM's class path to its end.
   *
   * @param folder where it runs
   * @param log the name of the file there that takes its output
   * @param options the JVM's
   * @param program the main class and its arguments
   * @return its exit code
   * @throws IOException if it cannot be started
   * @throws InterruptedException if this thread is interrupted, which ends it
   */
  public static int run(Path folder, String log, List<String> options, List<String> program)
      throws IOException, InterruptedException {
    return run(folder, log, options, List.of(), program);
  }

  /**
   * Runs a program of this JVM's class path, and of more, to its end.
   *
   * @param folder where it runs
   * @param log the name of the file there that takes its output
   * @param options the JVM's
   * @param more what is on the class path besides
   * @param program the main class and its arguments
   * @return its exit code
   * @throws IOException if it cannot be started
   * @throws InterruptedException if this thread is interrupted, which ends it
   */
  public static int run(
      Path folder, String log, List<String> options, List<Path> more, List<String> program)
      throws IOException, InterruptedException {
    List<String> arguments = new ArrayList<>(options);
    arguments.add("-cp");
    arguments.add(absoluteClassPath(more));
    arguments.addAll(program);
    return java(folder, log, arguments);
  }

  /**
   * Runs {@code java} to its end.
   *
   * @param folder where it runs
   * @param log the name of the file there that takes its output
   * @param arguments the JVM's options, then what it runs
   * @return its exit code
   * @throws IOException if it cannot be started
   * @throws InterruptedException if this thread is interrupted, which ends it
   */
  public static int java(Path folder, String log, List<String> arguments)
      throws IOException, InterruptedException {
    Files.createDirectories(folder);
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(arguments);
    Process process =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve(log).toFile())
            .start();
    Thread killer = new Thread(process::destroyForcibly);
    Runtime.getRuntime().addShutdownHook(killer); // a run that is interrupted leaves none behind
    try {
      if (!process.waitFor(LIMIT_MINUTES, TimeUnit.MINUTES)) {
        throw new IllegalStateException(
            "no end within " + LIMIT_MINUTES + " minutes: " + String.join(" ", command));
      }
      return process.exitValue();
    } finally {
      process.destroyForcibly();
      Runtime.getRuntime().removeShutdownHook(killer);
    }
  }

  private static String absoluteClassPath(List<Path> more) {
    Stream<Path> own =
        Pattern.compile(Pattern.quote(File.pathSeparator))
            .splitAsStream(System.getProperty("java.class.path"))
            .map(Path::of);
    return Stream.concat(own, more.stream())
        .map(entry -> entry.toAbsolutePath().toString())
        .collect(Collectors.joining(File.pathSeparator));
  }
}
