package dev.millrace.stress.lincheck;

import java.util.ArrayList;
import java.util.List;

/**
 * What a {@link dev.millrace.queues.history.HistoryRing} may answer.
 *
 * <p>A write is not one step: it takes its place in the order, enters its slot, leaves it, and, if
 * it was refused, is counted; others may come in between. It is refused if it finds an earlier
 * write still in the slot, or a later one there before it, or if a later one has come to the slot
 * when it leaves. So of the writes of one slot the latest that came decides, and the record of the
 * slot is that of the latest only if it went in and out undisturbed.
 *
 * <p>A read of the next record takes a step for each record that it passes, and two where it was
 * overtaken: it sees that its record is gone, then looks where the oldest is. A read of the latest
 * first looks for the end, then takes a step for each record; so does a read that skips what is not
 * finished, which first loses what is older than the ring's length.
 */
public final class HistoryAllows extends RelaxedVerifier<HistoryAllows.History> {
  private static final long NOBODY = -1;

  /**
   * A slot.
   *
   * @param latest the latest write that came for it
   * @param inside the write that is in it
   * @param value the record, if the latest has left one
   */
  record Slot(long latest, long inside, String value) {}

  /** A reader's position and what it has counted. */
  record Reading(long position, long read, long lost, long refused, long unfinished) {
    Reading hasRead() {
      return new Reading(position + 1, read + 1, lost, refused, unfinished);
    }

    Reading hasPassed() {
      return new Reading(position + 1, read, lost, refused + 1, unfinished);
    }

    Reading hasLost(long next) {
      return new Reading(next, read, lost + next - position, refused, unfinished);
    }

    Reading hasSkipped() {
      return new Reading(position + 1, read, lost, refused, unfinished + 1);
    }

    String counts() {
      return HistoryOperations.counts(read, lost, refused, unfinished);
    }
  }

  /** The state. */
  record History(long claimed, long refused, List<Slot> slots, Reading reader) {
    Slot slot(long sequence) {
      return slots.get((int) (sequence % slots.size()));
    }

    long oldest() {
      return Math.max(0, claimed - slots.size());
    }

    History claim() {
      return new History(claimed + 1, refused, slots, reader);
    }

    History refuse() {
      return new History(claimed, refused + 1, slots, reader);
    }

    History with(long sequence, Slot slot) {
      List<Slot> after = new ArrayList<>(slots);
      after.set((int) (sequence % slots.size()), slot);
      return new History(claimed, refused, List.copyOf(after), reader);
    }

    History with(Reading after) {
      return new History(claimed, refused, slots, after);
    }
  }

  /** A write that has its place in the order. */
  private record Claimed(long sequence) {}

  /** A write that is in its slot. */
  private record Inside(long sequence) {}

  /** A write that must be counted as refused. */
  private record Refused(String answer) {}

  /** A reader that goes on, or was overtaken. */
  private enum Next {
    GOES_ON,
    OVERTAKEN
  }

  /** A read that skips: where it began, and the end that it saw. */
  private record Skipping(long from, long end) {}

  /** A read of the latest: what it has up to a sequence. */
  private record Latest(long sequence, long end, List<String> records) {}

  /**
   * Made by Lincheck.
   *
   * @param specification asked for by Lincheck, and not used
   */
  public HistoryAllows(Class<?> specification) {}

  @Override
  History initial() {
    List<Slot> slots = new ArrayList<>();
    for (int i = 0; i < HistoryOperations.CAPACITY; i++) {
      slots.add(new Slot(NOBODY, NOBODY, null));
    }
    return new History(0, 0, List.copyOf(slots), new Reading(0, 0, 0, 0, 0));
  }

  @Override
  List<Step<History>> steps(History history, Call call, Object known) {
    return switch (call.name()) {
      case "write", "writeCommittedFirst", "writeRefused", "abort" -> write(history, call, known);
      case "next" -> next(history, call, (Next) known);
      case "skip" -> skip(history, call, (Skipping) known);
      case "latest" -> latest(history, call, (Latest) known);
      case "claimed" -> answer(history, call, history.claimed());
      case "refused" -> answer(history, call, history.refused());
      default -> throw new IllegalArgumentException("call must be known: call=" + call);
    };
  }

  private static List<Step<History>> answer(History after, Call call, Object answer) {
    return lastIf(call.result().equals(answer), after);
  }

  private static List<Step<History>> write(History history, Call call, Object known) {
    return switch (known) {
      case null -> List.of(Step.then(history.claim(), new Claimed(history.claimed())));
      case Claimed(long sequence) -> List.of(enter(history, sequence));
      case Inside(long sequence) -> leave(history, call, sequence);
      case Refused(String answer) -> answer(history.refuse(), call, answer);
      default -> throw new IllegalArgumentException("step must be a write's: known=" + known);
    };
  }

  private static Step<History> enter(History history, long sequence) {
    Slot slot = history.slot(sequence);
    if (slot.latest() > sequence) {
      return Step.then(history, new Refused(HistoryOperations.NO_CLAIM));
    }
    if (slot.inside() != NOBODY) {
      return Step.then(
          history.with(sequence, new Slot(sequence, slot.inside(), null)),
          new Refused(HistoryOperations.NO_CLAIM));
    }
    return Step.then(
        history.with(sequence, new Slot(sequence, sequence, null)), new Inside(sequence));
  }

  private static List<Step<History>> leave(History history, Call call, long sequence) {
    Slot slot = history.slot(sequence);
    boolean commits = !call.name().equals("abort");
    if (commits && slot.latest() == sequence) {
      Slot left = new Slot(sequence, NOBODY, Long.toString(call.longArgument(0)));
      return answer(history.with(sequence, left), call, HistoryOperations.DONE);
    }
    String answer = commits ? HistoryOperations.NO_COMMIT : HistoryOperations.ABORTED;
    Slot left = new Slot(slot.latest(), NOBODY, null);
    return List.of(Step.then(history.with(sequence, left), new Refused(answer)));
  }

  private static List<Step<History>> next(History history, Call call, Next known) {
    Reading reader = history.reader();
    long position = reader.position();
    if (known == Next.OVERTAKEN) {
      long target = Math.max(position + 1, history.oldest());
      return List.of(Step.then(history.with(reader.hasLost(target)), Next.GOES_ON));
    }
    Slot slot = history.slot(position);
    if (isUnfinished(slot, position)) {
      return answer(history, call, HistoryOperations.NOTHING + reader.counts());
    }
    if (slot.latest() > position) {
      return List.of(Step.then(history, Next.OVERTAKEN));
    }
    if (slot.value() == null) {
      return List.of(Step.then(history.with(reader.hasPassed()), Next.GOES_ON));
    }
    Reading after = reader.hasRead();
    return answer(history.with(after), call, slot.value() + after.counts());
  }

  private static boolean isUnfinished(Slot slot, long sequence) {
    boolean isBeingWritten = slot.inside() == sequence && slot.latest() == sequence;
    return slot.latest() < sequence || isBeingWritten;
  }

  private static List<Step<History>> skip(History history, Call call, Skipping known) {
    Reading reader = history.reader();
    long position = reader.position();
    if (known == null) {
      Reading after = reader.hasLost(Math.max(position, history.oldest()));
      return List.of(Step.then(history.with(after), new Skipping(position, history.claimed())));
    }
    if (position < known.end() && isUnfinished(history.slot(position), position)) {
      return List.of(Step.then(history.with(reader.hasSkipped()), known));
    }
    return answer(history, call, position - known.from() + reader.counts());
  }

  private static List<Step<History>> latest(History history, Call call, Latest known) {
    long end = history.claimed();
    if (known == null) {
      long first = Math.max(0, end - call.intArgument(0));
      return List.of(Step.then(history, new Latest(first, end, List.of())));
    }
    if (known.sequence() == known.end()) {
      return answer(history, call, String.join(" ", known.records()));
    }
    Slot slot = history.slot(known.sequence());
    List<String> records = known.records();
    if (slot.latest() > known.sequence()) {
      records = List.of();
    } else if (slot.latest() == known.sequence() && slot.value() != null) {
      records = new ArrayList<>(records);
      records.add(slot.value());
    }
    return List.of(
        Step.then(history, new Latest(known.sequence() + 1, known.end(), List.copyOf(records))));
  }
}
