package dev.millrace.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Finds a simulator that works on the class path only, and one that fails as a module without
 * naming the option that it lacks.
 */
class ModuleTest {
  private static final String PROGRAM =
      """
      import dev.millrace.simulator.*;
      import java.time.Duration;

      public class Program {
        int value;

        public static void race(Simulation run) {
          Program shared = new Program();
          run.thread("one", () -> shared.value = 1);
          run.thread("other", () -> shared.value = 2);
        }

        public static void main(String[] args) throws Exception {
          WovenLoader loader =
              new WovenLoader(Program.class.getClassLoader(), Weaving.of("Program"));
          Scenario race =
              Scenario.of(loader.loadClass("Program").getMethod("race", Simulation.class));
          Exploration found = new Explorer(race).random(100, Duration.ofMinutes(1), 1);
          System.out.println(Explorer.class.getModule() + ": " + found.failure().message());
        }
      }
      """;

  @TempDir private Path folder;

  private String run(String exportedTo) throws Exception {
    Path program = Files.writeString(folder.resolve("Program.java"), PROGRAM);
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "--add-exports",
                "java.base/jdk.internal.vm=" + exportedTo,
                "-p",
                Path.of("target", "classes").toAbsolutePath().toString(),
                "--add-modules",
                "dev.millrace.simulator",
                program.toString())
            .redirectErrorStream(true)
            .start();
    String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    process.waitFor();
    return printed;
  }

  @Test
  void explorer_inANamedModule_findsTheRace() throws Exception {
    assertThat(run("dev.millrace.simulator"))
        .contains("module dev.millrace.simulator: data race: plain write of Program@");
  }

  @Test
  void explorer_withoutTheExport_namesTheOption() throws Exception {
    assertThat(run("ALL-UNNAMED"))
        .contains(
            "the JVM must be started with --add-exports"
                + " java.base/jdk.internal.vm=dev.millrace.simulator");
  }
}
