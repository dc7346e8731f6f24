package dev.millrace.queues;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.millrace.queues.CensusEvents.Family;
import dev.millrace.testkit.Throws;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Records and sealed interfaces in the shapes that public code has them, with typical values. Alone
 * it finds a shape that is refused, or a default limit that is too low.
 *
 * <p>The shapes come from searches for names such as {@code OrderPlaced}, {@code AuditEvent} and
 * {@code QueuedEvent}. Left out are shapes like those that are here, some variants, what needs
 * classes of other libraries, and most of what is refused: of the shapes that the searches showed,
 * between a quarter and a third has a {@code List}, a {@code Map}, an {@code Object}, a {@code
 * Throwable} or a callback. So the share of refused types here says nothing about public code.
 */
class CensusTest {
  private static final int MOST_REFUSED = 5;
  private static final QueueOptions OPTIONS = QueueOptions.ofCapacity(16);

  static Stream<Record> inSlot() {
    return Stream.of(
            CensusRecords.inSlot(),
            CensusMessages.inSlot(),
            CensusSignals.inSlot(),
            CensusPackets.inSlot())
        .flatMap(Function.identity());
  }

  static Stream<Record> tooLong() {
    return Stream.of(CensusMessages.tooLong(), CensusSignals.tooLong(), CensusPackets.tooLong())
        .flatMap(Function.identity());
  }

  static Stream<Record> onHeap() {
    return Stream.of(CensusMessages.onHeap(), CensusSignals.onHeap(), CensusPackets.onHeap())
        .flatMap(Function.identity());
  }

  static Stream<Record> refused() {
    return Stream.of(CensusRecords.refused(), CensusMessages.refused(), CensusSignals.refused())
        .flatMap(Function.identity());
  }

  static Stream<Family<?>> families() {
    return Stream.concat(CensusEvents.inSlot(), CensusCommands.inSlot());
  }

  static Stream<Family<?>> refusedFamilies() {
    return Stream.concat(CensusEvents.refused(), CensusCommands.refused());
  }

  /** All types of the census. */
  static Stream<Class<?>> types() {
    return Stream.concat(
        Stream.of(inSlot(), tooLong(), onHeap(), refused())
            .flatMap(Function.identity())
            .map(Record::getClass),
        Stream.concat(families(), refusedFamilies()).map(Family::type));
  }

  /** How many bytes a slot has for a type that is taken by default. */
  static long bytesPerSlot(Class<?> type) {
    try (RecordQueue<?> queue = RecordQueue.of(type, OPTIONS)) {
      return queue.store.ring.strideBytes();
    }
  }

  // ---- records ----

  @ParameterizedTest
  @MethodSource("inSlot")
  void queue_ofATypicalRecord_takesItAsItIs(Record one) throws Exception {
    assertCopied(OPTIONS, one);
  }

  @ParameterizedTest
  @MethodSource("tooLong")
  void queue_ofARecordThatIsTooLong_spillsItUnlessThereIsRoom(Record one) throws Exception {
    assertSpilled(OPTIONS, one);
    assertCopied(OPTIONS.withTextBytes(4_096), one);
  }

  @ParameterizedTest
  @MethodSource("onHeap")
  void queue_ofARecordWithNullOrWhatIsOnTheHeap_spillsIt(Record one) throws Exception {
    assertSpilled(OPTIONS, one);
    assertSpilled(OPTIONS.withTextBytes(4_096), one);
  }

  @ParameterizedTest
  @MethodSource("refused")
  void queue_withReferences_takesWhatIsRefused(Record one) throws Exception {
    assertSpilled(OPTIONS.withReferences(), one);
  }

  private static void assertCopied(QueueOptions options, Record one) throws Exception {
    try (RecordQueue<Object> queue = queue(one.getClass(), options)) {
      queue.put(one);
      assertThat(queue.take()).isEqualTo(one).isNotSameAs(one);
      assertThat(queue.metrics()).containsEntry("spilled", 0L);
    }
  }

  private static void assertSpilled(QueueOptions options, Record one) throws Exception {
    try (RecordQueue<Object> queue = queue(one.getClass(), options)) {
      queue.put(one);
      assertThat(queue.take()).isSameAs(one);
      assertThat(queue.metrics()).containsEntry("spilled", 1L);
    }
  }

  @SuppressWarnings("unchecked") // the test puts only elements of the type
  private static RecordQueue<Object> queue(Class<?> type, QueueOptions options) {
    return (RecordQueue<Object>) RecordQueue.of(type, options);
  }

  // ---- sealed interfaces ----

  @ParameterizedTest
  @MethodSource("families")
  void queue_ofASealedInterface_takesEachVariant(Family<?> family) throws Exception {
    assertThat(takenOf(family, OPTIONS)).isZero();
  }

  @ParameterizedTest
  @MethodSource("refusedFamilies")
  void queue_ofASealedInterfaceWithReferences_keepsOnlyThoseVariants(Family<?> family)
      throws Exception {
    assertThat(takenOf(family, OPTIONS.withReferences()))
        .isPositive()
        .isLessThan(family.values().size());
  }

  /** Puts all variants, takes them again and returns how many of them spilled. */
  private static long takenOf(Family<?> family, QueueOptions options) throws Exception {
    try (RecordQueue<Object> queue = queue(family.type(), options)) {
      for (Object value : family.values()) {
        queue.put(value);
      }
      for (Object value : family.values()) {
        assertThat(queue.take()).isEqualTo(value);
      }
      return queue.metrics().get("spilled");
    }
  }

  @Test
  void families_haveAValueOfEachVariant() {
    assertThat(Stream.concat(families(), refusedFamilies()))
        .allSatisfy(
            family ->
                assertThat(family.values())
                    .extracting(value -> (Object) value.getClass())
                    .contains((Object[]) family.type().getPermittedSubclasses()));
  }

  /** Writes a page of them, to be read. */
  @Test
  void slots_ofAllTypes_areLargeEnoughForMoreThanAReference() throws IOException {
    List<String> lines = new ArrayList<>(List.of("| type | bytes per slot |", "|---|--:|"));
    types()
        .filter(type -> !isRefused(type))
        .forEach(
            type -> {
              long bytes = bytesPerSlot(type);
              assertThat(bytes).as(type.getSimpleName()).isBetween(16L, 1_024L);
              lines.add("| " + type.getSimpleName() + " | " + bytes + " |");
            });
    Files.write(Path.of("target", "census.md"), lines);
  }

  // ---- what is refused ----

  @Test
  void census_ofAllTypes_refusesFew() {
    assertThat(types()).doesNotHaveDuplicates().hasSizeGreaterThanOrEqualTo(54);
    List<Class<?>> refusals =
        Stream.concat(refused().map(Record::getClass), refusedFamilies().map(Family::type))
            .<Class<?>>map(type -> type)
            .toList();
    assertThat(refusals).hasSizeLessThanOrEqualTo(MOST_REFUSED);
    assertThat(types().filter(CensusTest::isRefused)).containsExactlyInAnyOrderElementsOf(refusals);
  }

  private static boolean isRefused(Class<?> type) {
    return catchThrowable(() -> RecordQueue.of(type, OPTIONS).close())
        instanceof IllegalArgumentException;
  }

  @Test
  void refusals_nameTheComponentAndWhatToWrite() {
    String elements = " has no fixed size, write an array if it holds numbers";
    String others = " has no fixed layout, write a record";
    String orReference = "or hold it by reference, with QueueOptions.withReferences()";
    Throws.illegalArgument(
        "component OrderedWithLines.lines: a List" + elements + "..." + orReference,
        () -> RecordQueue.of(CensusRecords.OrderedWithLines.class, OPTIONS));
    Throws.illegalArgument(
        "component Submitted.completion: a CompletableFuture" + others + "..." + orReference,
        () -> RecordQueue.of(CensusMessages.Submitted.class, OPTIONS));
    Throws.illegalArgument(
        "2 components cannot be held:\n  component LoggedInContext.context: a Map"
            + elements
            + "..."
            + orReference
            + "\n  component LoggedInContext.thrown: a Throwable"
            + others
            + "..."
            + orReference,
        () -> RecordQueue.of(CensusSignals.LoggedInContext.class, OPTIONS));
    Throws.illegalArgument(
        "component Crashed.failure: a Throwable" + others + "..." + orReference,
        () -> RecordQueue.of(CensusEvents.RunEvent.class, OPTIONS));
    Throws.illegalArgument(
        "2 components cannot be held:\n  component Reserve.skus: a List"
            + elements
            + "..."
            + orReference
            + "\n  component Release.skus: a List"
            + elements
            + "..."
            + orReference,
        () -> RecordQueue.of(CensusCommands.SagaCommand.class, OPTIONS));
  }
}
