package dev.millrace.flyweight;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.flyweight.outside.OutsideFlyweightTest.TradeFlyweight;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Finds a small field of a subclass that HotSpot puts into a gap before a flyweight's pads. It
 * reads where the fields really are, in JVMs with headers and pointers of different sizes.
 */
class FlyweightPaddingTest {
  private static final long PAD_BYTES = 120;
  private static final String PREFIX = "pad ";

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
    List<Long> padBytes =
        printed
            .lines()
            .filter(line -> line.startsWith(PREFIX))
            .map(line -> Long.valueOf(line.substring(PREFIX.length())))
            .toList();
    assertThat(padBytes)
        .as(printed)
        .hasSize(4)
        .allSatisfy(bytes -> assertThat(bytes).isGreaterThanOrEqualTo(PAD_BYTES));
  }

  /**
   * Prints the bytes between the cursor's fields and the object's start, its end (of the shortest
   * subclass there can be), and the nearest field of a subclass on either side.
   *
   * @param args unused
   */
  public static void main(String[] args) {
    long first = cursorFields().mapToLong(FlyweightPaddingTest::offset).min().orElseThrow();
    long last = cursorFields().mapToLong(FlyweightPaddingTest::end).max().orElseThrow();
    long below = first;
    long above = Long.MAX_VALUE;
    for (Field field : SmallFields.class.getDeclaredFields()) {
      if (offset(field) < first) {
        below = Math.min(below, first - end(field));
      } else {
        above = Math.min(above, offset(field) - last);
      }
    }
    long shortest =
        fields(Flyweight.class).mapToLong(FlyweightPaddingTest::end).max().orElseThrow();
    for (long bytes : new long[] {first, below, shortest - last, above}) {
      System.out.println(PREFIX + bytes);
    }
  }

  private static Stream<Field> cursorFields() {
    return fields(FlyweightCursor.class);
  }

  private static Stream<Field> fields(Class<?> type) {
    return Arrays.stream(type.getDeclaredFields())
        .filter(field -> !Modifier.isStatic(field.getModifiers()));
  }

  private static long end(Field field) {
    Class<?> type = field.getType();
    if (type.isPrimitive()) {
      return offset(field) + (type == int.class ? 4 : type == byte.class ? 1 : 8);
    }
    return offset(field) + (int) unsafe("arrayIndexScale", Class.class, Object[].class);
  }

  private static long offset(Field field) {
    return (long) unsafe("objectFieldOffset", Field.class, field);
  }

  /** By reflection, since javac warns of each mention of Unsafe and cannot be told not to. */
  private static Object unsafe(String method, Class<?> parameterType, Object argument) {
    try {
      Class<?> unsafe = Class.forName("sun.misc.Unsafe");
      Field instance = unsafe.getDeclaredField("theUnsafe");
      instance.setAccessible(true);
      return unsafe.getMethod(method, parameterType).invoke(instance.get(null), argument);
    } catch (ReflectiveOperationException failed) {
      throw new IllegalStateException(failed);
    }
  }
}
