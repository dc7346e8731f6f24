package dev.millrace.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.testkit.OtherJvm;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** A JVM that writes telemetry, until it is killed. */
final class OtherProcess {
  private OtherProcess() {}

  /** Starts a JVM with a file's name as its argument. */
  static Process start(Class<?> main, Path file) throws IOException {
    return OtherJvm.of(main, file).inheritIO().start();
  }

  /** Opens its file, as soon as it has made it. */
  static TelemetryReader open(Path file) throws InterruptedException {
    while (true) {
      try {
        return TelemetryReader.open(file);
      } catch (IOException e) { // not made yet, or half-made
        Thread.sleep(5);
      }
    }
  }

  /** Ends it as kill -9 does. */
  static void kill(Process process) throws InterruptedException {
    process.destroyForcibly();
    assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as("it was killed").isNotZero();
  }
}
