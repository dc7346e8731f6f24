package dev.millrace.flyweight.internal;

import java.lang.foreign.MemorySegment;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;

/** Who closed which memory, for the message of an access that came too late. */
public final class ClosedMemory {
  /** Whose memory was closed, while anybody still has a view of it. */
  private static final Map<MemorySegment.Scope, String> OWNERS =
      Collections.synchronizedMap(new WeakHashMap<>());

  private ClosedMemory() {}

  /** Notes whose memory is about to be closed; {@link #whyClosed} names the owner from now on. */
  public static void note(MemorySegment memory, Object owner) {
    OWNERS.put(memory.scope(), owner.toString());
  }

  /**
   * Says why closed memory, or a part of it, cannot be used any more: who closed it, as that
   * described itself, if it is known.
   */
  public static String whyClosed(MemorySegment memory) {
    String owner = OWNERS.get(memory.scope());
    return owner == null ? "its memory is closed" : "its memory was freed by close() of " + owner;
  }
}
