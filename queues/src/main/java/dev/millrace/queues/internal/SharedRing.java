package dev.millrace.queues.internal;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.function.Function;

/**
 * What a queue is made of whose memory several processes map.
 *
 * @param memory zeroed when the queue is new, and otherwise as the participants have left it
 * @param peers who takes part, given how to recover what the dead have left
 * @param repeats whether messages that a consumer had in hand when it died are handed out once
 *     more; otherwise they are counted as lost
 * @param name what messages about damage call it
 * @param unmapping unmaps the memory, once no participant of this process is left
 */
public record SharedRing(
    MemorySegment memory,
    Function<RingPeers.Burial, RingPeers> peers,
    boolean repeats,
    String name,
    Unmapping unmapping) {
  /** Ends the use of memory. */
  @FunctionalInterface
  public interface Unmapping {
    /**
     * Unmaps the memory. If {@code removes}, also removes its file, unless another process uses it.
     * Returns whether it removed the file.
     */
    boolean run(boolean removes) throws IOException;
  }
}
