package dev.millrace.stress.lincheck;

import java.util.List;

/**
 * What a ring may answer whose consumers share the events: what {@link StampedAllows} says, but for
 * "full". Before a worker takes a record it says that it may, and while it has said so a producer
 * counts the slot as in use, though another worker was faster and is through with it. So a claim
 * may be told "full" while a poll overlaps it; one that nothing overlaps is told the truth.
 */
public class SharedAllows extends StampedAllows {
  /**
   * Made by Lincheck.
   *
   * @param specification is not needed
   */
  public SharedAllows(Class<?> specification) {
    super(specification);
  }

  /** What it may answer on real processors: see {@link SpscAllows.OnProcessors}. */
  public static final class OnProcessors extends SharedAllows {
    /**
     * Made by Lincheck.
     *
     * @param specification is not needed
     */
    public OnProcessors(Class<?> specification) {
      super(specification);
    }

    @Override
    boolean mayBeEmpty(Content content, Call call) {
      return super.mayBeEmpty(content, call) || !call.alone();
    }
  }

  @Override
  boolean mayBeFull(Call call) {
    return !call.alone();
  }

  /** Whichever worker polls. */
  @Override
  List<Step<Content>> steps(Content content, Call call, Object known) {
    String name = call.name().replaceFirst("^(poll|pollRun)(Left|Right)$", "$1");
    return super.steps(
        content,
        new Call(call.thread(), name, call.arguments(), call.result(), call.alone()),
        known);
  }
}
