package dev.millrace.bench.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;

import dev.millrace.bench.harness.Allocations.Allocated;
import dev.millrace.bench.harness.Allocations.Found;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Finds a class of which much is allocated and nothing shown, a count of objects that is far off,
 * and a collection whose heap is not shown.
 */
class AllocationsTest {
  private static final int OBJECTS = 4_000_000;

  private record Mark(long number) {}

  @SuppressWarnings("unused") // so that they are made
  private volatile Object last;

  @Test
  void all_afterManyObjects_showTheirClass() throws Exception {
    try (Allocations recording = new Allocations()) {
      recording.restart();
      long bytes = Jvm.THREADS.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < OBJECTS; i++) {
        last = new Mark(i);
        if (i % 100_000 == 0) {
          last = new byte[1 << 18];
        }
      }
      bytes = Jvm.THREADS.getCurrentThreadAllocatedBytes() - bytes;
      System.gc();
      recording.stop();
      Found found = recording.all();
      assertThat(found.allocated())
          .extracting(Allocated::type)
          .contains(Mark.class.getName(), "byte[]");
      assertThat(found.objects((double) bytes)).isBetween(OBJECTS / 2.0, OBJECTS * 2.0);
      assertThat(found.heap()).isNotEmpty();
      assertThat(found.heap()).allMatch(one -> one.megabytes() > 0);
    }
  }

  /** Half of the bytes are 100 objects, half are 10; the JVM has counted twice as many bytes. */
  @Test
  void objects_areInProportionToTheBytes() {
    Found found =
        new Found(
            List.of(new Allocated("A", 1_000, 100), new Allocated("B", 1_000, 10)), List.of());
    assertThat(found.objects(4_000)).isCloseTo(220, offset(1e-9));
    assertThat(new Found(List.of(), List.of()).objects(4_000)).isZero();
  }
}
