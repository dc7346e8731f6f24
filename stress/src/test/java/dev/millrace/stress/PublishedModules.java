package dev.millrace.stress;

import dev.millrace.stress.mutation.Mutator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The modules that are published, whose every ordering access is commented and proven. All but
 * {@code millrace-micrometer}, which only reads what the others offer.
 */
public final class PublishedModules {
  /** Their folders beside this module's. */
  public static final List<String> NAMES =
      List.of("core", "flyweight", "queues", "queues/cache", "disruptor", "telemetry");

  private PublishedModules() {}

  /**
   * Makes a mutator that knows their classes of access modes.
   *
   * @return the mutator
   */
  public static Mutator mutator() {
    return Mutator.of(
        PublishedModules.class.getClassLoader(), Set.of("dev.millrace.core.Sequence"));
  }

  /**
   * Finds files.
   *
   * @param folder where
   * @param ending how their names end
   * @return them, in order
   * @throws IOException if the folder cannot be read
   */
  public static List<Path> files(Path folder, String ending) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      return all.filter(file -> file.toString().endsWith(ending)).sorted().toList();
    }
  }
}
