package dev.millrace.testkit;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Another JVM, with the class path of this one. */
public final class OtherJvm {
  private OtherJvm() {}

  /** Describes one with a small heap that runs a class of the tests. */
  public static ProcessBuilder of(Class<?> program, Object... arguments) {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                "-cp",
                System.getProperty("java.class.path"),
                program.getName()));
    for (Object argument : arguments) {
      command.add(argument.toString());
    }
    return new ProcessBuilder(command);
  }
}
