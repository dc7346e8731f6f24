package dev.millrace.flyweight;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Reads where HotSpot really puts a flyweight's fields, in JVMs with differently sized headers and
 * pointers. Hazard: it may place a small field of a subclass into a gap before the pads.
 */
class FlyweightPaddingTest {
  private static final long PAD_BYTES = 120;

  /** A subclass with fields of every size, any of which would fit into a gap. */
  private static final class SmallFields extends Flyweight {
    @SuppressWarnings("unused")
    private byte small;

    @SuppressWarnings("unused")
    private int medium;

    @SuppressWarnings("unused")
    private Object reference;

    @SuppressWarnings("unused")
    private long large;

    SmallFields() {
      super(TradeFlyweight.LAYOUT, MemorySegment.NULL);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-XX:+UseCompactObjectHeaders",
        "-XX:-UseCompactObjectHeaders",
        "-XX:-UseCompressedOops",
        "-XX:-UseCompressedClassPointers"
      })
  void fields_whenLaidOut_areFarFromAllOthers(String option) throws Exception {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    String classPath = System.getProperty("java.class.path");
    Process child =
        new ProcessBuilder(java, option, "-cp", classPath, FlyweightPaddingTest.class.getName())
            .redirectErrorStream(true)
            .start();
    String printed = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    assertThat(child.waitFor()).as(printed).isZero();
    List<String> distances = printed.lines().filter(line -> line.startsWith("pads ")).toList();
    assertThat(distances).as(printed).hasSize(1);
    for (String distance : distances.getFirst().substring(5).split(" ")) {
      assertThat(Long.parseLong(distance)).as(printed).isGreaterThanOrEqualTo(PAD_BYTES);
    }
  }

  /**
   * Prints the bytes between the cursor's fields and the object's start, its end (of the shortest
   * subclass there can be), and the nearest field of a subclass on either side.
   *
   * @param args unused
   */
  public static void main(String[] args) {
    long first = cursorFields().mapToLong(FlyweightPaddingTest::offset).min().orElseThrow();
    long last = cursorFields().mapToLong(FlyweightPaddingTest::offset).max().orElseThrow() + 8;
    long end = lastPad() + Long.BYTES;
    long below = first;
    long above = end - last;
    for (Field field : SmallFields.class.getDeclaredFields()) {
      long offset = offset(field);
      if (offset < first) {
        // A field before the cursor's is harmless where the left pad lies between them.
        below = Math.min(below, first - offset - 8);
      } else {
        above = Math.min(above, offset - last);
      }
    }
    System.out.println("pads " + first + " " + below + " " + (end - last) + " " + above);
  }

  private static Stream<Field> cursorFields() {
    return Arrays.stream(FlyweightCursor.class.getDeclaredFields())
        .filter(field -> !Modifier.isStatic(field.getModifiers()));
  }

  private static long lastPad() {
    return Arrays.stream(Flyweight.class.getDeclaredFields())
        .filter(field -> !Modifier.isStatic(field.getModifiers()))
        .mapToLong(FlyweightPaddingTest::offset)
        .max()
        .orElseThrow();
  }

  /** By reflection, since javac cannot be told to accept a mention of Unsafe. */
  private static long offset(Field field) {
    try {
      Class<?> unsafe = Class.forName("sun.misc.Unsafe");
      Field instance = unsafe.getDeclaredField("theUnsafe");
      instance.setAccessible(true);
      Method objectFieldOffset = unsafe.getMethod("objectFieldOffset", Field.class);
      return (long) objectFieldOffset.invoke(instance.get(null), field);
    } catch (ReflectiveOperationException failed) {
      throw new IllegalStateException(failed);
    }
  }
}
