package dev.millrace.bench.harness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a run ran on.
 *
 * @param processor the processor's name, where the system tells
 * @param architecture its architecture
 * @param processors how many the JVM may use
 * @param system the operating system
 * @param jvm the JVM
 */
public record Machine(
    String processor, String architecture, int processors, String system, String jvm) {
  private static final Path CPU_INFO = Path.of("/proc/cpuinfo");

  /**
   * This machine and this JVM.
   *
   * @return what they are
   * @throws IOException if the system tells of its processor but cannot be read
   */
  public static Machine here() throws IOException {
    return new Machine(
        processorName(),
        System.getProperty("os.arch"),
        Runtime.getRuntime().availableProcessors(),
        System.getProperty("os.name") + " " + System.getProperty("os.version"),
        System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version"));
  }

  /**
   * What a reader is told of it.
   *
   * @return facts by name, in that order
   */
  public Map<String, String> facts() {
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put("processor", processor);
    facts.put("architecture", architecture);
    facts.put("processors", Integer.toString(processors));
    facts.put("system", system);
    facts.put("JVM", jvm);
    return facts;
  }

  private static String processorName() throws IOException {
    if (!Files.isReadable(CPU_INFO)) {
      return "unknown";
    }
    return Files.readAllLines(CPU_INFO).stream()
        .filter(line -> line.startsWith("model name"))
        .map(line -> line.substring(line.indexOf(':') + 1).strip())
        .findFirst()
        .orElse("unknown");
  }
}
