package dev.millrace.queues;

import dev.millrace.flyweight.RecordCodec;
import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Defines {@link RecordQueueTemplate} for types of records and kinds of queues, once for each. */
final class RecordQueueClasses {
  private static final MethodHandles.Lookup LOOKUP = MethodHandles.lookup();

  // held by the record's class, so that they can be unloaded with it
  private static final ClassValue<Map<Key, MethodHandle>> CONSTRUCTORS =
      new ClassValue<>() {
        @Override
        protected Map<Key, MethodHandle> computeValue(Class<?> type) {
          return new ConcurrentHashMap<>();
        }
      };

  private RecordQueueClasses() {}

  private record Key(RecordCodec<?> codec, Class<?> kind) {}

  /**
   * The constants of a class.
   *
   * @param kind the class of the queue that it wraps
   * @param checker as {@link RecordCodec#checker()}
   * @param writer as {@link RecordCodec#writer()}
   * @param reader as {@link RecordCodec#reader()}
   */
  record Parts(Class<?> kind, MethodHandle checker, MethodHandle writer, MethodHandle reader) {}

  /** Makes a queue of records. */
  @SuppressWarnings("unchecked") // its codec is for them
  static <E extends Record> RecordQueue<E> make(RecordCodec<E> codec, OffHeapQueue<?> queue) {
    MethodHandle constructor =
        CONSTRUCTORS
            .get(codec.type())
            .computeIfAbsent(new Key(codec, queue.getClass()), RecordQueueClasses::define);
    try {
      return (RecordQueue<E>) (RecordQueue<?>) constructor.invokeExact((OffHeapQueue<?>) queue);
    } catch (Throwable e) {
      throw new AssertionError(e); // it does what the constructor of RecordQueue does
    }
  }

  private static MethodHandle define(Key key) {
    RecordCodec<?> codec = key.codec();
    Parts parts = new Parts(key.kind(), codec.checker(), codec.writer(), codec.reader());
    try {
      MethodHandles.Lookup made = LOOKUP.defineHiddenClassWithClassData(template(), parts, true);
      return made.findConstructor(
              made.lookupClass(), MethodType.methodType(void.class, OffHeapQueue.class))
          .asType(MethodType.methodType(RecordQueue.class, OffHeapQueue.class));
    } catch (IllegalAccessException | NoSuchMethodException e) {
      throw new LinkageError("the template must have its constructor", e);
    }
  }

  private static byte[] template() {
    String file = RecordQueueTemplate.class.getSimpleName() + ".class";
    try (InputStream in = RecordQueueClasses.class.getResourceAsStream(file)) {
      return in.readAllBytes();
    } catch (IOException e) {
      throw new AssertionError(e); // it was loaded from there
    }
  }
}
