package dev.millrace.queues.internal.shared;

import dev.millrace.flyweight.internal.Checks;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;

/**
 * The participant that has an entry, for people. The file may hold garbage, which is shown as it
 * is.
 *
 * @param process its process
 * @param name what it calls itself, cut to 48 bytes
 */
record Occupant(ProcessId process, String name) {
  private static final int NAME_AT = FileLayout.OCCUPANT_WORDS - FileLayout.NAME_WORDS;
  private static final int NAME_BYTES = FileLayout.NAME_WORDS * Long.BYTES;

  /** The words of the entry from {@link FileLayout#OCCUPANT} on. */
  long[] words() {
    long[] words = new long[FileLayout.OCCUPANT_WORDS];
    words[0] = process.pid();
    words[1] = process.started();
    words[2] = process.startMark();
    words[3] = process.namespace();
    words[4] = process.bootHigh();
    words[5] = process.bootLow();
    ByteBuffer bytes = ByteBuffer.allocate(NAME_BYTES).order(ByteOrder.nativeOrder());
    byte[] text = name.getBytes(StandardCharsets.UTF_8);
    bytes.put(text, 0, Math.min(text.length, NAME_BYTES));
    for (int i = 0; i < FileLayout.NAME_WORDS; i++) {
      words[NAME_AT + i] = bytes.getLong(i * Long.BYTES);
    }
    return words;
  }

  static Occupant of(long[] words) {
    ByteBuffer bytes = ByteBuffer.allocate(NAME_BYTES).order(ByteOrder.nativeOrder());
    for (int i = 0; i < FileLayout.NAME_WORDS; i++) {
      bytes.putLong(words[NAME_AT + i]);
    }
    String name = new String(bytes.array(), StandardCharsets.UTF_8);
    int end = name.indexOf('\0');
    return new Occupant(
        new ProcessId(words[0], words[1], words[2], words[3], words[4], words[5]),
        end < 0 ? name : name.substring(0, end));
  }

  /** In messages: {@code pid=17, name="orders", started=2026-11-29T21:13:55Z}. */
  @Override
  public String toString() {
    return "pid=%d, name=\"%s\", started=%s"
        .formatted(process.pid(), Checks.shown(name), Instant.ofEpochMilli(process.started()));
  }
}
