package dev.millrace.flyweight;

import dev.millrace.core.internal.Checks;
import java.lang.foreign.MemorySegment;

/**
 * A typed view of a record in native memory: a thread's window onto a slot. Subclasses give the
 * fields their names.
 *
 * <p><b>Use.</b> A subclass keeps its {@link RecordLayout} and each {@link RecordLayout.Field} in a
 * {@code static final}, and has a method per field that calls an accessor of this class. The memory
 * stays the same for life; only the position moves: by {@link #moveTo}, or from slot to slot by
 * {@link #next} after {@link #slots} said where they are. The package's documentation has an
 * example.
 *
 * <p><b>Roles.</b> Belongs to one thread at a time. Several flyweights may view the same record.
 *
 * <p><b>Ordering.</b> All access is plain. The queue or other structure that positions the
 * flyweight decides when the record may be touched and orders that; without one the user must.
 *
 * <p><b>Failure.</b> An access touches no byte outside the record, whatever the mistake. A field of
 * another layout or of another type, an index missing or too many, and a write to read-only memory
 * throw {@link IllegalArgumentException}; an index out of range, and an access before the flyweight
 * was positioned or outside the memory, {@link IndexOutOfBoundsException}; an access after the
 * memory was closed {@link IllegalStateException}. Text that does not fit is refused before
 * anything is written.
 *
 * <p><b>Text.</b> Fills its field from the start and is padded with zeros, so that it ends at the
 * first zero or at the end of the field; it cannot contain NUL. Writing half a surrogate pair is
 * refused; bytes that cannot be decoded are read as U+FFFD.
 *
 * <p><b>Cost.</b> With constant fields an access is one load or store, plus one for a byte order
 * that is not the machine's; the segment's checks are hoisted out of plain loops. Nothing allocates
 * but the methods that return a string. 304 to 320 bytes of heap, mostly padding: two unpadded
 * flyweights of different threads side by side were measured to cost each other a factor of three.
 *
 * @since 0.1.0
 */
public abstract class Flyweight extends FlyweightText {
  // As in Sequence: a ladder of superclasses, since HotSpot orders the fields within a class as it
  // likes. It also moves fields into gaps that superclasses left; the small ones here close those
  // beside the cursor, before a subclass's field gets in. FlyweightPaddingTest reads the offsets.
  @SuppressWarnings("unused") // padding
  private long r1, r2, r3, r4, r5, r6, r7, r8, r9, r10, r11, r12, r13, r14, r15;
  @SuppressWarnings("unused") // padding
  private int cursorGap1, cursorGap2;

  /**
   * Makes a flyweight that is not positioned yet.
   *
   * @param layout what the records look like
   * @param memory where they are; may be empty if only the layout is of interest
   * @throws IllegalArgumentException if the memory is on the heap
   */
  protected Flyweight(RecordLayout layout, MemorySegment memory) {
    super(layout, memory, null);
  }

  /**
   * Makes a flyweight that is not positioned yet, and moves others onto parts of its record.
   *
   * @param layout what the records look like
   * @param memory where they are; may be empty if only the layout is of interest
   * @param parts flyweights that are positioned by this one; when it leaves its record, so do they
   * @throws IllegalArgumentException if the memory is on the heap
   */
  protected Flyweight(RecordLayout layout, MemorySegment memory, Flyweight... parts) {
    super(layout, memory, parts.length == 0 ? null : parts.clone());
  }

  /**
   * Returns what the records look like.
   *
   * @return the layout, the same for life
   */
  public final RecordLayout layout() {
    return layout;
  }

  /**
   * Returns where the records are.
   *
   * @return native memory, the same for life
   */
  public final MemorySegment memory() {
    return memory;
  }

  /**
   * Returns where the record in view starts.
   *
   * @return bytes from the start of the memory, negative if not positioned yet
   */
  public final long offset() {
    return offset;
  }

  /**
   * Moves to a record. Whether there is one is checked by each access, not here.
   *
   * @param offsetBytes where it starts in memory
   */
  public final void moveTo(long offsetBytes) {
    offset = offsetBytes;
  }

  /** Leaves the record, with all parts: each access throws until the next move. */
  public final void leave() {
    offset = UNPOSITIONED;
    if (parts != null) {
      for (Flyweight part : parts) {
        part.leave();
      }
    }
  }

  /**
   * Moves to the first record of a run, and remembers the run while {@link #next} and {@link
   * #moveTo} go elsewhere: for structures that hand out several runs at a time and must know which
   * one comes back.
   *
   * @param firstOffsetBytes where the first record starts in memory
   * @param count the run's length, in a meaning of the structure's own; 0 to forget it
   */
  public final void moveToRun(long firstOffsetBytes, int count) {
    offset = firstOffsetBytes;
    runOffset = firstOffsetBytes;
    runCount = count;
  }

  /**
   * Returns where the run in hand starts.
   *
   * @return the offset that {@link #moveToRun} was given, negative if it was never called
   */
  public final long runOffset() {
    return runOffset;
  }

  /**
   * Returns how long the run in hand is.
   *
   * @return the count that {@link #moveToRun} was given, 0 if there is none in hand
   */
  public final int runCount() {
    return (int) runCount;
  }

  /**
   * Says which slots {@link #next} walks, and moves to the first.
   *
   * @param firstOffsetBytes where the first record starts in memory
   * @param strideBytes from one to the next; at least the size of a record
   * @param count how many there are
   * @throws IllegalArgumentException if they do not lie within the memory; nothing changes
   */
  public final void slots(long firstOffsetBytes, long strideBytes, long count) {
    Checks.inRange("memorySize", memory.byteSize(), layout.sizeBytes(), Long.MAX_VALUE);
    long lastOffset = memory.byteSize() - layout.sizeBytes();
    Checks.inRange("firstOffset", firstOffsetBytes, 0, lastOffset);
    Checks.inRange("stride", strideBytes, layout.sizeBytes(), memory.byteSize());
    Checks.inRange("count", count, 1, 1 + (lastOffset - firstOffsetBytes) / strideBytes);
    stride = strideBytes;
    firstSlot = firstOffsetBytes;
    lastSlot = firstOffsetBytes + (count - 1) * strideBytes;
    offset = firstOffsetBytes;
  }

  /**
   * Moves on by one slot, and from the last back to the first. Without {@link #slots} there is no
   * next one: the flyweight is not positioned any more.
   */
  public final void next() {
    long nextOffset = offset + stride;
    offset = nextOffset <= lastSlot ? nextOffset : firstSlot;
  }

  /**
   * Shows the bytes of the record: 16 per line, with their offset in memory and what they are in
   * ASCII. For debugging; never throws, but says why if the record cannot be read.
   *
   * @return one or more lines
   */
  public final String hexDump() {
    return FlyweightPrinter.hexDump(this);
  }

  /**
   * Shows the fields by name, as in {@code TradeFlyweight@64{timestamp=1, price=2.0}}. For
   * debugging; never throws, but says why if the record cannot be read.
   *
   * @return one line
   */
  @Override
  public String toString() {
    return FlyweightPrinter.fields(this);
  }
}
