package dev.millrace.testkit;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Another JVM, with the class path of this one. */
public final class OtherJvm {
  private OtherJvm() {}

  /**
   * Describes one that runs a class of the tests, with a small heap. It takes little processor time
   * to start, and C2 compiles nothing.
   */
  public static ProcessBuilder of(Class<?> program, Object... arguments) {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                program.getName()));
    for (Object argument : arguments) {
      command.add(argument.toString());
    }
    return new ProcessBuilder(command);
  }

  /** Starts one. What it reports as errors appears among those of this one. */
  public static Process start(Class<?> program, Object... arguments) throws IOException {
    return of(program, arguments).redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }
}
