package dev.millrace.bench.report;

/**
 * Samples of a contender that do not count.
 *
 * @param contender the contender's title
 * @param moved how many because the cores had moved
 * @param failed how many because something went wrong
 * @param failure the first line of the first failure, or null
 */
public record Thrown(String contender, int moved, int failed, String failure) {}
