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
import junit.framework.Test;
import junit.framework.TestSuite;

/**
 * The queues of records before Guava's tests of a {@link Queue}. Left out is what a bounded ring of
 * values does not do:
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

  /** A record of which there are as many as the tests ask for. */
  record Name(@Utf8(8) String name) {}

  /**
   * The tests, which the runner asks for by this name.
   *
   * @return a suite for each kind
   */
  public static Test suite() {
    TestSuite all = new TestSuite(RecordQueueConformanceTest.class.getName());
    for (Kind kind : Kind.values()) {
      all.addTest(suite(kind));
    }
    return all;
  }

  private static Test suite(Kind kind) {
    return QueueTestSuiteBuilder.using(new Generator(kind))
        .named("RecordQueue " + kind)
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

  private record Generator(Kind kind) implements TestQueueGenerator<Name> {
    private static final int CAPACITY = 50;

    @Override
    public Queue<Name> create(Object... elements) {
      Queue<Name> queue = kind.make(Name.class, QueueOptions.ofCapacity(CAPACITY));
      for (Object element : elements) {
        queue.add((Name) element);
      }
      return queue;
    }

    @Override
    public SampleElements<Name> samples() {
      return new SampleElements<>(
          new Name("a"), new Name("b"), new Name("c"), new Name("d"), new Name("e"));
    }

    @Override
    public Name[] createArray(int length) {
      return new Name[length];
    }

    @Override
    public Iterable<Name> order(List<Name> insertionOrder) {
      return insertionOrder;
    }
  }
}
