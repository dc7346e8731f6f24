package dev.millrace.queues.internal;

import dev.millrace.queues.internal.shared.Presence;
import java.time.Instant;
import java.util.List;
import java.util.SequencedMap;

/**
 * What the file of a history says, whatever its records are.
 *
 * @param kind the name of the factory, such as {@code HistoryRing.single}
 * @param capacity how many records the history keeps
 * @param recordBytes how many bytes a record has
 * @param claimed how many records were claimed
 * @param refused how many of them were refused or aborted
 * @param readers the names of readers, in order, and from where each continues
 * @param participants the producers and named readers, dead or alive
 * @param sizeBytes how many bytes the file has
 * @param created when the file was made
 * @param creator the id of the process that made it
 */
public record HistoryInfo(
    String kind,
    long capacity,
    long recordBytes,
    long claimed,
    long refused,
    SequencedMap<String, Long> readers,
    List<Presence> participants,
    long sizeBytes,
    Instant created,
    long creator) {}
