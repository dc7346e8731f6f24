package dev.millrace.telemetry.tool;

import java.time.Instant;
import java.util.Map;

/**
 * A record of a trace log, copied out of it.
 *
 * @param time when the record was claimed
 * @param writer the name of its writer
 * @param type the name of its type
 * @param fields its fields by name, in order, as {@link RecordFields} reads them
 * @param text the text after the fields, empty if there is none
 */
public record TraceRecord(
    Instant time, String writer, String type, Map<String, Object> fields, String text) {}
