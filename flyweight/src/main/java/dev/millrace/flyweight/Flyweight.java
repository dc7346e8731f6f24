package dev.millrace.flyweight;

import java.lang.foreign.MemorySegment;

/**
 * A typed view of a record in native memory. A thread reads and writes the record's fields through
 * the view. Subclasses give the fields their names.
 *
 * <p><b>Use.</b> A subclass keeps its {@link RecordLayout} and each {@link RecordLayout.Field} in
 * {@code static final} fields. Its methods for each field call the accessors of this class. A
 * flyweight always views the same memory, and {@link #moveTo} changes its position in that memory.
 * The package documentation has an example.
 *
 * <p><b>Roles.</b> A flyweight belongs to one thread at a time. Several flyweights may view the
 * same record.
 *
 * <p><b>Ordering.</b> All accesses are plain. Normally a queue or another structure positions the
 * flyweight, decides when a thread may access the record, and orders the accesses. If you position
 * a flyweight yourself, you must order the accesses.
 *
 * <p><b>Failure.</b> No misuse can make an access touch a byte outside the record. An access throws
 * {@link IllegalArgumentException} if the field has a different layout or type, if an index is
 * missing or superfluous, or if the access writes to read-only memory. An access throws {@link
 * IndexOutOfBoundsException} if an index is out of range, if the access is outside the memory, or
 * if the flyweight is not positioned yet. After the memory is closed, an access throws {@link
 * IllegalStateException}. The exception's message says which queue or ring was closed. A write
 * rejects text that does not fit, and leaves the field unchanged.
 *
 * <p><b>Text.</b> Text begins at the start of its field and is padded with zeros. Text ends at the
 * first zero or at the end of the field, so it cannot contain NUL. A write rejects text with half a
 * surrogate pair. A read returns U+FFFD for bytes that it cannot decode.
 *
 * <p><b>Cost.</b> An access through a {@code static final} {@link RecordLayout.Field} is one load
 * or store. If the field's byte order is not the machine's, the access takes one more instruction.
 * In simple loops the compiler hoists the segment's checks out of the loop. Only the methods that
 * return a string allocate. A flyweight takes 264 to 280 bytes of heap, mostly padding. In a
 * measurement, two adjacent flyweights without padding slowed their threads down by a factor of
 * three.
 *
 * @since 0.1.0
 */
public abstract class Flyweight extends FlyweightBytes {
  // As in Sequence, the padding needs a ladder of superclasses, because HotSpot orders the fields
  // within a class as it likes. It also moves fields into gaps that superclasses left. The small
  // fields here fill the gaps next to the cursor before a subclass's field can.
  // FlyweightPaddingTest checks the offsets.
  @SuppressWarnings("unused") // padding
  private long r1, r2, r3, r4, r5, r6, r7, r8, r9, r10, r11, r12, r13, r14, r15;
  @SuppressWarnings("unused") // padding
  private int cursorGap1, cursorGap2;

  /**
   * Makes a flyweight that is not positioned yet.
   *
   * @param layout the layout of the records
   * @param memory the memory that holds the records, which may be empty if only the layout is of
   *     interest
   * @param parts flyweights on parts of this flyweight's record. The subclass positions the parts,
   *     and {@link #leave} detaches them from the record together with this flyweight
   * @throws IllegalArgumentException if the memory is on the heap
   */
  protected Flyweight(RecordLayout layout, MemorySegment memory, Flyweight... parts) {
    super(layout, memory, parts);
  }

  // ---- position ----

  /**
   * Returns the layout of the records.
   *
   * @return the same layout on every call
   */
  public final RecordLayout layout() {
    return layout;
  }

  /**
   * Returns the memory that holds the records.
   *
   * @return the same native memory on every call
   */
  public final MemorySegment memory() {
    return memory;
  }

  /**
   * Returns the offset at which the record in view starts.
   *
   * @return bytes from the start of the memory, negative if not positioned yet
   */
  public final long offset() {
    return offset;
  }

  /**
   * Moves to a record. This method does not check the position; each access does.
   *
   * @param offsetBytes the offset of the record in memory
   */
  public final void moveTo(long offsetBytes) {
    offset = offsetBytes;
  }

  /**
   * Detaches this flyweight and all of its parts from the record. Every access throws until the
   * next move.
   */
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
   * Returns the bytes of the record for debugging: 16 per line, with their offset in memory and
   * their ASCII characters. This method never throws. If the record cannot be read, the text says
   * why.
   *
   * @return one or more lines
   */
  public final String hexDump() {
    return FlyweightPrinter.print(this, true);
  }

  /**
   * Returns the fields by name for debugging, as in {@code TradeFlyweight@64{timestamp=1,
   * price=2.0}}. This method never throws. If the record cannot be read, the text says why.
   *
   * @return one line
   */
  @Override
  public String toString() {
    return FlyweightPrinter.print(this, false);
  }
}
