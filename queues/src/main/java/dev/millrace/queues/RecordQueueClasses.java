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

/** Defines a copy of {@link RecordQueueTemplate} once for each type of record and kind of queue. */
final class RecordQueueClasses {
  private static final MethodHandles.Lookup LOOKUP = MethodHandles.lookup();

  // Constructors by kind and rules, for each record class. The record's class holds them, so that
  // they can be unloaded with it. Any caller that makes a codec has access to the record, so the
  // first codec serves all queues.
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
   * @param kind the kind of ring that its queues have
   * @param codec writes and reads the records
   */
  record Parts(RecordStore.Kind kind, RecordCodec<?> codec) {}

  /**
   * Identifies one of the classes for a type of record.
   *
   * @param kind the kind of ring that its queues have
   * @param rules what a slot of its queues holds
   */
  private record Key(RecordStore.Kind kind, SlotRules rules) {}

  /** Makes a queue of records. */
  @SuppressWarnings("unchecked") // the codec is for E
  static <E> RecordQueue<E> make(RecordCodec<E> codec, SlotRules rules, RecordStore store) {
    MethodHandle constructor =
        CONSTRUCTORS
            .get(codec.type())
            .computeIfAbsent(
                new Key(store.kind, rules), key -> define(new Parts(key.kind(), codec)));
    try {
      return (RecordQueue<E>) (RecordQueue<?>) constructor.invokeExact(store);
    } catch (Throwable e) {
      throw new AssertionError(e); // the constructor of RecordQueue throws nothing
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
