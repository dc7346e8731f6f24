package dev.millrace.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Finds a run that should be polluted and is not, because a kind of segment was never walked, or
 * because too few classes meet at a call site to keep the compiler from inlining it.
 */
class PollutionTest {
  @TempDir private Path directory;

  @Test
  void pollute_walksOverEachKind() throws Exception {
    Map<String, Long> walks = Pollution.pollute(0).walks();
    assertThat(walks).containsKeys("byte[]", "long[]", "confined", "mapped", "slice of mapped");
    assertThat(walks.values()).allMatch(count -> count > 0);
  }

  /** Two classes at a call site are still inlined; from three on C2 gives up. */
  @Test
  void kinds_areMoreClassesThanTheCompilerInlines() throws Exception {
    Path file = Files.createFile(directory.resolve("mapped"));
    try (Arena confined = Arena.ofConfined();
        Arena shared = Arena.ofShared()) {
      Map<String, MemorySegment> kinds = Pollution.kinds(confined, shared, file);
      assertThat(classesOf(kinds, segment -> segment)).hasSizeGreaterThan(2);
      assertThat(classesOf(kinds, MemorySegment::scope)).hasSizeGreaterThan(2);
      assertThat(kinds.values())
          .anyMatch(MemorySegment::isMapped)
          .anyMatch(MemorySegment::isNative);
      assertThat(kinds.values()).anyMatch(segment -> segment.heapBase().isPresent());
    }
  }

  private static Set<Class<?>> classesOf(
      Map<String, MemorySegment> kinds, Function<MemorySegment, Object> part) {
    return kinds.values().stream().map(part).map(Object::getClass).collect(Collectors.toSet());
  }
}
