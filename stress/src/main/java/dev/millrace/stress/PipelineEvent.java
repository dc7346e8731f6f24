package dev.millrace.stress;

/**
 * An event of the pipelines' soak: a number, a byte for each handler that has handled it, and what
 * tells whether it is of one piece.
 */
sealed interface PipelineEvent permits PipelineRecord, PipelineObject {
  /** How many handlers have a byte of their own. */
  int PLACES = 12;

  /** The number of events that no handler counts. */
  int WARM_UP = -1;

  /** How many keys there are. */
  int KEYS = 16;

  /** Writes a new event, which nobody has handled. */
  void begin(int number);

  /** The number; throws if the event is torn. */
  int wholeNumber();

  /** What a handler has left, or 0. */
  byte mark(int place);

  /** Leaves a handler's mark. */
  void mark(int place, byte value);

  /** The mark of a handler that has handled an event: never 0. */
  static byte markOf(int number, int place) {
    return (byte) (Entry.mix((long) number * PLACES + place) >>> 56 | 1);
  }

  /** The key of an event. */
  static int keyOf(int number) {
    return (int) (Entry.mix(number) >>> 40) & (KEYS - 1);
  }
}
