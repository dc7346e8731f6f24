package dev.millrace.stress.lincheck;

import static dev.millrace.stress.lincheck.QueueOperations.DONE;
import static dev.millrace.stress.lincheck.QueueOperations.DRAINED;
import static dev.millrace.stress.lincheck.QueueOperations.EMPTY;
import static dev.millrace.stress.lincheck.QueueOperations.FULL;
import static dev.millrace.stress.lincheck.QueueOperations.NONE_OPEN;
import static dev.millrace.stress.lincheck.QueueOperations.ONE_OPEN;
import static java.util.stream.Collectors.joining;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * What a bounded queue may answer: of {@link dev.millrace.queues.MpscQueue}, {@link
 * dev.millrace.queues.MpmcQueue}, {@link dev.millrace.queues.messages.MessageQueue} and {@link
 * dev.millrace.disruptor.Sequencer} the relaxed forms.
 *
 * <p>The slots are those of the last {@code capacity} sequences. A claim needs that the oldest are
 * free, and a poll goes by the first that is not taken: if it is open there is nothing to have,
 * whatever is behind it. An aborted slot is passed as a record is taken, and freed after. So a put
 * has two steps, its claim and its commit; a take has two, for which it may have passed gaps, two
 * steps each. The end is exact: it is behind every slot that was ever claimed. A run is claimed as
 * a whole, or as much of it as there is room for; of the records that are there a poll up to a
 * limit takes one at least, but not always all that the limit allows.
 *
 * <p>Of "full" and "empty" this is what they mean in one order of all accesses, in which Lincheck's
 * model checker runs them. On real processors both may be out of date when they are given, as the
 * documentation says.
 */
public class BoundedAllows extends RelaxedVerifier<BoundedAllows.Content> {
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
   * @param owner the end that has claimed or taken it, where it is open or taken
   * @param value the record, where it is one
   */
  record Slot(State state, String owner, long value) {
    static final Slot FREE = new Slot(State.FREE, "", 0);
    static final Slot GAP = new Slot(State.GAP, "", 0);

    static Slot of(long value) {
      return new Slot(State.RECORD, "", value);
    }

    boolean is(State of) {
      return state == of;
    }

    boolean is(State of, String whose) {
      return state == of && owner.equals(whose);
    }
  }

  /**
   * The state: the slots of the last sequences, oldest first.
   *
   * @param isClaiming whether a claim shows that will be refused
   */
  record Content(List<Slot> slots, boolean isCompleted, boolean isClaiming) {
    private Content with(List<Slot> after) {
      return new Content(List.copyOf(after), isCompleted, isClaiming);
    }

    boolean canClaim(int count) {
      return !isCompleted && slots.subList(0, count).stream().allMatch(slot -> slot.is(State.FREE));
    }

    Content claim(int count, String owner) {
      List<Slot> after = new ArrayList<>(slots.subList(count, slots.size()));
      after.addAll(Collections.nCopies(count, new Slot(State.OPEN, owner, 0)));
      return with(after);
    }

    /** Puts into the slots of an owner, which are in a state, one after the other what is given. */
    Content replace(State state, String owner, List<Slot> by) {
      List<Slot> after = new ArrayList<>(slots);
      int done = 0;
      for (int i = 0; i < after.size() && done < by.size(); i++) {
        if (after.get(i).is(state, owner)) {
          after.set(i, by.get(done++));
        }
      }
      return with(after);
    }

    boolean has(State state, String owner) {
      return slots.stream().anyMatch(slot -> slot.is(state, owner));
    }

    /** The slots that nobody has taken. */
    List<Slot> waiting() {
      return slots.stream().filter(slot -> !slot.is(State.FREE) && !slot.is(State.TAKEN)).toList();
    }

    Content take(int count, String owner) {
      List<Slot> after = new ArrayList<>(slots);
      int first = slots.size() - waiting().size();
      Collections.fill(after.subList(first, first + count), new Slot(State.TAKEN, owner, 0));
      return with(after);
    }

    /** Frees the first slots that their owner has taken. */
    Content free(int count, String owner) {
      return replace(State.TAKEN, owner, Collections.nCopies(count, Slot.FREE));
    }
  }

  /** What tells the operations of one kind apart: whose they are, or the bug that is planted. */
  private static final String VARIANT =
      "(Left|Right|Shared|CommittedFirst|ReleasedFirst|EndingEarly)$";

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
   * @param specification asked for by Lincheck, and not used
   */
  public BoundedAllows(Class<?> specification) {}

  @Override
  final Content initial() {
    return new Content(Collections.nCopies(QueueOperations.CAPACITY, Slot.FREE), false, false);
  }

  @Override
  final List<Step<Content>> steps(Content content, Call call, Object known) {
    String side = call.name().replaceFirst(".*(?=Left$|Right$)", "");
    String owner = side.equals(call.name()) ? "thread " + call.thread() : side;
    return switch (call.name().replaceFirst(VARIANT, "")) {
      case "offer" -> offer(content, call, owner, List.of(value(call)), known);
      case "offerRun" -> offer(content, call, owner, run(call), known);
      case "offerUpTo" -> {
        boolean isWhole = call.result().equals(DONE + 2);
        yield offer(content, call, owner, isWhole ? run(call) : List.of(value(call)), known);
      }
      case "offerAborted" -> offer(content, call, owner, List.of(Slot.GAP), known);
      case "claim" -> hold(content, call, owner);
      case "commit" -> end(content, call, owner, value(call));
      case "abort" -> end(content, call, owner, Slot.GAP);
      case "complete" ->
          List.of(Step.last(new Content(content.slots(), true, content.isClaiming())));
      case "poll", "strictPoll", "drainOne" -> poll(content, call, owner, 1, (Next) known);
      case "pollRun", "drain" -> poll(content, call, owner, call.intArgument(0), (Next) known);
      default -> throw new IllegalArgumentException("call must be known: call=" + call);
    };
  }

  private static Slot value(Call call) {
    return Slot.of(call.longArgument(0));
  }

  private static List<Slot> run(Call call) {
    return List.of(value(call), Slot.of(-call.longArgument(0)));
  }

  // ---- producers ----

  private List<Step<Content>> offer(
      Content content, Call call, String owner, List<Slot> put, Object known) {
    if (call.result() == IllegalStateException.class) {
      return refused(content);
    }
    if (call.result().equals(FULL)) {
      return full(content, call, put.size());
    }
    if (known == Next.CLAIMED) {
      return List.of(Step.last(content.replace(State.OPEN, owner, put)));
    }
    return isDone(call, put) && content.canClaim(put.size())
        ? List.of(put(content, owner, put))
        : List.of();
  }

  private static boolean isDone(Call call, List<Slot> put) {
    return call.result().equals(DONE + put.stream().filter(slot -> slot.is(State.RECORD)).count());
  }

  /** The first step of a put. */
  Step<Content> put(Content content, String owner, List<Slot> put) {
    return Step.then(content.claim(put.size(), owner), Next.CLAIMED);
  }

  /** A claim that finds the queue completed. */
  List<Step<Content>> refused(Content content) {
    return lastIf(content.isCompleted(), content);
  }

  private List<Step<Content>> full(Content content, Call call, int count) {
    return lastIf(!content.isCompleted() && (!content.canClaim(count) || mayBeFull(call)), content);
  }

  /** Whether a claim may be told "full" where that is not so. */
  boolean mayBeFull(Call call) {
    return false;
  }

  private List<Step<Content>> hold(Content content, Call call, String owner) {
    boolean isOpen = content.has(State.OPEN, owner);
    if (call.result().equals(ONE_OPEN)) {
      return lastIf(isOpen, content);
    }
    if (isOpen) {
      return List.of();
    }
    if (call.result() == IllegalStateException.class) {
      return refused(content);
    }
    return call.result().equals(FULL)
        ? full(content, call, 1)
        : lastIf(content.canClaim(1), content.claim(1, owner));
  }

  private static List<Step<Content>> end(Content content, Call call, String owner, Slot by) {
    boolean isOpen = content.has(State.OPEN, owner);
    if (call.result().equals(NONE_OPEN)) {
      return lastIf(!isOpen, content);
    }
    return lastIf(
        isOpen && isDone(call, List.of(by)), content.replace(State.OPEN, owner, List.of(by)));
  }

  // ---- consumers ----

  private List<Step<Content>> poll(
      Content content, Call call, String owner, int limit, Next known) {
    if (known == Next.PASSES) {
      return List.of(Step.then(content.free(1, owner), Next.GOES_ON));
    }
    if (known == Next.TAKES) {
      return List.of(taken(content.free(1, owner), owner));
    }
    List<Slot> waiting = content.waiting();
    if (!waiting.isEmpty() && waiting.getFirst().is(State.GAP)) {
      return List.of(Step.then(content.take(1, owner), Next.PASSES));
    }
    if (call.result().equals(DRAINED)) {
      return lastIf(content.isCompleted() && waiting.isEmpty(), content);
    }
    if (call.result().equals(EMPTY)) {
      return lastIf(mayBeEmpty(content, call), content);
    }
    for (int count = 1; count <= Math.min(limit, waiting.size()); count++) {
      if (call.result().equals(text(waiting.subList(0, count)))) {
        return List.of(taken(content.take(count, owner), owner));
      }
    }
    return List.of();
  }

  /** A step after which a poll has taken slots, and frees them one by one. */
  Step<Content> taken(Content content, String owner) {
    return content.has(State.TAKEN, owner) ? Step.then(content, Next.TAKES) : Step.last(content);
  }

  /** Whether a poll may be told "empty". */
  private boolean mayBeEmpty(Content content, Call call) {
    List<Slot> waiting = content.waiting();
    if (call.name().equals("strictPoll")) {
      return waiting.isEmpty();
    }
    return waiting.isEmpty()
        ? !content.isCompleted() || content.isClaiming()
        : waiting.getFirst().is(State.OPEN);
  }

  /** The records; nothing that a queue answers if one of them is none. */
  private static String text(List<Slot> slots) {
    return slots.stream()
        .map(slot -> slot.is(State.RECORD) ? Long.toString(slot.value()) : "-")
        .collect(joining(" "));
  }

  /**
   * What it may answer where the consumers share the records: before a worker takes a record it
   * says that it may, and while it has said so a producer counts the slot as in use, though another
   * worker was faster and is through with it. So a claim may be told "full" while a poll overlaps
   * it; one that nothing overlaps is told the truth.
   */
  public static final class ByWorkers extends BoundedAllows {
    /**
     * Made by Lincheck.
     *
     * @param specification asked for by Lincheck, and not used
     */
    public ByWorkers(Class<?> specification) {
      super(specification);
    }

    @Override
    boolean mayBeFull(Call call) {
      return !call.alone();
    }
  }

  /**
   * What it may answer with one producer: a claim that will be refused shows for a moment, in which
   * the queue does not count as drained.
   */
  public static class ByOneProducer extends BoundedAllows {
    /**
     * Made by Lincheck.
     *
     * @param specification asked for by Lincheck, and not used
     */
    public ByOneProducer(Class<?> specification) {
      super(specification);
    }

    @Override
    final List<Step<Content>> refused(Content content) {
      boolean isClaiming = content.isClaiming();
      Content after = new Content(content.slots(), content.isCompleted(), !isClaiming);
      return isClaiming
          ? lastIf(content.isCompleted(), after)
          : List.of(Step.then(after, Next.CLAIMED));
    }
  }

  /**
   * What it may answer with one producer and one consumer, but for a refused claim: each call is
   * one step, and an aborted claim leaves nothing.
   */
  public static final class OneToOne extends ByOneProducer {
    /**
     * Made by Lincheck.
     *
     * @param specification asked for by Lincheck, and not used
     */
    public OneToOne(Class<?> specification) {
      super(specification);
    }

    @Override
    Step<Content> put(Content content, String owner, List<Slot> put) {
      Content claimed = content.claim(put.size(), owner);
      boolean leavesNothing = put.getFirst().is(State.GAP);
      return Step.last(leavesNothing ? content : claimed.replace(State.OPEN, owner, put));
    }

    @Override
    Step<Content> taken(Content content, String owner) {
      return Step.last(content.free(QueueOperations.CAPACITY, owner));
    }
  }
}
