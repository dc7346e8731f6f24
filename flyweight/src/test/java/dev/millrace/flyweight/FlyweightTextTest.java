package dev.millrace.flyweight;

import static java.lang.foreign.MemoryLayout.sequenceLayout;
import static java.lang.foreign.MemoryLayout.structLayout;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.flyweight.RecordLayout.Field;
import dev.millrace.flyweight.internal.Checks;
import dev.millrace.testkit.Throws;
import java.nio.CharBuffer;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Finds text that is not encoded or decoded as by the JDK's coders, or that reaches into the next
 * field.
 */
class FlyweightTextTest {
  private static final int SIZE = 8;
  private static final RecordLayout LAYOUT =
      RecordLayout.of(
          JAVA_BYTE.withName("before"),
          sequenceLayout(SIZE, JAVA_BYTE).withName("symbol"),
          JAVA_BYTE.withName("after"),
          sequenceLayout(3, structLayout(sequenceLayout(SIZE, JAVA_BYTE).withName("name")))
              .withName("legs"));
  private static final Field SYMBOL = LAYOUT.field("symbol");
  private static final Field LEG_NAME = LAYOUT.field("legs[].name");
  private static final byte FILL = 0x5A;

  private final DynamicFlyweight flyweight = DynamicFlyweight.of(LAYOUT);

  @BeforeEach
  void fill() {
    flyweight.memory().fill(FILL);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "A",
        "EXACTLY8",
        "Z\u00FCrich",
        "\u20AC\u20AC",
        "\uD83D\uDE00\uD83D\uDE00",
        "\u0080\u07FF\u0800",
        "\uFFFF",
        "\uD800\uDC00",
        "\uDBFF\uDFFF",
        "\uD7FF\uE000"
      })
  void putUtf8_whenItFits_isReadBackAndPadded(String text) {
    flyweight.putUtf8(SYMBOL, CharBuffer.wrap(text));

    assertThat(bytes()).isEqualTo(Arrays.copyOf(text.getBytes(UTF_8), SIZE));
    assertThat(flyweight.getUtf8(SYMBOL)).isEqualTo(text);
    assertThat(utf8Appended()).isEqualTo(text);
    assertNeighboursUntouched();
  }

  @ParameterizedTest
  @ValueSource(strings = {"TOO LONG!", "\u20AC\u20AC\u20AC", "12345\uD83D\uDE00"})
  void putUtf8_whenTooLong_isRefusedAndNothingIsWritten(String text) {
    assertRefused(
        "symbol must be at most 8 bytes: symbol=" + text, () -> flyweight.putUtf8(SYMBOL, text));
  }

  @Test
  void putUtf8_whenNulOrASurrogateAlone_isRefusedAndNothingIsWritten() {
    assertRefused(
        "symbol must have no NUL: symbol=A\\u0000B", () -> flyweight.putUtf8(SYMBOL, "A\u0000B"));
    for (String text :
        new String[] {"A\uD83D", "\uDE00", "\uD83DA", "\uDE00\uD83D", "\uD83D\uD83D"}) {
      assertRefused(
          "symbol must have its surrogates in pairs: symbol=" + Checks.shown(text),
          () -> flyweight.putUtf8(SYMBOL, text));
    }
  }

  @Test
  void putUtf8_whenRandom_agreesWithJdk() {
    Random random = new Random(20_250_916);
    for (int i = 0; i < 20_000; i++) {
      StringBuilder text = new StringBuilder();
      for (int left = random.nextInt(5); left > 0; left--) {
        int bits = 1 + random.nextInt(21);
        int codePoint = 1 + random.nextInt(Math.min(1 << bits, Character.MAX_CODE_POINT));
        if (codePoint < Character.MIN_SURROGATE || codePoint > Character.MAX_SURROGATE) {
          text.appendCodePoint(codePoint);
        }
      }
      byte[] encoded = text.toString().getBytes(UTF_8);
      if (encoded.length <= SIZE) {
        flyweight.putUtf8(SYMBOL, text);
        assertThat(bytes()).isEqualTo(Arrays.copyOf(encoded, SIZE));
        assertThat(utf8Appended()).isEqualTo(text.toString());
      } else {
        Throws.illegalArgument("...", () -> flyweight.putUtf8(SYMBOL, text));
      }
    }
  }

  @Test
  void getUtf8_whenBytesAreRandom_agreesWithJdk() {
    // Bytes at which the decoder decides, so that nearly well-formed sequences are frequent.
    int[] telling = {
      0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC,
      0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF
    };
    Random random = new Random(20_250_916);
    for (int i = 0; i < 200_000; i++) {
      byte[] content = new byte[SIZE];
      for (int k = 0; k < SIZE; k++) {
        content[k] = (byte) telling[random.nextInt(telling.length)];
      }
      flyweight.putBytes(SYMBOL, content);
      String expected = new String(content, UTF_8);
      if (!utf8Appended().equals(expected)) {
        assertThat(utf8Appended()).as(Arrays.toString(content)).isEqualTo(expected);
      }
    }
  }

  @Test
  void putText_whenElement_isReadBackFromThatElement() {
    flyweight.putUtf8(LEG_NAME, 0, "A");
    flyweight.putUtf8(LEG_NAME, 1, "\u20AC");
    flyweight.putBytes(LEG_NAME, 2, new byte[] {1, 2, 3});

    assertThat(flyweight.getUtf8(LEG_NAME, 0)).isEqualTo("A");
    assertThat(flyweight.getUtf8(LEG_NAME, 1)).isEqualTo("\u20AC");
    StringBuilder all = new StringBuilder();
    flyweight.getUtf8(LEG_NAME, 0, all);
    flyweight.getUtf8(LEG_NAME, 1, all);
    assertThat(all).hasToString("A\u20AC");
    byte[] third = new byte[SIZE];
    flyweight.getBytes(LEG_NAME, 2, third);
    assertThat(third).containsExactly(1, 2, 3, 0, 0, 0, 0, 0);
    assertThat(flyweight.getUtf8(LAYOUT.field("legs[1].name"))).isEqualTo("\u20AC");
  }

  @Test
  void getBytes_whenTargetIsTooShort_isRefused() {
    Throws.illegalArgument(
        "target must be at least 8 bytes: target=7", () -> flyweight.getBytes(SYMBOL, new byte[7]));
  }

  @Test
  void putBytes_whenTooMany_isRefusedAndNothingIsWritten() {
    assertRefused(
        "source must be at most 8 bytes: source=9", () -> flyweight.putBytes(SYMBOL, new byte[9]));
  }

  private void assertRefused(String message, Runnable write) {
    Throws.illegalArgument(message, write::run);
    assertThat(bytes()).containsOnly(FILL);
    assertNeighboursUntouched();
  }

  private void assertNeighboursUntouched() {
    assertThat(flyweight.getByte(LAYOUT.field("before"))).isEqualTo(FILL);
    assertThat(flyweight.getByte(LAYOUT.field("after"))).isEqualTo(FILL);
  }

  private byte[] bytes() {
    byte[] bytes = new byte[SIZE];
    flyweight.getBytes(SYMBOL, bytes);
    return bytes;
  }

  private String utf8Appended() {
    StringBuilder target = new StringBuilder();
    flyweight.getUtf8(SYMBOL, target);
    return target.toString();
  }
}
