package dev.millrace.stress.lincheck;

import java.util.ArrayList;
import java.util.List;

/**
 * What a {@link dev.millrace.queues.log.MessageLog} may answer.
 *
 * <p>An append takes two steps: readers find the message, and then the log's end is behind it. A
 * sync takes two: it reads the end, and later that is durable. Everything else is one step, and a
 * poll finds a message if and only if there is one.
 */
public final class LogAllows extends RelaxedVerifier<LogAllows.Content> {
  /** The state: what readers find, the log's two ends, and where its two readers are. */
  record Content(List<Long> found, int end, int durable, int left, int right) {
    Content append(long value) {
      List<Long> after = new ArrayList<>(found);
      after.add(value);
      return new Content(List.copyOf(after), end, durable, left, right);
    }

    Content to(int end, int durable) {
      return new Content(found, end, durable, left, right);
    }

    Content take(int byLeft, int byRight) {
      return new Content(found, end, durable, left + byLeft, right + byRight);
    }
  }

  /** A sync that has read the end, or an append whose message is found. */
  private record Reached(int end) {}

  /**
   * Made by Lincheck.
   *
   * @param specification asked for by Lincheck, and not used
   */
  public LogAllows(Class<?> specification) {}

  @Override
  Content initial() {
    return new Content(List.of(), 0, 0, 0, 0);
  }

  @Override
  List<Step<Content>> steps(Content content, Call call, Object known) {
    int end = content.found.size();
    return switch (call.name()) {
      case "append", "appendShortened", "appendCommittedFirst" -> append(content, call, known);
      case "abort" -> List.of(Step.last(content));
      case "pollLeft" -> poll(content, call, content.left, content.take(1, 0));
      case "pollRight" -> poll(content, call, content.right, content.take(0, 1));
      case "end" -> lastIf(call.result().equals((long) content.end), content);
      case "endFound" -> lastIf(call.result().equals((long) end), content);
      case "durable" -> lastIf(call.result().equals((long) content.durable), content);
      case "sync" -> List.of(sync(content, (Reached) known));
      default -> throw new IllegalArgumentException("call must be known: call=" + call);
    };
  }

  private static List<Step<Content>> append(Content content, Call call, Object known) {
    if (known instanceof Reached(int end)) {
      return lastIf(call.result().equals(end - 1L), content.to(end, content.durable));
    }
    Content after = content.append(call.longArgument(0));
    return List.of(Step.then(after, new Reached(after.found.size())));
  }

  private static List<Step<Content>> poll(Content content, Call call, int at, Content after) {
    if (at == content.found.size()) {
      return lastIf(call.result().equals(LogOperations.EMPTY), content);
    }
    String told = LogOperations.told(at, Long.toString(content.found.get(at)));
    return lastIf(call.result().equals(told), after);
  }

  private static Step<Content> sync(Content content, Reached known) {
    return known == null
        ? Step.then(content, new Reached(content.end))
        : Step.last(content.to(content.end, Math.max(content.durable, known.end)));
  }
}
