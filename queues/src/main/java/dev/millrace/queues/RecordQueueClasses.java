package dev.millrace.queues;

import dev.millrace.core.internal.Templates;
import dev.millrace.flyweight.internal.RecordCodec;
import dev.millrace.flyweight.internal.SlotRules;
import dev.millrace.queues.internal.RecordStore;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;

/** Defines {@link RecordQueueTemplate} for types of records and kinds of queues, once for each. */
final class RecordQueueClasses {
  private static final MethodHandles.Lookup LOOKUP = MethodHandles.lookup();

  // By kind and rules; held by the record's class, so that they can be unloaded with it. The
  // maker of a codec may see the record, so the first codec will do for all.
  private static final ClassValue<Map<Key, MethodHandle>> CONSTRUCTORS =
      new ClassValue<>() {
        @Override
        protected Map<Key, MethodHandle> computeValue(Class<?> type) {
          return Collections.synchronizedMap(new HashMap<>());
        }
      };

  private RecordQueueClasses() {}

  /**
   * The constants of a class.
   *
   * @param kind which ring it has
   * @param codec writes and reads the records
   */
  record Parts(RecordStore.Kind kind, RecordCodec<?> codec) {}

  /**
   * What distinguishes the classes for a type of record.
   *
   * @param kind which ring they have
   * @param rules what their slots hold
   */
  private record Key(RecordStore.Kind kind, SlotRules rules) {}

  /** Makes a queue of records. */
  @SuppressWarnings("unchecked") // its codec is for them
  static <E> RecordQueue<E> make(RecordCodec<E> codec, SlotRules rules, RecordStore store) {
    MethodHandle constructor =
        CONSTRUCTORS
            .get(codec.type())
            .computeIfAbsent(
                new Key(store.kind, rules), key -> define(new Parts(key.kind(), codec)));
    try {
      return (RecordQueue<E>) (RecordQueue<?>) constructor.invokeExact(store);
    } catch (Throwable e) {
      throw new AssertionError(e); // it does what the constructor of RecordQueue does
    }
  }

  private static MethodHandle define(Parts parts) {
    byte[] template = Templates.bytes(RecordQueueTemplate.class);
    try {
      MethodHandles.Lookup made = LOOKUP.defineHiddenClassWithClassData(template, parts, true);
      return made.findConstructor(
              made.lookupClass(), MethodType.methodType(void.class, RecordStore.class))
          .asType(MethodType.methodType(RecordQueue.class, RecordStore.class));
    } catch (IllegalAccessException | NoSuchMethodException e) {
      throw new LinkageError("the template must have its constructor", e);
    }
  }
}
