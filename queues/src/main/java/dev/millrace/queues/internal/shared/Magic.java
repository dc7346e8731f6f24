package dev.millrace.queues.internal.shared;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The first word of a file, which says that the file is complete. */
public final class Magic {
  /*
   * A  WORD.setRelease in write  ->  WORD.getAcquire in read    all else that the creator wrote
   */
  /** The word while the file is being made. */
  public static final long INCOMPLETE = 0;

  private static final String TEXT = "MILLRING";

  /** The word of a complete file. */
  public static final long COMPLETE =
      ByteBuffer.wrap(TEXT.getBytes(US_ASCII)).order(ByteOrder.nativeOrder()).getLong();

  private Magic() {}

  /** Marks a file as complete. */
  public static void write(MemorySegment file) {
    WORD.setRelease(file, (long) FileLayout.MAGIC, COMPLETE); // release A: header, table, ring
  }

  /** Reads the word; if the file is complete, all of it can be read then. */
  public static long read(MemorySegment file) {
    return (long) WORD.getAcquire(file, (long) FileLayout.MAGIC); // acquire A: what is complete
  }

  /** The word as text, with dots for what is not printable. */
  static String shown(long word) {
    ByteBuffer bytes = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder());
    String text = new String(bytes.putLong(word).array(), ISO_8859_1);
    return '"' + text.replaceAll("[^ -~]", ".") + '"';
  }

  private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle().withInvokeExactBehavior();
}
