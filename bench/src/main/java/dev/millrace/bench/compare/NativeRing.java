package dev.millrace.bench.compare;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** The ring in C++, compiled where there is a compiler: a limit to compare with, not a peer. */
final class NativeRing {
  private static final String SOURCE = "lamport.cpp";
  private static final String PROGRAM = "lamport";
  private static final String COMPILER = "c++ -std=c++17 -O3 -pthread -o " + PROGRAM + " " + SOURCE;

  private NativeRing() {}

  /** Compiles it; returns the program, or an empty text if there is no compiler. */
  static String compile() throws IOException, InterruptedException {
    Path directory = Files.createTempDirectory("millrace");
    try (InputStream in = NativeRing.class.getResourceAsStream(SOURCE)) {
      Files.copy(in, directory.resolve(SOURCE));
    }
    try {
      Process compiler =
          new ProcessBuilder(COMPILER.split(" ", -1))
              .directory(directory.toFile())
              .inheritIO()
              .start();
      return compiler.waitFor() == 0 ? directory.resolve(PROGRAM).toString() : "";
    } catch (IOException e) {
      return ""; // no such program
    }
  }

  /** Runs it. */
  static Measured run(String program, Work work, int idle, long warmupNanos, long nanos)
      throws IOException, InterruptedException {
    List<String> command =
        Stream.of(
                program,
                work.sends(),
                work.receives(),
                work.capacity(),
                idle,
                TimeUnit.NANOSECONDS.toMillis(warmupNanos),
                TimeUnit.NANOSECONDS.toMillis(nanos))
            .map(Object::toString)
            .toList();
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String out = process.inputReader(StandardCharsets.UTF_8).readAllAsString().strip();
    if (process.waitFor() != 0) {
      throw new IllegalStateException("the ring in C++ must end well: " + out);
    }
    return Measured.ofTraffic(Double.parseDouble(out), 0, 0, 0, 0, 0);
  }
}
