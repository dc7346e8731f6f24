package dev.millrace.queues.internal.shared;

import dev.millrace.core.internal.NativeMemory;

/**
 * Where everything is in a file. Numbers are in the byte order of the machine that made it, text is
 * US-ASCII with zeros behind.
 *
 * <pre>
 *     0  magic             8  "MILLRING", written last, by a release store
 *     8  byteOrder         4  0x01020304
 *    12  version           4  1
 *    16  kind             24  text: which ring
 *    40  fileBytes         8  a multiple of 4096
 *    48  participants      4  the number of entries in the table
 *    52  reserved          4  how many of them, from the first, are for sole roles
 *    56  wordsOffset       8  a multiple of 128
 *    64  wordsBytes        8
 *    72  dataOffset        8  a multiple of 128
 *    80  dataBytes         8
 *    88  created           8  milliseconds since 1970, in UTC; for people
 *    96  creator           8  the process id of the creator; for people
 *   108  settings          4  how many there are
 *   128  setting        32 x 16  each a name of 24 bytes, as text, and a number of 8
 *   640  layout         3452  text: what is in the words and the data
 *  4092  checksum          4  CRC-32C of the bytes 8 to 4091
 *  4096  table         128 x participants
 *        words, data          see the kind
 * </pre>
 *
 * An entry of the table:
 *
 * <pre>
 *     0  state             8  epoch &lt;&lt; 8 | JUDGED | role: see EntryState
 *     8  owner             8  the ticket of the process that may write the entry; 0 if none
 *    16  intent            8  the first sequence of the claim that the occupant makes; -1 if none
 *    24  intentEnd         8  the sequence behind it
 *    32  pid               8  of the occupant, as the five words that follow; for people
 *    40  started           8  milliseconds since 1970
 *    48  startMark         8  the exact start, in a unit of the system's
 *    56  namespace         8  the PID namespace; 0 if the system has none
 *    64  boot             16  the boot id; 0 if the system has none
 *    80  name             48  UTF-8 with zeros behind
 * </pre>
 *
 * Locks, each of one byte far behind the end:
 *
 * <pre>
 * 2^40 - 1    presence   shared by all processes that have the file open for writing; exclusive
 *                        while the last one removes the file, and while one makes it
 * 2^40 + i    entry i    held by the process that has taken the entry
 * </pre>
 */
final class FileLayout {
  static final long HEADER_BYTES = 4096;
  static final long PAGE_BYTES = 4096;

  static final int MAGIC = 0;
  static final int BYTE_ORDER = 8;
  static final int VERSION = 12;
  static final int KIND = 16;
  static final int FILE_BYTES = 40;
  static final int PARTICIPANTS = 48;
  static final int RESERVED = 52;
  static final int WORDS_OFFSET = 56;
  static final int WORDS_BYTES = 64;
  static final int DATA_OFFSET = 72;
  static final int DATA_BYTES = 80;
  static final int CREATED = 88;
  static final int CREATOR = 96;
  static final int SETTINGS = 108;
  static final int FIRST_SETTING = 128;
  static final int LAYOUT = 640;
  static final int CHECKSUM = 4092;

  static final int BYTE_ORDER_MARK = 0x01020304;
  static final int VERSION_WRITTEN = 1;

  static final int NAME_BYTES = 24; // of a kind or a setting
  static final int SETTING_BYTES = 32;
  static final int MOST_SETTINGS = 16;
  static final int LAYOUT_BYTES = CHECKSUM - LAYOUT;

  static final int MOST_PARTICIPANTS = 1024;
  static final long MOST_BYTES = 1L << 46;

  static final long ENTRY_BYTES = 128;
  static final long STATE = 0;
  static final long OWNER = 8;
  static final long INTENT = 16;
  static final long INTENT_END = 24;
  static final long OCCUPANT = 32;
  static final int OCCUPANT_WORDS = 12;
  static final int NAME_WORDS = 6;
  static final long NONE = -1; // in place of an intent
  static final long CONFIRMED = Long.MIN_VALUE; // in an intent's end: the claim was made

  static final long ENTRY_LOCKS = 1L << 40;
  static final long PRESENCE_LOCK = ENTRY_LOCKS - 1;

  private FileLayout() {}

  static long wordsOffset(int participants) {
    return HEADER_BYTES + participants * ENTRY_BYTES;
  }

  static long dataOffset(int participants, long wordsBytes) {
    return roundUp(wordsOffset(participants) + wordsBytes, NativeMemory.ALIGNMENT_BYTES);
  }

  static long fileBytes(int participants, long wordsBytes, long dataBytes) {
    return roundUp(dataOffset(participants, wordsBytes) + dataBytes, PAGE_BYTES);
  }

  private static long roundUp(long bytes, long unit) {
    return (bytes + unit - 1) & -unit;
  }
}
