package dev.millrace.stress.lincheck;

import java.util.ArrayList;
import java.util.List;

/**
 * What a {@link dev.millrace.queues.KFifoQueue} may answer: a poll takes a record that others were
 * put in before, if each of those has been overtaken by fewer than k - 1. An offer takes a cell,
 * and then puts the record in; a poll takes the record out, and then gives the cell back.
 */
abstract class KFifoAllows extends RelaxedVerifier<KFifoAllows.Content> {
  static final int K = 2;

  private final int k;

  private KFifoAllows(int k) {
    this.k = k;
  }

  /** A record, and how many have overtaken it. */
  record Waiting(long value, int overtaken) {}

  /** The free cells, and the records in the order in which they were put in. */
  record Content(int cells, List<Waiting> records) {
    Content withCells(int more) {
      return new Content(cells + more, records);
    }

    Content with(long value) {
      List<Waiting> after = new ArrayList<>(records);
      after.add(new Waiting(value, 0));
      return new Content(cells, List.copyOf(after));
    }

    /** Without a record, which has overtaken those before it; null if one of them forbids it. */
    Content without(int index, int k) {
      List<Waiting> after = new ArrayList<>(records);
      after.remove(index);
      for (int i = 0; i < index; i++) {
        Waiting one = after.get(i);
        if (one.overtaken() == k - 1) {
          return null;
        }
        after.set(i, new Waiting(one.value(), one.overtaken() + 1));
      }
      return new Content(cells, List.copyOf(after));
    }
  }

  /** The k that the queue was made with. */
  public static final class Its extends KFifoAllows {
    /**
     * Made by Lincheck.
     *
     * @param specification asked for by Lincheck, and not used
     */
    public Its(Class<?> specification) {
      super(K);
    }
  }

  /** One less, which the queue does not keep. */
  public static final class OneLess extends KFifoAllows {
    /**
     * Made by Lincheck.
     *
     * @param specification asked for by Lincheck, and not used
     */
    public OneLess(Class<?> specification) {
      super(K - 1);
    }
  }

  @Override
  Content initial() {
    return new Content(QueueOperations.CAPACITY, List.of());
  }

  @Override
  List<Step<Content>> steps(Content content, Call call, Object known) {
    return switch (call.name()) {
      case "offer", "offerCommittedFirst" -> offer(content, call, known);
      case "poll" -> poll(content, call, known);
      default -> throw new IllegalArgumentException("call must be known: call=" + call);
    };
  }

  private static List<Step<Content>> offer(Content content, Call call, Object known) {
    if (known != null) {
      return List.of(Step.last(content.with(call.longArgument(0))));
    }
    if (call.result().equals(QueueOperations.FULL)) {
      return lastIf(content.cells() == 0, content);
    }
    return content.cells() > 0 ? List.of(Step.then(content.withCells(-1), true)) : List.of();
  }

  private List<Step<Content>> poll(Content content, Call call, Object known) {
    if (known != null) {
      return List.of(Step.last(content.withCells(1)));
    }
    if (call.result().equals(QueueOperations.EMPTY)) {
      return lastIf(content.records().isEmpty(), content);
    }
    for (int i = 0; i < content.records().size(); i++) {
      if (call.result().equals(Long.toString(content.records().get(i).value()))) {
        Content after = content.without(i, k);
        return after == null ? List.of() : List.of(Step.then(after, true));
      }
    }
    return List.of();
  }
}
