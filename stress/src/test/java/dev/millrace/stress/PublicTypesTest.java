package dev.millrace.stress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.Sequence;
import dev.millrace.disruptor.Sequencer;
import dev.millrace.flyweight.Flyweight;
import dev.millrace.queues.SpscProducer;
import dev.millrace.queues.SpscQueue;
import dev.millrace.telemetry.Counter;
import java.lang.reflect.Modifier;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The budget of public types. A small surface is a promise; raising a number takes an entry in
 * {@code docs/DECISIONS.md}.
 */
class PublicTypesTest {
  static Stream<Arguments> budgets() {
    return Stream.of(
        Arguments.of(Sequence.class, 9),
        Arguments.of(Flyweight.class, 7),
        Arguments.of(SpscQueue.class, 7),
        Arguments.of(SpscProducer.class, 15),
        Arguments.of(Sequencer.class, 10),
        Arguments.of(Counter.class, 5));
  }

  @ParameterizedTest
  @MethodSource("budgets")
  void publicTypes_ofModule_areWithinTheBudget(Class<?> member, int budget) throws Exception {
    List<String> types = publicTypesBeside(member);
    assertThat(types).contains(member.getSimpleName());
    assertThat(types).hasSizeLessThanOrEqualTo(budget);
  }

  private static List<String> publicTypesBeside(Class<?> member) throws Exception {
    URI origin = member.getProtectionDomain().getCodeSource().getLocation().toURI();
    String folder = member.getPackageName().replace('.', '/');
    if (Files.isDirectory(Path.of(origin))) {
      return publicTypesIn(Path.of(origin).resolve(folder), member);
    }
    try (FileSystem jar = FileSystems.newFileSystem(URI.create("jar:" + origin), Map.of())) {
      return publicTypesIn(jar.getPath("/" + folder), member);
    }
  }

  private static List<String> publicTypesIn(Path folder, Class<?> member) throws Exception {
    List<String> names;
    try (Stream<Path> files = Files.list(folder)) {
      names = files.map(file -> file.getFileName().toString()).toList();
    }
    List<String> types = new ArrayList<>();
    for (String name : names) {
      if (name.endsWith(".class") && !name.contains("$") && !name.contains("-")) {
        String type = name.substring(0, name.length() - ".class".length());
        Class<?> found =
            Class.forName(member.getPackageName() + "." + type, false, member.getClassLoader());
        if (Modifier.isPublic(found.getModifiers())) {
          types.add(type);
        }
      }
    }
    return types;
  }
}
