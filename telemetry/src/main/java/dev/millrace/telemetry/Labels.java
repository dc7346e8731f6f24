package dev.millrace.telemetry;

import dev.millrace.core.internal.Checks;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Labels as text, and as words of bytes: memory that may be changing is read word by word. */
final class Labels {
  private Labels() {}

  /** A label's bytes, checked. */
  static byte[] bytes(String label) {
    byte[] bytes = Checks.notNull("label", label).getBytes(StandardCharsets.UTF_8);
    if (bytes.length == 0 || bytes.length > CounterTable.LABEL_BYTES) {
      throw new IllegalArgumentException(
          "label must take 1.."
              + CounterTable.LABEL_BYTES
              + " bytes in UTF-8: bytes="
              + bytes.length
              + ", label="
              + label);
    }
    return bytes;
  }

  /** Bytes as words, which lie in memory as the bytes would. */
  static long[] words(byte[] bytes) {
    long[] words = new long[(bytes.length + Long.BYTES - 1) / Long.BYTES];
    ByteBuffer.wrap(Arrays.copyOf(bytes, words.length * Long.BYTES))
        .order(ByteOrder.nativeOrder())
        .asLongBuffer()
        .get(words);
    return words;
  }

  /** The text of words. */
  static String text(long[] words, int byteCount) {
    ByteBuffer bytes =
        ByteBuffer.allocate(words.length * Long.BYTES).order(ByteOrder.nativeOrder());
    bytes.asLongBuffer().put(words);
    return new String(bytes.array(), 0, byteCount, StandardCharsets.UTF_8);
  }
}
