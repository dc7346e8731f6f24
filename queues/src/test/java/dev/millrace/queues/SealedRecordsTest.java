package dev.millrace.queues;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.flyweight.Length;
import dev.millrace.flyweight.OnOversize;
import dev.millrace.flyweight.Utf8;
import dev.millrace.queues.RecordQueueTest.Kind;
import dev.millrace.testkit.Allocations;
import dev.millrace.testkit.Throws;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Sealed types, types with parameters, and what the options and annotations say of sizes. Alone it
 * finds: a variant that is read as another one, or over what another one stored.
 */
@ParameterizedClass
@EnumSource
@SuppressWarnings("ArrayRecordComponent") // as people write them
class SealedRecordsTest {
  private static final String LONG = "long ".repeat(100);

  @Parameter private Kind kind;

  sealed interface Event permits Trade, Control, Quote, State {}

  record Trade(long id, @Utf8(8) String symbol, BigDecimal price) implements Event {}

  sealed interface Control extends Event {}

  record Start() implements Control {}

  record Stop(Optional<Quote> last, byte reason) implements Control {}

  record Quote(double bid, double ask, Instant at, int[] levels) implements Event {
    @Override
    public boolean equals(Object other) {
      return other instanceof Quote(double itsBid, double itsAsk, Instant its, int[] itsLevels)
          && bid == itsBid
          && ask == itsAsk
          && at.equals(its)
          && Arrays.equals(levels, itsLevels);
    }

    @Override
    public int hashCode() {
      return at.hashCode();
    }
  }

  enum State implements Event {
    OPEN,
    CLOSED {
      @Override
      boolean isOver() {
        return true;
      }
    };

    boolean isOver() {
      return false;
    }
  }

  private static final List<Event> EVENTS =
      List.of(
          new Trade(1, "ABC", new BigDecimal("1.50")),
          new Start(),
          new Quote(1, 2, Instant.EPOCH, new int[] {1, 2}),
          new Stop(Optional.empty(), (byte) -1),
          State.CLOSED,
          new Stop(Optional.of(new Quote(3, 4, Instant.MAX, new int[0])), (byte) 2),
          new Trade(-1, "", BigDecimal.ZERO),
          State.OPEN);

  private <E> BlockingQueue<E> queue(Class<E> type) {
    return kind.make(type, QueueOptions.ofCapacity(4));
  }

  private static long spilled(BlockingQueue<?> queue) {
    return ((RecordQueue<?>) queue).metrics().get("spilled");
  }

  @Test
  void variants_inAnyOrder_comeBackEqual() throws Exception {
    BlockingQueue<Event> queue = queue(Event.class);
    for (int i = 0; i < 1_000; i++) {
      Event event = EVENTS.get(i * 7 % EVENTS.size());
      queue.put(event);
      if (i % 3 == 0) {
        assertThat(queue.peek()).isEqualTo(event);
      }
      assertThat(queue.take()).isEqualTo(event);
    }
    assertThat(spilled(queue)).isZero();
  }

  @Test
  void variant_thatDoesNotFit_spillsAndOthersDoNot() throws Exception {
    BlockingQueue<Event> queue = queue(Event.class);
    Event spilling = new Trade(1, LONG, BigDecimal.ONE);
    queue.put(spilling);
    queue.put(State.OPEN);
    queue.put(new Trade(2, "ABC", null));
    assertThat(queue.take()).isSameAs(spilling);
    assertThat(queue.take()).isEqualTo(State.OPEN);
    assertThat(queue.take()).isEqualTo(new Trade(2, "ABC", null));
    assertThat(spilled(queue)).isEqualTo(2);
  }

  record Envelope(long id, Event event, Event second) {}

  @Test
  void component_ofASealedType_isAnyVariant() throws Exception {
    BlockingQueue<Envelope> queue = queue(Envelope.class);
    for (Event first : EVENTS) {
      for (Event second : EVENTS) {
        queue.put(new Envelope(1, first, second));
        assertThat(queue.take()).isEqualTo(new Envelope(1, first, second));
      }
    }
    assertThat(spilled(queue)).isZero();
    queue.put(new Envelope(1, State.OPEN, null));
    assertThat(queue.take()).isEqualTo(new Envelope(1, State.OPEN, null));
    assertThat(spilled(queue)).isEqualTo(1);
  }

  // ---- types with parameters ----

  record Pair<A, B>(A first, B second, Optional<A> third) {}

  record Settled(Pair<Trade, Long> left, Pair<String, ? extends Event> right) {}

  sealed interface Message<T> permits Sent, Lost {}

  record Sent<P>(long number, P payload) implements Message<P> {}

  record Lost<P>(long number) implements Message<P> {}

  record Traffic(Message<Trade> message, Message<Integer> other) {}

  record Bound<E extends Event>(E event) {}

  @Test
  void parameters_thatAComponentSettles_areKnown() throws Exception {
    Trade trade = new Trade(1, "A", BigDecimal.TEN);
    BlockingQueue<Settled> queue = queue(Settled.class);
    Settled settled =
        new Settled(
            new Pair<>(trade, 5L, Optional.of(trade)), new Pair<>("text", trade, Optional.empty()));
    queue.put(settled);
    assertThat(queue.take()).isEqualTo(settled).isNotSameAs(settled);
    BlockingQueue<Traffic> traffic = queue(Traffic.class);
    Traffic one = new Traffic(new Sent<>(1, trade), new Lost<>(2));
    Traffic another = new Traffic(new Lost<>(3), new Sent<>(4, 5));
    traffic.put(one);
    traffic.put(another);
    assertThat(List.of(traffic.take(), traffic.take())).isEqualTo(List.of(one, another));
    @SuppressWarnings("rawtypes")
    BlockingQueue<Bound> bound = queue(Bound.class);
    bound.put(new Bound<>(trade));
    assertThat(bound.take()).isEqualTo(new Bound<>(trade));
    assertThat(spilled(queue) + spilled(traffic) + spilled(bound)).isZero();
  }

  @Test
  void parameters_thatNothingSettles_areRefused() {
    Throws.illegalArgument(
        "3 components cannot be held:\n"
            + "  component Pair.first: the type A is not known here...",
        () -> queue(Pair.class));
  }

  // ---- what is refused ----

  sealed interface Tree permits Leaf, Node {}

  record Leaf(int value) implements Tree {}

  record Node(Tree left, Tree right) implements Tree {}

  sealed interface Open permits Known, Plugin {}

  record Known(int value) implements Open {}

  non-sealed interface Plugin extends Open {}

  @Test
  void of_whatHasNoFixedSize_namesTheComponent() {
    Throws.illegalArgument(
        "2 components cannot be held:\n"
            + "  component Node.left: a Tree contains itself, so it has no fixed size; or...",
        () -> queue(Tree.class));
    Throws.illegalArgument("component Plugin: a Plugin...", () -> queue(Open.class));
    Throws.illegalArgument(
        "type must be a record or a sealed interface of records: type=java.lang.String",
        () -> queue(String.class));
    Throws.illegalArgument(
        "type must be a record or a sealed interface of records: type=...Plugin, an interface that"
            + " is not sealed...",
        () -> queue(Plugin.class));
  }

  @Test
  void of_anyVariant_withReferences_holdsIt() throws Exception {
    RecordQueue<Open> queue = kind.make(Open.class, QueueOptions.ofCapacity(2).withReferences());
    Plugin plugin = new Plugin() {};
    queue.put(plugin);
    queue.put(new Known(1));
    assertThat(queue.take()).isSameAs(plugin);
    assertThat(queue.take()).isEqualTo(new Known(1));
    assertThat(spilled(queue)).isEqualTo(1);
    RecordQueue<Tree> trees = kind.make(Tree.class, QueueOptions.ofCapacity(2).withReferences());
    Tree tree = new Node(new Leaf(1), new Node(new Leaf(2), new Leaf(3)));
    trees.put(tree);
    assertThat(trees.take()).isSameAs(tree);
  }

  // ---- sizes ----

  record Payload(@Length(3) short[] few, byte[] many, @Utf8(4) String code) {
    @Override
    public boolean equals(Object other) {
      return other instanceof Payload(short[] itsFew, byte[] itsMany, String itsCode)
          && Arrays.equals(few, itsFew)
          && Arrays.equals(many, itsMany)
          && code.equals(itsCode);
    }

    @Override
    public int hashCode() {
      return code.hashCode();
    }
  }

  @Test
  void length_ofAnArray_isThatOfTheAnnotation() throws Exception {
    BlockingQueue<Payload> queue = queue(Payload.class);
    queue.put(new Payload(new short[3], new byte[64], "code"));
    assertThat(queue.take()).isEqualTo(new Payload(new short[3], new byte[64], "code"));
    assertThat(spilled(queue)).isZero();
    queue.put(new Payload(new short[4], new byte[0], "code"));
    queue.put(new Payload(new short[0], new byte[65], "code"));
    assertThat(queue.take()).isEqualTo(new Payload(new short[4], new byte[0], "code"));
    assertThat(queue.take()).isEqualTo(new Payload(new short[0], new byte[65], "code"));
    assertThat(spilled(queue)).isEqualTo(2);
  }

  record Sized(@Length(3) int number) {}

  record Line(String text, BigInteger number) {}

  @Test
  void length_ofWhatIsNoArray_isRefused() {
    Throws.illegalArgument(
        "component must be an array to be of a Length: component=Sized.number, type=int",
        () -> queue(Sized.class));
  }

  @Test
  void oversize_whenItCuts_keepsWholeCharacters() throws Exception {
    QueueOptions options =
        QueueOptions.ofCapacity(4).withTextBytes(4).withOnOversize(OnOversize.CUT);
    RecordQueue<Line> queue = kind.make(Line.class, options);
    queue.put(new Line("abcdef", BigInteger.ONE));
    queue.put(new Line("ab\u20accd", BigInteger.ONE));
    queue.put(new Line("\uD83D\uDE00\uD83D\uDE00", BigInteger.ONE));
    assertThat(queue.take()).isEqualTo(new Line("abcd", BigInteger.ONE));
    assertThat(queue.take()).isEqualTo(new Line("ab", BigInteger.ONE));
    assertThat(queue.take()).isEqualTo(new Line("\uD83D\uDE00", BigInteger.ONE));
    assertThat(spilled(queue)).isZero();
    Line wide = new Line("abcdef", BigInteger.ONE.shiftLeft(200));
    queue.put(wide);
    assertThat(queue.take()).isSameAs(wide);
    queue.put(new Line(null, BigInteger.ONE));
    assertThat(queue.take()).isEqualTo(new Line(null, BigInteger.ONE));
  }

  @Test
  void oversize_whenItThrows_changesNothing() {
    QueueOptions options =
        QueueOptions.ofCapacity(4).withTextBytes(4).withOnOversize(OnOversize.THROW);
    RecordQueue<Line> queue = kind.make(Line.class, options);
    Throws.illegalArgument(
        "Line.text must be at most 4 bytes: Line.text=...",
        () -> queue.add(new Line("abcde", BigInteger.ONE)));
    Throws.illegalArgument(
        "Line.number must fit into 16 bytes:"
            + " Line.number=1606938044258990275541962092341162602522...",
        () -> queue.add(new Line("a", BigInteger.ONE.shiftLeft(200))));
    Throws.illegalArgument(
        "component must not be null: component=Line.text",
        () -> queue.add(new Line(null, BigInteger.ONE)));
    assertThat(queue.isEmpty()).isTrue();
    assertThat(queue.offer(new Line("abcd", BigInteger.ONE))).isTrue();
    assertThat(queue.poll()).isEqualTo(new Line("abcd", BigInteger.ONE));
    RecordQueue<Payload> payloads =
        kind.make(Payload.class, QueueOptions.ofCapacity(2).withOnOversize(OnOversize.THROW));
    Throws.illegalArgument(
        "Payload.few must fit into 10 bytes: Payload.few=short[4]",
        () -> payloads.add(new Payload(new short[4], new byte[0], "")));
  }

  record Link(URI address) {}

  @Test
  void oversize_whenItThrows_refusesWhatIsOnlyOnTheHeap() {
    QueueOptions strict = QueueOptions.ofCapacity(4).withOnOversize(OnOversize.THROW);
    Throws.illegalArgument("component Link.address: a URI...", () -> kind.make(Link.class, strict));
    Throws.illegalArgument(
        "withReferences keeps records on the heap, which OnOversize.THROW forbids",
        strict::withReferences);
    Throws.nullArgument("onOversize", () -> strict.withOnOversize(null));
  }

  @Test
  void offer_ofAVariantThatFits_allocatesNothing() throws Exception {
    RecordQueue<Event> queue = kind.make(Event.class, QueueOptions.ofCapacity(2));
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 20_000; i++) {
      Event event = EVENTS.get(1 + i % 5); // those without a decimal, of which the JDK makes digits
      least = Math.min(least, Allocations.bytesIn(() -> queue.offer(event)));
      assertThat(queue.poll()).isEqualTo(event);
    }
    assertThat(least).isZero();
  }
}
