package dev.millrace.queues;

import com.google.common.collect.testing.QueueTestSuiteBuilder;
import com.google.common.collect.testing.SampleElements;
import com.google.common.collect.testing.TestQueueGenerator;
import com.google.common.collect.testing.features.CollectionFeature;
import com.google.common.collect.testing.features.CollectionSize;
import com.google.common.collect.testing.testers.CollectionClearTester;
import dev.millrace.flyweight.Utf8;
import dev.millrace.queues.RecordQueueTest.Kind;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Queue;
import java.util.stream.Stream;
import junit.framework.Test;
import junit.framework.TestSuite;

/**
 * Finds a method of {@link Queue} that breaks its contract in a case which none of our own tests
 * has: the queues of records before Guava's tests. Left out is what a bounded ring of values does
 * not do:
 *
 * <ul>
 *   <li>{@code SUPPORTS_REMOVE} and {@code SUPPORTS_ITERATOR_REMOVE}: to remove from the midst.
 *       {@code poll}, {@code remove()} and {@code clear}, which the first of them is about too, are
 *       in {@link RecordQueueTest}; and so {@code testClear_unsupported} is left out, which expects
 *       that who cannot remove cannot clear.
 *   <li>{@code ALLOWS_NULL_VALUES}: a queue's null means that there is none.
 *   <li>{@code SERIALIZABLE}: its memory is of this process.
 * </ul>
 */
public final class RecordQueueConformanceTest {
  private RecordQueueConformanceTest() {}

  sealed interface Element permits Name, Place, Letter {}

  /** A record that lies in its slot if its name is short, and on the heap if not. */
  record Name(@Utf8(8) String name) implements Element {}

  record Place(long number) implements Element {}

  enum Letter implements Element {
    A,
    B
  }

  private static final List<Element> NAMES =
      Stream.of("a", "b", "c", "d", "e").<Element>map(Name::new).toList();
  private static final List<Element> LONG_NAMES =
      Stream.of("a", "b", "c", "d", "e").<Element>map(name -> new Name(name.repeat(100))).toList();
  private static final List<Element> MIXED =
      List.of(new Place(1), Letter.A, new Name("a".repeat(100)), Letter.B, new Name("a"));

  /**
   * The tests, which the runner asks for by this name.
   *
   * @return a suite for each kind and for elements that fit, that do not, and of a sealed type
   */
  public static Test suite() {
    TestSuite all = new TestSuite(RecordQueueConformanceTest.class.getName());
    for (Kind kind : Kind.values()) {
      all.addTest(suite(kind, "that fit", Name.class, NAMES));
      all.addTest(suite(kind, "that do not fit", Name.class, LONG_NAMES));
      all.addTest(suite(kind, "of a sealed type", Element.class, MIXED));
    }
    return all;
  }

  private static Test suite(
      Kind kind, String which, Class<? extends Element> type, List<Element> elements) {
    return QueueTestSuiteBuilder.using(new Generator(kind, type, elements))
        .named("RecordQueue " + kind + " of elements " + which)
        .withFeatures(
            CollectionSize.ANY,
            CollectionFeature.KNOWN_ORDER,
            CollectionFeature.SUPPORTS_ADD,
            CollectionFeature.ALLOWS_NULL_QUERIES)
        .suppressing(clearIsUnsupported())
        .createTestSuite();
  }

  private static Method clearIsUnsupported() {
    try {
      return CollectionClearTester.class.getMethod("testClear_unsupported");
    } catch (NoSuchMethodException e) {
      throw new AssertionError(e);
    }
  }

  private record Generator(Kind kind, Class<? extends Element> type, List<Element> elements)
      implements TestQueueGenerator<Element> {
    private static final int CAPACITY = 50;

    @Override
    @SuppressWarnings("unchecked") // the queue's type is one of elements
    public Queue<Element> create(Object... some) {
      Queue<Element> queue =
          (Queue<Element>) (Queue<?>) kind.make(type, QueueOptions.ofCapacity(CAPACITY));
      for (Object element : some) {
        queue.add((Element) element);
      }
      return queue;
    }

    @Override
    public SampleElements<Element> samples() {
      return new SampleElements<>(
          elements.get(0), elements.get(1), elements.get(2), elements.get(3), elements.get(4));
    }

    @Override
    public Element[] createArray(int length) {
      return new Element[length];
    }

    @Override
    public Iterable<Element> order(List<Element> insertionOrder) {
      return insertionOrder;
    }
  }
}
