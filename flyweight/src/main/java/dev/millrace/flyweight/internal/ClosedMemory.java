package dev.millrace.flyweight.internal;

import java.lang.foreign.MemorySegment;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;

/** Remembers who closed which memory, for the message about an access that came too late. */
public final class ClosedMemory {
  /** The owners that closed memory, kept as long as some view of that memory exists. */
  private static final Map<MemorySegment.Scope, String> OWNERS =
      Collections.synchronizedMap(new WeakHashMap<>());

  private ClosedMemory() {}

  /**
   * Notes that {@code owner} is about to close {@code memory}. From then on {@link #whyClosed}
   * names that owner.
   */
  public static void note(MemorySegment memory, Object owner) {
    OWNERS.put(memory.scope(), owner.toString());
  }

  /**
   * Explains why {@code memory}, which is closed memory or a part of it, can no longer be used.
   * Names the owner that closed it, if that is known.
   */
  public static String whyClosed(MemorySegment memory) {
    String owner = OWNERS.get(memory.scope());
    return owner == null ? "its memory is closed" : "its memory was freed by close() of " + owner;
  }
}
