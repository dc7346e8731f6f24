package dev.millrace.bench.compare;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * What a run ran on.
 *
 * @param processor the processor's name, where the system tells
 * @param architecture its architecture
 * @param processors how many the JVM may use
 * @param system the operating system
 * @param jvm the JVM
 */
record Machine(String processor, String architecture, int processors, String system, String jvm) {
  private static final Path CPU_INFO = Path.of("/proc/cpuinfo");

  /** This one. */
  static Machine here() throws IOException {
    return new Machine(
        processorName(),
        System.getProperty("os.arch"),
        Runtime.getRuntime().availableProcessors(),
        System.getProperty("os.name") + " " + System.getProperty("os.version"),
        System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version"));
  }

  private static String processorName() throws IOException {
    if (!Files.isReadable(CPU_INFO)) {
      return "unknown";
    }
    List<String> lines = Files.readAllLines(CPU_INFO);
    return lines.stream()
        .filter(line -> line.startsWith("model name"))
        .map(line -> line.substring(line.indexOf(':') + 1).strip())
        .findFirst()
        .orElse("unknown");
  }
}
