package dev.millrace.queues.internal;

import dev.millrace.queues.internal.shared.Burial;
import dev.millrace.queues.internal.shared.Participants;
import java.lang.foreign.MemorySegment;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * What a history ring is made of whose memory several processes map.
 *
 * @param memory zeroed when the ring is new, and otherwise as the participants have left it;
 *     read-only for an observer
 * @param capacity how many records the ring keeps
 * @param isSingle whether it has one producer
 * @param table makes the table of producers, given how to recover what the dead have left; null for
 *     an observer
 * @param isSearchDue whether a producer that finds a slot in use should search for the dead
 * @param name what messages call the ring
 * @param unmapping unmaps the memory, once no producer of this process is left
 */
public record SharedHistory(
    MemorySegment memory,
    int capacity,
    boolean isSingle,
    Function<Burial, Participants> table,
    BooleanSupplier isSearchDue,
    String name,
    SharedRing.Unmapping unmapping) {}
