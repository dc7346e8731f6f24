package dev.millrace.queues.history;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.millrace.core.internal.NativeMemory;
import dev.millrace.core.internal.history.HistorySlots;
import dev.millrace.core.internal.ring.Ring;
import dev.millrace.queues.internal.ReaderNames;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;

/**
 * The places of named readers in the file of a history. A place with a name also has the position
 * of the reader with that name. Both outlive the reader.
 *
 * <pre>
 * 0        8          16                                  128
 * +--------+----------+-----------------------------------+--
 * | length | position | name, US-ASCII with zeros after it | the next place
 * +--------+----------+-----------------------------------+--
 * </pre>
 *
 * <p><b>Roles.</b> Any thread may search for a name. Only the occupant of a place writes it: see
 * {@link HistorySeats}.
 */
final class ReaderPlaces {
  /*
   * Each place has an entry in the table of participants, and only the occupant of that entry writes
   * the place. It sees everything that earlier occupants did. A place without a name gets one only
   * from a process that is also the occupant of the entry for naming, and that has found no place
   * with this name since.
   *
   * Invariant: a name is in one place only.
   *
   * Non-invariant: the name that is read from a place may be made of two names, if the place gets
   * another one during the read. A reader that takes a place therefore compares the name once more,
   * as its occupant. Others compare it once more after they have read it, or the position. What they
   * have read of the later name or position says that the former name was removed: see B and C. A
   * place gets its position before its name, so no part of a name comes with the position of an
   * earlier one.
   *
   * A process may die before it has written the length. Then the place still has no name.
   *
   *   word      writer                     write mode  read by
   *   length    the occupant               release     any: acquire
   *   name      likewise                   release     any: acquire
   *   position  likewise                   release     any: acquire
   *
   * A position is never ahead of the number of claims, for one that acquires it and then reads that
   * number.
   *
   * A  WORD.setRelease in setName      ->  WORD.getAcquire in length    the name, the first position
   * B  WORD.setRelease in setPosition  ->  WORD.getAcquire in position  the number of claims; that
   *                                                                     the former name was removed
   * C  WORD.setRelease in setName      ->  WORD.getAcquire in word      the first position; that
   *                                                                     the former name was removed
   */
  private static final long POSITION = Long.BYTES;
  private static final long NAME = 2 * Long.BYTES;
  private static final long PLACE_BYTES = NativeMemory.ALIGNMENT_BYTES;

  private static final int NAME_BYTES = ReaderNames.MOST;
  private static final int TRIES = 100; // to read a name while it changes

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

    /** Throws {@link IllegalArgumentException} if no reader may have this name. */
    Name(String text) {
      this(ReaderNames.checked(text).getBytes(US_ASCII));
    }

    private Name(byte[] ascii) {
      this.text = new String(ascii, US_ASCII);
      this.words = new long[wordsOf(ascii.length)];
      this.length = ascii.length;
      ByteBuffer bytes = ByteBuffer.wrap(Arrays.copyOf(ascii, words.length * Long.BYTES));
      bytes.order(ByteOrder.nativeOrder()).asLongBuffer().get(words);
    }

    /** Returns how many words a name of a number of bytes takes; the last one ends with zeros. */
    private static int wordsOf(int length) {
      return (length + Long.BYTES - 1) / Long.BYTES;
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
      if (word(place, i) != name.words[i]) {
        return false;
      }
    }
    return true;
  }

  private long word(int place, int index) {
    // acquire C: the first position, and that the former name was removed
    return (long) WORD.getAcquire(memory, at(place, NAME) + (long) index * Long.BYTES);
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
    // the position first, so the new name is never read together with the former one's position
    setPosition(place, slots.oldest(slots.claimedCount()));
    for (int i = 0; i < name.words.length; i++) {
      // release C: the first position, and that the former name was removed
      WORD.setRelease(memory, at(place, NAME) + (long) i * Long.BYTES, name.words[i]);
    }
    WORD.setRelease(memory, at(place, 0), name.length); // release A: the name, the position
  }

  /** Removes the name of a place. The occupant calls it. */
  void removeName(int place) {
    // opaque: the occupant's leaving publishes it to the next one
    WORD.setOpaque(memory, at(place, 0), 0L);
  }

  /** Returns the name of a place; null if it has none. Throws as {@link #isNamed} does. */
  @Nullable Name nameOf(int place) {
    for (int tries = 0; tries < TRIES; tries++) {
      int length = (int) length(place);
      if (length == 0) {
        return null;
      }
      ByteBuffer bytes = ByteBuffer.allocate(NAME_BYTES).order(ByteOrder.nativeOrder());
      for (int i = 0; i < Name.wordsOf(length); i++) {
        bytes.putLong(word(place, i));
      }
      Name name = new Name(Arrays.copyOf(bytes.array(), length));
      if (ReaderNames.isAllowed(name.text) && hasName(place, name)) {
        return name;
      }
    }
    throw damaged("name " + place + " is not one of a reader");
  }

  /** Returns the place with a name; -1 if there is none. */
  int find(Name name) {
    for (int place = 0; place < count(); place++) {
      if (hasName(place, name)) {
        return place;
      }
    }
    return -1;
  }

  /** Returns the names of all places that have one, in order. */
  List<String> names() {
    List<String> names = new ArrayList<>();
    for (int place = 0; place < count(); place++) {
      Name name = nameOf(place);
      if (name != null) {
        names.add(name.toString());
      }
    }
    names.sort(null);
    return names;
  }

  // ---- positions ----

  /**
   * Returns where the reader in a place goes on. Throws {@link UncheckedIOException} if no reader
   * can have been there.
   */
  long position(int place) {
    // acquire B: the number of claims then; that the former name was removed
    long position = (long) WORD.getAcquire(memory, at(place, POSITION));
    long claimed = slots.claimedCount();
    if (position < 0 || position > claimed) {
      throw damaged("position " + place + " is " + position + ", not in 0.." + claimed);
    }
    return position;
  }

  /** Returns the names in order, and where the reader of each goes on. Throws likewise. */
  SequencedMap<String, Long> positions() {
    SequencedMap<String, Long> positions = new LinkedHashMap<>();
    for (String name : names()) {
      long position = position(new Name(name));
      if (position >= 0) {
        positions.put(name, position);
      }
    }
    return positions;
  }

  /** Returns where the reader of a name goes on; -1 if no place has the name. Throws likewise. */
  long position(Name name) {
    int place = find(name);
    long position = place < 0 ? -1 : position(place);
    return place >= 0 && hasName(place, name) ? position : -1; // the place may have another by now
  }

  /** Notes where the reader in a place goes on. The occupant calls it. */
  void setPosition(int place, long position) {
    // a reader may have passed a refused record before it sees the claim counted
    long counted = Math.min(position, slots.claimedCount());
    WORD.setRelease(memory, at(place, POSITION), counted); // release B: see above
  }

  private UncheckedIOException damaged(String what) {
    return new UncheckedIOException(
        new IOException("history is damaged: %s, %s".formatted(what, file)));
  }

  private static long at(int place, long word) {
    return place * PLACE_BYTES + word;
  }
}
