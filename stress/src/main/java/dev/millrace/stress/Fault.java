package dev.millrace.stress;

/**
 * What a thread of a soak does wrong on purpose, from its tenth chance on, to see that it is
 * noticed.
 */
enum Fault {
  /** Nothing. */
  NONE(""),
  /** A producer aborts a record and counts it; a handler ignores an event. */
  LOSE("records taken must be|committed \\+ refused must be"),
  /** A producer commits a record twice; a handler is given an event twice. */
  REPEAT("must be|must come in order"),
  /** What was written is changed. */
  TEAR("torn "),
  /** A producer commits what is no record. */
  POISON("slot must hold a record|torn message: bytes"),
  /** A producer commits a message without its last byte. */
  SHORTEN("torn message: length"),
  /** A producer commits a message with another time. */
  MISTIME("torn message: time"),
  /** A consumer takes a message that it leaves in the queue. */
  TAKE_KEPT("records taken by a call must be"),
  /** A consumer says that it took a message that it did not take. */
  DROP("records taken by a call must be"),
  /** A consumer asks for more bytes than it wants. */
  OVERDRAW("bytes left before a message must be"),
  /** A producer that should stop within its claim does not, so what it left there may be seen. */
  HURRY("claim must have been given up|slot must hold a record|torn message"),
  /** A handler is given events in another order. */
  REORDER("must come in order|must have one sequence"),
  /** A handler leaves no mark, as if it had not come to the event yet. */
  LAG("must be handled after those before"),
  /** A handler throws what the pipeline does not count. */
  MISCOUNT("failures reported must be"),
  /** A thread stores the value of another key. */
  MIX("value must be of its key"),
  /** A thread stores an older version. */
  STALE("version must be"),
  /** A thread does not remove what it has to. */
  KEEP("version must be"),
  /** The structure is not closed. */
  LEAK("native bytes in use must be");

  /** The regular expression that the error contains by which it is noticed. */
  final String sentence;

  Fault(String sentence) {
    this.sentence = sentence;
  }

  /** A fault of one thread. It is not left to chance, so that short soaks notice it, too. */
  static final class Plant {
    private static final int FROM = 10;

    private final Fault fault;
    private int chances;

    Plant(Fault fault) {
      this.fault = fault;
    }

    /** Counts a chance; returns what to do wrong now, or {@link #NONE}. */
    Fault due() {
      return ++chances >= FROM ? fault : NONE;
    }
  }
}
