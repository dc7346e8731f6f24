package dev.millrace.queues;

import dev.millrace.core.internal.Templates;
import dev.millrace.flyweight.internal.RecordCodec;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;

/** Defines {@link RecordQueueTemplate} for types of records and kinds of queues, once for each. */
final class RecordQueueClasses {
  private static final MethodHandles.Lookup LOOKUP = MethodHandles.lookup();

  // By the kind's slots; held by the record's class, so that they can be unloaded with it. Whoever
  // has a codec may see the record, so the codec that came first will do for all.
  private static final ClassValue<Map<Class<?>, MethodHandle>> CONSTRUCTORS =
      new ClassValue<>() {
        @Override
        protected Map<Class<?>, MethodHandle> computeValue(Class<?> type) {
          return Collections.synchronizedMap(new HashMap<>());
        }
      };

  private RecordQueueClasses() {}

  /**
   * The constants of a class.
   *
   * @param kind the class of its slots
   * @param codec writes and reads the records
   */
  record Parts(Class<?> kind, RecordCodec<?> codec) {}

  /** Makes a queue of records. */
  @SuppressWarnings("unchecked") // its codec is for them
  static <E extends Record> RecordQueue<E> make(RecordCodec<E> codec, RecordSlots slots) {
    MethodHandle constructor =
        CONSTRUCTORS
            .get(codec.type())
            .computeIfAbsent(slots.getClass(), kind -> define(new Parts(kind, codec)));
    try {
      return (RecordQueue<E>) (RecordQueue<?>) constructor.invokeExact(slots);
    } catch (Throwable e) {
      throw new AssertionError(e); // it does what the constructor of RecordQueue does
    }
  }

  private static MethodHandle define(Parts parts) {
    byte[] template = Templates.bytes(RecordQueueTemplate.class);
    try {
      MethodHandles.Lookup made = LOOKUP.defineHiddenClassWithClassData(template, parts, true);
      return made.findConstructor(
              made.lookupClass(), MethodType.methodType(void.class, RecordSlots.class))
          .asType(MethodType.methodType(RecordQueue.class, RecordSlots.class));
    } catch (IllegalAccessException | NoSuchMethodException e) {
      throw new LinkageError("the template must have its constructor", e);
    }
  }
}
