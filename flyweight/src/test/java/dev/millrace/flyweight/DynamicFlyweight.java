package dev.millrace.flyweight;

import java.lang.foreign.MemorySegment;

/** A flyweight of any layout; a test calls its accessors with the fields that it is about. */
final class DynamicFlyweight extends Flyweight {
  DynamicFlyweight(RecordLayout layout, MemorySegment memory) {
    super(layout, memory);
  }
}
