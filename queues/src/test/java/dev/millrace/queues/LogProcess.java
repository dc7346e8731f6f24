package dev.millrace.queues;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Another JVM, with the class path of this one: a log is for several processes. */
final class LogProcess {
  private LogProcess() {}

  /** Describes one that runs a class of the tests; it is short, so it starts and stops fast. */
  static ProcessBuilder of(Class<?> program, Object... arguments) {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                program.getName()));
    for (Object argument : arguments) {
      command.add(argument.toString());
    }
    return new ProcessBuilder(command);
  }
}
