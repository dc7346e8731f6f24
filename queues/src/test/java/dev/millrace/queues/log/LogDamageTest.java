package dev.millrace.queues.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.testkit.Throws;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Finds a damaged message that is delivered, a number that is given out twice, and damage that is
 * reported at the wrong place or not at all. The tests read copies of a log of which a byte, a
 * length or a file is wrong.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LogDamageTest {
  private static final int SEGMENT = 1 << 16;
  private static final LogOptions OPTIONS = LogOptions.ofSegmentBytes(SEGMENT);
  private static final int MESSAGES = 20;
  private static final int SECOND = 30; // the first of the second segment

  private final MemoryFiles log = new MemoryFiles(4096);

  /** A log of two segments, the second with some messages of up to 100 bytes. */
  @BeforeEach
  void append() throws IOException {
    try (MessageLog made = open(log);
        LogProducer producer = made.newProducer()) {
      LogMessages.append(producer, SECOND, (SEGMENT - 5_000) / SECOND - 40);
      LogMessages.append(producer, 2_000);
      for (int i = 1; i < MESSAGES; i++) {
        LogMessages.append(producer, 5 * i);
      }
      assertThat(made.firstNumber()).isZero();
    }
    assertThat(log.names()).contains(SegmentNames.segment(SECOND));
  }

  private static MessageLog open(MemoryFiles files) throws IOException {
    return MessageLog.open(files, OPTIONS);
  }

  private static LogReader reader(MemoryFiles files) {
    return new LogReader(files, LogOptions.WAITS, null);
  }

  private static List<Long> numbers(long from, long to) {
    return LongStream.range(from, to).boxed().toList();
  }

  private static List<Long> read(MemoryFiles files) {
    try (LogReader reader = reader(files)) {
      return LogMessages.takeAll(reader);
    }
  }

  /** What was read of a copy, and the number that was given out next. */
  private record Checked(List<Long> read, long end) {}

  private static List<Long> checkCopy(MemoryFiles copy) throws IOException {
    return check(copy).read;
  }

  /** What must be so of any damaged copy: nothing damaged is read, and appending goes on. */
  private static Checked check(MemoryFiles copy) throws IOException {
    List<Long> before = read(copy);
    assertThat(before).isSorted().doesNotHaveDuplicates();
    LogReport verified = MessageLog.verify(copy);
    long end;
    try (MessageLog opened = open(copy);
        LogProducer producer = opened.newProducer()) {
      end = opened.endNumber();
      LogMessages.append(producer, 5, 10);
      producer.sync();
    }
    List<Long> after = read(copy);
    assertThat(after).containsSubsequence(numbers(end, end + 5));
    assertThat(after.stream().filter(number -> number < end)).isSubsetOf(before);
    if (before.size() < SECOND + MESSAGES) {
      assertThat(verified.damages()).isNotEmpty();
    }
    return new Checked(before, end);
  }

  private MemoryFiles copy(byte[] first, byte[] second) throws IOException {
    MemoryFiles copy = new MemoryFiles(4096);
    for (String name : log.names()) {
      copy.write(name, log.bytes(name));
    }
    copy.write(SegmentNames.segment(0), first);
    copy.write(SegmentNames.segment(SECOND), second);
    return copy;
  }

  @Test
  void byteFlipped_anywhere_isNeverDelivered() throws IOException {
    byte[] first = log.bytes(SegmentNames.segment(0));
    byte[] second = log.bytes(SegmentNames.segment(SECOND));
    int end = SegmentHeader.BYTES + 2_032;
    for (int i = 1; i < MESSAGES; i++) {
      end += (int) LogSegment.room(5L * i);
    }
    Random random = new Random(1);
    int body = SegmentHeader.BYTES + 32; // of the message of 2,000 bytes
    int lost = 0;
    for (int at = 0; at < end + 64; at++) {
      if (at > body + 64 && at < body + 1_930) {
        at += 12; // any byte within it is as good as the next
      }
      if (at == 1_216) {
        at = 1_280; // nothing is in between
      } else if (at == 1_296) {
        at = SegmentHeader.BYTES;
      }
      byte[] damaged = second.clone();
      damaged[at] ^= (byte) (1 << random.nextInt(8));
      Checked checked = check(copy(first, damaged));
      List<Long> read = checked.read;
      assertThat(read.size()).as("byte %d", at).isGreaterThanOrEqualTo(SECOND + MESSAGES - 1);
      assertThat(checked.end).as("byte %d", at).isEqualTo(SECOND + MESSAGES);
      lost += read.size() < SECOND + MESSAGES ? 1 : 0;
    }
    // all but the bytes that round up to a multiple of 8
    assertThat(lost).isGreaterThan(1_200);
  }

  @Test
  void eachLengthCut_leavesTheMessagesBefore() throws IOException {
    byte[] first = log.bytes(SegmentNames.segment(0));
    byte[] second = log.bytes(SegmentNames.segment(SECOND));
    int before = SECOND;
    for (int length = 0; length < 8_500; length += length > 4_200 && length < 6_000 ? 97 : 7) {
      byte[] cut = Arrays.copyOf(second, length);
      Checked checked = check(copy(first, cut));
      List<Long> read = checked.read;
      if (length >= SegmentHeader.BYTES) { // so that it says how much was durable
        assertThat(checked.end).as("length %d", length).isEqualTo(SECOND + MESSAGES);
      }
      assertThat(read).isEqualTo(numbers(0, read.size())).hasSizeGreaterThanOrEqualTo(before);
      before = read.size();
    }
    assertThat(before).isEqualTo(SECOND + MESSAGES);
    List<Long> read = checkCopy(copy(Arrays.copyOf(first, 20_000), second));
    assertThat(read).endsWith(numbers(SECOND, SECOND + MESSAGES).toArray(Long[]::new));
  }

  @Test
  void garbageInThePlaceOfASegment_isSetAside() throws IOException {
    byte[] garbage = new byte[SEGMENT];
    new Random(1).nextBytes(garbage);
    log.write(SegmentNames.segment(SECOND), garbage);
    assertThat(checkCopy(log)).isEqualTo(numbers(0, SECOND));
    assertThat(log.bytes(SegmentNames.segment(SECOND) + ".later.aside")).isEqualTo(garbage);
  }

  /** Numbers of messages that were durable are not given out again, whatever is left of them. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, MESSAGES - 1, MESSAGES})
  void lastDurableMessages_ifLost_keepTheirNumbers(int lost) throws IOException {
    byte[] second = log.bytes(SegmentNames.segment(SECOND));
    int end = SECOND + MESSAGES;
    for (int at = SegmentHeader.BYTES, number = SECOND; number < end; number++) {
      if (number >= end - lost) {
        second[at + 8] ^= 1; // of its number
      }
      at += (int) LogSegment.room(number == SECOND ? 2_000 : 5 * (number - SECOND));
    }
    MemoryFiles copy = copy(log.bytes(SegmentNames.segment(0)), second);
    for (LogReport report : List.of(MessageLog.verify(copy), recovered(copy))) {
      assertThat(report.endNumber()).isEqualTo(end);
      assertThat(report.damages()).hasSize(1);
      LogDamage damage = report.damages().getFirst();
      assertThat(damage.number()).isEqualTo(end - lost);
      assertThat(damage.count()).isEqualTo(lost);
    }
    boolean isAside = lost == MESSAGES;
    assertThat(copy.names().contains(SegmentNames.segment(SECOND) + ".aside")).isEqualTo(isAside);
    Checked checked = check(copy);
    assertThat(checked.end).isEqualTo(end);
    assertThat(checked.read).isEqualTo(numbers(0, end - lost));
    assertThat(recovered(copy).endNumber()).isEqualTo(end + 5);
  }

  private static LogReport recovered(MemoryFiles files) throws IOException {
    try (MessageLog opened = open(files)) {
      return opened.recovery();
    }
  }

  /** All that was set aside is kept, however often something is under the same name. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void segmentSetAside_isKept_whateverWasBefore(boolean isLater) throws IOException {
    String name = SegmentNames.segment(SECOND);
    String aside = name + (isLater ? ".later.aside" : ".aside");
    List<byte[]> all = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      byte[] bytes;
      if (isLater) { // a header that is none
        bytes = new byte[SEGMENT];
        Arrays.fill(bytes, (byte) (i + 1));
      } else { // a message that was not completed, and none before it
        bytes = log.bytes(name);
        Arrays.fill(bytes, 1_024, SEGMENT - 64, (byte) 0);
        bytes[SegmentHeader.BYTES] = (byte) (i + 1);
      }
      log.write(name, bytes);
      all.add(bytes);
      LogReport report = recovered(log);
      assertThat(report.endNumber()).isEqualTo(SECOND);
      assertThat(report.damages()).hasSize(1);
    }
    int from = isLater ? 0 : SegmentHeader.BYTES; // it is sealed before it is set aside
    for (int i = 0; i < all.size(); i++) {
      byte[] kept = log.bytes(aside + (i == 0 ? "" : i));
      assertThat(Arrays.mismatch(kept, from, SEGMENT, all.get(i), from, SEGMENT)).isNegative();
    }
    assertThat(read(log)).isEqualTo(numbers(0, SECOND));
  }

  /** A crash while the new segment gets its name leaves only those that were set aside. */
  @Test
  void numbers_afterAllSegmentsWereSetAside_beginAtTheFirst() throws IOException {
    byte[] first = Arrays.copyOf(log.bytes(SegmentNames.segment(0)), 5_000);
    Arrays.fill(first, 1_024, 1_216, (byte) 0); // no mark says that there was more
    MemoryFiles copy = copy(first, new byte[SEGMENT]);
    open(copy).close();
    assertThat(copy.names())
        .contains(
            SegmentNames.segment(0) + ".aside", SegmentNames.segment(SECOND) + ".later.aside");
    copy.delete(SegmentNames.segment(0));
    try (MessageLog opened = open(copy)) {
      assertThat(opened.endNumber()).isZero();
    }
  }

  @Test
  void damagedMessage_isNamed_andCanBeSkipped() throws IOException {
    Path file = log.path(SegmentNames.segment(SECOND));
    byte[] bytes = log.bytes(SegmentNames.segment(SECOND));
    int third = SegmentHeader.BYTES + 2_032 + (int) LogSegment.room(5);
    bytes[third + 32 + 3]++;
    log.write(SegmentNames.segment(SECOND), bytes);
    try (LogReader reader = reader(log)) {
      reader.seek(SECOND + 1);
      assertThat(reader.tryPoll(10)).as("up to the damaged one").isEqualTo(1);
      reader.release();
      String message =
          file + ": checksum does not match: position=" + third + ", number=32, count=1";
      Throws.a(
          LogDamagedException.class, "..." + message, reader::tryPoll, () -> reader.tryPoll(3));
      assertThat(reader.number()).isEqualTo(32);
      assertThat(reader.skipDamaged()).isEqualTo(1);
      assertThat(reader.skipDamaged()).isZero();
      LogMessages.take(reader, 33);
      reader.seek(32);
      Throws.a(LogDamagedException.class, reader::tryPoll);
      reader.seek(33);
      LogMessages.take(reader, 33);
      List<Long> handled = new ArrayList<>();
      reader.seek(SECOND);
      assertThat(reader.drain(_ -> handled.add(reader.number()), 100)).isEqualTo(2);
      Throws.a(LogDamagedException.class, () -> reader.drain(_ -> {}, 100));
    }
    LogReport report = MessageLog.verify(log);
    LogDamage damage = new LogDamage(file, third, 32, 1, "checksum does not match");
    assertThat(report.damages()).containsExactly(damage);
    assertThat(report.messages()).isEqualTo(SECOND + MESSAGES - 1);
    try (MessageLog opened = open(log)) {
      assertThat(opened.recovery().damages()).containsExactly(damage);
      assertThat(opened.endNumber()).isEqualTo(SECOND + MESSAGES);
    }
  }

  @Test
  void damages_ofMessagesAndOfHeaders_areInOrder() throws IOException {
    byte[] first = log.bytes(SegmentNames.segment(0));
    byte[] second = log.bytes(SegmentNames.segment(SECOND));
    first[SegmentHeader.BYTES + 40]++;
    second[0]++; // both headers: it cannot be opened
    second[SEGMENT - 64]++;
    LogReport report = MessageLog.verify(copy(first, second));
    assertThat(report.damages()).extracting(LogDamage::number).containsExactly(0L, (long) SECOND);
  }

  @Test
  void lastDurableMessage_ifDamaged_isNamed_andTheLogGoesOn() throws IOException {
    byte[] second;
    try (MessageLog killed = open(log);
        LogProducer producer = killed.newProducer()) {
      LogMessages.append(producer, 3, 10); // behind the mark of what is durable
      second = log.bytes(SegmentNames.segment(SECOND));
    }
    int last = SegmentHeader.BYTES + 2_032;
    for (int i = 1; i < MESSAGES - 1; i++) {
      last += (int) LogSegment.room(5L * i);
    }
    second[last + 3] ^= 0x40; // of its length, on a little-endian machine
    MemoryFiles copy = copy(log.bytes(SegmentNames.segment(0)), second);
    try (MessageLog opened = open(copy)) {
      assertThat(opened.recovery().damages()).hasSize(1);
      assertThat(opened.recovery().damages().getFirst().number()).isEqualTo(SECOND + MESSAGES - 1);
      assertThat(opened.durableNumber()).isEqualTo(SECOND + MESSAGES + 3);
      assertThat(opened.endNumber()).isEqualTo(SECOND + MESSAGES + 3);
    }
    assertThat(checkCopy(copy)).hasSize(SECOND + MESSAGES + 2);
  }

  @Test
  void kill_betweenTwoSegments_isNoDamage() throws IOException {
    byte[] first = log.bytes(SegmentNames.segment(0));
    byte[] second = log.bytes(SegmentNames.segment(SECOND));
    Arrays.fill(first, 1_024, 1_216, (byte) 0); // no marks
    Arrays.fill(second, 1_024, second.length - 64, (byte) 0); // no marks, no messages
    MemoryFiles copy = copy(first, second);
    assertThat(MessageLog.verify(copy).damages()).isEmpty();
    assertThat(read(copy)).isEqualTo(numbers(0, SECOND));
    try (MessageLog opened = open(copy)) {
      assertThat(opened.recovery().damages()).isEmpty();
      assertThat(opened.endNumber()).isEqualTo(SECOND);
    }
  }

  @Test
  void endNumber_whileAMessageIsCommitted_isFoundByTheIndex() throws IOException {
    MemoryFiles live = new MemoryFiles(4096);
    try (MessageLog made = open(live);
        LogProducer producer = made.newProducer();
        LogReader reader = reader(live)) {
      LogMessages.append(producer, 5, 10);
      MemorySegment bytes = live.map(SegmentNames.segment(0), true).memory();
      bytes.set(ValueLayout.JAVA_BYTE, SegmentHeader.BYTES, (byte) 0); // to end a walk there
      MemorySegment index = live.map(SegmentNames.index(0), true).memory();
      index.set(ValueLayout.JAVA_INT, 5 * 4, (SegmentHeader.BYTES + 5 * 48) / 8);
      assertThat(reader.endNumber()).isEqualTo(5);
    }
  }

  @Test
  void verify_whileTheLogIsWritten_findsNoDamage() throws IOException {
    try (MessageLog live = open(log);
        LogProducer producer = live.newProducer()) {
      SegmentScanner scanner =
          new SegmentScanner(false) {
            @Override
            Scan scan(LogSegment segment, boolean wasDurable) {
              Scan scan = super.scan(segment, wasDurable);
              if (segment.first() == SECOND) { // the last one
                LogMessages.append(producer, 40, 1_500); // beyond its end
              }
              return scan;
            }
          };
      assertThat(new LogVerifier(log, scanner).verify().damages()).isEmpty();
    }
  }

  /** The files of a segment are mapped by turns: to be listed, and to be read. */
  @ParameterizedTest
  @ValueSource(ints = {3, 9, 11})
  void verify_whileSegmentsAreRemoved_findsNoDamage(int mapping) throws IOException {
    try (MessageLog live = open(log);
        LogProducer producer = live.newProducer()) {
      LogMessages.append(producer, 60, 1_500);
      long[] firsts = SegmentNames.firsts(log.names());
      int[] mappings = new int[1];
      log.mapping =
          () -> {
            if (++mappings[0] == mapping) {
              live.removeBefore(firsts[2]);
            }
          };
      LogReport report = MessageLog.verify(log);
      assertThat(mappings[0]).isGreaterThanOrEqualTo(mapping);
      assertThat(report.damages()).isEmpty();
      assertThat(report.messages()).isEqualTo(report.endNumber() - report.firstNumber());
    }
  }

  @Test
  void missingSegment_isNamed_andCanBeSkipped() throws IOException {
    try (MessageLog opened = open(log);
        LogProducer producer = opened.newProducer()) {
      LogMessages.append(producer, 60, 1_500);
    }
    log.delete(SegmentNames.segment(SECOND));
    try (LogReader reader = reader(log)) {
      LogMessages.take(reader, 0, SECOND);
      Throws.a(LogDamagedException.class, "...messages behind are missing: ...", reader::tryPoll);
      long skipped = reader.skipDamaged();
      assertThat(skipped).isGreaterThan(MESSAGES);
      assertThat(reader.lostCount()).as("nobody has removed them").isZero();
      LogMessages.take(reader, SECOND + skipped);
      reader.seek(SECOND + 5);
      Throws.a(LogDamagedException.class, reader::tryPoll);
      assertThat(reader.skipDamaged()).isEqualTo(skipped - 5);
    }
    assertThat(MessageLog.verify(log).damages()).hasSize(1);
    checkCopy(log);
  }
}
