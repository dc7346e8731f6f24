package dev.millrace.stress.report;

/**
 * A line at the top of the report.
 *
 * @param tool which tool found it, or did not run
 * @param type the type it is about, or null
 * @param what the test or the planted bug
 * @param verdict what it amounts to
 * @param anchor where on the page more is said
 */
public record Finding(String tool, String type, String what, Verdict verdict, String anchor) {}
