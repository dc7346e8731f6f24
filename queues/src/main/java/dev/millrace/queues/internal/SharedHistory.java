package dev.millrace.queues.internal;

import dev.millrace.queues.internal.shared.Burial;
import dev.millrace.queues.internal.shared.Participants;
import java.lang.foreign.MemorySegment;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * What a history ring is made of whose memory several processes map. The memory is zeroed when the
 * ring is new, and otherwise as the participants have left it. It is read-only for an observer.
 *
 * @param memory the memory of the ring
 * @param places the memory of the named readers' places, 128 bytes each
 * @param capacity how many records the ring keeps
 * @param isSingle whether it has one producer
 * @param table makes the table of participants, given how to recover what the dead have left; null
 *     for an observer
 * @param isSearchDue whether a producer that finds a slot in use should search for the dead
 * @param name what messages call the ring
 * @param unmapping unmaps the memory, once no participant of this process is left
 */
public record SharedHistory(
    MemorySegment memory,
    MemorySegment places,
    int capacity,
    boolean isSingle,
    Function<Burial, Participants> table,
    BooleanSupplier isSearchDue,
    String name,
    SharedRing.Unmapping unmapping) {}
