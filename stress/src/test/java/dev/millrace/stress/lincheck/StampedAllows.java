package dev.millrace.stress.lincheck;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * What a queue of many producers may answer: of a {@link dev.millrace.queues.MpscQueue} and an
 * {@link dev.millrace.queues.MpmcQueue} the relaxed forms.
 *
 * <p>The slots are those of the last {@code capacity} sequences. A claim needs that the oldest are
 * free, and a poll goes by the first that is not taken: if it is open there is nothing to have,
 * whatever is behind it. An aborted slot is passed as a record is taken, and freed after. So a put
 * has two steps, its claim and its commit; a take has two, for which it may have passed gaps, two
 * steps each. The end is exact: it is behind every slot that was ever claimed.
 */
public class StampedAllows extends RelaxedVerifier<StampedAllows.Content> {
  /** What has become of a slot. */
  enum State {
    FREE,
    OPEN,
    RECORD,
    GAP,
    TAKEN
  }

  /**
   * A slot.
   *
   * @param state what has become of it
   * @param owner who has claimed or taken it, where it is open or taken
   * @param value the record, where it is one
   */
  record Slot(State state, String owner, long value) {
    static final Slot FREE = new Slot(State.FREE, "", 0);
    static final Slot GAP = new Slot(State.GAP, "", 0);

    static Slot open(String owner) {
      return new Slot(State.OPEN, owner, 0);
    }

    static Slot of(long value) {
      return new Slot(State.RECORD, "", value);
    }

    static Slot taken(String owner) {
      return new Slot(State.TAKEN, owner, 0);
    }

    boolean is(State of) {
      return state == of;
    }
  }

  /** The state: the slots of the last sequences, oldest first. */
  record Content(List<Slot> slots, boolean closed) {
    boolean canClaim(int count) {
      return slots.subList(0, count).stream().allMatch(slot -> slot.is(State.FREE));
    }

    Content claim(int count, String owner) {
      List<Slot> after = new ArrayList<>(slots.subList(count, slots.size()));
      after.addAll(Collections.nCopies(count, Slot.open(owner)));
      return new Content(List.copyOf(after), closed);
    }

    /** Puts into the slots of an owner, which are in a state, one after the other what is given. */
    Content replace(State state, String owner, List<Slot> by) {
      List<Slot> after = new ArrayList<>(slots);
      int done = 0;
      for (int i = 0; i < after.size() && done < by.size(); i++) {
        if (after.get(i).is(state) && after.get(i).owner().equals(owner)) {
          after.set(i, by.get(done++));
        }
      }
      return new Content(List.copyOf(after), closed);
    }

    boolean has(State state, String owner) {
      return slots.stream().anyMatch(slot -> slot.is(state) && slot.owner().equals(owner));
    }

    /** The slots that nobody has taken. */
    List<Slot> waiting() {
      return slots.stream().filter(slot -> !slot.is(State.FREE) && !slot.is(State.TAKEN)).toList();
    }

    Content take(int count, String owner) {
      List<Slot> after = new ArrayList<>(slots);
      int first = slots.size() - waiting().size();
      Collections.fill(after.subList(first, first + count), Slot.taken(owner));
      return new Content(List.copyOf(after), closed);
    }
  }

  /** What a call knows after a step. */
  private enum Next {
    CLAIMED,
    PASSES,
    GOES_ON,
    TAKES
  }

  /**
   * Made by Lincheck.
   *
   * @param specification is not needed
   */
  @SuppressWarnings("unused") // Lincheck asks for this constructor
  public StampedAllows(Class<?> specification) {}

  /**
   * What the relaxed forms may answer on real processors, where a commit or a release may come out
   * of its processor after the call has returned: see {@link SpscAllows.OnProcessors}.
   */
  public static final class OnProcessors extends StampedAllows {
    /**
     * Made by Lincheck.
     *
     * @param specification is not needed
     */
    public OnProcessors(Class<?> specification) {
      super(specification);
    }

    @Override
    boolean mayBeFull(Call call) {
      return !call.alone();
    }

    @Override
    boolean mayBeEmpty(Content content, Call call) {
      return super.mayBeEmpty(content, call) || !call.alone();
    }
  }

  /**
   * What an {@link dev.millrace.queues.MpscQueue} may answer on real processors to a strict poll:
   * that there is none is the truth. That there is no slot may, as above, be no more than what is
   * visible.
   */
  public static final class StrictOnProcessors extends StampedAllows {
    /**
     * Made by Lincheck.
     *
     * @param specification is not needed
     */
    public StrictOnProcessors(Class<?> specification) {
      super(specification);
    }

    @Override
    boolean mayBeFull(Call call) {
      return !call.alone();
    }

    @Override
    boolean mayBeEmpty(Content content, Call call) {
      return content.waiting().isEmpty();
    }
  }

  /** Whether a claim may be told "full" where that is not so. */
  boolean mayBeFull(@SuppressWarnings("unused") Call call) {
    return false;
  }

  /** Whether a poll may be told "empty" where the queue is open. */
  boolean mayBeEmpty(Content content, @SuppressWarnings("unused") Call call) {
    List<Slot> waiting = content.waiting();
    return waiting.isEmpty() ? !content.closed() : waiting.getFirst().is(State.OPEN);
  }

  @Override
  Content initial() {
    return new Content(Collections.nCopies(Answers.CAPACITY, Slot.FREE), false);
  }

  @Override
  List<Step<Content>> steps(Content content, Call call, Object known) {
    String thread = "thread " + call.thread();
    return switch (call.name()) {
      case "offer" -> put(content, call, thread, List.of(Slot.of(call.longArgument(0))), known);
      case "offerRun" ->
          put(
              content,
              call,
              thread,
              List.of(Slot.of(call.longArgument(0)), Slot.of(-call.longArgument(0))),
              known);
      case "offerUpTo" -> put(content, call, thread, upTo(call), known);
      case "abort" -> put(content, call, thread, List.of(Slot.GAP), known);
      case "claimLeft" -> hold(content, call, "left");
      case "claimRight" -> hold(content, call, "right");
      case "commitLeft" -> end(content, call, "left", Slot.of(call.longArgument(0)));
      case "commitRight" -> end(content, call, "right", Slot.of(call.longArgument(0)));
      case "abortLeft" -> end(content, call, "left", Slot.GAP);
      case "abortRight" -> end(content, call, "right", Slot.GAP);
      case "complete" -> List.of(Step.last(new Content(content.slots(), true)));
      case "poll", "drainOne" -> take(content, call, thread, 1, (Next) known);
      case "pollRun" -> take(content, call, thread, call.intArgument(0), (Next) known);
      default -> throw new IllegalArgumentException("call must be known: call=" + call);
    };
  }

  /** A run of two, or of one where no more fits: as much is claimed as there is room for. */
  private static List<Slot> upTo(Call call) {
    Slot first = Slot.of(call.longArgument(0));
    return call.result().equals(Answers.DONE + " 2")
        ? List.of(first, Slot.of(-call.longArgument(0)))
        : List.of(first);
  }

  private List<Step<Content>> put(
      Content content, Call call, String owner, List<Slot> put, Object known) {
    if (known == Next.CLAIMED) {
      return List.of(Step.last(content.replace(State.OPEN, owner, put)));
    }
    if (!((String) call.result()).startsWith(Answers.DONE)) {
      return declined(content, call, put.size());
    }
    return content.closed() || !content.canClaim(put.size())
        ? List.of()
        : List.of(Step.then(content.claim(put.size(), owner), Next.CLAIMED));
  }

  private List<Step<Content>> declined(Content content, Call call, int count) {
    return switch ((String) call.result()) {
      case Answers.CLOSED -> stays(content, content.closed());
      case Answers.FULL ->
          stays(content, !content.closed() && (!content.canClaim(count) || mayBeFull(call)));
      default -> List.of();
    };
  }

  private List<Step<Content>> hold(Content content, Call call, String owner) {
    boolean isOpen = content.has(State.OPEN, owner);
    return switch ((String) call.result()) {
      case Answers.ONE_OPEN -> stays(content, isOpen);
      case Answers.DONE ->
          isOpen || content.closed() || !content.canClaim(1)
              ? List.of()
              : List.of(Step.last(content.claim(1, owner)));
      default -> isOpen ? List.of() : declined(content, call, 1);
    };
  }

  private static List<Step<Content>> end(Content content, Call call, String owner, Slot by) {
    boolean isOpen = content.has(State.OPEN, owner);
    return switch ((String) call.result()) {
      case Answers.NONE_OPEN -> stays(content, !isOpen);
      case Answers.DONE ->
          isOpen ? List.of(Step.last(content.replace(State.OPEN, owner, List.of(by)))) : List.of();
      default -> List.of();
    };
  }

  private List<Step<Content>> take(
      Content content, Call call, String owner, int limit, Next known) {
    if (known == Next.PASSES) {
      return List.of(Step.then(free(content, owner), Next.GOES_ON));
    }
    if (known == Next.TAKES) {
      Content freed = free(content, owner);
      return List.of(
          freed.has(State.TAKEN, owner) ? Step.then(freed, Next.TAKES) : Step.last(freed));
    }
    List<Slot> waiting = content.waiting();
    if (!waiting.isEmpty() && waiting.getFirst().is(State.GAP)) {
      return List.of(Step.then(content.take(1, owner), Next.PASSES));
    }
    if (call.result().equals(Answers.CLOSED)) {
      return stays(content, content.closed() && waiting.isEmpty());
    }
    if (call.result().equals(Answers.EMPTY)) {
      return stays(content, mayBeEmpty(content, call));
    }
    for (int count = 1; count <= Math.min(limit, waiting.size()); count++) {
      if (call.result().equals(text(waiting.subList(0, count)))) {
        return List.of(Step.then(content.take(count, owner), Next.TAKES));
      }
    }
    return List.of();
  }

  /** Frees the first slot that its owner has taken. */
  private static Content free(Content content, String owner) {
    return content.replace(State.TAKEN, owner, List.of(Slot.FREE));
  }

  private static List<Step<Content>> stays(Content content, boolean allowed) {
    return allowed ? List.of(Step.last(content)) : List.of();
  }

  /** The records; nothing that a queue answers if one of them is none. */
  private static String text(List<Slot> slots) {
    return String.join(
        " ",
        slots.stream()
            .map(slot -> slot.is(State.RECORD) ? Long.toString(slot.value()) : "-")
            .toList());
  }
}
