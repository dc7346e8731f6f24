package dev.millrace.flyweight;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** A flyweight of any layout; a test calls its accessors with the fields that it is about. */
final class DynamicFlyweight extends Flyweight {
  DynamicFlyweight(RecordLayout layout, MemorySegment memory) {
    super(layout, memory);
  }

  /** On a record of its own. */
  static DynamicFlyweight of(RecordLayout layout) {
    DynamicFlyweight flyweight =
        new DynamicFlyweight(layout, Arena.ofAuto().allocate(layout.sizeBytes(), 8));
    flyweight.moveTo(0);
    return flyweight;
  }
}
