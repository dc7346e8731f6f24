package dev.millrace.stress.spec;

import dev.millrace.stress.spec.FifoSpec.Received;
import dev.millrace.stress.spec.FifoSpec.Sent;
import java.util.List;

/**
 * What a structure that keeps the newest records promises: each claim is committed or refused, and
 * each reader has read it, lost it because it was overwritten, or passed it as refused. Judges when
 * all threads have ended.
 *
 * @param claimed how many claims there were, as the structure says
 * @param refused how many of them it refused
 */
public record HistorySpec(long claimed, long refused) {
  /**
   * Compares what writers have committed with what the structure says.
   *
   * @param sents what each writer sent
   * @return the total
   * @throws AssertionError if they differ
   */
  public Counts balance(List<Sent> sents) {
    Counts sent = FifoSpec.sent(sents);
    Counts.check("committed + refused", sent.get("records") + refused, claimed);
    return sent;
  }

  /**
   * Compares what a reader has received with what it says.
   *
   * @param received what it received
   * @param read how many records it says it has read
   * @param lost how many it has lost
   * @param passed how many it has passed as refused
   * @throws AssertionError if a record is not accounted for
   */
  public void check(Received received, long read, long lost, long passed) {
    Counts.check("records taken", FifoSpec.received(List.of(received)).get("records"), read);
    Counts.check("read + lost + refused", read + lost + passed, claimed);
  }
}
