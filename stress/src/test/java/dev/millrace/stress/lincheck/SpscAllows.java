package dev.millrace.stress.lincheck;

import java.util.ArrayList;
import java.util.List;

/**
 * What an {@link dev.millrace.queues.SpscQueue} may answer if records also come and go in runs: a
 * run is claimed as a whole or not at all, or as much of it as there is room for; of the records
 * that are there, a poll up to a limit takes one at least, but not always all that the limit
 * allows.
 */
public class SpscAllows extends RelaxedVerifier<SpscAllows.Content> {
  /** The state; a claim that will be refused shows for a moment, and then all is not drained. */
  record Content(List<Long> records, boolean closed, boolean claiming) {
    Content and(List<Long> more) {
      List<Long> all = new ArrayList<>(records);
      all.addAll(more);
      return new Content(List.copyOf(all), closed, claiming);
    }

    Content without(int count) {
      return new Content(List.copyOf(records.subList(count, records.size())), closed, claiming);
    }

    Content claiming(boolean begins) {
      return new Content(records, closed, begins);
    }
  }

  private static final String CLAIMED = "claimed"; // known to a call that will be refused

  /**
   * Made by Lincheck.
   *
   * @param specification is not needed
   */
  @SuppressWarnings("unused") // Lincheck asks for this constructor
  public SpscAllows(Class<?> specification) {}

  /**
   * What the queue may answer on real processors: "full" and "empty" are answers of what is
   * visible, as its documentation says. A producer that has offered and is told that the queue is
   * full, and a consumer that has released and is told that it is empty, may both have looked
   * before the other's write came out of its processor; in no order of the calls are both right. So
   * these two answers are let pass in a call that overlaps another, and are held to the truth in
   * one that does not. What is delivered, in which order, is not relaxed.
   */
  public static final class OnProcessors extends SpscAllows {
    /**
     * Made by Lincheck.
     *
     * @param specification is not needed
     */
    public OnProcessors(Class<?> specification) {
      super(specification);
    }

    @Override
    boolean mayDecline(Call call) {
      return !call.alone();
    }
  }

  /** Whether a call may be told "full" or "empty" where that is not so. */
  boolean mayDecline(@SuppressWarnings("unused") Call call) {
    return false;
  }

  @Override
  Content initial() {
    return new Content(List.of(), false, false);
  }

  @Override
  List<Step<Content>> steps(Content content, Call call, Object known) {
    if (Answers.CLOSED.equals(call.result()) && !takes(call)) {
      return refused(content, known);
    }
    return switch (call.name()) {
      case "offer" -> offer(content, call, List.of(call.longArgument(0)));
      case "offerRun" -> offer(content, call, List.of(call.longArgument(0), -call.longArgument(0)));
      case "offerUpTo" ->
          offer(
              content,
              call,
              call.result().equals(Answers.DONE + " 2")
                  ? List.of(call.longArgument(0), -call.longArgument(0))
                  : List.of(call.longArgument(0)));
      case "abort" -> offer(content, call, List.of());
      case "complete" ->
          List.of(Step.last(new Content(content.records(), true, content.claiming())));
      case "poll", "drainOne" -> poll(content, call, 1);
      case "pollRun", "drain" -> poll(content, call, call.intArgument(0));
      default -> throw new IllegalArgumentException("call must be known: call=" + call);
    };
  }

  private static boolean takes(Call call) {
    return call.name().startsWith("poll") || call.name().startsWith("drain");
  }

  private List<Step<Content>> offer(Content content, Call call, List<Long> offered) {
    int claimed = Math.max(1, offered.size()); // an abort claims a slot too
    boolean full = content.records().size() + claimed > Answers.CAPACITY;
    return switch ((String) call.result()) {
      case Answers.FULL -> stays(content, !content.closed() && (full || mayDecline(call)));
      case Answers.DONE, Answers.DONE + " 1", Answers.DONE + " 2" ->
          content.closed() || full ? List.of() : List.of(Step.last(content.and(offered)));
      default -> List.of();
    };
  }

  /** A claim is announced, then taken back. */
  private static List<Step<Content>> refused(Content content, Object known) {
    if (known == null) {
      return List.of(Step.then(content.claiming(true), CLAIMED));
    }
    return content.closed() ? List.of(Step.last(content.claiming(false))) : List.of();
  }

  private List<Step<Content>> poll(Content content, Call call, int limit) {
    List<Long> records = content.records();
    boolean nothing = records.isEmpty();
    if (call.result().equals(Answers.CLOSED)) {
      return stays(content, content.closed() && nothing);
    }
    if (call.result().equals(Answers.EMPTY)) {
      boolean isOpen = !content.closed() || content.claiming();
      return stays(content, (isOpen && nothing) || mayDecline(call));
    }
    for (int count = 1; count <= Math.min(limit, records.size()); count++) {
      if (call.result().equals(text(records.subList(0, count)))) {
        return List.of(Step.last(content.without(count)));
      }
    }
    return List.of();
  }

  private static List<Step<Content>> stays(Content content, boolean allowed) {
    return allowed ? List.of(Step.last(content)) : List.of();
  }

  private static String text(List<Long> records) {
    return String.join(" ", records.stream().map(record -> Long.toString(record)).toList());
  }
}
