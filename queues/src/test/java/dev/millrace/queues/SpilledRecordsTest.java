package dev.millrace.queues;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.millrace.flyweight.Utf8;
import dev.millrace.queues.RecordQueueTest.Kind;
import dev.millrace.testkit.Allocations;
import dev.millrace.testkit.TestCall;
import dev.millrace.testkit.Throws;
import java.lang.ref.WeakReference;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.time.Duration;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Currency;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Records that do not fit into their slots. Alone it finds: a record that is given back as another
 * one's bytes, or twice, or in another order; one that is held after it was taken.
 */
@ParameterizedClass
@EnumSource
class SpilledRecordsTest {
  private static final String LONG = "long ".repeat(100);

  @Parameter private Kind kind;

  record Line(long number, String text) {}

  private RecordQueue<Line> lines(int capacity) {
    return kind.make(Line.class, QueueOptions.ofCapacity(capacity));
  }

  private static long spilled(RecordQueue<?> queue) {
    return queue.metrics().get("spilled");
  }

  @Test
  void text_ofAnyLength_comesBackInOrder() throws Exception {
    RecordQueue<Line> queue = lines(4);
    Random random = new Random(1);
    List<Line> put = new ArrayList<>();
    List<Line> taken = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      Line line = new Line(i, LONG.substring(random.nextInt(LONG.length())));
      while (!queue.offer(line)) {
        taken.add(queue.take());
      }
      put.add(line);
    }
    assertThat(queue.drainTo(taken)).isEqualTo(4);
    assertThat(taken).isEqualTo(put);
    assertThat(spilled(queue))
        .isEqualTo(put.stream().filter(line -> line.text().length() > 64).count());
  }

  @Test
  void text_thatFitsIsACopy_andWhatDoesNotIsTheRecordItself() throws Exception {
    RecordQueue<Line> queue = lines(2);
    Line shortLine = new Line(1, "x".repeat(64));
    Line longLine = new Line(2, "x".repeat(65));
    queue.put(shortLine);
    queue.put(longLine);
    assertThat(queue.take()).isEqualTo(shortLine).isNotSameAs(shortLine);
    assertThat(queue.take()).isSameAs(longLine);
    assertThat(spilled(queue)).isEqualTo(1);
  }

  @Test
  void text_ofNoUtf8_comesBackAsItIs() throws Exception {
    RecordQueue<Line> queue = lines(2);
    for (String text : new String[] {null, "a\0b", "\uD83D", "\uDE00 ", "", "\uD83D\uDE00"}) {
      queue.put(new Line(1, text));
      assertThat(queue.take()).isEqualTo(new Line(1, text));
    }
    assertThat(spilled(queue)).isEqualTo(4);
  }

  record Limited(@Utf8(4) String code, String note) {}

  @Test
  void textBytes_areThoseOfTheAnnotationOrTheOptions() throws Exception {
    RecordQueue<Limited> queue =
        kind.make(Limited.class, QueueOptions.ofCapacity(2).withTextBytes(8));
    queue.put(new Limited("1234", "12345678"));
    assertThat(queue.take()).isEqualTo(new Limited("1234", "12345678"));
    assertThat(spilled(queue)).isZero();
    for (Limited one :
        List.of(new Limited("12345", ""), new Limited("\u20ac\u20ac", ""), new Limited("", LONG))) {
      queue.put(one);
      assertThat(queue.take()).isSameAs(one);
    }
    assertThat(spilled(queue)).isEqualTo(3);
    Throws.illegalArgument(
        "textBytes must be in 1..65536: textBytes=0",
        () -> QueueOptions.ofCapacity(2).withTextBytes(0));
  }

  @Test
  void peekIteratorAndContains_showThemWithoutTaking() throws Exception {
    RecordQueue<Line> queue = lines(4);
    Line first = new Line(1, LONG);
    Line second = new Line(2, "short");
    Line third = new Line(3, LONG);
    queue.addAll(List.of(first, second, third));
    assertThat(queue.peek()).isSameAs(first);
    assertThat(queue).containsExactly(first, second, third);
    assertThat(queue.contains(third)).isTrue();
    assertThat(queue.toArray()).containsExactly(first, second, third);
    assertThat(queue.take()).isSameAs(first);
    assertThat(queue.peek()).isEqualTo(second);
    assertThat(queue.take()).isEqualTo(second);
    assertThat(queue.peek()).isSameAs(third);
  }

  @Test
  void close_withSomeLeft_letsThemBeTaken() throws Exception {
    RecordQueue<Line> queue = lines(2);
    Line line = new Line(1, LONG);
    queue.put(line);
    queue.close();
    assertThat(queue.take()).isSameAs(line);
    assertThat(queue.poll()).isNull();
  }

  // ---- what is held ----

  @Test
  void whatWasTaken_isHeldNoLonger() throws Exception {
    RecordQueue<Line> queue = lines(4);
    List<WeakReference<Line>> taken = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      queue.put(new Line(i, LONG));
    }
    for (int i = 0; i < 3; i++) {
      taken.add(new WeakReference<>(queue.take()));
    }
    for (WeakReference<Line> one : taken) {
      assertCollected(one);
    }
    assertThat(queue.take()).isEqualTo(new Line(3, LONG));
  }

  private static void assertCollected(WeakReference<?> reference) {
    TestCall.await(
        () -> {
          System.gc();
          return reference.get() == null;
        });
  }

  record Holder(BlockingQueue<?> queue) {}

  @Test
  void aQueueThatARecordInItRefersTo_isCollected() {
    RecordQueue<Holder> queue =
        kind.make(Holder.class, QueueOptions.ofCapacity(2).withReferences());
    queue.add(new Holder(queue));
    WeakReference<Object> reference = new WeakReference<>(queue);
    queue = null;
    assertCollected(reference);
  }

  @Test
  void references_mustBeAskedFor() throws Exception {
    Throws.illegalArgument(
        "component Holder.queue: ...", () -> kind.make(Holder.class, QueueOptions.ofCapacity(2)));
    RecordQueue<Holder> queue =
        kind.make(Holder.class, QueueOptions.ofCapacity(2).withReferences());
    Holder holder = new Holder(queue);
    queue.put(holder);
    assertThat(queue.take()).isSameAs(holder);
    queue.put(new Holder(null));
    assertThat(queue.take()).isEqualTo(new Holder(null));
    assertThat(spilled(queue)).isEqualTo(2);
  }

  @Test
  void putThatStalled_leavesNothingBehind() throws Exception {
    assumeThat(kind).isNotEqualTo(Kind.SPSC);
    QueueOptions options = QueueOptions.ofCapacity(2).withStallLimit(Duration.ofMillis(2));
    RecordQueue<Line> queue = kind.make(Line.class, options);
    var store = queue.store;
    long sequence = store.tryClaim(store.protocol, store.ring);
    store.spills.put(sequence, new Line(1, LONG));
    assertThat(queue.poll()).isNull(); // gives it up
    for (int i = 0; i < 5; i++) {
      queue.put(new Line(i, "short"));
      assertThat(queue.take()).isEqualTo(new Line(i, "short"));
    }
    assertThat(store.commit(store.protocol, store.ring, sequence)).isFalse();
    store.spills.remove(sequence);
    assertThat(store.spills.find(sequence)).isNull();
    for (int i = 0; i < 5; i++) {
      queue.put(new Line(i, LONG));
      assertThat(queue.take()).isEqualTo(new Line(i, LONG));
    }
  }

  // ---- other components ----

  record Money(BigDecimal amount, BigInteger units, Optional<BigDecimal> limit) {}

  @Test
  void numbers_comeBackEqual_andLargeOnesSpill() throws Exception {
    RecordQueue<Money> queue = kind.make(Money.class, QueueOptions.ofCapacity(2));
    BigInteger most = BigInteger.ONE.shiftLeft(127).subtract(BigInteger.ONE);
    Random random = new Random(2);
    List<BigInteger> fitting =
        new ArrayList<>(
            List.of(
                BigInteger.ZERO,
                BigInteger.ONE,
                BigInteger.ONE.negate(),
                BigInteger.valueOf(Long.MAX_VALUE),
                BigInteger.valueOf(Long.MIN_VALUE),
                BigInteger.valueOf(Long.MAX_VALUE).add(BigInteger.ONE),
                BigInteger.valueOf(Long.MIN_VALUE).subtract(BigInteger.ONE),
                BigInteger.ONE.shiftLeft(64),
                most,
                most.not()));
    for (int bits = 1; bits <= 127; bits++) {
      BigInteger any = new BigInteger(bits, random);
      fitting.add(random.nextBoolean() ? any : any.negate());
    }
    for (BigInteger units : fitting) {
      int scale = random.nextInt(3) == 0 ? random.nextInt() : random.nextInt(20);
      Money money =
          new Money(new BigDecimal(units, scale), units, Optional.of(new BigDecimal(units)));
      queue.put(money);
      assertThat(queue.take()).isEqualTo(money).isNotSameAs(money);
    }
    assertThat(spilled(queue)).isZero();
    BigInteger large = most.add(BigInteger.ONE);
    for (Money money :
        List.of(
            new Money(BigDecimal.ONE, large, Optional.empty()),
            new Money(new BigDecimal(large, 2), BigInteger.ONE, Optional.empty()),
            new Money(BigDecimal.ONE, BigInteger.ONE, Optional.of(new BigDecimal(large))),
            new Money(null, BigInteger.ONE, Optional.empty()))) {
      queue.put(money);
      assertThat(queue.take()).isSameAs(money);
    }
  }

  @SuppressWarnings("ArrayRecordComponent") // what is tested
  record Arrays7(
      byte[] bytes, char[] chars, short[] shorts, int[] ints, float[] f, long[] longs, double[] d) {
    static Arrays7 ofLength(int length) {
      byte[] bytes = new byte[length];
      Arrays.fill(bytes, (byte) 7);
      return new Arrays7(
          bytes,
          "x".repeat(length).toCharArray(),
          new short[length],
          new int[length],
          new float[length],
          new long[length],
          new double[length]);
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Arrays7(var b, var c, var s, var i, var f2, var l, var d2)
          && Arrays.equals(bytes, b)
          && Arrays.equals(chars, c)
          && Arrays.equals(shorts, s)
          && Arrays.equals(ints, i)
          && Arrays.equals(f, f2)
          && Arrays.equals(longs, l)
          && Arrays.equals(d, d2);
    }

    @Override
    public int hashCode() {
      return Objects.hash(bytes.length);
    }
  }

  @Test
  void arrays_comeBackEqual_andLongOnesSpill() throws Exception {
    RecordQueue<Arrays7> queue = kind.make(Arrays7.class, QueueOptions.ofCapacity(2));
    for (int length = 0; length <= 8; length++) {
      queue.put(Arrays7.ofLength(length));
      assertThat(queue.take()).isEqualTo(Arrays7.ofLength(length));
    }
    assertThat(spilled(queue)).isZero();
    Arrays7 longer = Arrays7.ofLength(9);
    queue.put(longer);
    assertThat(queue.take()).isSameAs(longer);
  }

  record Places(URI uri, Currency currency, Locale locale, ZoneId zone, ZonedDateTime time) {}

  @Test
  void immutableClassesOfTheJdk_areHeldByReference() throws Exception {
    RecordQueue<Places> queue = kind.make(Places.class, QueueOptions.ofCapacity(2));
    ZoneId zone = ZoneId.of("Europe/London");
    Places places =
        new Places(
            URI.create("urn:a"),
            Currency.getInstance("EUR"),
            Locale.ROOT,
            zone,
            ZonedDateTime.now(zone));
    queue.put(places);
    assertThat(queue.take()).isSameAs(places);
  }

  record Inner(String text, BigDecimal number) {}

  record Outer(long id, Inner inner, Optional<Inner> perhaps) {}

  @Test
  @SuppressWarnings("NullOptional") // what is tested
  void nestedRecords_spillTheWhole() throws Exception {
    RecordQueue<Outer> queue = kind.make(Outer.class, QueueOptions.ofCapacity(2));
    Inner fits = new Inner("a", BigDecimal.TEN);
    Inner spills = new Inner(LONG, BigDecimal.TEN);
    Outer outer = new Outer(1, fits, Optional.of(fits));
    queue.put(outer);
    assertThat(queue.take()).isEqualTo(outer).isNotSameAs(outer);
    for (Outer one :
        List.of(
            new Outer(1, spills, Optional.empty()),
            new Outer(2, null, Optional.empty()),
            new Outer(3, fits, Optional.of(spills)),
            new Outer(4, fits, Optional.of(new Inner(null, null))),
            new Outer(5, fits, null))) {
      queue.put(one);
      assertThat(queue.take()).isSameAs(one);
    }
  }

  // ---- cost ----

  @SuppressWarnings("ArrayRecordComponent") // what is tested
  record Mixed(String text, byte[] bytes, long number) {}

  @Test
  void offer_ofWhatFits_allocatesNothing() throws Exception {
    int rounds = 20_000;
    RecordQueue<Mixed> queue = kind.make(Mixed.class, QueueOptions.ofCapacity(2));
    Mixed mixed = new Mixed("some text that fits", new byte[16], 1);
    long least = Long.MAX_VALUE;
    for (int i = 0; i < rounds; i++) {
      long own = Allocations.bytesIn(() -> queue.offer(mixed));
      least = Math.min(least, own);
      assertThat(queue.poll()).isNotNull();
    }
    assertThat(least).isZero();
  }
}
