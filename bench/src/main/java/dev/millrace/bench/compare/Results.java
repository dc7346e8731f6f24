package dev.millrace.bench.compare;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * What a run has found, as it is kept in a file.
 *
 * @param form quick or full
 * @param command that repeats the run, from the root of the checkout
 * @param started when, in UTC
 * @param seed that rounds were shuffled with
 * @param warmupMillis how long each JVM warmed up
 * @param millis how long each JVM measured
 * @param machine what it ran on
 * @param flags the options of the JVMs
 * @param versions of the contenders, by name
 * @param samples one for each JVM
 */
record Results(
    String form,
    String command,
    String started,
    long seed,
    long warmupMillis,
    long millis,
    Machine machine,
    List<String> flags,
    Map<String, String> versions,
    List<Sample> samples) {
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  Results {
    samples = samples.stream().map(Sample::judged).toList();
  }

  static Results read(Path file) throws IOException {
    return JSON.readValue(file.toFile(), Results.class);
  }

  /** The idle counts that were run. */
  List<Integer> idles() {
    return samples.stream().map(Sample::idle).distinct().sorted().toList();
  }

  void write(Path file) throws IOException {
    Files.createDirectories(file.toAbsolutePath().getParent());
    JSON.writeValue(file.toFile(), this);
  }
}
