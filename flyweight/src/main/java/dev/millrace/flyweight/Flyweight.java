package dev.millrace.flyweight;

import java.lang.foreign.MemorySegment;

/**
 * A typed view of a record in native memory: a thread's window onto a slot. Subclasses give the
 * fields their names.
 *
 * <p><b>Use.</b> A subclass keeps its {@link RecordLayout} and each {@link RecordLayout.Field} in a
 * {@code static final}, and has a method per field that calls an accessor of this class. The memory
 * never changes; {@link #moveTo} changes the position. The package documentation has an example.
 *
 * <p><b>Roles.</b> Belongs to one thread at a time. Several flyweights may view the same record.
 *
 * <p><b>Ordering.</b> All access is plain. The queue or other structure that positions the
 * flyweight decides when the record may be accessed, and orders the accesses; without one, the user
 * must.
 *
 * <p><b>Failure.</b> Whatever the mistake, an access touches no byte outside the record. A field of
 * another layout or type, a missing or superfluous index, and a write to read-only memory throw
 * {@link IllegalArgumentException}. An index out of range, and an access outside the memory or
 * before the flyweight was positioned, throw {@link IndexOutOfBoundsException}. An access after the
 * memory was closed throws {@link IllegalStateException}; the message says which queue or ring was
 * closed. Text that does not fit is refused before anything is written.
 *
 * <p><b>Text.</b> Text fills its field from the start and is padded with zeros, so it ends at the
 * first zero or at the end of the field, and cannot contain NUL. Writing half a surrogate pair is
 * refused; bytes that cannot be decoded are read as U+FFFD.
 *
 * <p><b>Cost.</b> With constant fields an access is one load or store, plus one instruction if the
 * byte order is not the machine's; the segment's checks are hoisted out of plain loops. Only the
 * methods that return a string allocate. 264 to 280 bytes of heap, mostly padding: two unpadded
 * flyweights of different threads, side by side, were measured to slow each other down by a factor
 * of three.
 *
 * @since 0.1.0
 */
public abstract class Flyweight extends FlyweightBytes {
  // As in Sequence: a ladder of superclasses, because HotSpot orders the fields within a class as
  // it likes. It also moves fields into gaps that superclasses left; the small fields here fill the
  // gaps next to the cursor, before a subclass's field can. FlyweightPaddingTest reads the offsets.
  @SuppressWarnings("unused") // padding
  private long r1, r2, r3, r4, r5, r6, r7, r8, r9, r10, r11, r12, r13, r14, r15;
  @SuppressWarnings("unused") // padding
  private int cursorGap1, cursorGap2;

  /**
   * Makes a flyweight that is not positioned yet.
   *
   * @param layout the layout of the records
   * @param memory the memory that holds them; may be empty if only the layout is of interest
   * @param parts flyweights on parts of its record, which the subclass positions; when this one
   *     leaves its record, so do they
   * @throws IllegalArgumentException if the memory is on the heap
   */
  protected Flyweight(RecordLayout layout, MemorySegment memory, Flyweight... parts) {
    super(layout, memory, parts);
  }

  // ---- position ----

  /**
   * Returns the layout of the records.
   *
   * @return the layout, which never changes
   */
  public final RecordLayout layout() {
    return layout;
  }

  /**
   * Returns the memory that holds the records.
   *
   * @return native memory, which never changes
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
   * Moves to a record. The position is checked by each access, not here.
   *
   * @param offsetBytes where the record starts in memory
   */
  public final void moveTo(long offsetBytes) {
    offset = offsetBytes;
  }

  /** Leaves the record, as do all parts: every access throws until the next move. */
  public final void leave() {
    offset = UNPOSITIONED;
    if (parts != null) {
      for (Flyweight part : parts) {
        part.leave();
      }
    }
  }

  // ---- debugging ----

  /**
   * Shows the bytes of the record: 16 per line, with their offset in memory and their characters in
   * ASCII. For debugging; never throws, but says why if the record cannot be read.
   *
   * @return one or more lines
   */
  public final String hexDump() {
    return FlyweightPrinter.print(this, true);
  }

  /**
   * Shows the fields by name, as in {@code TradeFlyweight@64{timestamp=1, price=2.0}}. For
   * debugging; never throws, but says why if the record cannot be read.
   *
   * @return one line
   */
  @Override
  public String toString() {
    return FlyweightPrinter.print(this, false);
  }
}
