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

/** Runs a program of the class path in a JVM of its own; its output goes to a file. */
final class Child {
  private static final long LIMIT_MINUTES = 60;

  private Child() {}

  /**
   * Runs a program to its end.
   *
   * @param folder where it runs
   * @param log the name of the file there that takes its output
   * @param options the JVM's
   * @param program the main class and its arguments
   * @return its exit code
   */
  static int run(Path folder, String log, List<String> options, List<String> program)
      throws IOException, InterruptedException {
    Files.createDirectories(folder);
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(options);
    command.add("-cp");
    command.add(absoluteClassPath());
    command.addAll(program);
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
            "no end within " + LIMIT_MINUTES + " minutes: " + String.join(" ", program));
      }
      return process.exitValue();
    } finally {
      process.destroyForcibly();
      Runtime.getRuntime().removeShutdownHook(killer);
    }
  }

  private static String absoluteClassPath() {
    return Pattern.compile(Pattern.quote(File.pathSeparator))
        .splitAsStream(System.getProperty("java.class.path"))
        .map(entry -> Path.of(entry).toAbsolutePath().toString())
        .collect(Collectors.joining(File.pathSeparator));
  }
}
