package dev.millrace.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** What a run ran on. */
public final class Machine {
  private static final Path CPU_INFO = Path.of("/proc/cpuinfo");

  private Machine() {}

  /**
   * This machine and this JVM.
   *
   * @return facts by name, in the order in which they are told
   * @throws IOException if the system tells of its processor but cannot be read
   */
  public static Map<String, String> facts() throws IOException {
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put("processor", processorName());
    facts.put("architecture", System.getProperty("os.arch"));
    facts.put("processors", Integer.toString(Runtime.getRuntime().availableProcessors()));
    facts.put("system", System.getProperty("os.name") + " " + System.getProperty("os.version"));
    facts.put(
        "jvm", System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version"));
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
