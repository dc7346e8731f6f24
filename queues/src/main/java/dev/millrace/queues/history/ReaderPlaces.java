package dev.millrace.queues.history;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.millrace.core.internal.NativeMemory;
import dev.millrace.core.internal.history.HistorySlots;
import dev.millrace.core.internal.ring.Ring;
import dev.millrace.flyweight.internal.Checks;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * The places of named readers in the file of a history. A place has a name, and the position of the
 * reader with that name. Both outlive the reader.
 *
 * <pre>
 * 0        8          16                                  128
 * +--------+----------+-----------------------------------+--
 * | length | position | name, UTF-8 with zeros after it   | the next place
 * +--------+----------+-----------------------------------+--
 * </pre>
 *
 * <p><b>Roles.</b> Any thread may search for a name. Only the occupant of a place writes it: see
 * {@link HistorySeats}.
 */
final class ReaderPlaces {
  /*
   * Each place has an entry in the table of participants, and only the occupant of that entry writes
   * the place. It sees everything that earlier occupants did.
   *
   * Invariants: the places with a name are the first ones. A name is in one place only. It is never
   * changed or removed. This holds because a process that looks for a name goes through the places
   * in order. At the first one without a name it becomes the occupant, reads the length again, and
   * only then writes the name. If another process is the occupant, it waits for that one.
   *
   * A process may die before it has written the length. Then the place still has no name.
   *
   *   word      writer                       write mode  read by
   *   length    the first occupant           release     any: acquire
   *   name      likewise, before the length  plain       any, after the length: plain
   *   position  the occupant                 release     any: acquire
   *
   * A position is never ahead of the number of claims, for one that acquires it and then reads that
   * number.
   *
   * A  WORD.setRelease in setName      ->  WORD.getAcquire in length    the name, the first position
   * B  WORD.setRelease in setPosition  ->  WORD.getAcquire in position  the number of claims
   */
  private static final long POSITION = Long.BYTES;
  private static final long NAME = 2 * Long.BYTES;
  private static final long PLACE_BYTES = NativeMemory.ALIGNMENT_BYTES;

  /** How many bytes a name may have. */
  private static final int NAME_BYTES = (int) (PLACE_BYTES - NAME);

  private static final VarHandle WORD = Ring.STAMP;

  private final MemorySegment memory;
  private final HistorySlots slots;
  private final String file;

  /** Takes over the places of a ring. {@code file} names the file in messages. */
  ReaderPlaces(MemorySegment memory, HistorySlots slots, String file) {
    this.memory = memory;
    this.slots = slots;
    this.file = file;
  }

  /** Returns how many bytes a number of places take. */
  static long sizeBytes(int count) {
    return count * PLACE_BYTES;
  }

  /** Returns how many places there are. */
  int count() {
    return (int) (memory.byteSize() / PLACE_BYTES);
  }

  /** A name as it is in a place. */
  static final class Name {
    private final String text;
    private final long[] words;
    private final long length;

    /** Throws {@link IllegalArgumentException} if the text is empty or too long. */
    Name(String text) {
      byte[] utf8 = Checks.notNull("name", text).getBytes(UTF_8);
      if (utf8.length < 1 || utf8.length > NAME_BYTES) {
        throw new IllegalArgumentException(
            "name must have 1..%d bytes in UTF-8: bytes=%d, name=%s"
                .formatted(NAME_BYTES, utf8.length, Checks.shown(text)));
      }
      this.text = text;
      this.words = new long[NAME_BYTES / Long.BYTES];
      this.length = utf8.length;
      ByteBuffer bytes = ByteBuffer.wrap(Arrays.copyOf(utf8, NAME_BYTES));
      bytes.order(ByteOrder.nativeOrder()).asLongBuffer().get(words);
    }

    @Override
    public String toString() {
      return text;
    }
  }

  // ---- names ----

  /** Returns whether a place has a name. Throws {@link UncheckedIOException} if it is damaged. */
  boolean isNamed(int place) {
    return length(place) > 0;
  }

  /** Returns whether a place has this name. Throws as {@link #isNamed} does. */
  boolean hasName(int place, Name name) {
    if (length(place) != name.length) {
      return false;
    }
    for (int i = 0; i < name.words.length; i++) {
      // plain: acquire A of the length orders it
      if ((long) WORD.get(memory, at(place, NAME) + (long) i * Long.BYTES) != name.words[i]) {
        return false;
      }
    }
    return true;
  }

  private long length(int place) {
    long length = (long) WORD.getAcquire(memory, at(place, 0)); // acquire A: the name
    if (length < 0 || length > NAME_BYTES) {
      throw damaged("length of name " + place + " is " + length + ", not in 0.." + NAME_BYTES);
    }
    return length;
  }

  /**
   * Gives a place, which has none, a name, and the oldest record as its position. The occupant
   * calls it.
   */
  void setName(int place, Name name) {
    for (int i = 0; i < name.words.length; i++) {
      // plain: release A of the length follows
      WORD.set(memory, at(place, NAME) + (long) i * Long.BYTES, name.words[i]);
    }
    setPosition(place, slots.oldest(slots.claimedCount()));
    WORD.setRelease(memory, at(place, 0), name.length); // release A: the name, the position
  }

  /** Returns the place with a name; -1 if there is none. */
  int find(Name name) {
    for (int place = 0; place < count() && isNamed(place); place++) {
      if (hasName(place, name)) {
        return place;
      }
    }
    return -1;
  }

  // ---- positions ----

  /**
   * Returns where the reader in a place goes on. Throws {@link UncheckedIOException} if no reader
   * can have been there.
   */
  long position(int place) {
    // acquire B: the number of claims then
    long position = (long) WORD.getAcquire(memory, at(place, POSITION));
    long claimed = slots.claimedCount();
    if (position < 0 || position > claimed) {
      throw damaged("position " + place + " is " + position + ", not in 0.." + claimed);
    }
    return position;
  }

  /** Notes where the reader in a place goes on. The occupant calls it. */
  void setPosition(int place, long position) {
    // a reader may have passed a refused record before it sees the claim counted
    long counted = Math.min(position, slots.claimedCount());
    WORD.setRelease(memory, at(place, POSITION), counted); // release B: the number of claims
  }

  private UncheckedIOException damaged(String what) {
    return new UncheckedIOException(
        new IOException("history is damaged: %s, %s".formatted(what, file)));
  }

  private static long at(int place, long word) {
    return place * PLACE_BYTES + word;
  }
}
