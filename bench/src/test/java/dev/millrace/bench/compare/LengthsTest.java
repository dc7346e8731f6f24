package dev.millrace.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.bench.Words;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Finds a message queue of the comparison that cuts a message short, mixes up two or refuses one
 * for which it has room, and mixed lengths whose mean is not the fixed length that they are
 * compared with. {@link EnginesTest} runs the queues under load.
 */
class LengthsTest {
  private static final int MESSAGES = 10_000;

  private static Work work(Lengths lengths) {
    return Work.way("test", "test", 1, 1).messages(lengths);
  }

  @Test
  void mixed_isMostlyShortAndInAllOfTheRange() {
    List<Integer> all = IntStream.range(0, MESSAGES).map(Lengths.MIXED::of).boxed().toList();
    assertThat(all).contains(16, 256).allMatch(length -> length % Long.BYTES == 0);
    assertThat(all).allMatch(length -> length >= 16 && length <= 4_096);
    assertThat(all.stream().filter(length -> length <= 256).count()).isBetween(9_000L, 9_700L);
    assertThat(all).anyMatch(length -> length > 4_000);
  }

  /** So that queues of references have as many slots for both. */
  @Test
  void mixed_isOfTheMeanOfOneLength() {
    assertThat(Lengths.MIXED.meanBytes()).isBetween(240, 256);
    assertThat(work(Lengths.MIXED).slots()).isEqualTo(work(Lengths.OF_256).slots());
  }

  @ParameterizedTest
  @EnumSource(names = "MIXED", mode = EnumSource.Mode.EXCLUDE)
  void slots_areAsManyAsFitInTheBytes(Lengths lengths) {
    Work work = work(lengths);
    assertThat(work.slots()).isEqualTo(work.capacity() / work.recordBytes());
    assertThat(work.id()).isEqualTo("messages-test-" + work.recordBytes());
  }

  static Stream<Contenders> contenders() {
    return Suite.MESSAGES.rows().stream().flatMap(Row::contenders).distinct();
  }

  /** Each message by itself: what is wrong in one cannot be made up for by another. */
  @ParameterizedTest
  @MethodSource("contenders")
  void receive_returnsTheSumOfEachMessage(Contenders contender) {
    for (Lengths lengths : Lengths.values()) {
      try (Contender queue = contender.make(work(lengths))) {
        Ends sender = queue.sender();
        Ends receiver = queue.receiver();
        for (int number = 0; number < MESSAGES; number++) {
          assertThat(sender.send(number)).isTrue();
          long got = receiver.receive();
          assertThat(got == Ends.NONE ? receiver.receive() : got).isEqualTo(Words.sum(number));
        }
        assertThat(receiver.receive()).isEqualTo(Ends.NONE);
      }
    }
  }

  /** What a full queue refuses is sent again, and comes out once. */
  @ParameterizedTest
  @MethodSource("contenders")
  void send_whenFull_fails(Contenders contender) {
    try (Contender queue = contender.make(work(Lengths.OF_4096))) {
      Ends sender = queue.sender();
      Ends receiver = queue.receiver();
      int sent = 0;
      for (int more = 1; more > 0; sent += more) {
        more = sender.send(sent, MESSAGES);
      }
      assertThat(sent).isBetween(250, 256);
      assertThat(sender.send(sent)).isFalse();
      assertThat(receiver.receive(64)).isEqualTo(64);
      assertThat(sender.send(sent)).isTrue();
      int received = 64;
      for (int got = 1; got > 0; received += got) {
        got = receiver.receive(64);
      }
      assertThat(received).isGreaterThan(200);
      for (int got = 1; got > 0; received += got) {
        got = receiver.receive(64); // behind the end of the memory
      }
      assertThat(received).isEqualTo(sent + 1);
      assertThat(receiver.runSum).isEqualTo(Words.sum(0, received));
    }
  }

  @Test
  void receive_whenAMessageIsCutShort_isAnotherSum() {
    Queue<byte[]> queue = new ArrayDeque<>();
    Contender arrays = new ByteArrays(queue, Lengths.OF_256);
    assertThat(arrays.sender().send(7)).isTrue();
    queue.add(Arrays.copyOf(queue.remove(), 192));
    assertThat(arrays.receiver().receive()).isNotEqualTo(Words.sum(7));
  }

  /** The first line, one between, and the last. */
  @ParameterizedTest
  @ValueSource(ints = {0, 64, 248})
  void receive_whenALineIsWrong_isAnotherSum(int offset) {
    Queue<byte[]> queue = new ArrayDeque<>();
    Contender arrays = new ByteArrays(queue, Lengths.OF_256);
    assertThat(arrays.sender().send(7)).isTrue();
    queue.peek()[offset]++;
    assertThat(arrays.receiver().receive()).isNotEqualTo(Words.sum(7));
  }
}
